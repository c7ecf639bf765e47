"""House rules and special rules: clauses laid over an edition."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from titm_rules.catalog import elsewhere, files_of, scenario_files
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.files import open_file

# ---------------------------------------------------------------------- overlays
MAX_RULE_TEXT = 64 * 1024
COMBINED = "+"  # joins the names of sheets to that of the rules they are applied to
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True, slots=True)
class HouseRules:
    """A text of house rules under a name; it is checked like a file when an edition is made with it."""

    name: str
    text: str

    def __post_init__(self) -> None:
        """Check name and size.

        Raises:
            InputError: for a name that is no word, or a text over 64 KiB.
        """
        if not _NAME.fullmatch(self.name):
            fix = "write small letters, digits and hyphens"
            raise InputError([Fault("this is no name for house rules", "$.name", fix=fix, kind="bad-value")])
        if len(self.text.encode("utf-8", "surrogatepass")) > MAX_RULE_TEXT:
            what = f"the house rules `{self.name}` are over {MAX_RULE_TEXT // 1024} KiB"
            raise InputError([Fault(what, "$.text", fix="send fewer clauses", kind="too-large")])

    @property
    def stem(self) -> str:
        """What verdicts call them, as they do a file by its name."""
        return self.name

    def __str__(self) -> str:
        return f"{self.name}.rules"


Overlay = str | HouseRules


def is_mixed(edition: str, overlays: Sequence[Overlay]) -> bool:
    """Whether rules are a mixture of sheets, or have house rules on top: too many such rules can be asked for."""
    return COMBINED in edition or bool(overlays)


# ---------------------------------------------------------------------- overlay files
OVERLAY_FOLDER = "house"
MAX_OVERLAY = 2_000_000


def overlay_path(overlay: Overlay, game: str = "") -> Path | HouseRules:
    """Find what holds an overlay; a text holds itself.

    Raises:
        InputError: if there is no such file.
    """
    return overlay if isinstance(overlay, HouseRules) else overlay_file(overlay, game)


def overlay_file(overlay: str, game: str = "") -> Path:
    """Find the file of an overlay: one that ships, by its name, or a file.

    Raises:
        InputError: if there is none.
    """
    shipped = shipped_overlays(game)
    path = shipped.get(overlay, Path(overlay))
    if not path.is_file() or path.stat().st_size > MAX_OVERLAY:
        other = elsewhere(f"{OVERLAY_FOLDER}/*.rules", game).get(overlay)
        why = "no such file, and none that ships has this name" + (f" but one of the game `{other}`" if other else "")
        why = "the file is too large for rules" if path.is_file() else why
        raise InputError(
            [Fault(f"unknown overlay `{overlay}`", "--overlay", why, did_you_mean(overlay, shipped), kind="no-file")]
        )
    return path


def special_rules(game: str = "") -> list[str]:
    """Name the overlays that are the special rules of the scenarios of a game."""
    return [path.stem for path in _special_paths(game)]


def _special_paths(game: str) -> list[Path]:
    return scenario_files(game, "*/*.rules")


def shipped_overlays(game: str = "") -> dict[str, Path]:
    """List the overlays that ship, by name: house rules of the game, and the special rules of scenarios."""
    own = files_of(game, f"{OVERLAY_FOLDER}/*.rules")
    return {path.stem: path for path in (*_special_paths(game), *own)}


def content_of(overlay: Path | HouseRules) -> str:
    """Give a digest of what a file holds; what is wrong with the file shows when it is parsed."""
    if isinstance(overlay, HouseRules):
        return ""
    with open_file(overlay, "overlay") as file:
        return hashlib.sha256(file.read(MAX_OVERLAY + 1)).hexdigest()
