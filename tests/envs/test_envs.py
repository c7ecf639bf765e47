"""The environment for learners: PettingZoo's own tests, numbers of actions, observations, rewards and dice."""

import os
import random
import subprocess
import sys
import warnings
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from titm_rules import Action, InputError, Position, load_scenario
from titm_rules.envs import WargameEnv, env, raw_env
from titm_rules.envs.spaces import Features, Numbering
from titm_rules.oracle.game import POLICIES, play_game

from tests.oracle.test_players import one_blow_from_the_end

ROOT = Path(__file__).resolve().parents[2]
FORD = load_scenario("the-ford", game="cold-ford")
BRIDGES = load_scenario("two-bridges")
TEACHING = load_scenario("teaching-battle", game="bitterwoods")
STARTS = pytest.mark.parametrize("start", [FORD, BRIDGES, TEACHING], ids=["the-ford", "two-bridges", "teaching-battle"])


def crowded() -> Position:
    """Seven units where fewer may stay: some of them have to be given up."""
    data = BRIDGES.to_dict() | {"phase": "stacking"}
    more = [{"id": f"g-{n}", "side": "German", "kind": "foot", "strength": 3 - n % 2, "place": "2"} for n in range(5)]
    return Position.from_dict({**data, "units": data["units"] + more}, BRIDGES.edition)


def played(game: WargameEnv, seed: int) -> list[tuple[str, Action]]:
    """Play a game at random by its masks; give what was done."""
    game.reset(seed=seed)
    chance, found = random.Random(seed), []
    while not any(game.terminations.values()) and not any(game.truncations.values()):
        mask = game.observe(game.agent_selection)["action_mask"]
        agent, number = game.agent_selection, chance.choice(np.flatnonzero(mask).tolist())
        before = game.position
        game.step(number)
        if game.position is not before:
            found.append((agent, game.last_action))
    return found


def feature(game: WargameEnv, name: str, agent: str | None = None) -> float:
    """Look a feature up in what an agent sees."""
    at = [one.name for one in game.features].index(name)
    return float(game.observe(agent or game.agent_selection)["observation"][at])


# ---------------------------------------------------------------------- the library's own tests
@pytest.mark.filterwarnings("ignore::UserWarning")
@STARTS
def test_pettingzoos_own_tests(start):
    api_test(env(start), num_cycles=150)
    seed_test(lambda: env(start), num_cycles=40)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["sauer-crossing", "seventh-army"])
def test_pettingzoos_api_test_in_larger_scenarios(name):
    api_test(env(name), num_cycles=300)


# ---------------------------------------------------------------------- numbers of actions
@STARTS
def test_an_action_has_one_number_in_all_positions_and_each_one_of_its_own(start):
    numbering, seen = Numbering(start), {}
    for seed, limit in ((1, 60), (2, 60), (4, 10_000)):
        for turn in play_game(start, POLICIES["random"], seed, limit):
            actions = {tuple(numbering.steps(one)): (one.kind, one.choices) for one in turn.before.legal_actions}
            assert len(actions) == len(turn.before.legal_actions)
            assert all(0 <= number < numbering.size for steps in actions for number in steps)
            assert all(seen.setdefault(steps, key) == key for steps, key in actions.items())
    assert len(seen) > 50


@pytest.mark.parametrize("seed", ["0", "1"])
def test_numbers_rest_neither_on_the_run_nor_on_the_order_of_a_file(seed):
    text = (
        "from titm_rules import load_scenario; from titm_rules.envs.spaces import Numbering; "
        "start = load_scenario('the-ford', game='cold-ford'); n = Numbering(start); "
        "print(n.size, [n.number(a) for a in start.legal_actions])"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    told = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=True)
    numbering = Numbering(FORD)
    assert told.stdout.strip() == f"{numbering.size} {[numbering.number(action) for action in FORD.legal_actions]}"
    data = FORD.to_dict()
    turned = Position.from_dict({**data, "units": data["units"][::-1]}, FORD.edition)
    assert [Numbering(turned).number(a) for a in FORD.legal_actions] == [
        Numbering(FORD).number(a) for a in FORD.legal_actions
    ]


def test_how_many_numbers_there_are_and_what_comes_on_later_has_one_from_the_start():
    # 7 units, 30 hexes: go 7 x 30, halt 1, strike 7, fall-back 7 x 30, pass 1
    assert (len(FORD.units), len(FORD.world.places), Numbering(FORD).size) == (7, 30, 7 * 30 + 1 + 7 + 7 * 30 + 1)
    due = Numbering(BRIDGES)
    later = Action("muster", "German", (("u", "g-res"), ("foot", False)))  # a reinforcement
    assert 0 <= due.number(later) < due.size


@pytest.mark.parametrize(("start", "action", "why"), [
    (FORD, Action("go", "Red", (("u", "nobody"), ("h", "0101"))), "u did not exist at the start"),
    (FORD, Action("rout", ""), "no side chooses such an action"),
    (FORD, Action("fly", "Red"), "no side chooses such an action"),
    (crowded(), next(iter(crowded().legal_actions)), "it chooses a list, member by member: ask `steps`"),
])  # fmt: skip
def test_what_has_no_number(start, action, why):
    with pytest.raises(InputError, match="has no number") as caught:
        Numbering(start).number(action)
    assert caught.value.faults[0].why == why


# ---------------------------------------------------------------------- lists
def test_a_list_is_chosen_member_by_member_and_what_has_been_chosen_is_seen():
    start = crowded()
    game = raw_env(start)
    for action in start.legal_actions:
        game.reset()
        steps = game.numbering.steps(action)
        assert len(steps) == len(dict(action.choices)["lost"]) + 1
        told = []
        for number in steps:
            assert game.observe("German")["action_mask"][number] == 1
            told.append(game.action_told(number))
            game.step(number)
        assert told[0] == f"give-up German 2 {dict(action.choices)['lost'][0]} ..."
        assert told[-1] == str(action)
        assert game.position == start.settled.apply(action)
    game.reset()
    action = next(iter(game.position.legal_actions))
    first, second, *_ = dict(action.choices)["lost"]
    assert feature(game, f"chosen={first}") == 0
    game.step(game.numbering.steps(action)[0])
    assert (feature(game, f"chosen={first}"), feature(game, f"chosen={second}")) == (1, 0)
    assert game.agent_selection == "German"


# ---------------------------------------------------------------------- the course of a game
@STARTS
def test_a_game_is_a_legal_game_and_its_rewards_are_the_returns(start):
    game = raw_env(start)
    taken = played(game, 3)
    position, chance = start, random.Random(3)
    for agent, action in taken:
        assert action.by == agent
        assert position.is_legal(action)
        dice = position.dice(action)
        faces = [chance.randint(dice.low, dice.high) for _ in range(dice.count)] if dice else ()
        position = position.apply(action, faces)
    outcome = position.outcome()
    assert position == game.position
    assert game.rewards == outcome.returns
    assert set(map(abs, game.rewards.values())) != {0}
    assert all(game.terminations.values())
    assert {info["winner"] for info in game.infos.values()} == {outcome.winner}


def test_rewards_reach_those_who_ask_last():
    game = raw_env(FORD)
    game.reset(seed=5)
    chance, last = random.Random(5), {}
    for agent in game.agent_iter():
        seen, reward, over, _, _ = game.last()
        last[agent] = reward
        game.step(None if over else chance.choice(np.flatnonzero(seen["action_mask"]).tolist()))
    assert last == game.position.returns
    assert game.agents == []


def test_a_game_that_lasts_too_long_is_cut_off_without_a_reward():
    game = raw_env(FORD, max_steps=4)
    assert len(played(game, 1)) == 4
    assert (set(game.truncations.values()), set(game.terminations.values())) == ({True}, {False})
    assert set(game.rewards.values()) == {0}


def test_where_both_may_act_one_does_after_the_other():
    game = raw_env(BRIDGES)
    both = next(turn.before for turn in play_game(BRIDGES, POLICIES["random"], 4) if len(turn.before.to_act) == 2)
    game.reset()
    game._stand(both, None)
    assert game.agent_selection == both.to_act[0]
    assert game.observe(both.to_act[1])["action_mask"].sum() == 0
    assert game.observe(both.to_act[0])["action_mask"].sum() == sum(a.by == both.to_act[0] for a in both.legal_actions)


def test_a_policy_plays_in_the_environment():
    game = raw_env(FORD)
    game.reset(seed=1)
    for _ in range(3):
        action = POLICIES["greedy"](game.position, list(game.position.legal_actions), random.Random(0))
        for number in game.numbering.steps(action):
            game.step(number)
        assert game.last_action == action


# ---------------------------------------------------------------------- dice
def test_the_same_seed_throws_the_same_dice_and_without_one_they_go_on():
    assert played(raw_env(FORD), 8) == played(raw_env(FORD), 8)
    assert played(raw_env(FORD), 8) != played(raw_env(FORD), 9)
    game = raw_env(FORD)
    game.reset(seed=1)
    state = game._chance.getstate()
    game.reset()
    assert game._chance.getstate() == state


def test_the_caller_may_throw_the_dice():
    asked = []

    def all_ones(position, action, chance):
        dice = position.dice(action)
        asked.append(action.kind)
        return [1] * (dice.count if dice else 0)

    game = raw_env(one_blow_from_the_end(), thrower=all_ones)
    game.reset(seed=0)
    strike = next(action for action in game.position.legal_actions if action.kind == "strike")
    game.step(game.numbering.number(strike))
    assert asked == ["strike"]
    assert game.rewards == {"Red": 1, "Blue": -1}  # two hits: the last Blue unit is gone


# ---------------------------------------------------------------------- what is seen
def test_features_are_what_they_are_called():
    game = raw_env(FORD)
    game.reset()
    told = {
        "turn": 1, "side_to_move=Red": 1, "side_to_move=Blue": 0, "stage=marching": 1, "units.r-guard?": 1,
        "units.r-guard.strength": 5, "units.r-guard.place=0103": 1, "units.r-guard.place=0104": 0,
        "units.r-guard.marched": 0, "hexes.0503.goal": 1, "hexes.0101.goal": 0, "observer=Red": 1, "observer=Blue": 0,
        "to_act=Red": 1, "to_act=Blue": 0,
    }  # fmt: skip
    assert {name: feature(game, name) for name in told} == told
    assert (feature(game, "observer=Blue", "Blue"), feature(game, "to_act=Red", "Blue")) == (1, 1)
    # of a unit that is gone all is 0
    data = FORD.to_dict()
    rest = [row for row in data["units"] if row["id"] != "r-guard"]
    game._stand(Position.from_dict({**data, "units": rest}, FORD.edition), None)
    names = [one.name for one in game.features if one.name.startswith("units.r-guard")]
    assert len(names) > 30
    assert {feature(game, name) for name in names} == {0}


def test_optional_records_and_lists_are_seen_and_every_feature_has_a_name_of_its_own_and_a_unit():
    data = BRIDGES.to_dict() | {
        "special_forces": {"area": "5", "effect": "mobility"}, "effects_used": ["mobility"], "days_used": [21],
        "battle_areas": ["3", "4"],
    }  # fmt: skip
    game = raw_env(Position.from_dict(data, BRIDGES.edition))
    game.reset()
    told = {
        "special_forces?": 1, "special_forces.area=5": 1, "special_forces.effect=mobility": 1,
        "effects_used=mobility": 1, "effects_used=confusion": 0, "days_used": 1,
        "battle_areas=3": 1, "battle_areas=5": 0, "way_tried=1-3": 0,
        "reserves.g-mot?": 1, "reserves.g-mot.due.1": 21, "reserves.g-mot.due.2": 2, "units.g-mot?": 0,
        "attacker_counters?": 0, "fallen": 0,
    }  # fmt: skip
    assert {name: feature(game, name) for name in told} == told
    assert len({one.name for one in game.features}) == len(game.features)
    assert {one.unit for one in game.features} == {"number", "flag", "count"}
    assert all(one.low <= 0 <= one.high for one in game.features)


@STARTS
def test_observations_lie_in_their_space_and_tell_positions_apart(start):
    game = raw_env(start)
    space = game.observation_space(start.sides[0])
    seen: dict[bytes, str] = {}
    game.reset()
    for turn in play_game(start, POLICIES["random"], 2, 80):
        game._stand(turn.before, None)
        told = game.observe(game.agent_selection)
        assert space.contains(told)
        assert seen.setdefault(told["observation"].tobytes(), turn.before.to_json()) == turn.before.to_json()
    assert len(seen) > 40


@STARTS
def test_what_was_seen_before_does_not_matter(start):
    """Features that are kept from one look to the next are those of a position that is looked at alone."""
    positions = [turn.after.world for turn in play_game(start, POLICIES["random"], 7, 80)]
    board, size = Features(start), len(Features(start).listed)
    chance = random.Random(2)
    looks = [*positions, *chance.sample(positions, min(20, len(positions)))]  # one after the other, then as they come
    copied = deepcopy(board)
    for number, world in enumerate(looks):
        alone = Features(start).vector(world, size)
        assert np.array_equal((copied if number % 3 == 0 else board).vector(world, size), alone)


# ---------------------------------------------------------------------- bad use
def test_an_illegal_action_is_refused_and_in_the_wrapped_environment_ends_the_game():
    game = raw_env(FORD)
    game.reset()
    number = game.numbering.number(Action("pass", "Red"))
    with pytest.raises(InputError, match=f"action {number} is not legal for Red now"):
        game.step(number)
    with pytest.raises(InputError, match="is not legal now"):
        game.action_told(number)
    game = env(FORD)
    game.reset(seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        game.step(number)
    assert (game.terminations["Red"], game.rewards["Red"]) == (True, -1)


@pytest.mark.parametrize(("start", "options", "fault"), [
    ("the-fjord", {"game": "cold-ford"}, "the-fjord"),
    ("combat-of-1999", {"game": "titm"}, "is not played"),
    (FORD, {"render_mode": "hologram"}, "unknown render mode `hologram`"),
])  # fmt: skip
def test_what_cannot_be_an_environment(start, options, fault):
    with pytest.raises(InputError, match=fault):
        raw_env(start, **options)


def test_rendering():
    game = raw_env(FORD, render_mode="ansi")
    game.reset()
    assert game.render() == FORD.notation
    action = next(iter(FORD.legal_actions))
    game.step(game.numbering.number(action))
    assert game.render() == f"{game.position.notation} {action}"
    pictured = raw_env(FORD, render_mode="svg")
    pictured.reset()
    assert pictured.render().startswith("<?xml") or "<svg" in pictured.render()[:200]
    assert raw_env(FORD).render_mode is None
