"""Cases worked out by hand from the rules and the rulings, before any engine was asked."""

import pytest

from tests.conformance import derived_battles, derived_board, derived_movement

CASES = [*derived_movement.CASES, *derived_battles.CASES, *derived_board.CASES]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_edition_named_gives_the_answer(case):
    assert {edition: case.answer(edition) for edition in case.editions} == dict.fromkeys(case.editions, case.expected)
