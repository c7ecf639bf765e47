"""Reasons for moves and other routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.alternatives import INTERRUPTED, OriginalMove, other_ways, ways_there
from titm_rules.explain.answer_reasons import explain_trace, traced
from titm_rules.explain.findings import Reasons
from titm_rules.explain.relaxed_search import JudgedStep, closest_route, legal_route, may_continue, places
from titm_rules.explain.verdict import Finding, WitnessAndNearest
from titm_rules.ir.model import head_key
from titm_rules.ir.types import Type, amount
from titm_rules.world.evaluate import Env
from titm_rules.world.records import Place

MAX_ROUTES = 100


def explain_path(asked: BoundQuestion, answer: Mapping[str, Any], reasons: Reasons) -> WitnessAndNearest:
    """Walk a path step by step; name the first bad step, the longest legal prefix, a legal way."""
    steps = asked.steps()
    walk = Walk(asked, reasons)
    walk.follow(steps)
    if answer["legal"]:
        cost = {"cost": amount(walk.ask.route.measure, answer["cost"])} if "cost" in answer else {}
        return {"route": steps, "costs": walk.costs, **cost, "points": walk.points}, {}
    if walk.first_bad is None:
        walk.compare(asked, steps)
    nearest = other_ways(asked, walk.outsets, steps)
    blocked = {"blocked": walk.blocked} if walk.blocked else {}
    return {"first_bad_step": walk.first_bad, **blocked}, nearest


def explain_cost(asked: BoundQuestion, answer: Mapping[str, Any], reasons: Reasons) -> WitnessAndNearest:
    """Show the cheapest route; or the one that comes closest, with every clause that bars it."""
    walk = Walk(asked, reasons)
    target = asked.destination()
    if walk.start is None or walk.start is target:
        return {"why": "the units are not in one place" if walk.start is None else f"already in {target.id}"}, {}
    found = closest_route(walk.ask, walk.start, lambda place: place is target)
    if found is None:
        return {"unconnected": [walk.start.id, target.id]}, {}
    steps = places(walk.start, found)
    walk.follow(steps)
    witness = {"route": steps, "costs": walk.costs, "points": walk.points}
    if answer[asked.question.names[1]] is not None:
        return witness, {}
    reasons.around(walk.ask, walk.start, lambda place: place is target)
    return witness | {"first_bad_step": walk.first_bad}, ways_there(asked, steps)


def explain_ends(asked: BoundQuestion, reasons: Reasons) -> WitnessAndNearest:
    """Show a cheapest route to every destination; if there is none, say what is in the way on every side."""
    walk = Walk(asked, reasons)
    walk.begin()
    routes: dict[str, list[str]] = {}
    if walk.start is None:
        return {}, {}
    for place in sorted(asked.engine.ends(*asked.route()), key=lambda place: place.id)[:MAX_ROUTES]:
        found = legal_route(walk.ask, walk.start, lambda one, to=place: one is to)  # type: ignore[misc]
        if found is not None:
            routes[place.id] = places(walk.start, found)
    return ({"routes": routes}, {}) if routes else (_shut_in(asked, walk), {})


def _shut_in(asked: BoundQuestion, walk: Walk) -> dict[str, Any]:
    """Judge a step to each place around movers that can go nowhere."""
    assert walk.start is not None
    around = dict.fromkeys(other.id for _, other in walk.ask.ways(walk.start))
    for name in around if walk.first_bad is None else ():
        Walk(asked, walk.reasons).follow([walk.start.id, name])
    return {} if around else {"unconnected": walk.start.id}


def explain_closings(asked: BoundQuestion, reasons: Reasons) -> WitnessAndNearest:
    """Judge the closing action where the mover stands."""
    walk = Walk(asked, reasons)
    walk.begin()
    if walk.start is not None:
        for word in ("try", "cost"):
            key = head_key(walk.ask.route.closing, word)
            reasons.head(key, walk.ask.end(walk.start), f"{walk.ask.route.closing} in {walk.start.id}")
    return {}, {}


class Walk:
    """Judges every step of a path, also those after a bad one.

    Attributes:
        start: where the movers stand; nothing if they stand apart.
        costs: what each step costs.
        points: what there is to spend.
        first_bad: number, name and clauses of the first step that is not legal.
        blocked: the trace that a clause on the end of the path asks for, if there is none.
        outsets: where it sets out, first from the start, then after each interruption.
    """

    def __init__(self, asked: BoundQuestion, reasons: Reasons) -> None:
        route, mover, given = asked.route()
        movers = mover if isinstance(mover, list) else [mover]
        found = {one.place for one in movers}
        self.start: Place | None = found.pop() if len(found) == 1 else None
        if len(movers) == 1:
            reasons.words.unnamed = frozenset((movers[0].id,))
        self.reasons = reasons  # of the situation as the steps so far have changed it
        self.first = reasons
        self.ask = reasons.ask(route, mover, given)
        self.origin = self.ask
        self.outsets = [OriginalMove(self.ask, self.start, [] if self.start is None else [self.start.id])]
        self.interrupted = False  # by the last step
        self.costs: list[int] = []
        self.spent = self.points = 0
        self.first_bad: dict[str, Any] | None = None
        self.blocked: dict[str, Any] = {}

    def begin(self) -> None:
        """Judge whether the mover may move at all."""
        barred = self.reasons.head(self.ask.key("start"), self.ask.env)
        self.points = amount(self.ask.route.measure, self.ask.points)
        self._bad(0, "the start of the move", barred)

    def follow(self, steps: list[str]) -> None:
        """Judge a path; one that cannot be walked at all breaks no clause."""
        if self._is_gap(steps):
            return
        if len(steps) > 1:  # who stays where it is does not move
            self.begin()
        at: Any = self.start
        stopped: tuple[str, str] | None = None
        walked, came = False, [steps[0]]
        for number, step in enumerate(steps[1:], 1):
            if step == self.ask.route.closing and number == len(steps) - 1:
                self._close(number, at)
                break
            where = f"{at.id} > {step}"
            if stopped:
                clause, why = stopped
                self.reasons.note(clause, "forbids", where, why or f"the move must end in {at.id}")
                self._fault(number, where, [clause])
            crossed = self._way(at, step)
            self.interrupted = step.startswith(INTERRUPTED)
            if self.interrupted:
                at = self._interrupt(number, where, crossed)
                self.outsets.append(OriginalMove(self.ask, at, steps[: number + 1], self.points - self.spent))
                continue
            if step in self.ask.route.closed_to(came):
                self._fault(number, f"{where}: `{self.ask.route.name}` cannot visit a place twice", [])
            came.append(step)
            stopped, at, walked = self._step(number, where, crossed), crossed.entered, True
        if walked:
            self._end(len(steps) - 1, at)

    def _is_gap(self, steps: list[str]) -> bool:
        """Whether a path begins where the movers do not stand, or goes where no connection leads."""
        if self.start is None or steps[0] != self.start.id:
            self._fault(0, f"the units are not in {steps[0]}", [])
            return True
        at = self.start
        for number, step in enumerate(steps[1:], 1):
            if step == self.ask.route.closing and number == len(steps) - 1:
                break
            target = step.removeprefix(INTERRUPTED)
            after = next((other for _, other in self.ask.ways(at) if other.id == target), None)
            if after is None:
                self._fault(number, f"{at.id} > {step}: no connection between them", [])
                return True
            at = at if step.startswith(INTERRUPTED) else after
        return False

    def _way(self, at: Place, step: str) -> JudgedStep:
        target = step.removeprefix(INTERRUPTED)
        options = [self.ask.cross(link, at, other) for link, other in self.ask.ways(at) if other.id == target]
        if step != target:
            return self._interrupted_way(options)
        chosen = min(options, key=lambda option: (option.barred, option.cost))
        for option in options if chosen.barred else ():
            if option is not chosen:
                self.reasons.aside(self.ask.key("step"), self.ask.along(option))
        return chosen

    def _interrupted_way(self, options: list[JudgedStep]) -> JudgedStep:
        """Choose the connection at which the mover is interrupted: where that can be, and fewest clauses bar it."""
        route = self.ask.route
        key = head_key(route.interruption, "try")
        barring = {option.link: len(self.ask.said(key, self.ask.along(option))) for option in options}

        def fits(option: JudgedStep) -> tuple[Any, ...]:
            is_other = getattr(option.link, route.interruption_field) != route.interruption_before
            return barring[option.link] > 0, is_other, barring[option.link], option.barred, option.cost

        chosen = min(options, key=fits)
        for option in options if barring[chosen.link] else ():
            if option is not chosen:
                self.reasons.aside(key, self.ask.along(option))
        return chosen

    def _step(self, number: int, where: str, crossed: JudgedStep) -> tuple[str, str] | None:
        """Judge a step; name the clause by which the mover has to stop behind it, and what it says of that."""
        env = self.ask.along(crossed)
        self._bad(number, where, self.reasons.head(self.ask.key("step"), env, where))
        self.reasons.head(self.ask.key("cost"), env, where)
        self._spend(number, where, self.ask.key("cost"), env, crossed.cost)
        self.ask = self.ask.having(crossed.tallied)
        if not crossed.stops:
            return None
        after = self.ask.along(crossed)
        self.reasons.head(self.ask.key("stop"), after, where)
        return self.reasons.refusal_of(self.ask.key("stop"), after)

    def _interrupt(self, number: int, where: str, crossed: JudgedStep) -> Any:
        """Judge a step at which the connection changes; give the place from where the path goes on."""
        env, route = self.ask.along(crossed), self.ask.route
        self._bad(number, where, self.reasons.head(self.ask.key("step"), env, where))
        if self.spent + crossed.cost > self.points:  # only who could pay for the step may try it
            self._overspent(number, where, self.ask.key("cost"), env, crossed.cost)
        self._bad(number, where, self._leads_nowhere(crossed))
        barred = self.reasons.head(head_key(route.interruption, "try"), env, where)
        self._bad(number, where, barred)
        price = head_key(route.interruption, "cost")
        self.reasons.head(price, env, where)
        self._spend(number, where, price, env, self.ask.decide(price, env))
        if barred:  # nothing has changed, and the rest is judged as it is
            return crossed.left
        world = self.reasons.world.interrupted(route, crossed.link)
        self.reasons = self.reasons.after(world)
        self.ask = self.reasons.ask(route, world.twin(self.ask.mover), self.ask.given)
        return world.twin(crossed.left)

    def _close(self, number: int, at: Place) -> None:
        closing, env = self.ask.route.closing, self.ask.end(at)
        where = f"{closing} in {at.id}"
        self._bad(number, where, self.reasons.head(head_key(closing, "try"), env, where))
        price = head_key(closing, "cost")
        self.reasons.head(price, env, where)
        self._spend(number, where, price, env, self.ask.decide(price, env))
        self.ask = self.ask.having(self.ask.closing_counts(at))

    def _end(self, number: int, at: Place) -> None:
        """Judge where a path ends; it is judged in the situation before the move."""
        where = f"ending in {at.id}"
        counted = {name: self.ask.env[name] for name, _ in self.ask.route.counters}
        env = self.origin.having(counted | self._stranded(at)).end(self.first.world.twin(at))
        with traced(self.first) as traces:
            barred = self.first.head(self.ask.key("end"), env, where)
        self._bad(number, where, barred)
        for trace in traces if barred else ():
            if trace.cost is None:
                witness, nearest = explain_trace(self.first, trace.route, trace.mover, trace.start)
                self.blocked = {"trace": trace.route.name, **witness, **nearest}
                return

    def compare(self, asked: BoundQuestion, steps: list[str]) -> None:
        """Say by which clauses other ways of a route that prefers some are better than the one that was walked."""
        route, mover, given = asked.route()
        name = steps[-1] if steps[-1] != route.closing else steps[-2]
        place = asked.world.find(Type("place"), name, asked.path)
        where = f"ending in {name}"
        best = asked.engine.ways(route, mover, given) if route.ranks else ()
        self._bad(len(steps) - 1, where, self.first.preferred(route, self.ask.end(place), best, where))

    def _stranded(self, at: Place) -> dict[str, bool]:
        """Say whether the mover stays where it was interrupted because it cannot end elsewhere."""
        route = self.ask.route
        if not (route.stranded and self.interrupted):
            return {}
        return {route.stranded: not may_continue(self.ask, at, self.points - self.spent)}

    def _leads_nowhere(self, crossed: JudgedStep) -> list[Finding]:
        """Find the bars of the end of a step from which no end can be reached: such a step may not be tried."""
        after, left = self.ask.having(crossed.tallied), self.points - self.spent - crossed.cost
        if after.may_end(crossed.entered, left) or (not crossed.stops and may_continue(after, crossed.entered, left)):
            return []
        env = self.origin.having(dict(crossed.tallied)).end(self.first.world.twin(crossed.entered))
        barred = self.first.head(self.ask.key("end"), env, f"ending in {crossed.entered.id}")
        if crossed.stops:
            self.reasons.aside(self.ask.key("stop"), after.along(crossed))
        else:
            self.reasons.around(after.with_points(left), crossed.entered, lambda place: place is not crossed.entered)
        return barred

    def _spend(self, number: int, where: str, key: str, env: Env, cost: int) -> None:
        self.costs.append(amount(self.ask.route.measure, cost))
        if self.spent + cost > self.points:
            self._overspent(number, where, key, env, cost)
        self.spent += cost

    def _overspent(self, number: int, where: str, key: str, env: Env, cost: int) -> None:
        price = self.reasons.words.price(self.ask.model.heads[key], env)
        self._fault(number, where, self.first.unpaid(self.origin, where, price, self.spent + cost))

    def _bad(self, number: int, where: str, barred: list[Finding]) -> None:
        if barred:
            self._fault(number, where, [finding.clause for finding in barred])

    def _fault(self, number: int, where: str, clauses: list[str]) -> None:
        if self.first_bad is None:
            self.first_bad = {"number": number, "step": where, "clauses": list(dict.fromkeys(clauses))}
