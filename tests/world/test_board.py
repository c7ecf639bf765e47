"""A board is made once for all situations that have the same places and connections."""

import gc
import json
import weakref
from copy import deepcopy

from titm_rules import Edition
from titm_rules.catalog import game_folder
from titm_rules.checker.link import link_model
from titm_rules.engines.compiled.engine import CompiledEngine
from titm_rules.syntax.parser import parse_rules
from titm_rules.world.world import World

from tests.play.hills import DATA, rules

TRAILS = [{"id": "t", "ends": ["low", "mid"]}]
START = {**DATA, "trails": TRAILS}
NAMED = """
game "Named".
type side is red as "Red", blue as "Blue".
place hex has owner: scout or nothing default nothing.
connection trail has ends: pair of hex.
piece scout has side: side, place: place.
situation field has hexes: list of hex, trails: list of trail default none, scouts: list of scout.
"""


def test_a_board_that_names_pieces_is_that_of_one_situation():
    model = link_model([parse_rules(NAMED, "named.rules")], "test")
    data = {
        "hexes": [{"id": "low", "owner": "ann"}, {"id": "top"}],
        "trails": [["low", "top"]],
        "scouts": [{"id": "ann", "side": "Red", "place": "low"}],
    }
    first, second = (World(model, "field", deepcopy(data)) for _ in range(2))
    assert second.board is not first.board
    assert [world.places[0].owner is world.root.scouts[0] for world in (first, second)] == [True, True]


def world_of(data):
    return World(rules(""), "skirmish", data)


def test_equal_values_share_a_board_and_so_do_the_next_situation_and_engines():
    first, second = world_of(deepcopy(START)), world_of({**deepcopy(START), "scouts": [], "day": 5})
    assert second.board is first.board
    assert second.root.hexes is first.root.hexes
    assert second.places == first.places
    assert second.named("hex", "mid") is first.named("hex", "mid")
    assert [piece.id for piece in first.standing(first.places[0])] == ["ann", "bob", "cid", "dot"]
    assert second.standing(second.places[0]) == []
    data = {**first.data, "day": 4}
    after = World(first.model, "skirmish", data, prior=first)
    assert after.board is first.board
    assert CompiledEngine(first.model, after).world.places is first.places


def test_other_values_make_another_board_also_if_they_are_changed_later():
    first = world_of(deepcopy(START))
    blown = world_of({**deepcopy(START), "trails": [{**TRAILS[0], "bridge": "broken"}]})
    fewer = world_of({**deepcopy(START), "trails": []})
    assert len({id(world.board) for world in (first, blown, fewer)}) == 3
    assert blown.root.trails[0].bridge != first.root.trails[0].bridge
    assert fewer.places[0].links_ == {}
    assert first.places[0].links_ != {}
    data = deepcopy(START)
    first = world_of(data)
    data["hexes"][0]["height"] = 2
    second = world_of(data)
    assert second.places[0].height == 2
    assert first.places[0].height == 0


def test_tables_of_a_board_are_made_once_and_are_bounded():
    board = world_of(deepcopy(START)).board
    made = []

    def make():
        made.append(len(made))
        return made[-1]

    assert [board.table("a", (n % 3,), make) for n in range(9)] == [0, 1, 2] * 3
    for n in range(500):
        board.table("a", (n,), make)
        board.table(n, (), make)
    assert sum(map(len, board._tables.values())) <= 64 * 64
    assert len(board._tables) <= 64


NAME = "example-blown-no-crossing-1999"


def interrupted():
    """Give a situation, a route that can be interrupted there, and two connections on it."""
    lines = (game_folder() / "conformance" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    case = next(one for one in map(json.loads, lines) if one["id"] == NAME)
    asked = Edition(case["edition"]).ask(case["query"], case["input"])
    route, mover, _ = asked.route()
    links = [link for pairs in mover[0].place.links_.values() for link, _ in pairs]
    return asked.world, route, links


def test_the_situation_is_shared_while_it_is_used_and_gone_when_nobody_uses_it():
    world, route, links = interrupted()

    def changed(after, link):
        return getattr(after.twin(link), route.interruption_field) == route.interruption_value

    after = world.interrupted(route, links[0])
    assert world.interrupted(route, links[0]) is after
    assert changed(after, links[0])
    other = world.interrupted(route, links[-1])
    assert links[0] is not links[-1]
    assert after is not other
    assert changed(other, links[-1])
    gone = weakref.ref(after)
    del after
    gc.collect()
    assert gone() is None
    assert world.interrupted(route, links[0]).origin is world
    later = world.copied(world.data, world.root)  # the situation after an action can be interrupted too
    assert changed(later.interrupted(route, links[0]), links[0])
