"""Changes at random are noticed: the floors of `python -m tests.mutate`."""

import subprocess
import sys
from dataclasses import replace

import pytest

from tests.mutate import ROOT, apart, equal_mutants, mutants_of, python_mutants


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["engine", "rules"])
def test_forty_changes_are_noticed(kind):
    """In a process of its own, which has not imported what is changed."""
    command = [sys.executable, "-m", "tests.mutate", f"--{kind}", "40", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_what_counts_as_equal_is_there_and_has_a_reason():
    known = equal_mutants()
    found = {one.key((ROOT / one.path).read_text()) for path in {key[0] for key in known} for one in mutants_of(path)}
    assert set(known) <= found
    assert all(len(why.split()) > 4 for why in known.values())


def test_changes_of_the_same_words_are_not_made_at_once():
    text = "if a < b: pass\n"
    whole, sign = (next(one for one in python_mutants("a.py", text) if one.new == new) for new in ("True", "<="))
    other = replace(sign, path="b.py")
    assert apart([whole, sign, other]) == [[whole, other], [sign]]
