"""Random whole games on a small board and of the scenarios that ship, with what must hold at every step."""

import random
from itertools import product

import pytest
from titm_rules import Edition, Position
from titm_rules.editions.registry import list_editions
from titm_rules.oracle.game import MAX_TURNS, POLICIES, play_game

from tests.play.games import check_engines, check_game, check_record, first_position, watch_game
from tests.properties.test_paths_are_marched import MAY_WALK, March, paths
from tests.syntax.programs import ROOT

NEVER_SEEN = {"wade", "infiltrate", "build-bridge", "give-up"}
START = Position.from_file(ROOT / "scenarios" / "titm" / "two-bridges" / "position.yaml")


THOUSAND = [pytest.param(range(50 * part, 50 * part + 50), 1, marks=pytest.mark.slow) for part in range(20)]


@pytest.mark.parametrize(("seeds", "every"), [*((range(seed, seed + 1), 5) for seed in range(16)), *THOUSAND])
def test_random_games_keep_the_rules(seeds, every):
    for seed in seeds:
        check_game(START, seed, "two-bridges", every)


AT_EVERY_STEP = [pytest.param(seed, 0, 1, marks=pytest.mark.slow) for seed in range(100, 110)]


@pytest.mark.parametrize(("seed", "first", "every"), [(100, 0, 2), (101, 1, 2), *AT_EVERY_STEP])
def test_engines_list_the_same_actions(seed, first, every):
    check_engines(START, seed, first, every)


def test_the_games_bring_up_every_kind_of_action():
    """What random games never do is tested by the tables of the clauses; this says what that is."""
    unseen = {name for name, event in START.edition.model.events.items() if event.actor is not None}
    for seed in range(40):
        unseen -= {turn.action.kind for turn in play_game(START, POLICIES["random"], seed)}
        if unseen <= NEVER_SEEN:
            return
    pytest.fail(f"no game brings up {unseen - NEVER_SEEN}")


# ---------------------------------------------------------------------- the scenarios that ship
SCENARIOS = ("campaign", "fifth-panzer-army", "first-three-days", "seventh-army")
TAUGHT = ("race-for-bastogne", "sauer-crossing")
EDITIONS = ("1996-08-01", "1997-08-20", "1999", "2002-07-25")
BEGUN = [(name, "1999") for name in SCENARIOS]
BEGUN += [("campaign", "1996-08-01"), ("fifth-panzer-army", "1997-08-20"), ("seventh-army", "2002-07-25")]
WITH_RECORDS = "1999"  # replaying takes as long as playing
LIST_EVERY = 199  # a list of the campaign has hundreds of entries, each of which is tried


@pytest.mark.parametrize(("name", "date"), BEGUN)
def test_games_begin_well(name, date):
    actions, _ = watch_game(first_position(name, date), seed=1, every=LIST_EVERY, limit=40)
    assert len(actions) == 40


@pytest.mark.parametrize(("name", "seed"), [*product(TAUGHT, range(4))])
def test_small_games_go_to_the_end(name, seed):
    check_game(first_position(name, "1999"), seed, name, every=50)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "date", "seed"), [*product(SCENARIOS, EDITIONS, range(20))])
def test_games_go_to_the_end(name, date, seed):
    start = first_position(name, date)
    actions, final = watch_game(start, seed, LIST_EVERY)
    assert final.to_dict()["phase"] == "game-over"
    assert not final.legal_actions
    assert final.summary["level"] is not None
    if date == WITH_RECORDS:
        check_record(name, start, actions, final)


# ---------------------------------------------------------------------- every choice of reading
ALL = (*TAUGHT, *SCENARIOS)
LISTED_EVERY, MARCHED_EVERY = 97, 12  # steps
TRIED_PATHS, LONGEST = 4, 2


def choices(date):
    """Every choice of every reading that an edition leaves open."""
    readings = Edition(date).all_readings.values()
    return [(one.name, choice) for one in readings for choice in one.offered if choice != one.default]


def check_reading(name, date, choice, seed, limit=MAX_TURNS):
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
        assert March(position, [unit["id"]], foot).is_possible(path[1:]) == legal, (unit["id"], path, foot)


@pytest.mark.parametrize("number", range(len(choices("1999"))))
def test_games_under_every_choice_begin_well(number):
    check_reading(TAUGHT[number % 2], "1999", choices("1999")[number], number, limit=13)


@pytest.mark.slow
@pytest.mark.parametrize(("date", "part"), [*product([one.name for one in list_editions()], range(20))])
def test_games_under_every_choice_go_to_the_end(date, part):
    offered = choices(date)
    for number in range(10 * part, 10 * part + 10):
        check_reading(ALL[number % len(ALL)], date, offered[number % len(offered)], number)
