"""Routes as shortest paths: networkx searches a directed graph of legal steps.

A node is a place together with whether the mover has to stop there and what it has counted on the way;
an edge is one step over one connection. Steps that a clause bars are left out, so what the graph holds
is what the rules allow, the limit on points apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import networkx as nx

from titm_rules.ir.dependencies import head_terms
from titm_rules.ir.model import PRICE, FieldSpec, Model, Route, head_key
from titm_rules.ir.terms import Field, Term, Var, children
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.records import Connection, Mover, Place, Record, Value, all_links
from titm_rules.world.world import World

# ---------------------------------------------------------------------- graph
Graph: TypeAlias = "nx.MultiGraph[Any]"


def build_graph(world: World) -> Graph:
    """Build the map of a situation.

    Returns:
        A graph whose nodes are ids of places and whose edges have the ids of connections as keys, in the
        order of the input; connections without ids, of which the rules know the ends only, have their kind and
        their ends as keys. Both carry the record itself under `entity_`, its kind under `record_`, and its
        fields, as JSON values, under the names that the rule set gives them.
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


Steps: TypeAlias = "nx.DiGraph[Node]"
_TRACED = ("step", "stop", "cost", "points", "goal", "end")


class RouteSearch:
    """One route of the rules for one mover, on one map.

    Attributes:
        points: how much the route may cost in all.
        mark: stands in every node, so that the graphs of several movers can be joined.
    """

    def __init__(
        self, graph: Graph, evaluator: Evaluator, route: Route, mover: Mover, given: Given, mark: int = 0
    ) -> None:
        """Bind a route.

        Args:
            graph: the map, as `build_graph` makes it.
            evaluator: decides the clauses.
            route: the form.
            mover: a piece or a list of pieces, as the route declares it.
            given: what else the route is given, by name.
            mark: see the attributes.
        """
        self.graph, self.route, self.mark = graph, route, mark
        self._evaluator = evaluator
        self._env = {route.mover[0]: mover, **route.zeros, **given}
        self.points: int = self.ask("points")

    def ask(self, word: str, form: str = "", counts: tuple[int, ...] = (), **roles: Any) -> Any:
        """Decide a head of the route, or of the form that is named.

        Args:
            word: which head, such as `step`.
            form: name of another form, such as that of the closing action.
            counts: what was counted on the way.
            roles: the place `entered`, and for a step also the place `left` and the `link`; its `price`.
        """
        route = self.route
        names = {"entered": route.entered, "left": route.left, "link": route.crossing[0], PRICE: PRICE}
        tallied = dict(zip((name for name, _ in route.counters), counts, strict=False))
        env = {**self._env, **tallied, **{names[role]: value for role, value in roles.items()}}
        return self._evaluator.head(self._evaluator.model.heads[head_key(form or route.name, word)], env)

    def begin(self, start: Place) -> Node:
        """Give the node at which a route begins."""
        counts = tuple(0 for _ in self.route.counters)
        came = frozenset(self.route.closed_to((start,))) if self.route.simple and counts else None
        return Node(self.mark, start, False, counts, came)

    def steps(self, starts: Iterable[Any]) -> Steps:
        """Build the graph of all steps that lead on from some places: edges with `cost` and `link`.

        Of parallel connections to one node the cheapest is kept.
        """
        steps: Steps = nx.DiGraph()
        waiting = [self.begin(start) for start in starts]
        while waiting:
            node = waiting.pop()
            if node in steps and steps.nodes[node].get("left"):
                continue
            steps.add_node(node, left=True)
            for link, entered in self._ways(node) if not node.stopped else ():
                after = self._add_step(steps, node, link, entered)
                waiting += [] if after is None else [after]
        return steps

    def _ways(self, node: Node) -> Iterator[tuple[Any, Any]]:
        """Yield the connections at a place, each with the place at its other end."""
        for link, entered in node.place.links_.get(self.route.crossing[1].name, ()):
            if node.came is None or entered not in node.came:
                yield link, entered

    def _add_step(self, steps: Steps, node: Node, link: Connection, entered: Place) -> Node | None:
        """Add a step that no clause bars; give the node that it leads to."""
        way: dict[str, Any] = {"link": link, "left": node.place, "entered": entered}
        if self.ask("step", counts=node.counts, **way):
            return None
        cost = self.ask("cost", counts=node.counts, **way)
        counts = tuple(
            max(0, min(most, before + self.ask(name, counts=node.counts, price=cost, **way)))
            for (name, most), before in zip(self.route.counters, node.counts, strict=True)
        )
        came = None if node.came is None else node.came | {entered}
        stops = self.ask("stop", counts=counts, **way)
        after = Node(self.mark, entered, stops, self.route.stopped(counts, stops), came)
        if not steps.has_edge(node, after) or cost < steps[node][after]["cost"]:
            steps.add_edge(node, after, cost=cost, link=link)
        return after

    def places(self) -> Iterator[Any]:
        """Yield all places of the map."""
        return (self.graph.nodes[name]["entity_"] for name in self.graph)

    # ------------------------------------------------------------------ going forward from a start
    def costs(self, start: Place) -> dict[Node, int]:
        """Map every node within the points to its cheapest cost, that of the start to 0."""
        return _costs(self.steps([start]), [self.begin(start)], self.points)

    def ends(self, start: Place) -> dict[Any, int]:
        """Map every place but the start where the route may end to its cheapest cost."""
        if self.ask("start"):
            return {}
        best: dict[Any, int] = {}
        for node, cost in self.costs(start).items():
            place = node.place
            if place is not start and cost < best.get(place, cost + 1) and self.may_end(node):
                best[place] = cost
        return best

    def counted(self, start: Place) -> Iterator[tuple[Any, tuple[int, ...]]]:
        """Yield the places where the route may end, each with what may be counted by then."""
        if not self.ask("start"):
            yield from ((node.place, node.counts) for node in self.costs(start) if self.may_end(node))

    def closings(self, start: Place) -> list[Any]:
        """List the places where the closing action may be taken; at the start, by a mover that stays there."""
        if self.ask("start"):
            return []
        first = self.begin(start)
        found: dict[Any, bool] = {}
        for node, cost in self.costs(start).items():
            if node == first or (node.place is not start and self.may_end(self._after_closing(node))):
                found[node.place] = found.get(node.place, False) or self._may_close(node, cost)
        return [place for place, closes in found.items() if closes]

    def may_end(self, node: Node) -> bool:
        """Whether no clause bars the route from ending at a node."""
        return not self.ask("end", counts=node.counts, entered=node.place)

    def goals(self, steps: Steps) -> Iterator[Node]:
        """Yield the nodes at which the route has reached what it looks for."""
        for node in steps:
            if self.ask("goal", counts=node.counts, entered=node.place) and self.may_end(node):
                yield node

    def _after_closing(self, node: Node) -> Node:
        """Give the node with what the closing action counts."""
        at: dict[str, Any] = {"counts": node.counts, "entered": node.place}
        counts = tuple(
            max(0, min(most, before + self.ask(name, self.route.closing, **at)))
            for (name, most), before in zip(self.route.counters, node.counts, strict=True)
        )
        return node._replace(counts=counts)

    def _may_close(self, node: Node, cost: int) -> bool:
        closing = self.route.closing
        at: dict[str, Any] = {"counts": node.counts, "entered": node.place}
        price: int = self.ask("cost", closing, **at)
        return cost + price <= self.points and not self.ask("try", closing, **at)


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
                found = search.steps(search.places())
                steps.update(found)
                goals.extend(search.goals(found))
        self._costs = _costs(steps.reverse(copy=False), goals, None)

    def __contains__(self, mover: Mover) -> bool:
        return self._key(mover) in self._points

    def cost(self, mover: Mover, start: Place) -> int | None:
        """Give the cheapest cost to a goal; nothing if there is no way within the points."""
        mark, points = self._points[self._key(mover)]
        cost = self._costs.get(self._searches[mark].begin(start))
        within = cost is not None and (cost <= points or cost == 0)  # standing at a goal costs nothing
        return cost if within else None

    def _key(self, mover: Mover) -> Any:
        if self._told is None or isinstance(mover, list):
            return tuple(mover) if isinstance(mover, list) else mover
        return tuple(_hashable(getattr(mover, name)) for name in self._told)


def _costs(steps: Steps, sources: list[Node], cutoff: int | None) -> dict[Node, int]:
    """Map every node within the cutoff to its cheapest cost from the nearest source (Dijkstra)."""
    if not sources:
        return {}
    found: Any = nx.multi_source_dijkstra_path_length(steps, sources, cutoff=cutoff, weight="cost")
    return dict(found)


def told_apart_by(model: Model, route: Route) -> tuple[str, ...] | None:
    """Name the fields of a mover that the clauses of a trace look at; nothing if they look at all of it."""
    names: set[str] = set()
    for word in (*_TRACED, *(name for name, _ in route.counters)):
        for term in head_terms(model.heads[head_key(route.name, word)]):
            if not _collect(term, route.mover[0], names):
                return None
    return tuple(sorted(names))


def _collect(term: Term, mover: str, names: set[str]) -> bool:
    """Collect the fields of the mover that a term reads; false if it uses the mover itself."""
    match term:
        case Var(name=name):
            return name != mover
        case Field(base=Var(name=name), field=field) if name == mover:
            names.add(field)
            return True
    return all(_collect(part, mover, names) for part in children(term))


def _hashable(value: Value) -> Any:
    return tuple(value) if isinstance(value, list) else value
