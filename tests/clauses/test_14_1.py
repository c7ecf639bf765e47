"""Placing special forces: 14.1, 14.21, 14.22d; one impulse on the last day: 6.0; victory levels."""

# ruff: noqa: E501 -- a row of a table stands on one line

from tests.builders import position
from tests.clauses.rows import Row, moves, rows

ALL = ["confusion", "demolition", "mobility"]


def forces(clause: str, effects: list, areas: list, remark: str, day: int = 18, impulse: int = 1, vp: int = 0, **fields) -> Row:
    world = position("B-x major; x-y major", "a Allied foot 2 y", day, impulse, areas={"y": {"vp": vp}}, **fields)
    return Row(clause, "special_forces_options", {"position": world}, {"effects": effects, "areas": areas}, remark)


def level(clause: str, total: int, name: str) -> Row:
    return Row(clause, "campaign_victory_level", {"points": total}, {"level": name}, f"{total} points")


def last_day(impulse: int, cost: int | None, remark: str) -> Row:
    return moves("6.0-IV-VII.x", position("B-x major; x-y major", "g German foot 2 x", 22, impulse), "g", "x y", cost, remark)


LEVELS = [
    ("S4.v1", "Allied Decisive", 0, 14),
    ("S4.v2", "Allied Marginal", 15, 24),
    ("S4.v3", "Draw", 25, 29),
    ("S4.v4", "German Marginal", 30, 39),
    ("S4.v5", "German Decisive", 40, 99),
]
NEXT = {"S4.v1": ("Allied Marginal", 15), "S4.v2": ("Draw", 25), "S4.v3": ("German Marginal", 30), "S4.v4": ("German Decisive", 40), "S4.v5": ("German Marginal", 39)}

ROWS = [
    forces("14.11a", ALL, ["x", "y"], "on the 18th"),
    *(forces("14.11a", ALL, ["x", "y"], f"on the {day}th", day) for day in (17, 19)),
    *(forces("14.11a", [], [], f"not on the {day}th", day) for day in (16, 20, 22)),
    forces("14.11a", ALL, ["x", "y"], "on any impulse, here the second", impulse=2),
    forces("14.11a", [], [], "once a day", days_used=[18]),
    forces("14.11a", ALL, ["x", "y"], "yesterday's use does not matter", days_used=[17]),
    forces("14.11a", [], [], "in the German's own impulse", side="Allied"),
    forces("14.11a", [], [], "the counter is on the map already", special_forces={"area": "x", "effect": "mobility"}),
    forces("14.12b", ALL, ["x"], "not in an area with a value", vp=2),
    forces("14.12b", ALL, ["x", "y"], "in any other, also with Allied units"),
    forces("14.21a", ALL, ["x", "y"], "one of three effects"),
    forces("14.21a", [], [], "all three are used", effects_used=ALL),
    forces("14.21b", ["demolition", "mobility"], ["x", "y"], "an effect only once a game", effects_used=["confusion"]),
    forces("14.21b", ["confusion"], ["x", "y"], "two are used", effects_used=["demolition", "mobility"]),
    forces("14.22d", ["confusion", "demolition"], ["x", "y"], "no mobility on a third impulse", impulse=3),
    forces("14.22d", ALL, ["x", "y"], "but on a second", impulse=2),
    last_day(1, 1, "the one impulse of the 22nd"),
    last_day(2, None, "there is no second"),
    *(level(clause, total, name) for clause, name, low, high in LEVELS for total in (low, high)),
    *(level(clause, total, name) for clause, (name, total) in NEXT.items()),
]  # fmt: skip


@rows(ROWS)
def test_14_1(row, engine):
    assert row.answer(engine) == row.expected
