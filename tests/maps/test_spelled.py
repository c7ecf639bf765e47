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
    [("FOOT", "did you mean `foot`?"), ("airborne", "write one of: engineer, armor, mechanized, motorized, foot")],
)
def test_the_protocol_takes_values_as_they_are_and_names_the_one_that_is_meant(kind, fix):
    position = {**MEANT, "units": [{**MEANT["units"][0], "kind": kind}]}
    asked = {"edition": "1999", "query": "supplied", "input": {"position": position, "unit": "a"}}
    error = Oracle().ask(asked)["error"]
    assert (error["kind"], error["at"], error["fix"]) == ("bad-value", "$.input.position.units[0].kind", fix)
