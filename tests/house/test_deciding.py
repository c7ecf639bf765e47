"""The cases that clauses open with are those of the tests, and can be asked."""

import json

from titm_rules.oracle.edition import Edition

from tests.house.deciding import FILE, text


def test_the_file_is_what_the_tests_say():
    assert FILE.read_text(encoding="utf-8") == text(), "write it anew: python -m tests.house.deciding"


def test_its_cases_have_the_answers_that_stand_there():
    cases = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    assert len(cases) > 150
    assert len({case["clause"] for case in cases}) == len(cases)
    for case in cases[::9]:
        edition = Edition(case["edition"], case["readings"], game="titm", overlays=tuple(case["overlays"]))
        assert case["expected"].items() <= edition.answer(case["query"], case["input"]).items(), case["id"]
