"""The types of the rule language."""

from __future__ import annotations

from dataclasses import dataclass


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
