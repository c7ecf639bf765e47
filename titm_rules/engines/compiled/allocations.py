"""Allocations: choosers pick targets in an order; states, checks and single picks.

A byte of the number says how often a target was picked, the first target in the lowest byte: to pick a target adds
a power of 256.

Choosers of one rank may choose in any order. Choosers that the rules cannot tell apart form a
class; what matters of a rank's choices is how often each class picked each target (the
increments). Every allocation has exactly one sequence of increments, so allocations are counted
by the increments that can be reached, times the ways to share them out among the members.

What a class may pick in a state stands in a table, see `picks`. Where a rank is one class, as most
are, the state alone tells its increments.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from math import comb, factorial, prod
from typing import Any

from titm_rules.diagnostics import Fault, InputError, Undecided
from titm_rules.engines.compiled.equivalence import PickAspects, RecordClasses
from titm_rules.engines.compiled.program import Program
from titm_rules.ir.model import Allocation, PickPart, Selection, head_key
from titm_rules.world.records import Record, Situation
from titm_rules.world.world import World

# ---------------------------------------------------------------------- picks
MOST_PICKS = 255
KEPT = 50_000  # states in tables that are kept from one battle to the next

Numbers = tuple[int, ...]


class TableTooLarge(Exception):
    """There are more states than the caller wants to follow."""


class Table:
    """What choosers that are alike may pick.

    Attributes:
        open: by state, the numbers of the targets.
        cells: by kinds and counts of all targets in a state, the kinds and counts of those that may be picked.
    """

    __slots__ = ("cells", "open")

    def __init__(self) -> None:
        self.open: dict[int, Numbers] = {}
        self.cells: dict[Hashable, frozenset[tuple[int, int]]] = {}


class Tables:
    """The tables of one form, by what they rest on; all are forgotten when they have grown too large."""

    def __init__(self) -> None:
        self._known: dict[Hashable, dict[Hashable, Table]] = {}
        self._states = 0

    def about(self, rests_on: Hashable) -> dict[Hashable, Table]:
        """Give the tables by kind of chooser for battles that are alike in all that picks rest on."""
        found = self._known.get(rests_on)
        if found is None:
            found = self._known[rests_on] = {}
        return found

    def grow(self) -> None:
        """Note that a state was added."""
        self._states += 1
        if self._states > KEPT:
            self._known, self._states = {}, 0


# ---------------------------------------------------------------------- states
def counts_of(state: int, targets: int) -> Numbers:
    """List how often each target was picked."""
    return tuple(state.to_bytes(targets, "little"))


def state_of(counts: Sequence[int]) -> int:
    """Make a state of how often each target was picked."""
    return int.from_bytes(bytes(counts), "little")


UNITS = tuple(1 << 8 * number for number in range(MOST_PICKS))  # what the pick of a target adds to a state


# ---------------------------------------------------------------------- numbers of ways
FACTORIALS = tuple(factorial(number) for number in range(MOST_PICKS + 1))


def multinomial(parts: Sequence[int]) -> int:
    """Count the ways to share members out in parts of these sizes."""
    return FACTORIALS[sum(parts)] // prod([FACTORIALS[part] for part in parts])


def too_large(form: str, why: str) -> InputError:
    """Tell that an allocation is too large to be looked at."""
    return InputError([Fault(f"too large for `{form}`", "$.input", why, "ask about fewer", kind="too-large")])


def check_size(form: str, choosers: int, targets: int) -> None:
    """Refuse allocations whose states do not fit.

    Raises:
        InputError: for more than 255 choosers or targets.
    """
    if max(choosers, targets) > MOST_PICKS:
        raise too_large(form, f"limit: {MOST_PICKS} who choose, and as many to choose from")


# ---------------------------------------------------------------------- allocations
Increment = tuple[int, ...]
Increments = tuple[Increment, ...]
Counts = tuple[int, ...]
# The increments of a rank so far; with the counts of the targets, and how many of each class have chosen.
CountedStates = dict[Increments, tuple[Counts, Counts]]


class PickTally:
    """The state of an allocation: how often each target was picked, and what was worked out of it."""

    __slots__ = ("counts", "memo_")

    def __init__(self, counts: dict[int, int]) -> None:
        self.counts = counts
        self.memo_: defaultdict[int, dict[Any, Any]] = defaultdict(dict)

    @classmethod
    def of(cls, picks: Mapping[Any, int]) -> PickTally:
        """Make the state in which each target was picked so often."""
        return cls(defaultdict(int, {one.index_: count for one, count in picks.items()}))


class AllocationKernel:
    """One allocation form, compiled."""

    def __init__(self, program: Program, form: Allocation) -> None:
        self.form = form
        given = [name for name, _ in form.given]
        self.targets = program.term(form.targets, given)
        self.barred = program.head(head_key(form.name, "choose"))
        self.aspects = PickAspects(program, form)
        self.tables = Tables()
        if form.choosers is not None:
            self.choosers = program.term(form.choosers, given)
        self.rank = program.term(form.order, [*given, form.chooser[0]]) if form.order and form.chooser else None
        self.target_key, self.chooser_key = self.aspects.of_target, self.aspects.of_chooser
        if not self.aspects.tell_all:
            roots = [head_key(form.name, "choose")]
            self.target_key = RecordClasses(program, roots, form.target[1].name).key
            self.chooser_key = RecordClasses(program, roots, (form.chooser or form.target)[1].name).key

    def tables_about(self, root: Situation, given: Sequence[Any], kinds: Hashable) -> dict[Hashable, Table]:
        """Give the tables for targets of some kinds; those of another battle, if nothing that matters is different."""
        if not self.aspects.tell_all:
            return {}
        try:
            return self.tables.about((self.aspects.values(root, *given), kinds))
        except Undecided:
            return {}  # the clauses leave something open; it is asked again where it matters


class AllocationState:
    """One question put to an allocation form.

    Args:
        by_kind: number the targets so that those of a kind follow each other, not in the order of the situation.

    Attributes:
        targets: what may be picked.
        kinds: for each target a number of its kind; targets of one kind are alike.
        groups: the ranks, first to choose first; each holds classes of choosers.
    """

    def __init__(
        self, kernel: AllocationKernel, root: Situation, given: Mapping[str, Any], by_kind: bool = False
    ) -> None:
        self.kernel, self.root, self.all_given = kernel, root, given
        self.given = tuple([given[name] for name, _ in kernel.form.given])
        self.targets: list[Any] = list(kernel.targets(root, *self.given))
        keys = [kernel.target_key(root, target) for target in self.targets]
        order = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        self.kinds = [order[key] for key in keys]
        if by_kind:
            numbers = sorted(range(len(keys)), key=self.kinds.__getitem__)
            self.targets, keys = [self.targets[n] for n in numbers], [keys[n] for n in numbers]
            self.kinds.sort()
        self._shared = kernel.tables_about(root, self.given, tuple(keys))
        self.groups, self.tables = self._ranks()

    def _ranks(self) -> tuple[list[list[list[Any]]], list[list[Table]]]:
        """List the ranks, first to choose first; each holds classes of choosers, and their tables."""
        kernel, root, shared = self.kernel, self.root, self._shared
        if kernel.form.chooser is None:
            table, number = shared.setdefault(None, Table()), self.all_given[kernel.form.counter]
            check_size(kernel.form.name, number, len(self.targets))
            return [[[one]] for one in range(number)], [[table]] * number
        ranks: dict[Any, dict[Any, list[Any]]] = {}
        choosers = kernel.choosers(root, *self.given)
        check_size(kernel.form.name, len(choosers), len(self.targets))
        for one in choosers:
            rank = kernel.rank(root, *self.given, one) if kernel.rank is not None else 0
            ranks.setdefault(rank, {}).setdefault(kernel.chooser_key(root, one), []).append(one)
        ordered = [ranks[rank] for rank in sorted(ranks, reverse=True)]
        tables = [[shared.setdefault(key, Table()) for key in classes] for classes in ordered]
        return [list(classes.values()) for classes in ordered], tables

    # ------------------------------------------------------------------ what may be picked
    def open(self, group: int, cls: int, state: int) -> Numbers:
        """List the targets that a class may pick in a state, by number."""
        found = self.tables[group][cls].open.get(state)
        return self.look(group, cls, state) if found is None else found

    def look(self, group: int, cls: int, state: int) -> Numbers:
        """As `open`, for a state that is not in the table."""
        table, counts = self.tables[group][cls], counts_of(state, len(self.targets))
        alike = tuple(sorted(zip(self.kinds, counts, strict=True)))
        allowed = table.cells.get(alike)
        if allowed is None:
            allowed = table.cells[alike] = self._judge(self.groups[group][cls][0], counts)
            self.kernel.tables.grow()
        cells = enumerate(zip(self.kinds, counts, strict=True))
        found = table.open[state] = tuple([number for number, cell in cells if cell in allowed])
        self.kernel.tables.grow()
        return found

    def _judge(self, chooser: Record, counts: Sequence[int]) -> frozenset[tuple[int, int]]:
        state = PickTally({target.index_: count for target, count in zip(self.targets, counts, strict=True)})
        named = (chooser,) if self.kernel.form.chooser is not None else ()
        cells = {(kind, count): target for kind, count, target in zip(self.kinds, counts, self.targets, strict=True)}
        barred = self.kernel.barred
        return frozenset(
            cell for cell, target in cells.items() if not barred(self.root, state, *named, target, *self.given)
        )

    # ------------------------------------------------------------------ what a rank can reach
    def spread(self, group: int, start: int) -> Iterable[int]:
        """List the states that a rank of one class can reach, in the order of the first way to each."""
        states: dict[int, None] = {start: None}
        known = self.tables[group][0].open
        for _ in self.groups[group][0]:
            found: dict[int, None] = {}
            for state in states:
                numbers = known.get(state)
                for number in self.look(group, 0, state) if numbers is None else numbers:
                    found[state + UNITS[number]] = None
            states = found
        return states

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
                raise TableTooLarge
            for cls, size in enumerate(sizes):
                if used[cls] == size:
                    continue
                seen = set()
                for number in self.open(group, cls, state_of(now)):
                    increment = state[number]
                    if within is not None and increment[cls] >= within[number][cls]:
                        continue
                    cell = cells[number]
                    if cell is not None:
                        if (cell, increment) in seen:
                            continue
                        seen.add((cell, increment))
                    new = (*state[:number], add_one(increment, cls), *state[number + 1 :])
                    after = add_one(now, number)
                    if cell is not None and len(sizes) > 1:
                        new, after = sorted_within(alike[cell], new, after)
                    if new not in found:
                        found[new] = (after, add_one(used, cls))
        return found


def add_increments(counts: Counts, increments: Increments) -> Counts:
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


def add_one(counts: Counts, number: int) -> Counts:
    """Count one more."""
    return (*counts[:number], counts[number] + 1, *counts[number + 1 :])


# ---------------------------------------------------------------------- checks
def is_legal(asking: AllocationState, picked: tuple[Any, ...]) -> bool:
    """Whether one allocation is legal: whether each rank can pick, in some order, what it picked."""
    numbers = {target: number for number, target in enumerate(asking.targets)}
    named = asking.kernel.form.chooser is not None
    chosen = dict(picked) if named else dict(enumerate(picked))
    if not all(target in numbers for target in chosen.values()):
        return False
    state = 0
    for group, classes in enumerate(asking.groups):
        wanted = [[numbers[chosen[one]] for one in cls] for cls in classes]
        after = state + sum(UNITS[number] for numbers_of in wanted for number in numbers_of)
        if not _has_order(asking, group, state, wanted):
            return False
        state = after
    return True


def _has_order(asking: AllocationState, group: int, state: int, wanted: list[list[int]]) -> bool:
    """Whether a rank can make its picks in some order."""
    if len(wanted) == 1:
        return _leads_to(asking, group, state, state + sum([UNITS[number] for number in wanted[0]]))
    rows = range(len(asking.targets))
    increments = tuple(tuple(numbers.count(row) for numbers in wanted) for row in rows)
    return increments in asking.reachable(group, counts_of(state, len(rows)), increments, increments)


def _leads_to(asking: AllocationState, group: int, start: int, goal: int) -> bool:
    """Whether a class can bring one state to another; of targets of which the same is to come the first is picked."""
    size, kinds = len(asking.targets), asking.kinds
    wanted, had = counts_of(goal, size), counts_of(start, size)
    todo, seen = [start], {start}
    while todo:
        state = todo.pop()
        if state == goal:
            return True
        counts, tried = counts_of(state, size), set()
        for number in asking.open(group, 0, state):
            count, want = counts[number], wanted[number]
            after = state + UNITS[number]
            cell = (kinds[number], had[number], count, want)
            if count < want and after not in seen and cell not in tried:
                tried.add(cell)
                seen.add(after)
                todo.append(after)
    return False


def nearest(asking: AllocationState, picked: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Find a legal allocation of choosers that changes the fewest picks; nothing if none is legal."""
    chosen = dict(picked)
    wishes = [
        [tuple(sum(chosen.get(one) is target for one in cls) for cls in classes) for target in asking.targets]
        for classes in asking.groups
    ]
    marks = list(zip(*wishes, strict=True))
    best: dict[Counts, tuple[int, tuple[Increments, ...]]] = {(0,) * len(asking.targets): (0, ())}
    for group, wished in enumerate(wishes):
        following: dict[Counts, tuple[int, tuple[Increments, ...]]] = {}
        for counts, (kept, path) in best.items():
            for increments in asking.reachable(group, counts, marks):
                after = add_increments(counts, increments)
                pairs = (pair for i, w in zip(increments, wished, strict=True) for pair in zip(i, w, strict=True))
                total = kept + sum(map(min, pairs))
                if after not in following or following[after][0] < total:
                    following[after] = (total, (*path, increments))
        best = following
    if not best:
        return None
    _, path = max(best.values(), key=lambda found: found[0])
    shared = [pair for group, increments in enumerate(path) for pair in _kept(asking, group, increments, chosen)]
    return tuple(sorted(shared, key=lambda pair: pair[0].index_))


def _kept(
    asking: AllocationState, group: int, increments: Increments, chosen: Mapping[Any, Any]
) -> Iterator[tuple[Any, Any]]:
    """Share increments out so that as many choosers as can keep the target they chose."""
    for number, cls in enumerate(asking.groups[group]):
        left = {target: i[number] for target, i in zip(asking.targets, increments, strict=True)}
        moved = []
        for one in cls:
            if left.get(chosen.get(one), 0):
                left[chosen[one]] -= 1
                yield one, chosen[one]
            else:
                moved.append(one)
        spare = [target for target, count in left.items() for _ in range(count)]
        yield from zip(moved, spare, strict=True)


# ---------------------------------------------------------------------- next picks
class PickKernel:
    """The picks of one event, compiled.

    Args:
        program: compiles the terms.
        part: the part of the event.
        bound: the names that the parts before it bind.
    """

    def __init__(self, program: Program, part: PickPart, bound: Sequence[str]) -> None:
        form = program.model.forms[part.form]
        assert isinstance(form, Allocation)
        self._part, self._named = part, form.chooser is not None
        terms, names = dict(part.bindings), [one for one, _ in form.given]
        self._given = [program.term(terms[one], tuple(bound)) for one in names]
        self._targets = program.term(form.targets, names)
        self._choosers = program.term(form.choosers, names) if form.choosers is not None else None
        ranked = form.order is not None and form.chooser is not None
        self._order = program.term(form.order, [*names, form.chooser[0]]) if ranked else None  # type: ignore[arg-type,index]
        self._barred = program.head(head_key(form.name, "choose"))

    def picks(self, world: World, seen: tuple[Any, ...]) -> Iterator[Any]:
        """Yield the next picks, as records of the situation that is played.

        `seen` is the root in which the allocation is asked, and what the names stand for there. A pick is a target,
        or a chooser and a target.
        """
        root, part, named = seen[0], self._part, world.named
        given = [function(*seen) for function in self._given]
        targets = self._targets(root, *given)
        taken, choosers = self._taken(world, root, given, targets)
        state = PickTally(defaultdict(int, {one.index_: taken[one.id] for one in targets}))
        for chooser in choosers:
            who = (chooser,) if self._named else ()
            for target in targets:
                if not self._barred(root, state, *who, target, *given):
                    found = named(part.target.name, target.id)
                    yield (named(part.keeper.name, chooser.id), found) if self._named else found

    def _taken(
        self, world: World, root: Situation, given: list[Any], targets: list[Any]
    ) -> tuple[Counter[str], list[Any]]:
        """Count what was picked so far, as the situation keeps it, and list who is to pick next."""
        keeper, kept, named = self._part.keeper.name, self._part.kept, world.named
        if self._choosers is None:
            return Counter({one.id: getattr(named(keeper, one.id), kept) for one in targets}), [None]
        left: list[Record] = []
        taken: Counter[str] = Counter()
        for one in self._choosers(root, *given):
            target = getattr(named(keeper, one.id), kept)
            if target is None:
                left.append(one)
            else:
                taken[target.id] += 1
        if self._order is not None and left:
            ranks = [self._order(root, *given, one) for one in left]
            highest = max(ranks)
            left = [one for one, rank in zip(left, ranks, strict=True) if rank == highest]
        return taken, left


# ---------------------------------------------------------------------- selections
MAX_COMBINATIONS = 1 << 15


class SelectionKernel:
    """One selection form, compiled."""

    def __init__(self, program: Program, form: Selection) -> None:
        self.form = form
        given = [name for name, _ in form.given]
        self.members = program.term(form.members, given)
        self.barred = program.head(head_key(form.name, "choose"))
        self.rank = program.term(form.rank, [*given, form.picked[0]]) if form.rank is not None else None
        self.member_key = RecordClasses(
            program, [head_key(form.name, "choose")], form.picked[1].name, [form.rank] if form.rank is not None else []
        )

    def legal_numbers(
        self, root: Situation, given: Mapping[str, Any]
    ) -> Iterator[tuple[list[list[Any]], tuple[int, ...]]]:
        """Yield the kinds of members, and how many of each a legal set may hold.

        Raises:
            InputError: where there are more combinations than can be tried.
        """
        values = tuple(given[name] for name, _ in self.form.given)
        kinds: defaultdict[Any, list[Any]] = defaultdict(list)
        members = self.members(root, *values)
        place = {one: number for number, one in enumerate(members)}
        for one in members:
            kinds[self.member_key.key(root, one)].append(one)
        groups = list(kinds.values())
        if prod(len(group) + 1 for group in groups) > MAX_COMBINATIONS:
            raise InputError(
                [
                    Fault(
                        "too many different members to try every set",
                        "$.input",
                        f"limit: {MAX_COMBINATIONS} combinations",
                        "ask about fewer",
                        kind="too-large",
                    )
                ]
            )
        legal: dict[tuple[int, ...], int] = {}
        for numbers in itertools.product(*(range(len(group) + 1) for group in groups)):
            sample = [one for group, number in zip(groups, numbers, strict=True) for one in group[:number]]
            sample.sort(key=place.__getitem__)
            if not self.barred(root, sample, *values):
                legal[numbers] = self.rank(root, *values, sample) if self.rank is not None else 0
        for numbers, rank in legal.items():
            if rank == min(legal.values()):
                yield groups, numbers

    def count(self, root: Situation, given: Mapping[str, Any]) -> int:
        """Count the legal sets."""
        return sum(
            prod(comb(len(group), number) for group, number in zip(groups, numbers, strict=True))
            for groups, numbers in self.legal_numbers(root, given)
        )

    def lowest(self, root: Situation, given: Mapping[str, Any]) -> int | None:
        """What the legal sets have least of; nothing if there are none, or if sets have no rank."""
        values = tuple(given[name] for name, _ in self.form.given)
        picked = next(self.choices(root, given), None)
        return self.rank(root, *values, list(picked)) if self.rank is not None and picked is not None else None

    def choices(self, root: Situation, given: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
        """Yield the legal sets, members in the order of the situation."""
        for groups, numbers in self.legal_numbers(root, given):
            parts = [itertools.combinations(group, number) for group, number in zip(groups, numbers, strict=True)]
            for picked in itertools.product(*parts):
                yield tuple(sorted(itertools.chain(*picked), key=lambda one: one.index_))

    def is_legal(self, root: Situation, given: Mapping[str, Any], picked: tuple[Any, ...]) -> bool:
        """Whether one set is legal."""
        values = tuple(given[name] for name, _ in self.form.given)
        members = self.members(root, *values)
        if len(set(picked)) < len(picked) or any(one not in members for one in picked):
            return False
        if self.barred(root, [one for one in members if one in picked], *values):
            return False
        return self.rank is None or set(picked) in map(set, self.choices(root, given))
