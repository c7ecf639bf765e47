"""Pydantic records and JSON Schemas, built from the vocabulary of a rule set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, TypeVar, Union

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, create_model
from pydantic_core import PydanticCustomError

from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean
from titm_rules.formats.validate import MAX_ASSIGNED, MAX_ITEMS, MAX_SEQUENCE, MAX_STEPS, MAX_TEXT, MOST, to_parts
from titm_rules.ir.model import MISSING, EnumSpec, FieldSpec, Model, Question
from titm_rules.ir.types import Measure, Type

Checked = TypeVar("Checked", bound=BaseModel)
TAG = "|"  # before the name of a form that a value may have; such names are left out of a path
Identity = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT, strict=True)]
_NUMBER = Annotated[int, Field(ge=-MOST, le=MOST)]
_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
_INPUT_TYPES: dict[str, Any] = {
    "path": Annotated[list[Identity], Field(min_length=1, max_length=MAX_STEPS)],
    "assignment": Annotated[dict[Identity, Identity], Field(max_length=MAX_ASSIGNED)],
    "sequence": Annotated[list[Identity], Field(max_length=MAX_SEQUENCE)],
}
SEVERAL = "several_values"
_TOLD = {"extra_forbidden", "missing", "model_type", "dict_type", "string_unicode"}  # pydantic's words add nothing
_QUOTED = re.compile(r"'([^']*)'")
KINDS = {
    "extra_forbidden": ("unknown-field", "no such field", "remove it"),
    "missing": ("missing-field", "a field is missing", "add it"),
    SEVERAL: ("bad-value", "more than one value", "write one of them"),
    "literal_error": ("bad-value", "not one of the values", ""),
    "string_unicode": ("bad-value", "half of a character is not a text", "send whole characters"),
    "model_type": ("bad-value", "keys and values belong here", "write `KEY: VALUE`, as the schema gives it"),
    "dict_type": ("bad-value", "keys and values belong here", "write `KEY: VALUE`, as the schema gives it"),
    "too_long": ("too-large", "too many items", "send fewer"),
    "string_too_long": ("too-large", "the text is too long", "send a shorter one"),
}


class SchemaBuilder:
    """Builds pydantic classes for the records of a model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._made: dict[str, type[BaseModel]] = {}
        self._questions: dict[tuple[str, bool], tuple[Question, type[BaseModel]]] = {}

    def record(self, name: str) -> type[BaseModel]:
        """Build the class of a record or a situation."""
        if name not in self._made:
            spec = self.model.records[name]
            fields: dict[str, Any] = {}
            if spec.has_id:
                fields[_python("id")] = (Identity, Field(alias="id"))
            fields |= self._fields(f for f in spec.fields if f.name != "id")
            self._made[name] = create_model(_class_name(name), __config__=_STRICT, **fields)
        return self._made[name]

    def question(self, question: Question, whole: bool = True) -> type[BaseModel]:
        """Build the class of a question's input: its situation, if it is to be there, and what it takes."""
        key = question.name, whole
        known = self._questions.get(key)
        if known is None or known[0] is not question:  # it may be that of another edition
            fields: dict[str, Any] = {}
            if question.situation and whole:
                record = self.record(question.situation)
                fields[_python(question.situation)] = (record, Field(alias=question.situation))
            fields |= self._fields(question.inputs)
            known = self._questions[key] = question, create_model(
                _class_name(question.name), __config__=_STRICT, **fields
            )
        return known[1]

    def _fields(self, specs: Any) -> dict[str, Any]:
        found = {}
        for spec in specs:
            annotation, default = self.field(spec)
            found[_python(spec.json)] = (Annotated[annotation, Field(alias=spec.json)], default)
        return found

    def field(self, spec: FieldSpec) -> tuple[Any, Any]:
        """Give the annotation and the default of a field."""
        if spec.owns and spec.type.kind == "set":
            owned = self.model.records[spec.type.name]
            item = self._annotation(owned.fields[0].type) if owned.is_bare else self.record(owned.name)
            annotation: Any = Annotated[list[item], Field(max_length=spec.type.high or MAX_ITEMS)]  # type: ignore[valid-type]
        else:
            annotation = self._annotation(spec.type)
        if spec.type.optional:
            annotation = Union[annotation, None]  # noqa: UP007 -- built at run time
        if spec.same_as:
            return annotation, Field(default=None, description=f"default: {' of '.join(spec.same_as)}")
        if spec.default == MISSING:
            return annotation, ...
        return annotation, Field(default=spec.default)

    def _annotation(self, wanted: Type) -> Any:
        match wanted.kind:
            case "flag":
                return bool
            case "number":
                return _number(wanted)
            case "text" | "place":
                return Identity
            case "enum":
                return _one_of(self.model.enums[wanted.name])
            case "record":
                return self._reference(wanted.name)
            case "number_map":
                return Annotated[dict[Identity, _number(wanted)], Field(max_length=MAX_ITEMS)]  # type: ignore[misc]
            case "flag_map":
                return Annotated[dict[Identity, bool], Field(max_length=MAX_ITEMS)]
            case "set":
                return Annotated[list[self._member(wanted)], Field(max_length=wanted.high or MAX_ITEMS)]  # type: ignore[misc]
            case "pair":
                return Annotated[list[self._member(wanted)], Field(min_length=2, max_length=2)]  # type: ignore[misc]
        return _INPUT_TYPES[wanted.kind]

    def _reference(self, name: str) -> Any:
        """Return the type of a reference: the full record where nothing lists it by id, else the id."""
        return Identity if self.model.records[name].has_id else self.record(name)

    def _member(self, wanted: Type) -> Any:
        name = wanted.name
        if name == "place":
            return Identity
        if name == "number":
            return int
        if name in self.model.enums:
            return _one_of(self.model.enums[name])
        return self._reference(name)


def _one_of(enum: EnumSpec) -> Any:
    """Make the type of a value: its text, or another word for it, which becomes its text."""
    texts: Any = Literal.__getitem__(enum.texts)
    return Annotated[texts, BeforeValidator(partial(_text_of, enum))] if any(enum.also) else texts


def _text_of(enum: EnumSpec, raw: object) -> object:
    """Return the text of the value that another word means; any other input stays as it is."""
    if not isinstance(raw, str) or raw.casefold() in (text.casefold() for text in enum.texts):
        return raw
    meant = enum.meant_by(raw)
    if len(meant) > 1:
        raise PydanticCustomError(SEVERAL, "`{said}` may be {meant}", {"said": cut(raw), "meant": " or ".join(meant)})
    return meant[0] if meant else raw


def _number(wanted: Type) -> Any:
    """Make the type of a number; a measure also accepts a text in its unit, which is counted in parts."""
    bounded: Any = Annotated[int, Field(ge=wanted.low, le=wanted.high)] if wanted.high is not None else _NUMBER
    measure = wanted.measure
    if measure is None:
        return bounded
    told = f"in {measure.parts} parts: {measure.parts} is 1 {measure.name}; or a text such as `1/{measure.parts}`"
    counts = BeforeValidator(partial(_counted, measure), json_schema_input_type=Union[bounded, str])  # noqa: UP007
    return Annotated[bounded, counts, Field(description=told)]


def _counted(measure: Measure, raw: object) -> object:
    found = to_parts(measure, raw)
    if isinstance(found, str):
        raise PydanticCustomError("bad_amount", f"this is not a number of {measure.name} in whole 1/{measure.parts}")
    return found


def _python(json: str) -> str:
    """Spell a field as an attribute that is none of pydantic's own, whatever the rule set calls it."""
    return f"field_{json}"


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace("_", "-").split("-"))


def _builder(model: Model) -> SchemaBuilder:
    """Return the builder for the records of a model; models with the same vocabulary share it."""
    return model.by_vocabulary.get(SchemaBuilder, lambda: SchemaBuilder(model))


def question_class(model: Model, question: Question) -> type[BaseModel]:
    """Give the pydantic class of a question's input."""
    return _builder(model).question(question)


def inputs_class(model: Model, question: Question) -> type[BaseModel]:
    """Give the pydantic class of what a question takes besides its situation."""
    return _builder(model).question(question, whole=False)


def situation_class(model: Model, name: str) -> type[BaseModel]:
    """Give the pydantic class of a situation."""
    return _builder(model).record(name)


def validate(cls: type[BaseModel], raw: object, path: str) -> dict[str, Any]:
    """Check raw JSON values; return them as plain values, defaults left out.

    Raises:
        InputError: with a fault for every place that is wrong.
    """
    return validate_as(cls, raw, path).model_dump(exclude_unset=True, by_alias=True)


def validate_as(cls: type[Checked], raw: object, path: str) -> Checked:
    """Check raw JSON values; return them as a record.

    Raises:
        InputError: with a fault for every place that is wrong.
    """
    try:
        return cls.model_validate(raw)
    except ValidationError as error:
        raise InputError([_fault(one, path) for one in error.errors(include_url=False)[:20]]) from None


def _fault(error: Any, path: str) -> Fault:
    steps = [step for step in error["loc"] if not str(step).startswith(TAG)]
    where = path + "".join(f"[{step}]" if isinstance(step, int) else f".{cut(step)}" for step in steps)
    kind, what, fix = KINDS.get(error["type"], ("bad-value", "", ""))
    message = f"{what}: {error['msg']}" if what and error["type"] not in _TOLD else what or str(error["msg"])
    if error["type"] == "literal_error":
        fix = _nearest(str(error["ctx"]["expected"]), str(error["input"]))
    return Fault(message[:400], where, "", fix or "send a value of the type that the schema gives", kind=kind)


def _nearest(expected: str, given: str) -> str:
    """Suggest the value that differs in the size of letters alone; else name those that there are."""
    known = _QUOTED.findall(expected)
    same = [text for text in known if text.casefold() == given.casefold()]
    return did_you_mean(same[0], same) if same else f"write one of: {', '.join(known[:20])}"


def json_schema(model: Model, question: Question) -> Mapping[str, Any]:
    """Give the JSON Schema of a question's input."""
    return question_class(model, question).model_json_schema()
