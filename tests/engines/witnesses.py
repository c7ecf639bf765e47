"""Witness checkers: they replay the result of a search clause by clause, without a search.

They share no search code with the engines. They evaluate single clauses with the evaluator of `world`, which the
library engine uses too. Each returns the violations, mainly clause ids, and an empty list for a valid witness.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from titm_rules.ir.model import Allocation, Head, Model, Route, Selection, head_key
from titm_rules.world.evaluate import PICKS, Evaluator
from titm_rules.world.records import Connection, Mover, Place, Value, all_links
from titm_rules.world.world import World

Given = Mapping[str, Any]
START, LINK, GOAL, COST, MARK = "wrong start", "no connection", "no goal", "wrong cost", "nothing to interrupt it"
TWICE, NOWHERE = "visited twice", "a step that leads to no end"
ORDER, CHOOSERS, TARGET = "wrong order", "wrong choosers", "no such target"


def path_ok(model: Model, world: World, route: Route, mover: Mover, given: Given, steps: Sequence[str]) -> list[str]:
    """Judge a path as the protocol writes it.

    Args:
        model: the rules.
        world: the situation before the move.
        route: the form.
        mover: a piece or a list of pieces.
        given: what else the route is given.
        steps: ids of places, `!id` for an interrupted step, at last perhaps the closing action.

    Returns:
        What the path violates; where connections run parallel, by the choice that violates least.
    """
    places = {one.place for one in (mover if isinstance(mover, list) else [mover])}
    start = places.pop() if len(places) == 1 else None
    if not steps or start is None or start.id != steps[0]:
        return [START]
    if len(steps) == 1:
        return []
    ask = _Ask(model, world, route, mover, given)
    walk = _Walk(ask, start, ask.number("points"), came=(start.id,))
    barred = ask.ids("start")
    return min((barred + found for found in walk.judge(tuple(steps[1:]))), key=len)


def trace_ok(model: Model, world: World, route: Route, mover: Mover, places: Sequence[Any], cost: int) -> list[str]:
    """Judge a trace that is claimed to lead over some places to a goal at a cost.

    Returns:
        What it violates; of parallel connections the cheapest that may be crossed counts.
    """
    ask = _Ask(model, world, route, mover, {})
    if not places or not ask.ids("goal", entered=places[-1]):
        return [GOAL]
    violated, spent = ask.ids("end", entered=places[-1]), 0
    for left, entered in itertools.pairwise(places):
        options = _crossings(ask, left, entered, last=entered is places[-1])
        if not options:
            return [*violated, LINK]
        spent += min(options)
    if spent > max(0, ask.number("points")):
        violated += ask.ids("points")
    return violated if spent == cost else [*violated, COST]


def _crossings(ask: _Ask, left: Place, entered: Place, last: bool) -> list[int]:
    """List what the connections cost that may be crossed; only on the last step may it have to stop."""
    ways = [{"link": link, "left": left, "entered": entered} for link in _between(left, entered)]
    return [
        ask.number("cost", **way) for way in ways
        if not ask.ids("step", **way) and (last or not ask.ids("stop", **way))
    ]  # fmt: skip


def allocation_ok(
    model: Model, world: World, form: Allocation, given: Given, order: Sequence[tuple[Any, Any]]
) -> list[str]:
    """Judge an allocation played out in one order.

    Args:
        model: the rules.
        world: the situation.
        form: the form.
        given: what it is given.
        order: who picks whom, in turn; a nameless counter is any value.

    Returns:
        What it violates.
    """
    evaluator = Evaluator(model, world, _tracer(model, world))
    head = model.heads[head_key(form.name, "choose")]
    targets: list[Any] = evaluator.term(form.targets, given)
    violated = _choosers_ok(evaluator, form, given, [who for who, _ in order])
    picks = dict.fromkeys(targets, 0)
    for who, target in order:
        if target not in picks:
            return [*violated, TARGET]
        env = {**given, form.target[0]: target, PICKS: picks}
        if form.chooser is not None:
            env[form.chooser[0]] = who
        violated += [said.clause for said in evaluator.alive(head, env)]
        picks[target] += 1
    return violated


def selection_ok(model: Model, world: World, form: Selection, given: Given, picked: Sequence[Any]) -> list[str]:
    """Judge a chosen set; its members keep the order of the situation."""
    evaluator = Evaluator(model, world, _tracer(model, world))
    members: list[Any] = evaluator.term(form.members, given)
    chosen = [one for one in members if one in picked]
    if len(chosen) != len(picked):
        return [TARGET]
    head = model.heads[head_key(form.name, "choose")]
    return [said.clause for said in evaluator.alive(head, {**given, form.picked[0]: chosen})]


def _choosers_ok(evaluator: Evaluator, form: Allocation, given: Given, order: list[Any]) -> list[str]:
    """Judge whether all choosers choose once, the highest rank first."""
    if form.chooser is None or form.choosers is None:
        return [] if len(order) == given[form.counter] else [CHOOSERS]
    choosers: list[Any] = evaluator.term(form.choosers, given)
    if len(order) != len(choosers) or set(order) != set(choosers):
        return [CHOOSERS]
    if form.order is None:
        return []
    ranks = [evaluator.term(form.order, {**given, form.chooser[0]: who}) for who in order]
    return [] if ranks == sorted(ranks, reverse=True) else [ORDER]


class _Ask:
    """Asks single clauses of a route about one mover."""

    def __init__(self, model: Model, world: World, route: Route, mover: Mover, given: Given) -> None:
        self.model, self.world, self.route = model, world, route
        self.mover, self.given = mover, given
        self.evaluator = Evaluator(model, world, _tracer(model, world))

    def ids(self, word: str, form: str = "", **roles: Value) -> list[str]:
        """List the clauses whose sentences about a head count."""
        return [said.clause for said in self.evaluator.alive(self._head(word, form), self._env(roles))]

    def number(self, word: str, form: str = "", **roles: Value) -> int:
        """Ask what clauses give or charge in all."""
        value: int = self.evaluator.head(self._head(word, form), self._env(roles))
        return value

    def changed(self, link: Connection) -> _Ask:
        """Ask of the situation after an interruption."""
        world = self.world.interrupted(self.route, link)
        return _Ask(self.model, world, self.route, world.twin(self.mover), self.given)

    def _head(self, word: str, form: str) -> Head:
        return self.model.heads[head_key(form or self.route.name, word)]

    def _env(self, roles: Given) -> dict[str, Any]:
        route = self.route
        names = {"link": route.crossing[0], "left": route.left, "entered": route.entered}
        told = {names.get(role, role): value for role, value in roles.items()}
        return {route.mover[0]: self.mover, **route.zeros, **self.given, **told}

    def count(self, counts: Mapping[str, int], **way: Value) -> dict[str, int]:
        """Say what is counted once a step is taken."""
        price = self.number("cost", "", **way, **counts)
        counters = self.route.counters
        told = {name: counts.get(name, 0) + self.number(name, "", **way, **counts, price=price) for name, _ in counters}
        return {name: max(0, min(most, told[name])) for name, most in counters}


def _tracer(model: Model, world: World) -> Callable[[Route, Any, Any], int | None]:
    """Make the answer to clauses that ask for a trace; it is judged in the situation before the move."""
    origin = world.origin

    def trace(route: Route, mover: Mover, start: Place) -> int | None:
        mover = origin.twin(mover)
        place = mover.place if start is None else origin.twin(start)
        if place is None:
            return None
        ask = _Ask(model, origin, route, mover, {})
        costs = _relax(ask, place)
        goals = [spot for spot in costs if ask.ids("goal", entered=spot) and not ask.ids("end", entered=spot)]
        return min((costs[spot] for spot in goals), default=None)

    return trace


def _relax(ask: _Ask, start: Place) -> dict[Any, int]:
    """Lower the costs of all places until none can be lowered."""
    points = ask.number("points")
    costs, going = {start: 0}, {start: 0}
    lowered = True
    while lowered:
        lowered = False
        for left, spent in list(going.items()):
            for link, entered in all_links(left):
                way: dict[str, Any] = {"link": link, "left": left, "entered": entered}
                if ask.ids("step", **way):
                    continue
                cost = spent + ask.number("cost", **way)
                for known in [costs] if ask.ids("stop", **way) else [costs, going]:
                    if cost <= points and cost < known.get(entered, cost + 1):
                        known[entered], lowered = cost, True
    return costs


@dataclass(frozen=True)
class _Walk:
    """A path half walked: where the mover is, what it may spend and has spent, why it must stop, what it counted.

    `came` names the places behind it, the present one among them; `balked`: it was interrupted last.
    """

    ask: _Ask
    place: Place
    points: int
    spent: int = 0
    stop: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    interrupted: bool = False

    def judge(self, steps: tuple[str, ...]) -> Iterator[list[str]]:
        """Yield what the rest of a path violates, for each choice among parallel connections."""
        if not steps:
            yield self._ended()
        elif steps == (self.ask.route.closing,):
            yield self._closing() + replace(self, interrupted=False, counts=self._closing_counts())._ended()
        else:
            yield from self._onward(steps[0], steps[1:])

    def _ended(self) -> list[str]:
        """Judge the end; who was interrupted and cannot end elsewhere is stranded."""
        if len(self.came) < 2:
            return []
        stranded = self.ask.route.stranded
        flags = {stranded: self.interrupted and not self._may_continue()} if stranded else {}
        return self.ask.ids("end", "", entered=self.place, **self.counts, **flags)

    def _may_continue(self) -> bool:
        """Whether a legal step leads on to an end."""
        taken = [self._step(link) for link, _ in all_links(self.place)]
        return any(not faults and after.ends_on() for faults, after in taken)

    def ends_on(self, depth: int = 12) -> bool:
        """Whether the path may end here, or goes on to an end in a few steps."""
        if not self.ask.ids("end", "", entered=self.place, **self.counts):
            return True
        closes = self.ask.route.closing and not self._closing()
        if closes and not self.ask.ids("end", "", entered=self.place, **self._closing_counts()):
            return True
        if self.stop or not depth:
            return False
        ways = [self._step(link) for link, _ in all_links(self.place)]
        return any(not faults and after.ends_on(depth - 1) for faults, after in ways)

    def _onward(self, step: str, rest: tuple[str, ...]) -> Iterator[list[str]]:
        target = step.removeprefix("!")
        links = _between(self.place, target)
        if not links:
            yield [LINK]
        for link in links:
            faults, after = self._step(link) if step == target else self._balk(link)
            yield from (faults + found for found in after.judge(rest))

    def _step(self, link: Connection) -> tuple[list[str], _Walk]:
        way = self._way(link)
        faults, cost = self._entering(way)
        place, counts = way["entered"], self.ask.count(self.counts, **way)
        if place.id in self.ask.route.closed_to(self.came):
            faults = [*faults, TWICE]
        stop = tuple(self.ask.ids("stop", "", **way, **counts))
        came = (*self.came, place.id)
        if stop and self.ask.route.halted:
            counts[self.ask.route.halted] = 1
        return faults, replace(
            self, place=place, spent=self.spent + cost, stop=stop, came=came, counts=counts, interrupted=False
        )

    def _balk(self, link: Connection) -> tuple[list[str], _Walk]:
        """Judge a step that is interrupted: it had to be legal, and somebody able to interrupt it."""
        way, form = self._way(link), self.ask.route.interruption
        if not form:
            return [MARK], self
        faults, taken = self._step(link)
        if not taken.ends_on():
            faults = [*faults, NOWHERE]
        cost = self.ask.number("cost", form, **way, **self.counts)
        after = self.ask.changed(link)
        found = [*faults, *self.ask.ids("try", form, **way, **self.counts), *self._over(cost)]
        place = after.world.twin(self.place)
        return found, replace(self, ask=after, place=place, spent=self.spent + cost, interrupted=True)

    def _entering(self, way: dict[str, Any]) -> tuple[list[str], int]:
        cost = self.ask.number("cost", "", **way, **self.counts)
        return [*self.stop, *self.ask.ids("step", "", **way, **self.counts), *self._over(cost)], cost

    def _closing(self) -> list[str]:
        form = self.ask.route.closing
        cost = self.ask.number("cost", form, entered=self.place, **self.counts)
        return [*self.ask.ids("try", form, entered=self.place, **self.counts), *self._over(cost)]

    def _closing_counts(self) -> dict[str, int]:
        """Say what is counted once the path is closed."""
        form, counters = self.ask.route.closing, self.ask.route.counters
        counts = {name: self.counts.get(name, 0) for name, _ in counters}
        told = ((name, counts[name] + self.ask.number(name, form, entered=self.place, **counts)) for name in counts)
        most = dict(counters)
        return {name: max(0, min(most[name], number)) for name, number in told}

    def _over(self, cost: int) -> list[str]:
        return self.ask.ids("points") if self.spent + cost > self.points else []

    def _way(self, link: Connection) -> dict[str, Any]:
        entered = next(end for end in link.ends if end is not self.place)
        return {"link": link, "left": self.place, "entered": entered}


def _between(left: Place, entered: Place | str) -> list[Any]:
    """List the connections from a place to another, which may be named by its id."""
    return [link for link, other in all_links(left) if entered in (other, other.id)]
