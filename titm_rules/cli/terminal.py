"""What reaches a terminal: text. Nothing in a file of somebody else's moves the cursor or hides a word."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO, cast

_STYLE = r"\x1b\[(?:(?:[0-4]|2[2-4]|3[1-69]|9[1-6])(?:;(?=\d)|(?=m)))*m"  # bold, dim and colours that can be read
_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
_SHOWN = re.compile(f"({_STYLE})|{_CONTROL}")
_PLAIN = re.compile(_CONTROL)
_MARKS = re.compile(r"\x1b\[[\d;]*m")
_COLOURS = {"red": 31, "green": 32, "yellow": 33, "blue": 34}


def plain(text: str) -> str:
    """Escape characters that control a terminal or turn the order of letters, as JSON does."""
    return _PLAIN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0][0]):04x}"


def styled(text: str, colour: str = "", bold: bool = False) -> str:
    """Mark a text as coloured or bold; `echo` takes the marks off where they are not shown."""
    marks = (f"\x1b[{_COLOURS[colour]}m" if colour else "") + ("\x1b[1m" if bold else "")
    return f"{marks}{text}\x1b[0m"


def echo(text: str = "", to_error: bool = False) -> None:
    """Write a line on standard output or error; colours are for terminals only."""
    stream = sys.stderr if to_error else sys.stdout
    if stream is not None:
        stream.write((text if stream.isatty() else _MARKS.sub("", text)) + "\n")
        stream.flush()


class _Shown:
    """A stream that lets text and the styles of our own through, and escapes all else that is not text."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(_SHOWN.sub(lambda found: found[1] or _escaped(found), text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def guard_output() -> None:
    """Let standard output show text only; what the terminal cannot show is escaped on both streams."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is not None:
        sys.stdout = cast(TextIO, _Shown(sys.stdout))
