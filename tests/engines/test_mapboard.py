"""The map as a graph, and the searches on it."""

from titm_rules.editions.load import load_model
from titm_rules.engines.library.engine import LibraryEngine
from titm_rules.engines.library.graph import TraceTable, build_graph, told_apart_by
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.world import World

MODEL = load_model("1999")
MOVE, SUPPLY = MODEL.forms["move"], MODEL.forms["supply"]


def world(places, links, units=()):
    """Build a world: areas by small letters, zones by capitals, connections as pairs or with fields."""
    connections = [
        {"id": f"{one}{other}{n}", "ends": [one, other], "road": "minor", **fields}
        for n, (one, other, fields) in enumerate(links)
    ]
    pieces = [
        {"id": f"u{n}", "side": side, "kind": kind, "strength": 1, "place": place}
        for n, (side, kind, place) in enumerate(units)
    ]
    return World(MODEL, "position", {
        "day": 18, "impulse": 1, "side_to_move": "German",
        "areas": [{"id": name} for name in places if name.islower()],
        "zones": [{"id": name, "owner": "German"} for name in places if name.isupper()],
        "connections": connections, "units": pieces,
    })  # fmt: skip


BLOWN = {"river": True, "bridge": "blown"}


def named(here, name):
    return next(place for place in here.places if place.id == name)


def test_the_graph_carries_the_fields_and_the_cheapest_of_parallel_connections():
    graph = build_graph(world("abA", [("a", "b", {"road": "major", "river": True, "bridge": "blown"}), ("b", "A", {})]))
    assert graph.nodes["A"]["owner"] == "German"
    assert graph.nodes["a"]["record_"] == "area"
    edge = graph["a"]["b"]["ab0"]
    assert (edge["road"], edge["river"], edge["bridge"], edge["ends"]) == ("major", True, "blown", ["a", "b"])
    here = world("Aab", [("A", "a", {}), ("a", "b", {}), ("a", "b", {"road": "major"})], [("German", "foot", "a")])
    engine = LibraryEngine(MODEL, here)
    assert engine.ends(MOVE, here.root.units, {"foot-mode": False})[named(here, "b")] == 1


def test_the_cheapest_way_may_be_the_longer_one():
    major = {"road": "major"}
    links = [("A", "a", {}), ("a", "c", BLOWN), ("a", "b", major), ("b", "c", major)]
    here = world("Aabc", links, [("German", "foot", "a")])
    search = LibraryEngine(MODEL, here).search(MOVE, here.root.units, {"foot-mode": False})
    costs = {node.place.id: spent for node, spent in search.costs(named(here, "a")).items()}
    assert costs == {"a": 2, "b": 1, "c": 2, "A": 2}  # to a: the way back


def test_who_must_stop_goes_no_further_and_movers_alike_share_a_layer():
    # The way through the enemy is the shorter one; nobody gets past him.
    links = [("A", "a", {}), ("a", "b", {}), ("b", "c", {})]
    here = world("Aabc", links, [("German", "armor", "a"), ("Allied", "foot", "b")])
    ends = LibraryEngine(MODEL, here).ends(MOVE, here.root.units[:1], {"foot-mode": False})
    assert {place.id: cost for place, cost in ends.items()} == {"A": 2, "b": 3}
    assert told_apart_by(MODEL, SUPPLY) == ("kind", "side")
    assert told_apart_by(MODEL, MOVE) is None
    links = [("A", "a", {}), ("a", "b", BLOWN), ("b", "c", BLOWN)]
    units = [("German", "foot", "b"), ("German", "armor", "b"), ("German", "foot", "c"), ("Allied", "foot", "b")]
    here = world("Aabc", links, units)
    table = TraceTable(build_graph(here), Evaluator(MODEL, here), SUPPLY, here.root.units)
    foot, armor, far, enemy = here.root.units
    assert [table.cost(one, one.place) for one in (foot, armor, far, enemy)] == [1, None, None, None]
    assert table.cost(armor, named(here, "a")) == 0
