"""Impulses: 8.1."""

from tests.builders import position
from tests.clauses.rows import entrenches, moves, rows

ROADS = "B-s major; s-x major; x-E major"
ROWS = [
    moves("8.1c", position(ROADS, "m German foot 2 s"), "m", "s x", 1, "the German moves in his impulse"),
    moves("8.1c", position(ROADS, "m German foot 2 s", side="Allied"), "m", "s x", None, "and not in the other's"),
    moves("8.1c", position(ROADS, "m Allied foot 2 x"), "m", "x s", None, "nor the other in his"),
    entrenches("8.1c", position(ROADS, "m German foot 2 s", side="Allied"), "m", "", "digging in is for one's own impulse"),
    entrenches("8.1c", position(ROADS, "m German foot 2 s"), "m", "s", "in one's own impulse it is allowed"),
]

test_8_1 = rows(ROWS)
