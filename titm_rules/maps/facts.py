"""Facts that a map must hold: those in its own file, and the rows and facts of the maps it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from titm_rules.diagnostics import Fault, InputError
from titm_rules.maps.expand import MAP, Naming, expand
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


# ---------------------------------------------------------------------- rows of another map
def _rows_hold(board: GameMap, other: GameMap) -> Iterator[Fault]:
    for table, row in [*other.tables("place"), *other.tables("connection")]:
        place = other.roles[table] == "place"
        name = row["id"]
        found = board.place_names.find(name) if place else _joining(board, table, row["ends"])
        if found is None:
            yield _broken(board, other, table, row, "id" if place else "ends", f"`{name}` is missing")
            continue
        mine_table, mine = (board.places if place else board.connections)[found]
        if mine_table != table:
            yield _broken(board, other, table, row, "id", f"`{name}` stands under {mine_table}, not {table}")
        for field, value in row.items():
            if field not in _NOT_COMPARED and not _agrees(field, mine.get(field), value):
                shown = mine.get(field)
                yield _broken(board, other, table, row, field, f"`{field}` of `{name}` is {shown}, not {value}")


def _joining(board: GameMap, table: str, ends: list[str]) -> str | None:
    found = {board.place_names.find(end) for end in ends}
    return next((row["id"] for row in board.data.get(table, ()) if set(row["ends"]) == found), None)


def _agrees(field: str, mine: Any, wanted: Any) -> bool:
    return set(wanted) <= set(mine or ()) if field in _SETS else mine == wanted


def _broken(board: GameMap, other: GameMap, table: str, row: RowData, field: str, what: str) -> Fault:
    origin = other.origin(table, row, field)
    why = f"{origin.basis}: {origin.title}" + (f"; {origin.why}" if origin.why else "")
    return Fault(what, f"{board.where}: {table} {row['id']}", why, f"see `{other.name}`", kind="fact")


# ---------------------------------------------------------------------- the kinds of fact
def _has(row: Mapping[str, Any], field: str, value: object) -> bool:
    found = row.get(field)
    return value in found if isinstance(found, list) else found == value


def _fits(row: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    return all(_has(row, field, value) for field, value in values.items())


def _one_of(row: Mapping[str, Any], choices: Mapping[str, Any]) -> bool:
    return all(any(_has(row, field, value) for value in among) for field, among in choices.items())


def _default(board: GameMap, table: str, row: RowData) -> dict[str, Any]:
    """Give a row with the defaults of what the rules know of it."""
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
    names = board.place_names if board.roles[check["table"]] == "place" else board.connection_names
    wanted = {names.find(name) or name for name in check["names"]}
    there = {row["id"] for row in board.data.get(check["table"], ()) if _fits(row, check["where"])}
    yield from (f"`{name}` is not among them" for name in sorted(wanted - there))
    yield from (f"`{name}` should not be among them" for name in sorted(there - wanted))


def _count(board: GameMap, check: Mapping[str, Any], _: Ask) -> Iterator[str]:
    rows = board.data.get(check["table"], ())
    has = check.get("has", {})
    there = sum(_one_of(_default(board, check["table"], row), has) for row in rows)
    if there < check["least"]:
        told = f" with {', '.join(f'{field} {_among(values)}' for field, values in has.items())}" if has else ""
        yield f"{check['table']} has {there} rows{told}, which is less than {check['least']}"


def _among(values: list[Any]) -> str:
    return " or ".join(map(str, values))


def _when(board: GameMap, check: Mapping[str, Any], _: Ask) -> Iterator[str]:
    for row in board.data.get(check["table"], ()):
        whole = _default(board, check["table"], row)
        if _one_of(whole, check["has"]) and not _one_of(whole, check["wants"]):
            is_now = ", ".join(f"{field} {whole.get(field)}" for field in check["wants"])
            yield f"`{row['id']}` has {is_now}"


def _border(board: GameMap, check: Mapping[str, Any], _: Ask) -> Iterator[str]:
    for row in board.data.get(check["table"], ()):
        one, other = (_place(board, end) for end in row["ends"])
        for near, far in ((one, other), (other, one)):
            if _fits(near, check["near"]) and _fits(far, check["far"]):
                if not _fits(far, check.get("wants", {})):
                    yield f"`{far['id']}`, joined to `{near['id']}`, lacks {check['wants']}"
                if not _fits(row, check.get("link", {})):
                    yield f"`{row['id']}` lacks {check['link']}"


def _place(board: GameMap, identity: str) -> dict[str, Any]:
    table, row = board.places[identity]
    return {"table": table, **_default(board, table, row)}


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
    places = board.part(check["part"])
    inside = {name for names in places.values() for name in names}
    yield from (f"`{name}` is outside" for name in check.get("names", ()) if board.place_names.find(name) not in inside)
    for table, names in check.get("exactly", {}).items():
        for name in sorted(set(names) ^ set(places.get(table, ()))):
            yield f"`{name}` is {'outside' if name in names else 'inside'}"
    other = check.get("shares")
    if other and not (other in parts and any(inside & set(names) for names in board.part(other).values())):
        yield f"it shares no place with `{other}`"


def _ring(board: GameMap, names: list[str], _: Ask) -> Iterator[str]:
    borders = {frozenset(row["ends"]) for table, row in board.tables("connection") if board.is_bare(table)}
    wanted = {frozenset(pair) for pair in zip(names, names[1:] + names[:1], strict=True)}
    yield from (f"{' and '.join(sorted(pair))} do not touch" for pair in sorted(wanted - borders, key=sorted))
    yield from (f"{' and '.join(sorted(pair))} touch" for pair in sorted(borders - wanted, key=sorted))


def _asked(board: GameMap, check: Mapping[str, Any], ask: Ask) -> Iterator[str]:
    """Put a question to the rules on this map."""
    question = board.model.questions.get(check["query"])
    if question is None:
        yield f"the rules answer no question `{check['query']}`"
        return
    try:
        raw = {MAP: board.name, **check["situation"]}
        situation = expand(board.model, question.situation, raw, board, "$")
        inputs = Naming(board.model, board).inputs(question.inputs, check.get("input", {}))
        answer = ask(check["query"], {question.situation: situation, **inputs})
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
    "have": _have,
    "absent": _absent,
    "only": _only,
    "count": _count,
    "when": _when,
    "border": _border,
    "numbered": _numbered,
    "part": _part,
    "ring": _ring,
    "ask": _asked,
}
