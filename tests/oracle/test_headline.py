"""The sentence of an answer: the words for yes stand if any part holds something; a cost, or that no way leads."""

import pytest
from titm_rules.checker.link import link_model
from titm_rules.explain.headline import headline
from titm_rules.syntax.parser import parse_rules

from tests.rulefuzz.asking import put
from tests.rulefuzz.programs import GROUND

ASKED = """\
route march on field: mover s: scout, crosses way: trail from behind to ahead.
on field:
question about "What is there about {this place: p}?" takes p: place
  answers ahead: front, there: each s in scouts standing at p gives s
  answered yes "Something", no "Nothing at all".
question reach "May {this scout: s} go to {this place: p}?" takes s: scout, p: place
  asks cost of march with s = s reaching p as cost.
clause 1 "March" "A step costs a point, and there are two." march costs 1. march has 2 points.
"""
MODEL = link_model([parse_rules(GROUND + ASKED, "about.rules")], "test")
SITUATION = {
    "hexes": [{"id": "h0"}, {"id": "h1"}, {"id": "h2"}], "trails": [{"id": "t", "ends": ["h0", "h1"]}],
    "scouts": [{"id": "ann", "place": "h0", "side": "red", "sort": "foot"}],
}  # fmt: skip


@pytest.mark.parametrize(("front", "place", "said"), [
    (None, "h0", "Something; there ann."), ("h1", "h1", "Something; ahead h1."), (None, "h1", "Nothing at all."),
    ("h1", "h0", "Something; ahead h1; there ann."),
])  # fmt: skip
def test_one_part_that_is_not_empty_is_enough(front, place, said):
    asked = put(MODEL, "compiled", MODEL.questions["about"], {**SITUATION, "front": front}, {"p": place})
    assert headline(asked, asked.answer()) == f"What is there about {place}? {said}"


@pytest.mark.parametrize(("place", "said"), [("h1", "1 point."), ("h2", "No way leads there.")])
def test_a_cost_is_said_or_that_no_way_leads_there(place, said):
    asked = put(MODEL, "compiled", MODEL.questions["reach"], SITUATION, {"s": "ann", "p": place})
    assert headline(asked, asked.answer()).endswith(said)
