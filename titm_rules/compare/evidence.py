"""Evidence for what a search says: which of the clauses that differ decided, and which ever held."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from titm_rules.compare.causes import DecidingSets
from titm_rules.compare.rules import ModelPair, speaker
from titm_rules.diagnostics import TitmError
from titm_rules.engines.engine import Engine
from titm_rules.engines.make import make_watched
from titm_rules.rules.model import Model
from titm_rules.world.world import World

Kept = TypeVar("Kept")
AskModel = Callable[[Model, Callable[[Model, World], Engine]], Any]
DECIDED, HELD, IDLE = "decided", "held", "never held"


@dataclass(frozen=True)
class Evidence:
    """What the situations of a search showed of one clause.

    Attributes:
        clause: its number, with a sign as in a cause.
        decided: in how many situations it was among the clauses that made the difference.
        held: whether a sentence of it that differs counted somewhere, with or without making a difference.
        looked: if it never held, in how many situations that was looked for.
    """

    clause: str
    decided: int
    held: bool
    looked: int = 0

    @property
    def grade(self) -> str:
        """Say it in a word or two."""
        return DECIDED if self.decided else HELD if self.held else IDLE


@dataclass
class Sample(Generic[Kept]):
    """Some of many situations, evenly."""

    most: int
    kept: list[Kept] = field(default_factory=list)
    stride: int = 1
    seen: int = 0

    def keep(self, one: Kept) -> None:
        """Keep one if its turn has come."""
        if self.seen % self.stride == 0:
            self.kept.append(one)
            if len(self.kept) > self.most:
                self.kept = self.kept[::2]
                self.stride *= 2
        self.seen += 1


@dataclass
class EvidenceTally:
    """Counts, over the situations of a search, which clauses decided, and looks whether the others held.

    Attributes:
        most: in how many situations of one kind of worlds it is looked at most; the naive engine does
            that, and is slow. Each kind has its own, so that a large one leaves room for a small one.
    """

    pair: ModelPair
    clauses: Sequence[str]
    heads: frozenset[str]
    most: int = 150
    decided: dict[str, int] = field(default_factory=dict)
    _samples: dict[str, Sample[AskModel]] = field(default_factory=dict)

    def note(self, cause: DecidingSets) -> None:
        """Count a situation in which the two editions differ."""
        for clause in {name.lstrip("+-") for names in cause.sets for name in names}:
            self.decided[clause] = self.decided.get(clause, 0) + 1

    def keep(self, ask: AskModel, worlds: str = "") -> None:
        """Remember how to ask one situation again; of many situations of some worlds some, evenly, are kept."""
        self._samples.setdefault(worlds, Sample(self.most)).keep(ask)

    @property
    def _kept(self) -> list[AskModel]:
        return [ask for sample in self._samples.values() for ask in sample.kept]

    def evidence(self) -> list[Evidence]:
        """Say of every clause whether it decided or held; those that decided are not looked at again."""
        held = self._held([clause for clause in self.clauses if clause not in self.decided])
        return evidence_of(self.pair, self.clauses, self.heads, self.decided, held, len(self._kept))

    def _held(self, clauses: Sequence[str]) -> set[str]:
        """Look in situations that were kept which clauses hold in either edition where they say other things."""
        found: set[str] = set()
        sides = list(zip(self.pair.models, self.pair.differing(clauses, self.heads), strict=True))
        for ask in reversed(self._kept):  # the larger of each kind come first: more is going on there
            if found >= set(clauses):
                break
            for model, sentences in sides:
                watched = {id(one): speaker(one) for _, one in sentences if speaker(one) not in found}
                if watched:
                    found |= held_in(model, watched, ask)
        return found


def evidence_of(
    pair: ModelPair, clauses: Iterable[str], heads: frozenset[str], decided: Mapping[str, int], held: Collection[str],
    looked: int,
) -> list[Evidence]:  # fmt: skip
    """Say of each clause in how many situations it decided, or whether it held in any of those that were looked at."""
    return [
        Evidence(pair.sign(one, heads) + one, decided.get(one, 0), True)
        if one in decided or one in held
        else Evidence(pair.sign(one, heads) + one, 0, False, looked)
        for one in clauses
    ]


def held_in(model: Model, watched: Mapping[int, str], ask: AskModel) -> set[str]:
    """Name the clauses of which a watched sentence holds while a question is answered.

    Args:
        model: the rules.
        watched: clauses by the identity of their sentences in these rules.
        ask: puts the question to an engine that is made as it is told.
    """
    seen: set[str] = set()
    with suppress(TitmError):  # where the rules decide nothing, what was looked at until then still counts
        ask(model, lambda rules, world: make_watched(rules, world, watched, seen))
    return seen


def idle(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Give the clauses that never held."""
    return [one for one in evidence if not one.held]
