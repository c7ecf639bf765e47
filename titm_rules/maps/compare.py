"""Differences between two maps, row by row and field by field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from titm_rules.maps.maps import GameMap, RowData

_UNCOMPARED = frozenset({"id", "ends", "source"})


@dataclass(frozen=True)
class Difference:
    """One thing in which two maps differ.

    Attributes:
        table: the list; `name` the id of the row.
        field: empty if only one of the maps has the row.
        first: what the first map has; nothing if it lacks it. `second` likewise.
    """

    table: str
    name: str
    field: str
    first: Any
    second: Any

    def __str__(self) -> str:
        if not self.field:
            return f"{self.table} {self.name}: only in the {'first' if self.second is None else 'second'}"
        return f"{self.table} {self.name}: {self.field} {self.first} | {self.second}"


def compare(first: GameMap, second: GameMap, fields: frozenset[str] = frozenset()) -> Iterator[Difference]:
    """Yield what differs between two maps; names of either find rows of the other.

    Args:
        first: a map.
        second: another.
        fields: compare only these, if any are given.
    """
    for table, row in [*first.tables("place"), *first.tables("connection")]:
        twin = _twin(second, table, row, first.roles[table] == "place")
        if twin is None:
            yield Difference(table, row["id"], "", row["id"], None)
            continue
        for field in sorted({*row, *twin} - _UNCOMPARED):
            if row.get(field) != twin.get(field) and (not fields or field in fields):
                yield Difference(table, row["id"], field, row.get(field), twin.get(field))
    for table, row in [*second.tables("place"), *second.tables("connection")]:
        if _twin(first, table, row, second.roles[table] == "place") is None:
            yield Difference(table, row["id"], "", None, row["id"])


def _twin(other: GameMap, table: str, row: RowData, is_place: bool) -> RowData | None:
    """Find the row of another map that stands for the same place or connection."""
    if is_place:
        found = other.place_names.find(row["id"])
        return other.places[found][1] if found and other.places[found][0] == table else None
    ends = {other.place_names.find(end) for end in row["ends"]}
    return next((one for one in other.data.get(table, ()) if set(one["ends"]) == ends), None)
