"""Players and tournaments."""

import random
from fractions import Fraction
from itertools import islice

import pytest
from titm_rules import InputError, Position, load_scenario
from titm_rules.oracle.batch import Game, Score, play_tournament, scores, seated, wilson
from titm_rules.oracle.game import POLICIES, MonteCarlo, choose_greedily, lead, play_game, throw

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
@pytest.mark.parametrize(
    ("start", "policy", "number"),
    [
        *((FORD, POLICIES[name], 25) for name in ("random", "first", "greedy")), (one_blow_from_the_end(), QUICK, 3),
    ],
    ids=["random", "first", "greedy", "monte-carlo"],
)  # fmt: skip
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
    assert MonteCarlo(playouts=24, depth=6)(start, list(weighed), random.Random(1)).kind == "strike"


def test_dice_are_thrown_where_an_action_throws_them():
    start = one_blow_from_the_end()
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
def beats(name, game, games):
    """Whether greedy wins more than half of its games against random, with 95 of 100 to be sure."""
    found = list(play_tournament(load_scenario(name, game=game), named("greedy", "random"), games))
    return scores(found)[0].interval[0] > 0.5


def test_greedy_beats_random():
    assert beats("the-ford", "cold-ford", 2)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "game"), [("the-ford", "cold-ford"), ("sauer-crossing", "titm")])
def test_greedy_beats_random_in_many_games(name, game):
    assert beats(name, game, 15)
