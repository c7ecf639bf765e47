"""Distance maps: the cost from every place to a goal, by Dijkstra (1959) with a bucket queue (Dial 1969).

Where clauses ask counters, it is a shortest path with resources, solved by label setting (Desrochers and Soumis 1988)
without dominance: a label is a place with its counters, and each keeps its cheapest cost.

A step of a route is priced by what stands at its two ends. Where the clauses say no more than that, a later situation
prices again only the steps at places where other pieces stand; if all prices are the same, so are all costs.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from titm_rules.engines.compiled.program import Program
from titm_rules.engines.compiled.step_kernel import OpenSteps, Stride
from titm_rules.engines.engine import Counts
from titm_rules.engines.route_walk import Steps
from titm_rules.ir.model import Route, head_key
from titm_rules.ir.terms import Term, free_names
from titm_rules.world.records import Place, Situation
from titm_rules.world.world import World

# ---------------------------------------------------------------------- tallied
WORDS = ("step", "stop", "cost", "end", "goal")


class LabelledPlace(NamedTuple):
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


class LabelSearch:
    """All labels that one mover can reach, each with its cheapest cost."""

    def __init__(self, steps: Steps, start: Place) -> None:
        self.steps, self.start = steps, start
        self.points = steps.points
        came = frozenset(steps.route.closed_to((start,))) if steps.route.simple else None
        self.first = LabelledPlace(start, steps.zeros, came)

    def costs(self) -> dict[LabelledPlace, int]:
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

    def _onward(self, state: LabelledPlace, spent: int) -> Iterator[tuple[LabelledPlace, int, bool]]:
        for _, place, price, stops, counts in self.steps.open(state.place, state.counts, self.points - spent):
            if state.came is None:
                yield LabelledPlace(place, counts, None), spent + price, stops
            elif place not in state.came:
                yield LabelledPlace(place, counts, state.came | {place}), spent + price, stops

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
        """Return the cheapest cost to a goal, or None."""
        reached: Iterable[tuple[LabelledPlace, int]] = self.costs().items()
        goals = (cost for state, cost in reached if self.steps.is_goal(*state[:2]) and self._may_end(state))
        return min(goals, default=None)

    def _may_end(self, state: LabelledPlace) -> bool:
        return self.steps.may_end(state.place, state.counts)

    def _closes(self, state: LabelledPlace, cost: int) -> bool:
        return self.steps.closed(state.place, state.counts, self.points - cost) is not None


class CountedDistanceMap:
    """The costs to a goal from every place: one search from each that is asked for."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._known: dict[Any, int | None] = {}

    def get(self, place: Place | None) -> int | None:
        """Look up the cost from a place."""
        if place not in self._known:
            self._known[place] = None if place is None else LabelSearch(self._steps, place).goal()
        return self._known[place]


# ---------------------------------------------------------------------- floods
Into = Callable[[Place], OpenSteps]  # the steps into a place, each with the place left


class DistanceMap:
    """Costs of the cheapest routes to a goal, from every place that has one within the points."""

    __slots__ = ("cost", "get")

    def __init__(self, cost: dict[Any, int]) -> None:
        self.cost = cost
        self.get = cost.get


class UpdatedDistanceMap:
    """A flood of the situation before a move, asked with places of the one after it."""

    def __init__(self, flood: DistanceMap | UpdatedDistanceMap | CountedDistanceMap, origin: World) -> None:
        self._flood = flood
        self._origin = origin

    def get(self, place: Place | None) -> int | None:
        """Look up the cost from a place."""
        found: int | None = None if place is None else self._flood.get(self._origin.twin(place))
        return found


class Gates(NamedTuple):
    """Steps that the board prices, where all else that is said of a step is who may enter a place.

    Attributes:
        free: for each place, the places from which a step there costs nothing.
        paid: for each place, the price of the other steps there, each with the place left; a place without any is
            left out.
        shut: the places that nobody may enter.
    """

    free: Mapping[Any, Sequence[Any]]
    paid: Mapping[Any, Sequence[Stride]]
    shut: Set[Any]


class SearchGraph:
    """The costs of all movers that are alike.

    Attributes:
        cost: by place, the cost to a goal.
    """

    __slots__ = ("_finals", "_most", "_within", "cost")
    cost: dict[Any, int]

    def __init__(self, finals: Iterable[Place]) -> None:
        self._finals = frozenset(finals)
        self._within: dict[int, DistanceMap] = {}
        self._most = 0

    def within(self, points: int) -> DistanceMap:
        """Give the costs that some points pay for; always the same ones."""
        found = self._within.get(points)
        if found is None:
            cost = self.cost
            if cost and points < self._most:
                cost = {place: price for place, price in cost.items() if price <= points}
            found = self._within[points] = DistanceMap(cost)
        return found

    def _finals_after(self, changed: Iterable[Any], is_final: Callable[[Place], bool]) -> frozenset[Any]:
        return self._finals.difference(changed).union(filter(is_final, changed))


class UniformGraph(SearchGraph):
    """Costs where the board prices all steps, and some places are shut."""

    __slots__ = ("_shut",)

    def __init__(self, finals: Iterable[Place], gates: Gates) -> None:
        """Search back from the places where the route may end, and has reached its goal."""
        super().__init__(finals)
        self._shut = gates.shut
        self.cost = self._search(gates)

    def renewed(self, changed: Set[Any], gates: Gates, is_final: Callable[[Place], bool]) -> UniformGraph:
        """Give the net of a situation in which other pieces stand at some places: this one, if nothing differs.

        Places that no search has reached are not looked at: nothing about them has mattered.
        """
        finals = self._finals_after(changed, is_final)
        seen = changed & self.cost.keys()
        if finals == self._finals and seen & self._shut == seen & gates.shut:
            return self
        return UniformGraph(finals, gates)

    def _search(self, gates: Gates) -> dict[Any, int]:
        """Search by rising costs; what costs the same is settled in one go."""
        free, paid, shut = gates
        best: dict[Any, int] = {}
        waiting: dict[int, list[Any]] = {0: sorted(self._finals, key=_number)}
        for spent in by_cost(waiting):
            self._most = spent
            here = []
            for place in waiting.pop(spent):
                if place not in best:
                    best[place] = spent
                    here.append(place)
            for place in here:  # it grows
                if place in shut:
                    continue
                for other in free[place]:
                    if other not in best:
                        best[other] = spent
                        here.append(other)
                if place in paid:
                    for price, other in paid[place]:
                        if other not in best:
                            waiting.setdefault(spent + price, []).append(other)
        return best


class WeightedGraph(SearchGraph):
    """Costs where steps are priced by what stands at their two ends."""

    __slots__ = ("_into", "_link_type")

    def __init__(self, finals: Iterable[Place], link_type: str, into: Into) -> None:
        """Search back from the places where the route may end, and has reached its goal.

        Args:
            finals: these places.
            link_type: which connections are crossed.
            into: the steps into a place: those that lead on, and those after which the mover has to stop.
        """
        super().__init__(finals)
        self._link_type = link_type
        self._into: dict[Any, OpenSteps] = {}
        self.cost = self._search(into)

    def renewed(self, changed: Set[Any], into: Into, is_final: Callable[[Place], bool]) -> WeightedGraph:
        """Give the net of a situation in which other pieces stand at some places: this one, if nothing differs.

        Places that no search has reached are not looked at: nothing about them has mattered.
        """
        known, kind = self._into, self._link_type
        near = {at for place in changed for at in (place, *(other for _, other in place.links_.get(kind, ())))}
        steps = {place: into(place) for place in near if place in known}
        finals = self._finals_after(changed, is_final)
        if finals == self._finals and all(known[place] == found for place, found in steps.items()):
            return self
        made: WeightedGraph = WeightedGraph.__new__(WeightedGraph)
        SearchGraph.__init__(made, finals)
        made._link_type = kind
        made._into = {**{place: found for place, found in known.items() if place not in near}, **steps}
        made.cost = made._search(into)
        return made

    def _search(self, into: Into) -> dict[Any, int]:
        """Search back from the goals by rising costs; places that cost the same wait together."""
        finals, known = self._finals, self._into
        best: dict[Any, int] = dict.fromkeys(sorted(finals, key=_number), 0)
        waiting = {0: list(best)}
        for spent in by_cost(waiting):
            here = waiting[spent]
            for place in here:  # it may grow
                if best[place] < spent:
                    continue
                steps = known.get(place)
                if steps is None:
                    steps = known[place] = into(place)
                on, last = steps
                for price, other in (*on, *last) if last and place in finals else on:
                    cost = spent + price
                    if other not in best or cost < best[other]:
                        best[other] = cost
                        if cost in waiting:
                            waiting[cost].append(other)
                        else:
                            waiting[cost] = [other]
            self._most = spent
            del waiting[spent]
        return best


def by_cost(waiting: dict[int, list[Any]]) -> Iterator[int]:
    """Yield the costs at which something waits, the least first; the caller removes what has waited."""
    while waiting:
        yield min(waiting)


def _number(place: Place) -> int:
    return place.index_


def other_places(before: Situation, after: Situation) -> frozenset[Any]:
    """Name the places at which other pieces stand in one situation than in another, on one board."""
    one, other = before.standing_, after.standing_
    if one is other:
        return frozenset()
    found = {place for place, pieces in other.items() if one.get(place) != pieces}
    return frozenset(found | (one.keys() - other.keys()))
