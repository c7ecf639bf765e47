"""Every clause that is formalised decides in a row: take it away, and the answer is another one."""

import json

import pytest

from tests.bitterwoods.deciding import FILE, answered, changes_without, formal, row

ROWS = json.loads(FILE.read_text(encoding="utf-8"))


def test_every_clause_has_its_row():
    assert set(ROWS) == set(formal())


FAST = set(list(ROWS)[::4])
CLAUSES = [clause if clause in FAST else pytest.param(clause, marks=pytest.mark.slow) for clause in ROWS]


@pytest.mark.parametrize("clause", CLAUSES)
def test_clause_decides(clause):
    request, expected = row(ROWS[clause])
    assert answered(request) == expected
    assert changes_without(clause, request, expected)
