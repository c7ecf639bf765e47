"""The steps of a mover on a route, judged head by head, and the ranks of paths."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from titm_rules.engines.engine import Counts, Rank
from titm_rules.ir.model import Route
from titm_rules.world.records import Connection, Mover, Place, Value


class Steps(ABC):
    """The steps of one mover on one route, from any place and with any counters; each answer decides heads.

    An engine overrides the methods where it has compiled them.
    """

    def __init__(self, route: Route, mover: Mover) -> None:
        self.route, self.mover = route, mover
        self.zeros: Counts = (0,) * len(route.counters)

    @abstractmethod
    def ask(self, form: str, word: str, *about: Value, last: Counts = ()) -> Any:
        """Decide the head `word` of a route, or of the form that interrupts or closes it, for its mover.

        `about` holds the arguments of the head besides the mover, in its order: connection, place left and place
        entered of a step, the place of an end, none for the start and the points. `last` holds the last ones: the
        counters, the price of a step, whether the mover is stranded.
        """

    @property
    def is_barred(self) -> bool:
        barred: bool = self.ask(self.route.name, "start")
        return barred

    @property
    def points(self) -> int:
        points: int = self.ask(self.route.name, "points")
        return points

    def may_end(self, at: Place, counts: Counts, stranded: bool = False) -> bool:
        flags = (stranded,) if self.route.stranded else ()
        return not self.ask(self.route.name, "end", at, last=(*counts, *flags))

    def is_goal(self, at: Place, counts: Counts) -> bool:
        found: bool = self.ask(self.route.name, "goal", at, last=counts)
        return found

    def closed(self, at: Place, counts: Counts, left: int) -> int | None:
        closing = self.route.closing
        if self.ask(closing, "try", at, last=counts):
            return None
        price: int = self.ask(closing, "cost", at, last=counts)
        return price if price <= left else None

    def closing_counts(self, at: Place, counts: Counts) -> Counts:
        name = self.route.closing
        return tuple(
            max(0, min(most, before + self.ask(name, counter, at, last=counts)))
            for (counter, most), before in zip(self.route.counters, counts, strict=True)
        )

    def taken(self, link: Connection, left: Place, entered: Place, counts: Counts, price: int) -> tuple[bool, Counts]:
        """Say of a step whether the mover has to stop behind it, and what is counted by then but for the stop."""
        after = self._count(counts, link, left, entered, price)
        stops = self.ask(self.route.name, "stop", link, left, entered, last=after)
        return stops, after

    def _count(self, counts: Counts, link: Connection, left: Place, entered: Place, price: int) -> Counts:
        """Add what a step counts; a counter that is full counts no further."""
        if not counts:
            return counts
        name, counters = self.route.name, self.route.counters
        return tuple(
            max(0, min(most, before + self.ask(name, counter, link, left, entered, last=(*counts, price))))
            for (counter, most), before in zip(counters, counts, strict=True)
        )


Ranking = Callable[[Place, Counts], Iterable[int | None]]


def ranked(values: Iterable[int | None]) -> Rank:
    return tuple((value is None, value or 0) for value in values)
