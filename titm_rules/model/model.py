"""The checked rules of one edition: what the compiler and the interpreter start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from titm_rules.diagnostics import Span
from titm_rules.model.terms import Call, Field, Term
from titm_rules.model.types import Type

MISSING: Any = "\0missing"


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
    """A record: its role (place, piece, connection, plain or situation) and fields."""

    name: str
    role: str
    fields: tuple[FieldSpec, ...]

    @property
    def is_bare(self) -> bool:
        """Whether a connection is written as its pair of ends alone, without an id."""
        return self.role == "connection" and [field.name for field in self.fields] == ["ends"]


@dataclass(frozen=True, slots=True)
class EnumSpec:
    """An enumeration: names in the rules and texts outside, in the order of their ranks."""

    name: str
    values: tuple[str, ...]
    texts: tuple[str, ...]


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
    """One sentence of a clause about a head: it counts when `when` holds and nothing lifts it."""

    clause: str
    when: Term | None
    value: Term | None
    label: str
    instead: tuple[str, ...]
    span: Span
    effect: Effect | None = None


@dataclass(frozen=True, slots=True)
class Lift:
    """Clause `clause` takes away what `target` says of a head, when `when` holds."""

    clause: str
    target: str
    when: Term | None
    span: Span


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


@dataclass(frozen=True, slots=True)
class Route:
    """A search over connections: heads start, step, stop, end, cost, points and goal."""

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


@dataclass(frozen=True, slots=True)
class Shot:
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
    shot: Shot | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice of a set of members; head choose judges the whole set."""

    name: str
    situation: str
    given: tuple[tuple[str, Type], ...]
    picked: tuple[str, Type]
    members: Term


@dataclass(frozen=True, slots=True)
class Roll:
    """An attempt with a die; heads try, factor and adds.

    A modified die of at most the factor succeeds; what clauses add is added to the die.
    """

    name: str
    situation: str
    params: tuple[tuple[str, Type], ...]
    low: int
    high: int


Form = Route | Allocation | Selection | Roll


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to compute: a term, a map over a set, or a record of answers."""

    kind: str
    term: Term | None = None
    var: str = ""
    base: Term | None = None
    where: Term | None = None
    parts: tuple[tuple[str, Answer], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a program may ask: its inputs and how it is answered.

    `ask` is ends, cost, path, closings, choices, choice, roll or answers.
    """

    name: str
    situation: str
    inputs: tuple[FieldSpec, ...]
    ask: str
    form: str
    bindings: tuple[tuple[str, Term], ...]
    names: tuple[str, ...]
    answers: tuple[tuple[str, Answer], ...]


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
class Part:
    """A part of an event: what it ranges over, or what it needs.

    `kind`: domain, first and given range over values of `var`, let names one; steps, halts, closes and able ask
    the route `form` how the mover goes on; selects and picking ask for a choice; seen gives the
    view in which the parts behind it are asked; rolling throws `count` dice for `roll`. A picking
    knows what was picked before by the field `kept` of a record of `type`: the `target` of a chooser,
    or, where choosers have no name, how often a target was picked.
    """

    kind: str
    var: str = ""
    type: Type | None = None
    base: Term | None = None
    where: Term | None = None
    form: str = ""
    bindings: tuple[tuple[str, Term], ...] = ()
    at: Term | None = None
    spent: Term | None = None
    count: Term | None = None
    roll: Term | None = None
    kept: str = ""
    target: Type | None = None


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
    parts: tuple[Part, ...]
    params: tuple[tuple[str, Type], ...]
    open: tuple[str, ...]
    otherwise: bool = False

    @property
    def rolls(self) -> bool:
        """Whether dice are thrown."""
        return any(part.kind == "rolling" for part in self.parts)


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

    @property
    def is_formal(self) -> bool:
        """Whether a sentence of it decides something or takes away what another says."""
        return bool(self.heads or self.excepts)


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that an edition says, checked."""

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
    chosen: Mapping[str, str] = field(default_factory=dict)

    def with_readings(self, chosen: Mapping[str, str]) -> Model:
        """Return the same rules under other readings."""
        return replace(self, chosen={**self.chosen, **chosen})

    def reading(self, name: str) -> str:
        """Name the reading that holds for an ambiguity."""
        return self.chosen.get(name, self.readings[name].default)

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
