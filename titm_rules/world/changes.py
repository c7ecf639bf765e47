"""From one situation to the next: what changed, and a world that shares all that did not."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from titm_rules.rules.model import FieldSpec, Model, Route
from titm_rules.rules.types import Type
from titm_rules.world.records import Record, Situation, new_record, record_class
from titm_rules.world.world import World

Json = dict[str, Any]
_KEPT = 64
_KNOWN: OrderedDict[tuple[int, int, str], tuple[Model, Shape]] = OrderedDict()


@dataclass
class Written:
    """What an event changes.

    Attributes:
        fields: the fields that have other values, each with its record or situation; of a list whose records come
            or go, the list.
        rows: of lists whose records stay, by the name of the list in JSON: the rows that are new, by their places, each
            with the attributes that have other values.
        whole: the names in JSON of all other fields of the situation that are new.
    """

    fields: set[tuple[str, str]] = field(default_factory=set)
    rows: dict[str, dict[int, set[str]]] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)


class Shape:
    """What the lists of a situation hold, worked out once for a model.

    Attributes:
        lists: the lists of records with ids, by their names in JSON.
        single: by record, the list that alone holds its kind, no places: the number of a record is that of its row.
        pieces: the names in JSON of the lists of pieces.
        naming: the fields of the situation, but for the lists of records with ids, that lead to a piece.
        interrupted: the routes whose interruptions the situation notes.
        names: the attributes of the situation; `values` gives them all.
        settings: by record and attribute, a field and those that are the same as it where nothing else is said.
        fields_of: for each record of these lists, its attributes, and a function that gives them all.
        to_pieces: for each of the lists that have any, the fields that lead to a piece.
        unnamed: the lists of records that are neither board nor pieces and that nothing else names.
    """

    def __init__(self, model: Model, situation: str) -> None:
        records = model.records
        self.spec = records[situation]
        self.fields = {spec.json: spec for spec in self.spec.fields}
        self.by_name = {spec.name: spec for spec in self.spec.fields}
        self.made_of = record_class(self.spec)
        self.lists = {spec.json: spec for spec in self.spec.fields if spec.owns and _has_id(model, spec)}
        types = [spec.type.name for spec in self.lists.values()]
        self.single = {
            records[spec.type.name].name: json
            for json, spec in self.lists.items()
            if types.count(spec.type.name) == 1 and records[spec.type.name].role != "place"
        }
        self.pieces = [json for json, spec in self.lists.items() if records[spec.type.name].role == "piece"]
        self.naming = [f for f in self.spec.fields if f.json not in self.lists and leads_to_piece(model, f.type)]
        self.interrupted = [
            form
            for form in model.forms.values()
            if isinstance(form, Route) and form.situation == situation and form.interruption_noted
        ]
        self.names = tuple(spec.name for spec in self.spec.fields)
        self.values: Callable[[Record], tuple[Any, ...]] = _getter(self.names)
        self.settings = {
            (record.name, one.name): (one, tuple(other for other in record.fields if other.same_as == (one.name,)))
            for record in records.values()
            for one in record.fields
        }
        fields = {
            spec.type.name: tuple(one.name for one in records[spec.type.name].fields if one.name != "id")
            for spec in self.lists.values()
        }
        self.fields_of = {name: (attributes, _getter(attributes)) for name, attributes in fields.items()}
        self.to_pieces = {
            json: names
            for json, spec in self.lists.items()
            if (names := tuple(f.name for f in records[spec.type.name].fields if leads_to_piece(model, f.type)))
        }
        named = [f.type.name for record in records.values() for f in record.fields if not f.owns]
        self.unnamed = frozenset(
            json
            for json, spec in self.lists.items()
            if json in self.single.values()
            and spec.type.name not in named
            and records[spec.type.name].role not in ("piece", "connection")
            and json not in self.to_pieces
        )

    def has_rows(self, model: Model, lists: Iterable[str]) -> bool:
        """Whether each of some lists holds no part of the board, and all records of its type."""
        roles = (model.records[self.lists[json].type.name].role for json in lists)
        return set(lists) <= set(self.single.values()) and "connection" not in roles


def shape_of(model: Model, situation: str) -> Shape:
    """Give the shape of a situation; models that differ in readings alone share it."""
    key = (id(model.records), id(model.forms), situation)
    found = _KNOWN.get(key)
    if found is None:
        found = _KNOWN[key] = (model, Shape(model, situation))  # the model is kept, so that the ids stay its own
        if len(_KNOWN) > _KEPT:
            _KNOWN.popitem(last=False)
    return found[1]


def next_world(prior: World, data: Mapping[str, Any], changes: Written) -> World:
    """Give the world of the values that an event has made of a situation; what has not changed is shared.

    Raises:
        InputError: as `World`.
    """
    shape = shape_of(prior.model, prior.situation)
    whole = changes.whole & shape.lists.keys()
    if len(shape.pieces) > 1 or whole - shape.unnamed or not shape.has_rows(prior.model, changes.rows):
        world = World(prior.model, prior.situation, data, f"$.{prior.situation}", prior)
    else:
        world = _Next(shape, prior, data, changes).world
    world.differs = frozenset(changes.fields)
    return world


class _Next:
    """A world in the making that has the board of the one before, and the same pieces, some of them changed."""

    def __init__(self, shape: Shape, prior: World, data: Mapping[str, Any], changes: Written) -> None:
        self.shape, self.prior, self.changes = shape, prior, changes
        self.world = prior.copied(data, self._root())
        moved = any(json in changes.rows for json in shape.pieces)
        rows = {json: found for json, found in changes.rows.items() if json not in changes.whole}
        if moved:
            for json, named in naming_pieces(shape, prior).items():
                if named:
                    again = {index: set(shape.to_pieces[json]) for index in named}
                    rows[json] = again | {
                        index: names | again.get(index, set()) for index, names in rows.get(json, {}).items()
                    }
        fresh = {json: self._made(json, found) for json, found in rows.items()}
        for json, found in rows.items():
            self.world.read_again(shape.lists[json], found)
        fields = {spec.json: spec for spec in shape.naming} if moved else {}
        fields |= {json: shape.fields[json] for json in changes.whole}
        for json, spec in fields.items():
            value = self.world.made_anew(spec, prior) if json in shape.lists else self.world.of_root(spec)
            setattr(self.world.root, spec.name, value)
        if moved:
            self.world.naming = {
                json: frozenset(one.index_ for one in fresh.get(json, ()) if _names(one, names))
                for json, names in shape.to_pieces.items()
            }
            self._stand(fresh[shape.pieces[0]])

    def _root(self) -> Situation:
        before = self.prior.root
        root: Situation = new_record(self.shape.made_of, self.prior.situation, 0)
        for name, value in zip(self.shape.names, self.shape.values(before), strict=True):
            setattr(root, name, value)
        root.standing_ = before.standing_
        return root

    def _made(self, json: str, rows: Iterable[int]) -> list[Record]:
        """Make records for some rows of a list, so far with the fields of those before."""
        spec = self.shape.lists[json]
        items = list(getattr(self.prior.root, spec.name))
        pool = self.world.own_pool(spec.type.name)
        fresh = []
        names, values = self.shape.fields_of[spec.type.name]
        for index in sorted(rows):
            before = items[index]
            one = items[index] = pool[before.id] = new_record(type(before), before.id, before.index_)
            for name, value in zip(names, values(before), strict=True):
                setattr(one, name, value)
            fresh.append(one)
        setattr(self.world.root, spec.name, items)
        return fresh

    def _stand(self, fresh: list[Any]) -> None:
        """Stand pieces that are new at their places, in the order of the list."""
        [json] = self.shape.pieces
        name = self.shape.lists[json].name
        before, now = getattr(self.prior.root, name), getattr(self.world.root, name)
        standing = self.world.root.standing_ = dict(self.prior.root.standing_)
        places = {one.place: None for one in fresh} | {before[one.index_].place: None for one in fresh}
        come: dict[Any, list[Any]] = {}
        for one in fresh:
            if before[one.index_].place is not one.place:
                come.setdefault(one.place, []).append(one)
        for place in places:
            if place is None:
                continue
            here = [now[one.index_] for one in standing.get(place, ())]
            here = [one for one in here if one.place is place] + come.get(place, [])
            if here:
                standing[place] = sorted(here, key=_number) if place in come else here
            else:
                standing.pop(place, None)


def naming_pieces(shape: Shape, world: World) -> Mapping[str, frozenset[int]]:
    """Give the rows of records that name a piece, by list."""
    if world.naming is None:
        world.naming = {
            json: frozenset(
                index for index, one in enumerate(getattr(world.root, shape.lists[json].name)) if _names(one, names)
            )
            for json, names in shape.to_pieces.items()
        }
    return world.naming


def _names(record: Record, names: Iterable[str]) -> bool:
    return any(getattr(record, name) is not None for name in names)


def _has_id(model: Model, spec: FieldSpec) -> bool:
    record = model.records.get(spec.type.name)
    return record is not None and record.has_id


def _getter(names: tuple[str, ...]) -> Callable[[Record], tuple[Any, ...]]:
    """Make a function that gives some attributes of a record."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


def _number(record: Record) -> int:
    return record.index_


def leads_to_piece(model: Model, wanted: Type, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a value of a type may hold a piece, or a record that does."""
    record = model.records.get(wanted.name)
    if record is None or record.name in seen:
        return False
    if record.role in ("piece", "place", "connection"):
        return record.role == "piece"
    return any(leads_to_piece(model, one.type, seen | {record.name}) for one in record.fields)
