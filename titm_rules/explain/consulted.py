"""Readings that an answer asks for: who chooses only others cannot change it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any

from titm_rules.engines.asked import Asked

ChosenReadings = Mapping[str, str]
AskUnder = Callable[[ChosenReadings], Asked]
AnswerUnder = tuple[Mapping[str, Any], frozenset[str] | None]


class UnderReadings:
    """The answers to a question under other choices of readings, each worked out once.

    Args:
        answer: what it came to.
        ask_under: puts it again. Where the engine has `readings`, it notes there those that it is asked for.
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
            noted: Collection[str] | None = getattr(asked.engine, "readings", None)
            answer = asked.answer() if choices or noted is not None else self._answer
            self._known[key] = answer, None if noted is None else frozenset(noted)
        return self._known[key]
