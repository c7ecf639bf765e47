"""Reasons for moves and other routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from titm_rules.engines.engine import common_place
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.alternatives import INTERRUPTED, OriginalMove, other_ways, ways_there
from titm_rules.explain.answer_reasons import explain_trace, traced
from titm_rules.explain.findings import Reasons
from titm_rules.explain.relaxed_search import JudgedStep, closest_route, legal_route, places
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
    if walk.start is None:
        reasons.head(walk.ask.key("start"), walk.ask.env)
        return {"why": "the units are not in one place"}, {}
    if walk.start is target:
        return {"why": f"already in {target.id}"}, {}
    found = closest_route(walk.ask, walk.start, lambda place: place is target)
    if found is None:
        reasons.gap(walk.ask, walk.start, target, f"{walk.start.id} > {target.id}")
        return {"unconnected": [walk.start.id, target.id]}, {}
    steps = places(walk.start, found)
    walk.follow(steps)
    witness = {"route": steps, "costs": walk.costs, "points": walk.points}
    if answer[asked.question.names[1]] is not None:
        return witness, {}
    reasons.around(walk.ask, walk.start, lambda place: place is target)
    return witness | {"first_bad_step": walk.first_bad}, ways_there(asked, steps)


def explain_ends(asked: BoundQuestion, _: Mapping[str, Any], reasons: Reasons) -> WitnessAndNearest:
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
    if routes:
        return {"routes": routes}, {}
    around = dict.fromkeys(other.id for _, other in walk.ask.ways(walk.start))
    for name in around if walk.first_bad is None else ():
        Walk(asked, reasons).follow([walk.start.id, name])
    return {} if around else {"unconnected": walk.start.id}, {}


def explain_closings(asked: BoundQuestion, _: Mapping[str, Any], reasons: Reasons) -> WitnessAndNearest:
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

    `start` is nothing if the movers stand apart; `points` is what there is to spend; `first_bad` has the number, name
    and clauses of the first step that is not legal; `blocked` is the trace that a clause on the end of the path asks
    for, if there is none; `outsets` is where it sets out, first from the start, then after each interruption.
    """

    def __init__(self, asked: BoundQuestion, reasons: Reasons) -> None:
        route, mover, given = asked.route()
        self.start: Place | None = common_place(mover)
        movers = mover if isinstance(mover, list) else [mover]
        if len(movers) == 1:
            reasons.words.unnamed = frozenset((movers[0].id,))
        self.reasons = reasons  # of the situation as the steps so far have changed it
        self.first = reasons
        self.ask = reasons.blame.ask(route, mover, given)
        self.origin = self.ask
        self.outsets = [OriginalMove(self.ask, self.start, [] if self.start is None else [self.start.id])]
        self.interrupted = False  # by the last step
        self.costs: list[int] = []
        self.spent = self.points = 0
        self.first_bad: dict[str, Any] | None = None
        self.blocked: dict[str, Any] = {}
        self._number, self._where = 0, ""  # of the step that is judged

    def begin(self) -> None:
        """Judge whether the mover may move at all."""
        self._number, self._where = 0, "the start of the move"
        self._bad(self.reasons.head(self.ask.key("start"), self.ask.env))
        self.points = amount(self.ask.route.measure, self.ask.points)

    def follow(self, steps: list[str]) -> None:
        """Judge a path; one that cannot be walked at all breaks only the clauses that say so."""
        if self._is_gap(steps):
            return
        if len(steps) > 1 or self.ask.route.ranks:  # who stays where it is does not move, but may be bound to
            self.begin()
        else:
            self._bad(self.reasons.head(self.ask.key("stay"), self.ask.env))
        at: Any = self.start
        stopped: dict[str, str] = {}
        walked, came = bool(self.ask.route.ranks), [steps[0]]
        for number, step in enumerate(steps[1:], 1):
            self._number, self._where = number, f"{at.id} > {step}"
            if step == self.ask.route.closing and number == len(steps) - 1:
                self._close(at)
                break
            if stopped:
                for clause, why in stopped.items():
                    self.reasons.note(clause, "forbids", self._where, why)
                self._fault([*stopped])
            crossed = self._way(at, step, is_last=number == len(steps) - 1)
            self.interrupted = step.startswith(INTERRUPTED)
            if self.interrupted:
                at = self._interrupt(crossed)
                self.outsets.append(OriginalMove(self.ask, at, steps[: number + 1], self.points - self.spent))
                continue
            if step in self.ask.route.closed_to(came):
                self._fault([], f": `{self.ask.route.name}` cannot visit a place twice")
            came.append(step)
            stopped, at, walked = self._step(crossed), crossed.entered, True
        if walked:
            self._number, self._where = len(steps) - 1, f"ending in {at.id}"
            self._end(at)

    def _is_gap(self, steps: list[str]) -> bool:
        """Whether a path begins where the movers do not stand, or goes where no connection leads."""
        if self.start is None or steps[0] != self.start.id:
            self._where = f"the units are not in {steps[0]}"
            apart = self.reasons.head(self.ask.key("start"), self.ask.env) if self.start is None else []
            self._fault([finding.clause for finding in apart])
            return True
        at = self.start
        for number, step in enumerate(steps[1:], 1):
            if step == self.ask.route.closing and number == len(steps) - 1:
                break
            target = step.removeprefix(INTERRUPTED)
            after = next((other for _, other in self.ask.ways(at) if other.id == target), None)
            if after is None:
                self._number, self._where = number, f"{at.id} > {step}"
                entered = next((place for place in self.reasons.world.places if place.id == target), None)
                barred = self.reasons.gap(self.ask, at, entered, self._where)
                self._fault([finding.clause for finding in barred], "" if barred else ": no connection between them")
                return True
            at = at if step.startswith(INTERRUPTED) else after
        return False

    def _way(self, at: Place, step: str, is_last: bool) -> JudgedStep:
        """Choose among parallel connections the one that the fewest clauses bar, where the mover need not stop yet.

        At one where the mover is interrupted: where that can be, and the fewest clauses bar the attempt.
        """
        ask, route, target = self.ask, self.ask.route, step.removeprefix(INTERRUPTED)
        options = [ask.cross(link, at, other) for link, other in ask.ways(at) if other.id == target]
        key = ask.key("step") if step == target else head_key(route.interruption, "try")
        barring = [option.barring if step == target else ask.said(key, ask.along(option)) for option in options]

        def fits(number: int) -> tuple[Any, ...]:
            option, bars = options[number], len(barring[number])
            is_other = step != target and (getattr(option.link, route.interruption_field) != route.interruption_before)
            return bars > 0, is_other, bars, bool(option.stopping) and not is_last, len(option.barring), option.cost

        chosen = min(range(len(options)), key=fits)
        for number, option in enumerate(options):
            if barring[chosen] and number != chosen:
                self.reasons.aside(key, ask.along(option))
        return options[chosen]

    def _step(self, crossed: JudgedStep) -> dict[str, str]:
        """Judge a step; name the clauses by which the mover has to stop behind it, and what each says of that."""
        env = self.ask.along(crossed)
        self._judge(self.ask.key("step"), env)
        self._pay(self.ask.key("cost"), env)
        self.ask = self.ask.having(crossed.tallied)
        if not crossed.stopping:
            return {}
        after = self.ask.along(crossed)
        self.reasons.head(self.ask.key("stop"), after, self._where)
        return self.reasons.stops(self.ask.key("stop"), after, f"the move must end in {crossed.entered.id}")

    def _interrupt(self, crossed: JudgedStep) -> Any:
        """Judge a step at which the connection changes; give the place from where the path goes on."""
        env, route = self.ask.along(crossed), self.ask.route
        self._judge(self.ask.key("step"), env)
        cannot_cross = self.spent + crossed.cost > self.points  # only who could pay for the step may try it
        if cannot_cross:
            self._overspent(self.ask.key("cost"), env, crossed.cost)
        self._bad(self._leads_nowhere(crossed))
        barred = self._judge(head_key(route.interruption, "try"), env)
        self._pay(head_key(route.interruption, "cost"), env, is_judged=not cannot_cross)
        if barred:  # nothing has changed, and the rest is judged as it is
            return crossed.left
        world = self.reasons.world.interrupted(route, crossed.link)
        self.reasons = self.reasons.after(world)
        self.ask = self.reasons.blame.ask(route, world.twin(self.ask.mover), self.ask.given)
        return world.twin(crossed.left)

    def _close(self, at: Place) -> None:
        closing, env = self.ask.route.closing, self.ask.end(at)
        self._where = f"{closing} in {at.id}"
        self._judge(head_key(closing, "try"), env)
        self._pay(head_key(closing, "cost"), env)
        self.ask = self.ask.having(self.ask.closing_counts(at))

    def _end(self, at: Place) -> None:
        """Judge where a path ends; it is judged in the situation before the move."""
        route = self.ask.route
        counted = {name: self.ask.env[name] for name, _ in route.counters}
        if route.stranded and self.interrupted:  # it stays there, because it cannot end elsewhere
            counted[route.stranded] = not self.ask.may_go_on(at, self.points - self.spent)
        env = self.origin.having(counted).end(self.first.world.twin(at))
        with traced(self.first) as traces:
            barred = self.first.head(self.ask.key("end"), env, self._where)
        self._bad(barred)
        for trace in traces if barred else ():
            if trace.cost is None:
                witness, nearest = explain_trace(self.first, *trace[:3])
                self.blocked = {"trace": trace.route.name, **witness, **nearest}
                return

    def compare(self, asked: BoundQuestion, steps: list[str]) -> None:
        """Say by which clauses other ways of a route that prefers some are better than the one that was walked."""
        route, mover, given = asked.route()
        name = steps[-1] if steps[-1] != route.closing else steps[-2]
        place = asked.world.find(Type("place"), name, asked.path)
        self._number, self._where = len(steps) - 1, f"ending in {name}"
        best = asked.engine.ways(route, mover, given) if route.ranks else ()
        self._bad(self.first.preferred(route, self.ask.end(place), best, self._where))

    def _leads_nowhere(self, crossed: JudgedStep) -> list[Finding]:
        """Find the bars of the end of a step from which no end can be reached: such a step may not be tried."""
        left = self.points - self.spent - crossed.cost
        if self.ask.leads_on(crossed, left):
            return []
        env = self.origin.having(dict(crossed.tallied)).end(self.first.world.twin(crossed.entered))
        barred = self.first.head(self.ask.key("end"), env, f"ending in {crossed.entered.id}")
        after = self.ask.having(crossed.tallied)
        if crossed.stopping:
            self.reasons.aside(self.ask.key("stop"), after.along(crossed))
        else:
            self.reasons.around(after.with_points(left), crossed.entered, lambda place: place is not crossed.entered)
        return barred

    def _judge(self, key: str, env: Env) -> list[Finding]:
        barred = self.reasons.head(key, env, self._where)
        self._bad(barred)
        return barred

    def _pay(self, key: str, env: Env, is_judged: bool = True) -> None:
        self.reasons.head(key, env, self._where)
        cost = self.ask.decide(key, env)
        self.costs.append(amount(self.ask.route.measure, cost))
        if is_judged and self.spent + cost > self.points:
            self._overspent(key, env, cost)
        self.spent += cost

    def _overspent(self, key: str, env: Env, cost: int) -> None:
        price = self.reasons.words.price(self.ask.model.heads[key], env)
        self._fault(self.first.unpaid(self.origin, self._where, price, self.spent + cost))

    def _bad(self, barred: list[Finding]) -> None:
        if barred:
            self._fault([finding.clause for finding in barred])

    def _fault(self, clauses: list[str], why: str = "") -> None:
        if self.first_bad is None:
            step = self._where + why
            self.first_bad = {"number": self._number, "step": step, "clauses": list(dict.fromkeys(clauses))}
