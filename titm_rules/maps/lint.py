"""Lint for maps: broken references, doubts, and constraints that do not hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import networkx as nx

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.formats.fields import EVERY
from titm_rules.formats.file_schemas import own_fields
from titm_rules.maps.expand import MAP, open_situation
from titm_rules.maps.maps import GameMap, RowData

Ask = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
_NOT_COMPARED = frozenset({"id", "ends", "source", "note"})
_SETS = frozenset({"aliases", "marks"})


def check_facts(board: GameMap, ask: Ask) -> Iterator[Fault]:
    """List the facts that do not hold: rows of the maps it must hold to, then facts."""
    for other in board.held:
        yield from _rows_hold(board, other)
    for fact in [*(fact for other in board.held for fact in other.data.get("facts", ())), *board.data.get("facts", ())]:
        if board.is_fragment and not fact.get("absent"):
            continue  # a fragment need not have everything
        kind = next(key for key in CHECKS if fact.get(key) is not None)
        for wrong in CHECKS[kind](board, fact[kind], ask):
            source = board.sources.get(fact["source"], {})
            why = f"{source.get('basis', '')}: {source.get('title', '')}; {fact['says']}"
            yield Fault(wrong, f"{board.where}: fact {fact['id']}", why, "correct the map, or the fact", kind="fact")


def _rows_hold(board: GameMap, other: GameMap) -> Iterator[Fault]:
    for table, row in other.tables("place", "connection"):
        place, name = other.roles[table] == "place", row["id"]
        if place:
            mine_table, mine = board.places.get(board.place_names.find(name) or "", (table, None))
        else:
            mine_table, mine = table, board.joining(table, row["ends"])
        if mine is None:
            yield _broken(board, other, table, row, "id" if place else "ends", f"`{name}` is missing")
            continue
        if mine_table != table:
            yield _broken(board, other, table, row, "id", f"`{name}` stands under {mine_table}, not {table}")
        for field, value in row.items():
            its = mine.get(field)
            agrees = set(value) <= set(its or ()) if field in _SETS else its == value
            if field not in _NOT_COMPARED and not agrees:
                yield _broken(board, other, table, row, field, f"`{field}` of `{name}` is {its}, not {value}")


def _broken(board: GameMap, other: GameMap, table: str, row: RowData, field: str, what: str) -> Fault:
    origin = other.origin(table, row, field)
    why = f"{origin.basis}: {origin.title}" + (f"; {origin.why}" if origin.why else "")
    return Fault(what, f"{board.where}: {table} {row['id']}", why, f"see `{other.name}`", kind="fact")


def _has(row: Mapping[str, Any], field: str, value: object) -> bool:
    found = row.get(field)
    return value in found if isinstance(found, list) else found == value


def _fits(row: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    return all(_has(row, field, value) for field, value in values.items())


def _one_of(row: Mapping[str, Any], choices: Mapping[str, Any]) -> bool:
    return all(any(_has(row, field, value) for value in among) for field, among in choices.items())


def _default(board: GameMap, table: str, row: RowData) -> dict[str, Any]:
    return {**board.unset(table), **row}


def _have(board: GameMap, check: Mapping[str, Any], _: Ask) -> Iterator[str]:
    for name in check["names"]:
        found = board.place_names.find(name)
        if found is None:
            yield f"`{name}` is missing"
            continue
        table, row = board.places[found]
        field = check.get("field")
        value = _default(board, table, row).get(field) if field else None
        if field and not _between(value, check):
            yield f"`{field}` of `{name}` is {value}"


def _between(value: object, check: Mapping[str, Any]) -> bool:
    if check.get("among") and value not in check["among"]:
        return False
    least, most = check.get("least"), check.get("most")
    if least is None and most is None:
        return True
    return isinstance(value, int) and (least is None or value >= least) and (most is None or value <= most)


def _absent(board: GameMap, names: list[str], _: Ask) -> Iterator[str]:
    yield from (f"`{name}` is on the map" for name in names if board.place_names.find(name) is not None)


def _only(board: GameMap, check: Mapping[str, Any], _: Ask) -> Iterator[str]:
    names = board.names_in(check["table"])
    wanted = {names.find(name) or name for name in check["names"]}
    there = {row["id"] for row in board.data.get(check["table"], ()) if _fits(row, check["where"])}
    yield from (f"`{name}` is not among them" for name in sorted(wanted - there))
    yield from (f"`{name}` should not be among them" for name in sorted(there - wanted))


def _count(board: GameMap, check: Mapping[str, Any], _: Ask) -> Iterator[str]:
    rows = board.data.get(check["table"], ())
    has = check.get("has", {})
    there = sum(_one_of(_default(board, check["table"], row), has) for row in rows)
    if there < check["least"]:
        choices = ", ".join(f"{field} {' or '.join(map(str, values))}" for field, values in has.items())
        having = f" with {choices}" if has else ""
        yield f"{check['table']} has {there} rows{having}, which is less than {check['least']}"


def _when(board: GameMap, check: Mapping[str, Any], _: Ask) -> Iterator[str]:
    for row in board.data.get(check["table"], ()):
        whole = _default(board, check["table"], row)
        if _one_of(whole, check["has"]) and not _one_of(whole, check["wants"]):
            is_now = ", ".join(f"{field} {whole.get(field)}" for field in check["wants"])
            yield f"`{row['id']}` has {is_now}"


def _border(board: GameMap, check: Mapping[str, Any], _: Ask) -> Iterator[str]:
    for row in board.data.get(check["table"], ()):
        ends = [{"table": t, **_default(board, t, end)} for t, end in (board.places[name] for name in row["ends"])]
        for near, far in (ends, ends[::-1]):
            if _fits(near, check["near"]) and _fits(far, check["far"]):
                if not _fits(far, check.get("wants", {})):
                    yield f"`{far['id']}`, joined to `{near['id']}`, lacks {check['wants']}"
                if not _fits(row, check.get("link", {})):
                    yield f"`{row['id']}` lacks {check['link']}"


def _numbered(board: GameMap, check: Mapping[str, Any], _: Ask) -> Iterator[str]:
    numbers: dict[int, str] = {}
    for row in board.data.get(check["table"], ()):
        number = row.get("number")
        if number is None:
            yield f"`{row['id']}` has no number"
        elif number in numbers:
            yield f"`{row['id']}` and `{numbers[number]}` are both {number}"
        else:
            numbers[number] = row["id"]
    yield from (f"no place is number {n}" for n in range(1, max(numbers, default=0)) if n not in numbers)
    for number, name in numbers.items():
        if number + 1 in numbers and board.connection_names.find(f"{name}-{numbers[number + 1]}") is None:
            yield f"`{name}` ({number}) and `{numbers[number + 1]}` ({number + 1}) are not joined"


def _part(board: GameMap, check: Mapping[str, Any], _: Ask) -> Iterator[str]:
    parts = board.data.get("parts", {})
    if check["part"] not in parts:
        yield f"the map has no part `{check['part']}`"
        return
    places, inside = board.part(check["part"]), board.inside(check["part"])
    yield from (f"`{name}` is outside" for name in check.get("names", ()) if board.place_names.find(name) not in inside)
    for table, names in check.get("exactly", {}).items():
        for name in sorted(set(names) ^ set(places.get(table, ()))):
            yield f"`{name}` is {'outside' if name in names else 'inside'}"
    other = check.get("shares")
    if other and not (other in parts and inside & board.inside(other)):
        yield f"it shares no place with `{other}`"


def _ring(board: GameMap, names: list[str], _: Ask) -> Iterator[str]:
    borders = {frozenset(row["ends"]) for table, row in board.tables("connection") if board.is_bare(table)}
    wanted = {frozenset(pair) for pair in zip(names, names[1:] + names[:1], strict=True)}
    yield from (f"{' and '.join(sorted(pair))} do not touch" for pair in sorted(wanted - borders, key=sorted))
    yield from (f"{' and '.join(sorted(pair))} touch" for pair in sorted(borders - wanted, key=sorted))


def _asked(board: GameMap, check: Mapping[str, Any], ask: Ask) -> Iterator[str]:
    question = board.model.questions.get(check["query"])
    if question is None:
        yield f"the rules answer no question `{check['query']}`"
        return
    try:
        raw = {MAP: board.name, **check["situation"]}
        opened = open_situation(board.model, question.situation, raw, "$", board)
        inputs = opened.naming.input_ids(question.inputs, check.get("input", {}))
        answer = ask(check["query"], {question.situation: opened.data, **inputs})
    except InputError as error:
        yield f"it cannot be asked: {error.faults[0].what}"
        return
    for name, wanted in check.get("answer", {}).items():
        if answer.get(name) != wanted:
            yield f"{name} is {answer.get(name)}, not {wanted}"
    for name, limit in check.get("above", {}).items():
        if answer.get(name) is not None and answer[name] <= limit:
            yield f"{name} is {answer[name]}, not above {limit}"
    for name, limit in check.get("most", {}).items():
        if answer.get(name) is None or answer[name] > limit:
            yield f"{name} is {answer.get(name)}, not at most {limit}"


CHECKS: dict[str, Callable[[GameMap, Any, Ask], Iterator[str]]] = {
    "have": _have, "absent": _absent, "only": _only, "count": _count, "when": _when, "border": _border,
    "numbered": _numbered, "part": _part, "ring": _ring, "ask": _asked,
}  # fmt: skip


DOUBT, FAULT = "doubt", "map"
Point = tuple[float, float]


def lint_map(board: GameMap, ask: Ask) -> list[Fault]:
    """List what is wrong with a map; what is only doubtful has the kind `doubt`; `ask` puts a question to the rules."""
    faults: list[Fault] = []
    for stage in (FORM_CHECKS, () if board.is_fragment else WHOLE_CHECKS):
        if not any(fault.kind == FAULT for fault in faults):  # the next stage needs what the last one checks
            faults += [fault for check in stage for fault in check(board)]
    return faults if any(fault.kind == FAULT for fault in faults) else [*faults, *check_facts(board, ask)]


def _at(board: GameMap, table: str, row: RowData) -> str:
    return f"{board.where}: {table} {row['id']}"


def _rows(board: GameMap) -> Iterator[tuple[str, str, RowData]]:
    return ((board.roles[table], table, row) for table, row in board.tables("place", "connection"))


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
            what = f"`{first['id']}` and `{other['id']}` join the same two places"
            why = f"they differ in {', '.join(differs)}" if differs else "they say the same"
            fix = "if it is one way, keep one row: a connection counts both ways"
            yield Fault(what, _at(board, table, other), why, fix, kind=DOUBT)


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


def graph_of(board: GameMap) -> Any:
    """Give the map as a networkx graph: places, and what joins them but for bare borders."""
    graph: Any = nx.Graph()
    graph.add_nodes_from(board.places)
    graph.add_edges_from(tuple(row["ends"]) for table, row in board.tables("connection") if not board.is_bare(table))
    return graph


def _apart(board: GameMap) -> Iterator[Fault]:
    yield from _in_one_piece(board, set(board.places), board.where, "the map")
    for part in board.data.get("parts", {}):
        yield from _in_one_piece(board, board.inside(part), f"{board.where}: parts {part}", "the part")
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
    def side(a: Point, b: Point, c: Point) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def summary(board: GameMap) -> dict[str, Any]:
    """Count what a map has: rows by list, and data by what they rest on."""
    rows = Counter(table for table, _ in board.tables("place", "connection"))
    return {"map": board.name, **{table: rows[table] for table in board.roles}, **board.bases}


FORM_CHECKS = (_identities, _dangling, _twice, _sources, _marks, _parts)
WHOLE_CHECKS = (_apart, _crossing)
