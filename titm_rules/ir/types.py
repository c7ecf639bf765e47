"""Types, units of measure and identifiers of the rule language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction


# ---------------------------------------------------------------------- spelling
def attribute(name: str) -> str:
    """Spell a name of the rules as a field outside: hyphens become underscores."""
    return name.replace("-", "_")


def hyphenated(name: str) -> str:
    """Spell a field as the rules do: underscores become hyphens."""
    return name.replace("_", "-")


# ---------------------------------------------------------------------- types
@dataclass(frozen=True, slots=True)
class Measure:
    """What a number may be counted in: a unit of so many equal `parts`. Such a number is held as a number of parts."""

    name: str
    parts: int


@dataclass(frozen=True, slots=True)
class Type:
    """A type: `kind` is flag, number, text, enum, record, place, set, pair, number_map, flag_map or nothing.

    `name` names the enum or record (for a set: that of its members; for a map: what has a value);
    `low` and `high` bound a number; `optional` says that `nothing` is a value too. A number, or the numbers of a map,
    may have a `measure`; its bounds are then in parts.
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


# ---------------------------------------------------------------------- amounts
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
