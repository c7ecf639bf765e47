"""Compare all editions of a game, pair by pair, in resumable parts; the atlas of small worlds.

Editions that say the same of a question are searched once for all of them. How well each attests what it
says is worked out for every pair.

The work is cut into chunks, each written when it is done, so that an interrupted run
can resume; the result does not depend on which worker did which chunk.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from titm_rules.catalog import game_folder
from titm_rules.compare.counterexamples import SAME_CLAUSES, SEARCH_FILE, PairRun, find_differences, read_search
from titm_rules.compare.playout import play_result, played
from titm_rules.compare.results import (
    PLAY,
    PROVED,
    Grade,
    QuestionResult,
    QuestionRunner,
    compare,
    grade_of,
    joined,
    on_one_vocabulary,
    read_result,
    split_by_answer,
)
from titm_rules.compare.rule_pair import ModelPair, cause_of
from titm_rules.compare.small_worlds import Worlds
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.editions.load import load_model, rules_digest
from titm_rules.editions.registry import edition_on, list_editions
from titm_rules.formats.file_schemas import SearchFile, Survey
from titm_rules.formats.safe_json import bad
from titm_rules.formats.validate import check_input
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Model, Question
from titm_rules.oracle.batch import read_part, run_parts, write_part

# ---------------------------------------------------------------------- whole
PAIRS_FORMAT = 3
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
        names: only these questions; `play` is the course of play; default: all.
        tell: receives the name of the search and the number of situations asked so far.
        each: search each question separately, also one that another covers.

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
    """The editions to compare, oldest first; every pair of them is compared."""

    editions: tuple[str, ...]
    game: str = ""

    @property
    def digest(self) -> str:
        """A name for the results: another one if the rules or the search file change."""
        found = hashlib.sha256(repr((PAIRS_FORMAT, self.editions)).encode())
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


class AllPairsRun:
    """The editions of a plan, and which of them say the same of each question."""

    def __init__(self, plan: SearchPlan) -> None:
        models = on_one_vocabulary([load_model(name, plan.game) for name in plan.editions])
        self.plan, self.models = plan, dict(zip(plan.editions, models, strict=True))
        self.wanted = read_search(plan.game)
        self._pairs: dict[tuple[str, str], ModelPair] = {}
        self.questions = {name: self._classes(question) for name, question in models[-1].questions.items()}
        self._grades: dict[tuple[str, str], Grade] = {}

    def pair(self, first: str, second: str) -> ModelPair:
        """Return the pair of two editions; a mixture that equals another edition reuses that edition."""
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
        """Grade the clauses that a question depends on in an edition."""
        key = question, edition
        if key not in self._grades:
            model = self.models[edition]
            basis = dependencies_of(model).of_question(model.questions[question])
            self._grades[key] = grade_of(model, basis.clauses)
        return self._grades[key]


@lru_cache(maxsize=2)
def board_of(plan: SearchPlan) -> AllPairsRun:
    """Make the board of a plan; once in a process."""
    return AllPairsRun(plan)


def search(plan: SearchPlan, task: Task) -> tuple[Task, list[Json]]:
    """Carry out a task; give its results: one for two editions, or one for every two."""
    board = board_of(plan)
    if task.question == PLAY:
        [course] = [one for one in board.wanted.play if (one.world,) == task.of]
        games = played(board.models, board.wanted, course, nodes=PLAYED)
        return task, [games[pair].record() for pair in plan.pairs]
    first, second = task.of
    finder = PairRun(board.pair(first, second), board.wanted)
    return task, [finder.result(board.models[second].questions[task.question]).record()]


def run_pairs(
    plan: SearchPlan, folder: Path, jobs: int, backend: str, tell: TellParts = lambda _done, _all: None
) -> None:
    """Carry out the searches that are not done yet, and keep the result of each when it is.

    Args:
        plan: what to compare.
        folder: where results are kept; those that it holds already are not worked out again.
        jobs: how many workers; -1: as many as there are cores.
        backend: who works: a backend of joblib.
        tell: receives the number of searches done and their total.

    Raises:
        InputError: for a backend that is unknown or not installed.
    """
    tasks = board_of(plan).tasks()
    todo = [task for task in tasks if _kept(folder, task) is None]
    done = len(tasks) - len(todo)
    tell(done, len(tasks))
    for task, results in run_parts(search, [(plan, task) for task in todo], jobs, backend):
        write_part(folder / task.file, results)
        done += 1
        tell(done, len(tasks))


def _kept(folder: Path, task: Task) -> list[Json] | None:
    return read_part(folder / task.file)


def gather_pairs(plan: SearchPlan, folder: Path) -> dict[tuple[str, str], list[QuestionResult]]:
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
    board: AllPairsRun, done: Mapping[Task, Sequence[QuestionResult]], number: int, pair: tuple[str, str]
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


# ---------------------------------------------------------------------- survey
ATLAS_FORMAT = 2
LARGEST = 6


@dataclass(frozen=True)
class AtlasPlan:
    """The editions and the sizes of worlds that an atlas compares.

    Attributes:
        editions: their names, oldest first; every pair of them is compared.
        most: at most so many records in each group of a world, in order; the last goes for further ones.
    """

    editions: tuple[str, ...]
    most: tuple[int, ...]
    game: str = ""

    @property
    def digest(self) -> str:
        """A name for the results: another one if the rules, the search file or the plan change."""
        found = hashlib.sha256(repr((ATLAS_FORMAT, self.editions, self.most)).encode())
        found.update((game_folder(self.game) / SEARCH_FILE).read_bytes())
        for name in self.editions:
            found.update(rules_digest(name, self.game).encode())
        return found.hexdigest()[:16]


@dataclass
class Prepared:
    """A survey made ready: its worlds, the editions by what they say of the question, and pairs of those.

    Attributes:
        classes: editions that say the same, oldest first; one of each is asked.
        models: a model for each class.
        pairs: by the numbers of two classes, their rules.
        named: the rules of each edition.
        known: what was found, by all of a world that plays a part.
    """

    survey: Survey
    question: Question
    worlds: Worlds
    classes: list[list[str]]
    models: list[Model]
    pairs: dict[tuple[int, int], ModelPair]
    named: Mapping[str, Model]
    known: dict[str, list[Json]] = field(default_factory=dict)

    def rows(self, data: Json, inputs: Json) -> list[Json]:
        """Ask a world of all classes, or remember it if it differs from one that was asked in idle fields alone."""
        plain = {name: self._plain(name, value) for name, value in data.items()}
        key = json.dumps([plain, inputs])
        if key not in self.known:
            situation = self.question.situation
            raw = check_input(self.models[-1], self.question, {**inputs, situation: data}, "$")
            bench = QuestionRunner(situation, raw.pop(situation))
            self.known[key] = list(self._differences(bench, raw))
        return self.known[key]

    def _plain(self, name: str, value: Any) -> Any:
        idle = self.survey.idle.get(name)
        if not idle:
            return value
        return sorted(({field: v for field, v in one.items() if field not in ("id", *idle)} for one in value), key=str)

    def _differences(self, bench: QuestionRunner, inputs: Json) -> Iterator[Json]:
        """Yield a row for every two classes that answer differently."""
        known: dict[int, Any] = {}

        def answer(model: Model) -> Any:
            if id(model) not in known:
                known[id(model)] = bench.answer(model, self.question, inputs)
            return known[id(model)]

        for (a, b), pair in self.pairs.items():
            first, second = answer(pair.first), answer(pair.second)
            if first != second:
                cause = cause_of(pair, self.question, answer, second)
                less, more = compare(self.question, first, second)
                yield {
                    "classes": [a, b], "inputs": inputs, "cause": [list(names) for names in cause.sets],
                    "count": 1, "more": int(more), "less": int(less),
                }  # fmt: skip

    @property
    def grades(self) -> Mapping[str, str]:
        """The grade of each edition: how well it attests the clauses that the question depends on."""
        return {name: str(grade_of(self.named[name], self._clauses(name))) for names in self.classes for name in names}

    def _clauses(self, name: str) -> Iterable[str]:
        return dependencies_of(self.named[name]).of_question(self.question).clauses

    @property
    def parts(self) -> int:
        """The number of parts to ask; 0 if all editions say the same."""
        return self.worlds.parts() if len(self.classes) > 1 else 0


def plan_of(names: list[str], every: bool, most: str, game: str = "") -> AtlasPlan:
    """Plan what to compare: editions by name or date, or all; sizes as `2x2`.

    Raises:
        InputError: for fewer than two editions, or sizes that are none.
    """
    sizes = re.fullmatch(r"(\d{1,2})(?:x(\d{1,2}))*", most)
    numbers = tuple(int(part) for part in most.split("x")) if sizes else ()
    if not numbers or not all(1 <= number <= LARGEST for number in numbers):
        raise bad(
            f"`{most}` is not a size", "--max", f"write numbers from 1 to {LARGEST} with x between them", "bad-value"
        )
    infos = list_editions(game)
    if every:
        return AtlasPlan(tuple(info.name for info in infos), numbers, game)
    chosen = {edition_on(name, game) for name in names}
    if len(chosen) < 2:
        raise InputError([Fault("an atlas compares two editions or more", "A B", "", "name them, or give --all")])
    dated = {info.name: info.dated for info in infos}
    return AtlasPlan(tuple(sorted(chosen, key=lambda name: dated.get(name, name))), numbers, game)


@lru_cache(maxsize=4)
def prepare(plan: AtlasPlan) -> tuple[Prepared, ...]:
    """Make the surveys of a plan ready; once in a process.

    Raises:
        InputError: for an unknown edition or question.
    """
    search = read_search(plan.game)
    models = {name: load_model(name, plan.game) for name in plan.editions}
    found = []
    for survey in search.atlas:
        known = models[plan.editions[-1]].questions
        if survey.question not in known:
            fix = did_you_mean(survey.question, known)
            raise InputError([Fault(f"unknown question `{survey.question}`", SEARCH_FILE, "", fix)])
        places = range(len(plan.most)) if survey.bounds is None else survey.bounds
        most = [plan.most[min(place, len(plan.most) - 1)] for place in places]
        worlds = Worlds(search.worlds[survey.world], survey.takes, most)
        found.append(_prepared(survey, known[survey.question], worlds, models))
    return tuple(found)


def _prepared(survey: Survey, question: Question, worlds: Worlds, models: Mapping[str, Model]) -> Prepared:
    classes: list[list[str]] = []
    for name, model in models.items():
        alike = (one for one in classes if not ModelPair(models[one[0]], model).changed_for(question))
        found = next(alike, None)
        if found is None:
            classes.append([name])
        else:
            found.append(name)
    asked = on_one_vocabulary([models[names[0]] for names in classes])
    pairs = {
        (a, b): ModelPair(asked[a], asked[b], tuple(asked)) for a, b in itertools.combinations(range(len(asked)), 2)
    }
    return Prepared(survey, question, worlds, classes, asked, pairs, models)


# ---------------------------------------------------------------------- atlas
CHUNK = 200
AskedRows = dict[tuple[Any, ...], Json]


@dataclass(frozen=True, order=True)
class Chunk:
    """Some of the worlds of one survey."""

    survey: int
    start: int
    stop: int

    @property
    def file(self) -> str:
        """The name of the file that holds its rows."""
        return f"{self.survey:02}-{self.start:06}-{self.stop:06}.jsonl"


def chunks(plan: AtlasPlan) -> list[Chunk]:
    """Cut the work into chunks, in order."""
    found = []
    for number, survey in enumerate(prepare(plan)):
        rest = max(1, sum(1 for _ in survey.worlds.rows(0, 1))) if survey.parts else 1
        step = max(1, CHUNK // rest)
        found += [Chunk(number, at, min(at + step, survey.parts)) for at in range(0, survey.parts, step)]
    return found


def work(plan: AtlasPlan, chunk: Chunk) -> tuple[Chunk, list[Json]]:
    """Ask the worlds of a chunk of all editions; give a row for each pair of classes, inputs and cause."""
    survey = prepare(plan)[chunk.survey]
    rows: AskedRows = {}
    asked = 0
    for size, data, inputs in survey.worlds.rows(chunk.start, chunk.stop):
        asked += 1
        for row in survey.rows(data, inputs):
            _add(rows, row | {"size": size, "example": {survey.question.situation: data}})
    return chunk, [{"survey": survey.question.name, "asked": asked}, *rows.values()]


def _add(rows: AskedRows, row: Json) -> None:
    """Add a row to those of its kind; the smallest example stays, and of those the first."""
    key = (*row["classes"], json.dumps(row["inputs"], sort_keys=True), json.dumps(row["cause"]))
    kept = rows.get(key)
    if kept is None:
        rows[key] = row
        return
    smaller = row if row["size"] < kept["size"] else kept
    counts = {name: kept[name] + row[name] for name in ("count", "more", "less")}
    rows[key] = {**kept, **counts, "size": smaller["size"], "example": smaller["example"]}


# ---------------------------------------------------------------------- all chunks
def run_atlas(
    plan: AtlasPlan, folder: Path, jobs: int, backend: str, tell: TellParts = lambda _done, _all: None
) -> None:
    """Work on the chunks that are not done yet, and write each when it is.

    Args:
        plan: what to compare.
        folder: where the chunks are written; those that it holds already are not done again.
        jobs: how many workers; -1: as many as there are cores.
        backend: who works: a backend of joblib.
        tell: receives the number of chunks done and their total.

    Raises:
        InputError: for a backend that is unknown or not installed.
    """
    todo = [chunk for chunk in chunks(plan) if read_part(folder / chunk.file) is None]
    done = total = len(chunks(plan))
    done -= len(todo)
    tell(done, total)
    for chunk, rows in run_parts(work, [(plan, chunk) for chunk in todo], jobs, backend):
        write_part(folder / chunk.file, rows)
        done += 1
        tell(done, total)


# ---------------------------------------------------------------------- the whole
def gather_atlas(plan: AtlasPlan, folder: Path) -> Json:
    """Put the chunks together, in their order.

    Raises:
        InputError: if a chunk is missing.
    """
    gathered: list[tuple[AskedRows, int]] = [({}, 0) for _ in prepare(plan)]
    for chunk in chunks(plan):
        part = read_part(folder / chunk.file)
        if part is None:
            raise InputError([Fault("the atlas is not complete", str(folder / chunk.file), "", "run it again")])
        rows, asked = gathered[chunk.survey]
        for row in part[1:]:
            _add(rows, row)
        gathered[chunk.survey] = rows, asked + part[0]["asked"]
    surveys = [
        {
            "question": survey.question.name, "says": survey.survey.says, "asked": asked, "classes": survey.classes,
            "grades": survey.grades,
            "differences": [_shown(survey, row) for row in sorted(rows.values(), key=_place)],
        }
        for survey, (rows, asked) in zip(prepare(plan), gathered, strict=True)
    ]  # fmt: skip
    return {"editions": list(plan.editions), "most": list(plan.most), "surveys": surveys}


def _shown(survey: Prepared, row: Json) -> Json:
    """Add to a row what the two classes answer in its example."""
    situation = survey.question.situation
    bench = QuestionRunner(situation, row["example"][situation])
    first, second = (bench.answer(survey.models[number], survey.question, row["inputs"]) for number in row["classes"])
    only = dict(zip(("first", "second"), split_by_answer(first, second), strict=True))
    return {**row, "example": {**row["example"], **only}}


def _place(row: Json) -> tuple[Any, ...]:
    return row["classes"], json.dumps(row["inputs"], sort_keys=True), -row["count"], json.dumps(row["cause"])
