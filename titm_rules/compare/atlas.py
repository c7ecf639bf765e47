"""The atlas: all small worlds of a kind asked of several editions, and where they differ, by cause.

The work is cut into chunks, each written when it is done, so that a run can be broken off and
taken up again; what is written does not depend on who worked on which chunk.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from titm_rules.compare.answers import Bench, compare, on_one_vocabulary, parted
from titm_rules.compare.causes import cause_of
from titm_rules.compare.find import SEARCH_FILE, read_search
from titm_rules.compare.rules import Pair
from titm_rules.compare.worlds import Worlds
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.edges.records import question_class, validate
from titm_rules.edges.search import Survey
from titm_rules.editions.load import game_folder, load_model, rules_digest
from titm_rules.model.model import Model, Question

FORMAT = 1
CHUNK = 200
BACKENDS = ("loky", "multiprocessing", "threading", "sequential", "dask", "ray")
BATCHED, BATCH = ("ray",), 16  # backends of joblib that give nothing back before all is done
Json = dict[str, Any]
Rows = dict[tuple[Any, ...], Json]
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Plan:
    """What an atlas compares.

    Attributes:
        editions: their names, oldest first; every pair of them is compared.
        most: at most so many records in each group of a world, in order; the last goes for further ones.
    """

    editions: tuple[str, ...]
    most: tuple[int, ...]
    game: str = "titm"

    @property
    def digest(self) -> str:
        """A name for the results: another one if the rules, the search file or the plan change."""
        found = hashlib.sha256(repr((FORMAT, self.editions, self.most)).encode())
        found.update((game_folder(self.game) / SEARCH_FILE).read_bytes())
        for name in self.editions:
            found.update(rules_digest(name, self.game).encode())
        return found.hexdigest()[:16]


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


@dataclass
class Prepared:
    """A survey made ready: its worlds, the editions by what they say of the question, and pairs of those.

    Attributes:
        classes: editions that say the same, oldest first; one of each is asked.
        models: a model for each class.
        pairs: by the numbers of two classes, their rules.
        known: what was found, by all of a world that plays a part.
    """

    survey: Survey
    question: Question
    worlds: Worlds
    classes: list[list[str]]
    models: list[Model]
    pairs: dict[tuple[int, int], Pair]
    known: dict[str, list[Json]] = field(default_factory=dict)

    def rows(self, data: Json, inputs: Json) -> list[Json]:
        """Ask a world of all classes, or remember it if it differs from one that was asked in idle fields alone."""
        plain = {name: self._plain(name, value) for name, value in data.items()}
        key = json.dumps([plain, inputs])
        if key not in self.known:
            situation = self.question.situation
            raw = validate(question_class(self.models[-1], self.question), {**inputs, situation: data}, "$")
            bench = Bench(situation, raw.pop(situation))
            self.known[key] = list(_rows(self, bench, raw))
        return self.known[key]

    def _plain(self, name: str, value: Any) -> Any:
        idle = self.survey.idle.get(name)
        if not idle:
            return value
        return sorted(({field: v for field, v in one.items() if field not in ("id", *idle)} for one in value), key=str)

    @property
    def parts(self) -> int:
        """How many parts there are to ask; none if all editions say the same."""
        return self.worlds.parts() if len(self.classes) > 1 else 0


@lru_cache(maxsize=4)
def prepare(plan: Plan) -> tuple[Prepared, ...]:
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
        alike = (one for one in classes if not Pair(models[one[0]], model).changed_for(question))
        found = next(alike, None)
        if found is None:
            classes.append([name])
        else:
            found.append(name)
    asked = on_one_vocabulary([models[names[0]] for names in classes])
    pairs = {(a, b): Pair(asked[a], asked[b], tuple(asked)) for a, b in itertools.combinations(range(len(asked)), 2)}
    return Prepared(survey, question, worlds, classes, asked, pairs)


# ---------------------------------------------------------------------- one chunk
def chunks(plan: Plan) -> list[Chunk]:
    """Cut the work into chunks, in order."""
    found = []
    for number, survey in enumerate(prepare(plan)):
        rest = max(1, sum(1 for _ in survey.worlds.rows(0, 1))) if survey.parts else 1
        step = max(1, CHUNK // rest)
        found += [Chunk(number, at, min(at + step, survey.parts)) for at in range(0, survey.parts, step)]
    return found


def work(plan: Plan, chunk: Chunk) -> tuple[Chunk, list[Json]]:
    """Ask the worlds of a chunk of all editions; give a row for each pair of classes, inputs and cause."""
    survey = prepare(plan)[chunk.survey]
    rows: Rows = {}
    asked = 0
    for size, data, inputs in survey.worlds.rows(chunk.start, chunk.stop):
        asked += 1
        for row in survey.rows(data, inputs):
            _add(rows, row | {"size": size, "example": {survey.question.situation: data}})
    return chunk, [{"survey": survey.question.name, "asked": asked}, *rows.values()]


def _rows(survey: Prepared, bench: Bench, inputs: Json) -> Iterator[Json]:
    known: dict[int, Any] = {}

    def answer(model: Model) -> Any:
        if id(model) not in known:
            known[id(model)] = bench.answer(model, survey.question, inputs)
        return known[id(model)]

    for (a, b), pair in survey.pairs.items():
        first, second = answer(pair.first), answer(pair.second)
        if first != second:
            cause = cause_of(pair, survey.question, answer, second)
            less, more = compare(survey.question, first, second)
            yield {
                "classes": [a, b], "inputs": inputs, "cause": [list(names) for names in cause.sets],
                "count": 1, "more": int(more), "less": int(less),
            }  # fmt: skip


def _add(rows: Rows, row: Json) -> None:
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
def run(plan: Plan, folder: Path, jobs: int, backend: str, tell: Tell = lambda _done, _all: None) -> None:
    """Work on the chunks that are not done yet, and write each when it is.

    Args:
        plan: what to compare.
        folder: where the chunks are written; those that it holds already are not done again.
        jobs: how many workers; -1: as many as there are cores.
        backend: who works: one of `BACKENDS`.
        tell: is told how many chunks are done, and of how many.

    Raises:
        InputError: for a backend that is unknown or not installed.
    """
    todo = [chunk for chunk in chunks(plan) if read_part(folder / chunk.file) is None]
    done = total = len(chunks(plan))
    done -= len(todo)
    tell(done, total)
    for chunk, rows in _worked(plan, todo, jobs, backend):
        write_part(folder / chunk.file, rows)
        done += 1
        tell(done, total)


def _worked(plan: Plan, todo: Sequence[Chunk], jobs: int, backend: str) -> Iterable[tuple[Chunk, list[Json]]]:
    from joblib import Parallel, delayed, parallel_config

    _connect(backend)
    with parallel_config(backend=backend, n_jobs=jobs):
        if backend not in BATCHED:
            yield from Parallel(return_as="generator_unordered")(delayed(work)(plan, chunk) for chunk in todo)
            return
        for start in range(0, len(todo), BATCH):
            yield from Parallel()(delayed(work)(plan, chunk) for chunk in todo[start : start + BATCH])


def _connect(backend: str) -> None:
    """Make a backend known that is not joblib's own.

    Raises:
        InputError: if it is unknown or not installed.
    """
    if backend not in BACKENDS:
        raise InputError([Fault(f"unknown backend `{backend}`", "--backend", "", did_you_mean(backend, BACKENDS))])
    try:
        if backend == "dask":
            from distributed import Client

            Client()
        elif backend == "ray":
            from ray.util.joblib import register_ray

            register_ray()
    except ImportError as error:
        fix = f"pip install 'titm_rules[{backend}]', or leave --backend out"
        raise InputError([Fault(f"backend `{backend}` is not installed", "--backend", str(error), fix)]) from None


def write_part(path: Path, rows: Sequence[Json]) -> None:
    """Write the rows of a chunk, all or nothing."""
    part = path.with_suffix(".new")
    part.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    part.replace(path)


def read_part(path: Path) -> list[Json] | None:
    """Read the rows of a chunk; nothing if it is not there or broken."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        return None
    return rows if rows and "asked" in rows[0] else None


# ---------------------------------------------------------------------- the whole
def gather(plan: Plan, folder: Path) -> Json:
    """Put the chunks together, in their order.

    Raises:
        InputError: if a chunk is missing.
    """
    gathered: list[tuple[Rows, int]] = [({}, 0) for _ in prepare(plan)]
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
            "differences": [_shown(survey, row) for row in sorted(rows.values(), key=_place)],
        }
        for survey, (rows, asked) in zip(prepare(plan), gathered, strict=True)
    ]  # fmt: skip
    return {"editions": list(plan.editions), "most": list(plan.most), "surveys": surveys}


def _shown(survey: Prepared, row: Json) -> Json:
    """Add to a row what the two classes answer in its example."""
    situation = survey.question.situation
    bench = Bench(situation, row["example"][situation])
    first, second = (bench.answer(survey.models[number], survey.question, row["inputs"]) for number in row["classes"])
    only = dict(zip(("first", "second"), parted(first, second), strict=True))
    return {**row, "example": {**row["example"], **only}}


def _place(row: Json) -> tuple[Any, ...]:
    return row["classes"], json.dumps(row["inputs"], sort_keys=True), -row["count"], json.dumps(row["cause"])
