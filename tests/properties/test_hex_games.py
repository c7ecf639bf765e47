"""Random games of the hex games, from their scenarios and from random set-ups: engines agree, records replay."""

import random
from functools import cache

import pytest
from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import POLICIES, open_start, play_game, record_game, replay
from titm_rules.oracle.position import Position
from titm_rules.syntax.game_record import read_record

SCENARIOS = {"cold-ford": "the-ford", "bitterwoods": "teaching-battle"}
KINDS = ("infantry", "armored-infantry", "armored-cavalry", "armor", "corps-artillery", "leader")
TURNS = ("16AM", "17PM", "18AM", "23AM")
OPTIONS = ("22", "23", "24", "28", "30", "31", "32", "37")  # those that games know
LONGEST = 400


@cache
def scenario(game):
    return open_start(SCENARIOS[game], Rules(game=game))[1]


@cache
def declared():
    """Give what the scenario on the teaching road declares of what the rules lack."""
    return open_start("teaching-road", Rules(game="bitterwoods"))[1].world.data


@cache
def piece(game):
    """Cut a piece of twelve hexes out of the map of a scenario; name the hexes beside each, itself included.

    Retreats are slow to work out by the plain engine, so that whole maps would take minutes.
    """
    data = scenario(game).world.data
    names = [f"0{column}0{row}" for column in range(3, 7) for row in range(3, 6)]
    rows = [row for row in data["hexes"] if row["id"] in names]
    ways = [way for way in data["hexsides"] if set(way["ends"]) <= set(names)]
    beside = {name: {name, *(end for way in ways if name in way["ends"] for end in way["ends"])} for name in names}
    return rows, ways, {name: sorted(near) for name, near in beside.items()}


def ford_unit(rng, number, side, place):
    return {"id": f"u{number}", "side": side, "strength": rng.randint(1, 9), "place": place}


def woods_unit(rng, number, side, place):
    kind = rng.choice(KINDS)
    row = {"id": f"u{number}", "side": side, "kind": kind, "strength": rng.randint(1, 9), "place": place,
           "er": rng.randint(3, 5), "allowance": rng.randint(3, 8), "steps": rng.randint(1, 3)}  # fmt: skip
    if kind == "leader":
        return {**row, "influence": rng.randint(0, 2), "range": rng.randint(1, 3)}
    if kind == "armor":
        row["silhouette"] = rng.choice(("mk-iv", "panther", "allied"))
    return {**row, "zoc": piece("bitterwoods")[2][place], "supplied": rng.random() < 0.9}


def start(game, seed):
    """Make a random set-up on a piece of the map, with what else the scenario declares."""
    rng, data = random.Random(seed), dict(scenario(game).world.data)
    data["hexes"], data["hexsides"], beside = piece(game)
    places = rng.sample(sorted(beside), 6)
    sides, make = (("Red", "Blue"), ford_unit) if game == "cold-ford" else (("German", "Allied"), woods_unit)
    data["units"] = [make(rng, n, sides[n % 2], place) for n, place in enumerate(places)]
    if game == "bitterwoods":
        data["turn"] = data["last_turn"] = rng.choice(TURNS)
        data["zoc_movement"] = rng.choice(("stop", "none"))
        roads = [[name for name in road["path"] if name in beside] for road in data["supply_roads"]]
        data["supply_roads"] = [{"side": side, "path": road} for side, road in zip(sides, roads, strict=True)]
        data["objective"] = None
        data |= {name: declared()[name] for name in ("angriff_results", "supporting_guns", "interdiction_of_others")}
        data["sorties"] = [{"turn": data["turn"], "hexes": 1, "targets": rng.sample(sorted(beside), 3)}]
        data["options"] = sorted(rng.sample(OPTIONS, rng.randint(0, len(OPTIONS))))
    return Position.from_dict(data, scenario(game).edition)


def told(position):
    """Tell what a game may come to from a position: all actions, and what comes of some, with its chances."""
    actions = list(position.legal_actions)
    some = random.Random(len(actions)).sample(actions, min(4, len(actions)))
    after = {str(one): [(chance, after.digest) for _, chance, after in position.outcomes(one)] for one in some}
    return [(str(one), one.by) for one in actions], after


def played(game, first, seed):
    """Play a game by chance to its end; its record is legal and comes to the same end."""
    turns = list(play_game(first, POLICIES["random"], seed, LONGEST))
    assert len(turns) < LONGEST, "a game comes to its end"
    text = record_game("start", first, [turn.recorded for turn in turns]).write()
    found = replay(read_record(text), first)
    assert found.is_legal
    assert found.final == (turns[-1].after if turns else first.settled)
    return turns


def check(game, seed, every):
    """Play a game from a random set-up; the engines agree at some of its positions."""
    for turn in played(game, start(game, seed), seed)[seed % every :: every]:
        data = turn.before.to_dict()
        answers = [told(Position.from_dict(data, Edition(engine=engine, game=game))) for engine in ENGINES]
        assert answers[1:] == answers[:-1], (game, seed, turn.before.stamp)


@pytest.mark.parametrize("game", SCENARIOS)
@pytest.mark.parametrize("seed", range(2))
def test_random_games_of_the_scenarios(game, seed):
    turns = played(game, scenario(game), seed)
    kinds = {one.action.kind for turn in turns for one in turn.happened}
    assert {"go", "pass"} <= kinds or {"march", "next-phase"} <= kinds


@pytest.mark.parametrize("game", SCENARIOS)
@pytest.mark.parametrize("seed", range(4))
def test_random_games_of_random_set_ups(game, seed):
    check(game, seed, 11)


@pytest.mark.slow
@pytest.mark.parametrize("game", SCENARIOS)
@pytest.mark.parametrize("part", range(10))
def test_many_random_games(game, part):
    for seed in range(100 + 10 * part, 110 + 10 * part):
        check(game, seed, 5)
