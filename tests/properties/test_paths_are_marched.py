"""What `check_path` calls legal can be marched step by step, and nothing else can: loops, blown bridges, digging in."""

import itertools
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from titm_rules import Edition, Position

from tests.worlds import SIDES, add_bridge, random_position, random_unit

EDITIONS = ("1999", "2016-10-01")
MAY_WALK = ("engineer", "mechanized", "motorized")
NO_MOVE_OUT_OF_SUPPLY = {"R17": "no-oos-destination"}


def near(world):
    """Map places to the steps from there: to those that a connection joins to them, and `!` before a bridge."""
    found = {}
    for way in world["connections"]:
        for one, other in itertools.permutations(way["ends"]):
            found.setdefault(one, set()).update((other, f"!{other}") if way.get("bridge") else (other,))
    return {place: sorted(steps) for place, steps in found.items()}


def paths(world, start, longest):
    """Yield the paths from a place, each step taken or seen blown, and each path with digging in at its end."""
    joined, going = near(world), [[start]]
    while going:
        path = going.pop()
        yield [*path, "entrench"]
        if len(path) > 1:
            yield path
        at = next(step for step in reversed(path) if not step.startswith("!"))
        if len(path) <= longest:
            going += [[*path, step] for step in joined.get(at, ())]


class March:
    """A stack that is marched in a game; positions that several paths come to are made once."""

    def __init__(self, position, stack, foot):
        first, *others = stack
        for action in ("muster", first, *(["foot"] if foot else [])), *(("join-march", other) for other in others):
            taken = [one for one in position.legal_actions if str(one).split() == list(action)] if position else []
            position = position.apply(taken[0]) if taken else None
        self.after = {(): [position] if position else []}

    def is_possible(self, steps):
        """Whether it can go these steps and halt after them, or dig in."""
        last, steps = ("dig-in", steps[:-1]) if steps[-1:] == ["entrench"] else ("halt", steps)
        return any(action.kind == last for here in self.reached(tuple(steps)) for action in here.legal_actions)

    def reached(self, steps):
        """List the positions after some steps: over each connection, and past or before each bridge."""
        if steps not in self.after:
            blown, target = steps[-1].startswith("!"), steps[-1].removeprefix("!")
            self.after[steps] = [
                after
                for here in self.reached(steps[:-1])
                for action in here.legal_actions
                if action.kind == "advance" and target in dict(action.choices).values()
                for after in decided(here.apply(action), blown)
            ]
        return self.after[steps]


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


def disagreements(rng, world, edition, most=30):
    """Yield the paths of the side to move that are legal but cannot be marched, or the other way round."""
    side = world["side_to_move"]
    movers = [unit for unit in world["units"] if unit["side"] == side]
    position = Position.from_dict({**world, "phase": "movement"}, edition)
    stacks = [[unit] for unit in movers[:2]]
    stacks += [list(pair) for pair in itertools.combinations(movers, 2) if pair[0]["place"] == pair[1]["place"]][:1]
    for stack in stacks:
        ids = [unit["id"] for unit in stack]
        known = list(paths(world, stack[0]["place"], 3))
        marches = [March(position, ids, foot) for foot in (False, True)]
        for path in rng.sample(known, min(most, len(known))):
            foot = len(stack) == 1 and stack[0]["kind"] in MAY_WALK and rng.random() < 0.5
            legal = position.ask("check_path", units=ids, path=path, foot_mode=foot)["legal"]
            if marches[foot].is_possible(path[1:]) != legal:
                yield ids, path, foot, legal


def overstacked(rng):
    """A set-up overstack on December 16, an engineer in it, with a little room around."""
    world = random_position(rng, 4)
    spot = rng.choice(world["areas"])["id"]
    stack = [random_unit(rng, f"s{n}", "German", [spot], trouble=0.2) for n in range(3)]
    stack = [{**unit, "kind": "engineer", "strength": 4} for unit in stack]
    units = stack + [unit for unit in world["units"] if unit["side"] != "German"]
    roads = [{"id": f"r{n}", "ends": [spot, place["id"]], "road": "major"}
             for n, place in enumerate(world["areas"] + world["zones"]) if place["id"] != spot]  # fmt: skip
    kept = {"side_to_move": "German", "day": 16, "impulse": rng.choice((2, 3)), "units": units}
    tried = {"demolition_attempts": [], "construction_attempts": []}
    return {**world, **kept, **tried, "connections": world["connections"] + roads}


@pytest.mark.parametrize("name", EDITIONS)
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False))
def test_check_path_and_marching_agree(name, rng):
    assert list(disagreements(rng, random_position(rng, 4), Edition(name))) == []


@pytest.mark.parametrize(
    ("name", "engine", "seeds"),
    [*((name, "compiled", range(40)) for name in EDITIONS), ("1999", "library", [8]), ("2016-10-01", "reference", [8])],
)
def test_they_agree_on_who_comes_back_to_an_overstack(name, engine, seeds):
    for seed in seeds:
        rng = random.Random(seed)
        assert list(disagreements(rng, overstacked(rng), Edition(name, engine=engine), most=20)) == [], seed


def test_they_agree_on_who_stands_out_of_supply_before_a_blown_bridge():
    for seed in range(40):
        rng = random.Random(seed)
        world = random_position(rng, 4)
        add_bridge(rng, world, "intact", (SIDES[world["side_to_move"] == "German"], world["side_to_move"]))
        assert list(disagreements(rng, world, Edition("1999", NO_MOVE_OUT_OF_SUPPLY), most=20)) == [], seed
