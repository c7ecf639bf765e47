"""Bridges blown in the mover's face: 8.4."""

from tests.builders import position
from tests.clauses.rows import moves, rows

ROADS = "B-s major; s-x {road} {bridge}; x-E major; s-y minor; y-z minor; z-t minor; t-B major"


def world(sapper: str = "e Allied foot 2 x", bridge: str = "intact", road: str = "major", mover: str = "armor", **more):
    return position(ROADS.format(bridge=bridge, road=road), f"m German {mover} 2 s; {sapper}", **more)


AROUND = "B-s major; s-t major; t-u major; s-x major intact; t-x major intact; u-x major intact; x-E major"


def around(sappers: str = "e Allied foot 2 x", **more):
    """Three bridges lead to an area, and a road goes from one to the next."""
    return position(AROUND, f"m German armor 2 s; {sappers}", **more)


TWO = "e Allied foot 2 x; f Allied foot 2 x"
TRIED = [{"bridge": "x-E", "unit": "e"}]

ROWS = [
    moves("10.23b", around(), "m", "s !x t !x", 3, "one unit may try two bridges of one path"),
    moves("10.23b", around(), "m", "s !x t !x u !x", None, "a third is one too many"),
    moves("10.23b", around(TWO), "m", "s !x t !x u !x", 5, "another unit may try it"),
    moves("10.23b", around(demolition_attempts=TRIED), "m", "s !x t !x", None, "what it tried before counts"),
    moves("10.23b", around("e Allied foot 2 x; f Allied armor 2 x"), "m", "s !x t !x u !x", None, "armor tries none"),
    moves("8.41", world(), "m", "s !x", 1, "infantry beside the bridge may try to blow it"),
    moves("8.41", world("e Allied armor 2 x"), "m", "s !x", None, "armor may not"),
    moves("8.41", world("e Allied foot 2 E"), "m", "s !x", None, "nobody is beside the bridge"),
    moves("8.41", world(bridge="blown", mover="foot"), "m", "s !x", None, "it is blown already"),
    moves("8.41", world(bridge=""), "m", "s !x", None, "there is no bridge"),
    moves("8.41", world(), "m", "s !x !x", None, "a bridge cannot be blown twice"),
    moves("8.41", world("e German foot 2 x"), "m", "s !x", None, "friends blow nothing"),
    moves("8.42b", world(), "m", "s !x y", 3, "one point for the turn, two for the other road"),
    moves("8.42b", world(road="minor"), "m", "s !x y z t", 7, "the road that was not taken costs nothing"),
    moves("8.42b", world(mover="foot"), "m", "s !x y z", 5, "a foot unit with five points"),
    moves("8.42b", world(mover="foot"), "m", "s !x x", 5, "it may wade where it stands: three, and the enemies one"),
    moves("8.42b", world(), "m", "s !x x", None, "armor may not"),
    moves("8.42b", world(), "m", "s y", 2, "without an attempt nothing is lost"),
]

test_8_4 = rows(ROWS)
