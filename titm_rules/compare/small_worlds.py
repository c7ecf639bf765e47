"""Small-scope enumeration and random sampling of worlds, with shrinking, and what has to vary in them.

The size of a world is the number of its records that a search file lets vary, and one more for
each value that is not the plain one. All worlds of a size come before those of the next. What clauses that differ
read has to vary; the rest stays as it is.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import or_
from typing import Any, ClassVar, TypeVar

from titm_rules.compare.rule_pair import HeadSentence, Json, ModelPair
from titm_rules.formats.file_schemas import AnyOf, Domains, Group, WorldSpec
from titm_rules.ir import model as ir
from titm_rules.ir.dependencies import (
    ENDS,
    PLACE,
    DependencyGraph,
    FieldOf,
    dependencies_of,
    head_terms,
    question_terms,
)
from titm_rules.ir.terms import Call, Compare, Const, Field, Member, Root, Term, Var, subterms, terms_in
from titm_rules.ir.types import Type

# ---------------------------------------------------------------------- reads
FieldValue = tuple[FieldOf, str | int | bool]


@dataclass(frozen=True)
class SentenceReads:
    """What some sentences read."""

    fields: frozenset[FieldOf] = frozenset()  # with the record, or the situation, that has them
    numbers: frozenset[int] = frozenset()  # that the sentences name; where a number varies, it varies about these
    named: frozenset[FieldValue] = frozenset()  # values that fields are compared with, as in JSON

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

    def __init__(self, model: ir.Model, heads: frozenset[str]) -> None:
        self.model = model
        # In order: values go from field to field as far as this order takes them, the same in every process.
        self.callers = [model.heads[key] for key in sorted(heads & model.heads.keys())]
        self.definitions = DependencyGraph(model.heads, {}, model.records)  # without forms: it stops at them

    def read(self, sentences: Iterable[tuple[ir.Head, HeadSentence]]) -> SentenceReads:
        terms: dict[str, list[Term]] = {}
        for head, sentence in sentences:
            for one in (sentence, *_touched(head, sentence)):
                terms.setdefault(head.situation, []).extend(terms_in(one))
            for situation, args in self._asked_about(head.key, set()):
                terms.setdefault(situation, []).extend(args)
        bases = [self.definitions.of_terms(some, situation) for situation, some in terms.items()]
        for key in frozenset[str]().union(*(basis.heads for basis in bases)):
            terms.setdefault(self.model.heads[key].situation, []).extend(head_terms(self.model.heads[key]))
        fields = frozenset[FieldOf]().union(*(basis.fields for basis in bases))
        named = {one for situation, some in terms.items() for one in self._named(some, situation)}
        numbers = frozenset(number for some in terms.values() for number in _numbers(some))
        for left, right in self._matching():
            if left & fields or right & fields:
                fields |= left | right
                named |= {(field, value) for field in right for known, value in named if known in left}
        return SentenceReads(fields, numbers, frozenset(named))

    def read_all(self, question: ir.Question) -> SentenceReads:
        graph = dependencies_of(self.model)
        terms = [(question.situation, list(question_terms(question)))]
        terms += [(head.situation, list(head_terms(head))) for head in self.callers]
        return SentenceReads(
            graph.of_question(question).fields,
            frozenset(number for _, some in terms for number in _numbers(some)),
            frozenset(one for situation, some in terms for one in self._named(some, situation)),
        )

    def read_events(self, names: Collection[str]) -> SentenceReads:
        events = [self.model.events[name] for name in names if name in self.model.events]
        parts = [(one.situation, term) for one in events for part in one.parts for term in terms_in(part)]
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


def _touched(head: ir.Head, sentence: HeadSentence) -> Iterator[HeadSentence]:
    """Yield what a sentence takes away or speaks in place of, and what takes it away."""
    targets = (sentence.target,) if isinstance(sentence, ir.Lift) else sentence.instead
    yield from (one for one in head.statements if one.clause in targets)
    yield from (lift for lift in head.lifts if lift.target == sentence.clause or lift.clause in targets)


def constants_of(model: ir.Model, clause: str) -> Iterator[Const]:
    """Yield the constants that the sentences of a clause name."""
    own = (one for head in model.heads.values() for one in head.sentences if one.clause == clause)
    yield from (part for one in own for part in _parts(terms_in(one)) if isinstance(part, Const))


def _parts(terms: Iterable[Term]) -> Iterator[Term]:
    return (part for term in terms for part in subterms(term))


def _numbers(terms: Iterable[Term]) -> Iterator[int]:
    for part in _parts(terms):
        if isinstance(part, Const) and part.type.kind == "number" and isinstance(part.value, int):
            yield part.value


# ---------------------------------------------------------------------- focus
FEW = 8  # of a number with no more values all are taken, of others those about the numbers that clauses name
MANY = 40  # values of one field
MOST_VALUES = 100  # of what a question takes
PAIRED = 6  # of each number of a pair
PATHS = 80
DRAWN = 120  # values of a record with several fields, besides the plain one and those like it but for one field
FREE = 24  # up to so many combinations, the values of a record that clauses look at are all as plain as each other
TEXTS = ("p", "q")
FRAME = ("id", ENDS)  # what a world is built of: it is as the search file says
# Whether clauses name a value: by the list of its record (empty for the situation itself), the field, and the value.
Likely = Callable[[str, str, Any], bool]


def focused(spec: WorldSpec, model: ir.Model, reads: SentenceReads, others: bool = False) -> WorldSpec:
    """Let vary what clauses look at, and all `others`; other fields stay open only if all values are as plain."""
    return _Focus(spec, model, reads, others).world()


def derived_inputs(
    spec: WorldSpec, model: ir.Model, question: ir.Question, reads: SentenceReads, takes: Domains | None = None
) -> Domains | None:
    """Give values for all that a question takes, those of `takes` first; nothing if an input cannot be listed."""
    focus = _Focus(spec, model, reads)
    found: Domains = {}
    for field in question.inputs:
        given = (takes or {}).get(field.json)
        if given is None and field.same_as:
            continue
        known = given.any if isinstance(given, AnyOf) else given or []
        values = _distinct([*known, *focus.input_values(field, model.forms.get(question.form))])[:MOST_VALUES]
        if not values:
            return None
        found[field.json] = AnyOf(any=values)
    return found


def values_in(
    model: ir.Model, situation: str, data: Mapping[str, Any], reads: SentenceReads, field: ir.FieldSpec,
    form: ir.Form | None = None,
) -> list[Any]:  # fmt: skip
    """List values that a field may have in a situation, or that an input of a question about a form may have."""
    spec = WorldSpec.model_construct(says="", situation=situation, fixed=data, fields={}, records=[])
    focus = _Focus(spec, model, reads)
    return focus.whole_values(field) if form is None else focus.input_values(field, form)


def inputs_in(
    model: ir.Model, question: ir.Question, data: Mapping[str, Any], reads: SentenceReads, most: int
) -> Iterator[Json]:
    """Yield what a question may be asked about a situation, at most so many evenly of all."""
    form, fields = model.forms.get(question.form), [one for one in question.inputs if not one.same_as]
    values = [values_in(model, question.situation, data, reads, one, form) for one in fields]
    rows = math.prod(map(len, values))
    for row in itertools.islice(itertools.product(*values), 0, None, max(1, -(-rows // most))):
        yield {one.json: value for one, value in zip(fields, row, strict=True)}


def likely(model: ir.Model, situation: str, reads: SentenceReads) -> Likely:
    """Tell which values of fields clauses name, so that these are drawn more often."""
    whole = _situation(model, situation)
    records = {field.json: model.records[field.type.name] for field in whole.fields if field.owns}

    def is_named(record: ir.RecordSpec, name: str, value: Any) -> bool:
        field = next(one for one in record.fields if one.json == name)
        if isinstance(value, Mapping):
            return any(is_named(model.records[field.type.name], key, one) for key, one in value.items())
        return isinstance(value, str | int) and ((record.name, field.name), value) in reads.named

    return lambda name, field, value: is_named(records[name] if name else whole, field, value)


PLACES, JOINED, PIECES, ROWS = 5, 5, 2, 3  # places; connections; pieces of each side; other records of a list
BUILT = ("place", "connection", "piece", "plain")  # records may name those before them


def declared(
    model: ir.Model, situation: str, reads: SentenceReads = SentenceReads(), gaps: Iterable[Term] = ()
) -> WorldSpec:
    """Make worlds of a situation from the declarations alone.

    They have a few places, ways between them, and pieces of each side: of each value of the first enumeration that a
    piece needs. What a record needs takes any value. What the `gaps` look at, in which a question has no answer, is
    there if in doubt.
    """
    whole = _situation(model, situation)
    says = f"Some of all that a {whole.name} may hold."
    spec = WorldSpec.model_construct(says=says, situation=whole.name, fixed={}, fields={}, records=[])
    lists = [field for field in whole.fields if field.owns and _has_ids(model.records[field.type.name])]
    kinds = sum(model.records[field.type.name].role == "place" for field in lists)
    for field in sorted(lists, key=lambda one: BUILT.index(model.records[one.type.name].role)):
        record, focus = model.records[field.type.name], _Focus(spec, model, reads)
        needed = {one.json: focus.values(one) for one in record.fields if _is_needed(one)}
        if not all(needed.values()):
            spec = spec.model_copy(update={"fixed": {**spec.fixed, field.json: []}})
        elif record.role == "place":
            rows = [
                {"id": f"{record.name}{n + 1}", **{name: some[n % len(some)] for name, some in needed.items()}}
                for n in range(max(2, PLACES // kinds))
            ]
            spec = spec.model_copy(update={"fixed": {**spec.fixed, field.json: rows}})
        elif record.role != "plain" or field.default == ir.MISSING:
            groups = _groups(model, whole.name, field, needed)
            spec = spec.model_copy(update={"records": [*spec.records, *groups]})
    focus, known = _Focus(spec, model, reads), {one.json for one in lists}
    fields = {
        one.json: AnyOf(any=values) for one in whole.fields
        if _is_needed(one) and one.json not in known and (values := focus.values(one))
    }  # fmt: skip
    open_to = dependencies_of(model).of_terms(gaps, whole.name).fields
    return _answerable(spec.model_copy(update={"fields": fields}), model, reads, open_to)


class DeclaredWorlds:
    """The worlds of one question that are made from the declarations alone."""

    def __init__(self, pair: ModelPair, question: ir.Question) -> None:
        self.model, self.question = pair.second, question
        sides = ((model, model.questions.get(question.name)) for model in pair.models)
        heads = pair.heads_of(question)
        self.reads = reduce(or_, (_ReadsCollector(model, heads).read_all(asked) for model, asked in sides if asked))
        self.base = declared(self.model, question.situation, self.reads, [when for _, when in question.gaps])
        self.sides = _sides(self.model)

    def worlds(self, reads: SentenceReads, others: bool = False) -> Worlds | None:
        """Let vary what clauses look at, and if asked what `others` do: all that the answer depends on.

        Return nothing if a question takes something that no such world has.
        """
        fields = (reads | self.reads if others else reads).fields - self.sides
        spec = focused(self.base, self.model, replace(reads, fields=fields), others)
        takes = derived_inputs(spec, self.model, self.question, self.reads)
        return None if takes is None else Worlds(spec, takes)


def _sides(model: ir.Model) -> frozenset[FieldOf]:
    """Name the field by which each kind of piece belongs to a side: the first enumeration that it needs."""
    pieces = [one for one in model.records.values() if one.role == "piece"]
    needed = ([one for one in piece.fields if _is_needed(one) and one.type.kind == "enum"][:1] for piece in pieces)
    return frozenset((piece.name, one.name) for piece, some in zip(pieces, needed, strict=True) for one in some)


def at_each_time(model: ir.Model, situation: str, data: Mapping[str, Any]) -> Iterator[Json]:
    """Yield a situation, then the same with all other values of its enumerations: which side moves, in which phase."""
    fields = [one for one in _situation(model, situation).fields if one.type.kind == "enum"]
    values = [dict.fromkeys((data.get(one.json, one.default), *model.enums[one.type.name].texts)) for one in fields]
    for row in itertools.islice(itertools.product(*values), MANY):
        yield {**data, **dict(zip((one.json for one in fields), row, strict=True))}


def _situation(model: ir.Model, name: str) -> ir.RecordSpec:
    return model.records[name] if name else ir.RecordSpec("", "situation", ())


def _is_needed(field: ir.FieldSpec) -> bool:
    """Whether a record is built with a field: it has no default, or says where the record is."""
    return field.json != "id" and (field.default == ir.MISSING or field.name in (ENDS, PLACE)) and not field.same_as


def _groups(model: ir.Model, situation: str, field: ir.FieldSpec, needed: Mapping[str, list[Any]]) -> list[Group]:
    record = model.records[field.type.name]
    fields = {name: AnyOf(any=values[:MANY]) for name, values in needed.items()}
    lists = sum(one.owns and one.type.name == record.name for one in _situation(model, situation).fields)
    given = {"list": field.json, "named": record.name if lists == 1 else field.name, "fields": fields}
    if record.role == "connection":
        ends = [one.json for one in record.fields if one.name == ENDS]
        return [Group.model_validate({**given, "least": 2, "most": JOINED, "distinct": ends})]
    side = next((one.json for one in record.fields if (record.name, one.name) in _sides(model)), None)
    if side is None:
        return [Group.model_validate({**given, "least": 1, "most": ROWS})]
    rest = {name: values for name, values in fields.items() if name != side}
    return [
        Group.model_validate({**given, "named": f"{value}-{record.name}".lower(), "least": 1, "most": PIECES,
                              "fixed": {side: value}, "fields": rest})
        for value in needed[side]
    ]  # fmt: skip


def _answerable(spec: WorldSpec, model: ir.Model, reads: SentenceReads, gaps: frozenset[FieldOf]) -> WorldSpec:
    """Let fields have a value if in doubt without which a question may have no answer."""
    focus = _Focus(spec, model, reads)

    def filled(record: ir.RecordSpec, fields: Domains) -> Domains:
        found = {one.json: one for one in record.fields if (record.name, one.name) in gaps and one.default is None}
        values = {name: [v for v in focus.values(one) if v is not None][:MANY] for name, one in found.items()}
        return {**{name: some for name, some in values.items() if some}, **fields}

    groups = [
        one.model_copy(update={"fields": filled(model.records[focus.lists[one.records].type.name], one.fields)})
        for one in spec.records
    ]
    return spec.model_copy(update={"fields": filled(focus.situation, spec.fields), "records": groups})


class _Focus:
    """One kind of worlds and what has to vary in it."""

    def __init__(self, spec: WorldSpec, model: ir.Model, reads: SentenceReads, others: bool = False) -> None:
        self.spec, self.model, self.reads, self.others = spec, model, reads, others
        self.situation = _situation(model, spec.situation)
        self.lists = {field.json: field for field in self.situation.fields if field.owns and field.type.kind == "set"}

    def world(self) -> WorldSpec:
        rows = [group for name in self.lists for group in self._rows(name)]
        opened = {group.fixed["id"] for group in rows}
        fixed = {
            name: [row for row in value if not (isinstance(row, Mapping) and row.get("id") in opened)]
            if name in self.lists else value
            for name, value in self.spec.fixed.items()
        }  # fmt: skip
        groups = [
            group.model_copy(update=self._parts(self._record(group.records), group.fields, group.fixed))
            for group in self.spec.records
        ]
        parts = self._parts(self.situation, self.spec.fields, fixed)
        return self.spec.model_copy(update={**parts, "records": [*groups, *rows, *self._missing()]})

    def _record(self, name: str) -> ir.RecordSpec:
        return self.model.records[self.lists[name].type.name]

    def _rows(self, name: str) -> Iterator[Group]:
        for row in self.spec.fixed.get(name, ()):
            if isinstance(row, Mapping) and (parts := self._parts(self._record(name), {}, row))["fields"]:
                yield Group.model_validate({"list": name, "named": row["id"], "least": 1, "most": 1, **parts})

    def _missing(self) -> Iterator[Group]:
        """Yield a group of one for each list that clauses look at and that these worlds have nothing of."""
        built = {group.records for group in self.spec.records} | {name for name, one in self.spec.fixed.items() if one}
        owners = {owner for owner, _ in self.reads.fields}
        for name, field in self.lists.items():
            record = self._record(name)
            looked_at = record.name in owners or (self.situation.name, field.name) in self.reads.fields
            if name in built or not _has_ids(record) or not looked_at:
                continue
            needed = [
                one for one in record.fields if one.default == ir.MISSING and not one.same_as and one.json != "id"
            ]
            plain = {one.json: values[0] for one in needed if (values := self.values(one))}
            if len(plain) == len(needed):
                parts = self._parts(record, {}, plain)
                yield Group.model_validate({"list": name, "named": name, "most": 1, **parts})

    def _parts(self, record: ir.RecordSpec, given: Domains, fixed: Mapping[str, Any]) -> Json:
        """Give the fields of a record that vary, those given and those that clauses look at, and what stays fixed."""
        hidden = (*(name for name in self.lists if _has_ids(self._record(name))), *FRAME)
        names = {field for owner, field in self.reads.fields if owner == record.name}
        looked_at = [field for field in record.fields if field.name in names and field.json not in hidden]
        opened = {field.json: self._about(field, given.get(field.json), fixed) for field in looked_at}
        opened = {name: values for name, values in opened.items() if len(values) > 1}
        free = math.prod(map(len, opened.values())) <= FREE
        fields: Domains = {}
        for name, wanted in given.items():
            fields[name] = wanted if self.others or isinstance(wanted, AnyOf) or name in FRAME else wanted[:1]
        for name, values in opened.items():
            fields[name] = AnyOf(any=values) if free or isinstance(given.get(name), AnyOf) else values
        return {"fields": fields, "fixed": {name: value for name, value in fixed.items() if name not in fields}}

    def _about(self, field: ir.FieldSpec, wanted: Sequence[Any] | AnyOf | None, fixed: Mapping[str, Any]) -> list[Any]:
        """List values of a field, the plain one first: what is given, then what the rules know."""
        given = wanted.any if isinstance(wanted, AnyOf) else wanted
        if given is None:
            plain = fixed.get(field.json, None if field.same_as else field.default)
            given = [] if plain == ir.MISSING or field.type.kind == "set" else [plain]
        return _distinct([*given, *self.values(field)])[:MANY]

    # ------------------------------------------------------------------ values of a type
    def values(self, field: ir.FieldSpec) -> list[Any]:
        none = [None] if field.type.optional else []
        return [*none, *self._values(field.type)]

    def _values(self, wanted: Type) -> list[Any]:
        match wanted.kind:
            case "flag":
                return [False, True]
            case "enum":
                return list(self.model.enums[wanted.name].texts)
            case "number":
                low, high = wanted.low or 0, wanted.high if wanted.high is not None else 10**6
                return list(range(low, high + 1)) if high - low < FEW else self._about_numbers(low, high)
            case "text":
                return self._texts()
            case "place":
                return self._ids("place")
            case "record":
                return self._records(wanted)
            case "set":
                return [[], *([one] for one in self._members(wanted))]
            case "path":
                return self._lists(self._ids("place"), 2, PATHS)
            case "number_map" | "flag_map":
                kind = Type("flag") if wanted.kind == "flag_map" else Type("number", low=0)
                return [dict.fromkeys(self._ids(wanted.name), one) for one in self._values(kind)]
            case "pair" if wanted.name == "number":  # numbers in these worlds, such as the day, then those named
                own = [value for value in self.spec.fixed.values() if type(value) is int]
                numbers = list(dict.fromkeys([*own, *self._about_numbers(0, 99)]))[:PAIRED]
                return [list(pair) for pair in itertools.product(numbers, repeat=2)][:MANY]
            case "pair":
                return [list(pair) for pair in itertools.combinations(self._ids(wanted.name), 2)]
        return []

    def whole_values(self, field: ir.FieldSpec) -> list[Any]:
        """List values of a field with lists of several things too."""
        if field.type.kind != "set":
            return self.values(field)
        none = [None] if field.type.optional else []
        return [*none, *self._lists(self._members(field.type), 0, MANY)]

    def input_values(self, field: ir.FieldSpec, form: ir.Form | None) -> list[Any]:
        """List values of what a question about a form takes; a list of nothing asks nothing."""
        values = self.whole_values(field)
        match field.type.kind, form:
            case "set", _:
                return [one for one in values if one != []]
            case "path", ir.Route(interruption=interruption, closing=closing):
                forced = [[first, f"!{second}", *rest] for first, second, *rest in values] if interruption else []
                return [*values, *forced, *([*one, closing] for one in values if closing)]
            case "sequence", ir.Allocation(target=(_, target)) | ir.Selection(picked=(_, target)):
                ids = self._ids(target.name)
                return [list(one) for size in (1, 2) for one in itertools.product(ids, repeat=size)]
            case "assignment", ir.Allocation(chooser=(_, chooser), target=(_, target)):
                return self._assignments(chooser.name, target.name)
        return values

    def _assignments(self, chooser: str, target: str) -> list[Any]:
        """List plans of the first so many records of a list for those of another list, or the same one."""
        found = []
        for choosers, targets in itertools.product(*(self._ids_by_list(name) for name in (chooser, target))):
            for size in range(1, len(choosers) + 1):
                plans = itertools.product(targets, repeat=size)
                found += [dict(zip(choosers, plan, strict=False)) for plan in itertools.islice(plans, MANY)]
        return found

    def _lists(self, items: Sequence[Any], least: int, many: int) -> list[Any]:
        lists = (one for size in range(least, len(items) + 1) for one in itertools.permutations(items, size))
        return [list(one) for one in itertools.islice(lists, many)]

    def _texts(self) -> list[str]:
        """List texts: some that mean nothing, then records that are written as texts."""
        written = [one for one in self.model.records.values() if one.written]
        rows = ((one.written, row) for one in written for row in self._written_out(one, one.fields))
        return [*TEXTS, *(text.format_map(row) for text, row in rows)]

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
        looked_at = [
            one for one in spec.fields if one.default == ir.MISSING or (spec.name, one.name) in self.reads.fields
        ]
        return self._written_out(spec, looked_at)

    def _written_out(self, spec: ir.RecordSpec, looked_at: Sequence[ir.FieldSpec]) -> list[Json]:
        parts = [[(field.json, value) for value in self.whole_values(field)] for field in looked_at]
        if math.prod(map(len, parts)) <= MANY:
            return [dict(row) for row in itertools.product(*parts)]
        rng, plain = random.Random(spec.name), dict(values[0] for values in parts if values)
        alone = [{**plain, name: value} for values in parts for name, value in values[1:]]
        drawn = [dict(rng.choice(values) for values in parts if values) for _ in range(DRAWN)]
        return _distinct([plain, *rng.sample(alone, min(len(alone), MANY)), *drawn])

    def _about_numbers(self, low: int, high: int) -> list[int]:
        about = {low, low + 1, *(n + step for n in self.reads.numbers for step in (-1, 0, 1))}
        return sorted(number for number in about if low <= number <= high)[:MANY]

    def _ids(self, wanted: str) -> list[str]:
        """List the ids that records of a kind have in these worlds; `place` means all kinds of places."""
        return [one for some in self._ids_by_list(wanted) for one in some]

    def _ids_by_list(self, wanted: str) -> list[list[str]]:
        found: list[list[str]] = []
        for name, field in self.lists.items():
            if wanted in (field.type.name, self._record(name).role):
                ids = [row["id"] for row in self.spec.fixed.get(name, ()) if isinstance(row, Mapping)]
                for group in (one for one in self.spec.records if one.records == name):
                    named = [f"{group.named}{number}" for number in range(1, group.most + 1)]
                    ids += [group.fixed["id"]] if "id" in group.fixed else named
                found.append(ids)
        return found


def _has_ids(record: ir.RecordSpec) -> bool:
    """Whether the records of a list have ids, so that a world is built of them; others are values."""
    return not record.is_bare and any(one.name == "id" or record.role != "plain" for one in record.fields)


def _distinct(values: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(value == one and type(value) is type(one) for one in found):
            found.append(value)
    return found


# ---------------------------------------------------------------------- enumeration
Listed = TypeVar("Listed")


@dataclass(frozen=True)
class FieldSlot:
    """A field with one of some values, of which the first so many are `plain`."""

    name: str
    values: Sequence[Any]
    plain: int
    least: ClassVar[int] = 0

    @property
    def most(self) -> int:
        return int(len(self.values) > self.plain)

    def at(self, size: int) -> Iterable[Json]:
        """List the plain values (0), or the others (1)."""
        values = self.values[: self.plain] if size == 0 else self.values[self.plain :] if size == 1 else ()
        return [{self.name: value} for value in values]


class Listing(Iterable[Listed]):
    """What an iterator yields, made no further than it is asked for, and kept."""

    def __init__(self, made: Iterator[Listed]) -> None:
        self._made, self._kept = made, list[Listed]()

    def __iter__(self) -> Iterator[Listed]:
        return self.after(0)

    def after(self, start: int) -> Iterator[Listed]:
        for number in itertools.count(start):
            while len(self._kept) <= number:
                one = next(self._made, None)
                if one is None:
                    return
                self._kept.append(one)
            yield self._kept[number]


class GroupSlot:
    """Records of one list, in no order: a multiset of those that the group allows; `least` and `most` are sizes."""

    def __init__(self, group: Group, count: int | None = None) -> None:
        """Prepare a listing of at most `count` records; default: as many as the group allows."""
        self.group, self.count = group, group.most if count is None else count
        self.fields = field_slots(group.fields)
        self.least, self.most = group.least, self.count * (1 + sum(slot.most for slot in self.fields))
        self._known: dict[int, Listing[Json]] = {}
        # All records that the group allows, each with the number of its values that are not plain.
        self._kinds = Listing((size, one) for size in range(len(self.fields) + 1) for one in spread(self.fields, size))

    def at(self, size: int) -> Iterable[Json]:
        """List the multisets of records whose number and values add so much to the size."""
        if size not in self._known:
            counts = range(self.least, min(self.count, size) + 1)
            rows = (rows for count in counts for rows in self._multisets(count, size - count))
            made = ({self.group.records: self.named(some)} for some in rows if self.is_distinct(some))
            self._known[size] = Listing(made)
        return self._known[size]

    def _multisets(self, count: int, size: int, start: int = 0) -> Iterator[tuple[Json, ...]]:
        if count == 0:
            if size == 0:
                yield ()
            return
        for number, (own, kind) in enumerate(self._kinds.after(start), start):
            if own > size:
                return
            yield from ((kind, *rest) for rest in self._multisets(count - 1, size - own, number))

    def is_distinct(self, rows: Sequence[Json]) -> bool:
        return all(len({str(row[name]) for row in rows}) == len(rows) for name in self.group.distinct)

    def named(self, rows: Sequence[Json]) -> list[Json]:
        return [{"id": f"{self.group.named}{n}", **self.group.fixed, **row} for n, row in enumerate(rows, 1)]


Slot = FieldSlot | GroupSlot  # a part of a world that varies


def field_slots(choices: Domains) -> list[FieldSlot]:
    return [
        FieldSlot(name, values.any, len(values.any)) if isinstance(values, AnyOf) else FieldSlot(name, values, 1)
        for name, values in choices.items()
    ]


def spread(slots: Sequence[Slot], size: int) -> Iterator[Json]:
    """List what slots may be together when they add so much to the size; lists of one name are joined."""
    if not slots:
        if size == 0:
            yield {}
        return
    first, rest = slots[0], slots[1:]
    least, most = sum(slot.least for slot in rest), sum(slot.most for slot in rest)
    for own in range(max(first.least, size - most), min(first.most, size - least) + 1):
        for one in first.at(own):
            for other in spread(rest, size - own):
                yield _joined(one, other)


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> Json:
    lists = {name: (one[name], other[name]) for name in one.keys() & other.keys() if isinstance(one[name], list)}
    return {**one, **other, **{name: [*first, *second] for name, (first, second) in lists.items()}}


class Worlds:
    """The worlds of one kind, and the inputs of a question about them."""

    def __init__(self, spec: WorldSpec, takes: Domains, most: Sequence[int] = ()) -> None:
        """Prepare a listing; `most` bounds the records of each group, in order (default: as the groups say)."""
        self.spec = spec
        limits = itertools.chain(most, itertools.repeat(None))
        self.groups = [GroupSlot(group, limit) for group, limit in zip(spec.records, limits, strict=False)]
        self.fields, self.inputs = field_slots(spec.fields), field_slots(takes)
        self.slots: list[Slot] = [*self.groups, *self.fields]

    @property
    def largest(self) -> int:
        return sum(slot.most for slot in (*self.slots, *self.inputs))

    @cached_property
    def smallest(self) -> int:
        """The smallest size of which there are worlds; past the largest if there are none."""
        sizes = range(self.largest + 1)
        return next((size for size in sizes if next(self.of_size(size), None) is not None), self.largest + 1)

    def finished(self, size: int) -> int:
        """Give the largest size that is finished if all worlds up to `size` were asked: -1 if there are none."""
        return size if size >= self.smallest else -1

    def of_size(self, size: int) -> Iterator[tuple[Json, Json]]:
        """List the worlds of a size with the inputs; the same object is the same situation."""
        most = sum(slot.most for slot in self.inputs)
        for own in range(max(0, size - most), size + 1):
            given = list(spread(self.inputs, size - own))
            for varied in spread(self.slots, own) if given else ():
                data = _joined(self.spec.fixed, varied)
                yield from ((data, inputs) for inputs in given)

    def parts(self) -> int:
        return len(_sized(self.slots[0]))

    def rows(self, start: int, stop: int) -> Iterator[tuple[int, Json, Json]]:
        """List all worlds of some parts: size, situation and inputs; the same object is the same situation."""
        given = [_together(row) for row in itertools.product(*map(_sized, self.inputs))]
        for row in itertools.product(_sized(self.slots[0])[start:stop], *map(_sized, self.slots[1:])):
            size, varied = _together(row)
            data = _joined(self.spec.fixed, varied)
            yield from ((size + more, data, inputs) for more, inputs in given)


def _sized(slot: Slot) -> list[tuple[int, Json]]:
    return [(size, one) for size in range(slot.least, slot.most + 1) for one in slot.at(size)]


def _together(row: Sequence[tuple[int, Json]]) -> tuple[int, Json]:
    varied: Json = {}
    for _, one in row:
        varied = _joined(varied, one)
    return sum(size for size, _ in row), varied


# ---------------------------------------------------------------------- sampling
VARIED = (0.2, 0.5, 0.8)  # how likely a field varies, in one draft or another
NAMED = (0.0, 0.8)  # how likely it is one that clauses name, where there is one
SENSIBLE = 0.9  # how likely what makes no sense of a world is drawn again
TRIES = 5  # records drawn until one differs from the others where it has to
PickCounts = tuple[int, ...]  # for each field, which of its values


@dataclass(frozen=True)
class RandomWorld:
    """The values that a world takes: of its own fields, of each record of each group, and of the inputs."""

    fields: PickCounts
    groups: tuple[tuple[PickCounts, ...], ...]
    inputs: PickCounts


class WorldSampler:
    """Draws worlds of a kind with the inputs of a question; values that are `likely` come up more often."""

    def __init__(self, worlds: Worlds, likely: Likely = lambda *_: False) -> None:
        self.worlds = worlds
        rows = [row for some in worlds.spec.fixed.values() if isinstance(some, list) for row in some]
        self._ids = {row["id"] for row in rows if isinstance(row, Mapping) and "id" in row}
        self._ids |= {row["id"] for one in worlds.groups for row in one.named([{}] * one.count)}
        slots = [("", slot) for slot in worlds.fields]
        slots += [(group.group.records, slot) for group in worlds.groups for slot in group.fields]
        self._fields = {
            id(slot): ((name, slot.name), [n for n, value in enumerate(slot.values) if likely(name, slot.name, value)])
            for name, slot in slots
        }

    def learn(self, draft: object, answers: object) -> None:
        """Learn nothing, as each world is drawn without regard to others."""

    def draw(self, rng: random.Random) -> RandomWorld:
        """Draw a world: any number of records, and values some of which are named by clauses.

        In one draft all records have the plain value of some fields, as in swarm testing (Groce and others, 2012):
        where many fields vary at one time, something always bars what a clause is about.
        """
        varied, named = rng.choice(VARIED), rng.choice(NAMED)
        plain = {name for name in dict.fromkeys(name for name, _ in self._fields.values()) if rng.random() >= varied}

        def pick(slot: FieldSlot) -> int:
            name, known = self._fields.get(id(slot), (None, []))
            most = slot.plain if name in plain else len(slot.values)
            likely = [one for one in known if one < most]
            return rng.choice(likely) if likely and rng.random() < named else rng.randrange(most)

        def records(group: GroupSlot) -> tuple[PickCounts, ...]:
            found: list[PickCounts] = []
            for _ in range(rng.randint(group.least, group.count)):
                tries = (tuple(map(pick, group.fields)) for _ in range(TRIES))
                fitting = next((one for one in tries if _is_distinct(group, [*found, one])), None)
                if fitting is not None:
                    found.append(fitting)
            return tuple(found)

        draft = RandomWorld((), tuple(map(records, self.worlds.groups)), ())
        scene = _Scene(self.made(draft)[0])

        def fitting(slot: FieldSlot) -> int:
            found = pick(slot)
            if not scene.has_sense(slot.values[found], self._ids) and rng.random() < SENSIBLE:
                fits = [at for at, value in enumerate(slot.values) if scene.has_sense(value, self._ids)]
                found = rng.choice(fits) if fits else found
            scene.choose(slot.values[found])
            return found

        draft = replace(draft, fields=tuple(map(fitting, self.worlds.fields)))
        return replace(draft, inputs=tuple(map(fitting, self.worlds.inputs)))

    def simpler(self, draft: RandomWorld) -> Iterator[RandomWorld]:
        for number, group in enumerate(self.worlds.groups):
            rows = draft.groups[number]
            fewer = [rows[:at] + rows[at + 1 :] for at in range(len(rows))] if len(rows) > group.least else []
            plainer = (
                (*rows[:at], one, *rows[at + 1 :]) for at, row in enumerate(rows) for one in _plainer(group.fields, row)
            )
            for some in (*fewer, *(one for one in plainer if _is_distinct(group, one))):
                yield replace(draft, groups=(*draft.groups[:number], some, *draft.groups[number + 1 :]))
        yield from (replace(draft, fields=one) for one in _plainer(self.worlds.fields, draft.fields))
        yield from (replace(draft, inputs=one) for one in _plainer(self.worlds.inputs, draft.inputs))

    def size(self, draft: RandomWorld) -> int:
        """Give the size of a world: its records that may vary, and the values that are not plain."""
        own = _unplain(self.worlds.fields, draft.fields) + _unplain(self.worlds.inputs, draft.inputs)
        grouped = zip(self.worlds.groups, draft.groups, strict=True)
        return own + sum(1 + _unplain(group.fields, row) for group, rows in grouped for row in rows)

    def made(self, draft: RandomWorld) -> tuple[Json, Json]:
        data = {**self.worlds.spec.fixed, **_values(self.worlds.fields, draft.fields)}
        for group, rows in zip(self.worlds.groups, draft.groups, strict=True):
            named = group.named([_values(group.fields, row) for row in rows])
            data[group.group.records] = [*data.get(group.group.records, ()), *named]
        return data, _values(self.worlds.inputs, draft.inputs)


def _plainer(slots: Sequence[FieldSlot], picks: PickCounts) -> Iterator[PickCounts]:
    """Yield picks of which one is the first value in place of one that is not plain."""
    for at, (slot, pick) in enumerate(zip(slots, picks, strict=True)):
        if pick >= slot.plain:
            yield (*picks[:at], 0, *picks[at + 1 :])


def _unplain(slots: Sequence[FieldSlot], picks: PickCounts) -> int:
    return sum(pick >= slot.plain for slot, pick in zip(slots, picks, strict=True))


class _Scene:
    """What is where in a world, to choose values that make sense of it."""

    def __init__(self, data: Json) -> None:
        rows = [row for some in data.values() if isinstance(some, list) for row in some if isinstance(row, Mapping)]
        self.ids = {row["id"] for row in rows if "id" in row}
        self.at = {row["id"]: set(_texts_in(row)) - {row["id"]} for row in rows if "id" in row}
        pairs = (one for row in rows for one in row.values() if isinstance(one, list) and len(one) == 2)
        self.joined = {frozenset(pair) for pair in pairs if all(isinstance(one, str) for one in pair)}
        self.starts: set[str] = set()  # what the records name that were chosen so far, such as their places

    def has_sense(self, value: object, known: Collection[str]) -> bool:
        """Whether records that a value names of all `known` are there, and a list of places is a way from a start."""
        named = list(_texts_in(value))
        if any(one in known and one not in self.ids for one in named):
            return False
        ends = frozenset[str]().union(*self.joined)
        steps = [one for one in named if one in ends] if isinstance(value, list) and len(value) > 1 else []
        if len(steps) < len(named) - 1 or len(steps) < 2:
            return True
        begins = {steps[0]}.union(*(pair for pair in self.joined if steps[0] in pair))
        ways = all(frozenset(pair) in self.joined for pair in itertools.pairwise(steps))
        return ways and (not self.starts or not begins.isdisjoint(self.starts))

    def choose(self, value: object) -> None:
        self.starts |= {place for one in _texts_in(value) for place in self.at.get(one, ())}


def _texts_in(value: object) -> Iterator[str]:
    """Yield the texts in a value; a place that is entered by force is named as any other."""
    match value:
        case str():
            yield value.removeprefix("!")
        case Mapping():
            yield from (text for part in (*value, *value.values()) for text in _texts_in(part))
        case list():
            yield from (text for part in value for text in _texts_in(part))


def _values(slots: Sequence[FieldSlot], picks: PickCounts) -> Json:
    return {slot.name: slot.values[pick] for slot, pick in zip(slots, picks, strict=False)}


def _is_distinct(group: GroupSlot, rows: Sequence[PickCounts]) -> bool:
    return group.is_distinct([_values(group.fields, row) for row in rows])
