"""Partial evaluation (Jones, Gomard, Sestoft 1993): fold readings and constants, and inline definitions.

The chosen readings are the static input of a model: conditions on them are decided once, when rules are compiled.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace

from titm_rules.ir.applicability import FALSE, TRUE, counts_when, every_of, negation, some_of
from titm_rules.ir.model import Head, Model, Statement
from titm_rules.ir.terms import (
    Besides,
    Call,
    Compare,
    Const,
    Logic,
    Quantified,
    Result,
    Term,
    Var,
    children,
    rebuild,
    subterms,
)
from titm_rules.ir.types import ERROR

_COMPARISONS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
FRESH = "~"  # part of the names of variables that no author wrote


class PartialEvaluator:
    """Folds the terms of a model under its chosen readings."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._fresh = 0

    def decision(self, head: Head) -> Term:
        return some_of([self.counts(head, statement) for statement in head.statements])

    def counts(self, head: Head, statement: Statement) -> Term:
        return self.fold(counts_when(head, statement))

    def fold(self, term: Term) -> Term:
        """Fold readings and constants, and inline conditions on lists of pieces."""
        term = rebuild(term, self.fold)
        match term:
            case Compare(op="==" | "!=", left=Var(type=vtype, name=name), right=Const(value=value)) if (
                vtype.kind == "reading"
            ):
                return self.reading_test(name, str(value), term.op == "==")
            case Besides(base=base, other=other) if base == other:
                return Const((), term.type)
            case Besides(base=base, other=Const(value=())):
                return base
            case Compare(left=Const(value=int(one)), right=Const(value=int(other))):
                return TRUE if _COMPARISONS[term.op](one, other) else FALSE
            case Logic(op="all", parts=parts):
                return every_of(list(parts))
            case Logic(op="any", parts=parts):
                return some_of(list(parts))
            case Logic(op="not", parts=parts):
                return negation(parts[0])
            case Call(head=key, args=args) if (body := self._inline_body(self.model.heads[key])) is not None:
                params = self.model.heads[key].params
                return self.substitute(body, {name: arg for (name, _), arg in zip(params, args, strict=True)})
        return term

    def reading_test(self, name: str, choice: str, wanted: bool) -> Term:
        return TRUE if (self.model.reading(name) == choice) == wanted else FALSE

    def inlined(self, term: Term) -> Term:
        if isinstance(term, Call):
            head = self.model.heads[term.head]
            if head.mode == "any":
                body = self.decision(head)
                if _traces(body, self.model):
                    given = {name: arg for (name, _), arg in zip(head.params, term.args, strict=True)}
                    return self.inlined(self.substitute(body, given))
        return rebuild(term, self.inlined)

    def _inline_body(self, head: Head) -> Term | None:
        """Return the body of a definition that is inlined.

        That is a condition on a list of pieces, for a list is not a key, so that no memo could keep its values; and a
        value that one sentence gives in every case, without a search.
        """
        if head.mode == "any" and any(ptype.kind == "set" for _, ptype in head.params):
            return self.decision(head)
        only = head.statements[0] if head.mode == "value" and len(head.statements) == 1 else None
        if only is None or only.value is None or self.counts(head, only) != TRUE:
            return None
        value = self.fold(only.value)
        return None if any(isinstance(part, Quantified | Result) for part in subterms(value)) else value

    def substitute(self, term: Term, given: Mapping[str, Term]) -> Term:
        """Replace variables by terms; bound variables get fresh names."""
        if isinstance(term, Var):
            return given.get(term.name, term)
        if isinstance(term, Quantified) and term.var:
            self._fresh += 1
            var = f"{term.var}{FRESH}{self._fresh}"
            base = self.substitute(term.base, given)
            uses = (find_variable(part, term.var) for part in (term.body, term.where) if part is not None)
            member = next((use.type for use in uses if use is not None), ERROR)
            inner = {**given, term.var: Var(var, member)}
            where = None if term.where is None else self.substitute(term.where, inner)
            body = None if term.body is None else self.substitute(term.body, inner)
            return replace(term, var=var, base=base, where=where, body=body)
        return rebuild(term, lambda part: self.substitute(part, given))


def find_variable(term: Term, name: str) -> Var | None:
    if isinstance(term, Var):
        return term if term.name == name else None
    return next((variable for part in children(term) if (variable := find_variable(part, name))), None)


def _traces(term: Term, model: Model) -> bool:
    if isinstance(term, Call) and model.heads[term.head].mode == "route":
        return True
    return any(_traces(part, model) for part in children(term))
