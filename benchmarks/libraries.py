"""The same questions put to networkx and python-constraint in the plainest way.

They know what the drawn situations hold and nothing more: units that have done nothing yet, no special
forces, a day after the 16th, the side to move, and no zone that is closed.
"""

from __future__ import annotations

import itertools
from typing import Any

import networkx as nx
from constraint import Problem
from titm_rules.engines.library.models import AllocationChoices

QUALITY = {"engineer": 5, "armor": 4, "mechanized": 3, "motorized": 2, "foot": 1}
ROAD = {"major": 1, "minor": 2}
Json = dict[str, Any]


# ---------------------------------------------------------------------- fire
class Battle:
    """Fire of several attackers; a choice gives the target of each, by number."""

    def __init__(self, battle: Json) -> None:
        self.ranks = [QUALITY[unit["kind"]] for unit in battle["attackers"]]
        self.qualities = [QUALITY[unit["kind"]] for unit in battle["defenders"]]

    def may_pick(self, firer: int, target: int, shots: tuple[int, ...]) -> bool:
        """Whether a firer may pick a target after so many shots at each, as the rules say it."""
        eligible = [number for number, count in enumerate(shots) if count == min(shots)]
        if target not in eligible:
            return False
        best = min(self._preference(firer, number) for number in eligible)
        return min(shots) > 0 or self._preference(firer, target) == best

    def _preference(self, firer: int, target: int) -> tuple[int, int]:
        gap = self.ranks[firer] - self.qualities[target]
        return (0, gap) if gap >= 0 else (1, -gap)

    def by_class(self) -> AllocationChoices:
        """Model fire with one constraint for each class of equal firers."""
        return AllocationChoices(self.ranks, len(self.qualities), self.may_pick)

    def by_one_function(self) -> list[tuple[int, ...]]:
        """Model fire with one constraint: some order of equal firers makes every pick legal."""
        classes = [[n for n, own in enumerate(self.ranks) if own == rank] for rank in sorted(set(self.ranks))[::-1]]
        tied = itertools.product(*(itertools.permutations(members) for members in classes))
        orders = [list(itertools.chain.from_iterable(parts)) for parts in tied]
        firers = range(len(self.ranks))
        problem = Problem()
        problem.addVariables(firers, range(len(self.qualities)))
        problem.addConstraint(lambda *picked: any(self._plays_out(order, picked) for order in orders), firers)
        return [tuple(solution[firer] for firer in firers) for solution in problem.getSolutions()]

    def _plays_out(self, order: list[int], picked: tuple[int, ...]) -> bool:
        shots = [0] * len(self.qualities)
        for firer in order:
            if not self.may_pick(firer, picked[firer], tuple(shots)):
                return False
            shots[picked[firer]] += 1
        return True


# ---------------------------------------------------------------------- the map
class Map:
    """The map of the side to move as a directed graph, asked unit by unit through views and weight functions."""

    def __init__(self, position: Json) -> None:
        side = position["side_to_move"]
        self.graph = nx.DiGraph()
        self.areas = {area["id"] for area in position["areas"]}
        self.occupied = {unit["place"] for unit in position["units"]}
        self.held = {unit["place"] for unit in position["units"] if unit["side"] != side}
        self.contact = self.held & self.areas
        self.sources = [z["id"] for z in position["zones"] if z["owner"] == side and z["id"] not in self.held]
        self.units = [unit for unit in position["units"] if unit["side"] == side]
        self.graph.add_nodes_from([place["id"] for place in position["areas"] + position["zones"]])
        for link in position["connections"]:
            for left, entered in (link["ends"], link["ends"][::-1]):
                self.graph.add_edge(left, entered, **{**link, "blown": link.get("bridge") == "blown"})

    def supply(self) -> list[int | None]:
        """Trace supply for each unit by itself."""
        return [self._trace(unit, unit["place"]) for unit in self.units]

    def _trace(self, unit: Json, start: str) -> int | None:
        view = nx.subgraph_view(self.graph, filter_edge=self._is_open)
        limit = int(unit["kind"] != "armor")
        costs = nx.single_source_dijkstra_path_length(view, start, cutoff=limit, weight=_blown)
        return min((costs[source] for source in self.sources if source in costs), default=None)

    def moves(self) -> list[dict[str, int]]:
        """Search the moves of each unit by itself; supply is searched back from the sources once a kind."""
        back = nx.subgraph_view(self.graph, filter_edge=self._is_open).reverse()
        blown = nx.multi_source_dijkstra_path_length(back, self.sources, cutoff=1, weight=_blown)
        return [self._reachable(unit, blown) for unit in self.units]

    def _is_open(self, _: str, entered: str) -> bool:
        return entered not in self.held

    def _reachable(self, unit: Json, blown: dict[str, int]) -> dict[str, int]:
        start, foot, limit = unit["place"], unit["kind"] == "foot", int(unit["kind"] != "armor")
        supplied = blown.get(start, 9) <= limit

        def may_leave(left: str, entered: str) -> bool:
            if left != start:
                return supplied and left not in self.contact
            return not (left in self.contact and entered in self.contact)

        def cost(left: str, entered: str, link: Json) -> int | None:
            if link["blown"] and not foot:
                return None
            price = 3 if link["blown"] else ROAD[link["road"]]
            return price + (left in self.contact) + (entered in self.occupied and entered in self.areas)

        view = nx.subgraph_view(self.graph, filter_edge=may_leave)
        costs = nx.single_source_dijkstra_path_length(view, start, cutoff=5 if foot else 8, weight=cost)
        return {
            place: spent
            for place, spent in costs.items()
            if place != start and (not supplied or blown.get(place, 9) <= limit)
        }


def _blown(_: str, __: str, link: Json) -> int:
    return int(link["blown"])
