"""The engine against the second opinion on fire, over random battles of every edition and reading."""

import random
from hashlib import sha256

import pytest
from titm_rules.oracle.edition import Edition

from tests.reference.fire_by_edition import allocations, sequences
from tests.worlds import EDITIONS, random_battle

BATTLES = 30


def random_readings(draw: random.Random, edition: str):
    others = {
        "R2": "strict-quality",
        "R3": "carried-back" if edition < "1998" else "exempt-means-free",
        "R6": "all-present",
    }
    if edition < "1999":
        others["R9"] = "subtract"
    return {name: choice for name, choice in others.items() if draw.random() < 0.3}


def digest(lines: list[str]) -> tuple[int, str]:
    return len(lines), sha256("\n".join(lines).encode()).hexdigest()


def found(edition: Edition, query: str, asked) -> tuple[int, str]:
    answer = edition.answer(query, asked)
    return answer["count"], answer["sha256"]


@pytest.mark.parametrize("name", EDITIONS)
def test_random_battles(name):
    draw = random.Random(name)
    for _ in range(BATTLES):
        fight, readings, who = random_battle(draw), random_readings(draw, name), draw.choice(["attacker", "defender"])
        edition, asked, counters = Edition(name, readings), {"battle": fight, "who": who}, draw.randint(0, 5)
        shots = digest(allocations(name, readings, fight, who))
        assert found(edition, "fire_allocations", asked) == shots, (readings, asked)
        orders = digest(sequences(name, readings, fight, who, counters))
        assert found(edition, "artillery_targetings", {**asked, "n": counters}) == orders, (readings, asked, counters)
