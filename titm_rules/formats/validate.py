"""Validate positions and inputs without importing pydantic (fast path).

What is not sound is put to pydantic (`records.py`), which says what is wrong with it. Both go by the same fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from titm_rules.ir.model import MISSING, FieldSpec, Model, Question, RecordSpec
from titm_rules.ir.types import Measure, Type, read_amount

# ---------------------------------------------------------------------- tables
EVERY = "*"  # in a map file: every field that is not named
_TABLE_ROLES = ("place", "connection")


def table_fields(model: Model, situation: str = "") -> dict[str, FieldSpec]:
    """Name the lists of a situation that a map fills: its places, and what joins them.

    Args:
        model: the rules.
        situation: which; if none is named, the first that has places.
    """
    names = [situation] if situation else [r.name for r in model.records.values() if r.role == "situation"]
    for name in names:
        specs = {f.json: f for f in model.records[name].fields if f.owns and _role(model, f) in _TABLE_ROLES}
        if any(_role(model, spec) == "place" for spec in specs.values()):
            return specs
    return {}


def _role(model: Model, spec: FieldSpec) -> str:
    return model.records[spec.type.name].role


# ---------------------------------------------------------------------- sound
MAX_ITEMS = 10_000
MAX_TEXT = 200
MAX_STEPS, MAX_ASSIGNED, MAX_SEQUENCE = 1_000, 200, 99
MOST = 10**9  # that a number may be, and its negative the least, where the rules set no bounds
_Test = Callable[[object], Any]


class _Unsound(Exception):
    """A value that does not fit."""


def sound_situation(model: Model, name: str, raw: object) -> dict[str, Any] | None:
    """Give the plain values of a situation, copied and in the order of its fields; nothing if they are not sound."""
    return _given(_tests_of(model).record(name), raw)


def sound_input(model: Model, question: Question, raw: object, whole: bool = True) -> dict[str, Any] | None:
    """Give the plain input of a question, with its situation if it is `whole`; nothing if it is not sound."""
    return _given(_tests_of(model).question(question, whole), raw)


def _given(test: _Test, raw: object) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = test(raw)
    except _Unsound:
        return None
    return found


def defaults_of(record: RecordSpec) -> dict[str, Any]:
    """Map the fields of a record to their defaults, as in JSON; those that follow another field are left out."""
    specs = [spec for spec in record.fields if not spec.same_as and spec.default != MISSING]
    return {spec.json: list(spec.default) if isinstance(spec.default, tuple) else spec.default for spec in specs}


def without_defaults(model: Model, record: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out fields that say what their default says; rows of which nothing is left out stay the same objects.

    A field whose default is another field stays.
    """
    tests = _tests_of(model)
    owned = {spec.json: tests.defaults(spec.type.name) for spec in model.records[record].fields if spec.owns}
    return {
        name: [_bared(owned[name], row) for row in value] if name in owned and isinstance(value, list) else value
        for name, value in _bared(tests.defaults(record), data).items()
    }


def _bared(defaults: Mapping[str, Any], row: object) -> Any:
    if not isinstance(row, dict):
        return row
    told = {
        name: value for name, value in row.items()
        if not (name in defaults and value == defaults[name] and type(value) is type(defaults[name]))
    }  # fmt: skip
    return row if len(told) == len(row) else told


def _tests_of(model: Model) -> _Tests:
    """Return the tests for the records of a model; models with the same vocabulary share them."""
    return model.by_vocabulary.get(_Tests, lambda: _Tests(model))


class _Tests:
    """Functions that return plain values or raise `_Unsound`, for records and for the inputs of questions."""

    def __init__(self, model: Model) -> None:
        self._records = model.records
        self._texts = {name: enum.read for name, enum in model.enums.items()}
        self._made: dict[str, _Test] = {}
        self._questions: dict[tuple[str, bool], tuple[Question, _Test]] = {}
        self._defaults = {name: defaults_of(spec) for name, spec in model.records.items()}
        for name in model.records:
            self.record(name)

    def defaults(self, name: str) -> dict[str, Any]:
        """Map the fields of a record to their defaults."""
        return self._defaults[name]

    def record(self, name: str) -> _Test:
        """Return the test of a record in full."""
        if name not in self._made:
            self._made[name] = lambda raw: self._made[name](raw)  # for a record that holds others of its kind
            spec = self._records[name]
            before: dict[str, _Test] = {"id": _identity} if spec.has_id else {}
            self._made[name] = self._object(before, [f for f in spec.fields if f.name != "id"])
        return self._made[name]

    def question(self, question: Question, whole: bool) -> _Test:
        """Return the test of the input of a question."""
        key = question.name, whole
        known = self._questions.get(key)
        if known is None or known[0] is not question:  # it may be that of another edition
            has = bool(question.situation) and whole
            before = {question.situation: self.record(question.situation)} if has else {}
            known = self._questions[key] = question, self._object(before, question.inputs)
        return known[1]

    def _object(self, before: Mapping[str, _Test], specs: Iterable[FieldSpec]) -> _Test:
        """Make the test of an object: what stands `before` its fields has to be there."""
        specs = list(specs)
        tests = tuple({**before, **{spec.json: self._field(spec) for spec in specs}}.items())
        needed = (*before, *(spec.json for spec in specs if spec.default == MISSING and not spec.same_as))

        def test(raw: object) -> dict[str, Any]:
            if type(raw) is not dict:
                raise _Unsound
            found = {name: one(raw[name]) for name, one in tests if name in raw}
            if len(found) != len(raw) or not all(name in raw for name in needed):
                raise _Unsound
            return found

        return test

    def _field(self, spec: FieldSpec) -> _Test:
        wanted = spec.type
        if spec.owns and wanted.kind == "set":
            owned = self._records[wanted.name]
            item = self._of(owned.fields[0].type) if owned.is_bare else self.record(owned.name)
            test: _Test = partial(_list, item, 0, wanted.high or MAX_ITEMS)
        else:
            test = self._of(wanted)
        return partial(_optional, test) if wanted.optional else test

    def _of(self, wanted: Type) -> _Test:
        match wanted.kind:
            case "flag":
                return _flag
            case "number":
                return _number_test(wanted)
            case "text" | "place" | "path" | "assignment" | "sequence":
                return _OF_KINDS[wanted.kind]
            case "enum":
                return partial(_one_of, self._texts[wanted.name])
            case "record":
                return self._reference(wanted.name)
            case "number_map":
                return partial(_map, _number_test(wanted), MAX_ITEMS)
            case "flag_map":
                return partial(_map, _flag, MAX_ITEMS)
            case "set":
                return partial(_list, self._member(wanted.name), 0, wanted.high or MAX_ITEMS)
            case "pair":
                return partial(_list, self._member(wanted.name), 2, 2)
        raise KeyError(wanted.kind)

    def _reference(self, name: str) -> _Test:
        return _identity if self._records[name].has_id else self.record(name)

    def _member(self, name: str) -> _Test:
        if name == "place":
            return _identity
        if name == "number":
            return _whole
        return partial(_one_of, self._texts[name]) if name in self._texts else self._reference(name)


def _identity(raw: object) -> str:
    if type(raw) is not str or not 0 < len(raw) <= MAX_TEXT or not (raw.isascii() or _can_be_written(raw)):
        raise _Unsound
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
        raise _Unsound
    return raw


def _whole(raw: object) -> int:
    if type(raw) is not int:
        raise _Unsound
    return raw


def _number(low: int | None, high: int, raw: object) -> int:
    if type(raw) is not int or raw > high or (low is not None and raw < low):
        raise _Unsound
    return raw


def _number_test(wanted: Type) -> _Test:
    low, high = (wanted.low, wanted.high) if wanted.high is not None else (-MOST, MOST)
    test = partial(_number, low, high)
    measure = wanted.measure
    return test if measure is None else lambda raw: test(to_parts(measure, raw))


def to_parts(measure: Measure, raw: object) -> object:
    """Count the parts of a number that a text gives in its unit; anything else is given back."""
    if not isinstance(raw, str) or len(raw) > MAX_TEXT:
        return raw
    found = read_amount(raw, measure)
    return raw if found is None else found


def _one_of(texts: Mapping[str, str], raw: object) -> str:
    if type(raw) is not str or raw not in texts:
        raise _Unsound
    return texts[raw]


def _optional(test: _Test, raw: object) -> Any:
    return None if raw is None else test(raw)


def _list(item: _Test, least: int, most: int, raw: object) -> list[Any]:
    if type(raw) is not list or not least <= len(raw) <= most:
        raise _Unsound
    return [item(one) for one in raw]


def _map(value: _Test, most: int, raw: object) -> dict[str, Any]:
    if type(raw) is not dict or len(raw) > most:
        raise _Unsound
    return {_identity(name): value(one) for name, one in raw.items()}


_OF_KINDS: Mapping[str, _Test] = {
    "text": _identity,
    "place": _identity,
    "path": partial(_list, _identity, 1, MAX_STEPS),
    "assignment": partial(_map, _identity, MAX_ASSIGNED),
    "sequence": partial(_list, _identity, 0, MAX_SEQUENCE),
}
