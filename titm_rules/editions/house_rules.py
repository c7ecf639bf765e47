"""Overlays of an edition: house rules, and the special rules of scenarios."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from titm_rules.catalog import elsewhere, files_of, scenario_files
from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean, moved_to
from titm_rules.files import open_file

MAX_RULE_TEXT = 64 * 1024
OVERLAY_FOLDER = "house"
ENDING = ".rules"
SPECIAL_RULES = "*/*.rules"  # in the folder of the scenarios
MAX_OVERLAY = 2_000_000
COMBINED = "+"  # joins the names of sheets to that of the rules they are applied to
MAX_STEM = 60  # characters of a name that is made, so that a number may follow
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True, slots=True)
class HouseRules:
    """A text of house rules with a name; it is checked like a file when an edition is made with it."""

    name: str
    text: str

    def __post_init__(self) -> None:
        """Check name and size. Raises `InputError` for a bad name, or a text over 64 KiB."""
        if not _NAME.fullmatch(self.name):
            fix = "write small letters, digits and hyphens"
            raise InputError([Fault("this cannot be the name of house rules", "$.name", fix=fix, kind="bad-value")])
        if len(self.text.encode("utf-8", "surrogatepass")) > MAX_RULE_TEXT:
            what = f"the house rules `{self.name}` are over {MAX_RULE_TEXT // 1024} KiB"
            raise InputError([Fault(what, "$.text", fix="send fewer clauses", kind="too-large")])

    @property
    def stem(self) -> str:
        """Their name in verdicts, as `Path.stem` is that of a file."""
        return self.name

    def __str__(self) -> str:
        return f"{self.name}.rules"


Overlay = str | HouseRules


def name_of_rules(stem: str, taken: Collection[str] = ()) -> str:
    """Make a name of house rules from that of a file: what it may not hold becomes a hyphen; a number keeps it unique.

    A name that can stay as it is does.
    """
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    wanted = re.sub("[^a-z0-9]+", "-", plain).strip("-")[:MAX_STEM] or "sheet"
    wanted = stem if _NAME.fullmatch(stem) else wanted
    names = (wanted if number == 1 else f"{wanted[:MAX_STEM]}-{number}" for number in itertools.count(1))
    return next(name for name in names if name not in taken)


def is_mixed(edition: str, overlays: Sequence[Overlay]) -> bool:
    """Whether rules mix sheets or have overlays: requests can ask for too many such rules to keep them all."""
    return COMBINED in edition or bool(overlays)


def overlay_path(overlay: Overlay, game: str = "") -> Path | HouseRules:
    """Find the file of an overlay; return a text unchanged. Raises `InputError` if the file does not exist."""
    return overlay if isinstance(overlay, HouseRules) else overlay_file(overlay, game)


def overlay_file(overlay: str, game: str = "") -> Path:
    """Find the file of an overlay by name or path. Raises `InputError` if it does not exist."""
    path = shipped_overlays(game)[overlay] if _ships(overlay, game) else Path(overlay)
    if not path.is_file() or path.stat().st_size > MAX_OVERLAY:
        other = elsewhere(f"{OVERLAY_FOLDER}/*.rules", game).get(overlay)
        why = "no such file, and none that ships has this name" + (f" but one of the game `{other}`" if other else "")
        why = "the file is too large for rules" if path.is_file() else why
        fix = did_you_mean(overlay, shipped_overlays(game))
        raise InputError([Fault(f"unknown overlay `{overlay}`", "--overlay", why, fix, kind="no-file")])
    return path


def overlay_beside(overlay: str, file: Path, game: str = "") -> str:
    """Give the overlay that a file names: one that ships by its name, any other by its path from the file's folder."""
    return overlay if _ships(overlay, game) else str(file.parent / overlay)


def overlay_seen_from(overlay: Overlay, file: Path, game: str = "") -> str:
    """Write an overlay as a file names it, so that `overlay_beside` finds it."""
    if isinstance(overlay, HouseRules) or _ships(overlay, game):
        return str(overlay)
    try:
        return Path(os.path.relpath(overlay, file.parent)).as_posix()
    except ValueError:  # on another drive
        return Path(overlay).resolve().as_posix()


def _ships(overlay: str, game: str) -> bool:
    return not overlay.endswith(ENDING) and overlay in shipped_overlays(game)  # they are named without the ending


def overlay_sent(name: str, text: str | None, where: str, game: str) -> Overlay:
    """Return house rules that a request or a file of somebody else names, or brings as text; no name opens a file.

    `where` is their place in it, for errors. Raises `InputError` if none that ship have the name, or for a bad text.
    """
    if text is not None:
        try:
            return HouseRules(name, text)
        except InputError as error:
            raise moved_to(error, "$", where) from None
    known = shipped_overlays(game)
    if name not in known:
        what, fix = f"unknown house rules `{cut(name)}`", did_you_mean(name, known)
        raise InputError([Fault(what, where, "none that ship have this name", fix, kind="unknown-name")])
    return name


def special_rules(game: str = "") -> list[str]:
    return [path.stem for path in scenario_files(game, SPECIAL_RULES)]


def shipped_overlays(game: str = "") -> dict[str, Path]:
    own = files_of(game, f"{OVERLAY_FOLDER}/*.rules")
    return {path.stem: path for path in (*scenario_files(game, SPECIAL_RULES), *own)}


def content_of(overlay: Path | HouseRules) -> str:
    """Return a digest of a file; its faults are reported when it is parsed."""
    if isinstance(overlay, HouseRules):
        return ""
    with open_file(overlay, "overlay") as file:
        return hashlib.sha256(file.read(MAX_OVERLAY + 1)).hexdigest()
