"""Routes by brute force: every way, step by step, each clause asked anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from titm_rules.engines.engine import Way
from titm_rules.engines.naive.evaluate import NaiveEvaluator
from titm_rules.rules.model import PRICE, Model, Route, head_key
from titm_rules.world.records import Connection, Mover, Place
from titm_rules.world.world import World

Given = Mapping[str, Any]
Taken = tuple[Any, Any, int, bool, Given]
Step = tuple[Any, Any, int, bool, tuple[int, ...]]
MAX_STATES = 200
INTERRUPTED = "!"


@dataclass(frozen=True)
class OnPath:
    """Where a mover is on a path: the engine of the situation as it is by then, the place, what is spent.

    `given` holds what the route is given and what was counted on the way; `came` the places that
    the mover came through, the present one among them.
    """

    engine: NaiveRoutes
    mover: Mover
    place: Place
    given: Given
    came: tuple[str, ...]
    spent: int = 0
    stopped: bool = False
    interrupted: bool = False


class NaiveRoutes:
    """Answers questions about routes by walking every way."""

    model: Model
    world: World
    evaluator: NaiveEvaluator

    def elsewhere(self, world: World) -> NaiveRoutes:
        """Give an engine of the same rules for another world."""
        raise NotImplementedError

    # ------------------------------------------------------------------ what may be asked
    def trace(self, route: Route, mover: Mover, start: Place | None) -> int | None:
        """Cheapest cost from a place to a goal; nothing if there is no route.

        It is judged in the situation before the move, if a move has changed it.
        """
        if self.world.origin is not self.world:
            before = self.elsewhere(self.world.origin)
            twin = before.world.twin
            return before.trace(route, twin(mover), twin(start) if start is not None else None)
        start = start if start is not None else place_of(mover)
        if start is None:
            return None
        walks = self._walks(route, mover, {}, start)
        goals = (cost for place, cost, tallied in walks if self._is_goal(route, mover, tallied, place))
        return min(goals, default=None)

    def reach(self, route: Route, mover: Mover, start: Place | None, to: Place | None) -> int | None:
        """Cheapest cost from a place to another where the route may end, judged as a trace is."""
        if self.world.origin is not self.world:
            before = self.elsewhere(self.world.origin)
            twin = before.world.twin
            return before.reach(route, twin(mover), twin(start) if start else None, twin(to) if to else None)
        start = start if start is not None else place_of(mover)
        if start is None or to is None:
            return None
        walks = self._walks(route, mover, {}, start)
        found = (cost for place, cost, tallied in walks if place is to and self._may_end(route, mover, tallied, to))
        return min(found, default=None)

    def stays(self, route: Route, mover: Mover, given: Given, start: Place) -> bool:
        """Whether a route may end where it sets out."""
        return not self._may_not_start(route, mover, given) and self._may_end(route, mover, given, start)

    def counted(self, route: Route, mover: Mover, given: Given, start: Place) -> list[tuple[Place, tuple[int, ...]]]:
        """List the places where a route may end, each with what may be counted by then."""
        if route.ranks:
            return [(way.place, way.counts) for way in self.ways(route, mover, given, start) if not way.closed]
        if self._may_not_start(route, mover, given):
            return []
        walks = self._walks(route, mover, given, start)
        ends = {(place, _counts(route, tallied)): tallied for place, _, tallied in walks}
        return [at for at, tallied in ends.items() if self._may_end(route, mover, tallied, at[0])]

    def ends(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> dict[Any, int]:
        """Map every place but the start where the route may end to the cheapest cost."""
        best: dict[Any, int] = {}
        start = common_place(mover) if start is None else start
        if route.ranks:
            for way in self.ways(route, mover, given, start):
                if way.place is not start and not way.closed:
                    best[way.place] = min(way.cost, best.get(way.place, way.cost))
            return best
        if start is None or self._may_not_start(route, mover, given):
            return best
        for place, cost, tallied in self._walks(route, mover, given, start):
            if place is not start and cost < best.get(place, cost + 1) and self._may_end(route, mover, tallied, place):
                best[place] = cost
        return best

    def closings(self, route: Route, mover: Mover, given: Given) -> list[Any]:
        """List the places where the closing action may be taken; at the start, by a mover that stays there."""
        start = common_place(mover)
        if start is None or self._may_not_start(route, mover, given):
            return []
        found = []
        for place, cost, tallied in self._walks(route, mover, given, start):
            stays = place is start and cost == 0 and tallied == given
            if place in found or (place is start and not stays):
                continue
            after = self._after_closing(route, mover, tallied, place)
            if (stays or self._may_end(route, mover, after, place)) and self._closes(
                route, mover, tallied, place, cost
            ) is not None:
                found.append(place)
        return found

    def path(self, route: Route, mover: Mover, given: Given, steps: list[str]) -> int | None:
        """Cost of a path as written, or nothing if it is illegal."""
        start = common_place(mover)
        if route.ranks:
            ways = self.ways(route, mover, given, start)
            return min((way.cost for way in ways if list(way.names) == steps), default=None)
        if start is None or not steps or steps[0] != start.id:
            return None
        if len(steps) == 1:
            return 0
        if self._may_not_start(route, mover, given):
            return None
        states = [OnPath(self, mover, start, given, (start.id,))]
        for number, step in enumerate(steps[1:], 1):
            closes = number == len(steps) - 1 and step == route.closing
            after = (at.engine.close(route, at) if closes else at.engine.follow(route, at, step) for at in states)
            states = sorted((at for found in after for at in found), key=lambda at: at.spent)[:MAX_STATES]
        return min((at.spent for at in states if self._may_stay(route, at)), default=None)

    def onward(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> list[Step]:
        """List the steps after which the route can still end."""
        if self._may_not_start(route, mover, given):
            return []
        points = self._points(route, mover, given)
        return [
            (*step[:4], _counts(route, step[4]))
            for step in self._next(route, mover, given, at, points - spent)
            if self._can_end(route, mover, step, points - spent - step[2], frozenset())
        ]

    def may_halt(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> bool:
        """Whether a mover that has come to a place may end there, perhaps only because it cannot go on."""
        if self._stays(route, mover, given, at, spent) or self._may_end(route, mover, given, at):
            return True
        return self._may_end(route, mover, _stranded(route, given), at) and not self.onward(
            route, mover, given, at, spent
        )

    def closing_price(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> int | None:
        """Price of the closing action at a place; nothing if it may not be taken there."""
        if self._may_not_start(route, mover, given):
            return None
        after = self._after_closing(route, mover, given, at)
        if not self._stays(route, mover, given, at, spent) and not self._may_end(route, mover, after, at):
            return None
        total = self._closes(route, mover, given, at, spent)
        return None if total is None else total - spent

    def _stays(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> bool:
        """Whether a mover on its way has not left the place where it set out; only an interruption may have cost it."""
        if at is not common_place(mover) or any(_counts(route, given)):
            return False
        noted = getattr(self.world.root, route.interruption_noted) if route.interruption_noted else []
        return spent == 0 or any(at in link.ends for link in noted)

    # ------------------------------------------------------------------ ways that are preferred
    def ways(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> list[Way]:
        """List the best ways of a route that prefers some to others, in the order of their names."""
        start = common_place(mover) if start is None else start
        if start is None or self._may_not_start(route, mover, given):
            return []
        best: dict[tuple[str, ...], Way] = {}
        for way in self._all_ways(route, OnPath(self, mover, start, given, (start.id,))):
            if way.names not in best or (way.rank, way.cost) < (best[way.names].rank, best[way.names].cost):
                best[way.names] = way
        return [best[names] for names in sorted(best) if all(best[names].rank <= way.rank for way in best.values())]

    def _all_ways(self, route: Route, at: OnPath) -> Iterator[Way]:
        closed = self.close(route, at) if route.closing else ()
        for end in (at, *closed):
            if self._may_end(route, at.mover, end.given, at.place):
                names = (*at.came, route.closing) if end is not at else at.came
                counts, rank = _counts(route, end.given), self._rank(route, at.mover, end.given, at.place)
                yield Way(names, at.place, counts, end.spent, end is not at, rank)
        for name in dict.fromkeys(other.id for _, other in at.place.links_.get(route.crossing[1].name, ())):
            for after in self.follow(route, at, name):
                yield from self._all_ways(route, after)

    def _rank(self, route: Route, mover: Mover, given: Given, place: Place) -> tuple[tuple[bool, int], ...]:
        env = {**self._env(route, mover, given), route.entered: place}
        values = [self.evaluator.term(rank, env) for rank in route.ranks]
        return tuple((value is None, value or 0) for value in values)

    def first_rank(self, route: Route, mover: Mover, given: Given, ways: list[Way]) -> int | None:
        """What the best ways have least of; nothing if there are none."""
        if not ways:
            return None
        tallied = dict(zip((name for name, _ in route.counters), ways[0].counts, strict=True))
        env = {**self._env(route, mover, {**given, **tallied}), route.entered: ways[0].place}
        found: int | None = self.evaluator.term(route.ranks[0], env)
        return found

    # ------------------------------------------------------------------ paths as written
    def follow(self, route: Route, at: OnPath, step: str) -> Iterator[OnPath]:
        """Yield where a step may lead: over each connection that joins the places."""
        target = step.removeprefix(INTERRUPTED)
        if at.stopped or (route.simple and target in at.came[route.returns :]):
            return
        left = self._points(route, at.mover, at.given) - at.spent
        for taken in self._next(route, at.mover, at.given, at.place, left):
            _, place, price, stops, given = taken
            if place.id != target:
                continue
            if step != target:
                yield from self._interrupt(route, at, taken, left)
                continue
            came = (*at.came, place.id)
            yield replace(
                at, place=place, given=given, came=came, spent=at.spent + price, stopped=stops, interrupted=False
            )

    def _interrupt(self, route: Route, at: OnPath, taken: Taken, left: int) -> Iterator[OnPath]:
        """Yield the situation after an interruption: of a step that was open, by somebody who is able to."""
        if not self._can_end(route, at.mover, taken, left - taken[2], frozenset()):
            return
        env = self._step_env(route, at.mover, at.given, taken[0], at.place, taken[1])
        price = self._head(route.interruption, "cost", env)
        if price > left or self._head(route.interruption, "try", env):
            return
        world = self.world.interrupted(route, taken[0])
        yield replace(
            at, engine=self.elsewhere(world), mover=world.twin(at.mover), place=world.twin(at.place),
            spent=at.spent + price, interrupted=True,
        )  # fmt: skip

    def close(self, route: Route, at: OnPath) -> Iterator[OnPath]:
        """Yield the state after the closing action, if it may be taken."""
        total = self._closes(route, at.mover, at.given, at.place, at.spent)
        if total is not None:
            given = self._after_closing(route, at.mover, at.given, at.place)
            yield replace(at, spent=total, given=given, stopped=True, interrupted=False)

    def _may_stay(self, route: Route, at: OnPath) -> bool:
        """Whether a path may end in a state; ends are judged in the situation before the move."""
        if len(at.came) == 1:
            return True
        mover, place = self.world.twin(at.mover), self.world.twin(at.place)
        if self._may_end(route, mover, at.given, place):
            return True
        return (
            at.interrupted
            and self._may_end(route, mover, _stranded(route, at.given), place)
            and not at.engine.onward(route, at.mover, at.given, at.place, at.spent)
        )

    # ------------------------------------------------------------------ single steps
    def _next(self, route: Route, mover: Mover, given: Given, at: Place, left: int) -> Iterator[Taken]:
        """Yield the steps out of a place that no clause bars and that can be paid."""
        for link, other in at.links_.get(route.crossing[1].name, ()):
            env = self._step_env(route, mover, given, link, at, other)
            price = self._head(route.name, "cost", env)
            if price > left or self._head(route.name, "step", env):
                continue
            after = self._count(route, given, {**env, PRICE: price})
            stops = self._head(route.name, "stop", {**env, **after})
            yield link, other, price, stops, {**after, route.halted: 1} if stops and route.halted else after

    def _count(self, route: Route, given: Given, env: Given) -> Given:
        """Add what a step counts; a counter that is full counts no further."""
        if not route.counters:
            return given
        return self._told(route, route.name, given, env)

    def _told(self, route: Route, form: str, given: Given, env: Given) -> Given:
        """Add what a form, the route or its closing action, counts."""
        told = {name: given.get(name, 0) + self._head(form, name, env) for name, _ in route.counters}
        return {**given, **{name: max(0, min(most, told[name])) for name, most in route.counters}}

    def _after_closing(self, route: Route, mover: Mover, given: Given, place: Place) -> Given:
        """Add what the closing action counts."""
        env = {**self._env(route, mover, given), route.entered: place}
        return self._told(route, route.closing, given, env)

    def _can_end(
        self, route: Route, mover: Mover, step: Taken, left: int, seen: frozenset[tuple[Any, int, Any]]
    ) -> bool:
        """Whether some way on from a step leads to a place where the route may end or be closed; it may lead back."""
        _, place, _, stops, given = step
        if self._may_end(route, mover, given, place):
            return True
        if route.closing and self._may_end(route, mover, self._after_closing(route, mover, given, place), place):
            spent = self._points(route, mover, given) - left
            if self._closes(route, mover, given, place, spent) is not None:
                return True
        state = (place, left, _counts(route, given))
        return (
            not stops
            and state not in seen
            and any(
                self._can_end(route, mover, after, left - after[2], seen | {state})
                for after in self._next(route, mover, given, place, left)
            )
        )

    def _walks(self, route: Route, mover: Mover, given: Given, start: Place) -> Iterator[tuple[Any, int, Given]]:
        """Yield every place that a way without a loop reaches, with its cost and what was counted.

        A way that comes back to a place with other counts makes no loop, unless no place is visited twice.
        """
        points = self._points(route, mover, given)
        first = (start, _counts(route, given))
        stack: list[tuple[Any, int, tuple[Any, ...], bool, Given]] = [(start, 0, (first,), False, given)]
        while stack:
            place, spent, came, stopped, tallied = stack.pop()
            yield place, spent, tallied
            if stopped:
                continue
            for _, other, price, stops, after in self._next(route, mover, tallied, place, points - spent):
                state = (other, _counts(route, after))
                if state not in came and not (route.simple and any(other is been for been, _ in came[route.returns :])):
                    stack.append((other, spent + price, (*came, state), stops, after))

    # ------------------------------------------------------------------ heads
    def _closes(self, route: Route, mover: Mover, given: Given, place: Place, spent: int) -> int | None:
        """Cost of a route that is closed at a place; nothing if that is barred or cannot be paid."""
        env = {**self._env(route, mover, given), route.entered: place}
        if self._head(route.closing, "try", env):
            return None
        total: int = spent + self._head(route.closing, "cost", env)
        return total if total <= self._points(route, mover, given) else None

    def _may_not_start(self, route: Route, mover: Mover, given: Given) -> bool:
        barred: bool = self._head(route.name, "start", self._env(route, mover, given))
        return barred

    def _points(self, route: Route, mover: Mover, given: Given) -> int:
        points: int = self._head(route.name, "points", self._env(route, mover, given))
        return points

    def _is_goal(self, route: Route, mover: Mover, given: Given, place: Place) -> bool:
        env = {**self._env(route, mover, given), route.entered: place}
        return self._head(route.name, "goal", env) and not self._head(route.name, "end", env)

    def _may_end(self, route: Route, mover: Mover, given: Given, place: Place) -> bool:
        env = {**self._env(route, mover, given), route.entered: place}
        return not self._head(route.name, "end", env)

    def _env(self, route: Route, mover: Mover, given: Given) -> dict[str, Any]:
        return {route.mover[0]: mover, **route.zeros, **given}

    def _step_env(
        self, route: Route, mover: Mover, given: Given, link: Connection, left: Place, entered: Place
    ) -> dict[str, Any]:
        return {
            **self._env(route, mover, given),
            route.crossing[0]: link,
            route.left: left,
            route.entered: entered,
        }

    def _head(self, form: str, word: str, env: Given) -> Any:
        return self.evaluator.head(self.model.heads[head_key(form, word)], env)


def _counts(route: Route, given: Given) -> tuple[int, ...]:
    """Give the counts of a state."""
    return tuple(given.get(name, 0) for name, _ in route.counters)


def _stranded(route: Route, given: Given) -> Given:
    return {**given, route.stranded: True} if route.stranded else given


def place_of(mover: Mover | None) -> Place | None:
    """Name the place where a mover stands; of several, where the first does."""
    if isinstance(mover, list):
        return mover[0].place if mover else None
    return None if mover is None else mover.place


def common_place(mover: Mover | None) -> Place | None:
    """Name the place where all movers stand; nothing if they do not stand together."""
    if not isinstance(mover, list):
        return None if mover is None else mover.place
    places = {one.place for one in mover}
    return places.pop() if len(places) == 1 else None
