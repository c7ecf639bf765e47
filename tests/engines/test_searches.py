"""What is asked before a search, since it does not speak of those who are looked for."""

import pytest
from titm_rules.engines.compiled.codegen import hoist_invariants
from titm_rules.engines.compiled.partial_eval import PartialEvaluator
from titm_rules.ir.terms import Logic, Quantified, subterms

from tests.play.hills import rules

BEFORE = {
    "day is 3 and tired of s": 1,
    "tired of s and height of spot is 3 and mover is red": 2,
    "not (tired of s or day is 3)": 1,
}
WITHIN = {
    "tired of s": 0,
    "some t in scouts where (tired of t)": 0,  # costs a search of its own
    "spot is held": 0,  # may be undecided where nobody is there
    "tired of s or day is 3": 0,
}


def decision(condition):
    text = f"""
define flag held of spot: place on skirmish default some s in scouts standing at spot where (side of s is red).
define flag asked of spot: place on skirmish default some s in scouts standing at spot where ({condition}).
"""
    model = rules(text)
    folder = PartialEvaluator(model)
    return hoist_invariants(folder, folder.decision(model.heads["asked"]))


@pytest.mark.parametrize(("condition", "number"), [*BEFORE.items(), *WITHIN.items()])
def test_what_is_asked_before(condition, number):
    found = decision(condition)
    parts = found.parts if isinstance(found, Logic) and found.op == "all" else (found,)
    assert len(parts) == number + 1
    assert isinstance(parts[-1], Quantified)
    assert not any(isinstance(one, Quantified) for part in parts[:-1] for one in subterms(part))
