"""Find the fields that differing clauses read, and the worlds in which they vary."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

from titm_rules.compare.rule_pair import ModelPair, Sentence
from titm_rules.formats.file_schemas import AnyOf, Domains, Group, WorldSpec
from titm_rules.ir.dependencies import DependencyGraph, FieldOf, head_terms, part_terms, sentence_terms
from titm_rules.ir.model import MISSING, FieldSpec, Head, Lift, Model, Question, RecordSpec
from titm_rules.ir.terms import Call, Compare, Const, Field, Member, Root, Term, Var, subterms
from titm_rules.ir.types import Type

# ---------------------------------------------------------------------- reads
FieldValue = tuple[FieldOf, str | int | bool]


@dataclass(frozen=True)
class SentenceReads:
    """The fields, numbers and values that some sentences read.

    Attributes:
        fields: fields with the record, or the situation, that has them.
        numbers: the numbers that the sentences name; where a number varies, it varies about these.
        named: values that the sentences compare fields with, as in JSON.
    """

    fields: frozenset[FieldOf] = frozenset()
    numbers: frozenset[int] = frozenset()
    named: frozenset[FieldValue] = frozenset()

    def __or__(self, other: SentenceReads) -> SentenceReads:
        return SentenceReads(self.fields | other.fields, self.numbers | other.numbers, self.named | other.named)

    def besides(self, other: SentenceReads) -> SentenceReads:
        """Add what others look at; their values count for the fields of which these name none."""
        known = {field for field, _ in self.named}
        return self | replace(other, named=frozenset(one for one in other.named if one[0] not in known))


def reads_of(pair: ModelPair, clauses: Iterable[str], heads: frozenset[str]) -> SentenceReads:
    """Collect what clauses look at where they say other things of some heads in two editions.

    A condition is followed through definitions, not through forms: a trace looks at the whole board.
    What a clause takes away, or speaks in place of, counts with it; so do the values that its head is
    asked about, such as the kind behind a row of a table, and the fields that these have to match.
    """
    sides = zip(pair.models, pair.differing(clauses, heads), strict=True)
    return reduce(or_, (_ReadsCollector(model, heads).read(sentences) for model, sentences in sides))


def reads_around(
    pair: ModelPair, clause: str, heads: frozenset[str], events: Collection[str] = ()
) -> tuple[SentenceReads, SentenceReads]:
    """Collect what a clause looks at where it says other things, and that with what stands beside it.

    A bar may keep a clause from ever counting, so what everything looks at that speaks of the same matter has to
    vary too, now and then; so does what has to hold before some `events` can happen.
    """
    near, beside = reads_of(pair, [clause], heads), SentenceReads()
    for model, sentences in zip(pair.models, pair.differing([clause], heads), strict=True):
        touched = [model.heads[key] for key in sorted({head.key for head, _ in sentences})]
        reader = _ReadsCollector(model, heads)
        said = reader.read((head, sentence) for head in touched for sentence in head.sentences)
        beside |= said | reader.read_events(events)
    return near, near.besides(beside)


class _ReadsCollector:
    """Collects the reads of sentences in one model."""

    def __init__(self, model: Model, heads: frozenset[str]) -> None:
        self.model = model
        self.callers = [model.heads[key] for key in heads if key in model.heads]
        self.definitions = DependencyGraph(model.heads, {}, model.records)  # without forms: it stops at them

    def read(self, sentences: Iterable[tuple[Head, Sentence]]) -> SentenceReads:
        terms: dict[str, list[Term]] = {}
        for head, sentence in sentences:
            for one in (sentence, *_touched(head, sentence)):
                terms.setdefault(head.situation, []).extend(sentence_terms(one))
            for situation, args in self._asked_about(head.key, set()):
                terms.setdefault(situation, []).extend(args)
        bases = [self.definitions.of_terms(some, situation) for situation, some in terms.items()]
        for key in frozenset[str]().union(*(basis.heads for basis in bases)):
            terms.setdefault(self.model.heads[key].situation, []).extend(head_terms(self.model.heads[key]))
        fields = frozenset[FieldOf]().union(*(basis.fields for basis in bases))
        named = {one for situation, some in terms.items() for one in self._named(some, situation)}
        numbers = frozenset(
            part.value
            for some in terms.values()
            for part in _parts(some)
            if isinstance(part, Const) and part.type.kind == "number" and isinstance(part.value, int)
        )
        for left, right in self._matching():
            if left & fields or right & fields:
                fields |= left | right
                named |= {(field, value) for field in right for known, value in named if known in left}
        return SentenceReads(fields, numbers, frozenset(named))

    def read_events(self, names: Collection[str]) -> SentenceReads:
        events = [self.model.events[name] for name in names if name in self.model.events]
        parts = [(one.situation, term) for one in events for part in one.parts for term in part_terms(part)]
        fields = (self.definitions.of_terms([term], situation).fields for situation, term in parts)
        named = {one for situation, term in parts for one in self._named([term], situation)}
        return SentenceReads(frozenset[FieldOf]().union(*fields), frozenset(), frozenset(named))

    def _named(self, terms: Iterable[Term], situation: str) -> Iterator[FieldValue]:
        """Yield fields with the values that they are compared with; a flag is asked whether it is set."""
        for part in _parts(terms):
            match part:
                case Compare(left=left, right=right):
                    values = self._constants([right])
                case Member(left=left, choices=choices):
                    values = self._constants(choices)
                case Field(type=kind) | Root(type=kind) if kind.kind == "flag":
                    left, values = part, [True]
                case _:
                    continue
            yield from ((field, value) for field in self._field(left, situation) for value in values)

    def _constants(self, terms: Iterable[Term]) -> list[str | int | bool]:
        constants = [(one.type, one.value) for one in terms if isinstance(one, Const)]
        return [
            self.model.enums[kind.name].texts[value] if kind.kind == "enum" else value
            for kind, value in constants
            if isinstance(value, int)
        ]

    def _matching(self) -> Iterator[tuple[frozenset[FieldOf], frozenset[FieldOf]]]:
        """Yield fields that have to match, both ways, such as the side of a unit and the side that moves."""
        for head in self.callers:
            for part in _parts(head_terms(head)):
                if isinstance(part, Compare) and part.left.type.kind == "enum":
                    left, right = (self._field(side, head.situation) for side in (part.left, part.right))
                    if left and right:
                        yield from ((left, right), (right, left))

    def _field(self, term: Term, situation: str) -> frozenset[FieldOf]:
        """Give the field that a term looks at, with each record that has it; nothing for any other term."""
        if not isinstance(term, Field | Root):
            return frozenset()
        fields = self.definitions.of_terms([term], situation).fields
        return frozenset(one for one in fields if one[1] == term.field)

    def _asked_about(self, key: str, seen: set[str]) -> Iterator[tuple[str, tuple[Term, ...]]]:
        """Yield what those who ask a head give to it; what they were given themselves is followed up."""
        if key in seen:
            return
        seen.add(key)
        for caller in self.callers:
            for call in _parts(head_terms(caller)):
                if isinstance(call, Call) and call.head == key and call.args:
                    yield caller.situation, call.args
                    if any(isinstance(arg, Var) and arg.type.kind in ("enum", "number") for arg in call.args):
                        yield from self._asked_about(caller.key, seen)


def _touched(head: Head, sentence: Sentence) -> Iterator[Sentence]:
    """Yield what a sentence takes away or speaks in place of, and what takes it away."""
    targets = (sentence.target,) if isinstance(sentence, Lift) else sentence.instead
    yield from (one for one in head.statements if one.clause in targets)
    yield from (lift for lift in head.lifts if lift.target == sentence.clause or lift.clause in targets)


def _parts(terms: Iterable[Term]) -> Iterator[Term]:
    return (part for term in terms for part in subterms(term))


# ---------------------------------------------------------------------- focus
FEW = 8  # of a number with no more values all are taken, of others those about the numbers that clauses name
MANY = 40  # values of one field
PAIRED = 6  # of each number of a pair
FREE = 24  # up to so many combinations, the values of a record that clauses look at are all as plain as each other
TEXTS = ("p", "q")
FRAME = ("id", "ends")  # what a world is built of: it is as the search file says
Json = dict[str, Any]
Likely = Callable[[str, str, Any], bool]  # list (empty for the situation itself), field and value


def focused(spec: WorldSpec, model: Model, reads: SentenceReads, others: bool = False) -> WorldSpec:
    """Let vary in worlds what clauses look at; of other fields only those whose values are all as plain stay open.

    With `others`, all that varied before stays open.
    """
    return _Focus(spec, model, reads, others).world()


def derived_inputs(
    spec: WorldSpec, model: Model, question: Question, numbers: Iterable[int], takes: Domains | None = None
) -> Domains | None:
    """Give values for all that a question takes, those of `takes` first; nothing if an input cannot be listed."""
    focus = _Focus(spec, model, SentenceReads(numbers=frozenset(numbers)))
    found: Domains = {}
    for field in question.inputs:
        given = (takes or {}).get(field.json)
        if given is None and (field.same_as or field.default != MISSING):
            continue
        values = focus.values(field)
        values = values[1:] if field.type.kind == "set" else values  # a list of nothing asks nothing
        known = given.any if isinstance(given, AnyOf) else given or []
        if not (known or values):
            return None
        found[field.json] = AnyOf(any=_distinct([*known, *values])[:MANY])
    return found


def nothing_likely(_list: str, _field: str, _value: Any) -> bool:
    """Hold no value for likelier than another."""
    return False


def likely(model: Model, situation: str, reads: SentenceReads) -> Likely:
    """Tell which values of fields clauses name, so that these are drawn more often."""
    whole = model.records[situation]
    records = {field.json: model.records[field.type.name] for field in whole.fields if field.owns}

    def is_named(record: RecordSpec, name: str, value: Any) -> bool:
        field = next(one for one in record.fields if one.json == name)
        if isinstance(value, Mapping):
            return any(is_named(model.records[field.type.name], key, one) for key, one in value.items())
        return isinstance(value, str | int) and ((record.name, field.name), value) in reads.named

    return lambda name, field, value: is_named(records[name] if name else whole, field, value)


class _Focus:
    """One kind of worlds and what has to vary in it."""

    def __init__(self, spec: WorldSpec, model: Model, reads: SentenceReads, others: bool = False) -> None:
        self.spec, self.model, self.reads, self.others = spec, model, reads, others
        self.situation = model.records[spec.situation]
        self.lists = {field.json: field for field in self.situation.fields if field.owns and field.type.kind == "set"}

    def world(self) -> WorldSpec:
        rows = [group for name in self.lists for group in self._rows(name)]
        opened = {group.fixed["id"] for group in rows}
        fixed = {
            name: [row for row in value if not (isinstance(row, Mapping) and row.get("id") in opened)]
            if name in self.lists else value
            for name, value in self.spec.fixed.items()
        }  # fmt: skip
        fields = self._open(self.situation, self.spec.fields, fixed)
        kept = {name: value for name, value in fixed.items() if name not in fields}
        groups = [self._group(group) for group in self.spec.records]
        records = [*groups, *rows, *self._missing()]
        return self.spec.model_copy(update={"fixed": kept, "fields": fields, "records": records})

    def _group(self, group: Group) -> Group:
        record = self.model.records[self.lists[group.records].type.name]
        fields = self._open(record, group.fields, group.fixed)
        fixed = {name: value for name, value in group.fixed.items() if name not in fields}
        return group.model_copy(update={"fields": fields, "fixed": fixed})

    def _rows(self, name: str) -> Iterator[Group]:
        """Yield a group of one for each fixed record of a list that has something to vary."""
        record = self.model.records[self.lists[name].type.name]
        for row in self.spec.fixed.get(name, ()):
            if isinstance(row, Mapping) and (fields := self._open(record, {}, row)):
                plain = {key: value for key, value in row.items() if key not in fields}
                yield Group.model_validate(
                    {"list": name, "named": row["id"], "least": 1, "most": 1, "fixed": plain, "fields": fields}
                )

    def _missing(self) -> Iterator[Group]:
        """Yield a group of one for each list that clauses look at and that these worlds have nothing of."""
        built = {group.records for group in self.spec.records} | {
            name for name, value in self.spec.fixed.items() if value
        }
        owners = {owner for owner, _ in self.reads.fields}
        for name, field in self.lists.items():
            record = self.model.records[field.type.name]
            looked_at = record.name in owners or (self.situation.name, field.name) in self.reads.fields
            if name in built or not self._has_ids(field) or not looked_at:
                continue
            needed = [one for one in record.fields if one.default == MISSING and not one.same_as and one.json != "id"]
            plain = {one.json: values[0] for one in needed if (values := self.values(one))}
            fields = self._open(record, {}, plain)
            fixed = {key: value for key, value in plain.items() if key not in fields}
            if len(plain) == len(needed):
                yield Group.model_validate({"list": name, "named": name, "most": 1, "fixed": fixed, "fields": fields})

    def _open(self, record: RecordSpec, given: Domains, fixed: Mapping[str, Any]) -> Domains:
        """Give the fields of a record that vary: those given, and those that clauses look at."""
        looked_at = self._looked_at(record)
        opened = {field.json: self._about(field, given.get(field.json), fixed) for field in looked_at}
        opened = {name: values for name, values in opened.items() if len(values) > 1}
        free = math.prod(map(len, opened.values())) <= FREE
        found: Domains = {}
        for name, wanted in given.items():
            found[name] = wanted if self.others or isinstance(wanted, AnyOf) or name in FRAME else wanted[:1]
        for name, values in opened.items():
            found[name] = AnyOf(any=values) if free or isinstance(given.get(name), AnyOf) else values
        return found

    def _looked_at(self, record: RecordSpec) -> list[FieldSpec]:
        names = {name for owner, name in self.reads.fields if owner == record.name}
        hidden = (*(name for name, field in self.lists.items() if self._has_ids(field)), *FRAME)
        return [one for one in record.fields if one.name in names and one.json not in hidden]

    def _has_ids(self, field: FieldSpec) -> bool:
        """Whether the records of a list have ids, so that a world is built of them; others are values."""
        record = self.model.records[field.type.name]
        return not record.is_bare and any(one.name == "id" or record.role != "plain" for one in record.fields)

    def _about(self, field: FieldSpec, wanted: Sequence[Any] | AnyOf | None, fixed: Mapping[str, Any]) -> list[Any]:
        """List values of a field, the plain one first: what is given, then what the rules know."""
        given = wanted.any if isinstance(wanted, AnyOf) else wanted
        if given is None:
            plain = fixed.get(field.json, None if field.same_as else field.default)
            given = [] if plain == MISSING or field.type.kind == "set" else [plain]
        return _distinct([*given, *self.values(field)])[:MANY]

    # ------------------------------------------------------------------ values of a type
    def values(self, field: FieldSpec) -> list[Any]:
        """List values of a field that the rules can tell apart, as far as they can be listed."""
        none = [None] if field.type.optional else []
        return [*none, *self._values(field.type)]

    def _values(self, wanted: Type) -> list[Any]:
        match wanted.kind:
            case "flag":
                return [False, True]
            case "enum":
                return list(self.model.enums[wanted.name].texts)
            case "number":
                return self._numbers(wanted)
            case "text":
                return list(TEXTS)
            case "place":
                return self._ids("place")
            case "record":
                return self._records(wanted)
            case "set":
                return [[], *([one] for one in self._members(wanted))]
            case "pair" if wanted.name == "number":
                return [list(pair) for pair in itertools.product(self._own_numbers(), repeat=2)][:MANY]
        return []

    def _members(self, wanted: Type) -> list[Any]:
        record = self.model.records.get(wanted.name)
        if record is not None and record.is_bare:
            [ends] = [field.type.name for field in record.fields if field.json == "ends"]
            return [list(pair) for pair in itertools.combinations(self._ids(ends), 2)]
        if record is not None:
            return self._records(Type("record", record.name))
        if wanted.name in self.model.enums:
            return list(self.model.enums[wanted.name].texts)
        if wanted.name == "number":
            return self._about_numbers(0, 10**6)
        return self._ids(wanted.name)

    def _records(self, wanted: Type) -> list[Any]:
        """List the ids of records, or, of a record that is written in full where it is named, all its values."""
        spec = self.model.records[wanted.name]
        if spec.role != "plain" or any(field.name == "id" for field in spec.fields):
            return self._ids(wanted.name)
        parts = [[(field.json, value) for value in self.values(field)] for field in spec.fields]
        return [dict(row) for row in itertools.islice(itertools.product(*parts), MANY)]

    def _numbers(self, wanted: Type) -> list[int]:
        low, high = wanted.low or 0, wanted.high if wanted.high is not None else 10**6
        return list(range(low, high + 1)) if high - low < FEW else self._about_numbers(low, high)

    def _about_numbers(self, low: int, high: int) -> list[int]:
        about = {low, low + 1, *(n + step for n in self.reads.numbers for step in (-1, 0, 1))}
        return sorted(number for number in about if low <= number <= high)[:MANY]

    def _own_numbers(self) -> list[int]:
        """List numbers in these worlds, such as the day, then those about numbers that clauses name."""
        own = (value for value in self.spec.fixed.values() if type(value) is int)
        return list(dict.fromkeys([*own, *self._about_numbers(0, 99)]))[:PAIRED]

    def _ids(self, wanted: str) -> list[str]:
        """List the ids that records of a kind have in these worlds; `place` means all kinds of places."""
        found: list[str] = []
        for name, field in self.lists.items():
            if wanted in (field.type.name, self.model.records[field.type.name].role):
                found += [row["id"] for row in self.spec.fixed.get(name, ()) if isinstance(row, Mapping)]
                groups = [group for group in self.spec.records if group.records == name]
                found += [f"{group.named}{number}" for group in groups for number in range(1, group.most + 1)]
        return found


def _distinct(values: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(value == one and type(value) is type(one) for one in found):
            found.append(value)
    return found
