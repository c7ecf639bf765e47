"""One situation seen in another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from titm_rules.engines.engine import Engine
from titm_rules.engines.shower import Shower
from titm_rules.rules.model import FieldSpec, Model, View
from titm_rules.world.always import need_possible
from titm_rules.world.records import Record, Value
from titm_rules.world.world import World


def see(view: View, model: Model, engine: Engine, given: Mapping[str, Any]) -> World:
    """Work out a view and resolve it as a situation of its own."""
    shower = Shower(model, engine)
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
