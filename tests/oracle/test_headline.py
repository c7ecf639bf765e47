"""The sentence of an answer that has parts: the words for yes stand if any part holds something."""

import pytest
from titm_rules.checker.link import link_model
from titm_rules.explain.headline import headline
from titm_rules.syntax.parser import parse_rules

from tests.rulefuzz.asking import put
from tests.rulefuzz.programs import GROUND

ASKED = """\
on field:
question about "What is there about {this place: p}?" takes p: place
  answers ahead: front, there: each s in scouts standing at p gives s
  answered yes "Something", no "Nothing at all".
"""
MODEL = link_model([parse_rules(GROUND + ASKED, "about.rules")], "test")


@pytest.mark.parametrize(("front", "place", "said"), [
    (None, "h0", "Something; there ann."), ("h1", "h1", "Something; ahead h1."), (None, "h1", "Nothing at all."),
    ("h1", "h0", "Something; ahead h1; there ann."),
])  # fmt: skip
def test_one_part_that_is_not_empty_is_enough(front, place, said):
    scouts = [{"id": "ann", "place": "h0", "side": "red", "sort": "foot"}]
    situation = {"hexes": [{"id": "h0"}, {"id": "h1"}], "scouts": scouts, "front": front}
    asked = put(MODEL, "compiled", MODEL.questions["about"], situation, {"p": place})
    assert headline(asked, asked.answer()) == f"What is there about {place}? {said}"
