"""Choices as python-constraint models: who picks whom, and which members of a set.

Values are plain: choosers, targets and members are numbers from 0, and what the rules say comes in
as a function. Constraints are functions only; python-constraint would evaluate a text as Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from constraint import Problem


Counts = tuple[int, ...]
MayPick = Callable[[int, int, Counts], bool]
MayChoose = Callable[[Counts], bool]


def build_allocation_model(ranks: Sequence[int], targets: int, may_pick: MayPick) -> Problem:
    """Model an allocation: every chooser picks one target, highest rank first, equals in any order.

    `ranks` has one entry per chooser, and there is at least one target. `may_pick` says whether a chooser may pick a
    target when the targets have been picked so often, and may ask nothing else of the picks before. Each class of equal
    rank has one constraint, over itself and the classes before it.
    """
    from constraint import Problem

    problem = Problem()
    problem.addVariables(range(len(ranks)), range(targets))
    orders = _Orders(targets, may_pick)
    before: list[int] = []
    for members in rank_classes(ranks):
        problem.addConstraint(orders.constraint(len(before), members), [*before, *members])
        before += members
    return problem


def build_class_model(members: Sequence[int], picks: Counts, may_pick: MayPick) -> Problem:
    """Model what one class of equal choosers (at least one) may pick after others have picked so often."""
    from constraint import Problem

    problem = Problem()
    problem.addVariables(members, range(len(picks)))
    orders = _Orders(len(picks), may_pick)
    problem.addConstraint(lambda *wanted: orders.has_order(tuple(members), wanted, picks), members)
    return problem


def build_selection_model(size: int, may_choose: MayChoose) -> Problem:
    """Model a selection: a variable per member, 1 if it is chosen; one constraint judges the whole.

    There is at least one member; `may_choose` is given the chosen ones as sorted numbers.
    """
    from constraint import Problem

    problem = Problem()
    problem.addVariables(range(size), (0, 1))
    problem.addConstraint(lambda *flags: may_choose(_chosen(flags)), range(size))
    return problem


def rank_classes(ranks: Sequence[int]) -> list[list[int]]:
    return [[n for n, rank in enumerate(ranks) if rank == one] for one in sorted(set(ranks), reverse=True)]


class AllocationChoices:
    """The legal allocations of a model: enumerated, counted and checked.

    A choice is a tuple of targets, one per chooser. Counting goes class by class and keeps only how often each target
    was picked, so that it need not list whole allocations.
    """

    def __init__(
        self, ranks: Sequence[int], targets: int, may_pick: MayPick,
        also: Sequence[tuple[Sequence[int], Callable[..., bool]]] = (),
    ) -> None:  # fmt: skip
        """`also` are further constraints on what is listed: the numbers of choosers, and a test of their picks."""
        self.ranks, self.targets, self._also = tuple(ranks), targets, also
        self._may_pick: MayPick = cache(may_pick)
        self._classes = rank_classes(self.ranks)
        self._after = cache(self._find_after)
        self._ways = cache(self._find_ways)

    def __iter__(self) -> Iterator[Counts]:
        if not self.ranks:
            yield from [()] * all(holds() for _, holds in self._also)
        elif self.targets:
            problem = build_allocation_model(self.ranks, self.targets, self._may_pick)
            for choosers, holds in self._also:
                problem.addConstraint(holds, choosers)
            for solution in problem.getSolutionIter():
                yield tuple(solution[number] for number in range(len(self.ranks)))

    def __contains__(self, picked: Sequence[int]) -> bool:
        if len(picked) != len(self.ranks):
            return False
        orders, counts = _Orders(self.targets, self._may_pick), (0,) * self.targets
        for members in self._classes:
            wanted = tuple(picked[number] for number in members)
            if not orders.has_order(tuple(members), wanted, counts):
                return False
            counts = _add(counts, wanted)
        return True

    def count(self) -> int:
        return self._ways(0, (0,) * self.targets)

    def _find_after(self, level: int, counts: Counts) -> list[Counts]:
        if not self.targets:
            return []
        members = self._classes[level]
        solutions = build_class_model(members, counts, self._may_pick).getSolutions()
        return [tuple(solution[member] for member in members) for solution in solutions]

    def _find_ways(self, level: int, counts: Counts) -> int:
        if level == len(self._classes):
            return 1
        return sum(self._ways(level + 1, _add(counts, wanted)) for wanted in self._after(level, counts))


class SelectionChoices:
    """The legal selections of a model; a choice is a sorted tuple of members."""

    def __init__(self, size: int, may_choose: MayChoose, rank: Callable[[Counts], int] = lambda _: 0) -> None:
        self.size = size
        self._may_choose = may_choose
        self._rank = rank

    @cached_property
    def _all(self) -> list[Counts]:
        if not self.size:
            return [()] if self._may_choose(()) else []
        problem = build_selection_model(self.size, self._may_choose)
        found = [_chosen([one[number] for number in range(self.size)]) for one in problem.getSolutions()]
        best = min(map(self._rank, found), default=0)
        return sorted((one for one in found if self._rank(one) == best), key=lambda chosen: (len(chosen), chosen))

    def __iter__(self) -> Iterator[Counts]:
        return iter(self._all)

    def __contains__(self, chosen: Sequence[int]) -> bool:
        return len(set(chosen)) == len(chosen) and tuple(sorted(chosen)) in self._all

    def count(self) -> int:
        return len(self._all)


class _Orders:
    """Looks for an order in which equal choosers can make the picks that are wanted."""

    def __init__(self, targets: int, may_pick: MayPick) -> None:
        self._start: Counts = (0,) * targets
        self._may_pick = may_pick

    def constraint(self, before: int, members: Sequence[int]) -> Callable[..., bool]:
        choosers = tuple(members)
        return lambda *wanted: self.has_order(choosers, wanted[before:], _add(self._start, wanted[:before]))

    def has_order(self, choosers: Counts, wanted: Counts, picks: Counts) -> bool:
        wishes = dict(zip(choosers, wanted, strict=True))
        dead: set[frozenset[int]] = set()

        def finish(left: frozenset[int], counts: Counts) -> bool:
            if not left:
                return True
            if left in dead:
                return False
            for one in left:
                if self._may_pick(one, wishes[one], counts) and finish(left - {one}, _add(counts, (wishes[one],))):
                    return True
            dead.add(left)
            return False

        return finish(frozenset(choosers), picks)


def _add(counts: Counts, picked: Sequence[int]) -> Counts:
    total = list(counts)
    for target in picked:
        total[target] += 1
    return tuple(total)


def _chosen(flags: Sequence[int]) -> Counts:
    return tuple(number for number, flag in enumerate(flags) if flag)
