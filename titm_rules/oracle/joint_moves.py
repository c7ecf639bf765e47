"""Joint moves: whether several stacks can all end where each may, one after the other, in one impulse.

The ends are assigned so that nobody has to leave a crowded place; the state machine proves an assignment by a witness:
best-first search over legal actions, in every order of the stacks that it needs.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean
from titm_rules.engines.engine import Engine
from titm_rules.engines.query import BoundQuestion
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import Question, Route, Selection, head_key
from titm_rules.oracle.supply_lines import Situated, ends_of
from titm_rules.play.machine import resolve
from titm_rules.play.options import Option
from titm_rules.world.records import all_links

MAX_STACKS, MAX_ASSIGNMENTS = 8, 5_000
MAX_POSITIONS = 4_000  # that are looked at for one question
Json = dict[str, Any]


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
        is_all: whether there are no others.
        stacks: if there is none, the fewest of the stacks that cannot all move; each is necessary.
        clauses: the clauses that say so, where one place is out of reach or too crowded.
        is_stopped: whether they could, if the other side did not try to stop them.
    """

    plans: tuple[JointPlan, ...]
    is_all: bool
    stacks: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    is_stopped: bool = False

    def to_dict(self) -> Json:
        """Give everything as JSON values."""
        plans = [{"ends": list(one.ends), "cost": one.cost, "actions": list(one.actions)} for one in self.plans]
        told: Json = {"plans": plans, "complete": self.is_all}
        if not self.plans:
            why = {"stacks": list(self.stacks), "clauses": list(self.clauses), "stopped": self.is_stopped}
            told["why"] = why
        return told


def joint_moves(
    position: Situated, stacks: Sequence[tuple[Sequence[str], Sequence[str]]], *, top: int = 5, against: bool = False,
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


def _known(position: Situated, stacks: Sequence[tuple[Sequence[str], Sequence[str]]], path: str) -> list[Stack]:
    if not 0 < len(stacks) <= MAX_STACKS:
        raise InputError([Fault(f"{len(stacks)} stacks", path, f"limit: 1 to {MAX_STACKS}", kind="too-large")])
    standing = {name: unit for name, unit in position.units.items() if unit["place"] is not None}
    places = [place.id for place in position.world.places]
    found, seen = [], set[str]()
    for number, (pieces, to) in enumerate(stacks):
        ends = [position.place_id(one) for one in to]
        for name, known in [*((one, list(standing)) for one in pieces), *((one, places) for one in ends)]:
            if name not in known:
                what = f"unknown piece or place `{cut(name)}`"
                raise bad(what, f"{path}[{number}]", did_you_mean(name, known), "unknown-name")
        if seen & set(pieces) or not pieces or not ends:
            raise bad("each piece is in one stack", f"{path}[{number}]", "name pieces once, and an end", "bad-value")
        seen |= set(pieces)
        found.append(Stack(tuple(pieces), tuple(dict.fromkeys(ends))))
    return found


@dataclass(frozen=True)
class _March:
    """A stack that has reached its end: the position, the actions, and the positions after attempts to stop it."""

    after: Situated
    actions: tuple[str, ...]
    threats: tuple[Situated, ...]


class _Joint:
    """One question about joint moves."""

    def __init__(self, position: Situated, stacks: Sequence[Stack], against: bool, path: str) -> None:
        self.position, self.stacks, self.against, self.path = position, stacks, against, path
        self.pieces = frozenset(position.units)
        self.sides = frozenset(position.to_act)
        self._left = MAX_POSITIONS
        self._failed: set[Any] = set()
        self._crowded: dict[Any, bool] = {}
        self._near: dict[str, dict[str, int]] = {}
        self._costs = [ends_of(position, stack.pieces) for stack in stacks]

    def found(self, top: int) -> JointMoves:
        whole = range(len(self.stacks))
        plans, is_all = list[JointPlan](), True
        for ends in self._assignments(whole):
            solved = self._solved(self.position, None, dict(zip(whole, ends, strict=True)), self.against)
            if solved is not None:
                if len(plans) == top:
                    is_all = False
                    break
                cost, actions = solved
                plans.append(JointPlan(ends, cost, actions))
        if plans:
            return JointMoves(tuple(sorted(plans, key=lambda one: (one.cost, one.ends))), is_all)
        kept = list(whole)
        for one in whole:
            without = [other for other in kept if other != one]
            if without and not self._is_possible(without, self.against):
                kept = without
        stacks = tuple(str(self.stacks[one]) for one in kept)
        if self.against and self._is_possible(kept, False):
            return JointMoves((), True, stacks, is_stopped=True)
        return JointMoves((), True, stacks, self._clauses(kept))

    def _is_possible(self, some: Sequence[int], against: bool) -> bool:
        return any(
            self._solved(self.position, None, dict(zip(some, ends, strict=True)), against) is not None
            for ends in self._assignments(some)
        )

    # ------------------------------------------------------------------ ends
    def _assignments(self, some: Sequence[int]) -> list[tuple[str, ...]]:
        """List the ends of some stacks that leave no place too crowded, the cheapest first."""
        domains = [self.stacks[one].to for one in some]
        if prod(map(len, domains)) > MAX_ASSIGNMENTS:
            what, why = "too many ends to compare", f"limit: {MAX_ASSIGNMENTS} together"
            raise InputError([Fault(what, self.path, why, "name fewer places", kind="too-large")])
        found = [ends for ends in itertools.product(*domains) if not self._is_crowded(some, ends)]
        return sorted(found, key=lambda ends: (self._estimate(some, ends), ends))

    def _estimate(self, some: Sequence[int], ends: Sequence[str]) -> int:
        return sum(self._costs[one].get(end, 0) for one, end in zip(some, ends, strict=True))

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
            key = place, frozenset(self._moved(some, ends).items())
            if key not in self._crowded:
                engine, asked = self._asked(some, ends, place)
                form, given = asked.choice_form()
                self._crowded[key] = not engine.is_legal(form, given, ())
            if self._crowded[key]:
                return True
        return False

    def _moved(self, some: Sequence[int], ends: Sequence[str]) -> dict[str, str]:
        return {piece: end for one, end in zip(some, ends, strict=True) for piece in self.stacks[one].pieces}

    def _asked(self, some: Sequence[int], ends: Sequence[str], place: str) -> tuple[Engine, BoundQuestion]:
        """Put the question about a crowded place to the position in which the stacks have reached their ends."""
        position, question, moved = self.position, self._crowding, self._moved(some, ends)
        assert question is not None
        data = dict(position.world.data)
        for name, rows in data.items():
            if isinstance(rows, list) and any(isinstance(row, dict) and row.get("id") in moved for row in rows):
                data[name] = [{**row, "place": moved[row["id"]]} if row.get("id") in moved else row for row in rows]
        model = position.edition.model
        world = resolve(model, position.situation, data, position.world)
        engine = position.edition.engine_for(model, world)
        mine = position.units[self.stacks[some[0]].pieces[0]].values()
        side = next(one for one in position.sides if one in mine)
        raw = {spec.json: place if spec.type.kind == "place" else side for spec in question.inputs}
        return engine, BoundQuestion(model, question, engine, world, raw, "$")

    # ------------------------------------------------------------------ witnesses
    def _solved(
        self, position: Situated, current: tuple[int, str] | None, ends: Mapping[int, str], against: bool
    ) -> tuple[int, tuple[str, ...]] | None:
        """Find actions by which stacks reach their ends, in any order; `current` is one that is on its way."""
        if current is None and not ends:
            return 0, ()
        key = position.digest, current, tuple(sorted(ends.items())), against
        if key in self._failed:
            return None
        for one, end in [current] if current is not None else sorted(ends.items()):
            stack = self.stacks[one]
            cost = 0 if current is not None else ends_of(position, stack.pieces).get(end, 0)
            rest = {other: its for other, its in ends.items() if other != one}
            for march in self._marches(position, stack, end):
                if against and any(self._solved(after, (one, end), rest, False) is None for after in march.threats):
                    continue
                onward = self._solved(march.after, None, rest, against)
                if onward is not None:
                    return cost + onward[0], (*march.actions, *onward[1])
        self._failed.add(key)
        return None

    def _marches(self, position: Situated, stack: Stack, end: str) -> Iterator[_March]:
        """Yield the ways in which a stack reaches its end, by legal actions that concern no other piece."""
        near, number = self._distances(end), itertools.count()
        waiting: list[tuple[int, int, int, _March, Option | None]] = [
            (0, next(number), 0, _March(position, (), ()), None)
        ]
        seen: set[str] = set()
        while waiting:
            _, _, far, came, last = heapq.heappop(waiting)
            if last is not None:
                after, before = came.after.apply(last.action), self._number_at(came.after, stack, end)
                is_closing = not _names(last) and last.action.by in self.sides
                if is_closing and self._number_at(after, stack, end) <= before:
                    continue  # it ends the move of the stack elsewhere, or the phase
                came = _March(after, (*came.actions, str(last.action)), came.threats)
            if came.after.digest in seen:
                continue
            seen.add(came.after.digest)
            there = self._number_at(came.after, stack, end)
            if there == len(stack.pieces):
                yield came
                continue
            self._left -= 1
            if self._left < 0:
                what, why = "too many positions to look at", f"limit: {MAX_POSITIONS}"
                raise InputError([Fault(what, self.path, why, "name fewer stacks or places", kind="too-large")])
            followed, threats = self._followed(came.after, stack)
            going = _March(came.after, came.actions, (*came.threats, *threats))
            for option in followed:
                away = next((near[name] for name in reversed(_names(option)) if name in near), far)
                heapq.heappush(waiting, (len(going.actions) + 1 + away, next(number), away, going, option))

    def _followed(self, position: Situated, stack: Stack) -> tuple[list[Option], tuple[Situated, ...]]:
        """Give the actions that may go on with a stack, and what comes of those of the other side that throw dice."""
        followed, threats = list[Option](), list[Situated]()
        for option in position.options:
            is_own, throws = option.action.by in self.sides, option.dice is not None and option.dice.count > 0
            if is_own and not throws and self.pieces.intersection(_names(option)) <= set(stack.pieces):
                followed.append(option)
            elif not is_own and throws and self.against:
                threats += [after for _, _, after in position.outcomes(option.action)]
            elif not is_own and not throws:
                followed.append(option)
        return followed, tuple(threats)

    def _number_at(self, position: Situated, stack: Stack, end: str) -> int:
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
                    engine, put = self._asked(kept, ends, place)
                    form, given = put.choice_form()
                    assert isinstance(form, Selection)
                    said = engine.said(head_key(form.name, "choose"), {**given, form.picked[0]: []})
                    found += [one.clause for one in said]
        return tuple(dict.fromkeys(found))

    def _crowded_everywhere(self, kept: Sequence[int]) -> bool:
        return not self._assignments(kept)


def _names(option: Option) -> list[str]:
    """Name the pieces, places and connections that an action chooses."""
    found: list[str] = []
    for _, value in option.action.choices:
        values = value if isinstance(value, tuple) else (value,)
        found += [one for one in values if isinstance(one, str)]
    return found
