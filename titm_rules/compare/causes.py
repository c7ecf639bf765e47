"""Which clauses make a difference: the smallest sets that turn one edition's answer into the other's."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from titm_rules.compare.rules import DECLARATIONS, ModelPair
from titm_rules.rules.model import Model, Question

TRIED = 300
DecidesTest = Callable[[Sequence[str]], bool]


@dataclass(frozen=True)
class DecidingSets:
    """Sets of clauses, each of which alone makes the difference; smallest sets only.

    A `-` stands before a clause that says something of the matter in the first edition only, a `+`
    before one that does so in the second only, and nothing before one that says something else in each.
    """

    sets: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return " or ".join(" with ".join(one) for one in self.sets) or DECLARATIONS


def cause_of(pair: ModelPair, question: Question, answer: Callable[[Model], Any], wanted: object) -> DecidingSets:
    """Find the smallest sets of clauses to take over so that the first rules answer as the second.

    Args:
        pair: the two editions.
        question: what is asked.
        answer: gives the answer under some rules.
        wanted: the answer of the second.
    """

    def turns(clauses: Sequence[str]) -> bool:
        return bool(answer(pair.mixture_for(question, clauses)) == wanted)

    return causes(pair, pair.changed_for(question), turns, pair.heads_of(question))


def causes(
    pair: ModelPair, clauses: Sequence[str], turns: DecidesTest, heads: frozenset[str] | None = None, tried: int = TRIED
) -> DecidingSets:
    """Find the smallest sets among some clauses that pass a test which all of them together pass.

    The signs tell what clauses say of some heads; default: of any. At most so many sets of a size are `tried`.
    """
    found = smallest(clauses, turns, tried)
    return DecidingSets(tuple(tuple(pair.sign(clause, heads) + clause for clause in one) for one in found))


def smallest(items: Sequence[str], test: DecidesTest, tried: int = TRIED) -> list[tuple[str, ...]]:
    """Find all smallest sets that pass, if all items together do.

    Where there are more sets of a size than may be tried, one is given from which nothing can be spared.
    """
    for size in range(1, len(items)):
        if comb(len(items), size) > tried:
            return [_spared(items, test)]
        found = [one for one in itertools.combinations(items, size) if test(one)]
        if found:
            return found
    return [tuple(items)] if items else []


def _spared(items: Sequence[str], test: DecidesTest) -> tuple[str, ...]:
    kept = list(items)
    for item in items:
        fewer = [one for one in kept if one != item]
        if test(fewer):
            kept = fewer
    return tuple(kept)
