"""`titm clauses`, `editions`, `games`, `lint` and `fmt`: rules as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from titm_rules.catalog import files_of, scenario_files
from titm_rules.cli.terminal import LEGAL, print_json
from titm_rules.cli.verdict_text import print_table
from titm_rules.editions.clause_index import (
    choose_clauses,
    clause_histories,
    find_clauses,
    formal_text,
    search_clauses,
    tally_editions,
)
from titm_rules.editions.coverage import (
    GRADES,
    Chapter,
    ClauseCoverage,
    chapters_of,
    clause_record,
    coverage_of,
    whole_book,
)
from titm_rules.editions.load import consolidated
from titm_rules.editions.registry import applicable_sheets, edition_on, list_editions
from titm_rules.editions.rule_files import changed_layouts, check_files, write_skeleton
from titm_rules.files import write_file
from titm_rules.ir.model import ClauseInfo, CourseInfo
from titm_rules.oracle.edition import Edition, GameInfo, list_games


# ---------------------------------------------------------------------- history
def show_history(edition: Edition, numbers: Sequence[str], as_json: bool) -> int:
    """Print the status of clauses in every edition.

    A number is that of the edition; what bore it in any other is shown too.

    Raises:
        InputError: for a number that no edition has.
    """
    found = clause_histories(numbers, edition.clauses, edition.game)
    if as_json:
        print_json(found)
    else:
        for clause, history in found.items():
            _show(clause, history)
    return 0


def _show(clause: str, history: Sequence[Mapping[str, Any]]) -> None:
    from rich.table import Table

    table = Table("edition", "number", "what its document does", "words of", title=f"{clause}", box=None)
    table.add_column("text", overflow="fold")  # a path that is cut off leads nowhere
    for row in history:
        does = row["how"] if row["by"] == row["edition"] or not row["attested"] else "="
        table.add_row(row["edition"], row["number"] or "?", does, row["by"], "=" if row["same_text"] else row["at"])
    print_table(table)


# ---------------------------------------------------------------------- clauses
def show_clauses(edition: Edition, numbers: Sequence[str], chapter: str, as_json: bool) -> int:
    """Print the list of clauses, or some of them in full."""
    book = whole_book(edition.date, edition.model, edition.game)
    courses = edition.model.courses
    sections = [courses[name] for name in numbers if name in courses]
    numbers = [number for number in numbers if number not in courses]
    words = [number for number in numbers if not find_clauses(number, book.clauses)]
    coverage = coverage_of(book.clauses, book.tested)
    if words and (searched := search_clauses(book.clauses, words)):
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
    """Return the rules in force on a date, with added house rules."""
    return Edition(edition_on(date, game) if date else "", game=game, overlays=tuple(overlays))


def _whole(info: ClauseInfo, tested: ClauseCoverage | None) -> str:
    number = f" (as {info.number})" if info.number not in ("", info.id) else ""
    mark = "" if info.attested else " (carried back: not attested in this edition)"
    head = typer.style(f"{info.id}{number} {info.title}", bold=True) + mark
    return f"{head}\n{info.span.path}:{info.span.line}\n\n{formal_text(info.span)}{_deciding(tested)}"


def _section(info: CourseInfo) -> str:
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
    """Return a short phrase for the effect of a clause."""
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
        print_json({name: chapter.lists for name, chapter in chapters.items()})
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
        if missing := chapter.lists["missing"]:
            typer.echo(f"missing in {name}: {', '.join(missing)}")


# ---------------------------------------------------------------------- editions
def show_editions(date: str, game: str, as_json: bool) -> int:
    """Print all editions, or the one in force on a date."""
    tallied = tally_editions(edition_on(date, game) if date else "", game)
    if as_json:
        print_json(tallied)
        return 0
    from rich.table import Table

    table = Table("edition", "title", "attested", "carried back", "preserved", box=None)
    for one in tallied:
        counts = (str(one["attested"]), str(one["unattested"] or ""))
        table.add_row(one["edition"], one["title"], *counts, one["source"])
    print_table(table)
    return 0


def show_owned(owned: str, sheets: str, game: str, as_json: bool) -> int:
    """Say which sheets apply to a printed copy of the rules, named by any date, and how the result is named."""
    owned = edition_on(owned, game)
    given = [sheet.strip() for sheet in sheets.split(",") if sheet.strip()]
    asked = given or [info.name for info in list_editions(game) if info.name != owned]
    applies, others = applicable_sheets(owned, asked, game)
    name = "+".join([owned, *applies])
    clauses = len(consolidated(name, game).standing)
    if as_json:
        print_json({"owned": owned, "apply": applies, "do_not_apply": others, "edition": name, "clauses": clauses})
        return 0
    typer.echo(f"{name}: {clauses} clauses")
    typer.echo(f"  apply: {', '.join(applies) or 'none'}")
    if given:
        typer.echo(f"  do not apply (not dated after {owned}, or to other rules): {', '.join(others) or 'none'}")
    return 0


# ---------------------------------------------------------------------- rules
def lint_files(files: Sequence[Path], game: str, as_json: bool) -> int:
    """Check rule files together; by default every edition of the game.

    A file of an edition is checked with all that the edition consists of, house rules with the
    newest edition, and any other file with the vocabulary.

    Raises:
        RulesetError: with every fault.
    """
    models = check_files(files, game)
    if as_json:
        print_json({"ok": True, "checked": [{"edition": m.edition, "clauses": len(m.clauses)} for m in models]})
        return 0
    for model in models:
        typer.echo(f"{model.edition}: {len(model.clauses)} clauses, no fault")
    return 0


def format_files(files: Sequence[Path], check: bool, game: str, as_json: bool) -> int:
    """Format rule files; with `check` only list the files that would change."""
    paths = list(files) or list(dict.fromkeys([*files_of(game, "**/*.rules"), *scenario_files(game, "*/*.rules")]))
    texts = changed_layouts(paths)
    if not check:
        for path, text in texts.items():
            write_file(path, text, "rules", "let the file be written, or copy it")
    changed = list(texts)
    _report(changed, len(paths), check, as_json)
    return 1 if check and changed else 0


def _report(changed: Sequence[Path], total: int, check: bool, as_json: bool) -> None:
    if as_json:
        print_json({"changed": [str(path) for path in changed], "files": total})
        return
    for path in changed:
        typer.echo(f"{'would change' if check else 'changed'}: {path}")
    typer.echo(f"{total - len(changed)} of {total} files {'are' if check else 'were'} laid out already")


# ---------------------------------------------------------------------- shelf
def show_games(as_json: bool) -> int:
    """Print the games and their contents."""
    from rich.table import Table

    games = list_games()
    if as_json:
        print_json([game.record() for game in games])
        return LEGAL
    table = Table("game", "title", "editions", "questions", "maps", "scenarios", box=None)
    for game in games:
        table.add_row(game.game, game.title or f"cannot be used: {game.fault}", *_counts(game))
    print_table(table)
    return LEGAL


def _counts(game: GameInfo) -> list[str]:
    numbers = map(len, (game.editions, game.questions, game.maps, game.scenarios))
    return [str(number or "") for number in numbers]


def make_game(name: str, parent: Path, as_json: bool) -> int:
    """Write the skeleton of a game and print the next steps."""
    files = write_skeleton(name, parent)
    if as_json:
        print_json({"game": name, "folder": str(parent / name), "files": [str(path) for path in files]})
        return LEGAL
    for path in files:
        typer.echo(f"written: {path}")
    home = parent / name if parent.is_absolute() else f"./{parent / name}"
    typer.echo(f"check its rules: titm lint --game {home}")
    typer.echo(f"ask it something: titm check {parent / name}/scenarios/first/position.yaml")
    return LEGAL
