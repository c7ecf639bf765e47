"""Look up, compare and route on maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import networkx as nx

from titm_rules.diagnostics import did_you_mean
from titm_rules.engines.engine import Counts, Engine
from titm_rules.engines.factory import make_engine
from titm_rules.formats.fields import table_fields
from titm_rules.formats.safe_json import bad
from titm_rules.formats.validate import check_situation
from titm_rules.ir.model import Model, Route, head_key
from titm_rules.maps.expand import MAP, open_situation
from titm_rules.maps.maps import GameMap, RowData
from titm_rules.world.records import Mover, Place
from titm_rules.world.world import World

QUIET = frozenset({"source", "id", "ends"})


def record_of(board: GameMap, name: str) -> dict[str, Any]:
    """Give what a map says of a place and its connections, or of a connection. Raises `InputError` for other names."""
    if board.place_names.find(name) is None and board.connection_names.find(name):
        table, row = board.connections[board.connection_names.need(name, name, "name")]
        return {"id": row["id"], "list": table, "fields": _fields(board, table, row)}
    identity = board.place_names.need(name, name, "place")
    table, row = board.places[identity]
    leads = [
        {"to": next(end for end in one["ends"] if end != identity), "id": one["id"], "fields": _fields(board, its, one)}
        for its, one in board.tables("connection")
        if identity in one["ends"]
    ]
    inside = [part for part in board.data.get("parts", {}) if identity in board.inside(part)]
    return {"id": identity, "list": table, "fields": _fields(board, table, row), "connections": leads, "parts": inside}


def _fields(board: GameMap, table: str, row: RowData) -> dict[str, Any]:
    """Give the fields with their origin; under an empty name, the origin of the row itself."""

    def told(field: str, value: object) -> dict[str, Any]:
        origin = board.origin(table, row, field)
        return {"value": value, "basis": origin.basis, "source": origin.title, "why": origin.why}

    fields = {field: told(field, value) for field, value in row.items() if field not in QUIET}
    itself = next((field for field in ("ends", "id") if field in row), None)
    return fields if itself is None else {"": told(itself, ""), **fields}


@dataclass(frozen=True)
class MapDifference:
    """One thing in which two maps differ."""

    table: str  # the list; `name` the id of the row
    name: str
    field: str  # empty if only one of the maps has the row
    first: Any  # what the first map has; nothing if it lacks it. `second` likewise
    second: Any

    def __str__(self) -> str:
        if not self.field:
            return f"{self.table} {self.name}: only in the {'first' if self.second is None else 'second'}"
        return f"{self.table} {self.name}: {self.field} {self.first} | {self.second}"


def compare(first: GameMap, second: GameMap, fields: frozenset[str] = frozenset()) -> Iterator[MapDifference]:
    """Yield what differs between two maps, in some fields if any are given; names of either find rows of the other."""
    for table, row in first.tables("place", "connection"):
        twin = _twin(second, table, row, first.roles[table] == "place")
        if twin is None:
            yield MapDifference(table, row["id"], "", row["id"], None)
            continue
        for field in sorted({*row, *twin} - QUIET):
            if row.get(field) != twin.get(field) and (not fields or field in fields):
                yield MapDifference(table, row["id"], field, row.get(field), twin.get(field))
    for table, row in second.tables("place", "connection"):
        if _twin(first, table, row, second.roles[table] == "place") is None:
            yield MapDifference(table, row["id"], "", None, row["id"])


def _twin(other: GameMap, table: str, row: RowData, is_place: bool) -> RowData | None:
    if not is_place:
        return other.joining(table, row["ends"])
    found = other.place_names.find(row["id"])
    return other.places[found][1] if found and other.places[found][0] == table else None


@dataclass(frozen=True)
class WayStep:
    """One step of a way: over a connection into a place, for a cost in points; `move` counts moves from 1."""

    place: str
    connection: str
    cost: int
    move: int


@dataclass(frozen=True)
class CheapestWay:
    """The cheapest way between two places."""

    start: str  # where it begins
    steps: tuple[WayStep, ...]  # the steps; empty if start and end are one
    points: int  # what the piece may spend in one move

    @property
    def cost(self) -> int:
        return sum(step.cost for step in self.steps)

    @property
    def moves(self) -> int:
        """How many moves it takes if no other piece is on the board."""
        return self.steps[-1].move if self.steps else 0


def find_way(model: Model, board: GameMap, start: str, end: str, piece: Mapping[str, Any]) -> CheapestWay | None:
    """Find the cheapest way of a piece between two places, by any names; nothing if there is none.

    The header of the map describes the piece that travels, `piece` the fields in which this one differs. Raises
    `InputError` for unknown names, or a map that describes no traveller.
    """
    first, last = (board.place_names.need(name, name, "place") for name in (start, end))
    route, data, table = _traveller(model, board, first, piece)
    world = World(model, route.situation, data, "$.traveller")
    places = {place.id: place for place in world.places}
    pieces = getattr(world.root, table)
    mover = pieces if route.mover[1].kind == "set" else pieces[0]
    engine, given = make_engine("compiled", model, world), {name: False for name, _ in route.given}
    origin = _Node(places[first], False, (0,) * len(route.counters), frozenset(route.closed_to((places[first],))))
    graph = _step_graph(engine, route, mover, given, origin)
    found: Any = nx.single_source_dijkstra(graph, origin, weight="cost")
    costs, ways = found
    ends = [node for node in costs if node.place is places[last]]
    if not ends:
        return None
    nodes = ways[min(ends, key=lambda node: costs[node])]
    points = engine.decide(head_key(route.name, "points"), {route.mover[0]: mover, **given})
    return CheapestWay(first, _lay_out(graph, nodes, points), points)


class _Node(NamedTuple):
    """Where the piece is; `came` holds the places that it must not enter, if the route counts and enters none twice."""

    place: Place
    stopped: bool
    counts: Counts
    came: frozenset[Place]


def _step_graph(engine: Engine, route: Route, mover: Mover, given: Mapping[str, Any], origin: _Node) -> Any:
    """Build the graph of all steps that lead on from a node; of parallel connections it keeps the cheapest."""
    graph: Any = nx.DiGraph()
    done, waiting = set(), [origin]
    while waiting:
        node = waiting.pop()
        if node in done:
            continue
        done.add(node)
        graph.add_node(node)
        counters = {name: count for (name, _), count in zip(route.counters, node.counts, strict=True)}
        steps = () if node.stopped else engine.steps(route, mover, {**given, **counters}, node.place)
        for link, entered, cost, stops, counts in steps:
            if entered in node.came:
                continue
            came = node.came | {entered} if counts and route.simple else node.came
            after = _Node(entered, stops, counts, came)
            if not graph.has_edge(node, after) or cost < graph[node][after]["cost"]:
                graph.add_edge(node, after, cost=cost, link=link)
            waiting.append(after)
    return graph


def _lay_out(graph: Any, nodes: list[_Node], points: int) -> tuple[WayStep, ...]:
    """Lay out the steps of a way; a move that cannot pay for a step gives way to the next."""
    laid: list[WayStep] = []
    move, spent = 1, 0
    for left, entered in pairwise(nodes):
        edge = graph[left][entered]
        cost = edge["cost"]
        if spent + cost > points:
            move, spent = move + 1, 0
        spent += cost
        laid.append(WayStep(entered.place.id, edge["link"].id, cost, move))
    return tuple(laid)


def _traveller(model: Model, board: GameMap, start: str, piece: Mapping[str, Any]) -> tuple[Route, dict[str, Any], str]:
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
    data = open_situation(model, route.situation, raw, "$", board).data
    checked = check_situation(model, route.situation, data, "$.traveller")
    specs, filled = model.records[route.situation].fields, table_fields(model)
    fields = {spec.json: spec.name for spec in specs if spec.json not in filled}
    if table not in fields:
        what = f"the {route.situation} has no list `{table}`"
        raise bad(what, "traveller.table", did_you_mean(table, fields), "unknown-name")
    return route, checked, fields[table]
