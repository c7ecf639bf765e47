"""Measuring: processor time, so that what else a machine does counts for little, and ways that take turns."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.cases import Case

AT_LEAST_MS = 20.0  # that a round lasts: clocks are coarse, and what runs but once finds no memory at hand


def disagreements(case: Case) -> list[str]:
    """Answer a case in every way, and name those that answer otherwise than the first."""
    answers = {}
    for title, way in case.ways.items():
        prepared = way.prepare()
        answers[title] = way.plain(prepared, way.run(prepared))
    first, *others = answers
    return [title for title in others if answers[title] != answers[first]]


def times(case: Case, rounds: int) -> dict[str, list[float]]:
    """Time every way of a case, in milliseconds for one question; the ways take turns, round by round."""
    found: dict[str, list[float]] = {title: [] for title in case.ways}
    for number in range(rounds):
        for title, way in case.ways.items():
            if number < way.rounds:
                found[title].append(timed(way.prepare, way.run) / case.units)
    return found


def timed(prepare: Callable[[], Any], run: Callable[[Any], Any]) -> float:
    """Time one run in milliseconds; what is over too soon to be measured is run again, each time prepared anew."""
    spent, runs = 0.0, 0
    gc.collect()
    while spent < AT_LEAST_MS and runs < 100:
        prepared = prepare()
        begin = time.process_time()
        run(prepared)
        spent += (time.process_time() - begin) * 1000
        runs += 1
    return spent / runs


def exponent(costs: Mapping[int, float]) -> float:
    """Fit cost = a * size ** b to what was measured; give b."""
    points = [(math.log(size), math.log(cost)) for size, cost in costs.items()]
    return slope(points)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Give the slope of the line that comes nearest to some points."""
    across, up = (sum(part) / len(points) for part in zip(*points, strict=True))
    return sum((x - across) * (y - up) for x, y in points) / sum((x - across) ** 2 for x, _ in points)


def shown(ms: float) -> str:
    """Write a time with three figures that count."""
    return f"{ms * 1000:.3g} us" if ms < 1 else f"{ms:.3g} ms" if ms < 1000 else f"{ms / 1000:.3g} s"
