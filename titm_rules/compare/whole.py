"""All editions of a game, pair by pair and question by question; what is done is kept and can be taken up again.

Editions that say the same of a question are searched once for all of them. How well each attests what it
says is worked out for every pair.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from titm_rules.compare.answers import on_one_vocabulary
from titm_rules.compare.find import SEARCH_FILE, PairSearch, find_differences, read_search
from titm_rules.compare.grades import Grade, grade_of
from titm_rules.compare.play import play_result, played
from titm_rules.compare.proof import SAME_CLAUSES
from titm_rules.compare.results import PLAY, PROVED, QuestionResult, joined, read_result
from titm_rules.compare.rules import ModelPair
from titm_rules.diagnostics import Fault, InputError
from titm_rules.editions.games import game_folder
from titm_rules.editions.load import load_model, rules_digest
from titm_rules.formats.search import SearchFile
from titm_rules.oracle.labour import read_part, shared_out, write_part
from titm_rules.rules.model import Question
from titm_rules.rules.rests import rests_of

FORMAT = 3
PLAYED = 600  # situations of games from one kind of beginning: all editions play them at once
Json = dict[str, Any]
TellParts = Callable[[int, int], None]
FindTell = Callable[[str, int], None]


def find_all(
    pair: ModelPair, wanted: SearchFile, names: Sequence[str] = (), tell: FindTell = lambda _name, _count: None,
    each: bool = False,
) -> Iterator[QuestionResult]:  # fmt: skip
    """Say how two editions differ in every kind of question and in the course of play.

    Args:
        pair: the two editions.
        wanted: what to search besides what the clauses call for.
        names: only these questions; `play` stands for the course of play; default: all.
        tell: is told what is searched and how many situations were asked.
        each: search each question by itself, also one that another covers.

    Raises:
        InputError: for an unknown question, worlds that the rule set cannot read, or games that begin nowhere.
    """
    if PLAY in names and not wanted.play:
        why = f"{SEARCH_FILE} does not say from where games are played"
        raise InputError([Fault("no games are compared", "--query", why, "name worlds under `play` there")])
    questions = [name for name in names if name != PLAY]
    if questions or not names:
        yield from find_differences(pair, wanted, questions, tell, each)
    if wanted.play and (PLAY in names or not names):
        yield play_result(pair, wanted, tell)


@dataclass(frozen=True)
class SearchPlan:
    """Which editions are compared, oldest first; every pair of them is."""

    editions: tuple[str, ...]
    game: str = ""

    @property
    def digest(self) -> str:
        """A name for the results: another one if the rules or the search file change."""
        found = hashlib.sha256(repr((FORMAT, self.editions)).encode())
        found.update((game_folder(self.game) / SEARCH_FILE).read_bytes())
        for name in self.editions:
            found.update(rules_digest(name, self.game).encode())
        return found.hexdigest()[:16]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs, the older edition of each first."""
        return list(itertools.combinations(self.editions, 2))


@dataclass(frozen=True, order=True)
class Task:
    """A question to be searched for two editions that stand for all that say the same, or games under all editions.

    Attributes:
        question: its name; `play` for games.
        of: the two editions, or the name of the worlds in which games begin.
    """

    question: str
    of: tuple[str, ...]

    @property
    def file(self) -> str:
        """The name of the file that holds its results."""
        return f"{self.question}.{'.'.join(self.of)}.jsonl"


class WholeBoard:
    """The editions of a plan, and which of them say the same of each question."""

    def __init__(self, plan: SearchPlan) -> None:
        models = on_one_vocabulary([load_model(name, plan.game) for name in plan.editions])
        self.plan, self.models = plan, dict(zip(plan.editions, models, strict=True))
        self.wanted = read_search(plan.game)
        self._pairs: dict[tuple[str, str], ModelPair] = {}
        self.questions = {name: self._classes(question) for name, question in models[-1].questions.items()}
        self._grades: dict[tuple[str, str], Grade] = {}

    def pair(self, first: str, second: str) -> ModelPair:
        """Give two editions; one of the others stands for a mixture that says the same."""
        if (first, second) not in self._pairs:
            known = tuple(self.models.values())
            self._pairs[first, second] = ModelPair(self.models[first], self.models[second], known)
        return self._pairs[first, second]

    def _classes(self, question: Question) -> dict[str, str]:
        """Name for each edition the oldest that says the same of a question."""
        found: dict[str, str] = {}
        for name in self.models:
            older = dict.fromkeys(found.values())
            found[name] = next((one for one in older if self.pair(one, name).is_same_for(question)), name)
        return found

    def tasks(self) -> list[Task]:
        """List what has to be done, each once; games take longest and come first."""
        asked = {self.task(question, *pair) for question in self.questions for pair in self.plan.pairs}
        games = [Task(PLAY, (course.world,)) for course in self.wanted.play]
        return [*games, *sorted(task for task in asked if task is not None)]

    def task(self, question: str, first: str, second: str) -> Task | None:
        """Give the search that answers for two editions; nothing if they say the same."""
        one, other = self.questions[question][first], self.questions[question][second]
        return None if one == other else Task(question, (one, other))

    def grade(self, question: str, edition: str) -> Grade:
        """Grade what a question rests on in an edition."""
        key = question, edition
        if key not in self._grades:
            model = self.models[edition]
            basis = rests_of(model).of_question(model.questions[question])
            self._grades[key] = grade_of(model, basis.clauses)
        return self._grades[key]


@lru_cache(maxsize=2)
def board_of(plan: SearchPlan) -> WholeBoard:
    """Make the board of a plan; once in a process."""
    return WholeBoard(plan)


def search(plan: SearchPlan, task: Task) -> tuple[Task, list[Json]]:
    """Carry out a task; give its results: one for two editions, or one for every two."""
    board = board_of(plan)
    if task.question == PLAY:
        [course] = [one for one in board.wanted.play if (one.world,) == task.of]
        games = played(board.models, board.wanted, course, nodes=PLAYED)
        return task, [games[pair].record() for pair in plan.pairs]
    first, second = task.of
    finder = PairSearch(board.pair(first, second), board.wanted)
    return task, [finder.result(board.models[second].questions[task.question]).record()]


def run(plan: SearchPlan, folder: Path, jobs: int, backend: str, tell: TellParts = lambda _done, _all: None) -> None:
    """Carry out the searches that are not done yet, and keep the result of each when it is.

    Args:
        plan: what to compare.
        folder: where results are kept; those that it holds already are not worked out again.
        jobs: how many workers; -1: as many as there are cores.
        backend: who works: a backend of joblib.
        tell: is told how many searches are done, and of how many.

    Raises:
        InputError: for a backend that is unknown or not installed.
    """
    tasks = board_of(plan).tasks()
    todo = [task for task in tasks if _kept(folder, task) is None]
    done = len(tasks) - len(todo)
    tell(done, len(tasks))
    for task, results in shared_out(search, [(plan, task) for task in todo], jobs, backend):
        write_part(folder / task.file, results)
        done += 1
        tell(done, len(tasks))


def _kept(folder: Path, task: Task) -> list[Json] | None:
    return read_part(folder / task.file)


def gather(plan: SearchPlan, folder: Path) -> dict[tuple[str, str], list[QuestionResult]]:
    """Give for each pair what was found of each question, and of the course of play.

    Raises:
        InputError: if a search is missing.
    """
    board = board_of(plan)
    done = {task: _done(folder, task) for task in board.tasks()}
    return {pair: list(_results(board, done, number, pair)) for number, pair in enumerate(plan.pairs)}


def _done(folder: Path, task: Task) -> list[QuestionResult]:
    records = _kept(folder, task)
    if records is None:
        raise InputError([Fault("the comparison is not complete", str(folder / task.file), "", "run it again")])
    return [read_result(record) for record in records]


def _results(
    board: WholeBoard, done: Mapping[Task, Sequence[QuestionResult]], number: int, pair: tuple[str, str]
) -> Iterator[QuestionResult]:
    for question in board.questions:
        grades = board.grade(question, pair[0]), board.grade(question, pair[1])
        task = board.task(question, *pair)
        if task is None:
            yield QuestionResult(question, PROVED, proof=SAME_CLAUSES, grades=grades)
        else:
            yield replace(done[task][0], grades=grades)
    games = [results[number] for task, results in done.items() if task.question == PLAY]
    if games:
        yield joined(games)
