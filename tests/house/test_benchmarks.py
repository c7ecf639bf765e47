"""The benchmarks compare answers before they time them, and run."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("clingo")

from benchmarks import asp
from benchmarks.cases import Case, Way
from benchmarks.libraries import Battle, Map
from benchmarks.measure import disagreements, exponent, times
from benchmarks.situations import battle, campaign

ROOT = Path(__file__).resolve().parents[2]
ONE = Way(lambda: 1, lambda made: made, lambda _, found: found)


@pytest.mark.parametrize(("power", "factor"), [(0, 3), (1, 2), (2.5, 0.1)])
def test_the_exponent_of_a_power_is_found(power, factor):
    assert exponent({size: factor * size**power for size in (3, 7, 40, 100)}) == pytest.approx(power)


def test_ways_take_turns_and_one_that_answers_otherwise_is_named():
    other = replace(ONE, prepare=lambda: 2)
    assert disagreements(Case("x", None, {"first": ONE, "same": ONE, "other": other})) == ["other"]
    turns = []
    ways = {
        name: Way(lambda: None, lambda _, name=name: turns.append(name) or sum(range(300_000)), lambda *_: 0, rounds)
        for name, rounds in (("a", 3), ("b", 1))
    }
    found = times(Case("x", None, ways, units=2), 2)
    assert (len(found["a"]), len(found["b"])) == (2, 1)
    assert list(dict.fromkeys(turns)) == ["a", "b"]


@pytest.mark.parametrize("seed", range(4))
def test_clingo_lists_the_same_fire(seed):
    drawn = battle(3 + seed % 2, 4, seed)
    assert sorted(asp.fire(drawn)()) == sorted(Battle(drawn).by_class())


def test_clingo_moves_and_supplies_the_same_units():
    drawn = campaign(2, 60, 30, 20)
    there, board = Map(drawn), asp.Board(drawn)
    assert board.supply() == [cost is not None for cost in there.supply()]
    assert board.moves() == there.moves()


@pytest.mark.slow
def test_the_tables_are_printed():
    command = [sys.executable, "-m", "benchmarks", "--rounds", "1", "4 against 4", "moves of one", "memory"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "| fire 4 against 4, listed | clingo |" in done.stdout
    assert "answer otherwise" not in done.stdout
    assert "| the campaign as text |" in done.stdout
