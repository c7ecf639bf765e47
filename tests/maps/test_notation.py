"""Positions on one line read back in every game; names and values are understood as people write them."""

import json
import re

import pytest
from titm_rules import Edition, InputError, Position
from titm_rules.formats.case_files import shipped_cases
from titm_rules.maps.maps import Gazetteer, normalize_name
from titm_rules.oracle.game import POLICIES, play_game
from titm_rules.service.protocol import Oracle
from titm_rules.syntax.notation_parser import unescaped, written

from tests.builders import fault_of, position
from tests.maps.conftest import board

SAFE = re.compile(r"[A-Za-z0-9._~,;=@/()-]+")
PLAYED = [
    "campaign", "fifth-panzer-army", "first-three-days", "race-for-bastogne", "sauer-crossing", "seventh-army",
    "two-bridges",
]  # fmt: skip
EDITION = Edition("1999")


def reads_back(position):
    text = position.notation
    assert SAFE.fullmatch(text)
    again = Position.from_notation(text, position.edition)
    assert again == position
    assert again.digest == position.digest
    return text


@pytest.mark.parametrize("name", PLAYED)
def test_positions_of_games_read_back(name):
    start = Position.from_file(name)
    assert reads_back(start).partition(",")[0] == name
    for number, turn in enumerate(play_game(start, POLICIES["random"], seed=7, limit=60)):
        if number % 12 == 0:
            reads_back(turn.after)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYED)
def test_positions_of_whole_games_read_back(name):
    for number, turn in enumerate(play_game(Position.from_file(name), POLICIES["random"], seed=8, limit=3_000)):
        if number % 60 == 0:
            reads_back(turn.after)


@pytest.mark.parametrize("name", shipped_cases())
def test_what_ships_reads_back(name):
    found = Position.from_file(name)
    if found.situation == "position":
        reads_back(found)


def test_positions_of_any_kind_read_back():
    data = position(
        "B-s major; s-x minor blown; s-y minor failed=2", "m German foot 3 s moved points_spent=2; n Allied armor 1 x",
        special_forces={"area": "x", "effect": "mobility"}, days_used=[16, 17], phase="construction",
        demolition_attempts=[{"bridge": "s-x", "unit": "n"}], zone_neighbours=[],
    )  # fmt: skip
    assert reads_back(Position.from_dict(data, EDITION)).startswith("-,17-1,")
    data = position("B-s major", "m German foot 3 s")
    data["units"][0]["id"] = "a b_c~/é(=),;@!-"
    reads_back(Position.from_dict(data, EDITION))
    for text in ("-", "!", "a b", "~2D", "_", "ß"):
        assert unescaped(written(text)) == text


def test_a_default_that_the_map_says_otherwise_is_kept():
    campaign = Position.from_file("campaign", EDITION)
    data = campaign.to_dict()
    next(row for row in data["areas"] if row["id"] == "Bastogne")["control"] = None
    changed = Position.from_dict(data, EDITION)
    assert Position.from_dict(changed.to_dict(), EDITION) == changed != campaign
    assert "areas/Bastogne(control=-)" in reads_back(changed)


# ---------------------------------------------------------------------- as people write
def made(text):
    return Position.from_notation(text, EDITION).to_dict()


def test_words_of_people_make_changes():
    found = made("campaign, 2-pz-a@Bastnach, bridge Dasburg-Marnach blown, 18-2, allied, no 352-vg-b, moved 2-pz-a")
    unit = next(unit for unit in found["units"] if unit["id"] == "2-pz-a")
    assert (unit["place"], unit["moved"]) == ("Bastogne", True)
    assert (found["day"], found["impulse"], found["side_to_move"]) == (18, 2, "Allied")
    assert [link["bridge"] for link in found["connections"] if set(link["ends"]) == {"Dasburg", "Marnach"}] == ["blown"]
    assert "352-vg-b" not in {unit["id"] for unit in found["units"]}
    found = made("ardennes-reconstructed, 17-1, German, mine@Bastogne(side=german; kind=ARMOR; strength=3)")
    assert found["units"] == [{"id": "mine", "place": "Bastogne", "side": "German", "kind": "armor", "strength": 3}]


@pytest.mark.parametrize(("text", "what", "fix"), [
    ("campain", "unknown scenario or map `campain`", "did you mean `campaign`?"),
    ("campaign,2-pz-a@Bastonge", "unknown place `Bastonge`", "did you mean `Bastogne`?"),
    ("campaign,2-pz-aa(moved)", "nothing is called `2-pz-aa`", "did you mean `2-pz-a`?"),
    ("campaign,2-pz-a@Bastogne(movd)", "a unit has no field `movd`", "did you mean `moved`?"),
    ("campaign,side_to_move=Germn", "`Germn` is not a side", "did you mean `German`?"),
    ("campaign,bridg 3-5 blown", "`bridg 3-5 blown` says nothing", "did you mean `bridge`?"),
    ("campaign,", "this cannot stand here", ""),
    ("campaign,day=x", "`x` is not a number", "write a whole number"),
])  # fmt: skip
def test_what_is_not_understood_is_told_with_a_remedy(text, what, fix):
    fault = fault_of(Position.from_notation, text, EDITION, "$.input.position")
    assert fault.what == what
    assert fix in fault.fix
    assert str(fault.where).startswith("$.input.position:")


# ---------------------------------------------------------------------- names stand wherever ids do
# any name, the id that it finds
PLACES = [
    ("Bastogne", "Bastogne"), ("bastogne", "Bastogne"), ("109", "Bastogne"), ("Holzhum", "Holzthum"),
    ("Ettlebruck", "Ettelbruck"), ("Saeul", "Sauel"), ("Sael", "Sauel"), ("Spimont", "Sprimont"), ("Liège", "Liege"),
    ("Lüttich", "Liege"), ("Prüm", "Prum"), ("St Vith", "St. Vith"), ("Sankt Vith", "St. Vith"),
    ("Henri Chapelle", "Henri-Chapelle"), ("trois-ponts", "Trois Ponts"), ("C", "C"),
    *((name, None) for name in ("", "Bastognes Nord", "163", "O", "Clervaux")),
]  # fmt: skip
CONNECTIONS = [
    *((name, "Ettelbruck-Mersch") for name in ("Ettelbruck-Mersch", "mersch ettlebruck", "58-59", "59-58")),
    ("3-35", "Stadtkyll-Kronenburg"),
    ("33-5", "Budesheim-Olzheim"),
    ("335", None),
    ("C-8", "C-Bitburg"),
]


@pytest.mark.parametrize(
    ("kind", "name", "identity"), [*(("place", *row) for row in PLACES), *(("connection", *row) for row in CONNECTIONS)]
)
def test_a_name_finds_its_place_or_connection(kind, name, identity):
    assert getattr(board(), f"{kind}_names").find(name) == identity


def test_every_id_finds_itself_and_a_name_of_two_things_neither():
    for names in (board().place_names, board().connection_names):
        assert [name for name in names if names.find(name) != name] == []
        assert names.twins == {}
    names = Gazetteer()
    names.add("North Ham", ["Ham"])
    names.add("South Ham", ["Ham"])
    assert names.find("Ham") is None
    assert names.twins == {"Ham": {"North Ham", "South Ham"}}
    assert names.find("northham") == "North Ham"
    fault = fault_of(board().place_names.need, "Luettig", "$.here", "place")
    assert (fault.what, fault.where, fault.fix) == ("unknown place `Luettig`", "$.here", "did you mean `Liege`?")


@pytest.mark.parametrize("number", ["0", "163", "999", "9" * 300])
def test_a_number_that_no_place_has_is_not_likened_to_a_name(number):
    with pytest.raises(InputError) as caught:
        board().place_names.need(number, "$.here", "place")
    assert caught.value.faults[0].fix == "numbers go from 1 to 162"
    assert normalize_name("St. Vith") == normalize_name("ST VITH") == "stvith"
    assert normalize_name("Straße") == "strasse"
    assert normalize_name("3-35") != normalize_name("33-5")


# ---------------------------------------------------------------------- values of a case as people write them
AREAS = [{"id": "x", "control": "german"}]
UNITS = [{"id": "a", "side": "ALLIED", "kind": "Foot", "strength": 1, "place": "x"}]
WRITTEN = {"day": "18-2", "side_to_move": "german", "areas": AREAS, "units": UNITS}
MEANT = {
    "day": 18, "impulse": 2, "side_to_move": "German", "areas": [{"id": "x", "control": "German"}],
    "units": [{"id": "a", "side": "Allied", "kind": "foot", "strength": 1, "place": "x"}],
}  # fmt: skip


def from_file(folder, position):
    path = folder / "case.json"
    path.write_text(json.dumps({"position": position}), encoding="utf-8")
    return Position.from_file(path)


def test_a_file_is_understood_as_people_write(tmp_path):
    assert from_file(tmp_path, WRITTEN) == Position.from_dict(MEANT)


@pytest.mark.parametrize("day", ["18-2-1", "18-", "-2", "18-99", "18-2x", "18-" + "9" * 50])
def test_what_is_no_time_is_a_fault(tmp_path, day):
    with pytest.raises(InputError) as caught:
        from_file(tmp_path, {**WRITTEN, "day": day})
    assert {str(fault.where) for fault in caught.value.faults} <= {"$.position.day", "$.position.impulse"}


@pytest.mark.parametrize(("kind", "fix"), [
    ("FOOT", "did you mean `foot`?"),
    ("spearmen", "write one of: engineer, armor, mechanized, motorized, foot"),
    ("airborne", "write one of them"),
])  # fmt: skip
def test_the_protocol_takes_values_as_they_are_and_names_the_one_that_is_meant(kind, fix):
    position = {**MEANT, "units": [{**MEANT["units"][0], "kind": kind}]}
    asked = {"edition": "1999", "query": "supplied", "input": {"position": position, "unit": "a"}}
    error = Oracle().ask(asked)["error"]
    assert (error["kind"], error["at"], error["fix"]) == ("bad-value", "$.input.position.units[0].kind", fix)


# ---------------------------------------------------------------------- other words for values
TOLD = {
    **MEANT, "areas": [{"id": "x", "control": "Axis"}],
    "units": [{"id": "a", "side": "Allies", "kind": "foot infantry", "strength": 1, "place": "x"}],
}  # fmt: skip


def test_other_words_are_read_everywhere_and_never_written(tmp_path):
    wanted = {**MEANT, "areas": [{"id": "x", "control": "German"}]}
    by_file = from_file(tmp_path, {**TOLD, "day": "18-2", "side_to_move": "germans"})
    assert by_file.to_dict() == Position.from_dict(TOLD).to_dict() == Position.from_dict(wanted).to_dict()
    asked = {"edition": "1999", "query": "supplied", "input": {"position": TOLD, "unit": "a"}}
    known = {**asked, "input": {"position": wanted, "unit": "a"}}
    assert Oracle().ask(asked) == Oracle().ask(known)
    assert "foot infantry" not in json.dumps(Position.from_dict(TOLD).to_dict())


@pytest.mark.parametrize("word", ["tank", "TANK", "Panzer"])
def test_another_word_may_be_large_or_small_and_stands_in_a_notation_too(word):
    meant = Position.from_notation("road-to-rambrouch,kind tank armor,Axis")
    assert Position.from_notation(f"road-to-rambrouch,kind tank {word},German") == meant
    row = {**MEANT["units"][0], "kind": word}
    assert Position.from_dict({**MEANT, "units": [row]}).to_dict()["units"][0]["kind"] == "armor"
    assert "tank(kind=mechanized)" in Position.from_notation("road-to-rambrouch,kind tank mech").notation


@pytest.mark.parametrize("word", ["airborne", "Airborne"])
def test_a_word_that_several_values_bear_is_answered_with_them(tmp_path, word):
    told = f"`{word}` may be motorized or foot"
    row = {**MEANT["units"][0], "kind": word}
    with pytest.raises(InputError, match=told) as caught:
        Position.from_dict({**MEANT, "units": [row]})
    assert str(caught.value.faults[0].where) == "$.position.units[0].kind"
    with pytest.raises(InputError, match=told):
        from_file(tmp_path, {**WRITTEN, "units": [row]})
    with pytest.raises(InputError, match=told) as caught:
        Position.from_notation(f"road-to-rambrouch,kind tank {word}")
    assert caught.value.faults[0].fix == "write one of them"
    with pytest.raises(InputError, match=f"`{word[:-1]}` is not a unit-kind") as caught:
        Position.from_notation(f"road-to-rambrouch,kind tank {word[:-1]}")
    assert caught.value.faults[0].fix == "did you mean `airborne`?"


def test_an_input_and_an_action_take_other_words():
    battle = {
        "attacker": "Axis", "attackers": [{"id": "a", "kind": "panzer", "strength": 2}],
        "defenders": [{"id": "d", "kind": "mech", "strength": 1}],
    }  # fmt: skip
    plain = {**battle, "attacker": "German", "attackers": [{"id": "a", "kind": "armor", "strength": 2}]}
    plain["defenders"] = [{"id": "d", "kind": "mechanized", "strength": 1}]
    asked = [{"edition": "1999", "query": "artillery_calls", "input": {"battle": one}} for one in (battle, plain)]
    first, second = map(Oracle().ask, asked)
    assert first["ok"]
    assert first == second
    start = Position.from_file("two-bridges")
    action = start.legal_actions[0]
    others = {"German": "Axis", "Allied": "Allies"}
    assert start.read(action.kind, others[action.by], action.words) == action
    given = f"{others[action.by]} {action.kind} {' '.join(action.words)}".strip()
    judged = Oracle().ask({"edition": "1999", "query": "judge", "input": {"position": "two-bridges", "action": given}})
    assert judged["answer"]["legal"], judged
