"""Editions on disk: which there are, and their checked models, kept between runs."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pickle
import re
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from titm_rules import __version__
from titm_rules.diagnostics import Fault, InputError, RulesetError, did_you_mean
from titm_rules.editions.consolidate import BOOK, CARRIED, OVERLAY, SHEET, Consolidated, Layer, Library, consolidate
from titm_rules.model.model import Model
from titm_rules.syntax.tree import SourceFile
from titm_rules.vocabulary.data import data_folder

VOCABULARY_FILE = "game.rules"
OVERLAY_FOLDER, SCENARIO_FOLDER = "house", "scenarios"
MAX_OVERLAY = 2_000_000
T = TypeVar("T")
FOLLOWS, CARRIES_BACK = "follows", "carries_back"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
LEDGER_FILE = "ledger.txt"
IDLE_KINDS = ("note", "component")


@dataclass(frozen=True, slots=True)
class EditionInfo:
    """An edition as the vocabulary declares it.

    Attributes:
        folder: holds its clauses and amendments.
        basis: follows (a sheet to the edition `base`), carries_back (`base` is a later book) or empty (a book).
        source: what is preserved of it, in words.
    """

    name: str
    title: str
    dated: str
    folder: Path
    basis: str = ""
    base: str = ""
    source: str = ""


def game_folder(game: str = "titm") -> Path:
    """Find the rule set of a game."""
    folder = data_folder("rulesets") / game
    if not (folder / VOCABULARY_FILE).is_file():
        known = [p.name for p in data_folder("rulesets").iterdir() if (p / VOCABULARY_FILE).is_file()]
        raise InputError(
            [Fault(f"unknown game `{game}`", str(folder), "", did_you_mean(game, known), kind="unknown-name")]
        )
    return folder


def list_editions(game: str = "titm") -> list[EditionInfo]:
    """List the editions of a game, oldest first."""
    return editions_in(game_folder(game))


def editions_in(folder: Path) -> list[EditionInfo]:
    """List the editions that the rule set in a folder declares, oldest first; from the cache if nothing changed."""
    return kept(folder, f"editions of {folder}", (), list, lambda: _read_editions(folder))


def _read_editions(folder: Path) -> list[EditionInfo]:
    [vocabulary] = _parse([folder / VOCABULARY_FILE])
    infos = []
    for decl in vocabulary.decls:
        if decl.kind == "edition":
            dated, reads, basis, source = decl.texts
            base = decl.words[0].text if decl.words else ""
            infos.append(EditionInfo(decl.name.text, decl.text, dated, folder / reads, basis, base, source))
    return sorted(infos, key=lambda info: info.dated)


def edition_on(date: str, game: str = "titm") -> str:
    """Name the edition in force on a date; the name of an edition stays as it is.

    Raises:
        InputError: for a date before the first edition.
    """
    if not _DATE.fullmatch(date):
        return date
    infos = list_editions(game)
    if any(info.name == date for info in infos):
        return date
    known = [info.name for info in infos if info.dated <= date]
    if not known:
        first = infos[0]
        raise InputError(
            [
                Fault(
                    f"no rules are in force on {date}", "--edition", f"the oldest known are of {first.dated}",
                    f"name a date from {first.dated} on", kind="unknown-edition",
                )
            ]
        )  # fmt: skip
    return known[-1]


def applicable_sheets(owned: str, sheets: Sequence[str], game: str = "titm") -> tuple[list[str], list[str]]:
    """Part the sheets that apply to rules of a date from those that do not, both oldest first.

    A sheet applies to rules that are older than it, not to those of its own date.

    Raises:
        InputError: for an edition or a sheet that the game does not have.
    """
    return _applicable({info.name: info for info in list_editions(game)}, owned, sheets)


def _applicable(infos: Mapping[str, EditionInfo], owned: str, sheets: Sequence[str]) -> tuple[list[str], list[str]]:
    for name in (owned, *sheets):
        if name not in infos:
            raise _unknown_edition(name, infos)
    names = sorted(set(sheets), key=lambda name: infos[name].dated)
    applies = [name for name in names if owned in _ancestors(infos, name)[:-1]]
    return applies, [name for name in names if name not in applies]


def _ancestors(infos: Mapping[str, EditionInfo], name: str) -> list[str]:
    """List the editions that one builds on, from the first to itself."""
    found: list[str] = [name]
    while infos[found[0]].basis == FOLLOWS and infos[found[0]].base in infos:
        base = infos[found[0]].base
        if base in found:
            raise RulesetError([Fault(f"edition `{base}` follows itself", str(infos[base].folder), "", "")])
        found.insert(0, base)
    return found


@lru_cache(maxsize=64)
def load_model(edition: str, game: str = "titm", overlays: tuple[str, ...] = ()) -> Model:
    """Load the checked rules of an edition, from the cache if the files have not changed.

    Args:
        edition: its name, or that of the rules that somebody owns with the sheets that he
            applies to them, joined by `+`.
        game: the folder of its rule set.
        overlays: house rules on top, in order: names of those that ship, or paths.

    Raises:
        InputError: for an edition or an overlay that does not exist.
        RulesetError: for rules that do not compile.
    """
    folder = game_folder(game)
    paths = [overlay_path(overlay, game) for overlay in overlays]
    return kept(folder, "\0".join([edition, *overlays]), paths, Model, lambda: link_edition(folder, edition, paths))


def overlay_path(overlay: str, game: str = "titm") -> Path:
    """Find an overlay: one that ships, by its name, or a file.

    Raises:
        InputError: if there is none.
    """
    shipped = shipped_overlays(game)
    path = shipped.get(overlay, Path(overlay))
    if not path.is_file() or path.stat().st_size > MAX_OVERLAY:
        why = "the file is too large for rules" if path.is_file() else "no such file, and none that ships has this name"
        raise InputError(
            [Fault(f"unknown overlay `{overlay}`", "--overlay", why, did_you_mean(overlay, shipped), kind="no-file")]
        )
    return path


def special_rules() -> list[str]:
    """Name the overlays that are the special rules of scenarios that ship."""
    return [path.stem for path in _special_paths()]


def _special_paths() -> list[Path]:
    return sorted(data_folder(SCENARIO_FOLDER).glob("*/*.rules"))


def shipped_overlays(game: str = "titm") -> dict[str, Path]:
    """List the overlays that ship, by name: house rules of the game, and the special rules of scenarios."""
    own = (game_folder(game) / OVERLAY_FOLDER).glob("*.rules")
    return {path.stem: path for path in (*_special_paths(), *sorted(own))}


def consolidated(edition: str, game: str = "titm") -> Consolidated:
    """Consolidate an edition without checking what its clauses mean.

    Raises:
        InputError: for an edition that the game does not have.
        RulesetError: for rules that cannot be read, or amendments that do not fit.
    """
    return _consolidated(game_folder(game), edition, ())


def _consolidated(folder: Path, edition: str, overlays: Sequence[Path]) -> Consolidated:
    infos = {info.name: info for info in editions_in(folder)}
    owned, *sheets = edition.split("+")
    applies, others = _applicable(infos, owned, sheets)
    if others:
        raise InputError(
            [
                Fault(
                    f"the sheet of {others[0]} does not apply to the rules of {owned}", "$.edition",
                    "only sheets dated after (not on) one's own rules apply, and only those of the same line",
                    "leave it out", kind="unknown-edition",
                )
            ]
        )  # fmt: skip
    layers = [layer for name in _ancestors(infos, owned) for layer in _layers(infos, name)]
    have = {*_ancestors(infos, owned), *applies}
    for name in applies:
        missing = [before for before in _ancestors(infos, name) if before not in have]
        whole = _consolidated(folder, name, ()) if missing else None
        layers += [replace(layer, whole=whole) for layer in _layers(infos, name)]
    for path in overlays:
        layers.append(Layer(path.stem, OVERLAY, tuple(_parse([path]))))
    later = [Layer(info.name, BOOK, _files(info)) for info in infos.values()]
    vocabulary = _parse([folder / VOCABULARY_FILE])
    return consolidate(vocabulary, layers, Library.of([*later, *layers[len(layers) - len(overlays) :]]))


def _layers(infos: Mapping[str, EditionInfo], name: str) -> list[Layer]:
    info = infos[name]
    if info.basis != CARRIES_BACK:
        return [Layer(name, SHEET if info.basis == FOLLOWS else BOOK, _files(info))]
    if info.base not in infos:
        raise _unknown_edition(info.base, infos)
    book = tuple(replace(file, amendments=()) for file in _files(infos[info.base]))
    return [Layer(info.base, CARRIED, book), Layer(name, CARRIED, _files(info))]


def _files(info: EditionInfo) -> tuple[SourceFile, ...]:
    return tuple(_parse(sorted(info.folder.glob("*.rules"))))


def link_edition(folder: Path, edition: str, overlays: Sequence[Path] = ()) -> Model:
    """Check the rules of an edition of the rule set in a folder, with overlays on top.

    Raises:
        InputError: for an edition that the rule set does not have.
        RulesetError: for rules that do not compile.
    """
    from titm_rules.model.link import link_model

    infos = {info.name: info for info in editions_in(folder)}
    rules = _consolidated(folder, edition, overlays)
    name = " with ".join([edition, *(path.stem for path in overlays)])
    title = infos[edition].title if edition in infos else f"Rules of {edition.replace('+', ' with the sheet of ', 1)}"
    over = {shown_path(path) for path in overlays}
    on_top = frozenset(number for number, standing in rules.standing.items() if standing.path in over)
    known = {} if overlays else read_ledger(folder)
    return stand(link_model(rules.files, name, title, known, on_top), rules)


def stand(model: Model, rules: Consolidated) -> Model:
    """Note on each clause how it stands in the edition."""
    infos = {}
    for number, info in model.clauses.items():
        how = rules.standing[number]
        infos[number] = replace(info, number=how.number, edition=how.worded, attested=how.attested)
    return replace(model, clauses=infos)


def _unknown_edition(edition: str, infos: Iterable[str]) -> InputError:
    return InputError(
        [
            Fault(
                f"unknown edition `{edition[:80]}`",
                "$.edition",
                "the rule set has no edition of this date",
                did_you_mean(edition[:80], infos),
                kind="unknown-edition",
            )
        ]
    )


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A clause of the printed rules: number, kind, title, and the editions that attest it."""

    number: str
    kind: str
    title: str
    history: str

    def is_in(self, edition: str) -> bool:
        """Whether the edition has the clause and it is more than a heading or a component."""
        editions = [part.split(" ")[0] for part in self.history.split("; ")]
        of_another = ":" in self.number and not edition.startswith(self.number.split(":")[0])
        return self.kind not in IDLE_KINDS and edition in editions and not of_another


def read_ledger(folder: Path) -> dict[str, LedgerEntry]:
    """Read the clauses that exist, by number; empty if the rule set keeps no list."""
    path = folder / LEDGER_FILE
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {row[0]: LedgerEntry(*row[:4]) for row in rows if len(row) >= 4}


def _parse(paths: Iterable[Path]) -> list[SourceFile]:
    parsed: list[SourceFile] = []
    faults: list[Fault] = []
    for path in paths:
        try:
            parsed.append(_parse_text(path.read_text(encoding="utf-8"), shown_path(path)))
        except RulesetError as error:
            faults.extend(error.faults)
        except (OSError, UnicodeDecodeError):
            faults.append(Fault("cannot read the file", str(path), "it is not UTF-8 text", "name a rule file"))
    if faults:
        raise RulesetError(faults)
    return parsed


@lru_cache(maxsize=256)
def _parse_text(text: str, path: str) -> SourceFile:
    from titm_rules.syntax.parser import parse_rules

    return parse_rules(text, path)


def shown_path(path: Path) -> str:
    """Show a path of a rule set, or of a scenario, from the data folder on."""
    for root in ("rulesets", SCENARIO_FOLDER):
        if root in path.parts:
            return "/".join(path.parts[path.parts.index(root) :])
    return str(path)


# ---------------------------------------------------------------------- the cache
def kept(folder: Path, what: str, overlays: Sequence[Path], kind: type[T], make: Callable[[], T]) -> T:
    """Read something from the cache, or make it and put it there.

    Args:
        folder: the rule set that it is made of.
        what: tells it from other things made of the same files.
        overlays: further files that it is made of.
        kind: its type.
        make: makes it.
    """
    digest = _digest(folder, what, overlays)
    cached = _read_cache(digest, kind)
    if cached is not None:
        return cached
    made = make()
    _write_cache(digest, made)
    return made


def rules_digest(edition: str, game: str = "titm", overlays: tuple[str, ...] = ()) -> str:
    """Give a text that changes whenever the rules of an edition, or what reads them, may have changed."""
    folder = game_folder(game)
    return _digest(folder, "\0".join([edition, *overlays]), [overlay_path(overlay, game) for overlay in overlays])


def cache_folder() -> Path | None:
    """Name the folder where results may be kept between runs; nothing if that is switched off."""
    if os.environ.get("TITM_RULES_CACHE") == "off":
        return None
    import platformdirs

    return Path(os.environ.get("TITM_RULES_CACHE") or platformdirs.user_cache_dir("titm_rules"))


def _digest(folder: Path, what: str, overlays: Sequence[Path]) -> str:
    found = hashlib.sha256()
    found.update(f"{__version__}\0{what}\0{sys.version}".encode())
    found.update(importlib.util.MAGIC_NUMBER)
    package = Path(__file__).resolve().parent.parent
    code = [package / "model", package / "syntax", package / "editions"]
    for path in [*sorted([*folder.rglob("*"), *(p for c in code for p in c.glob("*.py"))]), *overlays]:
        if path.is_file():
            found.update(path.name.encode())
            found.update(path.read_bytes())
    return found.hexdigest()


def _cache_path(digest: str) -> Path | None:
    """Name the file of a cached model; nothing if the user's cache folder is not safe to read."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        info = folder.stat()
    except OSError:
        return None
    if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        return None
    return folder / f"{digest}.model"


def _read_cache(digest: str, kind: type[T]) -> T | None:
    path = _cache_path(digest)
    if path is None or not path.is_file():
        return None
    try:
        found = pickle.loads(path.read_bytes())
    except Exception:  # a broken cache is as good as none
        return None
    return found if isinstance(found, kind) else None


def _write_cache(digest: str, made: object) -> None:
    path = _cache_path(digest)
    if path is None:
        return
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        part.write_bytes(pickle.dumps(made, protocol=pickle.HIGHEST_PROTOCOL))
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
