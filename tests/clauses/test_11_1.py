"""Reinforcements and their zones: 11.11 to 11.14, and release: 11.3."""

# ruff: noqa: E501 -- a row of a table stands on one line

from tests.builders import position
from tests.clauses.rows import Row, rows

RING = ["AB", "BC", "CD", "DE", "EF", "FG"]


def board(units: str = "", day: int = 18, impulse: int = 1, **fields):
    links = "; ".join(f"{zone}-x{zone} major" for zone in "ABCDEFG")
    return position(links, units, day, impulse, zone_neighbours=[list(pair) for pair in RING], **fields)


def enters(clause: str, world, side: str, entry: str, due: tuple[int, int], expected: dict, remark: str) -> Row:
    asked = {"position": world, "side": side, "entry": list(entry), "due": list(due), "ask": list(expected)}
    return Row(clause, "reinforcement_options", asked, {"zones": expected}, remark)


def release(clause: str, units: str, areas: str, released: bool, remark: str) -> Row:
    world = position("B-x major; x-y major", units, side="Allied")
    return Row(clause, "contingent_release", {"position": world, "areas": areas.split()}, {"released": released}, remark)


ROWS = [
    enters("11.11", board(), "German", "A", (18, 1), {"A": 0, "B": None}, "in the zone of its card, when it is due"),
    enters("11.11", board(), "Allied", "DE", (18, 1), {"D": 0, "E": 0, "F": None}, "in one of the zones of its card"),
    enters("11.12", board(), "German", "A", (18, 1), {"A": 0}, "in the impulse in which it arrives"),
    enters("11.12", board(), "German", "A", (18, 2), {"A": None}, "not before"),
    enters("11.12", board(), "German", "A", (17, 3), {"A": 0}, "later, if it waited"),
    enters("11.14a", board(impulse=2), "German", "A", (18, 1), {"B": 2}, "the next zone one impulse later"),
    enters("11.14a", board(), "German", "A", (18, 1), {"B": None}, "not in the same impulse"),
    enters("11.14a", board(), "German", "A", (17, 3), {"B": 2, "C": None}, "an impulse counts over night"),
    enters("11.14b", board(impulse=3), "Allied", "E", (18, 1), {"D": 2, "F": 2, "G": 4}, "2 points for each zone shifted"),
    enters("11.14b", board(impulse=3), "Allied", "E", (18, 2), {"D": 2, "F": 2, "G": None}, "one impulse for each zone shifted"),
    enters("11.21a", board("g German foot 1 E"), "Allied", "E", (17, 3), {"E": None, "F": 2}, "a zone with Germans is closed to Allied reinforcements"),
    enters("11.22", position("L-x major; G-y major", "", 18, zone_neighbours=[["G", "L"]]), "German", "G", (17, 3), {"G": 0, "L": None}, "Germans never enter by L"),
    enters("11.23", position("C-x major; D-y major", "", 18, zone_neighbours=[["C", "D"]]), "Allied", "D", (17, 3), {"D": 0, "C": None}, "the Allies never by C"),
    release("11.3a", "g German foot 3 x; a Allied foot 2 x", "x", True, "superiority in the area"),
    release("11.3a", "g German foot 3 x; a Allied foot 2 x", "y", False, "nobody is in this one"),
    release("11.3a", "g German foot 3 x; a Allied foot 2 x", "x y", True, "one of the areas is enough"),
    release("11.3b", "g German foot 4 x; a Allied foot 4 x", "x", False, "equal strength is no superiority"),
    release("11.3b", "g German foot 5 x; a Allied foot 4 x", "x", True, "one point more is"),
    release("11.3b", "g German foot 2 x; h German foot 2 x; a Allied foot 3 x", "x", True, "strengths add up"),
]  # fmt: skip


@rows(ROWS)
def test_11_1(row, engine):
    assert row.answer(engine) == row.expected
