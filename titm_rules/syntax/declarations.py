"""The declarations of a vocabulary, one kind of node for each kind of item or part."""

from __future__ import annotations

from dataclasses import dataclass

from titm_rules.diagnostics.span import Span
from titm_rules.syntax.nodes import Binding, Expr, FieldDecl, Param, TypeRef, Word, Wording


@dataclass(frozen=True, slots=True)
class _Named:
    """What every declaration has: the name that it declares."""

    name: Word


@dataclass(frozen=True, slots=True)
class _Part:
    """What every part of a form or an event has: where it stands."""

    span: Span


# ---------------------------------------------------------------------- what there is
@dataclass(frozen=True, slots=True)
class GameDecl(_Named):
    """`game "NAME"`."""


@dataclass(frozen=True, slots=True)
class EditionDecl(_Named):
    """`edition "NAME" "TITLE" dated ...`: `basis` is follows, carries_back or empty; `base` is another edition."""

    title: str
    dated: str
    basis: str
    base: str
    reads: str
    source: str


@dataclass(frozen=True, slots=True)
class TypeDecl(_Named):
    """`type NAME is VALUE as "TEXT" also "WORD", ...`: the values, how each is written outside, what else is read."""

    values: tuple[Word, ...]
    texts: tuple[str, ...]
    also: tuple[tuple[Word, ...], ...]


@dataclass(frozen=True, slots=True)
class MeasureDecl(_Named):
    """`type NAME is number in NUMBER parts`: what numbers may be counted in, a unit of so many parts."""

    parts: int


@dataclass(frozen=True, slots=True)
class RecordDecl(_Named):
    """`place`, `piece`, `connection`, `record` (a plain one) or `situation`: its role, and its fields.

    A plain record may be `written` as one text, in which `{NAME}` stands for each field.
    """

    role: str
    fields: tuple[FieldDecl, ...]
    written: Word | None = None


@dataclass(frozen=True, slots=True)
class DieDecl(_Named):
    """`die NAME from LOW to HIGH reads MARK as FACE`: `reads` is empty, or what is written for a face and the face."""

    low: int
    high: int
    reads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ChoiceDecl:
    """One way in which a reading may be taken."""

    name: Word
    text: str
    is_default: bool


@dataclass(frozen=True, slots=True)
class ReadingDecl(_Named):
    """`reading NAME "QUESTION": ...`; `offered` names the choices that are left open, empty: all."""

    question: str
    choices: tuple[ChoiceDecl, ...]
    because: str
    offered: tuple[str, ...] = ()


# ---------------------------------------------------------------------- what clauses decide
@dataclass(frozen=True, slots=True)
class DefineDecl(_Named):
    """`define TYPE NAME of ... on SITUATION default VALUE`; or `define total TYPE NAME ...`, to which clauses add."""

    type: TypeRef
    optional: bool
    params: tuple[Param, ...]
    situation: Word | None
    default: Expr | None
    adds_up: bool = False


@dataclass(frozen=True, slots=True)
class TableDecl(_Named):
    """`table NAME by TYPE and NAME: number LOW to HIGH gives TYPE`, or `by TYPE and TYPE`; it gives numbers else."""

    key: Word
    number: tuple[Word, int, int] | None = None
    gives: TypeRef | None = None
    across: Word | None = None


@dataclass(frozen=True, slots=True)
class MoverDecl(_Part):
    """`mover NAME: TYPE`."""

    param: Param


@dataclass(frozen=True, slots=True)
class Crosses(_Part):
    """`crosses NAME: CONNECTION from NAME to NAME`."""

    name: Word
    record: Word
    left: Word
    entered: Word


@dataclass(frozen=True, slots=True)
class GivenDecl(_Part):
    """`given NAME: TYPE`, of a form or an event."""

    param: Param


@dataclass(frozen=True, slots=True)
class Interruption(_Part):
    """`interrupted by NAME setting FIELD of CROSSING from VALUE to VALUE noted in FIELD stranded as NAME`."""

    name: Word
    field: Expr
    before: Word
    after: Word
    noted: Word | None
    stranded: Word | None


@dataclass(frozen=True, slots=True)
class Closing(_Part):
    """`closed by NAME`."""

    name: Word


@dataclass(frozen=True, slots=True)
class Tallied(_Part):
    """`counts NAME up to MOST`: what is counted on the way."""

    name: Word
    most: int


@dataclass(frozen=True, slots=True)
class Halted(_Part):
    """`counts NAME when stopped`: a counter that is 1 once the mover has to stop."""

    name: Word


@dataclass(frozen=True, slots=True)
class Simple(_Part):
    """`visits no place twice`, or `enters no place twice`, by which it may come back to where it set out."""

    returns: bool = False


@dataclass(frozen=True, slots=True)
class Paid(_Part):
    """`paid in MEASURE`: what steps cost is counted so."""

    measure: Word


@dataclass(frozen=True, slots=True)
class Prefers(_Part):
    """`prefers lowest NUMBER`: of the choices, or ways, that nothing bars only the best are legal."""

    rank: Expr


RoutePartDecl = (
    MoverDecl | Crosses | GivenDecl | Interruption | Closing | Tallied | Halted | Simple | Paid | Prefers
)


@dataclass(frozen=True, slots=True)
class RouteDecl(_Named):
    """`route NAME on SITUATION: ...`."""

    situation: Word | None
    parts: tuple[RoutePartDecl, ...]


@dataclass(frozen=True, slots=True)
class Ranging(_Part):
    """`each NAME: RECORD in SET` (who picks) or `picks NAME: RECORD in SET` (among what)."""

    name: Word
    record: Word
    base: Expr


@dataclass(frozen=True, slots=True)
class Choosers(Ranging):
    """Who picks."""


@dataclass(frozen=True, slots=True)
class PickedFrom(Ranging):
    """Among what is picked."""


@dataclass(frozen=True, slots=True)
class Counters(_Part):
    """`each of NAME`: so many nameless choosers."""

    name: Word


@dataclass(frozen=True, slots=True)
class OrderOf(_Part):
    """`in order of NUMBER`."""

    rank: Expr


@dataclass(frozen=True, slots=True)
class DiceFor(_Part):
    """`rolls COUNT dice for ROLL`, of a pick."""

    count: Expr
    roll: Expr


@dataclass(frozen=True, slots=True)
class Success(_Part):
    """`success lowers FIELD by NUMBER`."""

    field: Expr
    loss: Expr


@dataclass(frozen=True, slots=True)
class AllocationDecl(_Named):
    """`allocation NAME on SITUATION: ...`."""

    situation: Word | None
    parts: tuple[GivenDecl | Choosers | Counters | PickedFrom | OrderOf | DiceFor | Success, ...]


@dataclass(frozen=True, slots=True)
class SelectionDecl(_Named):
    """`selection NAME on SITUATION: ...`."""

    situation: Word | None
    parts: tuple[GivenDecl | PickedFrom | Prefers, ...]


@dataclass(frozen=True, slots=True)
class RollDecl(_Named):
    """`roll NAME of ... on SITUATION with DIE`."""

    params: tuple[Param, ...]
    situation: Word | None
    die: Word


# ---------------------------------------------------------------------- what may be asked
@dataclass(frozen=True, slots=True)
class EachAnswer(_Part):
    """`each NAME in SET where (...): VALUE`; without a value, its members themselves.

    With `gives` for the colon (`in_order`) the values are a list, in the order of the set.
    """

    name: Word
    base: Expr
    where: Expr | None
    value: AnswerValue | None
    in_order: bool = False


@dataclass(frozen=True, slots=True)
class ChoicesAnswer(_Part):
    """`choices of FORM (with ...)`: the legal choices, each on a line."""

    form: Word
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class RecordAnswer(_Part):
    """`(NAME: VALUE; ...)`."""

    parts: tuple[NamedAnswer, ...]


@dataclass(frozen=True, slots=True)
class NamedAnswer(_Part):
    """`NAME: VALUE when CONDITION`; it is left out where the condition does not hold."""

    name: Word
    value: AnswerValue
    when: Expr | None = None


AnswerValue = Expr | EachAnswer | RecordAnswer | ChoicesAnswer


@dataclass(frozen=True, slots=True)
class Asks:
    """`asks KIND of FORM with ... as NAMES`: ends, cost, path, closings, choices, choice or roll of a form.

    Ends and a path may be asked bare, `without costs`.
    """

    kind: str
    form: Word
    bindings: tuple[Binding, ...]
    names: tuple[Word, ...]
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class GapDecl(_Part):
    """`undetermined "WHAT" when CONDITION`: what the answer rests on is missing."""

    what: str
    when: Expr


@dataclass(frozen=True, slots=True)
class RefusalDecl(_Part):
    """`refuses INPUT when CONDITION says "..."`: an input with which the question makes no sense."""

    given: Word
    when: Expr
    says: Wording


@dataclass(frozen=True, slots=True)
class QuestionDecl(_Named):
    """`question NAME "SENTENCE" on SITUATION takes ...`, which asks a form or answers by expressions."""

    situation: Word | None
    fields: tuple[FieldDecl, ...]
    asks: Asks | tuple[NamedAnswer, ...]
    lacking: tuple[GapDecl | RefusalDecl, ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True)
class ViewDecl(_Named):
    """`view NAME of ... on SITUATION: ...`."""

    params: tuple[Param, ...]
    situation: Word | None
    answers: tuple[NamedAnswer, ...]


@dataclass(frozen=True, slots=True)
class SummaryDecl(_Named):
    """`summary on SITUATION: ...`, known by the name of the situation."""

    answers: tuple[NamedAnswer, ...]


@dataclass(frozen=True, slots=True)
class VictoryDecl(_Named):
    """`victory on SITUATION: winner: ..., ...`, known by the name of the situation."""

    answers: tuple[NamedAnswer, ...]


@dataclass(frozen=True, slots=True)
class AlwaysDecl(_Named):
    """`always on SITUATION for each NAME in SET: CONDITION says "..."`, known by the name of the situation."""

    var: Word | None
    base: Expr | None
    condition: Expr
    says: Wording


# ---------------------------------------------------------------------- what happens in a game
@dataclass(frozen=True, slots=True)
class ForEach(_Part):
    """`for each NAME in SET where (...)`, or `for first` of them."""

    name: Word
    base: Expr
    where: Expr | None
    first: bool


@dataclass(frozen=True, slots=True)
class Let(_Part):
    """`let NAME be VALUE`."""

    name: Word
    value: Expr


@dataclass(frozen=True, slots=True)
class Condition(_Part):
    """`when CONDITION says "..."`: what has to be so, and what is said where it is not."""

    condition: Expr
    says: Wording


@dataclass(frozen=True, slots=True)
class AbleTo(_Part):
    """`able to ROUTE with ...`."""

    route: Word
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class Going(_Part):
    """`KIND at PLACE after NUMBER along ROUTE with ...`: steps, halts or closes on a route begun before."""

    kind: str
    at: Expr
    spent: Expr
    route: Word
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class Selects(_Part):
    """`selects SELECTION with ...`."""

    selection: Word
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class SeenAs(_Part):
    """`seen as VIEW of THING`."""

    view: Word
    of: Expr


@dataclass(frozen=True, slots=True)
class PicksOf(_Part):
    """`picks ALLOCATION kept as FIELD with ...`."""

    allocation: Word
    kept: Word
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class RollsFor(_Part):
    """`rolls for ROLL`, or `rolls COUNT dice for ROLL`; with `as NAME` clauses read the faces."""

    count: Expr | None
    roll: Expr
    thrown: Word | None


@dataclass(frozen=True, slots=True)
class Throws(_Part):
    """`rolls COUNT DIE as NAME`: dice of which clauses read the faces."""

    count: Expr
    die: Word
    thrown: Word


EventPartDecl = ForEach | GivenDecl | Condition | Let | AbleTo | Going | Selects | SeenAs | PicksOf | RollsFor | Throws


@dataclass(frozen=True, slots=True)
class EventDecl(_Named):
    """`event NAME on SITUATION by SIDE: ...`."""

    situation: Word | None
    otherwise: bool
    actor: Expr | None
    parts: tuple[EventPartDecl, ...]


FormDecl = DefineDecl | TableDecl | RouteDecl | AllocationDecl | SelectionDecl | RollDecl
Declaration = (
    GameDecl
    | EditionDecl
    | TypeDecl
    | MeasureDecl
    | RecordDecl
    | DieDecl
    | ReadingDecl
    | FormDecl
    | QuestionDecl
    | ViewDecl
    | SummaryDecl
    | VictoryDecl
    | AlwaysDecl
    | EventDecl
)
