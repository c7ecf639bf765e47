"""The values that rules speak of: records with slots, joined to each other by reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar

from titm_rules.rules.model import RecordSpec


class Record:
    """A place, piece, connection or plain record; its fields are attributes.

    What is not the rule set's own ends in an underscore, as no name in the rules does: `record_` is
    the name of its record, `index_` numbers the records of one type from 0 (places: of all types of
    places).
    """

    __slots__ = ("id", "index_", "record_")
    id: str
    index_: int
    record_: str
    _spec: ClassVar[RecordSpec]  # no field of a rule set starts with an underscore
    _joints: ClassVar[Mapping[str, Callable[[], object]]] = MappingProxyType({})

    def __repr__(self) -> str:
        return f"<{self.record_} {self.id}>"


class Place(Record):
    """A place; `links_` holds, by type of connection, the pairs of a connection and the place at its other end.

    They are in the order of the input.
    """

    __slots__ = ("links_",)
    links_: dict[str, list[tuple[Connection, Place]]]
    _joints = MappingProxyType({"links_": dict})


class Connection(Record):
    """A connection; its two `ends` are a field that every rule set declares."""

    __slots__ = ()
    ends: list[Place]


class Piece(Record):
    """A piece; the `place` where it stands is a field that every rule set declares."""

    __slots__ = ()
    place: Place | None


class Situation(Record):
    """The situation itself, whose fields are lists, values and references.

    `standing_` holds, by place, the pieces that stand there; `memo_` what a compiled engine remembers,
    and `engine_` is that engine.
    """

    __slots__ = ("engine_", "memo_", "standing_")
    standing_: dict[Place, list[Piece]]
    memo_: Any
    engine_: Any
    _joints = MappingProxyType({"standing_": dict, "memo_": dict, "engine_": lambda: None})


Mover = Piece | list[Piece]
Value = Record | Sequence["Value"] | int | str | None  # what terms are worth; a flag is a number too
_OF_ROLES = {"place": Place, "connection": Connection, "piece": Piece, "situation": Situation}


@lru_cache(maxsize=256)
def record_class(spec: RecordSpec) -> type[Record]:
    """Build the class of a record, with a slot for each field."""
    slots = tuple(field.name for field in spec.fields if field.name != "id")
    return type(spec.name, (_OF_ROLES.get(spec.role, Record),), {"__slots__": slots, "_spec": spec})


def new_record(made_of: type[Record], identity: str, index: int) -> Any:
    """Make a record of a class that `record_class` gave; joints start empty."""
    made = made_of()
    made.id, made.index_, made.record_ = identity, index, made_of._spec.name
    for joint, empty in made_of._joints.items():
        setattr(made, joint, empty())
    return made


def all_links(place: Place) -> list[tuple[Connection, Place]]:
    """List the connections at a place, whatever their type, with the places at their other ends."""
    return [pair for pairs in place.links_.values() for pair in pairs]
