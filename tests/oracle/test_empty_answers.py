"""An answer that lists nothing says why: it cites clauses, or names the place that no connection leads on from."""

import random

import pytest
from titm_rules import Edition, Position

from tests.worlds import random_position

TELLING = {"forbids", "counts", "rests", "lifts"}
DEFINED = {"special_forces_options": {"unmet"}}  # clauses that say when something is offered, and it is not so


def questions(world, rng):
    """Questions whose answer may list nothing."""
    for unit in world["units"]:
        yield "reachable", {"units": [unit["id"]]}, "destinations"
        yield "entrench_options", {"unit": unit["id"]}, "areas"
    movers = [unit["id"] for unit in world["units"] if unit["side"] == world["side_to_move"]]
    others = [unit for unit in world["units"] if unit["side"] != world["side_to_move"]]
    for link in world["connections"] if others and movers else ():
        yield "demolition_options", {"bridge": link["id"], "crossing": movers[:1]}, "options"
    if world["units"] and world["connections"]:
        yield "construction_options", {}, "options"
    yield "special_forces_options", {}, "areas"
    yield "special_forces_options", {}, "effects"


@pytest.mark.parametrize("date", ["1996-08-01", "1999"])
def test_nothing_is_listed_without_a_reason(date):
    edition, empty = Edition(date), 0
    for seed in range(12):
        rng = random.Random(seed)
        world = random_position(rng, 4)
        position = Position.from_dict(world, edition)
        for query, inputs, name in questions(world, rng):
            if position.ask(query, **inputs)[name]:
                continue
            empty += 1
            verdict = position.check(query, **inputs)
            told = [finding for finding in verdict.findings if finding.effect in TELLING | DEFINED.get(query, set())]
            assert told or "unconnected" in verdict.witness, (seed, query, inputs)
    assert empty > 100
