"""What clauses say under chosen readings, and rules made of clauses of two editions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from titm_rules.compiler.fold import FALSE, TRUE, every_of, negation, rebuild, some_of
from titm_rules.diagnostics.span import NOWHERE
from titm_rules.editions.text import natural
from titm_rules.model.model import Allocation, Answer, Effect, Head, Lift, Model, Question, Route, Selection, Statement
from titm_rules.model.terms import Call, Compare, Const, Logic, Term, Var, children
from titm_rules.model.types import Type

Sentence = TypeVar("Sentence", Statement, Lift)
# What a clause says, by head: its statements and what it lifts.
Said = Mapping[str, tuple[tuple[Statement, ...], tuple[Lift, ...]]]


# ---------------------------------------------------------------------- readings
def settled(model: Model) -> Model:
    """Return the same rules with no reading left open: sentences of readings not taken are gone."""
    return replace(model, heads={key: _settled_head(model, head) for key, head in model.heads.items()})


def _settled_head(model: Model, head: Head) -> Head:
    statements = [_settled_statement(model, statement) for statement in head.statements]
    lifts = [replace(lift, when=_settled(model, lift.when)) for lift in head.lifts]
    return replace(
        head,
        statements=tuple(replace(s, when=_plain(s.when)) for s in statements if s.when != FALSE),
        lifts=tuple(replace(lift, when=_plain(lift.when)) for lift in lifts if lift.when != FALSE),
    )


def _settled_statement(model: Model, one: Statement) -> Statement:
    effect = _settled_effect(model, one.effect)
    return replace(one, when=_settled(model, one.when), value=_settled(model, one.value), effect=effect)


def _plain(when: Term | None) -> Term | None:
    return None if when == TRUE else when


def _settled_effect(model: Model, effect: Effect | None) -> Effect | None:
    if effect is None:
        return None
    return replace(
        effect,
        target=_settled(model, effect.target),
        value=_settled(model, effect.value),
        base=_settled(model, effect.base),
        where=_settled(model, effect.where),
        bindings=tuple((name, _term(model, term)) for name, term in effect.bindings),
    )


def _settled(model: Model, term: Term | None) -> Term | None:
    return None if term is None else _term(model, term)


def _term(model: Model, term: Term) -> Term:
    """Put the truth in place of conditions on readings."""
    term = rebuild(term, {part: _term(model, part) for part in children(term)})
    match term:
        case Compare(op=op, left=Var(type=Type(kind="reading"), name=name), right=Const(value=value)):
            return TRUE if (model.reading(name) == value) == (op == "==") else FALSE
        case Logic(op="all", parts=parts):
            return every_of(list(parts))
        case Logic(op="any", parts=parts):
            return some_of(list(parts))
        case Logic(op="not", parts=(part,)):
            return negation(part)
    return term


def pruned(model: Model) -> Model:
    """Leave out of settled rules the sentences that ask for a condition which nothing makes true."""
    while True:
        idle = {key for key, head in model.heads.items() if head.mode == "any" and not head.statements}
        heads = {key: _pruned_head(head, idle) for key, head in model.heads.items()}
        if heads == model.heads:
            return model
        model = replace(model, heads=heads)


def _pruned_head(head: Head, idle: set[str]) -> Head:
    return replace(
        head,
        statements=tuple(s for s in head.statements if not _is_idle(s.when, idle)),
        lifts=tuple(lift for lift in head.lifts if not _is_idle(lift.when, idle)),
    )


def _is_idle(when: Term | None, idle: set[str]) -> bool:
    match when:
        case Call(head=key):
            return key in idle
        case Logic(op="all", parts=parts):
            return any(_is_idle(part, idle) for part in parts)
        case Logic(op="any", parts=parts):
            return all(_is_idle(part, idle) for part in parts)
    return False


# ---------------------------------------------------------------------- what a question rests on
def reach(model: Model, question: Question) -> frozenset[str]:
    """Collect the heads that may have a say in a question."""
    found: set[str] = set()
    if question.form:
        _visit(model, question.form, found)
    for term in (*(term for _, term in question.bindings), *_asked(question.answers)):
        _visit_term(model, term, found)
    return frozenset(found)


def _asked(answers: Iterable[tuple[str, Answer]]) -> Iterator[Term]:
    for _, answer in answers:
        yield from (term for term in (answer.term, answer.base, answer.where) if term is not None)
        yield from _asked(answer.parts)


def _visit(model: Model, name: str, found: set[str]) -> None:
    """Collect a head, or the heads of a form, and all that they lead to."""
    if name in found:
        return
    found.add(name)
    form = model.forms.get(name)
    words = {name, form.closing} if isinstance(form, Route) and form.closing else {name}
    for key in model.heads:
        if key == name or (form is not None and key.partition(".")[0] in words and key != name):
            found.add(key)
            for term in _sentences(model.heads[key]):
                _visit_term(model, term, found)
    parts = (form.choosers, form.targets, form.order) if isinstance(form, Allocation) else ()
    for part in (*parts, *((form.members,) if isinstance(form, Selection) else ())):
        if part is not None:
            _visit_term(model, part, found)


def _sentences(head: Head) -> Iterator[Term]:
    for statement in head.statements:
        yield from (term for term in (statement.when, statement.value) if term is not None)
    yield from (lift.when for lift in head.lifts if lift.when is not None)


def _visit_term(model: Model, term: Term, found: set[str]) -> None:
    if isinstance(term, Call):
        _visit(model, term.head, found)
    for part in children(term):
        _visit_term(model, part, found)


# ---------------------------------------------------------------------- clauses of two editions
@dataclass(frozen=True)
class Pair:
    """Two models under their readings, and every mixture of their clauses.

    Attributes:
        known: further models; one of them stands for a mixture that says the same.
    """

    first: Model
    second: Model
    known: tuple[Model, ...] = ()

    @cached_property
    def _settled(self) -> tuple[Model, Model]:
        return settled(self.first), settled(self.second)

    @cached_property
    def _said(self) -> tuple[dict[str, Said], dict[str, Said]]:
        return said(pruned(self._settled[0])), said(pruned(self._settled[1]))

    @cached_property
    def _mixtures(self) -> dict[frozenset[str], Model]:
        return {}

    @cached_property
    def _reached(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _changed(self) -> dict[str, list[str]]:
        return {}

    def heads_of(self, question: Question) -> frozenset[str]:
        """Collect the heads that have a say in a question in either edition."""
        if question.name not in self._reached:
            self._reached[question.name] = reach(self._settled[0], question) | reach(self._settled[1], question)
        return self._reached[question.name]

    def changed_for(self, question: Question) -> list[str]:
        """List the clauses that say other things of what a question rests on; none: it is answered alike."""
        if question.name not in self._changed:
            self._changed[question.name] = self.changed(self.heads_of(question))
        return self._changed[question.name]

    def changed(self, heads: frozenset[str] | None = None) -> list[str]:
        """List the clauses that say other things of some heads (of any, if none are named)."""
        first, second = self._said
        return sorted(
            (
                clause
                for clause in {*first, *second}
                if _about(first.get(clause, {}), heads) != _about(second.get(clause, {}), heads)
            ),
            key=natural,
        )

    def sign(self, clause: str, heads: frozenset[str] | None = None) -> str:
        """Say which edition has a clause say something of some heads: `-` the first, `+` the second, empty: both."""
        first, second = (bool(_about(one.get(clause, {}), heads)) for one in self._said)
        return "" if first and second else "-" if first else "+"

    def mixture_for(self, question: Question, clauses: Iterable[str]) -> Model:
        """Give the rules of a mixture, for one question only."""
        key = question.name, frozenset(clauses)
        if key not in self._for_questions:
            mixture, heads = self.mixture(key[1]), self.heads_of(question)
            content = _content(mixture, heads)
            same = (model for model in self.known if _content(pruned(settled(model)), heads) == content)
            self._for_questions[key] = next(same, mixture)
        return self._for_questions[key]

    @cached_property
    def _for_questions(self) -> dict[tuple[str, frozenset[str]], Model]:
        return {}

    def mixture(self, clauses: Iterable[str]) -> Model:
        """Give the first rules with what some clauses say in the second, or without them if it lacks them."""
        taken = frozenset(clauses)
        if taken not in self._mixtures:
            one, other = self._settled
            keys = {**one.heads, **other.heads}
            heads = {key: _mixed(one.heads.get(key), other.heads.get(key), taken) for key in keys}
            self._mixtures[taken] = replace(one, heads=heads, forms={**other.forms, **one.forms})
        return self._mixtures[taken]


def _mixed(one: Head | None, other: Head | None, taken: frozenset[str]) -> Head:
    frame = one or other
    assert frame is not None
    return replace(
        frame,
        statements=_joined(one.statements if one else (), other.statements if other else (), taken),
        lifts=_joined(one.lifts if one else (), other.lifts if other else (), taken),
    )


def _joined(one: tuple[Sentence, ...], other: tuple[Sentence, ...], taken: frozenset[str]) -> tuple[Sentence, ...]:
    return tuple([s for s in one if s.clause not in taken] + [s for s in other if s.clause in taken])


def said(model: Model) -> dict[str, Said]:
    """Collect what every clause says, wherever it stands in the files."""
    found: dict[str, dict[str, tuple[tuple[Statement, ...], tuple[Lift, ...]]]] = {}
    for key, head in model.heads.items():
        for clause in {*(s.clause for s in head.statements), *(lift.clause for lift in head.lifts)}:
            statements = tuple(replace(s, span=NOWHERE) for s in head.statements if s.clause == clause)
            lifts = tuple(replace(lift, span=NOWHERE) for lift in head.lifts if lift.clause == clause)
            found.setdefault(clause, {})[key] = (statements, lifts)
    return dict(found)


def _content(model: Model, heads: frozenset[str]) -> dict[str, Said]:
    """Give all that a model says of some heads."""
    about = {clause: _about(one, heads) for clause, one in said(pruned(model)).items()}
    return {clause: one for clause, one in about.items() if one}


def _about(one: Said, heads: frozenset[str] | None) -> Said:
    return one if heads is None else {key: sentences for key, sentences in one.items() if key in heads}
