"""Checks over the effects of events: fields set to two values at once, and events without effect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from titm_rules.diagnostics import Span
from titm_rules.rules.always import AlwaysOf, known_of
from titm_rules.rules.cases import MAX_CASES, Cases, show_term
from titm_rules.rules.counting import never_holds
from titm_rules.rules.event_parts import RangePart
from titm_rules.rules.model import Effect, Event, Head, Statement, head_key
from titm_rules.rules.schema import Schema
from titm_rules.rules.spelling import spoken
from titm_rules.rules.terms import Field, Term

AssignedField = tuple[str, Term | None, str, Term | None]
_MEMBERS = "members"


def check_effects(heads: Mapping[str, Head], events: Mapping[str, Event], schema: Schema, always: AlwaysOf) -> None:
    """Check what events bring about; faults go to the schema."""
    for event in events.values():
        head = heads[head_key(event.name, "effects")]
        if not head.statements and not _never_happens(heads, event):
            schema.faults.add(
                f"`{event.name}` has no effect", schema.spans[event.name],
                "no clause says what comes of it, so it could happen without end",
                f"write `{event.name} sets ...`, `puts` or `removes` in a clause",
            )  # fmt: skip
        owned = {spec.name for spec in schema.records[event.situation].fields if spec.owns}
        groups: defaultdict[AssignedField, list[Statement]] = defaultdict(list)
        for statement in head.statements:
            groups[_place(statement.effect)].append(statement)
        for place, group in groups.items():
            if len({_value(statement.effect, owned) for statement in group}) > 1:
                _compare(head, event, place, group, owned, schema, always)


def _never_happens(heads: Mapping[str, Head], event: Event) -> bool:
    """Whether an edition bars an event altogether, or no clause gives it anything to range over."""
    bars = [s for word in ("start", "happen") for s in heads[head_key(event.name, word)].statements]
    wheres = [part.where for part in event.parts if isinstance(part, RangePart) and part.where is not None]
    empty = any(never_holds(heads, where) for where in wheres)
    return empty or any(statement.when is None for statement in bars)


def _place(effect: Effect | None) -> AssignedField:
    """Say what an effect changes: a field of the situation, or of the records that a term and a sweep name."""
    assert effect is not None
    if effect.op != "set" or effect.target is None:
        return effect.field, None, "", None
    return effect.field, effect.target, effect.var, effect.base


def _value(effect: Effect | None, owned: Collection[str]) -> object:
    """Say to what it changes it; what comes and goes in one of the lists of the situation does not clash."""
    assert effect is not None
    if effect.op == "set":
        return effect.value
    return _MEMBERS if effect.field in owned else effect.bindings


def _compare(
    head: Head,
    event: Event,
    place: AssignedField,
    group: list[Statement],
    owned: Collection[str],
    schema: Schema,
    always: AlwaysOf,
) -> None:
    """Look for a case in which statements set one place to different values."""
    rivals = [s for s in head.statements if any(one.clause in s.instead for one in group)]
    part = Head(
        head.key, head.params, head.type, head.mode, head.situation,
        tuple(dict.fromkeys((*group, *rivals))), head.lifts,
    )  # fmt: skip
    wheres = {one: one.effect.where if one.effect is not None else None for one in group}
    conditions = [*wheres.values(), *(s.when for s in part.statements), *(lift.when for lift in part.lifts)]
    known = known_of(head, always, schema)
    cases = Cases(schema.enums, schema.readings, [term for term in conditions if term is not None], known)
    if cases.number > MAX_CASES:
        return
    count = cases.counting(part)
    tests = {one: cases.test(where) for one, where in wheres.items()}
    for case in cases:
        found: dict[object, Statement] = {}
        for statement in count(case):
            if statement in tests and tests[statement](case):
                found.setdefault(_value(statement.effect, owned), statement)
        if len(found) > 1:
            one, other, *_ = found.values()
            _conflict(one, other, _shown(place), event, cases.show(case), schema)
            return


def _shown(place: AssignedField) -> str:
    field, target, _, _ = place
    return spoken(field) if target is None else show_term(Field(target, field, target.type))


def _conflict(one: Statement, other: Statement, place: str, event: Event, case: str, schema: Schema) -> None:
    also: tuple[Span, ...] = (other.span,) if other.span != one.span else ()
    schema.faults.add(
        f"{one.clause} and {other.clause} both set `{place}` in `{event.name}`, to different values", one.span,
        "both always count" if case == "always" else f"for example when {case}",
        f"let one say `instead of {other.clause if one.clause != other.clause else 'the other'}`", also,
    )  # fmt: skip
