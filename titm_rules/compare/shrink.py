"""Shrinking of counterexamples to those from which nothing can be left out (1-minimal, as in delta debugging).

Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002. It is a module of its own as claims
and comparisons of editions both use it: what they find was drawn, or built of records that stand in every world.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from titm_rules.compare.rule_pair import Data, Json
from titm_rules.ir.model import MISSING, FieldSpec, Model, Question, RecordSpec

Simplest = TypeVar("Simplest")
Path = tuple[str | int, ...]  # names of fields, and numbers of members
TRIES = 400  # simpler situations that are asked about one
NAMING = ("record", "place", "set", "pair", "path", "sequence", "number_map", "flag_map")  # kinds that hold ids


def shrink(
    model: Model, question: Question, data: Data, inputs: Data, show: Callable[[Data, Data], Simplest | None]
) -> Simplest | None:
    """Leave out records, each with all that refers to it, and members of inputs, and let values be their defaults.

    Each is kept that `show` needs to give something, and all that is left after `TRIES`. Returns what it gives of the
    simplest situation and inputs, or nothing if none is simpler.
    """
    names = {field.json for field in question.inputs} - {question.situation}
    whole: Json = {**{name: inputs[name] for name in inputs if name in names}, question.situation: data}
    found, tried, before = None, 0, None
    while before != whole:
        before = whole
        for cut in list(_cuts(model, question, whole)):
            simpler = _after(model, question, whole, cut)
            if simpler == whole or tried == TRIES:
                continue
            tried += 1
            shown = show(simpler[question.situation], {name: one for name, one in simpler.items() if name in names})
            if shown is not None:
                found, whole = shown, simpler
    return found


class _Cut(NamedTuple):
    """Something to leave out, or a value in place of one, at a path at which there is something."""

    path: Path
    there: Any
    instead: Any = MISSING


def _cuts(model: Model, question: Question, whole: Data) -> Iterator[_Cut]:
    """Yield what may be left out: records, the last first, and members of inputs; then values."""
    situation = model.records.get(question.situation)
    data = whole[question.situation]
    for field in situation.fields if situation is not None else ():
        yield from _members((question.situation, field.json), data.get(field.json), 0)
    for field in question.inputs:
        yield from _members((field.json,), whole.get(field.json), 1)
    if situation is not None:
        yield from _values(model, situation, (question.situation,), data)
    yield from (cut for field in question.inputs if field.json in whole for cut in _plainer(field, (), whole))


def _members(path: Path, value: object, least: int) -> Iterator[_Cut]:
    if isinstance(value, list | dict) and len(value) > least:
        keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
        yield from (_Cut((*path, key), value[key]) for key in reversed(keys))


def _values(model: Model, spec: RecordSpec, path: Path, row: Data) -> Iterator[_Cut]:
    """Yield the values of a record that are not left out, and those of the records in it."""
    for field in (one for one in spec.fields if one.json in row and one.json != "id"):
        value, at = row[field.json], (*path, field.json)
        inner = model.records.get(field.type.name)
        if not (field.owns and isinstance(value, list) and value):
            yield from _plainer(field, path, row)
            yield from _members(at, value, 0) if len(path) > 1 and field.type.kind != "pair" else ()
        if inner is not None:
            parts = enumerate(value) if isinstance(value, list) else [(None, value)]
            for key, part in (one for one in parts if isinstance(one[1], dict)):
                yield from _values(model, inner, at if key is None else (*at, key), part)


def _plainer(field: FieldSpec, path: Path, row: Data) -> Iterator[_Cut]:
    """Yield a value by default, or, of a number that is needed, the lowest ones."""
    value, at = row[field.json], (*path, field.json)
    if field.default != MISSING or field.same_as:
        yield _Cut(at, value)
    elif type(value) is int and field.type.kind == "number":
        low = field.type.low or 0
        yield from (_Cut(at, value, one) for one in (low, low + 1) if one < value)


def _after(model: Model, question: Question, whole: Json, cut: _Cut) -> Json:
    """Give the same after a cut, without what refers to a record that is gone; the same if the cut no longer fits."""
    if _at(whole, cut.path) != cut.there:
        return whole
    after: Json = _put(whole, cut.path, cut.instead)
    is_row = len(cut.path) == 3 and isinstance(cut.there, dict) and "id" in cut.there
    situation, gone = question.situation, {cut.there["id"]} if is_row else set[str]()
    while gone:
        kept, more = _without(model, model.records[situation], after[situation], gone)
        after, gone = {**after, situation: kept}, more
    return after


def _without(model: Model, spec: RecordSpec, row: Data, gone: Collection[str]) -> tuple[Json | None, set[str]]:
    """Give a record that names none of those that are gone, nothing if it cannot do without, and which went with it."""
    kept, more = dict(row), set[str]()
    for field in (one for one in spec.fields if one.json in row and one.type.kind in NAMING):
        value, inner = row[field.json], model.records.get(field.type.name)
        match value:
            case list() if field.type.kind != "pair":
                rows = []
                for one in value:
                    part = one
                    if isinstance(one, dict) and inner is not None:
                        part, also = _without(model, inner, one, gone)
                        more |= also
                        if part is None and "id" in one:
                            more.add(one["id"])
                    elif _names(one, gone):
                        part = None
                    rows += [part] if part is not None else []
                kept[field.json] = rows
            case dict() if field.type.kind != "record":
                kept[field.json] = {name: one for name, one in value.items() if name not in gone}
            case _ if _names(value, gone):
                if field.default == MISSING:
                    return None, more
                del kept[field.json]
    return kept, more


def _names(value: object, gone: Collection[str]) -> bool:
    match value:
        case str():
            return value.removeprefix("!") in gone
        case list():
            return any(_names(one, gone) for one in value)
    return False


def _at(whole: Data, path: Sequence[str | int]) -> Any:
    value: Any = whole
    for name in path:
        if isinstance(value, list):
            value = value[name] if isinstance(name, int) and name < len(value) else MISSING
        else:
            value = value.get(name, MISSING) if isinstance(value, dict) else MISSING
    return value


def _put(value: object, path: Sequence[str | int], new: object) -> Any:
    """Give the same with something else at a path, or without what is there."""
    name, *rest = path
    assert isinstance(value, list | dict)
    whole: dict[Any, Any] = dict(enumerate(value)) if isinstance(value, list) else dict(value)
    part = _put(whole[name], rest, new) if rest else new
    whole = {key: part if key == name else one for key, one in whole.items() if key != name or part is not MISSING}
    return list(whole.values()) if isinstance(value, list) else whole
