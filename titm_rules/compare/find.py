"""The smallest situations in which two editions differ, by exhaustive search in growing size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from titm_rules.compare.answers import EQUIVALENT, Bench, compare, parted, relation
from titm_rules.compare.causes import Cause, cause_of
from titm_rules.compare.rules import Pair
from titm_rules.compare.worlds import Worlds
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.edges.jsonin import read_data
from titm_rules.edges.records import question_class, validate
from titm_rules.edges.search import Hunt, SearchFile, check_search
from titm_rules.editions.load import game_folder
from titm_rules.model.model import Model, Question
from titm_rules.oracle.answer import find_question

SEARCH_FILE = "search.yaml"
SAME_CLAUSES, SEARCHED, LIKE, NOT_SEARCHED = "same clauses", "searched", "like", "not searched"
# How kinds of question about one form cover each other: what lists covers what checks.
COVERS = {"cost": "ends", "path": "ends", "choice": "choices"}
Tell = Callable[[str, int], None]


def read_search(game: str = "titm") -> SearchFile:
    """Read which small worlds a rule set wants searched.

    Raises:
        InputError: for a rule set without a search file, or a file with faults.
    """
    path = game_folder(game) / SEARCH_FILE
    found = check_search(read_data(path), str(path))
    for name in (*(hunt.world for hunt in found.find), *(survey.world for survey in found.atlas)):
        if name not in found.worlds:
            raise InputError([Fault(f"unknown world `{name}`", str(path), "", did_you_mean(name, found.worlds))])
    return found


@dataclass(frozen=True)
class Found:
    """A situation in which two editions answer differently: the first of its cause in the order of search.

    Attributes:
        situation: its name; `data` its values.
        number: how many situations were asked up to this one, itself among them.
        first: what only the first edition allows or answers; `second`: what only the second does.
    """

    situation: str
    data: Mapping[str, Any]
    inputs: Mapping[str, Any]
    size: int
    number: int
    first: Any
    second: Any
    cause: Cause


@dataclass
class Result:
    """What the search says of one question.

    Attributes:
        how: same clauses (no difference is possible), searched, like (as another question says)
            or not searched.
        verdict: how the second edition stands to the first, up to the size that was searched.
        size: all smaller situations and those of this size were asked.
        asked: how many.
        found: the smallest situation for each cause.
    """

    question: str
    how: str
    verdict: str = EQUIVALENT
    size: int = 0
    asked: int = 0
    like: str = ""
    clauses: Sequence[str] = ()
    found: list[Found] = field(default_factory=list)


def find_differences(
    pair: Pair, search: SearchFile, names: Sequence[str] = (), tell: Tell = lambda _name, _count: None
) -> Iterator[Result]:
    """Say for every kind of question how two editions differ, with the smallest situations.

    Args:
        pair: the two editions.
        search: what to search.
        names: only these questions; default: all.
        tell: is told the question that is searched and how many situations were asked.

    Raises:
        InputError: for an unknown question, or worlds that the rule set cannot read.
    """
    for name in names:
        find_question(pair.second, name, "--query")
    finder = _Finder(pair, search, tell)
    for question in pair.second.questions.values():
        if not names or question.name in names:
            yield finder.result(question)


class _Finder:
    """Searches for one pair of editions; each question is searched once."""

    def __init__(self, pair: Pair, search: SearchFile, tell: Tell) -> None:
        self.pair, self.search, self.tell = pair, search, tell
        self.hunts = {hunt.question: hunt for hunt in search.find}
        self.known: dict[str, Result] = {}

    def result(self, question: Question) -> Result:
        """Say how the editions differ in one kind of question."""
        clauses = self.pair.changed_for(question)
        if not clauses:
            return Result(question.name, SAME_CLAUSES)
        if question.name in self.hunts:
            return self._hunted(question)
        for other in self.pair.second.questions.values():
            if other.name in self.hunts and other.form == question.form and COVERS.get(question.ask) == other.ask:
                covering = self._hunted(other)
                return Result(question.name, LIKE, covering.verdict, covering.size, like=other.name, clauses=clauses)
        return Result(question.name, NOT_SEARCHED, clauses=clauses)

    def _hunted(self, question: Question) -> Result:
        if question.name not in self.known:
            hunt = self.hunts[question.name]
            self.known[question.name] = _hunted(self.pair, self.search, hunt, question, self.tell)
        return self.known[question.name]


def _hunted(pair: Pair, search: SearchFile, hunt: Hunt, question: Question, tell: Tell) -> Result:
    """Put a question to all worlds up to the size that the hunt names."""
    result = Result(question.name, SEARCHED, clauses=pair.changed_for(question))
    worlds = Worlds(search.worlds[hunt.world], hunt.takes)
    more = less = False
    for result.size in range(min(hunt.most, worlds.largest) + 1):
        for bench, inputs in benches(pair.second, question, worlds, result.size):
            result.asked += 1
            if result.asked % 100 == 0:
                tell(question.name, result.asked)
            first, second = (bench.answer(model, question, inputs) for model in (pair.first, pair.second))
            if first != second:
                one, other = compare(question, first, second)
                more, less = more or other, less or one
                _keep(result, pair, question, bench, inputs, first, second)
    result.verdict = relation(more, less)
    return result


def benches(model: Model, question: Question, worlds: Worlds, size: int) -> Iterator[tuple[Bench, Any]]:
    """Make a bench for every world of a size, with the inputs of the question.

    Raises:
        InputError: for a world that does not fit the schema of the question.
    """
    wanted, last, bench = question_class(model, question), None, Bench("", {})
    for data, inputs in worlds.of_size(size):
        raw = validate(wanted, {**inputs, question.situation: data}, "$")
        situation = raw.pop(question.situation)
        if data is not last:
            last, bench = data, Bench(question.situation, situation)
        yield bench, raw


def _keep(result: Result, pair: Pair, question: Question, bench: Bench, inputs: Any, first: Any, second: Any) -> None:
    cause = cause_of(pair, question, lambda model: bench.answer(model, question, inputs), second)
    if all(found.cause != cause for found in result.found):
        one, other = parted(first, second)
        result.found.append(Found(bench.situation, bench.data, inputs, result.size, result.asked, one, other, cause))
