"""Every clause that is formalised decides in a row: take it away, and the answer is another one."""

import json

import pytest

from tests.bitterwoods.deciding import FILE, answered, changes_without, formal, row

ROWS = json.loads(FILE.read_text(encoding="utf-8"))


def test_every_clause_has_its_row():
    assert set(ROWS) == set(formal())


@pytest.mark.parametrize("clause", list(ROWS)[::4])
def test_clause_decides(clause):
    check(clause)


@pytest.mark.slow
@pytest.mark.parametrize("clause", ROWS)
def test_each_clause_decides(clause):
    check(clause)


def check(clause):
    request, expected = row(ROWS[clause])
    assert answered(request) == expected
    assert changes_without(clause, request, expected)
