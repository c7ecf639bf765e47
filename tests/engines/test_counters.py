"""What a route counts on the way: three engines on random maps, and against plain loops."""

import itertools
import random

import pytest
from titm_rules.checker.link import link_model
from titm_rules.engines.factory import ENGINES, make_engine
from titm_rules.syntax.parser import parse_rules
from titm_rules.world.world import World

RULES = """
game "Zones".
place hex has zone: flag default no, gate: flag default no.
connection trail has ends: pair of place, price: number 1 to 3 default 1.
piece scout has place: place.
situation field has hexes: list of hex, trails: list of trail, scouts: list of scout.
route march on field:
  mover who: scout, crosses way: trail from start to goal, closed by rest,
  counts steps up to 3, counts zones up to 2, counts gates up to 1, counts spent up to 9.
route retreat on field:
  mover who: scout, crosses way: trail from start to goal, counts steps up to 4, visits no place twice.
route drag on field:
  mover who: scout, crosses way: trail from start to goal, counts steps up to 4.

clause 1 "Marching"
  "Each trail has its price; a march of exactly two trails is none."
  march has 6 points.
  march costs price of way.
  march counts 1 as steps.
  march counts price as spent.
  march may not end when steps is 2.

clause 2 "Zones"
  "A scout enters at most one zone before it has passed a gate, and stops in the second one."
  march counts 1 as zones when zone of goal.
  march counts 1 as gates when gate of goal.
  march may not step when zones is at least 1 and gates is 0 and zone of goal.
  march must stop when zones is 2.

clause 3 "Rest"
  "Rest costs a point, and two after a gate; who has spent five points does not rest."
  rest costs 1.
  rest costs 1 when gates is 1.
  rest may not try when spent is at least 5.

clause 4 "Retreat"
  "A retreat is of exactly three trails, over no hex twice."
  retreat has 9 points.
  retreat costs 1.
  retreat counts 1 as steps.
  retreat may not end unless steps is 3.

clause 5 "Drag"
  "Each trail costs a point more than the one before it, beside its price."
  drag has 9 points.
  drag costs price of way + steps.
  drag counts 1 as steps.
"""
MODEL = link_model([parse_rules(RULES, "zones.rules")], "test")
MARCH, RETREAT, DRAG = (MODEL.forms[name] for name in ("march", "retreat", "drag"))


def random_field(seed: int):
    rng = random.Random(seed)
    names = [f"h{n}" for n in range(rng.randint(3, 5))]
    pairs = [pair for pair in itertools.combinations(names, 2) if rng.random() < 0.6]
    hexes = [{"id": name, "zone": rng.random() < 0.4, "gate": rng.random() < 0.3} for name in names]
    trails = [{"id": f"t{n}", "ends": list(pair), "price": rng.choice([1, 1, 2])} for n, pair in enumerate(pairs)]
    return {"hexes": hexes, "trails": trails, "scouts": [{"id": "s", "place": "h0"}]}


def asked(engine, data):
    here = make_engine(engine, MODEL, World(MODEL, "field", data, "$"))
    return here, here.world.root.scouts[0]


def walks(data, longest):
    """Yield every walk from h0 as ids of places, with the rows of its trails."""
    near = {hex_["id"]: [] for hex_ in data["hexes"]}
    for trail in data["trails"]:
        one, other = trail["ends"]
        near[one].append((other, trail))
        near[other].append((one, trail))
    going = [(["h0"], [])]
    while going:
        places, trails = going.pop()
        yield places, trails
        if len(trails) < longest:
            going += [([*places, there], [*trails, trail]) for there, trail in near[places[-1]]]


def march_ends(data):
    """Work the ends of a march out by hand."""
    rows = {hex_["id"]: hex_ for hex_ in data["hexes"]}
    best = {}
    for places, trails in walks(data, 6):
        cost, zones, gates = 0, 0, 0
        legal = len(trails) != 2
        for place, trail in zip(places[1:], trails, strict=True):
            zone, gate = rows[place]["zone"], rows[place]["gate"]
            legal = legal and zones < 2 and not (zones >= 1 and not gates and zone)
            cost, zones, gates = cost + trail["price"], zones + zone, gates + gate
        if legal and cost <= 6 and places[-1] != "h0":
            best[places[-1]] = min(cost, best.get(places[-1], cost))
    return best


def retreat_ends(data):
    found = (places for places, trails in walks(data, 3) if len(trails) == 3 and len(set(places)) == 4)
    return {places[-1]: 3 for places in found}


def drag_ends(data):
    best = {}
    for places, trails in walks(data, 4):
        cost = sum(trail["price"] + number for number, trail in enumerate(trails))
        if cost <= 9 and places[-1] != "h0":
            best[places[-1]] = min(cost, best.get(places[-1], cost))
    return best


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("part", range(4))
def test_ends_are_those_found_by_plain_loops(part, engine):
    for seed in range(10 * part, 10 * part + 10):
        data = random_field(seed)
        for route, by_hand in ((MARCH, march_ends), (RETREAT, retreat_ends), (DRAG, drag_ends)):
            here, scout = asked(engine, data)
            assert {place.id: cost for place, cost in here.ends(route, scout, {}).items()} == by_hand(data), seed


def test_engines_agree_on_paths_closings_and_steps():
    for seed in range(25):
        data = random_field(seed)
        told = []
        for engine in ENGINES:
            here, scout = asked(engine, data)
            start = scout.place
            paths = {
                (*places, *closing): here.path(MARCH, scout, {}, [*places, *closing])
                for places, _ in walks(data, 3)
                for closing in ((), ("rest",))
            }
            steps = [(s[0].id, s[1].id, *s[2:]) for s in here.onward(MARCH, scout, {}, start, 0)]
            counted = {"steps": 1, "zones": 1, "gates": 0, "spent": 1}
            later = [(s[0].id, s[1].id, *s[2:]) for s in here.onward(MARCH, scout, counted, start, 1)]
            told.append((paths, sorted(p.id for p in here.closings(MARCH, scout, {})), sorted(steps), sorted(later)))
        assert told[0] == told[1] == told[2], seed


@pytest.mark.parametrize("engine", ENGINES)
def test_a_route_that_visits_no_place_twice_refuses_a_circle(engine):
    data = {
        "hexes": [{"id": name} for name in ("h0", "h1", "h2")],
        "trails": [{"id": f"t{n}", "ends": [f"h{n}", f"h{(n + 1) % 3}"]} for n in range(3)],
        "scouts": [{"id": "s", "place": "h0"}],
    }
    here, scout = asked(engine, data)
    assert here.path(RETREAT, scout, {}, ["h0", "h1", "h2", "h0"]) is None
    assert here.ends(RETREAT, scout, {}) == {}
    assert here.path(MARCH, scout, {}, ["h0", "h1", "h2", "h0"]) == 3
