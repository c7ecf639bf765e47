"""The map as a networkx graph: places as nodes, connections as keyed edges."""

from __future__ import annotations

from typing import Any, TypeAlias

import networkx as nx

from titm_rules.diagnostics import Fault
from titm_rules.rules.model import FieldSpec, Model
from titm_rules.world.records import Connection, Place, Record, Value, all_links
from titm_rules.world.world import World

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


def check_map(world: World) -> list[Fault]:
    """List what is odd about a map: loose places, separate parts, parallel connections.

    None of it keeps a question from being answered; a map of one place has no faults.
    """
    graph = build_graph(world)
    if len(graph) < 2:
        return []
    return [*_loose(graph), *_separate(graph), *_parallel(graph)]


def _loose(graph: Graph) -> list[Fault]:
    return [
        Fault(f"`{name}` has no connections", name, "nothing can enter or leave it", "connect it", kind="map")
        for name in graph
        if not graph.degree(name)
    ]


def _separate(graph: Graph) -> list[Fault]:
    parts = sorted(nx.connected_components(graph), key=len, reverse=True)
    main = parts[0]
    return [
        Fault(f"`{name}` cannot be reached", name, f"no chain of connections leads there from `{near}`",
              "connect its part of the map", kind="map")
        for part in parts[1:] if len(part) > 1
        for name in sorted(part)
        for near in [min(main)]
    ]  # fmt: skip


def _parallel(graph: Graph) -> list[Fault]:
    faults = []
    for one, other in dict.fromkeys(tuple(sorted(pair)) for pair in graph.edges()):
        keys = sorted(graph[one][other])
        faults += [
            Fault(f"`{key}` runs beside `{keys[0]}`", key, f"both join `{one}` and `{other}`",
                  "keep one of them", kind="map")
            for key in keys[1:]
        ]  # fmt: skip
    return faults


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
