"""A request may be interrupted anywhere: the rules and positions that outlive it give the same answers afterwards."""

import random
from contextlib import suppress

import pytest
from titm_rules import Edition, Position
from titm_rules.editions import load
from titm_rules.engines.compiled import incremental
from titm_rules.engines.compiled.incremental import Locality
from titm_rules.engines.compiled.route_search import RouteKernel
from titm_rules.engines.factory import make_engine
from titm_rules.service import protocol
from titm_rules.service.budget import Budget
from titm_rules.service.capabilities import conformance_cases
from titm_rules.service.protocol import DEFAULT_BUDGET, Oracle
from titm_rules.world.world import World

from tests.service.interrupting import EVERYWHERE, Interrupting

SCENARIOS = {"titm": "crossing-at-dasburg", "cold-ford": "the-ford", "bitterwoods": "teaching-battle"}
EDITIONS = {"titm": "1999", "cold-ford": "1", "bitterwoods": "2014"}


def requests_of(game):
    """One of each question with its reasons, and a step of a game whose situations share what has not changed."""
    edition = EDITIONS[game]
    cases = {case["query"]: case for case in conformance_cases(game) if case["edition"] == edition}
    told = [case | {"explain": True} for case in cases.values() if case["query"] != "replay"]
    position = Position.from_file(SCENARIOS[game], Edition(edition, game=game))
    for _ in range(3):
        given = {"game": game, "edition": edition, "input": {"position": position.to_dict()}}
        told.append(given | {"query": "legal_actions"})
        option = next(iter(position.options))
        action = given | {"input": {**given["input"], "action": str(option.action)}}
        told += [action | {"query": "outcomes"}, action | {"query": "judge"}]
        position, _ = position.play(option.action, [option.dice.low] * option.dice.count if option.dice else ())
    return told


def starting(game, engine, budget=DEFAULT_BUDGET):
    """An oracle that has just started: nothing is compiled."""
    for known in (load._rules, load._mixed_rules, protocol._edition):
        known.cache_clear()
    return Oracle(engine, game=game, budget=budget)


@pytest.mark.parametrize("engine", ["compiled", pytest.param("library", marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", SCENARIOS)
@pytest.mark.parametrize("places", [1, pytest.param(100, marks=pytest.mark.slow)])
def test_an_interruption_leaves_nothing_half_made(game, engine, places):
    asked = requests_of(game)
    oracle = starting(game, engine, Budget(0, 0))
    expected = [oracle.ask(request) for request in asked]
    rng = random.Random(f"{game} {engine}")
    for _ in range(places):
        number = rng.randrange(len(asked))
        oracle = starting(game, engine, Budget(0, 0))
        for request in asked[rng.randrange(number + 1) : number]:
            oracle.ask(request)
        oracle.budget = Interrupting(int(10 ** rng.uniform(1, 5)), EVERYWHERE)
        reply = oracle.ask(asked[number])
        assert reply == expected[number] or not reply["ok"]
        oracle.budget = Budget(0, 0)
        assert oracle.ask(asked[number]) == expected[number]  # at once, before others make what it needs
        assert [oracle.ask(request) for request in asked] == expected


class Interrupted(BaseException):
    """As the exception of the watch."""


def interrupted(*_):
    raise Interrupted


def test_the_ends_of_an_interrupted_search_are_searched_again(monkeypatch):
    position = Position.from_file("two-bridges")
    model = position.edition.model
    engine = make_engine("compiled", model, World(model, "position", position.to_dict()))
    unit, given = engine.root.units[0], {"foot-mode": False}
    with monkeypatch.context() as patched:
        patched.setattr(RouteKernel, "may_end", interrupted)
        with pytest.raises(Interrupted):
            engine.ends(model.forms["move"], [unit], given)
    assert engine.ends(model.forms["move"], [unit], given)


def test_locality_that_is_interrupted_is_decided_again(monkeypatch):
    model = Edition("1999").model
    heads = [head for head in model.heads.values() if head.params]
    expected = [Locality(model).of_head(head, [head.params[0][0]]) for head in heads]
    assert len(set(expected)) == 2
    locality = Locality(model)
    with monkeypatch.context() as patched:
        patched.setattr(incremental, "counts_when", interrupted)
        for head in heads:
            with suppress(Interrupted):
                locality.of_head(head, [head.params[0][0]])
    assert [locality.of_head(head, [head.params[0][0]]) for head in heads] == expected
