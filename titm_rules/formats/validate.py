"""Validate the JSON values of situations and questions.

`Readers` makes functions of the declared fields, which are fast and need no library; what these refuse is put to
pydantic classes (`record_schemas.py`), made by the same walk through the fields, which say what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from titm_rules.formats.fields import MAX_TEXT, MOST, FieldWalk, to_parts
from titm_rules.ir.model import MISSING, EnumSpec, FieldSpec, Model, Question, RecordSpec
from titm_rules.ir.types import Type

Read = Callable[[object], Any]  # gives a plain value, or raises `Unsound`


def check_situation(model: Model, name: str, raw: object, path: str) -> dict[str, Any]:
    """Check a situation; return plain values of its own, defaults left out. Raises `InputError` with every fault."""
    return _checked(model, lambda walk: walk.record(name), raw, path)


def check_input(model: Model, question: Question, raw: object, path: str, whole: bool = True) -> dict[str, Any]:
    """Check the input of a question, with its situation if it is `whole`, as `check_situation` does."""
    return _checked(model, lambda walk: walk.question(question, whole), raw, path)


def _checked(model: Model, made: Callable[[FieldWalk[Any]], Any], raw: object, path: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = made(readers_of(model))(raw)
    except Unsound:
        from titm_rules.formats.record_schemas import schemas_of, validate

        return validate(made(schemas_of(model)), raw, path)
    return found


# ---------------------------------------------------------------------- defaults
def without_defaults(model: Model, record: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out fields that say their default, if not another field; rows that stay whole are the same objects."""
    defaults = readers_of(model).defaults
    owned = {spec.json: defaults[spec.type.name] for spec in model.records[record].fields if spec.owns}
    return {
        name: [_bared(owned[name], row) for row in value] if name in owned and isinstance(value, list) else value
        for name, value in _bared(defaults[record], data).items()
    }


def with_defaults(model: Model, record: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in the fields that are left out and have a default of their own, as `without_defaults` leaves them out."""
    defaults = readers_of(model).defaults
    owned = {spec.json: defaults[spec.type.name] for spec in model.records[record].fields if spec.owns}
    return {
        name: [{**owned[name], **row} if isinstance(row, dict) else row for row in value]
        if name in owned and isinstance(value, list) else value
        for name, value in {**defaults[record], **data}.items()
    }


def _bared(defaults: Mapping[str, Any], row: object) -> Any:
    if not isinstance(row, dict):
        return row
    told = {
        name: value for name, value in row.items()
        if not (name in defaults and value == defaults[name] and type(value) is type(defaults[name]))
    }  # fmt: skip
    return row if len(told) == len(row) else told


def _defaults_of(record: RecordSpec) -> dict[str, Any]:
    """Map the fields of a record to their defaults, as in JSON; those that follow another field are left out."""
    specs = [spec for spec in record.fields if not spec.same_as and spec.default != MISSING]
    return {spec.json: list(spec.default) if isinstance(spec.default, tuple) else spec.default for spec in specs}


# ---------------------------------------------------------------------- the fast way
class Unsound(Exception):
    """A value that does not fit."""


class Readers(FieldWalk[Read]):
    """Functions that return plain values, copied and in the order of the fields, or raise `Unsound`."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.identity, self.flag, self.whole = _identity, _flag, _whole
        self._texts = {name: enum.read for name, enum in model.enums.items()}
        self.defaults = {name: _defaults_of(spec) for name, spec in model.records.items()}
        for name in model.records:
            self.record(name)

    def record(self, name: str) -> Read:
        if name not in self._records:
            self._records[name] = lambda raw: self._records[name](raw)  # for a record that holds others of its kind
            self._records[name] = self.build_record(name)
        return self._records[name]

    def number(self, wanted: Type) -> Read:
        low, high = (wanted.low, wanted.high) if wanted.high is not None else (-MOST, MOST)
        read, measure = partial(_number, low, high), wanted.measure
        return read if measure is None else lambda raw: read(to_parts(measure, raw))

    def one_of(self, enum: EnumSpec) -> Read:
        return partial(_one_of, self._texts[enum.name])

    def items(self, item: Read, least: int, most: int) -> Read:
        return partial(_list, item, least, most)

    def mapping(self, value: Read, most: int) -> Read:
        return partial(_map, value, most)

    def optional(self, made: Read) -> Read:
        return lambda raw: None if raw is None else made(raw)

    def build(self, name: str, needed: Mapping[str, Read], specs: Sequence[FieldSpec]) -> Read:
        del name
        fields = tuple({**needed, **{spec.json: self.field(spec) for spec in specs}}.items())
        musts = (*needed, *(spec.json for spec in specs if spec.default == MISSING and not spec.same_as))

        def read(raw: object) -> dict[str, Any]:
            if type(raw) is not dict:
                raise Unsound
            found = {name: one(raw[name]) for name, one in fields if name in raw}
            if len(found) != len(raw) or not all(name in raw for name in musts):
                raise Unsound
            return found

        return read


def readers_of(model: Model) -> Readers:
    """Return the readers of a model's records; models with the same vocabulary share them."""
    return model.by_vocabulary.get(Readers, lambda: Readers(model))


def _identity(raw: object) -> str:
    if type(raw) is not str or not 0 < len(raw) <= MAX_TEXT or not (raw.isascii() or _can_be_written(raw)):
        raise Unsound
    return raw


def _can_be_written(text: str) -> bool:
    """Whether a text holds no half characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _flag(raw: object) -> bool:
    if type(raw) is not bool:
        raise Unsound
    return raw


def _whole(raw: object) -> int:
    if type(raw) is not int:
        raise Unsound
    return raw


def _number(low: int | None, high: int, raw: object) -> int:
    if type(raw) is not int or raw > high or (low is not None and raw < low):
        raise Unsound
    return raw


def _one_of(texts: Mapping[str, str], raw: object) -> str:
    if type(raw) is not str or raw not in texts:
        raise Unsound
    return texts[raw]


def _list(item: Read, least: int, most: int, raw: object) -> list[Any]:
    if type(raw) is not list or not least <= len(raw) <= most:
        raise Unsound
    return [item(one) for one in raw]


def _map(value: Read, most: int, raw: object) -> dict[str, Any]:
    if type(raw) is not dict or len(raw) > most:
        raise Unsound
    return {_identity(name): value(one) for name, one in raw.items()}
