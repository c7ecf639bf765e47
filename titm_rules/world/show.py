"""Values as JSON: ids for records, texts for values of enumerations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from titm_rules.rules.amounts import amount
from titm_rules.rules.model import Model
from titm_rules.rules.terms import Template, Term
from titm_rules.rules.types import Type
from titm_rules.world.records import Value


def to_json(model: Model, wanted: Type, value: Value) -> Any:
    """Write a value of a type as it stands in a situation; lists keep their order."""
    if value is None or isinstance(value, bool):
        return value
    if wanted.kind == "enum":
        assert isinstance(value, int)
        return model.enums[wanted.name].texts[value]
    if wanted.kind in ("set", "pair"):
        assert isinstance(value, list | tuple)
        inner = Type("enum", wanted.name) if wanted.name in model.enums else Type("record", wanted.name)
        return [to_json(model, inner, one) for one in value]
    return getattr(value, "id", value)


def in_unit(wanted: Type, value: Value) -> Any:
    """Give a value; a number of a measure is then written in its unit."""
    return amount(wanted.measure, value) if type(value) is int else value


def writer_of(model: Model, wanted: Type) -> Callable[[Any], Any]:
    """Give the function that writes values of a type, as `to_json` does."""
    if wanted.kind == "enum":
        texts: dict[int | None, str | None] = {None: None, **dict(enumerate(model.enums[wanted.name].texts))}
        return texts.__getitem__
    return partial(to_json, model, wanted) if wanted.kind in ("set", "pair") else _name_of


def _name_of(value: Value) -> Any:
    return getattr(value, "id", value)


def told(model: Model, template: Template, evaluate: Callable[[Term], Value]) -> str:
    """Fill the slots of the words of a refusal."""
    return "".join(
        part if isinstance(part, str) else _in_words(to_json(model, part.type, in_unit(part.type, evaluate(part))))
        for part in template
    )


def _in_words(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case list():
            return listed([str(one) for one in value]) if value else "none"
    return str(value)


def listed(names: Sequence[str]) -> str:
    """List names as one does in a sentence: `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
