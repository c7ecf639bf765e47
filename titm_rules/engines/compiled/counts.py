"""The legal allocations of a battle, counted: targets of a kind are not told apart, nor are choosers of a class.

Of targets of one kind with equal counts the first is picked first, so that counts fall from target to target; states
that differ by names alone are one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from math import factorial, prod

from titm_rules.engines.compiled.allocations import Asking, Counts, added
from titm_rules.engines.compiled.picks import UNITS, counts_of, multinomial, state_of, too_large

MOST_STATES = 30_000


def count(asking: Asking) -> int:
    """Count the legal allocations without listing them.

    Args:
        asking: with its targets numbered by kind.

    Raises:
        InputError: for too many states on the way.
    """
    counting = _Counting(asking)
    ways: Mapping[int, int] = {0: 1}
    for group in range(len(asking.groups)):
        following: defaultdict[int, int] = defaultdict(int)
        for state, number in ways.items():
            for after, more in counting.after(group, state).items():
                following[after] += number * more
        ways = following
    return sum(ways.values())


class _Counting:
    """One question."""

    def __init__(self, asking: Asking) -> None:
        self.asking, self.size, self._seen = asking, len(asking.targets), 0
        self.blocks = [(kind, len(list(alike))) for kind, alike in groupby(asking.kinds)]

    def after(self, group: int, state: int) -> Mapping[int, int]:
        """Map the states that a rank can leave, in their standard form, to the number of ways."""
        if len(self.asking.groups[group]) > 1:
            return self._after_several(group, counts_of(state, self.size))
        found: Counter[int] = Counter()
        same, before = self._same(state), counts_of(state, self.size)
        for then in self._spread(group, state, same):
            counts = counts_of(then, self.size)
            shares = [count - had for count, had in zip(counts, before, strict=True)]
            found[self._standard(counts)] += labellings(same, shares) * multinomial(shares)
        return found

    def _same(self, state: int) -> list[bool]:
        """Say of each target whether it is of the kind and the count of the one before it."""
        cells = list(zip(self.asking.kinds, counts_of(state, self.size), strict=True))
        return [False, *(one == other for one, other in pairwise(cells))]

    def _spread(self, group: int, start: int, same: Sequence[bool]) -> Sequence[int]:
        """List the states that a rank of one class can reach, one of those that differ by names alone."""
        asking, states = self.asking, [start]
        for _ in asking.groups[group][0]:
            found: dict[int, None] = {}
            for state in states:
                counts = counts_of(state, self.size)
                for number in asking.open(group, 0, state):
                    if not (same[number] and counts[number] == counts[number - 1]):
                        found[state + UNITS[number]] = None
            states = list(found)
            self._note(len(states))
        return states

    def _note(self, states: int) -> None:
        self._seen += states
        if self._seen > MOST_STATES:
            raise too_large(self.asking.kernel.form.name, f"limit: {MOST_STATES} states on the way to the number")

    def _standard(self, counts: Sequence[int]) -> int:
        """Order counts within each kind."""
        found: list[int] = []
        for _, size in self.blocks:
            found += sorted(counts[len(found) : len(found) + size], reverse=True)
        return state_of(found)

    def _after_several(self, group: int, counts: Counts) -> Mapping[int, int]:
        """As `after`, for a rank of several classes."""
        asking, found = self.asking, Counter[int]()
        cells = list(zip(asking.kinds, counts, strict=True))
        reached = asking.reachable(group, counts, counts)
        self._note(len(reached))
        for increments in reached:
            members = prod(multinomial(column) for column in zip(*increments, strict=True))
            found[self._standard(added(counts, increments))] += labels_of(cells, increments) * members
        return found


def labellings(same: Sequence[bool], shares: Sequence[int]) -> int:
    """Count the ways to say which target of a cell gets which of the shares of that cell; equal shares stand together.

    Args:
        same: whether a target is in the cell of the one before it.
        shares: what each target gets.
    """
    ways = alike = 1
    cell = run = 0
    last = -1
    for joined, share in zip(same, shares, strict=True):
        cell = cell + 1 if joined else 1
        run = run + 1 if joined and share == last else 1
        ways, alike, last = ways * cell, alike * run, share
    return ways // alike


def labels_of(cells: Sequence[object], shares: Sequence[object]) -> int:
    """As `labellings`, for cells and shares in any order."""
    alike = Counter(zip(cells, shares, strict=True))
    return prod(map(factorial, Counter(cells).values())) // prod(map(factorial, alike.values()))
