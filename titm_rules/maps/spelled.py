"""Values of a case as people write them: `german` for `German`, other words, `18-2` for a day and an impulse, `1/3`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from titm_rules.maps.turns import turn_numbers
from titm_rules.rules.model import Model
from titm_rules.rules.types import Type
from titm_rules.world.show import in_unit

_NUMBERS = re.compile(r"\d{1,9}(?:-\d{1,9})+", re.ASCII)
Json = dict[str, Any]


def spelled(model: Model, situation: str, data: Mapping[str, Any]) -> Json:
    """Give the values of a situation as the rules spell them; what is not understood stays as it is."""
    return _turn(model, situation, _record(model, situation, data))


def in_units(model: Model, name: str, row: Mapping[str, Any]) -> Json:
    """Give the values of a record; its numbers of a measure are then written in their unit."""
    types = {spec.json: spec.type for spec in model.records[name].fields}
    return {key: _in_unit(model, types[key], value) if key in types else value for key, value in row.items()}


def _in_unit(model: Model, wanted: Type, value: object) -> Any:
    if isinstance(value, list):
        return [_in_unit(model, wanted, one) for one in value]
    if isinstance(value, dict):
        if wanted.kind == "number_map":
            return {key: in_unit(wanted, one) for key, one in value.items()}
        return in_units(model, wanted.name, value) if wanted.name in model.records else value
    return in_unit(wanted, value)  # type: ignore[arg-type]  # what is no number stays


def _record(model: Model, name: str, row: Mapping[str, Any]) -> Json:
    types = {spec.json: spec.type for spec in model.records[name].fields}
    return {key: _value(model, types[key], value) if key in types else value for key, value in row.items()}


def _value(model: Model, wanted: Type, value: object) -> Any:
    if isinstance(value, list):
        return [_value(model, wanted, one) for one in value]
    if isinstance(value, dict) and wanted.name in model.records:
        return _record(model, wanted.name, value)
    enum = model.enums.get(wanted.name)
    if enum is None or not isinstance(value, str) or value in enum.texts:
        return value
    meant = enum.meant_by(value)
    return meant[0] if len(meant) == 1 else value


def _turn(model: Model, situation: str, data: Json) -> Json:
    """Take `18-2` in the first field that says when it is for that field and those after it."""
    specs = turn_numbers(model, situation)
    said = data.get(specs[0].json) if specs else None
    if not isinstance(said, str) or not _NUMBERS.fullmatch(said) or said.count("-") >= len(specs):
        return data
    return data | {spec.json: int(number) for spec, number in zip(specs, said.split("-"), strict=False)}
