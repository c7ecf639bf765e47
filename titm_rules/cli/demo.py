"""`titm demo`: the disputes that ship with the rules, judged and drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from titm_rules.cli.case import Case, Options, open_case
from titm_rules.cli.guard import print_json
from titm_rules.cli.show import show_verdict
from titm_rules.cli.trace import draw_trace, show_trace, trace_verdict
from titm_rules.oracle.verdict import Verdict
from titm_rules.render.pictures import write_picture
from titm_rules.vocabulary.data import data_folder


@dataclass(frozen=True)
class Dispute:
    """A dispute with its verdict, what is wrong with that, and its trace with a picture."""

    name: str
    case: Case
    verdict: Verdict
    faults: tuple[str, ...]
    traced: Verdict | None = None
    picture: Path | None = None


def run_demo(out: Path, engine: str, as_json: bool) -> int:
    """Judge every dispute; 1 if a verdict is not the expected one."""
    paths = sorted((data_folder("scenarios") / "disputes").glob("*.yaml"))
    disputes = []
    for path in paths:
        dispute = judge_dispute(path, out, engine)
        disputes.append(dispute)
        if not as_json:
            _show(len(disputes), dispute)
    failed = sum(bool(d.faults) for d in disputes)
    if as_json:
        print_json([_record(dispute) for dispute in disputes])
    else:
        typer.echo(f"{len(disputes) - failed} of {len(disputes)} disputes are decided as the rulebook's examples say")
    return 1 if failed else 0


def judge_dispute(path: Path, out: Path, engine: str) -> Dispute:
    """Judge one dispute and draw the trace that it asks for."""
    case = open_case(path, Options(engine=engine))
    verdict = case.edition.verdict(case.query, case.full_input(case.query))
    wrong = tuple(faults(verdict, case.notes["expected"]))
    if "trace" not in case.notes:
        return Dispute(path.stem, case, verdict, wrong)
    piece, at = case.notes["trace"]["piece"], case.notes["trace"]["at"]
    traced = trace_verdict(case, piece, at)
    picture = out / f"{path.stem}.svg"
    write_picture(picture, draw_trace(case, traced, piece, at))
    return Dispute(path.stem, case, verdict, wrong, traced, picture)


def faults(verdict: Verdict, expected: Mapping[str, Any]) -> list[str]:
    """Say where a verdict is not the expected one: outcome, answer or failing clauses."""
    found = []
    if verdict.outcome != expected["outcome"]:
        found.append(f"expected {expected['outcome']}, got {verdict.outcome}")
    for name, value in expected["answer"].items():
        if verdict.answer.get(name) != value:
            found.append(f"expected {name} {value}, got {verdict.answer.get(name)}")
    missing = set(expected.get("clauses", ())) - {f.clause for f in verdict.failing}
    if missing:
        found.append(f"not cited: {', '.join(sorted(missing))}")
    return found


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
