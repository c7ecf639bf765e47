"""Case analysis: enumerate combinations of facts, minus those that invariants exclude.

This is a truth table. A fact is a term that a condition compares with constants, or a condition that is not taken
apart. Facts vary independently, except for invariants, so a combination may be impossible in a position; but a
condition that holds in no combination holds in no position.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from math import prod
from typing import Any

from titm_rules.checker.expressions import ExpressionChecker, Scope
from titm_rules.checker.schema import Schema
from titm_rules.ir.applicability import counts_when
from titm_rules.ir.dependencies import DependencyGraph, head_terms
from titm_rules.ir.model import Always, EnumSpec, Form, Head, Reading, Route, Statement
from titm_rules.ir.terms import (
    Apply,
    Arithmetic,
    Call,
    Compare,
    Const,
    Field,
    IsA,
    Logic,
    Member,
    Picks,
    Quantified,
    Result,
    Root,
    Standing,
    Term,
    Var,
    free_names,
    rebuild,
    subterms,
    terms_in,
)
from titm_rules.ir.types import PLACE, Type
from titm_rules.syntax.ast import AlwaysDecl

Combination = tuple[Any, ...]
CaseTest = Callable[[Combination], bool]
MAX_CASES = 30_000
_ENUMERABLE = ("enum", "number", "flag", "reading")
_OPPOSITES = {"!=": "==", "<=": ">", "<": ">="}
_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class Cases:
    """The facts behind the conditions of a head, and their combinations except those that break a `known` invariant."""

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
        self._known = [term for term in known if self._add_invariant(term)]

    def _add_invariant(self, term: Term) -> bool:
        """Add the facts of an invariant, if it shares one with the conditions and the cases do not get too many."""
        more = Cases(self.enums, self.readings, [term])
        facts = {**more.facts, **self.facts}
        facts = {fact: values | more.facts.get(fact, set()) for fact, values in facts.items()}
        if not more.facts.keys() & self.facts.keys() or prod(map(len, facts.values())) > MAX_CASES:
            return False
        self.facts = facts
        return True

    @property
    def number(self) -> int:
        """The number of combinations."""
        return prod(len(values) for values in self.facts.values())

    def __iter__(self) -> Iterator[Combination]:
        tests = [self.test(term) for term in self._known]
        every = itertools.product(*(sorted(values, key=repr) for values in self.facts.values()))
        return (case for case in every if all(test(case) for test in tests)) if tests else every

    def _collect(self, term: Term) -> None:
        match term:
            case Logic(parts=parts):
                for part in parts:
                    self._collect(part)
            case Const():
                pass
            case Compare(left=left, right=Const(value=value)) if left.type.kind in _ENUMERABLE:
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

    def test(self, term: Term | None) -> CaseTest:
        """Compile a condition to a test of a case."""
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

    def applicable(self, head: Head) -> Callable[[Combination], list[Statement]]:
        """Compile a head to a function that lists the statements that apply in a case."""
        tests = [(statement, self.test(counts_when(head, statement))) for statement in head.statements]
        return lambda case: [statement for statement, applies in tests if applies(case)]

    def show(self, case: Combination) -> str:
        """Render a case for an author of rules."""
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
    """Render a term roughly as its author wrote it."""
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


# Invariants: the `always` sentences, which hold before any clause decides.
InvariantsOf = Mapping[str, tuple[Always, ...]]  # by situation


class InvariantChecker:
    """Checks `always` sentences; faults go to the schema."""

    def __init__(self, checker: ExpressionChecker) -> None:
        self.checker, self.schema = checker, checker.schema
        self.found: dict[str, tuple[Always, ...]] = {}

    def invariant(self, decl: AlwaysDecl) -> None:
        """Check an invariant: it reads fields only, and some situations satisfy it and others do not."""
        situation = self.schema.situation(decl.name)
        scope, var, base = Scope(situation, {}), "", None
        before = len(self.schema.faults.found)
        if decl.var is not None and decl.base is not None:
            base = self.checker.list_of(decl.base, scope)
            var = decl.var.text
            scope = self.checker.inner(var, base, scope, decl.var.span)
        condition = self.checker.condition(decl.condition, scope)
        says = self.checker.template(decl.says, scope)
        invariant = Always(situation, var, base, condition, says, decl.condition.span)
        if len(self.schema.faults.found) == before and self._reads_fields_only(invariant):
            self._refuse_constant(invariant)
            self.found[situation] = (*self.found.get(situation, ()), invariant)

    def _reads_fields_only(self, invariant: Always) -> bool:
        parts = (part for term in terms_in(invariant, texts=True) for part in subterms(term))
        if any(isinstance(part, Call | Result | Picks) or part.type.kind == "reading" for part in parts):
            why, fix = "it must hold before any clause decides", "write it with fields"
            self.schema.fault("an `always` condition may use fields only", invariant.span, why, fix)
            return False
        return True

    def _refuse_constant(self, invariant: Always) -> None:
        cases = Cases(self.schema.enums, self.schema.readings, [invariant.condition])
        if cases.number > MAX_CASES:
            return
        test = cases.test(invariant.condition)
        results = {test(case) for case in cases}
        if len(results) == 1:
            what = "every" if results == {True} else "no"
            what = f"{what} {invariant.situation} satisfies this"
            self.schema.fault(what, invariant.span, "the types alone decide the condition", "change the condition")

    def refuse_interrupted(self, forms: Mapping[str, Form]) -> None:
        """Refuse invariants on fields that an interruption changes in the middle of a move."""
        graph = DependencyGraph({}, {}, self.schema.records)
        for route in (form for form in forms.values() if isinstance(form, Route) and form.interruption):
            changed = {(route.crossing[1].name, route.interruption_field), (route.situation, route.interruption_noted)}
            for invariant in (each for invariants in self.found.values() for each in invariants):
                if changed & graph.of_terms(terms_in(invariant, texts=True), invariant.situation).fields:
                    what = f"`{route.interruption}` changes this in the middle of a move"
                    self.schema.fault(what, invariant.span, fix="use other fields")


def invariants_of(head: Head, invariants: InvariantsOf, schema: Schema) -> list[Term]:
    """List the invariants that hold wherever a head is asked, in terms of its roles."""
    known: list[Term] = []
    for invariant in (each for group in invariants.values() for each in group):
        if not invariant.var:
            known += [invariant.condition] if invariant.situation == head.situation else []
        elif _is_of_all(invariant, head, schema):
            known += _instances(invariant, head, schema)
    return known


def _is_of_all(invariant: Always, head: Head, schema: Schema) -> bool:
    """Whether every record of its type, wherever a head is asked, is in the list of an invariant."""
    record = _record(invariant)
    lists = [
        (owner.name, spec.name) for owner in schema.records.values() for spec in owner.fields
        if spec.owns and spec.type.name == record and head.situation in ("", owner.name)
    ]  # fmt: skip
    has_id = record in schema.records and schema.records[record].has_id
    base = invariant.base
    return has_id and isinstance(base, Root) and lists == [(invariant.situation, base.field)]


def _instances(invariant: Always, head: Head, schema: Schema) -> Iterator[Term]:
    """Instantiate an invariant for each term of a head that is such a record."""
    types = [Type("record", _record(invariant))]
    types += [PLACE] if schema.only_place in types else []
    bound = {part.var for part in subterms(invariant.condition) if isinstance(part, Quantified)}
    parts = (part for term in head_terms(head) for part in subterms(term) if part.type in types)
    for subject in dict.fromkeys(parts):
        if not bound & free_names(subject):
            yield _substitute(invariant.condition, invariant.var, subject)


def _record(invariant: Always) -> str:
    return invariant.base.type.name if invariant.base is not None else ""


def _substitute(term: Term, name: str, subject: Term) -> Term:
    if isinstance(term, Var):
        return subject if term.name == name else term
    return rebuild(term, lambda part: _substitute(part, name, subject))
