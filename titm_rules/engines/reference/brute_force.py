"""Answer forms by brute force: every path, every allocation in every order, every subset.

It shares no code with the other engines but the interface and the model, and repeats on purpose what they have in
common (steps of a path, whether a statement counts): the tests compare them with it.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from titm_rules.diagnostics import Undecided
from titm_rules.engines.engine import Engine, RankedPath
from titm_rules.engines.reference.evaluate import PICKS, ReferenceEvaluator
from titm_rules.ir.model import PRICE, Allocation, Form, Head, Lift, Model, Roll, Route, Selection, Statement, head_key
from titm_rules.world.records import Connection, Mover, Place, Record, Value
from titm_rules.world.world import World

# ---------------------------------------------------------------------- routes
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

    engine: ReferenceRoutes
    mover: Mover
    place: Place
    given: Given
    came: tuple[str, ...]
    spent: int = 0
    stopped: bool = False
    interrupted: bool = False


class ReferenceRoutes(Engine):
    """Answers questions about routes by walking every way."""

    evaluator: ReferenceEvaluator

    # ------------------------------------------------------------------ what may be asked
    def trace(self, route: Route, mover: Mover, start: Place | None) -> int | None:
        """Return the cheapest cost from a place to a goal, judged before the move; None without a route."""
        if self.world.origin is not self.world:
            before = self.at(self.world.origin)
            twin = before.world.twin
            return before.trace(route, twin(mover), twin(start) if start is not None else None)
        start = start if start is not None else place_of(mover)
        if start is None:
            return None
        walks = self._walks(route, mover, {}, start)
        goals = (cost for place, cost, tallied in walks if self._is_goal(route, mover, tallied, place))
        return min(goals, default=None)

    def reach(self, route: Route, mover: Mover, start: Place | None, to: Place | None) -> int | None:
        if self.world.origin is not self.world:
            before = self.at(self.world.origin)
            twin = before.world.twin
            return before.reach(route, twin(mover), twin(start) if start else None, twin(to) if to else None)
        start = start if start is not None else place_of(mover)
        if start is None or to is None:
            return None
        walks = self._walks(route, mover, {}, start)
        found = (cost for place, cost, tallied in walks if place is to and self._may_end(route, mover, tallied, to))
        return min(found, default=None)

    def stays(self, route: Route, mover: Mover, given: Given, start: Place) -> bool:
        return not self._may_not_start(route, mover, given) and self._may_end(route, mover, given, start)

    def counted(self, route: Route, mover: Mover, given: Given, start: Place) -> list[tuple[Place, tuple[int, ...]]]:
        if route.ranks:
            return [(way.place, way.counts) for way in self.ways(route, mover, given, start) if not way.closed]
        if self._may_not_start(route, mover, given):
            return []
        walks = self._walks(route, mover, given, start)
        ends = {(place, _counts(route, tallied)): tallied for place, _, tallied in walks}
        return [at for at, tallied in ends.items() if self._may_end(route, mover, tallied, at[0])]

    def ends(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> dict[Any, int]:
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
        start = common_place(mover)
        if route.ranks:
            ways = self.ways(route, mover, given, start)
            return min((way.cost for way in ways if list(way.names) == steps), default=None)
        if start is None or not steps or steps[0] != start.id:
            return None
        if len(steps) == 1:
            return None if self._head(route.name, "stay", self._env(route, mover, given)) else 0
        if self._may_not_start(route, mover, given):
            return None
        states = [OnPath(self, mover, start, given, (start.id,))]
        for number, step in enumerate(steps[1:], 1):
            closes = number == len(steps) - 1 and step == route.closing
            after = (at.engine.close(route, at) if closes else at.engine.follow(route, at, step) for at in states)
            states = sorted((at for found in after for at in found), key=lambda at: at.spent)[:MAX_STATES]
        return min((at.spent for at in states if self._may_stay(route, at)), default=None)

    def steps(self, route: Route, mover: Mover, given: Given, at: Place) -> list[Step]:
        return [(*step[:4], _counts(route, step[4])) for step in self._next(route, mover, given, at, sys.maxsize)]

    def onward(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> list[Step]:
        if self._may_not_start(route, mover, given):
            return []
        points = self._points(route, mover, given)
        return [
            (*step[:4], _counts(route, step[4]))
            for step in self._next(route, mover, given, at, points - spent)
            if self._can_end(route, mover, step, points - spent - step[2], set())
        ]

    def may_halt(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> bool:
        if self._stays(route, mover, given, at, spent) or self._may_end(route, mover, given, at):
            return True
        return self._may_end(route, mover, _stranded(route, given), at) and not self.onward(
            route, mover, given, at, spent
        )

    def closing_price(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> int | None:
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
    def ways(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> list[RankedPath]:
        start = common_place(mover) if start is None else start
        if start is None or self._may_not_start(route, mover, given):
            return []
        best: dict[tuple[str, ...], RankedPath] = {}
        for way in self._all_ways(route, OnPath(self, mover, start, given, (start.id,))):
            if way.names not in best or (way.rank, way.cost) < (best[way.names].rank, best[way.names].cost):
                best[way.names] = way
        return [best[names] for names in sorted(best) if all(best[names].rank <= way.rank for way in best.values())]

    def _all_ways(self, route: Route, at: OnPath) -> Iterator[RankedPath]:
        closed = self.close(route, at) if route.closing else ()
        for end in (at, *closed):
            if self._may_end(route, at.mover, end.given, at.place):
                names = (*at.came, route.closing) if end is not at else at.came
                counts, rank = _counts(route, end.given), self._rank(route, at.mover, end.given, at.place)
                yield RankedPath(names, at.place, counts, end.spent, end is not at, rank)
        for name in dict.fromkeys(other.id for _, other in at.place.links_.get(route.crossing[1].name, ())):
            for after in self.follow(route, at, name):
                yield from self._all_ways(route, after)

    def _rank(self, route: Route, mover: Mover, given: Given, place: Place) -> tuple[tuple[bool, int], ...]:
        env = {**self._env(route, mover, given), route.entered: place}
        values = [self.evaluator.term(rank, env) for rank in route.ranks]
        return tuple((value is None, value or 0) for value in values)

    def first_rank(self, route: Route, mover: Mover, given: Given, ways: list[RankedPath]) -> int | None:
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
        if not self._can_end(route, at.mover, taken, left - taken[2], set()):
            return
        env = self._step_env(route, at.mover, at.given, taken[0], at.place, taken[1])
        price = self._head(route.interruption, "cost", env)
        if price > left or self._head(route.interruption, "try", env):
            return
        world = self.world.interrupted(route, taken[0])
        yield replace(
            at, engine=self.at(world), mover=world.twin(at.mover), place=world.twin(at.place),
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
        told = {name: given.get(name, 0) + self._head(form, name, env) for name, _ in route.counters}
        return {**given, **{name: max(0, min(most, told[name])) for name, most in route.counters}}

    def _after_closing(self, route: Route, mover: Mover, given: Given, place: Place) -> Given:
        env = {**self._env(route, mover, given), route.entered: place}
        return self._told(route, route.closing, given, env)

    def _can_end(self, route: Route, mover: Mover, step: Taken, left: int, seen: set[tuple[Any, int, Any]]) -> bool:
        """Whether some way on from a step leads to a place where the route may end or be closed; it may lead back.

        `seen` collects the states from which it has been looked for: none is looked at twice.
        """
        _, place, _, stops, given = step
        if self._may_end(route, mover, given, place):
            return True
        if route.closing and self._may_end(route, mover, self._after_closing(route, mover, given, place), place):
            spent = self._points(route, mover, given) - left
            if self._closes(route, mover, given, place, spent) is not None:
                return True
        state = (place, left, _counts(route, given))
        if stops or state in seen:
            return False
        seen.add(state)
        return any(
            self._can_end(route, mover, after, left - after[2], seen)
            for after in self._next(route, mover, given, place, left)
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
        points: int | None = self._head(route.name, "points", self._env(route, mover, given))
        if points is None:
            raise Undecided.of(head_key(route.name, "points"))
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
    return tuple(given.get(name, 0) for name, _ in route.counters)


def _stranded(route: Route, given: Given) -> Given:
    return {**given, route.stranded: True} if route.stranded else given


def place_of(mover: Mover | None) -> Place | None:
    if isinstance(mover, list):
        return mover[0].place if mover else None
    return None if mover is None else mover.place


def common_place(mover: Mover | None) -> Place | None:
    if not isinstance(mover, list):
        return None if mover is None else mover.place
    places = {one.place for one in mover}
    return places.pop() if len(places) == 1 else None


# ---------------------------------------------------------------------- interpreter
class ReferenceEngine(ReferenceRoutes):
    """Answers every question by trying all candidates; only for small situations."""

    def __init__(self, model: Model, world: World) -> None:
        super().__init__(model, world)
        self.evaluator = ReferenceEvaluator(model, world, self._trace_once, self.reach, self.result)
        self._known: dict[Any, Any] = {}  # what expressions asked of forms, for they ask the same again and again

    def at(self, world: World) -> ReferenceEngine:
        return ReferenceEngine(self.model, world)

    def term(self, term: Any, env: Given) -> Any:
        return self.evaluator.term(term, env)

    def decide(self, key: str, env: Given) -> Any:
        return self.evaluator.head(self.model.heads[key], env)

    def said(self, key: str, env: Given) -> list[Statement]:
        return list(self.evaluator.alive(self.model.heads[key], env))

    def held(self, key: str, env: Given) -> Sequence[bool]:
        return [self.evaluator.holds(one, env) for one in self.model.heads[key].statements]

    # ------------------------------------------------------------------ allocations
    def sequences(self, form: Allocation, given: Given) -> Iterator[tuple[tuple[Any, Any], ...]]:
        """Yield every legal sequence of (chooser, target), in every allowed order; a counter chooses as its number."""
        head = self.model.heads[head_key(form.name, "choose")]
        for order in self._orders(form, given):
            yield from self._continued(form, head, given, order, ())

    def _continued(
        self, form: Allocation, head: Head, given: Given, order: Sequence[Any], done: tuple[tuple[Any, Any], ...]
    ) -> Iterator[tuple[tuple[Any, Any], ...]]:
        """Try every target for the next chooser, and go on behind those that nothing bars."""
        if len(done) == len(order):
            yield done
            return
        targets, chooser = self.term(form.targets, given), order[len(done)]
        picks = {target: sum(1 for _, other in done if other is target) for target in targets}
        named = {} if form.chooser is None else {form.chooser[0]: chooser}
        for target in targets:
            if not self.evaluator.head(head, {**given, **named, form.target[0]: target, PICKS: picks}):
                yield from self._continued(form, head, given, order, (*done, (chooser, target)))

    def allocations(self, form: Allocation, given: Given) -> dict[tuple[Any, ...], None]:
        """Collect the legal results as they are found: who picks whom (for counters: the sequences of targets)."""
        if form.chooser is None:
            return dict.fromkeys(tuple(target for _, target in pairs) for pairs in self.sequences(form, given))
        by_chooser = (tuple(sorted(pairs, key=lambda p: p[0].index_)) for pairs in self.sequences(form, given))
        return dict.fromkeys(by_chooser)

    def _orders(self, form: Allocation, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield the orders in which choosers may choose: by rank, ties in every order."""
        if form.chooser is None:
            yield tuple(range(given[form.counter]))
            return
        choosers = self.term(form.choosers, given)
        ranks = {one: self.term(form.order, {**given, form.chooser[0]: one}) for one in choosers} if form.order else {}
        for order in itertools.permutations(choosers):
            if all(ranks.get(a, 0) >= ranks.get(b, 0) for a, b in itertools.pairwise(order)):
                yield order

    # ------------------------------------------------------------------ the common interface
    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        if isinstance(form, Selection):
            yield from self.best(form, given)
        else:
            yield from self.allocations(form, given)

    def is_legal(self, form: Allocation | Selection, given: Given, picked: tuple[Any, ...]) -> bool:
        """Whether one choice is legal: whether it is among all of them."""
        if isinstance(form, Selection):
            return set(picked) in map(set, self.best(form, given)) and len(set(picked)) == len(picked)
        return tuple(picked) in self.allocations(form, given)

    def is_barred(
        self, form: Allocation, given: Given, chooser: Record, target: Record, picks: Mapping[Any, int]
    ) -> bool:
        named = {} if form.chooser is None else {form.chooser[0]: chooser}
        env = {**given, **named, form.target[0]: target, PICKS: picks}
        return bool(self.evaluator.head(self.model.heads[head_key(form.name, "choose")], env))

    # ------------------------------------------------------------------ selections and rolls
    def selections(self, form: Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        head = self.model.heads[head_key(form.name, "choose")]
        members = self.term(form.members, given)
        for size in range(len(members) + 1):
            for picked in itertools.combinations(members, size):
                if not self.evaluator.head(head, {**given, form.picked[0]: list(picked)}):
                    yield picked

    def best(self, form: Selection, given: Given) -> list[tuple[Any, ...]]:
        """List the legal sets: of those that nothing bars the ones of the lowest rank, if sets have one."""
        legal = list(self.selections(form, given))
        if form.rank is None:
            return legal
        ranks = [self.term(form.rank, {**given, form.picked[0]: list(picked)}) for picked in legal]
        return [picked for picked, rank in zip(legal, ranks, strict=True) if rank == min(ranks)]

    def lowest(self, form: Selection, given: Given) -> int | None:
        ranks = [self.term(form.rank, {**given, form.picked[0]: list(one)}) for one in self.selections(form, given)]
        return min(ranks, default=None)

    def result(self, what: str, name: str, roles: Given) -> Any:
        if self.world.origin is not self.world:
            before = self.at(self.world.origin)
            return _twins(self.world, before.result(what, name, {r: _twins(before.world, v) for r, v in roles.items()}))
        key = (what, name, *((role, _key(value)) for role, value in roles.items()))
        if key not in self._known:
            self._known[key] = self._result(self.model.forms[name], what, roles)
        return self._known[key]

    def _trace_once(self, route: Route, mover: Mover, start: Place | None) -> int | None:
        key = (route.name, _key(mover), start)
        if key not in self._known:
            self._known[key] = self.trace(route, mover, start)
        found: int | None = self._known[key]
        return found

    def _result(self, form: Form, what: str, roles: Given) -> Any:
        if isinstance(form, Route):
            return self._route_result(form, what, roles)
        assert isinstance(form, Allocation | Selection)
        if what == "best" and isinstance(form, Selection):
            return self.lowest(form, roles)
        if what != "some":
            return self.count(form, roles)
        chooser = form.chooser[0] if isinstance(form, Allocation) and form.chooser is not None else ""
        target = roles.get((form.target if isinstance(form, Allocation) else form.picked)[0])
        return self.example(form, roles, None if target is None else (roles.get(chooser), target)) is not None

    def _route_result(self, route: Route, what: str, roles: Given) -> Any:
        mover, given = roles[route.mover[0]], {name: roles[name] for name, _ in route.given}
        start = roles.get("start") or common_place(mover)
        if start is None or mover is None:
            return {"ends": [], "choices": 0}.get(what)
        if what == "ends":
            ends = self.ends(route, mover, given, start)
            return [place for place in self.world.places if place in ends]
        if what == "cost" and roles["end"] is start and not route.ranks:
            return 0 if self.stays(route, mover, given, start) else None
        if what == "cost":
            return self.ends(route, mover, given, start).get(roles["end"])
        if what in dict(route.counters):
            number = list(dict(route.counters)).index(what)
            key = ("counted", route.name, _key(mover), start, *map(_key, given.values()))
            if key not in self._known:
                self._known[key] = self.counted(route, mover, given, start)
            found: list[tuple[Any, tuple[int, ...]]] = self._known[key]
            return min((counts[number] for place, counts in found if place is roles["end"]), default=None)
        ways = self.ways(route, mover, given, start)
        if what == "choices":
            return len(ways)
        return self.first_rank(route, mover, given, ways)

    def roll(self, roll: Roll, env: Given) -> tuple[int, dict[str, int], int] | None:
        highest = self.evaluator.last_face(roll, env)
        if highest is None:
            return None
        factor = self._head(roll.name, "factor", env)
        head = self.model.heads[head_key(roll.name, "adds")]
        added: dict[str, int] = {}
        for statement in self.evaluator.alive(head, env):
            value = self.evaluator.term(statement.value, env) if statement.value is not None else 0
            if value:
                added[statement.label] = added.get(statement.label, 0) + value
        return factor, added, highest


def _key(value: Value) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _twins(world: World, value: Value) -> Any:
    if isinstance(value, list):
        return [_twins(world, one) for one in value]
    return world.twin(value) if isinstance(value, Record) else value


# ---------------------------------------------------------------------- watched
class CoverageProbe(ReferenceEngine):
    """The reference engine, which adds to `seen` the clauses of those `watched` sentences (by identity) that hold."""

    def __init__(self, model: Model, world: World, watched: Mapping[int, str], seen: set[str]) -> None:
        super().__init__(model, world)
        self.watched, self.seen = watched, seen
        self.evaluator = _ProbedEvaluator(self)

    def at(self, world: World) -> CoverageProbe:
        return CoverageProbe(self.model, world, self.watched, self.seen)


class _ProbedEvaluator(ReferenceEvaluator):
    """Notes the sentences that hold."""

    def __init__(self, engine: CoverageProbe) -> None:
        super().__init__(engine.model, engine.world, engine.trace, engine.reach, engine.result)
        self.watched, self.seen = engine.watched, engine.seen

    def holds(self, sentence: Statement | Lift, env: Mapping[str, Any]) -> bool:
        found = super().holds(sentence, env)
        if found and id(sentence) in self.watched:
            self.seen.add(self.watched[id(sentence)])
        return found
