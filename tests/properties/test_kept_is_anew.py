"""What a position keeps of the one before equals what is worked out anew, after every action of random games."""

import gc
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from titm_rules import Edition, Position
from titm_rules.diagnostics import InputError
from titm_rules.engines.compiled.engine import CompiledEngine
from titm_rules.world.records import Record, Situation

from tests.properties.test_actions_agree import random_start

STARTS = ("two-bridges", "the-ford")
LONG = ("two-bridges", "sauer-crossing", "seventh-army", "the-ford", "campaign")


def shown(value, world):
    """A value as ids and plain values; a record must be the very one that the world knows by its id."""
    if isinstance(value, list):
        return [shown(one, world) for one in value]
    if not isinstance(value, Record):
        return value
    known = world.named(value.record_, value.id)
    if known is None:  # a record without an id, such as an attempt
        return fields_of(value, world)
    assert known is value, f"{value} stands for another record of the same id"
    return value.record_, value.id


def fields_of(record, world):
    names = [spec.name for spec in record._spec.fields if spec.name != "id"]
    return {name: shown(getattr(record, name), world) for name in names}


def told(world):
    """All that a world holds, in its order."""
    records = {}
    for name in world.model.records:
        found = [world.named(name, one) for one in world.ids(name)]
        numbers = [one.index_ for one in found]
        assert numbers == sorted(set(numbers)), f"records of {name} are not numbered in their order"
        records[name] = [(one.id, fields_of(one, world)) for one in found]
    standing = {place.id: shown(pieces, world) for place, pieces in world.root.standing_.items()}
    links = {
        place.id: {kind: shown([list(pair) for pair in pairs], world) for kind, pairs in place.links_.items()}
        for place in world.places
    }
    assert isinstance(world.root, Situation)
    return records, fields_of(world.root, world), standing, links, [place.id for place in world.places]


def look(position):
    """All that may happen in a position: each action with its dice, in order."""
    return [(option.action, option.dice) for option in position.options]


def anew(position):
    """The same position, made from its values alone; a side has a choice in it."""
    made = Position.from_dict(position.to_dict(), position.edition, position.situation)
    object.__setattr__(made, "_is_settled", True)
    return made


def play(start, rng, steps):
    """Play at random; all that is kept must be what is worked out anew. Tell how many actions there were."""
    position, played = start.settled, 0
    for _ in range(steps):
        fresh = anew(position)
        assert told(position.world) == told(fresh.world)
        assert told(position.world.origin) == told(fresh.world.origin)
        kept = look(position)
        assert kept == look(fresh)
        if not kept:
            break
        action, dice = rng.choice(kept)
        assert position.is_legal(action)
        assert anew(position).is_legal(action), "asked of this action alone"
        faces = [rng.randint(dice.low, dice.high) for _ in range(dice.count)] if dice else []
        after, happened = position.play(action, faces)
        again, told_again = fresh.play(action, faces)
        assert (after.to_json(), happened) == (again.to_json(), told_again)
        if rng.random() < 0.2:  # the one before is not disturbed by what came of it
            look(after)
            assert look(position) == kept
        position, played = after, played + 1
    return played


def opened(name):
    game = "cold-ford" if name == "the-ford" else "titm"
    return Position.from_file(name, Edition(game=game))


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("seed", range(2))
def test_scenarios(name, seed):
    assert play(opened(name), random.Random(seed), 60) > 5


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_small_worlds(seed):
    rng, world, edition = random_start(seed)
    start = Position.from_dict(world, Edition(edition))
    try:
        _ = start.settled
    except InputError:
        return
    play(start, rng, 12)


def test_two_ways_on_from_one_position():
    """What one course has worked out does not leak into another that begins at the same position."""
    rng = random.Random(5)
    position = opened("two-bridges").settled
    for _ in range(12):
        ways = rng.sample(look(position), min(3, len(look(position))))
        after = []
        for action, dice in ways:
            faces = [dice.low] * dice.count if dice else []
            after.append(position.apply(action, faces))
            assert look(after[-1]) == look(anew(after[-1]))
        for one in after:
            assert look(one) == look(anew(one))
        position = after[0]


def test_who_comes_or_goes_leaves_all_others_as_they_are():
    """A piece that is put or removed costs no new board, and no new record of another piece."""
    position, rng, seen = opened("seventh-army").settled, random.Random(3), 0
    while seen < 5:
        action, dice = rng.choice(look(position))
        after = position.apply(action, [dice.low] * dice.count if dice else [])
        before, now = position.world, after.world
        on_board = [
            json for json in ("areas", "zones", "connections") if before.data.get(json) is not now.data.get(json)
        ]
        if before.ids("unit") != now.ids("unit") and not on_board:
            seen += 1
            assert now.places is before.places
            same = {row["id"] for row in now.data["units"] if any(row is other for other in before.data["units"])}
            assert len(same) > 10
            assert all(now.named("unit", one) is before.named("unit", one) for one in same)
        position = after


@pytest.mark.parametrize("readings", [{}, {"R19": "wading"}])
def test_an_engine_that_comes_and_goes_takes_nothing_with_it(readings):
    """A second engine of a position, for a moment and perhaps of other readings, leaves the first one as able."""
    position = opened("two-bridges")
    unit = next(iter(position.units))
    first, kept = position.ask("reachable", units=[unit]), look(position)
    passing = CompiledEngine(position.edition.model.with_readings(readings), position.world)
    del passing
    gc.collect()
    assert position.ask("reachable", units=[unit]) == first
    assert position.ask("supplied", unit=unit) == anew(position).ask("supplied", unit=unit)
    assert look(position) == kept == look(anew(position))


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("seed", range(3))
def test_long_games(name, seed):
    assert play(opened(name), random.Random(100 + seed), 400) > 20
