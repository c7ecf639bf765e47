"""Compare all editions of a game, pair by pair, in resumable parts; the atlas of small worlds.

Editions that say the same of a question are searched once for all of them. How well each attests what it
says is worked out for every pair.

The work is cut into tasks, each written when it is done, so that an interrupted run
can resume; the result does not depend on which worker did which task.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from titm_rules.catalog import game_folder
from titm_rules.compare import counterexamples, rule_pair
from titm_rules.compare.counterexamples import Known, PairRun, TellSearched, silent
from titm_rules.compare.playout import Games, play_result, with_courses
from titm_rules.compare.results import PLAY, PROVED, QuestionResult, grade_of, joined, read_result
from titm_rules.compare.rule_pair import Json, ModelPair
from titm_rules.compare.small_worlds import Worlds
from titm_rules.compare.varied_cases import KnownCase
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.editions.load import load_model, rules_digest
from titm_rules.editions.registry import edition_on, list_editions
from titm_rules.engines.query import find_question
from titm_rules.formats.file_schemas import SearchFile, Survey
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import Model
from titm_rules.oracle.batch import Draft, TellParts, read_part, resume_parts

PAIRS_FORMAT, ATLAS_FORMAT = 3, 2
PLAYED = 600  # situations of games from one kind of beginning: all editions play them at once
EditionPair = tuple[str, str]


def find_differences(
    pair: ModelPair, search: SearchFile, names: Sequence[str] = (), tell: TellSearched = silent, each: bool = False,
    budget: int = counterexamples.BUDGET, known: Mapping[str, Known] | None = None,
    cases: Sequence[KnownCase] = (),
) -> Iterator[QuestionResult]:  # fmt: skip
    """Say how two editions differ in every kind of question and in the course of play, or only in some (`names`).

    `search` has the worlds besides those that the clauses call for; `each` searches a question also if another covers
    it; of derived worlds at most `budget` situations are asked, and none for what is `known`; further situations are
    drawn like `cases`. Raises `InputError` for an unknown question, worlds that the rule set cannot read, or games of
    rules without events.
    """
    search = with_courses(search, pair.second)
    if PLAY in names and not search.play:
        why = "the rules declare no events"
        raise InputError([Fault("no games are compared", "--query", why, "name a question")])
    for name in names:
        if name != PLAY:
            find_question(pair.second, name, "--query")
    finder = PairRun(pair, search, tell, each, budget, known, cases)
    for question in pair.second.questions.values():
        if not names or question.name in names:
            yield finder.result(question)
    if search.play and (PLAY in names or not names):
        yield play_result(pair, search, tell)


# ---------------------------------------------------------------------- plans and their runs
@dataclass(frozen=True)
class SearchPlan:
    """The editions to compare on all questions and in play, oldest first; every pair of them is compared."""

    editions: tuple[str, ...]
    game: str = ""

    @property
    def _key(self) -> tuple[Any, ...]:
        return PAIRS_FORMAT, self.editions

    @property
    def digest(self) -> str:
        """A name for the results: another one if the rules, the search file or the plan change."""
        found = hashlib.sha256(repr(self._key).encode())
        path = game_folder(self.game) / counterexamples.SEARCH_FILE
        found.update(path.read_bytes() if path.exists() else b"")
        for name in self.editions:
            found.update(rules_digest(name, self.game).encode())
        return found.hexdigest()[:16]

    @property
    def pairs(self) -> list[EditionPair]:
        return list(itertools.combinations(self.editions, 2))


@dataclass(frozen=True)
class AtlasPlan(SearchPlan):
    """The editions and the sizes of worlds that an atlas compares."""

    most: tuple[int, ...] = ()  # records in each group of a world, in order; the last goes for further ones

    @property
    def _key(self) -> tuple[Any, ...]:
        return ATLAS_FORMAT, self.editions, self.most


@dataclass(frozen=True, order=True)
class Task:
    """A question to be searched for two editions that stand for all that say the same, or games under all editions."""

    question: str  # its name; `play` for games
    of: tuple[str, ...]  # the two editions, or the name of the worlds in which games begin

    @property
    def file(self) -> str:
        return f"{self.question}.{'.'.join(self.of)}.jsonl"


@dataclass(frozen=True, order=True)
class Chunk:
    """Some of the worlds of one survey of an atlas."""

    survey: int
    start: int
    stop: int

    @property
    def file(self) -> str:
        return f"{self.survey:02}-{self.start:06}-{self.stop:06}.jsonl"


class EditionSet:
    """The editions of a plan on one vocabulary, and their pairs."""

    def __init__(self, plan: SearchPlan) -> None:
        models = rule_pair.on_one_vocabulary([load_model(name, plan.game) for name in plan.editions])
        self.models, self.questions = dict(zip(plan.editions, models, strict=True)), models[-1].questions
        self._pairs: dict[EditionPair, ModelPair] = {}

    def pair(self, first: str, second: str) -> ModelPair:
        """Return the pair of two editions; a mixture that equals another edition reuses that edition."""
        if (first, second) not in self._pairs:
            known = tuple(self.models.values())
            self._pairs[first, second] = ModelPair(self.models[first], self.models[second], known)
        return self._pairs[first, second]

    def classes(self, is_same: Callable[[ModelPair], bool]) -> dict[str, str]:
        """Map each edition to the oldest that is the same."""
        found: dict[str, str] = {}
        for name in self.models:
            older = dict.fromkeys(found.values())
            found[name] = next((one for one in older if is_same(self.pair(one, name))), name)
        return found


def run_plan(plan: SearchPlan, folder: Path, jobs: int, backend: str, tell: TellParts = silent) -> None:
    """Carry out the tasks of a plan whose rows a folder does not hold yet, and keep the rows; see `resume_parts`."""
    files = {folder / task.file: task for task in run_of(plan).tasks()}
    resume_parts(work, {file: (plan, task, Draft(file)) for file, task in files.items()}, jobs, backend, tell)


def work(plan: SearchPlan, task: Any, draft: Draft | None = None) -> list[Json]:
    return run_of(plan).work(task, draft)


@lru_cache(maxsize=4)
def run_of(plan: SearchPlan) -> PairsRun | AtlasRun:
    return AtlasRun(plan) if isinstance(plan, AtlasPlan) else PairsRun(plan)


def _kept(folder: Path, task: Task | Chunk, what: str) -> list[Json]:
    rows = read_part(folder / task.file)
    if rows is None:
        raise InputError([Fault(f"the {what} is not complete", str(folder / task.file), "", "run it again")])
    return rows


# ---------------------------------------------------------------------- all questions
class PairsRun:
    """Searches all questions for every pair of editions, and plays games under all of them."""

    def __init__(self, plan: SearchPlan) -> None:
        self.plan, self.editions = plan, EditionSet(plan)
        self.wanted = with_courses(counterexamples.read_search(plan.game), list(self.editions.models.values())[-1])
        self.classes = {
            name: self.editions.classes(partial(ModelPair.is_same_for, question=question))
            for name, question in self.editions.questions.items()
        }

    def tasks(self) -> list[Task]:
        """List what has to be done, each once; games take longest and come first."""
        asked = {self.task(question, *pair) for question in self.classes for pair in self.plan.pairs}
        games = [Task(PLAY, (course.world,)) for course in self.wanted.play]
        return [*games, *sorted(task for task in asked if task is not None)]

    def task(self, question: str, first: str, second: str) -> Task | None:
        one, other = self.classes[question][first], self.classes[question][second]
        return None if one == other else Task(question, (one, other))

    def work(self, task: Task, draft: Draft | None = None) -> list[Json]:
        """Give one result for two editions, or for games one for every two; a draft keeps the progress of games."""
        if task.question == PLAY:
            [course] = [one for one in self.wanted.play if (one.world,) == task.of]
            games = Games(self.editions.models, self.wanted, course, nodes=PLAYED).play(draft)
            return [games[pair].record() for pair in self.plan.pairs]
        finder = PairRun(self.editions.pair(*task.of), self.wanted)
        return [finder.result(self.editions.models[task.of[1]].questions[task.question]).record()]


def gather_pairs(plan: SearchPlan, folder: Path) -> dict[EditionPair, list[QuestionResult]]:
    """Give for each pair the results of questions and of play. Raises `InputError` if a search is missing."""
    run = run_of(plan)
    assert isinstance(run, PairsRun)
    done = {task: list(map(read_result, _kept(folder, task, "comparison"))) for task in run.tasks()}
    models = run.editions.models.items()
    grades = {(one, name): grade_of(model, model.questions[one]) for one in run.classes for name, model in models}

    def results(number: int, first: str, second: str) -> Iterator[QuestionResult]:
        for question in run.classes:
            both = grades[question, first], grades[question, second]
            task = run.task(question, first, second)
            known = (
                QuestionResult(question, PROVED, proof=counterexamples.SAME_CLAUSES) if task is None else done[task][0]
            )
            yield replace(known, grades=both)
        if games := [found[number] for task, found in done.items() if task.question == PLAY]:
            yield joined(games)

    return {pair: list(results(number, *pair)) for number, pair in enumerate(plan.pairs)}


# ---------------------------------------------------------------------- the atlas
LARGEST = 6
CHUNK = 200


def plan_of(names: list[str], every: bool, most: str, game: str = "") -> AtlasPlan:
    """Plan an atlas: editions by name or date, or all; sizes as `2x2`. Raises `InputError` if it cannot be made."""
    sizes = re.fullmatch(r"(\d{1,2})(?:x(\d{1,2}))*", most)
    numbers = tuple(int(part) for part in most.split("x")) if sizes else ()
    if not numbers or not all(1 <= number <= LARGEST for number in numbers):
        raise bad(
            f"`{most}` is not a size", "--max", f"write numbers from 1 to {LARGEST} with x between them", "bad-value"
        )
    infos = list_editions(game)
    if every:
        return AtlasPlan(tuple(info.name for info in infos), game, numbers)
    chosen = {edition_on(name, game) for name in names}
    if len(chosen) < 2:
        raise InputError([Fault("an atlas compares two editions or more", "A B", "", "name them, or give --all")])
    dated = {info.name: info.dated for info in infos}
    return AtlasPlan(tuple(sorted(chosen, key=lambda name: dated.get(name, name))), game, numbers)


class AtlasRun:
    """Asks all worlds of some surveys of all editions. Raises `InputError` for an unknown edition or question."""

    def __init__(self, plan: AtlasPlan) -> None:
        search, editions = counterexamples.read_search(plan.game), EditionSet(plan)
        if not search.atlas:
            path = str(game_folder(plan.game) / counterexamples.SEARCH_FILE)
            raise InputError([Fault("no surveys are listed", path, fix="write them there under `atlas`")])
        self.surveys = [SurveyRun(survey, search, editions, plan.most) for survey in search.atlas]

    def tasks(self) -> list[Chunk]:
        found = []
        for number, survey in enumerate(self.surveys):
            rest = max(1, sum(1 for _ in survey.worlds.rows(0, 1))) if survey.parts else 1
            step = max(1, CHUNK // rest)
            found += [Chunk(number, at, min(at + step, survey.parts)) for at in range(0, survey.parts, step)]
        return found

    def work(self, chunk: Chunk, _: Draft | None = None) -> list[Json]:
        """Ask the worlds of a chunk; give their number, and a row for each pair of classes, inputs and cause."""
        survey, rows, asked = self.surveys[chunk.survey], SurveyRows(), 0
        for size, data, inputs in survey.worlds.rows(chunk.start, chunk.stop):
            asked += 1
            for row in survey.rows(data, inputs):
                rows.add(row | {"size": size, "example": {survey.question.situation: data}})
        return [{"survey": survey.question.name, "asked": asked}, *rows.values()]


class SurveyRun:
    """A survey made ready."""

    def __init__(self, survey: Survey, search: SearchFile, editions: EditionSet, most: Sequence[int]) -> None:
        if survey.question not in editions.questions:
            fix = did_you_mean(survey.question, editions.questions)
            raise InputError([Fault(f"unknown question `{survey.question}`", counterexamples.SEARCH_FILE, "", fix)])
        self.survey, self.editions, self.question = survey, editions, editions.questions[survey.question]
        places = range(len(most)) if survey.bounds is None else survey.bounds
        bounds = [most[min(place, len(most) - 1)] for place in places]
        self.worlds = Worlds(search.worlds[survey.world], survey.takes, bounds)
        oldest = editions.classes(lambda pair: not pair.changed_for(self.question))
        self.classes = [[name for name in oldest if oldest[name] == one] for one in dict.fromkeys(oldest.values())]
        self.pairs = {
            (a, b): editions.pair(self.classes[a][0], self.classes[b][0])
            for a, b in itertools.combinations(range(len(self.classes)), 2)
        }
        self.parts = self.worlds.parts() if self.pairs else 0
        self.known: dict[str, list[Json]] = {}

    def rows(self, data: Json, inputs: Json) -> list[Json]:
        """Ask a world of all classes, or remember it if it differs from one that was asked in idle fields alone."""
        key = json.dumps([{name: self._plain(name, value) for name, value in data.items()}, inputs])
        if key not in self.known:
            self.known[key] = list(self._differences(data, inputs))
        return self.known[key]

    def _plain(self, name: str, value: Any) -> Any:
        idle = self.survey.idle.get(name)
        if not idle:
            return value
        return sorted(({field: v for field, v in one.items() if field not in ("id", *idle)} for one in value), key=str)

    def _differences(self, data: Json, inputs: Json) -> Iterator[Json]:
        answer, raw = self._answers(data, inputs)
        for (a, b), pair in self.pairs.items():
            found = rule_pair.difference(pair, self.question, answer)
            if found is not None:
                less, more = rule_pair.compare(self.question, found.first, found.second)
                yield {
                    "classes": [a, b], "inputs": raw, "cause": found.cause.listed,
                    "count": 1, "more": int(more), "less": int(less),
                }  # fmt: skip

    def _answers(self, data: Json, inputs: Json) -> tuple[Callable[[Model], Any], Json]:
        """Give the function that asks a world under the rules of a class, of each once, and the checked inputs."""
        newest = self.editions.models[self.classes[-1][0]]
        runner, raw = rule_pair.checked_runner(newest, self.question, data, inputs)
        known: dict[int, Any] = {}

        def answer(model: Model) -> Any:
            if (key := id(model)) not in known:
                known[key] = runner.answer(model, self.question, raw)
            return known[key]

        return answer, raw

    def report(self, rows: SurveyRows, asked: int) -> Json:
        """Give what was found as JSON values, with what each class answers in the examples."""
        models = {name: self.editions.models[name] for names in self.classes for name in names}
        return {
            "question": self.question.name, "says": self.survey.says, "asked": asked, "classes": self.classes,
            "grades": {name: str(grade_of(model, self.question)) for name, model in models.items()},
            "differences": [self._shown(row) for row in sorted(rows.values(), key=_place)],
        }  # fmt: skip

    def _shown(self, row: Json) -> Json:
        answer, _ = self._answers(row["example"][self.question.situation], row["inputs"])
        pair = self.pairs[tuple(row["classes"])]
        first, second = rule_pair.split_by_answer(answer(pair.first), answer(pair.second))
        return {**row, "example": {**row["example"], "first": first, "second": second}}


class SurveyRows(dict[tuple[Any, ...], Json]):
    """Rows of an atlas, one of each pair of classes, inputs and cause."""

    def add(self, row: Json) -> None:
        """Add a row to those of its kind; the smallest example stays, and of those the first."""
        key = (*row["classes"], json.dumps(row["inputs"], sort_keys=True), json.dumps(row["cause"]))
        kept = self.get(key)
        if kept is None:
            self[key] = row
            return
        smaller = row if row["size"] < kept["size"] else kept
        counts = {name: kept[name] + row[name] for name in ("count", "more", "less")}
        self[key] = {**kept, **counts, "size": smaller["size"], "example": smaller["example"]}


def gather_atlas(plan: AtlasPlan, folder: Path) -> Json:
    """Put the chunks together, in their order. Raises `InputError` if a chunk is missing."""
    run = run_of(plan)
    assert isinstance(run, AtlasRun)
    gathered, asked = [SurveyRows() for _ in run.surveys], [0] * len(run.surveys)
    for chunk in run.tasks():
        head, *rows = _kept(folder, chunk, "atlas")
        asked[chunk.survey] += head["asked"]
        for row in rows:
            gathered[chunk.survey].add(row)
    surveys = [one.report(rows, count) for one, rows, count in zip(run.surveys, gathered, asked, strict=True)]
    return {"editions": list(plan.editions), "most": list(plan.most), "surveys": surveys}


def _place(row: Json) -> tuple[Any, ...]:
    return row["classes"], json.dumps(row["inputs"], sort_keys=True), -row["count"], json.dumps(row["cause"])
