"""Zones closed to a side: 11.21 to 11.23, and 12.25."""

from tests.builders import position
from tests.clauses.rows import moves, rows


def allied(zone: str, more: str = "", start: str = "s", **fields):
    return position(f"E-s major; {zone}-s major", f"m Allied foot 2 {start}; {more}", side="Allied", **fields)


def german(zone: str, start: str = "s", more: str = "", **fields):
    return position(f"B-s major; {zone}-s major", f"m German foot 2 {start}; {more}", **fields)


ROWS = [
    moves("11.21a", allied("K", "e German foot 1 K", "K day_start=null"), "m", "K s", None, "Germans hold the zone"),
    moves("11.21a", allied("K", "", "K"), "m", "K s", 1, "nobody does"),
    moves("11.21a", allied("K", "e Allied foot 1 K", "K"), "m", "K s", 1, "friends do not matter"),
    moves("11.21a", german("D", "D", "e Allied foot 1 D"), "m", "D s", 1, "the rule binds the Allies"),
    moves("11.21a", allied("K", "e German foot 1 K"), "m", "s K", 1, "entering such a zone is allowed"),
    *(moves("11.22", german(zone), "m", f"s {zone}", None, f"zone {zone} is closed to Germans") for zone in "LMNP"),
    *(moves("11.22", german(zone), "m", f"s {zone}", 1, f"zone {zone} is open") for zone in "ADHK"),
    *(moves("11.22", allied(zone), "m", f"s {zone}", 1, f"zone {zone} is open to the Allies") for zone in "LMNP"),
    moves("11.22", german("L", zones={"L": {"german_may_enter": True}}), "m", "s L", 1, "a position may open a zone"),
    moves("11.22", german("H", zones={"H": {"german_may_enter": False}}), "m", "s H", None, "and close one"),
    *(moves("11.23", allied(zone), "m", f"s {zone}", None, f"zone {zone} is closed to the Allies") for zone in "ABC"),
    *(moves("11.23", allied(zone), "m", f"s {zone}", 1, f"zone {zone} is open") for zone in "DHL"),
    moves("11.23", german("C"), "m", "s C", 1, "Germans may enter their own"),
    moves("11.23", allied("A", zones={"A": {"allied_may_enter": True}}), "m", "s A", 1, "a position may open a zone"),
    moves("11.23", allied("H", zones={"H": {"allied_may_enter": False}}), "m", "s H", None, "and close one"),
    moves("12.25", german("H", "H", zones={"H": {"vp_factor": 2}}), "m", "H s", None, "no return from a zone of points"),
    moves("12.25", german("H", "H"), "m", "H s", 1, "from another zone there is"),
    moves("12.25", german("A", "A", zones={"A": {"vp_factor": 2}}), "m", "A s", 1, "and from a German one"),
    moves("12.25", allied("H", "", "H", zones={"H": {"vp_factor": 2}}), "m", "H s", 1, "and for the Allies"),
    moves("12.25", german("H", zones={"H": {"vp_factor": 2}}), "m", "s H", 1, "entering it is allowed"),
]

test_11_2 = rows(ROWS)
