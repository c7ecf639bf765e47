"""Test coverage of clauses: the report of a rule set, by edition, chapter and clause."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from titm_rules.catalog import game_folder
from titm_rules.diagnostics import Fault, InputError
from titm_rules.editions.clause_index import chapter_of, formal_text, special_clauses
from titm_rules.editions.load import consolidated
from titm_rules.editions.registry import ancestors, list_editions
from titm_rules.editions.sources import LedgerEntry, read_ledger
from titm_rules.ir.model import ClauseInfo, Model

COVERAGE_FILE = "coverage.json"
# Each grade includes those before it.
GRADES = ("evaluated", "held", "decisive")
KINDS = ("formal", "see", "nothing", "lost", "missing")  # `lost`: the source lacks what it says


@dataclass(frozen=True, slots=True)
class ClauseCoverage:
    """How far tests reach a clause."""

    grade: str = ""  # evaluated, held (a condition was true), decisive (an answer would be different) or empty
    tests: tuple[str, ...] = ()  # the first few cases that it decides

    @property
    def rank(self) -> int:
        """Position of the grade in `GRADES`; -1 if there is none."""
        return GRADES.index(self.grade) if self.grade else -1

    def reaches(self, grade: str) -> bool:
        return self.rank >= GRADES.index(grade)


Coverage = dict[str, dict[str, ClauseCoverage]]


def read_coverage(folder: Path) -> Coverage:
    """Read the report of a rule set, by edition and clause; empty if it has none. Raises `InputError` if unreadable."""
    path = folder / COVERAGE_FILE
    if not path.is_file():
        return {}
    try:
        return parse_coverage(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        what, fix = "the report of the tests cannot be read", "write it again: `make coverage`"
        raise InputError([Fault(what, str(path), str(error), fix)]) from error


def parse_coverage(text: str) -> Coverage:
    """Parse a report. Raises `ValueError`, `TypeError`, `KeyError` or `AttributeError` for other text."""
    editions = json.loads(text)
    return {date: {clause: _parse_entry(raw) for clause, raw in clauses.items()} for date, clauses in editions.items()}


def _parse_entry(raw: Mapping[str, object]) -> ClauseCoverage:
    grade, tests = raw["grade"], raw["tests"]
    if grade not in GRADES or not isinstance(tests, list):
        raise ValueError(f"`{raw}` is not a grade with a list of tests")
    return ClauseCoverage(str(grade), tuple(map(str, tests)))


def write_coverage(coverage: Mapping[str, Mapping[str, ClauseCoverage]]) -> str:
    """Write a report as JSON: sorted, a line for each clause."""
    report = {
        date: {clause: {"grade": reach.grade, "tests": list(reach.tests)} for clause, reach in sorted(clauses.items())}
        for date, clauses in sorted(coverage.items())
    }
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


def coverage_of(clauses: Mapping[str, ClauseInfo], tested: Mapping[str, ClauseCoverage]) -> dict[str, ClauseCoverage]:
    """Return the coverage of clauses that decide something; one that only refers to such has their lowest grade."""
    grades = {number: _lowest(number, clauses, tested, frozenset()) for number in clauses}
    return {number: reach for number, reach in grades.items() if reach is not None}


def _lowest(
    number: str, clauses: Mapping[str, ClauseInfo], tested: Mapping[str, ClauseCoverage], above: frozenset[str]
) -> ClauseCoverage | None:
    info = clauses[number]
    if info.is_formal:
        return tested.get(number, ClauseCoverage())
    others = (_lowest(other, clauses, tested, above | {number}) for other in info.sees if other not in above)
    return min((reach for reach in others if reach is not None), key=lambda reach: reach.rank, default=None)


# ---------------------------------------------------------------------- the clauses of an edition
@dataclass(frozen=True)
class Book:
    """The clauses of an edition and of the scenarios over it, with the coverage of each that decides."""

    clauses: Mapping[str, ClauseInfo]
    tested: Mapping[str, ClauseCoverage]


def whole_book(edition: str, model: Model, game: str = "") -> Book:
    """Gather the clauses of an edition (`model`, perhaps with house rules), and after them those of the scenarios."""
    reports = read_coverage(game_folder(game))
    clauses, tested = dict(model.clauses), dict(reports.get(edition, {}))
    for label, special in special_clauses(edition, game).items():
        clauses = {**special, **clauses}
        tested |= reports.get(label, {})
    return Book(clauses, {**tested, **reports.get(model.edition, {})})


def clause_record(info: ClauseInfo, tested: ClauseCoverage | None, whole: bool) -> dict[str, Any]:
    """Return a clause as JSON values, if `whole` with its formal text."""
    record: dict[str, Any] = {
        "clause": info.id, "title": info.title, "says": info.says, "at": f"{info.span.path}:{info.span.line}",
        "decides": list(info.heads), "excepts": list(info.excepts), "sees": list(info.sees),
        "silent": info.silent or None, "number": info.number or info.id, "edition": info.edition,
        "attested": info.attested,
        "grade": (tested.grade or "untested") if tested else None, "tests": list(tested.tests) if tested else [],
    }  # fmt: skip
    return record | {"text": formal_text(info.span)} if whole else record


@dataclass
class Chapter:
    """The numbers of the clauses of a chapter: by what they are (`KINDS`), and the formal ones by grade."""

    lists: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in (*KINDS, *GRADES)})

    def add(self, entry: LedgerEntry, info: ClauseInfo | None, tested: ClauseCoverage | None) -> None:
        """Add a clause; without `info`, the rule set does not have it."""
        kind, number = "lost" if entry.lacks else "missing", entry.number
        if info is not None:
            kind = "formal" if info.is_formal else "see" if info.sees else "nothing"
        self.lists[kind].append(number)
        for grade in GRADES:
            if kind == "formal" and tested is not None and tested.reaches(grade):
                self.lists[grade].append(number)

    def join(self, other: Chapter) -> None:
        for name, numbers in other.lists.items():
            self.lists[name] += numbers

    def counts(self) -> list[str]:
        """Count the clauses, for a row of the table: all, then as in `COLUMNS`."""
        total = sum(len(self.lists[kind]) for kind in KINDS)
        return [str(total), *(str(len(self.lists[name])) for name in COLUMNS)]


COLUMNS = ("formal", "see", "nothing", *GRADES, "lost", "missing")


def chapters_of(book: Book, edition: str, game: str = "") -> dict[str, Chapter]:
    """Sort the clauses of the printed rules by chapter: those that the edition attests, or one that it follows."""
    infos = {info.name: info for info in list_editions(game)}
    older = ancestors(infos, edition)[:-1] if edition in infos else []
    gone = {clause for name in older for clause in consolidated(name, game).standing} - book.clauses.keys()
    chapters: dict[str, Chapter] = {}
    for entry in read_ledger(game_folder(game)).values():
        if entry.is_in(edition) or (entry.number not in gone and any(map(entry.is_in, older))):
            chapter = chapters.setdefault(chapter_of(entry.number), Chapter())
            chapter.add(entry, book.clauses.get(entry.number), book.tested.get(entry.number))
    return chapters
