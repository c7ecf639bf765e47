"""The compiled engine: generated functions and shared searches behind the common interface."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import Any

from titm_rules.engines.compiled import allocations
from titm_rules.engines.compiled.allocation_folds import PlanCount, PlanKernel, count, enumerate_choices, example
from titm_rules.engines.compiled.allocations import AllocationKernel, AllocationSpace, PickTally, SelectionKernel
from titm_rules.engines.compiled.distance_maps import (
    CountedDistanceMap,
    DistanceMap,
    LabelSearch,
    UpdatedDistanceMap,
    asks_counts,
    other_places,
)
from titm_rules.engines.compiled.event_engine import CompiledEvents
from titm_rules.engines.compiled.hoisting import identity
from titm_rules.engines.compiled.program import Program, program_of
from titm_rules.engines.compiled.provenance import Provenance, ProvenanceConditions
from titm_rules.engines.compiled.route_search import FloodsAlike, RouteKernel
from titm_rules.engines.compiled.step_kernel import RouteSession
from titm_rules.engines.engine import Counts, Pick, RankedPath
from titm_rules.engines.form_results import has_pick, result_of
from titm_rules.engines.route_walk import (
    AskedOnTheWay,
    Progress,
    Steps,
    Walker,
    WaysFrom,
    ask_in_origin,
    common_place,
    cost_along,
    counted_by,
    ends_of,
    first_place,
    rank_of,
)
from titm_rules.ir.dependencies import FieldOf
from titm_rules.ir.model import Allocation, Head, Model, Roll, Route, Selection, Statement, head_key
from titm_rules.ir.terms import Root, Term, Var
from titm_rules.world.evaluate import PICKS
from titm_rules.world.records import Mover, Place, Record, Situation, Value
from titm_rules.world.world import World

Given = Mapping[str, Any]


PROGRAM = "program"  # under this a root remembers whose functions it was asked by


class CompiledEngine(AskedOnTheWay):
    """Answers for one world; what it works out is remembered in the world's root record."""

    def __init__(self, model: Model, world: World) -> None:
        self.model = model
        self.world = world
        self.program = self._program()
        self.root = world.root
        self._owner = self._installed()
        self._earlier = None if world.origin is world else self._of(world.origin)
        self._moving: dict[Any, Progress] = {}
        self._picks: tuple[Mapping[Any, int], PickTally] | None = None
        self._floods: dict[str, FloodsAlike] = {}  # by route
        self._found = self.program.found
        before, world.before = world.before, None
        if before is not None and before.origin is before and world.origin is world:
            self._take_over(before.root, world.differs)

    def _program(self) -> Program:
        """Give the functions that it asks."""
        return program_of(self.model)

    def _of(self, world: World) -> CompiledEngine:
        """Give the engine of another world under the same rules, made anew if nobody uses one."""
        found = _alive(world)
        return found if found is not None and found.program is self.program else self.alike(world)

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
        """Take over what the situation before remembers, as far as nothing has changed that it rests on."""
        if root.memo_.get(PROGRAM) is not self.program:
            return
        memo, mine = root.memo_, self.root.memo_
        if changed is None:
            known = {reads: reads.are_same(self.model, root, self.root) for reads in set(self.program.lasting.values())}
            keys = frozenset(key for key, reads in self.program.lasting.items() if known[reads])
        else:
            keys, parts = self.program.kept(changed)
            others = other_places(root, self.root) if parts else frozenset()
            for near in parts:
                near.pass_on(root, self.root, others)
        mine.update({key: found for key, found in memo.items() if key in keys})

    @property
    def course(self) -> CompiledEvents:
        """What may happen here."""
        return CompiledEvents(self)

    @property
    def earlier(self) -> CompiledEngine:
        """The engine of the situation before the move, where a move has changed it."""
        assert self._earlier is not None
        return self._earlier

    def itself(self) -> CompiledEngine:
        """Give the engine where a root knows it weakly."""
        return self

    def alike(self, world: World) -> CompiledEngine:
        """Make an engine of another world under the same rules."""
        return type(self)(self.model, world)

    def term(self, term: Term, env: Given) -> Any:
        """Evaluate a term."""
        if isinstance(term, Var):
            return env[term.name]
        if isinstance(term, Root):
            return getattr(self.root, term.field)
        return self.program.term(term, tuple(env))(self.root, *env.values())

    def decide(self, key: str, env: Given) -> Any:
        """Decide a head."""
        return self.program.head(key)(*self._told(key, env))

    def decide_about(self, key: str, *about: Value) -> Any:
        """Decide a head of what it is about, in the order of its parameters."""
        return self.program.head(key)(self.root, *about)

    def said(self, key: str, env: Given) -> list[Statement]:
        """List the statements of a head that count."""
        return list(compress(self.model.heads[key].statements, self.program.said(key)(*self._told(key, env))))

    def held(self, key: str, env: Given) -> Sequence[bool]:
        """Say of each statement of a head whether its condition holds."""
        found: Sequence[bool] = self.program.held(key)(*self._told(key, env))
        return found

    def watched(self, head: Head, sentence: Statement, env: Given) -> tuple[bool, Provenance]:
        """Say whether a condition holds, and what was seen while that was decided."""
        conditions: ProvenanceConditions | None = self.program.others.get(ProvenanceConditions)
        if conditions is None:
            conditions = self.program.others[ProvenanceConditions] = ProvenanceConditions(self.program)
        watch, picked = Provenance(), self._picked(env[PICKS]) if PICKS in env else None
        about = [env[name] for name, _ in head.params]
        return bool(conditions.of(head, sentence)(self.root, picked, watch, *about)), watch

    def _told(self, key: str, env: Given) -> list[Any]:
        """List what the functions of a head take."""
        before = [self.root, self._picked(env[PICKS])] if self.program.head_is_stateful(key) else [self.root]
        return [*before, *[env[name] for name, _ in self.model.heads[key].params]]

    def _picked(self, picks: Mapping[Any, int]) -> PickTally:
        """Give the state in which each target was picked so often; the last one is kept, with what it remembers."""
        if self._picks is None or self._picks[0] is not picks:
            self._picks = picks, PickTally.of(picks)
        return self._picks[1]

    # ------------------------------------------------------------------ routes
    def kernel(self, route: Route, mover: Mover) -> tuple[RouteKernel, Any]:
        """Give the kernel for a mover, and the mover as that kernel takes it."""
        only = mover[0] if isinstance(mover, list) and len(mover) == 1 else None
        key = (route.name, only is not None)
        kernel: RouteKernel | None = self._found.get(key)
        if kernel is None:
            kernel = self.program.kernels.get(key)
            if kernel is None:
                kernel = self.program.kernels[key] = RouteKernel(self.program, route, only is not None)
            self._found[key] = kernel
        return kernel, mover if only is None else only

    def trace(self, route: Route, mover: Mover, start: Place | None) -> int | None:
        """Cheapest cost from a place to a goal; nothing if there is no route."""
        alike = self._floods.get(route.name)
        if alike is None:
            return self.trace_named(route.name, mover, start)
        flood = alike.known.get(alike.profile(mover)) or alike.of(mover)
        return flood.get(mover.place if start is None else start)  # type: ignore[union-attr]  # it is one piece

    def trace_named(self, name: str, mover: Mover | None, start: Place | None) -> int | None:
        """As `trace`; it is judged in the situation before the move, if a move has changed it."""
        if mover is None:
            return None
        alike = self._floods.get(name)
        if alike is not None:
            flood = alike.known.get(alike.profile(mover)) or alike.of(mover)
            return flood.get(mover.place if start is None else start)  # type: ignore[union-attr]  # it is one piece
        if start is None:
            start = first_place(mover)
        world = self.world.origin
        if world is not self.world:
            mover, start = world.twin(mover), world.twin(start) if start is not None else None
            return self.earlier.trace_named(name, mover, start)
        found: int | None = self.flood(name, mover).get(start)
        return found

    def reach(self, route: Route, mover: Mover | None, start: Place | None, to: Place | None) -> int | None:
        """Cheapest cost from a place to another where the route may end; nothing if there is none."""
        return self.reach_named(route.name, mover, start, to)

    def reach_named(self, name: str, mover: Mover | None, start: Place | None, to: Place | None) -> int | None:
        """As `reach`; it is judged in the situation before the move, if a move has changed it."""
        if mover is None:
            return None
        world = self.world.origin
        if world is not self.world:
            twin = world.twin
            places = (twin(start) if start else None, twin(to) if to else None)
            return self.earlier.reach_named(name, twin(mover), *places)
        start = first_place(mover) if start is None else start
        if start is None or to is None:
            return None
        key = (identity(mover), start)
        known: dict[Any, Mapping[Any, int]] = self.root.memo_[name, "reach"]
        found = known.get(key)
        if found is None:
            route = self.model.forms[name]
            assert isinstance(route, Route)
            found = known[key] = self._reached(route, mover, start)
        return found.get(to)

    def _reached(self, route: Route, mover: Mover, start: Place) -> Mapping[Any, int]:
        """Map every place where a route may end, its start among them, to the cheapest cost."""
        values = (False,) * len(route.given)
        if not self.asks_counts_of(route):
            kernel, kept = self.kernel(route, mover)
            return kernel.reached(self.root, kept, values, start)
        steps = Steps(CompiledJourney(self, route, mover, values))
        there = {start: 0} if steps.may_end(start, steps.zeros) else {}
        return {**there, **LabelSearch(steps, start).ends()}

    def flood(self, name: str, mover: Mover | None) -> DistanceMap | UpdatedDistanceMap | CountedDistanceMap:
        """Give the costs to a goal from every place, for one mover; for nobody there are none."""
        alike = self._floods.get(name)
        if alike is not None and mover is not None:
            return alike.known.get(alike.profile(mover)) or alike.of(mover)
        kernel = self._found.get(name)
        found = None if kernel is None else kernel.known_flood(self.root, identity(mover))
        return self._new_flood(name, mover) if found is None else found

    def _new_flood(self, name: str, mover: Mover | None) -> DistanceMap | UpdatedDistanceMap | CountedDistanceMap:
        """As `flood`, for a mover who is asked about for the first time."""
        if mover is None:
            return DistanceMap({})
        world = self.world.origin
        if world is not self.world:
            return UpdatedDistanceMap(self.earlier.flood(name, world.twin(mover)), world)
        known: dict[Any, CountedDistanceMap] = self.root.memo_[name]
        return known.get(identity(mover)) or self._flood(name, mover)

    def _flood(self, name: str, mover: Mover) -> DistanceMap | CountedDistanceMap:
        route = self.model.forms[name]
        assert isinstance(route, Route)
        values = (False,) * len(route.given)
        if self.asks_counts_of(route):
            steps = Steps(CompiledJourney(self, route, mover, values))
            found = self.root.memo_[name][identity(mover)] = CountedDistanceMap(steps)
            return found
        kernel, kept = self.kernel(route, mover)
        if kernel.profile is not None:
            alike = self._floods[name] = FloodsAlike(kernel, kernel.profile, self.root)
            return alike.of(mover)
        if kept is mover:
            self._found[name] = kernel
        return kernel.flood(self.root, kept, values)

    def asks_counts_of(self, route: Route, closing: bool = False) -> bool:
        """Whether the clauses on a route ask what was counted on the way; then a place alone tells too little."""
        key = (route.name, "counts", closing)
        found: bool | None = self._found.get(key)
        if found is None:
            found = self.program.kernels.get(key)
            if found is None:
                found = self.program.kernels[key] = asks_counts(self.program, route, closing)
            self._found[key] = found
        return found

    def ends(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> Mapping[Any, int]:
        """Map every place but the start where the route may end to its cheapest cost."""
        start = common_place(mover) if start is None else start
        if route.ranks:
            return ends_of(self.ways(route, mover, given, start), start)
        values = _values(route, given)
        if self.asks_counts_of(route):
            steps = Steps(CompiledJourney(self, route, mover, values))
            return {} if start is None or steps.is_barred else LabelSearch(steps, start).ends()
        kernel, mover = self.kernel(route, mover)
        if start is None or kernel.start_barred(self.root, mover, *values):
            return {}
        return kernel.ends(self.root, mover, values, start)

    def stays(self, route: Route, mover: Mover, given: Given, start: Place) -> bool:
        """Whether a route may end where it sets out."""
        steps = Steps(CompiledJourney(self, route, mover, _values(route, given)))
        return not steps.is_barred and steps.may_end(start, steps.zeros)

    def counted(self, route: Route, mover: Mover, given: Given, start: Place) -> Iterable[tuple[Place, Counts]]:
        """Yield the places where a route may end, each with what may be counted by then."""
        if route.ranks:
            return counted_by(self.ways(route, mover, given, start))
        steps = Steps(CompiledJourney(self, route, mover, _values(route, given)))
        return () if steps.is_barred else LabelSearch(steps, start).counted()

    def ways(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> Sequence[RankedPath]:
        """List the best ways of a route that prefers some to others, in the order of their names."""
        start, values = common_place(mover) if start is None else start, _values(route, given)
        if start is None:
            return ()
        known: dict[Any, Sequence[RankedPath]] = self.root.memo_[route.name, "ways"]
        key = (identity(mover), start, tuple(map(identity, values)))
        if key not in known:
            steps = Steps(CompiledJourney(self, route, mover, values))
            known[key] = WaysFrom(steps, start, partial(rank_of, self, route, mover, given)).best()
        return known[key]

    def result(self, what: str, name: str, roles: Given) -> Any:
        """Say what the form of a name comes to; it is judged in the situation before the move."""
        origin = self.world.origin
        if origin is not self.world:
            return ask_in_origin(self.earlier.result, origin, self.world)(what, name, roles)
        known: dict[Any, Any] = self.root.memo_[name, what]
        key = tuple((role, identity(value)) for role, value in roles.items())
        if key not in known:
            known[key] = result_of(self, what, name, roles)
        return known[key]

    def result_named(self, what: str, name: str, names: tuple[str, ...], values: tuple[Any, ...]) -> Any:
        """As `result`, with the names of the roles apart from their values."""
        return self.result(what, name, dict(zip(names, values, strict=True)))

    def closings(self, route: Route, mover: Mover, given: Given) -> list[Any]:
        """List the places, the start among them, where the closing action may be taken."""
        start, values = common_place(mover), _values(route, given)
        steps = Steps(CompiledJourney(self, route, mover, values))
        if start is None or steps.is_barred:
            return []
        if self.asks_counts_of(route, closing=True):
            return LabelSearch(steps, start).closings()
        kernel, kept = self.kernel(route, mover)
        reached, points = kernel.search(self.root, kept, values, start), steps.points
        may_end = kernel.may_end(self.root, kept, values, [place for place in reached if place is not start])
        return [
            place
            for place, spent in reached.items()
            if (place is start or may_end[place]) and steps.closed(place, steps.zeros, points - spent) is not None
        ]

    def path(self, route: Route, mover: Mover, given: Given, steps: list[str]) -> int | None:
        """Cost of a path as written, or nothing if it is illegal."""
        if route.ranks:
            return cost_along(self.ways(route, mover, given), steps)
        return Walker(CompiledJourney(self, route, mover, _values(route, given))).cost(steps)

    def _progress(self, route: Route, mover: Mover, given: Given) -> Progress:
        return self.progress(route, mover, _values(route, given))

    def march(self, route: Route, mover: Mover, values: tuple[Any, ...]) -> RouteSession:
        """Give the steps of a mover, with what its route is given."""
        return RouteSession(self.program, self.root, route, mover, values)

    def progress(self, route: Route, mover: Mover, values: tuple[Any, ...]) -> Progress:
        """Give a mover on its way, with what its route is given."""
        key = (route.name, identity(mover), values)
        found = self._moving.get(key)
        if found is None:
            found = self._moving[key] = Progress(self.march(route, mover, values), self.world)
        return found

    # ------------------------------------------------------------------ choices and rolls
    def _allocation(self, form: Allocation, given: Given, by_kind: bool = False) -> AllocationSpace:
        kernel = self.program.kernels.get(form.name)
        if kernel is None:
            kernel = self.program.kernels[form.name] = AllocationKernel(self.program, form)
        return AllocationSpace(kernel, self.root, given, by_kind)

    def _selection(self, form: Selection) -> Any:
        kernel = self.program.kernels.get(form.name)
        if kernel is None:
            kernel = self.program.kernels[form.name] = SelectionKernel(self.program, form)
        return kernel

    def count(self, form: Allocation | Selection, given: Given) -> int:
        """Count the legal choices without listing them."""
        if isinstance(form, Selection):
            number: int = self._selection(form).count(self.root, given)
            return number
        return count(self._allocation(form, given, by_kind=True))

    def lowest(self, form: Selection, given: Given) -> int | None:
        """What the legal choices of a selection that prefers have least of; nothing if there are none."""
        found: int | None = self._selection(form).lowest(self.root, given)
        return found

    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield the legal choices."""
        if isinstance(form, Selection):
            found: Iterator[tuple[Any, ...]] = self._selection(form).choices(self.root, given)
            return found
        return enumerate_choices(self._allocation(form, given))

    def example(self, form: Allocation | Selection, given: Given, pick: Pick | None) -> tuple[Any, ...] | None:
        """Give a legal choice, with some pick in it if one is given; nothing if there is none."""
        if isinstance(form, Selection):
            return next((one for one in self.choices(form, given) if has_pick(form, one, pick)), None)
        return example(self._allocation(form, given), pick)

    def is_legal(self, form: Allocation | Selection, given: Given, picked: tuple[Any, ...]) -> bool:
        """Whether one choice is legal."""
        if isinstance(form, Selection):
            return bool(self._selection(form).is_legal(self.root, given, picked))
        return allocations.is_legal(self._allocation(form, given), picked)

    def is_barred(
        self, form: Allocation, given: Given, chooser: Record, target: Record, picks: Mapping[Any, int]
    ) -> bool:
        """Whether a clause bars one pick, when each target was picked so often."""
        state = PickTally.of(picks)
        named = () if form.chooser is None else (chooser,)
        values = [given[name] for name, _ in form.given]
        return bool(self.program.head(head_key(form.name, "choose"))(self.root, state, *named, target, *values))

    def nearest(self, form: Allocation, given: Given, picked: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Find the legal allocation of choosers that changes the fewest picks."""
        return allocations.nearest(self._allocation(form, given), picked)

    def plans(self, form: Allocation, given: Given, limit: int) -> list[PlanCount] | None:
        """List the legal allocations by kind; nothing if there are more than `limit` kinds.

        Allocations whose dice are the same but for records that the rules cannot tell apart are
        of one kind: one of them stands for it, with their number.
        """
        key = (form.name, "plans")
        kernel = self.program.kernels.get(key)
        if kernel is None:
            kernel = self.program.kernels[key] = PlanKernel(self.program, form)
        found: list[PlanCount] | None = kernel.plans(self.root, self._allocation(form, given), limit)
        return found

    def roll(self, roll: Roll, env: Given) -> tuple[int, dict[str, int], int] | None:
        """Factor, what is added by name, highest die that succeeds; nothing if barred."""
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


class CompiledJourney:
    """A journey whose heads are compiled functions."""

    def __init__(self, engine: CompiledEngine, route: Route, mover: Mover, values: tuple[Any, ...]) -> None:
        self.route, self.mover, self.world = route, mover, engine.world
        self._engine, self._values = engine, values

    def ask(self, form: str, word: str, *about: Any, told: Counts = ()) -> Any:
        """Decide a head."""
        head = self._engine.program.head(head_key(form, word))
        return head(self._engine.root, self.mover, *about, *self._values, *told)

    def after(self, world: World) -> CompiledJourney:
        """Go on in a situation that the move has changed."""
        engine = self._engine.alike(world)
        return CompiledJourney(engine, self.route, world.twin(self.mover), self._values)


def _values(route: Route, given: Given) -> tuple[Any, ...]:
    """List what a route is given, in its order."""
    return tuple([given[name] for name, _ in route.given])


def _alive(world: World) -> CompiledEngine | None:
    """Give the engine that a world's root knows; nothing if there is none, or nobody uses it any more."""
    try:
        found: CompiledEngine | None = world.root.engine_ and world.root.engine_.itself()
    except ReferenceError:
        return None
    return found
