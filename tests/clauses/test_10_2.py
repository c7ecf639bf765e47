"""Blowing bridges: 10.2."""

from tests.builders import position
from tests.clauses.rows import blows, rows

ROADS = "B-s major; s-x major {bridge}; x-E major; t-x major intact; u-x major intact; x-w major"
BRIDGES = ("t-x", "u-x", "s-x")


def world(sapper: str = "e Allied engineer 2 x", mover: str = "m German armor 2 s", bridge: str = "intact", **fields):
    return position(ROADS.format(bridge=bridge), f"{mover}; {sapper}", **fields)


def tried(*pairs: str):
    return {"demolition_attempts": [{"bridge": pair.split()[0], "unit": pair.split()[1]} for pair in pairs]}


def mirrored(day: int):
    """The Allies move, a German foot unit stands beside the bridge."""
    return position("E-s major; s-x major intact; x-B major", "m Allied armor 2 s; e German foot 2 x", day, 2, "Allied")


def asks(clause: str, place, options, remark: str, **more):
    return blows(clause, place, "s-x", "m", options, remark, **more)


OTHERS = "e Allied engineer 2 x; f Allied foot 2 x"

ROWS = [
    asks("10.21a", world(), {"e": 8}, "an enemy tries to cross"),
    asks("10.21a", world(side="Allied"), {}, "only the player who does not move may blow"),
    asks("10.21a", world(bridge="blown"), {}, "it is blown already"),
    asks("10.21a", world(bridge=""), {}, "there is no bridge"),
    blows("10.21b", world(), "s-x", "", {}, "nobody crosses"),
    blows("10.21b", world("e Allied engineer 2 x; f Allied foot 2 x"), "s-x", "f", {}, "a friend crosses"),
    asks("10.21b", world(), {"e": 8}, "an enemy crosses"),
    *(asks("10.22b", world(f"e Allied {kind} 2 x"), {"e": 4}, f"{kind} may try") for kind in ("mechanized", "motorized", "foot")),
    asks("10.22b", world("e Allied armor 2 x"), {}, "armor may not"),
    asks("10.22c", world("e Allied engineer 2 w"), {}, "two areas away"),
    asks("10.22c", world("e Allied engineer 2 s", "m German armor 2 s impulse_start=B"), {"e": 8},
         "either end of the bridge will do"),
    asks("10.22c", world(), {"e": 8}, "beside it"),
    blows("10.22c", position("B-s major; s-E major intact", "m German armor 2 s; e Allied engineer 2 E"), "s-E", "m", {},
          "a zone is no area"),
    asks("10.23b", world(**tried("t-x e")), {"e": 8}, "its second bridge"),
    asks("10.23b", world(**tried("t-x e", "u-x e")), {}, "a third one"),
    asks("10.23b", world(OTHERS, **tried("t-x f", "u-x f")), {"e": 8}, "each unit counts for itself"),
    asks("10.24", world(mover="m German armor 2 s; n German foot 1 x"), {}, "an enemy stood there when the impulse began"),
    asks("10.24", world(mover="m German armor 2 s; n German foot 1 w impulse_start=x moved"), {}, "also one that has left"),
    asks("10.24", world(mover="m German armor 2 s; n German foot 1 x impulse_start=s moved"), {"e": 8},
         "one that came in this impulse does not matter"),
    asks("10.24", world("e Allied engineer 2 x; f Allied foot 2 x"), {"e": 8, "f": 4}, "friends do not matter"),
    asks("10.25", world(OTHERS, **tried("s-x f")), {}, "another unit has tried this bridge"),
    asks("10.25", world(OTHERS, **tried("t-x f")), {"e": 8, "f": 4}, "another bridge"),
    asks("10.25", world(**tried("s-x e")), {}, "nor the same unit again"),
    asks("10.26", world(day=16), {}, "the Allies not on the 16th"),
    asks("10.26", world(day=17), {"e": 8}, "on the 17th they may"),
    asks("10.26", mirrored(16), {"e": 4}, "the Germans may on the 16th"),
    asks("10.27", world("e Allied engineer 2 x moved entrenched entrenched_today"), {"e": 8}, "digging in does no harm"),
    asks("10.27", world("e Allied engineer 2 x moved entrenched entrenched_today day_start=w"), {"e": 4},
         "the move before it does"),
    asks("10.27", world("e Allied engineer 2 x moved entrenched"), {"e": 4}, "an old entrenchment is no excuse"),
    asks("10.29", world("e Allied engineer 2 x moved day_start=w"), {"e": 4}, "moving makes it harder"),
    asks("10.29", world(), {"e": 8}, "it has not moved"),
    asks("10.29-eng-unmoved", world(), {"e": 8}, "an engineer that has not moved"),
    asks("10.29-eng-unmoved", world("e Allied foot 2 x"), {"e": 4}, "not another unit"),
    asks("10.29-eng-moved", world("e Allied engineer 2 x moved day_start=w"), {"e": 4}, "an engineer that has moved"),
    asks("10.29-eng-moved", world("e Allied foot 2 x moved day_start=w"), {"e": 2}, "not another unit"),
    asks("10.29-inf-unmoved", world("e Allied motorized 2 x"), {"e": 4}, "another unit that has not moved"),
    asks("10.29-inf-unmoved", world(), {"e": 8}, "not an engineer"),
    asks("10.29-inf-moved", world("e Allied motorized 2 x moved day_start=w"), {"e": 2}, "another unit that has moved"),
    asks("10.29-inf-moved", world("e Allied engineer 2 x moved day_start=w"), {"e": 4}, "not an engineer"),
    asks("13.24", world(mover="m German armor 2 s; n German foot 2 E"), {}, "a sapper out of supply"),
    asks("13.24", world(), {"e": 8}, "one in supply"),
]

test_10_2 = rows(ROWS)
