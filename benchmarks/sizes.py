"""Cost against size: the same questions about smaller and larger situations, with the exponent that fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.cases import Case, counting, listing, moving, supplying
from benchmarks.measure import exponent, shown, times
from benchmarks.situations import battle, campaign

MIXED, FIRE_SIZES, PLACES, UNITS = 4, (3, 4, 5, 6, 7), (75, 150, 300, 600), (30, 60, 120, 240)
WAYS = ("compiled", "hand")


@dataclass(frozen=True)
class Series:
    """A question about situations of growing size."""

    name: str
    sizes: tuple[int, ...]
    make: Callable[[int], Case]


def every_series() -> Iterator[Series]:
    """Yield what is asked, and of which sizes."""
    yield Series("fire listed, by firers", FIRE_SIZES, lambda n: listing("", battle(n, n, MIXED), None, small=False))
    yield Series("fire counted, by firers", (6, 12, 24), lambda n: counting("", battle(n, n, MIXED), 0))
    yield Series("moves, by units", UNITS, lambda n: moving(campaign(1, 150, n, n // 2), ""))
    yield Series("supply, by units", UNITS, lambda n: supplying(campaign(1, 150, n, n // 2), ""))
    yield Series("moves, by places", PLACES, lambda n: moving(campaign(1, n, 120, 60), ""))
    yield Series("supply, by places", PLACES, lambda n: supplying(campaign(1, n, 120, 60), ""))


def rows(series: Series, rounds: int) -> Iterator[str]:
    """Yield a row of a table for each way: its cost at each size, and the exponent."""
    costs: dict[str, dict[int, float]] = {title: {} for title in WAYS}
    for size in series.sizes:
        case = series.make(size)
        only = Case(case.name, None, {title: case.ways[title] for title in WAYS})
        for title, found in times(only, rounds).items():
            costs[title][size] = min(found)
    for title, found in costs.items():
        told = ", ".join(f"{size}: {shown(cost)}" for size, cost in found.items())
        yield f"| {series.name} | {title} | {told} | {exponent(found):.2f} |"
