"""Hoist terms that depend only on the mover, or only on the static map, out of searches (loop-invariant code motion).

A search asks the same conditions at every step. The largest terms about the mover alone are computed once a search and
passed in slots; their values are the key by which movers share searches. Terms that depend on the map alone, once the
slots are known, are computed once a map.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from titm_rules.engines.compiled.partial_eval import FRESH, PartialEvaluator
from titm_rules.engines.compiled.program import Program
from titm_rules.engines.engine import hashable
from titm_rules.ir.applicability import every_of, some_of
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.terms import Call, Const, Field, Just, Logic, Quantified, Term, Var, children, free_names, rebuild
from titm_rules.ir.types import NUMBER, Type
from titm_rules.world.records import Mover, Situation
from titm_rules.world.world import FIXED


class StaticTerms:
    """The terms whose values the map alone decides, once the slots of a mover are known.

    Readings that the program leaves open are asked for by each answer, not decided by the map. `names` are the
    variables of places and connections.
    """

    def __init__(self, program: Program, situation: str, slots: Mapping[Term, int], names: Collection[str]) -> None:
        self.program, self.situation = program, situation
        self._slots, self._names = slots, frozenset(names)

    def decides(self, *terms: Term) -> bool:
        blank = [self._without_slots(term) for term in terms]
        if not all(free_names(term) <= self._names for term in blank):
            return False
        basis = dependencies_of(self.program.model).of_terms(blank, self.situation)
        if basis.forms or basis.views or basis.picks or basis.readings & self.program.unsettled:
            return False
        return all(self.program.model.records[owner].role in FIXED for owner, _ in basis.fields)

    def slots_in(self, terms: Iterable[Term]) -> list[int]:
        return sorted({number for term in terms for number in self._numbers(term)})

    def _without_slots(self, term: Term) -> Term:
        return Const(None, term.type) if term in self._slots else rebuild(term, self._without_slots)

    def _numbers(self, term: Term) -> set[int]:
        if term in self._slots:
            return {self._slots[term]}
        return {number for part in children(term) for number in self._numbers(part)}


class MoverTermRewriter:
    """Terms about a mover, rewritten for a mover of one piece if that is what moves."""

    def __init__(self, folder: PartialEvaluator, mover: tuple[str, Type], single: bool) -> None:
        self.folder = folder
        self.name, self.type = mover
        self.single = single
        self.mover = f"{self.name}{FRESH}one" if single else self.name
        self.one = Var(self.mover, Type("record", self.type.name))

    def is_mover(self, term: Term) -> bool:
        return isinstance(term, Just) and term.base == self.one if self.single else self._is_list(term)

    def term(self, term: Term) -> Term:
        return self.rewritten(self.folder.inlined(term))

    def rewritten(self, term: Term) -> Term:
        return self.folder.fold(self._unrolled(term)) if self.single else term

    def _unrolled(self, term: Term) -> Term:
        if isinstance(term, Var):
            return Just(self.one, self.type) if term.name == self.name else term
        if isinstance(term, Field) and self._is_list(term.base):
            spec = next((s for s in self.folder.model.records[self.type.name].fields if s.name == term.field), None)
            return Field(self.one, term.field, replace(term.type, optional=spec is not None and spec.type.optional))
        if isinstance(term, Quantified) and self._is_list(term.base) and term.where is None:
            if term.body is None:
                return Const(1, NUMBER) if term.op == "count" else Just(self.one, self.type)
            return self._unrolled(self.folder.substitute(term.body, {term.var: self.one}))
        return rebuild(term, self._unrolled)

    def _is_list(self, term: Term) -> bool:
        return isinstance(term, Var) and term.name == self.name

    def map(self, term: Term, change: Callable[[Term], Term]) -> Term:
        return change(rebuild(term, lambda part: self.map(part, change)))


class HoistedTerms:
    """The slots of some terms; `fixed` names the mover and what is given with it, `params` are their Python names.

    `index` has the numbers of the terms that have slots, which `values` computes from the root, the mover and the given
    values; `apart` says whether anything else in the terms depends on the mover, in the situation of a root.
    """

    def __init__(self, program: Program, terms: Sequence[Term], fixed: frozenset[str], params: Sequence[str]) -> None:
        self.program = program
        self.fixed = fixed
        self.index: dict[Term, int] = {}
        self._guards: list[tuple[Term, ...]] = []
        for term in terms:
            self._collect(term, ())
        slots = zip(self.index, self._guards, strict=True)
        guarded = [every_of([*guards, term]) if guards else term for term, guards in slots]
        self.values: Callable[..., tuple[Any, ...]] = program.together(guarded, params)
        left = list(dict.fromkeys(every_of(list(guards)) for term in terms for guards in self._left(term, ())))
        self.apart: Callable[[Any], bool] = program.function(some_of(left), [])
        self.may_be_apart = bool(left)
        self.terms = [*guarded, *left]

    def key(self, root: Situation, mover: Mover, given: tuple[Any, ...]) -> tuple[Any, Any]:
        """Return the key of a mover: its slots, and its identity if they do not hold all that the terms ask of it."""
        slots = self.values(root, mover, *given)
        return slots, hashable(mover) if self.may_be_apart and self.apart(root) else None

    def _collect(self, term: Term, guards: tuple[Term, ...]) -> None:
        """Give slots to the largest parts of a term that are fixed.

        `guards` are conditions on the situation alone that are asked before the part: where one fails, the part is
        not needed and its slot need not tell movers apart.
        """
        names = free_names(term)
        if names and names <= self.fixed and term.type.kind not in ("set", "record"):
            self._add(term, guards)
        elif self._distance_map_of(term) is not None:
            assert isinstance(term, Call)
            self._add(Call(term.head, term.args[:1], term.type), guards)
            self._collect(term.args[1], guards)
        elif isinstance(term, Logic) and term.op == "all":
            for part in term.parts:
                self._collect(part, guards)
                guards = guards if free_names(part) else (*guards, part)
        else:
            for part in children(term):
                self._collect(part, guards)

    def _distance_map_of(self, term: Term) -> Call | None:
        """Return the distance map behind a trace of the mover from a place that is not fixed."""
        if isinstance(term, Call) and len(term.args) == 2 and self.program.model.heads[term.head].mode == "route":
            names = free_names(term.args[0])
            if names and names <= self.fixed:
                return Call(term.head, term.args[:1], term.type)
        return None

    def _add(self, term: Term, guards: tuple[Term, ...]) -> None:
        if term not in self.index:
            self.index[term] = len(self._guards)
            self._guards.append(guards)
        elif self._guards[self.index[term]] != guards:
            self._guards[self.index[term]] = ()

    def _left(self, term: Term, guards: tuple[Term, ...]) -> Iterator[tuple[Term, ...]]:
        """Yield the guards of every part outside the slots that depends on a fixed name."""
        if term in self.index:
            return
        if self._distance_map_of(term) is not None and isinstance(term, Call):
            yield from self._left(term.args[1], guards)
        elif isinstance(term, Var):
            if term.name in self.fixed:
                yield guards
        else:
            for part in children(term):
                yield from self._left(part, guards)
                if isinstance(term, Logic) and term.op == "all" and not free_names(part):
                    guards = (*guards, part)
