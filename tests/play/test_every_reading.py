"""Random games under every choice of reading: nothing breaks, what must hold holds, and paths can be marched."""

import random

import pytest
from titm_rules import Edition, Position
from titm_rules.editions.registry import list_editions
from titm_rules.oracle.game import MAX_TURNS

from tests.play.games import first_position, watch_game
from tests.properties.test_paths_are_marched import MAY_WALK, marched, paths

SMALL = ("race-for-bastogne", "sauer-crossing")
SCENARIOS = (*SMALL, "campaign", "fifth-panzer-army", "first-three-days", "seventh-army")
BOOK = "1999"
LISTED_EVERY, MARCHED_EVERY = 97, 12  # steps
TRIED_PATHS, LONGEST = 4, 2


def choices(date):
    """Every choice of every reading that an edition leaves open."""
    readings = Edition(date).all_readings.values()
    return [(one.name, choice) for one in readings for choice in one.offered if choice != one.default]


def check_game(name, date, choice, seed, limit=MAX_TURNS):
    """Play a random game of a scenario under a choice of reading, and check it on the way."""
    rng, start = random.Random(seed), first_position(name, date, dict([choice]))

    def also(number, turn):
        if number % MARCHED_EVERY == 0:
            check_paths(turn.before, rng)
        elif number % MARCHED_EVERY == MARCHED_EVERY - 1:
            assert Position.from_dict(turn.after.to_dict(), start.edition).status() == []

    watch_game(start, seed, LISTED_EVERY, limit, also)


def check_paths(position, rng):
    """Paths of a unit of the side that moves are legal if they can be marched, and only then."""
    world = position.to_dict()
    if world.get("phase", "movement") != "movement" or world.get("marching"):
        return
    unit = rng.choice([one for one in world["units"] if one["side"] == world["side_to_move"]] or [None])
    known = list(paths(world, unit["place"], LONGEST)) if unit is not None else []
    for path in rng.sample(known, min(TRIED_PATHS, len(known))):
        foot = unit["kind"] in MAY_WALK and rng.random() < 0.5
        legal = position.ask("check_path", units=[unit["id"]], path=path, foot_mode=foot)["legal"]
        assert marched(position, [unit["id"]], path, foot) == legal, (unit["id"], path, foot)


@pytest.mark.parametrize("number", range(len(choices(BOOK))))
def test_games_under_every_choice_begin_well(number):
    check_game(SMALL[number % 2], BOOK, choices(BOOK)[number], number, limit=13)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize("date", [one.name for one in list_editions()])
def test_games_under_every_choice_go_to_the_end(date, part):
    offered = choices(date)
    for number in range(10 * part, 10 * part + 10):
        check_game(SCENARIOS[number % len(SCENARIOS)], date, offered[number % len(offered)], number)
