"""The types of the rule language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Type:
    """A type: `kind` is flag, number, text, enum, record, place, set, pair, number_map, flag_map or nothing.

    `name` names the enum or record (for a set: that of its members; for a map: what has a value);
    `low` and `high` bound a number; `optional` says that `nothing` is a value too.
    """

    kind: str
    name: str = ""
    low: int | None = None
    high: int | None = None
    optional: bool = False

    def __str__(self) -> str:
        text = {
            "enum": self.name,
            "record": self.name,
            "set": f"list of {self.name}",
            "pair": f"pair of {self.name}",
            "number_map": f"number per {self.name}",
            "flag_map": f"flag per {self.name}",
        }.get(self.kind, self.kind)
        return f"{text} or nothing" if self.optional and self.kind != "nothing" else text


FLAG = Type("flag")
NUMBER = Type("number")
TEXT = Type("text")
NOTHING = Type("nothing", optional=True)
PLACE = Type("place")
ERROR = Type("error")
