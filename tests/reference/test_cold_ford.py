"""The engine and the referee of Cold Ford give equal answers, allow the same, and count the same courses."""

import random

import pytest
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import open_start, perft
from titm_rules.oracle.position import Position

from tests.properties.test_hex_games import piece, start
from tests.reference import cold_ford
from tests.reference.cold_ford import Table

QUERIES = ("reachable", "check_path", "supplied", "attack_odds", "assault_roll", "winner")
RULES = Edition(game="cold-ford")


def ford_position(rng):
    """Make a position in the middle of a game: what stands on a piece of the map, somewhere in a turn."""
    data = start("cold-ford", rng.randrange(10**6)).to_dict()
    stage = rng.choice(("marching", "marching", "fighting", "over"))
    data |= {"turn": rng.randint(1, 6), "side_to_move": rng.choice(("Red", "Blue")), "stage": stage}
    for hexagon in data["hexes"]:
        if rng.random() < 0.15:
            hexagon["depot"] = rng.choice(("Red", "Blue"))
    for unit in data["units"]:
        flags = ("marched",) if stage == "marching" else ("fought",)
        unit.update({flag: True for flag in flags if rng.random() < 0.3})
    return data


def ford_question(rng):
    data, query = ford_position(rng), rng.choice(QUERIES)
    unit, beside = rng.choice(data["units"]), piece("cold-ford")[2]
    path = [unit["place"]]
    while query == "check_path" and len(path) < rng.randint(2, 4):
        path.append(rng.choice(beside[path[-1]]))
    more = {"check_path": {"path": path}, "winner": {}}.get(query, {})
    who = {} if query == "winner" else {"target" if query in ("attack_odds", "assault_roll") else "unit": unit["id"]}
    return query, {"position": data, **who, **more}


def differences(seeds):
    for seed in seeds:
        query, given = ford_question(random.Random(f"ford {seed}"))
        found, wanted = RULES.answer(query, given), cold_ford.answer(query, given)
        if found != wanted:
            yield seed, query, found, wanted


@pytest.mark.parametrize("seeds", [
    range(1_200), *(pytest.param(range(10_000 * part, 10_000 * part + 10_000), marks=pytest.mark.slow)
                  for part in range(3)),
])  # fmt: skip
def test_questions(seeds):
    assert list(differences(seeds)) == []


def actions_of(position):
    return sorted((one.kind, *(choice for _, choice in one.choices)) for one in position.legal_actions)


def action_fault(seeds):
    """Give the first position where the two allow other actions, or count other courses."""
    for seed in seeds:
        data = ford_position(random.Random(f"ford {seed}"))
        position, table = Position.from_dict(data, RULES), Table(data).settled()
        if actions_of(position) != sorted(table.actions()) or perft(position, 2) != cold_ford.perft(table, 2):
            return f"ford {seed}"
    return ""


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 400), marks=pytest.mark.slow)])
def test_actions_and_what_comes_of_them(seeds):
    assert action_fault(seeds) == ""


@pytest.mark.parametrize(("stage", "depth"), [
    ("marching", 2), ("fighting", 3), pytest.param("marching", 3, marks=pytest.mark.slow),
    pytest.param("fighting", 5, marks=pytest.mark.slow),
])  # fmt: skip
def test_courses_of_the_scenario(stage, depth):
    """From its start, and from a Red attack over the ford in the third turn."""
    data = open_start("the-ford", Rules(game="cold-ford"))[1].to_dict()
    if stage == "fighting":
        places = {"r-guard": "0403", "r-first": "0402", "r-scouts": "0501"}
        data["units"] = [{**unit, "place": places.get(unit["id"], unit["place"])} for unit in data["units"]]
        data |= {"stage": "fighting", "turn": 3}
    assert perft(Position.from_dict(data, RULES), depth) == cold_ford.perft(Table(data), depth)
