"""What clauses that differ look at: the fields that have to vary so that a search can meet them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from titm_rules.compare.rules import ModelPair
from titm_rules.rules.model import Head, Lift, Model, Statement
from titm_rules.rules.rests import FieldOf, Rests, head_terms, part_terms, sentence_terms
from titm_rules.rules.terms import Call, Compare, Const, Field, Member, Root, Term, Var, subterms

Speaking = Statement | Lift


@dataclass(frozen=True)
class SentenceReads:
    """What some sentences look at.

    Attributes:
        fields: fields with the record, or the situation, that has them.
        numbers: the numbers that the sentences name; where a number varies, it varies about these.
        named: values that the sentences compare fields with, as in JSON.
    """

    fields: frozenset[FieldOf]
    numbers: frozenset[int]
    named: frozenset[tuple[FieldOf, str | int | bool]] = frozenset()

    def besides(self, other: SentenceReads) -> SentenceReads:
        """Add what others look at; their values count for the fields of which these name none."""
        known = {field for field, _ in self.named}
        more = {(field, value) for field, value in other.named if field not in known}
        return SentenceReads(self.fields | other.fields, self.numbers | other.numbers, self.named | more)


def reads_of(pair: ModelPair, clauses: Iterable[str], heads: frozenset[str]) -> SentenceReads:
    """Collect what clauses look at where they say other things of some heads in two editions.

    A condition is followed through definitions, not through forms: a trace looks at the whole board.
    What a clause takes away, or speaks in place of, counts with it; so do the values that its head is
    asked about, such as the kind behind a row of a table, and the fields that these have to match.
    """
    found = SentenceReads(frozenset(), frozenset())
    for model, sentences in zip(pair.models, pair.differing(clauses, heads), strict=True):
        found = _joined(found, _ReadsCollector(model, heads).read(sentences))
    return found


def reads_beside(
    pair: ModelPair, clauses: Iterable[str], heads: frozenset[str], events: Collection[str] = ()
) -> SentenceReads:
    """Collect what everything looks at that speaks of a matter where clauses say other things of it.

    A bar may keep a clause from ever counting, so what it looks at has to vary too, now and then; so does what
    has to hold before some `events` can happen.
    """
    found = SentenceReads(frozenset(), frozenset())
    for model, sentences in zip(pair.models, pair.differing(clauses, heads), strict=True):
        touched = [model.heads[key] for key in sorted({head.key for head, _ in sentences})]
        beside = [(head, sentence) for head in touched for sentence in head.sentences]
        reader = _ReadsCollector(model, heads)
        found = _joined(_joined(found, reader.read(beside)), reader.read_events(events))
    return found


def _joined(one: SentenceReads, other: SentenceReads) -> SentenceReads:
    return SentenceReads(one.fields | other.fields, one.numbers | other.numbers, one.named | other.named)


class _ReadsCollector:
    """Collects the reads of sentences in one model."""

    def __init__(self, model: Model, heads: frozenset[str]) -> None:
        self.model = model
        self.callers = [model.heads[key] for key in heads if key in model.heads]
        self.definitions = Rests(model.heads, {}, model.records)  # knows of no forms, so that it stops at them

    def read(self, sentences: Iterable[tuple[Head, Speaking]]) -> SentenceReads:
        """Collect what sentences and what stands behind them look at."""
        terms: dict[str, list[Term]] = {}
        for head, sentence in sentences:
            for one in (sentence, *_touched(head, sentence)):
                terms.setdefault(head.situation, []).extend(sentence_terms(one))
            for situation, args in self._asked_about(head.key, set()):
                terms.setdefault(situation, []).extend(args)
        bases = [self.definitions.of_terms(some, situation) for situation, some in terms.items()]
        for key in frozenset[str]().union(*(basis.heads for basis in bases)):
            terms.setdefault(self.model.heads[key].situation, []).extend(head_terms(self.model.heads[key]))
        fields = frozenset[FieldOf]().union(*(basis.fields for basis in bases))
        named = {one for situation, some in terms.items() for one in self._named(some, situation)}
        own = [term for some in terms.values() for term in some]
        for left, right in self._matching():
            if left & fields or right & fields:
                fields |= left | right
                named |= {(field, value) for field in right for known, value in named if known in left}
        return SentenceReads(fields, frozenset(_numbers(own)), frozenset(named))

    def read_events(self, names: Collection[str]) -> SentenceReads:
        """Collect what has to hold before some events can happen."""
        events = [self.model.events[name] for name in names if name in self.model.events]
        parts = [(one.situation, term) for one in events for part in one.parts for term in part_terms(part)]
        fields = (self.definitions.of_terms([term], situation).fields for situation, term in parts)
        named = {one for situation, term in parts for one in self._named([term], situation)}
        return SentenceReads(frozenset[FieldOf]().union(*fields), frozenset(), frozenset(named))

    def _named(self, terms: Iterable[Term], situation: str) -> Iterator[tuple[FieldOf, str | int | bool]]:
        """Yield fields with the values that they are compared with; a flag is asked whether it is set."""
        for part in (part for term in terms for part in subterms(term)):
            match part:
                case Compare(left=left, right=right):
                    values = self._constants([right])
                case Member(left=left, choices=choices):
                    values = self._constants(choices)
                case Field(type=kind) | Root(type=kind) if kind.kind == "flag":
                    left, values = part, [True]
                case _:
                    continue
            yield from ((field, value) for field in self._field(left, situation) for value in values)

    def _constants(self, terms: Iterable[Term]) -> list[str | int | bool]:
        """Give the constants among terms, as in JSON."""
        constants = [(one.type, one.value) for one in terms if isinstance(one, Const)]
        return [
            self.model.enums[kind.name].texts[value] if kind.kind == "enum" else value
            for kind, value in constants
            if isinstance(value, int)
        ]

    def _matching(self) -> Iterator[tuple[frozenset[FieldOf], frozenset[FieldOf]]]:
        """Yield fields that have to match, both ways, such as the side of a unit and the side that moves."""
        for head in self.callers:
            for part in (part for term in head_terms(head) for part in subterms(term)):
                if isinstance(part, Compare) and part.left.type.kind == "enum":
                    left, right = (self._field(side, head.situation) for side in (part.left, part.right))
                    if left and right:
                        yield from ((left, right), (right, left))

    def _field(self, term: Term, situation: str) -> frozenset[FieldOf]:
        """Give the field that a term looks at, with each record that has it; nothing for any other term."""
        if not isinstance(term, Field | Root):
            return frozenset()
        fields = self.definitions.of_terms([term], situation).fields
        return frozenset(one for one in fields if one[1] == term.field)

    def _asked_about(self, key: str, seen: set[str]) -> Iterator[tuple[str, tuple[Term, ...]]]:
        """Yield what those who ask a head give to it; what they were given themselves is followed up."""
        if key in seen:
            return
        seen.add(key)
        for caller in self.callers:
            calls = [part for term in head_terms(caller) for part in subterms(term)]
            for call in calls:
                if isinstance(call, Call) and call.head == key and call.args:
                    yield caller.situation, call.args
                    if any(isinstance(arg, Var) and arg.type.kind in ("enum", "number") for arg in call.args):
                        yield from self._asked_about(caller.key, seen)


def _touched(head: Head, sentence: Speaking) -> Iterator[Speaking]:
    """Yield what a sentence takes away or speaks in place of, and what takes it away."""
    targets = (sentence.target,) if isinstance(sentence, Lift) else sentence.instead
    yield from (one for one in head.statements if one.clause in targets)
    yield from (lift for lift in head.lifts if lift.target == sentence.clause or lift.clause in targets)


def _numbers(terms: Iterable[Term]) -> Iterator[int]:
    for term in terms:
        for part in subterms(term):
            if isinstance(part, Const) and part.type.kind == "number" and isinstance(part.value, int):
                yield part.value
