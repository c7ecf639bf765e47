"""The same questions put to networkx and python-constraint in the plainest way."""

from __future__ import annotations

import itertools
from typing import Any

import networkx as nx
from constraint import Problem

from benchmarks.hand import QUALITY, ROAD, Battle
from titm_rules.solving.models import AllocationChoices

Json = dict[str, Any]


# ---------------------------------------------------------------------- fire
def may_pick(battle: Battle, ranks: list[int], firer: int, target: int, counts: tuple[int, ...]) -> bool:
    """Whether a firer may pick a target after so many shots at each, as the rules say it."""
    eligible = [n for n in range(len(counts)) if counts[n] == min(counts)]
    if target not in eligible:
        return False
    if min(counts):
        return True

    def order(n: int) -> tuple[int, int]:
        gap = ranks[firer] - battle.qualities[n]
        return (0, gap) if gap >= 0 else (1, -gap)

    return not any(battle.claims[s] and order(s) < order(target) for s in eligible)


def by_class(battle: Battle, ranks: list[int]) -> AllocationChoices:
    """Model fire with one constraint for each class of equal firers."""
    return AllocationChoices(ranks, len(battle.names), lambda *args: may_pick(battle, ranks, *args))


def by_one_function(battle: Battle, ranks: list[int]) -> list[tuple[int, ...]]:
    """Model fire with one constraint over all firers: some order of firing makes every pick legal."""
    orders = [
        [n for part in parts for n in part]
        for parts in itertools.product(
            *(itertools.permutations([n for n, r in enumerate(ranks) if r == rank]) for rank in sorted(set(ranks))[::-1])
        )
    ]

    def legal(*picked: int) -> bool:
        return any(_plays_out(battle, ranks, order, picked) for order in orders)

    problem = Problem()
    problem.addVariables(range(len(ranks)), range(len(battle.names)))
    problem.addConstraint(legal, range(len(ranks)))
    return [tuple(one[n] for n in range(len(ranks))) for one in problem.getSolutions()]


def _plays_out(battle: Battle, ranks: list[int], order: list[int], picked: tuple[int, ...]) -> bool:
    counts = [0] * len(battle.names)
    for firer in order:
        if not may_pick(battle, ranks, firer, picked[firer], tuple(counts)):
            return False
        counts[picked[firer]] += 1
    return True


def ranks_of(units: list[Json]) -> list[int]:
    """Give the qualities of units."""
    return [QUALITY[unit["kind"]] for unit in units]


# ---------------------------------------------------------------------- the map
class Map:
    """The map as a directed graph, asked through filtered views and weight functions, unit by unit."""

    def __init__(self, position: Json, side: str) -> None:
        self.side = side
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
        view = nx.subgraph_view(self.graph, filter_edge=lambda left, entered: entered not in self.held)
        limit = int(unit["kind"] != "armor")
        costs = nx.single_source_dijkstra_path_length(view, start, cutoff=limit, weight=_blown)
        return min((costs[source] for source in self.sources if source in costs), default=None)

    def moves(self) -> list[dict[str, int]]:
        """Search the moves of each unit by itself; supply is searched back from the sources once a kind."""
        reversed_view = nx.subgraph_view(self.graph, filter_edge=lambda left, entered: entered not in self.held).reverse()
        blown = nx.multi_source_dijkstra_path_length(reversed_view, self.sources, cutoff=1, weight=_blown)
        return [self._reachable(unit, blown) for unit in self.units]

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


def _blown(left: str, entered: str, link: Json) -> int:
    return int(link["blown"])
