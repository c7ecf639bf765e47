"""Other formats: what goes out comes back the same, and damaged files are refused with a place."""

import csv
import io
import json

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.formats.safe_json import parse_yaml
from titm_rules.maps.exchange import (
    CONNECTIONS_FILE,
    HEADER_FILE,
    PLACES_FILE,
    from_csv,
    from_geojson,
    from_graphml,
    header_of,
    read_foreign,
    rows_of,
    to_csv,
    to_geojson,
    to_graphml,
    to_yaml,
)
from titm_rules.maps.map_queries import compare
from titm_rules.maps.maps import build_map

from tests.maps.conftest import EDITION, board, raw_map, row_of

MODEL = EDITION.model
WAYS = {
    "csv": lambda found: from_csv(MODEL, to_csv(MODEL, found)),
    "graphml": lambda found: from_graphml(MODEL, to_graphml(MODEL, found)),
    "geojson": lambda found: from_geojson(MODEL, to_geojson(found)),
    "yaml": lambda found: parse_yaml(to_yaml({**header_of(found), **rows_of(found)}, found.roles)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["attested", "ardennes-reconstructed"])
def test_there_and_back(way, name):
    found, there = board(name), WAYS[way](board(name))
    again = build_map(MODEL, there, "again.yaml", found.held)
    assert list(compare(found, again)) == []
    assert header_of(again) == header_of(found)
    for table, rows in rows_of(found).items():
        key = lambda row: json.dumps([row.get("id"), sorted(row.get("ends", ()))])  # noqa: E731 -- used twice below
        mine, theirs = sorted(rows_of(again)[table], key=key), sorted(rows, key=key)
        assert [row.get("source") for row in mine] == [row.get("source") for row in theirs]


def test_csv_reads_as_a_table_also_as_spreadsheets_write_it(tmp_path):
    texts = to_csv(MODEL, board())
    head, first, *_ = texts[PLACES_FILE].splitlines()
    assert head.startswith("list,id,")
    assert dict(zip(head.split(","), first.split(","), strict=True))["id"] == "Schleiden"
    assert len(texts[CONNECTIONS_FILE].splitlines()) == 1 + 376 + 14
    # With a mark before the text, lines that end as on Windows, and semicolons.
    (tmp_path / HEADER_FILE).write_text(texts[HEADER_FILE], encoding="utf-8")
    for name in (PLACES_FILE, CONNECTIONS_FILE):
        out = io.StringIO()
        csv.writer(out, delimiter=";").writerows(csv.reader(io.StringIO(texts[name])))
        (tmp_path / name).write_bytes(out.getvalue().encode("utf-8-sig"))
    assert b"\r\n" in (tmp_path / PLACES_FILE).read_bytes()
    again = build_map(MODEL, read_foreign(MODEL, tmp_path), "again.yaml", board().held)
    assert list(compare(board(), again)) == []


def changed_csv(file, old, new):
    texts = to_csv(MODEL, board())
    assert old in texts[file]
    return {**texts, file: texts[file].replace(old, new, 1)}


@pytest.mark.parametrize(("file", "old", "new", "where"), [
    (PLACES_FILE, "areas,Schleiden,", "aeras,Schleiden,", "places.csv:2"),
    (PLACES_FILE, ",front_line,", ",frontline,", "places.csv:2: frontline"),
    (PLACES_FILE, "areas,Schleiden,0", "areas,Schleiden,none", "places.csv:2: vp"),
    (PLACES_FILE, "areas,Schleiden,", "areas,Schleiden,,,,,,,,,,,,,,,,,,,,,,,", "places.csv:2"),
    (HEADER_FILE, "format: 1", "format: [", "map.yaml:3:5"),
])  # fmt: skip
def test_damaged_csv(file, old, new, where):
    with pytest.raises(InputError) as caught:
        from_csv(MODEL, changed_csv(file, old, new))
    assert str(caught.value.faults[0].where) == where
    for text in ("", "\n", "id,vp\nSpa,1\n"):  # without its columns
        with pytest.raises(InputError) as caught:
            from_csv(MODEL, {**to_csv(MODEL, board()), PLACES_FILE: text})
        assert str(caught.value.faults[0].where).startswith("places.csv")


GRAPH = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected"/></graphml>'

GEO = '{"titm": {}, "features": [{"properties": {"list": "areas", "id": "Spa"}, "geometry": %s}]}'


@pytest.mark.parametrize(("read", "text", "what"), [
    (from_graphml, "", "this is not GraphML"), (from_graphml, "<graphml>", "this is not GraphML"),
    (from_graphml, '<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "declarations of entities"),
    (from_graphml, GRAPH, "no header"), (from_geojson, "[]", "not a collection"), (from_geojson, "{", "not JSON"),
    (from_geojson, '{"features": []}', "no header"),
    (from_geojson, '{"titm": {}, "features": [7]}', "names its list"),
    (from_geojson, '{"titm": {}, "features": [{"properties": {"list": "aeras"}}]}', "names its list"),
    (from_geojson, GEO % '{"type": "Polygon", "coordinates": []}', "is drawn as a point"),
    (from_geojson, GEO % '{"type": "Point", "coordinates": [5]}', "is drawn as a point"),
    (from_geojson, GEO % '"here"', "is drawn as a point"),
])  # fmt: skip
def test_damaged_files(read, text, what):
    with pytest.raises(InputError, match=what):
        read(MODEL, text)


def test_geojson_draws_roads_between_places():
    features = json.loads(to_geojson(board()))["features"]
    line = next(one for one in features if one["properties"].get("ends") == ["Celles", "Dinant"])
    assert line["geometry"] == {"type": "LineString", "coordinates": [[5.01, 50.23], [4.912, 50.26]]}


def test_differences():
    raw = raw_map()
    row_of(raw, "areas", "Spa")["vp"] = 3
    row_of(raw, "connections", "Celles-Dinant")["ends"] = ["Dinant", "Celles"]
    raw["connections"] = [row for row in raw["connections"] if row["ends"] != ["Amel", "Butgenbach"]]
    other = build_map(MODEL, raw, "other.yaml", board().held)
    found = {str(one) for one in compare(board(), other)}
    assert found == {"areas Spa: vp 0 | 3", "connections Amel-Butgenbach: only in the first"}
    assert {str(one) for one in compare(other, board(), frozenset({"vp"}))} == {
        "areas Spa: vp 3 | 0",
        "connections Amel-Butgenbach: only in the second",
    }
