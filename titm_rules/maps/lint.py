"""Lint for maps: what is broken, what is doubtful, and which facts do not hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import networkx as nx

from titm_rules.diagnostics import Fault, did_you_mean
from titm_rules.formats.maps import own_fields
from titm_rules.formats.tables import EVERY
from titm_rules.maps.facts import check_facts
from titm_rules.maps.maps import GameMap, RowData

DOUBT, FAULT = "doubt", "map"
Ask = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
Point = tuple[float, float]


def lint_map(board: GameMap, ask: Ask) -> list[Fault]:
    """List what is wrong with a map; what is only doubtful has the kind `doubt`.

    Args:
        board: the map.
        ask: puts a question to the rules: its name and its input.
    """
    faults: list[Fault] = []
    for stage in (_form, _whole, lambda one: check_facts(one, ask)):
        if not any(fault.kind == FAULT for fault in faults):  # the next stage needs what the last one checks
            faults += stage(board)
    return faults


def _form(board: GameMap) -> Iterator[Fault]:
    for check in (_identities, _dangling, _twice, _sources, _marks, _parts):
        yield from check(board)


def _whole(board: GameMap) -> Iterator[Fault]:
    if not board.is_fragment:
        yield from _apart(board)
        yield from _crossing(board)


def _at(board: GameMap, table: str, row: RowData) -> str:
    return f"{board.where}: {table} {row['id']}"


def _rows(board: GameMap) -> Iterator[tuple[str, str, RowData]]:
    for role in ("place", "connection"):
        yield from ((role, table, row) for table, row in board.tables(role))


# ---------------------------------------------------------------------- ids and names
def _identities(board: GameMap) -> Iterator[Fault]:
    seen: set[tuple[str, str]] = set()
    for role, table, row in _rows(board):
        key = (role if role == "place" else table, row["id"])
        if key in seen:
            fix = "keep one of them" if role == "place" else "keep one of them, or give each an `id` of its own"
            yield Fault(f"`{row['id']}` appears twice", _at(board, table, row), fix=fix, kind=FAULT)
        seen.add(key)
    for names in (board.place_names, board.connection_names):
        for name, ids in names.twins.items():
            why = "a name finds one thing only"
            yield Fault(f"`{name}` means {' and '.join(sorted(ids))}", board.where, why, "take it from one", kind=FAULT)


def _dangling(board: GameMap) -> Iterator[Fault]:
    for table, row in board.tables("connection"):
        for end in row["ends"]:
            if end not in board.places:
                what, why = f"`{end}` is not a place of the map", "a connection ends there"
                yield Fault(what, _at(board, table, row), why, did_you_mean(end, board.places), kind=FAULT)
        if row["ends"][0] == row["ends"][1]:
            yield Fault("it joins a place to itself", _at(board, table, row), fix="take it out", kind=FAULT)


def _twice(board: GameMap) -> Iterator[Fault]:
    """Find pairs of places that two rows of a list join: perhaps two ways, perhaps one that is written twice."""
    joined: dict[tuple[str, frozenset[str]], list[RowData]] = defaultdict(list)
    for table, row in board.tables("connection"):
        joined[table, frozenset(row["ends"])].append(row)
    for (table, _), rows in joined.items():
        for other in rows[1:]:
            first = rows[0]
            differs = sorted(k for k in {*first, *other} - {"id", "ends", "source"} if first.get(k) != other.get(k))
            why = f"they differ in {', '.join(differs)}" if differs else "they say the same"
            yield Fault(
                f"`{first['id']}` and `{other['id']}` join the same two places", _at(board, table, other), why,
                "if it is one way, keep one row: a connection counts both ways", kind=DOUBT,
            )  # fmt: skip


# ---------------------------------------------------------------------- where data come from
def _sources(board: GameMap) -> Iterator[Fault]:
    for role, table, row in _rows(board):
        for field in row:
            if field in own_fields(role)[-2:] or field == "marks":
                continue
            origin = board.origin(table, row, field)
            if not origin.basis:
                why, fix = "no source is named", "name it under `source` or `defaults`"
                if origin.source:
                    why = f"`{origin.source}` is not a source of the map"
                    fix = did_you_mean(origin.source, board.sources)
                yield Fault(f"`{field}` comes from nowhere", _at(board, table, row), why, fix, kind=FAULT)
        for field in set(row.get("source", {})) - {EVERY, *row}:
            what = f"a source is given for `{field}`, which the row has not"
            yield Fault(what, _at(board, table, row), "", did_you_mean(field, row), kind=FAULT)


def _marks(board: GameMap) -> Iterator[Fault]:
    known = board.data.get("marks", {})
    for _, table, row in _rows(board):
        for mark in row.get("marks", ()):
            if mark not in known:
                yield Fault(f"unknown mark `{mark}`", _at(board, table, row), "", did_you_mean(mark, known), kind=FAULT)
    facts = {fact["id"]: fact for fact in board.data.get("facts", ())}
    for name, things in (("marks", known), ("parts", board.data.get("parts", {})), ("facts", facts)):
        for key, thing in things.items():
            if thing["source"] not in board.sources:
                fix = did_you_mean(thing["source"], board.sources)
                yield Fault(f"unknown source `{thing['source']}`", f"{board.where}: {name} {key}", "", fix, kind=FAULT)


def _parts(board: GameMap) -> Iterator[Fault]:
    for name, part in board.data.get("parts", {}).items():
        where = f"{board.where}: parts {name}"
        fields = {field for table, _ in board.tables("connection") for field in board.known[table]}
        if part.get("edge") and part["edge"] not in fields:
            fix = did_you_mean(part["edge"], fields)
            yield Fault(f"no connection has a field `{part['edge']}`", where, "", fix, kind=FAULT)
        for table, ids in part["places"].items():
            if board.roles.get(table) != "place":
                fix = did_you_mean(table, board.roles)
                yield Fault(f"`{table}` is not a list of places", where, "", fix, kind=FAULT)
                continue
            known = {row["id"] for row in board.data.get(table, ())}
            for identity in sorted(set(ids) - known):
                yield Fault(f"`{identity}` is not in {table}", where, "", did_you_mean(identity, known), kind=FAULT)


# ---------------------------------------------------------------------- the whole
def graph_of(board: GameMap) -> Any:
    """Give the map as a networkx graph: places, and what joins them but for bare borders."""
    graph: Any = nx.Graph()
    graph.add_nodes_from(board.places)
    graph.add_edges_from(tuple(row["ends"]) for table, row in board.tables("connection") if not board.is_bare(table))
    return graph


def _apart(board: GameMap) -> Iterator[Fault]:
    yield from _in_one_piece(board, set(board.places), board.where, "the map")
    for part in board.data.get("parts", {}):
        inside = set().union(*board.part(part).values())
        yield from _in_one_piece(board, inside, f"{board.where}: parts {part}", "the part")
    for place, degree in graph_of(board).degree():
        if degree == 1 and board.places[place][1].get("number"):
            where = f"{board.where}: {place}"
            yield Fault(f"one connection only leads to `{place}`", where, "most places have two or more", kind=DOUBT)


def _in_one_piece(board: GameMap, inside: set[str], where: str, what: str) -> Iterator[Fault]:
    pieces = sorted(nx.connected_components(graph_of(board).subgraph(inside)), key=len, reverse=True)
    for piece in pieces[1:]:
        why = f"no chain of connections leads to {', '.join(sorted(piece)[:5])}"
        yield Fault(f"{what} falls apart", where, why, "connect them", kind=FAULT)


def _crossing(board: GameMap) -> Iterator[Fault]:
    """Find connections whose straight lines cross in the drawing without a place there."""
    points = {name: (row["x"], row["y"]) for name, (_, row) in board.places.items() if "x" in row and "y" in row}
    lines = sorted(
        (*sorted((points[row["ends"][0]], points[row["ends"][1]])), row["id"], frozenset(row["ends"]))
        for table, row in board.tables("connection")
        if not board.is_bare(table) and points.keys() >= set(row["ends"])
    )
    for number, (a, b, one, ends) in enumerate(lines):
        for c, d, other, others in islice(lines, number + 1, None):
            if c[0] > b[0]:
                break  # lines are sorted by their western ends
            if not ends & others and _cross(a, b, c, d):
                pair = " and ".join(f"`{name}`" for name in sorted((one, other)))
                yield Fault(f"{pair} cross", board.where, "no place is drawn where they meet", kind=DOUBT)


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def summary(board: GameMap) -> dict[str, Any]:
    """Count what a map has: rows by list, and data by what they rest on."""
    rows = Counter(table for _, table, _ in _rows(board))
    return {"map": board.name, **{table: rows[table] for table in board.roles}, **board.bases}
