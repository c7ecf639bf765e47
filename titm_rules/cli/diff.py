"""`titm diff`: two editions side by side, in words and in what they allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import typer

from titm_rules.cli.case import Case, Options, open_case
from titm_rules.cli.guard import print_json
from titm_rules.cli.show import flat, print_table
from titm_rules.compare.answers import Bench
from titm_rules.compare.causes import Cause
from titm_rules.compare.find import NOT_SEARCHED, Found, Result, find_differences, read_search
from titm_rules.compare.here import Here, difference, differences_in, not_asked
from titm_rules.compare.report import extent, situation
from titm_rules.compare.rules import Pair
from titm_rules.compare.text import RENUMBERED, ClauseDifference, Run, clause_differences, counts, reading_differences
from titm_rules.editions.load import edition_on
from titm_rules.oracle.edition import Edition

COLOURS = {"-": "red", "+": "green", "": None}


@dataclass(frozen=True)
class Compared:
    """The two editions of a command line."""

    first: Edition
    second: Edition

    @property
    def pair(self) -> Pair:
        """Their rules."""
        return Pair(self.first.model, self.second.model)

    @property
    def labels(self) -> tuple[str, str]:
        """How they are cited."""
        return self.first.label, self.second.label


def compared(first: str, second: str, overlays: Sequence[str] = ()) -> Compared:
    """Take the rules in force on two dates; house rules go on top of the second.

    Raises:
        InputError: for a date before all editions, or an unknown overlay.
    """
    return Compared(Edition(edition_on(first)), Edition(edition_on(second), overlays=tuple(overlays)))


# ---------------------------------------------------------------------- texts
def show_texts(two: Compared, as_json: bool) -> int:
    """Print the clauses and readings that differ; 1 if there are any but new numbers."""
    clauses, readings = clause_differences(two.pair), reading_differences(two.pair)
    if as_json:
        print_json({
            "editions": two.labels, "counts": counts(clauses),
            "clauses": [asdict(one) for one in clauses], "readings": [asdict(one) for one in readings],
        })  # fmt: skip
    else:
        _show_clauses(two, clauses)
        for one in readings:
            before, after = (_offered(*side) for side in zip(one.defaults, one.offered, strict=True))
            typer.echo(f"\nreading {one.name}: {one.question}\n  {before}, then {after}")
    return int(any(one.how != RENUMBERED for one in clauses))


def _offered(default: str | None, offered: Sequence[str]) -> str:
    others = [choice for choice in offered if choice != default]
    tail = f" (open: {', '.join(others)})" if others else ""
    return f"{default or 'not asked'}{tail}"


def _show_clauses(two: Compared, clauses: Sequence[ClauseDifference]) -> None:
    told = [f"{number} {how}" for how, number in counts(list(clauses)).items() if number]
    typer.echo(f"{two.labels[0]} to {two.labels[1]}: {', '.join(told) or 'no clause differs'}")
    for one in clauses:
        if one.how != RENUMBERED:
            _show_clause(one)
    moved = [one for one in clauses if one.how == RENUMBERED]
    if moved:
        typer.echo("\nrenumbered only: " + ", ".join(f"{one.clause} ({_numbers(one)})" for one in moved))


def _show_clause(one: ClauseDifference) -> None:
    typer.echo(f"\n{typer.style(one.clause, bold=True)} {marked(one.title)} [{one.how}; {_numbers(one)}]")
    typer.echo(f'  "{marked(one.words)}"')
    typer.echo(f"  {marked(one.form)}")
    for reading in one.readings:
        typer.echo(f"  reading {reading}")


def _numbers(one: ClauseDifference) -> str:
    first, second = one.numbers
    if first == second:
        return f"as {first}"
    before = f"as {first}" if first else "not there"
    return f"{before}, then {second or 'gone'}"


def marked(runs: Sequence[Run]) -> str:
    """Write a comparison of words on one line: what went in [-...-], what came in {+...+}."""
    if all(sign == runs[0][0] for sign, _ in runs):
        return " ".join(words for _, words in runs)
    shown = {"": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}
    return " ".join(typer.style(shown[sign].format(words), fg=COLOURS[sign]) for sign, words in runs)


# ---------------------------------------------------------------------- one situation
def show_here(two: Compared, path: Path, names: Sequence[str], as_json: bool) -> int:
    """Print what differs in the situation of a file; 1 if something does.

    A file that asks a question of its own is compared on that question alone.

    Raises:
        InputError: for a file that cannot be used in either edition.
    """
    case = open_case(path, Options(edition=two.second.date, overlays=two.second.overlays))
    two = _with_special_rules(two, case)
    left: list[str] = []
    if case.query and not names:
        found = [*_one_question(two, case)]
    else:
        data = case.edition.position(case.data, case.situation).to_dict()
        search = read_search(two.second.game)
        found = [*differences_in(two.pair, case.situation, data, search, names)]
        left = not_asked(two.pair, case.situation, data, search, names)
    if as_json:
        differences = [_cited(asdict(one), one.cause) for one in found]
        print_json({"editions": two.labels, "differences": differences, "not_asked": left})
        return int(bool(found))
    typer.echo(f"{len(found) or 'no'} difference{'s' * (len(found) != 1)} between {' and '.join(two.labels)}")
    for one in found:
        asked = f"{one.question or 'legal actions'} {flat(one.inputs) if one.inputs else ''}".rstrip()
        typer.echo(f"\n{typer.style(asked, bold=True)}: {one.cause}")
        _show_answers(two, one.first, one.second)
    if left:
        typer.echo(f"\nnot asked, for what they take cannot be listed here: {', '.join(left)}")
        typer.echo("put such a question into a file of its own")
    return int(bool(found))


def _with_special_rules(two: Compared, case: Case) -> Compared:
    """Lay the special rules of a scenario over both editions; house rules go on top of the second."""
    special = case.edition.overlays[: len(case.edition.overlays) - len(two.second.overlays)]
    return Compared(replace(two.first, overlays=special), case.edition) if special else two


def _one_question(two: Compared, case: Case) -> Iterator[Here]:
    inputs = case.full_input(case.query)
    asked = case.edition.ask(case.query, inputs)
    found = difference(two.pair, Bench(case.situation, asked.world.data), asked.question, asked.raw)
    if found is not None:
        yield found


def _cited(record: dict[str, Any], cause: Cause) -> dict[str, Any]:
    return record | {"cause": [list(names) for names in cause.sets]}


def _show_answers(two: Compared, first: Any, second: Any) -> None:
    for label, answer in zip(two.labels, (first, second), strict=True):
        typer.echo(f"  only {label}: {flat(answer)}")


# ---------------------------------------------------------------------- searching
def show_found(two: Compared, names: Sequence[str], as_json: bool) -> int:
    """Search for the smallest differences and print them; 1 if there are any."""
    search = read_search(two.second.game)
    with progress("searching") as tell:
        results = list(find_differences(two.pair, search, names, lambda name, asked: tell(f"{name}: {asked}", None)))
    if as_json:
        print_json({"editions": two.labels, "questions": [found_record(one) for one in results]})
    else:
        _show_results(two, results)
    return int(any(one.found for one in results))


def found_record(one: Result) -> dict[str, Any]:
    """Give a result as JSON values."""
    return {
        "question": one.question, "how": one.how, "verdict": one.verdict, "size": one.size, "asked": one.asked,
        "like": one.like or None, "clauses": list(one.clauses),
        "found": [_cited(asdict(found), found.cause) for found in one.found],
    }  # fmt: skip


def _show_results(two: Compared, results: Sequence[Result]) -> None:
    from rich.table import Table

    title = f"{two.labels[1]} as against {two.labels[0]}"
    table = Table("question", "verdict", "searched", "asked", title=title, box=None)
    for one in results:
        table.add_row(one.question, "?" if one.how == NOT_SEARCHED else one.verdict, extent(one), str(one.asked or ""))
    print_table(table)
    for one in results:
        for found in one.found:
            typer.echo(f"\n{typer.style(one.question, bold=True)} {flat(found.inputs)}: {found.cause}")
            _show_found(two, found)


def _show_found(two: Compared, found: Found) -> None:
    typer.echo(f"  size {found.size}, situation {found.number} in the order of search")
    for part in situation(found.data):
        typer.echo(f"  {part}")
    _show_answers(two, found.first, found.second)


@contextmanager
def progress(title: str) -> Iterator[Callable[[str, float | None], None]]:
    """Show on a terminal how far a long task is: a text, and the share that is done if it is known."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda text, share: bar.update(task, description=text, total=share and 1.0, completed=share or 0.0)
