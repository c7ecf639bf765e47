"""Types, units of measure and identifiers of the rule language."""

from __future__ import annotations

import re
from fractions import Fraction

from titm_rules.diagnostics import Frozen


def attribute(name: str) -> str:
    """Convert a name of the rules to the name of a field: hyphens become underscores."""
    return name.replace("-", "_")


def hyphenated(name: str) -> str:
    return name.replace("_", "-")


class Measure(Frozen):
    """A unit of measure with a number of equal `parts`; a number of this measure is stored as a number of parts."""

    name: str
    parts: int


class Type(Frozen):
    """A type: `kind` is flag, number, text, enum, record, place, set, pair, number_map, flag_map or nothing.

    `name` is the enum or record (for a set: that of its members; for a map: that of its keys); `low` and `high` bound
    a number; if `optional`, `nothing` is a value too. A number, or the numbers of a map, may have a `measure`; its
    bounds are then in parts.
    """

    kind: str
    name: str = ""
    low: int | None = None
    high: int | None = None
    optional: bool = False
    measure: Measure | None = None

    def __str__(self) -> str:
        number = self.measure.name if self.measure is not None else "number"
        text = {
            "number": number,
            "enum": self.name,
            "record": self.name,
            "set": f"list of {self.name}",
            "pair": f"pair of {self.name}",
            "number_map": f"{number} per {self.name}",
            "flag_map": f"flag per {self.name}",
        }.get(self.kind, self.kind)
        return f"{text} or nothing" if self.optional and self.kind != "nothing" else text


FLAG = Type("flag")
NUMBER = Type("number")
TEXT = Type("text")
NOTHING = Type("nothing", optional=True)
PLACE = Type("place")
ERROR = Type("error")


_WRITTEN = re.compile(r"(-?)(?:(\d{1,9})\s+)?(\d{1,9})(?:/(\d{1,9}))?", re.ASCII)


class Amount(int):
    """A number of parts that is rendered in its unit; in all other respects, it is that number."""

    parts: int

    def __new__(cls, number: int, parts: int) -> Amount:
        """Create an amount of a number of parts; `parts` make one unit."""
        made = super().__new__(cls, number)
        made.parts = parts
        return made

    def __str__(self) -> str:
        sign = "-" if self < 0 else ""
        whole, rest = divmod(abs(int(self)), self.parts)
        share = f"{Fraction(rest, self.parts)}" if rest else ""
        return f"{sign}{' '.join(part for part in (str(whole) if whole or not rest else '', share) if part)}"


def read_share(text: str) -> Fraction | None:
    """Parse a number that may have a fraction: `3`, `1/3`, `4/3` or `1 1/3`; `None` for other text."""
    match = _WRITTEN.fullmatch(text)
    if match is None or (match[2] and not match[4]) or (match[4] and not int(match[4])):
        return None
    share = int(match[2] or 0) + Fraction(int(match[3]), int(match[4] or 1))
    return -share if match[1] else share


def in_parts(share: Fraction, measure: Measure) -> int | None:
    parts = share * measure.parts
    return parts.numerator if parts.denominator == 1 else None


def read_amount(text: str, measure: Measure) -> int | None:
    share = read_share(text)
    return None if share is None else in_parts(share, measure)


def amount(measure: Measure | None, number: int) -> int:
    """Return a number that is rendered in its measure; without a measure, the number itself."""
    return number if measure is None else Amount(number, measure.parts)
