"""What a comparison says of one question: a verdict, how far it reaches, and the evidence for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from titm_rules.compare.answers import EQUIVALENT, NO_EVIDENCE, UNKNOWN, relation
from titm_rules.compare.causes import DecidingSets
from titm_rules.compare.evidence import Evidence, idle
from titm_rules.compare.grades import Grade
from titm_rules.rules.model import ATTESTED

PROVED, SEARCHED, LIKE, NOT_SEARCHED = "proved", "searched", "like", "not searched"
PLAY = "play"  # stands for the course of a game where others stand for a question
ALIKE, DIFFERENT, OPEN = 0, 1, 3  # exit codes
Json = dict[str, Any]


@dataclass(frozen=True)
class Found:
    """A situation in which two editions answer differently: the first of its cause in the order of search.

    Attributes:
        situation: its name; `data` its values.
        inputs: what the question takes besides.
        size: how much of the situation varies.
        number: how many situations were asked up to this one, itself among them.
        first: what only the first edition allows or answers; `second`: what only the second does.
        worlds: which small worlds it is one of.
        line: the actions that lead from the situation to the difference, in the course of a game.
    """

    situation: str
    data: Mapping[str, Any]
    inputs: Mapping[str, Any]
    size: int
    number: int
    first: Any
    second: Any
    cause: DecidingSets
    worlds: str = ""
    line: Sequence[str] = ()


@dataclass(frozen=True)
class Search:
    """How far some worlds were searched: all of a size up to `size`, or some that were drawn; `asked` in all."""

    worlds: str
    size: int | None
    asked: int

    def __str__(self) -> str:
        return f"{self.worlds}: {self._extent}"

    @property
    def _extent(self) -> str:
        if self.size is None:
            return "drawn at random"
        return f"up to size {self.size}" if self.size >= 0 else "not all of the smallest"


@dataclass
class QuestionResult:
    """What a comparison says of one question.

    Attributes:
        how: proved, searched, like (as another question says) or not searched.
        relation: how the second edition stands to the first in what was asked.
        proof: why it holds at any size; empty if it does not.
        like: the question that this one follows.
        clauses: the clauses that say other things of what the answer rests on.
        searches: what was searched.
        evidence: what the situations showed of each of the clauses.
        grades: how well each edition attests what the answer rests on.
        apart: where one edition alone says what always holds: what it refuses is not asked.
        found: the first situation for each cause.
    """

    question: str
    how: str
    relation: str = EQUIVALENT
    proof: str = ""
    like: str = ""
    clauses: Sequence[str] = ()
    searches: list[Search] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    grades: tuple[Grade, Grade] = (Grade(), Grade())
    found: list[Found] = field(default_factory=list)
    directions: tuple[bool, bool] = (False, False)
    apart: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """How the second edition stands to the first, as far as that can be said.

        Nothing is called equivalent that rests on clauses which never held, or on words that are lost, nor where
        only one edition takes some positions for possible.
        """
        if self.relation != EQUIVALENT:
            return self.relation
        if self.apart or self.how == NOT_SEARCHED or (idle(self.evidence) and not self.proof):
            return NO_EVIDENCE
        return EQUIVALENT if self.grade == ATTESTED else UNKNOWN

    @property
    def grade(self) -> str:
        """The worse of the two grades."""
        return next((one.name for one in self.grades if one.revised), None) or next(
            (one.name for one in self.grades if one.carried), ATTESTED
        )

    @property
    def asked(self) -> int:
        """How many situations were asked."""
        return sum(one.asked for one in self.searches)

    def why(self) -> str:
        """Say in a sentence what a verdict rests on, or what it lacks."""
        never = [one for one in idle(self.evidence) if not self.proof]
        told = [self.proof] if self.proof else []
        if self.how == NOT_SEARCHED:
            told.append("no worlds are known in which it could be asked")
        if self.apart:
            told.append(f"positions that only one of them refuses were not compared ({', '.join(self.apart)})")
        if self.how == LIKE:
            told.append(f"as {self.like}")
        told += [f"{one.clause} never held in {one.looked} situations" for one in never]
        if self.verdict == UNKNOWN:
            told.append(next(str(one) for one in self.grades if one.name == self.grade))
        return "; ".join(told)

    def turn(self, more: bool, less: bool) -> None:
        """Note a situation in which the second edition allows more, or less, or both."""
        self.directions = self.directions[0] or more, self.directions[1] or less
        self.relation = relation(*self.directions)

    def record(self) -> Json:
        """Give it as JSON values."""
        found = [asdict(one) | {"cause": [list(names) for names in one.cause.sets]} for one in self.found]
        return asdict(self) | {"verdict": self.verdict, "why": self.why(), "asked": self.asked, "found": found}


def read_result(record: Mapping[str, Any]) -> QuestionResult:
    """Read back what `record` gave."""
    found = [Found(**{**one, "cause": DecidingSets(tuple(map(tuple, one["cause"])))}) for one in record["found"]]
    first, second = (Grade(tuple(one["carried"]), one["revised"]) for one in record["grades"])
    return QuestionResult(
        record["question"], record["how"], record["relation"], record["proof"], record["like"], record["clauses"],
        [Search(**one) for one in record["searches"]], [Evidence(**one) for one in record["evidence"]],
        (first, second), found, tuple(record["directions"]), tuple(record["apart"]),
    )  # fmt: skip


def joined(results: Sequence[QuestionResult]) -> QuestionResult:
    """Put together what several searches say of one matter; of each cause the shortest line stays."""
    first = results[0]
    whole = replace(first, searches=[], evidence=[], found=[], relation=EQUIVALENT, directions=(False, False))
    for one in results:
        whole.turn(*one.directions)
        whole.searches += one.searches
        whole.found += one.found
    kept: dict[DecidingSets, Found] = {}
    for found in sorted(whole.found, key=lambda one: len(one.line)):
        kept.setdefault(found.cause, found)
    whole.found = list(kept.values())
    whole.evidence = [_added(same) for same in zip(*(one.evidence for one in results), strict=True)]
    return whole


def _added(same: Sequence[Evidence]) -> Evidence:
    """Add up what several searches showed of one clause."""
    held = any(one.held for one in same)
    return Evidence(
        same[0].clause, sum(one.decided for one in same), held, 0 if held else sum(one.looked for one in same)
    )


def exit_code(results: Iterable[QuestionResult]) -> int:
    """Give the exit code: 1 if anything differs, else 3 if anything is unknown or without evidence, else 0."""
    found = list(results)
    if any(one.found or one.relation != EQUIVALENT for one in found):
        return DIFFERENT
    return OPEN if any(one.verdict != EQUIVALENT for one in found) else ALIKE
