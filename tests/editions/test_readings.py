"""Readings by edition, and what decides under no fixed reading."""

import pytest
from titm_rules import Action, Position
from titm_rules.diagnostics import InputError
from titm_rules.oracle.edition import Edition
from titm_rules.service.capabilities import listing

from tests.builders import battle, fault_of, position

# what every edition leaves open
LATER = "E41 E42 E43 E44 E45 E46 E47 R39 R47 R48 R49 R51 R52 R54"
OPEN = {
    "1994-11-01": f"E23 E28 E32 R17 R19 R2 R20 R3 R33 R46 R6 R9 {LATER}",
    "1996-08-01": f"E23 E28 E32 E4 R17 R19 R2 R20 R3 R33 R41 R46 R6 R9 {LATER}",
    "1997-08-20": f"E23 E28 E32 R17 R19 R2 R20 R3 R33 R41 R6 R9 {LATER}",
    "1998-01-15": f"E23 E28 E3 E32 R1 R17 R19 R2 R20 R3 R33 R41 R6 R7 R9 {LATER}",
    "1999": f"E23 E28 E32 R17 R19 R2 R20 R3 R33 R6 {LATER}",
    "2002-07-25": f"E29 E48 R17 R2 R20 R3 R33 R34 R6 {LATER}",
    "2016-10-01": f"E29 E36 E48 R40 R17 R2 R20 R3 R33 R34 R6 {LATER}",
}


@pytest.mark.parametrize(("edition", "names"), OPEN.items())
def test_which_readings_an_edition_leaves_open(edition, names):
    assert sorted(Edition(edition).all_readings) == sorted(names.split())


@pytest.mark.parametrize(("edition", "reading", "default"), [
    ("1997-08-20", "R3", "no-exemption"), ("1998-01-15", "R3", "as-if-absent"), ("1999", "R3", "as-if-absent"),
    ("1998-01-15", "R9", "pre-1999-no-subtract"), ("1999", "R9", "subtract"), ("1998-01-15", "R7", "dropped"),
])  # fmt: skip
def test_defaults_differ_by_edition(edition, reading, default):
    assert Edition(edition).model.reading(reading) == default


def test_a_reading_that_is_settled_or_of_another_edition_is_refused():
    fault = fault_of(Edition, "2002-07-25", {"E28": "all-areas"})
    assert fault.what == "reading E28 has no choice `all-areas` in 2002-07-25"
    assert "11.33 of this date says so" in fault.why
    with pytest.raises(InputError):
        Edition("1999", {"R3": "carried-back"})
    assert Edition("1996-11-01", {"R3": "carried-back"}).model.reading("R3") == "carried-back"


def test_open_readings_have_reasons_and_are_listed_for_every_edition():
    for edition in OPEN:
        for reading in Edition(edition).all_readings.values():
            assert reading.because or reading.name.startswith("R"), (edition, reading.name)
    readings = listing()["readings"]
    assert readings["R9"]["editions"]["1996-08-01"] == ["pre-1999-no-subtract", "subtract"]
    assert "1999" not in readings["R9"]["editions"]
    assert readings["R9"]["default"] == "pre-1999-no-subtract"
    assert set(readings["E4"]["editions"]) == {"1996-08-01", "1996-11-01"}


def test_readings_decide_alone_or_together():
    fight = battle("mechanized 1, foot 2", "mechanized 2, foot 2")
    asked = {"battle": fight, "who": "defender", "allocation": {"d1": "a2", "d2": "a1"}}
    verdict = Edition("1996-11-01").verdict("fire_allocation_legal", asked, all_readings=True)
    assert (verdict.outcome, verdict.exit_code) == ("depends", 3)
    assert verdict.deciding == ({"R3": "carried-back"},)
    assert Edition("1996-11-01").verdict("fire_allocation_legal", asked).outcome == "illegal"
    # Bystanders can be targets (R6), and he who leaves out one point chooses freely (R3).
    fight = battle("armor 1, foot 2", "armor 2, foot 2", bystanders="engineer 2")
    asked = {"battle": fight, "who": "defender", "allocation": {"d1": "b1", "d2": "a2"}}
    verdict = Edition("1999").verdict("fire_allocation_legal", asked, all_readings=True)
    assert verdict.deciding == ({"R3": "exempt-means-free", "R6": "all-present"},)
    assert verdict.outcome == "depends"
    plain = Edition("1999").verdict("fire_allocation_legal", asked)
    assert (plain.outcome, plain.deciding, plain.depends_on) == ("illegal", verdict.deciding, {})
    fight = battle("mechanized 1, foot 2", "mechanized 2, foot 2")
    asked = {"battle": fight, "who": "defender", "allocation": {"d1": "a2", "d2": "a1"}}
    verdict = Edition("1996-11-01", {"R3": "no-exemption"}).verdict("fire_allocation_legal", asked, all_readings=True)
    assert (verdict.outcome, verdict.deciding) == ("illegal", ())


def test_minimal_sets_come_first_and_hold_no_smaller_one():
    # Only the exemption and the loose rule for spare shots together let both fire at the stronger unit.
    fight = battle("foot 4, foot 1", "foot 2, foot 2")
    asked = {"battle": fight, "who": "defender", "allocation": {"d1": "a1", "d2": "a1"}}
    verdict = Edition("1996-11-01").verdict("fire_allocation_legal", asked, all_readings=True)
    sizes = [len(choices) for choices in verdict.deciding]
    assert sizes == sorted(sizes)
    for one in verdict.deciding:
        changed = Edition("1996-11-01", one).answer("fire_allocation_legal", asked)
        assert changed != verdict.answer
        assert not any(other != one and other.items() <= one.items() for other in verdict.deciding)


@pytest.mark.parametrize(("edition", "reading", "choice", "query", "asked", "default", "other"), [
    ("1998-01-15", "E3", "any-moment", "special_forces_options",
        {"position": position("x-y major", "", germans_have_moved=True)}, {"areas": []}, {"areas": ["x", "y"]}),
    ("1997-03-01", "R46", "list-of-1996", "fire_allocation_legal",
        {"battle": battle("motorized 2, foot 2", "engineer 2, armor 2"), "who": "attacker",
        "allocation": {"a1": "d1", "a2": "d2"}}, {"legal": False}, {"legal": True}),
    ("1998-01-15", "R7", "in-force", "fire_allocation_legal",
        {"battle": battle("mechanized 2, motorized 2, foot 2", "mechanized 2, motorized 2"), "who": "defender",
        "allocation": {"d1": "a1", "d2": "a3"}}, {"legal": False}, {"legal": True}),
    ("1998-01-15", "R1", "coverage-first", "fire_allocation_legal",
        {"battle": battle("foot 4, foot 1", "foot 2, foot 2"), "who": "defender",
        "allocation": {"d1": "a1", "d2": "a1"}}, {"legal": True}, {"legal": False}),
    ("2002-07-25", "E29", "any-cut-off", "contingent_release",
        {"position": position("A-x major; x-y major blown; y-D major", "g German foot 2 y; t German armor 2 y"),
        "areas": ["y"]}, {"released": True}, {"released": False}),
    ("2002-07-25", "R34", "one-in-supply", "vp_at_turn_end",
        {"position": position("A-x major; x-y major blown; y-D major", "g German foot 2 y; t German armor 2 y",
        areas={"y": {"vp": 2, "control": "German"}})}, {"total": 0}, {"total": 2}),
    ("2016-10-01", "E36", "by-points", "check_path",
        {"position": position("A-u major; u-v major; v-n major; A-b minor; b-r minor", "g German armor 2 v",
        hole_markers=["r"]), "units": ["g"], "path": ["v", "n"]}, {"legal": False}, {"legal": True}),
])  # fmt: skip
def test_readings_of_single_editions(edition, reading, choice, query, asked, default, other):
    assert Edition(edition).answer(query, asked) | default == Edition(edition).answer(query, asked)
    read = Edition(edition, {reading: choice}).answer(query, asked)
    assert read | other == read


CUT_OFF = position(
    "A-x major; x-y major blown; y-D major", "g German armor 2 y",
    reserves=[{"id": "r", "side": "German", "kind": "armor", "strength": 3, "entry": ["A"], "due": [17, 1],
               "release": ["y"]}],
)  # fmt: skip


@pytest.mark.parametrize(("readings", "cut_off", "released"), [
    ({}, False, False),  # by the Germans' part of 17-1, at whose end the tank is out of supply
    ({"E48": "player-impulse"}, False, True),  # before the Allies' part of 17-1
    ({}, True, True),  # before 17-1
])  # fmt: skip
def test_in_which_impulse_units_are_cut_off_decides_a_release(readings, cut_off, released):
    world = {**CUT_OFF, "units": [{**CUT_OFF["units"][0], "cut_off": cut_off}]}
    here = Position.from_dict(world, Edition("2002-07-25", readings))
    while (here.summary["impulse"], here.summary["side-to-move"]) != (2, "German"):
        here = here.apply(Action("end-phase", here.summary["side-to-move"]))
    assert here.to_dict()["reserves"][0].get("released", False) is released
