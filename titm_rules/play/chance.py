"""Dice: how likely each thing that they may show is, exactly."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

from titm_rules.diagnostics import Fault, InputError
from titm_rules.world.chance import binomial, outcomes, share

Fell = int | tuple[int, ...]
MAX_THROWS = 10_000


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice of one throw: `count` dice with faces `low` to `high`; those from `lowest` to `highest` succeed.

    `reads` is empty, or what may be given for a face, and that face. Where the faces are `named`, each counts for what
    comes of them, and how they `fell` is told by them, in order; else by the number of successes.
    """

    count: int
    low: int
    high: int
    lowest: int
    highest: int
    reads: tuple[int, ...] = ()
    named: bool = False

    def read(self, faces: tuple[int, ...]) -> tuple[int, ...]:
        """Give the faces that were meant."""
        return tuple(self.reads[1] if face in self.reads[:1] else face for face in faces)

    def successes(self, faces: tuple[int, ...]) -> int:
        """Count the dice that succeed."""
        return sum(self.lowest <= face <= self.highest for face in faces)

    def fell(self, faces: tuple[int, ...]) -> Fell:
        """Give what counts of the faces thrown."""
        return faces if self.named else self.successes(faces)

    def outcomes(self) -> tuple[tuple[Fell, Fraction], ...]:
        """List all that may fall with its probability; they sum to 1.

        Raises:
            InputError: if faces count and there are more than 10,000 throws.
        """
        faces = range(self.low, self.high + 1)
        if not self.named:
            return tuple(outcomes(binomial(self.count, share((self.lowest, self.highest), self.low, self.high))))
        throws = len(faces) ** max(0, self.count)
        if throws > MAX_THROWS:
            what = f"{self.count} dice with faces {self.low} to {self.high} fall in {throws} ways"
            raise InputError([Fault(what, "$.action", f"at most {MAX_THROWS} are listed", kind="too-much")])
        return tuple((thrown, Fraction(1, throws)) for thrown in itertools.product(faces, repeat=max(0, self.count)))
