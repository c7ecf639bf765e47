"""Paths as written: what no single search shows."""

import pytest
from titm_rules.oracle.edition import Edition

from tests.builders import position

FAST, SLOW = "h-t major intact", "h-t-b minor intact"
UNITS = "u German foot 2 h points_spent=2; v Allied foot 2 t"


@pytest.mark.parametrize("engine", ["compiled", "library", "reference"])
@pytest.mark.parametrize(
    ("bridges", "path", "cost"),
    [
        # 3 points are left: 1 for the bridge that is blown, then 1 + 1 over the other if that is the major road
        ((FAST, SLOW), ["h", "!t", "t"], 3),
        ((SLOW, FAST), ["h", "!t", "t"], 3),
        # supply is judged before the bridge was blown
        ((FAST, "h-aside major"), ["h", "!t", "aside"], 2),
    ],
)
def test_what_is_left_after_a_bridge_is_blown(engine, bridges, path, cost):
    here = position("; ".join((*bridges, "A-h major", "D-t major")), UNITS)
    inputs = {"position": here, "units": ["u"], "path": path}
    assert Edition("1999", {}, engine).answer("check_path", inputs) == {"legal": True, "cost": cost}
