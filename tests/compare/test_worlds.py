"""Small worlds: all of them, once, in growing size."""

import json
from math import comb

import pytest
from titm_rules.compare.counterexamples import read_search
from titm_rules.compare.small_worlds import Worlds
from titm_rules.diagnostics import InputError
from titm_rules.formats.file_schemas import SearchFile, WorldSpec
from titm_rules.formats.record_schemas import validate_as

SEARCH = read_search()
TINY = {
    "says": "Dots on lines.",
    "situation": "sheet",
    "fixed": {"dots": [{"id": "z"}], "turn": 1},
    "fields": {"light": ["day", "night"]},
    "records": [
        {"list": "dots", "named": "d", "most": 2, "fields": {"hue": {"any": ["red", "blue"]}, "big": [False, True]}}
    ],
}  # fmt: skip


def texts(found) -> list[str]:
    return [json.dumps(one, sort_keys=True) for one in found]


def tiny(**takes) -> Worlds:
    return Worlds(WorldSpec.model_validate(TINY), takes)


def test_worlds_of_the_first_sizes():
    worlds = [data for data, _ in tiny().of_size(0)]
    assert worlds == [{"dots": [{"id": "z"}], "turn": 1, "light": "day"}]
    one = {json.dumps([data["dots"][1:], data["light"]]) for data, _ in tiny().of_size(1)}
    assert one == {
        json.dumps([[], "night"]),
        json.dumps([[{"id": "d1", "hue": "red", "big": False}], "day"]),
        json.dumps([[{"id": "d1", "hue": "blue", "big": False}], "day"]),
    }


def test_every_world_comes_once_and_none_is_left_out():
    worlds = tiny()
    found = texts(data for size in range(worlds.largest + 1) for data, _ in worlds.of_size(size))
    kinds = 4
    assert len(found) == len(set(found)) == 2 * (1 + kinds + comb(kinds + 1, 2))
    assert sorted(found) == sorted(texts(data for _, data, _ in worlds.rows(0, worlds.parts())))


def test_inputs_add_to_the_size():
    found = [inputs for _, inputs in tiny(n=[1, 2]).of_size(1)]
    assert found.count({"n": 2}) == 1
    assert found.count({"n": 1}) == 3


def test_values_that_must_differ_do():
    spec = SEARCH.worlds["roads"]
    for data, _ in Worlds(spec, {}).of_size(3):
        ends = [tuple(one["ends"]) for one in data["connections"]]
        assert len(ends) == len(set(ends))


@pytest.mark.parametrize("most", [(1, 1), (2, 3)])
def test_battles_of_the_atlas_are_multisets(most):
    kinds = 5 * 2
    worlds = Worlds(SEARCH.worlds["battles"], {}, most)
    sides = [sum(comb(kinds + size - 1, size) for size in range(1, limit + 1)) for limit in most]
    assert sum(1 for _ in worlds.rows(0, worlds.parts())) == sides[0] * sides[1]
    assert worlds.parts() == sides[0]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"format": 2}, "$.format"),
        ({"worlds": {"w": {"situation": "x"}}}, "$.worlds.w.says"),
        ({"find": [{"question": "q", "world": "w", "most": 99}]}, "$.find[0].most"),
        ({"strange": 1}, "$.strange"),
    ],
)
def test_faults_of_a_search_file_name_their_place(change, where):
    with pytest.raises(InputError) as caught:
        validate_as(SearchFile, {"format": 1, "worlds": {}, **change}, "$")
    assert where in [str(fault.where) for fault in caught.value.faults]
