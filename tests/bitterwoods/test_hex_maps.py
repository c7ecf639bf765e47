"""Random pieces of a hex map, with parallel ways, rivers and enemy zones: three engines and the reference agree."""

import pytest
from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.edition import Edition

from tests.bitterwoods.reference.answer import answer
from tests.bitterwoods.worlds import HexMaker

ASKED = ("reachable", "advances", "retreats", "angriff_advances", "check_retreat", "peiper_advance", "leader_range")


def check(seed):
    maker, query = HexMaker(seed), ASKED[seed % len(ASKED)]
    if query == "peiper_advance":
        maker.lead_peiper()
    request = maker.request(query)
    expected = answer(request)
    for engine in ENGINES:
        edition = Edition(request["edition"], request["readings"], game="bitterwoods", engine=engine)
        assert edition.answer(query, request["input"]) == expected, (seed, engine, query)


@pytest.mark.parametrize("part", range(10))
def test_engines_agree_on_hex_maps(part):
    for seed in range(25 * part, 25 * part + 25):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_engines_agree_on_many_hex_maps(part):
    for seed in range(1000 * (part + 1), 1000 * (part + 2)):
        check(seed)


def test_hex_maps_hold_what_is_hard():
    positions = [HexMaker(seed).position for seed in range(200)]
    sides = [side for position in positions for side in position["hexsides"]]
    assert any(side["id"].endswith("too") for side in sides)
    assert {side.get("river") for side in sides} == {None, "river", "meuse", "cliff"}
    assert any(unit.get("zoc") for position in positions for unit in position["units"])
