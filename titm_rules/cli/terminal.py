"""Output to a terminal, exit codes, interrupts and progress bars."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn, TextIO, TypeVar, cast

from titm_rules.diagnostics import SYSTEM_FAILURES, InputError, TitmError, system_fault

T = TypeVar("T")

# ---------------------------------------------------------------------- terminal
_STYLE = r"\x1b\[(?:(?:[0-4]|2[2-4]|3[1-69]|9[1-6])(?:;(?=\d)|(?=m)))*m"  # bold, dim and colours that can be read
_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
_SHOWN = re.compile(f"({_STYLE})|{_CONTROL}")
_PLAIN = re.compile(_CONTROL)
_MARKS = re.compile(r"\x1b\[[\d;]*m")
_COLOURS = {"red": 31, "green": 32, "yellow": 33, "blue": 34}


def strip_controls(text: str) -> str:
    """Escape characters that control a terminal or turn the order of letters, as JSON does."""
    return _PLAIN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0][0]):04x}"


def styled(text: str, colour: str = "", bold: bool = False, dim: bool = False) -> str:
    """Mark a text as coloured, bold or dim; `echo` takes the marks off where they are not shown."""
    marks = (f"\x1b[{_COLOURS[colour]}m" if colour else "") + "\x1b[1m" * bold + "\x1b[2m" * dim
    return f"{marks}{text}\x1b[0m"


def echo(text: str = "", to_error: bool = False) -> None:
    """Write a line on standard output or error; colours are for terminals only."""
    stream = sys.stderr if to_error else sys.stdout
    if stream is not None:
        stream.write((text if stream.isatty() else _MARKS.sub("", text)) + "\n")
        stream.flush()


class NotWritten(OSError):
    """Raised when standard output takes no more: a full disk, say."""


class _Shown:
    """A stream that passes text and our own styles, and escapes all control characters."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with _output():
            self._stream.write(_SHOWN.sub(lambda found: found[1] or _escaped(found), text))
        return len(text)

    def flush(self) -> None:
        with _output():
            self._stream.flush()

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def _output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NotWritten(error.errno, error.strerror) from None


def guard_output() -> None:
    """Let standard output show text only; characters that the terminal cannot show are escaped on both streams."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is not None:
        sys.stdout = cast(TextIO, _Shown(sys.stdout))


# ---------------------------------------------------------------------- interrupts
class Terminated(KeyboardInterrupt):
    """Raised on SIGTERM; ends the process as Ctrl+C does, with its own exit code."""


@contextmanager
def report_interrupt(what_stays: Callable[[], str]) -> Iterator[None]:
    """Let interrupted work clean up, and report on standard error which results are kept.

    By default SIGTERM ends a process at once, and leaves workers and temporary folders behind.
    """
    if threading.current_thread() is not threading.main_thread():  # no other one can catch signals
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except KeyboardInterrupt:
        echo(f"titm: interrupted; {what_stays()}", to_error=True)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    raise Terminated


# ---------------------------------------------------------------------- guard
LEGAL, ILLEGAL, BAD_INPUT, DEPENDS = 0, 1, 2, 3
SHOWN, SHOWN_OF_BUG = 20, 400
BUG, NOT_READ, NOT_WRITTEN, INTERRUPTED, PIPE_CLOSED, TERMINATED = 70, 71, 74, 130, 141, 143


def exit_code(work: Callable[[], int], as_json: bool = False) -> int:
    """Run a command and return its exit code; nothing ends in a traceback. With `as_json` faults are JSON on stdout."""
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
    except NotWritten as error:
        _discard_output()
        echo(f"titm: cannot write: {error.strerror or error}", to_error=True)
        return NOT_WRITTEN
    except Exception as error:
        if os.environ.get("TITM_RULES_DEBUG"):
            raise
        if isinstance(error, SYSTEM_FAILURES):
            where = str(getattr(error, "filename", None) or "titm")
            _show_faults(InputError([system_fault(error, where)]), as_json)
            return NOT_READ
        what = strip_controls(f"{type(error).__name__}: {error}"[:SHOWN_OF_BUG])
        echo(f"titm: a bug: {what}\nfix: report it; TITM_RULES_DEBUG=1 shows where", to_error=True)
        return BUG


def _discard_output() -> None:
    """Let standard output go nowhere: Python flushes it once more when it ends, and must not fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_faults(error: TitmError, as_json: bool) -> None:
    if not as_json:
        text = "\n\n".join(fault.render() for fault in error.faults[:SHOWN])
        echo(styled(strip_controls(text), "red"), to_error=True)
        if len(error.faults) > SHOWN:
            echo(f"\nand {len(error.faults) - SHOWN} more; --json shows all", to_error=True)
        return
    from titm_rules.service.protocol import error_record

    print_json({"ok": False, "error": error_record(error)})


def print_answer(reply: Mapping[str, object]) -> None:
    """Write a reply as the protocol does: what is answered, and what stands beside it."""
    print_json({"ok": True, **reply})


def print_json(value: object) -> None:
    echo(json.dumps(value, ensure_ascii=False, indent=2))


# ---------------------------------------------------------------------- progress
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


@contextmanager
def share(title: str, of: str = "") -> Iterator[Callable[[int, int], None]]:
    with progress(title) as tell:
        yield lambda done, parts: tell(f"{done} of {parts}{of}", done / parts if parts else 1.0)


def track(results: Iterable[T], title: str, count: int | None = None) -> Iterable[T]:
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    return progress.track(results, title, count, console=console, transient=True, disable=not console.is_terminal)
