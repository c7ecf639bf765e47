"""Every case of `cases`, each way; the ways are compared once before any of them is timed."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest

from benchmarks.cases import Case, every_case
from benchmarks.start import COMMAND

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
