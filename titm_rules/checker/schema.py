"""Resolve declarations: types, records, readings and the fields that the engine itself reads.

It knows these three by name; every other field means only what clauses make of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from titm_rules.diagnostics import Fault, Span, did_you_mean
from titm_rules.ir.dependencies import part_terms, question_terms, sentence_terms
from titm_rules.ir.model import (
    MISSING,
    AblePart,
    EnumSpec,
    Event,
    FieldSpec,
    GoingPart,
    Head,
    Question,
    Reading,
    RecordSpec,
    Route,
)
from titm_rules.ir.terms import START, Call, Const, Result, Term, subterms
from titm_rules.ir.types import ERROR, FLAG, PLACE, TEXT, Measure, Type, attribute, hyphenated, in_parts, read_share
from titm_rules.syntax.ast import (
    Declaration,
    DieDecl,
    Expr,
    FieldDecl,
    MeasureDecl,
    ReadingDecl,
    RecordDecl,
    SourceFile,
    TypeDecl,
    TypeRef,
    Word,
)

# ---------------------------------------------------------------------- schema
INPUT_TYPES = ("path", "assignment", "sequence")
MOST_PARTS = 1_000


@dataclass
class Faults:
    """Collects faults, with the source line of each."""

    lines: dict[str, tuple[str, ...]] = field(default_factory=dict)
    found: list[Fault] = field(default_factory=list)

    def add(self, what: str, span: Span, why: str = "", fix: str = "", also: Iterable[Span] = ()) -> None:
        """Note a fault at a place."""
        lines = self.lines.get(span.path, ())
        source = lines[span.line - 1] if 0 < span.line <= len(lines) else ""
        self.found.append(Fault(what, span, why, fix, source, tuple(also)))


@dataclass
class Schema:
    """The vocabulary of a game, as far as declarations give it."""

    faults: Faults
    enums: dict[str, EnumSpec] = field(default_factory=dict)
    records: dict[str, RecordSpec] = field(default_factory=dict)
    dice: dict[str, tuple[int, int, tuple[int, ...]]] = field(default_factory=dict)
    readings: dict[str, Reading] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)

    def declare(self, name: Word) -> bool:
        """Note a name; a second declaration is a fault that shows both places."""
        if name.text in self.spans:
            self.faults.add(
                f"`{name.text}` is declared twice", name.span, "each name has one meaning",
                "rename or remove one of them", (self.spans[name.text],),
            )  # fmt: skip
            return False
        self.spans[name.text] = name.span
        return True

    def resolve(self, ref: TypeRef) -> Type:
        """Turn a type as written into a type."""
        found = self._resolve(ref)
        return replace(found, optional=True) if ref.optional else found

    def _resolve(self, ref: TypeRef) -> Type:
        match ref.form:
            case "flag":
                return FLAG
            case "text":
                return TEXT
            case "number":
                return Type("number", "", ref.low, ref.high)
            case "named" if ref.name in self.measures:
                return Type("number", measure=self.measures[ref.name])
            case "measured" if ref.name in self.measures:
                measure = self.measures[ref.name]
                low, high = (self.parts(bound, measure, ref.span) for bound in ref.bounds)
                return Type("number", "", low, high, measure=measure)
            case "measured_map" if ref.unit in self.measures and ref.name in self.records:
                return Type("number_map", ref.name, measure=self.measures[ref.unit])
            case "named" if ref.name in INPUT_TYPES:
                return Type(ref.name)
            case "named" if ref.name == "place":
                return PLACE
            case "named" if ref.name in self.enums:
                return Type("enum", ref.name)
            case "named" if ref.name in self.records:
                return Type("record", ref.name)
            case "number_map" | "flag_map" if ref.name in self.records:
                return Type(ref.form, ref.name)
            case "list" | "names" | "pair" if ref.name in (*self.records, *self.enums, "place", "number"):
                return Type("pair" if ref.form == "pair" else "set", ref.name, None, ref.high)
        unit = ref.name if ref.form == "measured" else ref.unit
        if unit and unit not in self.measures:
            return self._no_measure(unit, ref.span)
        known = [*self.records, *self.enums, *self.measures, "place", *INPUT_TYPES]
        self.faults.add(
            f"unknown type `{ref.name}`", ref.span,
            "a type is an enumeration or a record of this game", did_you_mean(ref.name, known),
        )  # fmt: skip
        return ERROR

    def measured(self, word: Word) -> Type:
        """Give the type of the numbers of a measure; one that nobody declared is a fault."""
        measure = self.measures.get(word.text)
        return self._no_measure(word.text, word.span) if measure is None else Type("number", measure=measure)

    def _no_measure(self, name: str, span: Span) -> Type:
        why = "nothing of this name is counted in parts"
        fix = did_you_mean(name, self.measures) if self.measures else f"write `type {name} is number in NUMBER parts`"
        self.faults.add(f"unknown measure `{name}`", span, why, fix)
        return ERROR

    def parts(self, text: str, measure: Measure | None, span: Span) -> int:
        """Count the parts of a number as written; what is no whole number of them is a fault."""
        share = read_share(text)
        if share is None:
            self.faults.add(f"`{text}` is no number", span, "nothing is divided by 0", "write the parts of one below")
            return 0
        unit = measure or Measure("number", 1)
        found = in_parts(share, unit)
        if found is None and measure is None:
            self.faults.add(f"`{text}` is no whole number", span, "a number is whole unless its type has parts",
                            f"write `type NAME is number in {share.denominator} parts`, and use it")  # fmt: skip
        elif found is None:
            self.faults.add(f"`{text}` is no whole number of parts", span, f"`{unit.name}` has {unit.parts} parts",
                            f"write a multiple of 1/{unit.parts}")  # fmt: skip
        return found or 0

    def situation(self, word: Word | None) -> str:
        """Name the situation that something is on; one that nobody declared is a fault."""
        if word is None:
            return ""
        known = [record.name for record in self.records.values() if record.role == "situation"]
        if word.text in known:
            return word.text
        why = "a situation is what questions are asked of"
        self.faults.add(f"unknown situation `{word.text}`", word.span, why, did_you_mean(word.text, known))
        return known[0] if known else ""

    @property
    def only_place(self) -> Type | None:
        """The type of all places, if the game has one kind of place."""
        places = [record.name for record in self.records.values() if record.role == "place"]
        return Type("record", places[0]) if len(places) == 1 else None

    def member(self, container: Type) -> Type:
        """Type of a member of a list or pair."""
        if container == ERROR:
            return ERROR
        name = container.name
        if name == "place":
            return PLACE
        if name == "number":
            return Type("number")
        return Type("enum", name) if name in self.enums else Type("record", name)

    def fields(self, decls: tuple[FieldDecl, ...], owning: bool = False) -> tuple[FieldSpec, ...]:
        """Resolve the fields of a record, a situation or a question; a situation owns its lists."""
        seen: dict[str, Span] = {}
        specs = []
        for decl in decls:
            name = attribute(decl.name.text)
            if name in seen:
                self.faults.add(f"field `{decl.name.text}` appears twice", decl.name.span, also=(seen[name],))
                continue
            seen[name] = decl.name.span
            specs.append(self._field(decl, owning))
        return tuple(specs)

    def _field(self, decl: FieldDecl, owning: bool) -> FieldSpec:
        ftype = replace(self.resolve(decl.type), optional=decl.optional)
        name = attribute(decl.name.text)
        default = MISSING
        if decl.default is not None:
            default = self._default(decl.default, ftype)
        same_as = _chain(decl.same_as) if decl.same_as is not None else ()
        owns = owning and decl.type.form == "list" and ftype.name in self.records
        return FieldSpec(name, decl.alias or name, ftype, default, same_as, owns)

    def _default(self, expr: Expr, ftype: Type) -> object:
        match expr.op:
            case "number" | "fraction" if ftype.measure is not None or expr.op == "fraction":
                return self.parts(str(expr.args[0]), ftype.measure, expr.span)
            case "number" | "text":
                return expr.args[0]
            case "yes" | "no":
                return expr.op == "yes"
            case "none":
                return ()
            case "name" if ftype.kind == "enum":
                enum = self.enums[ftype.name]
                value = str(expr.args[0])
                if value in enum.values:
                    return enum.texts[enum.values.index(value)]
                self.faults.add(
                    f"unknown value `{value}`",
                    expr.span,
                    f"`{enum.name}` has no such value",
                    did_you_mean(value, enum.values),
                )
        return None


def _chain(expr: Expr) -> tuple[str, ...]:
    """Read `a of b of c` as a, b, c."""
    if expr.op == "of":
        name, rest = expr.args
        return (attribute(str(name)), *(_chain(rest) if isinstance(rest, Expr) else ()))
    return (attribute(str(expr.args[0])),)


def build_schema(files: Iterable[SourceFile], faults: Faults) -> Schema:
    """Collect the vocabulary from all files; faults go to `faults`."""
    schema = Schema(faults)
    decls = [decl for file in files for decl in file.decls]
    for decl in decls:
        _declare_values(schema, decl)
    records = [decl for decl in decls if isinstance(decl, RecordDecl) and schema.declare(decl.name)]
    for decl in records:
        schema.records[decl.name.text] = RecordSpec(decl.name.text, decl.role, ())
    for decl in records:
        fields = schema.fields(decl.fields, decl.role == "situation")
        schema.records[decl.name.text] = RecordSpec(decl.name.text, decl.role, fields, _written(decl, fields, faults))
    return schema


def _declare_values(schema: Schema, decl: Declaration) -> None:
    """Declare what has values of its own: an enumeration, a die or a reading."""
    match decl:
        case TypeDecl():
            _declare_enum(schema, decl)
        case MeasureDecl():
            _declare_measure(schema, decl)
        case DieDecl():
            _declare_die(schema, decl)
        case ReadingDecl():
            _declare_reading(schema, decl)


def _written(decl: RecordDecl, fields: tuple[FieldSpec, ...], faults: Faults) -> str:
    """Check how a record is written: every field once, in braces; fields are numbers and values of types."""
    if decl.written is None:
        return ""
    text = decl.written.text
    named = re.findall(r"\{([^{}]*)\}", text)
    known = [hyphenated(spec.name) for spec in fields]
    if sorted(named) != sorted(known) or any(spec.type.kind not in ("number", "enum") for spec in fields):
        faults.add(
            f"a {decl.name.text} cannot be written so", decl.written.span,
            "each field stands once in braces, and is a number or a value of a type",
            f"fields: {', '.join(known)}",
        )  # fmt: skip
    return text


def _declare_enum(schema: Schema, decl: TypeDecl) -> None:
    if not schema.declare(decl.name):
        return
    values = tuple(word.text for word in decl.values)
    also = tuple(tuple(word.text for word in some) for some in decl.also)
    schema.enums[decl.name.text] = EnumSpec(decl.name.text, values, decl.texts, also)
    if len(set(values)) < len(values):
        what = f"a value of `{decl.name.text}` appears twice"
        schema.faults.add(what, decl.name.span, "each value has its own rank")
    _check_other_words(schema, decl)


def _check_other_words(schema: Schema, decl: TypeDecl) -> None:
    """See that no other word for a value is what a value is called or written as, and none stands with one twice."""
    own = {text.casefold() for text in (*decl.texts, *(word.text for word in decl.values))}
    for some in decl.also:
        said: set[str] = set()
        for word in some:
            plain = word.text.casefold()
            if plain in own:
                why = "it is what a value is called, so that it can be no other word for one"
                schema.faults.add(f"`{word.text}` is a value of `{decl.name.text}`", word.span, why, "take it out")
            elif plain in said or not plain:
                why = "one suffices, in small letters or capital ones" if plain else "a word has letters"
                schema.faults.add(f"`{word.text}` says nothing further", word.span, why, "take it out")
            said.add(plain)


def _declare_measure(schema: Schema, decl: MeasureDecl) -> None:
    if not 2 <= decl.parts <= MOST_PARTS:
        why = f"a unit has at least 2 and at most {MOST_PARTS} equal parts"
        schema.faults.add(f"`{decl.name.text}` cannot have {decl.parts} parts", decl.name.span, why,
                          "count whole ones as `number`")  # fmt: skip
    elif schema.declare(decl.name):
        schema.measures[decl.name.text] = Measure(decl.name.text, decl.parts)


def _declare_die(schema: Schema, decl: DieDecl) -> None:
    if decl.high < decl.low or decl.high - decl.low > 999:
        why = "they run from low to high, at most 1000"
        schema.faults.add("these cannot be the faces of a die", decl.name.span, why)
    elif decl.reads and (decl.low <= decl.reads[0] <= decl.high or not decl.low <= decl.reads[1] <= decl.high):
        why = "what is read otherwise is no face of the die, and is read as one"
        schema.faults.add(f"{decl.reads[0]} cannot be read as {decl.reads[1]}", decl.name.span, why)
    elif schema.declare(decl.name):
        schema.dice[decl.name.text] = (decl.low, decl.high, decl.reads)


def _declare_reading(schema: Schema, decl: ReadingDecl) -> None:
    name = decl.name.text
    defaults = [choice.name.text for choice in decl.choices if choice.is_default]
    if len(defaults) != 1:
        schema.faults.add(
            f"reading `{name}` has {len(defaults)} defaults", decl.name.span,
            "a ruling picks one reading", "write `default` behind one of them",
        )  # fmt: skip
        return
    if schema.declare(decl.name):
        choices = tuple(choice.name.text for choice in decl.choices)
        texts = tuple(choice.text for choice in decl.choices)
        schema.readings[name] = Reading(
            name, decl.question, choices, texts, defaults[0], decl.because, decl.offered or choices
        )


# ---------------------------------------------------------------------- roles
IDENTITY_FIELD, PLACE_FIELD, ENDS_FIELD = "id", "place", "ends"
STANDS = "a piece stands at a place, and this field says at which"
JOINS = "a connection joins two places, and this field says which"
NAMES = "it is the name by which a record is known"
# What asks a route of a mover where it stands.
_FROM_HERE = ("ends", "cost", "path", "closings", "closes")


Sound = Callable[[Schema, FieldSpec], bool]


# ---------------------------------------------------------------------- records
def check_roles(schema: Schema, decls: Iterable[Declaration]) -> None:
    """Check the fields that the engine looks at in every record that is declared; faults go to the schema."""
    for decl in decls:
        record = schema.records.get(decl.name.text)
        if isinstance(decl, RecordDecl) and record is not None and schema.spans.get(record.name) == decl.name.span:
            spans = {word.name.text.replace("-", "_"): word.name.span for word in decl.fields}
            _check_record(schema, record, decl.name.span, spans)


def _check_record(schema: Schema, record: RecordSpec, where: Span, spans: Mapping[str, Span]) -> None:
    specs = {spec.name: spec for spec in record.fields}
    if record.role == "connection" and ENDS_FIELD not in specs:
        schema.faults.add(
            f"a connection needs a field `{ENDS_FIELD}`", where, JOINS, f"write `{ENDS_FIELD}: pair of place`"
        )
    checks: list[tuple[str, Sound, str, str]] = [(IDENTITY_FIELD, _is_identity, NAMES, "text")]
    if record.role == "piece":
        checks.append((PLACE_FIELD, _is_place, STANDS, "place"))
    if record.role == "connection":
        checks.append((ENDS_FIELD, _is_ends, JOINS, "pair of place"))
    for name, is_sound, why, written in checks:
        if name in specs and specs[name].type.kind != "error" and not is_sound(schema, specs[name]):
            schema.faults.add(
                f"`{name}` of a {record.name} cannot be a {specs[name].type}", spans[name], why,
                f"write `{name}: {written}`, or give the field another name",
            )  # fmt: skip


def _is_place(schema: Schema, spec: FieldSpec) -> bool:
    return _names_place(schema, spec.type)


def _is_ends(schema: Schema, spec: FieldSpec) -> bool:
    of = Type("place") if spec.type.name == "place" else Type("record", spec.type.name)
    return spec.type.kind == "pair" and _names_place(schema, of) and spec.default == MISSING and not spec.type.optional


def _is_identity(_: Schema, spec: FieldSpec) -> bool:
    return spec.type.kind == "text" and spec.default == MISSING and not spec.same_as and not spec.type.optional


def _names_place(schema: Schema, wanted: Type) -> bool:
    record = schema.records.get(wanted.name)
    return wanted.kind == "place" or (wanted.kind == "record" and record is not None and record.role == "place")


# ---------------------------------------------------------------------- movers
def check_movers(
    schema: Schema,
    routes: Mapping[str, Route],
    heads: Mapping[str, Head],
    questions: Mapping[str, Question],
    events: Mapping[str, Event],
) -> None:
    """Refuse to ask a route from where its mover stands, if the mover is of a kind that stands nowhere."""
    placeless = {name: route for name, route in routes.items() if not _stands(schema, route.mover[1])}
    for name, span in _asked_from_here(schema, heads, questions, events) if placeless else ():
        if name in placeless:
            schema.faults.add(
                f"a {placeless[name].mover[1].name} stands nowhere", span,
                f"`{name}` is asked from where its mover stands, and this record has no field `{PLACE_FIELD}`",
                f"ask it `from` a place, or declare `{PLACE_FIELD}: place`",
            )  # fmt: skip


def _stands(schema: Schema, mover: Type) -> bool:
    record = schema.records.get(mover.name)
    return record is None or (record.role == "piece" and any(spec.name == PLACE_FIELD for spec in record.fields))


def _asked_from_here(
    schema: Schema, heads: Mapping[str, Head], questions: Mapping[str, Question], events: Mapping[str, Event]
) -> Iterator[tuple[str, Span]]:
    """Yield the forms that are asked from where a mover stands, each with where that is written."""
    for head in heads.values():
        for sentence in head.sentences:
            yield from ((name, sentence.span) for name in _called_from_here(sentence_terms(sentence)))
    for question in questions.values():
        span = schema.spans[question.name]
        yield from ((name, span) for name in _called_from_here(question_terms(question)))
        if question.ask in _FROM_HERE:
            yield question.form, span
    for event in events.values():
        span = schema.spans[event.name]
        for part in event.parts:
            yield from ((name, span) for name in _called_from_here(part_terms(part)))
            if isinstance(part, AblePart) or (isinstance(part, GoingPart) and part.kind in _FROM_HERE):
                yield part.form, span


def _called_from_here(terms: Iterable[Term]) -> Iterator[str]:
    for part in (inner for term in terms for inner in subterms(term)):
        if isinstance(part, Call) and len(part.args) > 1 and part.args[1] == Const(None, part.args[1].type):
            yield part.head
        elif isinstance(part, Result) and START not in dict(part.roles):
            yield part.form
