"""Positions that name a map: the map is put under them, and names stand wherever ids do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from titm_rules.diagnostics import InputError, cut, did_you_mean
from titm_rules.formats.safe_json import bad
from titm_rules.formats.validate import table_fields
from titm_rules.ir.model import FieldSpec, Model
from titm_rules.ir.types import Type
from titm_rules.maps.gazetteer import Gazetteer
from titm_rules.maps.maps import GameMap, RowData, load_map

MAP, PART = "map", "map_part"
_INTERRUPTED = "!"
_NAMELESS = ("flag", "number", "text", "enum")
_ROW = re.compile(r"(?P<table>\w+)\[(?P<number>\d+)\]\.(?P<field>\w+)(?P<within>.*)", re.DOTALL)


def names_map(raw: object) -> bool:
    """Whether a situation names a map instead of giving one."""
    return isinstance(raw, dict) and MAP in raw


def map_of(model: Model, raw: Mapping[str, Any], where: str) -> GameMap:
    """Load the map that a situation names.

    Raises:
        InputError: if there is no such map.
    """
    name = raw[MAP]
    if not isinstance(name, str):
        raise bad("a map is named by a text", f"{where}.{MAP}", "write the name of a map", "bad-value")
    return load_map(model, name, f"{where}.{MAP}")


def expand(model: Model, situation: str, raw: Mapping[str, Any], board: GameMap, where: str) -> dict[str, Any]:
    """Put a map under a situation that names one.

    The lists that the map fills may stand in the situation too: each of their rows gives the id (or
    a name) of a row of the map and the fields that differ. A key that the map declares under
    `changes` maps names to the new value of one field. All other names become ids.

    Args:
        model: the rules.
        situation: its name.
        raw: its values, not yet checked.
        board: the map.
        where: path of the situation, for errors.

    Raises:
        InputError: for a fragment, an unknown part, or changes of what is not there.
    """
    if board.is_fragment or not table_fields(model, situation):
        raise bad(
            f"no {situation} can stand on the map `{board.name}`", f"{where}.{MAP}",
            "it is not a whole board" if board.is_fragment else "", "bad-value",
        )  # fmt: skip
    part = raw.get(PART)
    tables = board.tables_of(None if part is None else str(part), f"{where}.{PART}")
    given = {name: value for name, value in raw.items() if name not in (MAP, PART)}
    result: dict[str, Any] = dict(tables)
    for key, change in board.data.get("changes", {}).items():
        if key in given:
            pairs = _pairs(given.pop(key), f"{where}.{key}")
            rows = [(f"{where}.{key}.{cut(name)}", {"id": name, change["field"]: value}) for name, value in pairs]
            result[change["table"]] = _changed(board, change["table"], result[change["table"]], rows)
    fields = {spec.json: spec for spec in model.records[situation].fields}
    naming = Naming(model, board)
    for name, value in given.items():
        if name in board.roles and not board.is_bare(name):
            result[name] = _changed(board, name, result[name], _rows(value, f"{where}.{name}"))
        else:
            result[name] = naming.of(fields[name].type, value) if name in fields else value
    return result


def _pairs(value: object, where: str) -> Iterable[tuple[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise bad("changes map names to values", where, "write {NAME: VALUE}", "bad-value")
    return value.items()


def _rows(changes: object, where: str) -> Iterable[tuple[str, RowData]]:
    if not isinstance(changes, list) or not all(isinstance(c, dict) and isinstance(c.get("id"), str) for c in changes):
        raise bad("changes of a map are rows with an `id`", where, "write [{id: NAME, FIELD: VALUE}]", "bad-value")
    return [(f"{where}[{number}].id", change) for number, change in enumerate(changes)]


def _changed(board: GameMap, table: str, rows: list[RowData], changes: Iterable[tuple[str, RowData]]) -> list[RowData]:
    """Lay rows that differ, each with the path of its name, over those of the map."""
    names = _names_in(board, table)
    at = {row["id"]: index for index, row in enumerate(rows)}
    result = list(rows)
    for where, change in changes:
        identity = names.need(change["id"], where, "name")
        if identity not in at:
            raise bad(f"`{identity}` is not in play", where, did_you_mean(change["id"], at), "unknown-name")
        result[at[identity]] = {**result[at[identity]], **change, "id": identity}
    return result


def _names_in(board: GameMap, table: str) -> Gazetteer:
    return board.place_names if board.roles[table] == "place" else board.connection_names


def faults_as_given(error: InputError, raw: Mapping[str, Any], board: GameMap, where: str) -> InputError:
    """Let faults of the values of a situation that names a map point to what was given, not to the row of the map.

    Args:
        error: holds the faults; their paths are those of the situation on its map.
        raw: the situation as it was given.
        board: the map.
        where: path of the situation.
    """
    tables = board.tables_of(None if raw.get(PART) is None else str(raw[PART]), where)
    places = [_as_given(str(fault.where), raw, board, tables, where) for fault in error.faults]
    return InputError([replace(fault, where=place) for fault, place in zip(error.faults, places, strict=True)])


def _as_given(
    path: str, raw: Mapping[str, Any], board: GameMap, tables: Mapping[str, list[RowData]], where: str
) -> str:
    row = _ROW.fullmatch(path.removeprefix(f"{where}."))
    if row is None or row["table"] not in tables or board.is_bare(row["table"]):
        return path
    table = row["table"]
    identity = tables[table][int(row["number"])]["id"]
    names = _names_in(board, table)
    for number, change in enumerate(raw.get(table) or ()):
        if names.find(change["id"]) == identity and row["field"] in change:
            return f"{where}.{table}[{number}].{row['field']}{row['within']}"
    for key, change in board.data.get("changes", {}).items():
        if change["table"] == table and change["field"] == row["field"]:
            named = (name for name in raw.get(key) or () if names.find(name) == identity)
            return f"{where}.{key}.{next(named, '')}"
    return path


def _unlike(row: RowData, unset: RowData) -> RowData:
    """Give what the rules take for the fields of a row that are left out, where the row has another value."""
    return {name: unset[name] for name, value in row.items() if name in unset and value != unset[name]}


def _said(row: RowData, unlike: RowData | None) -> RowData:
    """Say the defaults that a row leaves out, of those that the map has otherwise."""
    missing = {name: value for name, value in unlike.items() if name not in row} if unlike else None
    return {**row, **missing} if missing else row


class Naming:
    """Turns names into ids wherever the rules expect a place or a connection."""

    def __init__(self, model: Model, board: GameMap, part: str | None = None) -> None:
        self._model = model
        self._board = board
        self._part = part
        self._types: dict[str, dict[str, Type]] = {}  # of the fields of a record that may hold a name

    @property
    def named(self) -> dict[str, str]:
        """How a situation names the map, and the part of it."""
        return {MAP: self._board.name, **({PART: self._part} if self._part is not None else {})}

    @property
    def is_current(self) -> bool:
        """Whether the file of the map has not changed since."""
        try:
            return load_map(self._model, self._board.name) is self._board
        except InputError:
            return False

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of the map: that it is reconstructed, say."""
        return (self._board.caution,) if self._board.caution else ()

    @property
    def layout(self) -> dict[str, tuple[float, float]]:
        """Where the map draws its places."""
        return self._board.layout

    @property
    def origins(self) -> dict[str, str]:
        """What each place of the map rests on: attested, deduced or reconstructed."""
        return {name: self._board.origin(table, row, "id").basis for name, (table, row) in self._board.places.items()}

    @property
    def numbers(self) -> dict[str, int]:
        """The number that the map prints at each place, where it has one."""
        rows = ((name, row) for name, (_, row) in self._board.places.items())
        return {name: row["number"] for name, row in rows if row.get("number") is not None}

    @property
    def bases(self) -> dict[str, int]:
        """Count the data of the map by what they rest on."""
        return self._board.bases

    def place(self, name: str) -> str:
        """Give the id of a place; a name that the map does not know comes back."""
        return self._board.place_names.find(name) or name

    def told(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Give a situation so that it reads back on the map: a default that the map says otherwise is said."""
        unlike = self._unlike_defaults
        return {
            name: [_said(row, unlike[name].get(row["id"])) for row in value] if name in unlike else value
            for name, value in data.items()
        }

    @cached_property
    def _unlike_defaults(self) -> dict[str, dict[str, RowData]]:
        """By list and row, the defaults of the fields where the map has another value."""
        found: dict[str, dict[str, RowData]] = {}
        for name, rows in self._board.tables_of(self._part).items():
            if not self._board.is_bare(name):
                unset = self._board.unset(name)
                found[name] = {row["id"]: unlike for row in rows if (unlike := _unlike(row, unset))}
        return found

    def numbered(self, wanted: Type, value: object) -> Any:
        """Turn ids in a value of a type into the numbers that the map prints; what has none stays."""
        if isinstance(value, list | tuple):
            return type(value)(self.numbered(wanted, one) for one in value)
        names = self._names(wanted)
        if names is None or not isinstance(value, str):
            return value
        found = self._board.connections.get(value)
        ends = [value] if found is None else found[1]["ends"]
        short = "-".join(map(self._number, ends))
        return short if names.find(short) == value else value

    def _number(self, place: str) -> str:
        row = self._board.places[place][1] if place in self._board.places else {}
        return str(row.get("number") or place)

    def inputs(self, specs: Iterable[FieldSpec], raw: Mapping[str, Any]) -> dict[str, Any]:
        """Turn the names in the input of a question into ids."""
        types = {spec.json: spec.type for spec in specs}
        return {name: self.of(types[name], value) if name in types else value for name, value in raw.items()}

    def of(self, wanted: Type, value: object) -> Any:
        """Turn the names in a value of a type into ids; what is no name stays."""
        if isinstance(value, list | tuple):
            return type(value)(self.of(wanted, one) for one in value)
        if wanted.kind == "path":
            return self._step(value)
        if isinstance(value, dict) and wanted.name in self._model.records:
            types = self._types_of(wanted.name)
            return {name: self.of(types[name], one) if name in types else one for name, one in value.items()}
        names = self._names(wanted)
        if names is None or not isinstance(value, str | int) or isinstance(value, bool):
            return value
        return names.find(str(value)) or value

    def _types_of(self, record: str) -> dict[str, Type]:
        """Map the fields of a record that may hold a name to their types."""
        if record not in self._types:
            specs = self._model.records[record].fields
            self._types[record] = {spec.json: spec.type for spec in specs if spec.type.kind not in _NAMELESS}
        return self._types[record]

    def _names(self, wanted: Type) -> Gazetteer | None:
        record = self._model.records.get(wanted.name)
        role = record.role if record else "place" if "place" in (wanted.kind, wanted.name) else ""
        return {"place": self._board.place_names, "connection": self._board.connection_names}.get(role)

    def _step(self, step: object) -> Any:
        if not isinstance(step, str | int) or isinstance(step, bool):
            return step
        text = str(step)
        mark = _INTERRUPTED if text.startswith(_INTERRUPTED) else ""
        found = self._board.place_names.find(text.removeprefix(_INTERRUPTED))
        return step if found is None else mark + found
