"""The scenarios that ship: who is in them, where, and what they begin with."""

from collections import Counter

import pytest
import yaml
from titm_rules.catalog import game_folder
from titm_rules.editions import clause_index
from titm_rules.editions.clause_index import special_clauses
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import list_editions
from titm_rules.editions.rule_files import write_skeleton
from titm_rules.editions.sources import read_ledger
from titm_rules.maps.scenarios import check_whole, load_scenario, read_scenario, scenario_folders
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.syntax.parser import parse_rules

from tests.builders import fault_of
from tests.maps.conftest import EDITION

NAMES = ("campaign", "fifth-panzer-army", "first-three-days", "race-for-bastogne", "sauer-crossing", "seventh-army")


def scenario(name):
    return load_scenario(EDITION.model, name)


def rows(name):
    return [row for rows in scenario(name).rows.values() for row in rows]


def test_all_that_ship():
    assert tuple(scenario_folders()) == NAMES
    assert [scenario(name).name for name in NAMES] == list(NAMES)
    assert scenario("campaign").overlays == ()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_wrong_every_datum_has_a_source_and_play_can_begin(name):
    assert list(check_whole(scenario(name), EDITION.answer)) == []
    position = Position.from_dict(scenario(name).position, EDITION)
    assert position.status() == []
    assert position.legal_actions
    assert position.notes
    found = scenario(name)
    part = found.data.get("part")
    inside = set(found.board.part(part)["zones"]) if part else set("ABCDEFGHJKLMNP")
    for row in found.rows.get("reserves", ()):
        owners = {found.board.places[zone][1]["owner"] for zone in row["entry"]}
        assert (row["id"], owners) == (row["id"], {row["side"]})
        assert inside & set(row["entry"])
        assert 16 <= row["due"][0] <= 22
        assert row["due"][1] in (1, 2, 3)
        assert all(area in found.board.places for area in row.get("release", ()))
    data = yaml.safe_load((game_folder() / "forces" / "campaign-reconstructed.yaml").read_text(encoding="utf-8"))
    own = scenario(name).data
    for catalogue in (data, own):
        rows = [row for found in catalogue.get("lists", {}).values() for row in found]
        keys = {one for defaults in catalogue.get("defaults", {}).values() for one in defaults.values()}
        keys |= {one for row in rows for one in row.get("source", {}).values()}
        keys |= {one["source"] for one in (*catalogue.get("totals", ()), *(catalogue.get("choose") or ()))}
        assert keys <= set(catalogue["sources"])
        for table, found in catalogue.get("lists", {}).items():
            assert "*" in catalogue["defaults"][table] or not found


# formations that the scenario lists of the rulebook name: at the start, and later
SEVENTH = (
    "212 VG|276 VG|352 VG|47-2 Eng|605 Eng|44 MG|7A PzJgr|7A/15 Flak|4 Inf|9 Arm|9 Arm Inf|803 TD|78/2 Rngr",
    "614 JgPz|653 JgPz|70 Tnk|4 Inf|10 Arm Inf",
)
FIFTH = (
    "18 VG|244 Stg|62 VG|LVIII/1 Flak|560 VG|116 Pz|182 Flak|Lehr|600 Eng|2 Pz|207 Eng|26 VG|5 FJ|47-1 Eng|352 VG"
    "|106 Inf|28 Inf|9 Arm|1107 Eng|1128 Eng|1A/526|78/2 Rngr",
    "614 JgPz|653 JgPz|669 Ost|2SS Pz|FBB|Fuh Gren|10SS Pz|11 Pz|70 Tnk|7 Arm|4 Inf|10 Arm|82 Abn|101 Abn|705 TD"
    "|740 Tnk|2HHC|1313 Eng|84 Inf|551 Inf|29 Tnk",
)


@pytest.mark.parametrize(
    ("name", "lists", "places"),
    [
        ("seventh-army", SEVENTH, {"9 Arm": {"Larochette"}}),
        ("fifth-panzer-army", FIFTH, {"9 Arm": {"Weiswampach"}, "352 VG": {"Sinspelt"}}),
    ],
)
def test_formations_and_their_places_are_those_of_the_rulebook(name, lists, places):
    found = scenario(name).rows
    for table, wanted in zip(("units", "reserves"), lists, strict=True):
        assert {row["formation"] for row in found[table]} == set(wanted.split("|"))
    for formation, named in places.items():
        assert {row["place"] for row in found["units"] if row["formation"] == formation} == named
    if name == "fifth-panzer-army":
        assert {"Vianden", "Diekirch"} <= {row["place"] for row in found["units"] if row["formation"] == "28 Inf"}


@pytest.mark.parametrize("name", ["campaign", "first-three-days"])
def test_totals_of_the_rulebook(name):
    strengths = {f: [row["strength"] for row in rows(name) if row["formation"] == f] for f in ("2 Inf", "99 Inf")}
    assert {f: (len(s), sum(s)) for f, s in strengths.items()} == {"2 Inf": (4, 12), "99 Inf": (2, 6)}


def test_the_campaign_is_whole_and_its_units_stand_right():
    found = scenario("campaign").rows
    assert {name: len(units) for name, units in found.items()} == {"units": 114, "reserves": 96}
    assert len({row["id"] for row in rows("campaign")}) == 210
    assert scenario("first-three-days").rows == found
    titles = scenario("campaign").titles
    assert (titles["1ss-pz-a"], titles["101-abn-d"]) == ("1SS Pz", "101 Abn")
    assert Counter(titles.values())["2 Inf"] == 4
    found = scenario("campaign")
    sides = {row["id"]: (found.board.places[row["place"]][1]["control"], row["side"]) for row in found.rows["units"]}
    assert [name for name, (holds, side) in sides.items() if holds != side] == []
    named = {area for row in found.rows["reserves"] for area in row.get("release", ())}
    assert named == {name for name, (_, row) in found.board.places.items() if "release" in row.get("marks", ())}


def test_only_two_german_areas_are_over_the_limits():
    stacks = {}
    for row in scenario("campaign").rows["units"]:
        stacks.setdefault((row["side"], row["place"]), []).append(row["strength"])
    over = {key for key, strengths in stacks.items() if len(strengths) > 4 or sum(strengths) > 10}
    assert over == {("German", "Dasburg"), ("German", "Gemund")}
    areas = Position.from_dict(scenario("campaign").position, EDITION).to_dict()["areas"]
    assert {area["id"] for area in areas if area.get("setup_overstack")} == {"Dasburg", "Gemund"}


def test_blown_bridges_at_the_start():
    def blown(name):
        data = Position.from_dict(scenario(name).position, EDITION).to_dict()
        return {one["id"] for one in data["connections"] if one.get("bridge") == "blown"}

    five = {"Irrel-Echternach", "Nusbaum-Beaufort", "Wahlerscheid-Monschau", "Dasburg-Marnach", "Gemund-Holzthum"}
    assert blown("campaign") == five
    assert blown("fifth-panzer-army") == five | {"Diekirch-Ettelbruck"}
    assert blown("seventh-army") == {"Irrel-Echternach", "Nusbaum-Beaufort"}


# ---------------------------------------------------------------------- special rules
SPECIAL = ("seventh-army", "fifth-panzer-army", "first-three-days")
EDITIONS = [info.name for info in list_editions()]


def special(name):
    path = scenario(name).special_rules
    return parse_rules(path.read_text(encoding="utf-8"), path.name)


def under(name, date="1999", **readings):
    return Edition(date, readings, overlays=scenario(name).overlays)


@pytest.mark.parametrize("date", EDITIONS)
def test_special_rules_fit_every_edition(date):
    names = (*SPECIAL, "race-for-bastogne", "sauer-crossing")
    found = special_clauses(date)
    assert found.keys() == {f"{date} with {name}" for name in names}
    for name in names:
        rules, own = under(name, date), {clause.id.text for clause in special(name).clauses}
        assert rules.label == f"{date} with {name}"
        assert own == set(found[rules.label]) <= set(rules.clauses)
        assert own.isdisjoint(load_model(date).clauses)


def test_special_clauses_name_their_heads_and_lines_and_are_not_linked_again(monkeypatch, tmp_path):
    supply = special_clauses("1999")["1999 with fifth-panzer-army"]["S2.sr7"]
    assert (supply.heads, supply.edition) == (("supply.end",), "fifth-panzer-army")
    assert supply.span.path == "scenarios/titm/fifth-panzer-army/fifth-panzer-army.rules"
    monkeypatch.setenv("TITM_RULES_CACHE", str(tmp_path / "cache"))
    write_skeleton("skirmish", tmp_path)
    own = tmp_path / "skirmish"
    rules = own / "scenarios" / "first" / "first.rules"
    rules.write_text('add clause first:1 "Late" "Said later." decides nothing "a test".\n')
    first = special_clauses("1", str(own))
    assert [list(clauses) for clauses in first.values()] == [["first:1"]]
    monkeypatch.setattr(clause_index, "load_model", None)
    assert special_clauses("1", str(own)) == first


@pytest.mark.parametrize(("name", "number"), list(zip(SPECIAL, ("S1", "S2", "S3"), strict=True)))
def test_every_clause_of_a_scenario_is_there(name, number):
    wanted = {one for one in read_ledger(game_folder()) if one.split(".")[0] == number}
    there = {clause.id.text for clause in special(name).clauses}
    assert there == wanted
    assert {level["clause"] for level in scenario(name).data["victory"]} <= wanted


@pytest.mark.parametrize("date", ["1994-11-01", "1999", "2016-10-01"])
@pytest.mark.parametrize("name", ["campaign", "fifth-panzer-army", "first-three-days", "sauer-crossing"])
def test_the_victory_table_is_that_of_the_rules(name, date):
    """What `titm scenario show` tells of points is what the clauses decide."""
    table, rules = scenario(name).data["victory"], under(name, date)
    for points in range(60):
        levels = [row["level"] for row in table if row.get("least", 0) <= points <= row.get("most", points)]
        assert levels == [rules.answer("campaign_victory_level", {"points": points})["level"]], points


# ---------------------------------------------------------------------- faults
def spoiled(tmp_path, change, name="seventh-army"):
    folder = scenario_folders()[name]
    raw = yaml.safe_load((folder / "scenario.yaml").read_text(encoding="utf-8"))
    change(raw)
    path = tmp_path / "scenario.yaml"
    path.write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
    found = read_scenario(EDITION.model, path)
    Position.from_dict(found.position, EDITION)
    return [fault.what for fault in check_whole(found, EDITION.answer)]


def unit(**fields):
    return {"id": "x", "side": "German", "kind": "foot", "strength": 1, "place": "Bitburg", **fields}


WAITS = {"side": "German", "kind": "foot", "strength": 1, "entry": ["C"], "due": [17, 1]}
FAULTS = [
    (lambda raw: raw.update(lists={"reserves": [{**WAITS, "id": "212-vg-a"}]}), "`212-vg-a` is chosen twice"),
    (lambda raw: raw.update(lists={"units": [unit(formation="28 Inf")]}), "there are 1"),
    (lambda raw: raw.update(lists={"units": [unit(place="Luxembourg")]}), "`x`: supplied is False"),
    (lambda raw: raw["checks"][0].update(query="suplied"), "the rules answer no question `suplied`"),
    (lambda raw: None, "the file seventh-army.rules is missing"),
]


@pytest.mark.parametrize(("change", "what"), FAULTS)
def test_fault(tmp_path, change, what):
    assert what in spoiled(tmp_path, change)


REFUSED = [
    (lambda raw: raw["choose"][0]["where"].update(formation="212 WG"), "$.choose[0]"),
    (lambda raw: raw.update(map="ardennes"), "$.map"),
    (lambda raw: raw.update(part="sixth-army"), "$.position.map_part"),
    (lambda raw: raw.update(forces="campaign"), "$.forces"),
    (lambda raw: raw.update(situation="postion"), "$.situation"),
    (lambda raw: raw.update(colour="red"), "colour"),
    (lambda raw: raw["start"].update(day=15), "$.position.day"),
    (lambda raw: raw.update(lists={"units": [unit(place="Bastogne")]}), "place"),
    (lambda raw: raw.update(lists={"units": [unit(kind="spearmen")]}), "kind"),
]


@pytest.mark.parametrize(("change", "where"), REFUSED)
def test_refused(tmp_path, change, where):
    assert where in str(fault_of(spoiled, tmp_path, change).where)
