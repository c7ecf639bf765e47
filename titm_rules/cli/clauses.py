"""`titm clauses`: the rules as they are printed and as they are formalised."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import typer

from titm_rules.cli.guard import print_json
from titm_rules.cli.show import print_table
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.editions.coverage import GRADES, ClauseCoverage, coverage_of, read_coverage
from titm_rules.editions.load import edition_on, game_folder, read_ledger
from titm_rules.editions.special import special_clauses
from titm_rules.editions.text import formal_text, natural
from titm_rules.model.model import ClauseInfo
from titm_rules.oracle.edition import Edition


def show_clauses(edition: Edition, numbers: Sequence[str], chapter: str, as_json: bool) -> int:
    """Print the list of clauses, or some of them in full."""
    book = _whole_book(edition)
    chosen = _chosen(book.clauses, edition.date, numbers, chapter)
    coverage = coverage_of(book.clauses, book.tested)
    if as_json:
        print_json([_record(info, coverage.get(info.id), bool(numbers)) for info in chosen])
    elif numbers:
        typer.echo("\n\n".join(_whole(info, coverage.get(info.id)) for info in chosen))
    else:
        _show_table(edition, chosen, coverage)
    return 0


def rules_of(date: str | None, overlays: Sequence[str]) -> Edition:
    """Give the rules in force on a date, with house rules on top."""
    return Edition(edition_on(date or Edition.date), overlays=tuple(overlays))


@dataclass(frozen=True)
class Book:
    """The clauses of rules and those of the scenarios over them, with what the tests say of each that decides."""

    clauses: Mapping[str, ClauseInfo]
    tested: Mapping[str, ClauseCoverage]


def _whole_book(edition: Edition) -> Book:
    """Gather the clauses of an edition, and behind them those of the scenarios."""
    special = special_clauses(edition.date, edition.game)
    reports = read_coverage(game_folder(edition.game))
    clauses, tested = dict(edition.clauses), dict(reports.get(edition.date, {}))
    for label, brought in special.items():
        clauses = {**brought, **clauses}
        tested |= reports.get(label, {})
    return Book(clauses, {**tested, **reports.get(edition.label, {})})


def _chosen(known: Mapping[str, ClauseInfo], date: str, numbers: Sequence[str], chapter: str) -> list[ClauseInfo]:
    faults = [
        Fault(f"unknown clause `{number}`", date, "", did_you_mean(number, known), kind="unknown-name")
        for number in numbers if not meant(number, known)
    ]  # fmt: skip
    if faults:
        raise InputError(faults)
    if numbers:
        return [known[found] for number in numbers for found in meant(number, known)]
    found = [info for info in known.values() if not chapter or _chapter(info.id) == chapter]
    if not found:
        raise InputError([Fault(f"no clause stands in chapter `{chapter}`", "--chapter", kind="unknown-name")])
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


def _record(info: ClauseInfo, tested: ClauseCoverage | None, whole: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "clause": info.id, "title": info.title, "says": info.says, "at": f"{info.span.path}:{info.span.line}",
        "decides": list(info.heads), "excepts": list(info.excepts), "sees": list(info.sees),
        "silent": info.silent or None, "number": info.number or info.id, "edition": info.edition,
        "attested": info.attested,
        "grade": (tested.grade or "untested") if tested else None, "tests": list(tested.tests) if tested else [],
    }  # fmt: skip
    return record | {"text": formal_text(info.span)} if whole else record


def _whole(info: ClauseInfo, tested: ClauseCoverage | None) -> str:
    number = f" (as {info.number})" if info.number not in ("", info.id) else ""
    mark = "" if info.attested else " (carried back: not attested in this edition)"
    head = typer.style(f"{info.id}{number} {info.title}", bold=True) + mark
    return f"{head}\n{info.span.path}:{info.span.line}\n\n{formal_text(info.span)}{_deciding(tested)}"


def _deciding(tested: ClauseCoverage | None) -> str:
    """List the tests that a clause decides, a line each."""
    if tested is None or not tested.tests:
        return ""
    return "\n\ntests in which it decides, the first few:\n" + "\n".join(f"  {name}" for name in tested.tests)


def _show_table(edition: Edition, chosen: Sequence[ClauseInfo], coverage: Mapping[str, ClauseCoverage]) -> None:
    from rich.table import Table

    title = f"{edition.title} ({edition.date}): {len(chosen)} clauses"
    table = Table("clause", "title", "decides", "at", "in tests", "such as", title=title, box=None)
    for info in chosen:
        file = info.span.path.rsplit("/", 1)[-1]
        tested = coverage.get(info.id)
        shown = (tested.grade or "untested", next(iter(tested.tests), "")) if tested else ("", "")
        table.add_row(info.id, info.title, _role(info), f"{file}:{info.span.line}", *shown)
    print_table(table)


def _role(info: ClauseInfo) -> str:
    """Say in a few words what a clause does."""
    parts = [", ".join(info.heads)] if info.heads else []
    if info.excepts:
        parts.append(f"exception to {', '.join(info.excepts)}")
    if info.sees:
        parts.append(f"see {', '.join(info.sees)}")
    if info.silent:
        parts.append(f"nothing: {info.silent}")
    return "; ".join(parts)


def show_totals(edition: Edition, as_json: bool) -> int:
    """Print for every chapter of the book how many clauses are formalised, tested and missing."""
    book = _whole_book(edition)
    chapters: dict[str, Chapter] = {}
    for entry in read_ledger(game_folder(edition.game)).values():
        if entry.is_in(edition.date):
            chapter = chapters.setdefault(_chapter(entry.number), Chapter())
            chapter.add(entry.number, book.clauses.get(entry.number), book.tested.get(entry.number))
    if as_json:
        print_json({name: chapter.record() for name, chapter in chapters.items()})
    else:
        _show_chapters(edition, chapters)
    return 0


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


def _chapter(number: str) -> str:
    return re.split(r"[.\-:]", number)[0]


def _show_chapters(edition: Edition, chapters: Mapping[str, Chapter]) -> None:
    from rich.table import Table

    title = f"{edition.title} ({edition.date}): clauses that are more than a heading or a component"
    kinds = ("chapter", "clauses", "formal", "see", "nothing")
    table = Table(*kinds, *GRADES, "missing", title=title, box=None)
    total = Chapter()
    for name, chapter in chapters.items():
        table.add_row(name, *chapter.counts())
        total.join(chapter)
    table.add_row("all", *total.counts())
    print_table(table)
    for name, chapter in chapters.items():
        if chapter.missing:
            typer.echo(f"missing in {name}: {', '.join(chapter.missing)}")
