"""What a verdict says where no clause is broken."""

from titm_rules.oracle.edition import Edition

from tests.builders import battle, position

APART = position("B-x major; D-y major", "u German foot 3 x; v German foot 1 x")


def test_a_step_without_a_connection_is_named():
    verdict = Edition().verdict("check_path", {"position": APART, "units": ["u"], "path": ["x", "y"]})
    assert verdict.plain_reason == "x > y: no connection between them"
    assert verdict.sentence() == "Not legal under the rules of 1999: x > y: no connection between them."


def test_places_that_nothing_joins_are_named():
    verdict = Edition().verdict("reachable_cost", {"position": APART, "units": ["u"], "to": "y"})
    assert verdict.plain_reason == "no connection leads from x to y"


def test_a_shooter_left_out_is_told():
    asked = {"battle": battle("foot 1, foot 2", "foot 1"), "who": "attacker", "allocation": {"a1": "d1"}}
    verdict = Edition().verdict("fire_allocation_legal", asked)
    assert [(one.clause, one.message) for one in verdict.failing] == [("9.21a", "a2 must also choose a target")]
    assert verdict.nearest == {"legal_choice": "a1>d1,a2>d1", "changes": 1}


def test_a_broken_clause_needs_no_other_reason():
    armor = position("B-x major; x-y blown", "u German armor 3 x")
    verdict = Edition().verdict("check_path", {"position": armor, "units": ["u"], "path": ["x", "y"]})
    assert verdict.failing
    assert verdict.plain_reason == ""
