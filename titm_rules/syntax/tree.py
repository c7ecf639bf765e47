"""The tree of a rule file: what the author wrote, with a span on every node."""

from __future__ import annotations

from dataclasses import dataclass, field

from titm_rules.diagnostics.span import Span


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression as written: an operator and its parts (expressions, names or numbers)."""

    op: str
    args: tuple[Expr | str | int | None, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Word:
    """A name or a reference in the text."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class TypeRef:
    """A type as written: `form` is named, number, flag, text, list or pair."""

    form: str
    name: str
    low: int | None
    high: int | None
    span: Span


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


@dataclass(frozen=True, slots=True)
class Decl:
    """A declaration; `parts` holds what its kind needs (see `syntax.build`)."""

    kind: str
    name: Word
    span: Span
    text: str = ""
    fields: tuple[FieldDecl, ...] = ()
    params: tuple[Param, ...] = ()
    type: TypeRef | None = None
    optional: bool = False
    situation: Word | None = None
    words: tuple[Word, ...] = ()
    texts: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    parts: tuple[Part, ...] = ()
    bindings: tuple[Binding, ...] = ()
    exprs: tuple[Expr, ...] = ()
    offered: tuple[str, ...] = ()
    because: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a form or a question: its kind, names and expressions."""

    kind: str
    span: Span
    words: tuple[Word, ...] = ()
    exprs: tuple[Expr | None, ...] = ()
    param: Param | None = None
    bindings: tuple[Binding, ...] = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Sweep:
    """`for each NAME in SET where (...)` of an effect."""

    name: Word
    base: Expr
    where: Expr | None


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a clause; of an effect also what it sweeps over and assigns."""

    kind: str
    span: Span
    subject: Word | None = None
    word: Word | None = None
    value: Expr | None = None
    when: Expr | None = None
    text: str = ""
    refs: tuple[Word, ...] = ()
    rows: tuple[tuple[Word, int], ...] = ()
    sweep: Sweep | None = None
    assignments: tuple[tuple[Expr, Expr], ...] = ()
    bindings: tuple[Binding, ...] = ()
    into: Word | None = None


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
class Amendment:
    """One change that a sheet or a house rule makes to the rules before it.

    Attributes:
        kind: add, replace, restate, attest, renumber, delete, delete_section, limit or extend.
        refs: the clauses that it changes; for `limit` the reading, for `extend` the record.
        clause: the text that it brings, if it brings one.
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


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A parsed file of rules."""

    path: str
    decls: tuple[Decl, ...] = ()
    clauses: tuple[Clause, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    lines: tuple[str, ...] = field(default=(), repr=False)
