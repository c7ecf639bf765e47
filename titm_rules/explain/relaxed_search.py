"""Least-violation search: the route that breaks the fewest clauses, then costs least."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from titm_rules.engines.engine import Counts, Engine
from titm_rules.engines.route_walk import Steps
from titm_rules.ir.model import Model, Route, head_key
from titm_rules.world.evaluate import Env
from titm_rules.world.records import Connection, Mover, Place, Value

MAX_AROUND = 12
UNLIMITED = 10**9
_NONE = frozenset[str]()


class JudgedStep(NamedTuple):
    """One step of a route: the clauses `barring` it, and those by which the mover is `stopping` behind it.

    `counted` are the counters after it, but for the one of a mover that has to stop; `tallied` is all that is counted
    by then.
    """

    link: Connection
    left: Place
    entered: Place
    cost: int
    counted: Counts
    barring: frozenset[str]
    stopping: frozenset[str]
    tallied: Mapping[str, int]

    @property
    def where(self) -> str:
        return f"{self.left.id} > {self.entered.id}"


@dataclass
class _Memo:
    """Memo of one mover on one route, by its counters so far; shared by all judges of this mover."""

    env: dict[str, Any]
    others: dict[tuple[tuple[str, Value], ...], _Memo]
    points: int | None = None
    steps: dict[tuple[Connection, Place, Place], JudgedStep] = field(default_factory=dict)
    looked_from: set[Place] = field(default_factory=set)
    ends: dict[Place, frozenset[str]] = field(default_factory=dict)
    goals: dict[Place, bool] = field(default_factory=dict)


class _DecidedSteps(Steps):
    """The steps of one mover, for which an engine decides each head with all clauses."""

    def __init__(self, engine: Engine, route: Route, mover: Mover, given: Env) -> None:
        super().__init__(route, mover)
        self._engine, self._values = engine, tuple(given[name] for name, _ in route.given)

    def ask(self, form: str, word: str, *about: Value, last: Counts = ()) -> Any:
        return self._engine.decide_about(head_key(form, word), self.mover, *about, *self._values, *last)


class StepJudge:
    """Judges the steps of one mover on one route; `given` is what else is given, and the counters so far."""

    def __init__(self, model: Model, engine: Engine, route: Route, mover: Mover, given: Env) -> None:
        self.model, self.route, self.mover, self.given = model, route, mover, given
        self._engine = engine
        self._only: Collection[str] | None = None
        self._left: int | None = None
        self._counted: dict[str, Value] = {}
        self._known = _Memo({route.mover[0]: mover, **route.zeros, **given}, {})
        self._steps = _DecidedSteps(engine, route, mover, given)
        self._after: dict[tuple[tuple[str, Value], ...], StepJudge] = {}
        self._crossed: dict[tuple[Connection, Place, Place], JudgedStep] = {}

    def _changed(self, **changes: object) -> StepJudge:
        made = copy(self)
        vars(made).update(changes, _after={}, _crossed={})
        return made

    def having(self, tallied: Mapping[str, Value]) -> StepJudge:
        if not tallied:
            return self
        key = tuple(tallied.items())
        if key not in self._after:
            counted, known = {**self._counted, **tallied}, self._known.others
            memo = known.setdefault(tuple(counted.items()), _Memo({**self.env, **tallied}, known))
            self._after[key] = self._changed(given={**self.given, **tallied}, _counted=counted, _known=memo)
        return self._after[key]

    def only(self, clauses: Collection[str]) -> StepJudge:
        """Return a judge for which only some clauses bar steps, stops and ends, or limit the points."""
        return self._changed(_only=frozenset(clauses))

    def with_points(self, points: int) -> StepJudge:
        return self._changed(_left=points)

    def _heard(self, clauses: frozenset[str]) -> frozenset[str]:
        return clauses if self._only is None or not clauses.isdisjoint(self._only) else frozenset()

    # ------------------------------------------------------------------ what heads are asked about
    @property
    def env(self) -> dict[str, Any]:
        return self._known.env

    def key(self, word: str) -> str:
        return head_key(self.route.name, word)

    def step(self, link: Connection | None, left: Place, entered: Place) -> dict[str, Any]:
        return {**self.env, self.route.crossing[0]: link, self.route.left: left, self.route.entered: entered}

    def along(self, crossed: JudgedStep) -> dict[str, Any]:
        return self.step(crossed.link, crossed.left, crossed.entered)

    def end(self, entered: Place) -> dict[str, Any]:
        return {**self.env, self.route.entered: entered}

    # ------------------------------------------------------------------ answers
    def said(self, key: str, env: Env) -> frozenset[str]:
        return frozenset(statement.clause for statement in self._engine.said(key, env))

    def decide(self, key: str, env: Env) -> Any:
        return self._engine.decide(key, env)

    @property
    def counts(self) -> Counts:
        return self.route.counts_in(self.given)

    def _named(self, counts: Counts) -> dict[str, int]:
        return {name: count for (name, _), count in zip(self.route.counters, counts, strict=True)}

    def closing_counts(self, at: Place) -> dict[str, int]:
        return self._named(self._steps.closing_counts(at, self.counts))

    @property
    def points(self) -> int:
        if self._only is not None and not self._heard(self.said(self.key("points"), self.env)):
            return UNLIMITED
        if self._left is not None:
            return self._left
        if self._known.points is None:
            self._known.points = self._steps.points
        return self._known.points

    @property
    def has_goal(self) -> bool:
        return bool(self.model.heads[self.key("goal")].statements)

    def is_goal(self, place: Place) -> bool:
        known = self._known.goals
        if place not in known:
            known[place] = self._steps.is_goal(place, self.counts)
        return known[place]

    def ends_barred(self, place: Place) -> bool:
        known = self._known.ends
        if place not in known:
            is_barred = not self._steps.may_end(place, self.counts, bool(self.given.get(self.route.stranded)))
            known[place] = self.said(self.key("end"), self.end(place)) if is_barred else frozenset()
        return bool(self._heard(known[place]))

    def ways(self, place: Place) -> list[tuple[Any, Any]]:
        found: list[tuple[Any, Any]] = place.links_.get(self.route.crossing[1].name, [])
        return found

    def cross(self, link: Connection, left: Place, entered: Place) -> JudgedStep:
        key = link, left, entered
        step = self._crossed.get(key)
        if step is None:
            known = self._known.steps
            if left not in self._known.looked_from:
                self._known.looked_from.add(left)
                known.update(self._open(left))
            step = known.get(key)
            if step is None:
                step = known[key] = self._judged(*key)
            if self._only is not None and (step.barring or step.stopping):
                stopping = self._heard(step.stopping)
                tallied = self._named(self.route.stopped(step.counted, bool(stopping)))
                step = step._replace(barring=self._heard(step.barring), stopping=stopping, tallied=tallied)
            self._crossed[key] = step
        return step

    def _open(self, left: Place) -> Iterator[tuple[tuple[Connection, Place, Place], JudgedStep]]:
        """Yield the steps out of a place that no clause bars and behind which the mover need not stop.

        The engine lists them; of all others the clauses are to be named.
        """
        for link, entered, cost, stops, counted in self._engine.steps(self.route, self.mover, self.given, left):
            if not stops:
                named = self._named(counted)
                yield (link, left, entered), JudgedStep(link, left, entered, cost, counted, _NONE, _NONE, named)

    def _judged(self, link: Connection, left: Place, entered: Place) -> JudgedStep:
        name, counts, env = self.route.name, self.counts, self.step(link, left, entered)
        cost: int = self._steps.ask(name, "cost", link, left, entered, last=counts)
        is_barred = self._steps.ask(name, "step", link, left, entered, last=counts)
        barring = self.said(self.key("step"), env) if is_barred else _NONE
        stops, counted = self._steps.taken(link, left, entered, counts, cost)
        stopping = self.said(self.key("stop"), {**env, **self._named(counted)}) if stops else _NONE
        tallied = self._named(self.route.stopped(counted, stops))
        return JudgedStep(link, left, entered, cost, counted, barring, stopping, tallied)

    def leads_on(self, step: JudgedStep, left: int, tried: frozenset[Any] = frozenset()) -> bool:
        """Whether a step can be followed to an end, with so many points left behind it."""
        after = self.having(step.tallied)
        if after._may_end(step.entered, left):
            return True
        state = (step.entered, left, *step.tallied.values())
        return not step.stopping and state not in tried and after.may_go_on(step.entered, left, tried | {state})

    def may_go_on(self, at: Place, left: int, tried: frozenset[Any] = frozenset()) -> bool:
        """Whether a legal step leads on from a place to an end, with so many points left."""
        steps = (self.cross(link, at, entered) for link, entered in self.ways(at))
        return any(
            not step.barring and step.cost <= left and self.leads_on(step, left - step.cost, tried) for step in steps
        )

    def _may_end(self, at: Place, left: int) -> bool:
        if not self.ends_barred(at):
            return True
        if not self.route.closing or self.having(self.closing_counts(at)).ends_barred(at):
            return False
        return self._steps.closed(at, self.counts, left) is not None


def closest_route(
    ask: StepJudge, start: Place, is_target: Callable[[Any], bool], most: int = UNLIMITED
) -> list[JudgedStep] | None:
    """Find the route to a target that breaks the fewest bars, of several the cheapest and then the shortest.

    Nothing if no connection leads there. Ways whose steps break more than `most` are not followed.

    A step counts 1 for each clause that bars it; 1 counts also one after a stop, one that the points do not pay
    for, and an end that a clause bars.
    """
    points = ask.points
    numbers = itertools.count()
    heap: list[tuple[int, int, int, int, bool, Any, tuple[JudgedStep, ...]]] = [
        (0, 0, 0, next(numbers), False, start, ())
    ]
    done: set[tuple[Any, ...]] = set()
    finished: tuple[int, int, tuple[JudgedStep, ...]] | None = None
    while heap:
        broken, spent, steps, _, stopped, place, path = heapq.heappop(heap)
        if finished is not None and broken >= finished[0]:
            break
        here = ask.having(path[-1].tallied) if path else ask
        if is_target(place):
            total = broken + here.ends_barred(place)
            if finished is None or (total, spent) < finished[:2]:
                finished = (total, spent, path)
        state = (place, stopped, *(path[-1].tallied.values() if path else ()))
        if state in done:
            continue
        done.add(state)
        closed = ask.route.closed_to((start, *[step.entered for step in path])) if ask.route.simple else ()
        for link, other in here.ways(place):
            if other in closed or (not ask.route.simple and (other, False) in done):  # nothing was counted by then
                continue
            crossed = here.cross(link, place, other)
            over = spent + crossed.cost > points
            after = spent if over else spent + crossed.cost
            more = broken + len(crossed.barring) + stopped + over
            if more > most:
                continue
            stops, way = bool(crossed.stopping), (*path, crossed)
            heapq.heappush(heap, (more, after, steps + 1, next(numbers), stops, other, way))
    return list(finished[2]) if finished is not None else None


def legal_route(ask: StepJudge, start: Place, is_target: Callable[[Any], bool]) -> list[JudgedStep] | None:
    """Find the cheapest legal route to a target; nothing if there is none."""
    found = closest_route(ask, start, is_target, most=0)
    if found is None:
        return None
    place, tallied = (found[-1].entered, found[-1].tallied) if found else (start, {})
    return None if (found or ask.has_goal) and ask.having(tallied).ends_barred(place) else found


def ways_around(
    ask: StepJudge, start: Place, is_target: Callable[[Any], bool], cited: Collection[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what closes the other ways to a target: heads that bar, each with what it was asked of.

    `cited` are the clauses that close the way that comes closest; what they close is closed already.
    """
    known = set(cited)
    for _ in range(MAX_AROUND):
        found = legal_route(ask.only(known), start, is_target)
        asked = list(barring(ask, start, found)) if found is not None else []
        closing = [(key, env) for key, env in asked if known.isdisjoint(ask.said(key, env))]
        if not closing:
            return
        yield closing[0]
        known.update(ask.said(*closing[0]))


def how_closed(
    ask: StepJudge, start: Place, is_target: Callable[[Any], bool], steps: list[JudgedStep]
) -> tuple[frozenset[str], list[tuple[str, dict[str, Any]]]]:
    """Say what closes the ways to a target, of which `steps` come closest.

    The first part are the clauses that bar something on these steps though the others close every way already; the
    second is what closes other ways: heads that bar, each with what it was asked of.
    """
    cited = frozenset(clause for found in barring(ask, start, steps) for clause in ask.said(*found))
    around = list(ways_around(ask, start, is_target, cited))
    others = frozenset(clause for found in around for clause in ask.said(*found))
    spare = _superfluous(ask, start, is_target, [*sorted(cited), *sorted(others - cited)]) if len(cited) > 1 else set()
    return cited & spare, [found for found in around if not ask.said(*found) <= spare]


def _superfluous(ask: StepJudge, start: Place, is_target: Callable[[Any], bool], cited: list[str]) -> set[str]:
    """Name the clauses that are in no smallest set of those cited that leaves no way to a target."""

    def is_closed(clauses: frozenset[str]) -> bool:
        return legal_route(ask.only(clauses), start, is_target) is None

    def is_needed(clause: str) -> bool:
        if not is_closed(left - {clause}):
            return True
        needed = left
        for other in sorted(left - {clause}):
            if is_closed(needed - {other}):
                needed -= {other}
        return not is_closed(needed - {clause})

    left = frozenset(cited)
    for clause in cited:
        if not is_needed(clause):
            left -= {clause}
    return set(cited) - left


def barring(ask: StepJudge, start: Place, steps: list[JudgedStep]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the heads that close a route: bars of its steps, stops on the way, its end, and its points."""
    here = ask
    for number, step in enumerate(steps, 1):
        env = here.along(step)
        if ask.decide(ask.key("step"), env):
            yield ask.key("step"), env
        here = ask.having(step.tallied)
        env = here.along(step)
        if number < len(steps) and ask.decide(ask.key("stop"), env):
            yield ask.key("stop"), env
    place = steps[-1].entered if steps else start
    if here.ends_barred(place):
        yield ask.key("end"), here.end(place)
    if sum(step.cost for step in steps) > ask.points:
        yield ask.key("points"), ask.env


def places(start: Place, steps: list[JudgedStep]) -> list[str]:
    return [start.id, *(step.entered.id for step in steps)]
