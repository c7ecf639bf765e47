"""Action space: every action has one number in every position and run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from titm_rules.diagnostics import Fault, InputError
from titm_rules.ir.model import Event, GoingPart, RecordSpec, Route
from titm_rules.ir.types import Type
from titm_rules.oracle.position import Position
from titm_rules.play.action import Action, Chosen

# ---------------------------------------------------------------------- values
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
        """List the ids that records of a type may have, sorted."""
        return self._movable if record in self._put else sorted(self.world.ids(record))

    def has_ids(self, record: RecordSpec) -> bool:
        """Whether records of a type go by ids that are known from the start."""
        return record.role in ("place", "connection", "piece") or bool(self.world.ids(record.name))

    def places(self) -> list[str]:
        """List the ids of all places, whatever their kind, sorted."""
        kinds = (record.name for record in self.model.records.values() if record.role == "place")
        return sorted({name for kind in kinds for name in self.world.ids(kind)})

    def of(self, wanted: Type, what: str) -> Sequence[Chosen]:
        """List the values of a type; of a list, those of its members.

        Raises:
            InputError: for a type whose values cannot be listed; `what` says what has it.
        """
        found: Sequence[Chosen] | None = None
        match wanted.kind:
            case "flag":
                found = (False, True)
            case "enum":
                found = self.model.enums[wanted.name].texts
            case "number" if wanted.low is not None and wanted.high is not None:
                found = range(wanted.low, min(wanted.high + 1, wanted.low + LONGEST))
            case "place":
                found = self.places()
            case "record" | "set":
                found = self._members(wanted)
        if found is None:
            raise InputError([Fault(f"the values of `{what}` cannot be listed", what, f"it is a {wanted}")])
        return (None, *found) if wanted.optional else found

    def _members(self, wanted: Type) -> Sequence[Chosen]:
        if wanted.name in self.model.enums:
            return self.model.enums[wanted.name].texts
        return self.places() if wanted.name == "place" else self.ids(wanted.name)


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

    Attributes:
        size: how many there are; they run from 0 to size - 1.

    Raises:
        InputError: for a kind of action whose choices cannot be listed, or that chooses two lists.
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
        """Give the number of an action that chooses no list.

        Raises:
            InputError: for an action that cannot come up, or that chooses a list.
        """
        kind = self._kind(action)
        if kind.listed:
            raise _unknown(action, "it chooses a list, member by member: ask `steps`")
        return kind.number(action)

    def steps(self, action: Action) -> list[int]:
        """Return the numbers that make up an action: one, or for a list one for each member and one to end it.

        Raises:
            InputError: for an action that cannot come up.
        """
        kind = self._kind(action)
        members = kind.members(action)
        return [kind.number(action, member) for member in (*members, None)] if kind.listed else [kind.number(action)]

    def step_towards(self, action: Action, before: PartialAction | None) -> tuple[int, NumberedStep] | None:
        """Return the number of the next step on the way to an action, and the step.

        Args:
            action: a legal action.
            before: how far a list has been chosen; nothing if none is.

        Returns:
            Nothing if what was chosen so far does not lead to the action.
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
        """Name the members that have been chosen so far."""
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
        self.axes: list[_Axis] = []
        names = [name for name in event.open if name != self.listed]
        for pair in _pairs(event, known):
            self.axes.append(_Axis(pair, _ends_of_ways(known, types[pair[1]].name)))
            names = [name for name in names if name not in pair]
        self.axes += [_Axis((name,), [(one,) for one in known.of(types[name], name)]) for name in names]
        members = known.of(types[self.listed], self.listed) if lists else ()
        self.members_known = {one: at for at, one in enumerate(members)}
        self.size = prod(len(axis.index) for axis in self.axes) * (len(self.members_known) + 1)

    def number(self, action: Action, member: str | None = None) -> int:
        """Give the number of an action, or of choosing one more member of its list."""
        choices, number = dict(action.choices), 0
        for axis in self.axes:
            at = axis.index.get(tuple(choices[name] for name in axis.names))
            if at is None:
                raise _unknown(action, f"{' and '.join(axis.names)} did not exist at the start")
            number = number * len(axis.index) + at
        if member is not None and member not in self.members_known:
            raise _unknown(action, f"{member} did not exist at the start")
        last = len(self.members_known) if member is None else self.members_known[member]
        return self.offset + number * (len(self.members_known) + 1) + last

    def members(self, action: Action) -> tuple[str, ...]:
        """Give the members of the list that an action chooses, in the order in which they are chosen."""
        found = dict(action.choices).get(self.listed, ())
        return found if isinstance(found, tuple) else ()

    def with_members(self, action: Action, members: tuple[str, ...]) -> Action:
        """Give an action with another list."""
        choices = ((name, members if name == self.listed else value) for name, value in action.choices)
        return replace(action, choices=tuple(choices))


class _Axis:
    """One choice, or several that go together, with the place of each value."""

    def __init__(self, names: tuple[str, ...], values: Sequence[tuple[Chosen, ...]]) -> None:
        self.names = names
        self.index = {value: at for at, value in enumerate(values)}


def _pairs(event: Event, known: ScenarioValues) -> list[tuple[str, str]]:
    """List the choices of a place and a connection that a step of a route makes together."""
    found = []
    for part in event.parts:
        if isinstance(part, GoingPart) and part.kind == "steps":
            route = known.model.forms[part.form]
            assert isinstance(route, Route)
            if {route.entered, route.crossing[0]} <= set(event.open):
                found.append((route.entered, route.crossing[0]))
    return found


def _ends_of_ways(known: ScenarioValues, connection: str) -> list[tuple[Chosen, ...]]:
    """List every connection with each place that it leads to."""
    ways = ((name, known.world.named(connection, name)) for name in known.ids(connection))
    return [(end, name) for name, way in ways for end in sorted(place.id for place in way.ends)]


def _unknown(action: Action, why: str) -> InputError:
    return InputError([Fault(f"`{action}` has no number", "action", why, kind="unknown-name")])
