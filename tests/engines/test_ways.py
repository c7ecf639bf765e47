"""Routes that prefer some ways, and results of forms in expressions: three engines against plain loops."""

import itertools
import random

import pytest
from titm_rules.checker.link import link_model
from titm_rules.diagnostics import InputError
from titm_rules.engines.compiled import label_search
from titm_rules.engines.factory import ENGINES, make_engine
from titm_rules.engines.query import BoundQuestion
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.syntax.parser import parse_rules
from titm_rules.world.world import World

RULES = """
game "Ways".
type ground is shelter, open-ground.
place hex has wood: flag default no, edge: flag default no, foe: flag default no.
connection trail has ends: pair of hex, steep: flag default no.
piece scout has place: hex.
situation field has hexes: list of hex, trails: list of trail, scouts: list of scout.
define ground ground-of of h: hex by left: number.
define list of hex havens of s: scout for owed: number on field.
define number or nothing fewest-foes of s: scout to h: hex on field.
route flight on field:
  mover who: scout, given owed: number, crosses way: trail from start to goal, closed by away,
  counts gone up to 9, counts late up to 3, counts left up to 1, enters no place twice,
  prefers lowest ground-of of goal by left, prefers lowest late.
route walk on field:
  mover who: scout, crosses way: trail from start to goal, counts foes up to 9, counts halted when stopped.

clause 1 "Flight"
  "A flight is of so many trails as are owed, best into a wood, then with few foes met late."
  flight costs 1.
  flight has owed points.
  flight counts 1 as gone.
  flight counts 1 as late when gone is at least 1 and foe of goal.
  flight may not end when gone is less than owed.
  ground-of is shelter when wood of h and left is 0.
  ground-of is open-ground when not wood of h or left is not 0.

clause 2 "Edge"
  "At the edge a flight may end before, off the map."
  away may not try when not edge of goal or gone is at least owed.
  away counts owed as gone.
  away counts 1 as left.

clause 3 "Results"
  "Where one may flee to, and how few foes one meets on the way to a hex without one."
  havens is (ends of flight (with who = s, owed = owed)).
  walk costs 1.
  walk has 3 points.
  walk counts 1 as foes when foe of goal.
  walk must stop when wood of goal.
  walk may not end when halted is 1 and foe of goal.
  fewest-foes is foes of walk (with who = s, end = h).

question flights on field
  takes who: scout, owed: number 0 to 9
  answers best: best of flight (with who = who, owed = owed),
    number: (choices of flight (with who = who, owed = owed)),
    ways: choices of flight (with who = who, owed = owed),
    havens: havens of who for owed,
    near: cost of flight (with who = who, owed = owed, end = place of who).
question flees on field
  takes who: scout, owed: number 0 to 9, path: path
  asks check of flight with who = who, owed = owed along path without costs.
question foes on field
  takes who: scout, h: hex
  answers least: fewest-foes of who to h,
    from-there: foes of walk (with who = who, start = h, end = place of who),
    cost: cost of walk (with who = who, end = h).
"""
MODEL = link_model([parse_rules(RULES, "ways.rules")], "test")


def random_field(seed):
    rng = random.Random(seed)
    names = [f"h{n}" for n in range(rng.randint(3, 5))]
    pairs = [pair for pair in itertools.combinations(names, 2) if rng.random() < 0.6]
    pairs += [pair for pair in pairs if rng.random() < 0.15]  # ways that run parallel
    hexes = [
        {"id": name, "wood": rng.random() < 0.35, "edge": rng.random() < 0.3, "foe": rng.random() < 0.4}
        for name in names
    ]
    trails = [{"id": f"t{n}", "ends": list(pair)} for n, pair in enumerate(pairs)]
    return {"hexes": hexes, "trails": trails, "scouts": [{"id": "s", "place": "h0"}]}


def flights(data, owed):
    """List the best flights by plain loops: (rank, path)."""
    hexes = {row["id"]: row for row in data["hexes"]}
    joined = {tuple(ends) for row in data["trails"] for ends in (row["ends"], row["ends"][::-1])}
    found = []
    for length in range(owed + 1):
        for rest in itertools.product(hexes, repeat=length):
            path = ("h0", *rest)
            if len(set(rest)) < length or any(pair not in joined for pair in itertools.pairwise(path)):
                continue
            late = min(3, sum(hexes[name]["foe"] for name in rest[1:]))
            if length == owed:
                found.append(((not hexes[path[-1]]["wood"], late), path))
            elif hexes[path[-1]]["edge"]:
                found.append(((True, late), (*path, "away")))
    best = min((rank for rank, _ in found), default=None)
    return [] if best is None else sorted(",".join(path) for rank, path in found if rank == best)


def answers(engine, query, data, **raw):
    world = World(MODEL, "field", data, "$")
    return BoundQuestion(MODEL, MODEL.questions[query], make_engine(engine, MODEL, world), world, raw, "$").answer()


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("engine", ENGINES)
def test_the_best_ways_are_those_of_plain_loops(engine, seed):
    data, owed = random_field(seed), seed % 4
    found = answers(engine, "flights", data, who="s", owed=owed)
    expected = flights(data, owed)
    assert found["ways"] == expected
    assert found["number"] == len(expected)
    ends = {way.split(",")[-1] for way in expected} - {"away", "h0"}
    assert found["havens"] == sorted(ends)
    woods = {row["id"] for row in data["hexes"] if row["wood"]}
    best = "shelter" if any(way.split(",")[-1] in woods for way in expected) else "open-ground"
    assert found["best"] == (best if expected else None)
    for path in itertools.islice(itertools.product(["h0"], ["h1", "h2", "away"], ["h0", "h1", "away"]), 9):
        if "away" not in path[:-1]:
            legal = answers(engine, "flees", data, who="s", owed=owed, path=list(path))["legal"]
            assert legal == (",".join(path) in expected)


@pytest.mark.parametrize("seed", range(30))
def test_engines_agree_on_what_is_counted_on_the_way(seed):
    data = random_field(seed)
    for row in data["hexes"]:
        asked = [answers(engine, "foes", data, who="s", h=row["id"]) for engine in ENGINES]
        assert asked[0] == asked[1] == asked[2]


def test_the_least_that_is_counted_is_not_that_of_the_cheapest_way():
    data = {
        "hexes": [{"id": name, "foe": name == "b"} for name in "abcd"],
        "trails": [{"id": pair, "ends": list(pair)} for pair in ("ab", "bd", "ac", "cd", "bc")],
        "scouts": [{"id": "s", "place": "a"}],
    }
    assert answers("compiled", "foes", data, who="s", h="d") == {"least": 0, "from-there": 0, "cost": 2}
    assert answers("compiled", "foes", data, who="s", h="b") == {"least": 1, "from-there": 0, "cost": 1}


def test_who_had_to_stop_is_known_at_the_end():
    data = {
        "hexes": [{"id": "a"}, {"id": "b", "foe": True, "wood": True}],
        "trails": [{"id": "t", "ends": ["a", "b"]}],
        "scouts": [{"id": "s", "place": "a"}],
    }
    for engine in ENGINES:
        assert answers(engine, "foes", data, who="s", h="b")["cost"] is None


def test_too_many_ways_are_refused(monkeypatch):
    monkeypatch.setattr(label_search, "MAX_WAYS", 3)
    data = random_field(2)
    with pytest.raises(InputError, match="too many ways of `flight`"):
        answers("compiled", "flights", data, who="s", owed=3)


def test_a_retreat_that_is_not_the_best_is_told_a_better_one():
    position = {
        "hexes": [{"id": name} for name in "SABC"],
        "hexsides": [{"id": pair, "ends": list(pair)} for pair in ("SA", "SB", "BC")],
        "units": [{"id": "u", "side": "German", "kind": "infantry", "place": "S"}],
        "supply_roads": [{"side": "German", "path": ["A"]}],
    }
    here = Position.from_dict(position, Edition("2014", game="bitterwoods"))
    verdict = here.check("check_retreat", unit="u", hexes=1, path=["S", "B"])
    assert verdict.outcome == "illegal"
    told = {finding.clause: finding.message for finding in verdict.findings if finding.effect == "forbids"}
    assert told["9.7.supply-road"] == "there is a better route: S,A"
    assert verdict.nearest["legal_route"] == ["S", "A"]
