"""Walk a route step by step, whichever engine judges the steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from titm_rules.diagnostics import Fault, InputError
from titm_rules.engines.engine import Counts, Given, OpenStep, Rank, RankedPath
from titm_rules.ir.model import Route, head_key
from titm_rules.ir.terms import Term
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.records import Connection, Mover, Place, Record, Value
from titm_rules.world.world import World

# ---------------------------------------------------------------------- journey
AskForm = Callable[[str, str, Mapping[str, Any]], Any]


class RouteAsker(Protocol):
    """Asks the heads of a route about one mover."""

    @property
    def route(self) -> Route:
        """The form."""

    @property
    def mover(self) -> Mover:
        """Who moves."""

    def ask(self, form: str, word: str, *about: Any, told: Counts = ()) -> Any:
        """Decide a head of the route, or of what interrupts or closes it.

        `about` is what the head is about besides the mover, in its order: connection, place left and
        place entered for a step, a place for an end, nothing for the start and the points. `told` is
        what comes last: what was counted on the way, the price of a step, whether the mover is stranded.
        """


class Journey(RouteAsker, Protocol):
    """One mover on one route, in one situation.

    Attributes:
        world: the situation.
    """

    world: World

    def after(self, world: World) -> Journey:
        """Go on in a situation that the move has changed."""


class EvaluatedJourney:
    """A journey whose heads are evaluated, clause by clause."""

    def __init__(self, evaluator: Evaluator, route: Route, mover: Mover, given: Mapping[str, Any]) -> None:
        self.route, self.mover, self.world = route, mover, evaluator.world
        self._evaluator, self._given = evaluator, given

    def ask(self, form: str, word: str, *about: Any, told: Counts = ()) -> Any:
        """Decide a head."""
        head = self._evaluator.model.heads[head_key(form, word)]
        names = [name for name, _ in head.params]
        named = dict(zip(names, (self.mover, *about), strict=False))
        last = dict(zip(names[len(names) - len(told) :], told, strict=True))
        return self._evaluator.head(head, {**named, **self._given, **last})

    def after(self, world: World) -> EvaluatedJourney:
        """Go on in a situation that the move has changed; traces are those of the one before."""
        asked, before = self._evaluator.routes, self.world

        def trace(route: Route, mover: Mover, start: Place | None) -> int | None:
            assert asked is not None
            return asked(route, before.twin(mover), None if start is None else before.twin(start))

        reached = self._evaluator.reach

        def reach(route: Route, mover: Mover, start: Place | None, to: Place | None) -> int | None:
            assert reached is not None
            twin = before.twin
            return reached(route, twin(mover), twin(start) if start else None, twin(to) if to else None)

        results = self._evaluator.results
        results = None if results is None else ask_in_origin(results, before, world)
        evaluator = Evaluator(self._evaluator.model, world, trace, reach=reach, results=results)
        return EvaluatedJourney(evaluator, self.route, world.twin(self.mover), self._given)


def common_place(mover: Mover | None) -> Place | None:
    """Name the place where a mover stands; nothing if several stand apart."""
    if not isinstance(mover, list):
        return None if mover is None else mover.place
    place = mover[0].place if mover else None
    return place if all(one.place is place for one in mover) else None


def first_place(mover: Mover | None) -> Place | None:
    """Name the place where a mover stands; of several, where the first does."""
    if isinstance(mover, list):
        return mover[0].place if mover else None
    return None if mover is None else mover.place


def interrupted_at(route: Route, world: World, place: Place) -> bool:
    """Whether a situation notes that a route was interrupted on a connection of a place."""
    noted = getattr(world.root, route.interruption_noted) if route.interruption_noted else ()
    return any(place in link.ends for link in noted)


def ask_in_origin(ask: AskForm, before: World, after: World) -> AskForm:
    """Let results be those of the situation before a move, asked with records of the one after it."""

    def asked(what: str, name: str, roles: Mapping[str, Any]) -> Any:
        found = ask(what, name, {role: corresponding(before, value) for role, value in roles.items()})
        return corresponding(after, found)

    return asked


def corresponding(world: World, value: Value) -> Any:
    """Give what stands in a world for a record of another, or for a list of such; all else is the same."""
    if isinstance(value, list):
        return [corresponding(world, one) for one in value]
    return world.twin(value) if isinstance(value, Record) else value


# ---------------------------------------------------------------------- steps
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


# ---------------------------------------------------------------------- progress
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
    """What an engine answers of a mover on its way, if it makes a `Progress` of it; the reference engine makes none."""

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


# ---------------------------------------------------------------------- paths
INTERRUPTED = "!"
MAX_STANDINGS = 200


@dataclass(frozen=True)
class Waypoint:
    """Where a mover is on its path: in which situation, at which place, what is spent and counted.

    `came` holds the places that it came through, the present one among them.
    """

    journey: Journey
    steps: Steps
    place: Place
    counts: Counts
    came: tuple[str, ...]
    spent: int = 0
    stopped: bool = False
    interrupted: bool = False


class Walker:
    """Walks one path; where connections run parallel, over each of them."""

    def __init__(self, journey: Journey) -> None:
        self.journey, self.route = journey, journey.route
        self.steps = Steps(journey)

    def cost(self, path: list[str]) -> int | None:
        """Cost of a path, or nothing if it is illegal."""
        start = common_place(self.steps.mover)
        if start is None or not path or path[0] != start.id:
            return None
        if len(path) == 1:
            return 0
        if self.steps.is_barred:
            return None
        points = self.steps.points
        found = [Waypoint(self.journey, self.steps, start, self.steps.zeros, (start.id,))]
        for number, step in enumerate(path[1:], 1):
            closes = number == len(path) - 1 and step == self.route.closing
            after = (self._closed(at, points) if closes else self._step(at, step, points) for at in found)
            found = sorted((one for ones in after for one in ones), key=lambda at: at.spent)[:MAX_STANDINGS]
        return min((at.spent for at in found if self._may_stay(at)), default=None)

    def _may_stay(self, at: Waypoint) -> bool:
        """Whether the path may end here; ends are judged in the situation before the move."""
        place = self.journey.world.twin(at.place)
        if len(at.came) == 1 or self.steps.may_end(place, at.counts):
            return True
        return (
            at.interrupted
            and self.steps.may_end(place, at.counts, stranded=True)
            and next(Progress(at.steps, at.journey.world).steps(at.place, at.counts, at.spent), None) is None
        )

    def _closed(self, at: Waypoint, points: int) -> Iterator[Waypoint]:
        price = at.steps.closed(at.place, at.counts, points - at.spent)
        if price is not None:
            counts = at.steps.closing_counts(at.place, at.counts)
            yield replace(at, spent=at.spent + price, counts=counts, stopped=True, interrupted=False)

    def _step(self, at: Waypoint, step: str, points: int) -> Iterator[Waypoint]:
        """Yield where a step may lead: over each connection that joins the places."""
        target = step.removeprefix(INTERRUPTED)
        if at.stopped or target in self.route.closed_to(at.came):
            return
        for taken in at.steps.open(at.place, at.counts, points - at.spent, target):
            _, place, price, stops, counts = taken
            if step != target:
                yield from self._interrupted(at, taken, points - at.spent)
                continue
            came = (*at.came, place.id)
            yield replace(
                at, place=place, counts=counts, came=came, spent=at.spent + price, stopped=stops, interrupted=False
            )

    def _interrupted(self, at: Waypoint, taken: OpenStep, left: int) -> Iterator[Waypoint]:
        """Go on from the same place after an interruption: of a step that was open, by somebody who is able to."""
        link, other, price = taken[:3]
        if not Progress(at.steps, at.journey.world).leads_on(taken, left - price):
            return
        name, way = self.route.interruption, (link, at.place, other)
        journey = at.journey
        cost = journey.ask(name, "cost", *way, told=at.counts)
        if cost > left or journey.ask(name, "try", *way, told=at.counts):
            return
        world = journey.world.interrupted(self.route, link)
        after, place = journey.after(world), world.twin(at.place)
        yield replace(at, journey=after, steps=Steps(after), place=place, spent=at.spent + cost, interrupted=True)


# ---------------------------------------------------------------------- ways
MAX_WAYS = 100_000
Ranking = Callable[[Place, Counts], Iterable[int | None]]


class Reporter(Protocol):
    """What evaluates ranks."""

    def term(self, term: Term, env: Mapping[str, Any]) -> Any:
        """Evaluate a term."""


def ranked(values: Iterable[int | None]) -> Rank:
    """Make the rank of values, nothing last."""
    return tuple((value is None, value or 0) for value in values)


def best_of(ways: Iterable[RankedPath]) -> tuple[RankedPath, ...]:
    """Keep the best of some ways, each once, in the order of their names; connections may run parallel."""
    found: dict[tuple[str, ...], RankedPath] = {}
    for way in ways:
        known = found.get(way.names)
        if known is None or (way.rank, way.cost) < (known.rank, known.cost):
            found[way.names] = way
    best = min((way.rank for way in found.values()), default=())
    return tuple(found[names] for names in sorted(found) if found[names].rank == best)


def ends_of(ways: Iterable[RankedPath], start: Place | None) -> dict[Place, int]:
    """Map every place but the start where one of some ways ends to the cheapest cost."""
    best: dict[Place, int] = {}
    for way in ways:
        if way.place is not start and not way.closed:
            best[way.place] = min(way.cost, best.get(way.place, way.cost))
    return best


def counted_by(ways: Iterable[RankedPath]) -> Iterator[tuple[Place, Counts]]:
    """Yield the places where some ways end, each with what was counted by then."""
    return ((way.place, way.counts) for way in ways if not way.closed)


def cost_along(ways: Iterable[RankedPath], names: Sequence[str]) -> int | None:
    """Cost of a path as written, if it is one of some ways."""
    return next((way.cost for way in ways if way.names == tuple(names)), None)


def rank_of(
    teller: Reporter, route: Route, mover: Mover, given: Mapping[str, Any], place: Place, counts: Counts
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

    def best(self) -> tuple[RankedPath, ...]:
        """List the best ways; none if the mover may not move at all.

        Raises:
            InputError: where there are too many.
        """
        if self.steps.is_barred:
            return ()
        self._points = self.steps.points
        return best_of(self._walk((self.start,), self.steps.zeros, 0, False))

    def _walk(self, came: tuple[Place, ...], counts: Counts, spent: int, stopped: bool) -> Iterator[RankedPath]:
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

    def _closed(self, came: tuple[Place, ...], counts: Counts, spent: int) -> Iterator[RankedPath]:
        price = self.steps.closed(came[-1], counts, self._points - spent)
        after = self.steps.closing_counts(came[-1], counts)
        if price is not None and self.steps.may_end(came[-1], after):
            yield self._way(came, after, spent + price, closed=True)

    def _way(self, came: tuple[Place, ...], counts: Counts, cost: int, closed: bool = False) -> RankedPath:
        names = tuple(place.id for place in came)
        rank = ranked(self._ranking(came[-1], counts))
        return RankedPath((*names, self.route.closing) if closed else names, came[-1], counts, cost, closed, rank)
