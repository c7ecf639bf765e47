"""What may be nothing, lists that are named, and the first of a list: the same in every engine."""

import pytest
from titm_rules.checker.link import link_model
from titm_rules.diagnostics import Undecided
from titm_rules.engines.factory import ENGINES, make_engine
from titm_rules.syntax.parser import parse_rules
from titm_rules.world.world import World

from tests.play import hills
from tests.rulefuzz.asking import put
from tests.rulefuzz.programs import GROUND

ASKED = """\
define number weight of s: scout on field.
define flag near of s: scout at p: place on field.
define number crowd of l: list of scout at p: place on field.
selection party on field: given p: place, picks l: scout in scouts.
question weigh on field takes s: scout answers weight: weight of buddy of s + 1, none: buddy of buddy of s is nothing.
question meet on field takes s: scout, p: place answers near: buddy of s is near at p.
question touch on field takes w: trail or nothing, p: place answers touches: p is in the ends of w.
question count on field takes p: place answers marked: crowd of marked at p, all: crowd of scouts at p.
question parties on field takes p: place asks choices of party with p = p as parties.
question far on field takes p: place, q: place or nothing answers steps: distance from p to q by trails,
  gentle: distance from p to q by (those t in trails where not steep of t),
  near: each n in neighbours of p by trails gives n.
question row on field takes p: place answers
  up: each n in (numbers from (1) to (crowd of marked at p)) gives n,
  down: each n in (numbers from (crowd of marked at p) to (1)) gives n.
clause 1 "Weight" "Strength, two points for tired guns, and a point for the others who are tired."
  weight is strength of s unless tired of s. weight is strength of s + 2 otherwise when sort of s is gun.
  weight is strength of s + 1 otherwise.
clause 2 "Near" "At the place, in the wood or not." near holds when place of s is p and sort of s is not gun.
clause 3 "Crowd" "Who stands there." crowd is number of l standing at p.
clause 4 "Party" "The first of a party is no foot, and nobody goes alone."
  party may not choose when sort of l is foot. party may not choose when number of l is 1.
"""
SITUATION = {
    "hexes": [{"id": "h0"}, {"id": "h1"}, {"id": "h2"}, {"id": "h3"}],
    "posts": [{"id": "p0", "side": "red", "place": "h0"}],
    "scouts": [
        {"id": "ann", "place": "h0", "side": "red", "sort": "horse", "strength": 2, "buddy": "bob"},
        {"id": "bob", "place": "h0", "side": "red", "sort": "foot", "strength": 3, "tired": True},
        {"id": "cid", "place": None, "side": "blue", "sort": "gun", "strength": 1, "buddy": "ann"},
    ],
    "marked": ["ann", "cid"],
    "trails": [
        {"id": "t0", "ends": ["h0", "h1"]},
        {"id": "t1", "ends": ["h2", "h1"], "steep": True},
        {"id": "t2", "ends": ["h1", "h0"]},
    ],
}


MODEL = link_model([parse_rules(GROUND + ASKED, "nothing.rules")], "test")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("query", "inputs", "wanted"), [
    ("weigh", {"s": "ann"}, {"weight": 5, "none": True}), ("weigh", {"s": "bob"}, {"weight": 1, "none": True}),
    ("weigh", {"s": "cid"}, {"weight": 3, "none": False}), ("meet", {"s": "ann", "p": "h0"}, {"near": True}),
    ("meet", {"s": "bob", "p": "h0"}, {"near": False}), ("touch", {"w": None, "p": "h0"}, {"touches": False}),
    ("touch", {"w": "t0", "p": "h0"}, {"touches": True}), ("count", {"p": "h0"}, {"marked": 1, "all": 2}),
    ("count", {"p": "h1"}, {"marked": 0, "all": 0}),
    ("far", {"p": "h0", "q": "h0"}, {"steps": 0, "gentle": 0, "near": ["h1"]}),
    ("far", {"p": "h0", "q": "h2"}, {"steps": 2, "gentle": None, "near": ["h1"]}),
    ("far", {"p": "h1", "q": "h0"}, {"steps": 1, "gentle": 1, "near": ["h0", "h2"]}),
    ("far", {"p": "h3", "q": "h0"}, {"steps": None, "gentle": None, "near": []}),
    ("far", {"p": "h3", "q": None}, {"steps": None, "gentle": None, "near": []}),
    ("row", {"p": "h1"}, {"up": [], "down": [0, 1]}), ("row", {"p": "h0"}, {"up": [1], "down": [1]}),
])  # fmt: skip
def test_nothing_is_read_of_nothing_and_lists_are_those_named(engine, query, inputs, wanted):
    assert put(MODEL, engine, MODEL.questions[query], SITUATION, inputs).answer() == wanted


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_of_a_list_is_the_first_of_the_situation(engine):
    answer = put(MODEL, engine, MODEL.questions["parties"], SITUATION, {"p": "h0"}).answer()
    assert answer["parties"] == ["", "ann,bob", "ann,bob,cid", "ann,cid"]


BAND = """
game "Bands".
edition "test" "Bands" dated 2000-01-01 reads "test" from "a test".
place hex has height: number 0 to 3.
piece scout has place: hex.
record band has members: list of scout default none.
situation march has hexes: list of hex, scouts: list of scout, band: band or nothing default nothing.
define list of scout joined of s: scout on march.
question joins on march takes s: scout answers band: each m in (joined of s) gives m.
clause 1 "Bands" "Who joins a band is one of it." joined is members of band including s.
"""
BANDS = link_model([parse_rules(BAND, "band.rules")], "test")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("band", "wanted"), [
    (None, ["ann"]), ({}, ["ann"]), ({"members": []}, ["ann"]), ({"members": ["bob"]}, ["bob", "ann"]),
])  # fmt: skip
def test_a_list_of_what_may_be_nothing_takes_one_more(engine, band, wanted):
    scouts = [{"id": name, "place": "h"} for name in ("ann", "bob")]
    situation = {"hexes": [{"id": "h", "height": 0}], "scouts": scouts}
    asked = put(BANDS, engine, BANDS.questions["joins"], {**situation, "band": band}, {"s": "ann"})
    assert asked.answer() == {"band": wanted}


# ---------------------------------------------------------------------- a route without a goal, or without points
WAY = """
route supply on skirmish: mover s: scout, crosses way: trail from behind to ahead.
define flag supplied of s: scout on skirmish.
clause 1 "The way" "A step costs a point."
  supply costs 1.
  supplied holds when supply of s is possible.
"""
POINTS = 'clause 2 "Points" "{0}"\n  supply has {0} points.\n'
GOAL = 'clause 3 "Goal" "A hill is a goal."\n  supply ends when height of ahead is 3.\n'
HERE = {
    "hexes": [{"id": "a", "height": 3}, {"id": "b", "height": 0}],
    "trails": [{"id": "ab", "ends": ["a", "b"]}],
    "scouts": [{"id": "s1", "side": "Red", "place": "b"}],
}


def is_supplied(points, engine, without=""):
    model = hills.rules(WAY + POINTS.format(points) + GOAL).without_clause(without)
    world = World(model, "skirmish", {"mover": "Red", "day": 1, **HERE}, "$")
    found = make_engine(engine, model, world)
    return found.decide("supplied", {"s": world.root.scouts[0]})


@pytest.mark.parametrize("engine", ENGINES)
def test_a_route_without_a_goal_leads_nowhere(engine):
    """The checker refuses such rules; but a comparison leaves clauses out to see what they do."""
    assert is_supplied("4", engine)
    assert not is_supplied("4", engine, without="3")


@pytest.mark.parametrize("engine", ENGINES)
def test_points_that_are_nothing_are_not_covered(engine):
    nothing = "highest strength of x over x in (scouts besides scouts)"
    with pytest.raises(Undecided, match=r"no clause decides `supply\.points`"):
        is_supplied(nothing, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_way_to_a_goal_costs_the_same_from_either_end_of_the_search(engine):
    """The compiled engine priced the steps from a place as those that lead to it."""
    model = hills.rules(WAY.replace("costs 1", "costs 1 + height of behind") + POINTS.format(9) + GOAL)
    world = World(model, "skirmish", {"mover": "Red", "day": 1, **HERE}, "$")
    ends = make_engine(engine, model, world).ends(model.forms["supply"], world.root.scouts[0], {})
    assert {place.id: cost for place, cost in ends.items()} == {"a": 1}
