"""One question put to situation after situation under two editions, and what that shows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from titm_rules.compare.answers import Bench, EngineFor, compare, parted
from titm_rules.compare.causes import DecidingSets, cause_of
from titm_rules.compare.drawn import Draft, Drawing
from titm_rules.compare.evidence import AskModel, EvidenceTally
from titm_rules.compare.focus import Likely, nothing_likely
from titm_rules.compare.results import Found, QuestionResult, Search
from titm_rules.compare.rules import ModelPair
from titm_rules.compare.worlds import Worlds
from titm_rules.diagnostics import InputError
from titm_rules.formats.values import check_input
from titm_rules.rules.model import Model, Question

SIMPLER = 200  # drafts that are tried to make one simpler
Tell = Callable[[str, int], None]


@dataclass(frozen=True)
class Ground:
    """Worlds of one kind to put a question to.

    Attributes:
        most: the largest size that is listed.
        listed: list at most so many in growing size.
        drawn: draw at most so many at random besides, until the clause that is `aimed_at` decides.
        likely: which values come up more often in those.
    """

    name: str
    worlds: Worlds
    most: int
    listed: int
    drawn: int = 0
    aimed_at: str = ""
    likely: Likely = nothing_likely


@dataclass(frozen=True)
class _Different:
    """Two answers that differ, and why."""

    first: Any
    second: Any
    cause: DecidingSets


class Inquiry:
    """Puts one question to two editions; `result` tells what came of it."""

    def __init__(self, pair: ModelPair, question: Question, result: QuestionResult, tell: Tell) -> None:
        self.pair, self.question, self.result, self.tell = pair, question, result, tell
        self.tally = EvidenceTally(pair, result.clauses, pair.heads_of(question))
        self.asked = 0

    @property
    def settled(self) -> bool:
        """Whether nothing is left to find: each edition allows what the other does not, by every clause."""
        return all(self.result.directions) and all(clause in self.tally.decided for clause in self.tally.clauses)

    def ask_cases(self, cases: Sequence[Mapping[str, Any]]) -> None:
        """Ask all cases of a question about no situation."""
        for inputs in cases:
            self._ask(Bench(self.question.situation, {}), inputs, 0, "all cases")
        self.result.searches.append(Search("all cases", 0, len(cases)))

    def search(self, ground: Ground) -> None:
        """Ask the worlds of a ground in growing size, then some at random; no more once all is settled."""
        before = self.asked
        if ground.listed and not self.settled:
            size = self._list(ground)
            self.result.searches.append(Search(ground.name, size, self.asked - before))
        if ground.drawn and ground.aimed_at not in self.tally.decided:
            self._draw(ground)

    def _list(self, ground: Ground) -> int:
        """Ask worlds in growing size; give the largest size of which all were asked."""
        before, most = self.asked, min(ground.most, ground.worlds.largest)
        for size in range(most + 1):
            for bench, inputs in benches(self.pair.second, self.question, ground.worlds, size):
                if self.asked - before == ground.listed or self.settled:
                    return size - 1
                self._ask(bench, inputs, size, ground.name)
        return most

    # ------------------------------------------------------------------ worlds drawn at random
    def _draw(self, ground: Ground) -> None:
        drawing, rng, before = Drawing(ground.worlds, ground.likely), random.Random(ground.aimed_at), self.asked
        name = f"{ground.name}, drawn"
        for _ in range(ground.drawn):
            if ground.aimed_at in self.tally.decided:
                break
            draft, known = drawing.draw(rng), len(self.result.found)
            bench, inputs = self._bench(drawing, draft)
            self._ask(bench, inputs, drawing.size(draft), name)
            if len(self.result.found) > known:
                self._simplify(drawing, draft, name)
        self._note_drawn(ground.name, self.asked - before)

    def _note_drawn(self, worlds: str, asked: int) -> None:
        """Add to how many worlds of one kind were drawn."""
        searches = self.result.searches
        known = next((one for one in searches if (one.worlds, one.size) == (worlds, None)), None)
        kept = [one for one in searches if one is not known]
        self.result.searches = [*kept, Search(worlds, None, asked + (known.asked if known else 0))]

    def _bench(self, drawing: Drawing, draft: Draft) -> tuple[Bench, Any]:
        data, inputs = drawing.made(draft)
        return _bench(self.pair.second, self.question, data, inputs)

    def _simplify(self, drawing: Drawing, draft: Draft, name: str) -> None:
        """Put in place of the last situation found the simplest that can be had from it for the same cause."""
        found = self.result.found.pop()
        tried = 0
        simpler = drawing.simpler(draft)
        while tried < SIMPLER and (one := next(simpler, None)) is not None:
            tried += 1
            bench, inputs = self._bench(drawing, one)
            with suppress(InputError):  # of what is left away something may be asked about
                different = self._difference(bench, inputs)
                if different is None or different.cause != found.cause:
                    continue
                draft, simpler = one, drawing.simpler(one)
                found = _found(bench, inputs, drawing.size(one), found.number, name, different)
        self.result.found.append(found)

    # ------------------------------------------------------------------ one situation
    def _ask(self, bench: Bench, inputs: Mapping[str, Any], size: int, worlds: str) -> None:
        """Ask one situation of both editions, and keep what it shows."""
        self.asked += 1
        if self.asked % 100 == 0:
            self.tell(self.question.name, self.asked)
        try:
            different = self._difference(bench, inputs)
        except InputError:
            return  # what is asked about is not there
        self.tally.keep(_again(self.question, bench, inputs), worlds)
        if different is None:
            return
        less, more = compare(self.question, different.first, different.second)
        self.result.turn(more, less)
        self.tally.note(different.cause)
        known = next((found for found in self.result.found if found.cause == different.cause), None)
        if known is None:
            self.result.found.append(_found(bench, inputs, size, self.asked, worlds, different))
        elif size < known.size:
            smaller = _found(bench, inputs, size, self.asked, worlds, different)
            self.result.found = [smaller if found is known else found for found in self.result.found]

    def _difference(self, bench: Bench, inputs: Mapping[str, Any]) -> _Different | None:
        def answer(model: Model) -> Any:
            return bench.answer(model, self.question, inputs)

        if not (bench.is_possible(self.pair.first) and bench.is_possible(self.pair.second)):
            return None
        first, second = (answer(model) for model in (self.pair.first, self.pair.second))
        if first == second:
            return None
        return _Different(first, second, cause_of(self.pair, self.question, answer, second))


def _found(
    bench: Bench, inputs: Mapping[str, Any], size: int, number: int, worlds: str, different: _Different
) -> Found:
    only = parted(different.first, different.second)
    return Found(bench.situation, bench.data, inputs, size, number, *only, different.cause, worlds)


def _again(question: Question, bench: Bench, inputs: Mapping[str, Any]) -> AskModel:
    """Give a way to ask a situation once more, of an engine that is made as the asker likes."""

    def ask(model: Model, make: EngineFor) -> Any:
        return Bench(bench.situation, bench.data).answer(model, question, inputs, make)

    return ask


def benches(model: Model, question: Question, worlds: Worlds, size: int) -> Iterator[tuple[Bench, Any]]:
    """Make a bench for every world of a size, with the inputs of the question.

    Raises:
        InputError: for a world that does not fit the schema of the question.
    """
    last, kept = None, Bench("", {})
    for data, inputs in worlds.of_size(size):
        bench, raw = _bench(model, question, data, inputs)
        if data is not last:
            last, kept = data, bench
        yield kept, raw


def _bench(model: Model, question: Question, data: Mapping[str, Any], inputs: Mapping[str, Any]) -> tuple[Bench, Any]:
    raw = check_input(model, question, {**inputs, question.situation: data}, "$")
    return Bench(question.situation, raw.pop(question.situation)), raw
