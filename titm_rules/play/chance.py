"""Dice: how likely each number of successes is, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice of one roll: `count` dice with faces `low` to `high`; up to `highest` succeeds."""

    count: int
    low: int
    high: int
    highest: int

    @property
    def chance(self) -> Fraction:
        """The chance that one die succeeds."""
        faces = self.high - self.low + 1
        return Fraction(max(0, min(faces, self.highest - self.low + 1)), faces)

    def successes(self, faces: tuple[int, ...]) -> int:
        """Count the dice that succeed."""
        return sum(face <= self.highest for face in faces)

    def outcomes(self) -> tuple[tuple[int, Fraction], ...]:
        """List every possible number of successes with its probability; they sum to 1."""
        p = self.chance
        listed = ((k, comb(self.count, k) * p**k * (1 - p) ** (self.count - k)) for k in range(self.count + 1))
        return tuple((k, probability) for k, probability in listed if probability)
