"""What the board alone decides: terms that look at nothing but places and connections."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from titm_rules.engines.compiled.program import Program
from titm_rules.rules.rests import rests_of
from titm_rules.rules.terms import Const, Term, children, free_names, rebuild
from titm_rules.world.board import FIXED


class OnBoard:
    """Tells which terms the board decides, once the slots of a mover are known.

    Args:
        program: what it leaves unsettled is not decided by the board: each answer asks for it.
        slots: terms about the mover; what they come to is known.
        names: stand for places and connections.
    """

    def __init__(self, program: Program, situation: str, slots: Mapping[Term, int], names: Collection[str]) -> None:
        self.program, self.situation = program, situation
        self._slots, self._names = slots, frozenset(names)

    def says(self, *terms: Term) -> bool:
        """Whether the board decides some terms."""
        blank = [self._without_slots(term) for term in terms]
        if not all(free_names(term) <= self._names for term in blank):
            return False
        basis = rests_of(self.program.model).of_terms(blank, self.situation)
        if basis.forms or basis.views or basis.picks or basis.readings & self.program.unsettled:
            return False
        return all(self.program.model.records[owner].role in FIXED for owner, _ in basis.fields)

    def slots_in(self, terms: Iterable[Term]) -> list[int]:
        """Number the slots that some terms look at."""
        return sorted({number for term in terms for number in self._numbers(term)})

    def _without_slots(self, term: Term) -> Term:
        return Const(None, term.type) if term in self._slots else rebuild(term, self._without_slots)

    def _numbers(self, term: Term) -> set[int]:
        if term in self._slots:
            return {self._slots[term]}
        return {number for part in children(term) for number in self._numbers(part)}
