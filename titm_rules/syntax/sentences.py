"""The sentences of a clause, one kind of node for each kind of sentence."""

from __future__ import annotations

from dataclasses import dataclass

from titm_rules.diagnostics.span import Span
from titm_rules.syntax.nodes import Binding, Expr, Word, Wording


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
