"""Folds over the allocation space: list, count, find a witness, group by symmetry (orbit counting).

- A list shares the picks of each class out among its members, in all ways.
- A count follows one of the states that differ by the names of interchangeable targets alone, times the size of its
  orbit. Of targets of one kind with equal counts the first is picked first, so that counts fall from target to target.
- A witness needs one order of choosing. Choosers of a class may change places, so it is enough that any of them picks
  the target that is asked about; targets of one kind and count may change places too, but for that target.
- A group holds the allocations that the dice cannot tell apart. The rules on picking cannot tell the members of a
  class apart, but its dice may: the increments are shared out among the members that look alike to the dice, class by
  class, and one of the states that differ by the names of targets that look alike is followed.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice, pairwise
from math import factorial, prod
from operator import itemgetter
from typing import Any

from titm_rules.engines.compiled.allocations import (
    UNITS,
    AllocationSpace,
    Counts,
    Increment,
    TableTooLarge,
    add_increments,
    add_one,
    counts_of,
    multinomial,
    state_of,
)
from titm_rules.engines.compiled.equivalence import RecordClasses
from titm_rules.engines.compiled.program import Program
from titm_rules.engines.engine import Pick
from titm_rules.ir.model import Allocation, head_key
from titm_rules.world.records import Situation

MAX_TOGETHER = 50_000  # rows that are put together before the first of them is yielded
MAX_KEPT = 100  # rows of a list that is kept for the next battle; a longer one is put together sooner than kept
MAX_CACHED_WAYS = 1000  # ways to share out that are kept for the next battle
MAX_STATES = 30_000  # that a count or the search for a witness visits


# List: rows are put together rank by rank
Row = tuple[Any, ...]
# The picks added for each class of a rank, and the state after it.
Added = tuple[tuple[int, ...], int]
_DONE: list[Row] = [()]


def enumerate_choices(space: AllocationSpace) -> Iterator[Row]:
    """Yield the legal allocations: pairs in the order of the situation, or targets in order.

    Battles that are alike share the list of which cells are picked, if it is not long.
    """
    members = [member for group in space.groups for cls in group for member in cls]
    order: Sequence[int] = range(len(members))
    if space.form.chooser is None:
        cells = space.targets * len(members)
    else:
        cells = [(member, target) for member in members for target in space.targets]
        order = sorted(order, key=[member.index_ for member in members].__getitem__)
    if space.shared is not None:
        known, key = space.shared.rows, (space.ranks, *order)
        if key not in known:
            rows = list(islice(_enumerated(space, range(len(cells)), order), MAX_KEPT + 1))
            known[key] = list(map(_picker, rows)) if len(rows) <= MAX_KEPT else None
            space.kernel.tables.grow(len(rows))
        if (pickers := known[key]) is not None:
            return (pick(cells) for pick in pickers)
    return _enumerated(space, cells, order)


def _enumerated(space: AllocationSpace, cells: Sequence[Any], order: Sequence[int]) -> Iterator[Row]:
    """Yield the rows of legal allocations, made of cells for each member and target, with the members in some order."""
    rows = _Enumerator(space, cells).all(0, 0, ())
    return rows if list(order) == list(range(len(order))) else map(itemgetter(*order), rows)


class _Enumerator:
    def __init__(self, space: AllocationSpace, cells: Sequence[Any]) -> None:
        self.space, self.size = space, len(space.targets)
        left = iter(cells)
        self.cells = [[list(islice(left, len(cls) * self.size)) for cls in group] for group in space.groups]
        self._rows: dict[tuple[int, int], list[Row]] = {}
        members = [sum(map(len, group)) for group in space.groups]
        self._picking = [sum(members[group:]) for group in range(len(members) + 1)]  # from each rank on

    def all(self, group: int, state: int, before: Row) -> Iterator[Row]:
        """Yield the rows of the ranks from one on behind those before; the first does not wait for all others."""
        if self.size ** self._picking[min(group + 1, len(self.cells))] > MAX_TOGETHER:
            parts = ((part, then) for added, then in self._steps(group, state) for part in self._shared(group, added))
            return itertools.chain.from_iterable(self.all(group + 1, then, before + part) for part, then in parts)
        rows = itertools.chain.from_iterable(self._blocks(group, state))
        return map(before.__add__, rows) if before else rows

    def _rest(self, group: int, state: int) -> list[Row]:
        """List the rows of the ranks from one on, after the picks of others."""
        if group == len(self.cells):
            return _DONE
        rows = self._rows.get((group, state))
        if rows is None:
            rows = self._rows[group, state] = list(itertools.chain.from_iterable(self._blocks(group, state)))
        return rows

    def _blocks(self, group: int, state: int) -> Iterator[Iterable[Row]]:
        """As `_rest`, but one block after the other for what the rank may add to the picks."""
        if group == len(self.cells):
            yield _DONE
            return
        for added, then in self._steps(group, state):
            rest = self._rest(group + 1, then)
            if rest is _DONE:
                yield self._shared(group, added)
            elif rest:
                parts = self._shared(group, added)
                yield [part + row for part in parts for row in rest] if type(parts) is list else _joined(parts, rest)

    def _steps(self, group: int, state: int) -> Iterator[Added]:
        space, classes = self.space, self.space.groups[group]
        if len(classes) > 1:
            for increments in space.reachable(group, counts_of(state, self.size)):
                several = tuple(map(state_of, zip(*increments, strict=True)))
                yield several, state + sum(several)
        elif len(classes[0]) > 1:
            *_, states = space.layers(group, state)
            yield from [((then - state,), then) for then in states]
        else:
            yield from [((UNITS[number],), state + UNITS[number]) for number in space.open(group, 0, state)]

    def _shared(self, group: int, added: Sequence[int]) -> Iterable[Row]:
        shares = [self._ways(cells, picks) for cells, picks in zip(self.cells[group], added, strict=True)]
        if len(shares) == 1:
            return shares[0]
        return (tuple(itertools.chain.from_iterable(parts)) for parts in itertools.product(*shares))

    def _ways(self, cells: list[Any], added: int) -> Iterable[Row]:
        pickers = _pickers(added, self.size)
        if pickers is None:
            each = _cell_numbers(counts_of(added, self.size))
            return (tuple([cells[number] for number in numbers]) for numbers in each)
        return [pick(cells) for pick in pickers]


def _joined(parts: Iterable[Row], rest: Sequence[Row]) -> Iterator[Row]:
    return (part + row for part in parts for row in rest)


@lru_cache(maxsize=4096)
def _pickers(added: int, size: int) -> list[Callable[[list[Any]], Row]] | None:
    """Return a function for each way to share picks out, from the cells to the row; nothing for very many ways."""
    counts = counts_of(added, size)
    if multinomial(counts) > MAX_CACHED_WAYS:
        return None
    return [_picker(numbers) for numbers in _cell_numbers(counts)]


def _picker(numbers: Sequence[int]) -> Callable[[list[Any]], Row]:
    """Return the function that picks the cells with some numbers."""
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda cells: tuple([cells[number] for number in numbers])


def _cell_numbers(counts: Counts) -> Iterator[list[int]]:
    """Yield, for each way to share picks out, the numbers of the cells of its row."""
    for sequence in arrangements(counts):
        yield [place * len(counts) + number for place, number in enumerate(sequence)]


def arrangements(counts: Counts) -> Iterator[tuple[int, ...]]:
    """Yield the distinct sequences in which number `i` stands `counts[i]` times, in order."""
    if max(counts, default=0) <= 1:
        yield from itertools.permutations([number for number, count in enumerate(counts) if count])
        return
    for number, count in enumerate(counts):
        if count:
            left = (*counts[:number], count - 1, *counts[number + 1 :])
            yield from ((number, *rest) for rest in arrangements(left))


# Count
def count(space: AllocationSpace) -> int:
    """Count the legal allocations without listing them, in a space whose targets are numbered by kind.

    Raises `InputError` for too many states on the way.
    """
    counting = _Counting(space)
    ways: Mapping[int, int] = {0: 1}
    for group, classes in enumerate(space.groups):
        after = counting.after_one_class if len(classes) == 1 else counting.after_several
        following: defaultdict[int, int] = defaultdict(int)
        for state, number in ways.items():
            for then, more in after(group, state):
                following[then] += number * more
        ways = following
    return sum(ways.values())


class _Counting:
    """The states that a rank can leave, in their standard form (one of each orbit), with the number of ways."""

    def __init__(self, space: AllocationSpace) -> None:
        self.space, self.size, self._visited = space, len(space.targets), 0
        self._blocks = [len(list(block)) for _, block in groupby(space.kinds)]

    def after_one_class(self, group: int, state: int) -> Iterator[tuple[int, int]]:
        """Yield states after a rank of one class; a state may be yielded more than once."""
        before = counts_of(state, self.size)
        cells = list(zip(self.space.kinds, before, strict=True))
        same = [False, *(cell == other for cell, other in pairwise(cells))]
        states: Collection[int] = ()
        for states in self.space.layers(group, state, same):
            self._visit(len(states))
        for then in states:
            counts = counts_of(then, self.size)
            shares = [count - had for count, had in zip(counts, before, strict=True)]
            yield self._standard(counts), assignments(same, shares) * multinomial(shares)

    def after_several(self, group: int, state: int) -> Iterator[tuple[int, int]]:
        """As `after_one_class`, for a rank of several classes."""
        counts = counts_of(state, self.size)
        cells = list(zip(self.space.kinds, counts, strict=True))
        reached = self.space.reachable(group, counts, counts)
        self._visit(len(reached))
        for increments in reached:
            members = prod(multinomial(column) for column in zip(*increments, strict=True))
            yield self._standard(add_increments(counts, increments)), assignments_of(cells, increments) * members

    def _visit(self, states: int) -> None:
        self._visited += states
        if self._visited > MAX_STATES:
            raise self.space.too_large(f"{MAX_STATES} states on the way to the number")

    def _standard(self, counts: Sequence[int]) -> int:
        ordered: list[int] = []
        for size in self._blocks:
            ordered += sorted(counts[len(ordered) : len(ordered) + size], reverse=True)
        return state_of(ordered)


def assignments(same: Sequence[bool], shares: Sequence[int]) -> int:
    """Count the ways to say which target of a cell gets which of its shares: the size of an orbit.

    `same` says of each target whether it is in the cell of the one before it; equal shares of a cell follow each other.
    """
    ways = alike = 1
    cell = run = 0
    last = -1
    for joined, share in zip(same, shares, strict=True):
        cell = cell + 1 if joined else 1
        run = run + 1 if joined and share == last else 1
        ways, alike, last = ways * cell, alike * run, share
    return ways // alike


def assignments_of(cells: Sequence[object], shares: Sequence[object]) -> int:
    """As `assignments`, for cells and shares in any order."""
    alike = Counter(zip(cells, shares, strict=True))
    return prod(map(factorial, Counter(cells).values())) // prod(map(factorial, alike.values()))


# Witness
# A rank, a class of it, and the number of the target that one of the class picks.
_Step = tuple[int, int, int]


def example(space: AllocationSpace, pick: Pick | None) -> tuple[Any, ...] | None:
    """Find a legal allocation, with some pick in it if one is given; nothing if there is none.

    Raises `InputError` for too many states on the way.
    """
    return _WitnessSearch(space, pick).witness()


class _WitnessSearch:
    """Depth-first search rank by rank, with a memo of the states that lead to nothing."""

    def __init__(self, space: AllocationSpace, pick: Pick | None) -> None:
        self.space, self.pick = space, pick
        self._chooser: Any
        self._chooser, target = pick or (None, None)
        self._target = next((number for number, other in enumerate(space.targets) if other is target), None)
        self._classes = [(group, cls) for group, classes in enumerate(space.groups) for cls in range(len(classes))]
        self._at = next((at for at in self._classes if self._chooser in space.groups[at[0]][at[1]]), None)
        self._failed: set[tuple[Any, ...]] = set()
        self._steps: list[_Step] = []  # the picks so far

    def witness(self) -> tuple[Any, ...] | None:
        """Return the allocation; the chooser that is asked about makes its pick, the others share the rest out."""
        if self.pick is not None and (self._target is None or (self._at is None and self._chooser is not None)):
            return None
        if not self._begins(0, (0,) * len(self.space.targets), self.pick is None):
            return None
        groups, targets = self.space.groups, self.space.targets
        if self.space.form.chooser is None:
            return tuple([targets[number] for _, _, number in self._steps])
        waiting = {at: sorted(groups[at[0]][at[1]], key=lambda one: one is not self._chooser) for at in self._classes}
        wanted_last = sorted(self._steps, key=lambda step: self._is_wanted(*step))
        pairs = [(waiting[group, cls].pop(), targets[number]) for group, cls, number in wanted_last]
        return tuple(sorted(pairs, key=lambda pair: pair[0].index_))

    def _begins(self, group: int, counts: Counts, done: bool) -> bool:
        """Whether a rank and those after it can choose, after others have."""
        if group == len(self.space.groups):
            return done
        return self._continues(group, counts, tuple([len(cls) for cls in self.space.groups[group]]), done)

    def _continues(self, group: int, counts: Counts, left: Counts, done: bool) -> bool:
        """As `_begins`, for a rank of which so many of each class have not chosen yet."""
        if not any(left):
            return self._begins(group + 1, counts, done)
        cells = [
            (kind, count, number == self._target)
            for number, (kind, count) in enumerate(zip(self.space.kinds, counts, strict=True))
        ]
        key = (group, left, done, *sorted(cells))
        if key in self._failed or not (done or self._may_come(group, left)):
            return False
        for cls, number in self._ways(group, counts, left, cells):
            self._steps.append((group, cls, number))
            fewer = (*left[:cls], left[cls] - 1, *left[cls + 1 :])
            if self._continues(group, add_one(counts, number), fewer, done or self._is_wanted(group, cls, number)):
                return True
            self._steps.pop()
        self._failed.add(key)
        if len(self._failed) > MAX_STATES:
            raise self.space.too_large(f"{MAX_STATES} states on the way to an answer")
        return False

    def _may_come(self, group: int, left: Counts) -> bool:
        return self._at is None or group < self._at[0] or (group == self._at[0] and left[self._at[1]] > 0)

    def _is_wanted(self, group: int, cls: int, number: int) -> bool:
        return number == self._target and (self._chooser is None or (group, cls) == self._at)

    def _ways(self, group: int, counts: Counts, left: Counts, cells: Sequence[Any]) -> list[tuple[int, int]]:
        """List the next picks of the classes, one of those that are alike; the wanted pick comes first."""
        ways: dict[Any, tuple[int, int]] = {}
        for cls in (cls for cls, size in enumerate(left) if size):
            for number in self.space.open(group, cls, state_of(counts)):
                ways.setdefault((cls, cells[number]), (cls, number))
        return sorted(ways.values(), key=lambda way: not self._is_wanted(group, *way))


# Group
# One allocation of a kind, in the shape that the form's choices have, and how many there are.
PlanCount = tuple[tuple[Any, ...], int]


@dataclass(frozen=True, slots=True)
class PlanClass:
    """The picks of one target.

    `mark` is the part of it that later choices and the dice can see, `left` the increments that are not shared out yet,
    `path` how many members picked it at each step.
    """

    mark: tuple[int, ...]
    left: Increment
    path: tuple[int, ...]


Rows = tuple[PlanClass, ...]
# By what can be seen of the rows: the number of allocations, and the rows of one of them.
PlanStates = dict[Any, tuple[int, Rows]]


class PlanKernel:
    """The kinds of one allocation form: the allocations that its dice can tell apart."""

    def __init__(self, program: Program, form: Allocation) -> None:
        shot = form.shot
        assert shot is not None
        roots = [head_key(shot.roll.head, word) for word in ("try", "factor", "adds")]
        terms = (shot.dice, shot.roll, shot.left, shot.loss)
        self.form = form
        self.target_key = RecordClasses(program, roots, form.target[1].name, terms).key
        self.chooser_key = RecordClasses(program, roots, form.chooser[1].name, terms).key if form.chooser else None

    def plans(self, root: Situation, space: AllocationSpace, limit: int) -> list[PlanCount] | None:
        """List the kinds of legal allocation; nothing if there are more than `limit`."""
        try:
            return list(_Grouping(self, root, space, limit).plans())
        except TableTooLarge:
            return None


class _Grouping:
    def __init__(self, kernel: PlanKernel, root: Situation, space: AllocationSpace, limit: int) -> None:
        self.space, self.limit, self.named = space, limit, kernel.chooser_key is not None
        looks = [kernel.target_key(root, target) for target in space.targets]
        self.cells = list(zip(space.kinds, looks, strict=True))
        self.groups = [[self._alike(kernel, root, cls) for cls in group] for group in space.groups]

    def _alike(self, kernel: PlanKernel, root: Situation, cls: Sequence[Any]) -> list[list[Any]]:
        parts: defaultdict[Any, list[Any]] = defaultdict(list)
        for member in cls:
            parts[member if kernel.chooser_key is None else kernel.chooser_key(root, member)].append(member)
        return list(parts.values())

    def plans(self) -> Iterator[PlanCount]:
        states: PlanStates = {None: (1, tuple(PlanClass((), (), ()) for _ in self.cells))}
        for group in range(len(self.groups)):
            states = self._chosen(group, states)
        for ways, rows in states.values():
            yield self._allocation(rows), ways

    def _chosen(self, group: int, states: PlanStates) -> PlanStates:
        following: PlanStates = {}
        for ways, rows in states.values():
            counts = tuple(sum(row.path) for row in rows)
            marks = [(cell, row.mark) for cell, row in zip(self.cells, rows, strict=True)]
            for increments in self.space.reachable(group, counts, marks, most=self.limit):
                taken = [PlanClass(row.mark, new, row.path) for row, new in zip(rows, increments, strict=True)]
                self._join(following, taken, ways * assignments_of(marks, increments))
        for cls, parts in enumerate(self.groups[group]):
            for members in parts:
                following = self._shared(cls, len(members), following)
        return following

    def _shared(self, cls: int, size: int, states: PlanStates) -> PlanStates:
        """Share some members of a class, who look alike, out among the targets that the class picked."""
        following: PlanStates = {}
        for ways, rows in states.values():
            cells = list(zip(self.cells, rows, strict=True))
            for shares in _shares(size, [row.left[cls] for row in rows], cells):
                taken = [self._moved(row, cls, share) for row, share in zip(rows, shares, strict=True)]
                self._join(following, taken, ways * assignments_of(cells, shares) * multinomial(shares))
        return following

    def _moved(self, row: PlanClass, cls: int, share: int) -> PlanClass:
        left = (*row.left[:cls], row.left[cls] - share, *row.left[cls + 1 :])
        path = (*row.path, share)
        # Choosers without names have equal dice, so that their order cannot be seen.
        return PlanClass(path if self.named else (sum(path),), left, path)

    def _join(self, states: PlanStates, rows: list[PlanClass], ways: int) -> None:
        # INVARIANT: of states that differ by the names of targets that look alike, every step above follows one
        # only; so states that are alike are equal.
        key = tuple((row.mark, row.left) for row in rows)
        before, kept = states.get(key, (0, tuple(rows)))
        states[key] = (before + ways, kept)
        if len(states) > self.limit:
            raise TableTooLarge

    def _allocation(self, rows: Rows) -> tuple[Any, ...]:
        steps = [members for group in self.groups for parts in group for members in parts]
        pairs = []
        for number, members in enumerate(steps):
            targets = [t for t, row in zip(self.space.targets, rows, strict=True) for _ in range(row.path[number])]
            pairs += list(zip(members, targets, strict=True))
        if not self.named:
            return tuple(target for _, target in pairs)
        return tuple(sorted(pairs, key=lambda pair: pair[0].index_))


def _shares(number: int, room: Sequence[int], cells: Sequence[Any]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to part a number within the room of each target; in a cell an earlier one gets no less."""
    before: dict[Any, int] = {}
    last = [-1] * len(cells)
    for index, cell in enumerate(cells):
        last[index] = before.get(cell, -1)
        before[cell] = index

    def parts(index: int, left: int, done: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if index == len(room):
            if not left:
                yield done
            return
        most = min(left, room[index], done[last[index]] if last[index] >= 0 else left)
        least = max(0, left - sum(room[index + 1 :]))
        for share in range(most, least - 1, -1):
            yield from parts(index + 1, left - share, (*done, share))

    return parts(0, number, ())
