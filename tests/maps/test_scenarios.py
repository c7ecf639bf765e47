"""The scenarios that ship: who is in them, where, and what they begin with."""

from collections import Counter

import pytest
import yaml
from titm_rules import Edition, Position
from titm_rules.catalog import game_folder
from titm_rules.editions import clause_index
from titm_rules.editions.clause_index import special_clauses
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import list_editions
from titm_rules.editions.rule_files import write_skeleton
from titm_rules.editions.sources import read_ledger
from titm_rules.maps.scenarios import check_whole, load_scenario, read_scenario, scenario_folders
from titm_rules.play.action import Action
from titm_rules.syntax.parser import parse_rules

from tests.builders import fault_of, position
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
SEVENTH_LIST = (
    "212 VG|276 VG|352 VG|47-2 Eng|605 Eng|44 MG|7A PzJgr|7A/15 Flak|4 Inf|9 Arm|9 Arm Inf|803 TD|78/2 Rngr",
    "614 JgPz|653 JgPz|70 Tnk|4 Inf|10 Arm Inf",
)
FIFTH_LIST = (
    "18 VG|244 Stg|62 VG|LVIII/1 Flak|560 VG|116 Pz|182 Flak|Lehr|600 Eng|2 Pz|207 Eng|26 VG|5 FJ|47-1 Eng|352 VG"
    "|106 Inf|28 Inf|9 Arm|1107 Eng|1128 Eng|1A/526|78/2 Rngr",
    "614 JgPz|653 JgPz|669 Ost|2SS Pz|FBB|Fuh Gren|10SS Pz|11 Pz|70 Tnk|7 Arm|4 Inf|10 Arm|82 Abn|101 Abn|705 TD"
    "|740 Tnk|2HHC|1313 Eng|84 Inf|551 Inf|29 Tnk",
)


@pytest.mark.parametrize(("name", "lists", "places"), [
    ("seventh-army", SEVENTH_LIST, {"9 Arm": {"Larochette"}}),
    ("fifth-panzer-army", FIFTH_LIST, {"9 Arm": {"Weiswampach"}, "352 VG": {"Sinspelt"}}),
])  # fmt: skip
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
SPECIAL = SEVENTH, FIFTH, THREE = "seventh-army", "fifth-panzer-army", "first-three-days"
EDITIONS = [info.name for info in list_editions()]
USUAL = {EDITIONS[0], "1997-08-20", "1999", EDITIONS[-1]}


def special(name):
    path = scenario(name).special_rules
    return parse_rules(path.read_text(encoding="utf-8"), path.name)


def under(name, date="1999", **readings):
    return Edition(date, readings, overlays=scenario(name).overlays)


@pytest.mark.parametrize("date", [pytest.param(d, marks=[pytest.mark.slow] * (d not in USUAL)) for d in EDITIONS])
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


# ---------------------------------------------------------------------- beyond the tests beside the rules (s1, s2, s3)
def ended(start):
    """Let the side to move do nothing more in its impulse, and the other side nothing in the next steps of it."""
    side, after = start.to_dict()["side_to_move"], start
    while after.to_dict()["side_to_move"] == side and (action := Action("end-phase", side)) in after.legal_actions:
        after = after.apply(action)
    return after


@pytest.mark.parametrize("date", ["1994-11-01", "1999"])
@pytest.mark.parametrize("name", NAMES)
def test_the_end_that_a_scenario_tells_is_that_of_the_rules(name, date):
    last = scenario(name).data["end"]["after"]
    data = position(
        "B-x major; D-y major; x-y major", "g German foot 1 x; a Allied foot 1 y", last["day"], last["impulse"],
        last["side_to_move"],
    )  # fmt: skip
    rules = under(name, date)
    assert ended(Position.from_dict(data, rules)).to_dict().get("phase") == "game-over"
    earlier = {**data, "impulse": last["impulse"] - 1} if last["impulse"] > 1 else {**data, "day": last["day"] - 1}
    assert ended(Position.from_dict(earlier, rules)).to_dict().get("phase") != "game-over"


def test_special_forces_come_with_an_edition_and_may_be_used_again_where_no_scenario_forbids_it():
    def infiltrations(scenario, date, **fields):
        data = position("B-x major; x-y major", "u German foot 1 x", 18, 1, **fields)
        return {
            dict(a.choices)["s"]
            for a in Position.from_dict(data, under(scenario, date)).legal_actions
            if a.kind == "infiltrate"
        }

    assert infiltrations(THREE, "1999", days_used=[17], effects_used=["mobility"]) == {"x", "y"}
    assert infiltrations(SEVENTH, "1994-11-01") == infiltrations(THREE, "1994-11-01") == set()


def test_who_leaves_the_area_of_play_is_told_the_rule_and_who_comes_from_outside_may_march_in():
    out = {"in_play": False}
    inside = Position.from_dict(
        position("B-x major; x-y major; y-D major", "u German foot 1 x", areas={"y": out}), under(FIFTH)
    )
    assert "S2.sr1" in inside.check("check_path", units=["u"], path=["x", "y"]).clauses
    road, unit = "K-x major; x-y major; y-z major; z-D major", "u Allied motorized 1 D from_outside"
    world = position(road, unit, side="Allied", areas={"y": out, "z": out}, zones={"D": out})
    coming = Position.from_dict(world, under(FIFTH))
    assert coming.ask("check_path", units=["u"], path=["D", "z", "y", "x"])["legal"]


@pytest.mark.parametrize(("reading", "strength"), [("only-points", 2), ("whole-turn", 1)])
def test_the_fifth_panzer_army_ends_with_the_german_impulse(reading, strength):
    areas = {"x": {"vp": 4, "control": "German"}}
    data = position("B-x major; K-y major; x-y; s-t major", "g German foot 2 s; a Allied foot 1 y", 22, 1, areas=areas,
                    vp_total=9)  # fmt: skip
    after = ended(Position.from_dict(data, under(FIFTH, **{"S2-end": reading})))
    assert (after.summary["phase"], after.summary["points"]) == ("game-over", 13)
    assert after.summary["level"] == "German Tactical"
    assert [unit["strength"] for unit in after.to_dict()["units"] if unit["id"] == "g"] == [strength]


def scored(units, connections="A-x major; x-y major; y-D", date="1999", day=18, **readings):
    areas = {"x": {"scenario_town": True, "vp": 7, "control": "German"}, "y": {"vp": 5, "control": "German"}}
    data = position(connections, units, day, 3, "Allied", areas=areas, zones={"D": {"vp_factor": 3}})
    return ended(Position.from_dict(data, under(THREE, date, **readings))).summary["points"]


@pytest.mark.parametrize("date", ["1996-08-01", "1999", "2002-07-25"])
def test_towns_and_exits_score_once_at_the_end(date):
    garrison = "; a Allied foot 1 y"
    assert scored("g German foot 2 x" + garrison, date=date) == 2
    assert scored("g German foot 2 x; b Allied foot 1 x" + garrison, date=date) == 1
    assert scored("g German foot 2 y" + garrison, date=date) == 0
    assert scored("g German foot 2 x; b Allied foot 1 x" + garrison, date=date, day=17) == 0


def test_a_town_scores_whatever_its_supply():
    assert scored("g German foot 2 x; a Allied foot 1 y", "A-s major; x-y major", "2002-07-25") == 2


def test_each_exit_of_a_hole_counts_unless_an_allied_unit_stands_there():
    roads = "A-p major; p-q major; q-D major; q-E major; B-r major; r-L major; x-y major"
    units = "g German foot 1 p; a Allied foot 1 y; h Allied foot 1 D"
    assert scored(units, roads, **{"S3-holes": "each-exit"}) == 3


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
