"""The courses of every scenario under every edition are as many as they were."""

import pytest
from titm_rules.maps.scenarios import scenario_folders

from tests.golden.perft import BOOK, EDITIONS, ORIGINS, counted, known

MIDDLES = [name for name, origin in ORIGINS.items() if origin.actions]
# the other engines where they are fast enough: the reference one walks every way, on the whole map for hours
BATTLE = "seventh-army, fire at one strength point"
REFERENCE_DEPTHS = {"race-for-bastogne": 1, "sauer-crossing": 2, "two-bridges": 3, BATTLE: 2}
LIBRARY_DEPTHS = {
    "campaign": 1,
    "fifth-panzer-army, fire at one strength point": 3,
    "first-three-days, fire at one strength point": 3,
}
# The sheet of January 1998 frees a defender from firing at an attacker of one strength point; special forces came with
# the sheet of August 1996.
FIRST_CHANGED = {"campaign, special forces may come": "1996-08-01"}


def test_every_scenario_and_edition_is_counted():
    assert set(scenario_folders()) <= {origin.scenario for origin in ORIGINS.values() if not origin.actions}
    assert {name: list(table) for name, table in known().items()} == dict.fromkeys(ORIGINS, EDITIONS)
    assert [len(known()[name][BOOK]) for name in ORIGINS] == [origin.depth for origin in ORIGINS.values()]


@pytest.mark.parametrize("name", ORIGINS)
def test_courses_under_the_rulebook(name):
    assert counted(name, BOOK) == known()[name][BOOK]


@pytest.mark.parametrize("name", MIDDLES)
def test_the_sheet_that_changed_a_rule_changes_the_courses(name):
    """From the middle of a game there are more courses since that sheet, and no other sheet matters."""
    since = EDITIONS.index(FIRST_CHANGED.get(name, "1998-01-15"))
    before, after = ({known()[name][edition][0] for edition in part} for part in (EDITIONS[:since], EDITIONS[since:]))
    assert (len(before), len(after)) == (1, 1)
    assert before.pop() < after.pop()


def deeper():
    """Yield the counts that take long: every edition; then other engines, as deep as they are fast enough."""
    yield from ((name, edition, "compiled", ORIGINS[name].depth) for name in ORIGINS for edition in EDITIONS)
    for engine, depths, editions in (
        ("reference", REFERENCE_DEPTHS, ("1994-11-01", BOOK, "2016-10-01")),
        ("library", LIBRARY_DEPTHS, ("1994-11-01", BOOK)),
    ):
        yield from ((name, edition, engine, depth) for name, depth in depths.items() for edition in editions)
    yield from ((BATTLE, edition, "reference", 1) for edition in ("1997-08-20", "1998-01-15"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "edition", "engine", "depth"), list(deeper()))
def test_courses_under_every_edition_and_by_every_engine(name, edition, engine, depth):
    assert counted(name, edition, engine, depth) == known()[name][edition][:depth]


@pytest.mark.parametrize(("name", "depth"), [("race-for-bastogne", 1), ("sauer-crossing", 1), ("two-bridges", 2)])
def test_the_reference_interpreter_counts_the_first_actions_of_small_scenarios(name, depth):
    assert counted(name, BOOK, "reference", depth) == known()[name][BOOK][:depth]
