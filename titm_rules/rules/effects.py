"""Effects: what the sentences of clauses make of a situation when an event happens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.rules.amounts import amount
from titm_rules.rules.expressions import Checker
from titm_rules.rules.model import MISSING, Effect, FieldSpec, RecordSpec
from titm_rules.rules.spelling import attribute, spoken
from titm_rules.rules.terms import Const, Field, Root, Term
from titm_rules.rules.types import TEXT, Type
from titm_rules.rules.wanted import Scope
from titm_rules.syntax.nodes import Binding, Expr, Word
from titm_rules.syntax.sentences import EffectSentence, Puts, Removes, Sets


def read_effects(sentence: EffectSentence, checker: Checker, scope: Scope) -> Iterator[Effect]:
    """Check a sentence that sets, puts or removes; yield its effects."""
    sweep = sentence.sweep
    if sweep is None:
        yield from _EffectReader(checker, scope).read(sentence)
        return
    base = checker.list_of(sweep.base, scope)
    inner = checker.inner(sweep.name.text, base, scope, sweep.name.span)
    where = checker.condition(sweep.where, inner) if sweep.where is not None else None
    for effect in _EffectReader(checker, inner).read(sentence):
        yield replace(effect, var=sweep.name.text, base=base, where=where)


@dataclass
class _EffectReader:
    """Reads what one sentence does, in the names of its event and its sweep."""

    checker: Checker
    scope: Scope

    def read(self, sentence: EffectSentence) -> Iterator[Effect]:
        """Yield the effects that are sound."""
        found: list[Effect | None]
        match sentence:
            case Sets(assignments=assignments):
                found = [self._assignment(target, value) for target, value in assignments]
            case Puts():
                found = [self._put(sentence)]
            case Removes():
                found = [self._removal(sentence)]
        yield from (effect for effect in found if effect is not None)

    # ------------------------------------------------------------------ setting
    def _assignment(self, target: Expr, value: Expr) -> Effect | None:
        found = self.checker.term(target, self.scope)
        if isinstance(found, Root):
            root = self._fields[found.field]
            sound = self._root_is_settable(root, target, value)
            return Effect("set", root.name, None, self._value(value, root)) if sound else None
        if not isinstance(found, Field):
            self._no_field(found, target)
            return None
        specs = self._specs(found)
        if not self._field_is_settable(found, specs, target):
            return None
        return Effect("set", found.field, found.base, self._value(value, specs[0]))

    def _value(self, value: Expr, spec: FieldSpec) -> Term:
        if value.op == "nothing" and spec.type.kind == "set" and not spec.type.optional:
            return Const((), spec.type)
        term = self.checker.of_type(value, self.scope, spec.type)
        low, high = spec.type.low, spec.type.high
        number = term.value if isinstance(term, Const) and isinstance(term.value, int) else None
        if number is not None and low is not None and high is not None and not low <= number <= high:
            number, low, high = (amount(spec.type.measure, one) for one in (number, low, high))
            self._fault(f"{number} is out of range", value.span, f"the number runs from {low} to {high}")
        return term

    def _root_is_settable(self, spec: FieldSpec, target: Expr, value: Expr) -> bool:
        """Whether a field of the situation may be set: not to records that it would have to hold whole."""
        if value.op == "nothing" or not (spec.owns or self._is_inline(spec.type)):
            return True
        self._fault(f"`{spoken(spec.name)}` holds its records whole", target.span,
                    "records come and go one by one", "write `puts`, `removes`, or `sets ... to nothing`")  # fmt: skip
        return False

    def _field_is_settable(self, found: Field, specs: list[FieldSpec], target: Expr) -> bool:
        base = found.base.type
        records = self._records(base)
        if base.kind == "set":
            return self._fault("only one record can be set at a time", target.span, f"this is a {base}",
                               "write `sets for each NAME in LIST, ...`")  # fmt: skip
        if len(specs) < len(records):
            return self._fault(f"not every place has `{spoken(found.field)}`", target.span,
                               "it could not be set where it is missing", "name a place of one kind")  # fmt: skip
        if found.field == "id" or found.type.kind == "pair":
            return self._fault(f"`{spoken(found.field)}` cannot be set", target.span,
                               "it says which thing this is, and that stays")  # fmt: skip
        if not records or not all(self._is_kept(record) for record in records):
            return self._fault(f"a {self.scope.situation} has no list of {base}", target.span,
                               "only records in the lists of the situation change")  # fmt: skip
        return True

    def _no_field(self, found: Term, target: Expr) -> None:
        if found.type.kind != "error":
            self._fault("only a field can be set", target.span, f"this is a {found.type} that is worked out",
                        "name a field of a record or of the situation")  # fmt: skip

    # ------------------------------------------------------------------ putting and removing
    def _put(self, sentence: Puts) -> Effect | None:
        """Read `puts RECORD in LIST with FIELD = ...`, the list or the field that takes such a record."""
        word, into = sentence.record, sentence.into
        record = self.checker.schema.records.get(word.text)
        if record is None:
            self._fault(f"unknown record `{word.text}`", word.span, "the vocabulary declares no such record",
                        did_you_mean(word.text, self.checker.schema.records))  # fmt: skip
            return None
        spec = self._fields.get(attribute(into.text))
        if spec is None or spec.type.name != record.name or not (spec.owns or self._is_inline(spec.type)):
            self._no_list(into, f"no field of this name takes a {record.name}", record.name)
            return None
        if record.is_bare:
            self._fault(f"a {record.name} cannot be put", word.span, "it has no id, only its ends", "give it a field")
            return None
        bindings = self._bindings(sentence.bindings, record)
        self._need_all(record, {name for name, _ in bindings}, word)
        return Effect("put", spec.name, record=record.name, bindings=tuple(bindings))

    def _bindings(self, bindings: tuple[Binding, ...], record: RecordSpec) -> list[tuple[str, Term]]:
        specs = {spec.name: spec for spec in record.fields}
        found: dict[str, Term] = {}
        for binding in bindings:
            word, name = binding.name, attribute(binding.name.text)
            if name in found:
                self._fault(f"`{word.text}` appears twice", word.span, "a field has one value")
            elif name in specs:
                found[name] = self._value(binding.value, specs[name])
            elif name == "id" and self._has_id(record):
                found[name] = self.checker.of_type(binding.value, self.scope, TEXT)
            else:
                self._fault(f"a {record.name} has no `{word.text}`", word.span, "only declared fields have values",
                            did_you_mean(word.text, map(spoken, specs)))  # fmt: skip
        return list(found.items())

    def _need_all(self, record: RecordSpec, given: set[str], word: Word) -> None:
        needed = [spec.name for spec in record.fields if spec.default == MISSING and not spec.same_as]
        if self._has_id(record) and "id" not in needed:
            needed.insert(0, "id")
        missing = [spoken(name) for name in needed if name not in given]
        if missing:
            self._fault(f"a {record.name} needs {', '.join(missing)}", word.span,
                        "only fields with a default may be left out", "write `with NAME = ...`")  # fmt: skip

    def _removal(self, sentence: Removes) -> Effect | None:
        word = sentence.source
        spec = self._fields.get(attribute(word.text))
        if spec is None or not spec.owns or not self._is_kept(self.checker.schema.records[spec.type.name]):
            self._no_list(word, "it is not a list of records that have ids", "")
            return None
        member = self.checker.schema.member(spec.type)
        return Effect("remove", spec.name, self.checker.of_type(sentence.member, self.scope, member))

    def _no_list(self, word: Word, why: str, record: str) -> None:
        known = [s for s in self._fields.values() if s.type.name == record or (s.owns and not record)]
        what = f"nothing can be put in `{word.text}`" if record else f"nothing can be removed from `{word.text}`"
        self._fault(what, word.span, why, did_you_mean(word.text, [spoken(spec.name) for spec in known]))

    # ------------------------------------------------------------------ small things
    @property
    def _fields(self) -> dict[str, FieldSpec]:
        situation = self.checker.schema.records.get(self.scope.situation)
        return {spec.name: spec for spec in situation.fields} if situation is not None else {}

    def _records(self, base: Type) -> list[RecordSpec]:
        """List the records that a value may be; of kinds of places, those that the situation has."""
        records = self.checker.schema.records
        if base.kind == "place":
            return [record for record in records.values() if record.role == "place" and self._is_kept(record)]
        return [records[base.name]] if base.name in records else []

    def _specs(self, found: Field) -> list[FieldSpec]:
        """Find how the records that a field is of declare it; an id is a text."""
        identity = FieldSpec("id", "id", TEXT)
        declared = [{"id": identity} | {s.name: s for s in record.fields} for record in self._records(found.base.type)]
        return [specs[found.field] for specs in declared if found.field in specs]

    def _has_id(self, record: RecordSpec) -> bool:
        return (record.role != "plain" and not record.is_bare) or any(spec.name == "id" for spec in record.fields)

    def _is_inline(self, wanted: Type) -> bool:
        """Whether a value of a type is a record that stands in no list."""
        return wanted.kind == "record" and not self._is_kept(self.checker.schema.records[wanted.name])

    def _is_kept(self, record: RecordSpec) -> bool:
        """Whether the situation holds such records in a list, by id."""
        return self._has_id(record) and any(s.owns and s.type.name == record.name for s in self._fields.values())

    def _fault(self, what: str, span: Span, why: str = "", fix: str = "") -> bool:
        self.checker.schema.faults.add(what, span, why, fix)
        return False
