"""Maps of hexes: where each lies, which touch, and how large they may be."""

import math

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.maps.lint import DOUBT, lint_map
from titm_rules.maps.maps import build_map, layout, load_map, neighbours
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

EDITION = Edition(game="bitterwoods")
MODEL = EDITION.model
COLUMNS, ROWS = 50, 30
NAMES = [f"{column:02}{row:02}" for column in range(1, COLUMNS + 1) for row in range(1, ROWS + 1)]


def raw(**more):
    return {
        "format": 1, "name": "field", "title": "Field",
        "sources": {"ours": {"basis": "reconstructed", "title": "Made up"}},
        "defaults": {"hexes": {"*": "ours"}, "hexsides": {"*": "ours"}},
        "hexes": [{"id": name} for name in ("0101", "0102", "0201", "0202", "F1")], **more,
    }  # fmt: skip


@pytest.mark.parametrize("lower", ["even", "odd"])
def test_hexes_touch_where_they_lie_side_by_side(lower):
    """Neighbours are worked out from numbers, and checked by distances in the drawing."""
    names = [f"{column:02}{row:02}" for column in range(3, 9) for row in range(7, 13)]
    points = layout(names, lower)
    close = {
        frozenset((one, other)) for one in names for other in names
        if one < other and math.dist(points[one], points[other]) < 1.01
    }  # fmt: skip
    pairs = list(neighbours(names, lower))
    assert {frozenset(pair) for pair in pairs} == close
    assert len(pairs) == len(close)


def test_the_grid_says_which_columns_lie_lower_and_what_is_left_out():
    assert layout(["0101", "0201"], "even")["0201"][1] == layout(["0101", "0201"], "even")["0101"][1] + 0.5
    assert layout(["0101", "0201"], "odd")["0201"][1] == layout(["0101", "0201"], "odd")["0101"][1] - 0.5
    assert layout(["F1", "101", "01011"], "even") == {}
    road = {"ends": ["0201", "0102"], "road": True}
    board = build_map(MODEL, raw(grid={"ways": "hexsides"}, hexsides=[road]), "field")
    found = {name: row.get("road") for name, (_, row) in board.connections.items()}
    assert found == {"0201-0102": True, "0101-0102": None, "0101-0201": None, "0201-0202": None, "0102-0202": None}
    assert board.layout.keys() == {"0101", "0102", "0201", "0202"}
    with pytest.raises(InputError, match="`hexes` is not a list of connections"):
        build_map(MODEL, raw(grid={"ways": "hexes"}), "field")


@pytest.mark.parametrize(("lower", "ends"), [("even", ["0101", "0202"]), ("odd", ["0201", "0102"])])
def test_a_side_of_hexes_that_do_not_touch_is_refused(lower, ends):
    rows = [{"ends": ["0101", "F1"]}, {"ends": ends}]
    with pytest.raises(InputError) as caught:
        build_map(MODEL, raw(grid={"ways": "hexsides", "lower": lower}, hexsides=rows), "field")
    [fault] = caught.value.faults
    assert (fault.what, fault.where) == (f"{' and '.join(ends)} do not touch", "field: $.hexsides[1].ends")
    other = {"ways": "hexsides", "lower": "odd" if lower == "even" else "even"}
    build_map(MODEL, raw(grid=other, hexsides=rows), "field")


def test_two_ways_between_two_hexes_are_no_fault():
    ways = [
        {"id": "road", "ends": ["0101", "0102"], "road": True}, {"id": "track", "ends": ["0102", "0101"]},
        {"ends": ["0101", "F1"]}, {"ends": ["0102", "F1"]}, {"ends": ["0101", "0201"]}, {"ends": ["0101", "0202"]},
    ]  # fmt: skip
    faults = lint_map(build_map(MODEL, raw(hexsides=ways), "field"), EDITION.answer)
    assert [fault.kind for fault in faults if "join the same two places" in fault.what] == [DOUBT]
    assert {fault.kind for fault in faults} == {DOUBT}


def test_1500_hexes_with_over_5000_ways_can_be_asked():
    sides = [{"id": f"{one}-{other}", "ends": [one, other]} for one, other in neighbours(NAMES, "even")]
    more = [{"id": f"{a}={b}", "ends": [a, b], "road": True} for a, b in neighbours(NAMES[:900], "even")]
    assert (len(NAMES), len(sides) + len(more) > 5_000) == (1_500, True)
    unit = {"id": "u", "side": "German", "kind": "infantry", "place": "1010", "allowance": 1, "zoc": []}
    position = {"hexes": [{"id": name} for name in NAMES], "hexsides": [*sides, *more], "units": [unit]}
    found = Position.from_dict(position, EDITION).ask("reachable", unit="u")["destinations"]
    assert set(found) >= {other for pair in neighbours(NAMES, "even") if "1010" in pair for other in pair} - {"1010"}


def test_the_teaching_ground_is_sound_and_marked():
    board = load_map(MODEL, "teaching-ground")
    assert lint_map(board, EDITION.answer) == []
    assert board.bases["attested"] == 0
    assert "reconstructed" in board.caution
    assert len(board.layout) == len(board.places) == 56
