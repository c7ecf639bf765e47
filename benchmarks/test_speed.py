"""Every case of `cases`, each way; the ways are compared once before any of them is timed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from titm_rules.compare.plan import CHANGES, OPEN
from titm_rules.maps.maps import layout, neighbours
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.render.pictures import plain_picture, render_board

from benchmarks.cases import Case, every_case
from benchmarks.start import COMMAND

SHEET = Path(__file__).with_name("three.rules")
CASES = {case.name: case for case in every_case()}
WAYS = [(case.name, way) for case in CASES.values() for way in case.ways]


@cache
def agreed(name: str) -> Case:
    """Give a case whose ways have been seen to agree."""
    case = CASES[name]
    answers = {}
    for title, way in case.ways.items():
        prepared = way.prepare()
        answers[title] = way.plain(prepared, way.run(prepared))
    first = answers["compiled"]
    assert all(answer == first for answer in answers.values()), [t for t, a in answers.items() if a != first]
    return case


@pytest.mark.parametrize(("name", "title"), WAYS)
def test_speed(benchmark, name, title):
    case = agreed(name)
    way = case.ways[title]
    benchmark.group = name
    benchmark.extra_info.update(units=case.units, aim_ms=case.aim_ms)
    benchmark.pedantic(way.run, setup=lambda: ((way.prepare(),), {}), rounds=way.rounds)


def test_start(benchmark):
    benchmark.group = "`titm check` from a cold start"
    done = benchmark.pedantic(
        lambda: subprocess.run([sys.executable, *COMMAND], capture_output=True, check=False), rounds=5, warmup_rounds=1
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("options", [[], ["--no-search"]])
def test_plan(benchmark, options):
    """A sheet of three changes should be planned in 10 seconds with its proofs, and in 3 without searches."""
    benchmark.group = "`titm plan` of three changes"
    command = [sys.executable, "-m", "titm_rules", "plan", str(SHEET), *options]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = benchmark.pedantic(
        lambda: subprocess.run(command, capture_output=True, check=False, env=environment), rounds=5, warmup_rounds=1
    )
    assert done.returncode in (CHANGES, OPEN), done.stderr


@pytest.mark.parametrize("placed", [True, False])
def test_picture_of_700_hexes(benchmark, placed):
    """A picture should be there in two seconds, with coordinates and without any."""
    benchmark.group = "picture of 700 hexes"
    names = [f"{column:02}{row:02}" for column in range(1, 29) for row in range(1, 26)]
    sides = [{"id": f"{one}-{other}", "ends": [one, other]} for one, other in neighbours(names, "even")]
    data = {"hexes": [{"id": name} for name in names], "hexsides": sides}
    position = Position.from_dict(data, Edition(game="bitterwoods"))
    picture = replace(plain_picture(position), layout=layout(names, "even") if placed else None)
    assert "<svg" in benchmark.pedantic(render_board, (position, picture), rounds=3)[:200]
