"""Results of forms inside expressions, and projections of one situation into another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from titm_rules.engines.engine import Counts, Engine, Pick, RankedPath
from titm_rules.engines.query import AnswerEvaluator
from titm_rules.engines.route_walk import common_place
from titm_rules.ir.model import Allocation, FieldSpec, Model, Route, Selection, View
from titm_rules.ir.terms import BEST, CHOICES, COST, END, ENDS, SOME, START
from titm_rules.world.evaluate import need_possible
from titm_rules.world.records import Mover, Place, Record, Value
from titm_rules.world.world import World


# ---------------------------------------------------------------------- views
def see(view: View, model: Model, engine: Engine, given: Mapping[str, Any]) -> World:
    """Work out a view and resolve it as a situation of its own."""
    shower = AnswerEvaluator(model, engine)
    return seen_as(view, model, {name: shower.answer(answer, given) for name, answer in view.answers})


def seen_as(view: View, model: Model, answers: Mapping[str, object]) -> World:
    """Resolve what a view has been worked out to be, as a situation of its own."""
    fields = {spec.json: spec for spec in model.records[view.name].fields}
    data = {name: _fitting(fields[name], answer) for name, answer in answers.items()}
    world = World(model, view.name, data, f"$.{view.name}")
    need_possible(world, view.name)
    return world


def _fitting(spec: FieldSpec, value: object) -> object:
    """Turn a map of records by id into the list that a situation keeps."""
    if spec.owns and isinstance(value, dict):
        return [{"id": name, **record} for name, record in value.items()]
    return value


def twin_of(view: View, world: World, value: Value) -> Any:
    """Find what stands in a view for a record, under the same id; other values stand for themselves."""
    if isinstance(value, list):
        return [twin_of(view, world, one) for one in value]
    if not isinstance(value, Record) or value.record_ not in view.twins:
        return value
    return world.named(view.twins[value.record_], value.id)


# ---------------------------------------------------------------------- results
Given = Mapping[str, Any]


class Finder(Protocol):
    """What is needed of an engine."""

    model: Model
    world: World

    def ends(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> Mapping[Any, int]:
        """Map every place but the start where the route may end to its cheapest cost."""

    def stays(self, route: Route, mover: Mover, given: Given, start: Place) -> bool:
        """Whether a route may end where it sets out."""

    def counted(self, route: Route, mover: Mover, given: Given, start: Place) -> Iterable[tuple[Place, Counts]]:
        """Yield the places where a route may end, each with what may be counted by then."""

    def ways(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> Sequence[RankedPath]:
        """List the best ways of a route that prefers some to others."""

    def count(self, form: Allocation | Selection, given: Given) -> int:
        """Count the legal choices."""

    def example(self, form: Allocation | Selection, given: Given, pick: Pick | None) -> tuple[Any, ...] | None:
        """Give a legal choice, with some pick in it if one is given."""

    def lowest(self, form: Selection, given: Given) -> int | None:
        """What the best choices of a selection have least of."""


def result_of(engine: Finder, what: str, name: str, roles: Given) -> Any:
    """Say what a form comes to, see `Result`."""
    form = engine.model.forms[name]
    if isinstance(form, Route):
        return _of_route(engine, form, what, roles)
    if what == BEST and isinstance(form, Selection):
        return engine.lowest(form, roles)
    assert isinstance(form, Allocation | Selection)
    if what == SOME:
        return engine.example(form, roles, pick_in(form, roles)) is not None
    return engine.count(form, roles)


def pick_in(form: Allocation | Selection, roles: Given) -> Pick | None:
    """Give the pick that choices are asked to hold; nothing if they may hold any."""
    chooser = form.chooser[0] if isinstance(form, Allocation) and form.chooser is not None else ""
    target = roles.get((form.target if isinstance(form, Allocation) else form.picked)[0])
    return None if target is None else (roles.get(chooser), target)


def pairs_in(form: Allocation | Selection, picked: tuple[Any, ...]) -> tuple[tuple[Any, Any], ...]:
    """Give a choice as pairs of who picks and what; nameless counters and members of a set are picked by nobody."""
    named = isinstance(form, Allocation) and form.chooser is not None
    return picked if named else tuple((None, one) for one in picked)


def has_pick(form: Allocation | Selection, picked: tuple[Any, ...], pick: Pick | None) -> bool:
    """Whether a choice holds a pick; every choice holds none."""
    return pick is None or any(what is pick[1] and pick[0] in (None, who) for who, what in pairs_in(form, picked))


def _of_route(engine: Finder, route: Route, what: str, roles: Given) -> Any:
    mover, given = roles[route.mover[0]], {name: roles[name] for name, _ in route.given}
    start = roles[START] if START in roles else common_place(mover)
    if mover is None or start is None:
        return {ENDS: [], CHOICES: 0}.get(what)
    if what == ENDS:
        return sorted(engine.ends(route, mover, given, start), key=lambda place: place.index_)
    if what == COST and roles[END] is start and not route.ranks:
        return 0 if engine.stays(route, mover, given, start) else None
    if what == COST:
        return engine.ends(route, mover, given, start).get(roles[END])
    names = [name for name, _ in route.counters]
    if what in names:
        found = engine.counted(route, mover, given, start)
        return min((counts[names.index(what)] for place, counts in found if place is roles[END]), default=None)
    ways = engine.ways(route, mover, given, start)
    if what == CHOICES:
        return len(ways)
    is_nothing, value = ways[0].rank[0] if ways else (True, 0)
    return None if is_nothing else value
