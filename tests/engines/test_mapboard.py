"""The map as a graph, and the searches on it."""

from titm_rules.editions.load import load_model
from titm_rules.engines.library.engine import LibraryEngine
from titm_rules.engines.library.graph import TraceTable, build_graph, told_apart_by
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.world import World

from tests.builders import position

MODEL = load_model("1999")
MOVE, SUPPLY = MODEL.forms["move"], MODEL.forms["supply"]


def world(connections, units=""):
    return World(MODEL, "position", position(connections, units, 18), "$")


def named(here, name):
    return next(place for place in here.places if place.id == name)


def test_the_graph_carries_the_fields_and_the_cheapest_of_parallel_connections():
    graph = build_graph(world("a-b major blown; b-A minor"))
    assert graph.nodes["A"]["owner"] == "German"
    assert graph.nodes["a"]["record_"] == "area"
    edge = graph["a"]["b"]["a-b"]
    assert (edge["road"], edge["river"], edge["bridge"], edge["ends"]) == ("major", True, "blown", ["a", "b"])
    here = world("A-a minor; a-b minor; a-b-too major", "u German foot 1 a")
    engine = LibraryEngine(MODEL, here)
    assert engine.ends(MOVE, here.root.units, {"foot-mode": False})[named(here, "b")] == 1


def test_the_cheapest_way_may_be_the_longer_one():
    here = world("A-a minor; a-c minor blown; a-b major; b-c major", "u German foot 1 a")
    search = LibraryEngine(MODEL, here).search(MOVE, here.root.units, {"foot-mode": False})
    costs = {node.place.id: spent for node, spent in search.costs(named(here, "a")).items()}
    assert costs == {"a": 2, "b": 1, "c": 2, "A": 2}  # to a: the way back


def test_who_must_stop_goes_no_further_and_movers_alike_share_a_layer():
    # The way through the enemy is the shorter one; nobody gets past him.
    here = world("A-a minor; a-b minor; b-c minor", "u German armor 1 a; v Allied foot 1 b")
    ends = LibraryEngine(MODEL, here).ends(MOVE, here.root.units[:1], {"foot-mode": False})
    assert {place.id: cost for place, cost in ends.items()} == {"A": 2, "b": 3}
    assert told_apart_by(MODEL, SUPPLY) == ("kind", "side")
    assert told_apart_by(MODEL, MOVE) is None
    units = "u German foot 1 b; v German armor 1 b; w German foot 1 c; x Allied foot 1 b"
    here = world("A-a minor; a-b minor blown; b-c minor blown", units)
    table = TraceTable(build_graph(here), Evaluator(MODEL, here), SUPPLY, here.root.units)
    foot, armor, far, enemy = here.root.units
    assert [table.cost(one, one.place) for one in (foot, armor, far, enemy)] == [1, None, None, None]
    assert table.cost(armor, named(here, "a")) == 0
