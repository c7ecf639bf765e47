"""The clauses of an edition as a book: found by number, told as values, counted by chapter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.editions.coverage import GRADES, ClauseCoverage, read_coverage
from titm_rules.editions.games import game_folder
from titm_rules.editions.ledger import read_ledger
from titm_rules.editions.special import special_clauses
from titm_rules.editions.text import formal_text, natural
from titm_rules.rules.model import ClauseInfo, Model


@dataclass(frozen=True)
class Book:
    """The clauses of rules and those of the scenarios over them, with what the tests say of each that decides."""

    clauses: Mapping[str, ClauseInfo]
    tested: Mapping[str, ClauseCoverage]


def whole_book(edition: str, model: Model, game: str = "") -> Book:
    """Gather the clauses of an edition, and behind them those of the scenarios.

    `model` is the edition's, perhaps with house rules on top.
    """
    special = special_clauses(edition, game)
    reports = read_coverage(game_folder(game))
    clauses, tested = dict(model.clauses), dict(reports.get(edition, {}))
    for label, brought in special.items():
        clauses = {**brought, **clauses}
        tested |= reports.get(label, {})
    return Book(clauses, {**tested, **reports.get(model.edition, {})})


def choose_clauses(
    known: Mapping[str, ClauseInfo], date: str, numbers: Sequence[str], chapter: str = ""
) -> list[ClauseInfo]:
    """Choose clauses by number, or all of a chapter, in the order of a reader.

    Raises:
        InputError: for a number or a chapter that is not there.
    """
    faults = [
        Fault(f"unknown clause `{number}`", date, "", did_you_mean(number, known), kind="unknown-name")
        for number in numbers if not meant(number, known)
    ]  # fmt: skip
    if faults:
        raise InputError(faults)
    if numbers:
        return [known[found] for number in numbers for found in meant(number, known)]
    found = [info for info in known.values() if not chapter or chapter_of(info.id) == chapter]
    if not found:
        raise InputError([Fault(f"no clause stands in chapter `{chapter}`", "--chapter", kind="unknown-name")])
    return sorted(found, key=lambda info: natural(info.id))


def clauses_with(known: Mapping[str, ClauseInfo], words: Sequence[str]) -> list[ClauseInfo]:
    """List the clauses in whose title or restatement all of some words begin, in the order of a reader."""
    begin = [re.compile(rf"\b{re.escape(word)}", re.IGNORECASE) for word in words]
    found = (info for info in known.values() if all(one.search(f"{info.title}\n{info.says}") for one in begin))
    return sorted(found, key=lambda info: natural(info.id))


def meant(number: str, known: Mapping[str, ClauseInfo]) -> list[str]:
    """Find clauses by number: the one they bear in the edition, their own, or that of all parts."""
    borne = [one for one, info in known.items() if info.number == number]
    if borne:
        return sorted(borne, key=natural)
    if number in known:
        return [number]
    parts = [one for one in known if one.startswith(number) and _is_part(one[len(number) :])]
    return sorted(parts, key=natural)


def _is_part(rest: str) -> bool:
    return rest[:1].isalpha() or rest.startswith("-")


def clause_record(info: ClauseInfo, tested: ClauseCoverage | None, whole: bool) -> dict[str, Any]:
    """Give a clause as JSON values; the whole has its formal text too."""
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
    """The clauses of a chapter, by what the rule set does with them, and how far tests reach the formal ones."""

    formal: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    reached: dict[str, list[str]] = field(default_factory=lambda: {grade: [] for grade in GRADES})

    def add(self, number: str, info: ClauseInfo | None, tested: ClauseCoverage | None) -> None:
        """Put a clause where it belongs."""
        if info is None:
            self.missing.append(number)
        elif info.is_formal:
            self.formal.append(number)
            for grade in GRADES:
                if tested is not None and tested.reaches(grade):
                    self.reached[grade].append(number)
        else:
            (self.seen if info.sees else self.silent).append(number)

    def join(self, other: Chapter) -> None:
        """Take in the clauses of another chapter."""
        for mine, theirs in zip(self._lists(), other._lists(), strict=True):
            mine.extend(theirs)

    def _lists(self) -> list[list[str]]:
        return [self.formal, self.seen, self.silent, self.missing, *self.reached.values()]

    def record(self) -> dict[str, list[str]]:
        """Give the lists as JSON values."""
        named = {"formal": self.formal, "see": self.seen, "nothing": self.silent, "missing": self.missing}
        return named | self.reached

    def counts(self) -> list[str]:
        """Count the clauses, for a row of the table: all, then those of each kind and grade."""
        parts = (self.formal, self.seen, self.silent)
        of_all = sum(map(len, (*parts, self.missing)))
        return [str(n) for n in (of_all, *map(len, (*parts, *self.reached.values(), self.missing)))]


def chapters_of(book: Book, edition: str, game: str = "") -> dict[str, Chapter]:
    """Sort the clauses of the ledger by chapter, each by what the rule set does with it."""
    chapters: dict[str, Chapter] = {}
    for entry in read_ledger(game_folder(game)).values():
        if entry.is_in(edition):
            chapter = chapters.setdefault(chapter_of(entry.number), Chapter())
            chapter.add(entry.number, book.clauses.get(entry.number), book.tested.get(entry.number))
    return chapters


def chapter_of(number: str) -> str:
    """Name the chapter that a clause stands in."""
    return re.split(r"[.\-:]", number)[0]
