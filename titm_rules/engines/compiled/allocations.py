"""Allocations: choosers that pick targets in an order, by normal forms.

Choosers of one rank may choose in any order. Choosers that the rules cannot tell apart form a
class; what matters of a rank's choices is how often each class picked each target (the
increments). Every allocation has exactly one sequence of increments, so allocations are counted
by the increments that can be reached, times the ways to share them out among the members.

What a class may pick in a state stands in a table, see `picks`. Where a rank is one class, as most
are, the state alone tells its increments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import Any

from titm_rules.diagnostics import Undecided
from titm_rules.engines.compiled.alike import Alike
from titm_rules.engines.compiled.aspects import Aspects
from titm_rules.engines.compiled.picks import UNITS, Numbers, Table, Tables, TooMany, check_size, counts_of, state_of
from titm_rules.engines.compiled.program import Program
from titm_rules.rules.model import Allocation, head_key
from titm_rules.world.records import Record, Situation

Increment = tuple[int, ...]
Increments = tuple[Increment, ...]
Counts = tuple[int, ...]
# The increments of a rank so far; with the counts of the targets, and how many of each class have chosen.
CountedStates = dict[Increments, tuple[Counts, Counts]]


class Picked:
    """The state of an allocation: how often each target was picked, and what was worked out of it."""

    __slots__ = ("counts", "memo_")

    def __init__(self, counts: dict[int, int]) -> None:
        self.counts = counts
        self.memo_: defaultdict[int, dict[Any, Any]] = defaultdict(dict)

    @classmethod
    def of(cls, picks: Mapping[Any, int]) -> Picked:
        """Make the state in which each target was picked so often."""
        return cls(defaultdict(int, {one.index_: count for one, count in picks.items()}))


class AllocationKernel:
    """One allocation form, compiled."""

    def __init__(self, program: Program, form: Allocation) -> None:
        self.form = form
        given = [name for name, _ in form.given]
        self.targets = program.term(form.targets, given)
        self.barred = program.head(head_key(form.name, "choose"))
        self.aspects = Aspects(program, form)
        self.tables = Tables()
        if form.choosers is not None:
            self.choosers = program.term(form.choosers, given)
        self.rank = program.term(form.order, [*given, form.chooser[0]]) if form.order and form.chooser else None
        self.target_key, self.chooser_key = self.aspects.of_target, self.aspects.of_chooser
        if not self.aspects.tell_all:
            roots = [head_key(form.name, "choose")]
            self.target_key = Alike(program, roots, form.target[1].name).key
            self.chooser_key = Alike(program, roots, (form.chooser or form.target)[1].name).key

    def tables_about(self, root: Situation, given: Sequence[Any], kinds: Hashable) -> dict[Hashable, Table]:
        """Give the tables for targets of some kinds; those of another battle, if nothing that matters is different."""
        if not self.aspects.tell_all:
            return {}
        try:
            return self.tables.about((self.aspects.values(root, *given), kinds))
        except Undecided:
            return {}  # the clauses leave something open; it is asked again where it matters


class Asking:
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
        state = Picked({target.index_: count for target, count in zip(self.targets, counts, strict=True)})
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
                raise TooMany
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
                    new = (*state[:number], one_more(increment, cls), *state[number + 1 :])
                    after = one_more(now, number)
                    if cell is not None and len(sizes) > 1:
                        new, after = sorted_within(alike[cell], new, after)
                    if new not in found:
                        found[new] = (after, one_more(used, cls))
        return found


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
