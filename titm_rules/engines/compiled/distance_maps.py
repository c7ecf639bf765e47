"""Distance maps: the cost from every place to a goal, by one search back from the goals.

A step of a route is priced by what stands at its two ends. Where the clauses say no more than that, a later situation
prices again only the steps at places where other pieces stand; if all prices are the same, so are all costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from operator import attrgetter
from typing import Any

from titm_rules.engines.compiled.label_search import CountedDistanceMap, settle
from titm_rules.engines.compiled.step_kernel import Gates, OpenSteps
from titm_rules.world.records import Place
from titm_rules.world.world import World

_NUMBER = attrgetter("index_")
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
        found: int | None = None if place is None else self._flood.get(self._origin.twin(place))
        return found


class SearchGraph:
    """The costs of all movers that are alike: `cost` to a goal, by place."""

    __slots__ = ("_finals", "_within", "cost")
    cost: dict[Any, int]

    def __init__(self, finals: Iterable[Place]) -> None:
        self._finals = frozenset(finals)
        self._within: dict[int, DistanceMap] = {}

    def within(self, points: int) -> DistanceMap:
        """Give the costs that some points pay for; always the same ones."""
        found = self._within.get(points)
        if found is None:
            cost = self.cost
            if points < max(cost.values(), default=0):
                cost = {place: price for place, price in cost.items() if price <= points}
            found = self._within[points] = DistanceMap(cost)
        return found

    def _finals_after(self, changed: Iterable[Any], is_final: Callable[[Place], bool]) -> frozenset[Any]:
        return self._finals.difference(changed).union(filter(is_final, changed))


class UniformGraph(SearchGraph):
    """Costs where the board prices all steps, and some places are shut."""

    __slots__ = ("_shut",)

    def __init__(self, finals: Iterable[Place], gates: Gates) -> None:
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
        known, look, shut = gates
        best: dict[Any, int] = {}
        waiting: dict[int, list[Any]] = {0: sorted(self._finals, key=_NUMBER)}
        while waiting:
            spent = min(waiting)
            here = []
            for place in waiting.pop(spent):
                if place not in best:
                    best[place] = spent
                    here.append(place)
            for place in here:  # it grows
                if place in shut:
                    continue
                free, paid = known.get(place) or look(place)
                for other in free:
                    if other not in best:
                        best[other] = spent
                        here.append(other)
                for price, other in paid:
                    if other not in best:
                        waiting.setdefault(spent + price, []).append(other)
        return best


class WeightedGraph(SearchGraph):
    """Costs where steps are priced by what stands at their two ends.

    The route may end, and has reached its goal, at `finals`. `into` gives the steps into a place: those that lead on,
    and those after which the mover has to stop; `known` are these, as far as they are known.
    """

    __slots__ = ("_into", "_link_type")

    def __init__(
        self, finals: Iterable[Place], link_type: str, into: Into, known: dict[Any, OpenSteps] | None = None
    ) -> None:
        super().__init__(finals)
        self._link_type, self._into = link_type, {} if known is None else known
        self.cost = dict.fromkeys(sorted(self._finals, key=_NUMBER), 0)
        settle(self.cost, self._into, into, ends=self._finals)

    def renewed(self, changed: Set[Any], into: Into, is_final: Callable[[Place], bool]) -> WeightedGraph:
        """As that of `UniformGraph`."""
        known, kind = self._into, self._link_type
        near = {at for place in changed for at in (place, *(other for _, other in place.links_.get(kind, ())))}
        steps = {place: into(place) for place in near if place in known}
        finals = self._finals_after(changed, is_final)
        if finals == self._finals and all(known[place] == found for place, found in steps.items()):
            return self
        kept = {place: found for place, found in known.items() if place not in near}
        return WeightedGraph(finals, kind, into, {**kept, **steps})
