"""Allocations: choosers that pick targets in an order, counted and listed by normal forms.

Choosers of one rank may choose in any order. Choosers that the rules cannot tell apart form a
class; what matters of a rank's choices is how often each class picked each target (the
increments). Every allocation has exactly one sequence of increments, so allocations are counted
by the increments that can be reached, times the ways to share them out among the members.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from math import factorial, prod
from typing import Any

from titm_rules.engines.compiled.alike import Alike
from titm_rules.engines.compiled.program import Program
from titm_rules.rules.model import Allocation, head_key
from titm_rules.world.records import Record, Situation

Increment = tuple[int, ...]
Increments = tuple[Increment, ...]
Counts = tuple[int, ...]
# The increments of a rank so far; with the counts of the targets, and how many of each class have chosen.
CountedStates = dict[Increments, tuple[Counts, Counts]]


class TooMany(Exception):
    """There are more states than the caller wants to follow."""


class Picked:
    """The state of an allocation: how often each target was picked, and what was worked out of it."""

    __slots__ = ("counts", "memo_")

    def __init__(self, counts: dict[int, int]) -> None:
        self.counts = counts
        self.memo_: defaultdict[int, dict[Any, Any]] = defaultdict(dict)


class AllocationKernel:
    """One allocation form, compiled."""

    def __init__(self, program: Program, form: Allocation) -> None:
        self.form = form
        given = [name for name, _ in form.given]
        self.targets = program.term(form.targets, given)
        self.barred = program.head(head_key(form.name, "choose"))
        roots = [head_key(form.name, "choose")]
        self.target_key = Alike(program, roots, form.target[1].name)
        if form.chooser is not None and form.choosers is not None:
            self.choosers = program.term(form.choosers, given)
            self.chooser_key = Alike(program, roots, form.chooser[1].name)
            self.rank = program.term(form.order, [*given, form.chooser[0]]) if form.order is not None else None

    def ask(self, root: Situation, given: Mapping[str, Any]) -> Asking:
        """Prepare one battle, one set of counters."""
        return Asking(self, root, given)


class Asking:
    """One question put to an allocation form."""

    def __init__(self, kernel: AllocationKernel, root: Situation, given: Mapping[str, Any]) -> None:
        self.kernel = kernel
        self.root = root
        self.given = tuple(given[name] for name, _ in kernel.form.given)
        self.targets: list[Any] = kernel.targets(root, *self.given)
        keys = [kernel.target_key.key(root, target) for target in self.targets]
        order = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        self.kinds = [order[key] for key in keys]
        self.groups = self._groups(given)
        self._allowed: dict[Any, frozenset[tuple[int, int]]] = {}
        self._open: dict[Any, list[int]] = {}

    def _groups(self, given: Mapping[str, Any]) -> list[list[list[Any]]]:
        """List the ranks, first to choose first; each holds classes of choosers."""
        kernel = self.kernel
        if kernel.form.chooser is None:
            return [[[number]] for number in range(given[kernel.form.counter])]
        ranks: defaultdict[Any, defaultdict[Any, list[Any]]] = defaultdict(lambda: defaultdict(list))
        for one in kernel.choosers(self.root, *self.given):
            rank = kernel.rank(self.root, *self.given, one) if kernel.rank is not None else 0
            ranks[rank][kernel.chooser_key.key(self.root, one)].append(one)
        return [list(ranks[rank].values()) for rank in sorted(ranks, reverse=True)]

    # ------------------------------------------------------------------ what may be picked
    def allowed(self, group: int, cls: int, counts: Sequence[int]) -> frozenset[tuple[int, int]]:
        """Give the kinds and counts of targets that a class may pick in a state."""
        state = tuple(sorted(zip(self.kinds, counts, strict=True)))
        key = (group if self.kernel.form.chooser else 0, cls, state)
        found = self._allowed.get(key)
        if found is None:
            found = self._allowed[key] = self._judge(self.groups[group][cls][0], counts)
        return found

    def open(self, group: int, cls: int, counts: Counts) -> list[int]:
        """List the targets that a class may pick in a state, by number."""
        key = (group, cls, counts)
        found = self._open.get(key)
        if found is None:
            allowed = self.allowed(group, cls, counts)
            cells = enumerate(zip(self.kinds, counts, strict=True))
            found = self._open[key] = [number for number, cell in cells if cell in allowed]
        return found

    def _judge(self, chooser: Record, counts: Sequence[int]) -> frozenset[tuple[int, int]]:
        state = Picked({target.index_: count for target, count in zip(self.targets, counts, strict=True)})
        named = (chooser,) if self.kernel.form.chooser is not None else ()
        cells = {(kind, count): target for kind, count, target in zip(self.kinds, counts, self.targets, strict=True)}
        barred = self.kernel.barred
        return frozenset(
            cell for cell, target in cells.items() if not barred(self.root, state, *named, target, *self.given)
        )

    # ------------------------------------------------------------------ what a rank can reach
    def reachable(
        self,
        group: int,
        counts: Counts,
        marks: Sequence[Any] | None = None,
        within: Sequence[Increment] | None = None,
        most: int | None = None,
    ) -> Set[Increments]:
        """Collect the increments of a rank that some order of choosing reaches.

        Targets of one kind, count and mark are interchangeable: of choices that differ only in
        which of them is picked, one is followed. Without marks all are. If `within` is given, only
        increments up to these are followed.

        Raises:
            TooMany: for more than `most` states on the way.
        """
        sizes = [len(cls) for cls in self.groups[group]]
        zero = (0,) * len(sizes)
        cells = [None] * len(counts) if marks is None else list(zip(self.kinds, counts, marks, strict=True))
        states: CountedStates = {tuple(zero for _ in self.targets): (counts, zero)}
        for _ in range(sum(sizes)):
            states = self._further(group, sizes, states, cells, within, most)
        return states.keys()

    def _further(
        self,
        group: int,
        sizes: list[int],
        states: CountedStates,
        cells: Sequence[Any],
        within: Sequence[Increment] | None,
        most: int | None,
    ) -> CountedStates:
        """Let one more chooser of a rank choose, in all ways that differ."""
        found: CountedStates = {}
        alike: defaultdict[Any, list[int]] = defaultdict(list)
        for number, cell in enumerate(cells):
            alike[cell].append(number)
        for state, (now, used) in states.items():
            if most is not None and len(found) > most:
                raise TooMany
            for cls, size in enumerate(sizes):
                if used[cls] == size:
                    continue
                seen = set()
                for number in self.open(group, cls, now):
                    increment = state[number]
                    if within is not None and increment[cls] >= within[number][cls]:
                        continue
                    cell = cells[number]
                    if cell is not None:
                        if (cell, increment) in seen:
                            continue
                        seen.add((cell, increment))
                    new = (*state[:number], one_more(increment, cls), *state[number + 1 :])
                    after = one_more(now, number)
                    if cell is not None and len(sizes) > 1:
                        new, after = sorted_within(alike[cell], new, after)
                    if new not in found:
                        found[new] = (after, one_more(used, cls))
        return found

    # ------------------------------------------------------------------ counting
    def count(self) -> int:
        """Count the legal allocations without listing them."""
        ways: Counter[Counts] = Counter({(0,) * len(self.targets): 1})
        for group in range(len(self.groups)):
            following: Counter[Counts] = Counter()
            for counts, number in ways.items():
                for increments in self.reachable(group, counts, counts):
                    after = self._standard(added(counts, increments))
                    following[after] += number * self._shares(group, counts, increments)
            ways = following
        return sum(ways.values())

    def _standard(self, counts: Counts) -> Counts:
        """Order counts within each kind, so that states alike but for names are equal."""
        by_kind: defaultdict[int, list[int]] = defaultdict(list)
        for kind, count in zip(self.kinds, counts, strict=True):
            by_kind[kind].append(count)
        ordered = {kind: iter(sorted(found)) for kind, found in by_kind.items()}
        return tuple(next(ordered[kind]) for kind in self.kinds)

    def _shares(self, group: int, counts: Counts, increments: Increments) -> int:
        """Count the allocations behind increments: which target got which, and from whom."""
        members = prod(
            multinomial([increment[number] for increment in increments]) for number in range(len(self.groups[group]))
        )
        return labellings(list(zip(self.kinds, counts, strict=True)), increments) * members

    # ------------------------------------------------------------------ listing and checking
    def choices(self) -> Iterator[tuple[Any, ...]]:
        """Yield the legal allocations: pairs in the order of the situation, or targets in order."""
        targets = self.targets
        if self.kernel.form.chooser is None:
            for picked in self._from_group(0, (0,) * len(targets)):
                yield tuple([targets[number] for number in picked])
            return
        choosers = [one for group in self.groups for cls in group for one in cls]
        order = sorted(range(len(choosers)), key=lambda number: choosers[number].index_)
        pairs = [(number, [(choosers[number], target) for target in targets]) for number in order]
        for picked in self._from_group(0, (0,) * len(targets)):
            yield tuple([pair[picked[number]] for number, pair in pairs])

    def _from_group(self, group: int, counts: Counts) -> Iterator[tuple[int, ...]]:
        """Yield the targets of the choosers from a rank on, by number, rank by rank."""
        if group == len(self.groups):
            yield ()
            return
        for increments in self.reachable(group, counts):
            rest = list(self._from_group(group + 1, added(counts, increments)))
            if rest:
                shares = [arrangements(column) for column in zip(*increments, strict=True)]
                for parts in itertools.product(*shares, rest):
                    yield tuple(itertools.chain.from_iterable(parts))

    def is_legal(self, picked: tuple[Any, ...]) -> bool:
        """Whether one allocation is legal: whether each rank's increments can be reached."""
        if any(target not in self.targets for target in self._targets_of(picked)):
            return False
        chosen = dict(picked) if self.kernel.form.chooser is not None else dict(enumerate(picked))
        counts: Counts = (0,) * len(self.targets)
        for group, classes in enumerate(self.groups):
            wanted = tuple(
                tuple(sum(chosen[one] is target for one in cls) for cls in classes) for target in self.targets
            )
            if wanted not in self.reachable(group, counts, wanted, wanted):
                return False
            counts = added(counts, wanted)
        return True

    def nearest(self, picked: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Find a legal allocation of choosers that changes the fewest picks; nothing if none is legal."""
        chosen = dict(picked)
        wishes = [
            [tuple(sum(chosen.get(one) is target for one in cls) for cls in classes) for target in self.targets]
            for classes in self.groups
        ]
        marks = list(zip(*wishes, strict=True))
        best: dict[Counts, tuple[int, tuple[Increments, ...]]] = {(0,) * len(self.targets): (0, ())}
        for group, wished in enumerate(wishes):
            following: dict[Counts, tuple[int, tuple[Increments, ...]]] = {}
            for counts, (kept, path) in best.items():
                for increments in self.reachable(group, counts, marks):
                    after = added(counts, increments)
                    pairs = (pair for i, w in zip(increments, wished, strict=True) for pair in zip(i, w, strict=True))
                    total = kept + sum(map(min, pairs))
                    if after not in following or following[after][0] < total:
                        following[after] = (total, (*path, increments))
            best = following
        if not best:
            return None
        _, path = max(best.values(), key=lambda found: found[0])
        shared = [pair for group, increments in enumerate(path) for pair in self._kept(group, increments, chosen)]
        return tuple(sorted(shared, key=lambda pair: pair[0].index_))

    def _kept(
        self, group: int, increments: tuple[Increment, ...], chosen: Mapping[Any, Any]
    ) -> Iterator[tuple[Any, Any]]:
        """Share increments out so that as many choosers as can keep the target they chose."""
        for number, cls in enumerate(self.groups[group]):
            left = {target: i[number] for target, i in zip(self.targets, increments, strict=True)}
            moved = []
            for one in cls:
                if left.get(chosen.get(one), 0):
                    left[chosen[one]] -= 1
                    yield one, chosen[one]
                else:
                    moved.append(one)
            spare = [target for target, count in left.items() for _ in range(count)]
            yield from zip(moved, spare, strict=True)

    def _targets_of(self, picked: tuple[Any, ...]) -> list[Any]:
        return [target for _, target in picked] if self.kernel.form.chooser is not None else list(picked)


def multinomial(parts: Sequence[int]) -> int:
    """Count the ways to share members out in parts of these sizes."""
    return factorial(sum(parts)) // prod(map(factorial, parts))


def labellings(cells: Sequence[Any], shares: Sequence[Any]) -> int:
    """Count the ways to say which target of a cell gets which of the shares of that cell."""
    alike = Counter(zip(cells, shares, strict=True))
    return prod(map(factorial, Counter(cells).values())) // prod(map(factorial, alike.values()))


def added(counts: Counts, increments: Increments) -> Counts:
    """Add increments to counts."""
    return tuple([count + sum(increment) for count, increment in zip(counts, increments, strict=True)])


def sorted_within(numbers: Sequence[int], increments: Increments, counts: Counts) -> tuple[Increments, Counts]:
    """Order the increments (and counts with them) among the targets of one cell.

    A single class picks the first of a cell first and keeps this order by itself.
    """
    if len(numbers) == 1:
        return increments, counts
    new, after = list(increments), list(counts)
    pairs = sorted([(increments[number], counts[number]) for number in numbers], reverse=True)
    for number, (increment, count) in zip(numbers, pairs, strict=True):
        new[number], after[number] = increment, count
    return tuple(new), tuple(after)


def one_more(counts: Counts, number: int) -> Counts:
    """Count one more."""
    return (*counts[:number], counts[number] + 1, *counts[number + 1 :])


def arrangements(counts: Sequence[int]) -> list[tuple[int, ...]]:
    """List the distinct sequences in which number `i` stands `counts[i]` times."""
    if max(counts, default=0) <= 1:
        return list(itertools.permutations([number for number, count in enumerate(counts) if count]))
    sequences: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), tuple(counts))]
    for _ in range(sum(counts)):
        sequences = [
            ((*sequence, number), (*left[:number], left[number] - 1, *left[number + 1 :]))
            for sequence, left in sequences
            for number, count in enumerate(left)
            if count
        ]
    return [sequence for sequence, _ in sequences]
