"""Values of a case as people write them."""

import json

import pytest
from titm_rules import InputError, Position
from titm_rules.service.protocol import Oracle

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


@pytest.mark.parametrize(
    ("kind", "fix"),
    [
        ("FOOT", "did you mean `foot`?"),
        ("spearmen", "write one of: engineer, armor, mechanized, motorized, foot"),
        ("airborne", "write one of them"),
    ],
)
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
