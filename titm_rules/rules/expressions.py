"""Expressions: from what the author wrote to checked terms."""

from __future__ import annotations

from dataclasses import replace

from titm_rules.rules.comparisons import ComparisonChecker
from titm_rules.rules.results import result, some_choices
from titm_rules.rules.terms import CHOICES, Apply, Arithmetic, Compare, Const, Logic, Quantified, Template, Term
from titm_rules.rules.types import FLAG, NOTHING, NUMBER, TEXT, Type
from titm_rules.rules.wanted import Scope, expression, plain
from titm_rules.syntax.nodes import Expr, Wording


class Checker(ComparisonChecker):
    """Checks expressions of every kind against a vocabulary and the declared heads."""

    def template(self, written: Wording, scope: Scope) -> Template:
        """Check the words of a refusal: what stands in their slots."""
        return tuple(part if isinstance(part, str) else self._slot(part, scope) for part in written)

    def _slot(self, expr: Expr, scope: Scope) -> Term:
        if expr.op in ("besides", "including", "those", "standing", "touching"):
            return self.list_of(expr, scope)
        return self.term(expr, scope)

    def term(self, expr: Expr, scope: Scope, expected: Type | None = None) -> Term:
        """Check an expression; `expected` helps to resolve values of enumerations."""
        found = self._term(expr, scope, expected)
        self.notes.append((expr, found))
        return found

    def _term(self, expr: Expr, scope: Scope, expected: Type | None) -> Term:
        match expr.op:
            case "number":
                return Const(_int(expr.args[0]), NUMBER)
            case "negative" if isinstance(expr.args[0], int):
                return Const(-expr.args[0], NUMBER)
            case "fraction" | "negative":
                return self._fraction(expr, expected)
            case "text":
                return Const(str(expr.args[0]), TEXT)
            case "yes" | "no":
                return Const(expr.op == "yes", FLAG)
            case "nothing":
                return Const(None, NOTHING)
            case "name":
                return self._name(str(expr.args[0]), expr, scope, expected)
            case "of" | "call" | "call_bare":
                return self._call(expr, scope, None)
            case "result":
                return result(self, expr, scope)
            case "any_of" | "all_of" | "negation":
                op = {"any_of": "any", "all_of": "all", "negation": "not"}[expr.op]
                return Logic(op, tuple(self.condition(expression(a), scope) for a in expr.args), FLAG)
            case "some" | "every" | "those":
                return self._quantified(expr, scope)
            case "nonempty" if expression(expr.args[0]).op == "result" and expression(expr.args[0]).args[0] == CHOICES:
                return some_choices(self, expression(expr.args[0]), scope)
            case "nonempty":
                base = self.list_of(expression(expr.args[0]), scope)
                return Compare(">", Quantified("count", "", base, None, None, NUMBER), Const(0, NUMBER), FLAG)
            case "count" | "count_where" | "total" | "highest" | "lowest":
                return self._aggregate(expr, scope, expected)
            case "besides" | "including" | "standing" | "touching":
                return self.list_of(expr, scope)
            case "plus" | "minus":
                left, right = self._alike(expr, scope, expected)
                return Arithmetic("+" if expr.op == "plus" else "-", left, right, plain(left.type))
            case "times":
                return self._product(expr, scope, expected)
            case "divided":
                left, right = self._alike(expr, scope)
                return Arithmetic("//", left, right, NUMBER)
            case "divided_up":
                return Apply("up", self._alike(expr, scope), NUMBER)
            case "least" | "most":
                parts = self._alike(expr, scope, expected, replace(NUMBER, optional=True))
                return Apply(expr.op, parts, plain(parts[0].type))
            case "same":
                return self._same(expr, scope)
            case "member" | "one_of":
                return self._member(expr, scope)
            case "possible":
                term = self.term(expression(expr.args[0]), scope)
                return Compare("==" if expr.args[1] else "!=", term, Const(None, NOTHING), FLAG)
        return self._compare(expr, scope)


def _int(arg: object) -> int:
    assert isinstance(arg, int)
    return arg
