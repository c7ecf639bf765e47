"""The fields that the engine itself looks at: where a piece stands, what a connection joins, the id of a thing.

It knows these three by name; every other field means only what clauses make of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from titm_rules.diagnostics import Span
from titm_rules.rules.event_parts import AblePart, GoingPart
from titm_rules.rules.model import MISSING, Event, FieldSpec, Head, Question, RecordSpec, Route
from titm_rules.rules.rests import part_terms, question_terms, sentence_terms
from titm_rules.rules.schema import Schema
from titm_rules.rules.terms import START, Call, Const, Result, Term, subterms
from titm_rules.rules.types import Type
from titm_rules.syntax.declarations import Declaration, RecordDecl

IDENTITY, PLACE, ENDS = "id", "place", "ends"
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
    if record.role == "connection" and ENDS not in specs:
        schema.faults.add(f"a connection needs a field `{ENDS}`", where, JOINS, f"write `{ENDS}: pair of place`")
    checks: list[tuple[str, Sound, str, str]] = [(IDENTITY, _is_identity, NAMES, "text")]
    if record.role == "piece":
        checks.append((PLACE, _is_place, STANDS, "place"))
    if record.role == "connection":
        checks.append((ENDS, _is_ends, JOINS, "pair of place"))
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
                f"`{name}` is asked from where its mover stands, and this record has no field `{PLACE}`",
                f"ask it `from` a place, or declare `{PLACE}: place`",
            )  # fmt: skip


def _stands(schema: Schema, mover: Type) -> bool:
    record = schema.records.get(mover.name)
    return record is None or (record.role == "piece" and any(spec.name == PLACE for spec in record.fields))


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
