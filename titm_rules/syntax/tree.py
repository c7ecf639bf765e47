"""The tree of a rule file: what the author wrote, with a span on every node."""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class Amendment:
    """One change that a sheet or a house rule makes to the rules before it.

    Attributes:
        kind: add, replace, restate, attest, renumber, delete, delete_section, limit or extend; of a section
            of the course of play add_course, replace_course or delete_course.
        refs: the clauses that it changes; for `limit` the reading, for `extend` the record, or the section.
        clause: the text that it brings, if it brings one.
        course: the section that it brings, if it brings one.
        number: the number that its clauses bear from then on; empty: no other.
        text: what attests them, or why a reading is limited.
        words: the choices that stay, the default first among `defaults`.
    """

    kind: str
    span: Span
    refs: tuple[Word, ...]
    clause: Clause | None = None
    number: str = ""
    text: str = ""
    words: tuple[Word, ...] = ()
    defaults: tuple[str, ...] = ()
    fields: tuple[FieldDecl, ...] = ()
    course: Course | None = None


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A parsed file of rules."""

    path: str
    decls: tuple[Declaration, ...] = ()
    clauses: tuple[Clause, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    courses: tuple[Course, ...] = ()
    lines: tuple[str, ...] = field(default=(), repr=False)
