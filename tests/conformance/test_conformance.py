"""The worked examples of the sources, as protocol cases, against every engine; and cases worked out by hand."""

import json

import pytest
from titm_rules.catalog import game_folder
from titm_rules.editions.registry import list_editions
from titm_rules.engines.factory import ENGINES
from titm_rules.service.protocol import Oracle

from tests.clauses.corpus import conformance_rows
from tests.conformance import derived_battles, derived_board, derived_movement

DERIVED = [*derived_movement.CASES, *derived_battles.CASES, *derived_board.CASES]  # before any engine was asked
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


@pytest.mark.parametrize("case", DERIVED, ids=str)
def test_every_edition_named_gives_the_answer(case):
    assert {edition: case.answer(edition) for edition in case.editions} == dict.fromkeys(case.editions, case.expected)
