"""Case analysis: enumerate combinations of facts, minus those that invariants exclude.

A fact is a term that a condition compares with constants, or a condition that is not taken
apart. Facts vary independently here, but for what always holds, so a combination may be one that no
position shows; what holds in no combination holds in no position.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from titm_rules.checker.expressions import Checker, Scope
from titm_rules.checker.schema import Schema
from titm_rules.diagnostics import Span
from titm_rules.ir.applicability import counts_when
from titm_rules.ir.dependencies import DependencyGraph, always_terms, head_terms
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
)
from titm_rules.ir.types import PLACE, Type
from titm_rules.syntax.ast import AlwaysDecl

# ---------------------------------------------------------------------- cases
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


# ---------------------------------------------------------------------- always
AlwaysOf = Mapping[str, tuple[Always, ...]]


@dataclass
class AlwaysChecks:
    """Checks `always` sentences; faults go to the schema."""

    schema: Schema
    checker: Checker
    found: dict[str, tuple[Always, ...]] = field(default_factory=dict)

    def always(self, decl: AlwaysDecl) -> None:
        """Check what is said of every situation of a kind: it asks for fields alone, and can be so or not."""
        situation = self.schema.situation(decl.name)
        scope, var, base = Scope(situation, {}), "", None
        before = len(self.schema.faults.found)
        if decl.var is not None and decl.base is not None:
            base = self.checker.list_of(decl.base, scope)
            var = decl.var.text
            scope = self.checker.inner(var, base, scope, decl.var.span)
        condition = self.checker.condition(decl.condition, scope)
        says = self.checker.template(decl.says, scope)
        said = Always(situation, var, base, condition, says, decl.condition.span)
        if len(self.schema.faults.found) == before and self._asks_fields(said):
            self._can_differ(said)
            self.found[situation] = (*self.found.get(situation, ()), said)

    def _asks_fields(self, said: Always) -> bool:
        """Refuse to ask for what clauses decide, and for readings of them."""
        strange = [
            part
            for term in always_terms(said)
            for part in subterms(term)
            if isinstance(part, Call | Result | Picks) or part.type.kind == "reading"
        ]
        if strange:
            self._fault(
                "what always holds asks for fields alone", said.span,
                "it says which situations there are, before any clause decides", "write it with fields",
            )  # fmt: skip
        return not strange

    def _can_differ(self, said: Always) -> None:
        """Refuse what no situation fulfils, and what every one does by its types."""
        cases = Cases(self.schema.enums, self.schema.readings, [said.condition])
        if cases.number > MAX_CASES:
            return
        test = cases.test(said.condition)
        if len(results := {test(case) for case in cases}) > 1:
            return
        what = f"every {said.situation} is so anyway" if results == {True} else f"no {said.situation} can be so"
        self._fault(what, said.span, "nothing that it asks for makes a difference", "mend the condition")

    def interrupted(self, forms: Mapping[str, Form]) -> None:
        """Refuse to ask for what an interruption changes in the middle of a move."""
        rests = DependencyGraph({}, {}, self.schema.records)
        for route in (form for form in forms.values() if isinstance(form, Route) and form.interruption):
            changed = {(route.crossing[1].name, route.interruption_field), (route.situation, route.interruption_noted)}
            for said in (one for sentences in self.found.values() for one in sentences):
                if changed & rests.of_terms(always_terms(said), said.situation).fields:
                    self._fault(
                        f"`{route.interruption}` changes this in the middle of a move", said.span,
                        "what always holds is told of whole situations", "ask for other fields",
                    )  # fmt: skip

    def _fault(self, what: str, span: Span, why: str, fix: str) -> None:
        self.schema.faults.add(what, span, why, fix)


# ---------------------------------------------------------------------- sparing cases
def known_of(head: Head, always: AlwaysOf, schema: Schema) -> list[Term]:
    """List what holds wherever a head is asked, in terms of its roles: each role that is such a record fulfils it."""
    known: list[Term] = []
    for said in (one for sentences in always.values() for one in sentences):
        if not said.var:
            known += [said.condition] if said.situation == head.situation else []
        elif _is_of_all(said, head, schema):
            known += _of_subjects(said, head, schema)
    return known


def _is_of_all(said: Always, head: Head, schema: Schema) -> bool:
    """Whether every record of its type, wherever a head is asked, is in the list of which a sentence speaks."""
    record = _record(said)
    lists = [
        (owner.name, spec.name) for owner in schema.records.values() for spec in owner.fields
        if spec.owns and spec.type.name == record and head.situation in ("", owner.name)
    ]  # fmt: skip
    has_id = record in schema.records and schema.records[record].has_id
    return has_id and isinstance(said.base, Root) and lists == [(said.situation, said.base.field)]


def _of_subjects(said: Always, head: Head, schema: Schema) -> Iterator[Term]:
    """Say of each term for such a record, in what clauses say of a head, what always holds."""
    wanted = [Type("record", _record(said))]
    wanted += [PLACE] if schema.only_place in wanted else []
    bound = {part.var for part in subterms(said.condition) if isinstance(part, Quantified)}
    parts = (part for term in head_terms(head) for part in subterms(term) if part.type in wanted)
    for subject in dict.fromkeys(parts):
        if not bound & free_names(subject):
            yield _put(said.condition, said.var, subject)


def _record(said: Always) -> str:
    return said.base.type.name if said.base is not None else ""


def _put(term: Term, name: str, subject: Term) -> Term:
    """Put a term where a name stands."""
    if isinstance(term, Var):
        return subject if term.name == name else term
    return rebuild(term, lambda part: _put(part, name, subject))
