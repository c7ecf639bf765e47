"""Two editions: mixtures of their rules, their answers, and the minimal causes of a difference."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import islice
from math import comb
from typing import Any, NamedTuple, TypeVar

from titm_rules.diagnostics import NOWHERE, Undecided
from titm_rules.editions.clause_index import natural_key
from titm_rules.engines.engine import line
from titm_rules.engines.factory import make_engine
from titm_rules.engines.query import HASHED, BoundQuestion
from titm_rules.formats.validate import check_input
from titm_rules.ir.applicability import FALSE, TRUE, every_of, negation, never_holds, some_of
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.derived import Capacity, Derived, Held
from titm_rules.ir.model import COST, NOBODY, Effect, EnumSpec, Head, Lift, Model, Question, RecordSpec, Statement
from titm_rules.ir.terms import Compare, Const, Logic, Term, Var, rebuild, subterms, terms_in
from titm_rules.ir.types import Type
from titm_rules.play.machine import Machine, MakeEngine, resolve
from titm_rules.world.evaluate import is_possible
from titm_rules.world.world import World

Data = Mapping[str, Any]
Json = dict[str, Any]
SentenceT = TypeVar("SentenceT", Statement, Lift)
HeadSentence = Statement | Lift
Said = Mapping[str, Sequence[HeadSentence]]  # the sentences of a clause, by head
MOST_SENTENCES, MOST_HEADS = 16_384, 4_096  # whose traits are kept: those of some editions
DECLARATIONS = "declarations"  # in place of a clause number: a sentence of a definition, not of a clause


# ---------------------------------------------------------------------- readings
def specialize(model: Model) -> Model:
    """Return the same rules with no reading left open: sentences of readings not taken are gone."""
    chosen = frozenset((name, model.reading(name)) for name in model.readings)
    return replace(model, heads={key: _settled(one, chosen) for key, one in model.heads.items()})


@lru_cache(maxsize=MOST_HEADS)
def _settled(head: Head, chosen: frozenset[tuple[str, str]]) -> Head:
    """Return a head without readings; heads that rules share stay the very same."""
    if not any(map(_asks_readings, head.sentences)):
        return head

    def settled(term: Term) -> Term:
        term = rebuild(term, settled)
        match term:
            case Compare(op=op, left=Var(type=Type(kind="reading"), name=name), right=Const(value=value)):
                return TRUE if ((name, value) in chosen) == (op == "==") else FALSE
            case Logic(op="all", parts=parts):
                return every_of(list(parts))
            case Logic(op="any", parts=parts):
                return some_of(list(parts))
            case Logic(op="not", parts=(part,)):
                return negation(part)
        return term

    def optional(term: Term | None) -> Term | None:
        return None if term is None else settled(term)

    def effect(one: Effect) -> Effect:
        target, value, base, where = map(optional, (one.target, one.value, one.base, one.where))
        bindings = tuple((name, settled(term)) for name, term in one.bindings)
        return replace(one, target=target, value=value, base=base, where=where, bindings=bindings)

    def statement(one: Statement) -> Statement:
        return replace(one, value=optional(one.value), effect=one.effect and effect(one.effect))

    def conditioned(one: SentenceT) -> SentenceT | None:
        when = optional(one.when)
        return None if when == FALSE else replace(one, when=None if when == TRUE else when)

    said = [conditioned(statement(it)) if _asks_readings(it) else it for it in head.statements]
    lifts = [conditioned(it) if _asks_readings(it) else it for it in head.lifts]
    return replace(head, statements=_present(said), lifts=_present(lifts))


def _present(sentences: Iterable[SentenceT | None]) -> tuple[SentenceT, ...]:
    return tuple(one for one in sentences if one is not None)


@lru_cache(maxsize=MOST_SENTENCES)
def _asks_readings(sentence: HeadSentence) -> bool:
    parts = (part for term in terms_in(sentence) for part in subterms(term))
    return any(isinstance(part, Var) and part.type.kind == "reading" for part in parts)


def pruned(model: Model) -> Model:
    """Leave out of settled rules the sentences that ask for a condition which nothing makes true."""

    def kept(sentences: Iterable[SentenceT], heads: Mapping[str, Head]) -> tuple[SentenceT, ...]:
        return tuple(one for one in sentences if not never_holds(heads, one.when))

    while True:
        known = model.heads
        heads = dict(known)
        for key, head in known.items():
            statements, lifts = kept(head.statements, known), kept(head.lifts, known)
            if (len(statements), len(lifts)) != (len(head.statements), len(head.lifts)):
                heads[key] = replace(head, statements=statements, lifts=lifts)
        if heads == known:
            return model
        model = replace(model, heads=heads)


# ---------------------------------------------------------------------- pairs
@dataclass(frozen=True)
class ModelPair:
    """Two models under their readings, and every mixture of their clauses."""

    first: Model
    second: Model
    known: tuple[Model, ...] = ()  # further models; a mixture that equals one of them reuses it
    _reached: dict[str, frozenset[str]] = field(default_factory=dict, init=False, compare=False)
    _changed: dict[str, list[str]] = field(default_factory=dict, init=False, compare=False)
    _mixtures: dict[frozenset[str], Model] = field(default_factory=dict, init=False, compare=False)
    _for_questions: dict[tuple[str, frozenset[str]], Model] = field(default_factory=dict, init=False, compare=False)

    @cached_property
    def models(self) -> tuple[Model, Model]:
        """Both rules with no reading left open."""
        return _side(self.first).settled, _side(self.second).settled

    @cached_property
    def _said(self) -> tuple[Mapping[str, Said], Mapping[str, Said]]:
        return _side(self.first).said, _side(self.second).said

    def heads_of(self, question: Question) -> frozenset[str]:
        if question.name not in self._reached:
            first, second = (dependencies_of(model).of_question(question).heads for model in self.models)
            self._reached[question.name] = first | second
        return self._reached[question.name]

    @cached_property
    def played(self) -> frozenset[str]:
        first, second = (dependencies_of(model).of_events(model.events.values()).heads for model in self.models)
        return first | second

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
        return not self.changed_for(question) and not self.apart_in(question.situation)

    def changed(self, heads: frozenset[str] | None = None) -> list[str]:
        """List the clauses that say other things of some heads (of any, if none are named).

        The sentences of a definition count where both editions have the definition. A definition that only one
        edition has is not a separate difference: a clause that differs, or another definition, uses it.
        """
        first, second = self._said
        both = self.models[0].heads.keys() & self.models[1].heads.keys()

        def compared(clause: str, said: Mapping[str, Said]) -> Said:
            about = _about(said.get(clause, {}), heads)
            return _about(about, both) if clause == DECLARATIONS else about

        differ = (clause for clause in {*first, *second} if compared(clause, first) != compared(clause, second))
        return sorted(differ, key=natural_key)

    def matters(self, clause: str) -> frozenset[str]:
        """Name the heads of which a clause says other things in one edition than in the other."""
        heads = self.models[0].heads.keys() | self.models[1].heads.keys()
        return frozenset(head.key for side in self.differing([clause], frozenset(heads)) for head, _ in side)

    def events_of(self, clause: str) -> frozenset[str]:
        """Name the events on which it bears what a clause says otherwise in one edition than in the other."""
        sides = zip(self.models, self.differing([clause], self.played), strict=True)
        touched = ((model, {head.key for head, _ in sentences}) for model, sentences in sides)
        return frozenset(
            name
            for model, heads in touched
            for name, event in model.events.items()
            if heads & dependencies_of(model).of_events([event]).heads
        )

    def differing(
        self, clauses: Iterable[str], heads: frozenset[str]
    ) -> tuple[list[tuple[Head, HeadSentence]], list[tuple[Head, HeadSentence]]]:
        """List what clauses say of some heads in the first edition only, and what in the second only."""
        wanted = frozenset(clauses)
        first, second = self.models
        return _only(first, second, wanted, heads), _only(second, first, wanted, heads)

    def sign(self, clause: str, heads: frozenset[str] | None = None) -> str:
        """Say which edition has a clause say something of some heads: `-` the first, `+` the second, empty: both."""
        first, second = (bool(_about(one.get(clause, {}), heads)) for one in self._said)
        return "" if first and second else "-" if first else "+"

    def mixture_for(self, question: Question, clauses: Iterable[str]) -> Model:
        key = question.name, frozenset(clauses)
        if key not in self._for_questions:
            mixture, heads = self.mixture(key[1]), self.heads_of(question)
            content = _content(_said(pruned(mixture)), heads)
            same = (model for model in self.known if _content(_side(model).said, heads) == content)
            self._for_questions[key] = next(same, mixture)
        return self._for_questions[key]

    def mixture(self, clauses: Iterable[str]) -> Model:
        """Give the first rules with what some clauses say in the second, or without them if it lacks them."""
        taken = frozenset(clauses)
        if taken not in self._mixtures:
            one, other = self.models
            keys = {**one.heads, **other.heads}
            heads = {key: _mixed(one.heads.get(key), other.heads.get(key), taken) for key in keys}
            records, enums = self._vocabulary
            forms = one.forms if one.forms is other.forms else {**other.forms, **one.forms}
            self._mixtures[taken] = replace(one, heads=heads, forms=forms, records=records, enums=enums)
        return self._mixtures[taken]

    @cached_property
    def _vocabulary(self) -> tuple[Mapping[str, RecordSpec], Mapping[str, EnumSpec]]:
        """The records and enumerations of a mixture: a clause of either edition finds in them what it looks at."""
        one, other = self.models
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
        return _said(pruned(self.settled))


_SIDES = Capacity(32)


def _side(model: Model) -> _Side:
    """Return the data derived from a model for comparisons; it belongs to the model, and the last few are kept."""
    held = model.by_readings.get(_Side, lambda: Held[type, _Side](_SIDES))
    return held.get(_Side) or held.make(_Side, lambda: _Side(model))


def _with_fields(spec: RecordSpec, other: RecordSpec | None) -> RecordSpec:
    names = {field.name for field in spec.fields}
    more = [field for field in other.fields if field.name not in names] if other else []
    return replace(spec, fields=(*spec.fields, *more))


def _mixed(one: Head | None, other: Head | None, taken: frozenset[str]) -> Head:
    frame = one or other
    assert frame is not None
    if one is other:
        return frame
    if one is None:
        taken |= {DECLARATIONS}  # a new definition brings its own sentences

    def joined(own: tuple[SentenceT, ...], others: tuple[SentenceT, ...]) -> tuple[SentenceT, ...]:
        return tuple([s for s in own if speaker(s) not in taken] + [s for s in others if speaker(s) in taken])

    statements = joined(one.statements if one else (), other.statements if other else ())
    lifts = joined(one.lifts if one else (), other.lifts if other else ())
    mixed = replace(frame, statements=statements, lifts=lifts)
    return next((known for known in (one, other) if known == mixed), mixed)


def speaker(sentence: HeadSentence) -> str:
    return DECLARATIONS if sentence.clause == NOBODY else sentence.clause


def _said(model: Model) -> Mapping[str, Said]:
    found: dict[str, dict[str, list[HeadSentence]]] = {}
    for key, head in model.heads.items():
        for clause, bare in _spoken(head):
            found.setdefault(clause, {}).setdefault(key, []).append(bare)
    return found


@lru_cache(maxsize=MOST_HEADS)
def _spoken(head: Head) -> Sequence[tuple[str, HeadSentence]]:
    """List the sentences of a head, without their places, each behind its speaker."""
    return [(speaker(one), _bare(one)) for one in head.sentences]


def _only(
    model: Model, other: Model, clauses: frozenset[str], heads: frozenset[str]
) -> list[tuple[Head, HeadSentence]]:
    found = []
    for key in sorted(heads & model.heads.keys()):
        same = set(map(_bare, other.heads[key].sentences)) if key in other.heads else set()
        own = (one for one in model.heads[key].sentences if speaker(one) in clauses)
        found += [(model.heads[key], one) for one in own if _bare(one) not in same]
    return found


@lru_cache(maxsize=MOST_SENTENCES)
def _bare(sentence: HeadSentence) -> HeadSentence:
    return replace(sentence, span=NOWHERE, says=())


def _content(said: Mapping[str, Said], heads: frozenset[str]) -> dict[str, Said]:
    return {clause: about for clause, one in said.items() if (about := _about(one, heads))}


def _about(one: Said, heads: Collection[str] | None) -> Said:
    return one if heads is None else {key: sentences for key, sentences in one.items() if key in heads}


def side_by_side(pair: ModelPair) -> ModelPair:
    """Give the same two rules; if their records are equal they share them, so that a situation is read once."""
    first, second = on_one_vocabulary([pair.first, pair.second])
    return ModelPair(first, second, pair.known)


def on_one_vocabulary(models: Sequence[Model]) -> list[Model]:
    """Give the same rules; those whose records are equal share them."""
    found: list[Model] = []
    for model in models:
        same = next((one for one in found if one.records == model.records and one.enums == model.enums), model)
        found.append(replace(model, records=same.records, enums=same.enums, by_vocabulary=same.by_vocabulary))
    return found


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

    @property
    def clauses(self) -> set[str]:
        return {name.lstrip("+-") for names in self.sets for name in names}

    @property
    def listed(self) -> list[list[str]]:
        return [list(names) for names in self.sets]


def causes(
    pair: ModelPair, clauses: Sequence[str], turns: DecidesTest, heads: frozenset[str] | None = None, tried: int = TRIED
) -> DecidingSets:
    """Find the smallest sets of clauses that pass a test; signs show what they say of `heads`. See `smallest`."""
    found = smallest(clauses, turns, tried)
    return DecidingSets(tuple(tuple(pair.sign(clause, heads) + clause for clause in one) for one in found))


def smallest(items: Sequence[str], test: DecidesTest, tried: int = TRIED) -> list[tuple[str, ...]]:
    """Find all smallest sets that pass, if all together do; or an irreducible one, if a size has over `tried` sets."""
    for size in range(1, len(items)):
        if comb(len(items), size) > tried:
            return [_irreducible(items, test)]
        found = [one for one in itertools.combinations(items, size) if test(one)]
        if found:
            return found
    return [tuple(items)] if items else []


def _irreducible(items: Sequence[str], test: DecidesTest) -> tuple[str, ...]:
    kept = list(items)
    for item in items:
        fewer = [one for one in kept if one != item]
        if test(fewer):
            kept = fewer
    return tuple(kept)


# ---------------------------------------------------------------------- answers
EQUIVALENT, WIDER, NARROWER, INCOMPARABLE = "equivalent", "wider", "narrower", "incomparable"
OTHERWISE = "different"  # where they differ, neither allows more: the course of play goes on otherwise
CHOICES, COSTS = "choices", ("ends", "cost", "path")
UNDECIDED = "undecided"


class AnswerDifference(NamedTuple):
    """Two answers that differ, and the clauses that make them differ."""

    first: Any
    second: Any
    cause: DecidingSets


def difference(pair: ModelPair, question: Question, answer: Callable[[Model], Any]) -> AnswerDifference | None:
    """Compare what two editions `answer`; find the clauses with which alone the first answers as the second."""
    first, second = answer(pair.first), answer(pair.second)
    if first == second:
        return None

    def turns(clauses: Sequence[str]) -> bool:
        return bool(answer(pair.mixture_for(question, clauses)) == second)

    return AnswerDifference(first, second, causes(pair, pair.changed_for(question), turns, pair.heads_of(question)))


@dataclass
class QuestionRunner:
    """One situation, to be asked under several rules.

    Rules that share their records share the situation too: its records hold what the engine that
    was made last has worked out.
    """

    situation: str
    data: Data  # the situation as JSON values, checked
    _worlds: dict[Derived, World] = field(default_factory=dict)
    _last: tuple[Model | None, Any] = (None, None)

    def answer(self, model: Model, question: Question, inputs: Data, make: MakeEngine | None = None) -> Any:
        """Answer: a set of lines for choices, else JSON. Raises `InputError` for inputs that the situation lacks."""
        engine = self._engine(model) if make is None else make(self._world(model))
        asked = BoundQuestion(model, question, engine, engine.world, inputs, "$")
        try:
            if question.ask != CHOICES:
                return asked.answer()
            form, given = asked.choice_form()
            found = frozenset(line(form, one) for one in islice(engine.choices(form, given), HASHED + 1))
            return found if len(found) <= HASHED else {"count": engine.count(form, given)}
        except Undecided as error:
            return {UNDECIDED: error.faults[0].what}

    def is_possible(self, model: Model) -> bool:
        return not self.situation or is_possible(self._world(model), model)

    def _engine(self, model: Model) -> Any:
        if self._last[0] is not model:
            self._last = model, make_engine("compiled", model, self._world(model))
        return self._last[1]

    def _world(self, model: Model) -> World:
        if model.by_vocabulary not in self._worlds:
            self._worlds[model.by_vocabulary] = World(model, self.situation, self.data, f"$.{self.situation}")
        return self._worlds[model.by_vocabulary]


def checked_runner(model: Model, question: Question, data: Data, inputs: Data) -> tuple[QuestionRunner, Json]:
    """Check a situation and the inputs of a question about it. Raises `InputError` for what does not fit the schema."""
    whole = {**inputs, question.situation: data} if question.situation else inputs
    raw = check_input(model, question, dict(whole), "$")
    return QuestionRunner(question.situation, raw.pop(question.situation, {})), raw


def machine_of(model: Model, situation: str, data: Data, make: MakeEngine | None = None) -> Machine:
    world = resolve(model, situation, dict(data))
    return Machine(model, world, make or partial(make_engine, "compiled", model))


def compare(question: Question, first: object, second: object) -> tuple[bool, bool]:
    """Say whether the first answer allows something that the second does not, and the reverse.

    A choice, a true flag, a place or a piece allows; of numbers the higher allows more, of costs (those of a way, and
    what an answer calls so) the lower; of a roll only the last die that succeeds counts. Values that have no order
    differ both ways.
    """
    if question.ask == "roll" and isinstance(first, dict) and isinstance(second, dict):
        lower = "lowest" in first
        first, second = (answer.get("lowest" if lower else "highest", answer) for answer in (first, second))
        return _compare(first, second, lower)
    return _compare(first, second, question.ask in COSTS)


def _compare(first: object, second: object, lower: bool) -> tuple[bool, bool]:
    if first == second:
        return False, False
    match first, second:
        case None, _:
            return False, True
        case _, None:
            return True, False
        case bool(), bool():
            return first, second
        case int(), int():
            return (first > second) != lower, (first < second) != lower
        case (frozenset() | list(), frozenset() | list()):
            return bool(_items(first) - _items(second)), bool(_items(second) - _items(first))
        case dict(), dict() if UNDECIDED not in (*first, *second):
            keys = {**first, **second}
            values = ((_allowed(first.get(key)), _allowed(second.get(key)), lower or key == COST) for key in keys)
            parts = [_compare(*one) for one in values]
            return any(one for one, _ in parts), any(other for _, other in parts)
    return True, True


def _allowed(value: object) -> object:
    """Give what an answer allows: what is empty or not so allows nothing, as what is left out; a 0 is a number."""
    return value if value or type(value) is int else None


def _items(found: Iterable[object]) -> frozenset[str]:
    return frozenset(map(str, found))


def relation(more: bool, less: bool, differ: bool = False) -> str:
    """Name how the second of two editions stands to the first: whether it allows `more` somewhere, or `less`.

    If neither, whether they `differ` all the same.
    """
    if more and less:
        return INCOMPARABLE
    return WIDER if more else NARROWER if less else OTHERWISE if differ else EQUIVALENT


def split_by_answer(first: object, second: object) -> tuple[Any, Any]:
    """Give what only the first answer has, and what only the second has; of records with ids the fields, by id."""
    match first, second:
        case list(), list() if any(isinstance(row, dict) and "id" in row for row in (*first, *second)):
            return split_by_answer({row["id"]: row for row in first}, {row["id"]: row for row in second})
        case (frozenset() | list(), frozenset() | list()):
            one, other = _items(first), _items(second)
            return sorted(one - other), sorted(other - one)
        case dict(), dict() if UNDECIDED not in (*first, *second):
            kept = [key for key in {**first, **second} if first.get(key, ...) != second.get(key, ...)]
            parts = {key: split_by_answer(first.get(key), second.get(key)) for key in kept}
            return {key: one for key, (one, _) in parts.items()}, {key: other for key, (_, other) in parts.items()}
    return first, second
