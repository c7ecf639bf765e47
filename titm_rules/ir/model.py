"""The checked rules of one edition, the intermediate representation behind every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from titm_rules.diagnostics import Span
from titm_rules.ir.derived import Derived
from titm_rules.ir.terms import Call, Field, Template, Term
from titm_rules.ir.types import Measure, Type

# ---------------------------------------------------------------------- event parts
Bindings = tuple[tuple[str, Term], ...]


@dataclass(frozen=True, slots=True)
class RangePart:
    """`var` stands for the members of `base` that satisfy `where`, one at a time, or for the `first` of them."""

    var: str
    type: Type
    base: Term
    where: Term | None
    first: bool


@dataclass(frozen=True, slots=True)
class GivenPart:
    """`var` stands for any value of a type."""

    var: str
    type: Type


@dataclass(frozen=True, slots=True)
class ConditionPart:
    """A condition holds; `says` tells a refusal where it does not."""

    condition: Term
    says: Template


@dataclass(frozen=True, slots=True)
class LetPart:
    """`var` stands for what a term gives."""

    var: str
    value: Term


@dataclass(frozen=True, slots=True)
class AblePart:
    """The mover of a route can go somewhere from where it stands, or close the route there."""

    form: str
    bindings: Bindings


@dataclass(frozen=True, slots=True)
class GoingPart:
    """The mover of a route, which has come to `at` for `spent`, goes on: it steps, halts or closes (`kind`)."""

    kind: str
    form: str
    bindings: Bindings
    at: Term
    spent: Term


@dataclass(frozen=True, slots=True)
class SelectPart:
    """A selection is made."""

    form: str
    bindings: Bindings


@dataclass(frozen=True, slots=True)
class ViewPart:
    """The parts behind it are asked in a view of the situation."""

    view: str
    of: Term


@dataclass(frozen=True, slots=True)
class PickPart:
    """The next pick of an allocation is made.

    What was picked before is in the field `kept` of a record of type `keeper`: the `target` of a chooser,
    or, where choosers have no name, how often a target was picked.
    """

    form: str
    bindings: Bindings
    keeper: Type
    kept: str
    target: Type


@dataclass(frozen=True, slots=True)
class RollPart:
    """So many dice (none said: one) are thrown for a roll; clauses read the faces if they are `thrown` under a name."""

    roll: Call
    count: Term | None
    thrown: str = ""


@dataclass(frozen=True, slots=True)
class ThrowPart:
    """So many dice with faces `low` to `high` are thrown; clauses read the faces under the name `thrown`.

    `reads` is empty, or what may be given for a face, and that face.
    """

    count: Term
    thrown: str
    low: int
    high: int
    reads: tuple[int, ...] = ()


EventPart = (
    RangePart
    | GivenPart
    | ConditionPart
    | LetPart
    | AblePart
    | GoingPart
    | SelectPart
    | ViewPart
    | PickPart
    | RollPart
    | ThrowPart
)


# ---------------------------------------------------------------------- model
T = TypeVar("T")
MISSING: Any = "\0missing"
PRICE = "price"  # what a step costs, for clauses that count
SUCCESSES = "successes"  # how many dice of an event succeed, for its effects
WINNER, RETURNS, STANDING = "winner", "returns", "standing"  # what a victory tells
BEGIN, END = "begin", "end"  # words of what clauses say of a situation from which a game goes on
NOBODY = ""  # who says the default of a definition: no clause
# How well an edition attests a clause.
CHOSEN, BY_ITSELF, OTHERWISE = "chosen", "by itself", "otherwise"  # how an event comes about
ATTESTED, CARRIED_BACK, REVISED = "attested", "carried back", "known to have been revised"


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of a record, a situation or a question.

    `json` is its name outside; `default` is a value as in JSON, or `MISSING`; `same_as` is a
    chain of fields (the last is read first) whose value is the default. A list that `owns` its
    records holds them whole; any other refers to them by id.
    """

    name: str
    json: str
    type: Type
    default: Any = MISSING
    same_as: tuple[str, ...] = ()
    owns: bool = False


@dataclass(frozen=True, slots=True)
class RecordSpec:
    """A record: its role (place, piece, connection, plain or situation) and fields.

    `written`: how a text stands for the whole record, with `{NAME}` for each field; empty: none does.
    """

    name: str
    role: str
    fields: tuple[FieldSpec, ...]
    written: str = ""

    @property
    def has_id(self) -> bool:
        """Whether records of this type are told apart by ids, and named by them elsewhere."""
        return self.role in ("place", "piece", "connection") or any(field.name == "id" for field in self.fields)

    @property
    def is_bare(self) -> bool:
        """Whether a connection is written as its pair of ends alone, without an id."""
        return self.role == "connection" and [field.name for field in self.fields] == ["ends"]

    def field_named(self, json: str) -> FieldSpec | None:
        """Give the field of a name, as it is outside; nothing if there is none."""
        return next((field for field in self.fields if field.json == json), None)


@dataclass(frozen=True, slots=True)
class EnumSpec:
    """An enumeration: names in the rules and texts outside, in the order of their ranks.

    `also` are further words for each value. They are read and never written; one that several values bear is not
    understood, and whoever writes it is asked which is meant.
    """

    name: str
    values: tuple[str, ...]
    texts: tuple[str, ...]
    also: tuple[tuple[str, ...], ...] = ()

    @property
    def words(self) -> list[str]:
        """List the texts, and then the other words."""
        return [*self.texts, *(word for some in self.also for word in some)]

    @property
    def read(self) -> dict[str, str]:
        """Map what stands for one value, letter by letter, to the text of this value."""
        meant = {word: self.meant_by(word) for word in self.words}
        return {word: one for word, (one, *more) in meant.items() if not more} | {text: text for text in self.texts}

    def meant_by(self, word: str) -> tuple[str, ...]:
        """List the texts of the values that a word may mean, in small or capital letters; texts go before words."""
        said = word.casefold()
        own = tuple(text for text in self.texts if text.casefold() == said)
        known = zip(self.texts, self.also, strict=False)
        return own or tuple(text for text, some in known if said in (one.casefold() for one in some))


@dataclass(frozen=True, slots=True)
class Effect:
    """What an event does to its situation; it is read in the situation before the event.

    `op`: set (`field` of `target`, or of the situation if there is none, becomes `value`), put (a
    new `record` of `bindings` in `field`) or remove (`target` from `field`), once or for each
    `var` in `base` where `where`.
    """

    op: str
    field: str
    target: Term | None = None
    value: Term | None = None
    record: str = ""
    bindings: tuple[tuple[str, Term], ...] = ()
    var: str = ""
    base: Term | None = None
    where: Term | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a clause about a head: it counts when `when` holds and nothing lifts it.

    `clause` is the number of the clause, the name of a section of the course of play, or `NOBODY` for
    the default of a definition, which every other statement stands instead of. `says` tells a refusal
    that rests on it: texts, and terms in the names of the head whose values come between them.
    """

    clause: str
    when: Term | None
    value: Term | None
    label: str
    instead: tuple[str, ...]
    span: Span
    effect: Effect | None = None
    says: Template = ()


@dataclass(frozen=True, slots=True)
class Lift:
    """Clause `clause` takes away what `target` says of a head, when `when` holds.

    What it says against the default of a definition takes away what `NOBODY` says.
    """

    clause: str
    target: str
    when: Term | None
    span: Span
    says: Template = ()


@dataclass(frozen=True, slots=True)
class Head:
    """A question that clauses decide.

    `mode`: any (true if a statement holds), bar (forbidden if one holds), sum (statements add
    up), value (the one statement that holds gives it), effects (each statement that holds works).
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
        """All that clauses say of it."""
        return (*self.statements, *self.lifts)


@dataclass(frozen=True, slots=True)
class Route:
    """A search over connections: heads start, step, stop, end, cost, points, goal, and one for each counter.

    Attributes:
        counters: what is counted on the way, each with the number at which counting ends. Steps, costs
            and interruptions see what was counted before the step, stops and ends what was counted with it.
        halted: the counter that is 1 once the mover has to stop, empty if there is none.
        simple: it visits no place twice.
        returns: though it enters no place twice, it may come back to where it set out.
        measure: what costs and points are counted in, if in parts of a unit.
        ranks: what the best ways have least of, one thing after the other; only these ways are legal. A rank may
            ask for the mover, what is given, the place entered last and what was counted by then.
        stranded: how clauses on the end call a mover that was interrupted and cannot end elsewhere.
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
        """The type of what its steps cost and of the points that pay for them."""
        return Type("number", measure=self.measure)

    @property
    def tallied(self) -> tuple[tuple[str, Type], ...]:
        """The counters, with their types."""
        return tuple((name, Type("number", low=0, high=most)) for name, most in self.counters)

    def stopped(self, counts: tuple[int, ...], stops: bool) -> tuple[int, ...]:
        """Note among what was counted that the mover has to stop."""
        if not (stops and self.halted):
            return counts
        named = zip(self.counters, counts, strict=True)
        return tuple(1 if name == self.halted else count for (name, _), count in named)

    def counts_in(self, given: Mapping[str, Any]) -> tuple[int, ...]:
        """Give what a mover on its way has counted; who sets out has counted nothing."""
        return tuple(given.get(name, 0) for name, _ in self.counters)

    def closed_to(self, came: Sequence[T]) -> Sequence[T]:
        """Give those of the places behind a mover, the start first, that the route must not enter again."""
        return came[self.returns :] if self.simple else ()

    @property
    def zeros(self) -> dict[str, Any]:
        """What clauses find counted where a mover sets out, and that it is not stranded."""
        return {**{name: 0 for name, _ in self.counters}, **({self.stranded: False} if self.stranded else {})}


@dataclass(frozen=True, slots=True)
class DiceSpec:
    """What follows from a pick: so many `dice`, each an attempt at `roll`, a call of a roll.

    A success takes `loss` off a number of the target, `left`, as far as there is any left.
    """

    dice: Term
    roll: Call
    left: Field
    loss: Term


@dataclass(frozen=True, slots=True)
class Allocation:
    """Choosers that pick one target each, in an order; head choose.

    `choosers` is a set, or `counter` names the given number of nameless choosers.
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


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice of a set of members; head choose judges the whole set.

    With a `rank`, only those of the lowest rank are legal among the sets that nothing bars.
    """

    name: str
    situation: str
    given: tuple[tuple[str, Type], ...]
    picked: tuple[str, Type]
    members: Term
    rank: Term | None = None


@dataclass(frozen=True, slots=True)
class Roll:
    """An attempt with a die; heads try, factor and adds.

    A modified die of at most the factor succeeds, or, if it `rises`, of at least the factor; what clauses add is
    added to the die. `reads` is empty, or what may be given for a face, and that face.
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
        """The least and the most that the last face that succeeds may be; beyond the die where none or all do."""
        return (self.low, self.high + 1) if self.rises else (self.low - 1, self.high)

    def winning(self, last: int) -> tuple[int, int]:
        """Give the lowest and the highest face that succeed, where `last` is the last that does."""
        return (last, self.high) if self.rises else (self.low, last)


Form = Route | Allocation | Selection | Roll


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to compute.

    `kind`: term, each (a map over a set), list (the values over a set, in its order), record (of answers) or choices
    (of the form `form`). One with `when` is left out of its record where that does not hold.
    """

    kind: str
    term: Term | None = None
    var: str = ""
    base: Term | None = None
    where: Term | None = None
    parts: tuple[tuple[str, Answer], ...] = ()
    when: Term | None = None
    form: str = ""
    bindings: tuple[tuple[str, Term], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a program may ask: its inputs and how it is answered.

    `ask` is ends, cost, path, closings, choices, choice, roll or answers. `gaps` name what the rules
    lack and say when an answer rests on it; the first that holds is the answer. One that is bare asks for
    places, or whether a path is legal, and for no costs. `refusals` name an input, say when the question
    makes no sense with it, and what is said of that. `says` is the question as a player would put it.
    """

    name: str
    situation: str
    inputs: tuple[FieldSpec, ...]
    ask: str
    form: str
    bindings: tuple[tuple[str, Term], ...]
    names: tuple[str, ...]
    answers: tuple[tuple[str, Answer], ...]
    gaps: tuple[tuple[str, Term], ...] = ()
    refusals: tuple[tuple[str, Term, Template], ...] = ()
    is_bare: bool = False
    says: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """A situation seen in another: the fields of `name` worked out from those of `situation`.

    `twins` tells which record of the view stands, under the same id, for one of the situation.
    """

    name: str
    situation: str
    params: tuple[tuple[str, Type], ...]
    answers: tuple[tuple[str, Answer], ...]
    twins: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Always:
    """What holds in every situation of a kind: for each `var` in `base`, or, without these, of the whole.

    `says` tells what a situation breaks in which it does not hold; it asks for fields alone, so that it can be told
    before any clause decides.
    """

    situation: str
    var: str
    base: Term | None
    condition: Term
    says: Template
    span: Span


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens in a game: by the choice of a side, or, with no actor, by itself.

    What happens `otherwise` happens by itself when no side has a choice.

    Heads: start (barred at all), happen (one choice barred) and effects. `params` are the names
    that clauses may use of a choice, `open` those among them that whoever acts has to choose.
    """

    name: str
    situation: str
    actor: Term | None
    parts: tuple[EventPart, ...]
    params: tuple[tuple[str, Type], ...]
    open: tuple[str, ...]
    otherwise: bool = False

    @property
    def group(self) -> str:
        """How it comes about: by the choice of a side, by itself, or otherwise."""
        if self.actor is not None:
            return CHOSEN
        return OTHERWISE if self.otherwise else BY_ITSELF

    @property
    def rolls(self) -> bool:
        """Whether dice are thrown of which the successes count."""
        return any(isinstance(part, RollPart) for part in self.parts)

    @property
    def thrown(self) -> str:
        """Under which name clauses read the faces of its dice; empty if they do not."""
        return next((part.thrown for part in self.parts if isinstance(part, RollPart | ThrowPart)), "")


@dataclass(frozen=True, slots=True)
class Reading:
    """An ambiguity: its question, its readings and the default.

    Attributes:
        choices: every reading that some edition leaves open, each with its text in `texts`.
        default: the reading that holds unless another is chosen, with the reason in `because`.
        offered: the readings that this edition leaves open; one alone: it is settled.
    """

    name: str
    question: str
    choices: tuple[str, ...]
    texts: tuple[str, ...]
    default: str
    because: str = ""
    offered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClauseInfo:
    """A clause as people see it, and where it is formalised.

    Attributes:
        number: the number that it bears in this edition; empty: its own.
        edition: the date of the document whose words these are.
        attested: false if no document up to this edition shows it, so that it is carried back from a later one.
        revised: the sheet to come that words a clause anew which is carried back: its words at the time were others.
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
        """Say how well the edition attests it: attested, carried back, or known to have been revised since."""
        if self.attested:
            return ATTESTED
        return REVISED if self.revised else CARRIED_BACK

    @property
    def is_formal(self) -> bool:
        """Whether a sentence of it decides something or takes away what another says."""
        return bool(self.heads or self.excepts)


@dataclass(frozen=True, slots=True)
class CourseInfo:
    """A section of the course of play: what keeps the books of a game and is no clause."""

    name: str
    title: str
    span: Span


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that an edition says, checked.

    What is worked out of it is kept with it. A copy shares what follows from the parts that it does not change. These
    three fields are not part of its value: they are neither compared nor written to the cache.

    Attributes:
        home: the game whose folder it was read from; empty for rules of loose files.
        by_vocabulary: what follows from its records and enumerations alone.
        by_rules: what follows from its rules, under any choice of readings.
        by_readings: what follows from its rules under the chosen readings.
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
        """Return the same rules under other readings."""
        return replace(self, chosen={**self.chosen, **chosen})

    def reading(self, name: str) -> str:
        """Name the reading that holds for an ambiguity."""
        return self.chosen.get(name, self.readings[name].default)

    def text_of(self, wanted: Type, value: Any) -> Any:
        """Give the text of the value that another word stands for; whatever else is given stays as it is."""
        enum = self.enums.get(wanted.name)
        if enum is None or not isinstance(value, str) or value in enum.texts:
            return value
        return enum.read.get(value, value)

    def without_clause(self, clause: str) -> Model:
        """Return the rules as if a clause said nothing."""
        heads = {
            key: replace(
                head,
                statements=tuple(s for s in head.statements if s.clause != clause),
                lifts=tuple(lift for lift in head.lifts if lift.clause != clause),
            )
            for key, head in self.heads.items()
        }
        return replace(self, heads=heads)


def head_key(form: str, word: str) -> str:
    """Name a head of a form, such as `move.step`."""
    return f"{form}.{word}"
