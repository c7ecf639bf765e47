"""Check all clauses together: cycles, missing rows, conflicts, idle clauses and readings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from titm_rules.checker.case_analysis import MAX_CASES, AlwaysOf, Cases, Combination, known_of
from titm_rules.checker.schema import Faults, Schema
from titm_rules.diagnostics import NOWHERE, Span, did_you_mean
from titm_rules.ir.dependencies import DependencyGraph, head_terms, sentence_terms
from titm_rules.ir.model import NOBODY, ClauseInfo, Form, Head, Route, Statement, head_key
from titm_rules.ir.terms import Call, free_names, subterms

# ---------------------------------------------------------------------- unfolding
MAX_LEVELS = 30
MAX_CALLS = 10_000


def check_unfolding(heads: Mapping[str, Head], faults: Faults) -> None:
    """Refuse definitions that rest on each other too deep, or that ask for others too often when all is written out.

    The first that goes too far is named; what leads back to itself is for another check.
    """
    levels: dict[str, int] = {}
    calls: dict[str, int] = {}
    for key in _innermost_first(heads):
        asked = [name for name in _asked(heads[key]) if name in levels]
        levels[key] = 1 + max((levels[name] for name in asked), default=0)
        calls[key] = sum(1 + calls[name] for name in asked)
        if levels[key] > MAX_LEVELS:
            _refuse(heads[key], f"rests on definitions over {MAX_LEVELS} levels deep", faults)
            return
        if calls[key] > MAX_CALLS:
            _refuse(heads[key], f"asks for definitions over {MAX_CALLS} times when all are written out", faults)
            return


def _asked(head: Head) -> list[str]:
    """List the definitions that a head asks for, each as often as it stands there."""
    return [part.head for term in head_terms(head) for part in subterms(term) if isinstance(part, Call)]


def _innermost_first(heads: Mapping[str, Head]) -> list[str]:
    """Order heads so that each comes after those that it asks for, circles apart; no recursion, for it may be deep."""
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
                stack.extend((asked, False) for asked in _asked(heads[name]) if asked in heads)
    return order


def _refuse(head: Head, what: str, faults: Faults) -> None:
    sentence = next(iter(head.sentences))
    faults.add(f"`{head.key}` {what}", sentence.span, "no answer would come in time", "say it with fewer definitions")


# ---------------------------------------------------------------------- checks
def check_heads(
    heads: Mapping[str, Head],
    forms: Mapping[str, Form],
    schema: Schema,
    infos: Mapping[str, ClauseInfo],
    on_top: Collection[str] = (),
    always: AlwaysOf | None = None,
) -> None:
    """Check the clauses of an edition against each other; faults go to the schema.

    Files `on_top` are those of overlays: they may leave another clause nothing to say, and settle readings.
    """
    checks = Checks(heads, forms, schema, infos, on_top, always)
    checks.cycles()
    if not schema.faults.found:
        for head in heads.values():
            checks.exceptions(head)
            checks.cases(head)
        checks.readings()
        checks.counters()


class Checks:
    """The checks, one method each."""

    def __init__(
        self,
        heads: Mapping[str, Head],
        forms: Mapping[str, Form],
        schema: Schema,
        infos: Mapping[str, ClauseInfo],
        on_top: Collection[str] = (),
        always: AlwaysOf | None = None,
    ) -> None:
        self.heads, self.forms, self.schema, self.infos = heads, forms, schema, infos
        self.on_top, self.always = on_top, always or {}
        self.rests = DependencyGraph(heads, forms, schema.records)

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
        for called in self.rests.asked_by(key):
            self._visit(called, [*path, key], state)
        state[key] = 2

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
        known = known_of(head, self.always, self.schema)
        cases = Cases(self.schema.enums, self.schema.readings, conditions, known)
        if cases.number > MAX_CASES:
            return
        idle = {id(one): one for one in head.statements if one.clause != NOBODY}
        undecided: Combination | None = None
        count = cases.counting(head)
        for case in cases:
            if not idle and head.mode != "value":
                break
            counting = count(case)
            for statement in counting:
                idle.pop(id(statement), None)
            if head.mode == "value" and len(counting) > 1 and len({said.value for said in counting}) > 1:
                self._conflict(head, counting[0], counting[1], cases.show(case))
                return
            if head.mode == "value" and not counting and undecided is None:
                undecided = case
        self._forget_overlaid(head, cases, idle)
        self._idle(head, idle.values())
        if undecided is not None and (head.statements or "." not in head.key):
            self._undecided(head, cases.show(undecided))

    def _idle(self, head: Head, statements: Iterable[Statement]) -> None:
        for statement in statements:
            self._fault(
                f"what {statement.clause} says of `{head.key}` never counts", statement.span,
                "its condition holds in no case, or an exception always lifts it", "mend the condition",
            )  # fmt: skip

    def _undecided(self, head: Head, case: str) -> None:
        some, none = f"`{head.key}` has no answer in some cases", f"no clause says anything of `{head.key}`"
        what = some if head.statements else none
        self._fault(what, self._span(head), f"for example when {case}", "add a clause for these cases")

    def _forget_overlaid(self, head: Head, cases: Cases, idle: dict[int, Statement]) -> None:
        """Leave out idle statements that would count in some case if the overlays were not there."""
        under = replace(
            head,
            statements=tuple(statement for statement in head.statements if statement.span.path not in self.on_top),
            lifts=tuple(lift for lift in head.lifts if lift.span.path not in self.on_top),
        )
        if not idle or under == head:
            return
        count = cases.counting(under)
        for case in cases:
            for statement in count(case):
                idle.pop(id(statement), None)
            if not idle:
                return

    def _conflict(self, head: Head, one: Statement, other: Statement, case: str) -> None:
        gives_way = other.clause if one.clause != other.clause else "the other"
        self.schema.faults.add(
            f"{one.clause} and {other.clause} both decide `{head.key}`, with different answers", one.span,
            f"for example when {case}", f"let one say `instead of {gives_way}`", (other.span,),
        )  # fmt: skip

    # ------------------------------------------------------------------ readings
    def readings(self) -> None:
        """Refuse readings that no clause asks for; overlays may settle those of the rules under them."""
        asked = self.rests.of_heads(self.heads).readings
        for name, reading in self.schema.readings.items():
            settled = bool(self.on_top) and self.schema.spans[name].path not in self.on_top
            if name not in asked and len(reading.offered) > 1 and not settled:
                self._fault(
                    f"reading `{name}` never matters",
                    self.schema.spans[name],
                    "no clause asks which reading holds",
                    "ask for it in a clause, or leave it out",
                )

    # ------------------------------------------------------------------ what routes count
    def counters(self) -> None:
        """Refuse sentences about a route that ask for what nothing counts."""
        for route in self.forms.values():
            if isinstance(route, Route):
                forms = [form for form in (route.name, route.closing) if form]
                empty = [
                    name
                    for name, _ in route.counters
                    if name != route.halted and not any(self.heads[head_key(form, name)].statements for form in forms)
                ]
                for name in empty:
                    self._uncounted(route, name)

    def _uncounted(self, route: Route, name: str) -> None:
        forms = [form for form in (route.name, route.interruption, route.closing) if form]
        for head in (head for key, head in self.heads.items() if key.split(".")[0] in forms):
            for sentence in head.sentences:
                if any(name in free_names(term) for term in sentence_terms(sentence)):
                    why = "a clause asks how many there are, and they are never counted"
                    fix = f"write `{route.name} counts ... as {name}`"
                    self._fault(f"nothing counts `{name}`", sentence.span, why, fix)

    def _span(self, head: Head) -> Span:
        if head.statements:
            return head.statements[0].span
        return self.schema.spans.get(head.key.split(".")[0], NOWHERE)

    def _fault(self, what: str, span: Span, why: str, fix: str) -> None:
        self.schema.faults.add(what, span, why, fix)
