"""What the special rules of the scenarios decide, on boards of a few places."""

import pytest
from titm_rules import Edition, Position
from titm_rules.maps.scenarios import load_scenario
from titm_rules.play.action import Action

from tests.builders import position

SEVENTH, FIFTH, THREE = "seventh-army", "fifth-panzer-army", "first-three-days"


def under(scenario, data, date="1999", **readings):
    return Position.from_dict(data, Edition(date, readings, overlays=(scenario,)))


def is_legal(start, *path):
    return start.ask("check_path", units=["u"], path=list(path))["legal"]


def supplied(start, name="u"):
    return start.ask("supplied", unit=name)["supplied"]


def ended(start):
    """Let the side to move do nothing more in its impulse, and the other side nothing in the next steps of it."""
    side, after = start.to_dict()["side_to_move"], start
    while after.to_dict()["side_to_move"] == side and (action := Action("end-phase", side)) in after.legal_actions:
        after = after.apply(action)
    return after


# ---------------------------------------------------------------------- the 7th Army
TOWN = {
    "German": ("German", ""), "contested": ("German", "German Allied"), "held": ("Allied", "German Allied"),
    "Allied": ("Allied", ""), "nobody's": (None, ""),
}  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "level"),
    [
        ("German", "German", "German Decisive"), ("German", "contested", "German Tactical"),
        ("held", "German", "German Tactical"), ("contested", "held", "Draw"),
        ("contested", "Allied", "Allied Tactical"), ("nobody's", "held", "Allied Tactical"),
        ("Allied", "nobody's", "Allied Decisive"),
        ("German", "Allied", "Both sides lose"), ("nobody's", "German", "Both sides lose"),
    ],
)  # fmt: skip
def test_towns_decide_the_seventh_army(one, other, level):
    areas, units = {}, []
    for name, kind in (("x", one), ("y", other)):
        control, sides = TOWN[kind]
        areas[name] = {"scenario_town": True, "control": control}
        units += [f"{name}{side} {side} foot 1 {name}" for side in sides.split()]
    data = position("C-x major; x-y major", "; ".join(units), 18, 3, areas=areas, phase="game-over", vp_total=99)
    assert under(SEVENTH, data).summary["level"] == level


@pytest.mark.parametrize(
    ("scenario", "day", "over"),
    [(SEVENTH, 17, False), (SEVENTH, 18, True), (THREE, 18, True), (FIFTH, 18, False), ("sauer-crossing", 17, True),
     ("race-for-bastogne", 18, False), ("race-for-bastogne", 19, True)],
)  # fmt: skip
@pytest.mark.parametrize("date", ["1994-11-01", "1999"])
def test_the_turn_that_is_the_last(scenario, day, over, date):
    data = position("B-x major; D-y major; x-y major", "g German foot 1 x; a Allied foot 1 y", day, 3, "Allied")
    after = ended(under(scenario, data, date)).to_dict()
    assert (after.get("phase") == "game-over") == over
    assert after["day"] == day + (not over)


@pytest.mark.parametrize("name", ["campaign", FIFTH, THREE, SEVENTH, "race-for-bastogne", "sauer-crossing"])
def test_the_end_that_a_scenario_tells_is_that_of_the_rules(name):
    found = load_scenario(Edition("1999").model, name)
    last = found.data["end"]["after"]
    data = position(
        "B-x major; D-y major; x-y major", "g German foot 1 x; a Allied foot 1 y", last["day"], last["impulse"],
        last["side_to_move"],
    )  # fmt: skip
    rules = Edition("1999", overlays=found.overlays)
    assert ended(Position.from_dict(data, rules)).to_dict().get("phase") == "game-over"
    earlier = {**data, "impulse": last["impulse"] - 1} if last["impulse"] > 1 else {**data, "day": last["day"] - 1}
    assert ended(Position.from_dict(earlier, rules)).to_dict().get("phase") != "game-over"


@pytest.mark.parametrize(("side", "scenario", "zone", "ok"), [
    ("German", SEVENTH, "C", True), ("German", SEVENTH, "B", False), ("German", FIFTH, "B", True),
    ("German", FIFTH, "A", False), ("German", THREE, "A", True),
    ("Allied", SEVENTH, "P", True), ("Allied", SEVENTH, "N", False), ("Allied", FIFTH, "K", True),
    ("Allied", FIFTH, "D", False), ("Allied", THREE, "D", True),
])  # fmt: skip
def test_supply(side, scenario, zone, ok):
    assert supplied(under(scenario, position(f"{zone}-x major", f"u {side} foot 1 x"))) == ok


def infiltrations(scenario, date="1999", **fields):
    data = position("B-x major; x-y major", "u German foot 1 x", 18, 1, **fields)
    return {dict(a.choices)["s"] for a in under(scenario, data, date).legal_actions if a.kind == "infiltrate"}


def test_special_forces_of_scenarios():
    assert infiltrations(THREE) == infiltrations(FIFTH) == {"x", "y"}
    assert infiltrations(SEVENTH) == set()
    assert infiltrations(FIFTH, days_used=[17], effects_used=["mobility"]) == set()
    assert infiltrations(THREE, days_used=[17], effects_used=["mobility"]) == {"x", "y"}
    assert infiltrations(FIFTH, areas={"y": {"in_play": False}}) == {"x"}
    assert infiltrations(SEVENTH, "1994-11-01") == infiltrations(THREE, "1994-11-01") == set()


# ---------------------------------------------------------------------- the 5th Panzer Army
OUT = {"in_play": False}
ROAD = "B-x major; x-y major; y-D major"


def test_the_area_of_play_bounds_moves_and_supply():
    inside = under(FIFTH, position(ROAD, "u German foot 1 x", areas={"y": OUT}))
    assert not is_legal(inside, "x", "y")
    assert "S2.sr1" in inside.check("check_path", units=["u"], path=["x", "y"]).clauses
    assert is_legal(under(FIFTH, position(ROAD, "u German foot 1 x")), "x", "y")
    road = "K-y major; x-y major"
    assert supplied(under(FIFTH, position(road, "u Allied foot 1 x")))
    assert not supplied(under(FIFTH, position(road, "u Allied foot 1 x", areas={"y": OUT})))


def test_who_comes_from_outside_may_march_in():
    road = "K-x major; x-y major; y-z major; z-D major"
    fields = {"side": "Allied", "areas": {"y": OUT, "z": OUT}, "zones": {"D": OUT}}
    coming = under(FIFTH, position(road, "u Allied motorized 1 D from_outside", **fields))
    assert supplied(coming)
    assert is_legal(coming, "D", "z")
    assert is_legal(coming, "D", "z", "y", "x")
    assert not supplied(under(FIFTH, position(road, "u Allied motorized 1 D", **fields)))


def test_units_that_did_not_come_in_are_out_at_the_end_of_their_day():
    road = "K-x major; x-y major; y-D major; B-z major; s-t major"
    units = (
        "in Allied foot 1 x from_outside; late Allied foot 1 y from_outside; cut Allied foot 2 s from_outside;"
        " old Allied foot 3 t; g German foot 1 z"
    )
    data = position(road, units, 17, 3, "Allied", areas={"y": OUT}, zones={"D": OUT})
    left = {unit["id"]: unit for unit in ended(under(FIFTH, data)).to_dict()["units"]}
    assert set(left) == {"in", "old", "g"}
    assert not left["in"].get("from_outside")


def test_reserves_placed_outside_are_marked():
    reserve = {"id": "r", "side": "Allied", "kind": "foot", "strength": 1, "entry": ["D"], "due": [17, 1]}
    data = position(ROAD, "g German foot 1 x", 17, 1, zones={"D": OUT}, phase="reinforcement", placing="Allied",
                    reserves=[reserve])  # fmt: skip
    start = under(FIFTH, data)
    [placing] = [action for action in start.legal_actions if action.kind == "bring-on"]
    after = start.apply(placing)
    if after.to_dict().get("phase") == "reinforcement":
        after = after.apply(Action("ready", "Allied"))
    [unit] = [unit for unit in after.to_dict()["units"] if unit["id"] == "r"]
    assert unit["from_outside"]


@pytest.mark.parametrize(("reading", "strength"), [("only-points", 2), ("whole-turn", 1)])
def test_the_fifth_panzer_army_ends_with_the_german_impulse(reading, strength):
    areas = {"x": {"vp": 4, "control": "German"}}
    data = position("B-x major; K-y major; x-y; s-t major", "g German foot 2 s; a Allied foot 1 y", 22, 1, areas=areas,
                    vp_total=9)  # fmt: skip
    after = ended(under(FIFTH, data, **{"S2-end": reading}))
    assert (after.summary["phase"], after.summary["points"]) == ("game-over", 13)
    assert after.summary["level"] == "German Tactical"
    assert [unit["strength"] for unit in after.to_dict()["units"] if unit["id"] == "g"] == [strength]


# ---------------------------------------------------------------------- the first three days
def scored(units, connections="A-x major; x-y major; y-D", date="1999", day=18, **readings):
    areas = {"x": {"scenario_town": True, "vp": 7, "control": "German"}, "y": {"vp": 5, "control": "German"}}
    data = position(connections, units, day, 3, "Allied", areas=areas, zones={"D": {"vp_factor": 3}})
    return ended(under(THREE, data, date, **readings)).summary["points"]


@pytest.mark.parametrize("date", ["1996-08-01", "1999", "2002-07-25"])
def test_towns_and_exits_score_once_at_the_end(date):
    garrison = "; a Allied foot 1 y"
    assert scored("g German foot 2 x" + garrison, date=date) == 2
    assert scored("g German foot 2 x; b Allied foot 1 x" + garrison, date=date) == 1
    assert scored("g German foot 2 y" + garrison, date=date) == 0
    assert scored("g German foot 2 x; b Allied foot 1 x" + garrison, date=date, day=17) == 0


def test_a_town_scores_whatever_its_supply():
    assert scored("g German foot 2 x; a Allied foot 1 y", "A-s major; x-y major", "2002-07-25") == 2


HOLES = "A-p major; p-q major; q-D major; q-E major; B-r major; r-L major"


@pytest.mark.parametrize(
    ("units", "readings", "points"),
    [
        ("", {}, 3), ("", {"S3-holes": "each-exit"}, 6), ("; h Allied foot 1 q", {}, 0),
        ("; h Allied foot 1 D", {"S3-holes": "each-exit"}, 3), ("; h Allied foot 1 r", {}, 3),
    ],
)  # fmt: skip
def test_holes(units, readings, points):
    assert scored("g German foot 1 p; a Allied foot 1 y" + units, HOLES + "; x-y major", **readings) == points


@pytest.mark.parametrize(("reading", "points"), [("roads-only", 3), ("closed", 0)])
def test_blown_bridges_and_holes(reading, points):
    roads = HOLES.replace("p-q major", "p-q major blown") + "; x-y major"
    assert scored("g German foot 1 p; a Allied foot 1 y", roads, **{"S3-bridges": reading}) == points


@pytest.mark.parametrize(("reading", "left"), [("with-the-impulse", 2), ("whole-turn", 1)])
def test_nobody_is_weakened_after_the_last_impulse(reading, left):
    data = position("A-x major; s-t major", "g German foot 2 s; a Allied foot 1 x", 18, 3, "Allied")
    units = ended(under(THREE, data, **{"S3-end": reading})).to_dict()["units"]
    assert [unit["strength"] for unit in units if unit["id"] == "g"] == [left]


# ---------------------------------------------------------------------- our own
@pytest.mark.parametrize(("points", "level"), [
    (0, "Allied victory"), (2, "Allied victory"), (3, "Draw"), (5, "Draw"), (6, "German victory"),
])  # fmt: skip
def test_levels_across_the_sauer(points, level):
    data = position("C-x major", "g German foot 1 x", 17, 3, phase="game-over", vp_total=points)
    assert under("sauer-crossing", data).summary["level"] == level


@pytest.mark.parametrize(("sides", "level"), [
    (("German",), "German victory"), (("German", "Allied"), "Draw"), (("Allied",), "Allied victory"),
    ((), "Allied victory"),
])  # fmt: skip
def test_who_wins_the_race(sides, level):
    units = "; ".join(["o German foot 1 y", *(f"{side} {side} foot 1 x" for side in sides)])
    data = position("C-x major; x-y major", units, 19, 3, areas={"x": {"scenario_town": True}}, phase="game-over")
    assert under("race-for-bastogne", data).summary["level"] == level
