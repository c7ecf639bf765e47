"""Two of the editions that play side by side, and what sets them apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from titm_rules.compare.answers import parted
from titm_rules.compare.causes import DecidingSets, causes
from titm_rules.compare.evidence import evidence_of
from titm_rules.compare.grades import play_grades
from titm_rules.compare.proof import SAME_CLAUSES
from titm_rules.compare.results import PLAY, PROVED, SEARCHED, Found, QuestionResult, Search
from titm_rules.compare.rules import ModelPair
from titm_rules.compare.side import Side, directions, shown
from titm_rules.rules.model import Model

TRIED = 20  # sets of clauses of one size that are tried; rules made of two editions take long to compile
TRACED = 40  # differences in one matter that are traced to clauses; of more it is only told which way they go
Json = dict[str, Any]
ViewOf = Callable[[Side], Any]


@dataclass(frozen=True)
class Matter:
    """What is compared: the legal actions of one kind, or what comes of an action."""

    name: str
    view: ViewOf


@dataclass(frozen=True)
class PlayedSituation:
    """A situation in games that some editions have played alike so far.

    Attributes:
        data: its values.
        line: the actions that led to it from `start`.
        size: how much of the first situation varies.
        editions: for which it is the same.
    """

    data: Json
    line: tuple[str, ...]
    start: Json
    size: int
    editions: tuple[str, ...]


@dataclass
class PlayedPair:
    """Two editions and the differences in their play."""

    pair: ModelPair
    situation: str
    course: str
    heads: frozenset[str] = field(init=False)
    result: QuestionResult = field(init=False)
    decided: dict[str, int] = field(default_factory=dict)
    _traced: dict[str, list[DecidingSets]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Collect the clauses that say other things of the course of a game."""
        self.heads = self.pair.played()
        clauses = self.pair.changed(self.heads)
        how, proof = (SEARCHED, "") if clauses else (PROVED, SAME_CLAUSES)
        grades, apart = play_grades(self.pair), self.pair.apart_in(self.situation)
        self.result = QuestionResult(PLAY, how, proof=proof, clauses=clauses, grades=grades, apart=apart)

    def differ(self, node: PlayedSituation, action: str, matter: Matter, answers: tuple[Any, Any], number: int) -> None:
        """Note that the two make different things of a situation, and keep it if it is the shortest of its cause."""
        self.result.turn(*directions(*answers))
        traced = self._traced.setdefault(matter.name, [])
        if len(traced) == TRACED:
            return
        cause = self._cause(node.data, matter.view, answers[1], traced)
        traced.append(cause)
        for clause in {name.lstrip("+-") for names in cause.sets for name in names}:
            self.decided[clause] = self.decided.get(clause, 0) + 1
        line = (*node.line, *([action] if action else []))
        known = next((one for one in self.result.found if one.cause == cause), None)
        if known is not None and len(known.line) <= len(line):
            return
        only = parted(*map(shown, answers))
        found = Found(self.situation, node.start, {}, node.size, number, *only, cause, self.course, line)
        self.result.found = [*(one for one in self.result.found if one is not known), found]

    def _cause(self, data: Json, view: ViewOf, wanted: object, traced: Sequence[DecidingSets]) -> DecidingSets:
        """Trace a difference; causes of others are tried first, the last one in the same matter before all."""

        def turns(names: Sequence[str]) -> bool:
            return bool(view(Side(self.pair.mixture(names), self.situation, data)) == wanted)

        for one in dict.fromkeys([*traced[-1:], *(found.cause for found in self.result.found)]):
            if one.sets and turns([name.lstrip("+-") for name in one.sets[0]]):
                return one
        return causes(self.pair, self.result.clauses, turns, self.heads, TRIED)

    def finish(self, extent: Search, held: Mapping[int, frozenset[int]], looked: int) -> QuestionResult:
        """Say what came of it.

        Args:
            extent: how far games were played.
            held: by the identity of rules, the sentences of theirs that held somewhere, by identity.
            looked: in how many situations that was looked for.
        """
        if self.result.how == SEARCHED:
            self.result.searches.append(extent)
            self.result.evidence = evidence_of(
                self.pair, self.result.clauses, self.heads, self.decided, self._held(held), looked
            )
        return self.result

    def _held(self, held: Mapping[int, frozenset[int]]) -> set[str]:
        return {
            clause
            for clause in self.result.clauses
            for model, sentences in zip(self.pair.models, self.pair.differing([clause], self.heads), strict=True)
            if any(id(one) in held.get(id(model), ()) for _, one in sentences)
        }

    def undecided(self) -> list[tuple[Model, list[int]]]:
        """List for both rules the sentences, by identity, of clauses that have decided nothing so far."""
        left = [clause for clause in self.result.clauses if clause not in self.decided]
        sides = zip(self.pair.models, self.pair.differing(left, self.heads), strict=True)
        return [(model, [id(one) for _, one in sentences]) for model, sentences in sides]
