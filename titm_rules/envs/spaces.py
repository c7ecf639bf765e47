"""Spaces: every action has one number in every position and run; positions as vectors, as a learner sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import ParamSpec, TypeAlias

import numpy as np
import numpy.typing as npt

from titm_rules.diagnostics import Fault, InputError
from titm_rules.ir.model import Event, FieldSpec, GoingPart, RecordSpec, Route
from titm_rules.ir.types import Type
from titm_rules.oracle.position import Position
from titm_rules.play.action import Action, Chosen
from titm_rules.world.records import Record, Value
from titm_rules.world.world import World

LONGEST = 10_000  # numbers in a row that are listed


class ScenarioValues:
    """Lists the values of types, in an order that depends only on the rules and the ids of the first position.

    Places and connections are those of the board. Pieces, and other records that the rules put on lists in the course
    of a game, are those that are there at the start, and all records besides that have an id then, such as
    reinforcements: what a game brings on bears the id that it had on its list.
    """

    def __init__(self, start: Position) -> None:
        self.model = start.edition.model
        self.world = start.world
        effects = (one.effect for head in self.model.heads.values() for one in head.statements)
        self._put = {effect.record for effect in effects if effect is not None and effect.op == "put"}
        plain = (record.name for record in self.model.records.values() if record.role in ("piece", "plain"))
        self._movable = sorted({name for record in plain for name in self.world.ids(record)})

    def ids(self, record: str) -> list[str]:
        return self._movable if record in self._put else sorted(self.world.ids(record))

    def has_ids(self, record: RecordSpec) -> bool:
        return record.role in ("place", "connection", "piece") or bool(self.world.ids(record.name))

    def places(self) -> list[str]:
        kinds = (record.name for record in self.model.records.values() if record.role == "place")
        return sorted({name for kind in kinds for name in self.world.ids(kind)})

    def of(self, wanted: Type, what: str) -> Sequence[Chosen]:
        """List the values of a type, of a list those of its members; an error names `what` if that is impossible.

        A number with two bounds is listed up to `LONGEST` values.
        """
        found: Sequence[Chosen] | None = None
        match wanted.kind:
            case "flag":
                found = (False, True)
            case "number" if wanted.low is not None and wanted.high is not None:
                found = range(wanted.low, min(wanted.high + 1, wanted.low + LONGEST))
            case "enum" | "place" | "record" | "set":
                found = self.named(wanted.name or wanted.kind)
        if found is None:
            raise InputError([Fault(f"the values of `{what}` cannot be listed", what, f"it is a {wanted}")])
        return (None, *found) if wanted.optional else found

    def named(self, kind: str) -> Sequence[str]:
        if kind in self.model.enums:
            return self.model.enums[kind].texts
        return self.places() if kind == "place" else self.ids(kind)


# ---------------------------------------------------------------------- numbering
@dataclass(frozen=True, slots=True)
class PartialAction:
    """An action whose list is being chosen member by member; `action` has the members so far."""

    action: Action

    def __str__(self) -> str:
        return f"{self.action} ..."


NumberedStep = Action | PartialAction  # the meaning of a number in a position


class Numbering:
    """Numbers every action that can come up in the games that begin with one position.

    The kinds of action stand one after the other as the rules declare them. Those of one kind are numbered through
    their choices in the order in which the action has them, the last one fastest; the values of a choice are sorted
    (see `ScenarioValues`). A step of a route takes a connection together with the place at its end, so it has two
    numbers for each connection. A choice that is a list is made member by member, each a number, in the order of the
    ids; one number more says that the list is complete. The numbers rest on the rules and on the ids of the first
    position, on nothing else.

    There are `size` numbers, from 0. Raises `InputError` for a kind of action whose choices cannot be listed, or that
    chooses two lists.
    """

    def __init__(self, start: Position) -> None:
        self._values = ScenarioValues(start)
        self._kinds: dict[str, _Kind] = {}
        self.size = 0
        for event in start.edition.model.events.values():
            if event.actor is not None and event.situation == start.situation:
                self._kinds[event.name] = _Kind(event, self.size, self._values)
                self.size += self._kinds[event.name].size

    @property
    def members(self) -> list[str]:
        """Name all that may be on a list that an action chooses, sorted; empty if none chooses a list."""
        return sorted({str(one) for kind in self._kinds.values() for one in kind.members_known})

    def number(self, action: Action) -> int:
        """Give the number of an action that chooses no list; an action that cannot come up is an `InputError`."""
        kind = self._kind(action)
        if kind.listed:
            raise _unknown(action, "it chooses a list, member by member: ask `steps`")
        return kind.number(action)

    def steps(self, action: Action) -> list[int]:
        """Return the numbers that make up an action: one, or for a list one for each member and one to end it."""
        kind = self._kind(action)
        members = kind.members(action)
        return [kind.number(action, member) for member in (*members, None)] if kind.listed else [kind.number(action)]

    def step_towards(self, action: Action, before: PartialAction | None) -> tuple[int, NumberedStep] | None:
        """Return the number of the next step on the way to an action, and the step.

        `before` says how far a list has been chosen. There is no step if what was chosen does not lead to the action.
        """
        kind = self._kind(action)
        if not kind.listed:
            return None if before is not None else (kind.number(action), action)
        members = kind.members(action)
        chosen = kind.members(before.action) if before is not None else ()
        if before is not None and kind.with_members(action, members[: len(chosen)]) != before.action:
            return None
        if len(members) == len(chosen):
            return kind.number(action), action
        more = members[: len(chosen) + 1]
        return kind.number(action, more[-1]), PartialAction(kind.with_members(action, more))

    def chosen(self, partial: PartialAction) -> tuple[str, ...]:
        return self._kind(partial.action).members(partial.action)

    def _kind(self, action: Action) -> _Kind:
        if action.kind not in self._kinds:
            raise _unknown(action, "no side chooses such an action")
        return self._kinds[action.kind]


class _Kind:
    """The actions of one kind: their choices as axes, and perhaps one that is a list."""

    def __init__(self, event: Event, offset: int, known: ScenarioValues) -> None:
        self.event, self.offset = event, offset
        types = dict(event.params)
        lists = [name for name in event.open if types[name].kind == "set"]
        if len(lists) > 1:
            raise InputError([Fault(f"`{event.name}` chooses two lists", event.name, "one can be chosen at a time")])
        self.listed = lists[0] if lists else ""
        # An axis is one choice, or several that go together, with the place of each value.
        axes: dict[tuple[str, ...], Sequence[tuple[Chosen, ...]]] = {}
        names = [name for name in event.open if name != self.listed]
        for pair in _pairs(event, known):
            connection = types[pair[1]].name
            ways = ((name, known.world.named(connection, name)) for name in known.ids(connection))
            axes[pair] = [(end, name) for name, way in ways for end in sorted(place.id for place in way.ends)]
            names = [name for name in names if name not in pair]
        axes |= {(name,): [(one,) for one in known.of(types[name], name)] for name in names}
        self.axes = {one: {value: at for at, value in enumerate(values)} for one, values in axes.items()}
        members = known.of(types[self.listed], self.listed) if lists else ()
        self.members_known = {one: at for at, one in enumerate(members)}
        self.size = prod(map(len, self.axes.values())) * (len(self.members_known) + 1)

    def number(self, action: Action, member: str | None = None) -> int:
        """Give the number of an action, or of choosing one more member of its list."""
        choices, number = dict(action.choices), 0
        for names, places in self.axes.items():
            at = places.get(tuple(choices[name] for name in names))
            if at is None:
                raise _unknown(action, f"{' and '.join(names)} did not exist at the start")
            number = number * len(places) + at
        if member is not None and member not in self.members_known:
            raise _unknown(action, f"{member} did not exist at the start")
        last = len(self.members_known) if member is None else self.members_known[member]
        return self.offset + number * (len(self.members_known) + 1) + last

    def members(self, action: Action) -> tuple[str, ...]:
        found = dict(action.choices).get(self.listed, ())
        return found if isinstance(found, tuple) else ()

    def with_members(self, action: Action, members: tuple[str, ...]) -> Action:
        choices = ((name, members if name == self.listed else value) for name, value in action.choices)
        return replace(action, choices=tuple(choices))


def _pairs(event: Event, known: ScenarioValues) -> list[tuple[str, str]]:
    found = []
    for part in event.parts:
        if isinstance(part, GoingPart) and part.kind == "steps":
            route = known.model.forms[part.form]
            assert isinstance(route, Route)
            if {route.entered, route.crossing[0]} <= set(event.open):
                found.append((route.entered, route.crossing[0]))
    return found


def _unknown(action: Action, why: str) -> InputError:
    return InputError([Fault(f"`{action}` has no number", "action", why, kind="unknown-name")])


# ---------------------------------------------------------------------- observations
Vector: TypeAlias = npt.NDArray[np.float32]
Fill = Callable[[Vector, Value], None]
MadeOf = ParamSpec("MadeOf")
UNBOUNDED = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True)
class Feature:
    """One number of a vector, from `low` to `high`.

    `name` is where it is in a position as JSON, such as `units.g-tank.strength`; behind `=` the value that it is about.
    `unit` is `number` (as the rules count it), `flag` (1 if it is so, else 0), or `count` (rows or entries of a list).
    """

    name: str
    low: float
    high: float
    unit: str


class Features:
    """Turns positions of the games that begin with one position into vectors of one length.

    The fields of the situation come in the order in which the rules declare them.

    - A number is one feature, in the unit of the rules. A flag is 0 or 1.
    - An enumeration or a reference has one flag for each value, all 0 for nothing; a list of them as well.
    - A number or a flag that may be nothing has a further flag, `NAME?`: it is there.
    - A list of records has the features of every record that there may ever be (see `ScenarioValues`), and a flag
      `NAME?` for each: it is on the list now. All else of it is 0 if it is not.
    - A list of which nobody knows what may come on it is one count.
    - Texts, and the ends of connections, are left out.

    `listed` has one for each entry of a vector. The features of a value are kept until another value replaces it: most
    records are the very same from one position to the next.
    """

    def __init__(self, start: Position) -> None:
        self.values = ScenarioValues(start)
        self.model = start.edition.model
        self.listed: list[Feature] = []
        fields = self.model.records[start.situation].fields
        fills = [(field.name, self._root_field(field)) for field in fields]
        kept: Vector = np.zeros(len(self.listed), np.float32)

        def written(world: World) -> Vector:
            for name, fill in fills:
                fill(kept, getattr(world.root, name))
            return kept

        self._written = written  # what is kept stays with the functions that know what it was written for

    def vector(self, world: World, length: int) -> Vector:
        """Write a situation as a vector of a length, of which the features take the beginning."""
        vector: Vector = np.zeros(length, np.float32)
        kept = self._written(world)
        vector[: len(kept)] = kept
        return vector

    # ------------------------------------------------------------------ making features
    def add(self, name: str, low: float, high: float, unit: str) -> int:
        self.listed.append(Feature(name, low, high, unit))
        return len(self.listed) - 1

    def flags(self, name: str, values: Iterable[str]) -> dict[str, int]:
        return {value: self.add(f"{name}={value}", 0, 1, "flag") for value in values}

    def _root_field(self, field: FieldSpec) -> Fill:
        record = self.model.records.get(field.type.name)
        if field.owns and record is not None:
            return self._rows(field, record) if self.values.has_ids(record) else self._kept(self._count, field.json)
        return self._kept(self._field, field, field.json)

    def _kept(self, make: Callable[MadeOf, Fill], *args: MadeOf.args, **named: MadeOf.kwargs) -> Fill:
        """Make features that are written only where another value comes than the last one."""
        begin = len(self.listed)
        fill, end, last = make(*args, **named), len(self.listed), [object()]

        def fill_anew(vector: Vector, value: Value) -> None:
            if value is not last[0]:
                vector[begin:end] = 0
                fill(vector, value)
                last[0] = value

        return fill_anew

    def _rows(self, field: FieldSpec, record: RecordSpec) -> Fill:
        """Give every record that there may be its features."""
        ids = self.values.ids(record.name)
        rows = {name: self._kept(self._inline, record, f"{field.json}.{name}") for name in ids}
        last: list[object] = [None]

        def fill(vector: Vector, value: Value) -> None:
            assert isinstance(value, list)
            if value is not last[0]:
                there = {one.id: one for one in value}
                for name, row in rows.items():
                    row(vector, there.get(name))
                last[0] = value

        return fill

    def _field(self, field: FieldSpec, path: str) -> Fill:
        wanted, record = field.type, self.model.records.get(field.type.name)
        match wanted.kind:
            case "number" | "flag":
                return self._number(wanted, path)
            case "record" if record is not None and not self.values.has_ids(record):
                return self._inline(record, path)
            case "enum" | "place" | "record":
                return self._one_of(path, self.values.named(wanted.name or wanted.kind))
            case "set" if record is not None or wanted.name == "place" or wanted.name in self.model.enums:
                return _each(self._one_of(path, self.values.named(wanted.name)))
            case "set":
                return self._count(path)
            case "pair" if wanted.name == "number":
                return self._pair(path)
        return _left_out

    def _number(self, wanted: Type, path: str) -> Fill:
        is_flag = wanted.kind == "flag"
        low = 0 if is_flag else -UNBOUNDED if wanted.low is None else wanted.low
        high = 1 if is_flag else UNBOUNDED if wanted.high is None else wanted.high
        there = self.add(f"{path}?", 0, 1, "flag") if wanted.optional else None
        at = self.add(path, min(low, 0), max(high, 0), "flag" if is_flag else "number")  # 0: it is not there

        def fill(vector: Vector, value: Value) -> None:
            if isinstance(value, int):
                vector[at] = value
                if there is not None:
                    vector[there] = 1

        return fill

    def _pair(self, path: str) -> Fill:
        places = [self.add(f"{path}.{number}", -UNBOUNDED, UNBOUNDED, "number") for number in (1, 2)]

        def fill(vector: Vector, value: Value) -> None:
            assert isinstance(value, list | tuple)
            vector[places] = value

        return fill

    def _count(self, path: str) -> Fill:
        at = self.add(path, 0, UNBOUNDED, "count")

        def fill(vector: Vector, value: Value) -> None:
            if value is not None:  # a list that need not be declared
                assert isinstance(value, list | tuple)
                vector[at] = len(value)

        return fill

    def _one_of(self, path: str, names: Sequence[str]) -> Fill:
        """Make a flag for each record, by its id, or for each value of an enumeration, by its number."""
        by_id = self.flags(path, names)
        by_number = list(by_id.values())

        def fill(vector: Vector, value: Value) -> None:
            if isinstance(value, Record):
                vector[by_id[value.id]] = 1
            elif isinstance(value, int):
                vector[by_number[value]] = 1

        return fill

    def _inline(self, record: RecordSpec, path: str) -> Fill:
        there = self.add(f"{path}?", 0, 1, "flag")
        told = (field for field in record.fields if field.name != "id")
        fills = [(field.name, self._field(field, f"{path}.{field.json}")) for field in told]

        def fill(vector: Vector, value: Value) -> None:
            if value is not None:
                vector[there] = 1
                for name, one in fills:
                    one(vector, getattr(value, name))

        return fill


def _each(one_of: Fill) -> Fill:
    def fill(vector: Vector, value: Value) -> None:
        assert isinstance(value, list | tuple)
        for one in value:
            one_of(vector, one)

    return fill


def _left_out(vector: Vector, value: Value) -> None:
    del vector, value
