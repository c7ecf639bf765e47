"""Entrenching: 8.5."""

from tests.builders import battle, position
from tests.clauses.rows import entrenches, hits, moves, rows

ROADS = "B-s major; s-x minor; x-y minor; y-z major"


def world(unit: str, more: str = "", **fields):
    return position(ROADS, f"{unit}; {more}", **fields)


ROWS = [
    *(entrenches("8.51a", world(f"m German {k} 2 s"), "m", "s", f"{k} may dig in") for k in ("mechanized", "motorized", "foot")),
    entrenches("8.51a", world("m German engineer 2 s"), "m", "s x y", "an engineer may, after moving for four points, in areas"),
    entrenches("8.54", world("m German armor 2 s"), "m", "", "armor may not"),
    entrenches("8.54", world("m German foot 2 s"), "m", "s", "foot may"),
    entrenches("8.51a", world("m German foot 2 B"), "m", "", "a zone is no place for it"),
    moves("8.51b", world("m German foot 2 s", "n German foot 2 s"), "m", "s entrench", 5, "one unit by itself"),
    moves("8.51b", world("m German foot 2 s", "n German foot 2 s"), "m n", "s entrench", None, "not a stack"),
    moves("8.52", world("m German engineer 2 s"), "m", "s x y entrench", 8, "four points to move, four to dig"),
    moves("8.52", world("m German engineer 2 s"), "m", "s x y z entrench", None, "five points to move leave too few"),
    moves("8.52", world("m German engineer 2 s", "f German foot 1 y"), "m", "s x y entrench", None, "so does an occupied area"),
    moves("8.52", world("m German engineer 2 s"), "m", "s entrench", 4, "in place it costs four"),
    moves("8.53", world("m German motorized 2 s"), "m", "s entrench", 8, "all its points"),
    moves("8.53", world("m German foot 2 s"), "m", "s entrench", 5, "all its points, being five"),
    moves("8.53", world("m German motorized 2 s"), "m", "s x entrench", None, "after a move they are not all left"),
    moves("8.53", world("m German motorized 2 s points_spent=2"), "m", "s entrench", None, "nor after a shift of zones"),
    entrenches("8.55", world("m German foot 2 s", "e Allied foot 1 s"), "m", "", "not beside enemies"),
    entrenches("8.55", world("m German foot 2 s", "e Allied foot 1 x"), "m", "s", "enemies next door do not matter"),
    entrenches("8.58", world("m German foot 2 s entrenched"), "m", "", "it is dug in already"),
    entrenches("8.58", world("m German engineer 2 s entrenched"), "m", "x y", "elsewhere it has to dig anew"),
    entrenches("8.58", world("m German foot 2 s", "n German foot 2 s entrenched"), "m", "s",
               "what another unit dug is its own"),
    hits("8.59a", battle("armor 2 entrenched, foot 2", "armor 2", attacker_artillery=1), "d1>a1", 5,
         "an attacker is never dug in", drms={}),
    hits("8.59a", battle("armor 2", "armor 2 entrenched"), "a1>d1", 3, "a defender is", drms={"entrenched": 1}),
]

test_8_5 = rows(ROWS)
