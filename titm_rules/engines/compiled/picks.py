"""What choosers may pick in each state of an allocation, kept as tables; a state is one whole number.

A byte of the number says how often a target was picked, the first target in the lowest byte: to pick a target adds
a power of 256.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import factorial, prod

from titm_rules.diagnostics import Fault, InputError

MOST_PICKS = 255
KEPT = 50_000  # states in tables that are kept from one battle to the next

Numbers = tuple[int, ...]


class TooMany(Exception):
    """There are more states than the caller wants to follow."""


class Table:
    """What choosers that are alike may pick.

    Attributes:
        open: by state, the numbers of the targets.
        cells: by kinds and counts of all targets in a state, the kinds and counts of those that may be picked.
    """

    __slots__ = ("cells", "open")

    def __init__(self) -> None:
        self.open: dict[int, Numbers] = {}
        self.cells: dict[Hashable, frozenset[tuple[int, int]]] = {}


class Tables:
    """The tables of one form, by what they rest on; all are forgotten when they have grown too large."""

    def __init__(self) -> None:
        self._known: dict[Hashable, dict[Hashable, Table]] = {}
        self._states = 0

    def about(self, rests_on: Hashable) -> dict[Hashable, Table]:
        """Give the tables by kind of chooser for battles that are alike in all that picks rest on."""
        found = self._known.get(rests_on)
        if found is None:
            found = self._known[rests_on] = {}
        return found

    def grow(self) -> None:
        """Note that a state was added."""
        self._states += 1
        if self._states > KEPT:
            self._known, self._states = {}, 0


# ---------------------------------------------------------------------- states
def counts_of(state: int, targets: int) -> Numbers:
    """List how often each target was picked."""
    return tuple(state.to_bytes(targets, "little"))


def state_of(counts: Sequence[int]) -> int:
    """Make a state of how often each target was picked."""
    return int.from_bytes(bytes(counts), "little")


UNITS = tuple(1 << 8 * number for number in range(MOST_PICKS))  # what the pick of a target adds to a state


# ---------------------------------------------------------------------- numbers of ways
FACTORIALS = tuple(factorial(number) for number in range(MOST_PICKS + 1))


def multinomial(parts: Sequence[int]) -> int:
    """Count the ways to share members out in parts of these sizes."""
    return FACTORIALS[sum(parts)] // prod([FACTORIALS[part] for part in parts])


def too_large(form: str, why: str) -> InputError:
    """Tell that an allocation is too large to be looked at."""
    return InputError([Fault(f"too large for `{form}`", "$.input", why, "ask about fewer", kind="too-large")])


def check_size(form: str, choosers: int, targets: int) -> None:
    """Refuse allocations whose states do not fit.

    Raises:
        InputError: for more than 255 choosers or targets.
    """
    if max(choosers, targets) > MOST_PICKS:
        raise too_large(form, f"limit: {MOST_PICKS} who choose, and as many to choose from")
