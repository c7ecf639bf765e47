"""The compiled engine: generated functions and shared searches behind the common interface."""

from __future__ import annotations

import sys
import weakref
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import compress, islice
from typing import Any, Self

from titm_rules.engines import engine as base
from titm_rules.engines.compiled import allocations
from titm_rules.engines.compiled.allocation_folds import PlanCount, PlanKernel, count, enumerate_choices, example
from titm_rules.engines.compiled.allocations import AllocationKernel, AllocationSpace, PickTally, SelectionKernel
from titm_rules.engines.compiled.codegen import asks_reading
from titm_rules.engines.compiled.distance_maps import DistanceMap, UpdatedDistanceMap
from titm_rules.engines.compiled.event_engine import CompiledEvents
from titm_rules.engines.compiled.incremental import MemoTable
from titm_rules.engines.compiled.label_search import (
    CountedDistanceMap,
    ProgramEngine,
    RouteWalk,
    asks_counts,
    written_cost,
)
from titm_rules.engines.compiled.partial_eval import PartialEvaluator
from titm_rules.engines.compiled.program import Program, program_of
from titm_rules.engines.compiled.provenance import Provenance, ProvenanceConditions
from titm_rules.engines.compiled.route_search import FloodsAlike, RouteKernel
from titm_rules.engines.compiled.step_kernel import RouteSession
from titm_rules.ir.dependencies import FieldOf
from titm_rules.ir.model import Allocation, Head, Model, Roll, Route, Selection, Statement, head_key
from titm_rules.ir.terms import CHOSEN, Apply, Compare, Const, Logic, Root, Term, Var
from titm_rules.ir.types import FLAG, TEXT
from titm_rules.world.evaluate import PICKS
from titm_rules.world.records import Mover, Place, Record, Situation, Value
from titm_rules.world.world import World

Given = Mapping[str, Any]


PROGRAM = "program"  # under this a root remembers whose functions it was asked by
MAX_COMPARED = 2_000  # so many choices are compared one by one before a search for the nearest is faster


class CompiledEngine(ProgramEngine):
    """Answers for one world; its results are memoized in the world's root record."""

    def __init__(self, model: Model, world: World) -> None:
        super().__init__(model, world)
        self.program = self._program()
        self.root = world.root
        self._owner = self._installed()
        self._earlier = None if world.origin is world else self._of(world.origin)
        self._walks: dict[Any, RouteWalk] = {}
        self._picks: tuple[Mapping[Any, int], PickTally] | None = None
        self._tallies: dict[frozenset[tuple[Any, int]], PickTally] = {}
        self._compiled: dict[Term, Callable[[Given], Any]] = {}
        self._floods: dict[str, FloodsAlike] = {}  # by route
        before, world.before = world.before, None
        if before is not None and before.origin is before and world.origin is world:
            self._take_over(before.root, world.differs)

    def _program(self) -> Program:
        return program_of(self.model)

    def _of(self, world: World) -> CompiledEngine:
        found = _alive(world)
        return found if found is not None and found.program is self.program else self.at(world)

    def _installed(self) -> CompiledEngine | None:
        """Let the world's root know the engine; give another that is at work there, if it asks the same functions.

        The root knows its engine weakly, so that an engine is gone with its last user; one that displaces another,
        of other rules, stays, for the root may be asked of either.
        """
        present = _alive(self.world)
        if present is not None and present.program is self.program:
            return present
        self.root.memo_ = defaultdict(dict)
        self.root.memo_[PROGRAM] = self.program
        self.root.engine_ = weakref.proxy(self) if present is None else self
        return None

    def _take_over(self, root: Situation, changed: frozenset[FieldOf] | None) -> None:
        """Take over the memoized results of the situation before, if nothing that they depend on has changed."""
        if root.memo_.get(PROGRAM) is self.program:
            self.program.carried.take_over(self.model, root, self.root, changed)

    @property
    def course(self) -> CompiledEvents:
        return CompiledEvents(self)

    @cached_property
    def before(self) -> base.BeforeMove | None:
        return None if self._earlier is None else base.BeforeMove(self._earlier, self.world)

    def itself(self) -> CompiledEngine:
        return self

    def at(self, world: World) -> Self:
        return type(self)(self.model, world)

    def term(self, term: Term, env: Given) -> Any:
        if isinstance(term, Var):
            return env[term.name]
        if isinstance(term, Root):
            return getattr(self.root, term.field)
        return self.program.term(term, tuple(env))(self.root, *env.values())

    def compiled(self, term: Term) -> Callable[[Given], Any] | None:
        found = self._compiled.get(term)
        if found is None and (known := self.program.often(term)) is not None:
            function, names, counts = known

            def found(env: Given) -> Any:
                before = [self.root, self._picked(env[PICKS])] if counts else [self.root]
                return function(*before, *[env[name] for name in names])

            self._compiled[term] = found
        return found

    def decide(self, key: str, env: Given) -> Any:
        return self.program.head(key)(*self._told(key, env))

    def decide_about(self, key: str, *about: Value) -> Any:
        return self.program.head(key)(self.root, *about)

    def said(self, key: str, env: Given) -> list[Statement]:
        return list(compress(self.model.heads[key].statements, self.program.said(key)(*self._told(key, env))))

    def held(self, key: str, env: Given) -> Sequence[bool]:
        found: Sequence[bool] = self.program.held(key)(*self._told(key, env))
        return found

    def traced_condition(self, head: Head, statement: Statement, env: Given) -> tuple[bool, Provenance]:
        conditions: ProvenanceConditions | None = self.program.others.get(ProvenanceConditions)
        if conditions is None:
            conditions = self.program.others[ProvenanceConditions] = ProvenanceConditions(self.program)
        watch, picked = Provenance(), self._picked(env[PICKS]) if PICKS in env else None
        about = [env[name] for name, _ in head.params]
        return bool(conditions.of(head, statement)(self.root, picked, watch, *about)), watch

    def _told(self, key: str, env: Given) -> list[Any]:
        before = [self.root, self._picked(env[PICKS])] if self.program.head_is_stateful(key) else [self.root]
        return [*before, *[env[name] for name, _ in self.model.heads[key].params]]

    def _picked(self, picks: Mapping[Any, int]) -> PickTally:
        """Give the state in which each target was picked so often, with what it remembers."""
        if self._picks is None or self._picks[0] is not picks:
            key = frozenset(picks.items())
            tally = self._tallies.get(key)
            if tally is None:
                tally = self._tallies[key] = PickTally.of(picks)
            self._picks = picks, tally
        return self._picks[1]

    # ------------------------------------------------------------------ routes
    def kernel(self, route: Route, mover: Mover) -> tuple[RouteKernel, Any]:
        """Give the kernel for a mover, and the mover as that kernel takes it."""
        only = mover[0] if isinstance(mover, list) and len(mover) == 1 else None
        key = (route.name, only is not None)
        kernel = self.program.found.get(key) or self.program.kernel(key, RouteKernel, route, key[1])
        return kernel, mover if only is None else only

    def trace(self, route: Route, mover: Mover | None, start: Place | None) -> int | None:
        if mover is None:
            return None
        if (alike := self._floods.get(route.name)) is not None:
            flood = alike.known.get(alike.profile(mover)) or alike.of(mover)
            return flood.get(mover.place if start is None else start)  # type: ignore[union-attr]  # a piece, as in `of`
        found: int | None = self.flood(route.name, mover).get(base.first_place(mover) if start is None else start)
        return found

    def reach(self, route: Route, mover: Mover | None, start: Place | None, to: Place | None) -> int | None:
        if mover is None:
            return None
        if self.before is not None:
            return self.before.reach(route, mover, start, to)
        start = base.first_place(mover) if start is None else start
        if start is None or to is None:
            return None
        key = (base.hashable(mover), start)
        known: dict[Any, Mapping[Any, int]] = self.root.memo_[route.name, "reach"]
        found = known.get(key)
        if found is None:
            found = known[key] = self._reached(route, mover, start)
        return found.get(to)

    def _reached(self, route: Route, mover: Mover, start: Place) -> Mapping[Any, int]:
        """Map every place where a route may end, its start among them, to the cheapest cost."""
        values = (False,) * len(route.given)
        if not self.asks_counts_of(route):
            kernel, kept = self.kernel(route, mover)
            return kernel.reached(self.root, kept, values, start)
        walk = self.walk(route, mover, values)
        there = {start: 0} if walk.may_end(start, walk.steps.zeros) else {}
        return {**there, **walk.ends(start)}

    def flood(self, name: str, mover: Mover | None) -> DistanceMap | UpdatedDistanceMap | CountedDistanceMap:
        """Give the costs to a goal from every place, for one mover; for nobody there are none."""
        alike = self._floods.get(name)
        if alike is not None and mover is not None:
            return alike.known.get(alike.profile(mover)) or alike.of(mover)
        kernel = self.program.found.get(name)
        found = None if kernel is None else kernel.known_flood(self.root, base.hashable(mover))
        return self._new_flood(name, mover) if found is None else found

    def _new_flood(self, name: str, mover: Mover | None) -> DistanceMap | UpdatedDistanceMap | CountedDistanceMap:
        """As `flood`, for a mover who is asked about for the first time."""
        if mover is None or not self.model.heads[head_key(name, "goal")].statements:
            return DistanceMap({})
        if self._earlier is not None:
            return UpdatedDistanceMap(self._earlier.flood(name, self.world.origin.twin(mover)), self.world.origin)
        known: dict[Any, CountedDistanceMap] = self.root.memo_[name]
        if found := known.get(base.hashable(mover)):
            return found
        route = self.model.forms[name]
        assert isinstance(route, Route)
        values = (False,) * len(route.given)
        if self.asks_counts_of(route):
            return known.setdefault(base.hashable(mover), CountedDistanceMap(self.walk(route, mover, values)))
        kernel, kept = self.kernel(route, mover)
        if kernel.profile is not None:
            alike = self._floods[name] = FloodsAlike(kernel, kernel.profile, self.root)
            return alike.of(mover)
        if kept is mover:
            self.program.found[name] = kernel
        return kernel.flood(self.root, kept, values)

    def asks_counts_of(self, route: Route, closing: bool = False) -> bool:
        key = (route.name, "counts", closing)
        found: bool | None = self.program.found.get(key)
        return self.program.kernel(key, asks_counts, route, closing) if found is None else found

    def ends(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> Mapping[Any, int]:
        start = base.common_place(mover) if start is None else start
        if route.ranks:
            best: dict[Any, int] = {}
            for way in self.ways(route, mover, given, start):
                if way.place is not start and not way.closed:
                    best[way.place] = min(way.cost, best.get(way.place, way.cost))
            return best
        values = _values(route, given)
        if self.asks_counts_of(route):
            steps = self.march(route, mover, values)
            return {} if start is None or steps.is_barred else RouteWalk(steps, self.root).ends(start)
        kernel, mover = self.kernel(route, mover)
        if start is None or kernel.start_barred(self.root, mover, *values):
            return {}
        return kernel.ends(self.root, mover, values, start)

    def stays(self, route: Route, mover: Mover, given: Given, start: Place) -> bool:
        walk = self.walk(route, mover, _values(route, given))
        return not walk.is_barred and walk.may_end(start, walk.steps.zeros)

    def counted(self, route: Route, mover: Mover, given: Given, start: Place) -> Iterable[tuple[Place, base.Counts]]:
        if route.ranks:
            return ((way.place, way.counts) for way in self.ways(route, mover, given, start) if not way.closed)
        walk = self.walk(route, mover, _values(route, given))
        return () if walk.is_barred else walk.counted(start)

    def ways(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> Sequence[base.RankedPath]:
        start, values = base.common_place(mover) if start is None else start, _values(route, given)
        if start is None:
            return ()
        known: dict[Any, Sequence[base.RankedPath]] = self.root.memo_[route.name, "ways"]
        key = (base.hashable(mover), start, tuple(map(base.hashable, values)))
        if key not in known:

            def ranking(place: Place, counts: base.Counts) -> Iterator[int | None]:
                counters = zip((name for name, _ in route.counters), counts, strict=True)
                env = {route.mover[0]: mover, **given, route.entered: place, **dict(counters)}
                return (self.term(rank, env) for rank in route.ranks)

            known[key] = RouteWalk(self.march(route, mover, values), self.root).best_paths(start, ranking)
        return known[key]

    def result(self, what: str, name: str, roles: Given) -> Any:
        """Return the result of a form for an expression; the root memoizes it."""
        if self._earlier is not None:
            return super().result(what, name, roles)
        known: dict[Any, Any] = self.root.memo_[name, what]
        key = tuple((role, base.hashable(value)) for role, value in roles.items())
        if key not in known:
            known[key] = super().result(what, name, roles)
        return known[key]

    def closings(self, route: Route, mover: Mover, given: Given) -> list[Any]:
        start, values = base.common_place(mover), _values(route, given)
        walk = self.walk(route, mover, values)
        if start is None or walk.is_barred:
            return []
        if self.asks_counts_of(route, closing=True):
            return walk.closings(start)
        kernel, kept = self.kernel(route, mover)
        reached, steps = kernel.search(self.root, kept, values, start), walk.steps
        may_end = kernel.may_end(self.root, kept, values, reached, start)
        return [
            place
            for place, spent in reached.items()
            if (place is start or may_end[place]) and steps.closed(place, steps.zeros, walk.points - spent) is not None
        ]

    def path(self, route: Route, mover: Mover, given: Given, steps: list[str]) -> int | None:
        if route.ranks:
            return next((way.cost for way in self.ways(route, mover, given) if list(way.names) == steps), None)
        return written_cost(self, route, mover, _values(route, given), steps)

    def steps(self, route: Route, mover: Mover, given: Given, at: Place) -> Iterator[base.OpenStep]:
        return self.walk(route, mover, _values(route, given)).steps.open(at, route.counts_in(given), sys.maxsize)

    def onward(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> Iterator[base.OpenStep]:
        return self.walk(route, mover, _values(route, given)).onward(at, route.counts_in(given), spent)

    def may_halt(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> bool:
        return self.walk(route, mover, _values(route, given)).may_halt(at, route.counts_in(given), spent)

    def closing_price(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> int | None:
        return self.walk(route, mover, _values(route, given)).closing_price(at, route.counts_in(given), spent)

    def march(self, route: Route, mover: Mover, values: tuple[Any, ...]) -> RouteSession:
        return RouteSession(self.program, self.root, route, mover, values)

    def walk(self, route: Route, mover: Mover, values: tuple[Any, ...]) -> RouteWalk:
        key = (route.name, base.hashable(mover), tuple(map(base.hashable, values)) if values else ())
        found = self._walks.get(key)
        if found is None:
            found = self._walks[key] = RouteWalk(self.march(route, mover, values), self.root)
        return found

    # ------------------------------------------------------------------ choices and rolls
    def _allocation(
        self, form: Allocation, given: Given, by_kind: bool = False,
        allowed: Mapping[Any, frozenset[Any]] | None = None,
    ) -> AllocationSpace:  # fmt: skip
        kernel = self.program.kernel(form.name, AllocationKernel, form)
        return AllocationSpace(kernel, self.root, given, by_kind, allowed)

    def _selection(self, form: Selection) -> SelectionKernel:
        kernel: SelectionKernel = self.program.kernel(form.name, SelectionKernel, form)
        return kernel

    def count(self, form: Allocation | Selection, given: Given) -> int:
        if isinstance(form, Selection):
            return self._selection(form).count(self.root, given)
        return count(self._allocation(form, given, by_kind=True))

    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        if isinstance(form, Selection):
            return self._selection(form).choices(self.root, given)
        return enumerate_choices(self._allocation(form, given))

    def pick_keys(
        self, form: Allocation, choosers: Sequence[Record], targets: Sequence[Record]
    ) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
        kernel = self.program.kernel(form.name, AllocationKernel, form)
        keys = [kernel.chooser_key(self.root, one) for one in choosers]
        return keys, [kernel.target_key(self.root, one) for one in targets]

    def choices_where(
        self, form: Allocation | Selection, given: Given, tests: Sequence[base.ChoiceTest]
    ) -> Iterator[base.Picked]:
        """As the default; what is said of one chooser alone narrows the search."""
        if isinstance(form, Selection) or form.chooser is None:
            return super().choices_where(form, given, tests)
        targets: list[Any] = self.term(form.targets, given)
        allowed: dict[Any, frozenset[Any]] = {}
        for who, holds in tests:
            if who is not None and len(who) == 1:
                known = allowed.get(who[0], targets)
                allowed[who[0]] = frozenset(target for target in known if holds([target]))
        rows = enumerate_choices(self._allocation(form, given, allowed=allowed or None))
        return base.passing(form, rows, [test for test in tests if test.choosers is None or len(test.choosers) != 1])

    def example(self, form: Allocation | Selection, given: Given, pick: base.Pick | None) -> base.Picked | None:
        if isinstance(form, Selection):
            return super().example(form, given, pick)
        return example(self._allocation(form, given), pick)

    def is_legal(self, form: Allocation | Selection, given: Given, picked: tuple[Any, ...]) -> bool:
        if isinstance(form, Selection):
            return self._selection(form).is_legal(self.root, given, picked)
        return allocations.is_legal(self._allocation(form, given), picked)

    def is_barred(
        self, form: Allocation, given: Given, chooser: Record, target: Record, picks: Mapping[Any, int]
    ) -> bool:
        state = self._picked(picks)
        named = () if form.chooser is None else (chooser,)
        values = [given[name] for name, _ in form.given]
        return bool(self.program.head(head_key(form.name, "choose"))(self.root, state, *named, target, *values))

    def nearest(self, form: Allocation | Selection, given: Given, picked: base.Picked) -> base.Picked | None:
        """Return the legal choice that differs in the fewest picks; where there are many, a search finds it."""
        if isinstance(form, Selection) or form.chooser is None:
            return super().nearest(form, given, picked)
        options = list(islice(self.choices(form, given), MAX_COMPARED + 1))
        if len(options) > MAX_COMPARED:
            return allocations.nearest(self._allocation(form, given), picked)
        return base.nearest_of(form, options, picked)

    def plans(self, form: Allocation, given: Given, limit: int) -> list[PlanCount] | None:
        """As the default; of one kind are those whose dice differ only in records that the rules cannot tell apart."""
        kernel = self.program.kernel((form.name, "plans"), PlanKernel, form)
        found: list[PlanCount] | None = kernel.plans(self.root, self._allocation(form, given), limit)
        return found

    def roll(self, roll: Roll, env: Given) -> base.Rolled | None:
        args = [env[name] for name, _ in roll.params]
        highest = self.program.roll(roll)(self.root, *args)
        if highest is None:
            return None
        factor = self.program.head(head_key(roll.name, "factor"))(self.root, *args)
        added: dict[str, int] = {}
        for label, value in self.program.labelled(head_key(roll.name, "adds")):
            amount = value(self.root, *args)
            if amount:
                added[label] = added.get(label, 0) + amount
        return factor, added, highest


def _values(route: Route, given: Given) -> tuple[Any, ...]:
    return tuple([given[name] for name, _ in route.given])


def _alive(world: World) -> CompiledEngine | None:
    """Give the engine that a world's root knows; nothing if there is none, or nobody uses it any more."""
    try:
        found: CompiledEngine | None = world.root.engine_ and world.root.engine_.itself()
    except ReferenceError:
        return None
    return found


# ---------------------------------------------------------------------- readings that answers ask for
class ReadingTrackingEngine(CompiledEngine):
    """Answers for one world, and notes the `readings` that it is asked for; it takes nothing over from before."""

    readings: set[str]

    def __init__(self, model: Model, world: World, readings: set[str] | None = None) -> None:
        self.readings = set[str]() if readings is None else readings
        super().__init__(model, world)

    def chosen(self, name: str) -> str:
        self.readings.add(name)
        return self.model.reading(name)

    def at(self, world: World) -> Self:
        return type(self)(self.model, world, self.readings)

    def _program(self) -> Program:
        return tracking_program(self.model)

    def _of(self, world: World) -> CompiledEngine:
        return self.at(world)

    def _take_over(self, _root: Situation, _changed: frozenset[FieldOf] | None) -> None:
        """Take nothing over: an earlier result would not ask for the readings that it depends on."""

    def _installed(self) -> CompiledEngine | None:
        self.root.memo_ = defaultdict(dict, {PROGRAM: self.program})
        self.root.engine_ = self
        return None


def tracking_program(model: Model) -> TrackingProgram:
    plain = program_of(model)
    while plain.base is not None:
        plain = plain.base
    found: TrackingProgram | None = plain.others.get(TrackingProgram)
    if found is None:
        found = plain.others[TrackingProgram] = TrackingProgram(plain)
    return found


class TrackingProgram(Program):
    """The program of some rules under whatever readings, which its functions ask the engine for.

    What depends on no reading is that of a plain program. All else takes the same way through the rules, whatever is
    chosen, up to the first reading that it asks for and that is chosen otherwise. Nothing that asks for a reading is
    worked out beforehand or kept with the board, for its users would then ask for none.
    """

    def __init__(self, plain: Program) -> None:
        super().__init__(plain.model, plain)
        self.folder = _OpenReading(plain.model)
        self.carried = MemoTable()
        self.unsettled = frozenset(name for name, one in plain.model.readings.items() if len(one.offered) > 1)
        self._differing = self.unsettled


class _OpenReading(PartialEvaluator):
    """Folds terms, and leaves the readings in them that can be chosen otherwise, to be asked for last."""

    def fold(self, term: Term) -> Term:
        folded = super().fold(term)
        if isinstance(folded, Logic) and folded.op in ("all", "any"):
            return replace(folded, parts=tuple(sorted(folded.parts, key=asks_reading)))
        return folded

    def reading_test(self, name: str, choice: str, wanted: bool) -> Term:
        """Ask for a reading while an answer is worked out."""
        if len(self.model.readings[name].offered) < 2:
            return super().reading_test(name, choice, wanted)
        return Compare("==" if wanted else "!=", Apply(CHOSEN, (Const(name, TEXT),), TEXT), Const(choice, TEXT), FLAG)
