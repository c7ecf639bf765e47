"""The engines against the second opinion on fire, over random battles of every edition and reading."""

import random
from hashlib import sha256

import pytest
from titm_rules.oracle.edition import Edition

from tests.builders import battle
from tests.reference.fire_by_edition import QUALITY, allocations, sequences
from tests.worlds import EDITIONS, random_battle


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


@pytest.mark.parametrize("count", [15, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", EDITIONS)
def test_random_battles(name, count):
    draw = random.Random(name)
    for _ in range(count):
        fight, readings, who = random_battle(draw), random_readings(draw, name), draw.choice(["attacker", "defender"])
        edition, asked, counters = Edition(name, readings), {"battle": fight, "who": who}, draw.randint(0, 5)
        shots = digest(allocations(name, readings, fight, who))
        assert found(edition, "fire_allocations", asked) == shots, (readings, asked)
        orders = digest(sequences(name, readings, fight, who, counters))
        assert found(edition, "artillery_targetings", {**asked, "n": counters}) == orders, (readings, asked, counters)


# ---------------------------------------------------------------------- up to four against four
# Every edition, and readings that random ones leave out.
CASES = [
    *((edition, {}) for edition in EDITIONS),
    ("1996-11-01", {"R3": "carried-back"}), ("1997-08-20", {"R3": "carried-back"}),
    ("1998-01-15", {"R1": "coverage-first"}), ("1998-01-15", {"R7": "in-force"}),
]  # fmt: skip


def battles(seed):
    draw = random.Random(seed)
    for _ in range(40):
        sides = [
            ", ".join(f"{draw.choice(list(QUALITY))} {draw.choice([1, 1, 2, 3])}" for _ in range(draw.randint(1, 4)))
            for _ in range(2)
        ]
        yield battle(*sides)


@pytest.mark.parametrize(("edition", "readings"), CASES)
def test_allocations_follow_the_rulings(edition, readings):
    rules = Edition(edition, readings)
    for fight in battles(edition):
        for who in ("attacker", "defender"):
            lines = allocations(edition, readings, fight, who)
            answer = rules.answer("fire_allocations", {"battle": fight, "who": who})
            assert (answer["count"], answer.get("allocations", lines)) == (len(lines), lines), (fight, who)


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("edition", "readings"), [case for case in CASES if case[0] != "1999"])
def test_engines_agree(edition, readings, whole):
    """With up to three on a side: the plain engine tries all orders, and four against four take it a second."""
    fights = list(battles(f"{edition} engines"))
    small = [fight for fight in fights if max(len(fight["attackers"]), len(fight["defenders"])) < 4]
    engines = [Edition(edition, readings, engine) for engine in ("compiled", "library", "reference")]
    for fight in fights if whole else small[:6]:
        for who in ("attacker", "defender"):
            answers = [rules.answer("fire_allocations", {"battle": fight, "who": who}) for rules in engines]
            assert answers[0] == answers[1] == answers[2], (fight, who)
