"""What `check_path` calls legal can be marched step by step, loops and blown bridges included, and nothing else can."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from titm_rules import Edition, Position

from tests.worlds import random_position

EDITIONS = ("1999", "2016-10-01")
MAY_WALK = ("engineer", "mechanized", "motorized")


def near(world):
    """Map places to those that a connection joins to them."""
    found = {}
    for way in world["connections"]:
        one, other = way["ends"]
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {place: sorted(others) for place, others in found.items()}


def paths(world, start, longest):
    """Yield the paths from a place, each step taken or seen blown."""
    joined, going = near(world), [[start]]
    while going:
        path = going.pop()
        if len(path) > 1:
            yield path
        at = next(step for step in reversed(path) if not step.startswith("!"))
        if len(path) <= longest:
            going += [[*path, mark + there] for there in joined.get(at, ()) for mark in ("", "!")]


def marched(position, stack, path, foot):
    """Whether a stack can be marched along a path and halted at its end."""
    first, *others = stack
    for action in ("muster", first, *(["foot"] if foot else [])), *(("join-march", other) for other in others):
        position = taken(position, action)
        if position is None:
            return False
    return any(True for _ in walked(position, path[1:]))


def taken(position, words):
    """Take the action that reads so; nothing if it is not legal."""
    action = next((action for action in position.legal_actions if str(action).split() == list(words)), None)
    return None if action is None else position.apply(action)


def walked(position, steps):
    """Yield the positions after a march: over each connection, and past or before each bridge."""
    if not steps:
        yield from (position.apply(action) for action in position.legal_actions if action.kind == "halt")
        return
    blown, target = steps[0].startswith("!"), steps[0].removeprefix("!")
    for action in list(position.legal_actions):
        if action.kind == "advance" and target in dict(action.choices).values():
            before = position.apply(action)
            for after in decided(before, blown):
                yield from walked(after, steps[1:])


def decided(position, blown):
    """Yield what the other side makes of an attempt to cross."""
    choices = [action for action in position.legal_actions if action.kind in ("blow", "let-cross")]
    if not choices:
        yield from () if blown else (position,)
    for action in choices:
        if blown and action.kind == "blow" and position.dice(action).highest >= 1:
            yield position.apply(action, [1])
        elif not blown and action.kind == "let-cross":
            yield position.apply(action)


@pytest.mark.parametrize("name", EDITIONS)
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False))
def test_check_path_and_marching_agree(name, rng):
    world = {**random_position(rng, 4), "phase": "movement"}
    side = world["side_to_move"]
    movers = [unit for unit in world["units"] if unit["side"] == side]
    position = Position.from_dict(world, Edition(name))
    stacks = [[unit] for unit in movers[:2]]
    stacks += [list(pair) for pair in itertools.combinations(movers, 2) if pair[0]["place"] == pair[1]["place"]][:1]
    for stack in stacks:
        ids = [unit["id"] for unit in stack]
        known = list(paths(world, stack[0]["place"], 3))
        for path in rng.sample(known, min(30, len(known))):
            foot = len(stack) == 1 and stack[0]["kind"] in MAY_WALK and rng.random() < 0.5
            legal = position.ask("check_path", units=ids, path=path, foot_mode=foot)["legal"]
            assert marched(position, ids, path, foot) == legal, (ids, path, foot)
