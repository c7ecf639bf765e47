"""All editions pair by pair, and the atlas: the same from any worker, after an interruption, and by plain loops."""

import json
import subprocess
import sys
import time
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from titm_rules.compare import all_pairs
from titm_rules.compare.all_pairs import AtlasPlan, SearchPlan, gather_atlas, gather_pairs, run_of, run_plan
from titm_rules.compare.counterexamples import SAME_CLAUSES, read_search
from titm_rules.compare.results import PROVED, QuestionResult, atlas_page, differences_page, read_result
from titm_rules.compare.rule_pair import ModelPair
from titm_rules.compare.small_worlds import Worlds
from titm_rules.diagnostics import InputError
from titm_rules.editions import load
from titm_rules.editions.load import load_model
from titm_rules.oracle import batch
from titm_rules.oracle.batch import Draft, read_part
from titm_rules.oracle.edition import Edition

from tests.compare.test_find import STRICTER

# ---------------------------------------------------------------------- the atlas
PLAN = AtlasPlan(("1997-03-01", "1998-01-15", "1999", "2002-07-25"), most=(2, 1))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("atlas")
    run_plan(PLAN, folder, 1, "sequential")
    return gather_atlas(PLAN, folder)


def test_editions_that_say_the_same_are_asked_once(made):
    fire, _, artillery = made["surveys"]
    assert fire["classes"] == [["1997-03-01"], ["1998-01-15"], ["1999", "2002-07-25"]]
    assert artillery["classes"] == [["1997-03-01", "1998-01-15"], ["1999", "2002-07-25"]]


def test_counts_are_those_of_plain_loops(made):
    survey = read_search().atlas[0]
    worlds = Worlds(read_search().worlds[survey.world], survey.takes, PLAN.most)
    asked = [{"battle": data, **inputs} for _, data, inputs in worlds.rows(0, worlds.parts())]
    assert made["surveys"][0]["asked"] == len(asked)
    older, newer = Edition("1997-03-01"), Edition("1999")
    differ = sum(older.answer(survey.question, one) != newer.answer(survey.question, one) for one in asked)
    counted = Counter()
    for row in made["surveys"][0]["differences"]:
        counted[tuple(row["classes"])] += row["count"]
    assert counted[(0, 2)] == differ > 0


def test_idle_fields_play_no_part(tmp_path, monkeypatch):
    """What the search file says to play no part changes no row when it is asked all the same."""
    plan = AtlasPlan(("1997-03-01", "1997-08-20", "1998-01-15", "1999"), most=(2, 2))
    run_plan(plan, tmp_path, 1, "sequential")
    for chunk in (one for one in run_of(plan).tasks() if one.survey < 2 and one.start % 9 == 0):
        survey = run_of(plan).surveys[chunk.survey]
        monkeypatch.setattr(survey, "known", {})
        monkeypatch.setattr(survey, "survey", survey.survey.model_copy(update={"idle": {}}))
        assert json.loads(json.dumps(all_pairs.work(plan, chunk))) == read_part(tmp_path / chunk.file)
        monkeypatch.undo()


def test_other_workers_make_the_same_file(made, tmp_path):
    run_plan(PLAN, tmp_path, 2, "loky")
    assert json.dumps(gather_atlas(PLAN, tmp_path)) == json.dumps(made)


BROKEN = ("", "{", '{"other": 1}\n', '{"asked": 5}', '{"asked": 5}\n', "[]\n", '{"blake2b": 1}\n')


def test_a_part_that_was_cut_short_or_changed_is_made_again(made, tmp_path):
    run_plan(PLAN, tmp_path, 1, "sequential")
    path = max(tmp_path.glob("*.jsonl"), key=lambda one: one.stat().st_size)
    whole = path.read_text(encoding="utf-8")
    lines = whole.splitlines(keepends=True)
    assert read_part(path) is not None
    cut = (whole[:-1], whole[: len(whole) // 2], "".join(lines[:-1]), whole.replace("1", "2", 1))
    for text in (*BROKEN, *cut):
        path.write_text(text, encoding="utf-8")
        assert read_part(path) is None
    with pytest.raises(InputError, match="not complete"):
        gather_atlas(PLAN, tmp_path)
    run_plan(PLAN, tmp_path, 1, "sequential")
    assert path.read_text(encoding="utf-8") == whole
    assert json.dumps(gather_atlas(PLAN, tmp_path)) == json.dumps(made)


def processes():
    """Map the processes that there are, on Linux, to their state and the process that has started them."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = path.read_text().rsplit(")", 1)[1].split()[:2]
            found[int(path.parent.name)] = state, int(parent)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")
def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    command = [sys.executable, "-c", "from titm_rules.cli import main; main()", "atlas", "1997-03-01", "1999"]
    with subprocess.Popen([*command, "--max", "3x3", "--jobs", "2", "--work", str(tmp_path)]) as process:
        wait_for(lambda: any(tmp_path.rglob("*.jsonl")), 120)
        workers = {pid for pid, (_, parent) in processes().items() if parent == process.pid}
        assert workers
        process.kill()
    assert wait_for(lambda: all(state == "Z" for pid, (state, _) in processes().items() if pid in workers), 30)


def wait_for(holds, seconds):
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(0.1)
    return holds()


def test_the_page_shows_counts_and_causes_and_another_plan_has_another_digest(made):
    page = atlas_page(made)
    assert "\n- 1999: attested\n" in page
    assert "known to have been revised: 9.51 (1997-08-20)" in page
    assert "# Where editions differ, up to 2x1" in page
    assert "### 1997-03-01 to 1998-01-15" in page
    assert all(f"{survey['asked']:,} situations" in page for survey in made["surveys"])
    assert replace(PLAN, most=(1, 2)).digest != PLAN.digest


@pytest.mark.parametrize(("backend", "says"), [("slurm", "unknown backend `slurm`"), ("ray", "`ray` is not installed")])
def test_a_backend_that_is_not_there(tmp_path, backend, says, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray.util.joblib", None)
    with warnings.catch_warnings(record=True, action="always") as warned, pytest.raises(InputError, match=says):
        run_plan(PLAN, tmp_path, 1, backend)
    deprecated = ["the backend `ray` is deprecated; use `dask`"] if backend == "ray" else []
    assert [str(one.message) for one in warned if one.category is FutureWarning] == deprecated


def test_a_backend_that_gives_all_at_once_works_in_batches(tmp_path, made, monkeypatch):
    """Ray gives nothing back before all is done; any backend can be asked in that way."""
    monkeypatch.setattr(batch, "BATCHED", ("sequential",))
    monkeypatch.setattr(batch, "BATCH", 2)
    told = []
    run_plan(PLAN, tmp_path, 1, "sequential", lambda done, parts: told.append((done, parts)))
    assert told == [(done, len(run_of(PLAN).tasks())) for done in range(len(run_of(PLAN).tasks()) + 1)]
    assert atlas_page(gather_atlas(PLAN, tmp_path)) == atlas_page(made)


# ---------------------------------------------------------------------- all questions
PAIRS = SearchPlan(("1996-11-01", "1997-03-01"))  # they differ in two things: one question, and short games
GAMES = QuestionResult("play", PROVED, proof="short games").record()  # no need to play them here
KILLED = """
import os, signal, sys
from pathlib import Path
from titm_rules.compare import all_pairs
from titm_rules.compare.results import PROVED, QuestionResult

def work(plan, task, draft):
    if any(folder.glob("*.jsonl")):
        (folder / "half.new").write_text("{")
        os.kill(os.getpid(), signal.SIGKILL)
    return [QuestionResult(task.question, PROVED, proof="short games").record()]  # no need to play them here

folder, all_pairs.work = Path(sys.argv[1]), work
all_pairs.run_plan(all_pairs.SearchPlan(tuple(sys.argv[2:])), folder, 1, "sequential")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills itself by a signal")
def test_a_killed_series_of_games_is_taken_up_again(tmp_path, monkeypatch):
    command = [sys.executable, "-c", KILLED, str(tmp_path), *PAIRS.editions]
    assert subprocess.run(command, check=False).returncode == -9
    first, *others = run_of(PAIRS).tasks()
    assert {task.question for task in others} == {"play", "special_forces_options"}
    kept = {path.name: path.read_bytes() for path in tmp_path.glob("*.jsonl")}
    assert list(kept) == [first.file]
    with pytest.raises(InputError, match="not complete"):
        gather_pairs(PAIRS, tmp_path)
    searched, real = [], all_pairs.work

    def work(plan, task, draft):
        searched.append(task)
        return [GAMES] if task.question == "play" else real(plan, task)

    monkeypatch.setattr(all_pairs, "work", work)
    run_plan(PAIRS, tmp_path, 1, "sequential")
    assert searched == others
    assert all((tmp_path / name).read_bytes() == text for name, text in kept.items())
    [results] = gather_pairs(PAIRS, tmp_path).values()
    assert [result.question for result in results if result.proof != SAME_CLAUSES] == ["special_forces_options", "play"]


def test_games_go_on_where_they_were_interrupted(tmp_path, monkeypatch):
    """Interrupted again and again, they take up what was kept, to the same result."""
    run, names = run_of(PAIRS), ("barrage",)
    monkeypatch.setattr(all_pairs, "PLAYED", 15)
    course = all_pairs.Task("play", names)
    whole = json.dumps(run.work(course))
    monkeypatch.setattr(batch, "KEPT_EVERY_S", 0)

    class Interrupted(Draft):
        left = 8

        def keep(self, rows):
            super().keep(rows)
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt

    for _ in range(60):
        with suppress(KeyboardInterrupt):
            assert json.dumps(run.work(course, Interrupted(tmp_path / course.file))) == whole
            break
    else:
        pytest.fail("it never went on")


@pytest.mark.parametrize("package", load.ANSWERING)
def test_parts_of_older_code_are_not_taken_up(package, monkeypatch):
    """A mend of the code that answers gives parts another name, so that a page never mixes old and new."""
    before, real, changed = PAIRS.digest, Path.read_bytes, next((Path(load.__file__).parents[1] / package).glob("*.py"))
    monkeypatch.setattr(Path, "read_bytes", lambda path: real(path) + b"#" * (path == changed))
    load._answering_code.cache_clear()
    after = PAIRS.digest
    monkeypatch.undo()
    load._answering_code.cache_clear()
    assert after != before == PAIRS.digest


RUN = """
import sys
from pathlib import Path
from titm_rules.compare import all_pairs
from titm_rules.oracle import batch

batch.KEPT_EVERY_S = 1
all_pairs.run_plan(all_pairs.SearchPlan(tuple(sys.argv[2:])), Path(sys.argv[1]), 1, "sequential")
"""


@pytest.mark.slow
def test_a_run_that_is_killed_ten_times_makes_the_same_page(tmp_path):
    pages = []
    for kills in (0, 10):
        folder = tmp_path / str(kills)
        folder.mkdir()
        command = [sys.executable, "-c", RUN, str(folder), *PAIRS.editions]
        for _ in range(kills):
            with suppress(subprocess.TimeoutExpired):  # it is killed then
                subprocess.run(command, check=True, timeout=5)
        subprocess.run(command, check=True)
        pages.append(differences_page(gather_pairs(PAIRS, folder)))
    assert pages[0] == pages[1]


def test_editions_that_refuse_other_positions_are_not_called_alike(tmp_path, monkeypatch):
    path = tmp_path / "small.rules"
    path.write_text(STRICTER)
    rules = {"1999": (), "stricter": (str(path),), "stricter still": (str(path),)}
    monkeypatch.setattr(all_pairs, "load_model", lambda name, game: load_model("1999", game, rules[name]))
    run = all_pairs.PairsRun(SearchPlan(tuple(rules)))
    assert run.task("supplied", "1999", "stricter") is None
    assert run.task("combined_arms", "stricter", "stricter still") is None
    task = run.task("combined_arms", "1999", "stricter still")
    assert task == all_pairs.Task("combined_arms", ("1999", "stricter"))
    [record] = run.work(task)
    assert read_result(record).verdict == "no evidence"


def test_rules_without_events_are_compared_by_their_questions():
    model = replace(load_model("1999"), events={})
    pair, wanted = ModelPair(model, model), read_search("titm").model_copy(update={"play": []})
    assert [one.question for one in all_pairs.find_differences(pair, wanted)] == list(pair.second.questions)
    with pytest.raises(InputError, match="no games are compared"):
        list(all_pairs.find_differences(pair, wanted, ["play"]))
