"""Differences that show only in the course of a game."""

from functools import partial

import pytest
from titm_rules.compare.counterexamples import SAME_CLAUSES, read_search
from titm_rules.compare.playout import play_result
from titm_rules.compare.results import PROVED, SEARCHED
from titm_rules.compare.rule_pair import ModelPair, machine_of
from titm_rules.editions.load import load_model
from titm_rules.engines.factory import make_engine

SEARCH = read_search()


def courses(*worlds: str):
    return SEARCH.model_copy(update={"play": [one for one in SEARCH.play if one.world in worlds]})


@pytest.fixture(scope="module")
def melee():
    return play_result(ModelPair(load_model("1998-01-15"), load_model("1999")), courses("melee"), nodes=60)


def test_the_price_of_standing_aside_is_found_and_its_line_can_be_played(melee):
    # No question shows it: a unit that stands aside while friends attack has moved, from 1999 on.
    found = {str(one.cause): one for one in melee.found}
    assert melee.how == SEARCHED
    assert "+9.14b" in found
    assert [action.split()[0] for action in found["+9.14b"].line] == ["assault"]
    # From the situation, by the actions of the line, until the editions part.
    one = next(one for one in melee.found if str(one.cause) == "+9.14b")
    models = [load_model(name) for name in ("1998-01-15", "1999")]
    after = [after_action(model, dict(one.data), one.line[-1]) for model in models]
    assert after[0] != after[1]


def after_action(model, data, wanted):
    make = partial(make_engine, "reference", model)
    machine = machine_of(model, "position", data, make)
    while (following := machine.next_automatic()) is not None:
        machine = machine_of(model, "position", machine.after(following)[0], make)
    [option] = [option for option in machine.options.listed() if str(option.action) == wanted]
    return machine.after(option)[0]


def test_clauses_that_never_came_up_are_named_and_the_same_rules_play_alike(melee):
    grades = {one.clause: one.grade for one in melee.evidence}
    assert grades["+9.14b"] == "decided"
    assert grades["+14.23c"] == "never held", "there is no bridge in a melee"
    result = play_result(ModelPair(load_model("1999"), load_model("1999")), SEARCH)
    assert (result.how, result.proof, result.verdict) == (PROVED, SAME_CLAUSES, "equivalent")
