"""Pydantic records and JSON Schemas, built from the vocabulary of a rule set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, NotRequired, TypeVar, Union

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, create_model
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean
from titm_rules.formats.fields import MAX_ITEMS, MAX_TEXT, MOST, FieldWalk, to_parts
from titm_rules.ir.model import MISSING, Answer, EnumSpec, FieldSpec, Model, Question, Roll, Route
from titm_rules.ir.types import Measure, Type

Checked = TypeVar("Checked", bound=BaseModel)
TAG = "|"  # before the name of a form that a value may have; such names are left out of a path
Identity = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT, strict=True)]
STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
STRICT_LATER: ConfigDict = {**STRICT, "defer_build": True}  # of the classes in modules: at start few of them are needed
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


class Schemas(FieldWalk[Any]):
    """Pydantic classes of records and questions, and the types of their fields."""

    identity, flag, whole = Identity, bool, int

    def number(self, wanted: Type) -> Any:
        """Make the type of a number; a measure also accepts a text in its unit, which is counted in parts."""
        low, high = (wanted.low, wanted.high) if wanted.high is not None else (-MOST, MOST)
        bounded: Any = Annotated[int, Field(ge=low, le=high)]
        measure = wanted.measure
        if measure is None:
            return bounded
        told = f"in {measure.parts} parts: {measure.parts} is 1 {measure.name}; or a text such as `1/{measure.parts}`"
        counts = BeforeValidator(partial(_counted, measure), json_schema_input_type=Union[bounded, str])  # noqa: UP007
        return Annotated[bounded, counts, Field(description=told)]

    def one_of(self, enum: EnumSpec) -> Any:
        """Make the type of a value: its text, or another word for it, which becomes its text."""
        texts: Any = Literal.__getitem__(enum.texts)
        return Annotated[texts, BeforeValidator(partial(_text_of, enum))] if any(enum.also) else texts

    def items(self, item: Any, least: int, most: int) -> Any:
        return Annotated[list[item], Field(min_length=least or None, max_length=most)]

    def mapping(self, value: Any, most: int) -> Any:
        return Annotated[dict[Identity, value], Field(max_length=most)]

    def optional(self, made: Any) -> Any:
        return Union[made, None]  # noqa: UP007 -- built at run time

    def build(self, name: str, needed: Mapping[str, Any], specs: Sequence[FieldSpec]) -> type[BaseModel]:
        fields: dict[str, Any] = {_python(json): (made, Field(alias=json)) for json, made in needed.items()}
        for spec in specs:
            made, default = self.with_default(spec)
            fields[_python(spec.json)] = Annotated[made, Field(alias=spec.json)], default
        return create_model(class_name(name), __config__=STRICT, **fields)

    def with_default(self, spec: FieldSpec) -> tuple[Any, Any]:
        if spec.same_as:
            told = f"default: {' of '.join(spec.same_as)}"
            return self.field(spec), Field(default_factory=lambda: None, description=told)
        return self.field(spec), ... if spec.default == MISSING else Field(default=spec.default)


class AnswerSchemas(Schemas):
    """Types of the answers to questions; numbers have no bounds, as they are worked out."""

    identity = str

    def number(self, wanted: Type) -> Any:
        measure = wanted.measure
        return int if measure is None else Annotated[int, Field(description=f"{measure.parts} is 1 {measure.name}")]

    def answer_of(self, question: Question) -> Any:
        """Make the type of the answer to a question; it may be that the rules are silent."""
        name, form = f"{class_name(question.name)}Answer", self.model.forms.get(question.form)
        cost = self.number(Type("number", measure=form.measure if isinstance(form, Route) else None))
        listed = dict.fromkeys(question.names, NotRequired[list[str]])
        first, second = (*question.names, "", "")[:2]
        last = "lowest" if isinstance(form, Roll) and form.rises else "highest"
        made = object_type(name, {
            "ends": {first: list[str] if question.is_bare else self.mapping(cost, MAX_ITEMS)},
            "cost": {second: self.optional(cost)},
            "path": {"legal": bool} if question.is_bare else {"legal": bool, "cost": NotRequired[cost]},
            "closings": {first: list[str]},
            "choices": {"count": int, "sha256": str | None, "limit": NotRequired[int], **listed},
            "choice": {"legal": bool},
            "roll": {"factor": int | None, "drms": dict[str, int], last: int | None},
            "answers": self.parts(question.answers, name),
        }[question.ask])  # fmt: skip
        if not question.gaps:
            return made
        subjects = Literal.__getitem__(tuple(what for what, _ in question.gaps))
        return Union[made, object_type(f"{name}Undetermined", {"undetermined": subjects})]  # noqa: UP007

    def parts(self, parts: Sequence[tuple[str, Answer]], name: str) -> dict[str, Any]:
        """Make the types of the fields of an answer, or of a summary."""
        made = {json: self._answer(part, f"{name}{class_name(json)}") for json, part in parts}
        return {json: made[json] if part.when is None else NotRequired[made[json]] for json, part in parts}

    def _answer(self, answer: Answer, name: str) -> Any:
        if answer.kind == "choices":
            return list[str]
        if answer.kind == "record":
            return object_type(name, self.parts(answer.parts, name))
        if answer.parts:
            value = self._answer(answer.parts[0][1], name)
            return dict[str, value] if answer.kind == "each" else list[value]  # type: ignore[valid-type]
        if answer.base is not None:
            return list[self._member(answer.base.type.name)]  # type: ignore[misc]
        assert answer.term is not None
        wanted = answer.term.type
        return self.optional(self._of(wanted)) if wanted.optional else self._of(wanted)

    def _reference(self, name: str) -> Any:
        del name
        return self.identity


def object_type(name: str, fields: Mapping[str, Any]) -> Any:
    """Make the type of an object whose fields are known at run time."""
    make: Any = TypedDict
    return make(name, fields)


def schemas_of(model: Model) -> Schemas:
    """Return the classes of a model's records; models with the same vocabulary share them."""
    return model.by_vocabulary.get(Schemas, lambda: Schemas(model))


def _text_of(enum: EnumSpec, raw: object) -> object:
    """Return the text of the value that another word means; any other input stays as it is."""
    if not isinstance(raw, str) or raw.casefold() in (text.casefold() for text in enum.texts):
        return raw
    meant = enum.meant_by(raw)
    if len(meant) > 1:
        raise PydanticCustomError(SEVERAL, "`{said}` may be {meant}", {"said": cut(raw), "meant": " or ".join(meant)})
    return meant[0] if meant else raw


def _counted(measure: Measure, raw: object) -> object:
    found = to_parts(measure, raw)
    if isinstance(found, str):
        raise PydanticCustomError("bad_amount", f"this is not a number of {measure.name} in whole 1/{measure.parts}")
    return found


def _python(json: str) -> str:
    """Spell a field as an attribute that is none of pydantic's own, whatever the rule set calls it."""
    return f"field_{json}"


def class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace("_", "-").split("-"))


def validate(cls: type[BaseModel], raw: object, path: str) -> dict[str, Any]:
    """Check raw JSON values as `validate_as` does; return them as plain values, defaults left out."""
    return validate_as(cls, raw, path).model_dump(exclude_unset=True, by_alias=True)


def validate_as(cls: type[Checked], raw: object, path: str) -> Checked:
    """Check raw JSON values, and return them as a record; raises `InputError` with a fault for every wrong place."""
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
