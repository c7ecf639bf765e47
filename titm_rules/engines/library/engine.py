"""The library engine: networkx searches the routes, python-constraint solves the choices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from titm_rules.engines.engine import Counts, Pick, RankedPath, Rolled
from titm_rules.engines.form_results import has_pick, result_of
from titm_rules.engines.library.graph import Graph, RouteSearch, TraceTable, build_graph
from titm_rules.engines.library.models import AllocationChoices, SelectionChoices
from titm_rules.engines.route_walk import (
    AskedOnTheWay,
    EvaluatedJourney,
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
from titm_rules.ir.model import Allocation, Model, Roll, Route, Selection, Statement, head_key
from titm_rules.ir.terms import Term
from titm_rules.world.evaluate import PICKS, Evaluator
from titm_rules.world.records import Mover, Place, Record, Value
from titm_rules.world.world import World

Given = Mapping[str, Any]


class LibraryEngine(AskedOnTheWay):
    """Answers with graph searches and constraint models; what needs no search is evaluated clause by clause."""

    def __init__(self, model: Model, world: World) -> None:
        self.model = model
        self.world = world
        self.evaluator = Evaluator(model, world, self.trace, reach=self.reach, results=self.result)
        self._tables: dict[str, list[TraceTable]] = {}
        self._results: dict[Any, Any] = {}

    @property
    def course(self) -> None:
        """Nothing: whoever asks goes through the parts of events."""
        return None

    def term(self, term: Term, env: Given) -> Any:
        """Evaluate a term under some variables."""
        return self.evaluator.term(term, env)

    def decide(self, key: str, env: Given) -> Any:
        """Decide a head."""
        return self.evaluator.head(self.model.heads[key], env)

    def decide_about(self, key: str, *about: Value) -> Any:
        """Decide a head of what it is about, in the order of its parameters."""
        return self.decide(key, dict(zip((name for name, _ in self.model.heads[key].params), about, strict=True)))

    def said(self, key: str, env: Given) -> list[Statement]:
        """List the statements of a head that count."""
        return list(self.evaluator.alive(self.model.heads[key], env))

    def held(self, key: str, env: Given) -> Sequence[bool]:
        """Say of each statement of a head whether its condition holds."""
        return [self.evaluator.holds(one, env) for one in self.model.heads[key].statements]

    @cached_property
    def graph(self) -> Graph:
        """The map."""
        return build_graph(self.world)

    @cached_property
    def _before(self) -> LibraryEngine:
        """The engine of the situation before the move."""
        return LibraryEngine(self.model, self.world.origin)

    # ------------------------------------------------------------------ routes
    def trace(self, route: Route, mover: Mover, start: Place | None) -> int | None:
        """Cheapest cost from a place to a goal; nothing if there is no route.

        It is judged in the situation before the move, if a move has changed it.
        """
        if self.world.origin is not self.world:
            twin = self._before.world.twin
            return self._before.trace(route, twin(mover), None if start is None else twin(start))
        start = first_place(mover) if start is None else start
        return None if start is None else self._table(route, mover).cost(mover, start)

    def reach(self, route: Route, mover: Mover, start: Place | None, to: Place | None) -> int | None:
        """Cheapest cost from a place to another where the route may end; nothing if there is none."""
        if self.world.origin is not self.world:
            twin = self._before.world.twin
            return self._before.reach(route, twin(mover), twin(start) if start else None, twin(to) if to else None)
        start = first_place(mover) if start is None else start
        if start is None or to is None:
            return None
        if start is not to:
            return self.search(route, mover, {}).ends(start).get(to)
        env = {route.mover[0]: mover, route.entered: to}
        return None if self.evaluator.head(self.model.heads[head_key(route.name, "end")], env) else 0

    def _table(self, route: Route, mover: Mover) -> TraceTable:
        tables = self._tables.setdefault(route.name, [])
        for table in tables:
            if mover in table:
                return table
        movers = [mover] if isinstance(mover, list) else self._pieces(mover.record_)
        tables.append(TraceTable(self.graph, self.evaluator, route, movers))
        return tables[-1]

    def _pieces(self, record: str) -> list[Any]:
        fields = self.model.records[self.world.situation].fields
        return [one for f in fields if f.owns and f.type.name == record for one in getattr(self.world.root, f.name)]

    def search(self, route: Route, mover: Mover, given: Given) -> RouteSearch:
        """Bind a route to a mover on this map."""
        return RouteSearch(self.graph, self.evaluator, route, mover, given)

    def ends(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> dict[Any, int]:
        """Map every place but the start where the route may end to its cheapest cost."""
        start = common_place(mover) if start is None else start
        if route.ranks:
            return ends_of(self.ways(route, mover, given, start), start)
        return {} if start is None else self.search(route, mover, given).ends(start)

    def stays(self, route: Route, mover: Mover, given: Given, start: Place) -> bool:
        """Whether a route may end where it sets out."""
        steps = Steps(EvaluatedJourney(self.evaluator, route, mover, given))
        return not steps.is_barred and steps.may_end(start, steps.zeros)

    def counted(self, route: Route, mover: Mover, given: Given, start: Place) -> Iterable[tuple[Place, Counts]]:
        """Yield the places where a route may end, each with what may be counted by then."""
        if route.ranks:
            return counted_by(self.ways(route, mover, given, start))
        return self.search(route, mover, given).counted(start)

    def ways(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> Sequence[RankedPath]:
        """List the best ways of a route that prefers some to others, in the order of their names."""
        start = common_place(mover) if start is None else start
        if start is None:
            return ()
        steps = Steps(EvaluatedJourney(self.evaluator, route, mover, given))
        return WaysFrom(steps, start, partial(rank_of, self, route, mover, given)).best()

    def result(self, what: str, name: str, roles: Given) -> Any:
        """Say what the form of a name comes to; it is judged in the situation before the move."""
        if self.world.origin is not self.world:
            return ask_in_origin(self._before.result, self._before.world, self.world)(what, name, roles)
        key = (what, name, *((role, tuple(one) if isinstance(one, list) else one) for role, one in roles.items()))
        if key not in self._results:
            self._results[key] = result_of(self, what, name, roles)
        return self._results[key]

    def closings(self, route: Route, mover: Mover, given: Given) -> list[Any]:
        """List the places, the start among them, where the closing action may be taken."""
        start = common_place(mover)
        return [] if start is None else self.search(route, mover, given).closings(start)

    def path(self, route: Route, mover: Mover, given: Given, steps: list[str]) -> int | None:
        """Cost of a path as written, or nothing if it is illegal."""
        if route.ranks:
            return cost_along(self.ways(route, mover, given), steps)
        return Walker(EvaluatedJourney(self.evaluator, route, mover, given)).cost(steps)

    def _progress(self, route: Route, mover: Mover, given: Given) -> Progress:
        return Progress(Steps(EvaluatedJourney(self.evaluator, route, mover, given)), self.world)

    # ------------------------------------------------------------------ rolls
    def roll(self, roll: Roll, env: Given) -> Rolled | None:
        """Factor, what is added by name, highest die that succeeds; nothing if barred."""
        highest = self.evaluator.last_face(roll, env)
        if highest is None:
            return None
        factor = self.decide(head_key(roll.name, "factor"), env)
        return factor, self.evaluator.added(self.model.heads[head_key(roll.name, "adds")], env), highest

    # ------------------------------------------------------------------ choices
    def is_barred(
        self, form: Allocation, given: Given, chooser: Record, target: Record, picks: Mapping[Any, int]
    ) -> bool:
        """Whether a clause bars one pick, when each target was picked so often."""
        named = {} if form.chooser is None else {form.chooser[0]: chooser}
        return self.choose_barred(form, {**given, **named, form.target[0]: target, PICKS: picks})

    def count(self, form: Allocation | Selection, given: Given) -> int:
        """Count the legal choices; those of an allocation without listing them."""
        return self._bound(form, given).choices.count()

    def lowest(self, form: Selection, given: Given) -> int | None:
        """What the legal choices of a selection that prefers have least of; nothing if there are none."""
        picked = next(self.choices(form, given), None)
        if picked is None or form.rank is None:
            return None
        found: int | None = self.term(form.rank, {**given, form.picked[0]: list(picked)})
        return found

    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield the legal choices."""
        bound = self._bound(form, given)
        return (bound.named(picked) for picked in bound.choices)

    def example(self, form: Allocation | Selection, given: Given, pick: Pick | None) -> tuple[Any, ...] | None:
        """Give a legal choice, with some pick in it if one is given; nothing if there is none."""
        return next((one for one in self.choices(form, given) if has_pick(form, one, pick)), None)

    def is_legal(self, form: Allocation | Selection, given: Given, picked: tuple[Any, ...]) -> bool:
        """Whether one choice is legal, without listing the others."""
        bound = self._bound(form, given)
        numbers = bound.numbers(picked)
        return numbers is not None and numbers in bound.choices

    def _bound(self, form: Allocation | Selection, given: Given) -> _Chosen | _Sent | _Paired:
        if isinstance(form, Selection):
            return _Chosen(self, form, given)
        return _Sent(self, form, given) if form.chooser is None else _Paired(self, form, given)

    def choose_barred(self, form: Allocation | Selection, env: Given) -> bool:
        """Whether a clause bars a pick or a set."""
        barred: bool = self.evaluator.head(self.model.heads[head_key(form.name, "choose")], env)
        return barred


class _Chosen:
    """The legal sets of a selection."""

    def __init__(self, engine: LibraryEngine, form: Selection, given: Given) -> None:
        self.members: list[Any] = engine.term(form.members, given)

        def may_choose(chosen: tuple[int, ...]) -> bool:
            return not engine.choose_barred(form, {**given, form.picked[0]: list(self.named(chosen))})

        def rank(chosen: tuple[int, ...]) -> int:
            env = {**given, form.picked[0]: list(self.named(chosen))}
            return engine.term(form.rank, env) if form.rank is not None else 0

        self.choices = SelectionChoices(len(self.members), may_choose, rank)

    def named(self, chosen: tuple[int, ...]) -> tuple[Any, ...]:
        return tuple(self.members[number] for number in chosen)

    def numbers(self, picked: tuple[Any, ...]) -> tuple[int, ...] | None:
        return _positions(self.members, picked)


class _Sent:
    """The legal sequences of targets for nameless counters: each counter has a rank of its own."""

    def __init__(self, engine: LibraryEngine, form: Allocation, given: Given) -> None:
        self.targets: list[Any] = engine.term(form.targets, given)

        def may_pick(_: int, target: int, picks: tuple[int, ...]) -> bool:
            counts = dict(zip(self.targets, picks, strict=True))
            return not engine.choose_barred(form, {**given, form.target[0]: self.targets[target], PICKS: counts})

        self.choices = AllocationChoices(range(given[form.counter], 0, -1), len(self.targets), may_pick)

    def named(self, picked: tuple[int, ...]) -> tuple[Any, ...]:
        return tuple(self.targets[number] for number in picked)

    def numbers(self, picked: tuple[Any, ...]) -> tuple[int, ...] | None:
        return _positions(self.targets, picked)


class _Paired:
    """The legal allocations of choosers to targets."""

    def __init__(self, engine: LibraryEngine, form: Allocation, given: Given) -> None:
        assert form.chooser is not None
        assert form.choosers is not None
        chooser, order = form.chooser[0], form.order
        self.choosers: list[Any] = sorted(engine.term(form.choosers, given), key=lambda one: one.index_)
        self.targets: list[Any] = engine.term(form.targets, given)
        ranks = [engine.term(order, {**given, chooser: one}) if order else 0 for one in self.choosers]

        def may_pick(who: int, target: int, picks: tuple[int, ...]) -> bool:
            env = {**given, chooser: self.choosers[who], form.target[0]: self.targets[target]}
            return not engine.choose_barred(form, {**env, PICKS: dict(zip(self.targets, picks, strict=True))})

        self.choices = AllocationChoices(ranks, len(self.targets), may_pick)

    def named(self, picked: tuple[int, ...]) -> tuple[Any, ...]:
        return tuple((who, self.targets[number]) for who, number in zip(self.choosers, picked, strict=True))

    def numbers(self, picked: tuple[Any, ...]) -> tuple[int, ...] | None:
        wanted = dict(picked)
        if len(wanted) != len(picked) or set(wanted) != set(self.choosers):
            return None
        return _positions(self.targets, [wanted[who] for who in self.choosers])


def _positions(members: list[Any], picked: Any) -> tuple[int, ...] | None:
    """Number what is picked; nothing if something is no member."""
    places = {member: number for number, member in enumerate(members)}
    return tuple(places[one] for one in picked) if all(one in places for one in picked) else None
