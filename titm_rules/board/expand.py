"""Positions that name a map: the map is put under them, and names stand wherever ids do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from titm_rules.board.maps import GameMap, Row, load_map
from titm_rules.board.names import Gazetteer
from titm_rules.diagnostics import did_you_mean
from titm_rules.edges.jsonin import bad
from titm_rules.edges.maps import table_fields
from titm_rules.model.model import FieldSpec, Model
from titm_rules.model.types import Type

MAP, PART = "map", "map_part"
_INTERRUPTED = "!"


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
            "it is no whole board" if board.is_fragment else "", "bad-value",
        )  # fmt: skip
    part = raw.get(PART)
    tables = board.tables_of(None if part is None else str(part), f"{where}.{PART}")
    given = {name: value for name, value in raw.items() if name not in (MAP, PART)}
    result: dict[str, Any] = dict(tables)
    for key, change in board.data.get("changes", {}).items():
        if key in given:
            pairs = _pairs(given.pop(key), f"{where}.{key}")
            rows = [{"id": name, change["field"]: value} for name, value in pairs]
            result[change["table"]] = _changed(board, change["table"], result[change["table"]], rows, f"{where}.{key}")
    fields = {spec.json: spec for spec in model.records[situation].fields}
    naming = Naming(model, board)
    for name, value in given.items():
        if name in board.roles and not board.is_bare(name):
            result[name] = _changed(board, name, result[name], value, f"{where}.{name}")
        else:
            result[name] = naming.of(fields[name].type, value) if name in fields else value
    return result


def _pairs(value: Any, where: str) -> Iterable[tuple[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise bad("changes map names to values", where, "write {NAME: VALUE}", "bad-value")
    return value.items()


def _changed(board: GameMap, table: str, rows: list[Row], changes: Any, where: str) -> list[Row]:
    """Lay rows that differ over those of the map."""
    if not isinstance(changes, list) or not all(isinstance(c, dict) and isinstance(c.get("id"), str) for c in changes):
        raise bad("changes of a map are rows with an `id`", where, "write [{id: NAME, FIELD: VALUE}]", "bad-value")
    names = board.place_names if board.roles[table] == "place" else board.connection_names
    at = {row["id"]: index for index, row in enumerate(rows)}
    result = list(rows)
    for number, change in enumerate(changes):
        identity = names.need(change["id"], f"{where}[{number}].id", "name")
        if identity not in at:
            fix = did_you_mean(change["id"], at)
            raise bad(f"`{identity}` is not in play", f"{where}[{number}].id", fix, "unknown-name")
        result[at[identity]] = {**result[at[identity]], **change, "id": identity}
    return result


class Naming:
    """Turns names into ids wherever the rules expect a place or a connection."""

    def __init__(self, model: Model, board: GameMap) -> None:
        self._model = model
        self._board = board

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of the map: that it is reconstructed, say."""
        return (self._board.caution,) if self._board.caution else ()

    @property
    def layout(self) -> dict[str, tuple[float, float]]:
        """Where the map draws its places."""
        rows = ((name, row) for name, (_, row) in self._board.places.items())
        return {name: (row["x"], row["y"]) for name, row in rows if "x" in row and "y" in row}

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

    def numbered(self, wanted: Type, value: Any) -> Any:
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

    def of(self, wanted: Type, value: Any) -> Any:
        """Turn the names in a value of a type into ids; what is no name stays."""
        if isinstance(value, list | tuple):
            return type(value)(self.of(wanted, one) for one in value)
        if wanted.kind == "path":
            return self._step(value)
        if isinstance(value, dict) and wanted.name in self._model.records:
            types = {spec.json: spec.type for spec in self._model.records[wanted.name].fields}
            return {name: self.of(types[name], one) if name in types else one for name, one in value.items()}
        names = self._names(wanted)
        if names is None or not isinstance(value, str | int) or isinstance(value, bool):
            return value
        return names.find(str(value)) or value

    def _names(self, wanted: Type) -> Gazetteer | None:
        record = self._model.records.get(wanted.name)
        role = record.role if record else "place" if "place" in (wanted.kind, wanted.name) else ""
        return {"place": self._board.place_names, "connection": self._board.connection_names}.get(role)

    def _step(self, step: Any) -> Any:
        if not isinstance(step, str | int) or isinstance(step, bool):
            return step
        text = str(step)
        mark = _INTERRUPTED if text.startswith(_INTERRUPTED) else ""
        found = self._board.place_names.find(text.removeprefix(_INTERRUPTED))
        return step if found is None else mark + found
