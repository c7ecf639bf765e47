"""An engine that knows a place to be out of reach spares the search for a legal way there: the answer is the same."""

import random

from titm_rules import Edition
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.explain import explain

from tests.worlds import wide_case

SEEDS = range(40)


def refused(seed, engine):
    """Put a random question about a path; nothing if it is legal."""
    case = wide_case(random.Random(f"reach{seed}"), "check_path")
    asked = Edition(case["edition"], case["readings"], engine).ask("check_path", case["input"])
    return None if asked.answer()["legal"] else asked


def nearest(asked: BoundQuestion):
    return dict(explain(asked, lambda _: asked).nearest)


def test_no_legal_way_is_lost_to_what_the_engine_knows():
    pairs = [(refused(seed, "compiled"), refused(seed, "library")) for seed in SEEDS]
    found = [(nearest(one), nearest(other)) for one, other in pairs if one is not None]
    assert [one for one, _ in found] == [other for _, other in found]
    assert {"legal_route" in one for one, _ in found} == {True, False}
