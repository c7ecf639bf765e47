"""A situation with its references resolved (`World`), over a board that situations share (`SharedBoard`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, cast
from weakref import ref

from titm_rules.diagnostics import did_you_mean
from titm_rules.formats.safe_json import bad
from titm_rules.ir.derived import Capacity, Held
from titm_rules.ir.model import MISSING, FieldSpec, Model, RecordSpec, Route
from titm_rules.ir.types import NUMBER, PLACE, Type
from titm_rules.world.records import Connection, Piece, Place, Record, Situation, new_record, record_class

# ---------------------------------------------------------------------- board
FIXED = ("place", "connection")  # the roles of records that a board holds
BOARDS = Capacity(8)
_MANY = 64  # owners of tables, and tables of one owner
Worked = TypeVar("Worked")


class SharedBoard:
    """Places and connections; nobody changes them.

    `rows` are the values that each list of them was made from, by its JSON name and its record, if the board is kept.
    `items` are the records of each list, by its JSON name; `named` are the same by their ids.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.rows: dict[tuple[str, str], list[Any]] = {}
        self.items: dict[str, list[Any]] = {}
        self.named: dict[str, dict[str, Any]] = {}
        self.places: list[Any] = []
        self._tables: defaultdict[Any, dict[tuple[Any, ...], Any]] = defaultdict(dict)

    def table(self, owner: object, key: tuple[Any, ...], make: Callable[[], Worked]) -> Worked:
        """Return the table that an engine derives from the board alone, without its pieces; compute it if it is new.

        The `owner` is the part of the engine that asks, `key` what else the table depends on.
        """
        if owner not in self._tables and len(self._tables) >= _MANY:
            self._tables.clear()
        known = self._tables[owner]
        if key not in known:
            if len(known) >= _MANY:
                known.clear()
            known[key] = make()
        return cast(Worked, known[key])


def boards_of(model: Model) -> Held[SharedBoard, SharedBoard]:
    """Return the boards that lately opened situations have; models with the same vocabulary share them."""
    return model.by_vocabulary.get(SharedBoard, lambda: Held(BOARDS))


def known_board(model: Model, lists: Sequence[FieldSpec], data: Mapping[str, Any]) -> SharedBoard | None:
    """Return the board that a situation with the same values has had lately."""
    rows, boards = _rows(lists, data), boards_of(model)
    for board in boards.values():
        if board.rows == rows:
            boards.touch(board)
            return board
    return None


def remember_board(board: SharedBoard, lists: Sequence[FieldSpec], data: Mapping[str, Any]) -> None:
    """Keep a board for situations to come, unless its records name others that are not part of it."""
    types = {one.type for fspec in lists for one in board.model.records[fspec.type.name].fields}
    if board.places and all(_is_of_board(board.model, one) for one in types):
        board.rows = {key: [row.copy() for row in rows] for key, rows in _rows(lists, data).items()}
        boards_of(board.model).make(board, lambda: board)


def _rows(lists: Sequence[FieldSpec], data: Mapping[str, Any]) -> dict[tuple[str, str], list[Any]]:
    return {(one.json, one.type.name): data.get(one.json) or [] for one in lists}


def _is_of_board(model: Model, wanted: Type) -> bool:
    """Whether a value of a type names no record outside the board."""
    record = model.records.get(wanted.name)
    if record is None or record.role in FIXED:
        return True
    return not record.has_id and all(_is_of_board(model, one.type) for one in record.fields)


# ---------------------------------------------------------------------- factories
_PLAIN = frozenset(("flag", "number", "text"))
_MEMBERS = {"place": PLACE, "number": NUMBER}  # of lists, but for records and values of enumerations


@dataclass(frozen=True, slots=True, eq=False)
class RecordFactory:
    """A way to make the records of one type; `to_pieces` are the fields that hold a piece.

    Where it `is_bare`, a row is a pair of ends and has no id. Each field is in one of four groups: `plain` fields hold
    the JSON value itself; `ranked` ones an enumeration, by the ranks of its texts (nothing stays nothing); `resolved`
    ones refer to records or hold some, with whether one names one place or record that a list of the situation holds;
    the default of `later` ones is another field.
    """

    record: RecordSpec
    made_of: type[Record]
    is_bare: bool
    is_place: bool
    to_pieces: tuple[str, ...]
    plain: tuple[tuple[str, str, Any], ...]
    ranked: tuple[tuple[str, str, Any, Mapping[str | None, int | None]], ...]
    resolved: tuple[tuple[str, str, Any, Type, bool], ...]
    later: tuple[FieldSpec, ...]


def record_factories(model: Model) -> dict[str, RecordFactory]:
    """Return the factories of all records of a model, by name; models with the same vocabulary share them."""
    return model.by_vocabulary.get(
        RecordFactory, lambda: {name: _factory(model, spec) for name, spec in model.records.items()}
    )


def _factory(model: Model, record: RecordSpec) -> RecordFactory:
    plain, ranked, resolved = [], [], []
    for spec in record.fields:
        wanted, about = spec.type, (spec.name, spec.json, default_of(spec))
        if spec.name == "id" or spec.same_as:
            continue
        if wanted.kind in _PLAIN:
            plain.append(about)
        elif wanted.kind == "enum":
            ranks: dict[str | None, int | None] = {None: None}
            ranked.append((*about, ranks | {text: n for n, text in enumerate(model.enums[wanted.name].texts)}))
        else:
            names_one = wanted.kind == "place" or (wanted.kind == "record" and model.records[wanted.name].has_id)
            resolved.append((*about, wanted, names_one))
    pieces = (f.name for f in record.fields if f.type.kind == "record" and model.records[f.type.name].role == "piece")
    later = tuple(spec for spec in record.fields if spec.same_as)
    groups = tuple(plain), tuple(ranked), tuple(resolved), later
    return RecordFactory(record, record_class(record), record.is_bare, record.role == "place", tuple(pieces), *groups)


def default_of(spec: FieldSpec) -> Any:
    return None if spec.default == MISSING else spec.default


Twin = TypeVar("Twin", bound=Record | list[Piece])


class WorldParts(NamedTuple):
    """The records of a list: all, and those that are new here, with their rows."""

    factory: RecordFactory
    path: str
    items: list[Any]
    fresh: list[tuple[int, Any, Mapping[str, Any]]]


class World:
    """The records of a situation.

    Attributes:
        root: the situation itself, a record whose fields are lists, values and references.
        data: the values it was made from, as in JSON, defaults filled in.
        board: the places and connections.
        before: the situation that this one shares its board with, until an engine has been made for this one.
        naming: the ids of records that name a piece, by the name of their list, once that has been asked for.
        differs: the fields that have other values than in the one before, each with its owner, if that is known.
    """

    __slots__ = (
        "__weakref__", "_by_id", "_factories", "_interrupted", "_of_places", "_origin", "_path",
        "before", "board", "data", "differs", "model", "naming", "root", "situation",
    )  # fmt: skip

    def __init__(
        self, model: Model, situation: str, data: Mapping[str, Any], path: str = "$", prior: World | None = None
    ) -> None:
        """Resolve a situation; raises `InputError` for ids that are unknown or appear twice.

        `data` holds values that fit the situation's JSON Schema; `path` says where they stand in the input, for errors.
        Records of a `prior` situation stand for the rows that it has in common with this one (the very same objects),
        so that a small change costs little.
        """
        self.model = model
        self.situation = situation
        self.data = data
        self._origin: World | None = None  # a world that named itself would outlive its last user
        self.before: World | None = None
        self.naming: Mapping[str, Sequence[str]] | None = None
        self.differs: frozenset[tuple[str, str]] | None = None
        self._by_id: dict[str, dict[str, Record]] = {}
        self._of_places: dict[str, Record] = {}
        self._factories = record_factories(model)
        self._path = path
        self._interrupted: tuple[str, Record, ref[World]] | None = None  # the last one, while somebody uses it
        self.root = self._build(prior if prior is not None and prior.model is model else None)

    @property
    def places(self) -> list[Any]:
        return self.board.places

    @property
    def origin(self) -> World:
        """The situation before a change in the middle of a move; else this one."""
        return self if self._origin is None else self._origin

    @origin.setter
    def origin(self, before: World) -> None:
        self._origin = None if before is self else before

    # ------------------------------------------------------------------ looking things up
    def find(self, wanted: Type, identity: str, path: str) -> Any:
        """Find a record by id; raises `InputError` if there is none."""
        pool = self._pool(wanted)
        if identity in pool:
            return pool[identity]
        what = wanted.name or wanted.kind
        why = f"no {what} of this {self.situation} has this id"
        raise bad(f"unknown {what} `{identity}`", path, did_you_mean(identity, pool), "unknown-name", why)

    def named(self, record: str, identity: str) -> Any:
        return self._by_id.get(record, {}).get(identity)

    def looked_up(self, wanted: Type, identity: str) -> Any:
        return self._pool(wanted).get(identity)

    def ids(self, record: str) -> list[str]:
        return list(self._by_id.get(record, ()))

    def _pool(self, wanted: Type) -> dict[str, Record]:
        if wanted.kind == "place" or wanted.name == "place":
            return self._of_places
        return self._by_id.get(wanted.name, {})

    def standing(self, place: Place) -> list[Any]:
        """List the pieces that stand at a place, in the order of the input."""
        found: list[Any] = self.root.standing_.get(place, [])
        return found

    def changed(self, record: Record, field: str, value: int, noted: str = "") -> World:
        """Return the situation with one enumerated field of a connection changed, and it noted in a list, if named."""
        spec = next(f for f in self.model.records[record.record_].fields if f.name == field)
        text = self.model.enums[spec.type.name].texts[value]
        data = dict(self.data)
        for one in self.model.records[self.situation].fields:
            if one.owns and one.type.name == record.record_ and one.json in data:
                data[one.json] = [{**i, spec.json: text} if i.get("id") == record.id else i for i in data[one.json]]
            if one.name == noted:
                data[one.json] = [*(data.get(one.json) or ()), record.id]
        world = World(self.model, self.situation, data, self._path)
        world.origin = self.origin
        return world

    def interrupted(self, route: Route, link: Record) -> World:
        """Return the same situation after the interruption of a route at a connection; the last one is shared."""
        last = self._interrupted
        if last is not None and last[:2] == (route.name, link) and (shared := last[2]()) is not None:
            return shared
        made = self.changed(link, route.interruption_field, route.interruption_value, route.interruption_noted)
        self._interrupted = route.name, link, ref(made)
        return made

    def twin(self, record: Twin) -> Twin:
        """Find the record of this world with the id of a record of another (a list: each)."""
        if isinstance(record, list):
            return cast(Twin, [self.twin(one) for one in record])
        return cast(Twin, self._by_id[record.record_][record.id])

    # ------------------------------------------------------------------ building
    def _build(self, prior: World | None) -> Any:
        spec = self.model.records.get(self.situation) or RecordSpec("", "situation", ())
        lists = [f for f in spec.fields if f.owns and f.type.name in self._factories and self._of(f).record.has_id]
        fixed = [f for f in lists if self._of(f).record.role in FIXED]
        is_new = prior is None
        if prior is not None and any(self.data.get(f.json) is not prior.data.get(f.json) for f in fixed):
            prior = None
        self.before = prior
        known = prior.board if prior else known_board(self.model, fixed, self.data) if is_new else None
        self.board: SharedBoard = known or SharedBoard(self.model)
        made = [
            self._on_board(fspec, known) or self._shared(fspec, prior) or self._make(fspec, prior) for fspec in lists
        ]
        for parts in made:
            self._fill_fresh(parts)
        root = new_record(record_class(spec), self.situation, 0)
        owned = {fspec.name: found.items for fspec, found in zip(lists, made, strict=True)}
        for fspec in spec.fields:
            setattr(root, fspec.name, owned[fspec.name] if fspec.name in owned else self.root_value(fspec))
        pieces = [f.name for f, found in zip(lists, made, strict=True) if found.factory.record.role == "piece"]
        if prior is not None and all(owned[name] is getattr(prior.root, name) for name in pieces):
            root.standing_ = prior.root.standing_
        else:
            for piece in (item for name in pieces for item in owned[name]):
                place = getattr(piece, "place", None)  # pieces of a kind without places stand nowhere
                if place is not None:
                    root.standing_.setdefault(place, []).append(piece)
        if known is None:
            for parts in made:
                for index, item in enumerate(parts.items) if parts.factory.record.role == "connection" else ():
                    _link(item, f"{parts.path}[{index}].ends")
            self.board.items = {fspec.json: owned[fspec.name] for fspec in fixed}
            self.board.named = {json: {one.id: one for one in items} for json, items in self.board.items.items()}
            if is_new:
                remember_board(self.board, fixed, self.data)
        return root

    def _of(self, fspec: FieldSpec) -> RecordFactory:
        return self._factories[fspec.type.name]

    # ------------------------------------------------------------------ sharing records
    def copied(self, data: Mapping[str, Any], root: Situation) -> World:
        """Begin a situation with the same records and other values; its root is to be made complete."""
        made: World = World.__new__(World)
        made.model, made.situation, made.data, made._path = self.model, self.situation, data, self._path
        made._origin, made.before, made.differs, made.root, made.naming = None, self, None, root, self.naming
        made.board, made._of_places, made._by_id = self.board, self._of_places, dict(self._by_id)
        made._factories, made._interrupted = self._factories, None
        return made

    def own_pool(self, record: str) -> dict[str, Record]:
        """Let this situation have its own records of one type; give them by id."""
        pool = self._by_id[record] = dict(self._by_id[record])
        return pool

    def read_again(self, spec: FieldSpec, item: Record, index: int, names: Sequence[str] | None) -> None:
        """Read some attributes of a record of a list from its row; all of them if none are named."""
        row, path = self.data[spec.json][index], f"{self._path}.{spec.json}[{index}]"
        if names is None:
            self._fill(self._of(spec), item, row, path)
            return
        fields = {one.name: one for one in self.model.records[spec.type.name].fields}
        for name in names:
            one = fields[name]
            if one.same_as and one.json not in row:
                setattr(item, name, getattr(item, one.same_as[0]))
            else:
                setattr(item, name, self.value(one.type, row.get(one.json, default_of(one)), path, one.json))

    def made_anew(self, spec: FieldSpec, prior: World) -> list[Any]:
        """Make a list of records that nothing names; those of rows that are the same stay."""
        self._by_id[spec.type.name] = {}
        parts = self._make(spec, prior)
        self._fill_fresh(parts)
        return parts.items

    def root_value(self, fspec: FieldSpec) -> Any:
        raw = self.data.get(fspec.json, default_of(fspec))
        return self.value(fspec.type, raw, f"{self._path}.{fspec.json}")

    def _on_board(self, fspec: FieldSpec, board: SharedBoard | None) -> WorldParts | None:
        factory = self._of(fspec)
        if board is None or factory.record.role not in FIXED:
            return None
        named = board.named[fspec.json]
        self._by_id.setdefault(factory.record.name, {}).update(named)
        if factory.is_place:
            self._of_places.update(named)
        return WorldParts(factory, f"{self._path}.{fspec.json}", board.items[fspec.json], [])

    def _shared(self, fspec: FieldSpec, prior: World | None) -> WorldParts | None:
        """Take over a list whose rows, and those of the pieces that they may name, are those of another situation."""
        if prior is None:
            return None
        factory = self._of(fspec)
        named = {f.type.name for f in factory.record.fields if f.name in factory.to_pieces}
        fields = self.model.records[self.situation].fields
        lists = [f.json for f in fields if f is fspec or (f.owns and f.type.name in named)]
        if any(self.data.get(json) is not prior.data.get(json) for json in lists):
            return None
        name = factory.record.name
        self._by_id.setdefault(name, {}).update(prior._by_id[name])
        return WorldParts(factory, f"{self._path}.{fspec.json}", getattr(prior.root, fspec.name), [])

    # ------------------------------------------------------------------ making records
    def _make(self, fspec: FieldSpec, prior: World | None) -> WorldParts:
        """Make the records of a list, so far without their fields; keep those of rows that are the same."""
        factory = self._of(fspec)
        made = WorldParts(factory, f"{self._path}.{fspec.json}", [], [])
        pool = self._by_id.setdefault(factory.record.name, {})
        others = self._of_places if factory.is_place else pool
        rows: Any = prior.data.get(fspec.json) or () if prior is not None else ()
        before = prior._by_id[factory.record.name] if prior is not None else {}
        for index, raw in enumerate(self.data.get(fspec.json) or []):
            if factory.is_bare:
                raw = {"id": "-".join(raw), "ends": raw}
            identity = raw["id"]
            if identity in others:
                what, where = f"id `{identity}` appears twice", f"{made.path}[{index}].id"
                raise bad(what, where, "give each its own id", "duplicate-id", "an id names one thing")
            item: Any = before.get(identity)
            if item is None or not _stays(item, len(others), raw, rows, factory.to_pieces):
                item = new_record(factory.made_of, identity, len(others))
                made.fresh.append((index, item, raw))
            pool[identity] = others[identity] = item
            made.items.append(item)
        if factory.is_place:
            self.board.places.extend(made.items)
        return made

    def _fill_fresh(self, parts: WorldParts) -> None:
        for index, item, raw in parts.fresh:
            self._fill(parts.factory, item, raw, f"{parts.path}[{index}]")

    def _fill(self, factory: RecordFactory, item: Record, raw: Mapping[str, Any], path: str) -> None:
        get = raw.get
        for name, json, default in factory.plain:
            setattr(item, name, get(json, default))
        for name, json, default, ranks in factory.ranked:
            setattr(item, name, ranks[get(json, default)])
        for name, json, default, wanted, names_one in factory.resolved:
            value = get(json, default)
            if value is not None:
                value = (self._found if names_one else self.value)(wanted, value, path, json)
            setattr(item, name, value)
        for fspec in factory.later:
            if fspec.json in raw:
                setattr(item, fspec.name, self.value(fspec.type, raw[fspec.json], path, fspec.json))
            else:
                setattr(item, fspec.name, getattr(item, fspec.same_as[0]))

    def value(self, wanted: Type, raw: Any, path: str, field: str = "") -> Any:
        """Turn a JSON value at `path`, `field` into what engines use: ranks for enums, records for ids."""
        if raw is None:
            return None
        match wanted.kind:
            case "enum":
                return self.model.enums[wanted.name].texts.index(raw)
            case "place":
                return self._found(wanted, raw, path, field)
            case "record":
                if isinstance(raw, str):
                    return self._found(wanted, raw, path, field)
                factory = self._factories[wanted.name]
                item = new_record(factory.made_of, "", 0)
                self._fill(factory, item, raw, f"{path}.{field}" if field else path)
                return item
            case "number_map" | "flag_map":
                inner = Type("record", wanted.name)
                where = f"{path}.{field}" if field else path
                return {self._found(inner, name, where, name): one for name, one in raw.items()}
            case "set" | "pair":
                return self._values(wanted, raw, f"{path}.{field}" if field else path)
        return raw

    def _values(self, wanted: Type, raw: Any, path: str) -> list[Any]:
        name = wanted.name
        inner = _MEMBERS.get(name) or Type("enum" if name in self.model.enums else "record", name)
        pool = self._pool(inner)
        if all(isinstance(one, str) and one in pool for one in raw):
            return [pool[one] for one in raw]
        return [self.value(inner, one, f"{path}[{index}]") for index, one in enumerate(raw)]

    def _found(self, wanted: Type, identity: str, path: str, field: str) -> Any:
        found = self._pool(wanted).get(identity)
        return self.find(wanted, identity, f"{path}.{field}" if field else path) if found is None else found


def _stays(item: Record, number: int, raw: Any, rows: list[Any], to_pieces: tuple[str, ...]) -> bool:
    """Whether a record of another situation can be kept: its row is the same at the same place, and names no piece."""
    same = item.index_ == number < len(rows) and rows[number] is raw
    return same and all(getattr(item, name) is None for name in to_pieces)


def _link(item: Connection, path: str) -> None:
    one, other = item.ends
    if one is other:
        what = f"connection `{item.id}` joins `{one.id}` to itself"
        raise bad(what, path, kind="bad-value", why="a connection has two different ends")
    one.links_.setdefault(item.record_, []).append((item, other))
    other.links_.setdefault(item.record_, []).append((item, one))
