"""The cheapest way between two places of a map, by the rules, for one piece on an empty board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import networkx as nx

from titm_rules.diagnostics import did_you_mean
from titm_rules.engines.library.engine import LibraryEngine
from titm_rules.engines.library.search import RouteSearch
from titm_rules.formats.jsonin import bad
from titm_rules.formats.tables import table_fields
from titm_rules.formats.values import check_situation
from titm_rules.maps.expand import MAP, expand
from titm_rules.maps.maps import GameMap
from titm_rules.rules.model import Model, Route
from titm_rules.world.world import World


@dataclass(frozen=True)
class WayStep:
    """One step of a way: over a connection into a place, for a cost in points; `move` counts moves from 1."""

    place: str
    connection: str
    cost: int
    move: int


@dataclass(frozen=True)
class CheapestWay:
    """The cheapest way between two places.

    Attributes:
        start: where it begins.
        steps: the steps; empty if start and end are one.
        points: what the piece may spend in one move.
    """

    start: str
    steps: tuple[WayStep, ...]
    points: int

    @property
    def cost(self) -> int:
        """What it costs in all, in points."""
        return sum(step.cost for step in self.steps)

    @property
    def moves(self) -> int:
        """How many moves it takes if no other piece is on the board."""
        return self.steps[-1].move if self.steps else 0


def find_way(model: Model, board: GameMap, start: str, end: str, piece: Mapping[str, Any]) -> CheapestWay | None:
    """Find the cheapest way of a piece; nothing if there is none.

    Args:
        model: the rules.
        board: the map; its header describes the piece that travels.
        start: any name of a place.
        end: likewise.
        piece: fields of the piece that differ from the header's.

    Raises:
        InputError: for unknown names, or a map that describes no traveller.
    """
    first, last = (board.place_names.need(name, name, "place") for name in (start, end))
    search, world = _search(model, board, first, piece)
    places = {place.id: place for place in world.places}
    steps = search.steps([places[first]])
    found: Any = nx.single_source_dijkstra(steps, search.begin(places[first]), weight="cost")
    costs, ways = found
    ends = [node for node in costs if node[1] is places[last]]
    if not ends:
        return None
    nodes = ways[min(ends, key=lambda node: costs[node])]
    return CheapestWay(first, _steps(steps, nodes, search.points), search.points)


def _steps(graph: Any, nodes: list[Any], points: int) -> tuple[WayStep, ...]:
    """Lay out the steps of a way; a move that cannot pay for a step gives way to the next."""
    laid: list[WayStep] = []
    move, spent = 1, 0
    for left, entered in pairwise(nodes):
        edge = graph[left][entered]
        cost = edge["cost"]
        if spent + cost > points:
            move, spent = move + 1, 0
        spent += cost
        laid.append(WayStep(entered[1].id, edge["link"].id, cost, move))
    return tuple(laid)


def _search(model: Model, board: GameMap, start: str, piece: Mapping[str, Any]) -> tuple[RouteSearch, World]:
    traveller = board.data.get("traveller")
    if traveller is None:
        what, fix = f"map `{board.name}` describes no traveller", "add `traveller` to its header"
        raise bad(what, board.where, fix, "missing-field")
    route = model.forms.get(traveller["route"])
    if not isinstance(route, Route):
        routes = [name for name, form in model.forms.items() if isinstance(form, Route)]
        what = f"the rules have no route `{traveller['route']}`"
        raise bad(what, "traveller.route", did_you_mean(traveller["route"], routes), "unknown-name")
    table, placed = traveller["table"], {**traveller["piece"], **piece, "place": start}
    raw = {MAP: board.name, **traveller["situation"], table: [placed]}
    data = expand(model, route.situation, raw, board, "$")
    world = World(model, route.situation, check_situation(model, route.situation, data, "$.traveller"))
    given = {name: False for name, kind in route.given if kind.kind == "flag"}
    mover = getattr(world.root, _field_of(model, route.situation, table))
    engine = LibraryEngine(model, world)
    return engine.search(route, mover if route.mover[1].kind == "set" else mover[0], given), world


def _field_of(model: Model, situation: str, table: str) -> str:
    fields = {spec.json: spec.name for spec in model.records[situation].fields if spec.json not in table_fields(model)}
    if table not in fields:
        what = f"the {situation} has no list `{table}`"
        raise bad(what, "traveller.table", did_you_mean(table, fields), "unknown-name")
    return fields[table]
