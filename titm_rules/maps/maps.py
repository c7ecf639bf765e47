"""Maps: read from files, found by name, put under positions; grids of hexes, and names of places."""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from titm_rules.catalog import default_game, elsewhere, files_of, game_folder, game_name, game_of_file
from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean
from titm_rules.files import find_files, within
from titm_rules.formats.fields import EVERY, MAX_TEXT, table_fields
from titm_rules.formats.safe_json import bad, read_data
from titm_rules.ir.model import MISSING, FieldSpec, Model, RecordSpec

_HEX = re.compile(r"(\d\d)(\d\d)", re.ASCII)
Point = tuple[float, float]
Cell = tuple[int, int]


def cells(names: Iterable[str]) -> dict[Cell, str]:
    """Map column and row to the id of the hex there; other places are on no grid."""
    found = ((_HEX.fullmatch(name), name) for name in names)
    return {(int(match[1]), int(match[2])): name for match, name in found if match}


def layout(names: Iterable[str], lower: str) -> dict[str, Point]:
    """Say where hexes lie, x to the right and y down; neighbours are one apart."""
    return {
        name: (round(column * math.sqrt(3) / 2, 4), row + (0.5 if _is_low(column, lower) else 0.0))
        for (column, row), name in cells(names).items()
    }


def _is_low(column: int, lower: str) -> bool:
    return (column % 2 == 0) == (lower == "even")


def neighbours(names: Iterable[str], lower: str) -> Iterator[tuple[str, str]]:
    """Yield every two hexes that touch, once: from the left to the right, and from the top down."""
    known = cells(names)
    for (column, row), name in sorted(known.items()):
        down = row if _is_low(column, lower) else row - 1
        for cell in ((column, row + 1), (column + 1, down), (column + 1, down + 1)):
            if cell in known:
                yield name, known[cell]


def ways(names: Iterable[str], lower: str, given: Collection[Mapping[str, Any]]) -> list[dict[str, Any]]:
    joined = {frozenset(row["ends"]) for row in given}
    return [{"ends": [one, other]} for one, other in neighbours(names, lower) if frozenset((one, other)) not in joined]


# ---------------------------------------------------------------------- names
_NOT_A_WORD = re.compile(r"(?!(?<=[0-9])-[0-9])[^0-9a-z]")


@lru_cache(maxsize=16_384)
def normalize_name(name: str) -> str:
    """Normalize to small letters and digits; a hyphen between numbers stays, since 3-35 is not 33-5."""
    apart = unicodedata.normalize("NFKD", name.casefold().replace("ß", "ss"))
    return _NOT_A_WORD.sub("", apart)


class Gazetteer:
    """Finds the id of a place or a connection by any name; one of the `twins`, which mean two things, finds nothing."""

    def __init__(self) -> None:
        self.twins: dict[str, set[str]] = {}
        self._ids: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def add(self, identity: str, names: Iterable[str]) -> None:
        """Note the names of one thing; its id is one of them."""
        self._ids[identity] = identity
        for name in (identity, *names):
            key = normalize_name(name)
            other = self._names.setdefault(key, identity)
            if other != identity:
                self.twins.setdefault(name, {other}).add(identity)

    def find(self, name: str) -> str | None:
        """Return the id of a name; `None` if it is unknown or ambiguous."""
        if len(name) > MAX_TEXT:
            return None
        return self._ids.get(name) or (None if name in self.twins else self._names.get(normalize_name(name)))

    def need(self, name: str, where: str, what: str) -> str:
        """Return the id of a name; raises `InputError` if there is none; it suggests the nearest."""
        found = self.find(name)
        if found is None:
            why = "the map has no place of this name"
            raise bad(f"unknown {what} `{cut(name)}`", where, self._nearest(name[:MAX_TEXT]), "unknown-name", why)
        return found

    def _nearest(self, name: str) -> str:
        numbers = [int(known) for known in self._names if known.isdecimal()]
        if normalize_name(name).isdecimal() and numbers:
            return f"numbers go from {min(numbers)} to {max(numbers)}"
        near = get_close_matches(normalize_name(name), self._names, n=1)
        return f"did you mean `{self._names[near[0]]}`?" if near else did_you_mean(name, self._ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)


def names_of_place(row: Mapping[str, object]) -> list[str]:
    """List what else a place is called: its aliases and its number."""
    aliases = row.get("aliases", ())
    number = row.get("number")
    return [*(aliases if isinstance(aliases, list) else ()), *([str(number)] if number is not None else [])]


def names_of_connection(ends: list[str], called: Mapping[str, list[str]], aliases: Iterable[str] = ()) -> list[str]:
    """List what else a connection is called: its ends under their id and their number, in both orders."""
    one, other = ([end, *called.get(end, ())] for end in ends)
    return [*aliases, *(name for a, b in product(one, other) for name in (f"{a}-{b}", f"{b}-{a}"))]


# ---------------------------------------------------------------------- maps
FOLDER = "maps"
SEARCHED = "TITM_RULES_MAPS"  # environment: folders of maps of the user's own
ATTESTED, DEDUCED, RECONSTRUCTED = "attested", "deduced", "reconstructed"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
RowData = Mapping[str, Any]


@dataclass(frozen=True)
class Origin:
    """Where a datum comes from."""

    source: str  # key of the source; empty if the map names none
    basis: str = ""  # attested, deduced or reconstructed; empty if the source is unknown
    title: str = ""  # what the source is; `why` how the datum follows from it
    why: str = ""


@dataclass(frozen=True)
class MapFacts:
    """The facts of a map that the rules do not use, by id of a place; all empty without a map."""

    layout: dict[str, Point] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)  # by id of a place: attested, deduced or reconstructed
    numbers: dict[str, int] = field(default_factory=dict)  # that the map prints at places, by id
    rivers: dict[str, str] = field(default_factory=dict)  # by id of a connection that crosses one
    bases: dict[str, int] = field(default_factory=dict)  # how many values are attested, deduced and reconstructed
    notes: tuple[str, ...] = ()  # warnings, such as that the map is reconstructed
    title: str = ""


@dataclass(frozen=True, eq=False)
class GameMap:
    """A map file, checked."""

    model: Model  # the rules of some edition; the vocabulary is the same in all
    where: str  # the file, for errors
    data: Mapping[str, Any]  # its values; every connection has its id
    specs: Mapping[str, FieldSpec]  # the lists of a situation that it fills, by name
    roles: Mapping[str, str]  # the role of each such list, place or connection
    known: Mapping[str, frozenset[str]]
    held: tuple[GameMap, ...] = ()  # the maps that it must hold to; their sources are known here too

    @property
    def name(self) -> str:
        return str(self.data["name"])

    @cached_property
    def layout(self) -> dict[str, Point]:
        """Where places are drawn: as their rows say, or as the grid does; may be empty."""
        grid = self.data.get("grid")
        found = layout(self.places, grid.get("lower", "even")) if grid is not None else {}
        rows = ((name, row) for name, (_, row) in self.places.items())
        return found | {name: (row["x"], row["y"]) for name, row in rows if "x" in row and "y" in row}

    @cached_property
    def facts(self) -> MapFacts:
        rows = {name: row for name, (_, row) in self.places.items()}
        origins = {name: self.origin(table, row, "id").basis for name, (table, row) in self.places.items()}
        numbers = {name: row["number"] for name, row in rows.items() if row.get("number") is not None}
        rivers = {row["id"]: row["over"] for _, row in self.tables("connection") if row.get("over")}
        notes = (self.caution,) if self.caution else ()
        return MapFacts(self.layout, origins, numbers, rivers, self.bases, notes, str(self.data.get("title", "")))

    @property
    def is_fragment(self) -> bool:
        return bool(self.data.get("fragment", False))

    def tables(self, *roles: str) -> Iterator[tuple[str, RowData]]:
        """Yield the rows of a role, place or connection, then of the next, each with the name of its list."""
        for role in roles:
            for table in [name for name, its in self.roles.items() if its == role]:
                yield from ((table, row) for row in self.data.get(table, ()))

    @cached_property
    def places(self) -> dict[str, tuple[str, RowData]]:
        """The places by id, each with the name of its list; `connections` likewise."""
        return {row["id"]: (table, row) for table, row in self.tables("place")}

    @cached_property
    def connections(self) -> dict[str, tuple[str, RowData]]:
        return {row["id"]: (table, row) for table, row in self.tables("connection")}

    @cached_property
    def place_names(self) -> Gazetteer:
        found = Gazetteer()
        for identity, (_, row) in self.places.items():
            found.add(identity, names_of_place(row))
        return found

    @cached_property
    def connection_names(self) -> Gazetteer:
        """Every name of a connection; those of bare borders, and of a second row for one pair, are left out."""
        called = {identity: names_of_place(row) for identity, (_, row) in self.places.items()}
        found, joined = Gazetteer(), set()
        for identity, (table, row) in self.connections.items():
            if not self.is_bare(table) and frozenset(row["ends"]) not in joined:
                joined.add(frozenset(row["ends"]))
                found.add(identity, names_of_connection(row["ends"], called, row.get("aliases", ())))
        return found

    def names_in(self, table: str) -> Gazetteer:
        return self.place_names if self.roles[table] == "place" else self.connection_names

    def joining(self, table: str, ends: Iterable[str]) -> RowData | None:
        """Find the row of a list that joins two places, given by any of their names."""
        wanted = {self.place_names.find(end) for end in ends}
        return next((row for row in self.data.get(table, ()) if set(row["ends"]) == wanted), None)

    def is_bare(self, table: str) -> bool:
        """Whether the rules know nothing of the rows of a list but their two ends."""
        return self.roles[table] == "connection" and self.known[table] == {"ends"}

    def unset(self, table: str) -> dict[str, Any]:
        """Give what the rules take for a field of a row that is left out."""
        fields = self.model.records[self.specs[table].type.name].fields
        return {f.json: None if f.default == MISSING else f.default for f in fields}

    @cached_property
    def sources(self) -> dict[str, Mapping[str, Any]]:
        """The sources that rows may name: those of the maps it holds to, and its own."""
        found: dict[str, Mapping[str, Any]] = {}
        for other in self.held:
            found |= other.sources
        return {**found, **self.data["sources"]}

    def origin(self, table: str, row: RowData, field: str) -> Origin:
        defaults = self.data["defaults"].get(table, {})
        key = row.get("source", {}).get(field) or defaults.get(field) or defaults.get(EVERY, "")
        said = self.sources.get(key, {})
        return Origin(key, said.get("basis", ""), said.get("title", ""), said.get("why", ""))

    @cached_property
    def bases(self) -> dict[str, int]:
        """Count the data by what they rest on."""
        found = Counter(dict.fromkeys((ATTESTED, DEDUCED, RECONSTRUCTED), 0))
        found.update(
            self.origin(table, row, name).basis
            for table, row in self.tables("place", "connection")
            for name in row
            if name not in ("source", "note", "marks")
        )
        return dict(found)

    @property
    def caution(self) -> str:
        """Say that the map is reconstructed; empty if it is not."""
        if not self.bases[RECONSTRUCTED]:
            return ""
        return f"the map `{self.name}` is reconstructed in part; `titm map show PLACE` shows which data are"

    def part(self, name: str, where: str = "$.map_part") -> dict[str, list[str]]:
        """Give the places of a part by list; raises `InputError` if the map has no such part."""
        parts = self.data.get("parts", {})
        if name not in parts:
            what = f"map `{self.name}` has no part `{str(name)[:80]}`"
            raise bad(what, where, did_you_mean(str(name), parts), "unknown-name")
        whole = {t: [r["id"] for r in self.data.get(t, ())] for t, role in self.roles.items() if role == "place"}
        return whole | dict(parts[name]["places"])

    def inside(self, part: str, where: str = "$.map_part") -> set[str]:
        """Give the places of a part; raises `InputError` if the map has no such part."""
        return set().union(*self.part(part, where).values())

    def tables_of(self, part: str | None = None, where: str = "$.map_part") -> dict[str, list[Any]]:
        """Give what the rules know of this map, or a part, as lists. Raises `InputError` for an unknown part."""
        if part not in self._boards:
            inside = set(self.places) if part is None else self.inside(part, where)
            self._boards[part] = {table: self._rows(table, inside) for table in self.specs}
        return self._boards[part]

    @cached_property
    def _boards(self) -> dict[str | None, dict[str, list[Any]]]:
        return {}

    def _rows(self, table: str, inside: set[str]) -> list[Any]:
        rows = self.data.get(table, ())
        if self.is_bare(table):
            return [list(row["ends"]) for row in rows if inside.issuperset(row["ends"])]
        known = {"id", *self.known[table]}
        return [
            {**self._edges.get(row["id"], {}), **{name: value for name, value in row.items() if name in known}}
            for row in rows
            if inside.issuperset(row["ends"] if self.roles[table] == "connection" else (row["id"],))
        ]

    @cached_property
    def _edges(self) -> dict[str, dict[str, Any]]:
        """Give the flags of the connections that lead out of parts with an edge, by the id of the connection."""
        found: dict[str, dict[str, Any]] = {}
        for name, part in self.data.get("parts", {}).items():
            inside = self.inside(name)
            for table, row in self.tables("connection") if part.get("edge") else ():
                if part["edge"] in self.known[table] and len(inside.intersection(row["ends"])) == 1:
                    found.setdefault(row["id"], {})[part["edge"]] = True
        return found


def build_map(model: Model, raw: object, where: str, held: tuple[GameMap, ...] = ()) -> GameMap:
    """Check the values of a map file and make a map of them; raises `InputError` with every fault of the schema."""
    specs = table_fields(model)
    records = {name: model.records[spec.type.name] for name, spec in specs.items()}
    from titm_rules.formats.file_schemas import map_class
    from titm_rules.formats.record_schemas import validate

    data = validate(map_class(model), raw, where)
    _add_ways(data, records, where)
    for table, record in records.items():
        if record.role == "connection":
            rows = ({k: v for k, v in row.items() if k != "id" or v is not None} for row in data.get(table, ()))
            data[table] = [{"id": "-".join(row["ends"]), **row} for row in rows]
    known = {table: frozenset(f.json for f in record.fields) for table, record in records.items()}
    _check_tables(data, known, where)
    return GameMap(model, where, data, specs, {table: record.role for table, record in records.items()}, known, held)


def _add_ways(data: dict[str, Any], records: Mapping[str, RecordSpec], where: str) -> None:
    table = data.get("grid", {}).get("ways")
    if table is None:
        return
    lists = [name for name, record in records.items() if record.role == "connection"]
    if table not in lists:
        fix = did_you_mean(table, lists)
        raise bad(f"`{table}` is not a list of connections", f"{where}: $.grid.ways", fix, "unknown-name")
    places = [row["id"] for name, record in records.items() if record.role == "place" for row in data.get(name, ())]
    given, lower = data.get(table, []), data["grid"].get("lower", "even")
    touching, hexes = {frozenset(pair) for pair in neighbours(places, lower)}, set(cells(places).values())
    for number, ends in enumerate(row["ends"] for row in given):
        if hexes.issuperset(ends) and frozenset(ends) not in touching:
            what, why = f"{' and '.join(ends)} do not touch", f"on a grid `{table}` are sides of hexes"
            fix = "name two hexes that touch, or check `grid.lower`"
            raise bad(what, f"{where}: $.{table}[{number}].ends", fix, "bad-value", why)
    data[table] = [*given, *ways(places, lower, given)]


def _check_tables(data: Mapping[str, Any], known: Mapping[str, frozenset[str]], where: str) -> None:
    """Make sure that changes and facts speak of lists, and changes of fields, that there are."""
    named: list[tuple[str, str, str, Collection[str]]] = []
    for key, change in data.get("changes", {}).items():
        named.append(("list", f"changes.{key}.table", change["table"], known))
        if change["table"] in known:
            named.append(("field", f"changes.{key}.field", change["field"], known[change["table"]]))
    for fact in data.get("facts", ()):
        checks = [check for check in fact.values() if isinstance(check, dict) and "table" in check]
        named += [("list", f"facts.{fact['id']}.table", check["table"], known) for check in checks]
    faults = [
        Fault(f"unknown {what} `{name}`", f"{where}.{path}", "", did_you_mean(name, there), kind="unknown-name")
        for what, path, name, there in named
        if name not in there
    ]
    if faults:
        raise InputError(faults)


_READ: OrderedDict[tuple[Any, ...], GameMap] = OrderedDict()
_KEPT = 32


def map_paths(model: Model) -> dict[str, Path]:
    own = [Path(part) for part in os.environ.get(SEARCHED, "").split(os.pathsep) if part]
    paths = files_of(model.home, f"{FOLDER}/*.yaml")
    paths += [path for folder in own for path in find_files(folder, "*.yaml") if within(folder, path.name) is not None]
    found: dict[str, Path] = {}
    for path in paths:
        if _NAME.fullmatch(path.stem):
            found.setdefault(path.stem, path)
    return found


def load_map(model: Model, name: str, where: str = "$.map") -> GameMap:
    """Load a map by its name; raises `InputError` if there is none of this name, or its file is faulty."""
    paths = map_paths(model)
    if name not in paths:
        other = elsewhere(f"{FOLDER}/*.yaml", model.home).get(name)
        why = f"maps ship with the rules, or lie in a folder that {SEARCHED} names"
        why = f"it is a map of the game `{other}`, and `{_home(model)}` is asked" if other else why
        raise bad(f"unknown map `{str(name)[:80]}`", where, did_you_mean(str(name), paths), "unknown-name", why)
    return read_map(model, paths[name])


def _home(model: Model) -> str:
    return game_name(model.home or default_game())


def read_map(model: Model, path: Path, _above: tuple[str, ...] = ()) -> GameMap:
    """Read a map file, once until it changes, and the maps that it holds to. Raises `InputError` if it is faulty."""
    try:
        state = path.stat()
    except OSError as error:
        raise bad(f"cannot read the map: {error.strerror}", str(path), "name a map file", "no-file") from None
    shapes = tuple(model.records[spec.type.name] for spec in table_fields(model).values())
    key = (str(path), state.st_mtime_ns, state.st_size, shapes)
    if key not in _READ:
        raw = read_data(path)
        said, names = (raw.get("game"), raw.get("holds", [])) if isinstance(raw, dict) else (None, [])
        game_of_file(path, said, model.home or default_game())
        held = tuple(_held(model, names, str(path), (*_above, path.stem)))
        _READ[key] = build_map(model, raw, str(path), held)
        if len(_READ) > _KEPT:
            _READ.popitem(last=False)
    return _READ[key]


def _held(model: Model, names: object, where: str, above: tuple[str, ...]) -> Iterator[GameMap]:
    paths = map_paths(model)
    for name in names if isinstance(names, list) else ():
        if name in above:
            raise bad(f"map `{name}` would have to hold to itself", f"{where}: $.holds", "take it out", "bad-value")
        if name not in paths:
            raise bad(f"unknown map `{str(name)[:80]}`", f"{where}: $.holds", did_you_mean(str(name), paths))
        yield read_map(model, paths[name], above)


def is_file(name: str) -> bool:
    return name.endswith((".yaml", ".yml", ".json"))


def open_map(model: Model, name: str) -> GameMap:
    """Open a map by name, or by its file; default: the whole board that ships. Raises `InputError` if it is faulty."""
    if not name:
        shipped = game_folder(model.home) / FOLDER
        maps = [read_map(model, path) for path in map_paths(model).values() if path.parent == shipped]
        if not maps:
            raise bad(f"the game `{_home(model)}` has no map", "--map", "name a file", "missing-field")
        whole = [one for one in maps if not one.is_fragment]
        if len(whole) != 1:
            raise bad("no map is named", "--map", did_you_mean("", [one.name for one in maps]), "missing-field")
        return whole[0]
    if is_file(name):
        return read_map(model, Path(name))
    return load_map(model, name, "--map")
