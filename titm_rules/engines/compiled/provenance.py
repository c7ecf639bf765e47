"""Compile conditions that also return their provenance: the records that made them true, and the exceptions applied.

This is why-provenance (Buneman, Khanna, Tan 2001). Terms without provenance are left to the functions of the program.
All others are evaluated completely, in the order in which clauses name them, as the explaining evaluator does it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from titm_rules.diagnostics import Undecided
from titm_rules.engines.compiled import nodes as ast
from titm_rules.engines.compiled.allocations import PickTally
from titm_rules.engines.compiled.codegen import PICKED, ROOT, Coder, call, local, name
from titm_rules.engines.compiled.program import Function, Program
from titm_rules.engines.engine import hashable
from titm_rules.ir.applicability import COUNTS, LIFTED, condition, judged
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Head, Lift, Roll, Statement, head_key
from titm_rules.ir.terms import Besides, Call, Quantified, Term
from titm_rules.world.records import Situation, Value

PROVENANCE = "w"
_UNHASHABLE = ("number_map", "flag_map")


@dataclass(slots=True)
class Provenance:
    """The provenance of one condition.

    `found` are the records that made a `some` true, without those that its own condition looked at; `taken` are the
    clauses of exceptions that lifted a statement of a definition.
    """

    found: list[Any] = field(default_factory=list)
    taken: dict[str, None] = field(default_factory=dict)
    known: dict[Any, Any] = field(default_factory=dict)

    def note(self, found: list[Any]) -> list[Any]:
        self.found += found
        return found


class ProvenanceConditions:
    """The conditions of sentences and the heads behind them, as functions that record provenance.

    Each takes the root, the tally of an allocation, the provenance, and the parameters of the head.
    """

    def __init__(self, program: Program) -> None:
        self.program, self.model = program, program.model
        self._conditions: dict[tuple[str, Statement | Lift, bool], Function] = {}
        self._heads: dict[tuple[str, bool], str] = {}

    def of(self, head: Head, sentence: Statement | Lift, finds: bool = True) -> Function:
        """Return the function of a condition; if it `finds`, the records that make a `some` true are added."""
        key = head.key, sentence, finds
        found = self._conditions.get(key)
        if found is None:
            found = self._conditions[key] = self._function(head, condition(sentence), finds)
        return found

    def _function(self, head: Head, term: Term, finds: bool) -> Function:
        params = [ROOT, PICKED, PROVENANCE, *(local(one) for one, _ in head.params)]
        return self.program.define(params, [ast.Return(_ProvenanceCoder(self, finds).expr(term))])

    def shows(self, term: Term, finds: bool) -> bool:
        shown = dependencies_of(self.model).shown_in(term)
        return shown.lifts or (finds and shown.finds)

    def shows_itself(self, called: Call, finds: bool) -> bool:
        shown = dependencies_of(self.model).shown(called.head)
        return self.model.heads[called.head].mode != "route" and (shown.lifts or (finds and shown.finds))

    def named(self, key: str, finds: bool) -> str:
        if (key, finds) not in self._heads:
            head = self.model.heads[key]
            decide = self._rolled(key, finds) if head.mode == "roll" else self._decided(head, finds)
            is_key = all(ptype.kind not in _UNHASHABLE for _, ptype in head.params)
            self._heads[key, finds] = self.program.constant(_memoized(decide) if is_key else decide)
        return self._heads[key, finds]

    def _decided(self, head: Head, finds: bool) -> Function:
        conditions = {id(one): self.of(head, one, finds) for one in head.sentences}
        if head.mode in ("any", "bar") and not head.lifts and not any(one.instead for one in head.statements):
            functions = list(conditions.values())
            return lambda *asked: any([condition(*asked) for condition in functions])  # noqa: C419 -- all of them note
        values = {id(one): self._function(head, one.value, finds) for one in head.statements if one.value is not None}

        def decide(root: Situation, picked: PickTally | None, provenance: Provenance, *about: Value) -> Any:
            """Judge every statement, and note the exceptions that lift one."""
            counting = []
            for statement, how, by in judged(head, lambda one: conditions[id(one)](root, picked, provenance, *about)):
                if how == COUNTS:
                    counting.append(statement)
                elif how == LIFTED and by is not None:
                    provenance.taken[by.clause] = None
            if head.mode in ("any", "bar"):
                return bool(counting)
            amounts = [values[id(one)](root, picked, provenance, *about) for one in counting]
            if head.mode == "sum":
                total = sum(amount or 0 for amount in amounts)
                return max(0, total) if head.is_price else total
            if not amounts or any(amount != amounts[0] for amount in amounts):
                raise Undecided.of(head.key, [one.clause for one in counting])
            return amounts[0]

        return decide

    def _rolled(self, key: str, finds: bool) -> Function:
        roll = self.model.forms[key]
        assert isinstance(roll, Roll)
        least, most = roll.bounds
        barred, factor, adds = (
            self._decided(self.model.heads[head_key(key, word)], finds) for word in ("try", "factor", "adds")
        )

        def last_face(root: Situation, picked: PickTally | None, provenance: Provenance, *about: Value) -> int | None:
            asked = root, picked, provenance, *about
            return None if barred(*asked) else max(least, min(most, int(factor(*asked) - adds(*asked))))

        return last_face


class _ProvenanceCoder(Coder):
    """Generates terms with provenance; all others are generated as in the program."""

    def __init__(self, conditions: ProvenanceConditions, finds: bool) -> None:
        self._plain = conditions.program.coder()
        super().__init__(conditions.model, self._plain.invoke)
        self._conditions, self._finds = conditions, finds

    def expr(self, term: Term) -> ast.expr:
        if not self._conditions.shows(term, self._finds):
            return self._plain.expr(self._conditions.program.folder.fold(term))
        match term:
            case Quantified():
                return self._with_provenance(term)
            case Besides(base=base, other=other):
                return call("apart", self.expr(other), self.expr(base))
            case Call(head=key, args=args) if self._conditions.shows_itself(term, self._finds):
                recorded = self._conditions.named(key, self._finds)
                return call(recorded, *map(name, (ROOT, PICKED, PROVENANCE)), *map(self.expr, args))
        return super().expr(term)

    def _with_provenance(self, term: Quantified) -> ast.expr:
        variable = local(term.var) if term.var else "x"

        def those(base: ast.expr, *where: ast.expr) -> ast.expr:
            loop = ast.comprehension(ast.Name(variable, ast.Store()), base, list(where), 0)
            return ast.ListComp(name(variable), [loop])

        members = those(self.expr(term.base), *([self.expr(term.where)] if term.where is not None else []))
        if term.op != "some" or term.body is None:
            return self._fold_loop(term, ast.comprehension(ast.Name(variable, ast.Store()), members, [], 0), variable)
        witnesses = those(members, _ProvenanceCoder(self._conditions, finds=False).expr(term.body))
        noted = ast.Call(ast.Attribute(name(PROVENANCE), "note", ast.Load()), [witnesses], [])
        return call("bool", noted if self._finds else witnesses)


def _memoized(decide: Callable[..., Any]) -> Function:
    """Memoize a decision for one provenance: the second time it adds nothing."""

    def decided(root: Situation, picked: PickTally | None, provenance: Provenance, *about: Value) -> Any:
        key = decide, tuple(map(hashable, about))
        if key not in provenance.known:
            provenance.known[key] = decide(root, picked, provenance, *about)
        return provenance.known[key]

    return decided
