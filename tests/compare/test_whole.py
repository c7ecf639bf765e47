"""All editions pair by pair: what was done when the work was killed stays, and the rest comes out the same."""

import subprocess
import sys

import pytest
from titm_rules.compare import whole
from titm_rules.compare.proof import SAME_CLAUSES
from titm_rules.compare.results import PROVED, QuestionResult
from titm_rules.compare.whole import SearchPlan, board_of, gather, run
from titm_rules.diagnostics import InputError

PLAN = SearchPlan(("1996-11-01", "1997-03-01"))  # they differ in two things: one question, and short games
GAMES = QuestionResult("play", PROVED, proof="short games").record()  # no need to play them here
KILLED = """
import os, signal, sys
from pathlib import Path
from titm_rules.compare import whole
from titm_rules.compare.results import PROVED, QuestionResult

def search(plan, task):
    if any(folder.glob("*.jsonl")):
        (folder / "half.new").write_text("{")
        os.kill(os.getpid(), signal.SIGKILL)
    return task, [QuestionResult(task.question, PROVED, proof="short games").record()]  # no need to play them here

folder, whole.search = Path(sys.argv[1]), search
whole.run(whole.SearchPlan(tuple(sys.argv[2:])), folder, 1, "sequential")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills itself by a signal")
def test_a_killed_series_of_games_is_taken_up_again(tmp_path, monkeypatch):
    command = [sys.executable, "-c", KILLED, str(tmp_path), *PLAN.editions]
    assert subprocess.run(command, check=False).returncode == -9
    first, *others = board_of(PLAN).tasks()
    assert {task.question for task in others} == {"play", "special_forces_options"}
    kept = {path.name: path.read_bytes() for path in tmp_path.glob("*.jsonl")}
    assert list(kept) == [first.file]
    with pytest.raises(InputError, match="not complete"):
        gather(PLAN, tmp_path)
    searched, real = [], whole.search

    def search(plan, task):
        searched.append(task)
        return (task, [GAMES]) if task.question == "play" else real(plan, task)

    monkeypatch.setattr(whole, "search", search)
    run(PLAN, tmp_path, 1, "sequential")
    assert searched == others
    assert all((tmp_path / name).read_bytes() == text for name, text in kept.items())
    [results] = gather(PLAN, tmp_path).values()
    assert [result.question for result in results if result.proof != SAME_CLAUSES] == ["special_forces_options", "play"]
