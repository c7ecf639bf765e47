"""Cases: every combination of the facts that some conditions ask about.

A fact is a term that a condition compares with constants, or a condition that is not taken
apart. Facts vary independently here, so a combination may be one that no position shows; what
holds in no combination holds in no position.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import Any

from titm_rules.model.model import EnumSpec, Head, Lift, Reading, Statement
from titm_rules.model.terms import (
    Arithmetic,
    Call,
    Compare,
    Const,
    Field,
    IsA,
    Logic,
    Member,
    Quantified,
    Root,
    Standing,
    Term,
    Var,
)
from titm_rules.model.types import Type

Case = Mapping[Term, Any]
MAX_CASES = 30_000
_OPPOSITES = {"!=": "==", "<=": ">", "<": ">="}
_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class Cases:
    """The facts behind the conditions of a head, and their combinations."""

    def __init__(
        self, enums: Mapping[str, EnumSpec], readings: Mapping[str, Reading], conditions: Iterable[Term]
    ) -> None:
        self.enums, self.readings = enums, readings
        self.facts: dict[Term, set[Any]] = {}
        for condition in conditions:
            self._collect(condition)

    @property
    def number(self) -> int:
        """How many combinations there are."""
        return prod(len(values) for values in self.facts.values())

    def __iter__(self) -> Iterator[Case]:
        facts = list(self.facts)
        for values in itertools.product(*(sorted(self.facts[fact], key=repr) for fact in facts)):
            yield dict(zip(facts, values, strict=True))

    def _collect(self, term: Term) -> None:
        match term:
            case Logic(parts=parts):
                for part in parts:
                    self._collect(part)
            case Const():
                pass
            case Compare(left=left, right=Const(value=value)) if left.type.kind in (
                "enum",
                "number",
                "flag",
                "reading",
            ):
                self.facts.setdefault(left, set()).update(self._domain(left.type, value))
            case Member(left=left, choices=choices, base=None) if left.type.kind == "enum" and all(
                isinstance(choice, Const) for choice in choices
            ):
                self.facts.setdefault(left, set()).update(self._domain(left.type, None))
            case Compare(op=op) if op in _OPPOSITES:
                self.facts.setdefault(_opposite(term), set()).update((True, False))
            case _:
                self.facts.setdefault(term, set()).update((True, False))

    def _domain(self, wanted: Type, value: Any) -> set[Any]:
        none = {None} if wanted.optional else set()
        match wanted.kind:
            case "enum":
                return none | set(range(len(self.enums[wanted.name].values)))
            case "reading":
                return set(self.readings[wanted.name].choices)
            case "flag":
                return none | {True, False}
        if value is None:
            return none | {0}
        low = wanted.low if wanted.low is not None else value - 1
        high = wanted.high if wanted.high is not None else value + 1
        return none | {number for number in (value - 1, value, value + 1) if low <= number <= high}

    # ------------------------------------------------------------------ judging a case
    def holds(self, term: Term | None, case: Case) -> bool:
        """Whether a condition holds in a case."""
        match term:
            case None:
                return True
            case Const(value=value):
                return bool(value)
            case Logic(op="not", parts=parts):
                return not self.holds(parts[0], case)
            case Logic(op="all", parts=parts):
                return all(self.holds(part, case) for part in parts)
            case Logic(parts=parts):
                return any(self.holds(part, case) for part in parts)
            case Compare(op=op, left=left, right=Const(value=value)) if left in case:
                found = case[left]
                if op in ("==", "!="):
                    return bool((found == value) == (op == "=="))
                return found is not None and isinstance(value, int) and bool(_OPERATORS[op](found, value))
            case Member(left=left, choices=choices) if left in case:
                return any(isinstance(choice, Const) and case[left] == choice.value for choice in choices)
            case Compare(op=op) if op in _OPPOSITES and term not in case:
                return not case[_opposite(term)]
        return bool(case[term])

    def counting(self, head: Head, case: Case) -> list[Statement]:
        """List the statements of a head that count in a case."""
        holding = [s for s in head.statements if self.holds(s.when, case)]
        alive = [s for s in holding if not self._lifted(head.lifts, s.clause, case)]
        return [s for s in alive if not any(s.clause in other.instead for other in alive)]

    def _lifted(self, lifts: tuple[Lift, ...], clause: str, case: Case) -> bool:
        return any(
            lift.target == clause and self.holds(lift.when, case) and not self._lifted(lifts, lift.clause, case)
            for lift in lifts
        )

    def show(self, case: Case) -> str:
        """Write a case for a person."""
        parts = []
        for fact, value in case.items():
            text = show_term(fact)
            if fact.type.kind == "enum" and value is not None:
                parts.append(f"{text} is {self.enums[fact.type.name].values[value]}")
            elif value in (True, False) and isinstance(value, bool):
                parts.append(text if value else f"not {text}")
            else:
                parts.append(f"{text} is {'nothing' if value is None else value}")
        return ", ".join(parts) or "always"


def _opposite(term: Compare) -> Term:
    return Compare(_OPPOSITES[term.op], term.left, term.right, term.type)


def show_term(term: Term) -> str:
    """Write a term roughly as its author did."""
    match term:
        case Const(value=value):
            return "nothing" if value is None else str(value)
        case Var(name=name):
            return name
        case Root(field=field):
            return field.replace("_", "-")
        case Field(base=base, field=field):
            return f"{field.replace('_', '-')} of {show_term(base)}"
        case Call(head=head, args=args):
            return f"{head} of {', '.join(map(show_term, args))}" if args else head
        case Compare(op=op, left=left, right=right):
            word = {"==": "is", "!=": "is not"}.get(op, op)
            return f"{show_term(left)} {word} {show_term(right)}"
        case Quantified(op=op, var=var, base=base):
            return f"{op} {var} in {show_term(base)} ..."
        case Standing(base=base, place=place):
            return f"{show_term(base)} standing at {show_term(place)}"
        case Arithmetic(op=op, left=left, right=right):
            return f"{show_term(left)} {op} {show_term(right)}"
        case IsA(base=base, record=record):
            return f"{show_term(base)} is a {record}"
        case Member(left=left):
            return f"{show_term(left)} is among ..."
        case Logic(op=op, parts=parts):
            return f" {op} ".join(map(show_term, parts))
    return "..."
