"""`titm conform`: run cases whose answers are known."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from titm_rules.catalog import default_game
from titm_rules.cli.terminal import ILLEGAL, LEGAL, print_json, strip_controls
from titm_rules.cli.verdict_text import print_table
from titm_rules.conformance import (
    BROKEN,
    FAILED,
    NOT_ANSWERED,
    NOT_ASKED,
    OUTCOMES,
    PASSED,
    AskOracle,
    CaseResult,
    SubprocessOracle,
    command_of,
    judge_cases,
    page,
    report,
    tally,
    version_of_cases,
    wanted_cases,
)
from titm_rules.files import write_file
from titm_rules.service.protocol import Oracle


@dataclass(frozen=True)
class Conformance:
    """The cases to run and the oracle that answers them.

    Attributes:
        file: a file of cases; nothing: those that ship.
        against: the command of another program; empty: the oracle of this package, with `engine`.
        seconds: how long it may take for an answer.
        report: where the report goes, as a page, or as JSON if so named.
    """

    file: Path | None
    game: str | None
    edition: str | None
    engine: str
    against: str = ""
    seconds: float = 0
    report: Path | None = None


def run_cases(wanted: Conformance, as_json: bool) -> int:
    """Run conformance cases and print a table of queries; 1 if a case fails or a program gives no answer to one."""
    cases = wanted_cases(wanted.file, wanted.game, wanted.edition)
    with _asked(wanted) as ask:
        results = list(_watched(judge_cases(cases, ask), len(cases)))
    game = wanted.game or default_game()
    told = report(results, wanted.against or "titm oracle", "" if wanted.file else version_of_cases(game))
    if wanted.report is not None:
        _write(wanted.report, told)
    failed = [result for result in results if result.outcome in (FAILED, BROKEN)]
    if as_json:
        print_json({"cases": len(results), "queries": tally(results), "failed": [vars(r) for r in failed]})
    else:
        _show(results, failed)
    return ILLEGAL if failed else LEGAL


@contextmanager
def _asked(wanted: Conformance) -> Iterator[AskOracle]:
    """Yield the function that asks this package's oracle, or a program that is stopped at the end."""
    if not wanted.against:
        yield Oracle(wanted.engine, game=wanted.game or "").ask
        return
    with SubprocessOracle(command_of(wanted.against), wanted.seconds) as referee:
        yield referee.ask


def _watched(results: Iterable[CaseResult], count: int) -> Iterable[CaseResult]:
    """Yield the results, with progress on a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(results, "asking", count, console=console, transient=True, disable=not console.is_terminal)


def _write(path: Path, told: dict[str, Any]) -> None:
    text = json.dumps(told, ensure_ascii=False, indent=2) + "\n" if path.suffix == ".json" else page(told)
    write_file(path, text, "report")


def _show(results: list[CaseResult], failed: list[CaseResult]) -> None:
    from rich.table import Table

    counts = Counter(result.outcome for result in results)
    shown = [name for name in OUTCOMES if counts[name] or name in (PASSED, FAILED, NOT_ANSWERED)]
    table = Table("query", *shown, box=None)
    for query, row in tally(results).items():
        table.add_row(query, *(str(row[name] or "") for name in shown))
    print_table(table)
    for result in failed:
        typer.echo(strip_controls(f"{result.outcome}: {_named(result)}: {result.trouble}"))
        if result.outcome == FAILED:
            typer.echo(
                f"  expected {json.dumps(result.expected)}\n  got      {strip_controls(json.dumps(result.got)[:400])}"
            )
    typer.echo(", ".join(f"{counts[name]} {name}" for name in shown))
    if counts[NOT_ANSWERED]:
        typer.echo("(not answered: the rules have no such edition or question)")
    if counts[NOT_ASKED]:
        typer.echo(f"(not asked: {results[-1].trouble})")


def _named(result: CaseResult) -> str:
    return f"{result.identity} ({result.number} {result.title})" if result.number else result.identity
