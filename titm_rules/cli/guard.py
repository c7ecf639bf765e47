"""What every command shares: how it ends, and how faults are shown."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import typer

from titm_rules.diagnostics import TitmError

LEGAL, ILLEGAL, BAD_INPUT, DEPENDS = 0, 1, 2, 3
SHOWN = 20
BUG, INTERRUPTED, PIPE_CLOSED = 70, 130, 141


def guarded(work: Callable[[], int], as_json: bool = False) -> None:
    """Run a command and leave with its exit code; no input ends in a traceback.

    Args:
        work: does the command and returns its exit code.
        as_json: faults are written as JSON on standard output, not as text on standard error.
    """
    raise typer.Exit(_run(work, as_json))


def _run(work: Callable[[], int], as_json: bool) -> int:
    try:
        code = work()
        sys.stdout.flush()
        return code
    except TitmError as error:
        _show_faults(error, as_json)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes standard output once more when it ends; there it must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:
        if os.environ.get("TITM_RULES_DEBUG"):
            raise
        typer.echo(
            f"titm: a bug: {type(error).__name__}: {error}\nfix: report it; TITM_RULES_DEBUG=1 shows where", err=True
        )
        return BUG


def _show_faults(error: TitmError, as_json: bool) -> None:
    if not as_json:
        text = "\n\n".join(fault.render() for fault in error.faults[:SHOWN])
        typer.secho(text, fg="red", err=True)
        if len(error.faults) > SHOWN:
            typer.echo(f"\nand {len(error.faults) - SHOWN} more; --json shows all", err=True)
        return
    faults = [
        {"kind": f.kind, "at": str(f.where), "message": f.what + (f" ({f.why})" if f.why else ""), "fix": f.fix}
        for f in error.faults
    ]
    print_json({"ok": False, "errors": faults})


def print_json(value: Any) -> None:
    """Write a JSON value on standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
