"""What special forces do: 14.22 to 14.24."""

from tests.builders import battle, position
from tests.clauses.rows import blows, hits, moves, rows

LINE = "E-s major; s-x minor; x-y major; y-t major"


def world(effect: str = "mobility", area: str = "x", unit: str = "m Allied armor 2 s", **fields):
    return position(LINE, unit, side="Allied", special_forces={"area": area, "effect": effect}, **fields)


def german(unit: str):
    return position("B-s major; s-x minor; x-y major", unit, special_forces={"area": "x", "effect": "mobility"})


def bridge(effect: str, area: str, sapper: str = "e Allied engineer 2 x"):
    roads = "B-s major; s-x major intact; x-E major"
    return position(roads, f"m German armor 2 s; {sapper}", special_forces={"area": area, "effect": effect})


def mirrored():
    roads = "E-s major; s-x major intact; x-B major"
    units = "m Allied armor 2 s; e German engineer 2 x"
    return position(roads, units, side="Allied", special_forces={"area": "x", "effect": "demolition"})


CONFUSED = battle("foot 2", "armor 2", confusion=True)

ROWS = [
    moves("14.22a", world(), "m", "s x", 3, "one more to enter"),
    moves("14.22a", world("demolition"), "m", "s x", 2, "another effect costs nothing"),
    moves("14.22a", world(area="y"), "m", "s x", 2, "another area costs nothing"),
    moves("14.22a", german("m German armor 2 s"), "m", "s x", 2, "Germans pay nothing"),
    moves("14.22b", world(unit="m Allied armor 2 x"), "m", "x y", 2, "one more to leave"),
    moves("14.22b", world("confusion", unit="m Allied armor 2 x"), "m", "x y", 1, "another effect costs nothing"),
    moves("14.22b", world(area="s", unit="m Allied armor 2 x"), "m", "x y", 1, "another area costs nothing"),
    moves("14.22b", german("m German armor 2 x"), "m", "x y", 1, "Germans pay nothing"),
    moves("14.22b", world(), "m", "s x y", 5, "a unit that passes pays both"),
    blows("14.23d", bridge("demolition", "x"), "s-x", "m", {"e": 1}, "it succeeds on 1 only"),
    blows("14.23d", bridge("demolition", "x", "e Allied foot 2 x moved day_start=s"), "s-x", "m", {"e": 1}, "for every sapper"),
    blows("14.23d", bridge("demolition", "x", "e Allied foot 2 x"), "s-x", "m", {"e": 1}, "for infantry that has not moved"),
    blows("14.23d", bridge("demolition", "x", "e Allied engineer 2 x moved day_start=s"), "s-x", "m", {"e": 1},
          "for an engineer that has moved"),
    blows("14.23d", bridge("mobility", "x"), "s-x", "m", {"e": 8}, "another effect does not hinder"),
    blows("14.23d", mirrored(), "s-x", "m", {"e": 8}, "Germans are not hindered"),
    blows("14.23c", bridge("demolition", "s"), "s-x", "m", {"e": 8}, "at the other end it does not hinder"),
    blows("14.23c", bridge("demolition", "x"), "s-x", "m", {"e": 1}, "in the sapper's area it does"),
    hits("14.24b", CONFUSED, "d1>a1", 5, "Allied fire", drms={"not-combined-arms": -1, "confusion": 1}),
    hits("14.24b", CONFUSED, ">a1", 5, "Allied artillery", drms={"not-combined-arms": -1, "confusion": 1}),
    hits("14.24b", CONFUSED, "a1>d1", 3, "German fire is not affected", drms={}),
    hits("14.24b", CONFUSED, ">d1", 3, "nor German artillery", drms={}),
    hits("14.24b", battle("foot 2", "armor 2"), "d1>a1", 6, "without the counter", drms={"not-combined-arms": -1}),
    hits("14.24b", battle("foot 2", "armor 2"), ">a1", 6, "artillery without the counter", drms={"not-combined-arms": -1}),
    hits("14.24b", battle("armor 2", "armor 2", "Allied", confusion=True), "a1>d1", 3, "Allied attackers", drms={"confusion": 1}),
]

test_14_2 = rows(ROWS)
