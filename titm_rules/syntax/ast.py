"""The abstract syntax tree of rule files; the builder reads the type of each field to build it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from titm_rules.diagnostics import Span


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
    """A type as written.

    Attributes:
        form: named, number, measured, flag, text, list, names, pair, number_map, flag_map or measured_map.
        bounds: of a measured number, as texts such as `1/3`; a measured type without bounds is a named one.
        unit: the measure of a measured_map.
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
    """A role of a form and its value."""

    name: Word
    value: Expr


# ---------------------------------------------------------------------- declarations
@dataclass(frozen=True, slots=True)
class _Named:
    """A declaration and the name that it declares."""

    name: Word


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a form, an event or an answer."""

    span: Span


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
    """`type NAME is VALUE as "TEXT" also "WORD", ...`: values, their texts in data, and further texts accepted."""

    values: tuple[Word, ...]
    texts: tuple[str, ...]
    also: tuple[tuple[Word, ...], ...]


@dataclass(frozen=True, slots=True)
class MeasureDecl(_Named):
    """`type NAME is number in NUMBER parts`: a unit of measure, divided into so many parts."""

    parts: int


@dataclass(frozen=True, slots=True)
class RecordDecl(_Named):
    """`place`, `piece`, `connection`, `record` (whose role is plain) or `situation`.

    A plain record may be `written` as one text, with `{NAME}` for each field.
    """

    role: str
    fields: tuple[FieldDecl, ...]
    written: Word | None = None


@dataclass(frozen=True, slots=True)
class DieDecl(_Named):
    """`die NAME from LOW to HIGH reads MARK as FACE`: `reads` is empty, or the mark and its face."""

    low: int
    high: int
    reads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ChoiceDecl:
    """A choice of a reading."""

    name: Word
    text: str
    is_default: bool


@dataclass(frozen=True, slots=True)
class ReadingDecl(_Named):
    """`reading NUMBER as NAME "QUESTION": ...`; `offered` names the choices that are allowed (empty: all)."""

    question: str
    choices: tuple[ChoiceDecl, ...]
    because: str
    offered: tuple[str, ...] = ()
    alias: Word | None = None

    @property
    def names(self) -> frozenset[str]:
        """The names by which rules may call it."""
        return frozenset(word.text for word in (self.name, self.alias) if word is not None)


# ---------------------------------------------------------------------- forms: the questions that clauses decide
@dataclass(frozen=True, slots=True)
class DefineDecl(_Named):
    """`define TYPE NAME of ... on SITUATION default VALUE`, or `define total TYPE NAME ...`, whose values add up."""

    type: TypeRef
    optional: bool
    params: tuple[Param, ...]
    situation: Word | None
    default: Expr | None
    adds_up: bool = False
    phrase: Wording = ()


@dataclass(frozen=True, slots=True)
class TableDecl(_Named):
    """`table NAME by TYPE and NAME: number LOW to HIGH gives TYPE`, or `by TYPE and TYPE`; default: numbers."""

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
    """`counts NAME up to MOST`: a counter of a route."""

    name: Word
    most: int


@dataclass(frozen=True, slots=True)
class Halted(_Part):
    """`counts NAME when stopped`: a counter that is 1 once the mover has to stop."""

    name: Word


@dataclass(frozen=True, slots=True)
class Simple(_Part):
    """`visits no place twice`, or `enters no place twice`, which allows a return to the start."""

    returns: bool = False


@dataclass(frozen=True, slots=True)
class Paid(_Part):
    """`paid in MEASURE`: the unit of the costs of steps."""

    measure: Word


@dataclass(frozen=True, slots=True)
class Prefers(_Part):
    """`prefers lowest NUMBER`: only the best of the choices or paths that nothing bars are legal."""

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
    """A name that ranges over the records of a set."""

    name: Word
    record: Word
    base: Expr


@dataclass(frozen=True, slots=True)
class Choosers(Ranging):
    """`each NAME: RECORD in SET`: the units that pick."""


@dataclass(frozen=True, slots=True)
class PickedFrom(Ranging):
    """`picks NAME: RECORD in SET`: the targets that may be picked."""


@dataclass(frozen=True, slots=True)
class Counters(_Part):
    """`each of NAME`: a number of choosers without identity."""

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


# ---------------------------------------------------------------------- questions and answers
@dataclass(frozen=True, slots=True)
class EachAnswer(_Part):
    """`each NAME in SET where (...): VALUE`; without a value, the members of the set.

    With `gives` instead of the colon (`in_order`), the values are a list in the order of the set.
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
    """`NAME: VALUE when CONDITION`; omitted if the condition does not hold."""

    name: Word
    value: AnswerValue
    when: Expr | None = None


AnswerValue = Expr | EachAnswer | RecordAnswer | ChoicesAnswer


@dataclass(frozen=True, slots=True)
class Asks:
    """`asks KIND of FORM with ... as NAMES`: ends, cost, path, closings, choices, choice or roll.

    Ends and a path may be bare, `without costs`.
    """

    kind: str
    form: Word
    bindings: tuple[Binding, ...]
    names: tuple[Word, ...]
    is_bare: bool = False


@dataclass(frozen=True, slots=True)
class GapDecl(_Part):
    """`undetermined "WHAT" when CONDITION`: a fact that the answer needs is missing."""

    what: str
    when: Expr


@dataclass(frozen=True, slots=True)
class RefusalDecl(_Part):
    """`refuses INPUT when CONDITION says "..."`: an input for which the question has no meaning."""

    given: Word
    when: Expr
    says: Wording


@dataclass(frozen=True, slots=True)
class QuestionDecl(_Named):
    """`question NAME "SENTENCE" on SITUATION takes ...`, which asks a form or evaluates expressions."""

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
    """`summary on SITUATION: ...`; its name is that of the situation."""

    answers: tuple[NamedAnswer, ...]


@dataclass(frozen=True, slots=True)
class VictoryDecl(_Named):
    """`victory on SITUATION: winner: ..., ...`; its name is that of the situation."""

    answers: tuple[NamedAnswer, ...]


@dataclass(frozen=True, slots=True)
class AlwaysDecl(_Named):
    """`always on SITUATION for each NAME in SET: CONDITION says "..."`; its name is that of the situation."""

    var: Word | None
    base: Expr | None
    condition: Expr
    says: Wording


# ---------------------------------------------------------------------- events
@dataclass(frozen=True, slots=True)
class ForEach(_Part):
    """`for each NAME in SET where (...)`, or `for first NAME ...`."""

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
    """`when CONDITION says "..."`: a precondition, and the text of its refusal."""

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
    """`rolls for ROLL`, or `rolls COUNT dice for ROLL`; clauses read the faces if `as NAME` follows."""

    count: Expr | None
    roll: Expr
    thrown: Word | None


@dataclass(frozen=True, slots=True)
class Throws(_Part):
    """`rolls COUNT DIE as NAME`: dice whose faces clauses read."""

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
    """A sentence, and the clauses that it names as exceptions or references."""

    span: Span
    refs: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Lifts(_Written):
    """`lifts REFS in NAME when ...`: suspends other clauses, for one question or for all."""

    subject: Word | None
    when: Expr | None


@dataclass(frozen=True, slots=True)
class See(_Written):
    """`see REFS`: other clauses say the same."""


@dataclass(frozen=True, slots=True)
class Silent(_Written):
    """`decides nothing "..."`: the reason why no sentence is needed."""

    because: str


@dataclass(frozen=True, slots=True)
class _Said(_Written):
    """A sentence about a subject; `refs` are the clauses that it replaces."""

    subject: Word
    when: Expr | None


@dataclass(frozen=True, slots=True)
class _Telling(_Said):
    """A sentence that may have a text for its refusal."""

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
    """`NAME: VALUE CELL, ...`: rows of a table; or `NAME of VALUE: VALUE CELL, ...`, a line of a table by two types."""

    rows: tuple[tuple[Word, Expr], ...]
    key: Word | None = None


@dataclass(frozen=True, slots=True)
class Band:
    """`LOW to HIGH VALUE`: the value of a table for a range of numbers."""

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
class Preference(_Telling):
    """`NAME prefers NAME where ..., highest ... first`: what an allocation picks first, after what other clauses prefer.

    `refs` are the clauses whose preferences come first; `member` is the target as the preference names it.
    """

    member: Word | None
    where: Expr | None
    order: Expr | None
    highest: bool


@dataclass(frozen=True, slots=True)
class Exemption(_Said):
    """`NAME need not take NAME`: a pick that nothing demands."""

    member: Word


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
    """`NAME succeeds on VALUE`, or `on at least VALUE` (`rises`)."""

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
    """A sentence about the effect of an event."""

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
    Holds | Is | TableRows | Bands | Bar | Preference | Exemption | Stop | Cost | Tally | Points | Goal | Factor | Modifier | EffectSentence
)
CourseSentence = Holds | Is | Cost | Points | EffectSentence
Sentence = Lifts | See | Silent | StatementNode


# ---------------------------------------------------------------------- clauses and files
@dataclass(frozen=True, slots=True)
class Clause:
    """A numbered clause: title, restatement and sentences; `number` is the printed one if it differs from `id`."""

    id: Word
    title: str
    says: str
    sentences: tuple[Sentence, ...]
    span: Span
    number: str = ""


@dataclass(frozen=True, slots=True)
class Course:
    """A section of the course of play: its name, a title, and the sentences that keep the books of a game."""

    name: Word
    title: str
    sentences: tuple[CourseSentence, ...]


# ---------------------------------------------------------------------- amendments of a sheet or a house rule
@dataclass(frozen=True, slots=True)
class AddClause:
    """`add clause ...`: a clause with its text."""

    clause: Clause


@dataclass(frozen=True, slots=True)
class AddKnown:
    """`add REFS [numbered N].`: clauses with their text from another document; `number` is empty if it stays."""

    refs: tuple[Word, ...]
    number: str = ""


@dataclass(frozen=True, slots=True)
class ReplaceClauses:
    """`replace [REFS with] clause ...`: a clause that takes the place of others."""

    refs: tuple[Word, ...]
    clause: Clause


@dataclass(frozen=True, slots=True)
class Restate:
    """`restate REFS [numbered N].`: clauses that the sheet prints unchanged."""

    refs: tuple[Word, ...]
    number: str = ""


@dataclass(frozen=True, slots=True)
class Attest:
    """`attest REFS by "...".`: clauses that other evidence shows to have been in force."""

    refs: tuple[Word, ...]
    by: str


@dataclass(frozen=True, slots=True)
class Renumber:
    """`renumber REFS numbered N.`: clauses with a new printed number."""

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
    """`limit READING to CHOICE, ... [because "..."].`: the choices that stay, and the defaults among them."""

    reading: Word
    offered: tuple[Word, ...]
    defaults: tuple[str, ...]
    because: str = ""


@dataclass(frozen=True, slots=True)
class Extend:
    """`extend RECORD with FIELD, ... .`: further fields of a record or an input."""

    record: Word
    fields: tuple[FieldDecl, ...]


@dataclass(frozen=True, slots=True)
class AddCourse:
    """`add course ...`: a section of the course of play."""

    course: Course


@dataclass(frozen=True, slots=True)
class ReplaceCourse:
    """`replace course ...`: a section that takes the place of the one with its name."""

    course: Course


@dataclass(frozen=True, slots=True)
class DeleteCourse:
    """`delete course NAME.`"""

    name: Word


Amendment = (
    AddClause | AddKnown | ReplaceClauses | Restate | Attest | Renumber | DeleteClauses | DeleteSection
    | Limit | Extend | AddCourse | ReplaceCourse | DeleteCourse
)  # fmt: skip
ItemNode = Declaration | Clause | Course | Amendment


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
    """Return the clause whose text an amendment contains, if any."""
    return amendment.clause if isinstance(amendment, AddClause | ReplaceClauses) else None


def clauses_named(amendment: Amendment) -> Iterator[Word]:
    """List the clauses that an amendment names or contains; of a deleted section its number."""
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
