"""Random games: somebody can always act until the game is over, and the board stays sound."""

import pytest
from titm_rules.catalog import scenario_folder
from titm_rules.formats.safe_json import read_data
from titm_rules.oracle.game import POLICIES, play_game
from titm_rules.oracle.position import Position

VALLEY = read_data(scenario_folder() / "two-bridges" / "position.yaml")
BATTLE = ("calls", "shelling", "barrage", "aiming", "volley")
MAX_ACTIONS = 4_000


def whole_week():
    """Give the valley on the 16th, with a stack over the limits and reserves on several days."""
    crowd = [{"id": f"g{n}", "side": "German", "kind": "foot", "strength": 3, "place": "1"} for n in range(3)]
    areas = [{**area, "setup_overstack": area["id"] == "1"} for area in VALLEY["areas"]]
    reserves = [{**one, "due": [17 + n, 1 + n]} for n, one in enumerate(VALLEY["reserves"])]
    units = [{**unit, "moves_16_1": unit["id"] != "a-mot"} for unit in VALLEY["units"]]
    return {**VALLEY, "day": 16, "areas": areas, "units": units + crowd, "reserves": reserves}


@pytest.mark.parametrize("data", [VALLEY, whole_week()], ids=["two days", "a week"])
@pytest.mark.parametrize("seed", range(4))
def test_a_game_ends_only_when_it_is_over(data, seed):
    turns, before = list(play_game(Position.from_dict(data), POLICIES["random"], seed, MAX_ACTIONS)), ""
    for position in (turns[0].before, *(turn.after for turn in turns)):
        state = position.to_dict()
        assert_sound(state)
        if state.get("phase") == "volley" != before:
            assert_all_have_targets(state)
        before = state.get("phase", "movement")
    assert (state["phase"], state["day"], state["final"]) == ("game-over", 22, True)


def assert_sound(state):
    phase = state.get("phase", "movement")
    assert (phase in BATTLE) == (state.get("contested") is not None)
    assert phase in BATTLE or not state.get("fallen")
    assert phase == "movement" or not state.get("marching")
    if phase in ("volley", "battles", "construction"):
        assert [name for name in places(state) if is_crowded(state, *name)] == []


def assert_all_have_targets(state):
    """When fire begins all units of the side that fires have a target, and no others."""
    for unit in state["units"]:
        attacks = state.get("firing", "defender") == "attacker"
        fires = unit.get("attacking", False) if attacks else unit["side"] != state["side_to_move"]
        assert (unit.get("aims_at") is not None) == (fires and unit["place"] == state["contested"])


def places(state):
    return {(unit["place"], unit["side"]) for unit in state["units"]}


def is_crowded(state, place, side):
    """Whether a side is over the limits of 7.1 somewhere, before the stacks of the set-up are judged on 16-3."""
    there = [unit["strength"] for unit in state["units"] if (unit["place"], unit["side"]) == (place, side)]
    area = next((area for area in state["areas"] if area["id"] == place), None)
    if area is None or (area.get("setup_overstack") and state["day"] == 16 and state["impulse"] < 3):
        return False
    return len(there) > 4 or sum(there) > 10
