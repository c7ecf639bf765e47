"""Check all clauses together: cycles, missing cases, conflicts, and sentences and readings without effect."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from titm_rules.checker.case_analysis import MAX_CASES, Cases, Combination, InvariantsOf, invariants_of
from titm_rules.checker.schema import Schema
from titm_rules.diagnostics import NOWHERE, Span, did_you_mean
from titm_rules.ir.dependencies import DependencyGraph, head_terms
from titm_rules.ir.model import NOBODY, ClauseInfo, Form, Head, Route, Statement, head_key
from titm_rules.ir.terms import Call, free_names, subterms, terms_in

MAX_LEVELS = 30
MAX_CALLS = 10_000


def check_expansion(heads: Mapping[str, Head], schema: Schema) -> None:
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


def _called(head: Head) -> list[str]:
    """List the definitions that a head calls, once for each call."""
    return [part.head for term in head_terms(head) for part in subterms(term) if isinstance(part, Call)]


def _in_dependency_order(heads: Mapping[str, Head]) -> list[str]:
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
        heads: Mapping[str, Head],
        forms: Mapping[str, Form],
        schema: Schema,
        infos: Mapping[str, ClauseInfo],
        overlays: Collection[str],
        invariants: InvariantsOf,
    ) -> None:
        self.heads, self.forms, self.schema, self.infos = heads, forms, schema, infos
        self.overlays, self.invariants = overlays, invariants
        self.graph = DependencyGraph(heads, forms, schema.records)

    def check(self) -> None:
        """Look for cycles, and then for everything else."""
        self._check_cycles()
        if not self.schema.faults.found:
            for head in self.heads.values():
                self._check_replacements(head)
                self._check_cases(head)
            self._check_readings()
            self._check_counters()

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

    def _is_in_lift_cycle(self, head: Head, clause: str, seen: set[str]) -> bool:
        return any(
            lift.clause in seen or self._is_in_lift_cycle(head, lift.clause, seen | {lift.clause})
            for lift in head.lifts
            if lift.target == clause
        )

    def _check_replacements(self, head: Head) -> None:
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

    def _check_cases(self, head: Head) -> None:
        """Look for statements without effect; for a value, also for cases with no answer or with two."""
        conditions = [sentence.when for sentence in head.sentences if sentence.when is not None]
        known = invariants_of(head, self.invariants, self.schema)
        cases = Cases(self.schema.enums, self.schema.readings, conditions, known)
        if cases.number > MAX_CASES:
            return
        idle = {id(statement): statement for statement in head.statements if statement.clause != NOBODY}
        undecided: Combination | None = None
        applicable = cases.applicable(head)
        for case in cases:
            if not idle and head.mode != "value":
                break
            statements = applicable(case)
            for statement in statements:
                idle.pop(id(statement), None)
            if head.mode == "value" and len({statement.value for statement in statements}) > 1:
                self._report_conflict(head, statements[0], statements[1], cases.show(case))
                return
            if head.mode == "value" and not statements and undecided is None:
                undecided = case
        self._forget_overlaid(head, cases, idle)
        for statement in idle.values():
            self.schema.fault(
                f"{statement.clause}'s sentence on `{head.key}` can never apply", statement.span,
                "its condition is unsatisfiable or always overridden", "change the condition or the exception",
            )  # fmt: skip
        if undecided is not None and (head.statements or "." not in head.key):
            what = f"`{head.key}` has no answer in some cases" if head.statements else f"no clause decides `{head.key}`"
            why = f"for example when {cases.show(undecided)}"
            self.schema.fault(what, self._span(head), why, "add a clause for these cases")

    def _forget_overlaid(self, head: Head, cases: Cases, idle: dict[int, Statement]) -> None:
        """Remove the idle statements that would apply in some case without the overlays."""
        under = replace(
            head,
            statements=tuple(statement for statement in head.statements if statement.span.path not in self.overlays),
            lifts=tuple(lift for lift in head.lifts if lift.span.path not in self.overlays),
        )
        if not idle or under == head:
            return
        applicable = cases.applicable(under)
        for case in cases:
            for statement in applicable(case):
                idle.pop(id(statement), None)
            if not idle:
                return

    def _report_conflict(self, head: Head, first: Statement, second: Statement, case: str) -> None:
        replaced = second.clause if first.clause != second.clause else "the other"
        self.schema.fault(
            f"{first.clause} and {second.clause} both decide `{head.key}`, with different answers", first.span,
            f"for example when {case}", f"write `instead of {replaced}` in one of them", (second.span,),
        )  # fmt: skip

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
        """Refuse sentences that read a counter which no clause increases."""
        for route in self.forms.values():
            if not isinstance(route, Route):
                continue
            counting = [form for form in (route.name, route.closing) if form]
            reading = [form for form in (*counting, route.interruption) if form]
            heads = [head for key, head in self.heads.items() if key.split(".")[0] in reading]
            for name, _ in route.counters:
                if name != route.halted and not any(self.heads[head_key(form, name)].statements for form in counting):
                    for sentence in (each for head in heads for each in head.sentences):
                        if any(name in free_names(term) for term in terms_in(sentence)):
                            fix = f"write `{route.name} counts ... as {name}` in a clause"
                            self.schema.fault(f"no clause counts `{name}`", sentence.span, fix=fix)

    def _span(self, head: Head) -> Span:
        if head.statements:
            return head.statements[0].span
        return self.schema.spans.get(head.key.split(".")[0], NOWHERE)
