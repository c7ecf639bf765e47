"""`titm map` from the shell."""

import json

import jsonschema
import pytest
import yaml
from titm_rules.catalog import game_folder
from titm_rules.cli.app import app
from typer.testing import CliRunner

RUNNER = CliRunner()
RECONSTRUCTED = game_folder() / "maps" / "ardennes-reconstructed.yaml"


def titm(*words):
    return RUNNER.invoke(app, ["map", *map(str, words)])


def test_maps_are_listed_linted_and_shown():
    done = titm("list", "--json")
    assert [one["map"] for one in json.loads(done.stdout)] == ["ardennes-reconstructed", "attested"]
    done = titm("lint")
    assert done.exit_code == 0, done.stdout
    assert done.stdout.count(": 0 faults") == 2
    record = json.loads(titm("show", "Bastogne", "--json").stdout)
    assert record["fields"]["vp"]["basis"] == "reconstructed"
    assert "Noville" in {one["to"] for one in record["connections"]}
    record = json.loads(titm("show", "58-59", "--json").stdout)
    assert (record["id"], record["fields"]["road"]["basis"]) == ("Ettelbruck-Mersch", "deduced")
    way = json.loads(titm("route", "Luxembourg", "Transinne", "--json").stdout)
    assert way["moves"] == 1
    assert way["cost"] == sum(step["cost"] for step in way["steps"]) <= 8
    schema = json.loads(titm("schema").stdout)
    assert {"areas", "zones", "connections", "sources", "facts"} <= set(schema["properties"])


def test_a_new_map_can_be_checked_and_filled(tmp_path):
    file = tmp_path / "mine.yaml"
    assert titm("new", file).exit_code == 0
    assert titm("new", file).exit_code == 2
    text = file.read_text(encoding="utf-8")
    assert "name: mine" in text
    done = titm("lint", file)
    assert done.exit_code == 1
    assert "`Bastogne` is missing" in done.stdout


def test_a_template_that_has_been_filled_passes(tmp_path):
    """The rows of the reconstruction stand for those of a printed map."""
    file = tmp_path / "mine.yaml"
    titm("new", file)
    mine, whole = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in (file, RECONSTRUCTED))
    for table in ("areas", "zones", "connections", "zone_neighbours"):
        mine[table] = [{key: value for key, value in row.items() if key != "source"} for row in whole[table]]
    for name, part in mine["parts"].items():
        part["places"] = whole["parts"][name]["places"]
    file.write_text(yaml.safe_dump(mine, sort_keys=False), encoding="utf-8")
    done = titm("lint", file)
    assert done.exit_code == 0, done.stdout
    assert ": 0 faults" in done.stdout
    next(row for row in mine["areas"] if row["id"] == "Holzthum")["front_line"] = False
    file.write_text(yaml.safe_dump(mine, sort_keys=False), encoding="utf-8")
    done = titm("lint", file)
    assert done.exit_code == 1
    assert "`front_line` of `Holzthum` is False, not True" in done.stdout


@pytest.mark.parametrize("name", ["out.graphml", "out.geojson", "tables"])
def test_export_and_import(tmp_path, name):
    assert titm("export", "-o", tmp_path / name).exit_code == 0
    back = tmp_path / "back.yaml"
    assert titm("import", tmp_path / name, "-o", back).exit_code == 0
    assert titm("lint", back).exit_code == 0
    same = titm("diff", "ardennes-reconstructed", back)
    assert (same.exit_code, same.stdout[:14]) == (0, "0 differences ")


@pytest.mark.parametrize("name", ["attested", "ardennes-reconstructed"])
def test_the_schema_is_that_of_the_files(name):
    """Another program that goes by the schema takes the maps that ship, and refuses what is wrong with one."""
    check = jsonschema.Draft202012Validator(json.loads(titm("schema").stdout))
    found = yaml.safe_load(RECONSTRUCTED.with_name(f"{name}.yaml").read_text(encoding="utf-8"))
    assert list(check.iter_errors(found)) == []
    found["areas"][0]["number"] = "first"
    found["connections"][0]["ends"] = ["Irrel"]
    found["colour"] = "red"
    wrong = {"/".join(map(str, error.absolute_path)) for error in check.iter_errors(found)}
    assert wrong == {"areas/0/number", "connections/0/ends", ""}


def test_maps_of_ones_own_are_found(tmp_path, monkeypatch):
    file = tmp_path / "mine.yaml"
    titm("new", file)
    monkeypatch.setenv("TITM_RULES_MAPS", str(tmp_path))
    assert "mine" in titm("list").stdout
    position = tmp_path / "position.yaml"
    unit = "{id: u, side: German, kind: foot, strength: 1, place: Irrel}"
    position.write_text(f"position: {{map: mine, day: 17, impulse: 1, side_to_move: German, units: [{unit}]}}\n")
    done = RUNNER.invoke(app, ["check", str(position), "supplied", "unit=u"])
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("Is u in supply at Irrel? Yes")
