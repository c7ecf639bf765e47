"""How the records of a situation are made from rows of JSON values: worked out once for the rules of a model."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from titm_rules.rules.model import MISSING, FieldSpec, Model, RecordSpec
from titm_rules.rules.types import Type
from titm_rules.world.records import Record, record_class

_PLAIN = frozenset(("flag", "number", "text"))
_KEPT = 64
_KNOWN: OrderedDict[int, tuple[Mapping[str, RecordSpec], dict[str, Making]]] = OrderedDict()


class Reference(NamedTuple):
    """How a field that is no plain value and no enumeration is read.

    Attributes:
        name: the attribute; `json` the key, `default` its value as in JSON.
        names_one: whether it names one place or record that a list of the situation holds.
        is_list: whether it is a list, empty where nothing is said.
    """

    name: str
    json: str
    default: Any
    type: Type
    names_one: bool
    is_list: bool


@dataclass(frozen=True, slots=True, eq=False)
class Making:
    """How the records of one type are made; each field is in one of four groups.

    Attributes:
        is_bare: a row is a pair of ends and has no id.
        is_place: they are places.
        to_pieces: the fields that hold a piece.
        plain: fields that hold the JSON value itself: attribute, key and default.
        ranked: fields of one enumeration: attribute, key, default, and the ranks of the texts (nothing stays nothing).
        resolved: fields that refer to records, or hold some.
        later: fields whose default is another field.
    """

    record: RecordSpec
    made_of: type[Record]
    is_bare: bool
    is_place: bool
    to_pieces: tuple[str, ...]
    plain: tuple[tuple[str, str, Any], ...]
    ranked: tuple[tuple[str, str, Any, Mapping[str | None, int | None]], ...]
    resolved: tuple[Reference, ...]
    later: tuple[FieldSpec, ...]


def makings_of(model: Model) -> dict[str, Making]:
    """Give the makings of all records of a model by name; models that differ in readings alone share them."""
    found = _KNOWN.get(id(model.records))
    if found is None:
        made = {name: _making(model, spec) for name, spec in model.records.items()}
        found = _KNOWN[id(model.records)] = model.records, made  # the records are kept, so that their id stays theirs
        if len(_KNOWN) > _KEPT:
            _KNOWN.popitem(last=False)
    return found[1]


def default_of(spec: FieldSpec) -> Any:
    """Give the default of a field, as in JSON."""
    return None if spec.default == MISSING else spec.default


def _making(model: Model, record: RecordSpec) -> Making:
    fields = [spec for spec in record.fields if spec.name != "id" and not spec.same_as]
    pieces = (f.name for f in record.fields if f.type.kind == "record" and model.records[f.type.name].role == "piece")
    return Making(
        record,
        record_class(record),
        record.is_bare,
        record.role == "place",
        tuple(pieces),
        tuple((f.name, f.json, default_of(f)) for f in fields if f.type.kind in _PLAIN),
        tuple((f.name, f.json, default_of(f), _ranks(model, f)) for f in fields if f.type.kind == "enum"),
        tuple(_reference(model, f) for f in fields if f.type.kind not in _PLAIN and f.type.kind != "enum"),
        tuple(f for f in record.fields if f.same_as),
    )


def _ranks(model: Model, spec: FieldSpec) -> Mapping[str | None, int | None]:
    return {None: None, **{text: rank for rank, text in enumerate(model.enums[spec.type.name].texts)}}


def _reference(model: Model, spec: FieldSpec) -> Reference:
    wanted = spec.type
    names_one = wanted.kind == "place" or (wanted.kind == "record" and model.records[wanted.name].has_id)
    is_list = wanted.kind == "set" and not wanted.optional
    return Reference(spec.name, spec.json, default_of(spec), wanted, names_one, is_list)
