"""From one situation to the next: what changed, and a world that shares all that did not."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from titm_rules.ir.model import MISSING, FieldSpec, Model, RecordSpec, Route
from titm_rules.ir.types import Type
from titm_rules.world.records import Record, Value, copied, new_record, record_class, writer_of
from titm_rules.world.world import World

Json = dict[str, Any]
ANEW: Any = "\0anew"  # instead of a value that is to be read from the row
_number = attrgetter("index_")


@dataclass
class ChangeSet:
    """The changes that an event makes.

    Attributes:
        fields: the fields that have other values, each with its record or situation; of a list whose records come
            or go, the list.
        rows: of lists of records with ids, by the name of the list in JSON: the rows that are new, by their places
            before, each with the attributes that have other values, and these, or `ANEW`.
        gone: the ids of records that have left such a list; `come`: the rows that are new at its end.
        whole: all other fields of the situation that are new, by their names in JSON, with their values or `ANEW`.
    """

    fields: set[tuple[str, str]] = field(default_factory=set)
    rows: dict[str, dict[int, Json]] = field(default_factory=dict)
    gone: dict[str, set[str]] = field(default_factory=dict)
    come: dict[str, list[Json]] = field(default_factory=dict)
    whole: Json = field(default_factory=dict)

    @property
    def lists(self) -> set[str]:
        return {*self.rows, *self.gone, *self.come}


class Setting(NamedTuple):
    """A way to set a field, `of` a record and a name; `written` writes a value as in JSON, without the `default`.

    The fields that follow are the same as it where nothing else is said. A value that `stays` means the same in the
    next situation, since it names nothing but the board.
    """

    spec: FieldSpec
    of: tuple[str, str]
    following: tuple[FieldSpec, ...]
    written: Callable[[Any], Any]
    default: Any
    stays: bool

    def store(self, row: Json, shown: object) -> None:
        """Write the field; what is the default anyway is left out, so that like situations look alike."""
        if self.default != MISSING and shown == self.default:
            row.pop(self.spec.json, None)
        else:
            row[self.spec.json] = shown


class Shape:
    """The structure of the lists of a situation, computed once for a model.

    Attributes:
        lists: the lists of records with ids, by their names in JSON.
        single: by record, the list that alone holds its kind, no places: the number of a record is that of its row.
        pieces: the names in JSON of the lists of pieces.
        naming: the fields of the situation, but for the lists of records with ids, that lead to a piece.
        interrupted: the routes whose interruptions the situation notes.
        settings: how fields are set, by record and attribute.
        bounded: the numbers that have bounds: name in JSON, lowest and highest value.
        to_pieces: for each of the lists that have any, the fields that lead to a piece.
        movable: the lists whose records may be replaced while all else stays: pieces, and records that nothing names.
        unnamed: those of them that lead to no piece and hold none.
    """

    def __init__(self, model: Model, situation: str) -> None:
        records = model.records
        self.spec = records[situation]
        self.fields = {spec.json: spec for spec in self.spec.fields}
        self.lists = {f.json: f for f in self.spec.fields if f.owns and records[f.type.name].has_id}
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
        self.settings = {(r.name, one.name): _setting(model, r, one) for r in records.values() for one in r.fields}
        self.bounded = {
            (record.name, one.name): (one.json, one.type.low, one.type.high)
            for record in records.values()
            for one in record.fields
            if one.type.kind == "number" and one.type.low is not None and one.type.high is not None
        }
        self.to_pieces = {
            json: names
            for json, spec in self.lists.items()
            if (names := tuple(f.name for f in records[spec.type.name].fields if leads_to_piece(model, f.type)))
        }
        named = {f.type.name for record in records.values() for f in record.fields if not f.owns}
        self.movable = frozenset(
            json
            for name, json in self.single.items()
            if json in self.pieces or (name not in named and records[name].role != "connection")
        )
        self.unnamed = frozenset(self.movable - {*self.pieces, *self.to_pieces})


def _setting(model: Model, record: RecordSpec, spec: FieldSpec) -> Setting:
    following = tuple(other for other in record.fields if other.same_as == (spec.name,))
    default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    named = model.records.get(spec.type.name)
    on_board = named is None or named.role in ("place", "connection")
    stays = on_board and spec.type.kind in ("flag", "number", "text", "enum", "place", "record")
    return Setting(spec, (record.name, spec.name), following, writer_of(model, spec.type), default, stays)


def shape_of(model: Model, situation: str) -> Shape:
    """Return the shape of a situation; models that differ in readings alone share it."""
    return model.by_rules.get((Shape, situation), lambda: Shape(model, situation))


def next_world(prior: World, data: Mapping[str, Any], changes: ChangeSet) -> World:
    """Give the world of the values that an event has made of a situation; what has not changed is shared.

    Raises `InputError` as `World`.
    """
    shape = shape_of(prior.model, prior.situation)
    if len(shape.pieces) < 2 and _is_shared(shape, prior, changes):
        world = _Next(shape, prior, data, changes).world
    else:
        world = World(prior.model, prior.situation, data, f"$.{prior.situation}", prior)
    world.differs = frozenset(changes.fields)
    return world


def _is_shared(shape: Shape, prior: World, changes: ChangeSet) -> bool:
    """Whether the next situation has the board of the one before, and ids that tell its records apart."""
    if not all(json in shape.unnamed or json not in shape.lists for json in changes.whole):
        return False
    if not changes.lists <= shape.movable:
        return False
    for json, rows in changes.come.items():
        ids, kind = {row["id"] for row in rows}, shape.lists[json].type.name
        if len(ids) < len(rows) or any(prior.named(kind, one) is not None for one in ids):
            return False
    return True


class _Next:
    """A world in the making that has the board of the one before; of its records some are new, or gone."""

    def __init__(self, shape: Shape, prior: World, data: Mapping[str, Any], changes: ChangeSet) -> None:
        self.shape, self.prior, self.changes = shape, prior, changes
        root = copied(prior.root)
        root.standing_ = prior.root.standing_
        self.world = prior.copied(data, root)
        lists = changes.lists
        if lists:
            self._renew({json: changes.rows.get(json, {}) for json in lists if json not in changes.whole})
        for json, value in changes.whole.items():
            self._set_root(shape.fields[json], value)

    def _renew(self, rows: dict[str, dict[int, Json]]) -> None:
        """Replace the records whose rows are new, and, if pieces are new or gone, all records that name a piece."""
        shape, prior = self.shape, self.prior
        moved = any(json in rows for json in (*shape.pieces, *shape.to_pieces))
        if moved:
            for json, named in naming_pieces(shape, prior).items():
                self._name_again(json, named, rows)
        fresh = {json: self._made(shape.lists[json], found) for json, found in rows.items()}
        for json, found in fresh.items():
            spec = shape.lists[json]
            for one, names in found:
                if names is None or names:
                    self.world.read_again(spec, one, row_of(getattr(self.world.root, spec.name), one), names)
        if moved:
            for spec in shape.naming:
                self._set_root(spec, ANEW)
            self.world.naming = {
                json: [one.id for one, _ in fresh.get(json, ()) if _names(one, names)]
                for json, names in shape.to_pieces.items()
            }
            self._stand([one for json in shape.pieces for one, _ in fresh.get(json, ())])

    def _name_again(self, json: str, named: Iterable[str], rows: dict[str, dict[int, Json]]) -> None:
        """Mark records that name a piece to be made again, so that they name its new record."""
        spec, names = self.shape.lists[json], self.shape.to_pieces[json]
        items = getattr(self.prior.root, spec.name)
        found = {row_of(items, self.prior.named(spec.type.name, one)): dict.fromkeys(names, ANEW) for one in named}
        if found:
            known = rows.get(json, {})
            rows[json] = {**known, **{index: {**known.get(index, {}), **again} for index, again in found.items()}}

    def _set_root(self, spec: FieldSpec, value: Value) -> None:
        if spec.json in self.shape.lists:
            value = self.world.made_anew(spec, self.prior)
        elif value is ANEW:
            value = self.world.root_value(spec)
        setattr(self.world.root, spec.name, value)

    def _made(self, spec: FieldSpec, rows: Mapping[int, Json]) -> list[tuple[Any, Sequence[str] | None]]:
        """Make the records of a list whose rows are new; give them with the fields that are still to be read."""
        gone = self.changes.gone.get(spec.json, set())
        before = getattr(self.prior.root, spec.name)
        items, pool = list(before), self.world.own_pool(spec.type.name)
        fresh: list[tuple[Any, Sequence[str] | None]] = []
        for index in sorted(rows):
            old = before[index]
            one = items[index] = pool[old.id] = copied(old)
            for name, value in rows[index].items():
                if value is not ANEW:
                    setattr(one, name, value)
            if old.id not in gone:
                fresh.append((one, [name for name, value in rows[index].items() if value is ANEW]))
        if gone:
            items = [one for one in items if one.id not in gone]
            for identity in gone:
                pool.pop(identity, None)
        number = before[-1].index_ + 1 if before else 0
        for row in self.changes.come.get(spec.json, ()):
            if row["id"] not in gone:
                one = new_record(record_class(self.prior.model.records[spec.type.name]), row["id"], number)
                pool[one.id] = one
                items.append(one)
                fresh.append((one, None))
                number += 1
        setattr(self.world.root, spec.name, items)
        return fresh

    def _stand(self, fresh: Iterable[Any]) -> None:
        """Stand pieces that are new at their places, in the order of the list, and take away those that are gone."""
        [json] = self.shape.pieces
        kind = self.shape.lists[json].type.name
        standing = self.world.root.standing_ = dict(self.prior.root.standing_)
        places: dict[Any, list[Any]] = {}  # those at which others stand, with who has come
        for one in fresh:
            old, place = self.prior.named(kind, one.id), one.place
            places.setdefault(place, [])
            if old is None or old.place is not place:
                places[place].append(one)
            if old is not None:
                places.setdefault(old.place, [])
        for identity in self.changes.gone.get(json, ()):
            places.setdefault(self.prior.named(kind, identity).place, [])
        for place, come in places.items():
            if place is not None:
                known = (self.world.named(kind, one.id) for one in standing.get(place, ()))
                here = [one for one in known if one is not None and one.place is place] + come
                if here:
                    standing[place] = sorted(here, key=_number) if come else here
                else:
                    standing.pop(place, None)


def row_of(items: Sequence[Record], record: Record) -> int:
    """Give the place of a record in its list; where others are gone, it is before that of its number."""
    at = record.index_
    if at < len(items) and items[at] is record:
        return at
    return bisect_left(items, at, key=_number)


def naming_pieces(shape: Shape, world: World) -> Mapping[str, Sequence[str]]:
    if world.naming is None:
        world.naming = {
            json: [one.id for one in getattr(world.root, shape.lists[json].name) if _names(one, names)]
            for json, names in shape.to_pieces.items()
        }
    return world.naming


def _names(record: Record, names: Iterable[str]) -> bool:
    return any(getattr(record, name) is not None for name in names)


def leads_to_piece(model: Model, wanted: Type, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a value of a type may hold a piece, or a record that does."""
    record = model.records.get(wanted.name)
    if record is None or record.name in seen:
        return False
    if record.role in ("piece", "place", "connection"):
        return record.role == "piece"
    return any(leads_to_piece(model, one.type, seen | {record.name}) for one in record.fields)
