"""The interface of the engines, and the names under which they are made."""

import pytest
from titm_rules.engines.factory import DEPRECATED, ENGINES
from titm_rules.oracle.edition import Edition

from tests.worlds import seeded_case


@pytest.mark.parametrize("name", DEPRECATED)
def test_an_old_name_of_an_engine_still_works_and_warns(name):
    assert name not in ENGINES
    with pytest.warns(DeprecationWarning, match=f"use `{DEPRECATED[name]}`"):
        old = Edition("1999", engine=name)
    assert old.engine == name, "an edition shows the name that was asked for"
    case = seeded_case(3, "fire_allocations")
    new = Edition("1999", engine=DEPRECATED[name])
    assert old.answer(case["query"], case["input"]) == new.answer(case["query"], case["input"])
