"""Numbers in expressions: those of a measure are counted in its parts, and only like ones together."""

from __future__ import annotations

from titm_rules.rules.terms import Arithmetic, Const, Term
from titm_rules.rules.types import NUMBER, Type
from titm_rules.rules.wanted import ExpressionChecker, Scope, expression, in_measure, plain
from titm_rules.syntax.nodes import Expr


class NumberChecker(ExpressionChecker):
    """Checks fractions, and numbers that are worked out of others."""

    def _fraction(self, expr: Expr, expected: Type | None) -> Term:
        """Read a fraction: so many parts of the measure that is expected."""
        measure = expected.measure if expected is not None else None
        sign = "-" if expr.op == "negative" else ""
        return Const(self.schema.parts(f"{sign}{expr.args[0]}", measure, expr.span), Type("number", measure=measure))

    def _alike(
        self, expr: Expr, scope: Scope, wanted: Type | None = None, needed: Type = NUMBER
    ) -> tuple[Term, ...]:
        """Check the numbers of an expression, which are counted alike: if any has a measure, all are in its parts.

        What is only a fraction is one of the measure that another has, or else of the one `wanted`.
        """
        exprs = [arg for arg in expr.args if isinstance(arg, Expr)]
        known = {arg: self.number(arg, scope, wanted, needed) for arg in exprs if not _is_fraction(arg)}
        measured = next((one.type for one in known.values() if one.type.measure is not None), wanted)
        terms = [known.get(arg) or self.number(arg, scope, measured, needed) for arg in exprs]
        shared = next((one.type for one in terms if one.type.measure is not None), NUMBER)
        for arg, term in zip(exprs, terms, strict=True):
            if term.type.kind == "number" and term.type.measure not in (None, shared.measure):
                self._fault(f"a {term.type} and a {shared} are not counted alike", arg.span,
                            "numbers of two measures have nothing in common", "count both in one of them")  # fmt: skip
        return tuple(in_measure(term, shared) for term in terms)

    def _product(self, expr: Expr, scope: Scope, expected: Type | None) -> Term:
        """Check a product, of which at most one factor has a measure; the product has it then."""
        left, right = (self.number(expression(arg), scope, expected) for arg in expr.args)
        if left.type.measure is not None and right.type.measure is not None:
            self._fault(f"a {left.type} times a {right.type} is no number", expr.span,
                        "only one factor of a product is counted in parts", "multiply by a plain number")  # fmt: skip
        return Arithmetic("*", left, right, plain(left.type if left.type.measure is not None else right.type))


def _is_fraction(expr: Expr) -> bool:
    return expr.op == "fraction" or (expr.op == "negative" and isinstance(expr.args[0], str))
