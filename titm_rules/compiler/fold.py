"""Folding: heads become single terms, readings and constants disappear."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace

from titm_rules.model.model import Head, Model, Statement
from titm_rules.model.terms import (
    Arithmetic,
    Besides,
    Call,
    Compare,
    Const,
    End,
    Field,
    IsA,
    Just,
    Logic,
    Member,
    Picks,
    Quantified,
    Standing,
    Term,
    Touching,
    Var,
    children,
)
from titm_rules.model.types import ERROR, FLAG, Type

_COMPARISONS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
TRUE, FALSE = Const(True, FLAG), Const(False, FLAG)


def rebuild(term: Term, parts: Mapping[Term, Term]) -> Term:
    """Rebuild a term with its children exchanged; parts that are not named stay."""

    def new(child: Term) -> Term:
        return parts.get(child, child)

    match term:
        case Field(base=base) | Just(base=base) | IsA(base=base) | End(base=base):
            return replace(term, base=new(base))
        case Call(args=args):
            return replace(term, args=tuple(map(new, args)))
        case Standing(base=base, place=place) | Touching(base=base, place=place):
            return replace(term, base=new(base), place=new(place))
        case Besides(base=base, other=other):
            return replace(term, base=new(base), other=new(other))
        case Quantified(base=base, where=where, body=body):
            return replace(
                term,
                base=new(base),
                where=None if where is None else new(where),
                body=None if body is None else new(body),
            )
        case Compare(left=left, right=right) | Arithmetic(left=left, right=right):
            return replace(term, left=new(left), right=new(right))
        case Member(left=left, choices=choices, base=base):
            return replace(
                term, left=new(left), choices=tuple(map(new, choices)), base=None if base is None else new(base)
            )
        case Logic(parts=inner):
            return replace(term, parts=tuple(map(new, inner)))
        case Picks(target=target):
            return replace(term, target=new(target))
    return term


def every_of(parts: list[Term]) -> Term:
    """Join conditions with `and`; constants fall away."""
    kept = [part for part in parts if part != TRUE]
    if FALSE in kept:
        return FALSE
    return kept[0] if len(kept) == 1 else Logic("all", tuple(kept), FLAG) if kept else TRUE


def some_of(parts: list[Term]) -> Term:
    """Join conditions with `or`; constants fall away."""
    kept = [part for part in parts if part != FALSE]
    if TRUE in kept:
        return TRUE
    return kept[0] if len(kept) == 1 else Logic("any", tuple(kept), FLAG) if kept else FALSE


def negation(part: Term) -> Term:
    """Negate a condition."""
    if isinstance(part, Const):
        return FALSE if part.value else TRUE
    if isinstance(part, Logic) and part.op == "not":
        return part.parts[0]
    return Logic("not", (part,), FLAG)


class Folder:
    """Folds the terms of a model under its chosen readings."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._fresh = 0

    # ------------------------------------------------------------------ heads
    def decision(self, head: Head) -> Term:
        """Make one condition of an any or bar head: true if some statement counts."""
        return some_of([self.counts(head, statement) for statement in head.statements])

    def counts(self, head: Head, statement: Statement) -> Term:
        """Say when a statement counts: it holds, is not lifted, and nothing stands instead."""
        parts = [self.holds(statement), negation(self.lifted(head, statement.clause))]
        for other in head.statements:
            if statement.clause in other.instead:
                replaced = every_of([self.holds(other), negation(self.lifted(head, other.clause))])
                parts.append(negation(replaced))
        return every_of(parts)

    def holds(self, statement: Statement) -> Term:
        """Give the condition of a statement."""
        return TRUE if statement.when is None else self.fold(statement.when)

    def lifted(self, head: Head, clause: str) -> Term:
        """Say when an exception takes away what a clause says of a head."""
        return some_of(
            [
                every_of(
                    [TRUE if lift.when is None else self.fold(lift.when), negation(self.lifted(head, lift.clause))]
                )
                for lift in head.lifts
                if lift.target == clause
            ]
        )

    # ------------------------------------------------------------------ terms
    def fold(self, term: Term) -> Term:
        """Fold readings and constants, and put the body of set-valued conditions in place of calls."""
        inner = {part: self.fold(part) for part in children(term)}
        term = rebuild(term, inner)
        match term:
            case Compare(op="==" | "!=", left=Var(type=vtype, name=name), right=Const(value=value)) if (
                vtype.kind == "reading"
            ):
                same = self.model.reading(name) == value
                return TRUE if same == (term.op == "==") else FALSE
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

    def opened(self, term: Term) -> Term:
        """Put the body of conditions that trace routes in place of their calls."""
        if isinstance(term, Call):
            head = self.model.heads[term.head]
            if head.mode == "any":
                body = self.decision(head)
                if _traces(body, self.model):
                    given = {name: arg for (name, _), arg in zip(head.params, term.args, strict=True)}
                    return self.opened(self.substitute(body, given))
        return rebuild(term, {part: self.opened(part) for part in children(term)})

    def _is_inlined(self, head: Head) -> bool:
        """A definition about a list of pieces is put in place: it could not be remembered."""
        return head.mode == "any" and any(ptype.kind == "set" for _, ptype in head.params)

    def substitute(self, term: Term, given: Mapping[str, Term]) -> Term:
        """Put terms in place of variables; bound variables get fresh names."""
        if isinstance(term, Var):
            return given.get(term.name, term)
        if isinstance(term, Quantified) and term.var:
            self._fresh += 1
            var = f"{term.var}-{self._fresh}"
            base = self.substitute(term.base, given)
            member = _member_of(term)
            inner = {**given, term.var: Var(var, member)}
            where = None if term.where is None else self.substitute(term.where, inner)
            body = None if term.body is None else self.substitute(term.body, inner)
            return replace(term, var=var, base=base, where=where, body=body)
        return rebuild(term, {part: self.substitute(part, given) for part in children(term)})


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
