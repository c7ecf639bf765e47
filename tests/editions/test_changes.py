"""Every known difference between editions: the answer before, the answer after, and the clauses."""

import pytest
from docs.tools.make_changes import PAGE, page
from titm_rules.oracle.edition import Edition

from tests.editions.changes import CHANGES, IDLE, IN_PLAY


def edition_of(side, engine="compiled"):
    date, *readings = side.edition.split()
    return Edition(date, dict(word.split("=") for word in readings), engine)


def sides(change):
    return change.before, change.after


@pytest.mark.parametrize("engine", ["compiled", "reference"])
@pytest.mark.parametrize("change", CHANGES, ids=[f"{change.row}-{change.query}" for change in CHANGES])
def test_answer_before_and_after(change, engine):
    for side in sides(change):
        answer = edition_of(side, engine).answer(change.query, change.input)
        assert {name: answer[name] for name in side.answer} == side.answer, side.edition


@pytest.mark.parametrize("change", CHANGES, ids=[f"{change.row}-{change.query}" for change in CHANGES])
def test_the_clause_that_makes_the_difference_is_named(change):
    for side in sides(change):
        verdict = edition_of(side).verdict(change.query, change.input)
        assert set(side.clauses.split()) <= set(verdict.clauses), side.edition


def test_every_row_is_shown_or_has_its_reason_on_a_page_that_is_up_to_date():
    rows = [change.row for change in CHANGES] + [idle.row for idle in IDLE] + list(IN_PLAY)
    assert sorted(rows) == list(range(1, 37))
    assert PAGE.read_text(encoding="utf-8") == page()
