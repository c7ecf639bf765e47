"""How much is known of the rules behind an answer: attested, carried back, or known to have been revised since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from titm_rules.compare.rules import ModelPair
from titm_rules.editions.text import natural
from titm_rules.rules.model import ATTESTED, CARRIED_BACK, REVISED, Model, Question
from titm_rules.rules.rests import rests_of


@dataclass(frozen=True)
class Grade:
    """What some answer rests on that its edition does not attest.

    Attributes:
        carried: clauses that no document of the time shows and no sheet is known to have changed since.
        revised: clauses that a later sheet words anew, each with that sheet: their words of the time are lost.
    """

    carried: tuple[str, ...] = ()
    revised: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name the worst grade among the clauses."""
        return REVISED if self.revised else CARRIED_BACK if self.carried else ATTESTED

    def __str__(self) -> str:
        told = []
        if self.carried:
            told.append(f"{len(self.carried)} clauses {CARRIED_BACK}")
        if self.revised:
            told.append(f"{REVISED}: {', '.join(f'{clause} ({sheet})' for clause, sheet in self.revised.items())}")
        return "; ".join(told) or ATTESTED


def grade_of(model: Model, clauses: Iterable[str]) -> Grade:
    """Grade some clauses of an edition; those that it does not have are passed over."""
    infos = {clause: model.clauses[clause] for clause in sorted(clauses, key=natural) if clause in model.clauses}
    carried = tuple(clause for clause, info in infos.items() if info.grade == CARRIED_BACK)
    return Grade(carried, {clause: info.revised for clause, info in infos.items() if info.grade == REVISED})


def grades_of(pair: ModelPair, question: Question) -> tuple[Grade, Grade]:
    """Grade what a question rests on in each of two editions."""
    first, second = (grade_of(model, rests_of(model).of_question(question).clauses) for model in pair.models)
    return first, second


def play_grades(pair: ModelPair) -> tuple[Grade, Grade]:
    """Grade what the course of a game rests on in each of two editions."""
    heads = pair.played()
    first, second = (
        grade_of(model, rests_of(model).of_heads(heads & model.heads.keys()).clauses) for model in pair.models
    )
    return first, second
