"""One legal allocation in which a chooser picks a target, found pick by pick without listing the others.

Choosers of a class may change places, so it is enough that any of them picks the target: the picks are shared out so
that the one that is asked about has it. Targets of one kind and count may change places too, but for that target.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from titm_rules.engines.compiled.allocations import Asking, one_more
from titm_rules.engines.compiled.counts import MOST_STATES
from titm_rules.engines.compiled.picks import state_of, too_large
from titm_rules.engines.engine import Pick

_Counts = tuple[int, ...]
# A rank, a class of it, and the number of the target that one of the class picks.
_Step = tuple[int, int, int]


def example(asking: Asking, pick: Pick | None) -> tuple[Any, ...] | None:
    """Find a legal allocation, with some pick in it if one is given; nothing if there is none.

    Raises:
        InputError: for too many states on the way.
    """
    search = _Search(asking, pick)
    return search.shared() if search.succeeds() else None


class _Search:
    """One question: follows the choosers rank by rank and remembers the states that lead to nothing."""

    def __init__(self, asking: Asking, pick: Pick | None) -> None:
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
            if self._continues(group, one_more(counts, number), fewer, done or self._is_it(group, cls, number)):
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
