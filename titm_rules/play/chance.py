"""Dice: how likely each number of successes is, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from titm_rules.vocabulary.chance import outcomes, successes


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice of one roll: `count` dice with faces `low` to `high`; up to `highest` succeeds."""

    count: int
    low: int
    high: int
    highest: int

    def successes(self, faces: tuple[int, ...]) -> int:
        """Count the dice that succeed."""
        return sum(face <= self.highest for face in faces)

    def outcomes(self) -> tuple[tuple[int, Fraction], ...]:
        """List every possible number of successes with its probability; they sum to 1."""
        return tuple(outcomes(successes(self.count, self.highest, self.low, self.high)))
