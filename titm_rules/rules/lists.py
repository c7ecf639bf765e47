"""Lists in expressions: what stands at a place or touches it, those of which something is so, how many there are."""

from __future__ import annotations

from dataclasses import replace

from titm_rules.diagnostics import Span
from titm_rules.rules.terms import Arithmetic, Besides, Quantified, Standing, Term, Touching, Values
from titm_rules.rules.types import ERROR, FLAG, NUMBER, PLACE, Type
from titm_rules.rules.wanted import BROKEN, ExpressionChecker, Scope, expression, listed, plain
from titm_rules.syntax.nodes import Expr


class ListChecker(ExpressionChecker):
    """Checks lists, and what is said of their members."""

    def list_of(self, expr: Expr, scope: Scope) -> Term:
        """Check an expression that must be a list."""
        match expr.op:
            case "besides":
                base = self.list_of(expression(expr.args[0]), scope)
                other = self.of_type(expression(expr.args[1]), scope, base.type)
                return Besides(base, other, base.type)
            case "including":
                base = self.list_of(expression(expr.args[0]), scope)
                other = self.of_type(expression(expr.args[1]), scope, base.type)
                return Arithmetic("+", base, other, base.type)
            case "standing" | "touching":
                name = Expr("name", (expr.args[0],), expr.span)
                base = self.list_of(name, scope)
                self._need_role(base, "piece" if expr.op == "standing" else "connection", expr)
                place = self.of_type(expression(expr.args[1]), scope, PLACE)
                return (Standing if expr.op == "standing" else Touching)(base, place, base.type)
            case "those":
                return self._quantified(expr, scope)
        enum = self.schema.enums.get(str(expr.args[0])) if expr.op == "name" else None
        if enum is not None and enum.name not in scope.names:
            return Values(len(enum.values), Type("set", enum.name))
        term = self.term(expr, scope)
        if term.type.kind not in ("set", "pair", "error"):
            self._fault("a list is needed here", expr.span, f"this is a {term.type}")
            return BROKEN
        return listed(term)

    def _need_role(self, base: Term, role: str, expr: Expr) -> None:
        """Refuse a list of what neither stands at a place nor joins two."""
        record = self.schema.records.get(base.type.name)
        needed = "place" if role == "piece" else "ends"
        if record is not None and record.role == role and any(spec.name == needed for spec in record.fields):
            return
        if base.type.kind != "error":
            self._fault(f"a {base.type} cannot be `{expr.op}`", expr.span, f"only a {role} with a field `{needed}` can",
                        f"name a list of such a {role}")  # fmt: skip

    def _quantified(self, expr: Expr, scope: Scope) -> Term:
        var = str(expr.args[0])
        base = self.list_of(expression(expr.args[1]), scope)
        inner = self.inner(var, base, scope, expr.span)
        body = self.condition(expression(expr.args[2]), inner)
        if expr.op == "those":
            return Quantified("those", var, base, body, None, base.type)
        return Quantified(expr.op, var, base, None, body, FLAG)

    def _aggregate(self, expr: Expr, scope: Scope, expected: Type | None) -> Term:
        if expr.op == "count":
            return Quantified("count", "", self.list_of(expression(expr.args[0]), scope), None, None, NUMBER)
        args = list(expr.args)
        value = None if expr.op == "count_where" else expression(args.pop(0))
        var = str(args[0])
        base = self.list_of(expression(args[1]), scope)
        inner = self.inner(var, base, scope, expr.span)
        where = self.condition(expression(args[2]), inner) if len(args) > 2 and args[2] is not None else None
        if value is None:
            return Quantified("count", var, base, where, None, NUMBER)
        body = self.number(value, inner, expected)
        optional = expr.op in ("highest", "lowest")
        return Quantified(expr.op, var, base, where, body, replace(plain(body.type), optional=optional))

    def inner(self, var: str, base: Term, scope: Scope, span: Span) -> Scope:
        """Open a scope in which a name stands for the members of a list, one at a time."""
        if var in scope.names:
            self._fault(
                f"`{var}` already stands for something else",
                span,
                "a name has one meaning at a time",
                "take another name",
            )
        member = ERROR if base.type.kind == "error" else self.schema.member(base.type)
        return replace(scope, names={**scope.names, var: member})
