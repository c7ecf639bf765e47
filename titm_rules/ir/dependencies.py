"""Dependency graph: the fields, constants and readings that each rule reads (its footprint).

An answer depends on heads, and these on other heads, on forms, views, readings and fields. Code that has to know what
an answer can depend on (a comparison, an explanation, a check, the memo of a compiled engine) asks here:

    dependencies_of(model).of_question(model.questions["check_path"]).clauses
    dependencies_of(model).of_head("move.step").fields
    dependencies_of(model).of_events(model.events.values()).readings

A footprint is complete: what is not in it cannot change the answer. It may name more than one answer needs, since it is
worked out from the rules alone and not from a situation. The reference engine works without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

from titm_rules.diagnostics import Frozen
from titm_rules.ir import model as ir
from titm_rules.ir.applicability import condition
from titm_rules.ir.terms import (
    CHOSEN,
    Apply,
    Call,
    Const,
    Field,
    Logic,
    Picks,
    Quantified,
    Result,
    Root,
    Standing,
    Term,
    Touching,
    Var,
    children,
    free_names,
    subterms,
    terms_in,
)
from titm_rules.ir.types import Type

# A field, by the record that has it; a field of a situation belongs to the record of that situation.
FieldOf = tuple[str, str]
# Something that is asked or looked at: its kind and name; of a form also how it is asked, of a field its record first.
_Item = tuple[Literal["head", "form", "view", "reading", "field", "picks"], str, str]
PLACE, ENDS = "place", "ends"
TRACE, ABLE, CHOICES, RESULT, SHOTS, ALL = "trace", "able", "choices", "result", "shots", "all"
_STEPS = ("start", "stay", "step", "stop", "end", "cost", "points")
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


class VariablesBehind(NamedTuple):
    """What decides which clauses a term depends on.

    Attributes:
        asks: whether it depends on any, so that it is not a fact of the situation.
        names: the variables whose values decide it.
        picks: whether the picks so far decide it too.
    """

    asks: bool
    names: tuple[str, ...]
    picks: bool


class DependencyGraph:
    """Says of everything in some rules what it depends on.

    Args:
        heads: what clauses decide, by key.
        forms: the forms behind them.
        records: the records and situations whose fields are looked at.
        views: the views that events use.
        base: the graph of other rules with the same records; what they share need not be followed again.
    """

    def __init__(
        self,
        heads: Mapping[str, ir.Head],
        forms: Mapping[str, ir.Form],
        records: Mapping[str, ir.RecordSpec],
        views: Mapping[str, ir.View] | None = None,
        base: DependencyGraph | None = None,
    ) -> None:
        self._heads, self._forms, self._records = heads, forms, records
        self._views = {} if views is None else views
        self._base = base if base is not None and self._goes_like(base) else None
        self._apart = frozenset[str]() if self._base is None else self._base.apart(heads)
        self._direct: dict[_Item, dict[_Item, None]] = {}
        self._footprints: dict[frozenset[_Item], Footprint] = {}
        self._asking: dict[Term, bool] = {}
        self._variables: dict[Term, VariablesBehind] = {}
        self._parameters: dict[str, tuple[str, ...]] = {}
        self._shown: dict[str, ObservableParts] = {}
        self._shown_by: dict[str, tuple[ObservableParts, ...]] = {}
        self._of_questions: dict[str, tuple[ir.Question, Footprint]] = {}

    def apart(self, heads: Mapping[str, ir.Head]) -> frozenset[str]:
        """Name the heads that are not the very same as those of the graph."""
        return frozenset(key for key in {**heads, **self._heads} if heads.get(key) is not self._heads.get(key))

    def _goes_like(self, other: DependencyGraph) -> bool:
        """Whether forms and views ask the same in the rules of another graph, so that only heads can be others."""
        routes = (form for form in self._forms.values() if isinstance(form, ir.Route))
        return (
            other._forms is self._forms
            and other._views is self._views
            and all(self._closing_counts(one) == other._closing_counts(one) for one in routes)
        )

    # ------------------------------------------------------------------ asking
    def of_head(self, key: str) -> Footprint:
        """List what a head depends on; it is itself among the heads."""
        return self._footprint(("head", key, ""))

    def of_heads(self, keys: Iterable[str]) -> Footprint:
        return self._closed(("head", key, "") for key in keys)

    def of_form(self, name: str, ask: str = ALL) -> Footprint:
        """List what a form depends on when it is asked in one way; default: in any.

        Args:
            name: the form.
            ask: for a route trace, or what a question or the part of an event asks it; for an
                allocation choices, or shots for what its dice do as well.
        """
        return self._footprint(("form", name, ask))

    def heads_of_form(self, name: str, ask: str) -> tuple[str, ...]:
        """Name the heads that a form looks at itself when it is asked in one way (see `of_form`)."""
        return tuple(key for kind, key, _ in self._behind(("form", name, ask)) if kind == "head")

    def of_view(self, name: str) -> Footprint:
        return self._footprint(("view", name, ""))

    def of_terms(self, terms: Iterable[Term], situation: str) -> Footprint:
        return self._closed(self._in_terms(terms, situation))

    def of_answers(self, answers: Iterable[tuple[str, ir.Answer]], situation: str) -> Footprint:
        """List what some answers depend on, such as a summary of a situation."""
        return self.of_terms(terms_in(tuple(answers)), situation)

    def picks_of(self, terms: Iterable[Term]) -> frozenset[str]:
        """Name the kinds of thing of which some terms ask, except through forms, how often one was picked so far."""
        return self._closed(item for item in self._in_terms(terms, "") if item[0] in ("head", "picks")).picks

    def asks(self, term: Term) -> bool:
        """Whether a term asks for anything but facts of the situation: for a definition, or the result of a form."""
        if isinstance(term, Call) or isinstance(term, Result):  # noqa: SIM101 -- a union would be made for each term
            return True
        known = self._asking.get(term)
        if known is None:
            known = self._asking[term] = any(map(self.asks, children(term)))
        return known

    def behind(self, term: Term) -> VariablesBehind:
        """Say what decides which clauses a term depends on."""
        found = self._variables.get(term)
        if found is None:
            asked = {part.name for part in subterms(term) if isinstance(part, Var) and part.type.kind == "reading"}
            names = () if self._is_fixed(term) else tuple(sorted(free_names(term) - asked))
            found = VariablesBehind(self.asks(term), names, bool(self.picks_of((term,))))
            self._variables[term] = found
        return found

    def parameters_behind(self, key: str) -> tuple[str, ...]:
        """Name the parameters of a head that its sentences ask for or speak of; of a bar, all of them."""
        if key not in self._parameters:
            head = self._heads[key]
            asked = frozenset().union(*map(free_names, terms_in(head.sentences, texts=True)))
            names = (name for name, _ in head.params if head.mode == "bar" or name in asked)
            self._parameters[key] = tuple(names)
        return self._parameters[key]

    def _is_fixed(self, term: Term) -> bool:
        """Whether a term depends on the same clauses, in the same words, whatever its variables are."""
        if not self.asks(term):
            return True
        if isinstance(term, Logic | Quantified | Result):
            return False
        return all(map(self._is_fixed, children(term))) and not (isinstance(term, Call) and self._varies(term.head))

    def _varies(self, key: str) -> bool:
        """Whether the clauses of a definition, or behind it, are others for other arguments."""
        head = self._heads[key]
        first, *others = head.statements or (None,)
        if head.mode != "value" or head.lifts or first is None or first.value is None:
            return True
        if any(each.clause != first.clause or each.instead or each.says or each.phrase for each in head.statements):
            return True
        facts = [part for each in head.statements for part in (each.when, each.value if others else None) if part]
        return any(map(self.asks, facts)) or not self._is_fixed(first.value)

    def shown(self, key: str) -> ObservableParts:
        """List what is visible to an observer while a head is decided."""
        if key not in self._shown:
            heads = [self._heads[one] for one in self.of_head(key).heads]
            lifts, traces = any(head.lifts for head in heads), any(head.mode == "route" for head in heads)
            self._shown[key] = ObservableParts(lifts, traces, any(_finds(head_terms(head)) for head in heads))
        return self._shown[key]

    def shown_in(self, term: Term) -> ObservableParts:
        """As `shown`, of a term; what a route looks at shows itself to nobody."""
        called = [part.head for part in subterms(term) if isinstance(part, Call)]
        shown = [self.shown(key) for key in called if self._heads[key].mode != "route"]
        return ObservableParts(
            any(one.lifts for one in shown),
            len(shown) < len(called) or any(one.traces for one in shown),
            _finds([term]) or any(one.finds for one in shown),
        )

    def shown_by(self, key: str) -> tuple[ObservableParts, ...]:
        """As `shown`, of the condition of each statement of a head."""
        if key not in self._shown_by:
            self._shown_by[key] = tuple(self.shown_in(condition(one)) for one in self._heads[key].statements)
        return self._shown_by[key]

    def of_question(self, question: ir.Question) -> Footprint:
        known = self._of_questions.get(question.name)
        if known is None or known[0] is not question:  # it may be that of another edition
            known = self._of_questions[question.name] = question, self._footprint(*self._in_question(question))
        return known[1]

    def of_events(self, events: Iterable[ir.Event]) -> Footprint:
        """List what it depends on whether some event can happen, who can choose what in it, and its effects."""
        return self._footprint(*(item for event in events for item in self._in_event(event)))

    def asked_by(self, key: str) -> tuple[str, ...]:
        """Name the heads that a head asks itself, in order; through a form: the heads of that form."""
        found = self._behind(("head", key, ""))
        heads = [item for item in found if item[0] == "head"]
        heads += [inner for item in found if item[0] == "form" for inner in self._behind(item) if inner[0] == "head"]
        return tuple(dict.fromkeys(name for _, name, _ in heads))

    # ------------------------------------------------------------------ following
    def _footprint(self, *items: _Item) -> Footprint:
        start = frozenset(items)
        if start not in self._footprints:
            self._footprints[start] = self._shared(start) or self._closed(start)
        return self._footprints[start]

    def _shared(self, start: frozenset[_Item]) -> Footprint | None:
        """Give the footprint that the base has of the same; nothing if a head in it is another one here."""
        if self._base is None or any(kind == "head" and name in self._apart for kind, name, _ in start):
            return None
        known = self._base._footprint(*start)
        return known if known.heads.isdisjoint(self._apart) else None

    def _closed(self, items: Iterable[_Item]) -> Footprint:
        """Follow every item until nothing is new."""
        found = set(items)
        pending = list(found)
        while pending:
            new = self._behind(pending.pop()).keys() - found
            found |= new
            pending += new
        heads, forms, views, readings, picks = (
            frozenset(name for kind, name, _ in found if kind == wanted)
            for wanted in ("head", "form", "view", "reading", "picks")
        )
        fields = frozenset((record, name) for kind, record, name in found if kind == "field")
        clauses = frozenset(one.clause for key in heads for one in self._heads[key].sentences) - {ir.NOBODY}
        return Footprint(heads, forms, views, readings, fields, picks, clauses)

    def _behind(self, item: _Item) -> dict[_Item, None]:
        """List what something asks and looks at itself, each once and in order."""
        if item not in self._direct:
            is_shared = item[0] == "field" or (item[0] == "head" and item[1] not in self._apart)
            known = self._base._behind(item) if self._base is not None and is_shared else None
            self._direct[item] = dict.fromkeys(self._in_item(*item)) if known is None else known
        return self._direct[item]

    def _in_item(self, kind: str, name: str, more: str) -> Iterator[_Item]:
        match kind:
            case "head":
                yield from self._in_terms(head_terms(self._heads[name]), self._heads[name].situation)
                if name in self._forms:  # a route or a roll whose result is asked for
                    yield "form", name, TRACE
            case "form":
                yield from self._in_form(self._forms[name], more)
            case "view":
                yield from self._in_terms(terms_in(self._views[name]), self._views[name].situation)
            case "field" if name in self._records:  # where a situation leaves it out, it has the value of another
                spec = next((one for one in self._records[name].fields if one.name == more), None)
                if spec is not None and spec.same_as:
                    yield "field", name, spec.same_as[0]

    def _in_form(self, form: ir.Form, ask: str) -> Iterator[_Item]:
        dice = ask in (SHOTS, ALL)
        whole = form if dice or not isinstance(form, ir.Allocation) else replace(form, shot=None)
        yield from self._in_terms(terms_in(whole), form.situation)
        match form:
            case ir.Route():
                yield from self._in_route(form, ask)
            case ir.Roll():
                yield from (("head", ir.head_key(form.name, word), "") for word in ("try", "factor", "adds"))
            case ir.Selection() | ir.Allocation():
                yield "head", ir.head_key(form.name, "choose"), ""

    def _in_route(self, route: ir.Route, ask: str) -> Iterator[_Item]:
        counters = [name for name, _ in route.counters]
        closes = route.ranks or (ask in ("steps", "halts") and self._closing_counts(route))
        for word in dict.fromkeys((*_WORDS[ask], *(("closing",) if closes else ()))):
            action = {"closing": route.closing, "interruption": route.interruption}.get(word)
            words = ["try", "cost", *(counters if word == "closing" else ())]
            keys = [ir.head_key(route.name, word)] if action is None else [ir.head_key(action, one) for one in words]
            yield from (("head", key, "") for key in keys if action != "")
        yield from (("head", ir.head_key(route.name, counter), "") for counter in counters)
        crossed = route.crossing[1].name
        yield from (("field", crossed, ENDS), ("field", route.mover[1].name, PLACE))
        if "interruption" in _WORDS[ask] and route.interruption:
            yield "field", crossed, route.interruption_field
        if ask in ("halts", "closes") and route.interruption_noted:  # who was interrupted may not have left
            yield "field", route.situation, route.interruption_noted
        for other in self._forms.values() if ask == TRACE else ():
            # A trace is judged in the situation before a move that was interrupted.
            if isinstance(other, ir.Route) and other.situation == route.situation and other.interruption_noted:
                yield "field", other.situation, other.interruption_noted
                yield "field", other.crossing[1].name, other.interruption_field

    def _closing_counts(self, route: ir.Route) -> bool:
        """Whether the closing action of a route counts anything: then it may let a route end where it may not else."""
        heads = (self._heads[ir.head_key(route.closing, name)] for name, _ in route.counters) if route.closing else ()
        return any(head.statements for head in heads)

    def _in_question(self, question: ir.Question) -> Iterator[_Item]:
        yield from self._in_terms(question_terms(question), question.situation)
        if question.form:
            yield "form", question.form, question.ask
        yield from (("form", form, CHOICES) for form in answer_forms(question.answers))
        types = {spec.name: spec.type for spec in question.inputs}
        for spec in question.inputs:
            yield from self._same_as(spec, types)

    def _same_as(self, spec: ir.FieldSpec, types: Mapping[str, Type]) -> Iterator[_Item]:
        """Yield the fields on the way to the value of an input that is left out."""
        at = types.get(spec.same_as[-1]) if spec.same_as else None
        for name in reversed(spec.same_as[:-1]):
            owners = self._owners(at, name) if at is not None else []
            yield from (("field", owner, name) for owner in owners)
            at = next((one.type for owner in owners for one in self._records[owner].fields if one.name == name), None)

    def _in_event(self, event: ir.Event) -> Iterator[_Item]:
        """Yield what an event asks; the parts behind a view ask the situation that it shows."""
        situation = event.situation
        yield from self._in_terms(terms_in(event.actor), situation)
        yield from (("head", ir.head_key(event.name, word), "") for word in ("start", "happen", "effects"))
        for part in event.parts:
            # The thing that is seen is named from outside.
            yield from self._in_terms(terms_in(part), event.situation if isinstance(part, ir.ViewPart) else situation)
            match part:
                case ir.ViewPart(view=view):
                    yield "view", view, ""
                    situation = view
                case ir.AblePart(form=form):
                    yield "form", form, ABLE
                case ir.GoingPart(form=form, kind=kind):
                    yield "form", form, kind
                case ir.SelectPart(form=form):
                    yield "form", form, CHOICES
                case ir.PickPart(form=form, keeper=keeper, kept=kept):
                    yield "form", form, CHOICES
                    yield "field", keeper.name, kept

    def _in_terms(self, terms: Iterable[Term], situation: str) -> Iterator[_Item]:
        for part in (inner for term in terms for inner in subterms(term)):
            match part:
                case Call(head=key):
                    yield "head", key, ""
                case Result(form=form) if form in self._forms:
                    yield "form", form, RESULT
                case Var(name=name, type=Type(kind="reading")):
                    yield "reading", name, ""
                case Apply(op=op, args=(Const(value=str(name)),)) if op == CHOSEN:
                    yield "reading", name, ""
                case Root(field=name):
                    yield "field", situation, name
                case Field(base=base, field=name):
                    yield from (("field", owner, name) for owner in self._owners(base.type, name))
                case Picks(target=target):
                    yield "picks", target.type.name or target.type.kind, ""
                case Standing(base=base):
                    yield "field", base.type.name, PLACE
                case Touching(base=base) | Apply(op="neighbours" | "distance", args=(*_, base)):
                    yield "field", base.type.name, ENDS

    def _owners(self, base: Type, name: str) -> list[str]:
        if base.name in self._records:
            return [base.name]
        places = [record for record in self._records.values() if record.role == "place"]
        return [record.name for record in places if any(one.name == name for one in record.fields)]


def dependencies_of(model: ir.Model) -> DependencyGraph:
    """Return the dependency graph of the rules of a model; models that differ in readings alone share it."""
    return model.by_rules.get(DependencyGraph, lambda: _graph(model))


MOST_BASES = 8  # graphs of the rules with one vocabulary that others share parts with


def _graph(model: ir.Model) -> DependencyGraph:
    bases = model.by_vocabulary.get(DependencyGraph, list[DependencyGraph])
    base = min(bases, key=lambda one: len(one.apart(model.heads)), default=None)
    graph = DependencyGraph(model.heads, model.forms, model.records, model.views, base)
    if len(bases) < MOST_BASES:
        bases.append(graph)
    return graph


def head_terms(head: ir.Head) -> Iterator[Term]:
    return terms_in(head.sentences)


def question_terms(question: ir.Question) -> Iterator[Term]:
    """Yield the terms that a question binds or answers, and the conditions of its refusals."""
    refused = tuple(when for _, when, _ in question.refusals)
    return terms_in((question.gaps, question.bindings, refused, question.answers))


def answer_forms(answers: Iterable[tuple[str, ir.Answer]]) -> Iterator[str]:
    """Name the forms whose choices some answers list, nested ones too."""
    for _, answer in answers:
        if answer.form:
            yield answer.form
        yield from answer_forms(answer.parts)


def _finds(terms: Iterable[Term]) -> bool:
    return any(isinstance(part, Quantified) and part.op == "some" for term in terms for part in subterms(term))


# ---------------------------------------------------------------------- traces
_TRACED = ("step", "stop", "cost", "points", "goal", "end")


def tracing_questions(model: ir.Model) -> dict[str, str]:
    """Map the questions that follow a route to its goal to that route."""
    routes = (form for one in model.records.values() if one.role == "situation"
              for form in routes_with_goals(model, one.name).values())  # fmt: skip
    found = ((route.name, asking_for(model, route)) for route in routes)
    return {question.name: name for name, question in found if question is not None}


def routes_with_goals(model: ir.Model, situation: str) -> dict[str, ir.Route]:
    return {
        name: form for name, form in model.forms.items()
        if isinstance(form, ir.Route) and form.situation == situation
        and model.heads[ir.head_key(name, "goal")].statements
    }  # fmt: skip


def asking_for(model: ir.Model, route: ir.Route) -> ir.Question | None:
    asking = (q for q in model.questions.values() if q.ask == "answers")
    return next((q for q in asking if route.name in dependencies_of(model).of_question(q).forms), None)


def told_apart_by(model: ir.Model, route: ir.Route) -> tuple[str, ...] | None:
    """Name the fields of a mover that the clauses of a trace look at; nothing if they look at all of it."""
    names: set[str] = set()
    for word in (*_TRACED, *(name for name, _ in route.counters)):
        for term in head_terms(model.heads[ir.head_key(route.name, word)]):
            if not _collect(term, route.mover[0], names):
                return None
    return tuple(sorted(names))


def _collect(term: Term, mover: str, names: set[str]) -> bool:
    """Collect the fields of the mover that a term reads; false if it uses the mover itself."""
    match term:
        case Var(name=name):
            return name != mover
        case Field(base=Var(name=name), field=field) if name == mover:
            names.add(field)
            return True
    return all(_collect(part, mover, names) for part in children(term))
