"""Joint moves: whether several stacks can all end where each may, one after the other, in one impulse.

The ends are assigned so that nobody has to leave a crowded place; the state machine proves an assignment by a witness:
best-first search over legal actions for each stack, and for the order of the stacks squeaky wheel optimization (Joslin
and Clements, 1999: who fails goes first next time), then all orders.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean
from titm_rules.engines.engine import Engine
from titm_rules.engines.query import BoundQuestion
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import Question, Route, Selection, head_key
from titm_rules.oracle.position import Position
from titm_rules.oracle.supply_lines import ends_of
from titm_rules.play.action import Action
from titm_rules.play.machine import resolve
from titm_rules.play.options import Option
from titm_rules.world.records import all_links

MAX_STACKS, MAX_ASSIGNMENTS = 8, 5_000
MAX_POSITIONS = 2_000  # that are looked at for one question; of them half for more than some orders of the stacks
Json = dict[str, Any]
_COLLECTIONS = dict, list  # `dict | list` would be made for each value
_Way = tuple[int, tuple[str, ...]]  # what it costs, and the actions


@dataclass(frozen=True)
class Stack:
    """Pieces that are to end in one of some places, all in the same."""

    pieces: tuple[str, ...]
    to: tuple[str, ...]

    def __str__(self) -> str:
        return f"{', '.join(self.pieces)}: {' or '.join(self.to)}"


@dataclass(frozen=True)
class JointPlan:
    """One way: where each stack ends, in the order of the question; what the moves cost; and the actions, in order."""

    ends: tuple[str, ...]
    cost: int
    actions: tuple[str, ...]


@dataclass(frozen=True)
class JointMoves:
    """The ways in which all stacks can move.

    Attributes:
        plans: those that are listed, the cheapest first by what each stack alone would pay now.
        is_all: whether all orders of the stacks were looked at, so that there are no others.
        stacks: if there is none, the fewest of the stacks that cannot all move; each is necessary. If not all orders
            were looked at, it is one that cannot move alone.
        clauses: the clauses that say so, where one place is out of reach or too crowded.
        stopped_by: if they could, but for the other side, an attempt of it after which they cannot.
    """

    plans: tuple[JointPlan, ...]
    is_all: bool
    stacks: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    stopped_by: str = ""

    def to_dict(self) -> Json:
        """Give everything as JSON values."""
        plans = [{"ends": list(one.ends), "cost": one.cost, "actions": list(one.actions)} for one in self.plans]
        told: Json = {"plans": plans, "complete": self.is_all}
        if not self.plans:
            why = {"stacks": list(self.stacks), "clauses": list(self.clauses), "stopped_by": self.stopped_by}
            told["why"] = why
        return told


def joint_moves(
    position: Position, stacks: Sequence[tuple[Sequence[str], Sequence[str]]], *, top: int = 5, against: bool = False,
    at: str = "$.input.",
) -> JointMoves:  # fmt: skip
    """Find the ways in which several stacks can all move to where each may end, or the smallest reason why not.

    Args:
        position: where they stand; it is settled first.
        stacks: for each its pieces, and the places where it may end.
        top: so many ways are listed.
        against: whether each must still work out after any one attempt of the other side to stop it, whatever its dice.
        at: stands before the names of inputs in errors.

    Raises `InputError` for unknown names, pieces of several sides, or too many stacks, ends or positions to look at.
    """
    return _Joint(position.settled, _known(position.settled, stacks, f"{at}stacks"), against, f"{at}stacks").found(top)


def parse_stack(text: str, path: str) -> tuple[list[str], list[str]]:
    """Read `A, B: PLACE or PLACE`; raises `InputError` for another text."""
    pieces, colon, places = text.partition(":")
    names = [one.strip() for one in pieces.split(",")]
    ends = [one.strip() for one in places.replace(" or ", ",").split(",")]
    if not colon or "" in (*names, *ends):
        raise bad(
            f"`{cut(text)}` is not a stack and its ends", path, "write `PIECE, PIECE: PLACE or PLACE`", "bad-value"
        )
    return names, ends


def _known(position: Position, stacks: Sequence[tuple[Sequence[str], Sequence[str]]], path: str) -> list[Stack]:
    if not 0 < len(stacks) <= MAX_STACKS:
        raise InputError([Fault(f"{len(stacks)} stacks", path, f"limit: 1 to {MAX_STACKS}", kind="too-large")])
    standing = {name: unit for name, unit in position.units.items() if unit["place"] is not None}
    places = [place.id for place in position.world.places]
    found, seen, sides = [], set[str](), set[str]()
    for number, (pieces, to) in enumerate(stacks):
        ends = [position.place_id(one) for one in to]
        for name, known in [*((one, list(standing)) for one in pieces), *((one, places) for one in ends)]:
            if name not in known:
                what = f"unknown piece or place `{cut(name)}`"
                raise bad(what, f"{path}[{number}]", did_you_mean(name, known), "unknown-name")
        if seen & set(pieces) or len(set(pieces)) != len(pieces) or not pieces or not ends:
            raise bad("each piece is in one stack", f"{path}[{number}]", "name pieces once, and an end", "bad-value")
        sides |= {_side_of(position, one) for one in pieces}
        if len(sides) > 1:
            what = f"the stacks are of {' and '.join(sorted(sides))}"
            raise bad(what, f"{path}[{number}]", "name pieces of one side", "bad-value")
        seen |= set(pieces)
        found.append(Stack(tuple(pieces), tuple(dict.fromkeys(ends))))
    return found


def _side_of(position: Position, piece: str) -> str:
    values = position.units[piece].values()
    return next(side for side in position.sides if side in values)


@dataclass(frozen=True)
class _March:
    """A stack that has reached its end: the position, the actions, and attempts to stop it, each with what comes."""

    after: Position
    actions: tuple[str, ...] = ()
    threats: tuple[tuple[str, Position], ...] = ()
    has_begun: bool = False  # until then the actions go on with a march that was there before


class _TooManyPositions(Exception):
    """As many positions were looked at as may be."""


class _Joint:
    """One question about joint moves."""

    def __init__(self, position: Position, stacks: Sequence[Stack], against: bool, path: str) -> None:
        self.position, self.stacks, self.against, self.path = position, stacks, against, path
        self.pieces = frozenset(position.units)
        self.sides = frozenset(position.to_act)
        self._left, self._least, self._is_cut = MAX_POSITIONS, 0, False
        self._aim: Mapping[int, str] = {}
        self._stopped_by = ""
        self._failed: set[Any] = set()
        self._crowded: dict[Any, bool] = {}
        self._near: dict[str, dict[str, int]] = {}
        self._known_marches: dict[Any, tuple[list[_March], Iterator[_March]]] = {}
        self._applied: dict[tuple[Hashable, Action], Position] = {}
        self._ways_on: dict[Any, tuple[list[Option], tuple[tuple[str, Position], ...]]] = {}
        self._parts: dict[int, tuple[Any, int]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._known_costs: dict[Any, Mapping[str, int]] = {}
        self._places = {name: unit["place"] for name, unit in position.units.items()}
        self._side = _side_of(position, stacks[0].pieces[0])

    def found(self, top: int) -> JointMoves:
        whole = range(len(self.stacks))
        plans, is_all = list[JointPlan](), True
        with suppress(_TooManyPositions):  # without ways in turns left to look at, what was found counts
            for ends in self._assignments(whole):
                solved = self._way(dict(zip(whole, ends, strict=True)), self.against)
                if solved is not None and len(plans) == top:
                    is_all = False
                    break
                if solved is not None:
                    plans.append(JointPlan(ends, *solved))
        is_all = is_all and not self._is_cut
        if plans:
            return JointMoves(tuple(sorted(plans, key=lambda one: (one.cost, one.ends))), is_all)
        kept = self._fewest(whole)
        stacks = tuple(str(self.stacks[one]) for one in kept)
        if self.against and self._is_possible(kept, False):
            return JointMoves((), is_all, stacks, stopped_by=self._stopped_by)
        return JointMoves((), is_all, stacks, self._clauses(kept))

    def _fewest(self, whole: Sequence[int]) -> Sequence[int]:
        """Return the fewest stacks that cannot all move: one that cannot alone, else a minimal set, by deletion."""
        was_cut, self._left = self._is_cut, MAX_POSITIONS
        for one in whole:
            self._is_cut = False
            if not self._is_possible([one], self.against) and not self._is_cut:
                return [one]
        kept = list(whole)
        for one in whole:
            without = [other for other in kept if other != one]
            if len(without) > 1 and not self._is_cut and not self._is_possible(without, self.against):
                kept = without
        if was_cut or self._is_cut:
            what, why = "too many positions to look at", f"limit: {MAX_POSITIONS}"
            raise InputError([Fault(what, self.path, why, "name fewer stacks or places", kind="too-large")])
        return kept

    def _is_possible(self, some: Sequence[int], against: bool) -> bool:
        with suppress(_TooManyPositions):
            return any(
                self._way(dict(zip(some, ends, strict=True)), against) is not None
                for ends in self._assignments(some)
            )
        return False

    # ------------------------------------------------------------------ ends
    def _assignments(self, some: Sequence[int]) -> list[tuple[str, ...]]:
        """List the ends of some stacks that leave no place too crowded, the cheapest first."""
        domains = [self.stacks[one].to for one in some]
        if prod(map(len, domains)) > MAX_ASSIGNMENTS:
            what, why = "too many ends to compare", f"limit: {MAX_ASSIGNMENTS} together"
            raise InputError([Fault(what, self.path, why, "name fewer places", kind="too-large")])
        found = [ends for ends in itertools.product(*domains) if not self._is_crowded(some, ends)]
        return sorted(found, key=lambda ends: (self._estimate(some, ends), ends))

    def _estimate(self, some: Sequence[int], ends: Sequence[str]) -> tuple[int, int]:
        """Count the stacks that do not reach their ends now, and add up what the others pay."""
        costs = [self._costs(self.position, one).get(end) for one, end in zip(some, ends, strict=True)]
        return costs.count(None), sum(cost for cost in costs if cost is not None)

    def _costs(self, position: Position, one: int) -> Mapping[str, int]:
        key = self._state(position), one
        if key not in self._known_costs:
            self._known_costs[key] = ends_of(position, self.stacks[one].pieces)
        return self._known_costs[key]

    @cached_property
    def _crowding(self) -> Question | None:
        """The question that lists which pieces of a side must leave a place; none if the rules have none."""
        model = self.position.edition.model
        for question in model.questions.values():
            kinds = sorted(spec.type.kind for spec in question.inputs)
            is_of_pieces = isinstance(model.forms.get(question.form), Selection) and question.ask == "choices"
            if is_of_pieces and kinds == ["enum", "place"] and question.situation == self.position.situation:
                return question
        return None

    def _is_crowded(self, some: Sequence[int], ends: Sequence[str]) -> bool:
        """Whether a piece would have to leave one of the places."""
        if self._crowding is None:
            return False
        for place in set(ends):
            moved = self._moved(some, ends, place)
            key = place, frozenset(moved.items())
            if key not in self._crowded:
                engine, asked = self._asked(moved, place)
                form, given = asked.choice_form()
                self._crowded[key] = not engine.is_legal(form, given, ())
            if self._crowded[key]:
                return True
        return False

    def _moved(self, some: Sequence[int], ends: Sequence[str], place: str) -> dict[str, str]:
        """Give the pieces that leave a place or end there, with their ends."""
        pairs = [(piece, end) for one, end in zip(some, ends, strict=True) for piece in self.stacks[one].pieces]
        return {piece: end for piece, end in pairs if place in (end, self._places[piece])}

    def _asked(self, moved: Mapping[str, str], place: str) -> tuple[Engine, BoundQuestion]:
        """Put the question about a crowded place to the position in which some pieces have reached their ends."""
        position, question = self.position, self._crowding
        assert question is not None
        data = dict(position.world.data)
        for name, rows in data.items():
            if isinstance(rows, list) and any(isinstance(row, dict) and row.get("id") in moved for row in rows):
                data[name] = [{**row, "place": moved[row["id"]]} if row.get("id") in moved else row for row in rows]
        model = position.edition.model
        world = resolve(model, position.situation, data, position.world)
        engine = position.edition.engine_for(model, world)
        raw = {spec.json: place if spec.type.kind == "place" else self._side for spec in question.inputs}
        return engine, BoundQuestion(model, question, engine, world, raw, "$")

    # ------------------------------------------------------------------ witnesses
    def _way(self, ends: Mapping[int, str], against: bool) -> _Way | None:
        """Find actions by which stacks reach their ends: in some orders, then, as long as that may take, in all."""
        self._least, self._aim = 0, ends
        try:
            found = self._in_turns(ends) if not against else None
            self._least = MAX_POSITIONS // 2
            return found or self._solved(self.position, None, ends, against)
        except _TooManyPositions:
            self._is_cut = True
            if not self._least:
                raise
            return None

    def _in_turns(self, ends: Mapping[int, str]) -> _Way | None:
        """Move one stack after the other; one that fails leads the next time."""
        order, tried = list(ends), set[tuple[int, ...]]()
        while tuple(order) not in tried:
            tried.add(tuple(order))
            position, cost, actions = self.position, 0, tuple[str, ...]()
            for one in order:
                march = next(self._marches(position, one, ends[one]), None)
                if march is None:
                    order.remove(one)
                    order.insert(0, one)
                    break
                cost += self._costs(position, one).get(ends[one], 0)
                position, actions = march.after, (*actions, *march.actions)
            else:
                if self._are_there(position):
                    return cost, actions
        return None

    def _are_there(self, position: Position) -> bool:
        """Whether all stacks are at their ends; one that moves may take others along who were on their way."""
        aim = ((self.stacks[one], end) for one, end in self._aim.items())
        return all(self._number_at(position, stack, end) == len(stack.pieces) for stack, end in aim)

    def _solved(
        self, position: Position, current: tuple[int, str] | None, ends: Mapping[int, str], against: bool
    ) -> _Way | None:
        """Find actions by which stacks reach their ends, in any order; `current` is one that is on its way."""
        if current is None and not ends:
            return (0, ()) if self._are_there(position) else None
        key = self._state(position), current, tuple(sorted(ends.items())), tuple(sorted(self._aim.items())), against
        if key in self._failed:
            return None
        for one, end in [current] if current is not None else sorted(ends.items()):
            cost = 0 if current is not None else self._costs(position, one).get(end, 0)
            rest = {other: its for other, its in ends.items() if other != one}
            for march in self._marches(position, one, end, against):
                if against and (attempt := self._stopping(march, one, end, rest)):
                    self._stopped_by = attempt
                    continue
                onward = self._solved(march.after, None, rest, against)
                if onward is not None:
                    return cost + onward[0], (*march.actions, *onward[1])
        self._failed.add(key)
        return None

    def _stopping(self, march: _March, one: int, end: str, rest: Mapping[int, str]) -> str:
        """Name an attempt of the other side after which the stacks cannot all go on; empty if there is none."""
        threats = march.threats
        return next((by for by, after in threats if self._solved(after, (one, end), rest, False) is None), "")

    def _marches(self, position: Position, one: int, end: str, against: bool = False) -> Iterator[_March]:
        """Yield the ways in which a stack reaches its end; each is searched for once."""
        key = self._state(position), one, end, against
        if key not in self._known_marches:
            self._known_marches[key] = [], self._searched(position, self.stacks[one], end, against)
        found, searched = self._known_marches[key]
        for number in itertools.count():
            if number == len(found):
                try:
                    march = next(searched, None)
                except _TooManyPositions:
                    del self._known_marches[key]  # it can be looked at again, from its beginning
                    raise
                if march is None:
                    return
                found.append(march)
            yield found[number]

    def _searched(self, position: Position, stack: Stack, end: str, against: bool) -> Iterator[_March]:
        """Search for the ways in which a stack reaches its end, by legal actions that concern no other piece."""
        near, number = self._distances(end), itertools.count()
        waiting: list[tuple[int, int, int, _March, Option | None]] = [(0, next(number), 0, _March(position), None)]
        seen = set[Hashable]()
        while waiting:
            _, _, far, came, last = heapq.heappop(waiting)
            if last is not None:
                after = self._after(came.after, last.action)
                if self._is_closing(last) and not self._is_of_use(came, after, stack, end):
                    continue
                has_begun = came.has_begun or self._is_closing(last) or bool(self.pieces.intersection(_names(last)))
                came = _March(after, (*came.actions, str(last.action)), came.threats, has_begun)
            state = self._state(came.after), came.has_begun
            if state in seen:
                continue
            seen.add(state)
            if self._number_at(came.after, stack, end) == len(stack.pieces):
                yield came
                continue
            self._left -= 1
            if self._left < self._least:
                raise _TooManyPositions
            known = state[0], stack.pieces, against
            if known not in self._ways_on:
                self._ways_on[known] = self._followed(came.after, stack, against)
            followed, threats = self._ways_on[known]
            going = replace(came, threats=(*came.threats, *threats))
            for option in followed:
                away = next((near[name] for name in reversed(_names(option)) if name in near), far)
                heapq.heappush(waiting, (len(going.actions) + 1 + away, next(number), away, going, option))

    def _after(self, position: Position, action: Action) -> Position:
        """Apply an action; searches that come by the same position for other ends share what comes of it."""
        key = self._state(position), action
        if key not in self._applied:
            self._applied[key] = position.apply(action)
        return self._applied[key]

    def _is_closing(self, option: Option) -> bool:
        """Whether an action ends a move, or a phase."""
        return option.action.by in self.sides and not _names(option)

    def _is_of_use(self, came: _March, after: Position, stack: Stack, end: str) -> bool:
        """Whether the end of a move brings a piece of the stack to its end, or ends one that was there before."""
        if self._number_at(after, stack, end) > self._number_at(came.after, stack, end):
            return True
        return not came.has_begun and self._moment(after) == self._moment(came.after)

    def _moment(self, position: Position) -> tuple[Any, ...]:
        """Give the time, and what else a situation says in one word, such as its phase."""
        model, root = position.edition.model, position.world.root
        fields = model.records[position.situation].fields
        return (position.stamp, *(getattr(root, one.name) for one in fields if one.type.kind == "enum"))

    def _followed(
        self, position: Position, stack: Stack, against: bool
    ) -> tuple[list[Option], tuple[tuple[str, Position], ...]]:
        """Give the actions that may go on with a stack, and what comes of those of the other side that throw dice."""
        followed, threats = list[Option](), list[tuple[str, Position]]()
        for option in position.options:
            is_own, throws = option.action.by in self.sides, option.dice is not None and option.dice.count > 0
            if is_own and not throws and self.pieces.intersection(_names(option)) <= set(stack.pieces):
                followed.append(option)
            elif not is_own and throws and against:
                threats += [(str(option.action), after) for _, _, after in position.outcomes(option.action)]
            elif not is_own and not throws:
                followed.append(option)
        return followed, tuple(threats)

    def _state(self, position: Position) -> Hashable:
        """Give a key of a position, as its digest but sooner: positions share the lists and rows that do not change."""
        return self._part(position.world.data)

    def _part(self, value: Any) -> Hashable:
        """Give a number of a list or a map, the same for equal ones; each is looked at once."""
        if not isinstance(value, _COLLECTIONS):
            return value  # type: ignore[no-any-return]
        at = id(value)
        known = self._parts.get(at)
        if known is None:  # the part is kept too, so that no other one gets its id
            parts = sorted(value.items()) if isinstance(value, dict) else enumerate(value)
            key = tuple([(name, self._part(one)) for name, one in parts])
            known = self._parts[at] = value, self._numbers.setdefault(key, len(self._numbers))
        return known[1]

    def _number_at(self, position: Position, stack: Stack, end: str) -> int:
        [kind] = [one.name for one in position.edition.model.records.values() if one.role == "piece"]
        records = (position.world.named(kind, piece) for piece in stack.pieces)
        return sum(record is not None and record.place is not None and record.place.id == end for record in records)

    def _distances(self, end: str) -> dict[str, int]:
        """Count the steps on the map from each place to an end."""
        if end not in self._near:
            places = {place.id: place for place in self.position.world.places}
            found, waiting = {end: 0}, deque([end])
            while waiting:
                name = waiting.popleft()
                for _, other in all_links(places[name]):
                    if other.id not in found:
                        found[other.id] = found[name] + 1
                        waiting.append(other.id)
            self._near[end] = found
        return self._near[end]

    # ------------------------------------------------------------------ why not
    def _clauses(self, kept: Sequence[int]) -> tuple[str, ...]:
        """Name the clauses that keep stacks from moving: for one, from its ends; for several, from a place together."""
        position, found = self.position, list[str]()
        if len(kept) == 1 and not self._crowded_everywhere(kept):
            stack, model = self.stacks[kept[0]], position.edition.model
            for question in model.questions.values():
                spec = next((one for one in question.inputs if one.type.kind == "set"), None)
                to = next((one for one in question.inputs if one.type.kind == "place"), None)
                if question.ask == "cost" and isinstance(model.forms.get(question.form), Route) and spec and to:
                    asked: list[Json] = [{spec.json: list(stack.pieces), to.json: end} for end in stack.to]
                    verdicts = [position.verdict(question.name, one) for one in asked]
                    found += [finding.clause for verdict in verdicts for finding in verdict.failing]
                    break
        elif self._crowded_everywhere(kept):
            for ends in itertools.islice(itertools.product(*(self.stacks[one].to for one in kept)), 20):
                for place in sorted(set(ends)):
                    engine, put = self._asked(self._moved(kept, ends, place), place)
                    form, given = put.choice_form()
                    assert isinstance(form, Selection)
                    said = engine.said(head_key(form.name, "choose"), {**given, form.picked[0]: []})
                    found += [one.clause for one in said]
        return tuple(dict.fromkeys(found or self._refusals(kept)))

    def _refusals(self, kept: Sequence[int]) -> Iterator[str]:
        """Name the clauses that refuse to the last of some stacks the action that ends in a place, if there is one.

        The others have moved.
        """
        position, (*others, last) = self.position, kept
        ways = (self._way(dict(zip(others, ends, strict=True)), False) for ends in self._assignments(others))
        for text in next((way[1] for way in ways if way is not None), ()):
            position = position.apply(next(one for one in position.legal_actions if str(one) == text))
        for (kind, piece, place), end in itertools.product(self._arrivals(position), self.stacks[last].to):
            here = position
            for name in self.stacks[last].pieces:
                action = here.chosen(kind, self._side, {piece: name, place: end})
                yield from (finding.clause for finding in here.judge(action).failing)
                if here.is_legal(action) and not here.dice(action):
                    here = here.apply(action)

    def _arrivals(self, position: Position) -> list[tuple[str, str, str]]:
        """List the events that choose just a piece and a place, with both names: those possible now, or the first."""
        records, found = position.edition.model.records, list[tuple[str, str, str]]()
        for event in position.edition.model.events.values():
            types = ((name, wanted) for name, wanted in event.params if name in event.open)
            roles = {records[one.name].role if one.name in records else one.kind: name for name, one in types}
            if event.actor is not None and event.situation == position.situation and roles.keys() == {"piece", "place"}:
                found.append((event.name, roles["piece"], roles["place"]))
        now = {one.kind for one in position.legal_actions}
        return [one for one in found if one[0] in now] or found[:1]

    def _crowded_everywhere(self, kept: Sequence[int]) -> bool:
        return not self._assignments(kept)


def _names(option: Option) -> list[str]:
    """Name the pieces, places and connections that an action chooses."""
    found: list[str] = []
    for _, value in option.action.choices:
        values = value if isinstance(value, tuple) else (value,)
        found += [one for one in values if isinstance(one, str)]
    return found
