"""The library engine: networkx searches the routes, python-constraint solves the choices.

Of the package it shares the model, the situation, the evaluation of single terms and the interface of engines with the
compiled engine, and nothing else: steps, written paths, ranked paths and results are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from titm_rules.engines.engine import (
    MAX_WAYS,
    ChoiceTest,
    Counts,
    Engine,
    OpenStep,
    Picked,
    RankedPath,
    Rolled,
    common_place,
    first_place,
    hashable,
    too_many_ways,
)
from titm_rules.engines.library.graph import Graph, Node, RouteSearch, TraceTable, build_graph
from titm_rules.engines.library.models import AllocationChoices, SelectionChoices
from titm_rules.ir.model import Allocation, Model, Roll, Route, Selection, Statement, head_key
from titm_rules.ir.terms import Term
from titm_rules.world.evaluate import PICKS, Evaluator
from titm_rules.world.records import Connection, Mover, Place, Record
from titm_rules.world.world import World

Given = Mapping[str, Any]
INTERRUPTED = "!"
MAX_STATES = 200  # of the states in which parallel connections leave a written path, the cheapest are followed


@dataclass(frozen=True)
class _PathState:
    """Where a mover is on a written path: the search in the situation there, the node, the names of all places."""

    engine: LibraryEngine
    search: RouteSearch
    node: Node
    came: tuple[str, ...]
    spent: int = 0
    interrupted: bool = False


class LibraryEngine(Engine):
    """Answers with graph searches and constraint models; the rest is evaluated clause by clause."""

    def __init__(self, model: Model, world: World) -> None:
        super().__init__(model, world)
        self.evaluator = Evaluator(model, world, self.trace, reach=self.reach, results=self.result)
        self._tables: dict[str, list[TraceTable]] = {}
        self._searches: dict[Any, RouteSearch] = {}
        self._results: dict[Any, Any] = {}

    def term(self, term: Term, env: Given) -> Any:
        return self.evaluator.term(term, env)

    def decide(self, key: str, env: Given) -> Any:
        return self.evaluator.head(self.model.heads[key], env)

    def said(self, key: str, env: Given) -> list[Statement]:
        return list(self.evaluator.alive(self.model.heads[key], env))

    def held(self, key: str, env: Given) -> Sequence[bool]:
        return [self.evaluator.holds(statement, env) for statement in self.model.heads[key].statements]

    @cached_property
    def graph(self) -> Graph:
        return build_graph(self.world)

    # ------------------------------------------------------------------ routes
    def trace(self, route: Route, mover: Mover, start: Place | None) -> int | None:
        if self.before is not None:
            return self.before.trace(route, mover, start)
        start = first_place(mover) if start is None else start
        return None if start is None else self._table(route, mover).cost(mover, start)

    def reach(self, route: Route, mover: Mover, start: Place | None, to: Place | None) -> int | None:
        if self.before is not None:
            return self.before.reach(route, mover, start, to)
        start = first_place(mover) if start is None else start
        if start is None or to is None:
            return None
        search = self.search(route, mover, {})
        if start is to:
            return 0 if search.may_end(search.begin(to)) else None
        return search.ends(start).get(to)

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
        """Return the search of a route for a mover on this map; what is given may hold counters, which it ignores."""
        given = {name: given[name] for name, _ in route.given if name in given}
        key = (route.name, hashable(mover), *((name, hashable(value)) for name, value in given.items()))
        if key not in self._searches:
            self._searches[key] = RouteSearch(self.graph, self.evaluator, route, mover, given)
        return self._searches[key]

    def ends(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> dict[Any, int]:
        start = common_place(mover) if start is None else start
        if start is None:
            return {}
        if not route.ranks:
            search = self.search(route, mover, given)
            return {} if search.is_barred else search.ends(start)
        best: dict[Any, int] = {}
        for way in self.ways(route, mover, given, start):
            if way.place is not start and not way.closed:
                best[way.place] = min(way.cost, best.get(way.place, way.cost))
        return best

    def stays(self, route: Route, mover: Mover, given: Given, start: Place) -> bool:
        search = self.search(route, mover, given)
        return not search.is_barred and search.may_end(search.begin(start))

    def counted(self, route: Route, mover: Mover, given: Given, start: Place) -> Iterable[tuple[Place, Counts]]:
        if route.ranks:
            return ((way.place, way.counts) for way in self.ways(route, mover, given, start) if not way.closed)
        return self.search(route, mover, given).counted(start)

    def result(self, what: str, name: str, roles: Given) -> Any:
        key = (what, name, *((role, hashable(value)) for role, value in roles.items()))
        if key not in self._results:
            self._results[key] = super().result(what, name, roles)
        return self._results[key]

    def closings(self, route: Route, mover: Mover, given: Given) -> list[Any]:
        start = common_place(mover)
        return [] if start is None else self.search(route, mover, given).closings(start)

    def ways(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> list[RankedPath]:
        start = common_place(mover) if start is None else start
        search = self.search(route, mover, given)
        if start is None or search.is_barred:
            return []
        best: dict[tuple[str, ...], RankedPath] = {}
        for came, node, cost, closed in _paths(search, start):
            counters = {name: count for (name, _), count in zip(route.counters, node.counts, strict=True)}
            env = {route.mover[0]: mover, **given, route.entered: node.place, **counters}
            values = [self.term(rank, env) for rank in route.ranks]
            names = (*(place.id for place in came), *([route.closing] if closed else []))
            rank = tuple((value is None, value or 0) for value in values)
            path = RankedPath(names, node.place, node.counts, cost, closed, rank)
            if names not in best or (rank, cost) < (best[names].rank, best[names].cost):
                best[names] = path
        least = min((path.rank for path in best.values()), default=())
        return [best[names] for names in sorted(best) if best[names].rank == least]

    def path(self, route: Route, mover: Mover, given: Given, steps: list[str]) -> int | None:
        if route.ranks:
            return next((way.cost for way in self.ways(route, mover, given) if list(way.names) == steps), None)
        start = common_place(mover)
        if start is None or not steps or start.id != steps[0]:
            return None
        search = self.search(route, mover, given)
        if len(steps) == 1:
            return None if search.ask("stay") else 0
        if search.is_barred:
            return None
        states = [_PathState(self, search, _on_the_way(route, given, start), (start.id,))]
        for number, step in enumerate(steps[1:], 1):
            take = _close if step == route.closing and number == len(steps) - 1 else _step
            reached = (after for at in states for after in take(given, at, step, search.points - at.spent))
            states = sorted(reached, key=lambda at: at.spent)[:MAX_STATES]
        return min((at.spent for at in states if self._may_stay(search, given, at)), default=None)

    def _may_stay(self, search: RouteSearch, given: Given, at: _PathState) -> bool:
        """Whether the path may end here; ends are judged in the situation before the move."""
        node = at.node._replace(place=self.world.twin(at.node.place))
        if len(at.came) == 1 or search.may_end(node):
            return True
        if not (at.interrupted and search.may_end(node, stranded=True)):
            return False
        route = search.route
        counters = {name: count for (name, _), count in zip(route.counters, at.node.counts, strict=True)}
        onward = at.engine.onward(route, at.search.mover, {**given, **counters}, at.node.place, at.spent)
        return next(onward, None) is None

    # ------------------------------------------------------------------ movers on their way
    def steps(self, route: Route, mover: Mover, given: Given, at: Place) -> Iterator[OpenStep]:
        for link, cost, after in self.search(route, mover, given).crossings(_on_the_way(route, given, at)):
            yield link, after.place, cost, after.stopped, after.counts

    def onward(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> Iterator[OpenStep]:
        search = self.search(route, mover, given)
        if search.is_barred:
            return
        left = search.points - spent
        for link, cost, after in search.crossings(_on_the_way(route, given, at)):
            if cost <= left and search.can_end(after, left - cost):
                yield link, after.place, cost, after.stopped, after.counts

    def may_halt(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> bool:
        search, node = self.search(route, mover, given), _on_the_way(route, given, at)
        if not self._has_left(mover, node, spent, route) or search.may_end(node):
            return True
        is_stranded = next(self.onward(route, mover, given, at, spent), None) is None
        return is_stranded and search.may_end(node, stranded=True)

    def closing_price(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> int | None:
        search, node = self.search(route, mover, given), _on_the_way(route, given, at)
        if search.is_barred or (self._has_left(mover, node, spent, route) and not search.may_end(search.closed(node))):
            return None
        return search.closing_price(node, search.points - spent)

    def _has_left(self, mover: Mover, node: Node, spent: int, route: Route) -> bool:
        """Whether a mover has left its start; one that an interruption cost something there has not."""
        if node.place is not common_place(mover) or any(node.counts):
            return True
        noted = getattr(self.world.root, route.interruption_noted) if route.interruption_noted else ()
        return spent > 0 and all(node.place not in link.ends for link in noted)

    def roll(self, roll: Roll, env: Given) -> Rolled | None:
        highest = self.evaluator.last_face(roll, env)
        if highest is None:
            return None
        factor = self.decide(head_key(roll.name, "factor"), env)
        return factor, self.evaluator.added(self.model.heads[head_key(roll.name, "adds")], env), highest

    # ------------------------------------------------------------------ choices
    def is_barred(
        self, form: Allocation, given: Given, chooser: Record, target: Record, picks: Mapping[Any, int]
    ) -> bool:
        named = {} if form.chooser is None else {form.chooser[0]: chooser}
        return self.choose_barred(form, {**given, **named, form.target[0]: target, PICKS: picks})

    def count(self, form: Allocation | Selection, given: Given) -> int:
        """Count the legal choices; those of an allocation without listing them."""
        return self._bound(form, given).choices.count()

    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[Picked]:
        bound = self._bound(form, given)
        return (bound.named(picked) for picked in bound.choices)

    def choices_where(
        self, form: Allocation | Selection, given: Given, tests: Sequence[ChoiceTest]
    ) -> Iterator[Picked]:
        """As the default; the tests of an allocation are constraints of its model."""
        if isinstance(form, Selection):
            return super().choices_where(form, given, tests)
        bound = _Allocated(self, form, given, tests)
        return (bound.named(picked) for picked in bound.choices)

    def is_legal(self, form: Allocation | Selection, given: Given, picked: tuple[Any, ...]) -> bool:
        bound = self._bound(form, given)
        numbers = bound.numbers(picked)
        return numbers is not None and numbers in bound.choices

    def _bound(self, form: Allocation | Selection, given: Given) -> _Chosen | _Allocated:
        return _Chosen(self, form, given) if isinstance(form, Selection) else _Allocated(self, form, given)

    def choose_barred(self, form: Allocation | Selection, env: Given) -> bool:
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


class _Allocated:
    """The legal allocations of choosers to targets, or of nameless counters, each of which has a rank of its own."""

    def __init__(
        self, engine: LibraryEngine, form: Allocation, given: Given, tests: Sequence[ChoiceTest] = ()
    ) -> None:
        chooser, order = form.chooser[0] if form.chooser is not None else "", form.order
        self.is_named = form.choosers is not None
        members: list[Any] = engine.term(form.choosers, given) if form.choosers is not None else []
        self.choosers = sorted(members, key=lambda one: one.index_)
        self.targets: list[Any] = engine.term(form.targets, given)
        ranks: Sequence[int] = range(given[form.counter], 0, -1) if not self.is_named else [
            engine.term(order, {**given, chooser: one}) if order else 0 for one in self.choosers
        ]  # fmt: skip

        def may_pick(who: int, target: int, picks: tuple[int, ...]) -> bool:
            named = {chooser: self.choosers[who]} if self.is_named else {}
            counts = dict(zip(self.targets, picks, strict=True))
            return not engine.choose_barred(
                form, {**given, **named, form.target[0]: self.targets[target], PICKS: counts}
            )

        places = {one: number for number, one in enumerate(self.choosers)}
        also = [
            ([places[one] for one in who] if who is not None else range(len(ranks)), self._of_numbers(holds))
            for who, holds in tests
        ]
        self.choices = AllocationChoices(ranks, len(self.targets), may_pick, also)

    def _of_numbers(self, holds: Callable[[Sequence[Any]], bool]) -> Callable[..., bool]:
        return lambda *picked: holds([self.targets[number] for number in picked])

    def named(self, picked: tuple[int, ...]) -> tuple[Any, ...]:
        targets = tuple(self.targets[number] for number in picked)
        return tuple(zip(self.choosers, targets, strict=True)) if self.is_named else targets

    def numbers(self, picked: tuple[Any, ...]) -> tuple[int, ...] | None:
        if not self.is_named:
            return _positions(self.targets, picked)
        wanted = dict(picked)
        if len(wanted) != len(picked) or set(wanted) != set(self.choosers):
            return None
        return _positions(self.targets, [wanted[who] for who in self.choosers])


def _positions(members: list[Any], picked: Any) -> tuple[int, ...] | None:
    places = {member: number for number, member in enumerate(members)}
    return tuple(places[one] for one in picked) if all(one in places for one in picked) else None


def _on_the_way(route: Route, given: Given, at: Place) -> Node:
    """Return the node of a mover on its way, whose earlier places nobody remembers."""
    return Node(0, at, counts=route.counts_in(given))


def _step(given: Given, at: _PathState, step: str, left: int) -> Iterator[_PathState]:
    search, target = at.search, step.removeprefix(INTERRUPTED)
    for link, cost, after in search.crossings(at.node):
        if after.place.id != target or cost > left or target in search.route.closed_to(at.came):
            continue
        if step == target:
            came = (*at.came, target)
            yield replace(at, node=after, came=came, spent=at.spent + cost, interrupted=False)
        elif search.can_end(after, left - cost):
            yield from _interrupt(given, at, link, after.place, left)


def _interrupt(given: Given, at: _PathState, link: Connection, entered: Place, left: int) -> Iterator[_PathState]:
    """Yield the state after the interruption of a step: the same place, in a changed situation."""
    route, search = at.search.route, at.search
    about: dict[str, Any] = {"counts": at.node.counts, "link": link, "left": at.node.place, "entered": entered}
    cost: int = search.ask("cost", route.interruption, **about)
    if cost <= left and not search.ask("try", route.interruption, **about):
        world = at.engine.world.interrupted(route, link)
        engine = at.engine.at(world)
        later = engine.search(route, world.twin(search.mover), given)
        node = at.node._replace(place=world.twin(at.node.place))
        yield replace(at, engine=engine, search=later, node=node, spent=at.spent + cost, interrupted=True)


def _close(_given: Given, at: _PathState, _step: str, left: int) -> Iterator[_PathState]:
    price = at.search.closing_price(at.node, left)
    if price is not None:
        yield replace(at, node=at.search.closed(at.node), spent=at.spent + price, interrupted=False)


def _paths(search: RouteSearch, start: Place) -> Iterator[tuple[tuple[Place, ...], Node, int, bool]]:
    """Yield every path: its places, its last node, its cost, and whether the closing action ends it."""
    route, seen = search.route, 0
    waiting: list[tuple[tuple[Place, ...], Node, int]] = [((start,), search.begin(start)._replace(came=None), 0)]
    while waiting:
        came, node, spent = waiting.pop()
        seen += 1
        if seen > MAX_WAYS:
            raise too_many_ways(route)
        if search.may_end(node):
            yield came, node, spent, False
        price = search.closing_price(node, search.points - spent) if route.closing else None
        if price is not None and search.may_end(search.closed(node)):
            yield came, search.closed(node), spent + price, True
        for _, cost, after in search.crossings(node):
            if spent + cost <= search.points and after.place not in route.closed_to(came):
                waiting.append(((*came, after.place), after, spent + cost))
