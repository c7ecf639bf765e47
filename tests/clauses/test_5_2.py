"""Who may not move on the first impulse: 5.23 and 5.24."""

from tests.builders import position
from tests.clauses.rows import attacks, entrenches, moves, rows


def allied(units: str, day: int = 16, impulse: int = 1):
    return position("E-s major; s-x major", units, day, impulse, "Allied")


def german(units: str, day: int = 16, impulse: int = 1):
    return position("B-s major; s-x major", units, day, impulse)


ROWS = [
    moves("5.23b", allied("m Allied foot 2 s"), "m", "s x", None, "no triangle is the rule for Allied units"),
    moves("5.23b", allied("m Allied foot 2 s !moves_16_1"), "m", "s x", None, "no triangle"),
    moves("5.23b", allied("m Allied foot 2 s moves_16_1"), "m", "s x", 1, "with the triangle it may move"),
    moves("5.23b", allied("m Allied foot 2 s", impulse=2), "m", "s x", 1, "from the second impulse on all may"),
    moves("5.23b", allied("m Allied foot 2 s", day=17), "m", "s x", 1, "the first impulse of another day is free"),
    moves("5.23b", allied("m Allied foot 2 s moves_16_1; n Allied foot 2 s"), "m n", "s x", None,
          "one unit without a triangle holds back the stack"),
    moves("5.23b", german("m German foot 2 s"), "m", "s x", 1, "Germans are not held back by it"),
    entrenches("5.23b", allied("m Allied foot 2 s"), "m", "s", "a unit that may not move may dig in"),
    entrenches("5.23b", allied("m Allied armor 2 s"), "m", "", "armor may not"),
    entrenches("5.23b", allied("m Allied foot 2 s; e German foot 1 s"), "m", "", "nor a unit with Germans beside it"),
    attacks("5.23b", allied("m Allied foot 2 s; e German foot 1 s"), "m", "may", "who may not move may attack"),
    attacks("5.23b", allied("m Allied foot 2 s; e German foot 1 s"), "m", "may not", "or may not attack either",
            readings={"E46": "no-attack"}),
    moves("5.24", german("m German foot 2 s !moves_16_1"), "m", "s x", None, "a red triangle"),
    moves("5.24", german("m German foot 2 s"), "m", "s x", 1, "no red triangle is the rule for German units"),
    moves("5.24", german("m German foot 2 s !moves_16_1", impulse=2), "m", "s x", 1, "it moves from 16-2 on"),
    moves("5.24", german("m German foot 2 s !moves_16_1", day=17), "m", "s x", 1, "the mark means nothing on the 17th"),
    moves("5.24", german("m German foot 2 s; n German foot 2 s !moves_16_1"), "m n", "s x", None,
          "one unit with a triangle holds back the stack"),
]

test_5_2 = rows(ROWS)
