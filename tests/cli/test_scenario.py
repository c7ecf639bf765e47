"""Scenarios on the command line: listed and checked, as cases, played, recorded and drawn."""

import json
from xml.etree import ElementTree

import pytest
from titm_rules import Position
from titm_rules.service.capabilities import listing

from tests.frozen.cases import GAMES

from .conftest import SCENARIOS

GAME = "seventh-army"
SAUER = SCENARIOS / "sauer-crossing" / "scenario.yaml"


def test_scenarios_are_listed_described_and_checked(titm, tmp_path):
    done = titm("scenario", "list", "--json")
    assert {"campaign", "seventh-army", "sauer-crossing"} <= {one["name"] for one in json.loads(done.stdout)}
    done = titm("scenario", "check", "sauer-crossing", "seventh-army")
    assert done.exit_code == 0, done.stdout
    assert done.stdout.count(": 0 faults") == 2
    schemas = json.loads(titm("scenario", "schema").stdout)
    assert {"map", "start", "victory", "choose"} <= set(schemas["scenario"]["properties"])
    assert "lists" in schemas["forces"]["properties"]
    text = SAUER.read_text(encoding="utf-8")
    file = tmp_path / "scenario.yaml"
    file.write_text(text.replace("{supplied: true}", "{supplied: false}"), encoding="utf-8")
    done = titm("scenario", "check", file)
    assert done.exit_code == 1
    assert "`g-grenadiers`: supplied is True" in done.stdout


def test_positions_are_listed_shown_and_checked_as_scenarios_are(titm):
    ships = listing()["ships"]
    assert all(sentence for game in GAMES for named in listing(game)["ships"].values() for sentence in named.values())
    listed = titm("scenario", "list").stdout
    for name, sentence in ships["positions"].items():
        assert f"{name}: {sentence}\n" in listed
        shown = titm("scenario", "show", name)
        assert (shown.exit_code, shown.stdout.split("\n")[0]) == (0, f"{name}: {sentence}")
    alone = json.loads(titm("scenario", "show", "two-bridges", "--position").stdout)
    assert Position.from_dict(alone["position"]) == Position.from_file("two-bridges")
    told = json.loads(titm("scenario", "show", "two-bridges", "--json").stdout)
    assert told == {"name": "two-bridges", "about": ships["positions"]["two-bridges"], **alone}
    file = SCENARIOS / "two-bridges" / "position.yaml"
    assert titm("scenario", "check", "combat-of-1999", file).stdout == f"combat-of-1999: 0 faults\n{file}: 0 faults\n"


def test_a_scenario_is_a_case_and_its_position_another(titm, tmp_path):
    case = tmp_path / "case.json"
    case.write_text(titm("scenario", "show", "sauer-crossing", "--position").stdout, encoding="utf-8")
    done = titm("check", case, "reachable_cost", "units=g-tanks", "to=Korperich")
    assert done.exit_code == 0, done.stderr
    assert "Yes, for 2 of 8 MPs" in done.stdout
    done = titm("legal", SAUER, "--count")
    assert done.exit_code == 0, done.stderr
    assert titm("check", SAUER, "supplied", "unit=a-tanks").stdout.startswith("Is a-tanks in supply at Luxembourg? Yes")


def test_trace_on_a_map_is_drawn_as_the_map_is(titm, tmp_path):
    done = titm("trace", SAUER, "a-tanks", "--at", "59", "-o", tmp_path / "trace.svg")
    assert done.exit_code == 0, done.stderr
    assert "Route: Mersch, Luxembourg, P" in (tmp_path / "trace.svg").read_text(encoding="utf-8")


@pytest.fixture
def record(titm, tmp_path):
    path = tmp_path / "game.txt"
    assert titm("play", GAME, "--seed", 3, "--limit", 40, "-o", path).exit_code == 0
    return path


def test_a_scenario_is_named_or_given_as_a_file_and_played_under_its_rules(titm):
    by_name = titm("play", GAME, "--seed", 3, "--limit", 10, "--verbose").stdout
    assert titm("play", SCENARIOS / GAME / "scenario.yaml", "--seed", 3, "--limit", 10, "--verbose").stdout == by_name
    told = json.loads(titm("play", GAME, "--seed", 3, "--json", "--edition", "1997-08-20").stdout)
    assert told["over"]
    assert (told["result"]["day"], told["result"]["phase"]) == (18, "game-over")
    assert told["result"]["level"].startswith("Allied")


def test_records_name_places_by_their_numbers_or_by_any_name(titm, record, tmp_path):
    text = record.read_text()
    advances = [line.split()[3:5] for line in text.splitlines() if " advance " in line]
    assert advances
    assert all(part.isdecimal() for place, road in advances for part in (place, *road.split("-")))
    assert f"\nstart {GAME} " in text
    assert titm("replay", record).stdout.startswith("40 actions, all legal")
    place, road = next(line.split()[3:5] for line in text.splitlines() if " advance " in line)
    shown = json.loads(titm("map", "show", place, "--json").stdout)
    changed = tmp_path / "changed.txt"
    changed.write_text(text.replace(f" advance {place} {road}\n", f" advance {shown['id']} {road}\n"))
    assert changed.read_text() != text
    assert titm("replay", changed).stdout.startswith("40 actions, all legal")


def test_pictures_of_every_impulse_need_a_folder(titm, tmp_path, record):
    folder = tmp_path / "frames"
    told = titm("play", "race-for-bastogne", "--seed", 1, "--limit", 60, "--frames", folder)
    names = sorted(path.name for path in folder.iterdir())
    parts = [line.partition(": ")[0].replace(" ", "-") for line in told.stdout.splitlines()[:-1]]
    assert names == [f"{n:03}-{part}.svg" for n, part in enumerate([*parts, "end"], 1)]
    pictures = [(folder / name).read_text() for name in names]
    assert all(ElementTree.fromstring(picture).tag.endswith("svg") for picture in pictures)
    assert all("Bastogne" in picture for picture in pictures)
    assert pictures[0] != pictures[-1]
    done = titm("play", GAME, "--limit", 1, "--frames", record)
    assert done.exit_code == 2
    assert "cannot write the file" in done.stderr
