"""The fields that a rule set declares: what a map fills of them, and a walk that makes something of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from titm_rules.ir.model import EnumSpec, FieldSpec, Model, Question
from titm_rules.ir.types import Measure, Type, read_amount

MAX_ITEMS = 10_000
MAX_TEXT = 200
MAX_STEPS, MAX_ASSIGNED, MAX_SEQUENCE = 1_000, 200, 99
MOST = 10**9  # that a number may be, and its negative the least, where the rules set no bounds
EVERY = "*"  # in a map file: every field that is not named
Made = TypeVar("Made")


def table_fields(model: Model, situation: str = "") -> dict[str, FieldSpec]:
    """Name the lists that a map fills in a situation (default: the first with places): places, and what joins them."""
    names = [situation] if situation else [r.name for r in model.records.values() if r.role == "situation"]
    for name in names:
        roles = {f.json: (f, model.records[f.type.name].role) for f in model.records[name].fields if f.owns}
        if any(role == "place" for _, role in roles.values()):
            return {json: spec for json, (spec, role) in roles.items() if role in ("place", "connection")}
    return {}


def to_parts(measure: Measure, raw: object) -> object:
    """Count the parts of a number that a text gives in its unit; anything else is given back."""
    if not isinstance(raw, str) or len(raw) > MAX_TEXT:
        return raw
    found = read_amount(raw, measure)
    return raw if found is None else found


class FieldWalk(Generic[Made]):
    """Makes something of every record and question; subclasses say what is made of each kind of value."""

    identity: Made  # made of an id or a text
    flag: Made
    whole: Made  # made of a number without bounds

    def __init__(self, model: Model) -> None:
        self.model = model
        self._records: dict[str, Made] = {}
        self._questions: dict[tuple[str, bool], tuple[Question, Made]] = {}

    def number(self, wanted: Type) -> Made:
        raise NotImplementedError

    def one_of(self, enum: EnumSpec) -> Made:
        raise NotImplementedError

    def items(self, item: Made, least: int, most: int) -> Made:
        raise NotImplementedError

    def mapping(self, value: Made, most: int) -> Made:
        raise NotImplementedError

    def optional(self, made: Made) -> Made:
        raise NotImplementedError

    def build(self, name: str, needed: Mapping[str, Made], specs: Sequence[FieldSpec]) -> Made:
        """Make something of an object with fields; those that are `needed` come before them."""
        raise NotImplementedError

    def record(self, name: str) -> Made:
        if name not in self._records:
            self._records[name] = self.build_record(name)
        return self._records[name]

    def build_record(self, name: str) -> Made:
        spec = self.model.records[name]
        needed = {"id": self.identity} if spec.has_id else {}
        return self.build(name, needed, [field for field in spec.fields if field.name != "id"])

    def question(self, question: Question, whole: bool = True) -> Made:
        """Give what is made of the input of a question, with its situation if it is `whole`."""
        key = question.name, whole
        known = self._questions.get(key)
        if known is None or known[0] is not question:  # it may be that of another edition
            has = bool(question.situation) and whole
            needed = {question.situation: self.record(question.situation)} if has else {}
            known = self._questions[key] = question, self.build(question.name, needed, question.inputs)
        return known[1]

    def field(self, spec: FieldSpec) -> Made:
        wanted = spec.type
        if spec.owns and wanted.kind == "set":
            owned = self.model.records[wanted.name]
            item = self._of(owned.fields[0].type) if owned.is_bare else self.record(owned.name)
            made = self.items(item, 0, wanted.high or MAX_ITEMS)
        else:
            made = self._of(wanted)
        return self.optional(made) if wanted.optional else made

    def _of(self, wanted: Type) -> Made:
        match wanted.kind:
            case "flag":
                return self.flag
            case "number":
                return self.number(wanted)
            case "text" | "place":
                return self.identity
            case "enum":
                return self.one_of(self.model.enums[wanted.name])
            case "record":
                return self._reference(wanted.name)
            case "number_map":
                return self.mapping(self.number(wanted), MAX_ITEMS)
            case "flag_map":
                return self.mapping(self.flag, MAX_ITEMS)
            case "set":
                return self.items(self._member(wanted.name), 0, wanted.high or MAX_ITEMS)
            case "pair":
                return self.items(self._member(wanted.name), 2, 2)
            case "path":
                return self.items(self.identity, 1, MAX_STEPS)
            case "sequence":
                return self.items(self.identity, 0, MAX_SEQUENCE)
            case "assignment":
                return self.mapping(self.identity, MAX_ASSIGNED)
        raise KeyError(wanted.kind)

    def _member(self, name: str) -> Made:
        if name == "place":
            return self.identity
        if name == "number":
            return self.whole
        return self.one_of(self.model.enums[name]) if name in self.model.enums else self._reference(name)

    def _reference(self, name: str) -> Made:
        """Give what is made of a reference: the full record where nothing lists it by id, else the id."""
        return self.identity if self.model.records[name].has_id else self.record(name)
