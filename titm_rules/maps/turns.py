"""How a notation says when it is: the fields of a situation that its summary begins with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from titm_rules.rules.model import FieldSpec, Model
from titm_rules.rules.spelling import attribute


def turn_numbers(model: Model, situation: str) -> list[FieldSpec]:
    """List the numbers with which the summary begins: `18-2` gives a day and an impulse, say."""
    fields = _summary_fields(model, situation)
    return list(takewhile(lambda spec: spec.type.kind == "number" and spec.type.measure is None, fields))


def turn_value(model: Model, situation: str, word: str) -> tuple[FieldSpec, str] | None:
    """Find the field in the summary, and its value, that a word alone names; nothing for a word of none or several."""
    specs = [spec for spec in _summary_fields(model, situation) if spec.type.kind == "enum"]
    found = [(spec, text) for spec in specs for text in model.enums[spec.type.name].meant_by(word)]
    return found[0] if len(found) == 1 else None


def turn_words(model: Model, situation: str) -> list[tuple[FieldSpec, tuple[str, ...]]]:
    """List the fields in the summary that a value alone names, each with its values: no two share one."""
    specs = [spec for spec in _summary_fields(model, situation) if spec.type.kind == "enum"]
    texts = [(spec, model.enums[spec.type.name].texts) for spec in specs]
    return [
        (spec, tuple(text for text in values if turn_value(model, situation, text) is not None))
        for spec, values in texts
    ]


def _summary_fields(model: Model, situation: str) -> Iterator[FieldSpec]:
    fields = {spec.name: spec for spec in model.records[situation].fields}
    names = (attribute(name) for name, _ in model.summaries.get(situation, ()))
    yield from (fields[name] for name in names if name in fields)
