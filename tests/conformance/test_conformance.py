"""The worked examples of the sources, as protocol cases, against every engine."""

import json

import pytest

from tests.clauses.corpus import conformance_rows
from titm_rules.edges.protocol import Oracle
from titm_rules.oracle.edition import ENGINES, Edition

CASES = conformance_rows()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES, ids=[case.remark for case in CASES])
def test_case(case, engine):
    assert case.answer(engine) == case.expected


def test_every_question_of_the_edition_but_entering_zones_has_a_case():
    asked = {case.query for case in CASES}
    assert len(CASES) >= 90
    assert set(Edition("1999").questions) - asked <= {"artillery_to_hit", "reachable", "overstack_eliminations"}


def test_the_protocol_gives_the_same_answers():
    oracle = Oracle()
    for case in CASES:
        request = {"id": case.remark, "edition": "1999", "query": case.query, "input": case.input, "readings": case.readings}
        reply = json.loads(oracle.answer_line(json.dumps(request)))
        assert reply["id"] == case.remark
        assert {name: reply["answer"][name] for name in case.expected} == case.expected
