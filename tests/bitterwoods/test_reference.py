"""The reference answers the cases of the protocol."""

import json

import pytest
from titm_rules.catalog import game_folder

from tests.bitterwoods.reference.answer import OF_BATTLES, OF_POSITIONS, answer

FILE = game_folder("bitterwoods") / "conformance" / "cases.jsonl"
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case):
    assert answer(case) == case["expected"]


def test_every_case_is_of_a_known_query():
    assert {case["query"] for case in CASES} <= set(OF_BATTLES) | set(OF_POSITIONS)
    assert len(CASES) == 92
