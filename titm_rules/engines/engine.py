"""The interface behind every answer: what an engine can do, and the values that pass through it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, zip_longest
from typing import Any, NamedTuple, Protocol, Self

from titm_rules.diagnostics import Fault, InputError
from titm_rules.ir.model import Allocation, Effect, Event, Head, Model, PickPart, Roll, Route, Selection, Statement
from titm_rules.ir.terms import BEST, CHOICES, COST, END, ENDS, SOME, START, Term
from titm_rules.world.change_set import Setting
from titm_rules.world.records import Mover, Place, Record, Value
from titm_rules.world.world import World

Given = Mapping[str, Any]
Rolled = tuple[int, dict[str, int], int]
Counts = tuple[int, ...]
OpenStep = tuple[Any, Any, int, bool, Counts]
Pick = tuple[Record | None, Record]  # the chooser, None for any, and the target
Rank = tuple[tuple[bool, int], ...]
Picked = tuple[Any, ...]  # an allocation by choosers: pairs (chooser, target); by counters: targets; a set: members
MAX_LISTED = 50_000  # so many choices are compared when the nearest is looked for
MAX_TESTED = 200_000  # so many choices are put to conditions that no search can use


@dataclass(frozen=True, slots=True)
class RankedPath:
    """A whole path of a mover, with its total cost and, at its end, the place and the counters.

    `names` are the places that it visits, the start first, and the closing action, if that ends it (`closed`). `rank`
    are the values of the route's ranks, of which the best paths have the least; null (true) ranks last.
    """

    names: tuple[str, ...]
    place: Place
    counts: Counts
    cost: int
    closed: bool
    rank: Rank


class EventInstance(NamedTuple):
    """One way in which an event may happen; `values` are those of its names.

    `dice` are the number of dice thrown, and the last face that succeeds; None if no die is thrown.
    """

    event: Event
    values: tuple[Any, ...]
    dice: tuple[int, int] | None


class ChoiceTest(NamedTuple):
    """A condition on a choice: `holds` is given what some choosers pick, in their order; if None, all picks in any."""

    choosers: tuple[Record, ...] | None
    holds: Callable[[Sequence[Any]], bool]


class EffectSink(Protocol):
    """Receives the effects of an event, each with the clause that causes it; see `Change` in `play/effects.py`."""

    def note(self, clause: str) -> None: ...
    def set_field(self, name: str, record: Record | None, value: Value, clause: str) -> None: ...
    def set_root(self, name: str, value: Value, clause: str) -> None: ...
    def write_field(self, setting: Setting, record: Record, value: Value) -> None: ...
    def write_root(self, setting: Setting, value: Value) -> None: ...
    def put(self, effect: Effect, values: tuple[Any, ...], clause: str) -> None: ...
    def remove(self, name: str, target: Record | None, clause: str) -> None: ...


class EventEngine(Protocol):
    """The events that are possible in one situation."""

    def chances(self, group: str) -> Iterator[EventInstance]:
        """Yield the ways in which the events of a group may happen."""

    def wanted(self, event: Event, choices: Given) -> Iterator[EventInstance]:
        """Yield the ways in which an event may happen with some choices, as actions name them."""

    def env(self, chance: EventInstance) -> dict[str, Any]:
        """Map the names of an event to their values."""

    def describe(self, chance: EventInstance) -> tuple[str, tuple[tuple[str, Any], ...]]:
        """Return the actor, empty if the event is automatic, and the choices by name; both as actions name them."""

    def apply_effects(self, event: Event, env: Given, change: EffectSink) -> None:
        """Pass all effects of an event to a change."""


class ConditionTrace(Protocol):
    """The facts that decided a condition; see `Provenance` of the compiled engine."""

    found: list[Any]
    taken: dict[str, None]


MAX_WAYS = 100_000  # so many parts of paths are looked at when paths are ranked


def too_many_ways(route: Route) -> InputError:
    message, why = f"too many ways of `{route.name}`", f"limit: {MAX_WAYS} parts of ways"
    return InputError([Fault(message, "$.input", why, "ask about a shorter way", kind="too-large")])


# ---------------------------------------------------------------------- places and choices
def common_place(mover: Mover | None) -> Place | None:
    """Return the place where a mover stands; None if its pieces stand apart."""
    if not isinstance(mover, list):
        return None if mover is None else mover.place
    place = mover[0].place if mover else None
    return place if len(mover) < 2 or all(piece.place is place for piece in mover) else None


def first_place(mover: Mover | None) -> Place | None:
    """Return the place where a mover stands; of several pieces, that of the first."""
    if isinstance(mover, list):
        return mover[0].place if mover else None
    return None if mover is None else mover.place


_COLLECTIONS = list, dict  # `list | dict` would be made for each value


def hashable(value: Value) -> Any:
    """Return the key of a value in a memo: the members of a list or a map, any other value as it is."""
    if not isinstance(value, _COLLECTIONS):
        return value
    return tuple(value if isinstance(value, list) else value.items())


def line(form: Allocation | Selection, picked: Picked) -> str:
    """Write a choice on one line: `a1>d2,a2>d1`, a sequence `d1,d3`, or a sorted set."""
    if isinstance(form, Selection):
        return ",".join(sorted(member.id for member in picked))
    if form.chooser is None:
        return ",".join(target.id for target in picked)
    return ",".join(sorted(f"{who.id}>{target.id}" for who, target in picked))


def difference(form: Allocation | Selection, picked: Picked, other: Picked) -> int:
    if isinstance(form, Selection):
        return len(set(picked) ^ set(other))
    return sum(a != b for a, b in zip_longest(picked, other))


def nearest_of(form: Allocation | Selection, options: Iterable[Picked], picked: Picked) -> Picked | None:
    """Return the option that differs least from a choice; of several the first by its line."""
    nearest: list[Picked] = []
    least: int | None = None
    for option in options:
        differing = difference(form, option, picked)
        if least is None or differing < least:
            nearest, least = [], differing
        if differing == least:
            nearest.append(option)
    return min(nearest, key=lambda option: line(form, option), default=None)


def pick_in(form: Allocation | Selection, roles: Given) -> Pick | None:
    """Return the pick that the roles require of a choice; None if any choice will do."""
    chooser = form.chooser[0] if isinstance(form, Allocation) and form.chooser is not None else ""
    target = roles.get((form.target if isinstance(form, Allocation) else form.picked)[0])
    return None if target is None else (roles.get(chooser), target)


def pairs_in(form: Allocation | Selection, picked: Picked) -> tuple[tuple[Any, Any], ...]:
    """Return a choice as pairs (chooser, target); counters and members of a set have the chooser None."""
    named = isinstance(form, Allocation) and form.chooser is not None
    return picked if named else tuple((None, target) for target in picked)


def has_pick(form: Allocation | Selection, picked: Picked, pick: Pick | None) -> bool:
    """Whether a choice contains a pick; None is in every choice."""
    return pick is None or any(target is pick[1] and pick[0] in (None, who) for who, target in pairs_in(form, picked))


def passing(form: Allocation | Selection, rows: Iterable[Picked], tests: Sequence[ChoiceTest]) -> Iterator[Picked]:
    """Yield the choices that pass all tests; all have their choosers in one order."""
    read: list[tuple[list[int] | None, Callable[[Sequence[Any]], bool]]] | None = None
    is_named = isinstance(form, Allocation) and form.chooser is not None
    for number, row in enumerate(rows):
        if number == MAX_TESTED:
            why, fix = f"limit: {MAX_TESTED} choices", "say of more choosers what they pick"
            raise InputError([Fault("too many choices to compare", "$.input", why, fix, kind="too-large")])
        if read is None:
            places = {who: at for at, (who, _) in enumerate(row)} if is_named else {}
            read = [(None if who is None else [places[one] for one in who], holds) for who, holds in tests]
        picks = [target for _, target in row] if is_named else row
        if all(holds(picks if at is None else [picks[one] for one in at]) for at, holds in read):
            yield row


def picks_so_far(
    world: World,
    part: PickPart,
    targets: Iterable[Record],
    choosers: Iterable[Record] | int | None,
    rank: Callable[[Record], int] | None,
) -> tuple[Counter[str], list[Any]]:
    """Count the picks that a situation keeps, by the ids of targets, and list the choosers who are next.

    A number of `choosers`, or None for 0, are counters without names: the next is None, as long as some are left.
    Without a rank, choosers pick in any order.
    """
    keeper, kept = part.keeper.name, part.kept
    if choosers is None or isinstance(choosers, int):
        taken = Counter({target.id: getattr(world.named(keeper, target.id), kept) for target in targets})
        return taken, [None] * (taken.total() < (choosers or 0))
    picks = [(chooser, getattr(world.named(keeper, chooser.id), kept)) for chooser in choosers]
    left = [chooser for chooser, target in picks if target is None]
    if rank is not None and left:
        ranks = [rank(chooser) for chooser in left]
        highest = max(ranks)
        left = [chooser for chooser, one in zip(left, ranks, strict=True) if one == highest]
    return Counter(target.id for _, target in picks if target is not None), left


# ---------------------------------------------------------------------- engine
class Engine(ABC):
    """Answers for one world under one model.

    The methods that are not abstract have defaults: correct, and made of the abstract ones alone. An engine overrides
    them where it knows a faster way, or more. Records are pieces and places; a mover is a record or a list of
    records, as the route declares it; costs are in movement points (MP).
    """

    readings: AbstractSet[str] | None = None  # that the answers so far depended on; None: any, for they are not tracked

    def __init__(self, model: Model, world: World) -> None:
        self.model = model
        self.world = world

    def at(self, world: World) -> Self:
        """Return an engine of another world under the same rules."""
        engine = type(self)(self.model, world)
        if world.origin is not world and world.origin is self.world.origin:
            engine.before = BeforeMove(self if self.before is None else self.before.engine, world)
        return engine

    @cached_property
    def before(self) -> BeforeMove | None:
        """The engine of the situation before the move; None if no move has changed the situation."""
        origin = self.world.origin
        return None if origin is self.world else BeforeMove(self.at(origin), self.world)

    @property
    def course(self) -> EventEngine | None:
        """The events that are possible; None if the engine does not list them, so that the caller evaluates them."""
        return None

    # ------------------------------------------------------------------ terms and heads
    @abstractmethod
    def term(self, term: Term, env: Given) -> Any:
        """Evaluate a term."""

    def compiled(self, term: Term) -> Callable[[Given], Any] | None:  # noqa: ARG002 -- the default compiles nothing
        """Return a function of a term that is asked for often; None if it is better evaluated step by step."""
        return None

    @abstractmethod
    def decide(self, key: str, env: Given) -> Any:
        """Decide a head: truth, a sum, or a value."""

    def decide_about(self, key: str, *about: Value) -> Any:
        """Decide a head for arguments in the order of its parameters."""
        return self.decide(key, dict(zip((name for name, _ in self.model.heads[key].params), about, strict=True)))

    @abstractmethod
    def said(self, key: str, env: Given) -> list[Statement]:
        """List the statements of a head that count."""

    @abstractmethod
    def held(self, key: str, env: Given) -> Sequence[bool]:
        """List for each statement of a head whether its condition holds, even if it is lifted or replaced."""

    def traced_condition(
        self, head: Head, statement: Statement, env: Given  # noqa: ARG002 -- the default records nothing
    ) -> tuple[bool, ConditionTrace] | None:
        """Decide the condition of a statement and record what decided it; None if the engine records nothing."""
        return None

    # ------------------------------------------------------------------ routes
    @abstractmethod
    def trace(self, route: Route, mover: Mover, start: Place | None) -> int | None:
        """Return the cheapest cost from a place (default: the mover's own) to a goal; see `BeforeMove`."""

    @abstractmethod
    def reach(self, route: Route, mover: Mover, start: Place | None, to: Place | None) -> int | None:
        """Return the cheapest cost from a place (default: the mover's own) to one where the route may end, or None."""

    @abstractmethod
    def ends(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> Mapping[Any, int]:
        """Map every place but the start (default: the mover's own) where the route may end to its cheapest cost."""

    @abstractmethod
    def stays(self, route: Route, mover: Mover, given: Given, start: Place) -> bool:
        """Whether a route may end where it begins."""

    @abstractmethod
    def counted(self, route: Route, mover: Mover, given: Given, start: Place) -> Iterable[tuple[Place, Counts]]:
        """Yield the places where a route may end, each with the counters that are possible there."""

    @abstractmethod
    def ways(self, route: Route, mover: Mover, given: Given, start: Place | None = None) -> Sequence[RankedPath]:
        """List the best paths of a route that prefers some to others, in the order of their names."""

    def asks_counts_of(self, route: Route) -> bool:  # noqa: ARG002 -- the default is the same for all routes
        """Whether the clauses on a route may ask what was counted on the way, so that a place alone says too little."""
        return True

    @abstractmethod
    def closings(self, route: Route, mover: Mover, given: Given) -> list[Any]:
        """List the places where the closing action may be taken."""

    @abstractmethod
    def path(self, route: Route, mover: Mover, given: Given, steps: list[str]) -> int | None:
        """Return the cost of a path as written; None if it is illegal."""

    @abstractmethod
    def steps(self, route: Route, mover: Mover, given: Given, at: Place) -> Iterable[OpenStep]:
        """Yield the steps out of a place that no clause bars, whatever they cost and wherever they lead.

        A step is a connection, the place entered, its price, whether the mover must stop there, and the counters
        after it. `given` holds the counters so far, which are 0 where it lacks them.
        """

    @abstractmethod
    def onward(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> Iterable[OpenStep]:
        """Yield the steps, as `steps` does, of a mover that has reached a place at a cost.

        Only those are listed that it can pay for and after which the route can still end.
        """

    @abstractmethod
    def may_halt(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> bool:
        """Whether a mover that has reached a place may end there, perhaps only because it cannot go on."""

    @abstractmethod
    def closing_price(self, route: Route, mover: Mover, given: Given, at: Place, spent: int) -> int | None:
        """Return the price of the closing action at a place; None if it may not be taken there."""

    def result(self, what: str, name: str, roles: Given) -> Any:
        """Return the result of a form for an expression, see the term `Result`."""
        if self.before is not None:
            return self.before.result(what, name, roles)
        form = self.model.forms[name]
        if isinstance(form, Route):
            return self._route_result(form, what, roles)
        assert isinstance(form, Allocation | Selection)
        if what == BEST and isinstance(form, Selection):
            return self.lowest(form, roles)
        if what == SOME:
            return self.example(form, roles, pick_in(form, roles)) is not None
        return self.count(form, roles)

    def _route_result(self, route: Route, what: str, roles: Given) -> Any:
        mover, given = roles[route.mover[0]], {name: roles[name] for name, _ in route.given}
        start = roles[START] if START in roles else common_place(mover)
        if mover is None or start is None:
            return {ENDS: [], CHOICES: 0}.get(what)
        if what == ENDS:
            return sorted(self.ends(route, mover, given, start), key=lambda place: place.index_)
        if what == COST and roles[END] is start and not route.ranks:
            return 0 if self.stays(route, mover, given, start) else None
        if what == COST:
            return self.ends(route, mover, given, start).get(roles[END])
        counters = [name for name, _ in route.counters]
        if what in counters:
            counted, number = self.counted(route, mover, given, start), counters.index(what)
            return min((counts[number] for place, counts in counted if place is roles[END]), default=None)
        ways = self.ways(route, mover, given, start)
        if what == CHOICES:
            return len(ways)
        is_null, value = ways[0].rank[0] if ways else (True, 0)
        return None if is_null else value

    # ------------------------------------------------------------------ choices and rolls
    @abstractmethod
    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[Picked]:
        """Yield the legal choices."""

    @abstractmethod
    def is_legal(self, form: Allocation | Selection, given: Given, picked: Picked) -> bool:
        """Whether one choice, in the shape that `choices` yields, is legal."""

    @abstractmethod
    def is_barred(
        self, form: Allocation, given: Given, chooser: Record, target: Record, picks: Mapping[Any, int]
    ) -> bool:
        """Whether a clause bars one pick, when each target was picked so often."""

    def pick_keys(
        self, form: Allocation, choosers: Sequence[Record], targets: Sequence[Record]  # noqa: ARG002 -- all differ here
    ) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
        """Return a key of each chooser and target; clauses on a pick tell no two of one key apart."""
        return range(len(choosers)), range(len(targets))

    def count(self, form: Allocation | Selection, given: Given) -> int:
        return sum(1 for _ in self.choices(form, given))

    def choices_where(
        self, form: Allocation | Selection, given: Given, tests: Sequence[ChoiceTest]
    ) -> Iterator[Picked]:
        """Yield the legal choices that pass all tests; raises `InputError` if too many have to be looked at."""
        return passing(form, self.choices(form, given), tests)

    def lowest(self, form: Selection, given: Given) -> int | None:
        """Return the least rank, which all legal choices of a selection have; None if it has no choice or no rank."""
        picked = next(self.choices(form, given), None)
        if picked is None or form.rank is None:
            return None
        rank: int | None = self.term(form.rank, {**given, form.picked[0]: list(picked)})
        return rank

    def example(self, form: Allocation | Selection, given: Given, pick: Pick | None) -> Picked | None:
        """Return a legal choice, one with a certain pick in it if that is given; None if there is none."""
        return next((picked for picked in self.choices(form, given) if has_pick(form, picked, pick)), None)

    def nearest(self, form: Allocation | Selection, given: Given, picked: Picked) -> Picked | None:
        """Return the legal choice that differs in the fewest picks, of the first 50,000; None if there is none."""
        return nearest_of(form, islice(self.choices(form, given), MAX_LISTED), picked)

    def plans(self, form: Allocation, given: Given, limit: int) -> Sequence[tuple[Picked, int]] | None:
        """List the legal allocations, each kind once with its number; None if there are more than `limit` kinds.

        Allocations are of one kind if the rules cannot tell them apart; by default each is a kind of its own.
        """
        if self.count(form, given) > limit:
            return None
        return [(picked, 1) for picked in self.choices(form, given)]

    @abstractmethod
    def roll(self, roll: Roll, env: Given) -> Rolled | None:
        """Return the factor, the modifiers by name, and the last die that succeeds; None if the roll is barred."""


class BeforeMove:
    """The engine of the situation before a move, asked with records of the situation after it, and answering with them.

    Traces, reach and results of forms are judged there: what a mover does on its way does not change them.
    """

    def __init__(self, engine: Engine, after: World) -> None:
        self.engine, self._after = engine, after

    def twin(self, value: Value) -> Any:
        """Return the record before the move of a record after it, or of each in a list; any other value is the same."""
        return _twin(self.engine.world, value)

    def trace(self, route: Route, mover: Mover, start: Place | None) -> int | None:
        return self.engine.trace(route, self.twin(mover), self.twin(start))

    def reach(self, route: Route, mover: Mover, start: Place | None, to: Place | None) -> int | None:
        return self.engine.reach(route, self.twin(mover), self.twin(start), self.twin(to))

    def result(self, what: str, name: str, roles: Given) -> Any:
        there = {role: self.twin(value) for role, value in roles.items()}
        return _twin(self._after, self.engine.result(what, name, there))


def _twin(world: World, value: Value) -> Any:
    if isinstance(value, list):
        return [_twin(world, member) for member in value]
    return world.twin(value) if isinstance(value, Record) else value
