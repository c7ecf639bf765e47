"""Editions on disk: which there are, and their checked models, kept between runs."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from titm_rules.diagnostics import Fault, InputError, RulesetError, Span, TitmError, cut, did_you_mean
from titm_rules.editions.cache import digest, kept
from titm_rules.editions.dates import iso_date
from titm_rules.editions.games import (
    RULESET_FOLDER,
    SCENARIO_FOLDER,
    VOCABULARY_FILE,
    check_game,
    default_game,
    elsewhere,
    files_of,
    game_folder,
    game_name,
    is_name,
    read_default,
    scenario_files,
)
from titm_rules.editions.overlays import HouseRules, Overlay
from titm_rules.files import open_file, read_text, within
from titm_rules.rules.model import Model
from titm_rules.shipped import data_folder

if TYPE_CHECKING:  # the tree and what works on it are not needed for rules that are in the cache
    from titm_rules.editions.consolidate import Consolidated, Layer
    from titm_rules.syntax.tree import SourceFile

OVERLAY_FOLDER = "house"
MAX_OVERLAY = 2_000_000
MAX_NAME = 200
FOLLOWS, CARRIES_BACK = "follows", "carries_back"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_YEAR_OR_MONTH = re.compile(r"\d{4}(-\d{2})?", re.ASCII)
LEDGER_FILE, LEDGER_COLUMNS = "ledger.txt", 4
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


def vocabulary_files(folder: Path) -> list[Path]:
    """List the files of a rule set that all editions share: its vocabulary and the course of play."""
    return sorted(_rules_in(folder), key=lambda path: (path.name != VOCABULARY_FILE, path.name))


def _rules_in(folder: Path) -> list[Path]:
    """List the rule files in a folder; a link out of it is none of them."""
    return [path for path in sorted(folder.glob("*.rules")) if within(folder, path.name) is not None]


def list_editions(game: str = "") -> list[EditionInfo]:
    """List the editions of a game, oldest first."""
    return editions_in(game_folder(game))


def editions_in(folder: Path) -> list[EditionInfo]:
    """List the editions that the rule set in a folder declares, oldest first; from the cache if nothing changed."""
    rows = kept(folder, f"editions of {folder}", (), list, lambda: _declared_editions(folder))
    infos = [EditionInfo(name, title, dated, folder / reads, *rest) for name, title, dated, reads, *rest in rows]
    return sorted(infos, key=lambda info: info.dated)


def _declared_editions(folder: Path) -> list[tuple[str, ...]]:
    """List the fields of an `EditionInfo` for each edition that is declared, its folder by name."""
    from titm_rules.syntax.declarations import EditionDecl

    [vocabulary] = _parse([folder / VOCABULARY_FILE])
    found: list[tuple[str, ...]] = []
    for decl in vocabulary.decls:
        if isinstance(decl, EditionDecl):
            if within(folder, decl.reads) is None:
                what, why = f"edition `{decl.name.text}` reads a folder outside the game", "a game keeps its own rules"
                raise RulesetError([Fault(what, decl.name.span, why, "put its rules into the folder of the game")])
            found.append((decl.name.text, decl.title, decl.dated, decl.reads, decl.basis, decl.base, decl.source))
    return found


def default_edition(game: str = "") -> str:
    """Name the edition that is meant where none is named: the one that the game says, or the newest.

    Raises:
        InputError: for a game without editions.
    """
    said = read_default(game_folder(game))
    infos = [] if said else list_editions(game)
    if not said and not infos:
        what, fix = f"the game `{game_name(game or default_game())}` has no edition", "declare one in game.rules"
        raise InputError([Fault(what, VOCABULARY_FILE, fix=fix, kind="unknown-edition")])
    return said or infos[-1].name


def edition_on(date: str, game: str = "") -> str:
    """Name the edition in force on a date; the name of an edition stays as it is.

    A year or a month stands for the edition that is dated in it, or else for the one in force all through it.
    Dates may be written as people do: `20 August 1997`, `Aug 1997`, `20.8.1997`.

    Raises:
        InputError: for a date of no calendar, one before the first edition, or a time in which there were several.
    """
    infos, date = list_editions(game), iso_date(date)
    if not (_DATE.fullmatch(date) or _YEAR_OR_MONTH.fullmatch(date)) or any(info.name == date for info in infos):
        return date
    _check_date(f"{date}-01-01"[: len("YYYY-MM-DD")])
    of_then = [info.name for info in infos if info.dated.startswith(date)]
    if len(of_then) > 1:
        raise _several(date, of_then)
    known = of_then or [info.name for info in infos if info.dated <= date]
    if not known:
        first = infos[0]
        raise InputError(
            [
                Fault(
                    f"no rules are in force on {date}", "$.edition", f"the oldest known are of {first.dated}",
                    f"name a date from {first.dated} on", kind="unknown-edition",
                )
            ]
        )  # fmt: skip
    return known[-1]


def _several(date: str, editions: Sequence[str]) -> InputError:
    what, fix = f"the rules changed more than once in {date}", f"name one of: {', '.join(editions)}"
    why = "a year or a month must tell which rules are meant"
    return InputError([Fault(what, "$.edition", why, fix, kind="unknown-edition")])


def _check_date(date: str) -> None:
    """Refuse a date that no calendar has."""
    try:
        datetime.date.fromisoformat(date)
    except ValueError as error:
        why, fix = str(error), "name a date as YEAR-MONTH-DAY"
        raise InputError([Fault(f"`{date}` is not a date", "$.edition", why, fix, kind="unknown-edition")]) from None


def applicable_sheets(owned: str, sheets: Sequence[str], game: str = "") -> tuple[list[str], list[str]]:
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


def edition_name(edition: str, game: str = "") -> str:
    """Write the name of an edition in the one way: sheets stand in the order of their dates.

    Raises:
        InputError: for a name that is too long, or that repeats a sheet.
    """
    if len(edition) > MAX_NAME:
        what = f"the name of an edition is over {MAX_NAME} characters"
        raise InputError([Fault(what, "$.edition", fix="name each sheet once", kind="too-large")])
    owned, *sheets = edition.split("+")
    twice = next((name for name in sheets if sheets.count(name) > 1), None)
    if twice is not None:
        what = f"the sheet of {twice} appears twice in the name of the edition"
        raise InputError([Fault(what, "$.edition", fix="name each sheet once", kind="unknown-edition")])
    dated = {info.name: info.dated for info in list_editions(game)} if sheets else {}
    return "+".join([owned, *sorted(sheets, key=lambda name: dated.get(name, name))])


def load_model(
    edition: str, game: str = "", overlays: tuple[Overlay, ...] = (), readings: Mapping[str, str] | None = None
) -> Model:
    """Load the checked rules of an edition; who asks for the same rules gets the same model.

    The last few models are kept in memory, by what the overlays hold and not by their names. Models of other
    runs come from the cache if no file has changed.

    Args:
        edition: its name, or that of older rules and the sheets that amend them, joined by `+`.
        game: its name, or the path of its folder; empty: the one that is meant where none is named.
        overlays: house rules on top, in order: names of those that ship, paths, or texts.
        readings: readings that are chosen, by name; the rulings' defaults hold for the others.

    Raises:
        InputError: for an edition or an overlay that does not exist.
        RulesetError: for rules that do not compile.
    """
    game = game or default_game()
    _notice_changes(game)
    on_top = tuple((overlay, _content(overlay_path(overlay, game))) for overlay in overlays)
    shared = _passing_model if any(isinstance(overlay, HouseRules) for overlay in overlays) else _shared_model
    return shared(edition_name(edition, game), game, on_top, tuple(sorted((readings or {}).items())))


_STAMPS: dict[str, tuple[tuple[str, int, int], ...]] = {}


def _notice_changes(game: str) -> None:
    """Forget models if the rules in a folder of somebody's own have changed since they were loaded."""
    if is_name(game):
        return
    files = [(str(path), path.stat()) for path in sorted(game_folder(game).rglob("*.rules"))]
    stamp = tuple((name, state.st_mtime_ns, state.st_size) for name, state in files)
    if _STAMPS.get(game, stamp) != stamp:
        _shared_model.cache_clear()
        _passing_model.cache_clear()
    _STAMPS[game] = stamp


@lru_cache(maxsize=64)
def _shared_model(
    edition: str, game: str, on_top: tuple[tuple[Overlay, str], ...], readings: tuple[tuple[str, str], ...]
) -> Model:
    if readings:
        return _shared_model(edition, game, on_top, ()).with_readings(dict(readings))
    folder, overlays = game_folder(game), [str(overlay) for overlay, _ in on_top]
    paths = [overlay_file(overlay, game) for overlay in overlays]
    what = "\0".join([edition, *overlays])
    return replace(kept(folder, what, paths, Model, lambda: link_edition(folder, edition, paths)), home=game)


@lru_cache(maxsize=16)
def _passing_model(
    edition: str, game: str, on_top: tuple[tuple[Overlay, str], ...], readings: tuple[tuple[str, str], ...]
) -> Model:
    """Check rules with texts on top, which anybody may send: few are kept, and none between runs."""
    return _passing_rules(edition, game, on_top).with_readings(dict(readings))


@lru_cache(maxsize=4)
def _passing_rules(edition: str, game: str, on_top: tuple[tuple[Overlay, str], ...]) -> Model:
    rules = link_edition(game_folder(game), edition, [overlay_path(overlay, game) for overlay, _ in on_top])
    return replace(rules, home=game)


def _content(overlay: Path | HouseRules) -> str:
    """Give a digest of what a file holds; what is wrong with the file shows when it is parsed."""
    if isinstance(overlay, HouseRules):
        return ""
    with open_file(overlay, "overlay") as file:
        return hashlib.sha256(file.read(MAX_OVERLAY + 1)).hexdigest()


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


def consolidated(edition: str, game: str = "") -> Consolidated:
    """Consolidate an edition without checking what its clauses mean.

    Raises:
        InputError: for an edition that the game does not have.
        RulesetError: for rules that cannot be read, or amendments that do not fit.
    """
    return _consolidated(game_folder(game), edition, ())


def _consolidated(folder: Path, edition: str, overlays: Sequence[Path | HouseRules]) -> Consolidated:
    from titm_rules.editions.consolidate import BOOK, OVERLAY, Layer, Library, consolidate

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
    for one in overlays:
        layers.append(Layer(one.stem, OVERLAY, (_parsed_overlay(one, folder),)))
    later = [Layer(info.name, BOOK, _files(info)) for info in infos.values()]
    vocabulary = _parse(vocabulary_files(folder))
    found = consolidate(vocabulary, layers, Library.of([*later, *layers[len(layers) - len(overlays) :]]))
    return found.with_revisions(_revisions(infos, owned, have))


def _parsed_overlay(overlay: Path | HouseRules, folder: Path) -> SourceFile:
    """Parse an overlay; if it names a game, it must be the one in the folder."""
    from titm_rules.syntax.declarations import GameDecl

    [file] = [_parse_text(overlay.text, str(overlay))] if isinstance(overlay, HouseRules) else _parse([overlay])
    named = [decl for decl in file.decls if isinstance(decl, GameDecl)]
    for decl in named:
        check_game(decl.name.text, str(folder.resolve()), decl.name.span, "the overlay")
    return replace(file, decls=tuple(decl for decl in file.decls if decl not in named)) if named else file


def _revisions(infos: Mapping[str, EditionInfo], owned: str, have: Collection[str]) -> dict[str, str]:
    """Name, for each clause that a later sheet words anew, the first such sheet that these rules do not have."""
    from titm_rules.editions.consolidate import worded_anew

    sheets = [name for name in infos if name not in have and owned in _ancestors(infos, name)[:-1]]
    revised: dict[str, str] = {}
    for name in sheets:
        for clause in worded_anew(_files(infos[name])):
            revised.setdefault(clause, name)
    return revised


def _layers(infos: Mapping[str, EditionInfo], name: str) -> list[Layer]:
    from titm_rules.editions.consolidate import BOOK, CARRIED, SHEET, Layer

    info = infos[name]
    if info.basis != CARRIES_BACK:
        return [Layer(name, SHEET if info.basis == FOLLOWS else BOOK, _files(info))]
    if info.base not in infos:
        raise _unknown_edition(info.base, infos)
    book = tuple(replace(file, amendments=()) for file in _files(infos[info.base]))
    return [Layer(info.base, CARRIED, book), Layer(name, CARRIED, _files(info))]


def _files(info: EditionInfo) -> tuple[SourceFile, ...]:
    return tuple(_parse(_rules_in(info.folder)))


def link_edition(folder: Path, edition: str, overlays: Sequence[Path | HouseRules] = ()) -> Model:
    """Check the rules of an edition of the rule set in a folder, with overlays on top.

    Raises:
        InputError: for an edition that the rule set does not have.
        RulesetError: for rules that do not compile.
    """
    from titm_rules.rules.link import link_model

    infos = {info.name: info for info in editions_in(folder)}
    rules = _consolidated(folder, edition, overlays)
    name = " with ".join([edition, *(path.stem for path in overlays)])
    title = infos[edition].title if edition in infos else f"Rules of {edition.replace('+', ' with the sheet of ', 1)}"
    on_top = frozenset(str(one) if isinstance(one, HouseRules) else shown_path(one) for one in overlays)
    known = {} if overlays else read_ledger(folder)
    return stand(link_model(rules.files, name, title, known, on_top), rules)


def stand(model: Model, rules: Consolidated) -> Model:
    """Note on each clause how it stands in the edition."""
    infos = {}
    for number, info in model.clauses.items():
        how = rules.standing[number]
        infos[number] = replace(info, number=how.number, edition=how.worded, attested=how.attested, revised=how.revised)
    return replace(model, clauses=infos)


def _unknown_edition(edition: str, infos: Iterable[str]) -> InputError:
    return InputError(
        [
            Fault(
                f"unknown edition `{cut(edition)}`",
                "$.edition",
                "the rule set has no edition of this name",
                _edition_meant(edition, infos),
                kind="unknown-edition",
            )
        ]
    )


def _edition_meant(edition: str, infos: Iterable[str]) -> str:
    """Suggest an edition; of a year or a month, those that are dated in it and no other."""
    names = sorted(infos)
    if not _YEAR_OR_MONTH.fullmatch(edition):
        return did_you_mean(edition, names)
    of_then = [name for name in names if name.startswith(edition)]
    if of_then:
        return f"did you mean {' or '.join(f'`{name}`' for name in of_then)}?"
    return f"name a whole date, as YEAR-MONTH-DAY, or one of: {', '.join(names)}"


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
    """Read the clauses that exist, by number; empty if the rule set keeps no list.

    Raises:
        RulesetError: with every line that is none of a ledger.
    """
    path = within(folder, LEDGER_FILE)
    if path is None or not path.is_file():
        return {}
    entries: dict[str, LedgerEntry] = {}
    faults = []
    for number, line in enumerate(read_text(path, "ledger").splitlines(), 1):
        columns = line.split("\t")
        if line.startswith("#") or not line.strip():
            continue
        if len(columns) != LEDGER_COLUMNS or not all(columns[:-1]):
            faults.append(_ledger_fault(Span(shown_path(path), number, 1, len(line) + 1), line, len(columns)))
        else:
            entries[columns[0]] = LedgerEntry(*columns)
    if faults:
        raise RulesetError(faults)
    return entries


def _ledger_fault(where: Span, line: str, columns: int) -> Fault:
    what = f"a line of the ledger has {LEDGER_COLUMNS} columns, this one {columns}"
    if columns == LEDGER_COLUMNS:
        what = "a line of the ledger has no number, kind or title"
    fix = "write number, kind, title and the editions that attest it (or nothing), with a tab between them"
    return Fault(what, where, "a clause that the ledger does not list cannot be formalised", fix, line)


def _parse(paths: Iterable[Path]) -> list[SourceFile]:
    parsed: list[SourceFile] = []
    faults: list[Fault] = []
    for path in paths:
        try:
            parsed.append(_parse_text(read_text(path, fix="name a rule file"), shown_path(path)))
        except TitmError as error:
            faults.extend(error.faults)
    if faults:
        raise RulesetError(faults)
    return parsed


@lru_cache(maxsize=256)
def _parse_text(text: str, path: str) -> SourceFile:
    from titm_rules.syntax.parser import parse_rules

    return parse_rules(text, path)


def shown_path(path: Path) -> str:
    """Show a path of a game that ships from the data folder on; any other as it is given."""
    whole = path.resolve()
    for name in (RULESET_FOLDER, SCENARIO_FOLDER):
        if whole.is_relative_to(folder := data_folder(name).resolve()):
            return f"{name}/{whole.relative_to(folder).as_posix()}"
    return str(path)


def rules_digest(edition: str, game: str = "", overlays: tuple[str, ...] = ()) -> str:
    """Give a text that changes whenever the rules of an edition, or what reads them, may have changed."""
    folder = game_folder(game)
    return digest(folder, "\0".join([edition, *overlays]), [overlay_file(overlay, game) for overlay in overlays])
