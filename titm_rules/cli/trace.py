"""`titm trace`: a piece's route to its goal, or what blocks it, in words and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from titm_rules.cli.guard import print_answer
from titm_rules.cli.options import SharedOptions
from titm_rules.cli.show import flat, show_verdict
from titm_rules.explain.verdict import Verdict
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.subject import Subject
from titm_rules.oracle.trace import trace_verdict


def trace_piece(
    subject: Subject, pieces: Sequence[str], at: str, route: str, out: Path | None, options: SharedOptions
) -> int:
    """Print the trace of a piece; 0 if it has a route to its goal, 1 if not."""
    if len(pieces) != 1:
        raise bad("one piece traces", "PIECE", "name it by its id", "missing-field")
    case, [piece] = subject.open(options.rules), pieces
    verdict = trace_verdict(case, piece, at, route)
    if out is not None:
        from titm_rules.render.pictures import write_picture
        from titm_rules.render.traces import draw_trace

        write_picture(out, draw_trace(case, verdict, piece, at))
    if options.as_json:
        print_answer(verdict.to_dict())
    else:
        show_trace(verdict)
        if out is not None:
            typer.echo(f"picture: {out}")
    return 0 if verdict.witness.get("route") else 1


def show_trace(verdict: Verdict) -> None:
    """Print a verdict on a trace with the route, or the one that comes closest."""
    show_verdict(verdict)
    for name, route in verdict.witness.items():
        typer.echo(f"  {name}: {flat(route)}")
