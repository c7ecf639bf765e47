"""Dependency graph: the fields, constants and readings that each rule reads (its footprint).

An answer depends on heads, and these on other heads, on forms, views, readings and fields. Code that
has to know what an answer can depend on (a comparison, an explanation, a check, the memo of a compiled engine)
asks here:

    dependencies_of(model).of_question(model.questions["check_path"]).clauses
    dependencies_of(model).of_head("move.step").fields
    dependencies_of(model).of_event(model.events["advance"]).readings

A basis is complete: what is not in it cannot change the answer. It may name more than one answer
needs, since it is worked out from the rules alone and not from a situation. The reference engine works
without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from titm_rules.diagnostics import Frozen
from titm_rules.ir.applicability import condition
from titm_rules.ir.model import (
    NOBODY,
    AblePart,
    Allocation,
    Always,
    Answer,
    ConditionPart,
    Effect,
    Event,
    EventPart,
    FieldSpec,
    Form,
    GoingPart,
    Head,
    LetPart,
    Lift,
    Model,
    PickPart,
    Question,
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
from titm_rules.ir.terms import (
    CHOSEN,
    Apply,
    Call,
    Const,
    Field,
    Picks,
    Quantified,
    Result,
    Root,
    Standing,
    Term,
    Touching,
    Var,
    children,
    subterms,
)
from titm_rules.ir.types import Type

# A field, by the record that has it; a field of a situation belongs to the record of that situation.
FieldOf = tuple[str, str]
PLACE, ENDS = "place", "ends"
TRACE, ABLE, CHOICES, RESULT, SHOTS, ALL = "trace", "able", "choices", "result", "shots", "all"
_STEPS = ("start", "step", "stop", "end", "cost", "points")
# The words of a route that each way to ask it looks at; `closing` and `interruption` stand for the
# words of the action that the route names so.
_WORDS: Mapping[str, tuple[str, ...]] = {
    TRACE: ("step", "stop", "end", "cost", "points", "goal"),
    "ends": _STEPS,
    RESULT: _STEPS,
    CHOICES: _STEPS,
    "cost": _STEPS,
    "steps": _STEPS,
    "halts": _STEPS,
    "path": (*_STEPS, "interruption", "closing"),
    "closings": (*_STEPS, "closing"),
    "closes": (*_STEPS, "closing"),
    ABLE: (*_STEPS, "closing"),
    ALL: (*_STEPS, "goal", "interruption", "closing"),
}


class Footprint(Frozen):
    """Everything that something depends on, directly or through definitions, forms and views.

    Attributes:
        heads: keys of heads, those of forms among them (`move.step`).
        forms: routes, allocations, selections and rolls that are asked.
        views: views in which something is asked.
        readings: ambiguities whose reading is asked for.
        fields: fields that are looked at, each with its record or situation.
        picks: the kinds of thing of which it is asked how often one was picked so far.
        clauses: the clauses that say something of one of the heads, or take it away.
    """

    heads: frozenset[str]
    forms: frozenset[str]
    views: frozenset[str]
    readings: frozenset[str]
    fields: frozenset[FieldOf]
    picks: frozenset[str]
    clauses: frozenset[str]

    def of(self, record: str) -> frozenset[str]:
        """Name the fields of one record, or of a situation, that are looked at."""
        return frozenset(name for owner, name in self.fields if owner == record)


class ObservableParts(Frozen):
    """What there is to be seen while something is decided, in everything that it depends on.

    Attributes:
        lifts: heads from which exceptions may take something away.
        traces: routes that are traced.
        finds: records that are found to satisfy a condition.
    """

    lifts: bool
    traces: bool
    finds: bool


@dataclass
class _Found:
    """What a walk has come upon: names to follow, each once and in order, and what needs no following."""

    heads: dict[str, None] = field(default_factory=dict)
    asks: dict[tuple[str, str], None] = field(default_factory=dict)  # forms, with how each is asked
    views: dict[str, None] = field(default_factory=dict)
    readings: set[str] = field(default_factory=set)
    fields: set[FieldOf] = field(default_factory=set)
    picks: set[str] = field(default_factory=set)

    def add(self, other: _Found) -> None:
        self.heads |= other.heads
        self.asks |= other.asks
        self.views |= other.views
        self.readings |= other.readings
        self.fields |= other.fields
        self.picks |= other.picks


class DependencyGraph:
    """Says of everything in some rules what it depends on.

    Args:
        heads: what clauses decide, by key.
        forms: the forms behind them.
        records: the records and situations whose fields are looked at.
        views: the views that events use.
    """

    def __init__(
        self,
        heads: Mapping[str, Head],
        forms: Mapping[str, Form],
        records: Mapping[str, RecordSpec],
        views: Mapping[str, View] | None = None,
    ) -> None:
        self._heads, self._forms, self._records, self._views = heads, forms, records, views or {}
        self._of_heads: dict[str, _Found] = {}
        self._bases: dict[object, Footprint] = {}  # of heads and forms that were asked for
        self._asking: dict[Term, bool] = {}
        self._shown: dict[str, ObservableParts] = {}
        self._shown_by: dict[str, tuple[ObservableParts, ...]] = {}
        self._of_questions: dict[str, tuple[Question, Footprint]] = {}

    # ------------------------------------------------------------------ asking
    def of_head(self, key: str) -> Footprint:
        """List what a head depends on; it is itself among the heads."""
        if key not in self._bases:
            self._bases[key] = self.of_heads([key])
        return self._bases[key]

    def of_heads(self, keys: Iterable[str]) -> Footprint:
        """Say what some heads rest on together."""
        return self._closed(_Found(dict.fromkeys(keys)))

    def of_form(self, name: str, ask: str = ALL) -> Footprint:
        """List what a form depends on when it is asked in one way; default: in any.

        Args:
            name: the form.
            ask: for a route trace, or what a question or the part of an event asks it; for an
                allocation choices, or shots for what its dice do as well.
        """
        if (name, ask) not in self._bases:
            self._bases[name, ask] = self._closed(_Found(asks={(name, ask): None}))
        return self._bases[name, ask]

    def of_terms(self, terms: Iterable[Term], situation: str) -> Footprint:
        """Say what some terms about a situation rest on."""
        return self._closed(self._in_terms(terms, situation))

    def picks_of(self, terms: Iterable[Term]) -> frozenset[str]:
        """Name the kinds of thing of which some terms ask how often one was picked so far."""
        found = _Found()
        for part in (inner for term in terms for inner in subterms(term)):
            if isinstance(part, Picks):
                found.picks.add(part.target.type.name or part.target.type.kind)
            elif isinstance(part, Call):
                found.heads[part.head] = None
        return self._closed(found).picks

    def asks(self, term: Term) -> bool:
        """Whether a term asks for anything but facts of the situation: for a definition, or the result of a form."""
        if isinstance(term, Call | Result):
            return True
        known = self._asking.get(term)
        if known is None:
            known = self._asking[term] = any(map(self.asks, children(term)))
        return known

    def shown(self, key: str) -> ObservableParts:
        """List what is visible to an observer while a head is decided."""
        if key not in self._shown:
            heads = [self._heads[one] for one in self.of_head(key).heads]
            finds = any(self._finds(term) for head in heads for term in head_terms(head))
            lifts, traces = any(head.lifts for head in heads), any(head.mode == "route" for head in heads)
            self._shown[key] = ObservableParts(lifts, traces, finds)
        return self._shown[key]

    def shown_in(self, term: Term) -> ObservableParts:
        """As `shown`, of a term; what a route looks at shows itself to nobody."""
        called = [part.head for part in subterms(term) if isinstance(part, Call)]
        shown = [self.shown(key) for key in called if self._heads[key].mode != "route"]
        return ObservableParts(
            any(one.lifts for one in shown),
            len(shown) < len(called) or any(one.traces for one in shown),
            self._finds(term) or any(one.finds for one in shown),
        )

    def shown_by(self, key: str) -> tuple[ObservableParts, ...]:
        """As `shown`, of the condition of each statement of a head."""
        if key not in self._shown_by:
            self._shown_by[key] = tuple(self.shown_in(condition(one)) for one in self._heads[key].statements)
        return self._shown_by[key]

    def _finds(self, term: Term) -> bool:
        return any(isinstance(part, Quantified) and part.op == "some" for part in subterms(term))

    def of_question(self, question: Question) -> Footprint:
        """List what the answer to a question depends on."""
        known = self._of_questions.get(question.name)
        if known is None or known[0] is not question:  # it may be that of another edition
            known = self._of_questions[question.name] = question, self._of_question(question)
        return known[1]

    def _of_question(self, question: Question) -> Footprint:
        found = self._in_terms(question_terms(question), question.situation)
        if question.form:
            found.asks[question.form, question.ask] = None
        found.asks |= dict.fromkeys((form, CHOICES) for form in answer_forms(question.answers))
        types = {spec.name: spec.type for spec in question.inputs}
        for spec in question.inputs:
            self._same_as(found, spec, types)
        return self._closed(found)

    def of_event(self, event: Event) -> Footprint:
        """Say what it depends on whether an event can happen, who can choose what in it, and what comes of it."""
        found = self._in_terms([event.actor] if event.actor is not None else [], event.situation)
        found.heads |= dict.fromkeys(head_key(event.name, word) for word in ("start", "happen", "effects"))
        situation = event.situation
        for part in event.parts:
            found.add(self._in_part(part, situation, event.situation))
            situation = part.view if isinstance(part, ViewPart) else situation
        return self._closed(found)

    def of_view(self, name: str) -> Footprint:
        """Say what the fields of a view rest on."""
        return self._closed(_Found(views={name: None}))

    def of_answers(self, answers: Iterable[tuple[str, Answer]], situation: str) -> Footprint:
        """Say what some answers rest on, such as a summary of a situation."""
        return self._closed(self._in_terms(answer_terms(answers), situation))

    def of_clause(self, number: str) -> Footprint:
        """Say what the sentences of a clause ask, not what else is said of the heads that it speaks of."""
        found = _Found()
        for head in self._heads.values():
            said = [one for one in head.sentences if one.clause == number]
            found.add(self._in_terms((term for one in said for term in sentence_terms(one)), head.situation))
        return self._closed(found)

    # ------------------------------------------------------------------ one step at a time
    def asked_by(self, key: str) -> tuple[str, ...]:
        """Name the heads that a head asks itself, in order; through a form: the heads of that form."""
        found = self._in_head(key)
        behind = [inner for ask in found.asks for inner in self._in_form(*ask).heads]
        return tuple(dict.fromkeys((*found.heads, *behind)))

    def writes(self, event: Event) -> frozenset[FieldOf]:
        """Name the fields that an event may change; of a list that gains or loses records, the list."""
        head = self._heads[head_key(event.name, "effects")]
        effects = [one.effect for one in head.statements if one.effect is not None]
        return frozenset(place for effect in effects for place in self._written(effect, event.situation))

    # ------------------------------------------------------------------ following
    def _closed(self, found: _Found) -> Footprint:
        """Follow every name that was found until nothing is new."""
        heads, asks, views = list(found.heads), list(found.asks), list(found.views)
        while heads or asks or views:
            if heads:
                new = self._in_head(heads.pop())
            else:
                new = self._in_form(*asks.pop()) if asks else self._in_view(views.pop())
            heads += [key for key in new.heads if key not in found.heads]
            asks += [ask for ask in new.asks if ask not in found.asks]
            views += [view for view in new.views if view not in found.views]
            found.add(new)
        clauses = {one.clause for key in found.heads for one in self._heads[key].sentences} - {NOBODY}
        return Footprint(
            frozenset(found.heads), frozenset(name for name, _ in found.asks), frozenset(found.views),
            frozenset(found.readings), frozenset(found.fields), frozenset(found.picks), frozenset(clauses),
        )  # fmt: skip

    def _in_head(self, key: str) -> _Found:
        found = self._of_heads.get(key)
        if found is None:
            head = self._heads[key]
            found = self._of_heads[key] = self._in_terms(head_terms(head), head.situation)
            if key in self._forms:  # a route or a roll whose result is asked for
                found.asks[key, TRACE] = None
        return found

    def _in_form(self, name: str, ask: str) -> _Found:
        form = self._forms[name]
        match form:
            case Route():
                return self._in_route(form, ask)
            case Roll():
                return _Found(dict.fromkeys(head_key(name, word) for word in ("try", "factor", "adds")))
            case Selection():
                terms = [form.members] if form.rank is None else [form.members, form.rank]
                found = self._in_terms(terms, form.situation)
            case Allocation():
                found = self._in_terms(_allocation_terms(form, ask), form.situation)
        found.heads[head_key(name, "choose")] = None
        return found

    def _in_route(self, route: Route, ask: str) -> _Found:
        found = self._in_terms(route.ranks, route.situation)
        counters = [name for name, _ in route.counters]
        closes = route.ranks or (ask in ("steps", "halts") and self._closing_counts(route))
        for word in dict.fromkeys((*_WORDS[ask], *(("closing",) if closes else ()))):
            action = {"closing": route.closing, "interruption": route.interruption}.get(word)
            words = ["try", "cost", *(counters if word == "closing" else ())]
            keys = [head_key(route.name, word)] if action is None else [head_key(action, one) for one in words]
            found.heads |= dict.fromkeys(keys if action != "" else ())
        found.heads |= dict.fromkeys(head_key(route.name, counter) for counter in counters)
        crossed = route.crossing[1].name
        found.fields |= {(crossed, ENDS), (route.mover[1].name, PLACE)}
        if "interruption" in _WORDS[ask] and route.interruption:
            found.fields.add((crossed, route.interruption_field))
        if ask in ("halts", "closes") and route.interruption_noted:  # who was interrupted may not have left
            found.fields.add((route.situation, route.interruption_noted))
        for other in self._forms.values() if ask == TRACE else ():
            # A trace is judged in the situation before a move that was interrupted.
            if isinstance(other, Route) and other.situation == route.situation and other.interruption_noted:
                found.fields |= {
                    (other.situation, other.interruption_noted), (other.crossing[1].name, other.interruption_field),
                }  # fmt: skip
        return found

    def _closing_counts(self, route: Route) -> bool:
        """Whether the closing action of a route counts anything: then it may let a route end where it may not else."""
        heads = (self._heads[head_key(route.closing, name)] for name, _ in route.counters) if route.closing else ()
        return any(head.statements for head in heads)

    def _in_view(self, name: str) -> _Found:
        view = self._views[name]
        return self._in_terms(answer_terms(view.answers), view.situation)

    def _in_part(self, part: EventPart, situation: str, outer: str) -> _Found:
        """Look at a part of an event that is asked in a situation; what is seen is named from outside."""
        found = self._in_terms(part_terms(part), outer if isinstance(part, ViewPart) else situation)
        match part:
            case ViewPart(view=view):
                found.views[view] = None
            case AblePart(form=form):
                found.asks[form, ABLE] = None
            case GoingPart(form=form, kind=kind):
                found.asks[form, kind] = None
            case SelectPart(form=form):
                found.asks[form, CHOICES] = None
            case PickPart(form=form, keeper=keeper, kept=kept):
                found.asks[form, CHOICES] = None
                found.fields.add((keeper.name, kept))
        return found

    # ------------------------------------------------------------------ terms and fields
    def _in_terms(self, terms: Iterable[Term], situation: str) -> _Found:
        found = _Found()
        for part in (inner for term in terms for inner in subterms(term)):
            match part:
                case Call(head=key):
                    found.heads[key] = None
                case Result(form=form) if form in self._forms:
                    found.asks[form, RESULT] = None
                case Var(name=name, type=Type(kind="reading")):
                    found.readings.add(name)
                case Apply(op=op, args=(Const(value=str(name)),)) if op == CHOSEN:
                    found.readings.add(name)
                case Root(field=name):
                    self._look(found, situation, name)
                case Field(base=base, field=name):
                    for owner in self._owners(base.type, name):
                        self._look(found, owner, name)
                case Picks(target=target):
                    found.picks.add(target.type.name or target.type.kind)
                case Standing(base=base):
                    found.fields.add((base.type.name, PLACE))
                case Touching(base=base):
                    found.fields.add((base.type.name, ENDS))
        return found

    def _look(self, found: _Found, owner: str, name: str) -> None:
        """Note a field, and the one whose value it has where a situation leaves it out."""
        if (owner, name) in found.fields:
            return
        found.fields.add((owner, name))
        spec = next((one for one in self._records[owner].fields if one.name == name), None)
        if spec is not None and spec.same_as:
            self._look(found, owner, spec.same_as[0])

    def _same_as(self, found: _Found, spec: FieldSpec, types: Mapping[str, Type]) -> None:
        """Note the fields on the way to what an input is where it is left out."""
        if not spec.same_as:
            return
        *names, first = spec.same_as
        at = types.get(first)
        for name in reversed(names):
            owners = self._owners(at, name) if at is not None else []
            for owner in owners:
                self._look(found, owner, name)
            specs = [one for owner in owners for one in self._records[owner].fields if one.name == name]
            at = specs[0].type if specs else None

    def _owners(self, base: Type, name: str) -> list[str]:
        """Name the records that a value of a type may be, of those that have a field."""
        if base.name in self._records:
            return [base.name]
        places = [record for record in self._records.values() if record.role == "place"]
        return [record.name for record in places if any(one.name == name for one in record.fields)]

    def _written(self, effect: Effect, situation: str) -> Iterator[FieldOf]:
        if effect.target is None or effect.op != "set":
            yield situation, effect.field
        else:
            yield from ((owner, effect.field) for owner in self._owners(effect.target.type, effect.field))
        if effect.op == "remove" and effect.target is not None:
            gone = effect.target.type.name  # whatever names a record that is gone lets go of it
            for record in self._records.values():
                yield from ((record.name, one.name) for one in record.fields if one.type.name == gone)


def dependencies_of(model: Model) -> DependencyGraph:
    """Return the dependency graph of the rules of a model; models that differ in readings alone share it."""
    return model.by_rules.get(
        DependencyGraph, lambda: DependencyGraph(model.heads, model.forms, model.records, model.views)
    )


def sentence_terms(sentence: Statement | Lift) -> Iterator[Term]:
    """Yield the terms of a sentence: its condition, its value, what it brings about."""
    if sentence.when is not None:
        yield sentence.when
    if isinstance(sentence, Statement):
        if sentence.value is not None:
            yield sentence.value
        if sentence.effect is not None:
            yield from _effect_terms(sentence.effect)


def head_terms(head: Head) -> Iterator[Term]:
    """Yield the terms of all that clauses say of a head."""
    for sentence in head.sentences:
        yield from sentence_terms(sentence)


def always_terms(said: Always) -> Iterator[Term]:
    """Yield the terms of what always holds, and of the words for it."""
    yield from (
        term for term in (said.base, said.condition, *said.says) if term is not None and not isinstance(term, str)
    )


def answer_terms(answers: Iterable[tuple[str, Answer]]) -> Iterator[Term]:
    """Yield the terms of some answers, nested ones too."""
    for _, answer in answers:
        parts = (answer.term, answer.base, answer.where, answer.when, *(term for _, term in answer.bindings))
        yield from (term for term in parts if term is not None)
        yield from answer_terms(answer.parts)


def answer_forms(answers: Iterable[tuple[str, Answer]]) -> Iterator[str]:
    """Name the forms whose choices some answers list, nested ones too."""
    for _, answer in answers:
        if answer.form:
            yield answer.form
        yield from answer_forms(answer.parts)


def question_terms(question: Question) -> Iterator[Term]:
    """Yield the terms that a question binds or answers."""
    yield from (term for _, term in (*question.gaps, *question.bindings))
    yield from (term for _, term, _ in question.refusals)
    yield from answer_terms(question.answers)


def part_terms(part: EventPart) -> Iterator[Term]:
    """Yield the terms of a part of an event."""
    terms: tuple[Term | None, ...] = ()
    match part:
        case RangePart(base=base, where=where):
            terms = (base, where)
        case ConditionPart(condition=condition):
            terms = (condition,)
        case LetPart(value=value):
            terms = (value,)
        case GoingPart(at=at, spent=spent):
            terms = (at, spent)
        case ViewPart(of=of):
            terms = (of,)
        case RollPart(roll=roll, count=count):
            terms = (roll, count)
        case ThrowPart(count=count):
            terms = (count,)
    yield from (term for term in terms if term is not None)
    if isinstance(part, AblePart | GoingPart | SelectPart | PickPart):
        yield from (term for _, term in part.bindings)


def form_terms(form: Form) -> Iterator[Term]:
    """Yield the terms that a form holds: what it ranges over, and what its dice do."""
    match form:
        case Allocation():
            yield from _allocation_terms(form, ALL)
        case Selection():
            yield from (term for term in (form.members, form.rank) if term is not None)
        case Route():
            yield from form.ranks


def _allocation_terms(form: Allocation, ask: str) -> Iterator[Term]:
    yield from (term for term in (form.choosers, form.targets, form.order) if term is not None)
    if form.shot is not None and ask in (SHOTS, ALL):
        yield from (form.shot.dice, form.shot.roll, form.shot.left, form.shot.loss)


def _effect_terms(effect: Effect) -> Iterator[Term]:
    for term in (effect.target, effect.value, effect.base, effect.where):
        if term is not None:
            yield term
    yield from (value for _, value in effect.bindings)
