"""Pydantic records and JSON Schemas, built from the vocabulary of a rule set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, create_model

from titm_rules.diagnostics import Fault, InputError
from titm_rules.model.model import MISSING, FieldSpec, Model, Question
from titm_rules.model.types import Type

MAX_ITEMS = 2_000
MAX_TEXT = 200
Identity = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT, strict=True)]
Step = Identity
_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
_INPUT_TYPES: dict[str, Any] = {
    "path": Annotated[list[Step], Field(min_length=1, max_length=1_000)],
    "assignment": Annotated[dict[Identity, Identity], Field(max_length=200)],
    "sequence": Annotated[list[Identity], Field(max_length=99)],
}
KINDS = {
    "extra_forbidden": ("unknown-field", "no such field", "remove it"),
    "missing": ("missing-field", "a field is missing", "add it"),
    "literal_error": ("bad-value", "not one of the values", ""),
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

    def record(self, name: str) -> type[BaseModel]:
        """Build the class of a record or a situation."""
        if name not in self._made:
            spec = self.model.records[name]
            fields: dict[str, Any] = {}
            if spec.role in ("place", "piece", "connection") or any(f.name == "id" for f in spec.fields):
                fields["id"] = (Identity, ...)
            fields |= self._fields(f for f in spec.fields if f.name != "id")
            self._made[name] = create_model(_class_name(name), __config__=_STRICT, **fields)
        return self._made[name]

    def question(self, question: Question) -> type[BaseModel]:
        """Build the class of a question's input: its situation and what it takes."""
        fields: dict[str, Any] = {}
        if question.situation:
            fields[question.situation] = (self.record(question.situation), ...)
        fields |= self._fields(question.inputs)
        return create_model(_class_name(question.name), __config__=_STRICT, **fields)

    def _fields(self, specs: Any) -> dict[str, Any]:
        return {spec.json: self.field(spec) for spec in specs}

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
                return (
                    Annotated[int, Field(ge=wanted.low, le=wanted.high)]
                    if wanted.high is not None
                    else Annotated[int, Field(ge=-(10**9), le=10**9)]
                )
            case "text" | "place":
                return Identity
            case "enum":
                return Literal[self.model.enums[wanted.name].texts]
            case "record":
                return self._reference(wanted.name)
            case "set":
                return Annotated[list[self._member(wanted)], Field(max_length=wanted.high or MAX_ITEMS)]  # type: ignore[misc]
            case "pair":
                return Annotated[list[self._member(wanted)], Field(min_length=2, max_length=2)]  # type: ignore[misc]
        return _INPUT_TYPES[wanted.kind]

    def _reference(self, name: str) -> Any:
        """A record stands in full where nothing lists it by id, else as its id."""
        spec = self.model.records[name]
        by_id = spec.role in ("place", "piece", "connection") or any(f.name == "id" for f in spec.fields)
        return Identity if by_id else self.record(name)

    def _member(self, wanted: Type) -> Any:
        name = wanted.name
        if name == "place":
            return Identity
        if name == "number":
            return int
        if name in self.model.enums:
            return Literal[self.model.enums[name].texts]
        return self._reference(name)


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace("_", "-").split("-"))


_BUILDERS: dict[int, SchemaBuilder] = {}
_CLASSES: dict[tuple[int, str], type[BaseModel]] = {}


def question_class(model: Model, question: Question) -> type[BaseModel]:
    """Give the pydantic class of a question's input."""
    key = (id(model.records), question.name)
    if key not in _CLASSES:
        builder = _BUILDERS.setdefault(id(model.records), SchemaBuilder(model))
        _CLASSES[key] = builder.question(question)
    return _CLASSES[key]


def situation_class(model: Model, name: str) -> type[BaseModel]:
    """Give the pydantic class of a situation."""
    return _BUILDERS.setdefault(id(model.records), SchemaBuilder(model)).record(name)


def validate(cls: type[BaseModel], raw: object, path: str) -> dict[str, Any]:
    """Check raw JSON values; return them as plain values, defaults left out.

    Raises:
        InputError: with a fault for every place that is wrong.
    """
    try:
        return cls.model_validate(raw).model_dump(exclude_unset=True)
    except ValidationError as error:
        raise InputError([_fault(one, path) for one in error.errors(include_url=False)[:20]]) from None


def _fault(error: Any, path: str) -> Fault:
    where = path + "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error["loc"])
    kind, what, fix = KINDS.get(error["type"], ("bad-value", "", ""))
    is_whole = error["type"] in ("model_type", "dict_type")  # the rest of the message would name a class of ours
    message = f"{what}: {error['msg']}" if what and not is_whole else what or str(error["msg"])
    return Fault(message[:400], where, "", fix or "send a value of the type that the schema gives", kind=kind)


def json_schema(model: Model, question: Question) -> Mapping[str, Any]:
    """Give the JSON Schema of a question's input."""
    return question_class(model, question).model_json_schema()
