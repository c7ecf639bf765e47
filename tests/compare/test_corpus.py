"""A corpus is asked by two processes at once where that is safe, and says the same as one."""

import multiprocessing
import os
import subprocess
import sys
import threading

import pytest
from titm_rules.compare import corpus
from titm_rules.compare.corpus import GAME, SCENARIO, CorpusRun, at_once, read_corpus
from titm_rules.compare.edition_diff import compared
from titm_rules.compare.plan import make_plan, open_text
from titm_rules.compare.playout import directions
from titm_rules.compare.results import PLAY
from titm_rules.compare.rule_pair import OTHERWISE
from titm_rules.diagnostics import InputError
from titm_rules.formats.safe_json import bad
from titm_rules.play.action import Dice

forks = pytest.mark.skipif(sys.platform != "linux", reason="works are done one after the other")


@pytest.fixture
def alone(monkeypatch):
    """A process without other threads than the test's, as far as `at_once` knows; no process is left behind."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    before = {*multiprocessing.active_children()}
    yield
    assert {*multiprocessing.active_children()} <= before


@forks
def test_two_works_are_done_by_two_processes(alone):
    here, beside = at_once(os.getpid, lambda: (os.getpid(), [1]))
    assert here == os.getpid() != beside[0]
    assert beside[1] == [1]


@pytest.mark.parametrize("count", [1, 2])
def test_what_a_work_raises_is_raised_here(count, alone, monkeypatch):
    monkeypatch.setattr(threading, "active_count", lambda: count)

    def refuse():
        raise bad("no", "here")

    with pytest.raises(InputError, match="no"):
        at_once(lambda: 1, refuse)
    with pytest.raises(InputError, match="no"):
        at_once(refuse, lambda: 1)


@forks
def test_a_work_whose_process_ends_early_is_done_here(alone):
    mine = os.getpid()
    assert at_once(lambda: 1, lambda: os.getpid() if os.getpid() == mine else os._exit(9)) == (1, mine)


def test_beside_other_threads_nothing_forks(monkeypatch):
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert at_once(os.getpid, os.getpid) == (os.getpid(), os.getpid())


IN_A_BROWSER = """
import sys
sys.modules["multiprocessing"] = None
from titm_rules.compare.corpus import read_corpus
from titm_rules.compare.plan import make_plan, open_text
sys.platform = "emscripten"
text = 'add clause my:1 "Mud" "A village costs 1 more." march costs 1 when terrain of place-entered is village.'
plan = make_plan(open_text(text, "1", "cold-ford"), read_corpus("cold-ford"), search=False)
print(len(plan.run.changes))
"""


def test_a_plan_needs_no_processes():
    command = [sys.executable, "-c", IN_A_BROWSER]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


def test_two_processes_find_what_one_finds_in_the_order_of_the_cases(alone, monkeypatch):
    two = compared("1994-11-01", "2016-10-01")
    every = read_corpus()
    cases = [every[0], *(case for case in every[1:] if case.kind in (SCENARIO, GAME))][::2] + every[2:200:3]

    def asked():
        run = CorpusRun(two)
        run.ask_all(cases)
        return [one.record() for one in run.changes], run.asked, run.refused, len(run.visited)

    found = asked()
    monkeypatch.setattr(corpus, "at_once", lambda here, beside: (here(), beside()))
    assert found == asked()
    assert {one["kind"] for one in found[0]} > {GAME}
    assert found[3]


# ---------------------------------------------------------------------- play that goes on otherwise
DEARER = """replace clause 8.33-unbridged "Unbridged river"
  "Across a river without a usable bridge: 4 MPs, and only for a unit moving as foot infantry."
  unbridged holds when bridge of way is blown or rivers-without-bridge is wading and way is
    bridgeless.
  move costs 4 when unbridged.
  move may not step when unbridged and some u in stack is not afoot.
  move may not step when rivers-without-bridge is no-crossing and way is bridgeless.
  lifts 8.2b in move when unbridged and bridge of way is nothing.
  afoot holds when kind of u is foot.
"""


def test_other_costs_of_the_same_actions_are_neither_more_nor_less():
    games = [case for case in read_corpus() if case.record and "two-bridges" in case.record.start]
    plan = make_plan(open_text(DEARER, "2016-10-01", ""), games, search=False)
    changes = [one for one in plan.run.changes if one.before.startswith("afterwards")]
    assert changes
    assert not any(one.more or one.less for one in changes)
    [play] = [one for one in plan.questions() if one.question == PLAY]
    assert play.relation == OTHERWISE


def test_another_die_of_the_same_action_is_neither_more_nor_less():
    one, other = (frozenset({("strike d", Dice(1, 1, 6, 1, best)), ("go a", None)}) for best in (2, 4))
    assert directions(one, other) == (False, False)
    assert directions(one, other - {("go a", None)}) == (False, True)
    assert directions({"spent": 1}, {"spent": 2}) == (False, False)
