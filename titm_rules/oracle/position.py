"""Positions: immutable situations that answer for themselves."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from titm_rules.diagnostics import Fault, InputError, TitmError, Undecided
from titm_rules.model.types import Type
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.verdict import Verdict
from titm_rules.play.action import Action, read_action
from titm_rules.play.chance import Dice
from titm_rules.play.machine import Happened, Machine, resolve
from titm_rules.play.options import Option
from titm_rules.world.show import Shower
from titm_rules.world.world import World

if TYPE_CHECKING:
    from titm_rules.board.expand import Naming
    from titm_rules.oracle.odds import Odds, Plans

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
    _naming: Naming | None = field(default=None, repr=False)
    _prior: World | None = field(default=None, repr=False)

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], edition: Edition | None = None, situation: str = "position"
    ) -> Position:
        """Make a position from JSON values.

        Raises:
            InputError: with every fault of the data.
        """
        from titm_rules.edges.records import situation_class, validate

        edition, naming, where = edition or Edition(), None, f"$.{situation}"
        if isinstance(data, dict) and "map" in data:
            from titm_rules.board.expand import Naming, expand, map_of

            board = map_of(edition.model, data, where)
            data, naming = expand(edition.model, situation, data, board, where), Naming(edition.model, board)
        checked = validate(situation_class(edition.model, situation), data, where)
        position = cls(edition, situation, checked, naming)
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
        return resolve(self.edition.model, self.situation, dict(self._data), self._prior)

    # ------------------------------------------------------------------ questions
    def ask(self, query: str, **inputs: Any) -> dict[str, Any]:
        """Answer a question of the protocol about this position.

        Raises:
            InputError: for an unknown question or bad input.
        """
        return self.edition.answer(query, self._full(query, inputs))

    def check(self, query: str, **inputs: Any) -> Verdict:
        """Answer a question with its reasons.

        Raises:
            InputError: for an unknown question or bad input.
        """
        verdict = self.edition.verdict(query, self._full(query, inputs))
        return replace(verdict, notes=self.notes) if self.notes else verdict

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of the map that the position was made on."""
        return self._naming.notes if self._naming else ()

    @property
    def layout(self) -> dict[str, tuple[float, float]]:
        """Where the map that it was made on draws its places, x to the east and y to the south; may be empty."""
        return self._naming.layout if self._naming else {}

    @property
    def origins(self) -> dict[str, str]:
        """What the map that it was made on rests on, by id of a place; may be empty."""
        return self._naming.origins if self._naming else {}

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that the map it was made on prints at places; may be empty."""
        return self._naming.numbers if self._naming else {}

    @property
    def bases(self) -> dict[str, int]:
        """Count the data of the map that it was made on: attested, deduced, reconstructed; may be empty."""
        return self._naming.bases if self._naming else {}

    @property
    def world(self) -> World:
        """Its records, each reference resolved; they are to be looked at only."""
        return self._world

    def under(self, edition: Edition) -> Position:
        """Give the same position under other rules.

        Raises:
            InputError: if those rules do not know something that it has.
        """
        from titm_rules.edges.records import situation_class, validate

        where = f"$.{self.situation}"
        data = validate(situation_class(edition.model, self.situation), self.to_dict(), where)
        position = Position(edition, self.situation, data, self._naming)
        _ = position._world
        return position

    def _repr_svg_(self) -> str:
        """Draw it, for notebooks."""
        from titm_rules.render.pictures import render_board

        return render_board(self)

    def place_id(self, name: str) -> str:
        """Give the id of a place by any name that the map knows; a name that it does not know comes back."""
        return self._naming.place(name) if self._naming else name

    def words(self, action: Action) -> tuple[str, ...]:
        """Write the choices of an action as records do: on a map, places and connections go by their numbers."""
        return self._renamed(action, self._naming.numbered).words if self._naming else action.words

    def read(self, kind: str, by: str, words: Sequence[str], path: str = "$.action") -> Action:
        """Read an action of the rules back from its words; on a map, any name of a place stands for its id.

        Raises:
            InputError: for too few or too many words.
        """
        action = read_action(self.edition.model.events[kind], by, words, path)
        return self._renamed(action, self._naming.of) if self._naming else action

    def _renamed(self, action: Action, rename: Callable[[Type, Any], Any]) -> Action:
        types = dict(self.edition.model.events[action.kind].params)
        return replace(action, choices=tuple((name, rename(types[name], value)) for name, value in action.choices))

    def _full(self, query: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Give the input of a question; on a map, names stand for ids."""
        if self._naming is not None and query in self.edition.questions:
            inputs = self._naming.inputs(self.edition.questions[query].inputs, inputs)
        return {self.situation: self._data, **inputs}

    def odds(self, query: str, **inputs: Any) -> Odds | None:
        """Give the exact odds of the plan that a question judges; nothing if the plan is illegal.

        `check` says why it is illegal.

        Raises:
            InputError: for bad input, or a question about no plan that dice are rolled for.
        """
        from titm_rules.oracle.odds import odds_of_plan

        return odds_of_plan(self.edition.ask(query, self._full(query, inputs)))

    def plans(self, query: str, *, top: int = 10, **inputs: Any) -> Plans:
        """Give the best of the legal plans that a question lists, by expected loss, with their odds.

        Raises:
            InputError: for bad input, or a question about no plans that dice are rolled for.
        """
        from titm_rules.oracle.odds import ranked_plans

        return ranked_plans(self.edition.ask(query, self._full(query, inputs)), top)

    def status(self) -> list[Fault]:
        """List the faults of a set-up; empty if it can be played."""
        try:
            World(self.edition.model, self.situation, self._data, f"$.{self.situation}")
        except TitmError as error:
            return list(error.faults)
        return []

    # ------------------------------------------------------------------ actions
    @cached_property
    def summary(self) -> dict[str, Any]:
        """What the rule set tells of a situation in a line, as JSON values; empty if it tells nothing."""
        answers = self.edition.model.summaries.get(self.situation, ())
        shower = Shower(self.edition.model, self._machine.engine)
        return {name: shower.answer(answer, {}) for name, answer in answers}

    @property
    def stamp(self) -> str:
        """When this is, as records write it: the numbers with which the summary begins, such as 16-1."""
        numbers = itertools.takewhile(lambda value: isinstance(value, int), self.summary.values())
        return "-".join(map(str, numbers)) or "0"

    @property
    def digest(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the JSON."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    @property
    def legal_actions(self) -> LegalActions:
        """The legal actions, lazily; `action in position.legal_actions` equals `is_legal`."""
        return LegalActions(self)

    def is_legal(self, action: Action) -> bool:
        """Whether an action is legal here."""
        return self._machine.find(action) is not None

    def judge(self, action: Action) -> Verdict:
        """Say whether an action is legal here and, if not, which clauses bar it or what it lacks.

        Raises:
            InputError: for an action of a kind, or with choices, that the rule set does not know.
        """
        from titm_rules.oracle.refusal import judge

        return judge(self._machine, action)

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
        position, course = self._following(data), [happened]
        while (following := position._machine.next_by_itself()) is not None:
            if len(course) > MAX_FOLLOWING:
                raise Undecided.of(following.event.name, list(course[-1].clauses))
            data, happened = position._machine.after(following)
            position = position._following(data)
            course.append(happened)
        return position, tuple(course)

    def _following(self, data: dict[str, Any]) -> Position:
        return Position(self.edition, self.situation, data, self._naming, self._world)

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
