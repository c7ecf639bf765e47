"""Single steps of one mover on a route, with what they count on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from titm_rules.engines.engine import Counts, OpenStep
from titm_rules.engines.journey import RouteAsker
from titm_rules.rules.model import Route
from titm_rules.world.records import Connection, Mover, Place


class Stepping(Protocol):
    """What clauses say of the steps of one mover, whatever way it came."""

    route: Route
    mover: Mover

    @property
    def is_barred(self) -> bool:
        """Whether the mover may not move at all."""

    @property
    def points(self) -> int:
        """How much the route may cost."""

    def may_end(self, at: Place, counts: Counts, stranded: bool = False) -> bool:
        """Whether the route may end at a place."""

    def closed(self, at: Place, counts: Counts, left: int) -> int | None:
        """Price of the closing action at a place; nothing if it is barred or cannot be paid."""

    def closing_counts(self, at: Place, counts: Counts) -> Counts:
        """Add what the closing action counts."""

    def open(self, at: Place, counts: Counts, left: int, to: str = "") -> Iterator[OpenStep]:
        """Yield the steps out of a place, or only those to another, that no clause bars and that can be paid."""


class Steps:
    """Asks the heads of a route about its mover, whatever way it came."""

    def __init__(self, asker: RouteAsker) -> None:
        self.route, self.mover = asker.route, asker.mover
        self._ask = asker.ask

    @property
    def zeros(self) -> Counts:
        """What is counted where the mover sets out: nothing."""
        return (0,) * len(self.route.counters)

    @property
    def is_barred(self) -> bool:
        """Whether the mover may not move at all."""
        barred: bool = self._ask(self.route.name, "start")
        return barred

    @property
    def points(self) -> int:
        """How much the route may cost."""
        points: int = self._ask(self.route.name, "points")
        return points

    def may_end(self, at: Place, counts: Counts, stranded: bool = False) -> bool:
        """Whether the route may end at a place."""
        flags = (stranded,) if self.route.stranded else ()
        return not self._ask(self.route.name, "end", at, told=(*counts, *flags))

    def is_goal(self, at: Place, counts: Counts) -> bool:
        """Whether the route has come to what it looks for."""
        found: bool = self._ask(self.route.name, "goal", at, told=counts)
        return found

    def closed(self, at: Place, counts: Counts, left: int) -> int | None:
        """Price of the closing action at a place; nothing if it is barred or cannot be paid."""
        closing = self.route.closing
        if self._ask(closing, "try", at, told=counts):
            return None
        price: int = self._ask(closing, "cost", at, told=counts)
        return price if price <= left else None

    def closing_counts(self, at: Place, counts: Counts) -> Counts:
        """Add what the closing action counts."""
        name = self.route.closing
        return tuple(
            max(0, min(most, before + self._ask(name, counter, at, told=counts)))
            for (counter, most), before in zip(self.route.counters, counts, strict=True)
        )

    def open(self, at: Place, counts: Counts, left: int, to: str = "") -> Iterator[OpenStep]:
        """Yield the steps out of a place, or only those to another, that no clause bars and that can be paid."""
        name = self.route.name
        for link, other in at.links_.get(self.route.crossing[1].name, ()):
            if to and other.id != to:
                continue
            if self._ask(name, "step", link, at, other, told=counts):
                continue
            price = self._ask(name, "cost", link, at, other, told=counts)
            if price <= left:
                stops, after = self.taken(link, at, other, counts, price)
                yield link, other, price, stops, self.route.stopped(after, stops)

    def taken(self, link: Connection, left: Place, entered: Place, counts: Counts, price: int) -> tuple[bool, Counts]:
        """Say of a step whether the mover has to stop behind it, and what is counted by then but for the stop."""
        after = self._count(counts, link, left, entered, price)
        stops = self._ask(self.route.name, "stop", link, left, entered, told=after)
        return stops, after

    def _count(self, counts: Counts, link: Connection, left: Place, entered: Place, price: int) -> Counts:
        """Add what a step counts; a counter that is full counts no further."""
        if not counts:
            return counts
        name, counters = self.route.name, self.route.counters
        return tuple(
            max(0, min(most, before + self._ask(name, counter, link, left, entered, told=(*counts, price))))
            for (counter, most), before in zip(counters, counts, strict=True)
        )
