"""What expressions may ask of plain values by name: next and previous, parts of lists, maps, texts that are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from titm_rules.rules.schema import Schema
from titm_rules.rules.terms import Apply, Const, Root, Term, Var
from titm_rules.rules.types import FLAG, NUMBER, TEXT, Type
from titm_rules.syntax.nodes import Expr


class Named(Protocol):
    """A place in the text, where names mean something."""

    @property
    def names(self) -> Mapping[str, Type]:
        """What names mean there."""


ScopeT = TypeVar("ScopeT", bound=Named, contravariant=True)


class ArgumentChecker(Protocol[ScopeT]):
    """What checks the expressions that functions are applied to."""

    schema: Schema

    def term(self, expr: Expr, scope: ScopeT) -> Term:
        """Check an expression."""

    def of_type(self, expr: Expr, scope: ScopeT, wanted: Type) -> Term:
        """Check an expression that must have a type."""

    def list_of(self, expr: Expr, scope: ScopeT) -> Term:
        """Check an expression that must be a list."""

    def root(self, name: str, scope: ScopeT) -> Root | None:
        """Read a name as a field of the situation."""


Pairs = Sequence[tuple[str, Expr]]
NUMBERS = Type("set", "number")


def function_of(checker: ArgumentChecker[ScopeT], name: str, pairs: Pairs, scope: ScopeT) -> Term | None:
    """Read a call of a function by its name and prepositions; nothing if it is none."""
    preps = tuple(prep for prep, _ in pairs)
    given = [expr for _, expr in pairs]
    match name, preps:
        case ("next" | "previous", ("of",)):
            return _beside(checker, name, given[0], scope)
        case ("member", ("of", "at")):
            return _member(checker, given, scope)
        case ("part", ("of", "from", "to")):
            return _part(checker, given, scope)
        case ("numbers", ("from", "to")):
            return Apply("numbers", tuple(checker.of_type(expr, scope, NUMBER) for expr in given), NUMBERS)
    if preps == ("for",):
        return _looked_up(checker, name, given[0], scope)
    record = checker.schema.records.get(name)
    if preps == ("of",) and record is not None and record.written:
        text = checker.of_type(given[0], scope, TEXT)
        return Apply("read", (Const(name, TEXT), text), Type("record", name, optional=True))
    return None


def _beside(checker: ArgumentChecker[ScopeT], name: str, value: Expr, scope: ScopeT) -> Term | None:
    """Read `next of VALUE` and `previous of VALUE`."""
    base = checker.term(value, scope)
    if base.type.kind != "enum":
        return None
    count = len(checker.schema.enums[base.type.name].values)
    return Apply(name, (base, Const(count, NUMBER)), replace(base.type, optional=True))


def _member(checker: ArgumentChecker[ScopeT], given: Sequence[Expr], scope: ScopeT) -> Term:
    """Read `member of LIST at NUMBER`."""
    base = checker.list_of(given[0], scope)
    place = checker.of_type(given[1], scope, NUMBER)
    return Apply("member", (base, place), replace(checker.schema.member(base.type), optional=True))


def _part(checker: ArgumentChecker[ScopeT], given: Sequence[Expr], scope: ScopeT) -> Term:
    """Read `part of LIST from NUMBER to NUMBER`."""
    base = checker.list_of(given[0], scope)
    low, high = (checker.of_type(expr, scope, NUMBER) for expr in given[1:])
    return Apply("part", (base, low, high), base.type)


def _looked_up(checker: ArgumentChecker[ScopeT], name: str, key: Expr, scope: ScopeT) -> Term | None:
    """Read `MAP for RECORD`."""
    base = scope.names.get(name)
    source: Term | None = Var(name, base) if base is not None else checker.root(name, scope)
    if source is None or source.type.kind not in ("number_map", "flag_map"):
        return None
    assert isinstance(source, Var | Root)
    found = checker.of_type(key, scope, Type("record", source.type.name))
    value = FLAG if source.type.kind == "flag_map" else replace(NUMBER, measure=source.type.measure)
    return Apply("look-up", (source, found), replace(value, optional=True))
