"""Dice: how likely each thing that they may show is, exactly."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from titm_rules.diagnostics import Fault, InputError
from titm_rules.play.action import Action
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


def thrown(dice: Dice | None, faces: Sequence[int], action: Action) -> Fell:
    """Give what counts of the faces thrown for an action.

    Raises:
        InputError: unless they are the faces of its dice, one for each; nothing is thrown where there are no dice.
    """
    if dice is None and not faces:
        return 0
    read = dice.read(tuple(faces)) if dice is not None else tuple(faces)
    if dice is not None and len(read) == dice.count and all(dice.low <= face <= dice.high for face in read):
        return dice.fell(read)
    what = f"{len(read)} dice ({', '.join(map(str, read)) or 'none'}) for `{action}`"
    needed = f"{dice.count} dice with faces {dice.low} to {dice.high}" if dice is not None and dice.count else "no dice"
    fix = "give one face for each die"
    raise InputError([Fault(what, "$.dice", f"it throws {needed}", fix, kind="bad-dice")])
