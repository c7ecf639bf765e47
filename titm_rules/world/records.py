"""The values that rules speak of: records with slots, joined to each other by reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, ClassVar

from titm_rules.model.model import RecordSpec

_JOINTS: dict[str, dict[str, Callable[[], Any]]] = {
    "place": {"links": dict},
    "situation": {"standing": dict, "memo": dict, "engine": lambda: None},
}


class Record:
    """A place, piece, connection or plain record; its fields are attributes.

    `index` numbers the records of one type from 0 (places: of all types of places). A place
    also has `links`, by type of connection the pairs of a connection and the place at its other
    end, in the order of the input. A situation also has `standing`, by place the pieces that stand
    there, and room for what a compiled engine remembers (`memo`) and for the engine itself.
    """

    __slots__ = ("id", "index", "record")
    id: str
    index: int
    record: str
    _spec: ClassVar[RecordSpec]  # no field of a rule set starts with an underscore
    _joints: ClassVar[Mapping[str, Callable[[], Any]]]

    def __repr__(self) -> str:
        return f"<{self.record} {self.id}>"


@lru_cache(maxsize=256)
def record_class(spec: RecordSpec) -> type[Record]:
    """Build the class of a record, with a slot for each field."""
    joints = _JOINTS.get(spec.role, {})
    slots = (*(f.name for f in spec.fields if f.name != "id"), *joints)
    return type(spec.name, (Record,), {"__slots__": slots, "_spec": spec, "_joints": joints})


def new_record(made_of: type[Record], identity: str, index: int) -> Any:
    """Make a record of a class that `record_class` gave; joints start empty."""
    made = made_of()
    made.id, made.index, made.record = identity, index, made_of._spec.name
    for joint, empty in made_of._joints.items():
        setattr(made, joint, empty())
    return made


def all_links(place: Any) -> list[tuple[Any, Any]]:
    """List the connections at a place, whatever their type, with the places at their other ends."""
    return [pair for pairs in place.links.values() for pair in pairs]
