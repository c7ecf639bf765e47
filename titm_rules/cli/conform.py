"""`titm conform`: cases whose answers are known."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import typer

from titm_rules.cli.guard import print_json
from titm_rules.cli.show import print_table
from titm_rules.service.conform import FAILED, NOT_ANSWERED, OUTCOMES, CaseResult, judge_cases, tally


def run_cases(file: Path | None, game: str | None, edition: str | None, engine: str, as_json: bool) -> int:
    """Run conformance cases and print a table of queries; 1 if a case fails."""
    results = judge_cases(file, game, edition, engine)
    failed = [r for r in results if r.outcome == FAILED]
    if as_json:
        print_json({"cases": len(results), "queries": tally(results), "failed": [vars(r) for r in failed]})
    else:
        _show(results, failed)
    return 1 if failed else 0


def _show(results: list[CaseResult], failed: list[CaseResult]) -> None:
    from rich.table import Table

    table = Table("query", *OUTCOMES, box=None)
    for query, row in tally(results).items():
        table.add_row(query, *(str(row[name] or "") for name in OUTCOMES))
    print_table(table)
    for result in failed:
        typer.echo(f"failed: {result.identity}")
        typer.echo(f"  expected {json.dumps(result.expected)}\n  got      {json.dumps(result.got)[:400]}")
    counts = Counter(result.outcome for result in results)
    typer.echo(", ".join(f"{counts[name]} {name}" for name in OUTCOMES))
    if counts[NOT_ANSWERED]:
        typer.echo("(not answered: the rules have no such edition or question)")
