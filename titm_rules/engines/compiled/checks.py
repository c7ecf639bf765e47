"""One allocation: whether it is legal, and the legal one that is nearest to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from titm_rules.engines.compiled.allocations import Asking, Counts, Increments, added
from titm_rules.engines.compiled.picks import UNITS, counts_of


def is_legal(asking: Asking, picked: tuple[Any, ...]) -> bool:
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


def _has_order(asking: Asking, group: int, state: int, wanted: list[list[int]]) -> bool:
    """Whether a rank can make its picks in some order."""
    if len(wanted) == 1:
        return _leads_to(asking, group, state, state + sum([UNITS[number] for number in wanted[0]]))
    rows = range(len(asking.targets))
    increments = tuple(tuple(numbers.count(row) for numbers in wanted) for row in rows)
    return increments in asking.reachable(group, counts_of(state, len(rows)), increments, increments)


def _leads_to(asking: Asking, group: int, start: int, goal: int) -> bool:
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


def nearest(asking: Asking, picked: tuple[Any, ...]) -> tuple[Any, ...] | None:
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
                after = added(counts, increments)
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


def _kept(asking: Asking, group: int, increments: Increments, chosen: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
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
