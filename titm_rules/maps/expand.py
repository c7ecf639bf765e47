"""Open a situation that names a map: expand the map under it, and translate names to ids and back.

Every entrance from outside (`Edition.ask`, `Position.from_dict`, the notation, the checks of maps and scenarios)
opens a situation with `open_situation`. A situation that names no map gets `NO_MAP`, whose names are the ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from titm_rules.diagnostics import InputError, cut, did_you_mean
from titm_rules.formats.fields import table_fields
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import FieldSpec, Model
from titm_rules.ir.types import Type
from titm_rules.maps.maps import GameMap, Gazetteer, MapFacts, RowData, load_map

MAP, PART = "map", "map_part"
INTERRUPTED = "!"
_NAMELESS = ("flag", "number", "text", "enum")
_ROW = re.compile(r"(?P<table>\w+)\[(?P<number>\d+)\]\.(?P<field>\w+)(?P<within>.*)", re.DOTALL)


def names_map(raw: object) -> bool:
    return isinstance(raw, dict) and MAP in raw


def map_of(model: Model, raw: Mapping[str, Any], where: str) -> GameMap:
    """Load the map that a situation names; raises `InputError` for an unknown map."""
    if not isinstance(raw[MAP], str):
        raise bad("a map is named by a text", f"{where}.{MAP}", "write the name of a map", "bad-value")
    return load_map(model, raw[MAP], f"{where}.{MAP}")


@dataclass(frozen=True)
class OpenedSituation:
    """A situation from outside."""

    data: Any  # its values; where it names a map, those of the map with the differences applied. Not checked
    naming: Naming  # translates the names of the map
    raw: Any  # the situation as it was given
    where: str  # its path, for errors

    def as_given(self, error: InputError) -> InputError:
        """Let faults in values of the map point to what was given, not to the row of the map."""
        if not isinstance(self.naming, MapNaming):
            return error
        board = self.naming.board
        return InputError([replace(fault, where=self._place(str(fault.where), board)) for fault in error.faults])

    def _place(self, path: str, board: GameMap) -> str:
        tables = board.tables_of(_part(self.raw), self.where)
        row = _ROW.fullmatch(path.removeprefix(f"{self.where}."))
        if row is None or row["table"] not in tables or board.is_bare(row["table"]):
            return path
        table, names = row["table"], board.names_in(row["table"])
        identity = tables[table][int(row["number"])]["id"]
        for number, change in enumerate(self.raw.get(table) or ()):
            if names.find(change["id"]) == identity and row["field"] in change:
                return f"{self.where}.{table}[{number}].{row['field']}{row['within']}"
        for key, change in board.data.get("changes", {}).items():
            if change["table"] == table and change["field"] == row["field"]:
                named = (name for name in self.raw.get(key) or () if names.find(name) == identity)
                return f"{self.where}.{key}.{next(named, '')}"
        return path


def _part(raw: Mapping[str, Any]) -> str | None:
    return None if raw.get(PART) is None else str(raw[PART])


def open_situation(
    model: Model, situation: str, raw: object, where: str, board: GameMap | None = None
) -> OpenedSituation:
    """Open a situation: if it names a map, expand the map under it; `board` is that map, if it was already read.

    `raw` are its values, not yet checked; `where` is its path, for errors. Raises `InputError` for an unknown map, a
    fragment, an unknown part, or changes of rows that the map does not have.
    """
    if not (isinstance(raw, dict) and MAP in raw):
        return OpenedSituation(raw, NO_MAP, raw, where)
    board = board or map_of(model, raw, where)
    naming = MapNaming(model, board, raw.get(PART))
    return OpenedSituation(_expand(naming, situation, raw, where), naming, raw, where)


def _expand(naming: MapNaming, situation: str, raw: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Put the map under a situation.

    The lists that the map fills may also be in the situation: each of their rows gives the id (or a name) of a row of
    the map and the fields that differ. A key that the map declares under `changes` maps names to the new value of one
    field. All other names become ids.
    """
    model, board = naming.model, naming.board
    if board.is_fragment or not table_fields(model, situation):
        fix = "it is not a whole board" if board.is_fragment else ""
        raise bad(f"no {situation} can stand on the map `{board.name}`", f"{where}.{MAP}", fix, "bad-value")
    tables = board.tables_of(_part(raw), f"{where}.{PART}")
    given = {name: value for name, value in raw.items() if name not in (MAP, PART)}
    result: dict[str, Any] = dict(tables)
    for key, change in board.data.get("changes", {}).items():
        if key in given:
            pairs = _pairs(given.pop(key), f"{where}.{key}")
            rows = [(f"{where}.{key}.{cut(name)}", {"id": name, change["field"]: value}) for name, value in pairs]
            result[change["table"]] = _changed(board, change["table"], result[change["table"]], rows)
    fields = {spec.json: spec for spec in model.records[situation].fields}
    for name, value in given.items():
        if name in board.roles and not board.is_bare(name):
            result[name] = _changed(board, name, result[name], _rows(value, f"{where}.{name}"))
        else:
            result[name] = naming.ids(fields[name].type, value) if name in fields else value
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
    names = board.names_in(table)
    at = {row["id"]: index for index, row in enumerate(rows)}
    result = list(rows)
    for where, change in changes:
        identity = names.need(change["id"], where, "name")
        if identity not in at:
            raise bad(f"`{identity}` is not in play", where, did_you_mean(change["id"], at), "unknown-name")
        result[at[identity]] = {**result[at[identity]], **change, "id": identity}
    return result


class Naming:
    """Names of a situation that names no map: ids are the only names, and nothing else is known of its places."""

    named: Mapping[str, str] = {}

    @property
    def facts(self) -> MapFacts:
        """The layout, numbers and sources of the map."""
        return MapFacts()

    @property
    def is_current(self) -> bool:
        """Whether the file of the map has not changed since it was read."""
        return True

    def place_id(self, name: str) -> str:
        """Return the id of a place; an unknown name comes back as it is."""
        return name

    def without_map(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a situation in such a way that it reads back on the map."""
        return data

    def to_numbers(self, wanted: Type, value: object) -> Any:
        """Replace ids in a value of a type by the numbers that the map prints; other ids stay."""
        del wanted
        return value

    def input_ids(self, specs: Iterable[FieldSpec], raw: Mapping[str, Any]) -> Mapping[str, Any]:
        """Replace the names in the input of a question by ids."""
        del specs
        return raw

    def ids(self, wanted: Type, value: object) -> Any:
        """Replace the names in a value of a type by ids; a text that is not a name stays."""
        del wanted
        return value


class MapNaming(Naming):
    """Names of a situation on a map: any name of a place or a connection may replace its id."""

    def __init__(self, model: Model, board: GameMap, part: str | None = None) -> None:
        self.model, self.board, self._part = model, board, part
        self.named = {MAP: board.name, **({PART: part} if part is not None else {})}
        self._types: dict[str, dict[str, Type]] = {}  # of the fields of a record that may hold a name

    @property
    def facts(self) -> MapFacts:
        return self.board.facts

    @property
    def is_current(self) -> bool:
        try:
            return load_map(self.model, self.board.name) is self.board
        except InputError:
            return False

    def place_id(self, name: str) -> str:
        return self.board.place_names.find(name) or name

    def without_map(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Write out each default that a row leaves out where the map has another value."""
        unlike = self._unlike_defaults
        return {
            name: [_with_defaults(row, unlike[name].get(row["id"], {})) for row in value] if name in unlike else value
            for name, value in data.items()
        }

    @cached_property
    def _unlike_defaults(self) -> dict[str, dict[str, RowData]]:
        unlike: dict[str, dict[str, RowData]] = {}
        for name, rows in self.board.tables_of(self._part).items():
            if not self.board.is_bare(name):
                unset, unlike[name] = self.board.unset(name), {}
                for row in rows:
                    if defaults := {key: unset[key] for key in row if key in unset and row[key] != unset[key]}:
                        unlike[name][row["id"]] = defaults
        return unlike

    def to_numbers(self, wanted: Type, value: object) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(self.to_numbers(wanted, member) for member in value)
        names = self._names(wanted)
        if names is None or not isinstance(value, str):
            return value
        connection = self.board.connections.get(value)
        ends = [value] if connection is None else connection[1]["ends"]
        short = "-".join(str(self.facts.numbers.get(end, end)) for end in ends)
        return short if names.find(short) == value else value

    def input_ids(self, specs: Iterable[FieldSpec], raw: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._fields({spec.json: spec.type for spec in specs}, raw)

    def ids(self, wanted: Type, value: object) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(self.ids(wanted, member) for member in value)
        if wanted.kind == "path":
            return self._step(value)
        if isinstance(value, dict) and wanted.name in self.model.records:
            if wanted.name not in self._types:
                specs = self.model.records[wanted.name].fields
                self._types[wanted.name] = {spec.json: spec.type for spec in specs if spec.type.kind not in _NAMELESS}
            return self._fields(self._types[wanted.name], value)
        names = self._names(wanted)
        if names is None or not isinstance(value, str | int) or isinstance(value, bool):
            return value
        return names.find(str(value)) or value

    def _fields(self, types: Mapping[str, Type], raw: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.ids(types[name], value) if name in types else value for name, value in raw.items()}

    def _names(self, wanted: Type) -> Gazetteer | None:
        record = self.model.records.get(wanted.name)
        role = record.role if record else "place" if "place" in (wanted.kind, wanted.name) else ""
        return {"place": self.board.place_names, "connection": self.board.connection_names}.get(role)

    def _step(self, step: object) -> Any:
        if not isinstance(step, str | int) or isinstance(step, bool):
            return step
        text = str(step)
        mark = INTERRUPTED if text.startswith(INTERRUPTED) else ""
        place = self.board.place_names.find(text.removeprefix(INTERRUPTED))
        return step if place is None else mark + place


def _with_defaults(row: RowData, defaults: RowData) -> RowData:
    missing = {name: value for name, value in defaults.items() if name not in row}
    return {**row, **missing} if missing else row


NO_MAP = Naming()
