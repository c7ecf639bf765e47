"""Costs to a goal from everywhere, and how they are kept from a situation to the next.

A step of a route is priced by what stands at its two ends. Where the clauses say no more than that, a later situation
prices the steps anew at the places alone where other pieces stand; if all prices are the same, so are all costs.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import Any

from titm_rules.world.records import Place, Situation

Priced = tuple[int, bool] | None
Prices = Callable[[Place], list[Priced]]


class Flood:
    """Costs of the cheapest routes to a goal, from every place that has one within the points."""

    __slots__ = ("cost", "get")

    def __init__(self, cost: dict[Any, int]) -> None:
        self.cost = cost
        self.get = cost.get


class Net:
    """The priced steps of all movers that are alike, and the costs that follow from them.

    Attributes:
        cost: by place, the cost to a goal.
    """

    __slots__ = ("_finals", "_link_type", "_places", "_steps", "_within", "cost")

    def __init__(self, places: list[Any], link_type: str, prices: Prices, is_final: Callable[[Place], bool]) -> None:
        """Price all steps.

        Args:
            places: all places.
            link_type: which connections are crossed.
            prices: for each connection of a place the price of the step, and whether the mover has to stop behind it;
                nothing if it is barred.
            is_final: whether the route may end at a place, and has come to what it looks for.
        """
        self._places, self._link_type = places, link_type
        linked = [place for place in places if link_type in place.links_]
        self._steps = {place: prices(place) for place in linked}
        self._finals = frozenset(place for place in places if is_final(place))
        self.cost = self._search()
        self._within: dict[int, Flood] = {}

    def within(self, points: int) -> Flood:
        """Give the costs that some points pay for; always the same ones."""
        found = self._within.get(points)
        if found is None:
            found = self._within[points] = Flood({p: cost for p, cost in self.cost.items() if cost <= points})
        return found

    def renewed(self, changed: Iterable[Any], prices: Prices, is_final: Callable[[Place], bool]) -> Net:
        """Give the net of a situation in which other pieces stand at some places: this one, if nothing differs."""
        steps: dict[Any, list[Priced]] = {}
        for place in changed:
            for at in (place, *(other for _, other in self._links(place))):
                if at in self._steps and at not in steps:
                    steps[at] = prices(at)
        others = {place: is_final(place) for place in changed}
        different = any(self._steps[place] != found for place, found in steps.items())
        if not different and all((place in self._finals) is final for place, final in others.items()):
            return self
        made: Net = Net.__new__(Net)
        made._places, made._link_type = self._places, self._link_type
        made._steps = {**self._steps, **steps}
        made._finals = frozenset(p for p in self._places if others.get(p, p in self._finals))
        made.cost, made._within = made._search(), {}
        return made

    def _links(self, place: Place) -> list[tuple[Any, Any]]:
        return place.links_.get(self._link_type, [])

    def _search(self) -> dict[Any, int]:
        """Search back from the goals by rising costs; places that cost the same wait together."""
        into, finals = self._steps_into(), self._finals
        best: dict[Any, int] = dict.fromkeys(sorted(finals, key=_number), 0)
        waiting, costs = {0: list(best)}, [0]
        while costs:
            spent = heapq.heappop(costs)
            for place in waiting.pop(spent):
                if best[place] < spent:
                    continue
                for price, other in into.get(place, ()):
                    cost = spent + price
                    if other not in best or cost < best[other]:
                        best[other] = cost
                        if cost not in waiting:
                            waiting[cost] = []
                            heapq.heappush(costs, cost)
                        waiting[cost].append(other)
        return best

    def _steps_into(self) -> dict[Any, list[tuple[int, Any]]]:
        """List the steps into each place, with the place left; who must stop there has to be at a goal."""
        into: dict[Any, list[tuple[int, Any]]] = {place: [] for place in self._steps}
        link_type, finals = self._link_type, self._finals
        for place, steps in self._steps.items():
            for (_, other), priced in zip(place.links_.get(link_type, ()), steps, strict=True):
                if priced is not None and (not priced[1] or other in finals):
                    into[other].append((priced[0], place))
        return into


def _number(place: Place) -> int:
    return place.index_


def other_places(before: Situation, after: Situation) -> frozenset[Any]:
    """Name the places at which other pieces stand in one situation than in another, on one board."""
    one, other = before.standing_, after.standing_
    if one is other:
        return frozenset()
    found = {place for place, pieces in other.items() if one.get(place) != pieces}
    return frozenset(found | (one.keys() - other.keys()))
