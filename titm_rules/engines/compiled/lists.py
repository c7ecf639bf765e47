"""The legal allocations of a battle, listed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from titm_rules.engines.compiled.allocations import Asking, Counts
from titm_rules.engines.compiled.picks import UNITS, counts_of, multinomial, state_of

MOST_TOGETHER = 50_000  # rows that are put together before the first of them is given
MOST_KEPT = 1000  # ways to share out that are kept for the next battle
Listed = tuple[Any, ...]
# What is added to the picks of each class of a rank, and the state after it.
Added = tuple[tuple[int, ...], int]
_DONE: list[Listed] = [()]


def choices(asking: Asking) -> Iterator[Listed]:
    """Yield the legal allocations: pairs in the order of the situation, or targets in order."""
    rows = _Rows(asking).all(0, 0, ())
    if asking.kernel.form.chooser is None:
        return rows
    indices = [one.index_ for group in asking.groups for cls in group for one in cls]
    order = sorted(range(len(indices)), key=indices.__getitem__)
    return rows if order == list(range(len(order))) else map(itemgetter(*order), rows)


class _Rows:
    """Puts rows together, rank by rank."""

    def __init__(self, asking: Asking) -> None:
        self.asking, self.size = asking, len(asking.targets)
        self.cells = [[self._cells(cls) for cls in group] for group in asking.groups]
        self._known: dict[tuple[int, int], list[Listed]] = {}
        members = [sum(map(len, group)) for group in asking.groups]
        self._picking = [sum(members[group:]) for group in range(len(members) + 1)]  # from each rank on

    def all(self, group: int, state: int, before: Listed) -> Iterator[Listed]:
        """Yield the rows of the ranks from one on behind those before; what comes first waits for few others."""
        if self.size ** self._picking[min(group + 1, len(self.cells))] > MOST_TOGETHER:
            return self._one_by_one(group, state, before)
        rows: Iterator[Listed] = itertools.chain.from_iterable(self.blocks(group, state))
        return map(before.__add__, rows) if before else rows

    def _one_by_one(self, group: int, state: int, before: Listed) -> Iterator[Listed]:
        """As `all`, and nothing is kept."""
        for added, then in self._steps(group, state):
            for part in self._shared(group, added):
                yield from self.all(group + 1, then, before + part)

    def _cells(self, cls: Sequence[Any]) -> list[Any]:
        """List what may stand in a row: for each member one cell for each target."""
        targets = self.asking.targets
        if self.asking.kernel.form.chooser is None:
            return targets
        return [(one, target) for one in cls for target in targets]

    def rows(self, group: int, state: int) -> list[Listed]:
        """List the rows of the ranks from one on, after what others have picked."""
        if group == len(self.cells):
            return _DONE
        found = self._known.get((group, state))
        if found is None:
            found = self._known[group, state] = list(itertools.chain.from_iterable(self.blocks(group, state)))
        return found

    def blocks(self, group: int, state: int) -> Iterator[Iterable[Listed]]:
        """As `rows`, but one after the other for what the rank may add to the picks."""
        if group == len(self.cells):
            yield _DONE
            return
        for added, then in self._steps(group, state):
            rest = self.rows(group + 1, then)
            if rest is _DONE:
                yield self._shared(group, added)
            elif rest:
                parts = self._shared(group, added)
                yield [part + row for part in parts for row in rest] if type(parts) is list else _joined(parts, rest)

    def _steps(self, group: int, state: int) -> Iterator[Added]:
        classes = self.asking.groups[group]
        if len(classes) > 1:
            for increments in self.asking.reachable(group, counts_of(state, self.size)):
                several = tuple(map(state_of, zip(*increments, strict=True)))
                yield several, state + sum(several)
        elif len(classes[0]) > 1:
            yield from [((then - state,), then) for then in self.asking.spread(group, state)]
        else:
            yield from [((UNITS[n],), state + UNITS[n]) for n in self.asking.open(group, 0, state)]

    def _shared(self, group: int, added: Sequence[int]) -> Iterable[Listed]:
        """Give the ways to share out what a rank adds among its members."""
        shares = [self._shares(cells, one) for cells, one in zip(self.cells[group], added, strict=True)]
        if len(shares) == 1:
            return shares[0]
        return (tuple(itertools.chain.from_iterable(parts)) for parts in itertools.product(*shares))

    def _shares(self, cells: list[Any], added: int) -> Iterable[Listed]:
        """Give the ways to share picks out among the members of a class."""
        pickers = _pickers(added, self.size)
        if pickers is None:
            return _rows_of(cells, counts_of(added, self.size))
        return [pick(cells) for pick in pickers]


def _joined(parts: Iterable[Listed], rest: Sequence[Listed]) -> Iterator[Listed]:
    return (part + row for part in parts for row in rest)


@lru_cache(maxsize=4096)
def _pickers(added: int, size: int) -> list[Callable[[list[Any]], Listed]] | None:
    """Give a function for each way to share picks out: it takes the row from the cells; nothing for very many ways."""
    counts = counts_of(added, size)
    if multinomial(counts) > MOST_KEPT:
        return None
    if sum(counts) == 1:
        one = slice(counts.index(1), counts.index(1) + 1)
        return [lambda cells: tuple(cells[one])]
    numbers = [[place * size + number for place, number in enumerate(each)] for each in arrangements(counts)]
    return [itemgetter(*each) for each in numbers]


def _rows_of(cells: list[Any], counts: Counts) -> Iterator[Listed]:
    size = len(counts)
    for each in arrangements(counts):
        yield tuple([cells[place * size + number] for place, number in enumerate(each)])


def arrangements(counts: Counts) -> Iterator[tuple[int, ...]]:
    """Yield the distinct sequences in which number `i` stands `counts[i]` times, in order."""
    if max(counts, default=0) <= 1:
        yield from itertools.permutations([number for number, count in enumerate(counts) if count])
        return
    for number, count in enumerate(counts):
        if count:
            left = (*counts[:number], count - 1, *counts[number + 1 :])
            yield from ((number, *rest) for rest in arrangements(left))
