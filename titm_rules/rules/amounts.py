"""Amounts: numbers of parts of a unit, as they are written and read. 16 of twelve parts are `1 1/3`."""

from __future__ import annotations

import re
from fractions import Fraction

from titm_rules.rules.types import Measure

_WRITTEN = re.compile(r"(-?)(?:(\d{1,9})\s+)?(\d{1,9})(?:/(\d{1,9}))?", re.ASCII)


class Amount(int):
    """A number of parts that is written in its unit; in everything else it is that number."""

    parts: int

    def __new__(cls, number: int, parts: int) -> Amount:
        """Make an amount of a number of parts, of which so many are one."""
        made = super().__new__(cls, number)
        made.parts = parts
        return made

    def __str__(self) -> str:
        sign = "-" if self < 0 else ""
        whole, rest = divmod(abs(int(self)), self.parts)
        share = f"{Fraction(rest, self.parts)}" if rest else ""
        return f"{sign}{' '.join(part for part in (str(whole) if whole or not rest else '', share) if part)}"


def read_share(text: str) -> Fraction | None:
    """Read a number that may have a fraction: `3`, `1/3`, `4/3` or `1 1/3`; nothing if it is none."""
    found = _WRITTEN.fullmatch(text)
    if found is None or (found[2] and not found[4]) or (found[4] and not int(found[4])):
        return None
    share = int(found[2] or 0) + Fraction(int(found[3]), int(found[4] or 1))
    return -share if found[1] else share


def in_parts(share: Fraction, measure: Measure) -> int | None:
    """Count the parts of a number; nothing if they are no whole number."""
    parts = share * measure.parts
    return parts.numerator if parts.denominator == 1 else None


def read_amount(text: str, measure: Measure) -> int | None:
    """Read a number of a measure as parts; nothing for what is none, or no whole number of parts."""
    share = read_share(text)
    return None if share is None else in_parts(share, measure)


def amount(measure: Measure | None, number: int) -> int:
    """Give a number that is written as its measure wants; one without a measure stays as it is."""
    return number if measure is None else Amount(number, measure.parts)
