"""What an engine can do: the one interface behind every answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from titm_rules.ir.model import Allocation, Effect, Event, Roll, Route, Selection, Statement
from titm_rules.ir.terms import Term
from titm_rules.world.change_set import Setting
from titm_rules.world.records import Mover, Place, Record, Value
from titm_rules.world.world import World

Given = Mapping[str, Any]
Rolled = tuple[int, dict[str, int], int]
Counts = tuple[int, ...]
OpenStep = tuple[Any, Any, int, bool, Counts]
Pick = tuple[Record | None, Record]  # who picks, nothing for whoever it is, and what
Rank = tuple[tuple[bool, int], ...]


@dataclass(frozen=True, slots=True)
class RankedPath:
    """A whole way of a mover.

    Attributes:
        names: the places that it visits, the start first, and the closing action, if that ends it.
        place: where the mover stands at its end.
        counts: what was counted by then.
        cost: what it costs in all.
        closed: whether the closing action ends it.
        rank: what it has of each thing of which the best have least; nothing (true) is worst.
    """

    names: tuple[str, ...]
    place: Place
    counts: Counts
    cost: int
    closed: bool
    rank: Rank


class EventInstance(NamedTuple):
    """One way in which an event may happen.

    Attributes:
        event: the event.
        values: what its names stand for.
        dice: how many dice are thrown, and the last face that succeeds; nothing if none are.
    """

    event: Event
    values: tuple[Any, ...]
    dice: tuple[int, int] | None


class EffectSink(Protocol):
    """Is told what an event brings about, each thing with the clause that says so."""

    def note(self, clause: str) -> None:
        """Note that a clause says something of what comes about."""

    def set_field(self, name: str, record: Record | None, value: Value, clause: str) -> None:
        """Set a field of a record, if there is one."""

    def set_root(self, name: str, value: Value, clause: str) -> None:
        """Set a field of the situation."""

    def write_field(self, setting: Setting, record: Record, value: Value) -> None:
        """Set a field of a record that nothing else sets."""

    def write_root(self, setting: Setting, value: Value) -> None:
        """Set a field of the situation that nothing else sets."""

    def put(self, effect: Effect, values: tuple[Any, ...], clause: str) -> None:
        """Put a new record, of the values that an effect binds."""

    def remove(self, name: str, target: Record | None, clause: str) -> None:
        """Remove a record from a list, if there is one."""


class EventEngine(Protocol):
    """What may happen in one situation."""

    def chances(self, group: str) -> Iterator[EventInstance]:
        """Yield the ways in which the events of a group may happen."""

    def wanted(self, event: Event, choices: Given) -> Iterator[EventInstance]:
        """Yield the ways in which an event may happen with some choices, as actions name them."""

    def env(self, chance: EventInstance) -> dict[str, Any]:
        """Give what the names of an event stand for."""

    def describe(self, chance: EventInstance) -> tuple[str, tuple[tuple[str, Any], ...]]:
        """Return the actor, empty if the event is automatic, and the choices by name; both as actions name them."""

    def apply_effects(self, event: Event, env: Given, change: EffectSink) -> None:
        """Pass all effects of an event to a change."""


class Engine(Protocol):
    """Answers for one world under one model.

    Records stand for pieces and places; a mover is a record or a list of records, as the
    route declares it; costs are in movement points.
    """

    world: World

    def term(self, term: Term, env: Given) -> Any:
        """Evaluate a term."""

    def decide(self, key: str, env: Given) -> Any:
        """Decide a head: truth, a sum, or a value."""

    def decide_about(self, key: str, *about: Value) -> Any:
        """Decide a head of what it is about, in the order of its parameters."""

    def said(self, key: str, env: Given) -> list[Statement]:
        """List the statements of a head that count."""

    def held(self, key: str, env: Given) -> Sequence[bool]:
        """Say of each statement of a head whether its condition holds, be it lifted or replaced."""

    @property
    def course(self) -> EventEngine | None:
        """What may happen, if the engine lists that itself; else whoever asks goes through the parts of events."""

    def trace(self, route: Route, mover: Mover, start: Place | None) -> int | None:
        """Cheapest cost from a place (the mover's own if none is given) to a goal, or nothing."""

    def reach(self, route: Route, mover: Mover, start: Place | None, to: Place | None) -> int | None:
        """Cheapest cost from a place (the mover's own if none is given) to another where the route may end."""

    def ends(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> Mapping[Any, int]:
        """Map every place but the start (the mover's own if none is given) where the route may end to its cost."""

    def stays(self, route: Route, mover: Mover, given: Given, start: Place) -> bool:
        """Whether a route may end where it sets out."""

    def counted(self, route: Route, mover: Mover, given: Given, start: Place) -> Iterable[tuple[Place, Counts]]:
        """Yield the places where a route may end, each with what may be counted by then."""

    def ways(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> Sequence[RankedPath]:
        """List the best ways of a route that prefers some to others, in the order of their names."""

    def result(self, what: str, name: str, roles: Given) -> Any:
        """Say what the form of a name comes to, see the term `Result`."""

    def closings(self, route: Route, mover: Mover, given: Given) -> list[Any]:
        """List the places where the closing action may be taken."""

    def path(self, route: Route, mover: Mover, given: Given, steps: list[str]) -> int | None:
        """Cost of a path as written; nothing if it is illegal."""

    def onward(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> Iterable[OpenStep]:
        """Yield the steps of a mover that has come to a place and has spent so much.

        A step is a connection, the place entered, its price, whether the mover must stop there, and
        what it has counted by then; only steps after which the route can still end are listed. What it
        has counted before stands in `given`; nothing, if it is not there.
        """

    def may_halt(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> bool:
        """Whether a mover that has come to a place may end there, perhaps only because it cannot go on."""

    def closing_price(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> int | None:
        """Price of the closing action at a place; nothing if it may not be taken there."""

    def count(self, form: Allocation | Selection, given: Given) -> int:
        """Count the legal choices without listing them."""

    def lowest(self, form: Selection, given: Given) -> int | None:
        """What the legal choices of a selection that prefers have least of; nothing if there are none."""

    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield the legal choices.

        An allocation of choosers: pairs (chooser, target); of counters: targets in order; a
        selection: its members.
        """

    def example(self, form: Allocation | Selection, given: Given, pick: Pick | None) -> tuple[Any, ...] | None:
        """Give a legal choice, with some pick in it if one is given; nothing if there is none.

        Of a selection the pick is a member.
        """

    def is_legal(self, form: Allocation | Selection, given: Given, picked: tuple[Any, ...]) -> bool:
        """Whether one choice, in the shape that `choices` yields, is legal."""

    def is_barred(
        self, form: Allocation, given: Given, chooser: Record, target: Record, picks: Mapping[Any, int]
    ) -> bool:
        """Whether a clause bars one pick, when each target was picked so often."""

    def roll(self, roll: Roll, env: Given) -> Rolled | None:
        """Factor, what is added by name, highest die that succeeds; nothing if barred."""
