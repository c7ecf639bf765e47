"""Fire allocations of every edition and under its readings: all orders of shots by hand, and on three engines."""

import random

import pytest
from titm_rules.oracle.edition import Edition

from tests.builders import battle
from tests.reference.fire_by_edition import QUALITY, allocations

CASES = [
    *((edition, {}) for edition in ("1994-11-01", "1996-08-01", "1996-11-01", "1997-03-01", "1997-08-20", "1998-01-15",
                                    "1999", "2002-07-25", "2016-10-01")),
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
