"""What a map says of a place or a connection, and where each datum comes from."""

from __future__ import annotations

from typing import Any

from titm_rules.maps.maps import GameMap, RowData

QUIET = ("source", "id", "ends")


def record_of(board: GameMap, name: str) -> dict[str, Any]:
    """Give what a map says of a place, or else of a connection, by any of its names.

    Raises:
        InputError: for a name that the map does not know.
    """
    if board.place_names.find(name) is None and board.connection_names.find(name):
        table, row = board.connections[board.connection_names.need(name, name, "name")]
        return {"id": row["id"], "list": table, "fields": _fields(board, table, row)}
    return place_record(board, board.place_names.need(name, name, "place"))


def place_record(board: GameMap, identity: str) -> dict[str, Any]:
    """Give what a map says of a place: its fields with their origin, and what leads on from it."""
    table, row = board.places[identity]
    leads = [
        {"to": next(end for end in one["ends"] if end != identity), "id": one["id"], "fields": _fields(board, its, one)}
        for its, one in board.tables("connection")
        if identity in one["ends"]
    ]
    inside = [part for part in board.data.get("parts", {}) if identity in set().union(*board.part(part).values())]
    return {"id": identity, "list": table, "fields": _fields(board, table, row), "connections": leads, "parts": inside}


def _fields(board: GameMap, table: str, row: RowData) -> dict[str, Any]:
    fields = {}
    for field, value in row.items():
        if field not in QUIET:
            origin = board.origin(table, row, field)
            fields[field] = {"value": value, "basis": origin.basis, "source": origin.title, "why": origin.why}
    for field in ("ends", "id"):
        if field in row:
            origin = board.origin(table, row, field)
            return {"": {"value": "", "basis": origin.basis, "source": origin.title, "why": origin.why}, **fields}
    return fields
