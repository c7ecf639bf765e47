"""The small nodes of a tree: words, types, fields, parameters and expressions, each with its span."""

from __future__ import annotations

from dataclasses import dataclass

from titm_rules.diagnostics.span import Span


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
    """A type as written: `form` is named, number, flag, text, list, names, pair, number_map or flag_map."""

    form: str
    name: str
    low: int | None
    high: int | None
    span: Span
    optional: bool = False


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
