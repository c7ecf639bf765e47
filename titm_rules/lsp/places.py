"""Columns as editors count them, and as we do: an editor may count a character beyond the first 65,536 twice."""

from __future__ import annotations

UTF8, UTF16, UTF32 = "utf-8", "utf-16", "utf-32"


def units(text: str, encoding: str) -> int:
    """Count the units of a text in an encoding: bytes, pairs of bytes or characters."""
    if encoding == UTF32:
        return len(text)
    if encoding == UTF8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def character_of(line: str, column: int, encoding: str) -> int:
    """Give the place of a column (from 1) of a line as an editor counts it (from 0)."""
    return units(line[: max(0, column - 1)], encoding)


def column_at(line: str, character: int, encoding: str) -> int:
    """Give the column (from 1) of a place that an editor counts from 0; past the end it is the end."""
    seen = 0
    for column, letter in enumerate(line, 1):
        if seen >= character:
            return column
        seen += units(letter, encoding)
    return len(line) + 1
