"""The tests that stand beside the rules hold, by the engine that answers and by the interpreter."""

import json

import pytest
from titm_rules.oracle.edition import Edition

from tests.clauses.corpus import READINGS, rows_by_file, table_rows
from tests.clauses.rows import cases
from tests.tools.silent_clauses import own_formal_clauses, rules_on_top

READING_ROWS = rows_by_file()[READINGS]
CLAUSE_ROWS = [row for name, rows in rows_by_file().items() if name != READINGS for row in rows]


@pytest.mark.parametrize(("row", "engine"), cases(CLAUSE_ROWS))
def test_row(row, engine):
    assert row.answer(engine) == row.expected


@pytest.mark.parametrize(("row", "engine"), cases(READING_ROWS))
def test_reading_decides(row, engine):
    assert row.answer(engine, f"reading {row}") == row.expected
    if not row.readings:  # the default is the ruling, also if it is chosen
        ruling = Edition("1999").all_readings[row.clause].default
        assert row.ask(Edition("1999", {row.clause: ruling}, engine)) == row.expected


def test_every_choice_is_shown():
    shown = {(row.clause, choice) for row in READING_ROWS for choice in row.readings.values()}
    readings = Edition("1999").all_readings.values()
    named = {(one.name, choice) for one in readings for choice in one.offered if choice != one.default}
    assert shown == named
    assert all(row.remark == row.readings.get(row.clause, "default") for row in READING_ROWS)


@pytest.mark.parametrize("reading", sorted({row.clause for row in READING_ROWS}))
def test_a_choice_changes_the_answer(reading):
    answers = {str(row.expected) for row in READING_ROWS if row.clause == reading}
    assert len(answers) > 1


# ---------------------------------------------------------------------- every clause that decides something
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
