"""The sentences of a verdict: what a clause says of a case, and how a number came about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from titm_rules.explain.causes import Cause, MemoizingEvaluator, adds
from titm_rules.ir.model import Head, Route, Statement
from titm_rules.ir.terms import Apply, Arithmetic, Call, Field, Quantified, Template, Term
from titm_rules.world.evaluate import Env
from titm_rules.world.records import in_unit, join_words, told

ROW = re.compile(r"(\d[\d.]*[a-z]?)-[a-z][a-z-]*")
EXAMPLES = " (Given example"
NOT_NOW = "not allowed in this phase"
MAX_ADDENDS = 6


class Words:
    """Writes the sentences of findings; default ones leave out the ids `unnamed`, for the question names them."""

    def __init__(self, evaluator: MemoizingEvaluator) -> None:
        self.evaluator = evaluator
        self.unnamed: frozenset[str] = frozenset()

    def refusal(self, cause: Cause, looked_at: Sequence[str] = ()) -> str:
        """Say why a sentence forbids: in its own words, in those of its condition, or as its clause is restated."""
        if said := self.own(cause):
            return said
        info = self.evaluator.model.clauses.get(cause.clause)
        section = self.evaluator.model.courses.get(cause.clause)
        other = section.title if section is not None else NOT_NOW
        text = info.says.partition(EXAMPLES)[0].rstrip(".") if info is not None else other
        names = [name for name in looked_at if name not in self.unnamed]
        return f"{text} ({join_words(names)})" if names else text

    def own(self, cause: Cause) -> str:
        """Say why a sentence forbids in its own words or in those of its condition; empty if neither says it."""
        own = cause.sentence
        return self.filled(cause) or (self.text(own.phrase, cause.env) if isinstance(own, Statement) else "")

    def filled(self, cause: Cause) -> str:
        return self.text(cause.sentence.says, cause.env)

    def text(self, template: Template, env: Env) -> str:
        return told(self.evaluator.model, template, lambda term: self.evaluator.value(term, env))

    def sum(self, head: Head, env: Env) -> str:
        """Say what a sum is made of: `2 by A + 1 by B`, where A and B are clauses."""
        addends = [one for one in self.evaluator.alive(head, env) if adds(self.evaluator, one, env)]
        return " + ".join(self._addend(one, env) for one in addends)

    def _addend(self, statement: Statement, env: Env) -> str:
        """Write an addend with its clause, behind the clauses of its own value if it has some."""
        text, label = self.number(statement.value, env), f" {statement.label}" if statement.label else ""
        return f"{text}{label}{',' if ' by ' in text else ' by'} {printed(statement.clause)}"

    def price(self, head: Head, env: Env) -> str:
        """Say what something costs and by which clauses: `3 (2 by A + 1 by B)`, or `1 (A)`."""
        amount = in_unit(head.type, self.evaluator.head(head, env))
        return f"{amount} ({self.sum(head, env).removeprefix(f'{amount} by ')})" if amount else "nothing"

    def value(self, head: Head, env: Env) -> str:
        """Say what the value of a head is made of: `8 (A)`, or `6 (8 by A - 2 points spent)`."""
        amount = in_unit(head.type, self.evaluator.head(head, env))
        made = self.made_of(head, env)
        if made == str(amount):
            return made
        return f"{amount} ({made.removeprefix(f'{amount} by ')})"

    def made_of(self, head: Head, env: Env) -> str:
        """Say how the value of a head comes about: a number with its clause, or a calculation."""
        statement = next(iter(self.evaluator.alive(head, env)), None)
        if statement is None:
            return str(in_unit(head.type, self.evaluator.head(head, env)))
        text = self.number(statement.value, env)
        is_default = not statement.clause
        return text if is_default or " " in text else f"{text} by {printed(statement.clause)}"

    def number(self, term: Term | None, env: Env) -> str:
        """Write a number as it was worked out, with the clauses that gave its parts."""
        match term:
            case Arithmetic(op=op, left=left, right=right):
                if op in "+-" and not self.evaluator.term(right, env):
                    return self.number(left, env)
                return f"{self._operand(left, op, env)} {op[0]} {self._operand(right, op, env, op != '+')}"
            case Apply(op="parts", args=(whole, _)):
                return self.number(whole, env)
            case Call(head=key, args=args) if self.evaluator.model.heads[key].mode in ("value", "sum"):
                head = self.evaluator.model.heads[key]
                values = (self.evaluator.term(arg, env) for arg in args)
                given = dict(zip((name for name, _ in head.params), values, strict=True))
                return self.made_of(head, given) if head.mode == "value" else self.sum(head, given) or "0"
            case Quantified():
                return self._over_members(term, env)
            case Field(field=field):
                return f"{self.amount(term, env)} {humanize(field)}"
        return str(self.amount(term, env)) if term is not None else ""

    def _operand(self, term: Term, op: str, env: Env, is_apart: bool = False) -> str:
        """Write a part of a calculation, in brackets where it would be read as something else without them."""
        text = self.number(term, env)
        is_sum = isinstance(term, Arithmetic) and term.op in "+-" and (" + " in text or " - " in text)
        return f"({text})" if is_sum and (is_apart or op not in "+-") else text

    def amount(self, term: Term, env: Env) -> Any:
        return in_unit(term.type, self.evaluator.term(term, env))

    def _over_members(self, term: Quantified, env: Env) -> str:
        """Write a total as its addends, the highest and lowest of numbers as that number."""
        amount = self.amount(term, env)
        body = term.body
        if body is None or term.op not in ("total", "highest", "lowest"):
            return str(amount)
        inners = [{**env, term.var: one} for one in self.evaluator.term(term.base, env)]
        inners = [one for one in inners if term.where is None or self.evaluator.term(term.where, one)]
        if term.op != "total":
            return next((self.number(body, one) for one in inners if self.evaluator.term(body, one) == amount), "none")
        if isinstance(body, Field) or len(inners) > MAX_ADDENDS:
            noun = f" {humanize(body.field)}" if isinstance(body, Field) else ""
            return f"{amount}{noun}"
        return " + ".join(self.number(body, one) for one in inners)


def mover_noun(route: Route) -> str:
    """Return the noun for the mover of a route: the role of several pieces (`stack`), the type of a single one."""
    role, kind = route.mover
    return humanize(role if kind.kind == "set" and len(role) > 1 else kind.name)


def humanize(field: str) -> str:
    return field.replace("-", " ").replace("_", " ")


def printed(clause: str) -> str:
    """Give the number that a book prints for a clause; the row of a table goes by the number of the table."""
    row = ROW.fullmatch(clause)
    return row[1] if row else clause
