"""Control, points and attrition: 3.26, 3.28, 12.2, 13.21."""

# ruff: noqa: E501 -- a row of a table stands on one line

from tests.builders import position
from tests.clauses.rows import Row, rows

ROADS = "B-x major; x-y major; x-K major; D-y major"


def board(units: str, areas=None, factor: int = 0, counted: int = 0, **fields):
    zone = {"vp_factor": factor, "counted": counted}
    return position(ROADS, units, 20, 3, areas=areas, zones={"K": zone}, **fields)


def control(clause: str, units: str, before: str | None, after: str | None, remark: str) -> Row:
    world = board(units, {"y": {"control": before}})
    return Row(clause, "control_after_impulse", {"position": world}, {"control": {"x": None, "y": after}}, remark)


def points(clause: str, world, areas: dict, zones: dict, remark: str, readings=None) -> Row:
    total = sum(areas.values()) + sum(zones.values())
    expected = {"areas": areas, "zones": zones, "total": total}
    return Row(clause, "vp_at_turn_end", {"position": world}, expected, remark, readings or {})


def losses(clause: str, units: str, left: dict, remark: str) -> Row:
    return Row(clause, "attrition_losses", {"position": board(units)}, {"strength_left": left}, remark)


HELD = {"y": {"vp": 3, "control": "German"}}
LOST = {"y": {"vp": 3, "control": "Allied"}}
IN_K = "g German foot 4 K"

ROWS = [
    control("12.22a", "g German foot 1 y", "Allied", "German", "alone in it at the end"),
    control("12.22a", "a Allied foot 1 y", "German", "Allied", "the same for the Allies"),
    control("12.22a", "g German foot 1 B", "German", "German", "who left keeps it"),
    control("12.22b", "g German foot 8 y; a Allied foot 1 y", "Allied", "Allied", "outnumbered, but never driven out"),
    control("12.22b", "g German foot 1 y; a Allied foot 8 y", "German", "German", "the same the other way"),
    control("12.22b", "g German foot 1 y; a Allied foot 8 y", None, None, "nobody ever had it alone"),
    points("3.26b", board("", HELD), {"y": 3}, {}, "a held area scores"),
    points("3.26b", board("", LOST), {}, {}, "one that is not held does not"),
    points("12.22c", board("a Allied foot 1 y", HELD), {"y": 3}, {}, "control counts, not who stands there"),
    points("12.22c", board("g German foot 1 y", LOST), {}, {}, "control is settled before"),
    points("12.22c", board("", {"y": {"control": "German"}}), {}, {}, "an area without a value gives nothing"),
    points("3.28b", board(IN_K, factor=2, final=True), {}, {"K": 8}, "a zone scores when the game ends"),
    points("3.28b", board(IN_K, factor=2), {}, {}, "not before"),
    points("12.23a", board("g German foot 4 B", factor=2, final=True), {}, {}, "a German zone scores nothing"),
    points("12.23a", board("a Allied foot 4 K; " + IN_K, factor=1, final=True), {}, {"K": 4}, "Allied points in it do not count"),
    points("12.23b", board(IN_K, factor=3, final=True), {}, {"K": 12}, "strength times factor"),
    points("12.23b", board(IN_K, factor=1, final=True), {}, {"K": 4}, "factor 1"),
    points("12.23b", board(IN_K, factor=2), {}, {"K": 8}, "at each turn end under the other reading", {"R33": "high-water"}),
    points("12.23c", board(IN_K, factor=2, counted=3, final=True), {}, {"K": 2}, "three of the four have scored"),
    points("12.23c", board(IN_K, factor=2, counted=5, final=True), {}, {}, "more than there are now have scored"),
    points("12.23c", board("g German foot 4 K scored; h German foot 1 K", factor=2), {}, {"K": 2}, "the unit that was counted scores no more", {"R33": "per-unit"}),
    points("12.24", board(IN_K + "; a Allied foot 1 x", factor=2, final=True), {}, {}, "out of supply at the end"),
    points("12.24", board(IN_K + "; a Allied foot 1 y", factor=2, final=True), {}, {"K": 8}, "the road is open"),
    losses("13.21", "g German foot 3 y; a Allied foot 1 x", {"g": 2}, "cut off: one point less; the Allied unit traces to K"),
    losses("13.21", "g German foot 3 y", {}, "in supply: nothing"),
    losses("13.21", "g German foot 1 y; a Allied foot 1 x; b Allied foot 1 K", {"g": 0}, "the last point too"),
    losses("13.21", "g German armor 2 x; a Allied armor 3 B; b Allied foot 1 D; h German foot 1 y; i German foot 2 K", {"g": 1, "h": 0, "i": 1, "a": 2}, "both sides at one time"),
]  # fmt: skip


@rows(ROWS)
def test_12_2(row, engine):
    assert row.answer(engine) == row.expected
