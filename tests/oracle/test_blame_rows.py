"""What a refusal cites and says: the clause that decides, the arithmetic, and what would be legal instead."""

import pytest
from titm_rules.oracle.edition import Edition

from tests.builders import battle, position


def verdict(query, situation, asked, edition="1999", **readings):
    name = "battle" if "attackers" in situation else "position"
    return Edition(edition, readings).verdict(query, {name: situation, **asked})


def forbidding(found):
    return {finding.clause for finding in found.failing}


def fire(attackers, defenders, who, shots):
    allocation = dict(shot.split(">") for shot in shots.split())
    return verdict("fire_allocation_legal", battle(attackers, defenders), {"who": who, "allocation": allocation})


# ---------------------------------------------------------------------- fire
def test_an_uncovered_target_is_the_fault_of_coverage():
    found = fire("armor 2, foot 2", "armor 2, foot 3", "attacker", "a1>d1 a2>d1")
    assert forbidding(found) == {"9.55a"}
    assert {f.clause for f in found.findings if f.effect == "rests"} >= {"9.54b"}


@pytest.mark.parametrize(
    ("firer", "targets", "shot", "clause"),
    [
        ("armor 2, foot 1", "armor 2, foot 2", "a1>d2 a2>d1", "9.57b"),
        ("armor 2, foot 1", "mechanized 2, motorized 2", "a1>d2 a2>d1", "9.57c"),
        ("motorized 2, foot 1", "armor 2, mechanized 2", "a1>d1 a2>d2", "9.57d"),
    ],
)
def test_a_target_passed_over_is_the_fault_of_its_own_rule(firer, targets, shot, clause):
    assert clause in forbidding(fire(firer, targets, "attacker", shot))


def test_a_better_target_is_no_fault_of_the_lowest_one_where_an_equal_exists():
    found = fire("foot 2", "foot 2, mechanized 2, armor 2", "attacker", "a1>d3")
    assert forbidding(found) == {"9.52a"}
    assert "9.52c" not in {f.clause for f in found.findings if f.holds}
    assert forbidding(fire("foot 2", "mechanized 2, armor 2", "attacker", "a1>d2")) == {"9.52c"}


# ---------------------------------------------------------------------- a bridge blown in one's face
RIVER = "A-s major; s-x minor; x-y major intact; D-y major"


def attempt(units, day=18, path=("x", "!y"), **more):
    return verdict("check_path", position(RIVER, units, day=day, **more), {"units": ["m"], "path": list(path)})


@pytest.mark.parametrize(
    ("sapper", "more", "clause"),
    [
        ("e Allied engineer 1 y", {"day": 16}, "10.26"),
        ("e Allied armor 1 y", {}, "10.22b"),
        ("e Allied engineer 1 y; n German foot 1 s impulse_start=y", {}, "10.24"),
    ],
)
def test_what_bars_the_attempt_is_cited(sapper, more, clause):
    found = attempt(f"m German armor 2 x; {sapper}", **more)
    assert found.outcome == "illegal"
    assert clause in forbidding(found)
    assert "e at x-y" in {f.where for f in found.failing if f.clause == clause}


def test_a_unit_out_of_supply_blows_nothing():
    here = position("A-x major; x-y major intact", "m German armor 2 x; e Allied engineer 1 y", day=18)
    found = verdict("check_path", here, {"units": ["m"], "path": ["x", "!y"]})
    assert "13.24" in forbidding(found)


def test_a_unit_that_has_tried_two_bridges_tries_no_third():
    roads = f"{RIVER}; y-u minor intact; y-v minor intact"
    tried = [{"bridge": "y-u", "unit": "e"}, {"bridge": "y-v", "unit": "e"}]
    here = position(roads, "m German armor 2 x; e Allied engineer 1 y", day=18, demolition_attempts=tried)
    found = verdict("check_path", here, {"units": ["m"], "path": ["x", "!y"]})
    assert {("10.23b", "e at x-y")} == {(f.clause, f.where) for f in found.failing if f.clause.startswith("10.")}


def test_an_attempt_that_is_not_legal_is_priced_as_one_too():
    found = attempt("m German armor 2 x; e Allied armor 1 y")
    assert {f.clause for f in found.findings if f.effect == "counts"} == {"8.42b"}


def test_an_attempt_costs_what_the_change_of_direction_costs():
    found = attempt("m German armor 2 x; e Allied engineer 1 y; f Allied foot 1 y")
    assert found.outcome == "legal"
    assert found.witness["costs"] == [1]
    assert {f.clause for f in found.findings if f.effect == "counts"} == {"8.42b"}


def test_of_parallel_ways_the_bridge_is_tried():
    here = position("A-x major; x-y major; x-y-b minor intact; D-y major", "m German armor 2 x; e Allied armor 1 y")
    found = verdict("check_path", here, {"units": ["m"], "path": ["x", "!y"]})
    assert {("10.22b", "e at x-y-b")} == {(f.clause, f.where) for f in found.failing}
    assert ("8.41", "another way") in {(f.clause, f.where) for f in found.findings if f.effect == "rests"}


def test_of_several_bars_of_one_attempt_one_is_enough():
    here = position("A-x major; x-y major intact", "m German armor 2 x; e Allied armor 1 y")
    found = verdict("check_path", here, {"units": ["m"], "path": ["x", "!y"]})
    assert {f.clause for f in found.failing} == {"10.22b"}
    assert "13.24" in {f.clause for f in found.findings if f.effect == "also"}


# ---------------------------------------------------------------------- supply
def test_what_closes_one_way_only_is_told_besides_what_closes_all():
    units = "m German motorized 1 x; v Allied foot 1 s; w Allied foot 1 B"
    here = position("B-s major; s-x major; x-G major; G-B major", units)
    found = verdict("supplied", here, {"unit": "m"})
    assert forbidding(found) == {"13.12b"}
    assert {f.clause for f in found.findings if f.effect == "also"} <= {"13.11c", "13.12a"}


def test_either_of_two_that_close_all_ways_is_cited():
    found = verdict("supplied", position("B-s major blown", "m German armor 1 s; w Allied foot 1 B"), {"unit": "m"})
    assert forbidding(found) == {"13.12b", "13.14a"}


# ---------------------------------------------------------------------- arithmetic
def test_every_number_names_its_clause():
    here = position("A-s minor; s-x minor; x-y minor; y-z minor", "m German armor 2 A; f German foot 1 z", day=18)
    found = verdict("check_path", here, {"units": ["m"], "path": ["A", "s", "x", "y", "z"]})
    assert "y > z costs 3 (2 by 8.33 + 1 by 8.37), 9 in total; the stack has only 8 (8.31)" in found.sentence()
    assert {"8.31", "8.33-minor", "8.37", "8.38"} <= set(found.clauses)


def test_a_cost_of_four_parts_names_four_clauses():
    mobility = {"area": "y", "effect": "mobility"}
    units = "u Allied foot 2 x points_spent=1; g German foot 1 x; f Allied foot 2 y"
    here = position("x-y minor; D-y major", units, day=18, side_to_move="Allied", special_forces=mobility)
    found = verdict("check_path", here, {"units": ["u"], "path": ["x", "y"]})
    assert "costs 5 (2 by 8.33 + 1 by 8.36 + 1 by 8.37 + 1 by 14.22a)" in found.sentence()
    assert {"8.33-minor", "8.36-leave", "8.37", "14.22a"} <= {f.clause for f in found.findings if f.effect == "counts"}


def test_points_spent_are_taken_off():
    here = position("A-s minor; s-x minor", "m German armor 2 A points_spent=5", day=18)
    found = verdict("check_path", here, {"units": ["m"], "path": ["A", "s", "x"]})
    assert "the stack has only 3 (8 by 8.31 - 5 points spent)" in found.sentence()


def test_calls_are_worked_out():
    found = verdict("artillery_calls", battle("foot 5, foot 4", "foot 2"), {})
    [message] = {f.message for f in found.findings if f.clause == "9.42a" and f.holds}
    assert message.endswith("9 strength / 3 = 3")


# ---------------------------------------------------------------------- what was considered
def test_what_would_stand_instead_is_listed():
    found = verdict("artillery_calls", battle("foot 5", "foot 5"), {})
    assert ("9.42b", "exception") in {(f.clause, f.effect) for f in found.findings if not f.holds}


def test_a_message_does_not_repeat_the_title():
    found = fire("armor 2, foot 2", "armor 2, foot 3", "attacker", "a1>d1 a2>d1")
    assert [f.message for f in found.failing if f.title.lower() in f.message.lower()] == []


# ---------------------------------------------------------------------- what would be legal instead
def test_on_foot_it_would_be_legal():
    here = position("A-x major; x-y major blown", "m German motorized 2 x", day=18)
    found = verdict("check_path", here, {"units": ["m"], "path": ["x", "y"]})
    assert found.nearest["declared"] == {"foot_mode": True, "cost": 3}
    assert "legal with foot_mode=yes (cost 3)" in found.alternatives


def test_it_would_be_legal_as_two_moves():
    here = position("A-s minor; s-x minor; x-y minor", "m German foot 2 A", day=18)
    found = verdict("check_path", here, {"units": ["m"], "path": ["A", "s", "x", "y"]})
    assert found.nearest["later"] == {"now": ["A", "s", "x"], "then": ["x", "y"]}
    assert "legal as two moves: to x now, then from there to y in a later move" in found.alternatives


def test_it_would_be_legal_in_another_order():
    fight = battle("foot 4", "armor 2, foot 3")
    found = verdict("artillery_sequence_legal", fight, {"who": "attacker", "sequence": ["d1", "d2"]})
    assert found.nearest["order"] == "d2,d1"
    assert "legal in another order: d2,d1" in found.alternatives
