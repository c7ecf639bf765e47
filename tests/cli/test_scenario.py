"""`titm scenario` from the shell, and scenarios as case files."""

import json
from pathlib import Path

from titm_rules.catalog import scenario_folder
from titm_rules.cli.app import app
from typer.testing import CliRunner

RUNNER = CliRunner()


def titm(*words):
    return RUNNER.invoke(app, list(map(str, words)))


def test_scenarios_are_listed_checked_and_described():
    done = titm("scenario", "list", "--json")
    assert {"campaign", "seventh-army", "sauer-crossing"} <= {one["name"] for one in json.loads(done.stdout)}
    done = titm("scenario", "check", "sauer-crossing", "seventh-army")
    assert done.exit_code == 0, done.stdout
    assert done.stdout.count(": 0 faults") == 2
    schemas = json.loads(titm("scenario", "schema").stdout)
    assert {"map", "start", "victory", "choose"} <= set(schemas["scenario"]["properties"])
    assert "lists" in schemas["forces"]["properties"]


def test_a_scenario_is_a_case_and_its_position_another(tmp_path):
    case = tmp_path / "case.json"
    case.write_text(titm("scenario", "show", "sauer-crossing", "--position").stdout, encoding="utf-8")
    done = titm("check", case, "reachable_cost", "units=g-tanks", "to=Korperich")
    assert done.exit_code == 0, done.stderr
    assert "cost" in done.stdout
    file = scenario_folder() / "sauer-crossing" / "scenario.yaml"
    done = titm("legal", file, "--count")
    assert done.exit_code == 0, done.stderr
    assert titm("check", file, "supplied", "unit=a-tanks").stdout.startswith("Yes")


def test_check_tells_what_is_wrong(tmp_path):
    text = (scenario_folder() / "sauer-crossing" / "scenario.yaml").read_text(encoding="utf-8")
    file = Path(tmp_path / "scenario.yaml")
    file.write_text(text.replace("{supplied: true}", "{supplied: false}"), encoding="utf-8")
    done = titm("scenario", "check", file)
    assert done.exit_code == 1
    assert "`g-grenadiers`: supplied is True" in done.stdout


def test_trace_on_a_map_is_drawn_as_the_map_is(tmp_path):
    file = scenario_folder() / "sauer-crossing" / "scenario.yaml"
    done = titm("trace", file, "a-tanks", "--at", "59", "-o", tmp_path / "trace.svg")
    assert done.exit_code == 0, done.stderr
    assert "Route: Mersch, Luxembourg, P" in (tmp_path / "trace.svg").read_text(encoding="utf-8")
