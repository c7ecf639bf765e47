"""A rule set may call its fields what it likes: no name of theirs means anything to the engine."""

from functools import cache

import pytest
from titm_rules.checker.link import link_model
from titm_rules.engines.query import BoundQuestion
from titm_rules.formats.record_schemas import schemas_of, validate
from titm_rules.ir.model import Model
from titm_rules.oracle.edition import ENGINES, make_engine
from titm_rules.syntax.parser import parse_rules
from titm_rules.world.world import World

GAME = """\
game "Names".
place hex has NAME: number 0 to 9 default 1.
connection trail has ends: pair of hex, NAME: number 0 to 9 default 1.
piece scout has place: place, NAME: number 0 to 9 default 1.
record shot has id: text, NAME: number 0 to 9 default 1.
situation skirmish has
  NAME: number 0 to 9 default 1, hexes: list of hex, trails: list of trail, scouts: list of scout,
  shots: list of shot default none.
route march on skirmish: mover who: scout, crosses way: trail from start to goal.
allocation aim on skirmish: each s: shot in shots, picks t: scout in scouts.
question ways on skirmish takes who: scout, NAME: number 0 to 9 default 1
  asks ends of march with who = who as ways.
question aims on skirmish asks choices of aim as aims.
clause 1 "Marching" "A march costs what the way and the hex say, and leads to no full hex."
  march costs NAME of way + NAME of goal.
  march has NAME of who + 3 points.
  march may not end when number of scouts standing at goal is more than NAME.
clause 2 "Aiming" "Nobody aims at a scout that is as strong, and nobody twice."
  aim may not choose when NAME of s is NAME of t.
  aim may not choose when picks of t is at least NAME.
"""
SKIRMISH = {
    "hexes": [{"id": "low"}, {"id": "mid", "NAME": 2}, {"id": "top"}],
    "trails": [{"id": "a", "ends": ["low", "mid"]}, {"id": "b", "ends": ["low", "top"], "NAME": 0}],
    "scouts": [
        {"id": "ann", "place": "low", "NAME": 3}, {"id": "bob", "place": "top", "NAME": 3},
        {"id": "cid", "place": "mid"},
    ],
    "shots": [{"id": "one"}, {"id": "two", "NAME": 2}],
}  # fmt: skip
PLAIN = "height"
TAKEN = (
    "index", "links", "memo", "engine", "standing", "record", "spec", "entity", "key", "node-for-adding", "u-for-edge",
    "self", "class", "data", "model-dump", "model-fields", "copy", "json", "dict", "schema", "r", "p", "k", "m", "v",
    "i", "x", "any", "len", "undecided", "getattr", "trace", "before", "origin",
)  # fmt: skip


@cache
def rules(name: str) -> Model:
    return link_model([parse_rules(GAME.replace("NAME", name), "names.rules")], "test")


def renamed(value, name):
    if isinstance(value, dict):
        return {key.replace("NAME", name): renamed(one, name) for key, one in value.items()}
    return [renamed(one, name) for one in value] if isinstance(value, list) else value


def answers(name: str, engine: str) -> list[dict]:
    model = rules(name)
    found = []
    for query, inputs in (("ways", {"who": "ann"}), ("aims", {})):
        question = model.questions[query]
        given = {**inputs, "skirmish": renamed(SKIRMISH, name.replace("-", "_"))}
        raw = validate(schemas_of(model).question(question), given, "$")
        world = World(model, "skirmish", raw.pop("skirmish"), "$.skirmish")
        found.append(BoundQuestion(model, question, make_engine(engine, model, world), world, raw, "$").answer())
    return found


def test_the_answers_with_a_plain_name():
    ways, aims = answers(PLAIN, "reference")
    assert ways == {"ways": {"mid": 3, "top": 1}}
    assert aims["aims"] == ["one>ann,two>bob", "one>ann,two>cid", "one>bob,two>ann", "one>bob,two>cid"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", TAKEN)
def test_any_name_will_do(name, engine):
    assert answers(name, engine) == answers(PLAIN, "reference")
