"""Find editions by name or date."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from titm_rules.catalog import VOCABULARY_FILE, default_game, game_folder, game_name, read_default
from titm_rules.diagnostics import Fault, InputError, RulesetError, cut, did_you_mean
from titm_rules.editions.cache import cached
from titm_rules.editions.sources import parse_files
from titm_rules.files import unsaved_texts, within

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_YEAR, _MONTH, _DAY = r"(?P<year>\d{4})", r"(?P<month>[a-z]{3,9})\.?", r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?"
_NUMBER = r"(?P<number>\d{1,2})"
_FORMS = tuple(
    re.compile(form, re.ASCII)
    for form in (
        rf"{_YEAR}[-/.]{_NUMBER}(?:[-/.](?P<day>\d{{1,2}}))?",  # 1997-8-20, 1997/08
        rf"(?P<day>\d{{1,2}})\.\s?{_NUMBER}\.\s?{_YEAR}",  # 20.8.1997
        rf"{_MONTH},?\s{_YEAR}",  # August 1997
        rf"{_DAY}\s(?:of\s)?{_MONTH},?\s{_YEAR}",  # 20 August 1997
        rf"{_MONTH}\s{_DAY},?\s{_YEAR}",  # August 20, 1997
    )
)


def iso_date(text: str) -> str:
    """Normalise a date or a month to `1997-08-20` or `1997-08`; return any other text unchanged."""
    plain = " ".join(text.casefold().split())
    match = next((match for form in _FORMS if (match := form.fullmatch(plain))), None)
    if match is None:
        return text
    parts = match.groupdict()
    word, day = parts.get("month"), parts.get("day")
    month = int(parts["number"]) if parts.get("number") else 0
    if word:
        month = next((number for number, name in enumerate(MONTHS, 1) if name.startswith(word)), 0)
    return text if not month else f"{parts['year']}-{month:02}" + (f"-{int(day):02}" if day else "")


# ---------------------------------------------------------------------- editions
MAX_NAME = 200
FOLLOWS, CARRIES_BACK = "follows", "carries_back"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_YEAR_OR_MONTH = re.compile(r"\d{4}(-\d{2})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class EditionInfo:
    """An edition as the vocabulary declares it."""

    name: str
    title: str
    dated: str
    folder: Path  # holds its clauses and amendments
    basis: str = ""  # follows (a sheet to the edition `base`), carries_back (`base` is a later book) or empty (a book)
    base: str = ""
    source: str = ""  # a description of its sources


def list_editions(game: str = "") -> list[EditionInfo]:
    """List the editions of a game, oldest first."""
    return editions_in(game_folder(game))


def editions_in(folder: Path) -> list[EditionInfo]:
    """List the editions that the rule set in a folder declares, oldest first; read again if its vocabulary changed."""
    vocabulary = folder / VOCABULARY_FILE
    if unsaved_texts() or not vocabulary.is_file():
        return _read_editions(folder)
    state = vocabulary.stat()
    return list(_kept_editions(folder, (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)))


def _read_editions(folder: Path) -> list[EditionInfo]:
    rows = cached(folder, "editions", (), list, lambda: _declared_editions(folder))
    infos = [EditionInfo(name, title, dated, folder / reads, *rest) for name, title, dated, reads, *rest in rows]
    return sorted(infos, key=lambda info: info.dated)


@lru_cache(maxsize=64)
def _kept_editions(folder: Path, state: tuple[int, ...]) -> list[EditionInfo]:  # noqa: ARG001 -- a part of the key
    return _read_editions(folder)


def _declared_editions(folder: Path) -> list[tuple[str, ...]]:
    """List the fields of an `EditionInfo` for each declared edition, with its folder by name."""
    from titm_rules.syntax.ast import EditionDecl

    [vocabulary] = parse_files([folder / VOCABULARY_FILE])
    rows: list[tuple[str, ...]] = []
    for decl in vocabulary.decls:
        if isinstance(decl, EditionDecl):
            if within(folder, decl.reads) is None:
                what, why = f"edition `{decl.name.text}` reads a folder outside the game", "a game keeps its own rules"
                raise RulesetError([Fault(what, decl.name.span, why, "put its rules into the folder of the game")])
            rows.append((decl.name.text, decl.title, decl.dated, decl.reads, decl.basis, decl.base, decl.source))
    return rows


def default_edition(game: str = "") -> str:
    """Name the edition that the game declares, or the newest. Raises `InputError` for a game without editions."""
    declared = read_default(game_folder(game))
    infos = [] if declared else list_editions(game)
    if not declared and not infos:
        what, fix = f"the game `{game_name(game or default_game())}` has no edition", "declare one in game.rules"
        raise InputError([Fault(what, VOCABULARY_FILE, fix=fix, kind="unknown-edition")])
    return declared or infos[-1].name


def edition_on(date: str, game: str = "") -> str:
    """Name the edition in force on a date; return the name of an edition unchanged.

    A year or a month selects the edition that is dated in it, or else the one in force all through it; `20 August
    1997`, `Aug 1997` and `20.8.1997` are dates too. Raises `InputError` for other text, one before the first edition,
    or several editions.
    """
    infos, date = list_editions(game), iso_date(date)
    if not (_DATE.fullmatch(date) or _YEAR_OR_MONTH.fullmatch(date)) or any(info.name == date for info in infos):
        return date
    day = f"{date}-01-01"[: len("YYYY-MM-DD")]
    try:
        datetime.date.fromisoformat(day)
    except ValueError:
        why, fix = "the calendar has no such day", "name a date as YEAR-MONTH-DAY"
        raise InputError([Fault(f"`{day}` is not a date", "$.edition", why, fix, kind="unknown-edition")]) from None
    dated = [info.name for info in infos if info.dated.startswith(date)]
    if len(dated) > 1:
        what, fix = f"the rules changed more than once in {date}", f"name one of: {', '.join(dated)}"
        raise InputError([Fault(what, "$.edition", "a year or a month must select one", fix, kind="unknown-edition")])
    known = dated or [info.name for info in infos if info.dated <= date]
    if not known:
        first = infos[0].dated
        what, fix = f"no rules are in force on {date}", f"name a date from {first} on"
        raise InputError([Fault(what, "$.edition", f"the oldest known are of {first}", fix, kind="unknown-edition")])
    return known[-1]


def applicable_sheets(owned: str, sheets: Sequence[str], game: str = "") -> tuple[list[str], list[str]]:
    """Split sheets into those newer than the rules of a date, which apply to them, and others, both oldest first."""
    return applicable({info.name: info for info in list_editions(game)}, owned, sheets)


def applicable(infos: Mapping[str, EditionInfo], owned: str, sheets: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split sheets as `applicable_sheets` does. Raises `InputError` for a name that is not among the editions."""
    for name in (owned, *sheets):
        if name not in infos:
            raise unknown_edition(name, infos)
    names = sorted(set(sheets), key=lambda name: infos[name].dated)
    applies = [name for name in names if owned in ancestors(infos, name)[:-1]]
    return applies, [name for name in names if name not in applies]


def ancestors(infos: Mapping[str, EditionInfo], name: str) -> list[str]:
    """List the editions that an edition builds on, from the first to itself."""
    line = [name]
    while infos[line[0]].basis == FOLLOWS and infos[line[0]].base in infos:
        base = infos[line[0]].base
        if base in line:
            raise RulesetError([Fault(f"edition `{base}` follows itself", str(infos[base].folder), "", "")])
        line.insert(0, base)
    return line


def edition_name(edition: str, game: str = "") -> str:
    """Normalise a name: sheets in the order of dates. Raises `InputError` if it is too long or repeats a sheet."""
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


def unknown_edition(edition: str, infos: Iterable[str]) -> InputError:
    """Return the error for an unknown edition, with suggestions; for a year or a month, the editions dated in it."""
    names = sorted(infos)
    dated = [name for name in names if name.startswith(edition)]
    if not _YEAR_OR_MONTH.fullmatch(edition):
        fix = did_you_mean(edition, names)
    elif dated:
        fix = f"did you mean {' or '.join(f'`{name}`' for name in dated)}?"
    else:
        fix = f"name a whole date, as YEAR-MONTH-DAY, or one of: {', '.join(names)}"
    what, why = f"unknown edition `{cut(edition)}`", "the rule set has no edition of this name"
    return InputError([Fault(what, "$.edition", why, fix, kind="unknown-edition")])
