"""Maps in other formats: tables of CSV, GraphML through networkx, GeoJSON; and YAML, one row a line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx

from titm_rules.diagnostics import did_you_mean
from titm_rules.files import read_text
from titm_rules.formats.fields import table_fields
from titm_rules.formats.file_schemas import own_fields
from titm_rules.formats.safe_json import bad, parse_json, parse_yaml
from titm_rules.ir.model import Model
from titm_rules.maps.maps import GameMap

LIST, HEADER = "list", "titm"
PLACES_FILE, CONNECTIONS_FILE, HEADER_FILE = "places.csv", "connections.csv", "map.yaml"
_OWN_KINDS = {
    "number": "number", "lon": "measure", "lat": "measure", "x": "measure", "y": "measure",
    "aliases": "names", "marks": "names", "over": "text", "note": "text", "source": "pairs",
}  # fmt: skip
_ENDS = ("from", "to")
Raw = dict[str, Any]


class Cells:
    """Writes the values of a row as texts, and reads them by the types that the rules declare."""

    def __init__(self, model: Model) -> None:
        self.tables = table_fields(model)
        self.roles = {name: model.records[spec.type.name].role for name, spec in self.tables.items()}
        self._kinds: dict[str, dict[str, str]] = {
            name: _OWN_KINDS | {f.json: f.type.kind for f in model.records[spec.type.name].fields} | {"id": "text"}
            for name, spec in self.tables.items()
        }

    def columns(self, role: str) -> list[str]:
        """Name the columns of the table of a role: what the rules know, then the map's own."""
        tables = [name for name in self.tables if self.roles[name] == role]
        known = [k for name in tables for k in self._kinds[name] if k not in (*_OWN_KINDS, "id", "ends")]
        ends = _ENDS if role == "connection" else ()
        return list(dict.fromkeys([LIST, "id", *ends, *known, *own_fields(role)]))

    def write(self, value: object) -> str:
        match value:
            case None:
                return ""
            case bool():
                return "true" if value else "false"
            case list():
                return "|".join(map(str, value))
            case dict():
                return "; ".join(f"{name}={one}" for name, one in value.items())
        return str(value)

    def check_table(self, table: str, where: str) -> None:
        """Make sure that a list is one of the map's; raises `InputError` if it is not."""
        if table not in self._kinds:
            raise bad(f"unknown list `{table[:80]}`", where, did_you_mean(table, self._kinds), "unknown-name")

    def read(self, table: str, field: str, text: str, where: str) -> Any:
        """Read the text of a field; raises `InputError` for an unknown field, or a text that is not a value of it."""
        kind = self._kinds[table].get(field)
        if kind is None:
            raise bad(f"`{field[:80]}` is not a field of {table}", where, "take the column out", "unknown-field")
        try:
            return _READERS.get(kind, str)(text)
        except (ValueError, KeyError):
            raise bad(f"`{text[:80]}` is not a {kind}", where, "correct the cell", "bad-value") from None


def _pairs(text: str) -> dict[str, str]:
    parts = [part.partition("=") for part in text.split(";") if part.strip()]
    return {name.strip(): value.strip() for name, _, value in parts}


_READERS: dict[str, Callable[[str], Any]] = {
    "flag": lambda text: {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()],
    "number": int,
    "measure": float,
    "names": lambda text: [part.strip() for part in text.split("|") if part.strip()],
    "pairs": _pairs,
}


def header_of(board: GameMap) -> Raw:
    return {name: value for name, value in board.data.items() if name not in board.roles}


def _is_given(board: GameMap, table: str, field: str, row: Mapping[str, Any]) -> bool:
    """Whether the id of a connection is its own and not made of its ends."""
    return field != "id" or board.roles[table] == "place" or row["id"] != "-".join(row["ends"])


def rows_of(board: GameMap) -> dict[str, list[Raw]]:
    """Give the lists of a map as they stand in its file."""
    return {
        table: [{k: v for k, v in row.items() if _is_given(board, table, k, row)} for row in board.data.get(table, ())]
        for table in board.roles
    }


def to_yaml(raw: Mapping[str, Any], tables: Iterable[str]) -> str:
    """Write a map file: the header, then a row a line."""
    import yaml

    tables = list(tables)
    dumped: Any = partial(yaml.safe_dump, sort_keys=False, allow_unicode=True)
    text: str = dumped({name: value for name, value in raw.items() if name not in (*tables, "facts")}, width=110)
    for table in [t for t in tables if raw.get(t)]:
        lines = (dumped(row, default_flow_style=True, width=100_000).strip() for row in raw[table])
        text += f"{table}:\n" + "".join(f"  - {line}\n" for line in lines)
    if raw.get("facts"):
        text += dumped({"facts": raw["facts"]}, width=110)
    return text


def to_csv(model: Model, board: GameMap) -> dict[str, str]:
    """Write a map as two tables and a header; texts by file name."""
    cells, rows = Cells(model), rows_of(board)
    texts = {HEADER_FILE: to_yaml(header_of(board), ())}
    for role, name in (("place", PLACES_FILE), ("connection", CONNECTIONS_FILE)):
        stream = io.StringIO()
        writer = csv.DictWriter(stream, cells.columns(role), lineterminator="\n")
        writer.writeheader()
        for table in [t for t in rows if board.roles[t] == role]:
            for row in rows[table]:
                ends = dict(zip(_ENDS, row.get("ends", ()), strict=False))
                values = {k: cells.write(v) for k, v in row.items() if k != "ends"}
                writer.writerow({LIST: table, **ends, **values})
        texts[name] = stream.getvalue()
    return texts


def from_csv(model: Model, texts: Mapping[str, str]) -> Raw:
    """Read a map from its two tables and its header; raises `InputError` for a table that cannot be read."""
    raw = parse_yaml(texts[HEADER_FILE], HEADER_FILE)
    if not isinstance(raw, dict):
        raise bad("a header is an object", HEADER_FILE, "write keys and values", "bad-value")
    cells = Cells(model)
    for name in (PLACES_FILE, CONNECTIONS_FILE):
        head = texts[name].partition("\n")[0]
        delimiter = ";" if ";" in head and "," not in head else ","  # spreadsheets of some countries write semicolons
        reader = csv.DictReader(io.StringIO(texts[name]), restkey="", restval="", delimiter=delimiter)
        try:
            for number, line in enumerate(reader, 2):
                table, row = _csv_row(cells, line, f"{name}:{number}")
                raw.setdefault(table, []).append(row)
        except csv.Error as error:
            raise bad(f"this is not a table: {error}", name, kind="bad-csv") from None
        if LIST not in (reader.fieldnames or ()):
            raise bad(f"the table has no column `{LIST}`", name, "export a map to see the columns", "bad-csv")
    return raw


def _csv_row(cells: Cells, line: Mapping[str, Any], where: str) -> tuple[str, Raw]:
    if "" in line:
        raise bad("the line has more cells than the table has columns", where, "put quotes about a comma", "bad-csv")
    table = line.get(LIST, "")
    cells.check_table(table, where)
    row: Raw = {"ends": [line[end] for end in _ENDS]} if all(line.get(end) for end in _ENDS) else {}
    for field, text in line.items():
        if text and field not in (LIST, *_ENDS):
            row[field] = cells.read(table, field, text, f"{where}: {field}")
    return table, row


def to_graphml(model: Model, board: GameMap) -> str:
    """Write a map as GraphML; lists and sources as texts, the header as JSON."""
    cells, rows = Cells(model), rows_of(board)
    graph: Any = nx.MultiGraph()
    graph.graph[HEADER] = json.dumps(header_of(board), ensure_ascii=False)
    for table, row in [(t, r) for t in rows for r in rows[t]]:
        values: Raw = {LIST: table}
        for name, value in row.items():
            if value is not None and name != "ends":
                values[name] = value if isinstance(value, bool | int | float) else cells.write(value)
        if board.roles[table] == "place":
            graph.add_node(row["id"], **values)
        else:
            graph.add_edge(*row["ends"], key=f"{table} {'-'.join(row['ends'])}", **values)
    return "\n".join(nx.generate_graphml(graph)) + "\n"


def from_graphml(model: Model, text: str) -> Raw:
    """Read a map from GraphML; raises `InputError` for text that is not GraphML, or not a map."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise bad("declarations of entities are not read", "$", "write plain GraphML", "bad-graphml")
    try:
        graph: Any = nx.parse_graphml(text, force_multigraph=True)
    except Exception as error:  # networkx lets the errors of its parser through, whatever their kind
        raise bad(f"this is not GraphML: {str(error)[:200]}", "$", kind="bad-graphml") from None
    cells, raw = Cells(model), _header(graph.graph.get(HEADER))
    for _, values in graph.nodes(data=True):
        _add(cells, raw, values, {})
    for one, other, values in graph.edges(data=True):
        _add(cells, raw, values, {"ends": [one, other]})
    return raw


def _header(text: object) -> Raw:
    raw = parse_json(text, f"$.{HEADER}") if isinstance(text, str) else None
    if not isinstance(raw, dict):
        raise bad("it has no header of a map", f"$.{HEADER}", "export a map to see one", "missing-field")
    return raw


def _add(cells: Cells, raw: Raw, values: Mapping[str, Any], row: Raw) -> None:
    table = str(values.get(LIST, ""))
    cells.check_table(table, f"$.{LIST}")
    for field, value in values.items():
        if field != LIST:
            row[field] = cells.read(table, field, value, f"$.{field}") if isinstance(value, str) else value
    raw.setdefault(table, []).append(row)


def to_geojson(board: GameMap) -> str:
    """Write a map as GeoJSON: places as points, connections as lines, the header beside them."""
    rows = rows_of(board)
    places = board.places.items()
    points = {name: [row["lon"], row["lat"]] for name, (_, row) in places if "lon" in row and "lat" in row}
    features = []
    for table, row in [(t, r) for t in rows for r in rows[t]]:
        if board.roles[table] == "place":
            shape: Raw | None = {"type": "Point", "coordinates": points[row["id"]]} if row["id"] in points else None
            row = {k: v for k, v in row.items() if shape is None or k not in ("lon", "lat")}
        else:
            known = points.keys() >= set(row["ends"])
            shape = {"type": "LineString", "coordinates": [points[end] for end in row["ends"]]} if known else None
        features.append({"type": "Feature", "geometry": shape, "properties": {LIST: table, **row}})
    whole = {"type": "FeatureCollection", HEADER: header_of(board), "features": features}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def from_geojson(model: Model, text: str) -> Raw:
    """Read a map from GeoJSON; raises `InputError` for text that is not GeoJSON, or not a map."""
    whole = parse_json(text)
    if not isinstance(whole, dict) or not isinstance(whole.get("features"), list):
        raise bad("this is not a collection of features", "$", "send GeoJSON", "bad-geojson")
    raw = _header(json.dumps(whole.get(HEADER)))
    tables = table_fields(model)
    for number, feature in enumerate(whole["features"]):
        where = f"$.features[{number}]"
        properties = feature.get("properties") if isinstance(feature, dict) else None
        if not isinstance(properties, dict) or properties.get(LIST) not in tables:
            raise bad("a feature names its list", f"{where}.properties.{LIST}", f"one of: {', '.join(tables)}")
        row = {k: v for k, v in properties.items() if k != LIST}
        shape = feature.get("geometry")
        point = shape.get("coordinates") if isinstance(shape, dict) and shape.get("type") == "Point" else None
        if isinstance(point, list) and len(point) >= 2:
            row["lon"], row["lat"] = point[:2]
        elif shape is not None and "ends" not in row:
            raise bad("a place is drawn as a point", f"{where}.geometry", "write a Point, or null", "bad-geojson")
        raw.setdefault(properties[LIST], []).append(row)
    return raw


def read_foreign(model: Model, path: Path) -> Raw:
    """Read a map of another format, or a folder of tables. Raises `InputError` if it is unknown or cannot be read."""
    text = partial(read_text, encoding="utf-8-sig")  # spreadsheets put a mark before the text
    if path.is_dir():
        return from_csv(model, {name: text(path / name) for name in (HEADER_FILE, PLACES_FILE, CONNECTIONS_FILE)})
    readers = {".graphml": from_graphml, ".geojson": from_geojson}
    if path.suffix not in readers:
        fix = "name a .graphml or .geojson file, or a folder with places.csv, connections.csv and map.yaml"
        raise bad(f"`{path.suffix}` is not a format of maps", str(path), fix, "bad-value")
    return readers[path.suffix](model, text(path))


def exported(model: Model, board: GameMap, out: Path) -> dict[Path, str]:
    """Write a map as .graphml, .geojson or .yaml, or a folder of tables. Raises `InputError` for other endings."""
    match out.suffix:
        case ".graphml":
            return {out: to_graphml(model, board)}
        case ".geojson":
            return {out: to_geojson(board)}
        case ".yaml" | ".yml":
            return {out: to_yaml({**header_of(board), **rows_of(board)}, board.roles)}
        case "":
            return {out / file: text for file, text in to_csv(model, board).items()}
    fix = "name a .graphml, .geojson or .yaml file, or a folder"
    raise bad(f"`{out.suffix}` is not a format of maps", str(out), fix, "bad-value")
