"""The rules of two editions: shared parts, mixtures, and the minimal causes of a difference."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb
from typing import Any, TypeVar

from titm_rules.diagnostics import NOWHERE
from titm_rules.editions.clause_index import natural_key
from titm_rules.ir.applicability import FALSE, TRUE, every_of, negation, never_holds, some_of
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.derived import Capacity, Held
from titm_rules.ir.model import NOBODY, Effect, EnumSpec, Head, Lift, Model, Question, RecordSpec, Statement
from titm_rules.ir.terms import Compare, Const, Logic, Term, Var, rebuild
from titm_rules.ir.types import Type


# ---------------------------------------------------------------------- settled
def specialize(model: Model) -> Model:
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
    term = rebuild(term, lambda part: _term(model, part))
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
        heads = {key: _pruned_head(model, head) for key, head in model.heads.items()}
        if heads == model.heads:
            return model
        model = replace(model, heads=heads)


def _pruned_head(model: Model, head: Head) -> Head:
    return replace(
        head,
        statements=tuple(s for s in head.statements if not never_holds(model.heads, s.when)),
        lifts=tuple(lift for lift in head.lifts if not never_holds(model.heads, lift.when)),
    )


# ---------------------------------------------------------------------- rules
SentenceT = TypeVar("SentenceT", Statement, Lift)
DECLARATIONS = "declarations"  # in place of a clause number: a sentence of a definition, not of a clause
# The sentences of a clause, by head: its statements and what it lifts.
Said = Mapping[str, tuple[tuple[Statement, ...], tuple[Lift, ...]]]


@dataclass(frozen=True)
class ModelPair:
    """Two models under their readings, and every mixture of their clauses.

    Attributes:
        known: further models; a mixture that equals one of them reuses it.
    """

    first: Model
    second: Model
    known: tuple[Model, ...] = ()

    @cached_property
    def _settled(self) -> tuple[Model, Model]:
        return _side(self.first).settled, _side(self.second).settled

    @cached_property
    def _said(self) -> tuple[Mapping[str, Said], Mapping[str, Said]]:
        return _side(self.first).said, _side(self.second).said

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
            bases = [dependencies_of(model).of_question(question) for model in self._settled]
            self._reached[question.name] = bases[0].heads | bases[1].heads
        return self._reached[question.name]

    def apart_in(self, situation: str) -> tuple[str, ...]:
        """Name the places of the sentences on what always holds of a situation that only one edition has."""
        first, second = (
            {replace(one, span=NOWHERE): one.span for one in model.always.get(situation, ())}
            for model in (self.first, self.second)
        )
        return tuple(str((first | second)[one]) for one in first.keys() ^ second.keys())

    def changed_for(self, question: Question) -> list[str]:
        """List the clauses that differ on something that a question depends on; none: it is answered alike."""
        if question.name not in self._changed:
            self._changed[question.name] = self.changed(self.heads_of(question))
        return self._changed[question.name]

    def is_same_for(self, question: Question) -> bool:
        """Whether both editions take the same situations for possible, and no clause answers one otherwise."""
        return not self.changed_for(question) and not self.apart_in(question.situation)

    def changed(self, heads: frozenset[str] | None = None) -> list[str]:
        """List the clauses that say other things of some heads (of any, if none are named).

        The sentences of a definition count where both editions have the definition. A definition that only one
        edition has is not a separate difference: a clause that differs, or another definition, uses it.
        """
        first, second = self._said
        return sorted(
            (
                clause
                for clause in {*first, *second}
                if self._compared(clause, first, heads) != self._compared(clause, second, heads)
            ),
            key=natural_key,
        )

    def _compared(self, clause: str, said: Mapping[str, Said], heads: frozenset[str] | None) -> Said:
        """Return the sentences of a clause about some heads, as far as they are compared."""
        about = _about(said.get(clause, {}), heads)
        if clause != DECLARATIONS:
            return about
        first, second = (model.heads for model in self._settled)
        return {key: one for key, one in about.items() if key in first and key in second}

    @property
    def models(self) -> tuple[Model, Model]:
        """Both rules with no reading left open."""
        return self._settled

    def played(self) -> frozenset[str]:
        """Collect the heads that have a say in the course of a game in either edition."""
        return self._played

    @cached_property
    def _played(self) -> frozenset[str]:
        bases = [dependencies_of(model).of_event(event) for model in self._settled for event in model.events.values()]
        return frozenset().union(*(basis.heads for basis in bases))

    def events_of(self, clause: str) -> frozenset[str]:
        """Name the events on which it bears what a clause says otherwise in one edition than in the other."""
        found = set()
        for model, sentences in zip(self._settled, self.differing([clause], self.played()), strict=True):
            heads = {head.key for head, _ in sentences}
            found |= {
                name for name, event in model.events.items() if heads & dependencies_of(model).of_event(event).heads
            }
        return frozenset(found)

    def differing(
        self, clauses: Iterable[str], heads: frozenset[str]
    ) -> tuple[list[tuple[Head, Statement | Lift]], list[tuple[Head, Statement | Lift]]]:
        """List what clauses say of some heads in the first edition only, and what in the second only."""
        wanted = frozenset(clauses)
        first, second = self._settled
        return _only(first, second, wanted, heads), _only(second, first, wanted, heads)

    def sign(self, clause: str, heads: frozenset[str] | None = None) -> str:
        """Say which edition has a clause say something of some heads: `-` the first, `+` the second, empty: both."""
        first, second = (bool(_about(one.get(clause, {}), heads)) for one in self._said)
        return "" if first and second else "-" if first else "+"

    def mixture_for(self, question: Question, clauses: Iterable[str]) -> Model:
        """Give the rules of a mixture, for one question only."""
        key = question.name, frozenset(clauses)
        if key not in self._for_questions:
            mixture, heads = self.mixture(key[1]), self.heads_of(question)
            content = _content(said(pruned(mixture)), heads)
            same = (model for model in self.known if _content(_side(model).said, heads) == content)
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
            records, enums = self._vocabulary
            forms = {**other.forms, **one.forms}
            self._mixtures[taken] = replace(one, heads=heads, forms=forms, records=records, enums=enums)
        return self._mixtures[taken]

    @cached_property
    def _vocabulary(self) -> tuple[Mapping[str, RecordSpec], Mapping[str, EnumSpec]]:
        """The records and enumerations of a mixture: a clause of either edition finds in them what it looks at."""
        one, other = self._settled
        if one.records == other.records and one.enums == other.enums:
            return one.records, one.enums
        records = {name: _with_fields(spec, one.records.get(name)) for name, spec in other.records.items()}
        return {**one.records, **records}, {**one.enums, **other.enums}


@dataclass(frozen=True)
class _Side:
    """Data derived from a model, shared by every pair that it is part of."""

    model: Model

    @cached_property
    def settled(self) -> Model:
        return specialize(self.model)

    @cached_property
    def said(self) -> Mapping[str, Said]:
        return said(pruned(self.settled))


_SIDES = Capacity(32)


def _side(model: Model) -> _Side:
    """Return the data derived from a model for comparisons; it belongs to the model, and the last few are kept."""
    held = model.by_readings.get(_Side, lambda: Held[type, _Side](_SIDES))
    return held.get(_Side) or held.make(_Side, lambda: _Side(model))


def _with_fields(spec: RecordSpec, other: RecordSpec | None) -> RecordSpec:
    """Add to a record the fields that only the other has."""
    names = {field.name for field in spec.fields}
    more = [field for field in other.fields if field.name not in names] if other else []
    return replace(spec, fields=(*spec.fields, *more))


def _mixed(one: Head | None, other: Head | None, taken: frozenset[str]) -> Head:
    frame = one or other
    assert frame is not None
    if one is None:
        taken |= {DECLARATIONS}  # a new definition brings its own sentences
    return replace(
        frame,
        statements=_joined(one.statements if one else (), other.statements if other else (), taken),
        lifts=_joined(one.lifts if one else (), other.lifts if other else (), taken),
    )


def _joined(one: tuple[SentenceT, ...], other: tuple[SentenceT, ...], taken: frozenset[str]) -> tuple[SentenceT, ...]:
    return tuple([s for s in one if speaker(s) not in taken] + [s for s in other if speaker(s) in taken])


def speaker(sentence: Statement | Lift) -> str:
    """Name the clause that says a sentence, or `declarations` for a sentence of a definition."""
    return DECLARATIONS if sentence.clause == NOBODY else sentence.clause


def said(model: Model) -> dict[str, Said]:
    """Collect the sentences of every clause, from anywhere in the files."""
    found: dict[str, dict[str, tuple[tuple[Statement, ...], tuple[Lift, ...]]]] = {}
    for key, head in model.heads.items():
        for clause in {speaker(one) for one in head.sentences}:
            statements = tuple(_bare(s) for s in head.statements if speaker(s) == clause)
            lifts = tuple(_bare(lift) for lift in head.lifts if speaker(lift) == clause)
            found.setdefault(clause, {})[key] = (statements, lifts)
    return dict(found)


def _only(
    model: Model, other: Model, clauses: frozenset[str], heads: frozenset[str]
) -> list[tuple[Head, Statement | Lift]]:
    found: list[tuple[Head, Statement | Lift]] = []
    for key in sorted(heads & model.heads.keys()):
        head = model.heads[key]
        same = other.heads.get(key)
        statements = {_bare(one) for one in same.statements} if same else set()
        lifts = {_bare(one) for one in same.lifts} if same else set()
        found += [(head, one) for one in head.statements if speaker(one) in clauses and _bare(one) not in statements]
        found += [(head, one) for one in head.lifts if speaker(one) in clauses and _bare(one) not in lifts]
    return found


def _bare(sentence: SentenceT) -> SentenceT:
    """Return a sentence without its place in the files and its words for a refusal."""
    return replace(sentence, span=NOWHERE, says=())


def _content(said: Mapping[str, Said], heads: frozenset[str]) -> dict[str, Said]:
    """Collect the sentences of clauses about some heads."""
    about = {clause: _about(one, heads) for clause, one in said.items()}
    return {clause: one for clause, one in about.items() if one}


def _about(one: Said, heads: frozenset[str] | None) -> Said:
    return one if heads is None else {key: sentences for key, sentences in one.items() if key in heads}


# ---------------------------------------------------------------------- causes
TRIED = 300
DecidesTest = Callable[[Sequence[str]], bool]


@dataclass(frozen=True)
class DecidingSets:
    """Sets of clauses, each of which alone makes the difference; smallest sets only.

    A `-` stands before a clause that says something of the matter in the first edition only, a `+`
    before one that does so in the second only, and nothing before one that says something else in each.
    """

    sets: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return " or ".join(" with ".join(one) for one in self.sets) or DECLARATIONS


def cause_of(pair: ModelPair, question: Question, answer: Callable[[Model], Any], wanted: object) -> DecidingSets:
    """Find the smallest sets of clauses to take over so that the first rules answer as the second.

    Args:
        pair: the two editions.
        question: what is asked.
        answer: gives the answer under some rules.
        wanted: the answer of the second.
    """

    def turns(clauses: Sequence[str]) -> bool:
        return bool(answer(pair.mixture_for(question, clauses)) == wanted)

    return causes(pair, pair.changed_for(question), turns, pair.heads_of(question))


def causes(
    pair: ModelPair, clauses: Sequence[str], turns: DecidesTest, heads: frozenset[str] | None = None, tried: int = TRIED
) -> DecidingSets:
    """Find the smallest sets among some clauses that pass a test which all of them together pass.

    The signs tell what clauses say of some heads; default: of any. At most so many sets of a size are `tried`.
    """
    found = smallest(clauses, turns, tried)
    return DecidingSets(tuple(tuple(pair.sign(clause, heads) + clause for clause in one) for one in found))


def smallest(items: Sequence[str], test: DecidesTest, tried: int = TRIED) -> list[tuple[str, ...]]:
    """Find all smallest sets that pass, if all items together do.

    Where there are more sets of a size than may be tried, one is given from which nothing can be spared.
    """
    for size in range(1, len(items)):
        if comb(len(items), size) > tried:
            return [_is_irrelevant(items, test)]
        found = [one for one in itertools.combinations(items, size) if test(one)]
        if found:
            return found
    return [tuple(items)] if items else []


def _is_irrelevant(items: Sequence[str], test: DecidesTest) -> tuple[str, ...]:
    kept = list(items)
    for item in items:
        fewer = [one for one in kept if one != item]
        if test(fewer):
            kept = fewer
    return tuple(kept)
