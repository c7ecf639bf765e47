"""Answers of two editions to one question: where they differ, and which allows more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from titm_rules.compare.rules import ModelPair
from titm_rules.diagnostics import Undecided
from titm_rules.engines.asked import HASHED, Asked
from titm_rules.engines.engine import Engine
from titm_rules.engines.make import make_engine
from titm_rules.engines.shower import line
from titm_rules.rules.model import Model, Question
from titm_rules.world.always import is_possible
from titm_rules.world.world import World

EQUIVALENT, WIDER, NARROWER, INCOMPARABLE = "equivalent", "wider", "narrower", "incomparable"
UNKNOWN, NO_EVIDENCE = "unknown", "no evidence"
CHOICES, COSTS = "choices", ("ends", "cost", "path")
UNDECIDED = "undecided"
Data = Mapping[str, Any]
EngineFor = Callable[[Model, World], Engine]


@dataclass
class Bench:
    """One situation, to be asked under several rules.

    Rules that share their records share the situation too: its records hold what the engine that
    was made last has worked out.

    Attributes:
        data: the situation as JSON values, checked.
    """

    situation: str
    data: Data
    engine: str = "compiled"
    _worlds: dict[int, World] = field(default_factory=dict)
    _last: tuple[Model | None, Any] = (None, None)

    def answer(self, model: Model, question: Question, inputs: Data, make: EngineFor | None = None) -> Any:
        """Answer a question: a set of lines where it lists choices, else a JSON value.

        Args:
            model: the rules.
            question: what is asked.
            inputs: what it takes, checked.
            make: makes the engine that answers; default: the one that the bench names.

        Raises:
            InputError: for an input that names what the situation does not have.
        """
        engine = self._engine(model) if make is None else make(model, self._world(model))
        asked = Asked(model, question, engine, engine.world, inputs, "$")
        try:
            return _answer(asked)
        except Undecided as error:
            return {UNDECIDED: error.faults[0].what}

    def is_possible(self, model: Model) -> bool:
        """Whether the situation is as some rules say that it always is."""
        return is_possible(self._world(model), model)

    def root(self, model: Model) -> Any:
        """Give the situation's record, ready for some rules."""
        return self._engine(model).world.root

    def _engine(self, model: Model) -> Any:
        if self._last[0] is not model:
            self._last = model, make_engine(self.engine, model, self._world(model))
        return self._last[1]

    def _world(self, model: Model) -> World:
        world = self._worlds.get(id(model.records))
        if world is None:
            world = World(model, self.situation, self.data, f"$.{self.situation}")
            self._worlds[id(model.records)] = world
        return world


def side_by_side(pair: ModelPair) -> ModelPair:
    """Give the same two rules; if their records are equal they share them, so that a situation is read once."""
    first, second = on_one_vocabulary([pair.first, pair.second])
    return ModelPair(first, second, pair.known)


def on_one_vocabulary(models: Sequence[Model]) -> list[Model]:
    """Give the same rules; those whose records are equal share them."""
    found: list[Model] = []
    for model in models:
        same = next((one for one in found if one.records == model.records and one.enums == model.enums), model)
        found.append(replace(model, records=same.records, enums=same.enums))
    return found


def _answer(asked: Asked) -> Any:
    if asked.question.ask != CHOICES:
        return asked.answer()
    form, given = asked.choice_form()
    found = frozenset(line(form, one) for one in islice(asked.engine.choices(form, given), HASHED + 1))
    return found if len(found) <= HASHED else {"count": asked.engine.count(form, given)}


def compare(question: Question, first: object, second: object) -> tuple[bool, bool]:
    """Say whether the first answer allows something that the second does not, and the reverse.

    A choice, a true flag, a place or a piece allows; of numbers the higher allows more, of the
    costs of a way the lower; of a roll only the last die that succeeds counts. Values that
    have no order differ both ways.
    """
    if question.ask == "roll" and isinstance(first, dict) and isinstance(second, dict):
        lower = "lowest" in first
        first, second = (answer.get("lowest" if lower else "highest", answer) for answer in (first, second))
        return _compare(first, second, lower)
    return _compare(first, second, question.ask in COSTS)


def _compare(first: object, second: object, lower: bool) -> tuple[bool, bool]:
    if first == second:
        return False, False
    match first, second:
        case None, _:
            return False, True
        case _, None:
            return True, False
        case bool(), bool():
            return first, second
        case int(), int():
            return (first > second) != lower, (first < second) != lower
        case (frozenset() | list(), frozenset() | list()):
            return bool(_items(first) - _items(second)), bool(_items(second) - _items(first))
        case dict(), dict() if UNDECIDED not in (*first, *second):
            keys = {**first, **second}
            parts = [_compare(first.get(key) or None, second.get(key) or None, lower) for key in keys]
            return any(one for one, _ in parts), any(other for _, other in parts)
    return True, True


def _items(found: Iterable[object]) -> frozenset[str]:
    return frozenset(map(str, found))


def relation(more: bool, less: bool) -> str:
    """Name how the second of two editions stands to the first.

    Args:
        more: whether the second allows something, somewhere, that the first does not.
        less: whether the first allows something that the second does not.
    """
    if more and less:
        return INCOMPARABLE
    return WIDER if more else NARROWER if less else EQUIVALENT


def parted(first: object, second: object) -> tuple[Any, Any]:
    """Leave out of two answers what they have in common."""
    match first, second:
        case (frozenset() | list(), frozenset() | list()):
            one, other = _items(first), _items(second)
            return sorted(one - other), sorted(other - one)
        case dict(), dict() if UNDECIDED not in (*first, *second):
            kept = [key for key in {**first, **second} if first.get(key, ...) != second.get(key, ...)]
            parts = {key: parted(first.get(key), second.get(key)) for key in kept}
            return {key: one for key, (one, _) in parts.items()}, {key: other for key, (_, other) in parts.items()}
    return first, second
