"""Which clauses make a difference: the smallest sets that turn one edition's answer into the other's."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb

from titm_rules.compare.answers import Bench, Data
from titm_rules.compare.rules import Pair
from titm_rules.diagnostics import InputError
from titm_rules.model.model import Model, Question

TRIED = 300
Test = Callable[[Sequence[str]], bool]


@dataclass(frozen=True)
class Cause:
    """Sets of clauses, each of which alone makes the difference; smallest sets only.

    A `-` stands before a clause that only the first edition has in force, a `+` before one that
    only the second has, and nothing before one that says something else in each (or is read otherwise).
    """

    sets: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return " or ".join(" with ".join(one) for one in self.sets) or "declarations"


def cause_of(pair: Pair, bench: Bench, question: Question, inputs: Data, wanted: object) -> Cause:
    """Find the smallest sets of clauses to take over so that the first rules answer as the second."""

    def turns(clauses: Sequence[str]) -> bool:
        try:
            return bool(bench.answer(pair.mixture(clauses), question, inputs) == wanted)
        except InputError:
            return False

    return causes(pair, pair.changed_for(question), turns)


def causes(pair: Pair, clauses: Sequence[str], turns: Test) -> Cause:
    """Find the smallest sets among some clauses that pass a test."""
    return Cause(tuple(signed(pair, one) for one in smallest(clauses, turns)))


def signed(pair: Pair, clauses: Sequence[str]) -> tuple[str, ...]:
    """Mark which edition has a clause."""
    return tuple(_sign(clause, pair.first, pair.second) + clause for clause in clauses)


def _sign(clause: str, first: Model, second: Model) -> str:
    if clause not in second.clauses:
        return "-"
    return "" if clause in first.clauses else "+"


def smallest(items: Sequence[str], test: Test) -> list[tuple[str, ...]]:
    """Find all smallest sets that pass; where there are too many to try, one from which nothing can be spared."""
    for size in range(1, len(items) + 1):
        if comb(len(items), size) > TRIED:
            return _spared(items, test)
        found = [one for one in itertools.combinations(items, size) if test(one)]
        if found:
            return found
    return []


def _spared(items: Sequence[str], test: Test) -> list[tuple[str, ...]]:
    kept = list(items)
    if not test(kept):
        return []
    for item in items:
        fewer = [one for one in kept if one != item]
        if test(fewer):
            kept = fewer
    return [tuple(kept)]
