"""Values of a case as people write them: `german` for `German`, other words, `18-2` for a day and an impulse, `1/3`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from titm_rules.maps.turns import turn_numbers
from titm_rules.rules.model import Model
from titm_rules.rules.types import Type
from titm_rules.world.show import in_unit

_NUMBERS = re.compile(r"\d{1,9}(?:-\d{1,9})+", re.ASCII)
Json = dict[str, Any]
Write = Callable[[Type, Any], Any]  # gives a single value of a type as it shall be written


def spelled(model: Model, situation: str, data: Mapping[str, Any]) -> Json:
    """Give the values of a situation as the rules spell them; what is not understood stays as it is."""
    return _turn(model, situation, _row(model, situation, data, partial(_as_spelled, model)))


def row_in_units(model: Model, name: str, row: Mapping[str, Any]) -> Json:
    """Give the values of a record; its numbers of a measure are then written in their unit."""
    return _row(model, name, row, in_unit)


def _row(model: Model, name: str, row: Mapping[str, Any], write: Write) -> Json:
    """Write the values of a record, and of those in its lists; keys that are no fields keep theirs."""
    types = {spec.json: spec.type for spec in model.records[name].fields}
    return {key: _value(model, types[key], value, write) if key in types else value for key, value in row.items()}


def _value(model: Model, wanted: Type, value: object, write: Write) -> Any:
    if isinstance(value, list):
        return [_value(model, wanted, one, write) for one in value]
    if isinstance(value, dict) and wanted.kind == "number_map":
        number = Type("number", measure=wanted.measure)
        return {key: write(number, one) for key, one in value.items()}
    if isinstance(value, dict) and wanted.name in model.records:
        return _row(model, wanted.name, value, write)
    return write(wanted, value)


def _as_spelled(model: Model, wanted: Type, value: object) -> object:
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
