"""When, where and for what special forces can be used: 14.1 and 14.21."""

from tests.builders import position
from tests.clauses.rows import bars, forces, rows

ALL = "confusion demolition mobility"


def world(day: int = 17, impulse: int = 1, side: str = "German", **fields):
    return position("B-s major; s-x major", "e Allied foot 2 x", day, impulse, side, areas={"s": {"vp": 3}}, **fields)


ROWS = [
    forces("1994:14", world(), "", "", "no special forces before August 1996", edition="1994-11-01"),
    forces("1994:14", world(), ALL, "x", "the section is another from then on", edition="1996-08-01"),
    *(forces("14.11a", world(day), ALL, "x", f"day {day}") for day in (17, 18, 19)),
    *(forces("14.11a", world(day), "", "", f"day {day}") for day in (16, 20, 21)),
    forces("14.11a", world(days_used=[17]), "", "", "it was used today"),
    forces("14.11a", world(18, days_used=[17]), ALL, "x", "it was used yesterday"),
    forces("14.11a", world(special_forces={"area": "x", "effect": "mobility"}), "", "", "it is on the map"),
    forces("14.11a", world(side="Allied"), "", "", "not in an Allied impulse"),
    forces("14.12b", world(), ALL, "x", "not in an area of points"),
    forces("14.12b", position("B-s major; s-x major", "e Allied foot 2 x"), ALL, "s x", "in any other"),
    forces("14.12b", position("B-s major; s-x major", "", areas={"s": {"vp": 1}, "x": {"vp": 1}}), "", "", "there is no other"),
    forces("14.21a", world(), ALL, "x", "any of the three"),
    forces("14.21a", world(effects_used=["mobility", "demolition", "confusion"]), "", "", "none is left"),
    bars("14.21a", world(effects_used=["mobility"]), "German infiltrate x mobility", "14.21b", "one that is left, and this was used"),
    bars("14.21a", world(effects_used=["mobility"]), "German infiltrate x confusion", "", "such as this one"),
    forces("14.21b", world(effects_used=["confusion"]), "demolition mobility", "x", "an effect only once"),
    forces("14.21b", world(), ALL, "x", "nothing was used"),
    forces("14.22d", world(impulse=3), "confusion demolition", "x", "no mobility in the third impulse"),
    forces("14.22d", world(impulse=2), ALL, "x", "in the second it can be chosen"),
    forces("14.22d", world(impulse=3, effects_used=["confusion", "demolition"]), "", "", "nothing is left to choose"),
]

test_14_1 = rows(ROWS)
