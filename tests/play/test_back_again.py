"""Whether a mover has left the place where it set out: who comes back ends its move there, who never left stays."""

import pytest
from titm_rules import Edition, Position

from tests.builders import position
from tests.play.script import action, listed, play

ENGINES = ("compiled", "reference", "library")
EDITIONS = ("1996-08-01", "1997-08-20", "1999", "2002-07-25", "2016-10-01")
ROADS = "B-x major; x-y major"
OVERSTACK = "m German engineer 3 x; u German foot 4 x; v German foot 4 x"
THERE, BACK = "German advance y x-y", "German advance x x-y"

pytestmark = pytest.mark.parametrize("engine", ENGINES)


def marching(engine, name="1999", day=16, readings=None, roads=ROADS, units=OVERSTACK):
    areas = {"x": {"setup_overstack": True}}
    world = position(roads, units, day, 2, areas=areas, phase="movement")
    return play(Position.from_dict(world, Edition(name, readings or {}, engine)), "German muster m")


def is_legal(here, *path):
    return here.ask("check_path", units=["m"], path=list(path))["legal"]


def ends(here):
    return [line for line in listed(here) if line in ("halt", "dig-in")]


@pytest.mark.parametrize("name", EDITIONS)
def test_who_comes_back_to_an_overstack_on_the_16th_stays_apart_and_others_may_do_both(engine, name):
    here = marching(engine, name)
    assert not is_legal(here, "x", "y", "x")
    assert not is_legal(here, "x", "y", "x", "entrench")
    back = play(here, THERE, BACK)
    assert ends(back) == []
    assert set(listed(back)) == {"advance B B-x", "advance y x-y"}
    for line in ("German halt", "German dig-in"):
        refused = back.judge(action(back, line)[0])
        assert [why.clause for why in refused.findings if why.holds and why.effect == "forbids"] == ["7.1c"], line
        assert "3 German units with 11 strength points in x" in refused.sentence()
    assert is_legal(here, "x", "entrench")
    assert ends(here) == ["dig-in"]
    assert is_legal(here, "x", "y", "entrench")
    assert ends(play(here, THERE)) == ["halt", "dig-in"]
    here = marching(engine, name, day=17)
    assert is_legal(here, "x", "y", "x")
    assert is_legal(here, "x", "y", "x", "entrench")
    assert ends(play(here, THERE, BACK)) == ["halt", "dig-in"]


def test_who_can_go_on_elsewhere_after_a_bridge_was_blown_may_stay_if_it_has_not_left(engine):
    """It is out of supply at x, and may end no move so; it has made none. Both ways on lead to a fight."""
    roads = "B-y major; B-z major; x-y major intact; x-z major; y-E major"
    units = "m German foot 3 x; e Allied engineer 1 y; f Allied foot 1 z"
    here = marching(engine, day=17, readings={"R17": "no-oos-destination"}, roads=roads, units=units)
    assert is_legal(here, "x", "!y")
    blown = play(here, THERE, "Allied blow e : 1")
    assert {"advance z x-z", "halt"} <= set(listed(blown))
    assert play(blown, "German halt").to_dict()["units"][0]["place"] == "x"


FAST, SLOW = "h-t major intact", "h-t-b minor intact"
UNITS = "u German foot 2 h points_spent=2; v Allied foot 2 t"


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
