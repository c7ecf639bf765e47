"""The worked examples ship as cases: every engine settles each as the rulebook does."""

import pytest
from titm_rules.catalog import scenario_files
from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.case import Rules, open_case

FILES = sorted(scenario_files("bitterwoods", "worked-examples/*.yaml"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_example(path, engine):
    case = open_case(path, Rules(engine=engine))
    assert case.edition.answer(case.query, case.full_input(case.query)) == case.notes["expected"]["answer"]


def test_every_example_of_the_source_is_there():
    assert {path.stem.split("-")[0] for path in FILES} == {f"e{number}" for number in range(1, 10)}
