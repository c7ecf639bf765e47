"""The report of the tests that ships with the rules: every formal clause decides a test."""

import pytest
from titm_rules.catalog import game_folder
from titm_rules.editions.coverage import coverage_of, read_coverage
from titm_rules.oracle.edition import Edition

from tests.tools.silent_clauses import own_formal_clauses, reasons, rules_on_top

MODEL = Edition("1999").model
REPORT = read_coverage(game_folder())
TESTED = REPORT.get("1999", {})
ON_TOP = pytest.mark.parametrize("overlays", rules_on_top())


@pytest.fixture(autouse=True)
def _report_stands(request):
    if request.config.option.write_coverage:
        pytest.skip("the report is being written")


def entries_under(overlays):
    return REPORT.get(Edition("1999", overlays=overlays).label, {})


@ON_TOP
def test_every_formal_clause_is_decisive_or_has_its_reason_and_no_other_is_named(overlays):
    own, entries = own_formal_clauses(overlays), entries_under(overlays)
    undecided = {clause for clause in own if clause not in entries or not entries[clause].reaches("decisive")}
    assert undecided == {clause for clause in own if "left out" in reasons().get(clause, {})}
    assert set(entries_under(overlays)) - set(own_formal_clauses(overlays)) == set()


def test_the_report_names_rules_that_ship_and_tests_of_decisive_clauses():
    labels = {Edition("1999", overlays=overlays).label for overlays in rules_on_top()}
    assert {label for label in REPORT if label.startswith("1999 ")} <= labels
    entries = [entry for clauses in REPORT.values() for entry in clauses.values()]
    assert all((entry.grade == "decisive") == bool(entry.tests) for entry in entries)
    referring = {number for number, info in MODEL.clauses.items() if info.sees and not info.is_formal}
    found = coverage_of(MODEL.clauses, TESTED)
    assert {number for number in referring & set(found) if not found[number].reaches("decisive")} == set()
    assert referring - set(found) == set()
