"""Random whole games on a small board, with what must hold at every step."""

import pytest
from titm_rules import Position
from titm_rules.oracle.game import POLICIES, play_game

from tests.play.games import check_engines, check_game
from tests.syntax.programs import ROOT

NEVER_SEEN = {"wade", "infiltrate", "build-bridge", "give-up"}
START = Position.from_file(ROOT / "scenarios" / "titm" / "two-bridges" / "position.yaml")


@pytest.mark.parametrize("seed", range(16))
def test_random_games_keep_the_rules(seed):
    check_game(START, seed, "two-bridges", every=5)


@pytest.mark.parametrize("seed", [100, 101, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(102, 110))])
def test_engines_list_the_same_actions(seed):
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
