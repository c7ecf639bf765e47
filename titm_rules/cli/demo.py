"""`titm demo`: the disputes that ship with the rules, judged and drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from titm_rules.cli.guard import print_json
from titm_rules.cli.show import show_verdict
from titm_rules.cli.trace import show_trace
from titm_rules.render.disputes import Dispute, judge_disputes


def run_demo(out: Path, engine: str, game: str, as_json: bool) -> int:
    """Judge every dispute; 1 if a verdict is not the expected one."""
    disputes: list[Dispute] = []
    for dispute in judge_disputes(out, engine, game):
        disputes.append(dispute)
        if not as_json:
            _show(len(disputes), dispute)
    failed = sum(bool(d.faults) for d in disputes)
    if as_json:
        print_json([_record(dispute) for dispute in disputes])
    else:
        typer.echo(f"{len(disputes) - failed} of {len(disputes)} disputes are decided as the rulebook's examples say")
    return 1 if failed else 0


def _show(number: int, dispute: Dispute) -> None:
    notes = dispute.case.notes
    typer.secho(f"{number}. {notes['title']}", bold=True)
    typer.echo(f"   {notes['question']}")
    show_verdict(dispute.verdict)
    if dispute.traced is not None:
        typer.echo(f"  The trace of {notes['trace']['piece']} from {notes['trace']['at']}:")
        show_trace(dispute.traced)
        typer.echo(f"  picture: {dispute.picture}")
    for fault in dispute.faults:
        typer.secho(f"  NOT AS EXPECTED: {fault}", fg="red", bold=True)
    typer.echo()


def _record(dispute: Dispute) -> dict[str, Any]:
    return {
        "dispute": dispute.name,
        "title": dispute.case.notes["title"],
        "as_expected": not dispute.faults,
        "faults": list(dispute.faults),
        "verdict": dispute.verdict.to_dict(),
        "trace": dispute.traced.to_dict() if dispute.traced else None,
        "picture": str(dispute.picture) if dispute.picture else None,
    }
