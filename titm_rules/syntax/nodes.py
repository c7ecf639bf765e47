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
