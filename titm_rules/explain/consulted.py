"""Readings that an answer asks for: who chooses only others cannot change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from titm_rules.engines.asked import Asked
from titm_rules.engines.journey import EvaluatedJourney
from titm_rules.engines.paths import Walker
from titm_rules.rules.model import Model, Route
from titm_rules.rules.rests import rests_of
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.records import Mover, Place

ChosenReadings = Mapping[str, str]
AskUnder = Callable[[ChosenReadings], Asked]
AnswerUnder = tuple[Mapping[str, Any], frozenset[str] | None]


class UnderReadings:
    """The answers to a question under other choices of readings, each worked out once.

    Args:
        answer: what it came to.
        ask_under: puts it again.
    """

    def __init__(self, answer: Mapping[str, Any], ask_under: AskUnder) -> None:
        self._answer, self._ask_under = answer, ask_under
        self._known: dict[tuple[tuple[str, str], ...], AnswerUnder] = {}

    def change(self, choices: ChosenReadings) -> bool:
        """Whether some choices of readings change the answer, if no part of them does.

        Each of them is then asked for while the others are chosen so; what is not asked for need not be chosen.
        """
        plain = self._plain
        if plain is not None:
            if plain.isdisjoint(choices):
                return False
            names = sorted(choices, key=plain.__contains__)  # first those that only others bring up: they fail soonest
            if not all(self._is_asked(name, choices) for name in names):
                return False
        return self._told(choices)[0] != self._answer

    @cached_property
    def _plain(self) -> frozenset[str] | None:
        """The readings that the question asks for as it is, if that is known."""
        return self._told({})[1]

    def _is_asked(self, name: str, choices: ChosenReadings) -> bool:
        """Whether one of some readings is asked for while the others are chosen so."""
        readings = self._told({one: choice for one, choice in choices.items() if one != name})[1]
        return readings is None or name in readings

    def _told(self, choices: ChosenReadings) -> AnswerUnder:
        """Give an answer, and the readings that it asked for, if that is known."""
        key = tuple(choices.items())
        if key not in self._known:
            asked = self._ask_under(choices)
            is_path = asked.question.ask == "path" and not asked.question.gaps
            answer = asked.answer() if choices else self._answer
            self._known[key] = answer, _on_the_path(asked) if is_path else None
        return self._known[key]


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
