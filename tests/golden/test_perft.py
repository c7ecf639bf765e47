"""The courses of every scenario under every edition are as many as they were."""

import pytest

from tests.golden.perft import DEPTHS, EDITIONS, counted, known

NAIVE_DEPTHS = {"race-for-bastogne": 2, "sauer-crossing": 2, "two-bridges": 3}  # on the whole map it takes minutes


def test_every_scenario_and_edition_is_counted():
    assert {scenario: list(table) for scenario, table in known().items()} == dict.fromkeys(DEPTHS, EDITIONS)


@pytest.mark.parametrize("scenario", DEPTHS)
def test_courses_under_the_rulebook(scenario):
    assert counted(scenario, "1999") == known()[scenario]["1999"]


@pytest.mark.slow
@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("scenario", DEPTHS)
def test_courses_under_every_edition(scenario, edition):
    assert counted(scenario, edition) == known()[scenario][edition]


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["1994-11-01", "1999", "2016-10-01"])
@pytest.mark.parametrize(("scenario", "depth"), NAIVE_DEPTHS.items())
def test_the_naive_interpreter_counts_the_same(scenario, depth, edition):
    assert counted(scenario, edition, "naive", depth) == known()[scenario][edition][:depth]
