"""Random whole games on a small board and of the scenarios that ship, with what must hold at every step."""

import pytest
from titm_rules import Position
from titm_rules.oracle.game import POLICIES, play_game

from tests.play.games import check_engines, check_game, check_record, first_position, watch_game
from tests.syntax.programs import ROOT

NEVER_SEEN = {"wade", "infiltrate", "build-bridge", "give-up"}
START = Position.from_file(ROOT / "scenarios" / "titm" / "two-bridges" / "position.yaml")


@pytest.mark.parametrize("seed", range(16))
def test_random_games_keep_the_rules(seed):
    check_game(START, seed, "two-bridges", every=5)


@pytest.mark.parametrize(("seed", "first"), [(100, 0), (101, 1)])
def test_engines_list_the_same_actions(seed, first):
    check_engines(START, seed, first, every=2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_engines_list_the_same_actions_at_every_step(seed):
    check_engines(START, seed)


def test_the_games_bring_up_every_kind_of_action():
    """What random games never do is tested by the tables of the clauses; this says what that is."""
    unseen = {name for name, event in START.edition.model.events.items() if event.actor is not None}
    for seed in range(40):
        unseen -= {turn.action.kind for turn in play_game(START, POLICIES["random"], seed)}
        if unseen <= NEVER_SEEN:
            return
    pytest.fail(f"no game brings up {unseen - NEVER_SEEN}")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_a_thousand_games(part):
    for seed in range(50 * part, 50 * part + 50):
        check_game(START, seed, "two-bridges")


# ---------------------------------------------------------------------- the scenarios that ship
SCENARIOS = ("campaign", "fifth-panzer-army", "first-three-days", "seventh-army")
TAUGHT = ("race-for-bastogne", "sauer-crossing")
EDITIONS = ("1996-08-01", "1997-08-20", "1999", "2002-07-25")
BEGUN = [(name, "1999") for name in SCENARIOS]
BEGUN += [("campaign", "1996-08-01"), ("fifth-panzer-army", "1997-08-20"), ("seventh-army", "2002-07-25")]
WITH_RECORDS = "1999"  # replaying takes as long as playing
LIST_EVERY = 199  # a list of the campaign has hundreds of entries, each of which is tried


@pytest.mark.parametrize(("name", "date"), BEGUN)
def test_games_begin_well(name, date):
    actions, _ = watch_game(first_position(name, date), seed=1, every=LIST_EVERY, limit=40)
    assert len(actions) == 40


@pytest.mark.parametrize("name", TAUGHT)
@pytest.mark.parametrize("seed", range(4))
def test_small_games_go_to_the_end(name, seed):
    check_game(first_position(name, "1999"), seed, name, every=50)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("date", EDITIONS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_games_go_to_the_end(name, date, seed):
    start = first_position(name, date)
    actions, final = watch_game(start, seed, LIST_EVERY)
    assert final.to_dict()["phase"] == "game-over"
    assert not final.legal_actions
    assert final.summary["level"] is not None
    if date == WITH_RECORDS:
        check_record(name, start, actions, final)
