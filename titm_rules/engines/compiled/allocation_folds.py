"""Folds over the allocation space: enumerate, count, find a witness, group by symmetry.

Of targets of one kind with equal counts the first is picked first, so that counts fall from target to target; states
that differ by names alone are one.

Choosers of a class may change places, so it is enough that any of them picks the target: the picks are shared out so
that the one that is asked about has it. Targets of one kind and count may change places too, but for that target.

The increments of an allocation say how often each class of choosers picked each target; the
rules on picking cannot tell the members of a class apart, but its dice may. So the increments
that can be reached are shared out among the members of each class that look alike to the dice,
step by step; of states that differ only by the names of targets that look alike one is followed.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from math import factorial, prod
from operator import itemgetter
from typing import Any

from titm_rules.engines.compiled.allocations import (
    UNITS,
    AllocationState,
    Counts,
    Increment,
    TableTooLarge,
    add_increments,
    add_one,
    counts_of,
    multinomial,
    state_of,
    too_large,
)
from titm_rules.engines.compiled.equivalence import RecordClasses
from titm_rules.engines.compiled.program import Program
from titm_rules.engines.engine import Pick
from titm_rules.ir.model import Allocation, head_key
from titm_rules.world.records import Situation

# ---------------------------------------------------------------------- lists
MOST_TOGETHER = 50_000  # rows that are put together before the first of them is given
MOST_KEPT = 1000  # ways to share out that are kept for the next battle
Listed = tuple[Any, ...]
# What is added to the picks of each class of a rank, and the state after it.
Added = tuple[tuple[int, ...], int]
_DONE: list[Listed] = [()]


def enumerate_choices(asking: AllocationState) -> Iterator[Listed]:
    """Yield the legal allocations: pairs in the order of the situation, or targets in order."""
    rows = _Enumerator(asking).all(0, 0, ())
    if asking.kernel.form.chooser is None:
        return rows
    indices = [one.index_ for group in asking.groups for cls in group for one in cls]
    order = sorted(range(len(indices)), key=indices.__getitem__)
    return rows if order == list(range(len(order))) else map(itemgetter(*order), rows)


class _Enumerator:
    """Puts rows together, rank by rank."""

    def __init__(self, asking: AllocationState) -> None:
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


# ---------------------------------------------------------------------- counts
MOST_STATES = 30_000


def count(asking: AllocationState) -> int:
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

    def __init__(self, asking: AllocationState) -> None:
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
            found[self._standard(counts)] += assignments(same, shares) * multinomial(shares)
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
            found[self._standard(add_increments(counts, increments))] += assignments_of(cells, increments) * members
        return found


def assignments(same: Sequence[bool], shares: Sequence[int]) -> int:
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


def assignments_of(cells: Sequence[object], shares: Sequence[object]) -> int:
    """As `labellings`, for cells and shares in any order."""
    alike = Counter(zip(cells, shares, strict=True))
    return prod(map(factorial, Counter(cells).values())) // prod(map(factorial, alike.values()))


# ---------------------------------------------------------------------- examples
_Counts = tuple[int, ...]
# A rank, a class of it, and the number of the target that one of the class picks.
_Step = tuple[int, int, int]


def example(asking: AllocationState, pick: Pick | None) -> tuple[Any, ...] | None:
    """Find a legal allocation, with some pick in it if one is given; nothing if there is none.

    Raises:
        InputError: for too many states on the way.
    """
    search = _Search(asking, pick)
    return search.shared() if search.succeeds() else None


class _Search:
    """One question: follows the choosers rank by rank and remembers the states that lead to nothing."""

    def __init__(self, asking: AllocationState, pick: Pick | None) -> None:
        self.asking, self.pick = asking, pick
        who, what = pick or (None, None)
        self._target = next((number for number, target in enumerate(asking.targets) if target is what), None)
        self._at = next((at for at in self._classes() if who in asking.groups[at[0]][at[1]]), None)
        self._anybody = who is None
        self._failed: set[tuple[Any, ...]] = set()
        self._steps: list[_Step] = []  # the picks so far, the first first

    def _classes(self) -> Iterator[tuple[int, int]]:
        for group, classes in enumerate(self.asking.groups):
            yield from ((group, cls) for cls in range(len(classes)))

    def succeeds(self) -> bool:
        """Whether there is such an allocation."""
        if self.pick is not None and (self._target is None or (self._at is None and not self._anybody)):
            return False
        return self._begins(0, (0,) * len(self.asking.targets), self.pick is None)

    def _begins(self, group: int, counts: _Counts, done: bool) -> bool:
        """Whether a rank and those after it can choose, after others have."""
        if group == len(self.asking.groups):
            return done
        return self._continues(group, counts, tuple([len(cls) for cls in self.asking.groups[group]]), done)

    def _continues(self, group: int, counts: _Counts, left: _Counts, done: bool) -> bool:
        """As `_begins`, for a rank of which so many of each class have not chosen yet."""
        if not any(left):
            return self._begins(group + 1, counts, done)
        key = (group, left, done, *self._looks(counts))
        if key in self._failed or not (done or self._may_come(group, left)):
            return False
        for cls, number in self._ways(group, counts, left):
            self._steps.append((group, cls, number))
            fewer = (*left[:cls], left[cls] - 1, *left[cls + 1 :])
            if self._continues(group, add_one(counts, number), fewer, done or self._is_it(group, cls, number)):
                return True
            self._steps.pop()
        self._fail(key)
        return False

    def _may_come(self, group: int, left: _Counts) -> bool:
        """Whether one that may make the pick has still to choose."""
        return self._at is None or group < self._at[0] or (group == self._at[0] and left[self._at[1]] > 0)

    def _is_it(self, group: int, cls: int, number: int) -> bool:
        return number == self._target and (self._anybody or (group, cls) == self._at)

    def _looks(self, counts: _Counts) -> list[tuple[int, int, bool]]:
        """List what can be told of the targets: kind and count, and whether it is the one that is asked about."""
        cells = enumerate(zip(self.asking.kinds, counts, strict=True))
        return sorted([(kind, count, number == self._target) for number, (kind, count) in cells])

    def _ways(self, group: int, counts: _Counts, left: _Counts) -> list[tuple[int, int]]:
        """List who may pick what next, one of those that are alike; what is asked about comes first."""
        found: dict[Any, tuple[int, int]] = {}
        for cls in (cls for cls, size in enumerate(left) if size):
            for number in self.asking.open(group, cls, state_of(counts)):
                alike = (cls, self.asking.kinds[number], counts[number], number == self._target)
                found.setdefault(alike, (cls, number))
        return sorted(found.values(), key=lambda way: not self._is_it(group, *way))

    def _fail(self, key: tuple[Any, ...]) -> None:
        self._failed.add(key)
        if len(self._failed) > MOST_STATES:
            raise too_large(self.asking.kernel.form.name, f"limit: {MOST_STATES} states on the way to an answer")

    def shared(self) -> tuple[Any, ...]:
        """Write the allocation that was found: the one that is asked about makes its pick, the others as they come."""
        targets = self.asking.targets
        if self.asking.kernel.form.chooser is None:
            return tuple([targets[number] for _, _, number in self._steps])
        waiting = {at: self._in_turn(*at) for at in self._classes()}
        pairs = [(waiting[group, cls].pop(), targets[number]) for group, cls, number in self._asked_last()]
        return tuple(sorted(pairs, key=lambda pair: pair[0].index_))

    def _in_turn(self, group: int, cls: int) -> list[Any]:
        """List a class so that the one that is asked about comes first."""
        who = self.pick[0] if self.pick is not None else None
        return sorted(self.asking.groups[group][cls], key=lambda one: one is not who)

    def _asked_last(self) -> list[_Step]:
        """List the picks so that the last of them is one that the question may be about."""
        return sorted(self._steps, key=lambda step: self._is_it(*step))


# ---------------------------------------------------------------------- plans
# One allocation of a kind, in the shape that the form's choices have, and how many there are.
PlanCount = tuple[tuple[Any, ...], int]


@dataclass(frozen=True, slots=True)
class PlanClass:
    """What has come to one target.

    Attributes:
        mark: what later choices and the dice can see of it.
        left: the increments that are not shared out yet.
        path: how many members came at each step.
    """

    mark: tuple[int, ...]
    left: Increment
    path: tuple[int, ...]


Rows = tuple[PlanClass, ...]
# By what can be seen of the rows: the number of allocations, and the rows of one of them.
PlanStates = dict[Any, tuple[int, Rows]]


class PlanKernel:
    """The kinds of one allocation form: what its dice can tell apart."""

    def __init__(self, program: Program, form: Allocation) -> None:
        shot = form.shot
        assert shot is not None
        roots = [head_key(shot.roll.head, word) for word in ("try", "factor", "adds")]
        terms = (shot.dice, shot.roll, shot.left, shot.loss)
        self.form = form
        self.target_look = RecordClasses(program, roots, form.target[1].name, terms)
        self.chooser_look = (
            RecordClasses(program, roots, form.chooser[1].name, terms) if form.chooser is not None else None
        )

    def plans(self, root: Situation, asking: AllocationState, limit: int) -> list[PlanCount] | None:
        """List the kinds of legal allocation; nothing if there are more than `limit`."""
        try:
            return list(_Sharing(self, root, asking, limit).plans())
        except TableTooLarge:
            return None


class _Sharing:
    """One question put to the kinds of a form."""

    def __init__(self, kernel: PlanKernel, root: Situation, asking: AllocationState, limit: int) -> None:
        self.asking, self.limit = asking, limit
        self.named = kernel.chooser_look is not None
        looks = [kernel.target_look.key(root, target) for target in asking.targets]
        self.cells = list(zip(asking.kinds, looks, strict=True))
        look = kernel.chooser_look
        key: Callable[[Any], Any] = (lambda one: look.key(root, one)) if look is not None else lambda one: one
        self.groups = [[_by_key(cls, key) for cls in group] for group in asking.groups]

    def plans(self) -> Iterator[PlanCount]:
        """Yield the kinds, each with one allocation that stands for it and their number."""
        states: PlanStates = {None: (1, tuple(PlanClass((), (), ()) for _ in self.cells))}
        for group in range(len(self.groups)):
            states = self._chosen(group, states)
        for ways, rows in states.values():
            yield self._picked(rows), ways

    def _chosen(self, group: int, states: PlanStates) -> PlanStates:
        """Let the choosers of one rank choose."""
        found: PlanStates = {}
        for number, rows in states.values():
            counts = tuple(sum(row.path) for row in rows)
            marks = [(cell, row.mark) for cell, row in zip(self.cells, rows, strict=True)]
            for increments in self.asking.reachable(group, counts, marks, most=self.limit):
                taken = [PlanClass(row.mark, new, row.path) for row, new in zip(rows, increments, strict=True)]
                self._join(found, taken, number * assignments_of(marks, increments))
        for cls, alike in enumerate(self.groups[group]):
            for members in alike:
                found = self._shared(cls, len(members), found)
        return found

    def _shared(self, cls: int, size: int, states: PlanStates) -> PlanStates:
        """Share some members of a class, who look alike, out among the targets that the class picked."""
        found: PlanStates = {}
        for number, rows in states.values():
            seen = list(zip(self.cells, rows, strict=True))
            for shares in _shares(size, [row.left[cls] for row in rows], seen):
                taken = [self._moved(row, cls, share) for row, share in zip(rows, shares, strict=True)]
                self._join(found, taken, number * assignments_of(seen, shares) * multinomial(shares))
        return found

    def _moved(self, row: PlanClass, cls: int, share: int) -> PlanClass:
        left = (*row.left[:cls], row.left[cls] - share, *row.left[cls + 1 :])
        path = (*row.path, share)
        # Nameless choosers have equal dice, so that of their order nothing can be seen.
        return PlanClass(path if self.named else (sum(path),), left, path)

    def _join(self, states: PlanStates, rows: list[PlanClass], ways: int) -> None:
        """Add a state.

        Of states that differ by the names of targets that look alike, every step above follows
        one only; so states that are alike are equal.
        """
        key = tuple((row.mark, row.left) for row in rows)
        before, kept = states.get(key, (0, tuple(rows)))
        states[key] = (before + ways, kept)
        if len(states) > self.limit:
            raise TableTooLarge

    def _picked(self, rows: Rows) -> tuple[Any, ...]:
        """Write one allocation of a kind."""
        steps = [members for group in self.groups for alike in group for members in alike]
        pairs = []
        for number, members in enumerate(steps):
            targets = [t for t, row in zip(self.asking.targets, rows, strict=True) for _ in range(row.path[number])]
            pairs += list(zip(members, targets, strict=True))
        if not self.named:
            return tuple(target for _, target in pairs)
        return tuple(sorted(pairs, key=lambda pair: pair[0].index_))


def _by_key(members: Sequence[Any], key: Callable[[Any], Any]) -> list[list[Any]]:
    found: defaultdict[Any, list[Any]] = defaultdict(list)
    for one in members:
        found[key(one)].append(one)
    return list(found.values())


def _shares(number: int, room: Sequence[int], seen: Sequence[Any]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to part a number within the room of each target.

    Of targets of which the same is seen, an earlier one gets no less than a later one.
    """
    before: dict[Any, int] = {}
    last = [-1] * len(seen)
    for index, one in enumerate(seen):
        last[index] = before.get(one, -1)
        before[one] = index

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
