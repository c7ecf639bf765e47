"""The values that rules speak of: records with slots, joined to each other by reference."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from titm_rules.model.model import RecordSpec

_JOINTS = {"place": ("links", "pieces"), "piece": (), "connection": (), "plain": (), "situation": ("memo", "engine")}


class Record:
    """A place, piece, connection or plain record; its fields are attributes.

    `index` numbers the records of one list from 0 (places: over all lists of places). A place
    also has `links`, by type of connection the pairs of a connection and the place at its other
    end, and `pieces`, the pieces that stand there, both in the order of the input. A situation has room for what a
    compiled engine remembers (`memo`) and for the engine itself.
    """

    __slots__ = ("id", "index", "record")
    id: str
    index: int
    record: str

    def __repr__(self) -> str:
        return f"<{self.record} {self.id}>"


@lru_cache(maxsize=256)
def record_class(spec: RecordSpec) -> type[Record]:
    """Build the class of a record, with a slot for each field."""
    slots = tuple(f.name for f in spec.fields if f.name != "id") + _JOINTS[spec.role]
    return type(spec.name, (Record,), {"__slots__": slots})


def new_record(spec: RecordSpec, identity: str, index: int, values: dict[str, Any]) -> Any:
    """Make a record; joints start empty."""
    made = record_class(spec)()
    made.id, made.index, made.record = identity, index, spec.name
    for name, value in values.items():
        setattr(made, name, value)
    for joint in _JOINTS[spec.role]:
        setattr(made, joint, {} if joint == "links" else [])
    return made


def all_links(place: Any) -> list[tuple[Any, Any]]:
    """List the connections at a place, whatever their type, with the places at their other ends."""
    return [pair for pairs in place.links.values() for pair in pairs]
