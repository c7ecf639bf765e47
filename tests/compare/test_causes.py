"""The smallest sets that make a difference."""

import itertools
import random

import pytest
from titm_rules.compare.rule_pair import DecidingSets, smallest


def by_brute_force(items, test):
    for size in range(1, len(items) + 1):
        found = [one for one in itertools.combinations(items, size) if test(one)]
        if found:
            return found
    return []


@pytest.mark.parametrize("seed", range(20))
def test_smallest_sets_are_those_of_brute_force(seed):
    rng = random.Random(seed)
    items = list("abcdef")
    needed = [set(rng.sample(items, rng.randint(1, 4))) for _ in range(3)]

    def passes(chosen):
        return any(one <= set(chosen) for one in needed)

    assert smallest(items, passes) == by_brute_force(items, passes)


def test_where_there_are_too_many_sets_nothing_can_be_spared():
    needed = {"b", "d", "e"}
    assert smallest("abcdef", lambda chosen: needed <= set(chosen), tried=3) == [("b", "d", "e")]


def test_a_cause_is_written_in_words():
    assert str(DecidingSets((("+1", "-2"), ("3",)))) == "+1 with -2 or 3"
    assert str(DecidingSets(())) == "declarations"
