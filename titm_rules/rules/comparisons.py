"""Comparisons in expressions: more or less, the same or another, one of some."""

from __future__ import annotations

from dataclasses import replace

from titm_rules.diagnostics import Span
from titm_rules.rules.amounts import amount
from titm_rules.rules.measured import NumberChecker
from titm_rules.rules.names import NameChecker
from titm_rules.rules.terms import Compare, Const, IsA, Logic, Member, Term
from titm_rules.rules.types import FLAG, NOTHING
from titm_rules.rules.wanted import Scope, expression, in_measure
from titm_rules.syntax.nodes import Expr

_COMPARISONS = {
    "at_least": (">=", "<"),
    "at_most": ("<=", ">"),
    "more_than": (">", "<="),
    "less_than": ("<", ">="),
}


class ComparisonChecker(NumberChecker, NameChecker):
    """Checks comparisons."""

    def _compare(self, expr: Expr, scope: Scope) -> Term:
        op, negated = _COMPARISONS[expr.op]
        left = self.term(expression(expr.args[0]), scope)
        if left.type.kind == "enum":  # values of a type stand in the order of their ranks
            right = self.of_type(expression(expr.args[2]), scope, left.type)
        else:
            left, right = self._alike(expr, scope)
            self._range(left, right, expr.span)
        return Compare(negated if expr.args[1] else op, left, right, FLAG)

    def _same(self, expr: Expr, scope: Scope) -> Term:
        negated = expr.args[1] is not None
        left = self.term(expression(expr.args[0]), scope)
        right_expr = expression(expr.args[2])
        predicate = self._predicate(left, right_expr, scope)
        if predicate is not None:
            return Logic("not", (predicate,), FLAG) if negated else predicate
        right = self.term(right_expr, scope, left.type)
        left, right = in_measure(left, right.type), in_measure(right, left.type)
        comparable = (
            self.fits(right.type, left.type) or self.fits(left.type, right.type)
            or NOTHING.kind in (left.type.kind, right.type.kind)
        )  # fmt: skip
        if not comparable:
            self._fault(f"a {left.type} is never a {right.type}", expr.span, "only like things can be the same")
        self._range(left, right, expr.span)
        return Compare("!=" if negated else "==", left, right, FLAG)

    def _predicate(self, left: Term, right: Expr, scope: Scope) -> Term | None:
        """Read `X is PLACE-KIND` and `X is DEFINITION for Y`."""
        name = str(right.args[0]) if right.op in ("name", "call_bare") else ""
        record = self.schema.records.get(name)
        if right.op == "name" and record is not None and record.role == "place":
            return IsA(left, name, FLAG)
        head = self.heads.get(name)
        if head is not None and head.type == FLAG and head.params and name not in scope.names:
            return self._call(right if right.op == "call_bare" else replace(right, op="call_bare"), scope, left)
        return None

    def _member(self, expr: Expr, scope: Scope) -> Term:
        if expr.op == "one_of":
            left = self.term(expression(expr.args[0]), scope)
            choices = (self.term(expression(arg), scope, left.type) for arg in expr.args[2:])
            found: Term = Member(left, tuple(in_measure(one, left.type) for one in choices), None, FLAG)
        else:
            base = self.list_of(expression(expr.args[2]), scope)
            left = self.term(expression(expr.args[0]), scope, self.schema.member(base.type))
            found = Member(left, (), base, FLAG)
        return Logic("not", (found,), FLAG) if expr.args[1] is not None else found

    def _range(self, left: Term, right: Term, span: Span) -> None:
        """Fault a comparison that no value of the declared range satisfies or fails."""
        ftype = left.type
        if (
            isinstance(right, Const)
            and isinstance(right.value, int)
            and ftype.kind == "number"
            and ftype.high is not None
        ):
            assert ftype.low is not None
            if not ftype.low <= right.value <= ftype.high and right.value not in (ftype.low - 1, ftype.high + 1):
                number, low, high = (amount(ftype.measure, one) for one in (right.value, ftype.low, ftype.high))
                self._fault(
                    f"{number} is out of range", span,
                    f"the number runs from {low} to {high}, so the comparison never changes",
                )  # fmt: skip
