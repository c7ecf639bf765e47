"""Readings that an answer asks for: who chooses only others cannot change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

from titm_rules.engines.asked import Asked
from titm_rules.engines.journey import EvaluatedJourney
from titm_rules.engines.paths import Walker
from titm_rules.rules.model import Model, Route
from titm_rules.rules.rests import rests_of
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.records import Mover, Place

ChosenReadings = Mapping[str, str]
AskUnder = Callable[[ChosenReadings], Asked]


def can_change_answer(asked: Asked, ask_under: AskUnder) -> Callable[[ChosenReadings], bool]:
    """Give the test whether some choices of readings can change an answer that no part of them changes.

    A path is short: it is walked once more, and the readings are noted that this asks for. If a set decides and no
    part of it does, each reading in it is asked for while the others in it are chosen so. Of other questions any
    reading behind them may decide.
    """
    behind = rests_of(asked.model).of_question(asked.question).readings
    if asked.question.ask != "path" or asked.question.gaps or not behind:
        return lambda _: True
    consulted = cache(lambda others: _on_the_path(ask_under(dict(others))))

    def can_change(choices: ChosenReadings) -> bool:
        plain = consulted(())
        if plain.isdisjoint(choices):
            return False
        names = sorted(choices, key=plain.__contains__)  # first those that only others bring up: they fail soonest
        return all(name in consulted(tuple(one for one in choices.items() if one[0] != name)) for name in names)

    return can_change


def _on_the_path(asked: Asked) -> frozenset[str]:
    """Walk a path by evaluating what it asks; of a trace all readings count that its clauses ask for."""
    engine, rests, routes = asked.engine, rests_of(asked.model), set[str]()

    def trace(route: Route, mover: Mover, start: Place | None) -> int | None:
        routes.add(route.name)
        return engine.trace(route, mover, start)

    def reach(route: Route, mover: Mover, start: Place | None, to: Place | None) -> int | None:
        routes.add(route.name)
        return engine.reach(route, mover, start, to)

    model, consulted = _noting(asked.model)
    journey = EvaluatedJourney(Evaluator(model, asked.world, trace, reach=reach), *asked.route())
    Walker(journey).cost(asked.steps())
    bound = rests.of_terms((term for _, term in asked.question.bindings), asked.question.situation)
    return frozenset(consulted).union(bound.readings, *(rests.of_form(name).readings for name in routes))


def _noting(model: Model) -> tuple[Model, set[str]]:
    """Give the same rules, which note the readings that they are asked for."""
    consulted = set[str]()

    class Noting(dict[str, str]):
        def get(self, name: str, default: str = "") -> str:  # type: ignore[override]
            consulted.add(name)
            return super().get(name, default)

    chosen: Mapping[str, str] = Noting(model.chosen)
    return replace(model, chosen=chosen), consulted
