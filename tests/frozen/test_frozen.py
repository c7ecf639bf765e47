"""The answers are as they were frozen: their structure byte for byte, and their texts for people.

`python -m tests.frozen` writes the goldens again; what changes in `structure` is read line by line.
"""

import pytest

from tests.frozen.goldens import GROUPS, SLOW, STRUCTURE, TEXT, Record, difference, path_of, read, render, stale_files

Layers = dict[str, str]


# Of the module, so that both layers of a group are compared one after the other.
@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in GROUPS]
)
def answers(request: pytest.FixtureRequest) -> tuple[str, Layers]:
    return request.param, render(GROUPS[request.param]())


@pytest.mark.parametrize("layer", [STRUCTURE, TEXT])
def test_layer(answers: tuple[str, Layers], layer: str) -> None:
    group, layers = answers
    if found := difference(read(layer, group), layers[layer], f"{layer} of {group}"):
        pytest.fail(found, pytrace=False)


def test_every_group_is_frozen_and_no_file_is_left_over() -> None:
    assert [group for group in GROUPS if not path_of(STRUCTURE, group).is_file()] == []
    assert stale_files() == []


# ---------------------------------------------------------------------- what the layers see
FINDING = {
    "clause": "8.22", "title": "Stop", "says": "It stops.", "edition": "1999", "message": "no farther",
    "where": "A > B",
}  # fmt: skip
REPLY = {"ok": True, "answer": {"legal": False, "cost": 3}, "why": [FINDING], "notes": ["a map is made up"]}
FAULT = {"ok": False, "error": {"kind": "bad-value", "at": "$.input", "message": "not a number", "fix": ""}}


def layers_that_differ(before: object, after: object, **more: object) -> set[str]:
    first, second = (render([Record("case", value, **more)]) for value in (before, after))  # type: ignore[arg-type]
    return {layer for layer in first if difference(first[layer], second[layer], layer)}


@pytest.mark.parametrize(
    ("before", "after", "seen"),
    [
        (REPLY, REPLY, set()), (REPLY, {**REPLY, "answer": {"legal": True, "cost": 3}}, {STRUCTURE}),
        (REPLY, {**REPLY, "answer": {"legal": False, "cost": 3.0}}, {STRUCTURE}),
        (REPLY, {**REPLY, "answer": {"cost": 3, "legal": False}}, {STRUCTURE}),
        (REPLY, {**REPLY, "why": []}, {STRUCTURE, TEXT}),
        (REPLY, {**REPLY, "why": [{**FINDING, "where": "A > C"}]}, {STRUCTURE}),
        (REPLY, {**REPLY, "why": [{**FINDING, "message": "it has to stop"}]}, {TEXT}),
        (REPLY, {**REPLY, "why": [{**FINDING, "title": "Halt"}]}, {TEXT}),
        (REPLY, {**REPLY, "why": [{**FINDING, "says": "It halts."}]}, {TEXT}),
        (REPLY, {**REPLY, "why": [{**FINDING, "clause": "8.23"}]}, {STRUCTURE, TEXT}),
        (REPLY, {**REPLY, "why": [FINDING, {**FINDING, "says": "It halts."}]}, {STRUCTURE, TEXT}),
        (REPLY, {**REPLY, "notes": ["the map is made up"]}, {TEXT}), (REPLY, {**REPLY, "notes": []}, {STRUCTURE, TEXT}),
        (FAULT, {"ok": False, "error": {**FAULT["error"], "message": "no number"}}, {TEXT}),
        (FAULT, {"ok": False, "error": {**FAULT["error"], "fix": "write one"}}, {STRUCTURE, TEXT}),
        (FAULT, {"ok": False, "error": {**FAULT["error"], "kind": "bad-word"}}, {STRUCTURE}),
        ({"sentence": {"1999": "No."}}, {"sentence": {"1999": "Not so."}}, {TEXT}),
        ({"ids": [*range(99)]}, {"ids": [*range(98), 0]}, {STRUCTURE}),
        ({"rows": [{"says": "x"}] * 99}, {"rows": [*[{"says": "x"}] * 98, {"says": "y"}]}, {TEXT}),
    ],
)  # fmt: skip
def test_a_change_is_seen_in_its_layer(before: object, after: object, seen: set[str]) -> None:
    assert layers_that_differ(before, after) == seen


def test_what_is_printed_is_text_and_its_exit_code_is_structure() -> None:
    first = render([Record("check x", text="Legal", code=0)])
    assert difference(first[TEXT], render([Record("check x", text="Illegal", code=0)])[TEXT], "text")
    other = render([Record("check x", text="Legal", code=1)])
    assert other[TEXT] == first[TEXT]
    assert "structure: 1 differ: check x" in difference(first[STRUCTURE], other[STRUCTURE], "structure")
    lines = [str(number) for number in range(200)]
    long, longer = (render([Record("x", text="\n".join(some))])[TEXT] for some in (lines, [*lines[:-1], "x"]))
    assert long != longer
