"""Paths as written: what no single search shows."""

import pytest
from titm_rules.oracle.edition import Edition

FAST = {"id": "fast", "ends": ["here", "there"], "road": "major", "river": True, "bridge": "intact"}
SLOW = {"id": "slow", "ends": ["here", "there"], "road": "minor", "river": True, "bridge": "intact"}


def position(links):
    return {
        "day": 17,
        "impulse": 1,
        "side_to_move": "German",
        "areas": [{"id": "here"}, {"id": "there"}],
        "zones": [{"id": "A", "owner": "German"}, {"id": "D", "owner": "Allied"}],
        "connections": [
            *links,
            {"id": "rear", "ends": ["A", "here"], "road": "major"},
            {"id": "beyond", "ends": ["D", "there"], "road": "major"},
        ],
        "units": [
            {"id": "u", "side": "German", "kind": "foot", "strength": 2, "place": "here", "points_spent": 2},
            {"id": "v", "side": "Allied", "kind": "foot", "strength": 2, "place": "there"},
        ],
    }


@pytest.mark.parametrize("engine", ["compiled", "library", "reference"])
@pytest.mark.parametrize("links", [[FAST, SLOW], [SLOW, FAST]])
def test_the_order_of_parallel_bridges_does_not_matter(engine, links):
    # 3 points are left: 1 for the bridge that is blown, then 1 + 1 over the other if that is the major road
    inputs = {"position": position(links), "units": ["u"], "path": ["here", "!there", "there"]}
    assert Edition("1999", {}, engine).answer("check_path", inputs) == {"legal": True, "cost": 3}


def test_supply_is_judged_before_the_bridge_was_blown():
    links = [{"id": "bridge", "ends": ["here", "there"], "road": "major", "river": True, "bridge": "intact"}]
    data = position(links)
    data["areas"].append({"id": "aside"})
    data["connections"].append({"id": "lane", "ends": ["here", "aside"], "road": "major"})
    inputs = {"position": data, "units": ["u"], "path": ["here", "!there", "aside"]}
    assert Edition().answer("check_path", inputs) == {"legal": True, "cost": 2}
