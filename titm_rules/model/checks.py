"""Checks over all clauses together: cycles, missing rows, conflicts, idle clauses and readings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.diagnostics.span import NOWHERE
from titm_rules.model.cases import MAX_CASES, Case, Cases
from titm_rules.model.effects import effect_terms
from titm_rules.model.model import Allocation, ClauseInfo, Form, Head, Roll, Route, Selection, Statement
from titm_rules.model.schema import Schema
from titm_rules.model.terms import Call, Term, Var, children


def check_heads(
    heads: Mapping[str, Head],
    forms: Mapping[str, Form],
    schema: Schema,
    infos: Mapping[str, ClauseInfo],
    on_top: Collection[str] = (),
) -> None:
    """Check the clauses of an edition against each other; faults go to the schema.

    Clauses `on_top` are those of overlays: they may leave another clause nothing to say.
    """
    checks = Checks(heads, forms, schema, infos, on_top)
    checks.cycles()
    if not schema.faults.found:
        for head in heads.values():
            checks.exceptions(head)
            checks.cases(head)
        checks.readings()


class Checks:
    """The checks, one method each."""

    def __init__(
        self,
        heads: Mapping[str, Head],
        forms: Mapping[str, Form],
        schema: Schema,
        infos: Mapping[str, ClauseInfo],
        on_top: Collection[str] = (),
    ) -> None:
        self.heads, self.forms, self.schema, self.infos = heads, forms, schema, infos
        self.on_top = on_top

    # ------------------------------------------------------------------ cycles
    def cycles(self) -> None:
        """Refuse a definition that leads back to itself, and exceptions that lift each other."""
        state: dict[str, int] = {}
        for key in self.heads:
            self._visit(key, [], state)
        for head in self.heads.values():
            for lift in head.lifts:
                if self._lift_cycle(head, lift.clause, {lift.clause}):
                    self._fault(
                        f"exceptions lift each other in a circle, from {lift.clause} on",
                        lift.span,
                        "which of them holds would depend on where one starts",
                        "let one of them stand",
                    )
                    break

    def _visit(self, key: str, path: list[str], state: dict[str, int]) -> None:
        if state.get(key) == 2:
            return
        if key in path:
            circle = " > ".join([*path[path.index(key) :], key])
            self._fault(
                f"`{key}` is defined in terms of itself",
                self._span(self.heads[key]),
                f"the circle: {circle}",
                "define one of them without the others",
            )
            state.update(dict.fromkeys(path, 2))
            return
        for called in self._calls(key):
            self._visit(called, [*path, key], state)
        state[key] = 2

    def _calls(self, key: str) -> Iterator[str]:
        head = self.heads[key]
        form = self.forms.get(key)
        if head.mode in ("route", "roll") and form is not None:
            yield from self._heads_of(form)
        for term in _terms(head):
            for part in _walk(term):
                if isinstance(part, Call):
                    yield part.head

    def _heads_of(self, form: Form) -> list[str]:
        words: tuple[str, ...]
        match form:
            case Route():
                words = ("step", "stop", "end", "cost", "points", "goal")
            case Roll():
                words = ("try", "factor", "adds")
            case Allocation() | Selection():
                words = ("choose",)
        return [f"{form.name}.{word}" for word in words]

    def _lift_cycle(self, head: Head, clause: str, seen: set[str]) -> bool:
        for lift in head.lifts:
            if lift.target == clause:
                if lift.clause in seen:
                    return True
                if self._lift_cycle(head, lift.clause, seen | {lift.clause}):
                    return True
        return False

    # ------------------------------------------------------------------ exceptions
    def exceptions(self, head: Head) -> None:
        """Refuse `instead of` a clause that says nothing of the same question."""
        said = {statement.clause for statement in head.statements}
        for statement in head.statements:
            for target in statement.instead:
                if target not in said and target in self.infos:
                    self._fault(
                        f"clause {target} says nothing of `{head.key}`", statement.span,
                        f"so {statement.clause} cannot stand instead of it here",
                        did_you_mean(target, said - {statement.clause}),
                    )  # fmt: skip

    # ------------------------------------------------------------------ cases
    def cases(self, head: Head) -> None:
        """Look for idle statements; for a value, also for cases with no answer or with two."""
        conditions = [s.when for s in head.statements if s.when is not None]
        conditions += [lift.when for lift in head.lifts if lift.when is not None]
        cases = Cases(self.schema.enums, self.schema.readings, conditions)
        if cases.number > MAX_CASES:
            return
        idle = dict.fromkeys(head.statements)
        undecided: Case | None = None
        count = cases.counting(head)
        for case in cases:
            if not idle and head.mode != "value":
                break
            counting = count(case)
            for statement in counting:
                idle.pop(statement, None)
            if head.mode == "value":
                if not counting and undecided is None:
                    undecided = case
                if len({s.value for s in counting}) > 1:
                    self._conflict(
                        head,
                        counting[0].clause,
                        counting[1].clause,
                        counting[0].span,
                        counting[1].span,
                        cases.show(case),
                    )
                    return
        self._forget_overlaid(head, cases, idle)
        for statement in idle:
            self._fault(
                f"what {statement.clause} says of `{head.key}` never counts",
                statement.span,
                "its condition holds in no case, or an exception always lifts it",
                "mend the condition",
            )
        if undecided is not None and (head.statements or "." not in head.key):
            what = (
                f"`{head.key}` has no answer in some cases"
                if head.statements
                else f"no clause says anything of `{head.key}`"
            )
            self._fault(
                what, self._span(head), f"for example when {cases.show(undecided)}", "add a clause for these cases"
            )

    def _forget_overlaid(self, head: Head, cases: Cases, idle: dict[Statement, None]) -> None:
        """Leave out idle statements that would count in some case if the overlays were not there."""
        under = replace(
            head,
            statements=tuple(statement for statement in head.statements if statement.clause not in self.on_top),
            lifts=tuple(lift for lift in head.lifts if lift.clause not in self.on_top),
        )
        if not idle or under == head:
            return
        count = cases.counting(under)
        for case in cases:
            for statement in count(case):
                idle.pop(statement, None)
            if not idle:
                return

    def _conflict(self, head: Head, one: str, other: str, span: Span, also: Span, case: str) -> None:
        self.schema.faults.add(
            f"{one} and {other} both decide `{head.key}`, with different answers", span,
            f"for example when {case}", f"let one say `instead of {other if one != other else 'the other'}`", (also,),
        )  # fmt: skip

    # ------------------------------------------------------------------ readings
    def readings(self) -> None:
        """Refuse readings that no clause asks for."""
        asked = {
            part.name
            for head in self.heads.values()
            for term in _terms(head)
            for part in _walk(term)
            if isinstance(part, Var) and part.type.kind == "reading"
        }
        for name, reading in self.schema.readings.items():
            if name not in asked and len(reading.offered) > 1:
                self._fault(
                    f"reading `{name}` never matters",
                    self.schema.spans[name],
                    "no clause asks which reading holds",
                    "ask for it in a clause, or leave it out",
                )

    def _span(self, head: Head) -> Span:
        if head.statements:
            return head.statements[0].span
        return self.schema.spans.get(head.key.split(".")[0], NOWHERE)

    def _fault(self, what: str, span: Span, why: str, fix: str) -> None:
        self.schema.faults.add(what, span, why, fix)


def _terms(head: Head) -> Iterator[Term]:
    for statement in head.statements:
        if statement.when is not None:
            yield statement.when
        if statement.value is not None:
            yield statement.value
        if statement.effect is not None:
            yield from effect_terms(statement.effect)
    for lift in head.lifts:
        if lift.when is not None:
            yield lift.when


def _walk(term: Term) -> Iterator[Term]:
    yield term
    for part in children(term):
        yield from _walk(part)
