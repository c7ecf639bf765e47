"""Partial evaluation: fold readings and constants, and inline definitions."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace

from titm_rules.ir.applicability import FALSE, TRUE, counts_when, every_of, negation, some_of
from titm_rules.ir.model import Head, Model, Statement
from titm_rules.ir.terms import Besides, Call, Compare, Const, Logic, Quantified, Term, Var, children, rebuild
from titm_rules.ir.types import ERROR, Type

_COMPARISONS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
FRESH = "~"  # stands in names of variables that no author wrote


class PartialEvaluator:
    """Folds the terms of a model under its chosen readings."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._fresh = 0

    # ------------------------------------------------------------------ heads
    def decision(self, head: Head) -> Term:
        """Make one condition of an any or bar head: true if some statement counts."""
        return some_of([self.counts(head, statement) for statement in head.statements])

    def counts(self, head: Head, statement: Statement) -> Term:
        """Say when a statement counts."""
        return self.fold(counts_when(head, statement))

    # ------------------------------------------------------------------ terms
    def fold(self, term: Term) -> Term:
        """Fold readings and constants, and put the body of set-valued conditions in place of calls."""
        term = rebuild(term, self.fold)
        match term:
            case Compare(op="==" | "!=", left=Var(type=vtype, name=name), right=Const(value=value)) if (
                vtype.kind == "reading"
            ):
                return self.settled(name, str(value), term.op == "==")
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
            case Call(head=key, args=args) if self._is_inlined(self.model.heads[key]):
                head = self.model.heads[key]
                body = self.decision(head)
                return self.substitute(body, {name: arg for (name, _), arg in zip(head.params, args, strict=True)})
        return term

    def settled(self, name: str, choice: str, wanted: bool) -> Term:
        """Say whether a reading is the one that is chosen, or is another if that is wanted."""
        return TRUE if (self.model.reading(name) == choice) == wanted else FALSE

    def opened(self, term: Term) -> Term:
        """Put the body of conditions that trace routes in place of their calls."""
        if isinstance(term, Call):
            head = self.model.heads[term.head]
            if head.mode == "any":
                body = self.decision(head)
                if _traces(body, self.model):
                    given = {name: arg for (name, _), arg in zip(head.params, term.args, strict=True)}
                    return self.opened(self.substitute(body, given))
        return rebuild(term, self.opened)

    def _is_inlined(self, head: Head) -> bool:
        """A definition about a list of pieces is put in place: it could not be remembered."""
        return head.mode == "any" and any(ptype.kind == "set" for _, ptype in head.params)

    def substitute(self, term: Term, given: Mapping[str, Term]) -> Term:
        """Put terms in place of variables; bound variables get fresh names."""
        if isinstance(term, Var):
            return given.get(term.name, term)
        if isinstance(term, Quantified) and term.var:
            self._fresh += 1
            var = f"{term.var}{FRESH}{self._fresh}"
            base = self.substitute(term.base, given)
            member = _member_of(term)
            inner = {**given, term.var: Var(var, member)}
            where = None if term.where is None else self.substitute(term.where, inner)
            body = None if term.body is None else self.substitute(term.body, inner)
            return replace(term, var=var, base=base, where=where, body=body)
        return rebuild(term, lambda part: self.substitute(part, given))


def _member_of(term: Quantified) -> Type:
    for part in (term.body, term.where):
        found = _find_var(part, term.var)
        if found is not None:
            return found.type
    return ERROR


def _find_var(term: Term | None, name: str) -> Var | None:
    if term is None:
        return None
    if isinstance(term, Var):
        return term if term.name == name else None
    return next((found for part in children(term) if (found := _find_var(part, name))), None)


def _traces(term: Term, model: Model) -> bool:
    if isinstance(term, Call) and model.heads[term.head].mode == "route":
        return True
    return any(_traces(part, model) for part in children(term))
