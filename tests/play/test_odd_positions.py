"""Positions that do not add up: engines agree on what could be done and what is wrong, and nothing breaks."""

import random

import pytest
from titm_rules import Edition, Position

from tests.worlds import random_position

PHASES = Edition("1999").model.enums["phase"].texts


def odd_position(seed):
    """A random position with a step of the turn, a march and a battle put together at random."""
    rng = random.Random(seed)
    world = random_position(rng, 5)
    areas, units = [area["id"] for area in world["areas"]], [unit["id"] for unit in world["units"]]
    links = [link["id"] for link in world["connections"]]
    put = {
        "contested": rng.choice(areas),
        "placing": rng.choice(["German", "Allied"]),
        "marching": rng.sample(units, rng.randint(1, min(2, len(units)))),
        "front": rng.choice(areas),
        "attacker_counters": rng.randint(0, 3),
        "defender_counters": rng.randint(0, 3),
        "firing": rng.choice(["attacker", "defender"]),
    }
    if links:
        put |= {"way_tried": rng.choice(links), "balked": [rng.choice(links)]}
    world |= {name: value for name, value in put.items() if rng.random() < 0.5}
    for unit in world["units"]:
        odd = {
            "attacking": True, "aims_at": rng.choice(units), "shells": rng.randint(0, 2), "hits": rng.randint(0, 4),
        }  # fmt: skip
        unit |= {name: value for name, value in odd.items() if rng.random() < 0.25}
    return {**world, "phase": rng.choice(PHASES)}


@pytest.mark.parametrize("part", range(6))
def test_nothing_breaks(part):
    for seed in range(25 * part, 25 * part + 25):
        world = odd_position(seed)
        here, plain = (Position.from_dict(world, Edition("1999", {}, name)) for name in ("compiled", "reference"))
        offered, same = ([str(one.action) for one in p._machine.options.listed()] for p in (here, plain))
        assert sorted(offered) == sorted(same)
        faults = here.status()
        assert faults == plain.status()
        for action in [] if faults else list(here.legal_actions)[:4]:
            dice = here.dice(action)
            here.apply(action, [dice.low] * dice.count if dice else [])
