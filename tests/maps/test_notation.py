"""Positions on one line: what is written reads back, in every game, and what people write is understood."""

import re

import pytest
from titm_rules import Edition, Position
from titm_rules.formats.case_files import shipped_cases
from titm_rules.oracle.game import POLICIES, play_game
from titm_rules.syntax.notation_parser import unescaped, written

from tests.builders import fault_of, position

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


@pytest.mark.parametrize(
    ("text", "what", "fix"),
    [
        ("campain", "unknown scenario or map `campain`", "did you mean `campaign`?"),
        ("campaign,2-pz-a@Bastonge", "unknown place `Bastonge`", "did you mean `Bastogne`?"),
        ("campaign,2-pz-aa(moved)", "nothing is called `2-pz-aa`", "did you mean `2-pz-a`?"),
        ("campaign,2-pz-a@Bastogne(movd)", "a unit has no field `movd`", "did you mean `moved`?"),
        ("campaign,side_to_move=Germn", "`Germn` is not a side", "did you mean `German`?"),
        ("campaign,bridg 3-5 blown", "`bridg 3-5 blown` says nothing", "did you mean `bridge`?"),
        ("campaign,", "this cannot stand here", ""),
        ("campaign,day=x", "`x` is not a number", "write a whole number"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_told_with_a_remedy(text, what, fix):
    fault = fault_of(Position.from_notation, text, EDITION, "$.input.position")
    assert fault.what == what
    assert fix in fault.fix
    assert str(fault.where).startswith("$.input.position:")
