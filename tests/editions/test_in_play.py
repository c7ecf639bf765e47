"""Differences between editions that show in the course of play."""

import pytest
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

from tests.builders import position

JOINED = "f German foot 2 y; n German foot 2 y impulse_start=x day_start=x moved attacking; e Allied foot 2 y"


def act(edition: str, data: dict, *words: str) -> Position:
    """Take the actions that read so, one after the other."""
    now = Position.from_dict(data, Edition(edition))
    for text in words:
        [action] = [action for action in now.legal_actions if str(action) == text]
        now = now.apply(action)
    return now


@pytest.mark.parametrize(("edition", "status"), [("1998-01-15", "may"), ("1999", "may not")])
def test_row_15_staying_out_when_friends_enter(edition, status):
    before = position("A-x major; x-y major", JOINED, phase="battles")
    after = act(edition, before, "assault y").to_dict()
    later = {**before, "impulse": 2, "phase": "battles"}
    moved = {unit["id"]: unit.get("moved", False) for unit in after["units"]}
    later["units"] = [
        {"id": unit["id"], "side": unit["side"], "kind": unit["kind"], "strength": unit["strength"], "place": "y",
         "moved": moved[unit["id"]]}
        for unit in before["units"]
    ]  # fmt: skip
    assert Position.from_dict(later, Edition(edition)).ask("attack_status", unit="f") == {"status": status}


def after_the_allied_part(edition: str, impulse: int) -> dict:
    """End the Allied part of an impulse with the counter on the map, and give what comes then."""
    forces = {"area": "x", "effect": "mobility"}
    units = "e Allied foot 2 y; g German foot 2 x"
    now = act(edition, position("A-x major; y-D major", units, 18, impulse, "Allied", special_forces=forces))
    while now.to_dict()["impulse"] == impulse:
        now = act(edition, now.to_dict(), "end-phase")
    return now.to_dict()


@pytest.mark.parametrize(("edition", "stays"), [("1996-08-01", True), ("1997-03-01", False), ("1999", False)])
def test_row_8_the_counter_after_the_second_impulse(edition, stays):
    assert (after_the_allied_part(edition, 2).get("special_forces") is not None) == stays


@pytest.mark.parametrize("edition", ["1996-08-01", "1997-03-01", "1999"])
def test_row_8_makes_no_difference_in_the_first_impulse(edition):
    assert after_the_allied_part(edition, 1).get("special_forces") is None
