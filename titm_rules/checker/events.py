"""Check events and the effects that clauses give them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from titm_rules.checker.consistency import MAX_CASES, Cases
from titm_rules.checker.expressions import BROKEN, ExpressionChecker, Scope, TypedName
from titm_rules.checker.wording import DefaultTexts, with_member
from titm_rules.diagnostics import Span
from titm_rules.ir import model as ir
from titm_rules.ir.applicability import FALSE, TRUE, every_of, negation
from titm_rules.ir.terms import (
    Arithmetic,
    Call,
    Compare,
    Const,
    Field,
    Just,
    Member,
    Quantified,
    Root,
    Template,
    Term,
    Var,
    rebuild,
    subterms,
)
from titm_rules.ir.types import ERROR, FLAG, NUMBER, PLACE, TEXT, Type, amount, attribute, hyphenated
from titm_rules.syntax import ast

STOPS = "stops"
EFFECTS = Type("effects")
FACES = Type("set", NUMBER.kind)


@dataclass
class _Draft:
    """An event while its parts are checked: the scope of the next part, and the names bound so far.

    It is `lost` if an unknown view leaves the scope of the further parts unknown.
    """

    scope: Scope
    parts: list[ir.EventPart] = field(default_factory=list)
    params: list[TypedName] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    lost: bool = False


class EventChecker:
    """Checks events, and opens their heads; faults go to the schema."""

    def __init__(self, checker: ExpressionChecker, views: Mapping[str, ir.View], texts: DefaultTexts) -> None:
        self.checker, self.schema, self.forms, self.views = checker, checker.schema, checker.forms, views
        self.texts = texts
        self.events: dict[str, ir.Event] = {}
        self.walks: dict[str, ast.WalkDecl] = {}
        self.refs: list[ast.Word] = []  # the clauses that events name

    def event(self, decl: ast.EventDecl) -> None:
        if not self.schema.declare(decl.name):
            return
        situation = self.schema.situation(decl.situation, decl.name)
        draft = _Draft(Scope(situation, {}))
        for part in decl.parts:
            if not draft.lost:
                self._part(part, draft)
        actor = None
        if decl.actor is not None:
            actor = self.checker.term(decl.actor, Scope(situation, dict(draft.params)))
            if actor.type.kind not in ("enum", "error"):
                why = f"this is a {actor.type}"
                self.schema.fault("the actor must be a value of a type", decl.actor.span, why, "name a side")
        self.refs.extend(decl.refs)
        event = ir.Event(
            decl.name.text, situation, actor, tuple(draft.parts), tuple(draft.params), tuple(draft.open),
            decl.otherwise, tuple(ref.text for ref in decl.refs),
        )  # fmt: skip
        span, rolls = decl.name.span, any(isinstance(part, ast.RollsFor | ast.Throws) for part in decl.parts)
        if actor is None and rolls:
            self.schema.fault(f"`{event.name}` rolls dice without an actor", span, fix="write `by ...`")
        if actor is not None and event.otherwise:
            why = "an `otherwise` event is automatic"
            self.schema.fault(f"`{event.name}` cannot have an actor", span, why, "remove `otherwise` or `by ...`")
        self.events[event.name] = event
        self.checker.open(event.name, (), situation, {"start": "bar"})
        self.checker.open(event.name, event.params, situation, {"happen": "bar"})
        names = (*event.params, *_dice_names(decl, event.params))
        self.checker.open(event.name, names, situation, {"effects": "effects"}, EFFECTS)

    def _refusal(self, part: ast.ForEach, scope: Scope) -> Template:
        """Word that a member does not satisfy the condition of a range."""
        if part.where is None:
            return ()
        condition = with_member(part.where, part.name.text)
        return self.texts.text(ast.Expr("negation", (condition,), part.span), scope)

    def open_situations(self) -> set[str]:
        """Open the heads that bar a beginning or an end of a game; return the subjects of sentences about games."""
        situations = {event.situation for event in self.events.values()}
        for situation in sorted(situations):
            self.checker.open(situation, (), situation, {ir.BEGIN: "bar", ir.END: "bar"})
        return situations | set(self.events)

    # Parts: each adds the names that it binds.

    def _part(self, part: ast.EventPartDecl, draft: _Draft) -> None:
        match part:
            case ast.ForEach(name=word):
                base = self.checker.list_of(part.base, draft.scope)
                member = self.schema.member(base.type)
                self._bind(draft, part.span, word.text, member)
                where = self.checker.condition(part.where, draft.scope) if part.where is not None else None
                refusal = self._refusal(part, draft.scope)
                draft.parts.append(ir.RangePart(word.text, member, base, where, part.first, refusal))
            case ast.GivenDecl():
                [(name, ptype)] = self.schema.params([part.param])
                if ptype.kind not in ("flag", "enum"):
                    if ptype != ERROR:
                        self.schema.fault("a flag or a value of a type is needed here", part.span, f"this is a {ptype}")
                    ptype = ERROR
                self._bind(draft, part.span, name, ptype)
                draft.parts.append(ir.GivenPart(name, ptype))
            case ast.Condition(condition=condition, says=says):
                wording = self.checker.template(says, draft.scope)
                draft.parts.append(ir.ConditionPart(self.checker.condition(condition, draft.scope), wording))
            case ast.Let(name=word):
                value = self.checker.term(part.value, draft.scope)
                self._bind(draft, part.span, word.text, value.type, choice=False)
                draft.parts.append(ir.LetPart(word.text, value))
            case ast.AbleTo(route=word):
                route = self.checker.form(word, ir.Route)
                if route is not None:
                    bindings = self.checker.bindings(route, part.bindings, draft.scope, word.span)
                    draft.parts.append(ir.AblePart(route.name, bindings))
            case ast.Going():
                self._going(part, draft)
            case ast.Selects(selection=word):
                form = self.checker.form(word, ir.Selection)
                if form is not None:
                    bindings = self.checker.bindings(form, part.bindings, draft.scope, word.span)
                    self._bind(draft, part.span, *form.picked)
                    draft.parts.append(ir.SelectPart(form.name, bindings))
            case ast.SeenAs():
                self._seen(part, draft)
            case ast.PicksOf():
                self._picking(part, draft)
            case ast.RollsFor():
                self._rolling(part, draft)
            case ast.Throws():
                self._throwing(part, draft)

    def _bind(self, draft: _Draft, span: Span, name: str, ptype: Type, choice: bool = True) -> None:
        """Add a name that clauses and later parts may use; the actor chooses its value if it is a `choice`."""
        if name in draft.scope.names:
            self.schema.refuse_rebinding(name, span)
            return
        draft.params.append((name, ptype))
        if choice:
            draft.open.append(name)
        it = draft.scope.it if ptype.kind in ("flag", "enum", "number") else name
        draft.scope = replace(draft.scope, names={**draft.scope.names, name: ptype}, it=it)

    def walk(self, decl: ast.WalkDecl) -> None:
        """Note a walk; it is checked in each event that steps, halts or closes it."""
        if not self.schema.declare(decl.name):
            return
        route = self.checker.form(decl.route, ir.Route)
        if route is not None and route.simple:
            self.schema.fault(
                f"`{route.name}` cannot be walked step by step", decl.route.span,
                "it visits no place twice, and a game does not record the places that a mover has visited",
                "ask for whole paths",
            )  # fmt: skip
        self.walks[decl.name.text] = decl

    def _going(self, part: ast.Going, draft: _Draft) -> None:
        """Check a part in which the mover of a walk steps, halts or closes its route."""
        walk = self.walks.get(part.walk.text)
        if walk is None:
            why = "no walk has this name"
            self.schema.unknown(f"unknown walk `{part.walk.text}`", part.walk, self.walks, why)
            return
        route = self.checker.form(walk.route, ir.Route)
        if route is None:
            return
        counting = replace(route, given=(*route.given, *route.tallied))
        own = {binding.name.text for binding in part.bindings}
        given = (*(binding for binding in walk.bindings if binding.name.text not in own), *part.bindings)
        bindings = self.checker.bindings(counting, given, draft.scope, part.walk.span)
        at = self.checker.of_type(walk.at, draft.scope, PLACE)
        spent = self.checker.of_type(walk.spent, draft.scope, route.price)
        if walk.stopped is not None and part.kind == "steps":
            moves_on = negation(self.checker.condition(walk.stopped, draft.scope))
            draft.parts.append(ir.ConditionPart(moves_on, (), route.name))
        draft.parts.append(ir.GoingPart(part.kind, route.name, at, spent, bindings))
        if part.kind == "steps":
            self._bind(draft, part.span, route.entered, PLACE)
            self._bind(draft, part.span, *route.crossing)
            for name, ptype in ((ir.PRICE, route.price), (STOPS, FLAG), *route.tallied):
                self._bind(draft, part.span, name, ptype, choice=False)
        elif part.kind == "closes":
            if not route.closing:
                fix = "write `closed by NAME` in the route"
                self.schema.fault(f"`{route.name}` has no closing action", part.walk.span, fix=fix)
            self._bind(draft, part.span, ir.PRICE, route.price, choice=False)

    def _seen(self, part: ast.SeenAs, draft: _Draft) -> None:
        name = part.view
        view = self.views.get(name.text)
        if view is None or view.situation != draft.scope.situation or len(view.params) != 1:
            why = "no view of this situation has this name and one parameter"
            self.schema.unknown(f"unknown view `{name.text}`", name, self.views, why)
            draft.lost = True
            return
        of = self.checker.of_type(part.of, draft.scope, view.params[0][1])
        names = dict(draft.scope.names)
        for known, ptype in names.items():
            if ptype.kind == "record" and ptype.name in view.twins:
                names[known] = replace(ptype, name=view.twins[ptype.name])
        draft.scope = Scope(view.name, names)
        draft.parts.append(ir.ViewPart(view.name, of))

    def _picking(self, part: ast.PicksOf, draft: _Draft) -> None:
        form = self.checker.form(part.allocation, ir.Allocation)
        if form is None:
            return
        bindings = self.checker.bindings(form, part.bindings, draft.scope, part.allocation.span)
        view = self.views.get(draft.scope.situation)
        originals = {twin: name for name, twin in view.twins.items()} if view is not None else {}
        picked = [
            (name, replace(ptype, name=originals.get(ptype.name, ptype.name)))
            for name, ptype in ((form.target,) if form.chooser is None else (form.chooser, form.target))
        ]
        for name, ptype in picked:
            self._bind(draft, part.span, name, ptype)
        keeper, target = picked[0][1], picked[-1][1]
        kept = self._kept(part.kept, keeper, target if form.chooser is not None else NUMBER)
        draft.parts.append(ir.PickPart(form.name, bindings, keeper, kept, target))

    def _kept(self, word: ast.Word, keeper: Type, expected: Type) -> str:
        """Check the field that records a pick: the target of a chooser, or how often a target was picked."""
        kept = attribute(word.text)
        record = self.schema.records.get(keeper.name)
        if record is None:
            return kept
        spec = record.named(kept)
        if spec is None:
            known = [hyphenated(spec.name) for spec in record.fields]
            self.schema.unknown(f"a {record.name} has no `{word.text}`", word, known, "a field has to record the pick")
        elif spec.type.kind != expected.kind or (
            expected.name and not (spec.type.optional and spec.type.name == expected.name)
        ):
            fix = f"declare it as {f'{expected.name} or nothing' if expected.name else 'number'}"
            self.schema.fault(f"`{word.text}` cannot record the pick", word.span, f"it is a {spec.type}", fix)
        return kept

    def _rolling(self, part: ast.RollsFor, draft: _Draft) -> None:
        roll = self.checker.term(part.roll, draft.scope)
        if not (isinstance(roll, Call) and isinstance(self.forms.get(roll.head), ir.Roll)):
            if roll is not BROKEN:
                self.schema.fault("a roll is needed here", part.span, f"this is a {roll.type}")
            return
        self._refuse_second_throw(part, draft)
        count = self.checker.of_type(part.count, draft.scope, NUMBER) if part.count is not None else None
        thrown = "" if part.thrown is None else self._faces(part.thrown, draft)
        draft.parts.append(ir.RollPart(roll, count, thrown))

    def _throwing(self, part: ast.Throws, draft: _Draft) -> None:
        self._refuse_second_throw(part, draft)
        die = self.schema.dice.get(part.die.text)
        if die is None:
            self.schema.unknown(f"unknown die `{part.die.text}`", part.die, self.schema.dice, "no die has this name")
            return
        count = self.checker.of_type(part.count, draft.scope, NUMBER)
        draft.parts.append(ir.ThrowPart(count, self._faces(part.thrown, draft), *die))

    def _refuse_second_throw(self, part: ast.RollsFor | ast.Throws, draft: _Draft) -> None:
        if any(isinstance(other, ir.RollPart | ir.ThrowPart) for other in draft.parts):
            self.schema.fault("an event rolls dice only once", part.span, fix="declare another event for this roll")

    def _faces(self, word: ast.Word, draft: _Draft) -> str:
        """Check the name of the faces, which only effects may use."""
        if word.text == ir.SUCCESSES or word.text in draft.scope.names:
            self.schema.refuse_rebinding(word.text, word.span)
        return word.text


def _dice_names(decl: ast.EventDecl, params: tuple[TypedName, ...]) -> Iterator[TypedName]:
    """Yield the names that only effects may use: the number of successes, and the faces."""
    for part in decl.parts:
        if isinstance(part, ast.RollsFor):
            yield ir.SUCCESSES, NUMBER
        if isinstance(part, ast.RollsFor | ast.Throws) and part.thrown is not None:
            name = part.thrown.text
            if name != ir.SUCCESSES and name not in dict(params):
                yield name, FACES


# Effects: the sentences of clauses that set, put or remove.


def check_effect_sentence(
    sentence: ast.EffectSentence, checker: ExpressionChecker, scope: Scope
) -> Iterator[ir.Effect]:
    """Check a sentence that sets, puts or removes; yield its sound effects."""
    sweep = sentence.sweep
    if sweep is None:
        yield from _EffectChecker(checker, scope).effects(sentence)
        return
    base = checker.list_of(sweep.base, scope)
    inner = checker.inner(sweep.name.text, base, scope, sweep.name.span)
    where = checker.condition(sweep.where, inner) if sweep.where is not None else None
    for effect in _EffectChecker(checker, inner).effects(sentence):
        yield replace(effect, var=sweep.name.text, base=base, where=where)


class _EffectChecker:
    """Checks the effects of one sentence, in the names of its event and its sweep."""

    def __init__(self, checker: ExpressionChecker, scope: Scope) -> None:
        self.checker, self.schema, self.scope = checker, checker.schema, scope
        situation = self.schema.records.get(scope.situation)
        self.fields = {spec.name: spec for spec in situation.fields} if situation is not None else {}

    def effects(self, sentence: ast.EffectSentence) -> Iterator[ir.Effect]:
        effects: list[ir.Effect | None]
        match sentence:
            case ast.Sets(assignments=assignments):
                effects = [self._assignment(target, value) for target, value in assignments]
            case ast.Puts():
                effects = [self._put(sentence)]
            case ast.Removes():
                effects = [self._removal(sentence)]
        yield from (effect for effect in effects if effect is not None)

    def _assignment(self, target: ast.Expr, value: ast.Expr) -> ir.Effect | None:
        term = self.checker.term(target, self.scope)
        if value.args[:1] == (target,) and term.type.kind not in ("number", "error"):
            self.schema.fault("only a number is raised or lowered", target.span, f"this is a {term.type}")
            return None
        if isinstance(term, Root):
            spec = self.fields[term.field]
            # Records come and go one by one, so a field that holds them whole can only be emptied.
            if value.op != "nothing" and (spec.owns or self._is_inline(spec.type)):
                what, why = f"`{hyphenated(spec.name)}` cannot be set", "it contains its records"
                self.schema.fault(what, target.span, why, "write `puts`, `removes` or `sets ... to nothing`")
                return None
            return ir.Effect("set", spec.name, None, self._value(value, spec))
        if isinstance(term, Field):
            specs = self._specs(term)
            if self._is_settable(term, specs, target.span):
                return ir.Effect("set", term.field, term.base, self._value(value, specs[0]))
        elif term.type.kind != "error":
            why, fix = f"this is a computed {term.type}", "name a field of a record or of the situation"
            self.schema.fault("only a field can be set", target.span, why, fix)
        return None

    def _is_settable(self, term: Field, specs: list[ir.FieldSpec], span: Span) -> bool:
        base, name = term.base.type, hyphenated(term.field)
        records = self._records(base)
        if base.kind == "set":
            fix = "write `sets for each NAME in LIST, ...`"
            self.schema.fault("only one record can be set at a time", span, f"this is a {base}", fix)
        elif len(specs) < len(records):
            self.schema.fault(f"not every place has `{name}`", span, fix="name a place of one kind")
        elif term.field == "id" or term.type.kind == "pair":
            self.schema.fault(f"`{name}` cannot be set", span, "it identifies the record")
        elif not records or not all(self._is_kept(record) for record in records):
            why = "only records in a list of the situation can change"
            self.schema.fault(f"a {self.scope.situation} has no list of {base}", span, why)
        else:
            return True
        return False

    def _value(self, value: ast.Expr, spec: ir.FieldSpec) -> Term:
        if value.op == "nothing" and spec.type.kind == "set" and not spec.type.optional:
            return Const((), spec.type)
        term = self.checker.of_type(value, self.scope, spec.type)
        low, high = spec.type.low, spec.type.high
        number = term.value if isinstance(term, Const) and isinstance(term.value, int) else None
        if number is not None and low is not None and high is not None and not low <= number <= high:
            number, low, high = (amount(spec.type.measure, bound) for bound in (number, low, high))
            self.schema.fault(f"{number} is out of range", value.span, f"the range is {low} to {high}")
        return term

    def _put(self, sentence: ast.Puts) -> ir.Effect | None:
        """Check `puts RECORD in LIST with FIELD = ...`, where LIST may also be a field that contains such a record."""
        word, into = sentence.record, sentence.into
        record = self.schema.records.get(word.text)
        if record is None:
            why = "no record has this name"
            self.schema.unknown(f"unknown record `{word.text}`", word, self.schema.records, why)
            return None
        spec = self.fields.get(attribute(into.text))
        if spec is None or spec.type.name != record.name or not (spec.owns or self._is_inline(spec.type)):
            known = [hyphenated(spec.name) for spec in self.fields.values() if spec.type.name == record.name]
            why = f"no field with this name contains a {record.name}"
            self.schema.unknown(f"nothing can be put in `{into.text}`", into, known, why)
            return None
        if record.is_bare:
            self.schema.fault(f"a {record.name} cannot be put", word.span, "it has no id", "give it another field")
            return None
        bindings = self._bindings(sentence.bindings, record)
        if sentence.like is not None:
            bindings = {**self._like(sentence.like, record), **bindings}
        required = [spec.name for spec in record.fields if spec.default == ir.MISSING and not spec.same_as]
        if record.has_id and "id" not in required:
            required.insert(0, "id")
        missing = [hyphenated(name) for name in required if name not in bindings]
        if missing:
            what, why = f"a {record.name} needs {', '.join(missing)}", "only fields with a default may be left out"
            self.schema.fault(what, word.span, why, "write `with NAME = ...`")
        return ir.Effect("put", spec.name, record=record.name, bindings=tuple(bindings.items()))

    def _like(self, other: ast.Expr, record: ir.RecordSpec) -> dict[str, Term]:
        """Return the fields of a new record that another one has too, of the same type."""
        term = self.checker.term(other, self.scope)
        specs = {spec.name: spec for record in self._records(term.type) for spec in record.fields}
        if not specs:
            if term.type != ERROR:
                self.schema.fault("a record is needed here", other.span, f"this is a {term.type}")
            return {}
        same = {spec.name: spec for spec in record.fields if spec.name in specs and _is_same(specs[spec.name], spec)}
        own = {"id": Field(term, "id", TEXT)} if record.has_id else {}
        return {**own, **{name: Field(term, name, spec.type) for name, spec in same.items() if name != "id"}}

    def _bindings(self, bindings: tuple[ast.Binding, ...], record: ir.RecordSpec) -> dict[str, Term]:
        specs = {spec.name: spec for spec in record.fields}
        terms: dict[str, Term] = {}
        for binding in bindings:
            word, name = binding.name, attribute(binding.name.text)
            if name in terms:
                self.schema.fault(f"`{word.text}` appears twice", word.span, fix="remove one of them")
            elif name in specs:
                terms[name] = self._value(binding.value, specs[name])
            elif name == "id" and record.has_id:
                terms[name] = self.checker.of_type(binding.value, self.scope, TEXT)
            else:
                known = map(hyphenated, specs)
                self.schema.unknown(f"a {record.name} has no `{word.text}`", word, known, "no field has this name")
        return terms

    def _removal(self, sentence: ast.Removes) -> ir.Effect | None:
        word = sentence.source
        spec = self.fields.get(attribute(word.text))
        if spec is None or not spec.owns or not self._is_kept(self.schema.records[spec.type.name]):
            known = [hyphenated(spec.name) for spec in self.fields.values() if spec.owns]
            why = "it is not a list of records with ids"
            self.schema.unknown(f"nothing can be removed from `{word.text}`", word, known, why)
            return None
        member = self.schema.member(spec.type)
        return ir.Effect("remove", spec.name, self.checker.of_type(sentence.member, self.scope, member))

    def _records(self, base: Type) -> list[ir.RecordSpec]:
        """List the records that a value may be; of the kinds of places, those that the situation has."""
        records = self.schema.records
        if base.kind == "place":
            return [record for record in records.values() if record.role == "place" and self._is_kept(record)]
        return [records[base.name]] if base.name in records else []

    def _specs(self, term: Field) -> list[ir.FieldSpec]:
        identity = ir.FieldSpec("id", "id", TEXT)
        declared = [{"id": identity} | {s.name: s for s in record.fields} for record in self._records(term.base.type)]
        return [specs[term.field] for specs in declared if term.field in specs]

    def _is_inline(self, ftype: Type) -> bool:
        """Whether values of a type are records that are contained in a field, and in no list."""
        return ftype.kind == "record" and not self._is_kept(self.schema.records[ftype.name])

    def _is_kept(self, record: ir.RecordSpec) -> bool:
        """Whether the situation has a list of such records, which have ids."""
        has_list = any(spec.owns and spec.type.name == record.name for spec in self.fields.values())
        return record.has_id and not record.is_bare and has_list


def _is_same(spec: ir.FieldSpec, other: ir.FieldSpec) -> bool:
    return (spec.type.kind, spec.type.name, spec.owns) == (other.type.kind, other.type.name, False)


# Sentences of the course of play on how long fields keep their values.


class KeepsChecker:
    """Turns `keeps` sentences into effects that set fields back to their defaults, and bars of what cannot be.

    A field that is kept `while` a condition holds has its default in every other situation. If it is a field of the
    situation, every event that ends the condition sets it back; a field of a record is set back by the sentences of
    events. A field that is kept `until` an event is set back by it.
    """

    def __init__(self, checker: ExpressionChecker, events: Mapping[str, ir.Event]) -> None:
        self.checker, self.schema, self.events = checker, checker.schema, events

    def until(self, sentence: ast.KeepsUntil, section: str) -> Iterator[tuple[str, ir.Statement]]:
        """Yield the effect that sets a field back, with its head."""
        event = self.events.get(sentence.event.text)
        if event is None:
            self.schema.unknown(f"unknown event `{sentence.event.text}`", sentence.event, self.events)
            return
        owner = self.schema.records[event.situation]
        base = target = None
        if sentence.record is not None:
            found = self._list_of(sentence.record, [owner])
            if found is None:
                return
            _, base, target = found
            owner = self.schema.records[target.type.name]
        spec, value = self._spec(sentence.subject, [owner]), None
        if spec is not None:
            value = self._default(spec, sentence.subject, target)
        if spec is not None and value is not None:
            key = ir.head_key(event.name, "effects")
            scope = Scope(event.situation, dict(self.checker.heads[key].params))
            when = None if sentence.when is None else self.checker.condition(sentence.when, scope)
            effect = ir.Effect("set", spec.name, target, value, var=target.name if target else "", base=base)
            yield key, ir.Statement(section, when, None, "", (), sentence.span, effect)

    def during(
        self, sentence: ast.KeepsWhile, section: str, said: Mapping[str, list[ir.Statement]]
    ) -> Iterator[tuple[str, ir.Statement]]:
        """Yield the bar of what cannot be, and the effects that set a field back; `said` are all other effects."""
        played = [self.schema.records[name] for name in sorted({event.situation for event in self.events.values()})]
        if sentence.record is not None:
            yield from self._of_records(sentence, sentence.record, section, played)
            return
        spec = self._spec(sentence.subject, played)
        default = None if spec is None else self._default(spec, sentence.subject, None)
        if spec is None or default is None or sentence.when is None:
            return
        owner = next(record.name for record in played if record.named(spec.name) is spec)
        condition = self.checker.condition(sentence.when, Scope(owner, {}))
        kept = Root(spec.name, spec.type)
        given = _differs(kept, default)
        says = (f"{hyphenated(spec.name)} is ", kept) if spec.type.kind != "flag" else (hyphenated(spec.name),)
        when = every_of([given, negation(condition)])
        yield ir.head_key(owner, ir.BEGIN), ir.Statement(section, when, None, "", (), sentence.span, None, says)
        reads = {part.field for part in subterms(condition) if isinstance(part, Root)}
        for event in self.events.values():
            key = ir.head_key(event.name, "effects")
            for one in said.get(key, ()) if event.situation == owner else ():
                effect = one.effect
                if effect is not None and effect.op == "set" and effect.target is None and effect.field in reads:
                    ends = negation(_with_value(condition, effect.field, effect.value))
                    when = every_of([*([] if one.when is None else [one.when]), condition, ends])
                    if self._can_hold(when):
                        reset = ir.Effect("set", spec.name, None, default)
                        yield key, ir.Statement(section, when, None, "", (), sentence.span, reset)

    def _of_records(
        self, sentence: ast.KeepsWhile, record: ast.Word, section: str, played: Sequence[ir.RecordSpec]
    ) -> Iterator[tuple[str, ir.Statement]]:
        """Yield the bar of records that have a field where the condition does not hold."""
        found = self._list_of(record, played)
        if found is None or sentence.when is None:
            return
        owner, base, each = found
        spec = self._spec(sentence.subject, [self.schema.records[each.type.name]])
        default = None if spec is None else self._default(spec, sentence.subject, each)
        if spec is not None and default is not None:
            scope = Scope(owner, {each.name: each.type})
            condition = self.checker.condition(with_member(sentence.when, each.name), scope)
            body = every_of([_differs(Field(each, spec.name, spec.type), default), negation(condition)])
            when = Quantified("some", each.name, base, None, body, FLAG)
            yield ir.head_key(owner, ir.BEGIN), ir.Statement(section, when, None, "", (), sentence.span)

    def _list_of(self, record: ast.Word, owners: Iterable[ir.RecordSpec]) -> tuple[str, Root, Var] | None:
        """Find the situation that owns a list of such records: its name, the list, and each member."""
        lists = {
            spec.type.name: (owner.name, Root(spec.name, spec.type))
            for owner in owners for spec in owner.fields if spec.owns
        }  # fmt: skip
        if record.text not in lists:
            what, why = f"no list of `{record.text}`", "no situation that is played has a list of such records"
            self.schema.unknown(what, record, lists, why)
            return None
        owner, base = lists[record.text]
        member = self.schema.member(base.type)
        return owner, base, Var(f"each-{member.name}", member)

    def _can_hold(self, when: Term) -> bool:
        """Whether a condition holds in some case, as far as there are few cases."""
        cases = Cases(self.schema.enums, self.schema.readings, [when])
        return cases.number > MAX_CASES or any(map(cases.test(when), cases))

    def _spec(self, word: ast.Word, owners: list[ir.RecordSpec]) -> ir.FieldSpec | None:
        known = {hyphenated(spec.name): spec for owner in reversed(owners) for spec in owner.fields}
        if word.text not in known:
            why = f"{' and '.join(owner.name for owner in owners)} have no such field"
            self.schema.unknown(f"unknown field `{word.text}`", word, known, why)
        return known.get(word.text)

    def _default(self, spec: ir.FieldSpec, word: ast.Word, owner: Term | None) -> Term | None:
        """Return the default of a field as a term; a fault if it has none."""
        value = spec.default
        if owner is not None and len(spec.same_as) == 1:
            return Field(owner, attribute(spec.same_as[0]), spec.type)
        if value == ir.MISSING:
            why, fix = "nothing says to which value it is set back", "write `default ...` where it is declared"
            self.schema.fault(f"`{word.text}` has no default", word.span, why, fix)
            return None
        if spec.type.kind == "set":
            return Const((), spec.type)
        if spec.type.kind == "enum" and isinstance(value, str):
            return Const(self.schema.enums[spec.type.name].texts.index(value), spec.type)
        assert value is None or isinstance(value, bool | int | str)
        return Const(value, spec.type)


def _differs(value: Term, default: Term) -> Term:
    """Return the condition that a field does not have its default."""
    if value.type.kind == "set":
        return Compare(">", Quantified("count", "", value, None, None, NUMBER), Const(0, NUMBER), FLAG)
    return Compare("!=", value, default, FLAG)


def _with_value(term: Term, field: str, value: Term | None) -> Term:
    """Put the value that a field gets in its place, and decide what is constant then."""
    if isinstance(term, Root) and term.field == field and value is not None:
        return value
    term = rebuild(term, lambda part: _with_value(part, field, value))
    match term:
        case Compare(op="==" | "!=" as op, left=Const(value=left), right=Const(value=right)):
            return TRUE if (left == right) is (op == "==") else FALSE
        case Compare(op="==" | "!=" as op, left=left, right=Const(value=None)) if not left.type.optional:
            return TRUE if op == "!=" else FALSE
        case Compare(op=">", left=Quantified(op="count", base=Const(value=()))):
            return FALSE
        case Compare(op=">", left=Quantified(op="count", base=Arithmetic(op="+", right=Just()))):
            return TRUE
        case Member(left=Const(value=left), choices=choices) if all(isinstance(one, Const) for one in choices):
            return TRUE if any(left == one.value for one in choices if isinstance(one, Const)) else FALSE
    return term
