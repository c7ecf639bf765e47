"""Changed lines and files: answered, or refused with a place; never a bug, never a traceback.

The short run always tries the same few; the long one (`make test-slow`) tries 100,000 lines and 20,000 files.
`python -m tests.fuzz` tries as many as one likes and tells which was the slowest.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from titm_rules.service.protocol import Oracle

from tests.fuzz.files import KINDS, try_file, write_file
from tests.fuzz.lines import BUDGET, check_line, line

seeds = st.integers(0, 2**32)
ORACLE = Oracle("compiled", BUDGET)
QUICK = {"overlay": 2, "map": 30, "scenario": 40}  # files of a kind in the short run: 8 of the others


@settings(max_examples=60, database=None)
@given(seed=seeds)
def test_lines(seed):
    check_line(line(seed), ORACLE)


@pytest.mark.parametrize("engine", ["library", "reference"])
def test_lines_for_the_other_engines(engine):
    oracle = Oracle(engine, BUDGET)
    for seed in range(10):
        check_line(line(f"{engine} {seed}"), oracle)


@pytest.mark.parametrize("kind", KINDS)
def test_files_and_that_the_same_seed_makes_the_same_file(kind, tmp_path):
    for seed in range(QUICK.get(kind, 8)):
        try_file(kind, seed, tmp_path)
    first = write_file(kind, "a", tmp_path).read_bytes()
    assert write_file(kind, "a", tmp_path).read_bytes() == first
    assert any(write_file(kind, seed, tmp_path).read_bytes() != first for seed in "bcd")


def test_some_changed_lines_are_still_answered_and_most_are_not():
    kinds = [check_line(line(f"spread {seed}"), ORACLE) for seed in range(60)]
    assert 5 <= kinds.count("ok") <= 40
    assert len(set(kinds)) > 4


@pytest.mark.slow
@pytest.mark.parametrize("part", range(100))
def test_a_thousand_lines(part):
    for seed in range(part * 1_000, (part + 1) * 1_000):
        check_line(line(seed), ORACLE)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(100))
def test_two_hundred_files(part, tmp_path):
    for seed in range(part * 200, (part + 1) * 200):
        try_file([*KINDS][seed % len(KINDS)], seed, tmp_path)
