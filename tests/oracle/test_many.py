"""Many games side by side: the same as one by one, and none is played twice."""

import pickle

import pytest
from titm_rules import Edition, InputError, Position
from titm_rules.oracle import batch
from titm_rules.oracle.batch import PART, ManyGames, play_many, tally_outcomes
from titm_rules.oracle.game import POLICIES, play_game

START = Position.from_file("two-bridges")


def wanted(games=3, **how):
    return ManyGames(**{"start": START, "policy": "random", "seed": 5, "games": games, "limit": 12, **how})


def played(games, folder, jobs=1, backend="sequential"):
    return play_many(games, folder, jobs, backend, lambda *_: None)


def test_each_row_tells_what_its_seed_gives_whoever_works(tmp_path):
    for row in played(wanted(limit=200), tmp_path):
        turns = list(play_game(START, POLICIES["random"], row["seed"], 200))
        outcome = turns[-1].after.outcome()
        assert (row["actions"], row["result"]) == (len(turns), turns[-1].after.summary)
        assert (row["over"], row["winner"]) == (outcome is not None, outcome and outcome.winner)
    games, other = wanted(PART + 2), tmp_path / "other"
    other.mkdir()
    assert played(games, tmp_path, 2, "loky") == played(games, other)


def test_a_run_goes_on_where_it_was_broken_off(tmp_path, monkeypatch):
    games, seeds = wanted(3 * PART), []

    def broken(start, policy, part, limit, _work=batch.play_part):
        if len(seeds) == 1:
            raise KeyboardInterrupt
        seeds.append(part)
        return _work(start, policy, part, limit)

    with monkeypatch.context() as patched:
        patched.setattr(batch, "play_part", broken)
        with pytest.raises(KeyboardInterrupt):
            played(games, tmp_path)
    told = []
    rows = play_many(games, tmp_path, 1, "sequential", lambda *how: told.append(how))
    assert told == [(PART, 3 * PART), (2 * PART, 3 * PART), (3 * PART, 3 * PART)]
    assert [row["seed"] for row in rows] == list(range(5, 5 + 3 * PART))
    monkeypatch.setattr(batch, "play_part", None)
    assert played(games, tmp_path) == rows
    assert played(wanted(PART), tmp_path) == rows[:PART]


def test_results_are_kept_apart_by_all_that_changes_them_but_not_by_number():
    plain = wanted()
    others = [
        wanted(limit=13), wanted(policy="first"), wanted(start=Position.from_file("seventh-army")),
        wanted(start=START.under(Edition("1997-08-20"))),
        wanted(start=START.under(Edition("1999", engine="reference"))),
    ]  # fmt: skip
    assert len({one.digest for one in (plain, *others)}) == 6
    assert wanted(200, seed=9).digest == plain.digest


def test_what_came_of_games_is_counted_and_positions_pickle(tmp_path):
    rows = [{"over": True, "winner": "A"}, {"over": True, "winner": None}, {"over": False, "winner": None}] * 2
    assert dict(tally_outcomes(rows)) == {"A won": 2, "without a winner": 2, "stopped": 2}
    *_, turn = play_game(START, POLICIES["random"], 5, 30)
    copy = pickle.loads(pickle.dumps(turn.after))
    assert copy == turn.after
    assert [str(action) for action in copy.legal_actions] == [str(action) for action in turn.after.legal_actions]
    with pytest.raises(InputError, match="unknown backend `slurm`"):
        played(wanted(), tmp_path, 1, "slurm")


@pytest.mark.parametrize(("backend", "needs"), [("dask", "distributed"), ("ray", "ray")])
def test_workers_that_may_be_installed_give_the_same(tmp_path, backend, needs):
    pytest.importorskip(needs)
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    assert played(wanted(), tmp_path / "one", 2, backend) == played(wanted(), tmp_path / "other")
