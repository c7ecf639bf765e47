"""Reasons for moves and other routes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from titm_rules.model.model import Route, head_key
from titm_rules.oracle.answer import Asked
from titm_rules.oracle.closest import Crossed, closest_route, end_env, legal_route, places, step_env
from titm_rules.oracle.explain_terms import explain_trace, traced
from titm_rules.oracle.findings import Reasons

Told = tuple[Mapping[str, Any], Mapping[str, Any]]
INTERRUPTED = "!"
MAX_ROUTES = 100


def explain_path(asked: Asked, answer: Mapping[str, Any], reasons: Reasons) -> Told:
    """Walk a path step by step; name the first bad step, the longest legal prefix, a legal way."""
    route, mover, given = asked.route()
    steps = asked.steps()
    walk = Walk(asked, reasons, route, mover, given)
    walk.follow(steps)
    if answer["legal"]:
        return {"route": steps, "costs": walk.costs, "cost": answer["cost"], "points": walk.points}, {}
    nearest: dict[str, Any] = {}
    for length in range(len(steps) - 1, 0, -1):
        if asked.engine.path(route, mover, given, steps[:length]) is not None:
            nearest["longest_prefix"] = steps[:length]
            break
    last = next((s for s in reversed(steps) if s != route.closing and not s.startswith(INTERRUPTED)), "")
    nearest |= _legal_way(asked, reasons, lambda place: place.id == last)
    blocked = {"blocked": walk.blocked} if walk.blocked else {}
    return {"first_bad_step": walk.first_bad, **blocked}, nearest


def explain_cost(asked: Asked, answer: Mapping[str, Any], reasons: Reasons) -> Told:
    """Show the cheapest route; or the one that comes closest, with every clause that bars it."""
    route, mover, given = asked.route()
    start = _start(asked)
    target = asked.destination()
    if start is None or start is target:
        Walk(asked, reasons, route, mover, given).begin()
        return {}, {}
    found = closest_route(reasons, route, mover, given, start, lambda place: place is target)
    if found is None:
        return {"unconnected": [start.id, target.id]}, {}
    walk = Walk(asked, reasons, route, mover, given)
    walk.follow(places(start, found))
    witness = {"route": places(start, found), "costs": walk.costs, "points": walk.points}
    if answer[asked.question.names[1]] is not None:
        return witness, {}
    nearest = {}
    for number in range(len(found) - 1, 0, -1):
        if asked.engine.path(route, mover, given, places(start, found[:number])) is not None:
            nearest["longest_prefix"] = places(start, found[:number])
            break
    return witness | {"first_bad_step": walk.first_bad}, nearest


def explain_ends(asked: Asked, reasons: Reasons) -> Told:
    """Show a cheapest route to every destination."""
    route, mover, given = asked.route()
    Walk(asked, reasons, route, mover, given).begin()
    start = _start(asked)
    routes: dict[str, list[str]] = {}
    for place in itertools.islice(asked.engine.ends(route, mover, given), MAX_ROUTES):
        found = legal_route(reasons, route, mover, given, start, lambda one, to=place: one is to)  # type: ignore[misc]
        if found is not None:
            routes[place.id] = places(start, found)
    return ({"routes": routes} if routes else {}), {}


def explain_closings(asked: Asked, reasons: Reasons) -> Told:
    """Judge the closing action where the mover stands."""
    route, mover, given = asked.route()
    Walk(asked, reasons, route, mover, given).begin()
    start = _start(asked)
    if start is not None:
        env = end_env(route, mover, given, start)
        reasons.head(head_key(route.closing, "try"), env, f"{route.closing} in {start.id}")
        reasons.head(head_key(route.closing, "cost"), env, f"{route.closing} in {start.id}")
    return {}, {}


def _start(asked: Asked) -> Any | None:
    _, mover, _ = asked.route()
    movers = mover if isinstance(mover, list) else [mover]
    found = {one.place for one in movers}
    return found.pop() if len(found) == 1 else None


def _legal_way(asked: Asked, reasons: Reasons, is_target: Callable[[Any], bool]) -> dict[str, Any]:
    route, mover, given = asked.route()
    start = _start(asked)
    if (
        start is None
        or is_target(start)
        or reasons.value(head_key(route.name, "start"), {route.mover[0]: mover, **given})
    ):
        return {}
    found = legal_route(reasons, route, mover, given, start, is_target)
    if found is None:
        return {}
    return {"legal_route": places(start, found), "cost": sum(step.cost for step in found)}


class Walk:
    """Judges every step of a path, also those after a bad one."""

    def __init__(self, asked: Asked, reasons: Reasons, route: Route, mover: Any, given: Mapping[str, Any]) -> None:
        self.asked, self.reasons, self.route, self.mover, self.given = asked, reasons, route, mover, given
        self.costs: list[int] = []
        self.points = 0
        self.first_bad: dict[str, Any] | None = None
        self.blocked: dict[str, Any] = {}
        movers = mover if isinstance(mover, list) else [mover]
        if len(movers) == 1:
            reasons.unnamed = frozenset((movers[0].id,))

    def begin(self) -> Any | None:
        """Judge whether the mover may move at all; give its start."""
        env = {self.route.mover[0]: self.mover, **self.given}
        barred = self.reasons.head(head_key(self.route.name, "start"), env)
        self.points = self.reasons.value(head_key(self.route.name, "points"), env)
        if barred:
            self._bad(0, "the start of the move", [finding.clause for finding in barred])
        return _start(self.asked)

    def follow(self, steps: list[str]) -> None:
        """Judge a path."""
        at = self.begin()
        if at is None or steps[0] != at.id:
            self._bad(0, f"the units do not stand in {steps[0]}", [])
            return
        engine, reasons, mover = self.asked.engine, self.reasons, self.mover
        spent, stopped, walked = 0, "", False
        for number, step in enumerate(steps[1:], 1):
            if step == self.route.closing and number == len(steps) - 1:
                self._close(number, at, spent)
                break
            target = step.removeprefix(INTERRUPTED)
            where = f"{at.id} > {step}"
            if stopped:
                self.reasons.note(stopped, "forbids", where, f"the move had to end in {at.id}")
                self._bad(number, where, [stopped])
            crossed = self._cross(number, at, target, where, reasons, mover)
            if crossed is None:
                return
            cost = crossed.cost
            if step.startswith(INTERRUPTED):
                cost, engine, mover, at = self._interrupt(number, where, crossed, reasons, engine, mover)
                reasons = Reasons(self.asked.model, engine.world, engine, self.reasons.found)
            else:
                stopped = self._stop(reasons, mover, crossed, where)
                at, walked = crossed.entered, True
            spent += cost
            self.costs.append(cost)
            self._pay(number, where, spent, cost)
        if walked:
            self._end(len(steps) - 1, self.asked.world.twin(at))

    def _cross(self, number: int, at: Any, target: str, where: str, reasons: Reasons, mover: Any) -> Crossed | None:
        from titm_rules.oracle.closest import cross

        options = [
            cross(reasons, self.route, mover, self.given, link, at, other)
            for link, other in at.links.get(self.route.crossing[1].name, ())
            if other.id == target
        ]
        if not options:
            self._bad(number, f"{where}: no connection joins them", [])
            return None
        crossed = min(options, key=lambda option: (option.barred, option.cost))
        env = step_env(self.route, mover, self.given, crossed.link, at, crossed.entered)
        barred = reasons.head(head_key(self.route.name, "step"), env, where)
        reasons.head(head_key(self.route.name, "cost"), env, where)
        if barred:
            self._bad(number, where, [finding.clause for finding in barred])
        return crossed

    def _stop(self, reasons: Reasons, mover: Any, crossed: Crossed, where: str) -> str:
        env = step_env(self.route, mover, self.given, crossed.link, crossed.left, crossed.entered)
        stops = reasons.head(head_key(self.route.name, "stop"), env, where) if crossed.stops else []
        return stops[0].clause if stops else ""

    def _interrupt(self, number: int, where: str, crossed: Crossed, reasons: Reasons, engine: Any, mover: Any) -> Any:
        """Judge an attempt at which the connection changes; go on in the changed situation."""
        from titm_rules.oracle.edition import make_engine

        env = step_env(self.route, mover, self.given, crossed.link, crossed.left, crossed.entered)
        name = self.route.interruption
        barred = reasons.head(head_key(name, "try"), env, where)
        if barred:
            self._bad(number, where, [finding.clause for finding in barred])
        reasons.head(head_key(name, "cost"), env, where)
        cost = reasons.value(head_key(name, "cost"), env)
        world = engine.world.changed(crossed.link, self.route.interruption_field, self.route.interruption_value)
        after: Any = make_engine(self._engine_name(), self.asked.model, world)
        return cost, after, world.twin(mover), world.twin(crossed.left)

    def _engine_name(self) -> str:
        return type(self.asked.engine).__name__.removesuffix("Engine").lower()

    def _close(self, number: int, at: Any, spent: int) -> None:
        closing = self.route.closing
        env = end_env(self.route, self.mover, self.given, self.asked.world.twin(at))
        where = f"{closing} in {at.id}"
        barred = self.reasons.head(head_key(closing, "try"), env, where)
        costs = self.reasons.head(head_key(closing, "cost"), env, where)
        cost = self.reasons.value(head_key(closing, "cost"), env)
        self.costs.append(cost)
        if barred:
            self._bad(number, where, [finding.clause for finding in barred])
        if spent + cost > self.points:
            clause = costs[0].clause if costs else ""
            if clause:
                self.reasons.note(
                    clause,
                    "forbids",
                    where,
                    f"it costs {cost}; {max(0, self.points - spent)} of {self.points} points are left",
                )
            self._bad(number, where, [clause])

    def _pay(self, number: int, where: str, spent: int, cost: int) -> None:
        if spent <= self.points:
            return
        env = {self.route.mover[0]: self.mover, **self.given}
        for finding in self.reasons.head(head_key(self.route.name, "points"), env, "points of the move"):
            message = f"{where} costs {cost} and makes {spent} in all; there are {self.points} points"
            self.reasons.note(finding.clause, "forbids", where, message)
            self._bad(number, where, [finding.clause])

    def _end(self, number: int, place: Any) -> None:
        env = end_env(self.route, self.mover, self.given, place)
        with traced(self.reasons) as traces:
            barred = self.reasons.head(head_key(self.route.name, "end"), env, f"ending in {place.id}")
        if barred:
            self._bad(number, f"ending in {place.id}", [finding.clause for finding in barred])
            for trace in traces:
                if trace.cost is None:
                    witness, nearest = explain_trace(self.reasons, trace.route, trace.mover, trace.start)
                    self.blocked = {"trace": trace.route.name, **witness, **nearest}
                    return

    def _bad(self, number: int, where: str, clauses: list[str]) -> None:
        if self.first_bad is None:
            self.first_bad = {"number": number, "step": where, "clauses": [clause for clause in clauses if clause]}
