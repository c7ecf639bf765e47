"""The abstract syntax tree of a rule file, with a span on every node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from titm_rules.diagnostics import Span


# ---------------------------------------------------------------------- nodes
@dataclass(frozen=True, slots=True)
class Expr:
    """An expression as written: an operator and its parts (expressions, names or numbers)."""

    op: str
    args: tuple[Expr | str | int | None, ...]
    span: Span


Wording = tuple[str | Expr, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A name or a reference in the text."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class TypeRef:
    """A type as written: `form` is named, number, measured, flag, text, list, names, pair, or that of a map.

    A map is a number_map, a flag_map or a measured_map, in the `unit` that is named. The `bounds` of a measured number
    are texts, as `1/3`; without bounds it is a named one.
    """

    form: str
    name: str
    low: int | None
    high: int | None
    span: Span
    optional: bool = False
    unit: str = ""
    bounds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldDecl:
    """A field of a record, a situation or a question."""

    name: Word
    alias: str | None
    type: TypeRef
    optional: bool
    default: Expr | None
    same_as: Expr | None


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter: its preposition (`of`, `for`, ...), name and type."""

    prep: str
    name: Word
    type: TypeRef


@dataclass(frozen=True, slots=True)
class Binding:
    """A role of a form and what it is given."""

    name: Word
    value: Expr


# ---------------------------------------------------------------------- declarations
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


# ---------------------------------------------------------------------- sentences
@dataclass(frozen=True, slots=True)
class _Written:
    """What every sentence has: its span, and the clauses that it names as exceptions or references."""

    span: Span
    refs: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Lifts(_Written):
    """`lifts REFS in NAME when ...`: takes away what other clauses say, of one question or of all."""

    subject: Word | None
    when: Expr | None


@dataclass(frozen=True, slots=True)
class See(_Written):
    """`see REFS`: other clauses say the same."""


@dataclass(frozen=True, slots=True)
class Silent(_Written):
    """`decides nothing "..."`: why no sentence is needed."""

    because: str


@dataclass(frozen=True, slots=True)
class _Said(_Written):
    """What every sentence has that says something of a subject; `refs` are what it stands instead of."""

    subject: Word
    when: Expr | None


@dataclass(frozen=True, slots=True)
class _Telling(_Said):
    """What every sentence has that may tell a refusal: texts, with expressions in their slots; empty: none."""

    says: Wording


@dataclass(frozen=True, slots=True)
class Holds(_Telling):
    """`NAME holds`."""


@dataclass(frozen=True, slots=True)
class Is(_Telling):
    """`NAME is VALUE`."""

    value: Expr


@dataclass(frozen=True, slots=True)
class TableRows(_Said):
    """`NAME: VALUE CELL, ...`: rows of a table; or `NAME of VALUE: VALUE CELL, ...`, a line of one by two types."""

    rows: tuple[tuple[Word, Expr], ...]
    key: Word | None = None


@dataclass(frozen=True, slots=True)
class Band:
    """`LOW to HIGH VALUE`: what a table gives for some numbers."""

    span: Span
    low: int
    high: int
    value: Expr


@dataclass(frozen=True, slots=True)
class Bands(_Said):
    """`NAME of VALUE: LOW to HIGH VALUE, ...`: a line of a table by a type and a number."""

    key: Word
    bands: tuple[Band, ...]


@dataclass(frozen=True, slots=True)
class Bar(_Telling):
    """`NAME may not WORD`."""

    word: Word


@dataclass(frozen=True, slots=True)
class Stop(_Telling):
    """`NAME must stop`."""


@dataclass(frozen=True, slots=True)
class Cost(_Said):
    """`NAME costs VALUE`."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Tally(_Said):
    """`NAME counts VALUE as COUNTER`."""

    value: Expr
    counter: Word


@dataclass(frozen=True, slots=True)
class Points(_Telling):
    """`NAME has VALUE points`."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Goal(_Said):
    """`NAME ends`."""


@dataclass(frozen=True, slots=True)
class Factor(_Said):
    """`NAME succeeds on VALUE`, or `on at least VALUE`, which `rises`."""

    value: Expr
    rises: bool


@dataclass(frozen=True, slots=True)
class Modifier(_Said):
    """`NAME adds VALUE "LABEL"`."""

    value: Expr
    label: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """`for each NAME in SET where (...)` of an effect."""

    name: Word
    base: Expr
    where: Expr | None


@dataclass(frozen=True, slots=True)
class _Effect(_Said):
    """What every sentence has that says what an event brings about."""

    sweep: Sweep | None


@dataclass(frozen=True, slots=True)
class Sets(_Effect):
    """`NAME sets FIELD to VALUE, ...`."""

    assignments: tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True, slots=True)
class Puts(_Effect):
    """`NAME puts RECORD in LIST with FIELD = VALUE, ...`."""

    record: Word
    into: Word
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class Removes(_Effect):
    """`NAME removes MEMBER from LIST`."""

    member: Expr
    source: Word


EffectSentence = Sets | Puts | Removes
StatementNode = (
    Holds | Is | TableRows | Bands | Bar | Stop | Cost | Tally | Points | Goal | Factor | Modifier | EffectSentence
)
CourseSentence = Holds | Is | Cost | Points | EffectSentence
Sentence = Lifts | See | Silent | StatementNode


# ---------------------------------------------------------------------- tree
@dataclass(frozen=True, slots=True)
class Clause:
    """A numbered clause: title, restatement and formal sentences; `number` if it is printed with another one."""

    id: Word
    title: str
    says: str
    sentences: tuple[Sentence, ...]
    span: Span
    number: str = ""


@dataclass(frozen=True, slots=True)
class Course:
    """A section of the course of play: its name, a title, and what keeps the books of a game."""

    name: Word
    title: str
    sentences: tuple[CourseSentence, ...]


# ---------------------------------------------------------------------- amendments
# What a sheet or a house rule changes of the rules before it.


@dataclass(frozen=True, slots=True)
class AddClause:
    """`add clause ...`: a clause with its text."""

    clause: Clause


@dataclass(frozen=True, slots=True)
class AddKnown:
    """`add REFS [numbered N].`: clauses that another document words; `number` is empty where they keep theirs."""

    refs: tuple[Word, ...]
    number: str = ""


@dataclass(frozen=True, slots=True)
class ReplaceClauses:
    """`replace [REFS with] clause ...`: one clause in the place of some."""

    refs: tuple[Word, ...]
    clause: Clause


@dataclass(frozen=True, slots=True)
class Restate:
    """`restate REFS [numbered N].`: clauses that the sheet prints as they were."""

    refs: tuple[Word, ...]
    number: str = ""


@dataclass(frozen=True, slots=True)
class Attest:
    """`attest REFS by "...".`: clauses that something else shows to have been in force."""

    refs: tuple[Word, ...]
    by: str


@dataclass(frozen=True, slots=True)
class Renumber:
    """`renumber REFS numbered N.`: clauses that bear another number from then on."""

    refs: tuple[Word, ...]
    number: str


@dataclass(frozen=True, slots=True)
class DeleteClauses:
    """`delete REFS.`"""

    refs: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class DeleteSection:
    """`delete section REF.`: every clause under a number."""

    section: Word


@dataclass(frozen=True, slots=True)
class Limit:
    """`limit READING to CHOICE, ... [because "..."].`: the choices that stay, and which of them are the default."""

    reading: Word
    offered: tuple[Word, ...]
    defaults: tuple[str, ...]
    because: str = ""


@dataclass(frozen=True, slots=True)
class Extend:
    """`extend RECORD with FIELD, ... .`: more fields of a record or an input."""

    record: Word
    fields: tuple[FieldDecl, ...]


@dataclass(frozen=True, slots=True)
class AddCourse:
    """`add course ...`: a section of the course of play."""

    course: Course


@dataclass(frozen=True, slots=True)
class ReplaceCourse:
    """`replace course ...`: a section in the place of the one of its name."""

    course: Course


@dataclass(frozen=True, slots=True)
class DeleteCourse:
    """`delete course NAME.`"""

    name: Word


Amendment = (
    AddClause | AddKnown | ReplaceClauses | Restate | Attest | Renumber | DeleteClauses | DeleteSection
    | Limit | Extend | AddCourse | ReplaceCourse | DeleteCourse
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A parsed file of rules."""

    path: str
    decls: tuple[Declaration, ...] = ()
    clauses: tuple[Clause, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    courses: tuple[Course, ...] = ()
    lines: tuple[str, ...] = field(default=(), repr=False)


def clause_in(amendment: Amendment) -> Clause | None:
    """Give the text of a clause that an amendment brings, if it brings one."""
    return amendment.clause if isinstance(amendment, AddClause | ReplaceClauses) else None


def clauses_named(amendment: Amendment) -> Iterator[Word]:
    """List the clauses that an amendment speaks of, the one that it brings among them; of a section its number."""
    match amendment:
        case AddClause(clause=clause):
            yield clause.id
        case ReplaceClauses(refs=refs, clause=clause):
            yield clause.id
            yield from refs
        case AddKnown() | Restate() | Attest() | Renumber() | DeleteClauses():
            yield from amendment.refs
        case DeleteSection(section=section):
            yield section
