"""A mover on its way: which steps are open to it from the place that it has come to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from titm_rules.engines.engine import Counts, Given, OpenStep
from titm_rules.engines.journey import common_place, interrupted_at
from titm_rules.engines.steps import Stepping
from titm_rules.rules.model import Route
from titm_rules.world.records import Mover, Place
from titm_rules.world.world import World


class Progress:
    """The steps of one mover, whatever way it came; in the situation it still stands where it set out."""

    def __init__(self, steps: Stepping, world: World) -> None:
        self._steps, self._world = steps, world
        self._ends: dict[tuple[Any, Counts], bool] = {}
        self._barred = steps.is_barred
        self._points = 0 if self._barred else steps.points

    def may_end(self, at: Place, counts: Counts) -> bool:
        """Whether the route may end at a place."""
        found = self._ends.get((at, counts))
        if found is None:
            found = self._ends[at, counts] = self._steps.may_end(at, counts)
        return found

    def has_left(self, at: Place, counts: Counts, spent: int) -> bool:
        """Whether the mover has left the place where it set out, even if it has come back to it.

        A step shows in what is spent or counted; an interruption there shows in what is spent alone.
        """
        if at is not common_place(self._steps.mover) or any(counts):
            return True
        return spent > 0 and not interrupted_at(self._steps.route, self._world, at)

    def may_halt(self, at: Place, counts: Counts, spent: int) -> bool:
        """Whether the route may end at a place, perhaps only because the mover cannot go on; who stays may."""
        if not self.has_left(at, counts, spent) or self.may_end(at, counts):
            return True
        return self._steps.may_end(at, counts, stranded=True) and next(self.steps(at, counts, spent), None) is None

    def steps(self, at: Place, counts: Counts, spent: int, to: Place | None = None) -> Iterator[OpenStep]:
        """Yield the steps, or only those to one place, after which the route can still end."""
        left, only = self._points - spent, "" if to is None else to.id
        for step in self._steps.open(at, counts, left, only) if not self._barred else ():
            if self.leads_on(step, left - step[2]):
                yield step

    def closing(self, at: Place, counts: Counts, spent: int) -> int | None:
        """Price of the closing action at a place; nothing if it may not be taken there."""
        if self._barred:
            return None
        if self.has_left(at, counts, spent) and not self.may_end(at, self._steps.closing_counts(at, counts)):
            return None
        return self._steps.closed(at, counts, self._points - spent)

    def _may_end_closed(self, at: Place, counts: Counts, left: int) -> bool:
        """Whether the closing action lets the route end at a place where it may not end without it."""
        if not self._steps.route.closing:
            return False
        after = self._steps.closing_counts(at, counts)
        return after != counts and self.may_end(at, after) and self._steps.closed(at, counts, left) is not None

    def leads_on(self, step: OpenStep, left: int) -> bool:
        """Whether a step can be followed to an end, with so many points left behind it."""
        return self._leads_on(step, left, {})

    def _leads_on(self, step: OpenStep, left: int, most: dict[tuple[Any, Counts], int]) -> bool:
        """As above; `most`: with how many points each place was tried."""
        _, place, _, stops, counts = step
        if self.may_end(place, counts) or self._may_end_closed(place, counts, left):
            return True
        if stops or most.get((place, counts), -1) >= left:
            return False
        most[place, counts] = left
        return any(self._leads_on(after, left - after[2], most) for after in self._steps.open(place, counts, left))


class AskedOnTheWay(ABC):
    """What an engine answers of a mover on its way, if it makes a `Progress` of it; the naive engine makes none."""

    @abstractmethod
    def _progress(self, route: Route, mover: Mover, given: Given) -> Progress:
        """Give the mover on its way."""

    def onward(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> Iterator[OpenStep]:
        """Yield the steps after which the route can still end."""
        return self._progress(route, mover, given).steps(at, route.counts_in(given), spent)

    def may_halt(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> bool:
        """Whether a mover that has come to a place may end there, perhaps only because it cannot go on."""
        return self._progress(route, mover, given).may_halt(at, route.counts_in(given), spent)

    def closing_price(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> int | None:
        """Price of the closing action at a place; nothing if it may not be taken there."""
        return self._progress(route, mover, given).closing(at, route.counts_in(given), spent)
