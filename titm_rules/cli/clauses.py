"""`titm clauses`: the rules as they are printed and as they are formalised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from titm_rules.cli.guard import print_json
from titm_rules.cli.show import print_table
from titm_rules.editions.book import (
    Chapter,
    chapters_of,
    choose_clauses,
    clause_record,
    clauses_with,
    meant,
    whole_book,
)
from titm_rules.editions.coverage import GRADES, ClauseCoverage, coverage_of
from titm_rules.editions.named import edition_on
from titm_rules.editions.text import formal_text
from titm_rules.oracle.edition import Edition
from titm_rules.rules.model import ClauseInfo, CourseInfo


def show_clauses(edition: Edition, numbers: Sequence[str], chapter: str, as_json: bool) -> int:
    """Print the list of clauses, or some of them in full."""
    book = whole_book(edition.date, edition.model, edition.game)
    courses = edition.model.courses
    sections = [courses[name] for name in numbers if name in courses]
    numbers = [number for number in numbers if number not in courses]
    words = [number for number in numbers if not meant(number, book.clauses)]
    coverage = coverage_of(book.clauses, book.tested)
    if words and (searched := clauses_with(book.clauses, words)):
        return _show_search(edition, searched, coverage, as_json)
    chosen = [] if sections and not numbers else choose_clauses(book.clauses, edition.date, numbers, chapter)
    if as_json:
        records = [clause_record(info, coverage.get(info.id), bool(numbers)) for info in chosen]
        print_json([*records, *map(_section_record, sections)])
    elif numbers or sections:
        texts = [_whole(info, coverage.get(info.id)) for info in chosen]
        typer.echo("\n\n".join([*texts, *map(_section, sections)]))
    else:
        _show_table(edition, chosen, coverage)
    return 0


def _show_search(
    edition: Edition, found: Sequence[ClauseInfo], coverage: Mapping[str, ClauseCoverage], as_json: bool
) -> int:
    """Print the clauses that have some words: number, title and restatement."""
    if as_json:
        print_json([clause_record(info, coverage.get(info.id), False) for info in found])
        return 0
    for info in found:
        typer.echo(f"{typer.style(info.id, bold=True)} {info.title}")
        typer.echo(f"  {info.says}")
    typer.echo(f"{len(found)} clauses of {edition.label}; `titm clauses NUMBER` shows one in full")
    return 0


def rules_of(date: str | None, overlays: Sequence[str], game: str) -> Edition:
    """Give the rules in force on a date, with house rules on top."""
    return Edition(edition_on(date, game) if date else "", game=game, overlays=tuple(overlays))


def _whole(info: ClauseInfo, tested: ClauseCoverage | None) -> str:
    number = f" (as {info.number})" if info.number not in ("", info.id) else ""
    mark = "" if info.attested else " (carried back: not attested in this edition)"
    head = typer.style(f"{info.id}{number} {info.title}", bold=True) + mark
    return f"{head}\n{info.span.path}:{info.span.line}\n\n{formal_text(info.span)}{_deciding(tested)}"


def _section(info: CourseInfo) -> str:
    """Show a section of the course of play."""
    head = typer.style(f"{info.name} {info.title}", bold=True) + " (course of play, no clause)"
    return f"{head}\n{info.span.path}:{info.span.line}\n\n{formal_text(info.span)}"


def _section_record(info: CourseInfo) -> dict[str, Any]:
    at = f"{info.span.path}:{info.span.line}"
    return {"course": info.name, "title": info.title, "at": at, "text": formal_text(info.span)}


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
    if edition.model.courses:
        typer.echo(f"course of play, no clauses: {', '.join(edition.model.courses)}")


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
    book = whole_book(edition.date, edition.model, edition.game)
    chapters = chapters_of(book, edition.date, edition.game)
    if as_json:
        print_json({name: chapter.record() for name, chapter in chapters.items()})
    else:
        _show_chapters(edition, chapters)
    return 0


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
