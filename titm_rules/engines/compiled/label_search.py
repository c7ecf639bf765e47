"""Label setting: every search for the cheapest way is a shortest path with resources (Desrochers and Soumis 1988).

A label is a place, what was counted by then and, where no place is entered twice, the places behind the mover; each
keeps its cheapest cost, which dominates all others. Where the clauses ask no counter, the place alone is the label.
`settle` is Dijkstra's algorithm (1959) with a queue of buckets by cost (Dial 1969), for labels of either kind.
Ways that are ranked and not priced are listed depth first (`best_paths`); `written_cost` prices a path that is given.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from titm_rules.engines.compiled.program import Program
from titm_rules.engines.compiled.step_kernel import OpenSteps, RouteSession, Stride
from titm_rules.engines.engine import MAX_WAYS, Counts, Engine, OpenStep, RankedPath, common_place, too_many_ways
from titm_rules.engines.route_walk import Ranking, ranked
from titm_rules.ir.model import Route, head_key
from titm_rules.ir.terms import Term, free_names
from titm_rules.world.records import Mover, Place, Situation

MAX_STATES = 200  # of the states in which parallel connections leave a written path, the cheapest are followed
INTERRUPTED = "!"
WORDS = ("step", "stop", "cost", "end", "goal")


def settle(
    going: dict[Any, int],
    known: dict[Any, OpenSteps],
    look: Callable[[Any], OpenSteps],
    points: int = sys.maxsize,
    ends: Collection[Any] | None = None,
) -> None:
    """Find the cheapest costs of all labels within some points.

    `going` holds the labels to begin with, at cost 0, and receives all others; `known` receives the steps out of labels
    that `look` looks up: those that lead on, and those after which a mover has to stop. A search back is given its
    `ends`: a mover stops nowhere else, so that no other label has a step after which it has to stop.
    """
    stopped: dict[Any, int] = {}
    waiting, spent = {0: list(going)}, -1
    while waiting:
        spent = spent + 1 if spent + 1 in waiting else min(waiting)
        room, here = points - spent, waiting[spent]
        for label in here:  # it may grow
            if going[label] < spent:
                continue
            steps = known.get(label)
            if steps is None:
                steps = known[label] = look(label)
            on, last = steps
            if last and ends is None:
                for price, other in last:
                    if price <= room and (other not in stopped or spent + price < stopped[other]):
                        stopped[other] = spent + price
            elif last and label in ends:  # type: ignore[operator]  # it is given here
                on = (*on, *last)
            for price, other in on:
                cost = spent + price
                if price <= room and (other not in going or cost < going[other]):
                    going[other] = cost
                    if cost in waiting:
                        waiting[cost].append(other)
                    else:
                        waiting[cost] = [other]
        del waiting[spent]
    for label, cost in stopped.items():
        if cost < going.get(label, cost + 1):
            going[label] = cost


def asks_counts(program: Program, route: Route, closing: bool = False) -> bool:
    """Whether a clause on a route, or on the action that closes it, asks what was counted."""
    keys = [head_key(route.name, word) for word in WORDS]
    if closing:
        keys += [head_key(route.closing, word) for word in ("try", "cost")]
    names = {name for name, _ in route.counters}
    return bool(names) and any(names & free_names(term) for key in keys for term in _decisive(program, key))


def _decisive(program: Program, key: str) -> list[Term]:
    head = program.model.heads[key]
    if head.mode in ("any", "bar"):
        return [program.folder.decision(head)]
    return [term for pair in program.amounts(head) for term in pair]


# A place, what was counted when the mover came there, and, if none is entered twice, the places it was in.
Label = tuple[Place, Counts, frozenset[Any] | None]


class RouteWalk:
    """One mover on one route: its searches, its paths, and its next steps on the way, from wherever it has come.

    In the situation it still stands where it set out.
    """

    def __init__(self, steps: RouteSession, root: Situation) -> None:
        self.steps, self.route, self._root = steps, steps.route, root
        self._ends: dict[tuple[Any, Counts], bool] = {}
        self._barred: bool | None = None  # memoized by hand: the lock of a cached property costs a tenth of a game
        self._points: int | None = None

    @property
    def is_barred(self) -> bool:
        if self._barred is None:
            self._barred = self.steps.is_barred
        return self._barred

    @property
    def points(self) -> int:
        if self._points is None:
            self._points = self.steps.points
        return self._points

    def may_end(self, at: Place, counts: Counts) -> bool:
        found = self._ends.get((at, counts))
        if found is None:
            found = self._ends[at, counts] = self.steps.may_end(at, counts)
        return found

    def closing(self, at: Place, counts: Counts, left: int, stays: bool = False) -> int | None:
        """Return the price of the closing action, if the route may end after it; if the mover stays, it may."""
        if not stays and not self.may_end(at, self.steps.closing_counts(at, counts)):
            return None
        return self.steps.closed(at, counts, left)

    # ------------------------------------------------------------------ searches
    def first(self, start: Place) -> Label:
        return start, self.steps.zeros, frozenset(self.route.closed_to((start,))) if self.route.simple else None

    def costs(self, start: Place) -> dict[Label, int]:
        """Map every label within the points to its cheapest cost."""
        going = {self.first(start): 0}

        def look(label: Label) -> OpenSteps:
            on: list[Stride] = []
            last: list[Stride] = []
            place, counts, came = label
            for _, entered, price, stops, after in self.steps.open(place, counts, self.points - going[label]):
                if came is None or entered not in came:
                    reached = entered, after, None if came is None else came | {entered}
                    (last if stops else on).append((price, reached))
            return on, last

        settle(going, {}, look, self.points)
        return going

    def ends(self, start: Place) -> dict[Any, int]:
        best: dict[Any, int] = {}
        for (place, counts, _), cost in self.costs(start).items():
            if place is not start and cost < best.get(place, cost + 1) and self.may_end(place, counts):
                best[place] = cost
        return best

    def counted(self, start: Place) -> Iterator[tuple[Place, Counts]]:
        return (label[:2] for label in self.costs(start) if self.may_end(*label[:2]))

    def closings(self, start: Place) -> list[Any]:
        """List the places where the closing action may be taken; at the start, by a mover that stays there."""
        found: dict[Any, None] = {}
        first = self.first(start)
        for label, cost in self.costs(start).items():
            place, stays = label[0], label == first
            if place in found or (place is start and not stays):
                continue
            if self.closing(place, label[1], self.points - cost, stays) is not None:
                found[place] = None
        return list(found)

    def goal(self, start: Place) -> int | None:
        goals = (
            cost
            for (place, counts, _), cost in self.costs(start).items()
            if self.steps.is_goal(place, counts) and self.may_end(place, counts)
        )
        return min(goals, default=None)

    # ------------------------------------------------------------------ on the way
    def has_left(self, at: Place, counts: Counts, spent: int) -> bool:
        """Whether the mover has left the place where it set out, even if it has come back to it.

        A step shows in what is spent or counted; an interruption there shows in what is spent alone.
        """
        if at is not common_place(self.steps.mover) or any(counts):
            return True
        if spent <= 0:
            return False
        noted = getattr(self._root, self.route.interruption_noted) if self.route.interruption_noted else ()
        return all(at not in link.ends for link in noted)

    def may_halt(self, at: Place, counts: Counts, spent: int) -> bool:
        if not self.has_left(at, counts, spent) or self.may_end(at, counts):
            return True
        return self.is_stranded(at, counts, spent)

    def is_stranded(self, at: Place, counts: Counts, spent: int) -> bool:
        return self.steps.may_end(at, counts, stranded=True) and next(self.onward(at, counts, spent), None) is None

    def onward(self, at: Place, counts: Counts, spent: int, to: Place | None = None) -> Iterator[OpenStep]:
        """Yield the steps, or only those to one place, after which the route can still end."""
        if self.is_barred:
            return
        left = self.points - spent
        for step in self.steps.open(at, counts, left, "" if to is None else to.id):
            if self.leads_on(step, left - step[2], {}):
                yield step

    def closing_price(self, at: Place, counts: Counts, spent: int) -> int | None:
        if self.is_barred:
            return None
        return self.closing(at, counts, self.points - spent, stays=not self.has_left(at, counts, spent))

    def leads_on(self, step: OpenStep, left: int, tried: dict[tuple[Any, Counts], int]) -> bool:
        """Whether a step can be followed to an end, depth first, since the end is mostly near.

        `left` are the points left behind it; `tried` says with how many points each place was tried.
        """
        _, place, _, stops, counts = step
        if self.may_end(place, counts) or (self.route.closing and self.closing(place, counts, left) is not None):
            return True
        if stops or tried.get((place, counts), -1) >= left:
            return False
        tried[place, counts] = left
        return any(self.leads_on(after, left - after[2], tried) for after in self.steps.open(place, counts, left))

    def best_paths(self, start: Place, ranking: Ranking) -> tuple[RankedPath, ...]:
        """List the paths of the best rank in the order of their names, of those with the same names the cheapest.

        No label dominates another here: all paths are listed, depth first. Raises `InputError` for more than `MAX_WAYS`
        parts of paths.
        """
        if self.is_barred:
            return ()
        paths = sorted(self._paths((start,), self.steps.zeros, 0, False, ranking, [0]), key=lambda p: (p.rank, p.cost))
        best: dict[tuple[str, ...], RankedPath] = {}
        for path in paths:
            if path.rank == paths[0].rank:
                best.setdefault(path.names, path)
        return tuple(best[names] for names in sorted(best))

    def _paths(
        self, came: tuple[Place, ...], counts: Counts, spent: int, stopped: bool, ranking: Ranking, seen: list[int]
    ) -> Iterator[RankedPath]:
        seen[0] += 1
        if seen[0] > MAX_WAYS:
            raise too_many_ways(self.route)
        at, left = came[-1], self.points - spent
        if self.steps.may_end(at, counts):
            names = tuple([place.id for place in came])
            yield RankedPath(names, at, counts, spent, False, ranked(ranking(at, counts)))
        price = self.closing(at, counts, left) if self.route.closing else None
        if price is not None:
            after = self.steps.closing_counts(at, counts)
            names = (*[place.id for place in came], self.route.closing)
            yield RankedPath(names, at, after, spent + price, True, ranked(ranking(at, after)))
        for _, place, price, stops, after in () if stopped else self.steps.open(at, counts, left):
            if place not in self.route.closed_to(came):
                yield from self._paths((*came, place), after, spent + price, stops, ranking, seen)


class CountedDistanceMap:
    """The costs to a goal from every place: one search from each that is asked for."""

    def __init__(self, walk: RouteWalk) -> None:
        self._walk = walk
        self._known: dict[Any, int | None] = {}

    def get(self, place: Place | None) -> int | None:
        if place not in self._known:
            self._known[place] = None if place is None else self._walk.goal(place)
        return self._known[place]


class ProgramEngine(Engine):
    """An engine that asks the functions of a program; the part of the compiled engine that searches and events need."""

    program: Program
    root: Situation

    @abstractmethod
    def walk(self, route: Route, mover: Mover, values: tuple[Any, ...]) -> RouteWalk:
        """Return a mover on its way, with the values given to its route."""

    @abstractmethod
    def march(self, route: Route, mover: Mover, values: tuple[Any, ...]) -> RouteSession:
        """Return the steps of a mover, with the values given to its route."""

    @abstractmethod
    def flood(self, name: str, mover: Mover | None) -> object:
        """Return the costs to a goal from every place, for one mover."""


# ---------------------------------------------------------------------- written paths
@dataclass(frozen=True)
class _Waypoint:
    """Where a mover is on a written path: the engine of the situation there, the place, the cost so far.

    `came` holds the names of the places behind it, the present one among them.
    """

    engine: ProgramEngine
    walk: RouteWalk
    place: Place
    counts: Counts
    came: tuple[str, ...]
    spent: int = 0
    stopped: bool = False
    interrupted: bool = False


def written_cost(
    engine: ProgramEngine, route: Route, mover: Mover, values: tuple[Any, ...], path: Sequence[str]
) -> int | None:
    """Return the cost of a written path, over whichever of parallel connections; None if it is illegal."""
    walk, start = engine.walk(route, mover, values), common_place(mover)
    if start is None or not path or path[0] != start.id:
        return None
    if len(path) == 1:
        return None if engine.decide_about(head_key(route.name, "stay"), mover, *values) else 0
    if walk.is_barred:
        return None

    def may_stay(at: _Waypoint) -> bool:
        """Whether the path may end here; ends are judged in the situation before the move."""
        place = engine.world.twin(at.place)
        if len(at.came) == 1 or walk.may_end(place, at.counts):
            return True
        if not (at.interrupted and walk.steps.may_end(place, at.counts, stranded=True)):
            return False
        return next(at.walk.onward(at.place, at.counts, at.spent), None) is None

    states = [_Waypoint(engine, walk, start, walk.steps.zeros, (start.id,))]
    for number, step in enumerate(path[1:], 1):
        closes = number == len(path) - 1 and step == route.closing
        reached: Iterable[_Waypoint] = (
            after
            for at in states
            for after in (_closed(at, walk.points) if closes else _stepped(at, step, walk.points, values))
        )
        states = sorted(reached, key=lambda at: at.spent)[:MAX_STATES]
    return min((at.spent for at in states if may_stay(at)), default=None)


def _closed(at: _Waypoint, points: int) -> Iterator[_Waypoint]:
    price = at.walk.steps.closed(at.place, at.counts, points - at.spent)
    if price is not None:
        counts = at.walk.steps.closing_counts(at.place, at.counts)
        yield replace(at, spent=at.spent + price, counts=counts, stopped=True, interrupted=False)


def _stepped(at: _Waypoint, step: str, points: int, values: tuple[Any, ...]) -> Iterator[_Waypoint]:
    """Yield the states after a step: over each connection that joins the places."""
    target, left = step.removeprefix(INTERRUPTED), points - at.spent
    if at.stopped or target in at.walk.route.closed_to(at.came):
        return
    for taken in at.walk.steps.open(at.place, at.counts, left, target):
        _, place, price, stops, counts = taken
        if step == target:
            came, spent = (*at.came, place.id), at.spent + price
            yield replace(at, place=place, counts=counts, came=came, spent=spent, stopped=stops, interrupted=False)
        elif at.walk.leads_on(taken, left - price, {}):
            yield from _interrupted(at, taken, left, values)


def _interrupted(at: _Waypoint, taken: OpenStep, left: int, values: tuple[Any, ...]) -> Iterator[_Waypoint]:
    """Go on from the same place after the interruption of an open step, by somebody who is able to interrupt."""
    route, steps, (link, entered, *_) = at.walk.route, at.walk.steps, taken
    about = (link, at.place, entered)
    cost = steps.ask(route.interruption, "cost", *about, last=at.counts)
    if cost <= left and not steps.ask(route.interruption, "try", *about, last=at.counts):
        world = at.engine.world.interrupted(route, link)
        engine = at.engine.at(world)
        walk = engine.walk(route, world.twin(steps.mover), values)
        place, spent = world.twin(at.place), at.spent + cost
        yield replace(at, engine=engine, walk=walk, place=place, spent=spent, interrupted=True)
