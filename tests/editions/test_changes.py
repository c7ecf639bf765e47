"""Every known difference between editions: the answer before, the answer after, and the clauses."""

import pytest
from docs.tools.make_changes import FILE, PAGE, cases, page
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

from tests.builders import position
from tests.editions.changes import CHANGES, IDLE, IN_PLAY, JOINED
from tests.play.script import play


def edition_of(side, engine="compiled"):
    date, *readings = side.edition.split()
    return Edition(date, dict(word.split("=") for word in readings), engine)


def sides(change):
    return change.before, change.after


@pytest.mark.parametrize("engine", ["compiled", "reference"])
@pytest.mark.parametrize("change", CHANGES, ids=[f"{change.row}-{change.query}" for change in CHANGES])
def test_answer_before_and_after(change, engine):
    for side in sides(change):
        answer = edition_of(side, engine).answer(change.query, change.input)
        assert {name: answer[name] for name in side.answer} == side.answer, side.edition


@pytest.mark.parametrize("change", CHANGES, ids=[f"{change.row}-{change.query}" for change in CHANGES])
def test_the_clause_that_makes_the_difference_is_named(change):
    for side in sides(change):
        verdict = edition_of(side).verdict(change.query, change.input)
        assert set(side.clauses.split()) <= set(verdict.clauses), side.edition


def test_every_row_is_shown_or_has_its_reason_on_a_page_that_is_up_to_date():
    rows = [change.row for change in CHANGES] + [idle.row for idle in IDLE] + list(IN_PLAY)
    assert sorted(rows) == list(range(1, 37))
    assert PAGE.read_text(encoding="utf-8") == page()
    assert FILE.read_text(encoding="utf-8") == cases()


# ---------------------------------------------------------------------- in the course of play
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
def test_row_8_the_counter_after_the_second_impulse_and_after_the_first(edition, stays):
    assert (after_the_allied_part(edition, 2).get("special_forces") is not None) == stays
    assert after_the_allied_part(edition, 1).get("special_forces") is None
