"""Differences between editions that show in the course of play."""

import pytest
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

from tests.builders import position
from tests.play.script import play

JOINED = "f German foot 2 y; n German foot 2 y impulse_start=x day_start=x moved attacking; e Allied foot 2 y"


@pytest.mark.parametrize(("edition", "status"), [("1998-01-15", "may"), ("1999", "may not")])
def test_row_15_staying_out_when_friends_enter(edition, status):
    before = position("A-x major; x-y major", JOINED, phase="battles")
    after = play(Position.from_dict(before, Edition(edition)), "German assault y").to_dict()
    moved = {unit["id"]: unit.get("moved", False) for unit in after["units"]}
    kept = ("id", "side", "kind", "strength", "place")
    units = [{**{name: unit[name] for name in kept}, "moved": moved[unit["id"]]} for unit in before["units"]]
    later = Position.from_dict({**before, "impulse": 2, "units": units}, Edition(edition))
    assert later.ask("attack_status", unit="f") == {"status": status}


def after_the_allied_part(edition, impulse):
    """End the Allied part of an impulse with the counter on the map, and give what comes then."""
    forces = {"area": "x", "effect": "mobility"}
    units = "e Allied foot 2 y; g German foot 2 x"
    world = position("A-x major; y-D major", units, 18, impulse, "Allied", special_forces=forces)
    now = Position.from_dict(world, Edition(edition))
    while now.to_dict()["impulse"] == impulse:
        now = now.apply(next(action for action in now.legal_actions if action.kind == "end-phase"))
    return now.to_dict()


@pytest.mark.parametrize(("edition", "stays"), [("1996-08-01", True), ("1997-03-01", False), ("1999", False)])
def test_row_8_the_counter_after_the_second_impulse(edition, stays):
    assert (after_the_allied_part(edition, 2).get("special_forces") is not None) == stays


@pytest.mark.parametrize("edition", ["1996-08-01", "1997-03-01", "1999"])
def test_row_8_makes_no_difference_in_the_first_impulse(edition):
    assert after_the_allied_part(edition, 1).get("special_forces") is None
