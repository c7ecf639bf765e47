"""Check events and the effects that clauses give them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from titm_rules.checker.case_analysis import MAX_CASES, AlwaysOf, Cases, known_of, show_term
from titm_rules.checker.expressions import BROKEN, Checker, Scope
from titm_rules.checker.questions import Questions
from titm_rules.checker.schema import Schema
from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.ir.applicability import never_holds
from titm_rules.ir.model import (
    BEGIN,
    END,
    MISSING,
    PRICE,
    SUCCESSES,
    AblePart,
    Allocation,
    Bindings,
    ConditionPart,
    Effect,
    Event,
    EventPart,
    FieldSpec,
    Form,
    GivenPart,
    GoingPart,
    Head,
    LetPart,
    PickPart,
    RangePart,
    RecordSpec,
    Roll,
    RollPart,
    Route,
    Selection,
    SelectPart,
    Statement,
    ThrowPart,
    View,
    ViewPart,
    head_key,
)
from titm_rules.ir.terms import Call, Const, Field, Root, Term
from titm_rules.ir.types import ERROR, FLAG, NUMBER, PLACE, TEXT, Type, amount, attribute, hyphenated
from titm_rules.syntax.ast import (
    AbleTo,
    Binding,
    Condition,
    EffectSentence,
    EventDecl,
    EventPartDecl,
    Expr,
    ForEach,
    GivenDecl,
    Going,
    Let,
    PicksOf,
    Puts,
    Removes,
    RollsFor,
    SeenAs,
    Selects,
    Sets,
    Throws,
    Word,
)

# ---------------------------------------------------------------------- effect checks
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
    return hyphenated(field) if target is None else show_term(Field(target, field, target.type))


def _conflict(one: Statement, other: Statement, place: str, event: Event, case: str, schema: Schema) -> None:
    also: tuple[Span, ...] = (other.span,) if other.span != one.span else ()
    schema.faults.add(
        f"{one.clause} and {other.clause} both set `{place}` in `{event.name}`, to different values", one.span,
        "both always count" if case == "always" else f"for example when {case}",
        f"let one say `instead of {other.clause if one.clause != other.clause else 'the other'}`", also,
    )  # fmt: skip


# ---------------------------------------------------------------------- effects
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
        self._fault(f"`{hyphenated(spec.name)}` holds its records whole", target.span,
                    "records come and go one by one", "write `puts`, `removes`, or `sets ... to nothing`")  # fmt: skip
        return False

    def _field_is_settable(self, found: Field, specs: list[FieldSpec], target: Expr) -> bool:
        base = found.base.type
        records = self._records(base)
        if base.kind == "set":
            return self._fault("only one record can be set at a time", target.span, f"this is a {base}",
                               "write `sets for each NAME in LIST, ...`")  # fmt: skip
        if len(specs) < len(records):
            return self._fault(f"not every place has `{hyphenated(found.field)}`", target.span,
                               "it could not be set where it is missing", "name a place of one kind")  # fmt: skip
        if found.field == "id" or found.type.kind == "pair":
            return self._fault(f"`{hyphenated(found.field)}` cannot be set", target.span,
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
                            did_you_mean(word.text, map(hyphenated, specs)))  # fmt: skip
        return list(found.items())

    def _need_all(self, record: RecordSpec, given: set[str], word: Word) -> None:
        needed = [spec.name for spec in record.fields if spec.default == MISSING and not spec.same_as]
        if self._has_id(record) and "id" not in needed:
            needed.insert(0, "id")
        missing = [hyphenated(name) for name in needed if name not in given]
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
        self._fault(what, word.span, why, did_you_mean(word.text, [hyphenated(spec.name) for spec in known]))

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


# ---------------------------------------------------------------------- events
STOPS = "stops"
EFFECTS = Type("effects")
FACES = Type("set", NUMBER.kind)
Typed = tuple[str, Type]
F = TypeVar("F", Route, Allocation, Selection)


@dataclass
class _Draft:
    """An event in the making: where its next part is asked, and the names known so far.

    It is `lost` if nobody knows where its further parts are asked.
    """

    scope: Scope
    parts: list[EventPart] = field(default_factory=list)
    params: list[Typed] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    lost: bool = False

    def bind(self, name: str, wanted: Type, choice: bool) -> None:
        """Add a name that clauses and later parts may use."""
        self.params.append((name, wanted))
        if choice:
            self.open.append(name)
        self.scope = replace(self.scope, names={**self.scope.names, name: wanted})


@dataclass
class Events:
    """Checks events, and opens their heads."""

    schema: Schema
    checker: Checker
    forms: dict[str, Form]
    questions: Questions
    views: Mapping[str, View]
    events: dict[str, Event] = field(default_factory=dict)

    # ------------------------------------------------------------------ events
    def event(self, decl: EventDecl) -> None:
        """Check an event and open its heads."""
        if not self.schema.declare(decl.name):
            return
        situation = self.schema.situation(decl.situation)
        draft = _Draft(Scope(situation, {}))
        for part in decl.parts:
            if draft.lost:
                break
            self._part(part, draft)
        actor = self._actor(decl.actor, situation, draft) if decl.actor is not None else None
        event = Event(
            decl.name.text, situation, actor, tuple(draft.parts), tuple(draft.params), tuple(draft.open), decl.otherwise
        )
        self._who_acts(event, decl.name, any(isinstance(part, RollsFor | Throws) for part in decl.parts))
        self.events[event.name] = event
        self._head(event, "start", (), "bar")
        self._head(event, "happen", event.params, "bar")
        self._head(event, "effects", (*event.params, *_of_dice(decl, event.params)), "effects")

    def played(self) -> set[str]:
        """Open the heads that say which situations no game may begin or end with; name what is said of games."""
        situations = {event.situation for event in self.events.values()}
        for situation in sorted(situations):
            for word in (BEGIN, END):
                key = head_key(situation, word)
                self.checker.heads[key] = Head(key, (), FLAG, "bar", situation)
        return situations | set(self.events)

    def _actor(self, expr: Expr, situation: str, draft: _Draft) -> Term:
        """Check who acts; every name of the event may tell."""
        actor = self.checker.term(expr, Scope(situation, dict(draft.params)))
        if actor.type.kind not in ("enum", "error"):
            self._fault("who acts is a value of a type", expr.span, f"this is a {actor.type}",
                        "name a field or definition that tells the side")  # fmt: skip
        return actor

    def _who_acts(self, event: Event, name: Word, rolls: bool) -> None:
        """Refuse dice that nobody rolls, and an event that somebody has to choose and that waits for no choice."""
        if event.actor is None and rolls:
            self._fault(f"nobody rolls for `{event.name}`", name.span, "who rolls has to act", "write `by ...`")
        if event.actor is not None and event.otherwise:
            self._fault(f"`{event.name}` cannot wait for a side", name.span,
                        "what happens otherwise happens by itself", "leave out `otherwise` or `by ...`")  # fmt: skip

    def _part(self, part: EventPartDecl, draft: _Draft) -> None:
        """Check a part, and add it with the names that it brings."""
        match part:
            case ForEach():
                self._ranging(part, draft)
            case GivenDecl():
                self._given(part, draft)
            case Condition(condition=condition, says=says):
                told = self.checker.template(says, draft.scope)
                draft.parts.append(ConditionPart(self.checker.condition(condition, draft.scope), told))
            case Let():
                self._let(part, draft)
            case AbleTo():
                self._able(part, draft)
            case Going():
                self._going(part, draft)
            case Selects():
                self._selects(part, draft)
            case SeenAs():
                self._seen(part, draft)
            case PicksOf():
                self._picking(part, draft)
            case RollsFor():
                self._rolling(part, draft)
            case Throws():
                self._throwing(part, draft)

    def _head(self, event: Event, word: str, params: tuple[Typed, ...], mode: str) -> None:
        key = head_key(event.name, word)
        rtype = EFFECTS if mode == "effects" else FLAG
        self.checker.heads[key] = Head(key, params, rtype, mode, event.situation)

    # ------------------------------------------------------------------ what it ranges over
    def _ranging(self, part: ForEach, draft: _Draft) -> None:
        base = self.checker.list_of(part.base, draft.scope)
        var, member = part.name.text, self.schema.member(base.type)
        self._bind(draft, part.span, var, member)
        where = self.checker.condition(part.where, draft.scope) if part.where is not None else None
        draft.parts.append(RangePart(var, member, base, where, part.first))

    def _given(self, part: GivenDecl, draft: _Draft) -> None:
        name, wanted = part.param.name.text, self.schema.resolve(part.param.type)
        if wanted.kind not in ("flag", "enum"):
            if wanted != ERROR:
                self._fault("what is given here is a flag or a value of a type", part.span, f"this is a {wanted}")
            wanted = ERROR
        self._bind(draft, part.span, name, wanted)
        draft.parts.append(GivenPart(name, wanted))

    def _let(self, part: Let, draft: _Draft) -> None:
        value = self.checker.term(part.value, draft.scope)
        self._bind(draft, part.span, part.name.text, value.type, choice=False)
        draft.parts.append(LetPart(part.name.text, value))

    # ------------------------------------------------------------------ how a mover goes on
    def _able(self, part: AbleTo, draft: _Draft) -> None:
        route = self._form(part.route, Route)
        if route is not None:
            draft.parts.append(AblePart(route.name, self._bindings(part.bindings, route, draft, part.route)))

    def _going(self, part: Going, draft: _Draft) -> None:
        """Check a part that asks a route how its mover goes on, and what it binds."""
        route = self._form(part.route, Route)
        if route is None:
            return
        counting = replace(route, given=(*route.given, *route.tallied))
        bindings = self._bindings(part.bindings, counting, draft, part.route)
        self._can_go(route, part.route)
        at = self.checker.of_type(part.at, draft.scope, PLACE)
        spent = self.checker.of_type(part.spent, draft.scope, route.price)
        draft.parts.append(GoingPart(part.kind, route.name, bindings, at, spent))
        if part.kind == "steps":
            self._bind(draft, part.span, route.entered, PLACE)
            self._bind(draft, part.span, *route.crossing)
            self._bind(draft, part.span, PRICE, route.price, choice=False)
            self._bind(draft, part.span, STOPS, FLAG, choice=False)
            for tallied in route.tallied:
                self._bind(draft, part.span, *tallied, choice=False)
        elif part.kind == "closes":
            self._closing(route, part.route)
            self._bind(draft, part.span, PRICE, route.price, choice=False)

    def _can_go(self, route: Route, word: Word) -> None:
        if route.simple:
            self._fault(f"`{route.name}` cannot be walked step by step", word.span,
                        "it visits no place twice, and a game does not keep the places that a mover came through",
                        "ask for whole paths")  # fmt: skip

    def _closing(self, route: Route, word: Word) -> None:
        if not route.closing:
            self._fault(f"`{route.name}` has no closing", word.span, "nothing is done at its end",
                        "write `closed by NAME` in the route")  # fmt: skip

    # ------------------------------------------------------------------ choices and dice
    def _selects(self, part: Selects, draft: _Draft) -> None:
        form = self._form(part.selection, Selection)
        if form is not None:
            bindings = self._bindings(part.bindings, form, draft, part.selection)
            self._bind(draft, part.span, *form.picked)
            draft.parts.append(SelectPart(form.name, bindings))

    def _seen(self, part: SeenAs, draft: _Draft) -> None:
        name = part.view
        view = self.views.get(name.text)
        if view is None or view.situation != draft.scope.situation or len(view.params) != 1:
            self._fault(f"unknown view `{name.text}`", name.span, "no view shows this situation so",
                        did_you_mean(name.text, self.views))  # fmt: skip
            draft.lost = True
            return
        of = self.checker.of_type(part.of, draft.scope, view.params[0][1])
        names = {known: self._twin(view, wanted) for known, wanted in draft.scope.names.items()}
        draft.scope = Scope(view.name, names)
        draft.parts.append(ViewPart(view.name, of))

    def _twin(self, view: View, wanted: Type) -> Type:
        twin = view.twins.get(wanted.name)
        return replace(wanted, name=twin) if wanted.kind == "record" and twin is not None else wanted

    def _picking(self, part: PicksOf, draft: _Draft) -> None:
        form = self._form(part.allocation, Allocation)
        if form is None:
            return
        bindings = self._bindings(part.bindings, form, draft, part.allocation)
        view = self.views.get(draft.scope.situation)
        back = {twin: name for name, twin in view.twins.items()} if view is not None else {}
        bound = [one for one in (form.chooser, form.target) if one is not None]
        bound = [(name, replace(wanted, name=back.get(wanted.name, wanted.name))) for name, wanted in bound]
        for name, wanted in bound:
            self._bind(draft, part.span, name, wanted)
        keeper, target = bound[0][1], bound[-1][1]
        kept = self._kept(part.kept, keeper, target if form.chooser is not None else NUMBER)
        draft.parts.append(PickPart(form.name, bindings, keeper, kept, target))

    def _kept(self, word: Word, keeper: Type, wanted: Type) -> str:
        """Check the field that keeps what was picked: the target of a chooser, or how often a target was picked."""
        kept = attribute(word.text)
        record = self.schema.records.get(keeper.name)
        if record is None:
            return kept
        spec = next((one for one in record.fields if one.name == kept), None)
        if spec is None:
            self._fault(f"a {record.name} has no `{word.text}`", word.span, "what was picked is kept in a field",
                        did_you_mean(word.text, [hyphenated(one.name) for one in record.fields]))  # fmt: skip
        elif spec.type.kind != wanted.kind or (
            wanted.name and not (spec.type.optional and spec.type.name == wanted.name)
        ):
            what = f"{wanted.name} or nothing" if wanted.name else "number"
            self._fault(f"`{word.text}` cannot keep this", word.span, f"it is a {spec.type}", f"declare it as {what}")
        return kept

    def _rolling(self, part: RollsFor, draft: _Draft) -> None:
        roll = self.checker.term(part.roll, draft.scope)
        if not (isinstance(roll, Call) and isinstance(self.forms.get(roll.head), Roll)):
            if roll is not BROKEN:
                self._fault("a roll is needed here", part.span, f"this is a {roll.type}")
            return
        self._once(part, draft)
        count = self.checker.of_type(part.count, draft.scope, NUMBER) if part.count is not None else None
        thrown = "" if part.thrown is None else self._thrown(part.thrown, draft)
        draft.parts.append(RollPart(roll, count, thrown))

    def _throwing(self, part: Throws, draft: _Draft) -> None:
        self._once(part, draft)
        die = self.schema.dice.get(part.die.text)
        if die is None:
            self._fault(f"unknown die `{part.die.text}`", part.die.span, "the vocabulary declares no such die",
                        did_you_mean(part.die.text, self.schema.dice))  # fmt: skip
            return
        count = self.checker.of_type(part.count, draft.scope, NUMBER)
        draft.parts.append(ThrowPart(count, self._thrown(part.thrown, draft), *die))

    def _once(self, part: RollsFor | Throws, draft: _Draft) -> None:
        if any(isinstance(one, RollPart | ThrowPart) for one in draft.parts):
            self._fault("an event rolls once", part.span, "its effects know one throw of dice",
                        "let another event roll")  # fmt: skip

    def _thrown(self, word: Word, draft: _Draft) -> str:
        """Check the name of the faces, which only effects know."""
        if word.text == SUCCESSES or word.text in draft.scope.names:
            self._fault(f"`{word.text}` already stands for something else", word.span,
                        "a name has one meaning at a time", "take another name")  # fmt: skip
        return word.text

    # ------------------------------------------------------------------ small things
    def _bind(self, draft: _Draft, span: Span, name: str, wanted: Type, choice: bool = True) -> None:
        if name in draft.scope.names:
            self._fault(f"`{name}` already stands for something else", span,
                        "a name has one meaning at a time", "take another name")  # fmt: skip
            return
        draft.bind(name, wanted, choice)

    def _bindings(self, written: tuple[Binding, ...], form: Form, draft: _Draft, where: Word) -> Bindings:
        return self.questions.bindings(written, form, draft.scope, where)

    def _form(self, word: Word, wanted: type[F]) -> F | None:
        form = self.forms.get(word.text)
        if isinstance(form, wanted):
            return form
        known = [name for name, one in self.forms.items() if isinstance(one, wanted)]
        self._fault(f"`{word.text}` cannot be asked this", word.span, "no form of this name has such an answer",
                    did_you_mean(word.text, known))  # fmt: skip
        return None

    def _fault(self, what: str, span: Span, why: str = "", fix: str = "") -> None:
        self.schema.faults.add(what, span, why, fix)


def _of_dice(decl: EventDecl, params: tuple[Typed, ...]) -> Iterator[Typed]:
    """Yield the names that only effects know: how many dice succeed, and the faces."""
    for part in decl.parts:
        if isinstance(part, RollsFor):
            yield SUCCESSES, NUMBER
        if isinstance(part, RollsFor | Throws) and part.thrown is not None:
            name = part.thrown.text
            if name != SUCCESSES and name not in dict(params):
                yield name, FACES
