"""A situation with every reference resolved: what engines look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.model.model import MISSING, FieldSpec, Model, RecordSpec
from titm_rules.model.types import Type
from titm_rules.world.records import Record, new_record, record_class

_JOINED = ("place", "piece", "connection")
_PLAIN = frozenset(("flag", "number", "text"))


class World:
    """The records of a situation.

    Attributes:
        root: the situation itself, a record whose fields are lists, values and references.
        data: the values it was made from, as in JSON, defaults filled in.
        origin: the situation before a change in the middle of a move; else this one.
    """

    __slots__ = ("_by_id", "_of_places", "_path", "data", "model", "origin", "places", "root", "situation")

    def __init__(self, model: Model, situation: str, data: Mapping[str, Any], path: str = "$") -> None:
        """Resolve a situation.

        `data` holds values that fit the situation's JSON Schema; `path` says where they stand in
        the input, for errors.

        Raises:
            InputError: for ids that are unknown or stand twice.
        """
        self.model = model
        self.situation = situation
        self.data = data
        self.origin = self
        self.places: list[Any] = []
        self._by_id: dict[str, dict[str, Record]] = {}
        self._of_places = [self._by_id.setdefault(r.name, {}) for r in model.records.values() if r.role == "place"]
        self._path = path
        self.root = self._build()

    # ------------------------------------------------------------------ looking things up
    def find(self, wanted: Type, identity: str, path: str) -> Any:
        """Find a record by id.

        Raises:
            InputError: if there is none.
        """
        pools = self._pools(wanted)
        for pool in pools:
            if identity in pool:
                return pool[identity]
        known = [name for pool in pools for name in pool]
        what = wanted.name or wanted.kind
        raise InputError(
            [
                Fault(
                    f"unknown {what} `{identity}`",
                    path,
                    f"no {what} of this {self.situation} has this id",
                    did_you_mean(identity, known),
                    kind="unknown-name",
                )
            ]
        )

    def named(self, record: str, identity: str) -> Any:
        """Find the record of one type and an id; nothing if there is none."""
        return self._by_id.get(record, {}).get(identity)

    def _pools(self, wanted: Type) -> list[dict[str, Record]]:
        if wanted.kind == "place" or wanted.name == "place":
            return self._of_places
        return [self._by_id.get(wanted.name, {})]

    def changed(self, record: Record, field: str, value: int) -> World:
        """Return the same situation with one enumerated field of a connection changed."""
        spec = next(f for f in self.model.records[record.record].fields if f.name == field)
        text = self.model.enums[spec.type.name].texts[value]
        data = dict(self.data)
        for name, items in data.items():
            if self._list_record(name) == record.record:
                data[name] = [{**i, spec.json: text} if i.get("id") == record.id else i for i in items]
        world = World(self.model, self.situation, data, self._path)
        world.origin = self.origin
        return world

    def twin(self, record: Any) -> Any:
        """Find the record of this world that a record of another stands for (a list: each)."""
        if isinstance(record, list):
            return [self.twin(one) for one in record]
        return self._by_id[record.record][record.id]

    def _list_record(self, json: str) -> str:
        fields = self.model.records[self.situation].fields
        return next((f.type.name for f in fields if f.json == json and f.owns), "")

    # ------------------------------------------------------------------ building
    def _build(self) -> Any:
        spec = self.model.records.get(self.situation) or RecordSpec("", "situation", ())
        lists = [f for f in spec.fields if f.owns and self._has_id(f.type.name)]
        made: list[tuple[RecordSpec, str, list[tuple[Any, Mapping[str, Any]]]]] = []
        for fspec in lists:
            made.append(self._make(fspec))
        for record, path, items in made:
            for index, (item, raw) in enumerate(items):
                self._fill(record, item, raw, f"{path}[{index}]")
        root = new_record(record_class(spec), self.situation, 0)
        for fspec in spec.fields:
            setattr(root, fspec.name, self._root_value(fspec, made, lists))
        self._join(made)
        return root

    def _has_id(self, name: str) -> bool:
        record = self.model.records.get(name)
        return record is not None and (record.role in _JOINED or any(f.name == "id" for f in record.fields))

    def _make(self, fspec: FieldSpec) -> tuple[RecordSpec, str, list[tuple[Any, Mapping[str, Any]]]]:
        """Make the records of a list, so far without their fields."""
        record = self.model.records[fspec.type.name]
        pool = self._by_id.setdefault(record.name, {})
        others = self._pools(Type("place") if record.role == "place" else Type("record", record.name))
        path = f"{self._path}.{fspec.json}"
        made_of = record_class(record)
        items = []
        for index, raw in enumerate(self.data.get(fspec.json) or []):
            if record.is_bare:
                raw = {"id": "-".join(raw), "ends": raw}
            identity = raw["id"]
            if any(identity in other for other in others):
                raise InputError(
                    [
                        Fault(
                            f"id `{identity}` stands twice",
                            f"{path}[{index}].id",
                            "an id names one thing",
                            "give each its own id",
                            kind="duplicate-id",
                        )
                    ]
                )
            item = new_record(made_of, identity, len(self.places) if record.role == "place" else len(pool))
            pool[identity] = item
            if record.role == "place":
                self.places.append(item)
            items.append((item, raw))
        return record, path, items

    def _fill(self, record: RecordSpec, item: Any, raw: Mapping[str, Any], path: str) -> None:
        later = []
        for fspec in record.fields:
            if fspec.name == "id":
                continue
            if fspec.json in raw:
                value = raw[fspec.json]
            elif fspec.same_as:
                later.append(fspec)
                continue
            else:
                value = None if fspec.default == MISSING else fspec.default
            if fspec.type.kind not in _PLAIN:
                value = self.value(fspec.type, value, f"{path}.{fspec.json}")
            setattr(item, fspec.name, value)
        for fspec in later:
            setattr(item, fspec.name, getattr(item, fspec.same_as[0]))

    def value(self, wanted: Type, raw: Any, path: str) -> Any:
        """Turn a JSON value into what engines use: ranks for enums, records for ids."""
        if raw is None:
            return [] if wanted.kind == "set" else None
        match wanted.kind:
            case "enum":
                return self.model.enums[wanted.name].texts.index(raw)
            case "place":
                return self.find(wanted, raw, path)
            case "record":
                if isinstance(raw, str):
                    return self.find(wanted, raw, path)
                record = self.model.records[wanted.name]
                item = new_record(record_class(record), "", 0)
                self._fill(record, item, raw, path)
                return item
            case "set" | "pair":
                inner = self._member(wanted)
                return [self.value(inner, one, f"{path}[{i}]") for i, one in enumerate(raw)]
        return raw

    def _member(self, wanted: Type) -> Type:
        name = wanted.name
        if name == "place":
            return Type("place")
        if name == "number":
            return Type("number")
        return Type("enum", name) if name in self.model.enums else Type("record", name)

    def _root_value(self, fspec: FieldSpec, made: list[Any], lists: list[FieldSpec]) -> Any:
        if fspec in lists:
            return [item for item, _ in made[lists.index(fspec)][2]]
        default = None if fspec.default == MISSING else fspec.default
        raw = self.data.get(fspec.json, default)
        return self.value(fspec.type, raw, f"{self._path}.{fspec.json}")

    def _join(self, made: list[Any]) -> None:
        """Hang connections and pieces on their places."""
        for record, path, items in made:
            for index, (item, _) in enumerate(items):
                if record.role == "connection":
                    one, other = item.ends
                    if one is other:
                        raise InputError(
                            [
                                Fault(
                                    f"connection `{item.id}` joins `{one.id}` to itself",
                                    f"{path}[{index}].ends",
                                    "a connection has two different ends",
                                    kind="bad-value",
                                )
                            ]
                        )
                    one.links.setdefault(item.record, []).append((item, other))
                    other.links.setdefault(item.record, []).append((item, one))
                elif record.role == "piece" and item.place is not None:
                    item.place.pieces.append(item)
