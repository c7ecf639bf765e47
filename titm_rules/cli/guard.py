"""What every command shares: how it ends, and how faults are shown."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

import typer

from titm_rules.cli.terminal import plain
from titm_rules.diagnostics import TitmError

LEGAL, ILLEGAL, BAD_INPUT, DEPENDS = 0, 1, 2, 3
SHOWN, SHOWN_OF_BUG = 20, 400
BUG, NOT_WRITTEN, INTERRUPTED, PIPE_CLOSED = 70, 74, 130, 141


def guarded(work: Callable[[], int], as_json: bool = False) -> None:
    """Run a command and leave with its exit code; no input ends in a traceback.

    Args:
        work: does the command and returns its exit code.
        as_json: faults are written as JSON on standard output, not as text on standard error.
    """
    raise typer.Exit(_run(work, as_json))


def _run(work: Callable[[], int], as_json: bool) -> int:
    if sys.stdout is None:
        typer.echo("titm: standard output is closed", err=True)
        return NOT_WRITTEN
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
        _discard_output()
        return PIPE_CLOSED
    except Exception as error:
        if os.environ.get("TITM_RULES_DEBUG"):
            raise
        if isinstance(error, OSError):  # input that cannot be read is told as a fault, so this is output
            _discard_output()
            typer.echo(f"titm: cannot write: {error.strerror or error}", err=True)
            return NOT_WRITTEN
        what = plain(f"{type(error).__name__}: {error}"[:SHOWN_OF_BUG])
        typer.echo(f"titm: a bug: {what}\nfix: report it; TITM_RULES_DEBUG=1 shows where", err=True)
        return BUG


def _discard_output() -> None:
    """Let standard output go nowhere: Python flushes it once more when it ends, and must not fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_faults(error: TitmError, as_json: bool) -> None:
    if not as_json:
        text = "\n\n".join(fault.render() for fault in error.faults[:SHOWN])
        typer.secho(plain(text), fg="red", err=True)
        if len(error.faults) > SHOWN:
            typer.echo(f"\nand {len(error.faults) - SHOWN} more; --json shows all", err=True)
        return
    from titm_rules.service.protocol import error_record

    print_json({"ok": False, "error": error_record(error)})


def print_answer(reply: Mapping[str, object]) -> None:
    """Write a reply as the protocol does: what is answered, and what stands beside it."""
    print_json({"ok": True, **reply})


def print_json(value: object) -> None:
    """Write a JSON value on standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
