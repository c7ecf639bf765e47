"""The library engine: networkx searches the routes, python-constraint solves the choices."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from titm_rules.mapboard.graph import Graph, build_graph
from titm_rules.mapboard.search import RouteSearch, TraceTable
from titm_rules.model.model import Allocation, Model, Route, Selection, head_key
from titm_rules.naive.evaluate import PICKS
from titm_rules.naive.interpreter import NaiveEngine, common_place, place_of
from titm_rules.solving.models import AllocationChoices, SelectionChoices
from titm_rules.world.world import World

Given = Mapping[str, Any]


class LibraryEngine(NaiveEngine):
    """Answers with graph searches and constraint models.

    What needs no search (terms, rolls, following a path that is given) is the interpreter's.
    """

    def __init__(self, model: Model, world: World) -> None:
        super().__init__(model, world)
        self._tables: dict[str, list[TraceTable]] = {}

    @cached_property
    def graph(self) -> Graph:
        """The map."""
        return build_graph(self.world)

    @cached_property
    def _before(self) -> LibraryEngine:
        """The engine of the situation before the move."""
        return LibraryEngine(self.model, self.world.origin)

    # ------------------------------------------------------------------ routes
    def trace(self, route: Route, mover: Any, start: Any | None) -> int | None:
        """Cheapest cost from a place to a goal; nothing if there is no route.

        It is judged in the situation before the move, if a move has changed it.
        """
        if self.world.origin is not self.world:
            twin = self._before.world.twin
            return self._before.trace(route, twin(mover), None if start is None else twin(start))
        start = place_of(mover) if start is None else start
        return None if start is None else self._table(route, mover).cost(mover, start)

    def trace_way(self, route: Route, mover: Any, start: Any) -> list[Any]:
        """List the places of a cheapest trace, start and goal among them; empty if there is none."""
        return self._table(route, mover).way(mover, start)

    def _table(self, route: Route, mover: Any) -> TraceTable:
        tables = self._tables.setdefault(route.name, [])
        for table in tables:
            if mover in table:
                return table
        movers = [mover] if isinstance(mover, list) else self._pieces(mover.record)
        tables.append(TraceTable(self.graph, self.evaluator, route, movers))
        return tables[-1]

    def _pieces(self, record: str) -> list[Any]:
        fields = self.model.records[self.world.situation].fields
        return [one for f in fields if f.owns and f.type.name == record for one in getattr(self.world.root, f.name)]

    def search(self, route: Route, mover: Any, given: Given) -> RouteSearch:
        """Bind a route to a mover on this map."""
        return RouteSearch(self.graph, self.evaluator, route, mover, given)

    def ends(self, route: Route, mover: Any, given: Given) -> dict[Any, int]:
        """Map every place but the start where the route may end to its cheapest cost."""
        start = common_place(mover)
        return {} if start is None else self.search(route, mover, given).ends(start)

    def closings(self, route: Route, mover: Any, given: Given) -> list[Any]:
        """List the places, the start among them, where the closing action may be taken."""
        start = common_place(mover)
        return [] if start is None else self.search(route, mover, given).closings(start)

    # ------------------------------------------------------------------ choices
    def count(self, form: Allocation | Selection, given: Given) -> int:
        """Count the legal choices; those of an allocation without listing them."""
        return self._bound(form, given).choices.count()

    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield the legal choices."""
        bound = self._bound(form, given)
        return (bound.named(picked) for picked in bound.choices)

    def is_legal(self, form: Allocation | Selection, given: Given, picked: tuple[Any, ...]) -> bool:
        """Whether one choice is legal, without listing the others."""
        bound = self._bound(form, given)
        numbers = bound.numbers(picked)
        return numbers is not None and numbers in bound.choices

    def sample(self, form: Allocation | Selection, given: Given, rng: random.Random) -> tuple[Any, ...] | None:
        """Draw a legal choice, each as likely as any other; nothing if there is none."""
        bound = self._bound(form, given)
        picked = bound.choices.sample(rng)
        return None if picked is None else bound.named(picked)

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

        self.choices = SelectionChoices(len(self.members), may_choose)

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
        self.choosers: list[Any] = sorted(engine.term(form.choosers, given), key=lambda one: one.index)
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
