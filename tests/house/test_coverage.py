"""The report of the tests that ships with the rules: every formal clause decides a test."""

import pytest
from titm_rules.editions.coverage import coverage_of, read_coverage
from titm_rules.editions.load import game_folder
from titm_rules.oracle.edition import Edition

from tests.tools.silent_clauses import formal_clauses, reasons

MODEL = Edition("1999").model
TESTED = read_coverage(game_folder()).get("1999", {})


@pytest.fixture(autouse=True)
def _report_stands(request):
    if request.config.option.write_coverage:
        pytest.skip("the report is being written")


def test_every_formal_clause_is_decisive_or_has_its_reason():
    undecided = {clause for clause in formal_clauses(MODEL) if not reaches(clause)}
    assert undecided == {clause for clause, changes in reasons().items() if "left out" in changes}


def reaches(clause: str) -> bool:
    return clause in TESTED and TESTED[clause].reaches("decisive")


def test_the_report_names_only_clauses_that_decide():
    assert set(TESTED) - set(formal_clauses(MODEL)) == set()


def test_a_decisive_clause_names_a_test_and_no_other_does():
    assert all((entry.grade == "decisive") == bool(entry.tests) for entry in TESTED.values())


def test_whoever_refers_to_clauses_refers_to_decisive_ones():
    referring = {number for number, info in MODEL.clauses.items() if info.sees and not info.is_formal}
    found = coverage_of(MODEL.clauses, TESTED)
    assert {number for number in referring & set(found) if not found[number].reaches("decisive")} == set()
    assert referring - set(found) == set()
