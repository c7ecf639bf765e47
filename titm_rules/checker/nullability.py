"""Infer which terms may be null, through roles and definitions, by fixpoint.

An author may write `weight of buddy of s` although a scout need not have a buddy. Then the role `s` of `weight` may be
nothing in every clause on it, and so may every field that a clause reads of it. This pass follows such arguments
through the rules until nothing changes, and marks the types of these terms `optional`.

INVARIANT: a term that is not marked is never nothing; engines rely on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from titm_rules.ir import model as ir
from titm_rules.ir.terms import Apply, Call, End, Field, Result, Term, Var, map_terms, rebuild, subterms, terms_in
from titm_rules.ir.types import Type


def infer_nullability(model: ir.Model) -> ir.Model:
    marks = _Marks(model.heads, model.forms)
    while marks.grow(model):
        model = _marked(model, marks)
    return model


@dataclass
class _Marks:
    """The roles that may be nothing, by key of head and name, and the heads whose value may be nothing."""

    heads: Mapping[str, ir.Head]
    forms: Mapping[str, ir.Form]
    roles: set[tuple[str, str]] = field(default_factory=set)
    values: set[str] = field(default_factory=set)

    def grow(self, model: ir.Model) -> bool:
        """Find further roles and heads, by the current types; return whether there are any.

        Claims are left out: they change nothing that clauses decide.
        """
        before = len(self.roles), len(self.values)
        answers = (model.views, model.summaries, model.victories, model.always)
        for things in (model.heads, model.forms, model.questions, model.events, *answers):
            for part in (part for term in terms_in(tuple(things.values()), texts=True) for part in subterms(term)):
                if isinstance(part, Call):
                    self._add_arguments(part)
                elif isinstance(part, Result):
                    self._add_roles(part.form, part.roles)
        for question in model.questions.values():
            self._add_roles(question.form, question.bindings)
        for event in model.events.values():
            self._add_event(event)
        for key, head in model.heads.items():
            if any(each.value is not None and each.value.type.optional for each in head.statements):
                self.values.add(key)
        return (len(self.roles), len(self.values)) != before

    def _add_arguments(self, call: Call) -> None:
        form = self.forms.get(call.head)
        if isinstance(form, ir.Route):
            return  # a trace without a mover is nothing, and evaluates no clause
        for (name, _), arg in zip(self.heads[call.head].params, call.args, strict=True):
            if arg.type.optional:
                self.roles |= {(key, name) for key in ([call.head] if form is None else _heads_of(form))}

    def _add_roles(self, name: str, bindings: Iterable[tuple[str, Term]]) -> None:
        form = self.forms.get(name)
        for role, term in bindings if form is not None else ():
            if term.type.optional and not (isinstance(form, ir.Route) and role == form.mover[0]):
                self.roles |= {(key, role) for key in (name, *_heads_of(form))}  # type: ignore[arg-type]

    def _add_event(self, event: ir.Event) -> None:
        for part in event.parts:
            if isinstance(part, ir.LetPart) and part.value.type.optional:
                self.roles |= {(ir.head_key(event.name, word), part.var) for word in ("happen", "effects")}
                self.roles.add((event.name, part.var))
            elif isinstance(part, ir.AblePart | ir.GoingPart | ir.SelectPart | ir.PickPart):
                self._add_roles(part.form, part.bindings)

    def of(self, key: str) -> frozenset[str]:
        """Return the roles of a head, a form or an event that may be nothing."""
        return frozenset(name for owner, name in self.roles if owner == key)

    def marker(self, names: frozenset[str]) -> Callable[[Term], Term]:
        """Return a function that marks a term in which some names may be nothing."""

        def mark(term: Term) -> Term:
            term = rebuild(term, mark)
            match term:
                case Var(name=name) if name in names:
                    return replace(term, type=_optional(term.type))
                case Field(base=base) | End(base=base) if base.type.optional:
                    return replace(term, type=_optional(term.type))
                case Apply(op="parts", args=(number, _)) if number.type.optional:
                    return replace(term, type=_optional(term.type))
                case Call(head=key) if key in self.values:
                    return replace(term, type=_optional(term.type))
            return term

        return mark


def asked_of_nothing(model: ir.Model) -> Iterator[tuple[str, str]]:
    """Yield each claim with what it asks of something that may be nothing, which no clause and no question does."""
    for name, claim in model.claims.items():
        parts = [part for term in terms_in(claim.answers) for part in subterms(term)]
        for part in parts:
            if isinstance(part, Call) and not isinstance(model.forms.get(part.head), ir.Route):
                given = zip(model.heads[part.head].params, part.args, strict=True)
                if any(arg.type.optional and not kind.optional for (_, kind), arg in given):
                    yield name, part.head
            elif isinstance(part, Result):
                form = model.forms[part.form]
                mover = form.mover[0] if isinstance(form, ir.Route) else ""
                if any(term.type.optional for role, term in part.roles if role != mover):
                    yield name, part.form


def share_terms(model: ir.Model) -> ir.Model:
    """Let equal terms of a model be one object (hash consing): it takes a third less memory, and is read faster."""
    known: dict[Term, Term] = {}

    def shared(term: Term) -> Term:
        if term not in known:
            known[term] = rebuild(term, shared)
        return known[term]

    return _map_model(model, lambda *_: shared)


def _marked(model: ir.Model, marks: _Marks) -> ir.Model:
    def marker(table: str, key: str) -> Callable[[Term], Term]:
        asked = getattr(model, table)[key] if table in ("questions", "claims") else None
        names = marks.of(key) if asked is None else _left_out(asked)
        return marks.marker(frozenset() if table == "always" else names)

    model = _map_model(model, marker)
    heads = {key: replace(head, params=_params(head, marks.of(key))) for key, head in model.heads.items()}
    return replace(model, heads=heads)


def _map_model(model: ir.Model, change: Callable[[str, str], Callable[[Term], Term]]) -> ir.Model:
    """Replace the terms of a model; `change` returns by which function, for a table of parts and a key in it."""
    tables: dict[str, Any] = {
        table: {key: map_terms(part, change(table, key)) for key, part in getattr(model, table).items()}
        for table in ("heads", "forms", "questions", "events", "views", "summaries", "victories", "always",
                      "claims")
    }  # fmt: skip
    return replace(model, **tables)


def _params(head: ir.Head, names: frozenset[str]) -> tuple[tuple[str, Type], ...]:
    return tuple((name, _optional(wanted) if name in names else wanted) for name, wanted in head.params)


def _left_out(question: ir.Question) -> frozenset[str]:
    """Return the inputs that may be nothing if they are left out, since the field that they default to may."""
    return frozenset(spec.name.replace("_", "-") for spec in question.inputs if spec.same_as)


def _heads_of(form: ir.Form) -> list[str]:
    match form:
        case ir.Route():
            words = ("start", "stay", "step", "stop", "end", "cost", "points", "goal")
            counters = [name for name, _ in form.counters]
            actions = {form.interruption: ("try", "cost"), form.closing: ("try", "cost", *counters)}
            return [ir.head_key(form.name, word) for word in (*words, *counters)] + [
                ir.head_key(action, word) for action, asked in actions.items() if action for word in asked
            ]
        case ir.Roll():
            return [form.name, *(ir.head_key(form.name, word) for word in ("try", "factor", "adds"))]
        case ir.Allocation() | ir.Selection():
            return [ir.head_key(form.name, "choose")]


def _optional(wanted: Type) -> Type:
    """Mark a type; a list is empty rather than nothing."""
    return wanted if wanted.kind == "set" else replace(wanted, optional=True)
