"""Readings that an answer asks for: who chooses others, and none of these, cannot change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from titm_rules.engines.asked import Asked
from titm_rules.engines.journey import EvaluatedJourney
from titm_rules.engines.paths import Walker
from titm_rules.rules.model import Model, Route
from titm_rules.rules.rests import rests_of
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.records import Mover, Place


def readings_consulted(asked: Asked) -> frozenset[str]:
    """Name readings of which one must be chosen otherwise, alone or with others, to change an answer.

    A path is short: it is walked once more, and the readings are noted that this asks for. Of other
    questions all readings are named that the clauses behind them ask for.
    """
    behind = rests_of(asked.model).of_question(asked.question).readings
    if asked.question.ask != "path" or asked.question.gaps or not behind:
        return behind
    return behind & _on_the_path(asked)


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
