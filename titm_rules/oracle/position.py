"""Positions: immutable situations that answer for themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from titm_rules.diagnostics import Fault, InputError, TitmError, Undecided
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.verdict import Verdict
from titm_rules.play.action import Action
from titm_rules.play.chance import Dice
from titm_rules.play.machine import Happened, Machine, resolve
from titm_rules.play.options import Option
from titm_rules.world.world import World

MAX_FOLLOWING = 1_000


class LegalActions:
    """The legal actions of a position: iterated lazily, tested with `in`."""

    def __init__(self, position: Position) -> None:
        self._position = position

    def __iter__(self) -> Iterator[Action]:
        return (option.action for option in self._position._machine.options.listed())

    def __contains__(self, action: object) -> bool:
        return isinstance(action, Action) and self._position.is_legal(action)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def count(self) -> int:
        """Count them."""
        return sum(1 for _ in self)


@dataclass(frozen=True, eq=False)
class Position:
    """A situation under an edition; immutable, hashable, to and from JSON and YAML.

    Attributes:
        edition: the rules that judge it.
        situation: which situation of the rule set it is, such as `position`.
    """

    edition: Edition
    situation: str
    _data: Mapping[str, Any] = field(repr=False)

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], edition: Edition | None = None, situation: str = "position"
    ) -> Position:
        """Make a position from JSON values.

        Raises:
            InputError: with every fault of the data.
        """
        from titm_rules.edges.records import situation_class, validate

        edition = edition or Edition()
        checked = validate(situation_class(edition.model, situation), data, f"$.{situation}")
        position = cls(edition, situation, checked)
        _ = position._world
        return position

    @classmethod
    def from_json(cls, text: str, edition: Edition | None = None, situation: str = "position") -> Position:
        """Make a position from JSON text.

        Raises:
            InputError: for bad JSON or bad data.
        """
        from titm_rules.edges.jsonin import parse_json

        return cls.from_dict(parse_json(text), edition, situation)

    @classmethod
    def from_file(cls, path: str | Path, edition: Edition | None = None, situation: str = "position") -> Position:
        """Read a position from a JSON or YAML file.

        Raises:
            InputError: for a file that cannot be read, or bad data.
        """
        from titm_rules.edges.jsonin import read_data

        return cls.from_dict(read_data(Path(path)), edition, situation)

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON values that it was made from."""
        copied: dict[str, Any] = json.loads(self.to_json())
        return copied

    def to_json(self) -> str:
        """Write it as JSON, keys sorted."""
        return json.dumps(self._data, sort_keys=True, ensure_ascii=False)

    def to_yaml(self) -> str:
        """Write it as YAML."""
        import yaml

        text: str = yaml.safe_dump(self.to_dict(), sort_keys=False, allow_unicode=True)
        return text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Edition, str, str]:
        return self.edition, self.situation, self.to_json()

    @cached_property
    def _world(self) -> World:
        return resolve(self.edition.model, self.situation, dict(self._data))

    # ------------------------------------------------------------------ questions
    def ask(self, query: str, **inputs: Any) -> dict[str, Any]:
        """Answer a question of the protocol about this position.

        Raises:
            InputError: for an unknown question or bad input.
        """
        return self.edition.answer(query, {self.situation: self._data, **inputs})

    def check(self, query: str, **inputs: Any) -> Verdict:
        """Answer a question with its reasons.

        Raises:
            InputError: for an unknown question or bad input.
        """
        return self.edition.verdict(query, {self.situation: self._data, **inputs})

    def status(self) -> list[Fault]:
        """List the faults of a set-up; empty if it can be played."""
        try:
            World(self.edition.model, self.situation, self._data, f"$.{self.situation}")
        except TitmError as error:
            return list(error.faults)
        return []

    # ------------------------------------------------------------------ actions
    @property
    def legal_actions(self) -> LegalActions:
        """The legal actions, lazily; `action in position.legal_actions` equals `is_legal`."""
        return LegalActions(self)

    def is_legal(self, action: Action) -> bool:
        """Whether an action is legal here."""
        return self._machine.find(action) is not None

    def dice(self, action: Action) -> Dice | None:
        """The dice that an action throws; nothing if it throws none.

        Raises:
            InputError: if the action is not legal.
        """
        return self._option(action).dice

    def outcomes(self, action: Action) -> list[tuple[int, Fraction, Position]]:
        """List what may come of an action: successes, exact probability, next position.

        Raises:
            InputError: if the action is not legal.
        """
        option = self._option(action)
        chances = option.dice.outcomes() if option.dice is not None else ((0, Fraction(1)),)
        return [(k, p, self._next(option, k)[0]) for k, p in chances]

    def apply(self, action: Action, dice: Sequence[int] = ()) -> Position:
        """Give the next position.

        `dice` are the faces thrown, one for each die that the action throws.

        Raises:
            InputError: if the action is not legal, or the dice are not those that it throws.
        """
        return self.play(action, dice)[0]

    def play(self, action: Action, dice: Sequence[int] = ()) -> tuple[Position, tuple[Happened, ...]]:
        """Give the next position and what happened: the action, then what followed by itself.

        Raises:
            InputError: as `apply`.
        """
        option = self._option(action)
        return self._next(option, _successes(option, tuple(dice)))

    def _option(self, action: Action) -> Option:
        option = self._machine.find(action)
        if option is None:
            raise InputError([Fault(f"`{action}` is not legal here", "$.action", kind="illegal-action")])
        return option

    def _next(self, option: Option, successes: int) -> tuple[Position, tuple[Happened, ...]]:
        """Bring about an option, and then whatever happens by itself."""
        data, happened = self._machine.after(option, successes)
        position, course = Position(self.edition, self.situation, data), [happened]
        while (following := position._machine.next_by_itself()) is not None:
            if len(course) > MAX_FOLLOWING:
                raise Undecided.of(following.event.name, list(course[-1].clauses))
            data, happened = position._machine.after(following)
            position = Position(self.edition, self.situation, data)
            course.append(happened)
        return position, tuple(course)

    @cached_property
    def _machine(self) -> Machine:
        model = self.edition.model
        return Machine(model, self._world, lambda world: self.edition.engine_for(model, world))

    @cached_property
    def _engine(self) -> Any:
        return self._machine.engine


def _successes(option: Option, faces: tuple[int, ...]) -> int:
    """Count the successes of the faces thrown; they must be those of the dice of the action."""
    count = option.dice.count if option.dice is not None else 0
    low, high = (option.dice.low, option.dice.high) if option.dice is not None else (0, 0)
    if len(faces) != count or not all(low <= face <= high for face in faces):
        needed = f"{count} dice with faces {low} to {high}" if count else "no dice"
        raise InputError(
            [
                Fault(
                    f"{len(faces)} dice ({', '.join(map(str, faces)) or 'none'}) for `{option.action}`",
                    "$.dice",
                    f"it throws {needed}",
                    "give one face for each die",
                    kind="bad-dice",
                )
            ]
        )
    return option.dice.successes(faces) if option.dice is not None else 0
