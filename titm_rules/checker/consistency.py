"""Check all clauses together: cycles, missing cases, conflicts, and sentences and readings without effect.

The conditions of a head are analysed by cases: combinations of facts, minus those that invariants exclude. This is a
truth table; of a head with too many cases each question is put alone to a backtracking search that decides one
fact after the other (Davis, Logemann and Loveland, 1962, with values in place of signs). A fact is a term that a
condition compares with constants, or a condition that is not taken apart. Facts vary independently, except for
invariants, so a combination may be impossible in a position; but a condition that holds in no combination holds in no
position.
"""

from __future__ import annotations

import itertools
import operator
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from math import inf, prod
from typing import Any

from titm_rules.checker.expressions import ExpressionChecker, Scope
from titm_rules.checker.schema import Schema
from titm_rules.diagnostics import NOWHERE, Fault, Span, did_you_mean
from titm_rules.ir import model as ir
from titm_rules.ir.applicability import Invariants, counts_when, every_of, invariants_on, negation, never_holds, some_of
from titm_rules.ir.bounds import Bounds, Interval
from titm_rules.ir.dependencies import DependencyGraph, head_terms
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
    parts_of,
    rebuild,
    substitute,
    subterms,
    terms_in,
)
from titm_rules.ir.types import FLAG, Type, amount, hyphenated
from titm_rules.syntax.ast import AlwaysDecl

MAX_LEVELS = 30
MAX_CALLS = 10_000
Combination = tuple[Any, ...]
CaseTest = Callable[[Combination], bool]
MAX_CASES = 30_000
MAX_SUBSETS = 512  # sets of sentences that are tried for a price below 0
MAX_EXTREMES = 3  # fields in one price whose least and most are tried
MAX_STEPS = 20_000  # facts that one search decides
OPEN: Any = object()  # a fact that is not decided yet
PartialTest = Callable[[Sequence[Any]], bool | None]  # of facts of which some are open; None: that is not known yet
TALLY = 99  # a number that may be as high as this has no upper bound in practice
_ENUMERABLE = ("enum", "number", "flag", "reading")
_OPPOSITES = {"!=": "==", "<=": ">", "<": ">="}
_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class TooManyCasesError(Exception):
    """Raised if it takes too long to search the cases of a head."""


class Cases:
    """The facts behind the conditions of a head, and their combinations except those that break a `known` invariant."""

    def __init__(
        self,
        enums: Mapping[str, ir.EnumSpec],
        readings: Mapping[str, ir.Reading],
        conditions: Iterable[Term],
        known: Iterable[Term] = (),
        most: float = MAX_CASES,
    ) -> None:
        """Collect the facts of conditions, and of invariants that share one; these add to at most `most` cases."""
        self.enums, self.readings, self.most = enums, readings, most
        self.facts: dict[Term, set[Any]] = {}
        for condition in conditions:
            self._collect(condition)
        self._known = [term for term in known if self._add_invariant(term)]

    def _add_invariant(self, term: Term) -> bool:
        """Add the facts of an invariant, if it shares one with the conditions and the cases do not get too many."""
        more = Cases(self.enums, self.readings, [term])
        facts = {**more.facts, **self.facts}
        facts = {fact: values | more.facts.get(fact, set()) for fact, values in facts.items()}
        if not more.facts.keys() & self.facts.keys() or prod(map(len, facts.values())) > self.most:
            return False
        self.facts = facts
        return True

    @property
    def number(self) -> int:
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
                domain = self._domain(left.type, value)
                is_count = isinstance(left, Quantified) and left.op == "count"
                self.facts.setdefault(left, set()).update(domain - {-1} if is_count else domain)
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
            case Member(left=left, choices=choices, base=None) if left in self._places:
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

    def example(self, conditions: Sequence[Term]) -> Combination | None:
        """Find a case in which conditions hold together. Raises `TooManyCasesError` if that takes too long."""
        tests = [self._partial(term) for term in (*conditions, *self._known)]
        values = [sorted(some, key=repr) for some in self.facts.values()]
        decided, steps = [OPEN] * len(values), itertools.count()

        def holds(place: int) -> bool:
            found = [test(decided) for test in tests]
            if False in found or None not in found:
                return False not in found
            if next(steps) == MAX_STEPS:
                raise TooManyCasesError
            for value in values[place]:
                decided[place] = value
                if holds(place + 1):
                    return True
            decided[place] = OPEN
            return False

        if not holds(0):
            return None
        return tuple(some[0] if it is OPEN else it for it, some in zip(decided, values, strict=True))

    def _partial(self, term: Term) -> PartialTest:
        """Compile a condition to a test of facts of which some are open."""
        match term:
            case Logic(op=op, parts=parts):
                tests = [self._partial(part) for part in parts]
                if op == "not":
                    return lambda facts: None if (found := tests[0](facts)) is None else not found
                ends = op == "any"  # what one part alone decides

                def together(facts: Sequence[Any]) -> bool | None:
                    found = [test(facts) for test in tests]
                    return ends if ends in found else None if None in found else not ends

                return together
        plain = self.test(term)
        places = [self._places[fact] for fact in Cases(self.enums, self.readings, [term]).facts]
        return lambda facts: None if any(facts[place] is OPEN for place in places) else plain(tuple(facts))

    def applicable(self, head: ir.Head) -> Callable[[Combination], list[ir.Statement]]:
        """Compile a head to a function that lists the statements that apply in a case."""
        tests = [(statement, self.test(counts_when(head, statement))) for statement in head.statements]
        return lambda case: [statement for statement, applies in tests if applies(case)]

    def show(self, case: Combination, why: Sequence[Term] = ()) -> str:
        """Write the facts of a case; only as many as make some conditions true, if these are given."""
        seen, tests = list(case), [self._partial(term) for term in why]
        for place, value in enumerate(case):
            seen[place] = OPEN
            if not tests or not all(test(seen) for test in tests):
                seen[place] = value
        parts = []
        for fact, value in zip(self.facts, seen, strict=True):
            if value is OPEN:
                continue
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
        case Quantified(op="count", base=base, where=where):
            return f"number of {show_term(base)}{' where ...' if where is not None else ''}"
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


class InvariantChecker:
    """Checks `always` sentences; faults go to the schema."""

    def __init__(self, checker: ExpressionChecker) -> None:
        self.checker, self.schema = checker, checker.schema
        self.found: dict[str, tuple[ir.Always, ...]] = {}

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
        invariant = ir.Always(situation, var, base, condition, says, decl.condition.span)
        if len(self.schema.faults.found) == before and self._reads_fields_only(invariant):
            self._refuse_constant(invariant)
            self.found[situation] = (*self.found.get(situation, ()), invariant)

    def _reads_fields_only(self, invariant: ir.Always) -> bool:
        parts = (part for term in terms_in(invariant, texts=True) for part in subterms(term))
        if any(isinstance(part, Call | Result | Picks) or part.type.kind == "reading" for part in parts):
            why, fix = "it must hold before any clause decides", "write it with fields"
            self.schema.fault("an `always` condition may use fields only", invariant.span, why, fix)
            return False
        return True

    def _refuse_constant(self, invariant: ir.Always) -> None:
        cases = Cases(self.schema.enums, self.schema.readings, [invariant.condition])
        if cases.number > MAX_CASES:
            return
        test = cases.test(invariant.condition)
        results = {test(case) for case in cases}
        if len(results) == 1:
            what = "every" if results == {True} else "no"
            what = f"{what} {invariant.situation} satisfies this"
            self.schema.fault(what, invariant.span, "the types alone decide the condition", "change the condition")

    def refuse_interrupted(self, forms: Mapping[str, ir.Form]) -> None:
        """Refuse invariants on fields that an interruption changes in the middle of a move."""
        graph = DependencyGraph({}, {}, self.schema.records)
        for route in (form for form in forms.values() if isinstance(form, ir.Route) and form.interruption):
            changed = {(route.crossing[1].name, route.interruption_field), (route.situation, route.interruption_noted)}
            for invariant in (each for invariants in self.found.values() for each in invariants):
                if changed & graph.of_terms(terms_in(invariant, texts=True), invariant.situation).fields:
                    what = f"`{route.interruption}` changes this in the middle of a move"
                    self.schema.fault(what, invariant.span, fix="use other fields")


# The checks of clauses against each other.


def lost_prices(before: ir.Model, after: ir.Model, own: Collection[str]) -> Iterator[Fault]:
    """Yield a fault for each price of a route that some files take away in some case and do not give again.

    A step that no sentence prices would be free. A case that a bar forbids needs no price. Says nothing of a price that
    takes too long to decide.
    """
    for key, head in after.heads.items():
        name, _, word = key.partition(".")
        older = before.heads.get(key)
        if word != "cost" or head.mode != "sum" or older is None or older.statements == head.statements:
            continue
        heads = [after.heads[bar] for bar in (f"{name}.step", f"{name}.try") if bar in after.heads]
        barring = [negation(counts_when(bar, one)) for bar in heads for one in bar.statements]
        without = [negation(counts_when(head, one)) for one in head.statements]
        for lost in (one for one in older.statements if one not in head.statements):
            lacking = counts_when(older, lost), *without
            cases = Cases(after.enums, after.readings, (*lacking, *barring), most=inf)
            with suppress(TooManyCasesError):
                case = cases.example((*lacking, *barring))
                if case is not None:
                    info = after.clauses.get(lost.clause)
                    where = info.span if info is not None and info.span.path in own else ", ".join(sorted(own))
                    what = f"no sentence gives the {word} of `{name}` in some cases any more"
                    why = f"clause {lost.clause} gave it, for example when {cases.show(case, lacking)}"
                    shown = f"repeat its sentence (`titm clauses {lost.clause}` shows it)"
                    yield Fault(what, str(where), why, f"{shown}, or write `costs 0` for these cases")
                    break


def is_covered(model: ir.Model, one: Term, other: Term) -> bool:
    """Whether a condition holds in no case without another; false also if that takes too long to decide."""
    cases = Cases(model.enums, model.readings, (one, other), most=inf)
    with suppress(TooManyCasesError):
        return cases.example((one, negation(other))) is None
    return False


def check_expansion(heads: Mapping[str, ir.Head], schema: Schema) -> None:
    """Refuse definitions that are nested too deep, or that call others too often when all are expanded.

    Only the first is reported. Cycles are for another check.
    """
    levels: dict[str, int] = {}
    calls: dict[str, int] = {}
    for key in _in_dependency_order(heads):
        called = [name for name in _called(heads[key]) if name in levels]
        levels[key] = 1 + max((levels[name] for name in called), default=0)
        calls[key] = sum(1 + calls[name] for name in called)
        if levels[key] > MAX_LEVELS or calls[key] > MAX_CALLS:
            what = f"`{key}` is nested over {MAX_LEVELS} definitions deep"
            if levels[key] <= MAX_LEVELS:
                what = f"`{key}` expands to over {MAX_CALLS} calls of definitions"
            sentence = next(iter(heads[key].sentences))
            schema.fault(what, sentence.span, "an answer would take too long", "use fewer definitions")
            return


def _called(head: ir.Head) -> list[str]:
    return [part.head for term in head_terms(head) for part in subterms(term) if isinstance(part, Call)]


def _in_dependency_order(heads: Mapping[str, ir.Head]) -> list[str]:
    """Sort heads topologically, callees first; without recursion, as they may be nested deep."""
    order: list[str] = []
    seen: set[str] = set()
    for key in heads:
        stack = [(key, False)]
        while stack:
            name, is_done = stack.pop()
            if is_done:
                order.append(name)
            elif name not in seen:
                seen.add(name)
                stack.append((name, True))
                stack.extend((called, False) for called in _called(heads[name]) if called in heads)
    return order


class ConsistencyChecker:
    """Checks the clauses of an edition against each other; faults go to the schema.

    Attributes:
        overlays: the files of overlays, which may leave a sentence of another clause without effect, and settle
            readings.
    """

    def __init__(
        self,
        heads: Mapping[str, ir.Head],
        forms: Mapping[str, ir.Form],
        schema: Schema,
        infos: Mapping[str, ir.ClauseInfo],
        events: Mapping[str, ir.Event],
        overlays: Collection[str],
        invariants: Invariants,
    ) -> None:
        self.heads, self.forms, self.schema, self.infos = heads, forms, schema, infos
        self.events, self.overlays, self.invariants = events, overlays, invariants
        self.graph = DependencyGraph(heads, forms, schema.records)
        self.bounds = Bounds(heads)

    def check(self) -> None:
        """Look for cycles, then for other faults of clauses, and then for conflicts of effects."""
        self._check_all()
        found = self.schema.faults.found
        found[:] = [self._for_overlays(fault) for fault in found]

    def _for_overlays(self, fault: Fault) -> Fault:
        """Let a remedy for the rules under an overlay speak of the overlay, which alone is its author's to change."""
        where = fault.where
        if not self.overlays or not isinstance(where, Span) or where.path in self.overlays or not fault.fix:
            return fault
        own = next((span for span in fault.also if span.path in self.overlays), None)
        sheet = min(self.overlays) if own is None else f"{own.path}:{own.line}"
        return replace(fault, fix=f"amend this clause in {sheet}, where you may also {fault.fix}")

    def _check_all(self) -> None:
        self._check_cycles()
        if not self.schema.faults.found:
            for head in self.heads.values():
                self._check_replacements(head)
                self._check_cases(head)
            self._check_readings()
            self._check_counters()
            for head in self.heads.values():
                if head.is_price and any(self.bounds.of(value).low < 0 for value in _amounts(head.statements)):
                    self._check_price(head)
        if not self.schema.faults.found:
            for event in self.events.values():
                self._check_effects(event)

    def _check_cycles(self) -> None:
        """Refuse a definition that depends on itself, and exceptions that lift each other."""
        state: dict[str, int] = {}
        for key in self.heads:
            self._visit(key, [], state)
        for head in self.heads.values():
            for lift in head.lifts:
                if self._is_in_lift_cycle(head, lift.clause, {lift.clause}):
                    what = f"exceptions lift each other in a cycle, beginning with {lift.clause}"
                    self.schema.fault(what, lift.span, fix="remove one of them")
                    break

    def _visit(self, key: str, path: list[str], state: dict[str, int]) -> None:
        if state.get(key) == 2:
            return
        if key in path:
            cycle = " > ".join([*path[path.index(key) :], key])
            what, fix = f"`{key}` is defined in terms of itself", "define one of them without the others"
            self.schema.fault(what, self._span(self.heads[key]), f"the cycle: {cycle}", fix)
            state.update(dict.fromkeys(path, 2))
            return
        for called in self.graph.asked_by(key):
            self._visit(called, [*path, key], state)
        state[key] = 2

    def _is_in_lift_cycle(self, head: ir.Head, clause: str, seen: set[str]) -> bool:
        return any(
            lift.clause in seen or self._is_in_lift_cycle(head, lift.clause, seen | {lift.clause})
            for lift in head.lifts
            if lift.target == clause
        )

    def _check_replacements(self, head: ir.Head) -> None:
        """Refuse `instead of` a clause that does not decide the same question."""
        clauses = {statement.clause for statement in head.statements}
        for statement in head.statements:
            for target in statement.instead:
                if target not in clauses and target in self.infos:
                    self.schema.fault(
                        f"clause {target} has no sentence on `{head.key}`", statement.span,
                        f"{statement.clause} cannot replace it here",
                        did_you_mean(target, clauses - {statement.clause}),
                    )  # fmt: skip

    def _check_cases(self, head: ir.Head) -> None:
        """Look for statements without effect; for a value, also for cases with no answer or with two."""
        conditions = [sentence.when for sentence in head.sentences if sentence.when is not None]
        cases = self._cases(head, conditions)
        if cases.number > MAX_CASES:
            self._search_cases(head)
            return
        idle = {id(statement): statement for statement in head.statements if statement.clause != ir.NOBODY}
        undecided: Combination | None = None
        applicable = cases.applicable(head)
        for case in cases:
            if not idle and head.mode != "value":
                break
            statements = applicable(case)
            for statement in statements:
                idle.pop(id(statement), None)
            if head.mode == "value" and len({statement.value for statement in statements}) > 1:
                first, second, *_ = statements
                what = f"decide `{head.key}`, with different answers"
                why = self._example(head, cases, case, first, second)
                self._report_conflict(what, first, second, why, (second.span,))
                return
            if head.mode == "value" and not statements and undecided is None:
                undecided = case
        self._forget_overlaid(head, cases, idle)
        self._report_idle(head, idle.values())
        if undecided is not None and (head.statements or "." not in head.key):
            self._report_undecided(head, cases, undecided)

    def _search_cases(self, head: ir.Head) -> None:
        """Look for the same in a head with too many cases to list, as far as the searches find an answer."""
        known = invariants_on(head_terms(head), head.situation, self.invariants, self.schema.records)
        applies = {statement: counts_when(head, statement) for statement in head.statements}

        def example(*conditions: Term) -> tuple[Cases, Combination | None]:
            cases = Cases(self.schema.enums, self.schema.readings, conditions, known, inf)
            return cases, cases.example(conditions)

        def never(under: ir.Head, statement: ir.Statement) -> bool:
            with suppress(TooManyCasesError):
                return example(counts_when(under, statement))[1] is None
            return False

        under = self._without_overlays(head)
        own = [one for one in head.statements if one.clause != ir.NOBODY and never(head, one)]
        self._report_idle(head, [one for one in own if one not in under.statements or never(under, one)])
        if head.mode != "value":
            return
        with suppress(TooManyCasesError):
            for first, second in itertools.combinations(head.statements, 2):
                if first.value != second.value:
                    cases, case = example(applies[first], applies[second])
                    if case is not None:
                        what = f"decide `{head.key}`, with different answers"
                        why = self._example(head, cases, case, first, second)
                        self._report_conflict(what, first, second, why, (second.span,))
                        return
            cases, case = example(*map(negation, applies.values()))
            if case is not None:
                self._report_undecided(head, cases, case)

    def _report_idle(self, head: ir.Head, idle: Iterable[ir.Statement]) -> None:
        for statement in idle:
            self.schema.fault(
                f"{statement.clause}'s sentence on `{head.key}` can never apply", statement.span,
                "its condition is unsatisfiable or always overridden", "change the condition or the exception",
            )  # fmt: skip

    def _example(self, head: ir.Head, cases: Cases, case: Combination, *applying: ir.Statement) -> str:
        return f"for example when {cases.show(case, [counts_when(head, one) for one in applying])}"

    def _report_undecided(self, head: ir.Head, cases: Cases, case: Combination) -> None:
        what = f"`{head.key}` has no answer in some cases" if head.statements else f"no clause decides `{head.key}`"
        lacking = [negation(counts_when(head, one)) for one in head.statements]
        why = f"for example when {cases.show(case, lacking)}"
        self.schema.fault(what, self._closest(head, cases, case), why, "add a clause for these cases")

    def _closest(self, head: ir.Head, cases: Cases, case: Combination) -> Span:
        """Locate the sentence that comes closest to a case: most of its conditions hold, from the first one on.

        One of the overlays comes first, as it took the place of what decided the case.
        """

        def held(statement: ir.Statement) -> int:
            parts = () if statement.when is None else parts_of(statement.when, "all")
            return sum(1 for _ in takewhile(lambda part: cases.test(part)(case), parts))

        own = [one for one in head.statements if one.span.path in self.overlays] or head.statements
        return max(own, key=held).span if own else self._span(head)

    def _forget_overlaid(self, head: ir.Head, cases: Cases, idle: dict[int, ir.Statement]) -> None:
        """Remove the idle statements that would apply in some case without the overlays."""
        under = self._without_overlays(head)
        if not idle or under == head:
            return
        applicable = cases.applicable(under)
        for case in cases:
            for statement in applicable(case):
                idle.pop(id(statement), None)
            if not idle:
                return

    def _without_overlays(self, head: ir.Head) -> ir.Head:
        statements = tuple(statement for statement in head.statements if statement.span.path not in self.overlays)
        return replace(
            head, statements=statements, lifts=tuple(lift for lift in head.lifts if lift.span.path not in self.overlays)
        )

    def _cases(self, head: ir.Head, conditions: Iterable[Term], most: float = MAX_CASES) -> Cases:
        known = invariants_on(head_terms(head), head.situation, self.invariants, self.schema.records)
        return Cases(self.schema.enums, self.schema.readings, conditions, known, most)

    def _report_conflict(
        self, what: str, first: ir.Statement, second: ir.Statement, why: str, also: tuple[Span, ...]
    ) -> None:
        replaced = second.clause if first.clause != second.clause else "the other"
        mine = [one for one in (first, second) if one.span.path in self.overlays]
        where, fix = first.span, f"write `instead of {replaced}` in one of them"
        if len(mine) == 1:  # the other ships, and is not to be edited
            [other] = {first.clause, second.clause} - {mine[0].clause} or {"the other"}
            where = mine[0].span
            also = tuple(span for span in dict.fromkeys((*also, first.span)) if span != where)
            fix = f"write `instead of {other}` in {mine[0].clause}"
        elif self.overlays and not mine:
            fix = "amend one of them in the house rules, so that only the other decides these cases"
        self.schema.fault(f"{first.clause} and {second.clause} both {what}", where, why, fix, also)

    def _check_readings(self) -> None:
        """Refuse readings that no clause consults; overlays may settle those of the rules below them."""
        consulted = self.graph.of_heads(self.heads).readings
        for name, reading in self.schema.readings.items():
            span = self.schema.spans[name]
            is_settled = bool(self.overlays) and span.path not in self.overlays
            if name not in consulted and len(reading.offered) > 1 and not is_settled:
                fix = "write `NAME is READING` in a clause, or remove the reading".replace("NAME", name)
                self.schema.fault(f"reading `{name}` has no effect", span, "no clause consults it", fix)

    def _check_counters(self) -> None:
        """Refuse sentences that read a counter which no clause increases, and those that count past its maximum."""
        for route in self.forms.values():
            if not isinstance(route, ir.Route):
                continue
            counting = [form for form in (route.name, route.closing) if form]
            reading = [form for form in (*counting, route.interruption) if form]
            heads = [head for key, head in self.heads.items() if key.split(".")[0] in reading]
            for name, most in route.counters:
                for each in (one for form in counting for one in self.heads[ir.head_key(form, name)].statements):
                    if isinstance(each.value, Const) and isinstance(each.value.value, int) and each.value.value > most:
                        fix = "count less, or raise the maximum in the route"
                        self.schema.fault(f"`{name}` counts to {most} at most", each.span, fix=fix)
                if name != route.halted and not any(
                    self.heads[ir.head_key(form, name)].statements for form in counting
                ):
                    for sentence in (each for head in heads for each in head.sentences):
                        if any(name in free_names(term) for term in terms_in(sentence)):
                            fix = f"write `{route.name} counts ... as {name}` in a clause"
                            self.schema.fault(f"no clause counts `{name}`", sentence.span, fix=fix)

    # Prices.

    def _check_price(self, head: ir.Head) -> None:
        """Refuse a price that is below 0 in some case, where clauses alone or the extremes of fields make it so.

        Sets of sentences that apply together are tried, those with the most sentences last. Says nothing of a price
        that takes too long to decide; engines take it for 0 where it is below that.
        """
        name = head.key.partition(".")[0]
        bars = [self.heads[key] for key in (f"{name}.step", f"{name}.try") if key in self.heads]
        open_here = [negation(counts_when(bar, one)) for bar in bars for one in bar.statements]
        priced = [one for one in head.statements if one.value is not None]
        lows = {one: self.bounds.of(value).low for one, value in zip(priced, _amounts(priced), strict=True)}
        priced.sort(key=lows.__getitem__)
        for applying in itertools.islice(_subsets(priced), MAX_SUBSETS):
            if sum(lows[one] for one in applying) >= 0:
                continue
            when = [counts_when(head, one) for one in applying]
            when += [negation(counts_when(head, one)) for one in priced if one not in applying]
            with suppress(TooManyCasesError):
                for extreme in self._extremes(applying):
                    amounts = [self.bounds.of(_put(value, extreme)) for value in _amounts(applying)]
                    if sum(each.high for each in amounts) >= 0:
                        continue
                    at = [Compare("==", field, value, FLAG) for field, value in extreme.items()]
                    cases = self._cases(head, (*when, *open_here, *at), inf)
                    case = cases.example((*when, *open_here, *at))
                    if case is not None:
                        self._report_price(head, applying, cases.show(case, (*when, *at)), amounts)
                        return

    def _extremes(self, applying: Iterable[ir.Statement]) -> Iterator[Mapping[Term, Const]]:
        """Yield the fields in some amounts with all combinations of the least and the most that they may be."""
        within = {part: value for value in _amounts(applying) for part in subterms(value)}
        fields = [
            part for part, value in within.items()
            if isinstance(part, Root | Field) and part.type.kind == "number"
            and None not in (part.type.low, part.type.high) and free_names(part) <= free_names(value)
        ]  # fmt: skip
        fields = fields if len(fields) <= MAX_EXTREMES else []
        for values in itertools.product(*((each.type.low, each.type.high) for each in fields)):
            yield {each: Const(value, each.type) for each, value in zip(fields, values, strict=True)}

    def _report_price(
        self, head: ir.Head, applying: Sequence[ir.Statement], shown: str, amounts: Sequence[Interval]
    ) -> None:
        own = [one for one in applying if one.span.path in self.overlays] or applying
        culprit = next((one for one in own if self.bounds.of(_amounts([one])[0]).low < 0), own[0])
        measure = head.type.measure
        each = [amount(measure, int(one.high)) for one in amounts]
        total = amount(measure, sum(map(int, each)))
        by_span = sorted(zip(applying, each, strict=True), key=lambda pair: pair[0].span != culprit.span)
        parts = ", ".join(f"{number} by {one.clause}" for one, number in by_span)
        self.schema.fault(
            f"`{head.key.partition('.')[0]}` costs {total} in some cases", culprit.span,
            f"for example when {shown}: {parts}",
            "raise the price, add a condition, or write `most of (0, ...)`",
        )  # fmt: skip

    def _span(self, head: ir.Head) -> Span:
        if head.statements:
            return head.statements[0].span
        return self.schema.spans.get(head.key.split(".")[0], NOWHERE)

    # Effects.

    def _check_effects(self, event: ir.Event) -> None:
        """Refuse an event without effects, and clauses that set a field to different values."""
        head = self.heads[ir.head_key(event.name, "effects")]
        if not head.statements and not self._never_happens(event):
            self.schema.fault(
                f"`{event.name}` has no effect", self.schema.spans[event.name], "it could happen again without end",
                f"write `{event.name} sets ...`, `puts` or `removes` in a clause",
            )  # fmt: skip
        for statement in head.statements:
            if not self.overlays or statement.span.path in self.overlays:  # else it was checked without them
                self._check_range(head, event, statement)
        owned = {spec.name for spec in self.schema.records[event.situation].fields if spec.owns}
        groups: defaultdict[AssignedField, dict[ir.Statement, object]] = defaultdict(dict)
        for statement in head.statements:
            field, value = _assigned(statement, owned)
            groups[field][statement] = value
        for assigned, group in groups.items():
            if len(set(group.values())) > 1:
                self._check_assignments(head, event, assigned, group)

    def _never_happens(self, event: ir.Event) -> bool:
        """Whether an edition bars an event altogether, or ranges over a list that no clause fills."""
        bars = [s for word in ("start", "happen") for s in self.heads[ir.head_key(event.name, word)].statements]
        wheres = [part.where for part in event.parts if isinstance(part, ir.RangePart) and part.where is not None]
        empty = any(never_holds(self.heads, where) for where in wheres)
        return empty or any(statement.when is None for statement in bars)

    def _check_range(self, head: ir.Head, event: ir.Event, statement: ir.Statement) -> None:
        """Refuse an effect that adds a constant to a field, unless conditions keep the field in its range.

        A number that grows to 99 or more while no condition speaks of it is a tally, which no game fills.
        """
        effect = statement.effect
        match effect.value if effect is not None and effect.op == "set" else None:
            case Arithmetic(op="+" | "-" as op, left=before, right=Const(value=int(step))):
                pass
            case _:
                return
        assert effect is not None
        name, (low, high) = effect.field, (before.type.low, before.type.high)
        target = Root(name, before.type) if effect.target is None else Field(effect.target, name, before.type)
        if before != target or low is None or high is None:
            return
        step = step if op == "+" else -step
        nearest, limit = ("<=", high) if step > 0 else (">=", low)
        stays = Compare(nearest, before, Const(limit - step, before.type), FLAG)
        guards = [self._unfold(guard) for guard in self._guards(head, event, statement)]
        guards = [part for guard in guards for part in parts_of(guard, "all")]
        about = [guard for guard in guards if before in subterms(guard)]
        if step > 0 and not about and high >= TALLY:
            return
        shown = ""
        for known in (about, guards):
            cases = self._cases(head, [stays, *known])
            if cases.number > MAX_CASES:
                return
            tests, inside = [cases.test(guard) for guard in known], cases.test(stays)
            example = next((case for case in cases if all(test(case) for test in tests) and not inside(case)), None)
            if example is None:
                return
            shown = cases.show(example)
        past, within = ("less", "most") if step < 0 else ("more", "least")
        number = amount(before.type.measure, limit)
        self.schema.fault(
            f"`{event.name}` may set {show_term(before)} to {past} than {number}", statement.span,
            f"for example when {shown}",
            f"bar the event in this case, add a condition, or set `{within} of (..., {number})`",
        )  # fmt: skip

    def _unfold(self, term: Term) -> Term:
        """Replace the flags that a condition asks by the conditions of their clauses."""
        head = self.heads[term.head] if isinstance(term, Call) else None
        if head is None or head.mode != "any" or not isinstance(term, Call):
            return rebuild(term, self._unfold)
        decision = some_of([counts_when(head, each) for each in head.statements])
        bound = {part.var for part in subterms(decision) if isinstance(part, Quantified)}
        if any(bound & free_names(arg) for arg in term.args):
            return term
        return substitute(decision, dict(zip((name for name, _ in head.params), term.args, strict=True)))

    def _guards(self, head: ir.Head, event: ir.Event, statement: ir.Statement) -> Iterator[Term]:
        """Yield conditions that hold when an effect happens to a record that stays: of its event, and its own."""
        for word in ("start", "happen"):
            bars = self.heads[ir.head_key(event.name, word)]
            yield from (negation(counts_when(bars, bar)) for bar in bars.statements)
        for part in event.parts:
            if isinstance(part, ir.ConditionPart):
                yield part.condition
            elif isinstance(part, ir.RangePart):
                yield from _of_members(part.var, part.base, part.where)
        yield counts_when(head, statement)
        effect = statement.effect
        if effect is not None and effect.base is not None:
            yield from _of_members(effect.var, effect.base, effect.where)
        for other in head.statements:
            gone = other.effect
            if gone is None or effect is None or gone.op != "remove":
                continue
            if (gone.target, gone.var, gone.base) == (effect.target, effect.var, effect.base):
                yield negation(every_of([counts_when(head, other), *([gone.where] if gone.where else [])]))

    def _check_assignments(
        self, head: ir.Head, event: ir.Event, assigned: AssignedField, group: Mapping[ir.Statement, object]
    ) -> None:
        """Look for a case in which statements set one field to different values."""
        rivals = [s for s in head.statements if any(statement.clause in s.instead for statement in group)]
        part = replace(head, statements=tuple(dict.fromkeys((*group, *rivals))))
        wheres = {statement: statement.effect.where for statement in group if statement.effect is not None}
        conditions = [*wheres.values(), *(sentence.when for sentence in part.sentences)]
        cases = self._cases(head, [term for term in conditions if term is not None])
        if cases.number > MAX_CASES:
            return
        applicable = cases.applicable(part)
        tests = {statement: cases.test(where) for statement, where in wheres.items()}
        for case in cases:
            values: dict[object, ir.Statement] = {}
            for statement in applicable(case):
                if statement in tests and tests[statement](case):
                    values.setdefault(group[statement], statement)
            if len(values) > 1:
                first, second, *_ = values.values()
                name, target, _, _ = assigned
                place = hyphenated(name) if target is None else show_term(Field(target, name, target.type))
                shown, also = cases.show(case), (second.span,) if second.span != first.span else ()
                why = "both always apply" if shown == "always" else f"for example when {shown}"
                what = f"set `{place}` in `{event.name}`, to different values"
                self._report_conflict(what, first, second, why, also)
                return


def unchecked_heads(model: ir.Model) -> list[str]:
    """Name the heads whose cases are too many to be searched: for them it is not known that no sentence is idle."""
    found = []
    for head in model.heads.values():
        conditions = [sentence.when for sentence in head.sentences if sentence.when is not None]
        if Cases(model.enums, model.readings, conditions).number > MAX_CASES:
            applies = [counts_when(head, statement) for statement in head.statements]
            searches = [[one] for one in applies]
            if head.mode == "value":
                searches += [*map(list, itertools.combinations(applies, 2)), list(map(negation, applies))]
            try:
                for search in searches:
                    Cases(model.enums, model.readings, search).example(search)
            except TooManyCasesError:
                found.append(head.key)
    return found


def _amounts(statements: Iterable[ir.Statement]) -> list[Term]:
    return [one.value for one in statements if one.value is not None]


def _put(term: Term, given: Mapping[Term, Const]) -> Term:
    return given.get(term) or rebuild(term, lambda part: _put(part, given))


def _subsets(statements: Sequence[ir.Statement]) -> Iterator[tuple[ir.Statement, ...]]:
    sizes = range(1, len(statements) + 1)
    return itertools.chain.from_iterable(itertools.combinations(statements, size) for size in sizes)


def _of_members(name: str, base: Term, where: Term | None) -> Iterator[Term]:
    """Yield what holds of a member of a list, under its name."""
    if where is not None:
        yield where
    if isinstance(base, Quantified) and base.op == "those" and base.where is not None:
        member = Var(name, Type("record", base.type.name))
        yield from _of_members(name, base.base, substitute(base.where, {base.var: member}))


AssignedField = tuple[str, Term | None, str, Term | None]  # a field, of a target, for each variable in a list


def _assigned(statement: ir.Statement, owned: Collection[str]) -> tuple[AssignedField, object]:
    """Return the field that a statement changes and its value; records in one list do not conflict."""
    effect = statement.effect
    assert effect is not None
    if effect.op != "set":
        return (effect.field, None, "", None), "members" if effect.field in owned else effect.bindings
    swept = ("", None) if effect.target is None else (effect.var, effect.base)
    return (effect.field, effect.target, *swept), effect.value
