"""All editions pair by pair: what was done when the work was killed stays, and the rest comes out the same."""

import subprocess
import sys

import pytest
from titm_rules.compare import all_pairs
from titm_rules.compare.all_pairs import SearchPlan, gather_pairs, run_of, run_plan
from titm_rules.compare.counterexamples import SAME_CLAUSES, read_search
from titm_rules.compare.results import PROVED, QuestionResult, read_result
from titm_rules.compare.rule_pair import ModelPair
from titm_rules.diagnostics import InputError
from titm_rules.editions.load import load_model

PLAN = SearchPlan(("1996-11-01", "1997-03-01"))  # they differ in two things: one question, and short games
GAMES = QuestionResult("play", PROVED, proof="short games").record()  # no need to play them here
KILLED = """
import os, signal, sys
from pathlib import Path
from titm_rules.compare import all_pairs
from titm_rules.compare.results import PROVED, QuestionResult

def work(plan, task):
    if any(folder.glob("*.jsonl")):
        (folder / "half.new").write_text("{")
        os.kill(os.getpid(), signal.SIGKILL)
    return [QuestionResult(task.question, PROVED, proof="short games").record()]  # no need to play them here

folder, all_pairs.work = Path(sys.argv[1]), work
all_pairs.run_plan(all_pairs.SearchPlan(tuple(sys.argv[2:])), folder, 1, "sequential")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills itself by a signal")
def test_a_killed_series_of_games_is_taken_up_again(tmp_path, monkeypatch):
    command = [sys.executable, "-c", KILLED, str(tmp_path), *PLAN.editions]
    assert subprocess.run(command, check=False).returncode == -9
    first, *others = run_of(PLAN).tasks()
    assert {task.question for task in others} == {"play", "special_forces_options"}
    kept = {path.name: path.read_bytes() for path in tmp_path.glob("*.jsonl")}
    assert list(kept) == [first.file]
    with pytest.raises(InputError, match="not complete"):
        gather_pairs(PLAN, tmp_path)
    searched, real = [], all_pairs.work

    def work(plan, task):
        searched.append(task)
        return [GAMES] if task.question == "play" else real(plan, task)

    monkeypatch.setattr(all_pairs, "work", work)
    run_plan(PLAN, tmp_path, 1, "sequential")
    assert searched == others
    assert all((tmp_path / name).read_bytes() == text for name, text in kept.items())
    [results] = gather_pairs(PLAN, tmp_path).values()
    assert [result.question for result in results if result.proof != SAME_CLAUSES] == ["special_forces_options", "play"]


def test_editions_that_refuse_other_positions_are_not_called_alike(tmp_path, monkeypatch):
    path = tmp_path / "small.rules"
    path.write_text(
        'always on battle: the number of attackers is at most 1 says "one attacker at most".\n\n'
        'add clause house:1 "Nothing" "Nothing is changed."\n  decides nothing "it is a test".\n'
    )
    rules = {"1999": (), "stricter": (str(path),), "stricter still": (str(path),)}
    monkeypatch.setattr(all_pairs, "load_model", lambda name, game: load_model("1999", game, rules[name]))
    run = all_pairs.PairsRun(SearchPlan(tuple(rules)))
    assert run.task("supplied", "1999", "stricter") is None
    assert run.task("combined_arms", "stricter", "stricter still") is None
    task = run.task("combined_arms", "1999", "stricter still")
    assert task == all_pairs.Task("combined_arms", ("1999", "stricter"))
    [record] = run.work(task)
    assert read_result(record).verdict == "no evidence"


def test_a_game_that_is_played_from_nowhere_is_compared_by_its_questions():
    wanted = read_search("titm").model_copy(update={"play": []})
    pair = ModelPair(load_model("1999"), load_model("1999"))
    assert [one.question for one in all_pairs.find_differences(pair, wanted)] == list(pair.second.questions)
    with pytest.raises(InputError, match="no games are compared"):
        list(all_pairs.find_differences(pair, wanted, ["play"]))
