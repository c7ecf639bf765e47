"""Resolve declarations: types, records, readings and the fields that the engine itself reads.

The engine reads three fields by name: the id of a record, the place of a piece and the ends of a connection. Only
clauses give a meaning to other fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from titm_rules.diagnostics import Fault, Span, did_you_mean
from titm_rules.ir import model as ir
from titm_rules.ir.dependencies import question_terms
from titm_rules.ir.terms import START, Call, Const, Result, Term, subterms, terms_in
from titm_rules.ir.types import ERROR, FLAG, PLACE, TEXT, Measure, Type, attribute, hyphenated, in_parts, read_share
from titm_rules.syntax import ast

INPUT_TYPES = ("path", "assignment", "sequence")
MAX_PARTS = 1_000
MAX_FACES = 1_000
IDENTITY_FIELD, PLACE_FIELD, ENDS_FIELD = "id", "place", "ends"
# The role of the records for which a field is built in (empty: any), its meaning and its type.
BUILTIN = {
    IDENTITY_FIELD: ("", "the name that identifies the record", "text"),
    PLACE_FIELD: ("piece", "the place of the piece", "place"),
    ENDS_FIELD: ("connection", "the two places that the connection joins", "pair of place"),
}
# The results of a route that a mover asks for from its own place.
_FROM_OWN_PLACE = ("ends", "cost", "path", "closings", "closes")


@dataclass
class Faults:
    """The faults of some files, with the source line of each."""

    lines: dict[str, tuple[str, ...]] = field(default_factory=dict)
    found: list[Fault] = field(default_factory=list)

    def add(self, what: str, span: Span, why: str = "", fix: str = "", also: Iterable[Span] = ()) -> None:
        lines = self.lines.get(span.path, ())
        source = lines[span.line - 1] if 0 < span.line <= len(lines) else ""
        self.found.append(Fault(what, span, why, fix, source, tuple(also)))


@dataclass
class Schema:
    """The declared vocabulary of a game, and the faults of the rules that use it."""

    faults: Faults
    enums: dict[str, ir.EnumSpec] = field(default_factory=dict)
    records: dict[str, ir.RecordSpec] = field(default_factory=dict)
    dice: dict[str, tuple[int, int, tuple[int, ...]]] = field(default_factory=dict)
    readings: dict[str, ir.Reading] = field(default_factory=dict)
    reading_names: dict[str, str] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)

    def fault(self, what: str, span: Span, why: str = "", fix: str = "", also: Iterable[Span] = ()) -> None:
        self.faults.add(what, span, why, fix, also)

    def unknown(self, what: str, word: ast.Word, known: Iterable[str], why: str = "") -> None:
        """Report a name that means nothing at its place, and suggest the known name that is most like it."""
        self.fault(what, word.span, why, did_you_mean(word.text, known))

    def refuse_rebinding(self, name: str, span: Span) -> None:
        """Report that a name is used for a second thing in one sentence."""
        self.fault(f"`{name}` is already bound", span, fix="choose another name")

    def declare(self, name: ast.Word) -> bool:
        """Record the place of a declaration; a second declaration of a name is a fault that shows both places."""
        if name.text in self.spans:
            fix, also = "rename or remove one of them", (self.spans[name.text],)
            self.fault(f"`{name.text}` is declared twice", name.span, fix=fix, also=also)
            return False
        self.spans[name.text] = name.span
        return True

    def resolve(self, ref: ast.TypeRef) -> Type:
        resolved = self._resolve(ref)
        return replace(resolved, optional=True) if ref.optional else resolved

    def _resolve(self, ref: ast.TypeRef) -> Type:
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
        why = "no enumeration, record or measure has this name"
        self.fault(f"unknown type `{ref.name}`", ref.span, why, did_you_mean(ref.name, known))
        return ERROR

    def measured(self, word: ast.Word) -> Type:
        measure = self.measures.get(word.text)
        return self._no_measure(word.text, word.span) if measure is None else Type("number", measure=measure)

    def _no_measure(self, name: str, span: Span) -> Type:
        fix = did_you_mean(name, self.measures) if self.measures else f"write `type {name} is number in NUMBER parts`"
        self.fault(f"unknown measure `{name}`", span, "no measure has this name", fix)
        return ERROR

    def parts(self, text: str, measure: Measure | None, span: Span) -> int:
        """Convert a written number to a whole number of parts; a number with other parts is a fault."""
        share = read_share(text)
        if share is None:
            self.fault(f"`{text}` is not a number", span, "the denominator is 0", "write at least 1 below the line")
            return 0
        number = in_parts(share, measure or Measure("number", 1))
        if number is None and measure is None:
            fix = f"declare `type NAME is number in {share.denominator} parts`, and use this type"
            self.fault(f"`{text}` is not a whole number", span, "a number without a measure is whole", fix)
        elif number is None and measure is not None:
            why, fix = f"`{measure.name}` has {measure.parts} parts", f"write a multiple of 1/{measure.parts}"
            self.fault(f"`{text}` is not a whole number of parts", span, why, fix)
        return number or 0

    def situation(self, word: ast.Word | None, needed_by: ast.Word | None = None) -> str:
        """Resolve the name of a situation; an unknown name is a fault, and so is none for what needs one."""
        known = [record.name for record in self.records.values() if record.role == "situation"]
        if word is None:
            if needed_by is not None:
                what, fix = f"`{needed_by.text}` is on no situation", "write `on ...`, or a heading `on ...:` above it"
                self.fault(what, needed_by.span, "it is about one", fix)
                return known[0] if known else ""
            return ""
        if word.text in known:
            return word.text
        self.unknown(f"unknown situation `{word.text}`", word, known, "no situation has this name")
        return known[0] if known else ""

    @property
    def only_place(self) -> Type | None:
        """The type of all places, if the game has one kind of place."""
        places = [record.name for record in self.records.values() if record.role == "place"]
        return Type("record", places[0]) if len(places) == 1 else None

    def member(self, container: Type) -> Type:
        if container == ERROR:
            return ERROR
        name = container.name
        if name == "place":
            return PLACE
        if name == "number":
            return Type("number")
        return Type("enum", name) if name in self.enums else Type("record", name)

    def fields(self, decls: tuple[ast.FieldDecl, ...], owning: bool = False) -> tuple[ir.FieldSpec, ...]:
        seen: dict[str, Span] = {}
        specs = []
        for decl in decls:
            name = attribute(decl.name.text)
            if name in seen:
                self.fault(f"field `{decl.name.text}` appears twice", decl.name.span, also=(seen[name],))
                continue
            seen[name] = decl.name.span
            specs.append(self._field(decl, owning))
        return tuple(specs)

    def _field(self, decl: ast.FieldDecl, owning: bool) -> ir.FieldSpec:
        ftype = replace(self.resolve(decl.type), optional=decl.optional)
        name = attribute(decl.name.text)
        default = self._default(decl.default, ftype) if decl.default is not None else ir.MISSING
        same_as = _chain(decl.same_as) if decl.same_as is not None else ()
        owns = owning and decl.type.form == "list" and ftype.name in self.records
        return ir.FieldSpec(name, decl.alias or name, ftype, default, same_as, owns)

    def _default(self, expr: ast.Expr, ftype: Type) -> object:
        match expr.op:
            case "number" | "fraction" if ftype.measure is not None or expr.op == "fraction":
                return self.parts(str(expr.args[0]), ftype.measure, expr.span)
            case "number" | "text":
                return expr.args[0]
            case "yes" | "no":
                return expr.op == "yes"
            case "none" if ftype.kind != "enum":
                return ()
            case "name" | "none" if ftype.kind == "enum":
                rank = self.rank(ast.Word(str((*expr.args, "none")[0]), expr.span), ftype.name)
                return None if rank is None else self.enums[ftype.name].texts[rank]
        return None

    def rank(self, word: ast.Word, enum: str) -> int | None:
        """Resolve a value of an enumeration to its rank; an unknown value is a fault."""
        values = self.enums[enum].values
        if word.text in values:
            return values.index(word.text)
        self.unknown(f"unknown value `{word.text}`", word, values, f"`{enum}` has no such value")
        return None

    def record_type(self, word: ast.Word) -> Type:
        """Resolve the name of a record; an unknown name is a fault."""
        if word.text in self.records:
            return Type("record", word.text)
        self.unknown(f"unknown record `{word.text}`", word, self.records)
        return ERROR

    def params(self, params: Iterable[ast.Param]) -> tuple[tuple[str, Type], ...]:
        return tuple((param.name.text, self.resolve(param.type)) for param in params)


def _chain(expr: ast.Expr) -> tuple[str, ...]:
    """Read `a of b of c` as a, b, c."""
    if expr.op == "of":
        name, rest = expr.args
        return (attribute(str(name)), *(_chain(rest) if isinstance(rest, ast.Expr) else ()))
    return (attribute(str(expr.args[0])),)


def build_schema(files: Iterable[ast.SourceFile], faults: Faults) -> Schema:
    """Resolve the vocabulary of all files; faults go to `faults`."""
    schema = Schema(faults)
    decls = [decl for file in files for decl in file.decls]
    for decl in decls:
        match decl:
            case ast.TypeDecl():
                _declare_enum(schema, decl)
            case ast.MeasureDecl():
                _declare_measure(schema, decl)
            case ast.DieDecl():
                _declare_die(schema, decl)
            case ast.ReadingDecl():
                _declare_reading(schema, decl)
    records = [decl for decl in decls if isinstance(decl, ast.RecordDecl) and schema.declare(decl.name)]
    for decl in records:  # fields may refer to records that are declared later
        schema.records[decl.name.text] = ir.RecordSpec(decl.name.text, decl.role, ())
    for decl in records:
        fields = schema.fields(decl.fields, decl.role == "situation")
        schema.records[decl.name.text] = ir.RecordSpec(
            decl.name.text, decl.role, fields, _written(schema, decl, fields)
        )
    for decl in records:
        _refuse_endless(schema, decl)
    return schema


def _refuse_endless(schema: Schema, decl: ast.RecordDecl) -> None:
    """Report a field whose values would contain records of the kind that has it, and these others, without end."""

    def contained(record: str) -> list[str]:
        """List the records that are written in full inside a record."""
        return [one.type.name for one in schema.records[record].fields if _is_in_full(schema, one)]

    own = decl.name.text
    for part in decl.fields:
        spec = schema.records[own].named(attribute(part.name.text))
        seen = [spec.type.name] if spec is not None and _is_in_full(schema, spec) else []
        for name in seen:
            seen += [one for one in contained(name) if one not in seen]
        if own in seen:
            what, why = f"a record `{own}` contains itself in `{part.name.text}`", "its values would have no end"
            fix = "give the record `id: text`, and keep it in a list of the situation"
            schema.fault(what, part.type.span, why, fix)


def _is_in_full(schema: Schema, field: ir.FieldSpec) -> bool:
    """Whether the values of a field are records that are written there, and not their ids."""
    record = schema.records.get(field.type.name)
    return record is not None and field.type.kind in ("record", "set", "pair") and (field.owns or not record.has_id)


def _written(schema: Schema, decl: ast.RecordDecl, fields: tuple[ir.FieldSpec, ...]) -> str:
    """Check the textual form of a record, which has every field once, in braces."""
    if decl.written is None:
        return ""
    slots = re.findall(r"\{([^{}]*)\}", decl.written.text)
    known = [hyphenated(spec.name) for spec in fields]
    if sorted(slots) != sorted(known) or any(spec.type.kind not in ("number", "enum") for spec in fields):
        why = "each field must be a number or a value of a type, and must appear once in braces"
        what, fix = f"a {decl.name.text} cannot be written like this", f"fields: {', '.join(known)}"
        schema.fault(what, decl.written.span, why, fix)
    return decl.written.text


def _declare_enum(schema: Schema, decl: ast.TypeDecl) -> None:
    if not schema.declare(decl.name):
        return
    name, values = decl.name.text, tuple(word.text for word in decl.values)
    synonyms = tuple(tuple(word.text for word in words) for words in decl.also)
    schema.enums[name] = ir.EnumSpec(name, values, decl.texts, synonyms)
    if len(set(values)) < len(values):
        schema.fault(f"a value of `{name}` appears twice", decl.name.span, "each value has its own rank")
    # A synonym is not a value or a text itself, and a value has it once.
    own = {text.casefold() for text in (*decl.texts, *values)}
    for words in decl.also:
        seen: set[str] = set()
        for word in words:
            plain = word.text.casefold()
            if plain in own:
                schema.fault(f"`{word.text}` is already a value of `{name}`", word.span, fix="remove it")
            elif plain in seen or not plain:
                why = "letter case is ignored" if plain else "a word has letters"
                what = f"`{word.text}` appears twice" if plain else f"`{word.text}` is not a word"
                schema.fault(what, word.span, why, "remove it")
            seen.add(plain)


def _declare_measure(schema: Schema, decl: ast.MeasureDecl) -> None:
    if not 2 <= decl.parts <= MAX_PARTS:
        what, why = f"`{decl.name.text}` cannot have {decl.parts} parts", f"a measure has 2 to {MAX_PARTS} equal parts"
        schema.fault(what, decl.name.span, why, "use `number` for whole numbers")
    elif schema.declare(decl.name):
        schema.measures[decl.name.text] = Measure(decl.name.text, decl.parts)


def _declare_die(schema: Schema, decl: ast.DieDecl) -> None:
    if decl.high < decl.low or decl.high - decl.low >= MAX_FACES:
        why = f"the faces go from low to high, and there are at most {MAX_FACES}"
        schema.fault("these cannot be the faces of a die", decl.name.span, why)
    elif decl.reads and (decl.low <= decl.reads[0] <= decl.high or not decl.low <= decl.reads[1] <= decl.high):
        why = "the first number must not be a face of the die, and the second must be one"
        schema.fault(f"{decl.reads[0]} cannot be read as {decl.reads[1]}", decl.name.span, why)
    elif schema.declare(decl.name):
        schema.dice[decl.name.text] = (decl.low, decl.high, decl.reads)


def _declare_reading(schema: Schema, decl: ast.ReadingDecl) -> None:
    name = decl.name.text
    defaults = [choice.name.text for choice in decl.choices if choice.is_default]
    if len(defaults) != 1:
        fix = "write `default` after one of its readings"
        schema.fault(f"reading `{name}` has {len(defaults)} defaults", decl.name.span, fix=fix)
    elif schema.declare(decl.name) and (decl.alias is None or schema.declare(decl.alias)):
        schema.reading_names |= dict.fromkeys(decl.names, name)
        choices = tuple(choice.name.text for choice in decl.choices)
        texts = tuple(choice.text for choice in decl.choices)
        schema.readings[name] = ir.Reading(
            name, decl.question, choices, texts, defaults[0], decl.because, decl.offered or choices,
            decl.alias.text if decl.alias is not None else "",
        )


# Built-in fields: the types that the engine requires of them.


def check_builtin_fields(schema: Schema, decls: Iterable[ast.Declaration]) -> None:
    """Check the built-in fields of every record; faults go to the schema."""
    for decl in decls:
        record = schema.records.get(decl.name.text)
        if isinstance(decl, ast.RecordDecl) and record is not None and schema.spans.get(record.name) == decl.name.span:
            spans = {attribute(word.name.text): word.name.span for word in decl.fields}
            _check_record(schema, record, decl.name.span, spans)


def _check_record(schema: Schema, record: ir.RecordSpec, where: Span, spans: Mapping[str, Span]) -> None:
    if record.role == "connection" and record.named(ENDS_FIELD) is None:
        schema.fault(f"a connection needs a field `{ENDS_FIELD}`", where, fix=f"write `{ENDS_FIELD}: pair of place`")
    for spec in record.fields:
        role, meaning, usage = BUILTIN.get(spec.name, (None, "", ""))
        if role in ("", record.role) and spec.type.kind != "error" and not _is_sound(schema, spec):
            schema.fault(
                f"`{spec.name}` of a {record.name} cannot be a {spec.type}", spans[spec.name], f"it is {meaning}",
                f"write `{spec.name}: {usage}`, or rename the field",
            )  # fmt: skip


def _is_sound(schema: Schema, spec: ir.FieldSpec) -> bool:
    """Whether a built-in field has the type that the engine reads; an id and the ends are also required."""
    record = schema.records.get(spec.type.name)
    is_place = record is not None and record.role == "place"
    if spec.name == PLACE_FIELD:
        return spec.type.kind == "place" or (spec.type.kind == "record" and is_place)
    is_required = spec.default == ir.MISSING and not spec.type.optional
    if spec.name == IDENTITY_FIELD:
        return spec.type.kind == "text" and is_required and not spec.same_as
    return spec.type.kind == "pair" and is_required and (is_place or spec.type.name == "place")


def check_origins(
    schema: Schema,
    forms: Mapping[str, ir.Form],
    heads: Mapping[str, ir.Head],
    questions: Mapping[str, ir.Question],
    events: Mapping[str, ir.Event],
) -> None:
    """Refuse to ask a route from the place of a mover that has none; faults go to the schema."""
    placed = {name for name, record in schema.records.items() if record.role == "piece" and record.named(PLACE_FIELD)}
    movers = {name: form.mover[1].name for name, form in forms.items() if isinstance(form, ir.Route)}
    placeless = {name: mover for name, mover in movers.items() if mover in schema.records.keys() - placed}
    for name, span in _asked_from_own_place(schema, heads, questions, events) if placeless else ():
        if name in placeless:
            mover = placeless[name]
            what, why = f"a {mover} has no place", f"`{name}` starts at the place of its mover unless a place is given"
            schema.fault(what, span, why, f"ask it `from` a place, or declare `{PLACE_FIELD}: place`")


def _asked_from_own_place(
    schema: Schema, heads: Mapping[str, ir.Head], questions: Mapping[str, ir.Question], events: Mapping[str, ir.Event]
) -> Iterator[tuple[str, Span]]:
    """Yield the forms that are asked from the place of a mover, each with the place in the text."""
    for head in heads.values():
        for sentence in head.sentences:
            yield from ((name, sentence.span) for name in _called_from_own_place(terms_in(sentence)))
    for question in questions.values():
        span = schema.spans[question.name]
        yield from ((name, span) for name in _called_from_own_place(question_terms(question)))
        if question.ask in _FROM_OWN_PLACE:
            yield question.form, span
    for event in events.values():
        span = schema.spans[event.name]
        for part in event.parts:
            yield from ((name, span) for name in _called_from_own_place(terms_in(part)))
            if isinstance(part, ir.AblePart) or (isinstance(part, ir.GoingPart) and part.kind in _FROM_OWN_PLACE):
                yield part.form, span


def _called_from_own_place(terms: Iterable[Term]) -> Iterator[str]:
    for part in (inner for term in terms for inner in subterms(term)):
        if isinstance(part, Call) and len(part.args) > 1 and part.args[1] == Const(None, part.args[1].type):
            yield part.head
        elif isinstance(part, Result) and START not in dict(part.roles):
            yield part.form
