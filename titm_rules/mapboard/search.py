"""Routes as shortest paths: clauses make a directed graph of steps, networkx searches it.

A node is a place together with whether the mover has to stop there; an edge is one step over one
connection. Steps that a clause bars are left out, so what the graph holds is what the rules allow,
the limit on points apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import networkx as nx

from titm_rules.mapboard.graph import Graph
from titm_rules.model.model import Head, Model, Route, head_key
from titm_rules.model.terms import Field, Term, Var, children
from titm_rules.naive.evaluate import Evaluator

Given = Mapping[str, Any]
Node = tuple[int, Any, bool]
Steps: TypeAlias = "nx.DiGraph[Node]"
_TRACED = ("step", "stop", "cost", "points", "goal", "end")


class RouteSearch:
    """One route of the rules for one mover, on one map.

    Attributes:
        points: how much the route may cost in all.
        mark: stands in every node, so that the graphs of several movers can be joined.
    """

    def __init__(
        self, graph: Graph, evaluator: Evaluator, route: Route, mover: Any, given: Given, mark: int = 0
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
        self._env = {route.mover[0]: mover, **given}
        self.points: int = self.ask("points")

    def ask(self, word: str, form: str = "", **roles: Any) -> Any:
        """Decide a head of the route, or of the form that is named.

        Args:
            word: which head, such as `step`.
            form: name of another form, such as that of the closing action.
            roles: the place `entered`, and for a step also the place `left` and the `link`.
        """
        route = self.route
        names = {"entered": route.entered, "left": route.left, "link": route.crossing[0]}
        env = {**self._env, **{names[role]: value for role, value in roles.items()}}
        return self._evaluator.head(self._evaluator.model.heads[head_key(form or route.name, word)], env)

    def steps(self) -> Steps:
        """Build the graph of steps: nodes (mark, place, stopped), edges with `cost` and `link`.

        Of parallel connections to one node the cheapest is kept.
        """
        steps: Steps = nx.DiGraph()
        for place in self._places():
            steps.add_nodes_from([(self.mark, place, False), (self.mark, place, True)])
        for start, end, data in self.graph.edges(data=True):
            one, other = (self.graph.nodes[name]["entity"] for name in (start, end))
            for left, entered in ((one, other), (other, one)):
                self._add_step(steps, data["entity"], left, entered)
        return steps

    def _add_step(self, steps: Steps, link: Any, left: Any, entered: Any) -> None:
        if self.ask("step", link=link, left=left, entered=entered):
            return
        cost = self.ask("cost", link=link, left=left, entered=entered)
        stopped = self.ask("stop", link=link, left=left, entered=entered)
        start, end = (self.mark, left, False), (self.mark, entered, stopped)
        if not steps.has_edge(start, end) or cost < steps[start][end]["cost"]:
            steps.add_edge(start, end, cost=cost, link=link)

    def _places(self) -> Iterator[Any]:
        return (self.graph.nodes[name]["entity"] for name in self.graph)

    # ------------------------------------------------------------------ going forward from a start
    def costs(self, start: Any) -> dict[Any, int]:
        """Map every place within the points to its cheapest cost, the start to 0."""
        costs, _ = _dijkstra(self.steps(), [(self.mark, start, False)], self.points)
        best: dict[Any, int] = {}
        for (_, place, _), cost in costs.items():
            best[place] = min(cost, best.get(place, cost))
        return best

    def ends(self, start: Any) -> dict[Any, int]:
        """Map every place but the start where the route may end to its cheapest cost."""
        if self.ask("start"):
            return {}
        costs = self.costs(start).items()
        return {place: cost for place, cost in costs if place is not start and self.may_end(place)}

    def closings(self, start: Any) -> list[Any]:
        """List the places, the start among them, where the closing action may be taken."""
        if self.ask("start"):
            return []
        return [
            place
            for place, cost in self.costs(start).items()
            if (place is start or self.may_end(place)) and self._may_close(place, cost)
        ]

    def cheapest(self, start: Any, end: Any) -> tuple[int, list[Any]] | None:
        """Find the cheapest way to a place where the route may end.

        Returns:
            Its cost and its places, start and end among them; nothing if there is none.
        """
        if self.ask("start") or not self.may_end(end):
            return None
        costs, ways = _dijkstra(self.steps(), [(self.mark, start, False)], self.points)
        ends = [node for node in costs if node[1] is end]
        if not ends:
            return None
        nearest = min(ends, key=costs.__getitem__)
        return costs[nearest], [place for _, place, _ in ways[nearest]]

    def may_end(self, place: Any) -> bool:
        """Whether no clause bars the route from ending at a place."""
        return not self.ask("end", entered=place)

    def goals(self) -> Iterator[Node]:
        """Yield the nodes at which the route has reached what it looks for."""
        for place in self._places():
            if self.ask("goal", entered=place) and self.may_end(place):
                yield from ((self.mark, place, False), (self.mark, place, True))

    def _may_close(self, place: Any, cost: int) -> bool:
        closing = self.route.closing
        price: int = self.ask("cost", closing, entered=place)
        return cost + price <= self.points and not self.ask("try", closing, entered=place)


class TraceTable:
    """Cheapest traces to a goal from everywhere, for many movers, by one search.

    Movers that the clauses cannot tell apart share a layer of the graph. The search runs backward
    from the goals of all layers at once.
    """

    def __init__(self, graph: Graph, evaluator: Evaluator, route: Route, movers: Iterable[Any]) -> None:
        self._told = told_apart_by(evaluator.model, route)
        self._points: dict[Any, tuple[int, int]] = {}
        steps: Steps = nx.DiGraph()
        goals: list[Node] = []
        for mover in movers:
            key = self._key(mover)
            if key not in self._points:
                search = RouteSearch(graph, evaluator, route, mover, {}, len(self._points))
                self._points[key] = (search.mark, search.points)
                steps.update(search.steps())
                goals.extend(search.goals())
        self._costs, self._ways = _dijkstra(steps.reverse(copy=False), goals, None)

    def __contains__(self, mover: Any) -> bool:
        return self._key(mover) in self._points

    def cost(self, mover: Any, start: Any) -> int | None:
        """Give the cheapest cost to a goal; nothing if there is no way within the points."""
        mark, points = self._points[self._key(mover)]
        cost = self._costs.get((mark, start, False))
        within = cost is not None and (cost <= points or cost == 0)  # standing at a goal costs nothing
        return cost if within else None

    def way(self, mover: Any, start: Any) -> list[Any]:
        """Give the places of a cheapest trace, start and goal among them; empty if there is none."""
        if self.cost(mover, start) is None:
            return []
        mark, _ = self._points[self._key(mover)]
        return [place for _, place, _ in reversed(self._ways[mark, start, False])]

    def _key(self, mover: Any) -> Any:
        if self._told is None or isinstance(mover, list):
            return tuple(mover) if isinstance(mover, list) else mover
        return tuple(_hashable(getattr(mover, name)) for name in self._told)


def _dijkstra(steps: Steps, sources: list[Node], cutoff: int | None) -> tuple[dict[Node, int], dict[Node, list[Node]]]:
    """Find the cheapest cost and way from the nearest source to every node within the cutoff."""
    if not sources:
        return {}, {}
    found: Any = nx.multi_source_dijkstra(steps, sources, cutoff=cutoff, weight="cost")
    costs, ways = found
    return costs, ways


def told_apart_by(model: Model, route: Route) -> tuple[str, ...] | None:
    """Name the fields of a mover that the clauses of a trace look at; nothing if they look at all of it."""
    names: set[str] = set()
    for word in _TRACED:
        for term in _terms(model.heads[head_key(route.name, word)]):
            if not _collect(term, route.mover[0], names):
                return None
    return tuple(sorted(names))


def _terms(head: Head) -> Iterator[Term]:
    for said in head.statements:
        yield from (term for term in (said.when, said.value) if term is not None)
    for lift in head.lifts:
        if lift.when is not None:
            yield lift.when


def _collect(term: Term, mover: str, names: set[str]) -> bool:
    """Collect the fields of the mover that a term reads; false if it uses the mover itself."""
    match term:
        case Var(name=name):
            return name != mover
        case Field(base=Var(name=name), field=field) if name == mover:
            names.add(field)
            return True
    return all(_collect(part, mover, names) for part in children(term))


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
