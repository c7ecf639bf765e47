"""What is wanted of an expression: that it is a condition, a number, or of a type, wherever it stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from titm_rules.diagnostics import Span
from titm_rules.rules.model import Form, Head
from titm_rules.rules.schema import Schema
from titm_rules.rules.terms import Apply, Const, Just, Term
from titm_rules.rules.types import ERROR, FLAG, NOTHING, NUMBER, Type
from titm_rules.syntax.nodes import Expr

BROKEN = Const(None, ERROR)


@dataclass(frozen=True)
class Scope:
    """What names mean at a place in the text."""

    situation: str
    names: Mapping[str, Type]
    allocation: bool = False


@dataclass
class ExpressionChecker(ABC):
    """Checks that expressions are what is wanted; those who follow it know what each kind of expression comes to.

    `notes` tell what every expression came to; one that was tried in two ways is there twice.
    """

    schema: Schema
    heads: dict[str, Head] = field(default_factory=dict)
    forms: dict[str, Form] = field(default_factory=dict)
    notes: list[tuple[Expr, Term]] = field(default_factory=list)

    @abstractmethod
    def term(self, expr: Expr, scope: Scope, expected: Type | None = None) -> Term:
        """Check an expression; `expected` helps to resolve values of enumerations."""

    def condition(self, expr: Expr, scope: Scope) -> Term:
        """Check an expression that must be true or false."""
        term = self.term(expr, scope, FLAG)
        if term.type.kind not in ("flag", "error"):
            self._fault("a condition is needed here", expr.span, f"this is a {term.type}")
        return term

    def of_type(self, expr: Expr, scope: Scope, wanted: Type) -> Term:
        """Check an expression that must have a type; one record will do for a list."""
        term = self.term(expr, scope, wanted)
        is_one = wanted.kind == "set" and term.type.kind in ("record", "enum", "place", "number")
        if is_one and wanted.name in (term.type.name or term.type.kind, "place"):
            return Just(term, wanted)
        term = in_measure(term, wanted)
        if not self.fits(term.type, wanted):
            self._fault(f"a {wanted} is needed here", expr.span, f"this is a {term.type}")
        return term if wanted.optional else listed(term)

    def ordered(self, expr: Expr, scope: Scope) -> Term:
        """Check an expression that must be a number, or a value of a type, which stand in an order."""
        term = self.term(expr, scope)
        return term if term.type.kind == "enum" else self.number(expr, scope)

    def number(self, expr: Expr, scope: Scope, wanted: Type | None = None, needed: Type = NUMBER) -> Term:
        """Check an expression that must be a number, whatever it is counted in; `wanted` is what a fraction is of."""
        term = self.term(expr, scope, wanted)
        return term if term.type.kind == "number" else self.of_type(expr, scope, needed)

    def empty(self, wanted: Type) -> Term:
        """Give what `nothing` means where a type is wanted: no value, or a list of no members."""
        return Const((), wanted) if wanted.kind == "set" else Const(None, NOTHING)

    def fits(self, found: Type, wanted: Type) -> bool:
        """Whether a value of one type may stand where another is wanted."""
        if "error" in (found.kind, wanted.kind):
            return True
        if found.kind == "nothing":
            return wanted.optional
        if found.kind != wanted.kind:
            if found.kind == "place":  # where there is one kind of place, a place is of that kind
                return wanted == replace(self.schema.only_place or ERROR, optional=wanted.optional)
            return wanted.kind == "place" and self._is_place(found)
        named = found.kind in ("flag", "number", "text", "place") or found.name == wanted.name
        return named and found.measure == wanted.measure

    def _is_place(self, found: Type) -> bool:
        return found.kind == "record" and self.schema.records[found.name].role == "place"

    def _fault(self, what: str, span: Span, why: str = "", fix: str = "") -> None:
        self.schema.faults.add(what, span, why, fix)


def plain(counted: Type) -> Type:
    """Give the type of what is worked out of a number: any number, counted as it is."""
    return replace(NUMBER, measure=counted.measure)


def in_measure(term: Term, wanted: Type) -> Term:
    """Count a plain number in the parts of the measure that is wanted, if one is."""
    if wanted.kind != "number" or wanted.measure is None or term.type.kind != "number" or term.type.measure is not None:
        return term
    counted = replace(plain(wanted), optional=term.type.optional)
    if isinstance(term, Const) and isinstance(term.value, int):
        return Const(term.value * wanted.measure.parts, counted)
    return Apply("parts", (term, Const(wanted.measure.parts, NUMBER)), counted)


def listed(term: Term) -> Term:
    """Take a list that may be nothing for an empty one."""
    if term.type.kind != "set" or not term.type.optional:
        return term
    return Apply("listed", (term,), replace(term.type, optional=False))


def expression(arg: object) -> Expr:
    """Take what an expression has at a place for an expression, as the grammar says that it is."""
    assert isinstance(arg, Expr)
    return arg
