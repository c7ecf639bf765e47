"""A thousand damaged protocol lines: an error answer each, and the next line is served as ever."""

import copy
import json
import random

import pytest
from titm_rules.cli.serve import encoded
from titm_rules.service.protocol import Oracle

from tests.clauses.corpus import conformance_rows
from tests.damage.spoil import ANY, SPOILERS, can_be_spoiled, line
from tests.fuzz.lines import BUDGET
from tests.fuzz.lines import line as changed_line

EACH = 39  # a thousand in all
ALL = [
    {"id": row.remark, "edition": "1999", "query": row.query, "input": row.input, "readings": row.readings}
    for row in conformance_rows()
]
REQUESTS = [request for request in ALL if can_be_spoiled(request)]
GOOD = line(REQUESTS[0])
ERROR_FIELDS = {"kind", "at", "message", "fix"}


def damaged(spoiler, seed):
    rng = random.Random(f"{spoiler} {seed}")
    request = copy.deepcopy(rng.choice(REQUESTS))
    if rng.random() < 0.2:
        request["explain"] = True
    return SPOILERS[spoiler](request, rng)


def served(oracle, text):
    """Serve a line and a good one after it; give the answer to the first."""
    answers = list(oracle.serve([text, GOOD]))
    assert len(answers) == 2
    for answer in answers:
        assert "\n" not in answer
        assert encoded(answer).decode("utf-8")
    assert json.loads(answers[1]) == json.loads(Oracle().answer_line(GOOD))
    return json.loads(answers[0])


def check(answer, place):
    if answer["ok"] is True:
        assert place == ANY
        assert "answer" in answer
        return
    assert answer["ok"] is False
    error = answer["error"]
    assert set(error) >= ERROR_FIELDS
    assert all(isinstance(error[name], str) for name in ERROR_FIELDS)
    assert error["kind"]
    assert error["message"]
    assert error["at"].startswith("$")
    assert place in (ANY, error["at"])


@pytest.mark.parametrize("spoiler", SPOILERS)
def test_damaged_line_is_answered(spoiler):
    oracle = Oracle()
    for seed in range(EACH):
        text, place = damaged(spoiler, seed)
        check(served(oracle, text), place)


@pytest.mark.parametrize("spoiler", SPOILERS)
def test_no_engine_lets_an_exception_out(spoiler):
    oracle = Oracle("reference")
    for seed in range(4):
        text, place = damaged(spoiler, 1_000 + seed)
        check(served(oracle, text), place)


def test_damage_is_refused_and_after_any_changed_line_the_next_is_answered_as_ever():
    answers = [served(Oracle(), damaged(spoiler, 2_000)[0]) for spoiler in SPOILERS]
    assert sum(answer["ok"] is False for answer in answers) >= len(SPOILERS) - 1
    oracle = Oracle(budget=BUDGET)
    for number in range(250):
        served(oracle, changed_line(f"served {number}"))
    assert len(list(oracle.serve([GOOD, b"\n", GOOD]))) == 2
