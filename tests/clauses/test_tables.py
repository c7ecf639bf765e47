"""The tests that stand beside the rules hold, by the engine that answers and by the interpreter."""

import pytest
from titm_rules.oracle.edition import Edition

from tests.clauses.corpus import READINGS, rows_by_file
from tests.clauses.rows import cases

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
