"""Partial evaluation (Jones, Gomard, Sestoft 1993): fold readings and constants, and inline definitions.

The chosen readings are the static input of a model: conditions on them are decided once, when rules are compiled.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace

from titm_rules.ir import terms as ir
from titm_rules.ir.applicability import FALSE, TRUE, counts_when, every_of, negation, some_of
from titm_rules.ir.model import Head, Model
from titm_rules.ir.types import ERROR

_COMPARISONS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
SHORT = 24  # so many terms has a condition that is inlined
FRESH = "~"  # part of the names of variables that no author wrote


class PartialEvaluator:
    """Folds the terms of a model under its chosen readings."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._fresh = 0
        self._bodies: dict[str, ir.Term | None] = {}
        self._counts: dict[str, list[ir.Term]] = {}

    def decision(self, head: Head) -> ir.Term:
        return some_of(self.counts(head))

    def counts(self, head: Head) -> list[ir.Term]:
        """Give the conditions under which the statements of a head of the model count."""
        if head.key not in self._counts:
            self._counts[head.key] = [self.fold(counts_when(head, statement)) for statement in head.statements]
        return self._counts[head.key]

    def fold(self, term: ir.Term) -> ir.Term:
        """Fold readings and constants, and inline conditions on lists of pieces."""
        term = ir.rebuild(term, self.fold)
        match term:
            case ir.Compare(op="==" | "!=", left=ir.Var(type=vtype, name=name), right=ir.Const(value=value)) if (
                vtype.kind == "reading"
            ):
                return self.reading_test(name, str(value), term.op == "==")
            case ir.Besides(base=base, other=other) if base == other:
                return ir.Const((), term.type)
            case ir.Besides(base=base, other=ir.Const(value=())):
                return base
            case ir.Compare(left=ir.Const(value=int(one)), right=ir.Const(value=int(other))):
                return TRUE if _COMPARISONS[term.op](one, other) else FALSE
            case ir.Logic(op="all", parts=parts):
                return every_of(list(parts))
            case ir.Logic(op="any", parts=parts):
                return some_of(list(parts))
            case ir.Logic(op="not", parts=parts):
                return negation(parts[0])
            case ir.Call(head=key, args=args) if (body := self._known_body(key)) is not None:
                params = self.model.heads[key].params
                return self.substitute(body, {name: arg for (name, _), arg in zip(params, args, strict=True)})
        return term

    def reading_test(self, name: str, choice: str, wanted: bool) -> ir.Term:
        return TRUE if (self.model.reading(name) == choice) == wanted else FALSE

    def inlined(self, term: ir.Term) -> ir.Term:
        if isinstance(term, ir.Call):
            head = self.model.heads[term.head]
            if head.mode == "any":
                body = self.decision(head)
                if _traces(body, self.model):
                    given = {name: arg for (name, _), arg in zip(head.params, term.args, strict=True)}
                    return self.inlined(self.substitute(body, given))
        return ir.rebuild(term, self.inlined)

    def _known_body(self, key: str) -> ir.Term | None:
        if key not in self._bodies:
            self._bodies[key] = self._inline_body(self.model.heads[key])
        return self._bodies[key]

    def _inline_body(self, head: Head) -> ir.Term | None:
        """Return the body of a definition that is inlined.

        That is a condition on a list of pieces, for a list is not a key, so that no memo could keep its values; a short
        condition on what is at hand, which costs less than its call; and a value that one sentence gives in every case,
        without a search.
        """
        if head.mode == "any":
            body = self.decision(head)
            return body if any(ptype.kind == "set" for _, ptype in head.params) or _is_short(head, body) else None
        only = head.statements[0] if head.mode == "value" and len(head.statements) == 1 else None
        if only is None or only.value is None or self.counts(head) != [TRUE]:
            return None
        value = self.fold(only.value)
        return None if any(isinstance(part, ir.Quantified | ir.Result) for part in ir.subterms(value)) else value

    def substitute(self, term: ir.Term, given: Mapping[str, ir.Term]) -> ir.Term:
        """Replace variables by terms; bound variables get fresh names."""
        if isinstance(term, ir.Var):
            return given.get(term.name, term)
        if isinstance(term, ir.Quantified) and term.var:
            self._fresh += 1
            var = f"{term.var}{FRESH}{self._fresh}"
            base = self.substitute(term.base, given)
            uses = (find_variable(part, term.var) for part in (term.body, term.where) if part is not None)
            member = next((use.type for use in uses if use is not None), ERROR)
            inner = {**given, term.var: ir.Var(var, member)}
            where = None if term.where is None else self.substitute(term.where, inner)
            body = None if term.body is None else self.substitute(term.body, inner)
            return replace(term, var=var, base=base, where=where, body=body)
        return ir.rebuild(term, lambda part: self.substitute(part, given))


def find_variable(term: ir.Term, name: str) -> ir.Var | None:
    if isinstance(term, ir.Var):
        return term if term.name == name else None
    return next((variable for part in ir.children(term) if (variable := find_variable(part, name))), None)


def _is_short(head: Head, body: ir.Term) -> bool:
    """Whether a condition takes a few comparisons, and is not one on an enumeration alone, which becomes a table."""
    parts = list(ir.subterms(body))
    searches = any(isinstance(part, ir.Quantified | ir.Result | ir.Call | ir.Arithmetic) for part in parts)
    return len(parts) <= SHORT and not searches and [ptype.kind for _, ptype in head.params] != ["enum"]


def _traces(term: ir.Term, model: Model) -> bool:
    if isinstance(term, ir.Call) and model.heads[term.head].mode == "route":
        return True
    return any(_traces(part, model) for part in ir.children(term))
