"""Walk a route step by step: the steps of a mover, its progress on the way, and the enumeration of ranked paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from titm_rules.engines.engine import MAX_WAYS, Counts, OpenStep, Rank, RankedPath, common_place, too_many_ways
from titm_rules.ir.model import Route
from titm_rules.world.records import Connection, Mover, Place
from titm_rules.world.world import World


def interrupted_at(route: Route, world: World, place: Place) -> bool:
    """Whether a situation notes that a route was interrupted on a connection of a place."""
    noted = getattr(world.root, route.interruption_noted) if route.interruption_noted else ()
    return any(place in link.ends for link in noted)


# ---------------------------------------------------------------------- steps
class AskHead(Protocol):
    """Decides a head of a route, or of the form that interrupts or closes it, for its mover.

    `about` holds the arguments of the head besides the mover, in its order: connection, place left and place entered
    of a step, the place of an end, none for the start and the points. `last` holds the last ones: the counters, the
    price of a step, whether the mover is stranded.
    """

    def __call__(self, form: str, word: str, *about: Any, last: Counts = ()) -> Any:
        """Decide the head `word` of `form`."""


class Steps:
    """The steps of one mover on one route, from any place and with any counters; each answer decides heads.

    An engine overrides the methods where it has compiled them.
    """

    def __init__(self, route: Route, mover: Mover, ask: AskHead) -> None:
        self.route, self.mover, self.ask = route, mover, ask
        self.zeros: Counts = (0,) * len(route.counters)

    @property
    def is_barred(self) -> bool:
        """Whether the mover may not move at all."""
        barred: bool = self.ask(self.route.name, "start")
        return barred

    @property
    def points(self) -> int:
        """How much the route may cost."""
        points: int = self.ask(self.route.name, "points")
        return points

    def may_end(self, at: Place, counts: Counts, stranded: bool = False) -> bool:
        """Whether the route may end at a place."""
        flags = (stranded,) if self.route.stranded else ()
        return not self.ask(self.route.name, "end", at, last=(*counts, *flags))

    def is_goal(self, at: Place, counts: Counts) -> bool:
        """Whether the route has reached its goal."""
        found: bool = self.ask(self.route.name, "goal", at, last=counts)
        return found

    def closed(self, at: Place, counts: Counts, left: int) -> int | None:
        """Price of the closing action at a place; nothing if it is barred or cannot be paid."""
        closing = self.route.closing
        if self.ask(closing, "try", at, last=counts):
            return None
        price: int = self.ask(closing, "cost", at, last=counts)
        return price if price <= left else None

    def closing_counts(self, at: Place, counts: Counts) -> Counts:
        """Add what the closing action counts."""
        name = self.route.closing
        return tuple(
            max(0, min(most, before + self.ask(name, counter, at, last=counts)))
            for (counter, most), before in zip(self.route.counters, counts, strict=True)
        )

    def open(self, at: Place, counts: Counts, left: int, to: str = "") -> Iterator[OpenStep]:
        """Yield the steps out of a place, or only those to another, that no clause bars and that can be paid."""
        name = self.route.name
        for link, other in at.links_.get(self.route.crossing[1].name, ()):
            if to and other.id != to:
                continue
            if self.ask(name, "step", link, at, other, last=counts):
                continue
            price = self.ask(name, "cost", link, at, other, last=counts)
            if price <= left:
                stops, after = self.taken(link, at, other, counts, price)
                yield link, other, price, stops, self.route.stopped(after, stops)

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


# ---------------------------------------------------------------------- progress
class Progress:
    """The steps of one mover, whatever way it came; in the situation it still stands where it set out."""

    def __init__(self, steps: Steps, world: World) -> None:
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


# ---------------------------------------------------------------------- ranked paths
Ranking = Callable[[Place, Counts], Iterable[int | None]]


def ranked(values: Iterable[int | None]) -> Rank:
    """Make a rank of values; null ranks last."""
    return tuple((value is None, value or 0) for value in values)


def best_of(ways: Iterable[RankedPath]) -> tuple[RankedPath, ...]:
    """Keep the paths of the best rank, in the order of their names; of those with the same names the cheapest."""
    found: dict[tuple[str, ...], RankedPath] = {}
    for way in ways:
        known = found.get(way.names)
        if known is None or (way.rank, way.cost) < (known.rank, known.cost):
            found[way.names] = way
    best = min((way.rank for way in found.values()), default=())
    return tuple(found[names] for names in sorted(found) if found[names].rank == best)


class PathEnumeration:
    """All paths of one mover from a place, by depth-first search."""

    def __init__(self, steps: Steps, start: Place, ranking: Ranking) -> None:
        self.steps, self.route, self.start, self._ranking = steps, steps.route, start, ranking
        self._points, self._seen = 0, 0

    def best(self) -> tuple[RankedPath, ...]:
        """List the best paths; none if the mover may not move at all.

        Raises:
            InputError: if there are more than `MAX_WAYS` parts of paths.
        """
        if self.steps.is_barred:
            return ()
        self._points = self.steps.points
        return best_of(self._walk((self.start,), self.steps.zeros, 0, False))

    def _walk(self, came: tuple[Place, ...], counts: Counts, spent: int, stopped: bool) -> Iterator[RankedPath]:
        self._seen += 1
        if self._seen > MAX_WAYS:
            raise too_many_ways(self.route)
        at = came[-1]
        if self.steps.may_end(at, counts):
            yield self._path(came, counts, spent)
        if self.route.closing:
            yield from self._closed(came, counts, spent)
        for _, place, price, stops, after in () if stopped else self.steps.open(at, counts, self._points - spent):
            if place not in self.route.closed_to(came):
                yield from self._walk((*came, place), after, spent + price, stops)

    def _closed(self, came: tuple[Place, ...], counts: Counts, spent: int) -> Iterator[RankedPath]:
        price = self.steps.closed(came[-1], counts, self._points - spent)
        after = self.steps.closing_counts(came[-1], counts)
        if price is not None and self.steps.may_end(came[-1], after):
            yield self._path(came, after, spent + price, closed=True)

    def _path(self, came: tuple[Place, ...], counts: Counts, cost: int, closed: bool = False) -> RankedPath:
        names = tuple(place.id for place in came)
        rank = ranked(self._ranking(came[-1], counts))
        return RankedPath((*names, self.route.closing) if closed else names, came[-1], counts, cost, closed, rank)
