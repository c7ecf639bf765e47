"""Small worlds: all of them, once, in growing size; those drawn at random, and simpler ones; what varies in them."""

import json
import random
from itertools import islice
from math import comb

import pytest
from titm_rules.compare.counterexamples import read_search
from titm_rules.compare.small_worlds import (
    SentenceReads,
    Worlds,
    WorldSampler,
    at_each_time,
    focused,
    inputs_in,
    likely,
)
from titm_rules.diagnostics import InputError
from titm_rules.editions.load import load_model
from titm_rules.formats.file_schemas import AnyOf, SearchFile, WorldSpec
from titm_rules.formats.record_schemas import validate_as

MODEL, SEARCH = load_model("1999"), read_search()
DOTS = {"list": "dots", "named": "d", "most": 2, "fields": {"hue": {"any": ["red", "blue"]}, "big": [False, True]}}
TINY = {
    "says": "Dots on lines.", "situation": "sheet", "fixed": {"dots": [{"id": "z"}], "turn": 1},
    "fields": {"light": ["day", "night"]}, "records": [DOTS],
}  # fmt: skip


def tiny(distinct=(), **takes):
    return Worlds(WorldSpec.model_validate({**TINY, "records": [{**DOTS, "distinct": list(distinct)}]}), takes)


def test_worlds_of_the_first_sizes():
    worlds = [data for data, _ in tiny().of_size(0)]
    assert worlds == [{"dots": [{"id": "z"}], "turn": 1, "light": "day"}]
    one = {json.dumps([data["dots"][1:], data["light"]]) for data, _ in tiny().of_size(1)}
    assert one == {
        json.dumps([[], "night"]),
        json.dumps([[{"id": "d1", "hue": "red", "big": False}], "day"]),
        json.dumps([[{"id": "d1", "hue": "blue", "big": False}], "day"]),
    }


def test_a_size_without_worlds_counts_as_finished_only_after_one_with_some():
    pairs = Worlds(WorldSpec.model_validate({**TINY, "records": [{**DOTS, "least": 2}]}), {})
    assert (tiny().smallest, pairs.smallest) == (0, 2)
    assert [pairs.finished(size) for size in (-1, 0, 1, 2, 3)] == [-1, -1, -1, 2, 3]


def test_a_situation_is_asked_about_in_all_ways_or_evenly_in_some():
    ford = load_model("1", "cold-ford")
    hexes = [{"id": one} for one in "abc"]
    units = [{"id": one, "side": "Red", "place": "a", "strength": 1} for one in "rs"]
    data, question = {"hexes": hexes, "units": units}, ford.questions["check_path"]
    ways = list(inputs_in(ford, question, data, SentenceReads(), 100))
    assert len(ways) == len({json.dumps(one) for one in ways}) == 2 * (6 + 6)
    some = list(inputs_in(ford, question, data, SentenceReads(), 5))
    assert len(some) <= 5
    assert {one["unit"] for one in some} == {"r", "s"}
    first, *times = at_each_time(ford, "position", data)
    assert first == {**data, "side_to_move": "Red", "stage": "marching"}
    assert len(times) == 2 * 3 - 1


def test_every_world_comes_once_and_has_its_size():
    worlds, kinds = tiny(), 4
    found = [json.dumps(data) for size in range(worlds.largest + 1) for data, _ in worlds.of_size(size)]
    assert len(found) == len(set(found)) == 2 * (1 + kinds + comb(kinds + 1, 2))
    assert sorted(found) == sorted(json.dumps(data) for _, data, _ in worlds.rows(0, worlds.parts()))
    found = [inputs for _, inputs in tiny(n=[1, 2]).of_size(1)]
    assert (found.count({"n": 2}), found.count({"n": 1})) == (1, 3)
    for data, _ in Worlds(SEARCH.worlds["roads"], {}).of_size(3):
        ends = [tuple(one["ends"]) for one in data["connections"]]
        assert len(ends) == len(set(ends))


@pytest.mark.parametrize("most", [(1, 1), (2, 3)])
def test_battles_of_the_atlas_are_multisets(most):
    kinds = 5 * 2
    worlds = Worlds(SEARCH.worlds["battles"], {}, most)
    sides = [sum(comb(kinds + size - 1, size) for size in range(1, limit + 1)) for limit in most]
    assert sum(1 for _ in worlds.rows(0, worlds.parts())) == sides[0] * sides[1]
    assert worlds.parts() == sides[0]


@pytest.mark.parametrize(("change", "where"), [
    ({"format": 2}, "$.format"),
    ({"worlds": {"w": {"situation": "x"}}}, "$.worlds.w.says"),
    ({"find": [{"question": "q", "world": "w", "most": 99}]}, "$.find[0].most"),
    ({"strange": 1}, "$.strange"),
])  # fmt: skip
def test_faults_of_a_search_file_name_their_place(change, where):
    with pytest.raises(InputError) as caught:
        validate_as(SearchFile, {"format": 1, "worlds": {}, **change}, "$")
    assert where in [str(fault.where) for fault in caught.value.faults]


# ---------------------------------------------------------------------- drawn at random
def drawn(drawing, count=1_500):
    rng = random.Random(5)
    return [drawing.draw(rng) for _ in range(count)]


def text(data, inputs):
    dots = sorted(json.dumps({**dot, "id": ""}) for dot in data["dots"])
    return json.dumps([dots, data["light"], inputs])


def test_what_is_drawn_is_what_is_listed_with_the_same_size():
    worlds = tiny(("hue",), n=[1, 2])
    listed = {text(*one): size for size in range(worlds.largest + 1) for one in worlds.of_size(size)}
    drawing = WorldSampler(worlds)
    assert {text(*drawing.made(draft)): drawing.size(draft) for draft in drawn(drawing)} == listed


def test_a_simpler_world_is_smaller_and_the_simplest_is_plain():
    drawing = WorldSampler(tiny(("hue",), n=[1, 2]))
    draft = max(drawn(drawing), key=drawing.size)
    assert drawing.size(draft) == 6
    while simpler := list(drawing.simpler(draft)):
        assert all(drawing.size(one) < drawing.size(draft) for one in simpler)
        draft = simpler[0]
    assert drawing.made(draft) == ({"dots": [{"id": "z"}], "turn": 1, "light": "day"}, {"n": 1})


def test_values_that_clauses_name_come_more_often():
    often = WorldSampler(tiny(("hue",)), lambda *named: named == ("dots", "hue", "blue"))
    hues = [dot["hue"] for draft in drawn(often) for dot in often.made(draft)[0]["dots"][1:]]
    assert hues.count("blue") > 1.3 * hues.count("red")
    named = frozenset({(("unit", "side"), "Allied"), (("special-force", "effect"), "mobility")})
    is_likely = likely(MODEL, "position", SentenceReads(named=named))
    assert is_likely("units", "side", "Allied")
    assert not is_likely("units", "side", "German")
    assert is_likely("", "special_forces", {"area": "x", "effect": "mobility"})
    assert not is_likely("", "special_forces", {"area": "x", "effect": "confusion"})


# ---------------------------------------------------------------------- what varies
def varied(world, owner, field):
    """Let one field vary that clauses look at."""
    return focused(SEARCH.worlds[world], MODEL, SentenceReads(frozenset({(owner, field)})))


def test_lists_that_no_world_has_and_their_records():
    spec = varied("duel", "casualty", "arrival")
    [group] = [group for group in spec.records if group.records == "fallen"]
    assert (group.least, group.most, set(group.fields)) == (0, 1, {"arrival"})
    drawing = WorldSampler(Worlds(spec, {}))
    fallen = [data.get("fallen", []) for data, _ in islice(map(drawing.made, drawn(drawing)), 50)]
    assert {one["id"] for some in fallen for one in some} == {"fallen1"}
    # An attempt at a bridge has no id: one of each bridge and unit there is.
    attempts = varied("crossing", "position", "demolition_attempts").fields["demolition_attempts"].any
    assert attempts[:2] == [[], [{"bridge": "ax", "unit": "g"}]]
    assert {one["unit"] for some in attempts for one in some} == {"g", "e1", "e2"}
    fields = varied("roads", "position", "zone_neighbours").fields
    assert fields["zone_neighbours"] == AnyOf(any=[[], [["A", "D"]]])
