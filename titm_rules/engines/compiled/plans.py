"""The legal allocations by kind: those that differ only by records that the rules cannot tell apart.

The increments of an allocation say how often each class of choosers picked each target; the
rules on picking cannot tell the members of a class apart, but its dice may. So the increments
that can be reached are shared out among the members of each class that look alike to the dice,
step by step; of states that differ only by the names of targets that look alike one is followed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from titm_rules.engines.compiled.alike import Alike
from titm_rules.engines.compiled.allocations import Asking, Increment
from titm_rules.engines.compiled.counts import labels_of
from titm_rules.engines.compiled.picks import TooMany, multinomial
from titm_rules.engines.compiled.program import Program
from titm_rules.rules.model import Allocation, head_key
from titm_rules.world.records import Situation

# One allocation of a kind, in the shape that the form's choices have, and how many there are.
PlanCount = tuple[tuple[Any, ...], int]


@dataclass(frozen=True, slots=True)
class Row:
    """What has come to one target.

    Attributes:
        mark: what later choices and the dice can see of it.
        left: the increments that are not shared out yet.
        path: how many members came at each step.
    """

    mark: tuple[int, ...]
    left: Increment
    path: tuple[int, ...]


Rows = tuple[Row, ...]
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
        self.target_look = Alike(program, roots, form.target[1].name, terms)
        self.chooser_look = Alike(program, roots, form.chooser[1].name, terms) if form.chooser is not None else None

    def plans(self, root: Situation, asking: Asking, limit: int) -> list[PlanCount] | None:
        """List the kinds of legal allocation; nothing if there are more than `limit`."""
        try:
            return list(_Sharing(self, root, asking, limit).plans())
        except TooMany:
            return None


class _Sharing:
    """One question put to the kinds of a form."""

    def __init__(self, kernel: PlanKernel, root: Situation, asking: Asking, limit: int) -> None:
        self.asking, self.limit = asking, limit
        self.named = kernel.chooser_look is not None
        looks = [kernel.target_look.key(root, target) for target in asking.targets]
        self.cells = list(zip(asking.kinds, looks, strict=True))
        look = kernel.chooser_look
        key: Callable[[Any], Any] = (lambda one: look.key(root, one)) if look is not None else lambda one: one
        self.groups = [[_by_key(cls, key) for cls in group] for group in asking.groups]

    def plans(self) -> Iterator[PlanCount]:
        """Yield the kinds, each with one allocation that stands for it and their number."""
        states: PlanStates = {None: (1, tuple(Row((), (), ()) for _ in self.cells))}
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
                taken = [Row(row.mark, new, row.path) for row, new in zip(rows, increments, strict=True)]
                self._join(found, taken, number * labels_of(marks, increments))
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
                self._join(found, taken, number * labels_of(seen, shares) * multinomial(shares))
        return found

    def _moved(self, row: Row, cls: int, share: int) -> Row:
        left = (*row.left[:cls], row.left[cls] - share, *row.left[cls + 1 :])
        path = (*row.path, share)
        # Nameless choosers have equal dice, so that of their order nothing can be seen.
        return Row(path if self.named else (sum(path),), left, path)

    def _join(self, states: PlanStates, rows: list[Row], ways: int) -> None:
        """Add a state.

        Of states that differ by the names of targets that look alike, every step above follows
        one only; so states that are alike are equal.
        """
        key = tuple((row.mark, row.left) for row in rows)
        before, kept = states.get(key, (0, tuple(rows)))
        states[key] = (before + ways, kept)
        if len(states) > self.limit:
            raise TooMany

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
