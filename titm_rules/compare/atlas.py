"""The atlas: all small worlds of a kind asked of several editions, and where they differ, by cause.

The work is cut into chunks, each written when it is done, so that a run can be broken off and
taken up again; what is written does not depend on who worked on which chunk.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from titm_rules.compare.answers import Bench, parted
from titm_rules.compare.survey import AtlasPlan, Prepared, prepare
from titm_rules.diagnostics import Fault, InputError
from titm_rules.oracle.labour import read_part, shared_out, write_part

CHUNK = 200
Json = dict[str, Any]
AskedRows = dict[tuple[Any, ...], Json]
TellParts = Callable[[int, int], None]


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
def run(plan: AtlasPlan, folder: Path, jobs: int, backend: str, tell: TellParts = lambda _done, _all: None) -> None:
    """Work on the chunks that are not done yet, and write each when it is.

    Args:
        plan: what to compare.
        folder: where the chunks are written; those that it holds already are not done again.
        jobs: how many workers; -1: as many as there are cores.
        backend: who works: a backend of joblib.
        tell: is told how many chunks are done, and of how many.

    Raises:
        InputError: for a backend that is unknown or not installed.
    """
    todo = [chunk for chunk in chunks(plan) if read_part(folder / chunk.file) is None]
    done = total = len(chunks(plan))
    done -= len(todo)
    tell(done, total)
    for chunk, rows in shared_out(work, [(plan, chunk) for chunk in todo], jobs, backend):
        write_part(folder / chunk.file, rows)
        done += 1
        tell(done, total)


# ---------------------------------------------------------------------- the whole
def gather(plan: AtlasPlan, folder: Path) -> Json:
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
    bench = Bench(situation, row["example"][situation])
    first, second = (bench.answer(survey.models[number], survey.question, row["inputs"]) for number in row["classes"])
    only = dict(zip(("first", "second"), parted(first, second), strict=True))
    return {**row, "example": {**row["example"], **only}}


def _place(row: Json) -> tuple[Any, ...]:
    return row["classes"], json.dumps(row["inputs"], sort_keys=True), -row["count"], json.dumps(row["cause"])
