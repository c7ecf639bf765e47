"""Costs in parts of a point: asked for and told as `1/3`, exact parts in JSON."""

import json

import pytest
from titm_rules.formats.file_schemas import question_schemas
from titm_rules.maps.notation import data_with_changes
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

from tests.builders import fault_of

POSITION = {
    "turn": "17AM",
    "hexes": [{"id": name} for name in ("A1", "B1", "C1")],
    "hexsides": [
        {"id": "a", "ends": ["A1", "B1"], "road": True},
        {"id": "b", "ends": ["B1", "C1"], "road": True, "river": "river", "bridge": "blown", "crossing_cost": "1 1/2"},
    ],
    "units": [{"id": "u", "side": "German", "kind": "infantry", "allowance": 3, "er": 3, "place": "A1"}],
}


@pytest.fixture
def case(tmp_path):
    path = tmp_path / "thirds.yaml"
    path.write_text(json.dumps({"game": "bitterwoods", "edition": "2014", "position": POSITION}))
    return path


def position():
    return Position.from_dict(POSITION, Edition("2014", game="bitterwoods"))


def test_costs_are_held_in_parts_and_told_in_points(titm, case, tmp_path):
    assert position().to_dict()["hexsides"][1]["crossing_cost"] == 18
    same = json.loads(json.dumps(POSITION).replace('"1 1/2"', "18"))
    assert Position.from_dict(same, Edition("2014", game="bitterwoods")) == position()
    assert titm("check", case, "reachable", "unit=u").stdout.splitlines()[0].endswith("? To B1 (1/3). (2014)")
    assert "1/3 by 5.3.road-german-infantry" in titm("why", case, "step_cost", "unit=u", "to=B1").stdout
    told = json.loads(titm("check", case, "reachable", "unit=u", "--json").stdout)
    assert told["answer"] == {"destinations": {"B1": 4}} == position().ask("reachable", unit="u")
    done = titm("render", case, "--reach", "u", "-o", tmp_path / "reach.svg")
    assert "u at A1 can reach 1 places: B1 1/3." in done.stdout
    assert ">1/3</text>" in (tmp_path / "reach.svg").read_text()


@pytest.mark.parametrize("points", ["1 1/3", "4/3"])
def test_points_are_asked_as_they_are_told(titm, case, points):
    free = ["interdiction_options", "unit=u", "to=B1", f"points={points}"]
    other = case.read_text().replace('"infantry"', '"armored-infantry"').replace('"turn"', '"options": ["22"], "turn"')
    case.write_text(other)
    assert titm("check", case, *free).stdout.splitlines()[0].endswith("? Free 1 1/12; pay none; challenge none. (2014)")


@pytest.mark.parametrize("points", ["1/5", "1.5", "x", "1/0"])
def test_what_is_no_number_of_parts_is_refused_on_the_line(titm, case, points):
    done = titm("check", case, "interdiction_options", "unit=u", "to=B1", f"points={points}")
    assert done.exit_code == 2
    assert f"`{points}` is not a number of mp" in done.stderr
    assert "write a multiple of 1/12, as `1 1/12`" in done.stderr


@pytest.mark.parametrize("cost", ["1/5", "much", 1.5, True, "834"])
def test_what_is_no_number_of_parts_is_refused_in_a_position(cost):
    data = json.loads(json.dumps(POSITION))
    data["hexsides"][1]["crossing_cost"] = cost
    fault = fault_of(Position.from_dict, data, Edition("2014", game="bitterwoods"))
    assert (fault.where, fault.kind) == ("$.position.hexsides[1].crossing_cost", "bad-value")


@pytest.mark.parametrize(("written", "parts"), [("2", 24), ("1/3", 4), ("1 1/3", 16), ("1_1/3", 16), ("-", None)])
def test_a_change_on_one_line_gives_points(written, parts):
    edition, text = position().edition, f"hexsides/b(crossing-cost={written})"
    changed = Position.from_dict(data_with_changes(edition.model, "position", position().to_dict(), text), edition)
    assert changed.to_dict()["hexsides"][1].get("crossing_cost") == parts
    assert Position.from_notation(changed.notation, changed.edition) == changed


def test_what_is_told_in_points_and_what_is_no_number_of_them(titm, case):
    assert "crossing-cost=1_1/2" in position().notation
    assert Position.from_notation(position().notation, position().edition) == position()
    bad = titm("check", case, "--set", "hexsides/b(crossing-cost=1/5)", "step_cost", "unit=u", "to=B1")
    assert bad.exit_code == 2
    assert "`1/5` is not a number of mp" in bad.stderr
    assert "write a multiple of 1/12" in bad.stderr
    model = Edition("2014", game="bitterwoods").model
    schema = question_schemas(model)["landing_entry"]
    kinds = {one["type"] for one in schema["properties"]["points"]["anyOf"]}
    assert kinds == {"integer", "string"}
