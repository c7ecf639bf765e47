"""What a route says of a step, asked by clauses on another: as if its conditions stood there, on every engine."""

import random

import pytest
from titm_rules.checker.link import link_model
from titm_rules.editions.rule_files import write_skeleton
from titm_rules.engines.factory import ENGINES, make_engine
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.syntax.parser import parse_rules
from titm_rules.world.world import World

GAME = """\
game "Two Hills".
place hex has height: number 0 to 3.
connection trail has ends: pair of place, steep: flag default no.
piece scout has place: place, tired: flag default no.
situation skirmish has hexes: list of hex, trails: list of trail, scouts: list of scout.
route march on skirmish:
  mover who: scout, given load: number, crosses way: trail from start to goal, counts climbed up to 9.
route flight on skirmish: mover runner: scout, crosses along: trail from here to there.
define number or nothing free of s: scout to h: hex on skirmish.
clause 1 "Marching" "A march."
  march costs 1 + load.
  march costs 1 when steep of way.
  march has 9 points.
  march counts 1 as climbed when height of goal is more than height of start.
  march may not step when steep of way and climbed is at least 1.
  march may not step when some s in scouts standing at goal where (not tired of s).
  march must stop when height of goal is 3.
clause 2 "Free" "How far it is."
  free is cost of flight (with runner = s, end = h).
"""
STEP = "(with who = runner, way = along, start = here, goal = there, load = 1{})"
ASKED = f"""
clause 3 "Flight" "By the march."
  flight costs 2 * cost of march {STEP.format("")}.
  flight has 12 points.
  flight may not step unless step of march {STEP.format(", climbed = 2")}.
  flight must stop when stop of march {STEP.format("")} and not tired of runner.
"""
SPELLED = """
clause 3 "Flight" "In its own words."
  flight costs 6 when steep of along.
  flight costs 4 when not steep of along.
  flight has 12 points.
  flight may not step when steep of along or some s in scouts standing at there where (not tired of s).
  flight must stop when height of there is 3 and not tired of runner.
"""


def rules(text):
    return link_model([parse_rules(GAME + text, "hills.rules")], "1")


def hills(seed):
    """Make a random map of a dozen hexes with some scouts."""
    dice = random.Random(seed)
    names = [f"h{number}" for number in range(12)]
    trails = [{"id": f"t{number}", "ends": dice.sample(names, 2), "steep": dice.random() < 0.2} for number in range(22)]
    scouts = [{"id": f"s{n}", "place": dice.choice(names), "tired": dice.random() < 0.5} for n in range(4)]
    return {"hexes": [{"id": name, "height": dice.randrange(4)} for name in names], "trails": trails, "scouts": scouts}


def fled(model, data, engine):
    world = World(model, "skirmish", data)
    asked = make_engine(engine, model, world)
    route = model.forms["flight"]
    ends = {
        scout.id: {place.id: cost for place, cost in asked.ends(route, scout, {}).items()}
        for scout in world.root.scouts
    }
    free = [asked.decide("free", {"s": scout, "h": h}) for scout in world.root.scouts for h in world.root.hexes]
    return ends, free


def test_a_step_of_another_route_is_as_if_its_conditions_stood_there():
    asked, spelled = rules(ASKED), rules(SPELLED)
    found = set()
    for seed in range(15):
        data = hills(seed)
        wanted = fled(spelled, data, "reference")
        found |= {len(ends) for ends in wanted[0].values()}
        assert {engine: fled(asked, data, engine) for engine in ENGINES} == dict.fromkeys(ENGINES, wanted), seed
    assert len(found) > 4  # flights to few and to many places


RETREAT = """
route retreat on position: mover u: unit, crosses way: hexside from place-left to place-entered.
question may_retreat on position takes unit: unit, path: path asks check of retreat with u = unit along path.
"""
CLAUSE = """
clause 9.1 "Retreat"
  "A unit retreats at most two hexes, where it may move."
  retreat costs 1.
  retreat has 2 points.
  retreat may not step unless
    step of move (with u = u, way = way, place-left = place-left, place-entered = place-entered).
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_the_reason_is_the_clause_of_the_other_route(tmp_path, engine):
    write_skeleton("skirmish", tmp_path)
    home = tmp_path / "skirmish"
    (home / "1" / "09_retreat.rules").write_text(CLAUSE)
    with (home / "game.rules").open("a") as file:
        file.write(RETREAT)
    hexes = [{"id": one} for one in ("h1", "h2", "h3")]
    sides = [{"id": "s1", "ends": ["h1", "h2"]}, {"id": "s2", "ends": ["h2", "h3"]}]
    units = [{"id": "a", "side": "Red", "place": "h1"}, {"id": "b", "side": "Blue", "place": "h3"}]
    data = {"hexes": hexes, "hexsides": sides, "units": units}
    position = Position.from_dict(data, Edition(game=str(home), engine=engine))
    assert position.ask("may_retreat", unit="a", path=["h1", "h2"]) == {"legal": True, "cost": 1}
    verdict = position.check("may_retreat", unit="a", path=["h1", "h2", "h3"])
    assert verdict.answer == {"legal": False}
    assert {"9.1", "1.4"} <= {finding.clause for finding in verdict.findings}
