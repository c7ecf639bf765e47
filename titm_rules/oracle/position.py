"""Positions: immutable situations that answer for themselves."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from titm_rules.diagnostics import Fault, TitmError
from titm_rules.model.model import Action as ActionSpec
from titm_rules.model.model import Allocation, Roll, Route
from titm_rules.oracle.edition import Edition, make_engine
from titm_rules.oracle.verdict import Verdict
from titm_rules.world.world import World

if TYPE_CHECKING:
    from titm_rules.board.expand import Naming


@dataclass(frozen=True, slots=True)
class Action:
    """One legal action, as data.

    Attributes:
        kind: what the rule set calls it.
        by: ids of the pieces that act.
        choices: what they declare, as (name, value).
        result: ids of the place reached, or of what is picked.
        cost: movement points, if it costs any.
        closing: whether the move ends with its closing action.
    """

    kind: str
    by: tuple[str, ...]
    choices: tuple[tuple[str, Any], ...] = ()
    result: tuple[str, ...] = ()
    cost: int | None = field(default=None, compare=False)
    closing: str = ""

    def __str__(self) -> str:
        declared = "".join(f" [{name}]" for name, value in self.choices if value is True)
        cost = f" ({self.cost})" if self.cost is not None else ""
        closing = f" {self.closing}" if self.closing else ""
        return f"{self.kind} {'+'.join(self.by)}{declared} > {', '.join(self.result)}{closing}{cost}"


class LegalActions:
    """The legal actions of a position: iterated lazily, tested with `in`."""

    def __init__(self, position: Position) -> None:
        self._position = position

    def __iter__(self) -> Iterator[Action]:
        for spec in self._position.edition.model.actions.values():
            if spec.situation == self._position.situation:
                yield from self._position._actions(spec)

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
        return World(self.edition.model, self.situation, self._data, f"$.{self.situation}")

    @cached_property
    def _engine(self) -> Any:
        return make_engine(self.edition.engine, self.edition.model, self._world)

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

    def place_id(self, name: str) -> str:
        """Give the id of a place by any name that the map knows; a name that it does not know comes back."""
        return self._naming.place(name) if self._naming else name

    def _full(self, query: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Give the input of a question; on a map, names stand for ids."""
        if self._naming is not None and query in self.edition.questions:
            inputs = self._naming.inputs(self.edition.questions[query].inputs, inputs)
        return {self.situation: self._data, **inputs}

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
        spec = self.edition.model.actions.get(action.kind)
        if spec is None or spec.situation != self.situation:
            return False
        form = self.edition.model.forms[spec.form]
        if isinstance(form, Route):
            return any(self._has_route_action(form, bound, action) for _, bound in self._actors(spec, action.by))
        return any(found == action for found in self._actions(spec, action.by))

    def _actors(self, spec: ActionSpec, only: tuple[str, ...] | None = None) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield who may act, with what the action binds; only those of these ids, if any are given."""
        engine = self._engine
        for one in engine.term(spec.base, {}):
            if only is not None and getattr(one, "id", None) not in only:
                continue
            inner = {spec.var: one}
            if spec.where is None or engine.term(spec.where, inner):
                yield one, {name: engine.term(term, inner) for name, term in spec.bindings}

    def _actions(self, spec: ActionSpec, only: tuple[str, ...] | None = None) -> Iterator[Action]:
        engine, form = self._engine, self.edition.model.forms[spec.form]
        for one, bound in self._actors(spec, only):
            if isinstance(form, Route):
                yield from self._route_actions(spec, form, bound)
            elif isinstance(form, Roll):
                if engine.roll(form, bound) is not None:
                    yield Action(spec.name, (one.id,))
            else:
                for picked in engine.choices(form, bound):
                    yield Action(spec.name, (getattr(one, "id", str(one)),), (), _ids(form, picked))

    def _route_actions(self, spec: ActionSpec, form: Route, bound: dict[str, Any]) -> Iterator[Action]:
        mover = bound[form.mover[0]]
        by = _ids_of(mover)
        for given in _declared(form, bound):
            choices = tuple(sorted(given.items()))
            for place, cost in self._engine.ends(form, mover, given).items():
                yield Action(spec.name, by, choices, (place.id,), cost)
            if form.closing:
                for place in self._engine.closings(form, mover, given):
                    yield Action(spec.name, by, choices, (place.id,), None, form.closing)

    def _has_route_action(self, form: Route, bound: dict[str, Any], action: Action) -> bool:
        mover = bound[form.mover[0]]
        if _ids_of(mover) != action.by:
            return False
        for given in _declared(form, bound):
            if tuple(sorted(given.items())) == action.choices:
                find = self._engine.closings if action.closing else self._engine.ends
                named = not action.closing or action.closing == form.closing
                return named and any((place.id,) == action.result for place in find(form, mover, given))
        return False


def _ids_of(mover: Any) -> tuple[str, ...]:
    return tuple(sorted(one.id for one in mover)) if isinstance(mover, list) else (mover.id,)


def _declared(form: Route, bound: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what a route may be given: what is bound, and every choice of the other flags."""
    fixed = {name: bound[name] for name, _ in form.given if name in bound}
    flags = [name for name, kind in form.given if name not in bound and kind.kind == "flag"]
    for values in itertools.product((False, True), repeat=len(flags)):
        yield fixed | dict(zip(flags, values, strict=True))


def _ids(form: Any, picked: tuple[Any, ...]) -> tuple[str, ...]:
    if isinstance(form, Allocation) and form.chooser is not None:
        return tuple(f"{who.id}>{target.id}" for who, target in picked)
    return tuple(one.id for one in picked)
