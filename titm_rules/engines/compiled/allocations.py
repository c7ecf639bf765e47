"""The allocation space: choosers pick targets in an order; its states, its moves, and the check of one allocation.

A state is a number: byte `n` says how often target `n` was picked, so that picking it adds 256 ** n.

Choosers of one rank choose in any order. Choosers that the rules cannot tell apart form a class; all that matters of a
rank's choices is how often each class picked each target (the increments). Every allocation has exactly one sequence
of increments, so a fold over the allocations follows the increments that can be reached, and the ways to share them
out among the members. In a rank of one class, as most are, the state alone gives the increments.

What a class may pick in a state is kept in a table, see `Table`; battles that are alike in all that picks depend on
share it.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from math import comb, factorial, prod
from typing import Any

from titm_rules.diagnostics import Fault, InputError, Undecided
from titm_rules.engines.compiled.equivalence import PickAspects, RecordClasses
from titm_rules.engines.compiled.program import Program
from titm_rules.engines.engine import picks_so_far
from titm_rules.ir.model import Allocation, PickPart, Selection, head_key
from titm_rules.ir.terms import Var
from titm_rules.ir.types import NUMBER
from titm_rules.world.records import Record, Situation
from titm_rules.world.world import World

MAX_PICKS = 255  # a count is one byte
MAX_COMBINATIONS = 1 << 15
CACHE_SIZE = 50_000  # states in tables that are kept from one battle to the next

Numbers = tuple[int, ...]
Counts = tuple[int, ...]  # how often each target was picked
Increment = tuple[int, ...]  # how often each class of a rank picked one target
Increments = tuple[Increment, ...]
# The increments of a rank so far; with the counts of the targets, and how many of each class have chosen.
CountedStates = dict[Increments, tuple[Counts, Counts]]

UNITS = tuple(1 << 8 * number for number in range(MAX_PICKS))  # what the pick of a target adds to a state
FACTORIALS = tuple(factorial(number) for number in range(MAX_PICKS + 1))


class TableTooLarge(Exception):
    """There are more states than the caller wants to follow."""


@dataclass(slots=True)
class Table:
    """The targets that the choosers of one class may pick, by state (`open`) as numbers.

    `cells` has, by kinds and counts of all targets in a state, the kinds and counts of those that may be picked.
    """

    open: dict[int, Numbers] = field(default_factory=dict)
    cells: dict[Hashable, frozenset[tuple[int, int]]] = field(default_factory=dict)


@dataclass(slots=True)
class SharedTables:
    """What battles share that are alike in all that picks depend on: `tables` by class.

    `rows` has lists of allocations, by the ranks and what else their order depends on: each allocation is a function
    that picks its cells out of all; nothing where there are too many.
    """

    tables: defaultdict[Hashable, Table] = field(default_factory=partial(defaultdict, Table))
    rows: dict[Hashable, list[Callable[[list[Any]], tuple[Any, ...]]] | None] = field(default_factory=dict)


class Tables:
    """The tables of one form, by all that they depend on; they are cleared when they have grown too large."""

    def __init__(self) -> None:
        self._known: defaultdict[Hashable, SharedTables] = defaultdict(SharedTables)
        self._states = 0

    def shared_by(self, key: Hashable) -> SharedTables:
        return self._known[key]

    def grow(self, states: int = 1) -> None:
        self._states += states
        if self._states > CACHE_SIZE:
            self._known, self._states = defaultdict(SharedTables), 0


def counts_of(state: int, targets: int) -> Numbers:
    return tuple(state.to_bytes(targets, "little"))


def state_of(counts: Sequence[int]) -> int:
    return int.from_bytes(bytes(counts), "little")


def add_one(counts: Counts, number: int) -> Counts:
    return (*counts[:number], counts[number] + 1, *counts[number + 1 :])


def add_increments(counts: Counts, increments: Increments) -> Counts:
    return tuple([count + sum(increment) for count, increment in zip(counts, increments, strict=True)])


def multinomial(parts: Sequence[int]) -> int:
    return FACTORIALS[sum(parts)] // prod([FACTORIALS[part] for part in parts])


def too_large(what: str, why: str) -> InputError:
    return InputError([Fault(what, "$.input", why, "ask about fewer", kind="too-large")])


class PickTally:
    """How often each target was picked, and the values computed from it."""

    __slots__ = ("counts", "memo_")

    def __init__(self, counts: dict[int, int]) -> None:
        self.counts = counts
        self.memo_: defaultdict[int, dict[Any, Any]] = defaultdict(dict)

    @classmethod
    def of(cls, picks: Mapping[Any, int]) -> PickTally:
        return cls(defaultdict(int, {target.index_: count for target, count in picks.items()}))


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
        if not self.aspects.complete:
            roots = [head_key(form.name, "choose")]
            self.target_key = RecordClasses(program, roots, form.target[1].name).key
            self.chooser_key = RecordClasses(program, roots, (form.chooser or form.target)[1].name).key

    def shared_tables(self, root: Situation, given: Sequence[Any], kinds: Hashable) -> SharedTables | None:
        """Return the tables for targets of some kinds, if battles that picks cannot tell apart share them."""
        if not self.aspects.complete:
            return None
        try:
            return self.tables.shared_by((self.aspects.values(root, *given), kinds))
        except Undecided:
            return None  # the clauses leave something open; it is asked again where it matters


class AllocationSpace:
    """The states and moves of one question that is put to an allocation form.

    `kinds` has for each target the number of its kind; targets of one kind are interchangeable, and with `by_kind`
    follow each other instead of standing in the order of the situation. `groups` are the ranks, first to choose first,
    each with its classes of choosers, `ranks` the key and size of each class; `shared` is what other battles share,
    if any do. Raises `InputError` for more than 255 choosers or targets.
    """

    def __init__(
        self, kernel: AllocationKernel, root: Situation, given: Mapping[str, Any], by_kind: bool = False,
        allowed: Mapping[Any, frozenset[Any]] | None = None,
    ) -> None:  # fmt: skip
        """Open the space; with `allowed` choosers (which have names) may pick only what it lists for them."""
        self.kernel, self.form, self.root, self.allowed = kernel, kernel.form, root, allowed
        self.given = tuple([given[name] for name, _ in kernel.form.given])
        self.targets: list[Any] = list(kernel.targets(root, *self.given))
        keys: list[Any] = [kernel.target_key(root, target) for target in self.targets]
        if allowed is not None:  # by which targets differ, and choosers
            keys = list(range(len(keys)))
        order = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        self.kinds = [order[key] for key in keys]
        if by_kind:
            numbers = sorted(range(len(keys)), key=self.kinds.__getitem__)
            self.targets, keys = [self.targets[n] for n in numbers], [keys[n] for n in numbers]
            self.kinds.sort()
        self.shared = kernel.shared_tables(root, self.given, tuple(keys)) if allowed is None else None
        tables = defaultdict[Hashable, Table](Table) if self.shared is None else self.shared.tables
        if self.form.chooser is None:
            number = given[self.form.counter]
            self._check_size(number)
            ranks: list[dict[Any, list[Any]]] = [{None: [place]} for place in range(number)]
        else:
            ranks = self._ranks()
        self.groups = [list(classes.values()) for classes in ranks]
        self.tables = [[tables[key] for key in classes] for classes in ranks]
        self.ranks = tuple([(*classes, *map(len, classes.values())) for classes in ranks])

    def _ranks(self) -> list[dict[Any, list[Any]]]:
        """List the ranks, first to choose first; each maps keys to the choosers who have them."""
        kernel, root = self.kernel, self.root
        ranks: dict[Any, dict[Any, list[Any]]] = {}
        choosers = kernel.choosers(root, *self.given)
        self._check_size(len(choosers))
        for chooser in choosers:
            rank = kernel.rank(root, *self.given, chooser) if kernel.rank is not None else 0
            key = kernel.chooser_key(root, chooser)
            key = key if self.allowed is None else (key, self.allowed.get(chooser))
            ranks.setdefault(rank, {}).setdefault(key, []).append(chooser)
        return [ranks[rank] for rank in sorted(ranks, reverse=True)]

    def _check_size(self, choosers: int) -> None:
        if max(choosers, len(self.targets)) > MAX_PICKS:
            raise self.too_large(f"{MAX_PICKS} who choose, and as many to choose from")

    def too_large(self, limit: str) -> InputError:
        return too_large(f"too large for `{self.form.name}`", f"limit: {limit}")

    # Moves
    def open(self, group: int, cls: int, state: int) -> Numbers:
        numbers = self.tables[group][cls].open.get(state)
        return self._look(group, cls, state) if numbers is None else numbers

    def _look(self, group: int, cls: int, state: int) -> Numbers:
        """As `open`, for a state that is not in the table."""
        table, counts = self.tables[group][cls], counts_of(state, len(self.targets))
        cells = list(zip(self.kinds, counts, strict=True))
        key = tuple(sorted(cells))
        allowed = table.cells.get(key)
        if allowed is None:
            allowed = table.cells[key] = self._judge(self.groups[group][cls][0], cells)
            self.kernel.tables.grow()
        numbers = table.open[state] = tuple([number for number, cell in enumerate(cells) if cell in allowed])
        self.kernel.tables.grow()
        return numbers

    def _judge(self, chooser: Record, cells: Sequence[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        """List the cells that a chooser may pick from: a kind and a count, asked of one target each."""
        tally = PickTally({target.index_: count for target, (_, count) in zip(self.targets, cells, strict=True)})
        named = (chooser,) if self.form.chooser is not None else ()
        samples, barred = dict(zip(cells, self.targets, strict=True)), self.kernel.barred
        allowed = self.targets if self.allowed is None else self.allowed.get(chooser, self.targets)
        return frozenset(
            cell for cell, target in samples.items()
            if target in allowed and not barred(self.root, tally, *named, target, *self.given)
        )  # fmt: skip

    def layers(self, group: int, start: int, same: Sequence[bool] = ()) -> Iterator[Collection[int]]:
        """Yield the states after each choice of a rank of one class, in the order of the first way to each.

        `same` says whether a target is of the kind and the count of the one before it; if it is given, one of the
        states that differ by such targets alone is followed: the first of a cell is picked first.
        """
        states: dict[int, None] = {start: None}
        known = self.tables[group][0].open
        for _ in self.groups[group][0]:
            following: dict[int, None] = {}
            for state in states:
                numbers: Iterable[int] | None = known.get(state)
                if numbers is None:
                    numbers = self._look(group, 0, state)
                if same:
                    counts = counts_of(state, len(self.targets))
                    numbers = [n for n in numbers if not (same[n] and counts[n] == counts[n - 1])]
                for number in numbers:
                    following[state + UNITS[number]] = None
            states = following
            yield states

    def reachable(
        self, group: int, counts: Counts, marks: Sequence[Any] | None = None, most: int | None = None
    ) -> Set[Increments]:
        """Collect the increments of a rank that some order of choosing reaches.

        Targets of one kind, count and mark are interchangeable: of choices that differ only in which of them is picked,
        one is followed. Without marks all are. Raises `TableTooLarge` for more than `most` states on the way.
        """
        sizes = [len(cls) for cls in self.groups[group]]
        zero = (0,) * len(sizes)
        cells = [None] * len(counts) if marks is None else list(zip(self.kinds, counts, marks, strict=True))
        states: CountedStates = {tuple(zero for _ in self.targets): (counts, zero)}
        for _ in range(sum(sizes)):
            states = self._next(group, sizes, states, cells, most)
        return states.keys()

    def _next(
        self, group: int, sizes: list[int], states: CountedStates, cells: Sequence[Any], most: int | None
    ) -> CountedStates:
        following: CountedStates = {}
        in_cell: defaultdict[Any, list[int]] = defaultdict(list)
        for number, cell in enumerate(cells):
            in_cell[cell].append(number)
        for state, (now, used) in states.items():
            if most is not None and len(following) > most:
                raise TableTooLarge
            for cls, size in enumerate(sizes):
                if used[cls] == size:
                    continue
                tried = set()
                for number in self.open(group, cls, state_of(now)):
                    increment, cell = state[number], cells[number]
                    if cell is not None:
                        if (cell, increment) in tried:
                            continue
                        tried.add((cell, increment))
                    new = (*state[:number], add_one(increment, cls), *state[number + 1 :])
                    after = add_one(now, number)
                    if cell is not None and len(sizes) > 1:  # one class keeps its order: it picks the first first
                        new, after = _sorted_within(in_cell[cell], new, after)
                    if new not in following:
                        following[new] = (after, add_one(used, cls))
        return following


def _sorted_within(numbers: Sequence[int], increments: Increments, counts: Counts) -> tuple[Increments, Counts]:
    """Order the increments (and counts with them) among the targets of one cell."""
    if len(numbers) == 1:
        return increments, counts
    new, after = list(increments), list(counts)
    pairs = sorted([(increments[number], counts[number]) for number in numbers], reverse=True)
    for number, (increment, count) in zip(numbers, pairs, strict=True):
        new[number], after[number] = increment, count
    return tuple(new), tuple(after)


# One allocation: is it legal, and which legal one is closest to it
def is_legal(space: AllocationSpace, picked: tuple[Any, ...]) -> bool:
    """Whether one allocation is legal: each rank can pick, in some order, what it picked."""
    numbers = {target: number for number, target in enumerate(space.targets)}
    chosen = dict(picked) if space.form.chooser is not None else dict(enumerate(picked))
    if not all(target in numbers for target in chosen.values()):
        return False
    state = 0
    for group, classes in enumerate(space.groups):
        wanted = [sum([UNITS[numbers[chosen[member]]] for member in cls]) for cls in classes]
        after = state + sum(wanted)
        if not (_leads_to(space, group, state, after) if len(wanted) == 1 else _has_order(space, group, state, wanted)):
            return False
        state = after
    return True


def _leads_to(space: AllocationSpace, group: int, start: int, goal: int) -> bool:
    """Whether a rank of one class can bring a state to another in some order, searched depth first.

    Targets of one kind and count that are still to be picked alike are interchangeable: the first of them is picked.
    """
    size, kinds, known = len(space.targets), space.kinds, space.tables[group][0].open
    wanted, before = counts_of(goal, size), counts_of(start, size)
    todo, seen = [start], {start}
    while todo:
        state = todo.pop()
        if state == goal:
            return True
        counts, tried = counts_of(state, size), set()
        numbers = known.get(state)
        for number in space.open(group, 0, state) if numbers is None else numbers:
            count, want = counts[number], wanted[number]
            if count < want:
                after, cell = state + UNITS[number], (kinds[number], before[number], count, want)
                if after not in seen and cell not in tried:
                    tried.add(cell)
                    seen.add(after)
                    todo.append(after)
    return False


def _has_order(space: AllocationSpace, group: int, start: int, wanted: Sequence[int]) -> bool:
    """As `_leads_to`, for several classes, each of which wants picks (a state) of its own."""
    size, ends = len(space.targets), len(space.targets) * len(wanted)
    goal = sum([picks << 8 * size * cls for cls, picks in enumerate(wanted)])  # the picks of all classes, in one number
    goals, before = goal.to_bytes(ends, "little"), start.to_bytes(size, "little")
    todo, seen, orbits = [0], {0}, set()
    while todo:
        picks = todo.pop()
        if picks == goal:
            return True
        done = picks.to_bytes(ends, "little")
        columns = [(goals[number::size], done[number::size]) for number in range(size)]
        orbit = tuple(sorted(zip(space.kinds, before, columns, strict=True)))
        if orbit in orbits:
            continue
        orbits.add(orbit)
        state = start + sum([state_of(done[first : first + size]) for first in range(0, ends, size)])
        for cls, first in enumerate(range(0, ends, size)):
            if done[first : first + size] == goals[first : first + size]:
                continue
            for number in space.open(group, cls, state):
                after = picks + (1 << 8 * (first + number))
                if done[first + number] < goals[first + number] and after not in seen:
                    seen.add(after)
                    todo.append(after)
    return False


def nearest(space: AllocationSpace, picked: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Find a legal allocation of choosers that changes the fewest picks; nothing if none is legal."""
    chosen = dict(picked)
    wishes = [
        [tuple(sum(chosen.get(member) is target for member in cls) for cls in classes) for target in space.targets]
        for classes in space.groups
    ]
    marks = list(zip(*wishes, strict=True))
    best: dict[Counts, tuple[int, tuple[Increments, ...]]] = {(0,) * len(space.targets): (0, ())}
    for group, wished in enumerate(wishes):
        following: dict[Counts, tuple[int, tuple[Increments, ...]]] = {}
        for counts, (kept, path) in best.items():
            for increments in space.reachable(group, counts, marks):
                after = add_increments(counts, increments)
                pairs = (pair for i, w in zip(increments, wished, strict=True) for pair in zip(i, w, strict=True))
                total = kept + sum(map(min, pairs))
                if after not in following or following[after][0] < total:
                    following[after] = (total, (*path, increments))
        best = following
    if not best:
        return None
    _, path = max(best.values(), key=lambda candidate: candidate[0])
    shared = [pair for group, increments in enumerate(path) for pair in _keeping(space, group, increments, chosen)]
    return tuple(sorted(shared, key=lambda pair: pair[0].index_))


def _keeping(
    space: AllocationSpace, group: int, increments: Increments, chosen: Mapping[Any, Any]
) -> Iterator[tuple[Any, Any]]:
    """Share increments out so that as many choosers as can keep the target they chose."""
    for number, cls in enumerate(space.groups[group]):
        left = {target: i[number] for target, i in zip(space.targets, increments, strict=True)}
        moved = []
        for member in cls:
            if left.get(chosen.get(member), 0):
                left[chosen[member]] -= 1
                yield member, chosen[member]
            else:
                moved.append(member)
        spare = [target for target, count in left.items() for _ in range(count)]
        yield from zip(moved, spare, strict=True)


# The picks of games, made one by one, and selections
class PickKernel:
    """The picks of one event, compiled; `bound` are the names that the parts before it bind."""

    def __init__(self, program: Program, part: PickPart, bound: Sequence[str]) -> None:
        form = program.model.forms[part.form]
        assert isinstance(form, Allocation)
        self._part, self._named = part, form.chooser is not None
        terms, names = dict(part.bindings), [name for name, _ in form.given]
        self._given = [program.term(terms[name], tuple(bound)) for name in names]
        self._targets = program.term(form.targets, names)
        # the choosers, or the number of counters without names
        self._choosers = program.term(Var(form.counter, NUMBER) if form.choosers is None else form.choosers, names)
        self._order = program.term(form.order, [*names, form.chooser[0]]) if form.order and form.chooser else None
        self._barred = program.head(head_key(form.name, "choose"))

    def picks(self, world: World, seen: tuple[Any, ...]) -> Iterator[Any]:
        """Yield the next picks (a target, or a chooser and a target), as records of the situation that is played.

        `seen` is the root in which the allocation is asked, and the values that the names have there.
        """
        root, part, named = seen[0], self._part, world.named
        given = [function(*seen) for function in self._given]
        targets = self._targets(root, *given)
        choosers = self._choosers(root, *given)
        rank = None if self._order is None else partial(self._order, root, *given)
        taken, choosers = picks_so_far(world, part, targets, choosers, rank)
        tally = PickTally(defaultdict(int, {target.index_: taken[target.id] for target in targets}))
        for chooser in choosers:
            choosing = (chooser,) if self._named else ()
            for target in targets:
                if not self._barred(root, tally, *choosing, target, *given):
                    pick = named(part.target.name, target.id)
                    yield (named(part.keeper.name, chooser.id), pick) if self._named else pick


class SelectionKernel:
    """One selection form, compiled."""

    def __init__(self, program: Program, form: Selection) -> None:
        self.form = form
        given = [name for name, _ in form.given]
        self.members = program.term(form.members, given)
        self.barred = program.head(head_key(form.name, "choose"))
        self.rank = program.term(form.rank, [*given, form.picked[0]]) if form.rank is not None else None
        ranks = [form.rank] if form.rank is not None else []
        self.member_key = RecordClasses(program, [head_key(form.name, "choose")], form.picked[1].name, ranks).key

    def _values(self, given: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(given[name] for name, _ in self.form.given)

    def legal_numbers(self, root: Situation, given: Mapping[str, Any]) -> Iterator[tuple[list[list[Any]], Numbers]]:
        """Yield the classes of members, and how many of each a legal set may hold.

        Raises `InputError` where there are more combinations than can be tried.
        """
        values = self._values(given)
        classes: defaultdict[Any, list[Any]] = defaultdict(list)
        members = self.members(root, *values)
        place = {member: number for number, member in enumerate(members)}
        for member in members:
            classes[self.member_key(root, member)].append(member)
        groups = list(classes.values())
        if prod(len(group) + 1 for group in groups) > MAX_COMBINATIONS:
            raise too_large("too many different members to try every set", f"limit: {MAX_COMBINATIONS} combinations")
        legal: dict[Numbers, int] = {}
        for numbers in itertools.product(*(range(len(group) + 1) for group in groups)):
            sample = [member for group, number in zip(groups, numbers, strict=True) for member in group[:number]]
            sample.sort(key=place.__getitem__)
            if not self.barred(root, sample, *values):
                legal[numbers] = self.rank(root, *values, sample) if self.rank is not None else 0
        lowest = min(legal.values(), default=0)
        yield from ((groups, numbers) for numbers, rank in legal.items() if rank == lowest)

    def count(self, root: Situation, given: Mapping[str, Any]) -> int:
        return sum(
            prod(comb(len(group), number) for group, number in zip(groups, numbers, strict=True))
            for groups, numbers in self.legal_numbers(root, given)
        )

    def choices(self, root: Situation, given: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
        """Yield the legal sets, members in the order of the situation."""
        for groups, numbers in self.legal_numbers(root, given):
            parts = [itertools.combinations(group, number) for group, number in zip(groups, numbers, strict=True)]
            for picked in itertools.product(*parts):
                yield tuple(sorted(itertools.chain(*picked), key=lambda member: member.index_))

    def is_legal(self, root: Situation, given: Mapping[str, Any], picked: tuple[Any, ...]) -> bool:
        values = self._values(given)
        members = self.members(root, *values)
        if len(set(picked)) < len(picked) or any(member not in members for member in picked):
            return False
        if self.barred(root, [member for member in members if member in picked], *values):
            return False
        return self.rank is None or set(picked) in map(set, self.choices(root, given))
