"""The values that rules speak of: records with slots, joined to each other by reference."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar

from titm_rules.rules.model import RecordSpec


class Record:
    """A place, piece, connection or plain record; its fields are attributes.

    What is not the rule set's own ends in an underscore, as no name in the rules does: `record_` is
    the name of its record, `index_` orders the records of one type (places: of all types of places): from 0, with
    gaps where some are gone.
    """

    __slots__ = ("id", "index_", "record_")
    id: str
    index_: int
    record_: str
    _spec: ClassVar[RecordSpec]  # no field of a rule set starts with an underscore
    _joints: ClassVar[Mapping[str, Callable[[], object]]] = MappingProxyType({})
    _copier: ClassVar[Callable[[Record], Any] | None] = None  # of a class of one record: made when it is first asked

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


def copied(record: Record) -> Any:
    """Make a record with the same fields; joints start empty."""
    made_of = type(record)
    if made_of._copier is None:
        made_of._copier = _copier(made_of)
    return made_of._copier(record)


def _copier(made_of: type[Record]) -> Callable[[Record], Any]:
    """Make the function that copies a record of a class: a statement for each field."""

    def read(name: str) -> ast.expr:
        return ast.Name(name, ast.Load())

    def written(field: str, value: ast.expr) -> ast.stmt:
        return ast.Assign([ast.Attribute(read("made"), field, ast.Store())], value)

    slots = [name for one in made_of.__mro__ for name in one.__dict__.get("__slots__", ())]
    fields = [name for name in slots if name not in made_of._joints]
    body = [
        ast.Assign([ast.Name("made", ast.Store())], ast.Call(read("made_of"), [], [])),
        *(written(name, ast.Attribute(read("one"), name, ast.Load())) for name in fields),
        *(written(joint, ast.Call(read(joint), [], [])) for joint in made_of._joints),
        ast.Return(read("made")),
    ]
    arguments = ast.arguments([], [ast.arg("one")], None, [], [], None, [])
    module = ast.fix_missing_locations(ast.Module([ast.FunctionDef("copied", arguments, body, [])], []))
    names: dict[str, Any] = {"made_of": made_of, **made_of._joints}
    exec(compile(module, f"<{made_of.__name__}>", "exec"), names)
    made: Callable[[Record], Any] = names["copied"]
    return made


def all_links(place: Place) -> list[tuple[Connection, Place]]:
    """List the connections at a place, whatever their type, with the places at their other ends."""
    return [pair for pairs in place.links_.values() for pair in pairs]
