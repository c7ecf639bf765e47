"""What a position tells a player: who acts, whether it is over, who has won, what that is worth, who is there."""

import pytest
from titm_rules import Edition, InputError, Outcome, Position, load_scenario
from titm_rules.catalog import game_folders
from titm_rules.oracle.game import POLICIES, play_game
from titm_rules.oracle.position import victory_in

from tests.builders import battle, position

SAUER = load_scenario("sauer-crossing")
FORD = load_scenario("the-ford", game="cold-ford")


def last(start, policy, seed=0):
    *_, turn = play_game(start, POLICIES[policy], seed)
    return turn.after


# ---------------------------------------------------------------------- who acts
def test_who_acts_and_whether_a_game_has_an_outcome():
    assert (SAUER.to_act, FORD.to_act) == (("German",), ("Red",))
    # a position in which both sides have a choice at the same time
    turns = play_game(load_scenario("two-bridges"), POLICIES["random"], 4)
    both = next(t.before for t in turns if len({action.by for action in t.before.legal_actions}) > 1)
    assert both.to_act == ("German", "Allied")
    over = last(FORD, "random")
    assert (over.to_act, over.is_over, len(over.legal_actions)) == ((), True, 0)
    actions = SAUER.legal_actions
    listed = list(SAUER.legal_actions)
    assert len(actions) == len(listed) == 8
    assert list(actions) == listed  # also after counting
    assert all(action in actions for action in listed)
    assert (SAUER.is_over, SAUER.outcome()) == (False, None)
    assert SAUER.returns == {"German": 0, "Allied": 0}


# ---------------------------------------------------------------------- how it ends
def test_a_game_that_is_over_tells_who_has_won_or_that_both_have_lost():
    over = last(SAUER, "random")
    assert over.outcome() == Outcome("Allied", {"Allied": 1, "German": -1}, over.summary)
    assert over.summary["level"] == "Allied victory"
    outcome = last(FORD, "random").outcome()  # a rule set that counts no returns gives one for victory
    assert outcome is not None
    assert (outcome.winner, outcome.returns) == ("Blue", {"Red": -1, "Blue": 1})
    start = load_scenario("seventh-army")
    town = next(row["id"] for row in start.to_dict()["areas"] if row.get("scenario_town"))
    data = start.to_dict() | {"day": 18, "phase": "game-over"}
    data["areas"] = [row | {"control": "German"} if row["id"] == town else row for row in data["areas"]]
    over = Position.from_dict(data, start.edition)
    assert over.summary["level"] == "Both sides lose"
    assert (over.victory.winner, over.returns) == (None, {"German": -1, "Allied": -1})
    model = SAUER.edition.model
    bare = victory_in(model, "battle", SAUER.world.root.engine_, ("German", "Allied"))
    assert (bare.winner, bare.returns, bare.standing) == (None, {"German": 0, "Allied": 0}, {})


@pytest.mark.parametrize(
    ("points", "winner", "german", "allied"),
    [
        (0, "Allied", -2, 2), (15, "Allied", -1, 1), (25, None, 0, 0), (30, "German", 1, -1), (40, "German", 2, -2),
    ],
)  # fmt: skip
def test_the_worth_of_each_level_of_the_campaign(points, winner, german, allied):
    data = position("B-s major", "g German foot 2 s") | {"day": 22, "phase": "game-over", "vp_total": points}
    over = Position.from_dict(data)
    assert over.victory.winner == winner
    assert over.returns == {"German": german, "Allied": allied}


# ---------------------------------------------------------------------- how sides stand
def test_standing_counts_strength_and_the_way_to_what_scores():
    # Red: 15 points of strength at 4, less 15 steps to the village; Blue: 8 points at 4, less 3 steps
    assert FORD.victory.standing == {"Red": 45, "Blue": 29}
    muster = next(a for a in SAUER.legal_actions if str(a) == "muster g-tanks")
    marching = SAUER.apply(muster)
    before = SAUER.victory.standing["German"]
    nearer = max(marching.apply(a).victory.standing["German"] for a in marching.legal_actions)
    assert nearer == before + 1


@pytest.mark.parametrize("name", sorted(game_folders()))
def test_every_game_that_can_be_played_tells_its_victory(name):
    model = Edition(game=name).model
    played = {event.situation for event in model.events.values() if event.actor is not None}
    assert model.victories.keys() == {one for one in played if one in model.summaries}


# ---------------------------------------------------------------------- what is there
def test_units_by_id_with_every_field():
    assert list(SAUER.units)[:2] == ["g-tanks", "g-grenadiers"]
    tanks = SAUER.units["g-tanks"]
    assert {name: tanks[name] for name in ("side", "kind", "strength", "place", "day_start", "moved", "aims_at")} == {
        "side": "German", "kind": "armor", "strength": 3, "place": "Bitburg", "day_start": "Bitburg", "moved": False,
        "aims_at": None,
    }  # fmt: skip


def test_repr_tells_the_game_and_a_scenario_is_ready_to_be_played():
    assert repr(FORD) == "<position of cold-ford 1; turn 1, side-to-move Red, stage marching; 7 units>"
    assert repr(SAUER).startswith("<position of titm 1999 with sauer-crossing; day 16, impulse 1, ")
    fight = Position.from_dict(battle("foot 1", "foot 1"), situation="battle")
    assert repr(fight) == "<battle of titm 1999>"
    assert load_scenario("two-bridges", edition="20 August 1997").edition.date == "1997-08-20"
    assert load_scenario("sauer-crossing", readings={"R19": "wading"}).edition.readings["R19"] == "wading"
    assert load_scenario("campaign").settled is not None


# ---------------------------------------------------------------------- where it comes from
@pytest.mark.parametrize(
    ("name", "message"), [("sauer-crosing", "sauer-crosing"), ("combat-of-1999", "a battle is not played")]
)
def test_what_is_no_scenario(name, message):
    with pytest.raises(InputError, match=message):
        load_scenario(name)
