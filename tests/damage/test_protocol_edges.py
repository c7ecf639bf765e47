"""Lines at the edge of what the protocol allows: sizes, ids, names of any length, and where an error points."""

import io
import json
import time
import tracemalloc

import pytest
from titm_rules.cli.serve import bounded_lines
from titm_rules.files import MAX_BYTES
from titm_rules.service.protocol import Oracle

from tests.builders import position

HERE = position("B-s major; s-x minor", "m German foot 3 s")
GOOD = {"id": 1, "edition": "1999", "query": "reachable", "input": {"position": HERE, "units": ["m"]}}
ON_MAP = {
    "map": "ardennes-reconstructed", "day": 17, "impulse": 1, "side_to_move": "German",
    "units": [{"id": "m", "side": "German", "kind": "foot", "strength": 3, "place": "Luxembourg"}],
}  # fmt: skip
HUGE = "x" * 4_000_000


def served(*lines):
    """Serve bytes as they come on standard input."""
    return [json.loads(answer) for answer in Oracle().serve(bounded_lines(io.BytesIO(b"".join(lines))))]


def answer(**changes):
    text = Oracle().answer_line(json.dumps({**GOOD, **changes}))
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def padded(size, end):
    """A request of just so many bytes, and the end of its line."""
    text = json.dumps(GOOD).encode()
    return text + b" " * (size - len(text)) + end


# ---------------------------------------------------------------------- sizes of lines
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_of_just_the_limit_is_served_and_a_byte_more_is_refused(end):
    [[served_line], [refused]] = served(padded(MAX_BYTES, end)), served(padded(MAX_BYTES + 1, end))
    assert served_line["ok"]
    assert refused["error"]["kind"] == "too-large"


def test_blanks_are_passed_over_and_too_many_are_refused():
    first, second = served(b" " * (MAX_BYTES + 1) + json.dumps(GOOD).encode() + b"\n", padded(1_000, b"\n"))
    assert first["error"]["kind"] == "too-large"
    assert second["ok"]
    assert len(served(b"\n", b"   \n", b"\r\n", padded(1_000, b"\n"))) == 1


@pytest.mark.parametrize("text", ['"' + '\\"' * 2_000_000, "[" * 4_000_000, '{"a":' * 1_000_000, "\\" * 4_000_000])
def test_what_is_no_json_is_told_soon(text):
    start = time.monotonic()
    assert not json.loads(Oracle().answer_line(text))["ok"]
    assert time.monotonic() - start < 5


# ---------------------------------------------------------------------- ids and numbers
def test_half_a_character_in_the_edition_keeps_the_id():
    found = answer(id="mine", edition="\ud800")
    assert (found["id"], found["error"]["kind"], found["error"]["at"]) == ("mine", "bad-value", "$.edition")


@pytest.mark.parametrize("text", ["1e999", "-1e999", '["x", 1e400]'])
def test_a_number_that_json_cannot_write_is_refused(text):
    line = json.dumps(GOOD).replace('"id": 1', f'"id": {text}')
    found = Oracle().answer_line(line)
    assert "Infinity" not in found
    assert json.loads(found)["error"]["kind"] == "bad-json"


# ---------------------------------------------------------------------- names of any length
@pytest.mark.parametrize("change", [
    {"query": HUGE}, {"edition": HUGE}, {"readings": {HUGE: "x"}}, {"readings": {"R2": HUGE}}, {HUGE: 1},
    {"input": {**GOOD["input"], HUGE: 1}}, {"input": {"position": {**HERE, "side_to_move": HUGE}, "units": ["m"]}},
    {"input": {"position": {**ON_MAP, "map": HUGE}, "units": ["m"]}},
    {"input": {"position": {**ON_MAP, "map_part": HUGE}, "units": ["m"]}},
    {"input": {"position": {**ON_MAP, "bridges": {HUGE: "blown"}}, "units": ["m"]}},
    {"input": {"position": ON_MAP, "units": [HUGE]}},
    {"input": {"position": {**ON_MAP, "units": [{**ON_MAP["units"][0], "place": HUGE}]}, "units": ["m"]}},
])  # fmt: skip
def test_a_huge_name_is_not_echoed_and_not_kept(change):
    Oracle().answer_line(json.dumps(GOOD))
    answer(input={"position": ON_MAP, "units": ["m"]})
    line = json.dumps({**GOOD, **change})
    tracemalloc.start()
    try:
        text = Oracle().answer_line(line)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not json.loads(text)["ok"]
    assert len(text) < 3_000
    assert kept < len(HUGE) / 2
    assert peak < 30 * len(HUGE)


def test_refused_names_do_not_stay_one_by_one():
    def refused(number):
        units = [{**ON_MAP["units"][0], "place": f"{number}{HUGE}"}]
        return answer(input={"position": {**ON_MAP, "units": units}, "units": ["m"]})

    refused(0)
    tracemalloc.start()
    try:
        for number in range(1, 4):
            assert not refused(number)["ok"]
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < len(HUGE) / 2


# ---------------------------------------------------------------------- where an error points
@pytest.mark.parametrize(("change", "at"), [
    ({"map": "nowhere"}, "map"), ({"map": 7}, "map"), ({"map_part": "nowhere"}, "map_part"),
    ({"bridges": {"no-bridge": "blown"}}, "bridges.no-bridge"), ({"bridges": {"58-59": "broken"}}, "bridges.58-59"),
    ({"bridges": {"58-59": "blown", "59-58": []}}, "bridges.58-59"),
    ({"connections": [{"id": "58-59"}, {"id": "no-bridge"}]}, "connections[1].id"),
    ({"connections": [{"id": "31-32"}, {"id": "58-59", "bridge": "broken"}]}, "connections[1].bridge"),
    ({"connections": [{"id": "58-59", "ends": ["nowhere", "x"]}]}, "connections[0].ends[0]"),
    ({"areas": [{"id": "Luxembourg", "vp": "many"}]}, "areas[0].vp"),
    ({"bridges": {"58-59": "broken"}, "map_part": "seventh-army"}, "bridges.58-59"), ({"day": 99}, "day"),
])  # fmt: skip
def test_an_error_on_a_map_points_to_what_was_sent(change, at):
    found = answer(input={"position": {**ON_MAP, **change}, "units": ["m"]})
    assert found["error"]["at"] == f"$.input.position.{at}"
