"""The worked examples of the sources, as protocol cases, against every engine; and cases worked out by hand."""

import json

import pytest
from titm_rules.catalog import files_of, game_folder
from titm_rules.editions.registry import list_editions
from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.testing import load_tests, run_test
from titm_rules.service.protocol import Oracle

from tests.clauses.corpus import conformance_rows

DERIVED = [
    test for path in files_of("titm", "tests/*.yaml") for test in load_tests(path)
]  # before any engine was asked
CASES = [row for info in list_editions() for row in conformance_rows(info.name)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES, ids=[case.remark for case in CASES])
def test_case(case, engine):
    assert case.answer(engine) == case.expected


def test_no_case_is_left_out():
    text = (game_folder() / "conformance" / "cases.jsonl").read_text(encoding="utf-8")
    cases = [json.loads(line) for line in text.splitlines()]
    assert len(CASES) == len(cases) >= 285


def test_the_protocol_gives_the_same_answers():
    oracle = Oracle()
    for case in CASES:
        request = {"id": case.remark, "edition": case.edition, "readings": case.readings}
        request |= {"query": case.query, "input": case.input}
        reply = json.loads(oracle.answer_line(json.dumps(request)))
        assert reply["id"] == case.remark
        assert {name: reply["answer"][name] for name in case.expected} == case.expected


@pytest.mark.parametrize("test", DERIVED, ids=lambda test: f"{test} {test.edition}")
def test_what_was_worked_out_by_hand(test):
    result = run_test(test)
    assert result.passed, result.to_dict()
