"""Cases: every combination of the facts that some conditions ask about.

A fact is a term that a condition compares with constants, or a condition that is not taken
apart. Facts vary independently here, but for what always holds, so a combination may be one that no
position shows; what holds in no combination holds in no position.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from math import prod
from typing import Any

from titm_rules.rules.counting import counts_when
from titm_rules.rules.model import EnumSpec, Head, Reading, Statement
from titm_rules.rules.terms import (
    Apply,
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
from titm_rules.rules.types import Type

Combination = tuple[Any, ...]
CaseTest = Callable[[Combination], bool]
MAX_CASES = 30_000
_OPPOSITES = {"!=": "==", "<=": ">", "<": ">="}
_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class Cases:
    """The facts behind the conditions of a head, and their combinations, but for those that break what is `known`."""

    def __init__(
        self,
        enums: Mapping[str, EnumSpec],
        readings: Mapping[str, Reading],
        conditions: Iterable[Term],
        known: Iterable[Term] = (),
    ) -> None:
        self.enums, self.readings = enums, readings
        self.facts: dict[Term, set[Any]] = {}
        for condition in conditions:
            self._collect(condition)
        self._known = [term for term in known if self._grows(term)]

    def _grows(self, term: Term) -> bool:
        """Take in the facts of what always holds, if it is about one that is here and they do not get too many."""
        more = Cases(self.enums, self.readings, [term])
        whole = {**more.facts, **self.facts}
        whole = {fact: values | more.facts.get(fact, set()) for fact, values in whole.items()}
        if not more.facts.keys() & self.facts.keys() or prod(map(len, whole.values())) > MAX_CASES:
            return False
        self.facts = whole
        return True

    @property
    def number(self) -> int:
        """How many combinations there are."""
        return prod(len(values) for values in self.facts.values())

    def __iter__(self) -> Iterator[Combination]:
        tests = [self.test(term) for term in self._known]
        whole = itertools.product(*(sorted(values, key=repr) for values in self.facts.values()))
        return (case for case in whole if all(test(case) for test in tests)) if tests else whole

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
    def test(self, term: Term | None) -> CaseTest:
        """Make a test of a condition in a case."""
        match term:
            case None:
                return lambda _case: True
            case Const(value=value):
                return lambda _case: bool(value)
            case Logic(op="not", parts=parts):
                inner = self.test(parts[0])
                return lambda case: not inner(case)
            case Logic(op=op, parts=parts):
                tests = [self.test(part) for part in parts]
                if op == "all":
                    return lambda case: all(test(case) for test in tests)
                return lambda case: any(test(case) for test in tests)
            case Compare(op=op, left=left, right=Const(value=value)) if left in self._places:
                return _comparison(op, self._places[left], value)
            case Member(left=left, choices=choices) if left in self._places:
                place = self._places[left]
                values = [choice.value for choice in choices if isinstance(choice, Const)]
                return lambda case: case[place] in values
            case Compare(op=op) if op in _OPPOSITES and term not in self._places:
                place = self._places[_opposite(term)]
                return lambda case: not case[place]
        assert term is not None
        place = self._places[term]
        return lambda case: bool(case[place])

    @cached_property
    def _places(self) -> dict[Term, int]:
        return {fact: place for place, fact in enumerate(self.facts)}

    def counting(self, head: Head) -> Callable[[Combination], list[Statement]]:
        """Make a function that lists the statements of a head that count in a case."""
        tests = [(statement, self.test(counts_when(head, statement))) for statement in head.statements]
        return lambda case: [statement for statement, counts in tests if counts(case)]

    def show(self, case: Combination) -> str:
        """Write a case for a person."""
        parts = []
        for fact, value in zip(self.facts, case, strict=True):
            text = show_term(fact)
            if fact.type.kind == "enum" and value is not None:
                parts.append(f"{text} is {self.enums[fact.type.name].values[value]}")
            elif value in (True, False) and isinstance(value, bool):
                parts.append(text if value else f"not {text}")
            else:
                parts.append(f"{text} is {'nothing' if value is None else value}")
        return ", ".join(parts) or "always"


def _comparison(op: str, place: int, value: Any) -> CaseTest:
    if op in ("==", "!="):
        return lambda case: bool((case[place] == value) == (op == "=="))
    compare = _OPERATORS[op]
    return lambda case: case[place] is not None and bool(compare(case[place], value))


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
        case Apply(op=op, args=args):
            return f"{op} of {', '.join(map(show_term, args))}"
    return "..."
