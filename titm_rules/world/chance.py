"""Exact chances of counts: how many dice succeed, how much is lost.

`Chances` is a distribution over 0, 1, 2, ...: entry k is the chance of k, a fraction; they add up to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import reduce
from math import comb, lcm, prod

Chances = tuple[Fraction, ...]
NONE: Chances = (Fraction(1),)


def face_chance(highest: int, low: int, high: int) -> Fraction:
    """Give the chance that a die shows at most `highest`; its faces run from `low` to `high`."""
    return share((low, highest), low, high)


def share(winning: tuple[int, int], low: int, high: int) -> Fraction:
    """Give the chance that a die shows a face from one to another; its faces run from `low` to `high`."""
    least, most = max(winning[0], low), min(winning[1], high)
    return Fraction(max(most - least + 1, 0), high - low + 1)


def binomial(dice: int, chance: Fraction) -> Chances:
    """Give the chances of 0 to `dice` successes, each die succeeding with `chance`."""
    hit, all_ = chance.numerator, chance.denominator
    whole = all_**dice
    return tuple(Fraction(comb(dice, k) * hit**k * (all_ - hit) ** (dice - k), whole) for k in range(dice + 1))


def successes(dice: int, highest: int, low: int, high: int) -> Chances:
    """Give the chances of 0 to `dice` successes where a die succeeds that shows at most `highest`."""
    return binomial(dice, face_chance(highest, low, high))


def times(chances: Chances, factor: int) -> Chances:
    """Multiply what is counted by a factor, which is not negative."""
    found = [Fraction(0)] * ((len(chances) - 1) * factor + 1)
    for number, chance in enumerate(chances):
        found[number * factor] += chance
    return tuple(found)


def plus(one: Chances, other: Chances) -> Chances:
    """Add up two counts that are independent (the convolution)."""
    return total((one, other))


def total(many: Iterable[Chances]) -> Chances:
    """Add up independent counts; of no counts the sum is 0."""
    parts = [_weights(chances) for chances in many]
    found = reduce(_convolved, (weights for weights, _ in parts), [1])
    whole = prod(denominator for _, denominator in parts)
    return tuple(Fraction(weight, whole) for weight in found)


def _weights(chances: Chances) -> tuple[list[int], int]:
    """Write chances over one denominator: whole numbers multiply faster than fractions."""
    whole = lcm(*(chance.denominator for chance in chances))
    return [chance.numerator * (whole // chance.denominator) for chance in chances], whole


def _convolved(one: list[int], other: list[int]) -> list[int]:
    found = [0] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        if a:
            for j, b in enumerate(other, i):
                found[j] += a * b
    return found


def at_most(chances: Chances, limit: int) -> Chances:
    """Cap a count: what is over the limit counts as the limit."""
    if limit < 0:
        raise ValueError(f"a count cannot be held at {limit}")
    return chances if len(chances) <= limit + 1 else (*chances[:limit], sum(chances[limit:], Fraction(0)))


def mean(chances: Chances) -> Fraction:
    """Give the expected count."""
    return sum((number * chance for number, chance in enumerate(chances)), Fraction(0))


def outcomes(chances: Chances) -> Iterator[tuple[int, Fraction]]:
    """Yield the counts that can come up, each with its chance."""
    return ((number, chance) for number, chance in enumerate(chances) if chance)
