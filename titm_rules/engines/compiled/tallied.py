"""Searches on routes whose clauses ask what was counted on the way: a place may be come to in several states."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from titm_rules.engines.compiled.program import Program
from titm_rules.engines.engine import Counts
from titm_rules.engines.steps import Steps
from titm_rules.rules.model import Route, head_key
from titm_rules.rules.terms import Term, free_names
from titm_rules.world.records import Place

WORDS = ("step", "stop", "cost", "end", "goal")


class TalliedPlace(NamedTuple):
    """A place, what was counted when the mover came there, and, if none is entered twice, the places it was in."""

    place: Place
    counts: Counts
    came: frozenset[Any] | None


def asks_counts(program: Program, route: Route, closing: bool = False) -> bool:
    """Whether a clause on a route, or on the action that closes it, asks what was counted."""
    keys = [head_key(route.name, word) for word in WORDS]
    if closing:
        keys += [head_key(route.closing, word) for word in ("try", "cost")]
    names = {name for name, _ in route.counters}
    return bool(names) and any(names & free_names(term) for key in keys for term in _decisive(program, key))


def _decisive(program: Program, key: str) -> Iterator[Term]:
    """Yield the terms that decide a head under the chosen readings."""
    head = program.model.heads[key]
    if head.mode in ("any", "bar"):
        yield program.folder.decision(head)
        return
    for statement in head.statements:
        if statement.value is not None:
            yield program.folder.counts(head, statement)
            yield program.folder.fold(statement.value)


class CountedSearch:
    """All states that one mover can come to, each with its cheapest cost."""

    def __init__(self, steps: Steps, start: Place) -> None:
        self.steps, self.start = steps, start
        self.points = steps.points
        came = frozenset(steps.route.closed_to((start,))) if steps.route.simple else None
        self.first = TalliedPlace(start, steps.zeros, came)

    def costs(self) -> dict[TalliedPlace, int]:
        """Map every state within the points to its cheapest cost."""
        best, going = {self.first: 0}, {self.first: 0}
        numbers = itertools.count()
        heap = [(0, next(numbers), self.first)]
        while heap:
            spent, _, state = heapq.heappop(heap)
            if spent > going[state]:
                continue
            for after, cost, stops in self._onward(state, spent):
                best[after] = min(cost, best.get(after, cost))
                if not stops and cost < going.get(after, cost + 1):
                    going[after] = cost
                    heapq.heappush(heap, (cost, next(numbers), after))
        return best

    def _onward(self, state: TalliedPlace, spent: int) -> Iterator[tuple[TalliedPlace, int, bool]]:
        for _, place, price, stops, counts in self.steps.open(state.place, state.counts, self.points - spent):
            if state.came is None:
                yield TalliedPlace(place, counts, None), spent + price, stops
            elif place not in state.came:
                yield TalliedPlace(place, counts, state.came | {place}), spent + price, stops

    def ends(self) -> dict[Any, int]:
        """Map every place but the start where the route may end to its cheapest cost."""
        best: dict[Any, int] = {}
        for state, cost in self.costs().items():
            place = state.place
            if place is not self.start and cost < best.get(place, cost + 1) and self._may_end(state):
                best[place] = cost
        return best

    def counted(self) -> Iterator[tuple[Place, Counts]]:
        """Yield the places where the route may end, each with what may be counted by then."""
        return (state[:2] for state in self.costs() if self._may_end(state))

    def closings(self) -> list[Any]:
        """List the places where the closing action may be taken; at the start, by a mover that stays there."""
        found: dict[Any, None] = {}
        for state, cost in self.costs().items():
            stays = state == self.first
            if state.place in found or (state.place is self.start and not stays):
                continue
            after = self.steps.closing_counts(*state[:2])
            if (stays or self.steps.may_end(state.place, after)) and self._closes(state, cost):
                found[state.place] = None
        return list(found)

    def goal(self) -> int | None:
        """Cheapest cost of coming to what the route looks for; nothing if there is no way."""
        reached: Iterable[tuple[TalliedPlace, int]] = self.costs().items()
        goals = (cost for state, cost in reached if self.steps.is_goal(*state[:2]) and self._may_end(state))
        return min(goals, default=None)

    def _may_end(self, state: TalliedPlace) -> bool:
        return self.steps.may_end(state.place, state.counts)

    def _closes(self, state: TalliedPlace, cost: int) -> bool:
        return self.steps.closed(state.place, state.counts, self.points - cost) is not None


class CountedFlood:
    """The costs to a goal from every place: one search from each that is asked for."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._known: dict[Any, int | None] = {}

    def get(self, place: Place | None) -> int | None:
        """Look up the cost from a place."""
        if place not in self._known:
            self._known[place] = None if place is None else CountedSearch(self._steps, place).goal()
        return self._known[place]
