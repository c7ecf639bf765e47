"""The interface of the engines, and the names under which they are made."""

from itertools import islice

import pytest
from titm_rules.engines.engine import Engine, difference
from titm_rules.engines.factory import DEPRECATED, ENGINES, make_engine
from titm_rules.ir.model import Allocation
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


def test_the_defaults_of_the_interface_give_what_the_compiled_engine_gives():
    """Without a search of its own: plans and examples by enumeration, the nearest choice by comparison."""
    compared = 0
    for seed in range(25):
        for query in ("fire_allocations", "artillery_targetings", "overstack_eliminations"):
            case = seeded_case(seed, query)
            asked = Edition("1999", case["readings"]).ask(case["query"], case["input"])
            (form, chosen), engine = asked.choice_form(), asked.engine
            count = engine.count(form, chosen)
            if count > 300:
                continue
            assert Engine.count(engine, form, chosen) == count
            assert (Engine.example(engine, form, chosen, None) is None) is (count == 0)
            if isinstance(form, Allocation):
                assert sum(ways for _, ways in engine.plans(form, chosen, 300)) == count
                assert sum(ways for _, ways in Engine.plans(engine, form, chosen, 300)) == count
                assert Engine.plans(engine, form, chosen, count - 1) is None
            for picked in islice(engine.choices(form, chosen), 3):
                assert engine.nearest(form, chosen, picked) == picked
                other = picked[::-1]
                one, two = engine.nearest(form, chosen, other), Engine.nearest(engine, form, chosen, other)
                assert difference(form, one, other) == difference(form, two, other)
                compared += 1
    assert compared > 50


@pytest.mark.parametrize("name", ENGINES)
def test_after_a_move_traces_are_those_of_the_situation_before_it(name):
    edition, shown = Edition("1999"), set()
    route, supply = edition.model.forms["move"], edition.model.forms["supply"]
    for seed in range(30):
        asked = edition.ask("supplied", seeded_case(seed, "supplied")["input"])
        engine = make_engine(name, asked.model, asked.world)
        assert engine.before is None
        links = (link for place in asked.world.places for link, _ in place.links_.get(route.crossing[1].name, ()))
        standing = (link for link in links if getattr(link, route.interruption_field) == route.interruption_before)
        for link in islice(standing, 2):
            later = engine.at(asked.world.interrupted(route, link))
            assert later.before.engine is engine or name != "library", "a library engine keeps its searches"
            for unit in asked.world.root.units[:3]:
                cost = engine.trace(supply, unit, None)
                assert later.trace(supply, later.world.twin(unit), None) == cost
                shown.add(cost is None)
    assert shown == {True, False}
