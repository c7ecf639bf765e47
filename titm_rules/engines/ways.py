"""The ways of a route that prefers some to others: all of them are walked, and the best are legal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from titm_rules.diagnostics import Fault, InputError
from titm_rules.engines.engine import Counts, Rank, Way
from titm_rules.engines.steps import Steps
from titm_rules.rules.model import Route
from titm_rules.rules.terms import Term
from titm_rules.world.records import Mover, Place

MAX_WAYS = 100_000
Ranking = Callable[[Place, Counts], Iterable[int | None]]


class Teller(Protocol):
    """What evaluates ranks."""

    def term(self, term: Term, env: Mapping[str, Any]) -> Any:
        """Evaluate a term."""


def ranked(values: Iterable[int | None]) -> Rank:
    """Make the rank of values, nothing last."""
    return tuple((value is None, value or 0) for value in values)


def best_of(ways: Iterable[Way]) -> tuple[Way, ...]:
    """Keep the best of some ways, each once, in the order of their names; connections may run parallel."""
    found: dict[tuple[str, ...], Way] = {}
    for way in ways:
        known = found.get(way.names)
        if known is None or (way.rank, way.cost) < (known.rank, known.cost):
            found[way.names] = way
    best = min((way.rank for way in found.values()), default=())
    return tuple(found[names] for names in sorted(found) if found[names].rank == best)


def ends_of(ways: Iterable[Way], start: Place | None) -> dict[Place, int]:
    """Map every place but the start where one of some ways ends to the cheapest cost."""
    best: dict[Place, int] = {}
    for way in ways:
        if way.place is not start and not way.closed:
            best[way.place] = min(way.cost, best.get(way.place, way.cost))
    return best


def counted_by(ways: Iterable[Way]) -> Iterator[tuple[Place, Counts]]:
    """Yield the places where some ways end, each with what was counted by then."""
    return ((way.place, way.counts) for way in ways if not way.closed)


def cost_along(ways: Iterable[Way], names: Sequence[str]) -> int | None:
    """Cost of a path as written, if it is one of some ways."""
    return next((way.cost for way in ways if way.names == tuple(names)), None)


def rank_of(
    teller: Teller, route: Route, mover: Mover, given: Mapping[str, Any], place: Place, counts: Counts
) -> Iterator[int | None]:
    """Say what a way that ends so has of each thing of which the best have least."""
    counted = zip((name for name, _ in route.counters), counts, strict=True)
    env = {route.mover[0]: mover, **given, route.entered: place, **dict(counted)}
    return (teller.term(rank, env) for rank in route.ranks)


def too_many(route: Route) -> InputError:
    """Tell that a route has more ways than can be looked at."""
    what, why = f"too many ways of `{route.name}`", f"limit: {MAX_WAYS} parts of ways"
    return InputError([Fault(what, "$.input", why, "ask about a shorter way", kind="too-large")])


class WaysFrom:
    """Walks every way of one mover from a place."""

    def __init__(self, steps: Steps, start: Place, ranking: Ranking) -> None:
        self.steps, self.route, self.start, self._ranking = steps, steps.route, start, ranking
        self._points, self._seen = 0, 0

    def best(self) -> tuple[Way, ...]:
        """List the best ways; none if the mover may not move at all.

        Raises:
            InputError: where there are too many.
        """
        if self.steps.is_barred:
            return ()
        self._points = self.steps.points
        return best_of(self._walk((self.start,), self.steps.zeros, 0, False))

    def _walk(self, came: tuple[Place, ...], counts: Counts, spent: int, stopped: bool) -> Iterator[Way]:
        self._seen += 1
        if self._seen > MAX_WAYS:
            raise too_many(self.route)
        at = came[-1]
        if self.steps.may_end(at, counts):
            yield self._way(came, counts, spent)
        if self.route.closing:
            yield from self._closed(came, counts, spent)
        for _, place, price, stops, after in () if stopped else self.steps.open(at, counts, self._points - spent):
            if place not in self.route.closed_to(came):
                yield from self._walk((*came, place), after, spent + price, stops)

    def _closed(self, came: tuple[Place, ...], counts: Counts, spent: int) -> Iterator[Way]:
        price = self.steps.closed(came[-1], counts, self._points - spent)
        after = self.steps.closing_counts(came[-1], counts)
        if price is not None and self.steps.may_end(came[-1], after):
            yield self._way(came, after, spent + price, closed=True)

    def _way(self, came: tuple[Place, ...], counts: Counts, cost: int, closed: bool = False) -> Way:
        names = tuple(place.id for place in came)
        rank = ranked(self._ranking(came[-1], counts))
        return Way((*names, self.route.closing) if closed else names, came[-1], counts, cost, closed, rank)
