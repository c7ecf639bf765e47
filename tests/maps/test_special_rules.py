"""What the special rules of the scenarios decide beyond the tests that stand beside the rules: s1, s2, s3, small."""

import pytest
from titm_rules import Edition, Position
from titm_rules.maps.scenarios import load_scenario
from titm_rules.play.action import Action

from tests.builders import position

SEVENTH, FIFTH, THREE = "seventh-army", "fifth-panzer-army", "first-three-days"


def under(scenario, data, date="1999", **readings):
    return Position.from_dict(data, Edition(date, readings, overlays=(scenario,)))


def ended(start):
    """Let the side to move do nothing more in its impulse, and the other side nothing in the next steps of it."""
    side, after = start.to_dict()["side_to_move"], start
    while after.to_dict()["side_to_move"] == side and (action := Action("end-phase", side)) in after.legal_actions:
        after = after.apply(action)
    return after


@pytest.mark.parametrize("date", ["1994-11-01", "1999"])
@pytest.mark.parametrize("name", ["campaign", FIFTH, THREE, SEVENTH, "race-for-bastogne", "sauer-crossing"])
def test_the_end_that_a_scenario_tells_is_that_of_the_rules(name, date):
    found = load_scenario(Edition(date).model, name)
    last = found.data["end"]["after"]
    data = position(
        "B-x major; D-y major; x-y major", "g German foot 1 x; a Allied foot 1 y", last["day"], last["impulse"],
        last["side_to_move"],
    )  # fmt: skip
    rules = Edition(date, overlays=found.overlays)
    assert ended(Position.from_dict(data, rules)).to_dict().get("phase") == "game-over"
    earlier = {**data, "impulse": last["impulse"] - 1} if last["impulse"] > 1 else {**data, "day": last["day"] - 1}
    assert ended(Position.from_dict(earlier, rules)).to_dict().get("phase") != "game-over"


def test_special_forces_come_with_an_edition_and_may_be_used_again_where_no_scenario_forbids_it():
    def infiltrations(scenario, date, **fields):
        data = position("B-x major; x-y major", "u German foot 1 x", 18, 1, **fields)
        return {dict(a.choices)["s"] for a in under(scenario, data, date).legal_actions if a.kind == "infiltrate"}

    assert infiltrations(THREE, "1999", days_used=[17], effects_used=["mobility"]) == {"x", "y"}
    assert infiltrations(SEVENTH, "1994-11-01") == infiltrations(THREE, "1994-11-01") == set()


# ---------------------------------------------------------------------- the 5th Panzer Army
def test_who_leaves_the_area_of_play_is_told_the_rule_and_who_comes_from_outside_may_march_in():
    out = {"in_play": False}
    inside = under(FIFTH, position("B-x major; x-y major; y-D major", "u German foot 1 x", areas={"y": out}))
    assert "S2.sr1" in inside.check("check_path", units=["u"], path=["x", "y"]).clauses
    road, unit = "K-x major; x-y major; y-z major; z-D major", "u Allied motorized 1 D from_outside"
    coming = under(FIFTH, position(road, unit, side="Allied", areas={"y": out, "z": out}, zones={"D": out}))
    assert coming.ask("check_path", units=["u"], path=["D", "z", "y", "x"])["legal"]


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


def test_each_exit_of_a_hole_counts_unless_an_allied_unit_stands_there():
    roads = "A-p major; p-q major; q-D major; q-E major; B-r major; r-L major; x-y major"
    units = "g German foot 1 p; a Allied foot 1 y; h Allied foot 1 D"
    assert scored(units, roads, **{"S3-holes": "each-exit"}) == 3
