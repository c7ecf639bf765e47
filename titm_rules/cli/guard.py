"""What every command shares: how it ends, and how faults are shown."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

from titm_rules.cli.broken_off import Terminated
from titm_rules.cli.terminal import echo, plain, styled
from titm_rules.diagnostics import TitmError

LEGAL, ILLEGAL, BAD_INPUT, DEPENDS = 0, 1, 2, 3
SHOWN, SHOWN_OF_BUG = 20, 400
BUG, NOT_WRITTEN, INTERRUPTED, PIPE_CLOSED, TERMINATED = 70, 74, 130, 141, 143


def guarded(work: Callable[[], int], as_json: bool = False) -> None:
    """Run a command and leave with its exit code; no input ends in a traceback.

    Args:
        work: does the command and returns its exit code.
        as_json: faults are written as JSON on standard output, not as text on standard error.
    """
    import typer

    raise typer.Exit(exit_code(work, as_json))


def exit_code(work: Callable[[], int], as_json: bool = False) -> int:
    """Run a command and give its exit code, as `guarded` leaves with it."""
    if sys.stdout is None:
        echo("titm: standard output is closed", to_error=True)
        return NOT_WRITTEN
    try:
        code = work()
        sys.stdout.flush()
        return code
    except TitmError as error:
        _show_faults(error, as_json)
        return BAD_INPUT
    except KeyboardInterrupt as error:
        return TERMINATED if isinstance(error, Terminated) else INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return PIPE_CLOSED
    except Exception as error:
        if os.environ.get("TITM_RULES_DEBUG"):
            raise
        if isinstance(error, OSError):  # input that cannot be read is told as a fault, so this is output
            _discard_output()
            echo(f"titm: cannot write: {error.strerror or error}", to_error=True)
            return NOT_WRITTEN
        what = plain(f"{type(error).__name__}: {error}"[:SHOWN_OF_BUG])
        echo(f"titm: a bug: {what}\nfix: report it; TITM_RULES_DEBUG=1 shows where", to_error=True)
        return BUG


def _discard_output() -> None:
    """Let standard output go nowhere: Python flushes it once more when it ends, and must not fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_faults(error: TitmError, as_json: bool) -> None:
    if not as_json:
        text = "\n\n".join(fault.render() for fault in error.faults[:SHOWN])
        echo(styled(plain(text), "red"), to_error=True)
        if len(error.faults) > SHOWN:
            echo(f"\nand {len(error.faults) - SHOWN} more; --json shows all", to_error=True)
        return
    from titm_rules.service.protocol import error_record

    print_json({"ok": False, "error": error_record(error)})


def print_answer(reply: Mapping[str, object]) -> None:
    """Write a reply as the protocol does: what is answered, and what stands beside it."""
    print_json({"ok": True, **reply})


def print_json(value: object) -> None:
    """Write a JSON value on standard output."""
    echo(json.dumps(value, ensure_ascii=False, indent=2))
