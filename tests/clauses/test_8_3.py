"""Movement allowance and costs: 8.3."""

from tests.builders import position
from tests.clauses.rows import attacks, builds, moves, rows

MAJOR = "B-s major; s-a major; a-b major; b-c major; c-d major; d-e major; e-f major; f-g major; g-h major; h-i major"
MINOR = "B-s major; s-a minor; a-b minor; b-c minor; c-d minor"
RIVER = "B-s major; s-x {road} {bridge}; x-y minor; y-z major"
# a unit bound to five points; x is joined to B only over a blown bridge, unless `back` is intact
BOUND = "B-x major blown; x-a minor; a-b minor; b-c minor"
WHEELS = ("engineer", "armor", "mechanized", "motorized")


def one(kind: str, roads: str, more: str = "", **fields):
    return position(roads, f"m German {kind} 2 s; {more}", **fields)


def river(kind: str, bridge: str = "blown", road: str = "major", more: str = ""):
    return one(kind, RIVER.format(road=road, bridge=bridge), more)


def bound(kind: str = "mechanized", flags: str = "foot_mode", roads: str = BOUND):
    return position(roads, f"m German {kind} 2 x {flags}")


ROWS = [
    *(moves("8.31", one(k, MAJOR), "m", "s a b c d e f g h", 8, f"{k}: eight points") for k in WHEELS),
    *(moves("8.31", one(k, MAJOR), "m", "s a b c d e f g h i", None, f"{k}: not nine") for k in WHEELS),
    moves("8.32", one("foot", MAJOR), "m", "s a b c d e", 5, "five points"),
    moves("8.32", one("foot", MAJOR), "m", "s a b c d e f", None, "not six"),
    moves("8.33-major", one("armor", MAJOR), "m", "s a b", 2, "one point a step"),
    moves("8.33-major", one("armor", MINOR), "m", "s a b", 4, "not on a minor road"),
    moves("8.33-minor", one("armor", MINOR), "m", "s a b c d", 8, "two points a step"),
    moves("8.33-minor", one("armor", MAJOR), "m", "s a b c d", 4, "not on a major road"),
    moves("8.33-unbridged", river("foot"), "m", "s x", 3, "foot infantry wades for three"),
    moves("8.33-unbridged", river("foot", "intact"), "m", "s x", 1, "over a bridge it pays the road"),
    moves("8.33-unbridged", river("mechanized"), "m", "s x", None, "vehicles do not wade"),
    moves("8.33-unbridged", river("mechanized", "intact"), "m", "s x", 1, "they use the bridge"),
    moves("8.33-unbridged", river("foot", "river"), "m", "s x", None, "where never a bridge was nobody crosses"),
    moves("8.33-unbridged", one("foot", RIVER.format(road="major", bridge="blown"), "n German armor 2 s"), "m n", "s x", None,
          "a stack wades only if all of it can"),
    moves("8.33-unbridged", one("foot", RIVER.format(road="major", bridge="blown"), "n German foot 2 s"), "m n", "s x", 3,
          "two foot units together"),
    moves("8.34a", river("mechanized"), "m", "s x y", 5, "five points are enough for the river and a minor road", foot=True),
    moves("8.34a", river("mechanized"), "m", "s x y z", None, "and no more", foot=True),
    moves("8.34a", river("mechanized", "intact"), "m", "s x y z", 4, "without wading it keeps to five too", foot=True),
    moves("8.34a", one("motorized", MAJOR), "m", "s a b c d e f", None, "six points after declaring", foot=True),
    moves("8.34a", one("motorized", MAJOR), "m", "s a b c d e f", 6, "six points without declaring"),
    moves("8.34a", one("foot", MAJOR), "m", "s a b c d e", 5, "foot infantry declares nothing new", foot=True),
    moves("8.34b", river("foot", road="minor"), "m", "s x", 3, "three, not five"),
    moves("8.34b", river("foot", road="major"), "m", "s x", 3, "three, not four"),
    moves("8.34b", river("foot", "intact", "minor"), "m", "s x", 2, "with the bridge the road counts"),
    *(moves("8.35a", river(k), "m", "s x", 3, f"{k} may leave its vehicles", foot=True)
      for k in ("engineer", "mechanized", "motorized")),
    moves("8.35a", river("engineer"), "m", "s x", None, "unless it does not declare so"),
    moves("8.35a", river("armor"), "m", "s x", None, "armor cannot", foot=True),
    moves("8.35b", bound(), "m", "x a b", 4, "five points are left to it"),
    moves("8.35b", bound(), "m", "x a b c", None, "it is bound to five points"),
    moves("8.35b", bound(flags=""), "m", "x a b c", 6, "a unit that is not bound has eight"),
    moves("8.35b", bound("armor", roads="B-x major blown; x-a minor; a-b minor; b-c minor; c-B major; x-B major"),
          "m", "x a b c", 6, "armor is never bound"),
    moves("8.35c", bound(roads=BOUND.replace("blown", "intact")), "m", "x a b c", 6, "the bridge stands again"),
    moves("8.35c", bound(roads=BOUND + "; c-B minor"), "m", "x a b c", 6, "another way without a blown bridge"),
    moves("8.35c", bound(), "m", "x a b c", None, "only ways over the blown bridge"),
    moves("8.36-leave", one("armor", MAJOR + "; a-B major", "e Allied foot 1 s"), "m", "s a", 2, "leaving enemies costs one more"),
    moves("8.36-leave", one("armor", MAJOR, "e German foot 1 s"), "m", "s a", 1, "leaving friends does not"),
    moves("8.36-leave", position("D-s major; s-B major", "m German armor 2 D; e Allied foot 1 D"), "m", "D s", 1,
          "a zone is no area"),
    moves("8.36-leave", one("armor", MINOR + "; a-B major", "e Allied foot 1 s; f German foot 1 a"), "m", "s a", 4,
          "a minor road from enemies to friends"),
    builds("8.36-construct", position("B-s major; s-x major blown", "g German engineer 2 s entrenched entrenched_today;"
                                      "f German foot 2 x"), {}, "digging in leaves too few points to build"),
    builds("8.36-construct", position("B-s major; s-x major blown", "g German engineer 2 s entrenched; f German foot 2 x"),
           {"s-x": {"g": 4}}, "an entrenchment of an earlier day is no hindrance"),
    moves("8.37", one("armor", MAJOR, "f German foot 1 a"), "m", "s a", 2, "friends occupy"),
    moves("8.37", one("armor", MAJOR, "e Allied foot 1 a"), "m", "s a", 2, "enemies occupy"),
    moves("8.37", one("armor", MAJOR, "f German foot 1 a; e Allied foot 1 a; g Allied foot 1 a"), "m", "s a", 2, "one in all"),
    moves("8.37", one("armor", MAJOR), "m", "s a", 1, "an empty area"),
    moves("8.37", one("armor", MAJOR), "m", "s a s", 2, "the unit itself does not occupy the area that it left"),
    moves("8.37", one("armor", MAJOR, "n German armor 1 s"), "m n", "s a s", 2, "nor does its stack"),
    moves("8.37", one("armor", MAJOR, "n German armor 1 s"), "m", "s a s", 3, "a friend who stayed does"),
    moves("8.38", one("foot", MINOR), "m", "s a b", 4, "four of five points"),
    moves("8.38", one("foot", MINOR), "m", "s a b c", None, "there is no move on credit"),
    moves("8.38", one("foot", "B-s major; s-a minor; a-b major; b-c minor", "f German foot 1 c"), "m", "s a b c", None,
          "two points left, three needed"),
    moves("8.38", position(MAJOR, "m German armor 2 s points_spent=2"), "m", "s a b c d e f", 6, "two were spent before"),
    moves("8.38", position(MAJOR, "m German armor 2 s points_spent=2"), "m", "s a b c d e f g", None, "so seven is too much"),
    moves("8.38", position(MAJOR, "m German armor 2 s; n German foot 2 s"), "m n", "s a b c d e", 5,
          "a stack has the points of its slowest unit"),
    moves("8.38", position(MAJOR, "m German armor 2 s; n German foot 2 s"), "n m", "s a b c d e f", None, "and no more"),
    attacks("8.39", position("B-s major; s-x major", "m German foot 2 x impulse_start=s moved; e Allied foot 1 x"), "m", "must",
            "a battle comes of a move"),
    attacks("8.39", position("B-s major; s-x major", "m German foot 2 x impulse_start=s moved; e Allied foot 1 s"), "m",
            "may not", "without enemies there is none"),
]

test_8_3 = rows(ROWS)
