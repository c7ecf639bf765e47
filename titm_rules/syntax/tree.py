"""The tree of a rule file: what the author wrote, with a span on every node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from titm_rules.diagnostics.span import Span
from titm_rules.syntax.declarations import Declaration
from titm_rules.syntax.nodes import FieldDecl, Word
from titm_rules.syntax.sentences import CourseSentence, Sentence


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
