"""What may be nothing, lists that are named, and the first of a list: the same in every engine."""

from functools import cache

import pytest
from titm_rules.checker.link import link_model
from titm_rules.engines.factory import ENGINES
from titm_rules.syntax.parser import parse_rules

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
clause 1 "Weight" "Strength, and a point for the tired."
  weight is strength of s unless tired of s. weight is strength of s + 1 when tired of s.
clause 2 "Near" "At the place, in the wood or not." near holds when place of s is p and sort of s is not gun.
clause 3 "Crowd" "Who stands there." crowd is number of l standing at p.
clause 4 "Party" "The first of a party is no foot, and nobody goes alone."
  party may not choose when sort of l is foot. party may not choose when number of l is 1.
"""
SITUATION = {
    "hexes": [{"id": "h0"}, {"id": "h1"}],
    "posts": [{"id": "p0", "side": "red", "place": "h0"}],
    "scouts": [
        {"id": "ann", "place": "h0", "side": "red", "sort": "horse", "strength": 2, "buddy": "bob"},
        {"id": "bob", "place": "h0", "side": "red", "sort": "foot", "strength": 3, "tired": True},
        {"id": "cid", "place": None, "side": "blue", "sort": "gun", "strength": 1, "buddy": "ann"},
    ],
    "marked": ["ann", "cid"],
    "trails": [{"id": "t0", "ends": ["h0", "h1"]}],
}


@cache
def rules():
    return link_model([parse_rules(GROUND + ASKED, "nothing.rules")], "test")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("query", "inputs", "wanted"),
    [
        ("weigh", {"s": "ann"}, {"weight": 5, "none": True}),
        ("weigh", {"s": "bob"}, {"weight": 1, "none": True}),
        ("weigh", {"s": "cid"}, {"weight": 3, "none": False}),
        ("meet", {"s": "ann", "p": "h0"}, {"near": True}),
        ("meet", {"s": "bob", "p": "h0"}, {"near": False}),
        ("touch", {"w": None, "p": "h0"}, {"touches": False}),
        ("touch", {"w": "t0", "p": "h0"}, {"touches": True}),
        ("count", {"p": "h0"}, {"marked": 1, "all": 2}),
        ("count", {"p": "h1"}, {"marked": 0, "all": 0}),
    ],
)
def test_nothing_is_read_of_nothing_and_lists_are_those_named(engine, query, inputs, wanted):
    model = rules()
    assert put(model, engine, model.questions[query], SITUATION, inputs).answer() == wanted


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_of_a_list_is_the_first_of_the_situation(engine):
    model = rules()
    answer = put(model, engine, model.questions["parties"], SITUATION, {"p": "h0"}).answer()
    assert answer["parties"] == ["", "ann,bob", "ann,bob,cid", "ann,cid"]
