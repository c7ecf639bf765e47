"""Dice: how likely each number of successes is, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from titm_rules.world.chance import outcomes, successes


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice of one roll: `count` dice with faces `low` to `high`; up to `highest` succeeds.

    `reads` is empty, or what may be given for a face, and that face.
    """

    count: int
    low: int
    high: int
    highest: int
    reads: tuple[int, ...] = ()

    def read(self, faces: tuple[int, ...]) -> tuple[int, ...]:
        """Give the faces that were meant."""
        return tuple(self.reads[1] if face in self.reads[:1] else face for face in faces)

    def successes(self, faces: tuple[int, ...]) -> int:
        """Count the dice that succeed."""
        return sum(face <= self.highest for face in faces)

    def outcomes(self) -> tuple[tuple[int, Fraction], ...]:
        """List every possible number of successes with its probability; they sum to 1."""
        return tuple(outcomes(successes(self.count, self.highest, self.low, self.high)))
