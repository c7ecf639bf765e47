"""Routes as shortest paths: networkx searches a directed graph of legal steps.

A node is a place together with whether the mover has to stop there and what it has counted on the way;
an edge is one step over one connection. Steps that a clause bars are left out, so what the graph holds
is what the rules allow, the limit on points apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import networkx as nx

from titm_rules.diagnostics import Undecided
from titm_rules.engines.engine import hashable
from titm_rules.ir.dependencies import told_apart_by
from titm_rules.ir.model import PRICE, FieldSpec, Model, Route, head_key
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.records import Connection, Mover, Place, Record, Value, all_links
from titm_rules.world.world import World

# ---------------------------------------------------------------------- graph
Graph: TypeAlias = "nx.MultiGraph[Any]"


def build_graph(world: World) -> Graph:
    """Build the map of a situation.

    Nodes are ids of places, keys of edges the ids of connections, in the order of the input; connections without ids,
    of which the rules know the ends only, have their kind and their ends as keys. Both carry the record itself under
    `entity_`, its kind under `record_`, and its fields, as JSON values, under the names that the rule set gives them.
    """
    graph: Graph = nx.MultiGraph()
    for place in world.places:
        graph.add_node(place.id)
        graph.nodes[place.id].update(_attributes(world.model, place))
    for link, one, other in connections(world):
        key = _key(world.model, link)
        graph.add_edge(one.id, other.id, key=key)
        graph.edges[one.id, other.id, key].update(_attributes(world.model, link))
    return graph


def _key(model: Model, link: Connection) -> str:
    """Name an edge; the ends of a bare connection may also be the id of a road between the same places."""
    return f"{link.record_} {link.id}" if model.records[link.record_].is_bare else str(link.id)


def connections(world: World) -> list[tuple[Connection, Place, Place]]:
    """List every connection once with its two ends, in the order of the input."""
    found: dict[Connection, tuple[Connection, Place, Place]] = {}
    for place in world.places:
        for link, _ in all_links(place):
            found.setdefault(link, (link, link.ends[0], link.ends[1]))
    return sorted(found.values(), key=lambda joined: (joined[0].record_, joined[0].index_))


def _attributes(model: Model, record: Record) -> dict[str, Any]:
    fields = (f for f in model.records[record.record_].fields if f.name != "id")
    named = {f.json: _plain(model, f, getattr(record, f.name)) for f in fields}
    return {**named, "entity_": record, "record_": record.record_}


def _plain(model: Model, spec: FieldSpec, value: Value) -> Any:
    if spec.type.kind == "enum" and isinstance(value, int):
        return model.enums[spec.type.name].texts[value]
    if isinstance(value, list):
        return [getattr(one, "id", one) for one in value]
    return getattr(value, "id", value)


# ---------------------------------------------------------------------- search
Given = Mapping[str, Any]


class Node(NamedTuple):
    """Where a mover is: `came` holds the places that it must not enter where the route counts and enters none twice."""

    mark: int
    place: Place
    stopped: bool = False
    counts: tuple[int, ...] = ()
    came: frozenset[Place] | None = None


class Crossing(NamedTuple):
    """A step over a connection, its price, and the node that it leads to."""

    link: Connection
    cost: int
    after: Node


Steps: TypeAlias = "nx.DiGraph[Node]"


class RouteSearch:
    """One route of the rules for one mover, on a map of `build_graph`; the evaluator decides the clauses.

    `given` is what else the route is given, by name; `mark` is in every node, so that the graphs of several movers can
    be joined.
    """

    def __init__(
        self, graph: Graph, evaluator: Evaluator, route: Route, mover: Mover, given: Given, mark: int = 0
    ) -> None:
        self.graph, self.route, self.mover, self.mark = graph, route, mover, mark
        self._evaluator = evaluator
        self._env = {route.mover[0]: mover, **route.zeros, **given}
        self._taken: dict[Node, list[Crossing]] = {}

    @cached_property
    def is_barred(self) -> bool:
        return bool(self.ask("start"))

    @cached_property
    def points(self) -> int:
        points: int | None = self.ask("points")
        if points is None:
            raise Undecided.of(head_key(self.route.name, "points"))
        return points

    def ask(self, word: str, form: str = "", counts: tuple[int, ...] = (), **roles: Any) -> Any:
        """Decide a head of the route, or of the `form` that is named, such as that of the closing action.

        `counts` is what was counted on the way; `roles` are the place `entered`, for a step also the place `left` and
        the `link`, its `price`, and any other by the name that the route gives it.
        """
        route = self.route
        names = {"entered": route.entered, "left": route.left, "link": route.crossing[0], PRICE: PRICE}
        counters = dict(zip((name for name, _ in route.counters), counts, strict=False))
        env = {**self._env, **counters, **{names.get(role, role): value for role, value in roles.items()}}
        return self._evaluator.head(self._evaluator.model.heads[head_key(form or route.name, word)], env)

    def begin(self, start: Place) -> Node:
        counts = (0,) * len(self.route.counters)
        came = frozenset(self.route.closed_to((start,))) if self.route.simple and counts else None
        return Node(self.mark, start, False, counts, came)

    def crossings(self, node: Node) -> list[Crossing]:
        """List the steps out of a node that no clause bars, whatever they cost."""
        if node not in self._taken:
            links = () if node.stopped else node.place.links_.get(self.route.crossing[1].name, ())
            crossed = (self._cross(node, link, entered) for link, entered in links)
            self._taken[node] = [crossing for crossing in crossed if crossing is not None]
        return self._taken[node]

    def _cross(self, node: Node, link: Connection, entered: Place) -> Crossing | None:
        step: dict[str, Any] = {"link": link, "left": node.place, "entered": entered}
        is_closed = node.came is not None and entered in node.came
        if is_closed or self.ask("step", counts=node.counts, **step):
            return None
        cost: int = self.ask("cost", counts=node.counts, **step)
        counts = tuple(
            max(0, min(most, before + self.ask(name, counts=node.counts, price=cost, **step)))
            for (name, most), before in zip(self.route.counters, node.counts, strict=True)
        )
        came = None if node.came is None else node.came | {entered}
        stops = bool(self.ask("stop", counts=counts, **step))
        return Crossing(link, cost, Node(self.mark, entered, stops, self.route.stopped(counts, stops), came))

    def steps(self, starts: Iterable[Node]) -> Steps:
        """Build the graph of all steps that lead on from some nodes: edges with `cost` and `link`.

        Of parallel connections to one node the cheapest is kept.
        """
        steps: Steps = nx.DiGraph()
        waiting = list(starts)
        while waiting:
            node = waiting.pop()
            if node in steps and steps.nodes[node].get("left"):
                continue
            steps.add_node(node, left=True)
            for link, cost, after in self.crossings(node):
                if not steps.has_edge(node, after) or cost < steps[node][after]["cost"]:
                    steps.add_edge(node, after, cost=cost, link=link)
                waiting.append(after)
        return steps

    def places(self) -> Iterator[Any]:
        return (self.graph.nodes[name]["entity_"] for name in self.graph)

    # ------------------------------------------------------------------ going forward from a start
    def costs(self, start: Place) -> dict[Node, int]:
        """Map every node within the points to its cheapest cost, that of the start to 0."""
        first = self.begin(start)
        return _costs(self.steps([first]), [first], self.points)

    def ends(self, start: Place) -> dict[Any, int]:
        best: dict[Any, int] = {}
        for node, cost in self.costs(start).items():
            place = node.place
            if place is not start and cost < best.get(place, cost + 1) and self.may_end(node):
                best[place] = cost
        return best

    def counted(self, start: Place) -> Iterator[tuple[Any, tuple[int, ...]]]:
        nodes = () if self.is_barred else self.costs(start)
        return ((node.place, node.counts) for node in nodes if self.may_end(node))

    def closings(self, start: Place) -> list[Any]:
        first = self.begin(start)
        found: dict[Any, bool] = {}
        for node, cost in () if self.is_barred else self.costs(start).items():
            if node == first or (node.place is not start and self.may_end(self.closed(node))):
                left = self.points - cost
                found[node.place] = found.get(node.place, False) or self.closing_price(node, left) is not None
        return [place for place, closes in found.items() if closes]

    def can_end(self, node: Node, left: int) -> bool:
        """Whether the route can end at a node, with so much left to spend, or after more steps."""
        if self._ends(node, left):
            return True
        costs = _costs(self.steps([node]), [node], left)
        return any(self._ends(other, left - cost) for other, cost in costs.items())

    def _ends(self, node: Node, left: int) -> bool:
        """Whether the route may end at a node, as it is or by the closing action."""
        if self.may_end(node):
            return True
        if not self.route.closing:
            return False
        return self.may_end(self.closed(node)) and self.closing_price(node, left) is not None

    def may_end(self, node: Node, stranded: bool = False) -> bool:
        flags: dict[str, Any] = {self.route.stranded: True} if stranded and self.route.stranded else {}
        return not self.ask("end", counts=node.counts, entered=node.place, **flags)

    def goals(self, steps: Steps) -> Iterator[Node]:
        for node in steps:
            if self.ask("goal", counts=node.counts, entered=node.place) and self.may_end(node):
                yield node

    def closed(self, node: Node) -> Node:
        at: dict[str, Any] = {"counts": node.counts, "entered": node.place}
        counts = tuple(
            max(0, min(most, before + self.ask(name, self.route.closing, **at)))
            for (name, most), before in zip(self.route.counters, node.counts, strict=True)
        )
        return node._replace(counts=counts)

    def closing_price(self, node: Node, left: int) -> int | None:
        at: dict[str, Any] = {"counts": node.counts, "entered": node.place}
        if self.ask("try", self.route.closing, **at):
            return None
        price: int = self.ask("cost", self.route.closing, **at)
        return price if price <= left else None


class TraceTable:
    """Cheapest traces to a goal from everywhere, for many movers, by one search.

    Movers that the clauses cannot tell apart share a layer of the graph. The search runs backward
    from the goals of all layers at once.
    """

    def __init__(self, graph: Graph, evaluator: Evaluator, route: Route, movers: Iterable[Any]) -> None:
        self._told = told_apart_by(evaluator.model, route)
        self._points: dict[Any, tuple[int, int]] = {}
        self._searches: dict[int, RouteSearch] = {}
        steps: Steps = nx.DiGraph()
        goals: list[Node] = []
        for mover in movers:
            key = self._key(mover)
            if key not in self._points:
                search = RouteSearch(graph, evaluator, route, mover, {}, len(self._points))
                self._points[key] = (search.mark, search.points)
                self._searches[search.mark] = search
                found = search.steps(map(search.begin, search.places()))
                steps.update(found)
                goals.extend(search.goals(found))
        self._costs = _costs(steps.reverse(copy=False), goals, None)

    def __contains__(self, mover: Mover) -> bool:
        return self._key(mover) in self._points

    def cost(self, mover: Mover, start: Place) -> int | None:
        mark, points = self._points[self._key(mover)]
        cost = self._costs.get(self._searches[mark].begin(start))
        within = cost is not None and (cost <= points or cost == 0)  # standing at a goal costs nothing
        return cost if within else None

    def _key(self, mover: Mover) -> Any:
        if self._told is None or isinstance(mover, list):
            return hashable(mover)
        return tuple(hashable(getattr(mover, name)) for name in self._told)


def _costs(steps: Steps, sources: list[Node], cutoff: int | None) -> dict[Node, int]:
    """Map every node within the cutoff to its cheapest cost from the nearest source (Dijkstra)."""
    if not sources:
        return {}
    found: Any = nx.multi_source_dijkstra_path_length(steps, sources, cutoff=cutoff, weight="cost")
    return dict(found)
