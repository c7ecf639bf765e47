"""Players and tournaments, many games side by side, and what a position tells a player: the same for every seed."""

import pickle
import random
from fractions import Fraction
from itertools import islice

import pytest
from titm_rules import Edition, InputError, Outcome, Position, load_scenario
from titm_rules.catalog import game_folders
from titm_rules.oracle import batch
from titm_rules.oracle.batch import (
    PART,
    Game,
    ManyGames,
    Score,
    play_many,
    play_tournament,
    scores,
    seated,
    tally_outcomes,
    wilson,
)
from titm_rules.oracle.game import POLICIES, BeamSearch, MonteCarlo, choose_greedily, lead, play_game, throw
from titm_rules.oracle.position import victory_in

from tests.builders import battle, position

FORD = load_scenario("the-ford", game="cold-ford")
QUICK = MonteCarlo(playouts=8, depth=3)


def one_blow_from_the_end():
    """Red stands in the village and may strike the last Blue unit: if that goes, the game is won at once."""
    data = FORD.to_dict() | {"turn": 6, "stage": "fighting", "side_to_move": "Red"}
    data["units"] = [
        {"id": "r", "side": "Red", "strength": 9, "place": "0503"},
        {"id": "b", "side": "Blue", "strength": 1, "place": "0502"},
    ]
    return Position.from_dict(data, FORD.edition)


# ---------------------------------------------------------------------- players
@pytest.mark.parametrize(("start", "policy", "number"), [
    *((FORD, POLICIES[name], 25) for name in ("random", "first", "greedy")), (one_blow_from_the_end(), QUICK, 3),
    (FORD, BeamSearch(3, 3), 5),
], ids=["random", "first", "greedy", "monte-carlo", "beam"])  # fmt: skip
def test_every_player_plays_legal_actions_and_the_same_game_by_the_same_seed(start, policy, number):
    first, again = ([turn.recorded for turn in islice(play_game(start, policy, 5), number)] for _ in range(2))
    assert first == again
    assert len(first) == number


def test_players_choose_among_given_choices_by_lead_or_lot():
    standing = FORD.victory.standing
    assert lead(FORD, "Red") == standing["Red"] - standing["Blue"] == -lead(FORD, "Blue")
    start = load_scenario("sauer-crossing")
    actions = list(start.legal_actions)  # no first step of a march changes anything yet
    chosen = {choose_greedily(start, actions, random.Random(seed)) for seed in range(12)}
    assert len(chosen) > 3
    only = [list(FORD.legal_actions)[-1]]
    for player in POLICIES.values():
        assert player(FORD, only, random.Random(0)) == only[0]


def test_greedy_takes_the_action_of_the_best_odds_and_monte_carlo_the_blow_that_wins():
    start = one_blow_from_the_end()
    weighed = {}
    for action in start.legal_actions:
        weighed[action] = sum((odds * lead(after, "Red") for _, odds, after in start.outcomes(action)), Fraction(0))
    best = max(weighed, key=lambda action: weighed[action])
    assert len(weighed) > 1
    assert best.kind == "strike"
    assert all(choose_greedily(start, list(weighed), random.Random(seed)) == best for seed in range(5))
    assert BeamSearch()(start, list(weighed), random.Random(1)) == best
    assert MonteCarlo(playouts=24, depth=6)(start, list(weighed), random.Random(1)).kind == "strike"
    # Dice are thrown where an action throws them.
    thrown = {action.kind: throw(start, action, random.Random(3)) for action in start.legal_actions}
    assert thrown["pass"] == ()
    assert len(thrown["strike"]) == 2
    assert all(1 <= face <= 6 for face in thrown["strike"])


def test_in_a_seat_one_plays_for_ones_own_side_alone():
    asked = []

    def noting(position, actions, chance):
        asked.append({action.by for action in actions})
        return POLICIES["random"](position, actions, chance)

    start = load_scenario("two-bridges")
    both = [len(turn.before.to_act) for turn in play_game(start, seated({"German": noting, "Allied": noting}), 4)]
    assert 2 in both  # both sides had a choice at once
    assert all(len(sides) == 1 for sides in asked)


def named(*names):
    return {name: POLICIES[name] for name in names}


# ---------------------------------------------------------------------- counting
def test_every_seating_is_played_with_the_same_seeds():
    games = list(play_tournament(FORD, named("random", "first"), 2, seed=7, limit=10))
    assert [(tuple(game.seats.values()), game.seed) for game in games] == [
        (("random", "first"), 7), (("first", "random"), 7), (("random", "first"), 8), (("first", "random"), 8),
    ]  # fmt: skip
    assert [game.of("Red") for game in games] == ["unfinished"] * 4


def test_scores_of_games():
    def game(red, blue, winner, worth):
        return Game({"Red": red, "Blue": blue}, 0, 9, winner, True, {"Red": worth, "Blue": -worth})

    games = [game("a", "b", "Red", 2), game("b", "a", "Red", 1), game("a", "b", None, 0)]
    assert scores(games) == [
        Score("a", "", 3, 1, 1, 1, 0, pytest.approx(1 / 3)),
        Score("a", "Red", 2, 1, 1, 0, 0, 1.0),
        Score("a", "Blue", 1, 0, 0, 1, 0, -1.0),
        Score("b", "", 3, 1, 1, 1, 0, pytest.approx(-1 / 3)),
        Score("b", "Blue", 2, 0, 1, 1, 0, -1.0),
        Score("b", "Red", 1, 1, 0, 0, 0, 1.0),
    ]


@pytest.mark.parametrize(
    ("won", "games", "low", "high"),
    # from the formula by hand: Newcombe 1998, table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_wilsons(won, games, low, high):
    assert wilson(won, games) == pytest.approx((low, high), abs=0.0001)
    assert wilson(games - won, games) == pytest.approx((1 - high, 1 - low), abs=0.0001)


@pytest.mark.parametrize("players", [["greedy"], []])
def test_too_few_players(players):
    with pytest.raises(InputError, match=f"players named: {len(players)}, sides: 2"):
        list(play_tournament(FORD, named(*players), 1))


# ---------------------------------------------------------------------- who is better
@pytest.mark.parametrize(("better", "worse", "name", "game", "games"), [
    ("greedy", "random", "the-ford", "cold-ford", 2),
    pytest.param("greedy", "random", "the-ford", "cold-ford", 15, marks=pytest.mark.slow),
    pytest.param("greedy", "random", "sauer-crossing", "titm", 15, marks=pytest.mark.slow),
    pytest.param("beam", "greedy", "the-ford", "cold-ford", 10, marks=pytest.mark.slow),
])  # fmt: skip
def test_one_player_beats_another(better, worse, name, game, games):
    """It wins more than half of its games, with 95 of 100 to be sure."""
    found = list(play_tournament(load_scenario(name, game=game), named(better, worse), games))
    assert scores(found)[0].interval[0] > 0.5


SAUER = load_scenario("sauer-crossing")


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


@pytest.mark.parametrize(("points", "winner", "german", "allied"), [
    (0, "Allied", -2, 2), (15, "Allied", -1, 1), (25, None, 0, 0), (30, "German", 1, -1), (40, "German", 2, -2),
])  # fmt: skip
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


# ---------------------------------------------------------------------- many games side by side
BRIDGES = Position.from_file("two-bridges")


def wanted(games=3, **how):
    return ManyGames(**{"start": BRIDGES, "policy": "random", "seed": 5, "games": games, "limit": 12, **how})


def played(games, folder, jobs=1, backend="sequential"):
    return play_many(games, folder, jobs, backend, lambda *_: None)


def test_each_row_tells_what_its_seed_gives_whoever_works(tmp_path):
    for row in played(wanted(limit=200), tmp_path):
        turns = list(play_game(BRIDGES, POLICIES["random"], row["seed"], 200))
        outcome = turns[-1].after.outcome()
        assert (row["actions"], row["result"]) == (len(turns), turns[-1].after.summary)
        assert (row["over"], row["winner"]) == (outcome is not None, outcome and outcome.winner)
    games, other = wanted(PART + 2), tmp_path / "other"
    other.mkdir()
    assert played(games, tmp_path, 2, "loky") == played(games, other)


def test_a_run_goes_on_where_it_was_broken_off(tmp_path, monkeypatch):
    games, seeds = wanted(3 * PART), []

    def broken(start, policy, part, limit, draft, _work=batch.play_part):
        if len(seeds) == 1:
            raise KeyboardInterrupt
        seeds.append(part)
        return _work(start, policy, part, limit, draft)

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
        wanted(start=BRIDGES.under(Edition("1997-08-20"))),
        wanted(start=BRIDGES.under(Edition("1999", engine="reference"))),
    ]  # fmt: skip
    assert len({one.digest for one in (plain, *others)}) == 6
    assert wanted(200, seed=9).digest == plain.digest


def test_what_came_of_games_is_counted_and_positions_pickle(tmp_path):
    rows = [{"over": True, "winner": "A"}, {"over": True, "winner": None}, {"over": False, "winner": None}] * 2
    assert dict(tally_outcomes(rows)) == {"A won": 2, "without a winner": 2, "stopped": 2}
    *_, turn = play_game(BRIDGES, POLICIES["random"], 5, 30)
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
