"""Area occupation limits: 7.1 to 7.3."""

from tests.builders import position
from tests.clauses.rows import moves, removes, rows

SETUP = {"x": {"setup_overstack": True}}


def stack(strengths: str, day: int = 17, impulse: int = 1, place: str = "x", side: str = "German", more: str = "", **fields):
    units = "; ".join(f"u{n} {side} foot {s} {place}" for n, s in enumerate(strengths.split(), 1))
    return position("B-s major; s-x major; E-x major", f"{units}; {more}", day, impulse, side, **fields)


def joining(strengths: str, day: int = 16, roads: str = "B-s major; s-x major; x-y major", movers: str = "m German foot 3 s"):
    units = "; ".join(f"u{n} German foot {s} x" for n, s in enumerate(strengths.split(), 1))
    return position(roads, f"{movers}; {units}", day, 2)


FIVE = ["u1", "u2", "u3", "u4", "u5"]
ELEVEN = [
    "u1", "u2", "u3", "u4", "u1,u2", "u1,u3", "u1,u4", "u2,u3", "u2,u4", "u3,u4",
    "u1,u2,u3", "u1,u2,u4", "u1,u3,u4", "u2,u3,u4", "u1,u2,u3,u4",
]  # fmt: skip

ROWS = [
    removes("7.1a", stack("3 3 2 2"), "x", "German", [""], "four units and ten points are the limit"),
    removes("7.1a", stack("3 3 3 2"), "x", "German", ["u1", "u2", "u3", "u4"], "eleven points"),
    removes("7.1a", stack("1 1 1 1 1"), "x", "German", FIVE, "five units"),
    removes("7.1a", stack("3 3 2 2", more="e1 Allied foot 3 x; e2 Allied foot 3 x"), "x", "German", [""],
            "each side is counted by itself"),
    removes("7.1a", stack("3 3 2", more="v German foot 3 s; w German foot 3 s"), "x", "German", [""],
            "each area is counted by itself"),
    removes("7.1b", stack("3 3 3 2", 16, 1, areas=SETUP), "x", "German", [""], "a set-up stack before 16-3"),
    removes("7.1b", stack("3 3 3 2", 16, 2, areas=SETUP), "x", "German", [""], "a set-up stack on 16-2"),
    removes("7.1b", stack("1 1 1 1 1", 16, 2, areas=SETUP), "x", "German", [""], "also one of too many units"),
    removes("7.1b", stack("3 3 3 2", 16, 3, areas=SETUP), "x", "German", ["u1", "u2", "u3", "u4"], "16-3 ends it"),
    removes("7.1b", stack("3 3 3 2", 17, 1, areas=SETUP), "x", "German", ["u1", "u2", "u3", "u4"], "on the 17th"),
    removes("7.1b", stack("3 3 3 2", 16, 1), "x", "German", ["u1", "u2", "u3", "u4"], "another area"),
    removes("7.1b", stack("3 3 3 2", 16, 1, side="Allied", areas=SETUP), "x", "Allied", ["u1", "u2", "u3", "u4"],
            "it is the Germans' exception"),
    moves("7.1c", joining("4 4"), "m", "s x", None, "eleven points on the 16th"),
    moves("7.1c", joining("4 3"), "m", "s x", 2, "ten points"),
    moves("7.1c", joining("1 1 1 1"), "m", "s x", None, "a fifth unit on the 16th"),
    moves("7.1c", joining("1 1 1"), "m", "s x", 2, "a fourth unit"),
    moves("7.1c", joining("4 4", 17), "m", "s x", 2, "on the 17th the price is paid afterwards"),
    moves("7.1c", joining("1 1 1 1", 17), "m", "s x", 2, "five units on the 17th"),
    moves("7.1c", joining("4 4"), "m", "s x y", 3, "passing through makes no stack"),
    moves("7.1c", joining("5", movers="m German foot 3 s; n German foot 3 s"), "m n", "s x", None,
          "all units of the stack count"),
    moves("7.1c", joining("4", movers="m German foot 3 s; n German foot 3 s"), "m n", "s x", 2, "ten points in all"),
    moves("7.1c", joining("1 1", movers="m German foot 1 s; n German foot 1 s; o German foot 1 s"), "m n o", "s x", None,
          "five units, three of them moving"),
    moves("7.1c", position("B-s major; s-x major", "m German foot 3 s; e Allied foot 4 x; f Allied foot 4 x", 16, 2),
          "m", "s x", 2, "enemies do not count"),
    moves("7.1c", position("E-s major; s-x major", "m Allied foot 3 s; u Allied foot 4 x; v Allied foot 4 x", 16, 2,
                           "Allied"), "m", "s x", 2, "Allied units may overstack, at their peril"),
    moves("7.1c", position("B-s major; B-x major", "m German foot 3 s; u German foot 9 B"), "m", "s B", 1,
          "a zone has no limit"),
    moves("7.1c", position("B-s major", "m German foot 3 s; u German foot 9 B", 16, 2), "m", "s B", 1,
          "a zone has none on the 16th"),
    moves("7.1c", position("B-s major", "m German foot 1 s; u1 German foot 1 B; u2 German foot 1 B; u3 German foot 1 B;"
                           "u4 German foot 1 B", 16, 2), "m", "s B", 1, "nor one of units"),
    removes("7.2", stack("2 2 2 2 2"), "x", "German", FIVE, "any one of five units restores the limit"),
    removes("7.2", stack("6 5 1"), "x", "German", ["u1", "u2"], "the one-point unit alone is not sufficient"),
    removes("7.2", stack("6 5"), "x", "German", ["u1", "u2"], "losing both would be more than sufficient"),
    removes("7.2", stack("3 3 3 2"), "x", "German", ELEVEN, "any set that meets the limits", readings={"R20": "any"}),
    removes("7.2", stack("3 3 2 2"), "x", "German", [""], "where the limits hold nobody is lost", readings={"R20": "any"}),
    removes("7.3", stack("3 3 3 3 3", place="B"), "B", "German", [""], "any number may stand in a zone"),
    removes("7.3", stack("3 3 3 2"), "x", "German", ["u1", "u2", "u3", "u4"], "an area has its limit"),
]

test_7 = rows(ROWS)
