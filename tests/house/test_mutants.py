"""Changes at random are noticed: the floors of `python -m tests.mutate`."""

import subprocess
import sys
from itertools import pairwise

import pytest

from tests.mutate import ROOT, equal_mutants, mutants_of


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["engine", "rules"])
def test_forty_changes_are_noticed(kind):
    """In a process of its own, which has not imported what is changed."""
    command = [sys.executable, "-m", "tests.mutate", f"--{kind}", "40", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_what_counts_as_equal_is_there_has_a_reason_and_can_be_made_at_once():
    known = equal_mutants()
    every = [one for path in sorted({key[0] for key in known}) for one in mutants_of(path)]
    found = [(one.key((ROOT / one.path).read_text()), one) for one in every]
    assert set(known) <= {key for key, _ in found}
    assert all(len(why.split()) > 4 for why in known.values())
    made = sorted((one.path, one.start, one.stop) for key, one in found if key in known)
    assert all(one[0] != other[0] or one[2] <= other[1] for one, other in pairwise(made)), "they overlap"
