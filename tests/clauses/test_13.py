"""Supply: 13.1 and 13.2."""

from tests.builders import battle, position
from tests.clauses.rows import calls, entrenches, moves, rows, supplied, wastes

LINE = "B-s major; s-x major; x-y major"


def world(roads: str, unit: str, more: str = ""):
    return position(roads, f"m German {unit}; {more}")


CUT = "B-s major; s-x major; x-y major; y-z minor"
GUARD = "e Allied foot 1 s"

ROWS = [
    supplied("13.11a", world(LINE, "armor 2 y"), "m", True, "a free way to a zone of its side"),
    supplied("13.11a", world("x-y major", "armor 2 y"), "m", False, "no way"),
    supplied("13.11b", world("D-s major", "armor 2 s"), "m", False, "an Allied zone is no source for Germans"),
    supplied("13.11b", world("D-s major; s-B major", "armor 2 s"), "m", True, "a German one is"),
    supplied("13.11b", world("D-s major", "armor 2 s", "n Allied armor 2 s"), "n", True, "to each side its own"),
    supplied("13.11b", world("B-s major", "armor 2 s", "n Allied armor 2 s"), "n", False, "also for the Allies"),
    supplied("13.11b", world("A-B major; A-s major", "armor 2 s", "e Allied foot 1 A"), "m", False, "nor is one beyond enemies"),
    supplied("13.11c", world("B-s", "armor 2 s"), "m", False, "places that touch without a road"),
    supplied("13.11c", world("B-s minor", "armor 2 s"), "m", True, "any road will do"),
    supplied("13.11c", world("B-D major; D-s major", "armor 2 s"), "m", False, "a route over the board leaves it nowhere"),
    supplied("13.11c", world("B-D major; D-s major", "armor 2 D"), "m", True, "but it may start beyond the edge"),
    supplied("13.12a", world(LINE, "armor 2 y", "e Allied foot 1 x"), "m", False, "enemies on the way"),
    supplied("13.12a", world(LINE, "armor 2 y", "e Allied foot 1 x; f German foot 2 x"), "m", False, "friends do not open it"),
    supplied("13.12a", world(LINE, "armor 2 y", "f German foot 2 x"), "m", True, "friends alone do not matter"),
    supplied("13.12a", world(LINE, "armor 2 x", "e Allied foot 1 x"), "m", True, "the trace may start beside enemies"),
    supplied("13.12b", world(LINE, "armor 2 y", "e Allied foot 1 B"), "m", False, "enemies in the zone"),
    supplied("13.12b", world(LINE + "; y-A major", "armor 2 y", "e Allied foot 1 B"), "m", True, "another zone is free"),
    supplied("13.12b", world(LINE, "armor 2 B", "e Allied foot 1 B"), "m", False, "a unit in the zone with them"),
    supplied("13.12b", world(LINE, "armor 2 B"), "m", True, "a unit in a free zone"),
    supplied("13.12b", world("A-B major; A-s major", "armor 2 s", "e Allied foot 1 A"), "m", False,
             "nor through a zone that enemies hold"),
    supplied("13.14a", world("B-s major intact", "armor 2 s"), "m", True, "over a bridge", dry=True),
    supplied("13.14a", world("B-s major blown", "armor 2 s"), "m", False, "not over a blown one", dry=False),
    supplied("13.14a", world("B-s major river", "foot 2 s"), "m", False, "nor where never a bridge was"),
    supplied("13.14b", world("B-s major blown", "foot 2 s"), "m", True, "infantry over one blown bridge", dry=False),
    supplied("13.14b", world("B-s major blown; s-x major blown", "foot 2 x"), "m", False, "not over two"),
    supplied("13.14b", world("B-s major blown; s-x major blown; x-A minor blown", "foot 2 x"), "m", True,
             "a way with one will do", dry=False),
    supplied("13.14b", world("B-s major blown", "engineer 2 s"), "m", True, "an engineer too"),
    supplied("13.14b", world("B-s major blown; s-B minor", "foot 2 s"), "m", True, "a way without one", dry=True),
    wastes("13.21", world(CUT + "; s-E major", "armor 3 x", GUARD + "; n German foot 1 x"), {"m": 2, "n": 0}, "each counter loses a point"),
    wastes("13.21", world(CUT, "armor 3 x"), {}, "in supply none does"),
    wastes("13.21", world("B-s major blown", "armor 3 s", "n German foot 1 s"), {"m": 2}, "each is judged by itself"),
    calls("13.22b", battle("foot 3, foot 3 oos", "foot 3, foot 6 oos"), 1, 1, "points out of supply do not count"),
    calls("13.22b", battle("foot 3, foot 3", "foot 3, foot 6"), 2, 3, "in supply they do"),
    calls("13.22b", battle("foot 6 oos", "foot 3 oos"), 0, 0, "no call at all, for the defender neither"),
    moves("13.23.2", world(CUT, "armor 2 x", GUARD), "m", "x y", 1, "out of supply: one area"),
    moves("13.23.2", world(CUT, "armor 2 x", GUARD), "m", "x y z", None, "then it stops"),
    entrenches("13.23.3", world(CUT, "engineer 2 x", GUARD), "m", "x y", "an engineer moves one area and digs in"),
    moves("13.23.3", world(CUT, "engineer 2 x", GUARD), "m", "x y entrench", 5, "one point and four"),
    moves("13.23.3", world(CUT, "engineer 2 x", GUARD), "m", "x y z entrench", None, "not two areas"),
    moves("13.23.4", world(CUT, "foot 2 x", GUARD), "m", "x entrench", 5, "infantry digs in where it stands"),
    moves("13.23.4", world(CUT, "foot 2 x", GUARD), "m", "x y entrench", None, "not after a move"),
]

test_13 = rows(ROWS)
