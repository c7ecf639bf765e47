"""Every clause that decides something has rows of its own, and they do not all say the same."""

import json

import pytest
from titm_rules.oracle.edition import Edition

from tests.clauses.corpus import table_rows
from tests.tools.silent_clauses import own_formal_clauses, rules_on_top

DECIDING = [(clause, overlays) for overlays in rules_on_top() for clause in own_formal_clauses(overlays)]


@pytest.mark.parametrize(("clause", "overlays"), DECIDING, ids=[clause for clause, _ in DECIDING])
def test_clause_has_rows_with_two_answers(clause, overlays):
    rows = [row for row in table_rows() if row.clause == clause]
    assert len({json.dumps(row.expected, sort_keys=True) for row in rows}) >= 2
    assert any(row.overlays == overlays for row in rows)


def test_every_row_names_a_clause():
    editions = [Edition("1999", overlays=overlays) for overlays in rules_on_top()]
    editions += [Edition(date) for date in {row.edition for row in table_rows()}]
    known = {clause for edition in editions for clause in edition.clauses}
    assert {row.clause for row in table_rows()} - known == set()
