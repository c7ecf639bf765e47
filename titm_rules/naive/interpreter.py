"""Forms by brute force: every path, every allocation in every order, every subset."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from titm_rules.model.model import Allocation, Model, Roll, Route, Selection, Statement, head_key
from titm_rules.naive.evaluate import PICKS, Evaluator
from titm_rules.world.world import World

Given = Mapping[str, Any]
MAX_STATES = 200


class NaiveEngine:
    """Answers every question by trying all candidates; only for small situations."""

    def __init__(self, model: Model, world: World) -> None:
        self.model = model
        self.world = world
        self.evaluator = Evaluator(model, world, self.trace)

    def elsewhere(self, world: World) -> NaiveEngine:
        """Give an engine of the same rules for another world."""
        return NaiveEngine(self.model, world)

    def term(self, term: Any, env: Given) -> Any:
        """Evaluate a term under some variables."""
        return self.evaluator.term(term, env)

    def decide(self, key: str, env: Given) -> Any:
        """Decide a head."""
        return self.evaluator.head(self.model.heads[key], env)

    def said(self, key: str, env: Given) -> list[Statement]:
        """List the statements of a head that count."""
        return list(self.evaluator.alive(self.model.heads[key], env))

    # ------------------------------------------------------------------ routes
    def trace(self, route: Route, mover: Any, start: Any | None) -> int | None:
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
        found = [cost for place, cost, _ in self._walks(route, mover, {}, start) if self._is_goal(route, mover, place)]
        return min(found, default=None)

    def ends(self, route: Route, mover: Any, given: Given) -> dict[Any, int]:
        """Map every place but the start where the route may end to the cheapest cost."""
        best: dict[Any, int] = {}
        start = common_place(mover)
        if start is None or self._head(route.name, "start", self._env(route, mover, given)):
            return best
        for place, cost, _ in self._walks(route, mover, given, start):
            if place is not start and cost < best.get(place, cost + 1) and self._may_end(route, mover, given, place):
                best[place] = cost
        return best

    def closings(self, route: Route, mover: Any, given: Given) -> list[Any]:
        """List the places, the start among them, where the closing action may be taken."""
        start = common_place(mover)
        if start is None or self._head(route.name, "start", self._env(route, mover, given)):
            return []
        points = self._points(route, mover, given)
        found = []
        for place, cost, _ in self._walks(route, mover, given, start):
            if place in found or (place is not start and not self._may_end(route, mover, given, place)):
                continue
            env = {**self._env(route, mover, given), route.entered: place}
            price = cost + self._head(route.closing, "cost", env)
            if price <= points and not self._head(route.closing, "try", env):
                found.append(place)
        return found

    def path(self, route: Route, mover: Any, given: Given, steps: list[str]) -> int | None:
        """Cost of a path as written, or nothing if it is illegal."""
        start = common_place(mover)
        if start is None or not steps or steps[0] != start.id:
            return None
        if len(steps) == 1:
            return 0
        if self._head(route.name, "start", self._env(route, mover, given)):
            return None
        points = self._points(route, mover, given)
        states: list[Any] = [(self, mover, start, 0, False, False)]
        for number, step in enumerate(steps[1:], 1):
            last = number == len(steps) - 1
            states = [after for state in states for after in self._follow(route, given, state, step, points, last)]
            states = sorted(states, key=lambda state: state[3])[:MAX_STATES]
        return min((state[3] for state in states if self._may_stay(route, mover, given, state)), default=None)

    def onward(self, route: Route, mover: Any, given: Given, at: Any, spent: int) -> list[tuple[Any, Any, int, bool]]:
        """List the steps after which the route can still end."""
        if self._head(route.name, "start", self._env(route, mover, given)):
            return []
        points = self._points(route, mover, given)
        return [
            step
            for step in self._next(route, mover, given, at, points - spent)
            if self._can_end(route, mover, given, step, points - spent - step[2], (at,))
        ]

    def may_halt(self, route: Route, mover: Any, given: Given, at: Any, spent: int) -> bool:
        """Whether a mover that has come to a place may end there: it may, or it cannot go on."""
        return self._may_end(route, mover, given, at) or not self.onward(route, mover, given, at, spent)

    def closing_price(self, route: Route, mover: Any, given: Given, at: Any, spent: int) -> int | None:
        """Price of the closing action at a place; nothing if it may not be taken there."""
        env = {**self._env(route, mover, given), route.entered: at}
        if self._head(route.name, "start", self._env(route, mover, given)) or self._head(route.closing, "try", env):
            return None
        if at is not common_place(mover) and not self._may_end(route, mover, given, at):
            return None
        price: int = self._head(route.closing, "cost", env)
        return price if spent + price <= self._points(route, mover, given) else None

    def _next(self, route: Route, mover: Any, given: Given, at: Any, left: int) -> Iterator[tuple[Any, Any, int, bool]]:
        """Yield the steps out of a place that no clause bars and that can be paid."""
        for link, other in at.links.get(route.crossing[1].name, ()):
            env = self._step_env(route, mover, given, link, at, other)
            price = self._head(route.name, "cost", env)
            if price <= left and not self._head(route.name, "step", env):
                yield link, other, price, self._head(route.name, "stop", env)

    def _can_end(self, route: Route, mover: Any, given: Given, step: Any, left: int, seen: tuple[Any, ...]) -> bool:
        """Whether some way on from a step leads to a place where the route may end."""
        _, place, _, stops = step
        if self._may_end(route, mover, given, place):
            return True
        return not stops and any(
            self._can_end(route, mover, given, after, left - after[2], (*seen, place))
            for after in self._next(route, mover, given, place, left)
            if after[1] not in seen
        )

    def _may_stay(self, route: Route, mover: Any, given: Given, state: Any) -> bool:
        """Whether a path may end in a state; it is judged in the situation before the move."""
        _, _, place, _, _, walked = state
        return not walked or self._may_end(route, mover, given, self.world.twin(place))

    def _follow(
        self, route: Route, given: Given, state: Any, step: str, points: int, last: bool
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the states after a step: one for each connection that it may take."""
        engine, mover, place, spent, stopped, walked = state
        if step == route.closing and last:
            env = {**self._env(route, mover, given), route.entered: place}
            price = spent + engine._head(route.closing, "cost", env)
            if price <= points and not engine._head(route.closing, "try", env):
                yield (engine, mover, place, price, True, walked)
            return
        interrupted, target = step.startswith("!"), step.removeprefix("!")
        for link, other in place.links.get(route.crossing[1].name, ()):
            if stopped or other.id != target:
                continue
            env = engine._step_env(route, mover, given, link, place, other)
            cost = spent + engine._head(route.name, "cost", env)
            if engine._head(route.name, "step", env) or cost > points:
                continue
            if not interrupted:
                yield (engine, mover, other, cost, engine._head(route.name, "stop", env), True)
                continue
            cost = spent + engine._head(route.interruption, "cost", env)
            if cost <= points and not engine._head(route.interruption, "try", env):
                world = engine.world.changed(link, route.interruption_field, route.interruption_value)
                yield (self.elsewhere(world), world.twin(mover), world.twin(place), cost, False, walked)

    def _walks(self, route: Route, mover: Any, given: Given, start: Any) -> Iterator[tuple[Any, int, tuple[Any, ...]]]:
        """Yield every place that some path without a loop reaches, with its cost."""
        points = self._points(route, mover, given)
        stack: list[tuple[Any, int, tuple[Any, ...], bool]] = [(start, 0, (start,), False)]
        while stack:
            place, spent, path, stopped = stack.pop()
            yield place, spent, path
            if stopped:
                continue
            for link, other in place.links.get(route.crossing[1].name, ()):
                env = self._step_env(route, mover, given, link, place, other)
                if other in path or self._head(route.name, "step", env):
                    continue
                cost = spent + self._head(route.name, "cost", env)
                if cost <= points:
                    stack.append((other, cost, (*path, other), self._head(route.name, "stop", env)))

    def _points(self, route: Route, mover: Any, given: Given) -> int:
        points: int = self._head(route.name, "points", self._env(route, mover, given))
        return points

    def _is_goal(self, route: Route, mover: Any, place: Any) -> bool:
        env = {**self._env(route, mover, {}), route.entered: place}
        return self._head(route.name, "goal", env) and not self._head(route.name, "end", env)

    def _may_end(self, route: Route, mover: Any, given: Given, place: Any) -> bool:
        env = {**self._env(route, mover, given), route.entered: place}
        return not self._head(route.name, "end", env)

    def _env(self, route: Route, mover: Any, given: Given) -> dict[str, Any]:
        return {route.mover[0]: mover, **given}

    def _step_env(self, route: Route, mover: Any, given: Given, link: Any, left: Any, entered: Any) -> dict[str, Any]:
        return {
            **self._env(route, mover, given),
            route.crossing[0]: link,
            route.left: left,
            route.entered: entered,
        }

    def _head(self, form: str, word: str, env: Given) -> Any:
        return self.evaluator.head(self.model.heads[head_key(form, word)], env)

    # ------------------------------------------------------------------ allocations
    def sequences(self, form: Allocation, given: Given) -> Iterator[tuple[tuple[Any, Any], ...]]:
        """Yield every legal sequence of (chooser, target), in every order that is allowed.

        A counter chooses as its number, from 0.
        """
        head = self.model.heads[head_key(form.name, "choose")]
        targets = self.term(form.targets, given)
        for order in self._orders(form, given):
            for picked in itertools.product(targets, repeat=len(order)):
                if self._is_legal(form, head, given, order, picked, targets):
                    yield tuple(zip(order, picked, strict=True))

    def allocations(self, form: Allocation, given: Given) -> set[tuple[Any, ...]]:
        """Collect the legal results: who picks whom (for counters: the sequences of targets)."""
        if form.chooser is None:
            return {tuple(target for _, target in pairs) for pairs in self.sequences(form, given)}
        return {tuple(sorted(pairs, key=lambda p: p[0].index)) for pairs in self.sequences(form, given)}

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

    def _is_legal(self, form: Allocation, head: Any, given: Given, order: Any, picked: Any, targets: Any) -> bool:
        picks = dict.fromkeys(targets, 0)
        for chooser, target in zip(order, picked, strict=True):
            env = {**given, form.target[0]: target, PICKS: picks}
            if form.chooser is not None:
                env[form.chooser[0]] = chooser
            if self.evaluator.head(head, env):
                return False
            picks[target] += 1
        return True

    # ------------------------------------------------------------------ the common interface
    def count(self, form: Allocation | Selection, given: Given) -> int:
        """Count the legal choices."""
        return sum(1 for _ in self.choices(form, given))

    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield the legal choices."""
        if isinstance(form, Selection):
            yield from self.selections(form, given)
        else:
            yield from self.allocations(form, given)

    def is_legal(self, form: Allocation | Selection, given: Given, picked: tuple[Any, ...]) -> bool:
        """Whether one choice is legal: whether it is among all of them."""
        if isinstance(form, Selection):
            return set(picked) in map(set, self.selections(form, given)) and len(set(picked)) == len(picked)
        return tuple(picked) in self.allocations(form, given)

    def is_barred(self, form: Allocation, given: Given, chooser: Any, target: Any, picks: Mapping[Any, int]) -> bool:
        """Whether a clause bars one pick, when each target was picked so often."""
        named = {} if form.chooser is None else {form.chooser[0]: chooser}
        env = {**given, **named, form.target[0]: target, PICKS: picks}
        return bool(self.evaluator.head(self.model.heads[head_key(form.name, "choose")], env))

    # ------------------------------------------------------------------ selections and rolls
    def selections(self, form: Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield every legal set, members in the order of the situation."""
        head = self.model.heads[head_key(form.name, "choose")]
        members = self.term(form.members, given)
        for size in range(len(members) + 1):
            for picked in itertools.combinations(members, size):
                if not self.evaluator.head(head, {**given, form.picked[0]: list(picked)}):
                    yield picked

    def roll(self, roll: Roll, env: Given) -> tuple[int, dict[str, int], int] | None:
        """Give factor, what is added to the die by name, and the highest die that succeeds."""
        highest = self.evaluator.highest(roll, env)
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


def place_of(mover: Any) -> Any | None:
    """Name the place where a mover stands; of several, where the first does."""
    if isinstance(mover, list):
        return mover[0].place if mover else None
    return mover.place


def common_place(mover: Any) -> Any | None:
    """Name the place where all movers stand; nothing if they do not stand together."""
    if not isinstance(mover, list):
        return mover.place
    places = {one.place for one in mover}
    return places.pop() if len(places) == 1 else None
