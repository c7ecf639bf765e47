"""Random games of the scenarios that ship, under editions of every kind."""

import pytest
from titm_rules import Edition, Position
from titm_rules.maps.scenarios import load_scenario

from tests.play.games import check_game, check_record, watch_game

SCENARIOS = ("campaign", "fifth-panzer-army", "first-three-days", "seventh-army")
TAUGHT = ("race-for-bastogne", "sauer-crossing")
EDITIONS = ("1996-08-01", "1997-08-20", "1999", "2002-07-25")
BEGUN = [(name, "1999") for name in SCENARIOS]
BEGUN += [("campaign", "1996-08-01"), ("fifth-panzer-army", "1997-08-20"), ("seventh-army", "2002-07-25")]
WITH_RECORDS = "1999"  # replaying takes as long as playing
LIST_EVERY = 199  # a list of the campaign has hundreds of entries, each of which is tried


def first_position(name: str, date: str) -> Position:
    plain = Edition(date)
    scenario = load_scenario(plain.model, name)
    return Position.from_dict(scenario.position, Edition(date, overlays=scenario.overlays))


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
