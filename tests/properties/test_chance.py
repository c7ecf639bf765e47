"""Exact chances of counts, against every throw of the dice and against what must hold of any."""

import itertools
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from titm_rules.world import chance

FACES = range(1, 11)
DICE = st.integers(0, 12)
SHARES = st.fractions(0, 1, max_denominator=20)
COUNTS = (
    st.lists(st.integers(0, 5), min_size=1, max_size=7)
    .filter(any)
    .map(lambda weights: tuple(Fraction(weight, sum(weights)) for weight in weights))
)


def thrown(dice, highest):
    """Count the successes of every throw of some ten-sided dice."""
    throws = Counter(sum(face <= highest for face in faces) for faces in itertools.product(FACES, repeat=dice))
    return tuple(Fraction(throws[number], 10**dice) for number in range(dice + 1))


@pytest.mark.parametrize("dice", range(4))
@pytest.mark.parametrize("highest", [0, 1, 4, 9, 10])
def test_successes_are_those_of_every_throw(dice, highest):
    assert chance.successes(dice, highest, 1, 10) == thrown(dice, highest)


@pytest.mark.parametrize(
    ("highest", "low", "high", "share"),
    [(4, 1, 10, "2/5"), (0, 1, 10, "0"), (-3, 1, 10, "0"), (12, 1, 10, "1"), (0, 0, 9, "1/10"), (2, 1, 6, "1/3")],
)
def test_share_of_the_faces(highest, low, high, share):
    assert chance.face_chance(highest, low, high) == Fraction(share)


@given(DICE, SHARES)
def test_chances_add_up_to_one_and_average_the_share_of_the_dice(dice, share):
    chances = chance.binomial(dice, share)
    assert sum(chances) == 1
    assert chance.mean(chances) == dice * share


@given(DICE, SHARES, SHARES)
def test_a_better_die_makes_every_number_of_successes_likelier_to_be_reached(dice, one, other):
    worse, better = (chance.binomial(dice, share) for share in sorted((one, other)))
    for number in range(dice + 1):
        assert sum(worse[number:]) <= sum(better[number:])


@given(COUNTS, COUNTS)
def test_a_sum_is_that_of_every_pair(one, other):
    pairs = Counter()
    for (i, a), (j, b) in itertools.product(enumerate(one), enumerate(other)):
        pairs[i + j] += a * b
    assert chance.plus(one, other) == tuple(pairs[number] for number in range(len(one) + len(other) - 1))


@given(st.lists(COUNTS, max_size=4))
def test_a_total_adds_up_and_its_mean_is_that_of_its_parts(parts):
    found = chance.total(parts)
    assert sum(found) == 1
    assert chance.mean(found) == sum(map(chance.mean, parts), Fraction(0))


@given(COUNTS, st.integers(0, 8))
def test_what_is_over_the_cap_counts_as_the_cap(counts, limit):
    capped = chance.at_most(counts, limit)
    assert sum(capped) == 1
    for number in range(len(counts)):
        reached = sum(counts[number:])
        assert sum(capped[number:]) == (reached if number <= limit else 0)


def test_a_count_cannot_be_held_below_nothing():
    with pytest.raises(ValueError, match="-1"):
        chance.at_most(chance.NONE, -1)


@given(COUNTS, st.integers(0, 3))
def test_what_counts_several_times_has_as_many_times_the_mean(counts, factor):
    found = chance.times(counts, factor)
    assert sum(found) == 1
    assert chance.mean(found) == factor * chance.mean(counts)


def test_outcomes_leave_out_what_cannot_be():
    assert list(chance.outcomes(chance.binomial(2, Fraction(1)))) == [(2, 1)]
