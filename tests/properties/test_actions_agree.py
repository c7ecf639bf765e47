"""On random small worlds every engine lists the same actions, and they lead to the same positions."""

import random

import pytest
from titm_rules import Edition, Position
from titm_rules.diagnostics import InputError
from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.game import throw

from tests.worlds import random_position

PHASES = ("movement", "stacking", "battles", "construction", "reinforcement", "impulse-end", "attrition", "scoring")
EDITIONS = ("1996-08-01", "1997-08-20", "1999", "2002-07-25")


def random_start(seed):
    """A random position in some step of the turn, under some edition."""
    rng = random.Random(seed)
    world = random_position(rng, most_places=5)
    world["phase"] = rng.choice(PHASES)
    if world["phase"] in ("attrition", "scoring"):
        world["side_to_move"] = "German"
    if world["phase"] == "reinforcement":
        world["placing"] = rng.choice(("German", "Allied"))
    return rng, world, rng.choice(EDITIONS)


def listed(position):
    """The actions of a position; if no game can begin with it, what is told of that."""
    try:
        return sorted(position.legal_actions, key=str)
    except InputError as error:
        return str(error)


def walk(seed, steps):
    """Play at random from a random position; every engine must list and lead to the same. Tell if there was a game."""
    rng, world, edition = random_start(seed)
    here = {name: Position.from_dict(world, Edition(edition, {}, name)) for name in ENGINES}
    for _ in range(steps):
        lists = {name: listed(position) for name, position in here.items()}
        assert lists["compiled"] == lists["reference"] == lists["library"]
        if isinstance(lists["reference"], str):
            return False
        if not lists["reference"]:
            return True
        action = rng.choice(lists["reference"])
        dice = throw(here["reference"], action, rng)
        here = {name: position.apply(action, dice) for name, position in here.items()}
        assert len({position.to_json() for position in here.values()}) == 1
    return True


@pytest.mark.parametrize("part", range(8))
def test_engines_agree_on_actions(part):
    assert sum(walk(seed, 6) for seed in range(10 * part, 10 * part + 10)) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_engines_agree_on_actions_of_many_worlds(part):
    assert sum(walk(seed, 12) for seed in range(1_000 + 50 * part, 1_050 + 50 * part)) >= 20
