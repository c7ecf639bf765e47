"""Positions that name a map."""

import itertools
import json

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.service.capabilities import schemas
from titm_rules.service.protocol import Oracle

from tests.maps.conftest import EDITION, board

TANK = {"id": "tank", "side": "German", "kind": "armor", "strength": 3, "place": "Mersch"}
NAMED = {"map": "ardennes-reconstructed", "day": 18, "impulse": 1, "side_to_move": "German", "units": [TANK]}


def named(**fields):
    return {**NAMED, **fields}


def friends():
    """Three friends on the way by Sauel."""
    return [
        {**TANK, "id": f"f{n}", "kind": "foot", "place": at} for n, at in enumerate(("Sauel", "Redange", "Rambrouch"))
    ]


def costs(raw, **inputs):
    return EDITION.answer("reachable_cost", {"position": raw, "units": ["tank"], **inputs})["cost"]


def test_the_map_or_a_part_of_it_is_put_under_a_position():
    data = Position.from_dict(NAMED, EDITION).to_dict()
    lists = ("areas", "zones", "connections", "zone_neighbours")
    assert [len(data[name]) for name in lists] == [162, 14, 376, 14]
    assert {"id": "Bastogne", "vp": 2, "control": "Allied"} in data["areas"]
    assert data["map"] == NAMED["map"]
    assert Position.from_dict(data, EDITION) == Position.from_dict(NAMED, EDITION)
    data = Position.from_dict(named(map_part="seventh-army"), EDITION).to_dict()
    inside = {one["id"] for one in data["areas"]} | {one["id"] for one in data["zones"]}
    assert len(data["areas"]) == 23
    assert [one["id"] for one in data["zones"]] == ["C", "P"]
    assert all(inside.issuperset(one["ends"]) for one in data["connections"])
    assert "zone_neighbours" not in data or data["zone_neighbours"] == [["C", "P"]]


def test_names_stand_for_ids_in_records_and_steps_too():
    raw = named(units=[{**TANK, "place": 59, "day_start": "ettlebruck"}])
    assert costs(raw, to="Sael") == costs(NAMED, to="Sauel") == 2
    asked = {"position": raw, "units": ["tank"], "path": ["Mersch", "62", "REDANGE"]}
    assert EDITION.answer("check_path", asked) == {"legal": True, "cost": 4}
    assert Position.from_dict(raw, EDITION).to_dict()["units"][0]["day_start"] == "Ettelbruck"
    raw = named(special_forces={"area": "Spimont", "effect": "mobility"}, battle_areas=["109"])
    data = Position.from_dict(raw, EDITION).to_dict()
    assert (data["special_forces"]["area"], data["battle_areas"]) == ("Sprimont", ["Bastogne"])
    attempts = named(demolition_attempts=[{"bridge": "58-59", "unit": "tank"}])
    assert Position.from_dict(attempts, EDITION).to_dict()["demolition_attempts"][0]["bridge"] == "Ettelbruck-Mersch"
    path = ["Mersch", "!Ettlebruck", "Sael"]
    asked = EDITION.verdict("check_path", {"position": NAMED, "units": ["tank"], "path": path})
    assert asked.witness["route"] == ["Mersch", "!Ettelbruck", "Sauel"] if asked.outcome == "legal" else asked.failing


def test_bridges_and_rows_that_differ():
    raw = named(units=[TANK, *friends()])
    assert costs(raw, to="Rambrouch") == 5
    assert costs({**raw, "bridges": {"58-59": "blown"}}, to="Rambrouch") is None
    changed = named(areas=[{"id": "Bastnach", "control": "German"}], connections=[{"id": "59-58", "failed_repairs": 2}])
    data = Position.from_dict(changed, EDITION).to_dict()
    assert {"id": "Bastogne", "vp": 2, "control": "German"} in data["areas"]
    assert next(one for one in data["connections"] if one["id"] == "Ettelbruck-Mersch")["failed_repairs"] == 2
    assert board().connections["Ettelbruck-Mersch"][1].get("failed_repairs") is None


REFUSED = [
    ({"map": "ardenne-reconstructed"}, "$.position.map", "did you mean `ardennes-reconstructed`?"),
    ({"map": "../../secrets"}, "$.position.map", "known: ardennes-reconstructed, attested"),
    ({"map": 7}, "$.position.map", "write the name of a map"),
    ({"map": "attested"}, "$.position.map", "it is not a whole board"),
    ({"map_part": "7th-army"}, "$.position.map_part", "did you mean `seventh-army`?"),
    ({"map_part": ["x"]}, "$.position.map_part", "known: fifth-panzer-army, seventh-army"),
    ({"map_part": "seventh-army", "bridges": {"Dasburg-Marnach": "intact"}}, "$.position.bridges.Dasburg-Marnach", ""),
    ({"bridges": {"Dasburg-Marnac": "intact"}}, "$.position.bridges.Dasburg-Marnac", "did you mean `Dasburg-Marnach`?"),
    ({"bridges": ["Dasburg-Marnach"]}, "$.position.bridges", "write {NAME: VALUE}"),
    ({"areas": {"Bastogne": {}}}, "$.position.areas", "write [{id: NAME, FIELD: VALUE}]"),
    ({"units": [{**TANK, "place": "Merch"}]}, "$.position.units[0].place", "did you mean `Mersch`?"),
]


@pytest.mark.parametrize(("fields", "where", "fix"), REFUSED)
def test_refused(fields, where, fix):
    with pytest.raises(InputError) as caught:
        Position.from_dict(named(**fields), EDITION)
    fault = caught.value.faults[0]
    assert fault.where == where
    assert fix in fault.fix


def test_answers_say_whether_the_map_is_reconstructed():
    verdict = EDITION.verdict("check_path", {"position": NAMED, "units": ["tank"], "path": ["Mersch", "Sauel"]})
    assert "ardennes-reconstructed` is reconstructed" in verdict.notes[0]
    again = Position.from_dict(NAMED, EDITION).check("check_path", units=["tank"], path=["59", "62"])
    assert again.notes == verdict.notes
    request = '{"id": 1, "edition": "1999", "query": "supplied", "input": {"position": %s, "unit": "tank"}}'
    answer = json.loads(Oracle().answer_line(request % json.dumps(NAMED)))
    assert answer["ok"]
    assert answer["notes"] == list(verdict.notes)
    written = Position.from_dict(NAMED, EDITION).to_dict()
    data = {name: value for name, value in written.items() if name != "map"}
    verdict = EDITION.verdict("check_path", {"position": data, "units": ["tank"], "path": ["Mersch", "Sauel"]})
    assert verdict.notes == ()
    assert "notes" not in verdict.to_dict()


def test_remarks_of_the_designer():
    """Luxembourg to Transinne is one move on a clear major road; on an occupied minor road two areas are the most."""
    major = {frozenset(row["ends"]) for _, row in board().connections.values() if row.get("road") == "major"}
    for kind in ("armor", "mechanized", "motorized", "engineer"):
        raw = named(units=[{**TANK, "kind": kind, "place": "Luxembourg"}])
        way = EDITION.verdict("reachable_cost", {"position": raw, "units": ["tank"], "to": "Transinne"})
        route = way.witness["route"]
        assert way.answer["cost"] == len(route) - 1 <= 8
        assert all(frozenset(step) in major for step in itertools.pairwise(route))
    raw = named(units=[TANK, *friends()], bridges={"58-59": "blown"})
    assert [costs(raw, to=place) for place in ("Sauel", "Redange", "Rambrouch")] == [3, 6, None]


def test_the_schema_of_a_question_knows_maps():
    found = schemas()
    refs = [one["$ref"] for one in found["supplied"]["properties"]["position"]["anyOf"]]
    choices = [found["supplied"]["$defs"][ref.removeprefix("#/$defs/")] for ref in refs]
    assert [set(one["required"]) & {"map", "areas"} for one in choices] == [{"areas"}, {"map"}]
    assert "anyOf" not in found["fire_allocations"]["properties"]["battle"]


# ---------------------------------------------------------------------- the edges of parts
GI = {"id": "gi", "side": "Allied", "kind": "motorized", "strength": 3, "place": "Diekirch", "moves_16_1": True}


def lines(**fields):
    data = Position.from_dict(named(**fields), EDITION).to_dict()
    return {way["id"] for way in data["connections"] if way.get("scenario_line")}


def test_a_connection_that_leads_out_of_a_part_crosses_its_line():
    parts = [
        {place for places in board().part(name).values() for place in places}
        for name in ("seventh-army", "fifth-panzer-army")
    ]
    leading_out = {
        way["id"]
        for table, way in board().tables("connection")
        if table == "connections" and any(len(part.intersection(way["ends"])) == 1 for part in parts)
    }
    assert lines() == leading_out
    assert len(leading_out) > 20
    mended = [{"id": "Larochette-Diekirch", "scenario_line": False}]  # a position may say otherwise
    assert "Larochette-Diekirch" not in lines(connections=mended)


@pytest.mark.parametrize(("edition", "legal"), [("2002-07-25", True), ("2016-10-01", False)])
def test_nobody_crosses_a_line_of_the_shipped_board_on_the_first_impulse(edition, legal):
    raw = named(day=16, side_to_move="Allied", units=[GI])
    rules = Edition(edition)
    asked = {"position": raw, "units": ["gi"], "path": ["Diekirch", "Larochette"]}
    assert "Larochette-Diekirch" in lines()
    assert rules.answer("check_path", asked)["legal"] == legal
    assert rules.answer("check_path", {**asked, "path": ["Diekirch", "Ettelbruck"]})["legal"]
