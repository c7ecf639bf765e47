"""Legal alternatives: a part of a path, another route, declaration, order, or a second move."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from titm_rules.engines.engine import difference, line
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.relaxed_search import StepJudge, legal_route, places
from titm_rules.explain.verdict import answer_in_units
from titm_rules.ir.model import Allocation, RecordSpec, Selection
from titm_rules.ir.types import amount
from titm_rules.world.evaluate import Env
from titm_rules.world.records import Mover, Place
from titm_rules.world.world import World

MAX_ORDERS = 800
INTERRUPTED = "!"


@dataclass(frozen=True, slots=True)
class OriginalMove:
    """Where a mover may choose its way: at its start, and wherever it is interrupted; `ask` asks of it there.

    `place` is nothing if the movers stand apart, `steps` is the path up to there; `left` is nothing if all can be
    spent.
    """

    ask: StepJudge
    place: Place | None
    steps: Sequence[str]
    left: int | None = None


def other_ways(asked: BoundQuestion, outsets: Sequence[OriginalMove], steps: list[str]) -> dict[str, Any]:
    """Find what is legal instead of a path: its first part, another route, declaration, or a second move."""
    prefix = longest_prefix(asked, steps)
    outset = next(one for one in reversed(outsets) if one is outsets[0] or len(one.steps) <= len(prefix))
    route = outset.ask.route
    if route.ranks:
        best = next(iter(asked.engine.ways(*asked.route())), None)
        way = {} if best is None else {"legal_route": list(best.names), "cost": amount(route.measure, best.cost)}
        return {**_prefix(prefix), **way, **other_declaration(asked)}
    went = [step for step in steps[1:] if step != route.closing]
    # where the path was to lead; if it goes nowhere, where it was to be interrupted last
    target = next((step for step in reversed(went) if not step.startswith(INTERRUPTED)), "".join(went[-1:])[1:])
    way = _legal_way(asked, outset, target)
    return {**_prefix(prefix), **way, **other_declaration(asked), **_later(asked, steps, prefix)}


def ways_there(asked: BoundQuestion, steps: list[str]) -> dict[str, Any]:
    """Find what is legal instead of a route to a place that is out of reach."""
    prefix = longest_prefix(asked, steps)
    return {**_prefix(prefix), **other_declaration(asked), **_later(asked, steps, prefix)}


def longest_prefix(asked: BoundQuestion, steps: list[str]) -> list[str]:
    """Find the longest part of a path, from its start, that is a legal move; it may be empty."""
    parts = (steps[:length] for length in range(len(steps) - 1, 0, -1))
    return next((part for part in parts if asked.engine.path(*asked.route(), part) is not None), [])


def _prefix(prefix: list[str]) -> dict[str, Any]:
    return {"longest_prefix": prefix} if prefix else {}


def _legal_way(asked: BoundQuestion, outset: OriginalMove, target: str) -> dict[str, Any]:
    """Find the cheapest legal route to where a path was to lead; what was done up to an interruption stays."""
    ask, start = outset.ask, outset.place
    if start is None or start.id == target or ask.decide(ask.key("start"), ask.env):
        return {}
    is_plain = outset.left is None and ask.mover == asked.route()[1] and not asked.engine.asks_counts_of(ask.route)
    if is_plain and all(place.id != target for place in asked.engine.ends(*asked.route())):
        return {}  # the engine can tell, whatever the mover has counted by then
    here = ask if outset.left is None else ask.with_points(outset.left)
    found = legal_route(here, start, lambda place: place.id == target)
    if found is None:
        return {}
    names = [*outset.steps, *places(start, found)[1:]]
    cost = sum(step.cost for step in found) if outset.left is None else asked.engine.path(*asked.route(), names)
    return {} if cost is None else {"legal_route": names, "cost": amount(ask.route.measure, cost)}


def other_declaration(asked: BoundQuestion) -> dict[str, Any]:
    """Find a yes or no of the question that makes it legal when it is declared the other way."""
    for spec in asked.question.inputs:
        if spec.type.kind != "flag" or spec.type.optional:
            continue
        other = not asked.raw.get(spec.json, spec.default)
        raw = {**asked.raw, spec.json: other}
        changed = BoundQuestion(asked.model, asked.question, asked.engine, asked.world, raw, asked.path)
        answer = answer_in_units(asked.question, asked.form, changed.answer())
        if answer.get("legal", answer.get("cost") is not None):
            return {"declared": {spec.json: other, **({"cost": answer["cost"]} if "cost" in answer else {})}}
    return {}


def _later(asked: BoundQuestion, steps: list[str], prefix: list[str]) -> dict[str, Any]:
    """Find out whether the rest of a path is legal as a move of its own, from where its legal part ends."""
    route, mover, given = asked.route()
    rest = steps[len(prefix) - 1 :] if prefix else []
    if len(prefix) < 2 or prefix[-1].startswith(INTERRUPTED) or rest[-1].startswith(INTERRUPTED):
        return {}
    world = _standing(asked, mover, prefix[-1])
    engine = asked.engine.at(world)
    legal = engine.path(route, world.twin(mover), given, rest) is not None
    closing = {"closing": rest[-1]} if rest[1:] == [route.closing] else {}
    return {"later": {"now": prefix, "then": rest, **closing}} if legal else {}


def _standing(asked: BoundQuestion, mover: Mover, place: str) -> World:
    """Make the situation in which the movers stand elsewhere; what is the same as their place follows."""
    ids = {one.id for one in (mover if isinstance(mover, list) else [mover])}
    records, data = asked.model.records, dict(asked.world.data)  # the same lists make the same board

    def moved(record: RecordSpec, row: Mapping[str, Any]) -> Mapping[str, Any]:
        if row["id"] not in ids:
            return row
        following = {spec.json for spec in record.fields if spec.same_as}
        return {**{name: value for name, value in row.items() if name not in following}, "place": place}

    for spec in records[asked.world.situation].fields:
        record = records.get(spec.type.name)
        if spec.owns and record is not None and record.role == "piece" and spec.json in data:
            data[spec.json] = [moved(record, row) for row in data[spec.json]]
    return World(asked.model, asked.world.situation, data, asked.path, asked.world)


def other_choice(
    asked: BoundQuestion, form: Allocation | Selection, given: Env, picked: tuple[Any, ...]
) -> dict[str, Any]:
    """Find the legal choice that differs least; of a sequence also the same targets in another order."""
    found = asked.engine.nearest(form, given, picked)
    if found is None:
        return {}
    is_sequence = isinstance(form, Allocation) and form.chooser is None
    orders = itertools.islice(itertools.permutations(picked), MAX_ORDERS if is_sequence else 0)
    order = next((one for one in orders if asked.engine.is_legal(form, given, one)), None)
    return {
        "legal_choice": line(form, found),
        "changes": difference(form, found, picked),
        **({"order": line(form, order)} if order is not None else {}),
    }
