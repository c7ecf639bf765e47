"""The checked rules of one edition, the intermediate representation behind every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any, TypeVar

from titm_rules.diagnostics import Frozen, Span
from titm_rules.ir.derived import Derived
from titm_rules.ir.terms import Call, Field, Template, Term
from titm_rules.ir.types import Measure, Type

Bindings = tuple[tuple[str, Term], ...]  # the roles of a form, each with its value


# The parts of an event, in the order in which they bind their names.


class RangePart(Frozen):
    """Bind `var` to each member of `base` that satisfies `where`, or only to the `first` of them.

    `refusal` says of a member that it does not.
    """

    var: str
    type: Type
    base: Term
    where: Term | None
    first: bool
    refusal: Template = ()


class GivenPart(Frozen):
    """Bind `var` to each value of a type."""

    var: str
    type: Type


class ConditionPart(Frozen):
    """Require a condition; `says` is the refusal where it does not hold.

    `stopped` names the route whose clauses on stops refuse it, where the condition is that a mover need not stop.
    """

    condition: Term
    says: Template
    stopped: str = ""


class LetPart(Frozen):
    """Bind `var` to the value of a term."""

    var: str
    value: Term


class AblePart(Frozen):
    """Require that the mover of a route can step from its place, or close the route there."""

    form: str
    bindings: Bindings


class GoingPart(Frozen):
    """Let the mover of a route, which reached `at` for `spent`, step, halt or close the route (`kind`)."""

    kind: str
    form: str
    at: Term
    spent: Term
    bindings: Bindings


class SelectPart(Frozen):
    """Let the actor make a selection."""

    form: str
    bindings: Bindings


class ViewPart(Frozen):
    """Evaluate the parts after this one in a view of the situation."""

    view: str
    of: Term


class PickPart(Frozen):
    """Let the actor make the next pick of an allocation.

    Earlier picks are in the field `kept` of the records of type `keeper`: the `target` of a chooser, or, where choosers
    have no name, the number of times that a target was picked.
    """

    form: str
    bindings: Bindings
    keeper: Type
    kept: str
    target: Type


class RollPart(Frozen):
    """Throw `count` dice (by default one) for a roll; clauses read the faces under the name `thrown`, if any."""

    roll: Call
    count: Term | None
    thrown: str = ""


class ThrowPart(Frozen):
    """Throw `count` dice with faces `low` to `high`; clauses read the faces under the name `thrown`.

    `reads` is empty, or a number that may be given for a face, and that face.
    """

    count: Term
    thrown: str
    low: int
    high: int
    reads: tuple[int, ...] = ()


EventPart = (
    RangePart | GivenPart | ConditionPart | LetPart | AblePart | GoingPart | SelectPart | ViewPart | PickPart | RollPart
    | ThrowPart
)  # fmt: skip
T = TypeVar("T")
MISSING: Any = "\0missing"
PRICE = "price"  # the cost of a step, for clauses that count
COST, POINTS, FACES = "cost", "points", "faces"  # what is said in answer: of a path, and of a roll
YES, NO = "yes", "no"  # the whole of an answer, where it is positive and where it is not
SUCCESSES = "successes"  # the number of successful dice of an event, for its effects
WINNER, RETURNS, STANDING = "winner", "returns", "standing"  # the parts of a victory
BEGIN, END = "begin", "end"  # the heads of a situation that bar it at the begin or end of a game
CLAIMED = "holds"  # the answer to a claim, which is asked as a question; none where the claim says nothing
NOBODY = ""  # the clause of a default: none
CHOSEN, BY_ITSELF, OTHERWISE = "chosen", "by itself", "otherwise"  # the groups of events, see `Event.group`
ATTESTED, CARRIED_BACK, REVISED = "attested", "carried back", "known to have been revised"  # the grades of a clause


class FieldSpec(Frozen):
    """A field of a record, a situation or a question.

    `json` is its name outside; `default` is a value as in JSON, or `MISSING`; `same_as` is a chain of fields (the last
    is read first) whose value is the default. A list that `owns` its records contains them; any other refers to them
    by id.
    """

    name: str
    json: str
    type: Type
    default: Any = MISSING
    same_as: tuple[str, ...] = ()
    owns: bool = False


class RecordSpec(Frozen):
    """A record: its role (place, piece, connection, plain or situation) and fields.

    `written` is the textual form of the whole record, with `{NAME}` for each field; empty: it has none.
    """

    name: str
    role: str
    fields: tuple[FieldSpec, ...]
    written: str = ""

    @property
    def has_id(self) -> bool:
        """Whether records of this type have ids, by which other records refer to them."""
        return self.role in ("place", "piece", "connection") or any(field.name == "id" for field in self.fields)

    @property
    def is_bare(self) -> bool:
        """Whether a connection is written as its pair of ends alone, without an id."""
        return self.role == "connection" and [field.name for field in self.fields] == ["ends"]

    def named(self, name: str) -> FieldSpec | None:
        return next((field for field in self.fields if field.name == name), None)

    def field_named(self, json: str) -> FieldSpec | None:
        return next((field for field in self.fields if field.json == json), None)


class EnumSpec(Frozen):
    """An enumeration: names in the rules and texts outside, in the order of their ranks.

    `also` lists synonyms of each value. They are read and never written; a synonym of several values is rejected as
    ambiguous.
    """

    name: str
    values: tuple[str, ...]
    texts: tuple[str, ...]
    also: tuple[tuple[str, ...], ...] = ()

    @property
    def words(self) -> list[str]:
        return [*self.texts, *(word for some in self.also for word in some)]

    @property
    def read(self) -> dict[str, str]:
        """Map the texts, and the words that mean one value alone, to the text of the value."""
        meant = {word: self.meant_by(word) for word in self.words}
        return {word: text for word, (text, *more) in meant.items() if not more} | {text: text for text in self.texts}

    def meant_by(self, word: str) -> tuple[str, ...]:
        """List the texts of the values that a word may mean, ignoring case; a text takes precedence over synonyms."""
        plain = word.casefold()
        own = tuple(text for text in self.texts if text.casefold() == plain)
        known = zip(self.texts, self.also, strict=False)
        return own or tuple(text for text, synonyms in known if plain in map(str.casefold, synonyms))


class Effect(Frozen):
    """A change of the situation by an event; its terms are evaluated in the situation before the event.

    `op`: set (`field` of `target`, or of the situation if there is none, becomes `value`), put (a new `record` of
    `bindings` in `field`) or remove (`target` from `field`), once or for each `var` in `base` where `where`.
    """

    op: str
    field: str
    target: Term | None = None
    value: Term | None = None
    record: str = ""
    var: str = ""
    base: Term | None = None
    where: Term | None = None
    bindings: Bindings = ()


class Statement(Frozen):
    """One sentence of a clause about a head: it applies when `when` holds and no exception overrides it.

    `clause` is the number of the clause, the name of a section of the course of play, or `NOBODY` for the default of a
    definition, which every other statement replaces. `says` is the text of a refusal for this reason, with terms in
    the names of the head as its slots; `phrase` is that of a sentence that gives none, made from its condition.
    """

    clause: str
    when: Term | None
    value: Term | None
    label: str
    instead: tuple[str, ...]
    span: Span
    effect: Effect | None = None
    says: Template = ()
    phrase: Template = ()


class Lift(Frozen):
    """An exception: `clause` overrides the statements of `target` on a head, when `when` holds.

    A sentence that denies the default of a definition lifts `NOBODY`.
    """

    clause: str
    target: str
    when: Term | None
    span: Span
    says: Template = ()


class Head(Frozen):
    """A question that clauses decide.

    `mode`: any (true if a statement applies), bar (forbidden if one applies), sum (statements add up), value (the one
    statement that applies gives it), effects (each statement that applies changes the situation).
    """

    key: str
    params: tuple[tuple[str, Type], ...]
    type: Type
    mode: str
    situation: str
    statements: tuple[Statement, ...] = ()
    lifts: tuple[Lift, ...] = ()
    preps: tuple[str, ...] = ()
    stateful: bool = False

    @property
    def sentences(self) -> tuple[Statement | Lift, ...]:
        return (*self.statements, *self.lifts)

    @property
    def is_price(self) -> bool:
        """Whether it is the price of a step, of an interruption or of a closing action.

        INVARIANT: a price below 0 counts as 0, in all engines; searches rely on prices of 0 or more.
        """
        return self.mode == "sum" and self.key.endswith(".cost")


class Route(Frozen):
    """A search over connections: heads start, step, stop, end, cost, points, goal, and one for each counter.

    Attributes:
        counters: the counters, each with its highest value. Steps, costs and interruptions see the values before the
            step, stops and ends those after it.
        halted: the counter that is 1 once the mover has to stop, empty if there is none.
        simple: it visits no place twice.
        returns: a simple route may still return to its start.
        measure: the measure of costs and points, if they are counted in parts.
        ranks: the numbers that the best paths minimise, in order of precedence; only these paths are legal. A rank
            may read the mover, the given roles, the place entered last and the counters.
        stranded: the flag in clauses on the end for a mover that was interrupted and cannot end elsewhere.
    """

    name: str
    situation: str
    mover: tuple[str, Type]
    crossing: tuple[str, Type]
    left: str
    entered: str
    given: tuple[tuple[str, Type], ...]
    interruption: str = ""
    interruption_field: str = ""
    interruption_value: int = 0
    interruption_before: int = 0
    interruption_noted: str = ""
    closing: str = ""
    counters: tuple[tuple[str, int], ...] = ()
    simple: bool = False
    stranded: str = ""
    halted: str = ""
    returns: bool = False
    ranks: tuple[Term, ...] = ()
    measure: Measure | None = None

    @property
    def price(self) -> Type:
        return Type("number", measure=self.measure)

    @property
    def tallied(self) -> tuple[tuple[str, Type], ...]:
        return tuple((name, Type("number", low=0, high=most)) for name, most in self.counters)

    def stopped(self, counts: tuple[int, ...], stops: bool) -> tuple[int, ...]:
        if not (stops and self.halted):
            return counts
        return tuple(1 if name == self.halted else n for (name, _), n in zip(self.counters, counts, strict=True))

    def counts_in(self, given: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the counts of a mover on its path; at the start they are 0."""
        return tuple(given.get(name, 0) for name, _ in self.counters)

    def closed_to(self, came: Sequence[T]) -> Sequence[T]:
        """Return the visited places, the start first, that the route must not enter again."""
        return came[self.returns :] if self.simple else ()

    @property
    def zeros(self) -> dict[str, Any]:
        """The names that clauses read at the start of a route: counters of 0, and that the mover is not stranded."""
        return {**{name: 0 for name, _ in self.counters}, **({self.stranded: False} if self.stranded else {})}


class DiceSpec(Frozen):
    """The dice of a pick: `dice` attempts at `roll`, a call of a roll.

    A success lowers `left`, a number of the target, by `loss`, but not below 0.
    """

    dice: Term
    roll: Call
    left: Field
    loss: Term


class Allocation(Frozen):
    """Choosers that pick one target each, in an order; head choose.

    `choosers` is a set, or `counter` is the given number of nameless choosers.
    """

    name: str
    situation: str
    given: tuple[tuple[str, Type], ...]
    chooser: tuple[str, Type] | None
    choosers: Term | None
    counter: str
    target: tuple[str, Type]
    targets: Term
    order: Term | None
    shot: DiceSpec | None = None


class Selection(Frozen):
    """A choice of a set of members; head choose decides on the whole set.

    With a `rank`, only the sets of the lowest rank are legal, among those that no clause bars.
    """

    name: str
    situation: str
    given: tuple[tuple[str, Type], ...]
    picked: tuple[str, Type]
    members: Term
    rank: Term | None = None


class Roll(Frozen):
    """An attempt with a die; heads try, factor and adds.

    A modified die of at most the factor succeeds, or, if it `rises`, of at least the factor; head adds modifies the
    die. `reads` is empty, or a number that may be given for a face, and that face.
    """

    name: str
    situation: str
    params: tuple[tuple[str, Type], ...]
    low: int
    high: int
    reads: tuple[int, ...] = ()
    rises: bool = False

    @property
    def bounds(self) -> tuple[int, int]:
        """The range of the last face that succeeds; it is beyond the die if none or all succeed."""
        return (self.low, self.high + 1) if self.rises else (self.low - 1, self.high)

    def winning(self, last: int) -> tuple[int, int]:
        return (last, self.high) if self.rises else (self.low, last)


Form = Route | Allocation | Selection | Roll


class Answer(Frozen):
    """An answer to compute.

    `kind`: term, each (a map over a set), list (the values over a set, in its order), record (of answers) or choices
    (of the form `form`). It is left out of its record where its condition `when` does not hold.
    """

    kind: str
    term: Term | None = None
    var: str = ""
    base: Term | None = None
    where: Term | None = None
    when: Term | None = None
    form: str = ""
    bindings: Bindings = ()
    parts: tuple[tuple[str, Answer], ...] = ()


class Question(Frozen):
    """A question that a program may ask: its inputs and how it is answered.

    Attributes:
        ask: ends, cost, path, closings, choices, choice, roll or answers.
        gaps: subjects on which the rules are silent, each with the condition under which an answer depends on it; the
            first that holds is the answer.
        refusals: inputs, each with the condition under which the question makes no sense with it, and the refusal.
        is_bare: it asks for places, or whether a path is legal, and not for costs.
        says: the question in the words of a player, about any input.
        asked: the same about the inputs that are given, which its slots show.
        sayings: the words of answers by name, and of the whole answer under `yes` and `no`.
    """

    name: str
    situation: str
    inputs: tuple[FieldSpec, ...]
    ask: str
    form: str
    bindings: Bindings
    names: tuple[str, ...]
    answers: tuple[tuple[str, Answer], ...]
    gaps: tuple[tuple[str, Term], ...] = ()
    refusals: tuple[tuple[str, Term, Template], ...] = ()
    is_bare: bool = False
    says: str = ""
    asked: Template = ()
    sayings: tuple[tuple[str, Template], ...] = ()

    @property
    def listing(self) -> tuple[str, Bindings]:
        """The form whose choices it lists, as a whole or in the first answer that does, with its roles; "" if none."""
        if self.ask == "choices":
            return self.form, self.bindings
        return next(((part.form, part.bindings) for _, part in self.answers if part.kind == "choices"), ("", ()))

    @property
    def answer_names(self) -> tuple[str, ...]:
        """The names of what is said in answer, besides yes and no."""
        match self.ask:
            case "answers":
                return tuple(name for name, _ in self.answers)
            case "path":
                return () if self.is_bare else (COST, POINTS)
            case "roll":
                return (FACES,)
            case "choice":
                return ()
        return (*self.names[-1:], POINTS) if self.ask == "cost" else self.names


class View(Frozen):
    """A view of a situation: the fields of `name`, computed from those of `situation`.

    `twins` maps types of records of the situation to those of the view, which have the same ids.
    """

    name: str
    situation: str
    params: tuple[tuple[str, Type], ...]
    answers: tuple[tuple[str, Answer], ...]
    twins: Mapping[str, str]


class Always(Frozen):
    """An invariant of a kind of situation: for each `var` in `base`, or, without these, of the whole.

    INVARIANT: it reads fields alone, so that a situation can be checked before any clause decides. `says` is the fault
    of a situation that breaks it.
    """

    situation: str
    var: str
    base: Term | None
    condition: Term
    says: Template
    span: Span


class Event(Frozen):
    """An event of a game: a choice of a side, or, without an actor, automatic.

    An `otherwise` event happens automatically when no side has a choice. Heads: start (bars the event), happen (bars
    one choice) and effects. `params` are the names that clauses may use, `open` those that the actor chooses; `sees`
    are the clauses that refuse a choice that is not offered.
    """

    name: str
    situation: str
    actor: Term | None
    parts: tuple[EventPart, ...]
    params: tuple[tuple[str, Type], ...]
    open: tuple[str, ...]
    otherwise: bool = False
    sees: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """The group of the event: chosen by a side, automatic, or automatic when no side has a choice."""
        if self.actor is not None:
            return CHOSEN
        return OTHERWISE if self.otherwise else BY_ITSELF

    @property
    def rolls(self) -> bool:
        return any(isinstance(part, RollPart) for part in self.parts)

    @property
    def thrown(self) -> str:
        """The name under which clauses read the faces of its dice; empty if they do not."""
        return next((part.thrown for part in self.parts if isinstance(part, RollPart | ThrowPart)), "")


class Reading(Frozen):
    """An ambiguity: its question, its readings and the default.

    Attributes:
        choices: every reading that some edition leaves open, each with its text in `texts`.
        default: the reading that holds unless another is chosen, with the reason in `because`.
        offered: the readings that this edition leaves open; a single one is settled.
        alias: the name by which rules ask for it, if it has one besides its number.
    """

    name: str
    question: str
    choices: tuple[str, ...]
    texts: tuple[str, ...]
    default: str
    because: str = ""
    offered: tuple[str, ...] = ()
    alias: str = ""


class ClauseInfo(Frozen):
    """The text of a clause, and the heads that it decides.

    Attributes:
        number: its number in this edition; empty: its id.
        edition: the date of the document that this text is from.
        attested: false if no document up to this edition shows it, so that it is carried back from a later one.
        revised: the later sheet that rewords a clause that is carried back, so that its original wording is lost.
    """

    id: str
    title: str
    says: str
    span: Span
    heads: tuple[str, ...] = ()
    excepts: tuple[str, ...] = ()
    sees: tuple[str, ...] = ()
    silent: str = ""
    number: str = ""
    edition: str = ""
    attested: bool = True
    revised: str = ""

    @property
    def grade(self) -> str:
        """The quality of the evidence for it: attested, carried back, or known to have been revised since."""
        if self.attested:
            return ATTESTED
        return REVISED if self.revised else CARRIED_BACK

    @property
    def is_formal(self) -> bool:
        """Whether a sentence of it decides something or lifts another clause."""
        return bool(self.heads or self.excepts)


class CourseInfo(Frozen):
    """A section of the course of play: the bookkeeping of a game, which is not a clause."""

    name: str
    title: str
    span: Span


class RuleDigests(Frozen):
    """The first 16 hexadecimal digits of the SHA-256 of what rules decide, and of all their words."""

    rules: str = ""
    wording: str = ""


class Model(Frozen):
    """The checked rules of an edition.

    Derived values are kept with the model. A copy shares the values that follow from the parts that it does not change.
    The last three fields are not part of the value of the model: they are neither compared nor written to the cache.

    Attributes:
        digests: those of the rules as they were linked; a copy with some of them changed keeps them.
        home: the game whose folder it was read from; empty for rules of loose files.
        claims: what the rules are to make true, as questions (`CLAIMED`); no answer and no digest depends on them.
        by_vocabulary: values derived from its records and enumerations alone.
        by_rules: values derived from its rules, under any choice of readings.
        by_readings: values derived from its rules under the chosen readings.
    """

    game: str
    edition: str
    title: str
    enums: Mapping[str, EnumSpec]
    records: Mapping[str, RecordSpec]
    heads: Mapping[str, Head]
    forms: Mapping[str, Form]
    questions: Mapping[str, Question]
    events: Mapping[str, Event]
    views: Mapping[str, View]
    summaries: Mapping[str, tuple[tuple[str, Answer], ...]]
    readings: Mapping[str, Reading]
    clauses: Mapping[str, ClauseInfo]
    courses: Mapping[str, CourseInfo] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)
    home: str = ""
    victories: Mapping[str, tuple[tuple[str, Answer], ...]] = field(default_factory=dict)
    always: Mapping[str, tuple[Always, ...]] = field(default_factory=dict)
    digests: RuleDigests = field(default_factory=RuleDigests)
    claims: Mapping[str, Question] = field(default_factory=dict)
    by_vocabulary: Derived = field(default_factory=Derived, compare=False, repr=False)
    by_rules: Derived = field(default_factory=Derived, compare=False, repr=False)
    by_readings: Derived = field(default_factory=Derived, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # `replace` hands on what the original has worked out; it stays only where its parts are the very same.
        vocabulary = self.enums, self.records
        object.__setattr__(self, "by_vocabulary", self.by_vocabulary.of(*vocabulary))
        rules = (
            *vocabulary, self.heads, self.forms, self.questions, self.events, self.views, self.summaries,
            self.readings, self.victories, self.always,
        )  # fmt: skip
        object.__setattr__(self, "by_rules", self.by_rules.of(*rules))

    def with_readings(self, chosen: Mapping[str, str]) -> Model:
        return replace(self, chosen={**self.chosen, **chosen})

    def reading(self, name: str) -> str:
        return self.chosen.get(name, self.readings[name].default)

    def sharing(self, other: Model) -> Model:
        """Give the same rules; what other rules have just so are the very same objects, with what is derived of it."""
        lists = {name: _shared(part, getattr(other, name)) for name, part in self._lists.items()}
        return replace(other, **{one.name: getattr(self, one.name) for one in fields(self) if one.compare} | lists)

    def named_parts(self) -> dict[str, object]:
        """Name the lists of the rules, and the parts in each."""
        parts = {f"{name} {key}": value for name, part in self._lists.items() for key, value in part.items()}
        return {name: part for name, part in self._lists.items() if part} | parts

    @property
    def _lists(self) -> dict[str, Mapping[str, object]]:
        parts = {one.name: getattr(self, one.name) for one in fields(self) if one.compare}
        return {name: part for name, part in parts.items() if isinstance(part, dict)}

    def text_of(self, wanted: Type, value: Any) -> Any:
        """Replace a synonym by the text of its value; return any other value unchanged."""
        enum = self.enums.get(wanted.name)
        if enum is None or not isinstance(value, str) or value in enum.texts:
            return value
        return enum.read.get(value, value)

    def without_clause(self, clause: str) -> Model:
        heads = dict(self.heads)
        for key, head in self.heads.items():
            if any(sentence.clause == clause for sentence in head.sentences):
                statements = tuple(s for s in head.statements if s.clause != clause)
                lifts = tuple(lift for lift in head.lifts if lift.clause != clause)
                heads[key] = replace(head, statements=statements, lifts=lifts)
        return replace(self, heads=heads)


def _shared(mine: Mapping[str, object], other: Mapping[str, object]) -> Mapping[str, object]:
    """Give a list of some rules with the parts that others have just so, or theirs if it is the same."""
    same = {key for key, value in mine.items() if key in other and (value is other[key] or value == other[key])}
    found = {key: other[key] if key in same else value for key, value in mine.items()}
    is_same = [*found] == [*other] and all(value is other[key] for key, value in found.items())
    return other if is_same else found


def head_key(form: str, word: str) -> str:
    """Return the key of a head of a form, such as `move.step`."""
    return f"{form}.{word}"
