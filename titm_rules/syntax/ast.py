"""The abstract syntax tree of rule files; the builder reads the rule and the fields of each class to build it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields

from titm_rules.diagnostics import Frozen, Span


class AstNode(Frozen):
    """A node of the tree, built from a `rule` of the grammar.

    The children of the rule are the fields of the class, without its span, or those in `columns`. A field with a star
    takes several children.
    """

    def __init_subclass__(cls, rule: str = "", columns: str = "") -> None:
        super().__init_subclass__()
        if rule:
            NODES[rule] = cls, columns or " ".join(each.name for each in fields(cls) if each.name != "span")


NODES: dict[str, tuple[type[AstNode], str]] = {}  # the rules that become a node, with its class and its columns


class Expr(Frozen):
    """An expression as written: an operator and its parts (expressions, names or numbers)."""

    op: str
    args: tuple[Expr | str | int | None, ...]
    span: Span


Wording = tuple[str | Expr, ...]


class Word(Frozen):
    """A name or a reference in the text."""

    text: str
    span: Span


class TypeRef(Frozen):
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


class FieldDecl(Frozen):
    """A field of a record, a situation or a question."""

    name: Word
    alias: str | None
    type: TypeRef
    optional: bool
    default: Expr | None
    same_as: Expr | None


class Param(Frozen):
    """A parameter: its preposition (`of`, `for`, ...), name and type."""

    prep: str
    name: Word
    type: TypeRef


class Binding(AstNode, rule="binding"):
    """A role of a form and its value."""

    name: Word
    value: Expr


# ---------------------------------------------------------------------- declarations
class _Named(AstNode):
    """A declaration and the name that it declares."""

    name: Word


class _Part(AstNode):
    """A part of a form, an event or an answer."""

    span: Span


class GameDecl(_Named, rule="game"):
    """`game "NAME"`."""


class EditionDecl(_Named):
    """`edition "NAME" "TITLE" dated ...`: `basis` is follows, carries_back or empty; `base` is another edition."""

    title: str
    dated: str
    basis: str
    base: str
    reads: str
    source: str


class TypeDecl(_Named):
    """`type NAME is VALUE as "TEXT" also "WORD", ...`: values, their texts in data, and further texts accepted."""

    values: tuple[Word, ...]
    texts: tuple[str, ...]
    also: tuple[tuple[Word, ...], ...]


class MeasureDecl(_Named, rule="measure"):
    """`type NAME is number in NUMBER parts`: a unit of measure, divided into so many parts."""

    parts: int


class RecordDecl(_Named):
    """`place`, `piece`, `connection`, `record` (whose role is plain) or `situation`.

    A plain record may be `written` as one text, with `{NAME}` for each field.
    """

    role: str
    fields: tuple[FieldDecl, ...]
    written: Word | None = None


class DieDecl(_Named, rule="die", columns="name low high *reads"):
    """`die NAME from LOW to HIGH reads MARK as FACE`: `reads` is empty, or the mark and its face."""

    low: int
    high: int
    reads: tuple[int, ...] = ()


class ChoiceDecl(Frozen):
    """A choice of a reading."""

    name: Word
    text: str
    is_default: bool


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
class DefineDecl(_Named):
    """`define TYPE NAME of ... on SITUATION default VALUE`, or `define total TYPE NAME ...`, whose values add up."""

    type: TypeRef
    optional: bool
    params: tuple[Param, ...]
    situation: Word | None
    default: Expr | None
    adds_up: bool = False
    phrase: Wording = ()


class TableDecl(_Named):
    """`table NAME by TYPE and NAME: number LOW to HIGH gives TYPE`, or `by TYPE and TYPE`; default: numbers."""

    key: Word
    number: tuple[Word, int, int] | None = None
    gives: TypeRef | None = None
    across: Word | None = None


class MoverDecl(_Part, rule="mover"):
    """`mover NAME: TYPE`."""

    param: Param


class Crosses(_Part, rule="crosses"):
    """`crosses NAME: CONNECTION from NAME to NAME`."""

    name: Word
    record: Word
    left: Word
    entered: Word


class GivenDecl(_Part, rule="given"):
    """`given NAME: TYPE`, of a form or an event."""

    param: Param


class Interruption(_Part, rule="interruption"):
    """`interrupted by NAME setting FIELD of CROSSING from VALUE to VALUE noted in FIELD stranded as NAME`."""

    name: Word
    field: Expr
    before: Word
    after: Word
    noted: Word | None
    stranded: Word | None


class Closing(_Part, rule="closing"):
    """`closed by NAME`."""

    name: Word


class Tallied(_Part, rule="tallied"):
    """`counts NAME up to MOST`: a counter of a route."""

    name: Word
    most: int


class Halted(_Part, rule="halted"):
    """`counts NAME when stopped`: a counter that is 1 once the mover has to stop."""

    name: Word


class Simple(_Part):
    """`visits no place twice`, or `enters no place twice`, which allows a return to the start."""

    returns: bool = False


class Paid(_Part, rule="paid"):
    """`paid in MEASURE`: the unit of the costs of steps."""

    measure: Word


class Prefers(_Part, rule="prefers"):
    """`prefers lowest NUMBER`: only the best of the choices or paths that nothing bars are legal."""

    rank: Expr


RoutePartDecl = MoverDecl | Crosses | GivenDecl | Interruption | Closing | Tallied | Halted | Simple | Paid | Prefers


class RouteDecl(_Named, rule="route", columns="name situation *parts"):
    """`route NAME on SITUATION: ...`."""

    situation: Word | None
    parts: tuple[RoutePartDecl, ...]


class Ranging(_Part):
    """A name that ranges over the records of a set."""

    name: Word
    record: Word
    base: Expr


class Choosers(Ranging, rule="choosers"):
    """`each NAME: RECORD in SET`: the units that pick."""


class PickedFrom(Ranging, rule="picks"):
    """`picks NAME: RECORD in SET`: the targets that may be picked."""


class Counters(_Part, rule="counters"):
    """`each of NAME`: a number of choosers without identity."""

    name: Word


class OrderOf(_Part, rule="order"):
    """`in order of NUMBER`."""

    rank: Expr


class DiceFor(_Part, rule="rolls"):
    """`rolls COUNT dice for ROLL`, of a pick."""

    count: Expr
    roll: Expr


class Success(_Part, rule="success"):
    """`success lowers FIELD by NUMBER`."""

    field: Expr
    loss: Expr


class AllocationDecl(_Named, rule="allocation", columns="name situation *parts"):
    """`allocation NAME on SITUATION: ...`."""

    situation: Word | None
    parts: tuple[GivenDecl | Choosers | Counters | PickedFrom | OrderOf | DiceFor | Success, ...]


class SelectionDecl(_Named, rule="selection", columns="name situation *parts"):
    """`selection NAME on SITUATION: ...`."""

    situation: Word | None
    parts: tuple[GivenDecl | PickedFrom | Prefers, ...]


class RollDecl(_Named, rule="roll"):
    """`roll NAME of ... on SITUATION with DIE`."""

    params: tuple[Param, ...]
    situation: Word | None
    die: Word


# ---------------------------------------------------------------------- questions and answers
class EachAnswer(_Part):
    """`each NAME in SET where (...): VALUE`; without a value, the members of the set.

    With `gives` instead of the colon (`in_order`), the values are a list in the order of the set.
    """

    name: Word
    base: Expr
    where: Expr | None
    value: AnswerValue | None
    in_order: bool = False


class ChoicesAnswer(_Part, rule="choices_of"):
    """`choices of FORM (with ...)`: the legal choices, each on a line."""

    form: Word
    bindings: tuple[Binding, ...]


class RecordAnswer(_Part, rule="answer_record", columns="*parts"):
    """`(NAME: VALUE; ...)`."""

    parts: tuple[NamedAnswer, ...]


class NamedAnswer(_Part, rule="answer"):
    """`NAME: VALUE when CONDITION`; omitted if the condition does not hold."""

    name: Word
    value: AnswerValue
    when: Expr | None = None


AnswerValue = Expr | EachAnswer | RecordAnswer | ChoicesAnswer


class Asks(Frozen):
    """`asks KIND of FORM with ... as NAMES`: ends, cost, path, closings, choices, choice or roll.

    Ends and a path may be bare, `without costs`.
    """

    kind: str
    form: Word
    bindings: tuple[Binding, ...]
    names: tuple[Word, ...]
    is_bare: bool = False


class GapDecl(_Part, rule="gap"):
    """`undetermined "WHAT" when CONDITION`: a fact that the answer needs is missing."""

    what: str
    when: Expr


class RefusalDecl(_Part, rule="refusal"):
    """`refuses INPUT when CONDITION says "..."`: an input with which the question makes no sense, and why."""

    given: Word
    when: Expr
    says: Wording


class Title(_Part):
    """The sentence of a question: `text` is about any input, the slots of `asked` show the inputs of one."""

    text: str
    asked: Wording


class SayingDecl(_Part, rule="saying", columns="name says"):
    """`NAME "..."`: how an answer is said; with `yes` or `no` the whole of it."""

    name: Word | None
    says: Wording
    whole: str = ""


class QuestionDecl(_Named, rule="question", columns="name title situation fields *lacking asks sayings"):
    """`question NAME "SENTENCE" on SITUATION takes ...`, which asks a form or evaluates expressions."""

    situation: Word | None
    fields: tuple[FieldDecl, ...]
    asks: Asks | tuple[NamedAnswer, ...]
    lacking: tuple[GapDecl | RefusalDecl, ...] = ()
    title: Title | None = None
    sayings: tuple[SayingDecl, ...] = ()


class ViewDecl(_Named, rule="view", columns="name params situation *answers"):
    """`view NAME of ... on SITUATION: ...`."""

    params: tuple[Param, ...]
    situation: Word | None
    answers: tuple[NamedAnswer, ...]


class SummaryDecl(_Named, rule="summary", columns="name *answers"):
    """`summary on SITUATION: ...`; its name is that of the situation."""

    answers: tuple[NamedAnswer, ...]


class VictoryDecl(_Named, rule="victory", columns="name *answers"):
    """`victory on SITUATION: winner: ..., ...`; its name is that of the situation."""

    answers: tuple[NamedAnswer, ...]


class AlwaysDecl(_Named):
    """`always on SITUATION for each NAME in SET: CONDITION says "..."`; its name is that of the situation."""

    var: Word | None
    base: Expr | None
    condition: Expr
    says: Wording


class Claimed(AstNode, rule="claimed"):
    """`CONDITION when CONDITION`: what a claim claims, and where; default: everywhere."""

    condition: Expr
    when: Expr | None


class ClaimDecl(_Named, rule="claim", columns="name says situation fields claimed"):
    """`claim NAME "WORDS" on SITUATION takes ...: ...`: what the rules are to make true."""

    says: str
    situation: Word | None
    fields: tuple[FieldDecl, ...]
    claimed: Claimed


# ---------------------------------------------------------------------- events
class ForEach(_Part):
    """`for each NAME in SET where (...)`, or `for first NAME ...`."""

    name: Word
    base: Expr
    where: Expr | None
    first: bool


class Let(_Part, rule="let"):
    """`let NAME be VALUE`."""

    name: Word
    value: Expr


class Condition(_Part, rule="condition"):
    """`when CONDITION says "..."`: a precondition, and the text of its refusal."""

    condition: Expr
    says: Wording


class AbleTo(_Part, rule="able"):
    """`able to ROUTE with ...`."""

    route: Word
    bindings: tuple[Binding, ...]


class Going(_Part):
    """`KIND WALK with ...`: steps, halts or closes the route of a walk that has begun."""

    kind: str
    walk: Word
    bindings: tuple[Binding, ...]


class Selects(_Part, rule="selects"):
    """`selects SELECTION with ...`."""

    selection: Word
    bindings: tuple[Binding, ...]


class SeenAs(_Part, rule="seen"):
    """`seen as VIEW of THING`."""

    view: Word
    of: Expr


class PicksOf(_Part, rule="picking"):
    """`picks ALLOCATION kept as FIELD with ...`."""

    allocation: Word
    kept: Word
    bindings: tuple[Binding, ...]


class RollsFor(_Part):
    """`rolls for ROLL`, or `rolls COUNT dice for ROLL`; clauses read the faces if `as NAME` follows."""

    count: Expr | None
    roll: Expr
    thrown: Word | None


class Throws(_Part, rule="throwing"):
    """`rolls COUNT DIE as NAME`: dice whose faces clauses read."""

    count: Expr
    die: Word
    thrown: Word


EventPartDecl = ForEach | GivenDecl | Condition | Let | AbleTo | Going | Selects | SeenAs | PicksOf | RollsFor | Throws


class WalkDecl(_Named, rule="walk", columns="name situation route at spent stopped bindings"):
    """`walk NAME on SITUATION along ROUTE from PLACE after NUMBER until FLAG with ...`: a route walked step by step.

    The situation records where the mover is, how many points it has spent, and whether it must stop.
    """

    situation: Word | None
    route: Word
    at: Expr
    spent: Expr
    stopped: Expr | None
    bindings: tuple[Binding, ...]


class EventDecl(_Named, rule="event", columns="name situation otherwise actor refs *parts"):
    """`event NAME on SITUATION by SIDE see REFS: ...`; `refs` refuse a choice that is not among those it offers."""

    situation: Word | None
    otherwise: bool
    actor: Expr | None
    refs: tuple[Word, ...]
    parts: tuple[EventPartDecl, ...]


class SituationHeading(AstNode, rule="heading", columns="situation"):
    """`on SITUATION:`, which the declarations below it are on unless they name another; `on nothing:` ends it."""

    situation: Word | None


FormDecl = DefineDecl | TableDecl | RouteDecl | AllocationDecl | SelectionDecl | RollDecl
Declaration = (
    GameDecl | EditionDecl | TypeDecl | MeasureDecl | RecordDecl | DieDecl | ReadingDecl | FormDecl | QuestionDecl
    | ViewDecl | SummaryDecl | VictoryDecl | AlwaysDecl | ClaimDecl | WalkDecl | EventDecl
)  # fmt: skip


# ---------------------------------------------------------------------- sentences
class _Written(AstNode):
    """A sentence, and the clauses that it names as exceptions or references."""

    span: Span
    refs: tuple[Word, ...]


class Lifts(_Written, rule="lifts"):
    """`lifts REFS in NAME when ...`: suspends other clauses, for one question or for all."""

    subject: Word | None
    when: Expr | None


class See(_Written, rule="see"):
    """`see REFS`: other clauses say the same."""


class Silent(_Written, rule="silent", columns="because"):
    """`decides nothing "..."`: the reason why no sentence is needed."""

    because: str


class _Said(_Written):
    """A sentence about a subject; `refs` are the clauses that it replaces."""

    subject: Word
    when: Expr | None


class _Telling(_Said):
    """A sentence that may have a text for its refusal."""

    says: Wording


class Holds(_Telling, rule="holds", columns="subject refs when says"):
    """`NAME holds`."""


class Is(_Telling, rule="value", columns="subject value refs when says"):
    """`NAME is VALUE`."""

    value: Expr


class TableRows(_Said):
    """`NAME: VALUE CELL, ...`: rows of a table; or `NAME of VALUE: VALUE CELL, ...`, a line of a table by two types."""

    rows: tuple[tuple[Word, Expr], ...]
    key: Word | None = None


class Band(Frozen):
    """`LOW to HIGH VALUE`: the value of a table for a range of numbers."""

    span: Span
    low: int
    high: int
    value: Expr


class Bands(_Said, rule="bands", columns="subject key *bands"):
    """`NAME of VALUE: LOW to HIGH VALUE, ...`: a line of a table by a type and a number."""

    key: Word
    bands: tuple[Band, ...]


class Bar(_Telling, rule="bar", columns="subject word when says"):
    """`NAME may not WORD`."""

    word: Word


class Preference(_Telling):
    """`NAME prefers NAME where ..., highest ... first`: what an allocation picks first.

    `refs` are the clauses whose preferences come first; `member` is the target as the preference names it.
    """

    member: Word | None
    where: Expr | None
    order: Expr | None
    highest: bool


class Exemption(_Said, rule="exemption", columns="subject member when"):
    """`NAME need not take NAME`: a pick that nothing demands."""

    member: Word


class Stop(_Telling, rule="stop", columns="subject when says"):
    """`NAME must stop`."""


class Cost(_Said, rule="cost", columns="subject value refs when"):
    """`NAME costs VALUE`."""

    value: Expr


class Tally(_Said, rule="tally", columns="subject value counter refs when"):
    """`NAME counts VALUE as COUNTER`."""

    value: Expr
    counter: Word


class Points(_Telling, rule="points", columns="subject value refs when says"):
    """`NAME has VALUE points`."""

    value: Expr


class Goal(_Said, rule="goal", columns="subject when"):
    """`NAME ends`."""


class Factor(_Said, rule="factor", columns="subject rises value refs when"):
    """`NAME succeeds on VALUE`, or `on at least VALUE` (`rises`)."""

    value: Expr
    rises: bool


class Modifier(_Said, rule="modifier", columns="subject value label refs when"):
    """`NAME adds VALUE "LABEL"`."""

    value: Expr
    label: str


class Sweep(AstNode, rule="sweep"):
    """`for each NAME in SET where (...)` of an effect."""

    name: Word
    base: Expr
    where: Expr | None


class _Effect(_Said):
    """A sentence about the effect of an event."""

    sweep: Sweep | None


class Sets(_Effect, rule="sets", columns="subject sweep *assignments refs when"):
    """`NAME sets FIELD to VALUE, ...`."""

    assignments: tuple[tuple[Expr, Expr], ...]


class Puts(_Effect, rule="puts", columns="subject sweep record into like bindings refs when"):
    """`NAME puts RECORD in LIST like OTHER with FIELD = VALUE, ...`: fields that are not given are those of OTHER."""

    record: Word
    into: Word
    like: Expr | None
    bindings: tuple[Binding, ...]


class Removes(_Effect, rule="removes", columns="subject sweep member source refs when"):
    """`NAME removes MEMBER from LIST`."""

    member: Expr
    source: Word


EffectSentence = Sets | Puts | Removes
StatementNode = (
    Holds
    | Is
    | TableRows
    | Bands
    | Bar
    | Preference
    | Exemption
    | Stop
    | Cost
    | Tally
    | Points
    | Goal
    | Factor
    | Modifier
    | EffectSentence
)


class KeepsWhile(_Said, rule="keeps_while", columns="subject record when"):
    """`keeps FIELD of RECORD while CONDITION`: what a record has only where a condition holds; none: a situation."""

    record: Word | None


class KeepsUntil(_Said, rule="keeps_until", columns="subject record event when"):
    """`keeps FIELD of RECORD until EVENT`: what an event sets back to its default; none: of the situation."""

    record: Word | None
    event: Word


Keeps = KeepsWhile | KeepsUntil
CourseSentence = Holds | Is | Cost | Points | EffectSentence | Bar | Keeps
Sentence = Lifts | See | Silent | StatementNode


# ---------------------------------------------------------------------- clauses and files
class Clause(AstNode, rule="clause", columns="id number title says *sentences"):
    """A numbered clause: title, restatement and sentences; `number` is the printed one if it differs from `id`."""

    id: Word
    title: str
    says: str
    sentences: tuple[Sentence, ...]
    span: Span
    number: str = ""


class Course(AstNode, rule="course", columns="name title *sentences"):
    """A section of the course of play: its name, a title, and the sentences that keep the books of a game."""

    name: Word
    title: str
    sentences: tuple[CourseSentence, ...]


# ---------------------------------------------------------------------- amendments of a sheet or a house rule
class AddClause(AstNode, rule="add_clause"):
    """`add clause ...`: a clause with its text."""

    clause: Clause


class AddKnown(AstNode, rule="add"):
    """`add REFS [numbered N].`: clauses with their text from another document; `number` is empty if it stays."""

    refs: tuple[Word, ...]
    number: str = ""


class ReplaceClauses(Frozen):
    """`replace [REFS with] clause ...`: a clause that takes the place of others."""

    refs: tuple[Word, ...]
    clause: Clause


class Restate(AstNode, rule="restate"):
    """`restate REFS [numbered N].`: clauses that the sheet prints unchanged."""

    refs: tuple[Word, ...]
    number: str = ""


class Attest(AstNode, rule="attest"):
    """`attest REFS by "...".`: clauses that other evidence shows to have been in force."""

    refs: tuple[Word, ...]
    by: str


class Renumber(AstNode, rule="renumber"):
    """`renumber REFS numbered N.`: clauses with a new printed number."""

    refs: tuple[Word, ...]
    number: str


class DeleteClauses(AstNode, rule="delete"):
    """`delete REFS.`"""

    refs: tuple[Word, ...]


class DeleteSection(AstNode, rule="delete_section"):
    """`delete section REF.`: every clause under a number."""

    section: Word


class Limit(Frozen):
    """`limit READING to CHOICE, ... [because "..."].`: the choices that stay, and the defaults among them."""

    reading: Word
    offered: tuple[Word, ...]
    defaults: tuple[str, ...]
    because: str = ""


class Extend(AstNode, rule="extend", columns="record *fields"):
    """`extend RECORD with FIELD, ... .`: further fields of a record or an input."""

    record: Word
    fields: tuple[FieldDecl, ...]


class AddCourse(AstNode, rule="add_course"):
    """`add course ...`: a section of the course of play."""

    course: Course


class ReplaceCourse(AstNode, rule="replace_course"):
    """`replace course ...`: a section that takes the place of the one with its name."""

    course: Course


class DeleteCourse(AstNode, rule="delete_course"):
    """`delete course NAME.`"""

    name: Word


Amendment = (
    AddClause | AddKnown | ReplaceClauses | Restate | Attest | Renumber | DeleteClauses | DeleteSection
    | Limit | Extend | AddCourse | ReplaceCourse | DeleteCourse
)  # fmt: skip
ItemNode = Declaration | SituationHeading | Clause | Course | Amendment


class SourceFile(Frozen):
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
