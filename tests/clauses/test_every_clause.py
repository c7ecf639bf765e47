"""Every clause that decides something has rows of its own, and they do not all say the same."""

import json

import pytest
from titm_rules.oracle.edition import Edition

from tests.clauses.corpus import table_rows
from tests.tools.silent_clauses import formal_clauses

MODEL = Edition("1999").model


@pytest.mark.parametrize("clause", formal_clauses(MODEL))
def test_clause_has_rows_with_two_answers(clause):
    answers = {json.dumps(row.expected, sort_keys=True) for row in table_rows() if row.clause == clause}
    assert len(answers) >= 2


def test_every_row_names_a_clause():
    assert {row.clause for row in table_rows()} - set(MODEL.clauses) == set()
