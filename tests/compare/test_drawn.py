"""Worlds drawn at random: worlds like those that are listed, of the same sizes, and simpler ones from them."""

import json
import random
from itertools import islice

from titm_rules.compare.counterexamples import read_search
from titm_rules.compare.small_worlds import SentenceReads, Worlds, WorldSampler, focused, likely
from titm_rules.editions.load import load_model
from titm_rules.formats.file_schemas import AnyOf, WorldSpec

SPEC = WorldSpec.model_validate({
    "says": "Dots on lines.",
    "situation": "sheet",
    "fixed": {"dots": [{"id": "z"}]},
    "fields": {"light": ["day", "night"]},
    "records": [
        {"list": "dots", "named": "d", "most": 2, "fields": {"hue": {"any": ["red", "blue"]}, "big": [False, True]},
         "distinct": ["hue"]}
    ],
})  # fmt: skip


def text(data, inputs) -> str:
    dots = sorted(json.dumps({**dot, "id": ""}) for dot in data["dots"])
    return json.dumps([dots, data["light"], inputs])


def drawn(drawing: WorldSampler, count: int = 1_500):
    rng = random.Random(5)
    return [drawing.draw(rng) for _ in range(count)]


def test_what_is_drawn_is_what_is_listed_with_the_same_size():
    worlds = Worlds(SPEC, {"n": [1, 2]})
    listed = {text(*one): size for size in range(worlds.largest + 1) for one in worlds.of_size(size)}
    drawing = WorldSampler(worlds)
    found = {text(*drawing.made(draft)): drawing.size(draft) for draft in drawn(drawing)}
    assert found == listed


def test_a_simpler_world_is_smaller_and_the_simplest_is_plain():
    drawing = WorldSampler(Worlds(SPEC, {"n": [1, 2]}))
    draft = max(drawn(drawing), key=drawing.size)
    assert drawing.size(draft) == 6
    while simpler := list(drawing.simpler(draft)):
        assert all(drawing.size(one) < drawing.size(draft) for one in simpler)
        draft = simpler[0]
    assert drawing.made(draft) == ({"dots": [{"id": "z"}], "light": "day"}, {"n": 1})


def test_values_that_clauses_name_come_more_often():
    often = WorldSampler(Worlds(SPEC, {}), lambda name, field, value: (name, field, value) == ("dots", "hue", "blue"))
    hues = [dot["hue"] for draft in drawn(often) for dot in often.made(draft)[0]["dots"][1:]]
    assert hues.count("blue") > 1.3 * hues.count("red")


# ---------------------------------------------------------------------- what varies
MODEL = load_model("1999")
SEARCH = read_search()


def test_a_list_that_no_world_has_gets_a_record_if_clauses_look_at_it():
    reads = SentenceReads(frozenset({("casualty", "arrival")}), frozenset())
    spec = focused(SEARCH.worlds["duel"], MODEL, reads)
    [group] = [group for group in spec.records if group.records == "fallen"]
    assert (group.least, group.most, set(group.fields)) == (0, 1, {"arrival"})
    drawing = WorldSampler(Worlds(spec, {}))
    told = [data.get("fallen", []) for data, _ in islice(map(drawing.made, drawn(drawing)), 50)]
    assert {one["id"] for some in told for one in some} == {"fallen1"}


def test_a_list_of_records_without_ids_is_a_value():
    """An attempt at a bridge has no id: one of each bridge and unit there is."""
    reads = SentenceReads(frozenset({("position", "demolition_attempts")}), frozenset())
    attempts = focused(SEARCH.worlds["crossing"], MODEL, reads).fields["demolition_attempts"].any
    assert attempts[:2] == [[], [{"bridge": "ax", "unit": "g"}]]
    assert {one["unit"] for some in attempts for one in some} == {"g", "e1", "e2"}


def test_borders_that_no_world_has_are_drawn_between_its_zones():
    reads = SentenceReads(frozenset({("position", "zone_neighbours")}), frozenset())
    roads = SEARCH.worlds["roads"]
    assert focused(roads, MODEL, reads).fields["zone_neighbours"] == AnyOf(any=[[], [["A", "D"]]])


def test_a_value_is_likely_that_clauses_name_for_the_field_or_a_part_of_it():
    named = frozenset({(("unit", "side"), "Allied"), (("special-force", "effect"), "mobility")})
    is_likely = likely(MODEL, "position", SentenceReads(frozenset(), frozenset(), named))
    assert is_likely("units", "side", "Allied")
    assert not is_likely("units", "side", "German")
    assert is_likely("", "special_forces", {"area": "x", "effect": "mobility"})
    assert not is_likely("", "special_forces", {"area": "x", "effect": "confusion"})
