"""A route without a goal leads nowhere, and one whose points are nothing is not covered: no engine breaks off."""

import pytest
from titm_rules.diagnostics import Undecided
from titm_rules.engines.factory import ENGINES, make_engine
from titm_rules.world.world import World

from tests.play.hills import rules

WAY = """
route supply on skirmish: mover s: scout, crosses way: trail from behind to ahead.
define flag supplied of s: scout on skirmish.
clause 1 "The way" "A step costs a point."
  supply costs 1.
  supplied holds when supply of s is possible.
"""
POINTS = 'clause 2 "Points" "{0}"\n  supply has {0} points.\n'
GOAL = 'clause 3 "Goal" "A hill is a goal."\n  supply ends when height of ahead is 3.\n'
HERE = {
    "hexes": [{"id": "a", "height": 3}, {"id": "b", "height": 0}],
    "trails": [{"id": "ab", "ends": ["a", "b"]}],
    "scouts": [{"id": "s1", "side": "Red", "place": "b"}],
}


def is_supplied(points, engine, without=""):
    model = rules(WAY + POINTS.format(points) + GOAL).without_clause(without)
    world = World(model, "skirmish", {"mover": "Red", "day": 1, **HERE}, "$")
    found = make_engine(engine, model, world)
    return found.decide("supplied", {"s": world.root.scouts[0]})


@pytest.mark.parametrize("engine", ENGINES)
def test_a_route_without_a_goal_leads_nowhere(engine):
    """The checker refuses such rules; but a comparison leaves clauses out to see what they do."""
    assert is_supplied("4", engine)
    assert not is_supplied("4", engine, without="3")


@pytest.mark.parametrize("engine", ENGINES)
def test_points_that_are_nothing_are_not_covered(engine):
    nothing = "highest strength of x over x in (scouts besides scouts)"
    with pytest.raises(Undecided, match=r"no clause decides `supply\.points`"):
        is_supplied(nothing, engine)
