"""Lint for maps: the maps that ship pass; each kind of fault is found; no attested fact can go unnoticed."""

import copy
from functools import cache

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.maps.lint import DOUBT, check_facts, lint_map
from titm_rules.maps.maps import build_map

from tests.maps.conftest import EDITION, board, lint_raw, raw_map, row_of, whats


@pytest.mark.parametrize("name", ["attested", "ardennes-reconstructed"])
def test_maps_that_ship_pass(name):
    assert lint_map(board(name), EDITION.answer) == []
    assert lint_map(spoiled(raw_map()), EDITION.answer) == [], "only removed data are missed"


# ---------------------------------------------------------------------- each attested fact, removed in turn
def attested_rows():
    """List every datum of the attested map: list, row, field."""
    found = board("attested")
    for role in ("place", "connection"):
        for table, row in found.tables(role):
            for field in row:
                if field not in ("source", "note") and not (role == "connection" and field == "id"):
                    yield table, row["id"], field


def without(raw, table, name, field):
    """Take a datum out of the reconstruction; a row goes with its id, and with all that hangs on it."""
    row = row_of(raw, table, name)
    if field not in ("id", "ends"):
        del row[field]
        row.get("source", {}).pop(field, None)
        return raw
    raw[table].remove(row)
    for other in ("connections", "zone_neighbours"):
        raw[other] = [one for one in raw[other] if name not in one["ends"]]
    for part in raw["parts"].values():
        part["places"] = {k: [one for one in names if one != name] for k, names in part["places"].items()}
    for fact in raw["facts"]:
        if "ring" in fact:
            fact["ring"] = [one for one in fact["ring"] if one != name]
    return raw


@cache
def attested_without_questions():
    """Give the attested map without the facts that ask the rules: they take long and are broken below."""
    data = raw_map("attested")
    data["facts"] = [fact for fact in data["facts"] if "ask" not in fact]
    return build_map(EDITION.model, data, "attested.yaml")


def spoiled(raw):
    return build_map(EDITION.model, raw, "test.yaml", (attested_without_questions(),))


def broken_facts(raw):
    return [fault.what for fault in check_facts(spoiled(raw), EDITION.answer)]


@pytest.mark.parametrize(("table", "name", "field"), [one for one in attested_rows() if one[-1] in ("id", "ends")])
def test_no_attested_row_can_be_removed(table, name, field):
    assert f"`{name}` is missing" in broken_facts(without(raw_map(), table, name, field))


def test_no_attested_value_can_be_removed():
    """All of them at once: each is compared by itself."""
    raw, values = raw_map(), [one for one in attested_rows() if one[-1] not in ("id", "ends")]
    for table, name, field in values:
        without(raw, table, name, field)
    told = broken_facts(raw)
    assert [one for one in values if not any(f"`{one[2]}` of `{one[1]}` is " in what for what in told)] == []
    assert len(values) > 100


def set_field(table, name, **fields):
    return lambda raw: row_of(raw, table, name).update(fields)


def add(table, **row):
    """Add a row, and a connection to it."""
    end = {"areas": {"ends": [row["id"], "Andenne"], "road": "minor"}, "zones": {"ends": [row["id"], "Namur"]}}[table]
    return lambda raw: [raw[table].append(row), raw["connections"].append({"road": "major", **end})]


def joined(raw, one, other):
    return next(row for row in raw["connections"] if set(row["ends"]) == {one, other})


def join(*ends, **fields):
    return lambda raw: raw["connections"].append({"ends": list(ends), "road": "minor", **fields})


def cut(*ends):
    return lambda raw: raw["connections"].remove(joined(raw, *ends))


def roads(kind, *pairs):
    return lambda raw: [joined(raw, *pair).update(road=kind) for pair in pairs]


def keep_areas(last):
    def change(raw):
        gone = {row["id"] for row in raw["areas"] if row["number"] > last}
        raw["areas"] = [row for row in raw["areas"] if row["id"] not in gone]
        kept = {}
        for row in raw["connections"]:
            row["ends"] = [end if end not in gone else "Libramont" for end in row["ends"]]
            kept.setdefault(frozenset(row["ends"]), row)
        raw["connections"] = [row for pair, row in kept.items() if len(pair) == 2]
        for part in raw["parts"].values():
            part["places"]["areas"] = [name for name in part["places"]["areas"] if name not in gone]

    return change


def blow_all(name):
    blown = {"river": True, "bridge": "blown", "over": "Attert"}
    return lambda raw: [row.update(blown) for row in raw["connections"] if name in row["ends"]]


def part_without(part, table, name):
    return lambda raw: raw["parts"][part]["places"][table].remove(name)


def part_apart(raw):
    inside = set(raw["parts"]["seventh-army"]["places"]["areas"])
    places = raw["parts"]["fifth-panzer-army"]["places"]
    places["areas"] = [name for name in places["areas"] if name not in inside]
    places["zones"].remove("C")


# fact of the attested map, what makes it false on the reconstruction
BROKEN = [
    ("no-clervaux", add("areas", id="Clervaux", number=163, control="Allied")),
    ("no-zone-o", add("zones", id="O", owner="Allied")), ("no-zone-i", add("zones", id="I", owner="Allied")),
    ("blown-at-start", set_field("connections", "Ettelbruck-Mersch", bridge="blown")),
    ("blown-at-start", set_field("connections", "Dasburg-Marnach", bridge="intact")),
    ("neighbours-by-number", cut("Amel", "Butgenbach")),
    ("neighbours-by-number", set_field("areas", "Amel", number=175)), ("at-least-150", keep_areas(149)),
    ("more-than-150", keep_areas(150)), ("printed-values", set_field("areas", "Aachen", vp=0)),
    ("printed-values", set_field("areas", "Arlon", vp=0)), ("factors", set_field("zones", "H", vp_factor=4)),
    ("some-zones-score", lambda raw: [row.update(vp_factor=0) for row in raw["zones"]]),
    ("some-areas-release", lambda raw: [row.update(marks=[]) for row in raw["areas"]]),
    ("own-zones-score-nothing", set_field("zones", "M", vp_factor=1)),
    ("bridges-cross-rivers", set_field("connections", "Celles-Dinant", river=False)),
    ("rivers-have-bridges", set_field("connections", "Celles-Dinant", bridge=None)),
    ("every-road-has-a-class", set_field("connections", "Celles-Dinant", road=None)),
    ("zone-roads", set_field("connections", "C-Bitburg", road="minor")),
    ("three-days-towns", set_field("areas", "Marnach", marks=["three-days-town"])),
    ("seventh-army-part", part_without("seventh-army", "areas", "Larochette")),
    ("seventh-army-part", part_without("seventh-army", "zones", "P")),
    ("fifth-panzer-part", part_without("fifth-panzer-army", "areas", "Sinspelt")),
    ("fifth-panzer-part", part_without("fifth-panzer-army", "zones", "K")), ("shared-start", part_apart),
    ("rambrouch-costs-5", roads("minor", ("Ettelbruck", "Eschdorf"))),
    ("rambrouch-by-eschdorf", cut("Ettelbruck", "Eschdorf")),
    ("rambrouch-bridge-blown", join("Sauel", "Grosbous", road="major")),
    ("sauel-way-begins", roads("major", ("Sauel", "Redange"))),
    ("sauel-way-ends", roads("major", ("Redange", "Rambrouch"))), ("rambrouch-without-sauel", cut("Mersch", "Sauel")),
    ("rambrouch-without-redange", cut("Redange", "Rambrouch")), ("rambrouch-without-rambrouch", blow_all("Rambrouch")),
    ("luxembourg-to-transinne", roads("minor", ("Luxembourg", "Steinfort"), ("Libramont", "Transinne"))),
]  # fmt: skip


@pytest.mark.parametrize(("fact", "change"), BROKEN, ids=[fact for fact, _ in BROKEN])
def test_a_fact_that_does_not_hold_is_named(raw, fact, change):
    change(raw)
    assert any(str(fault.where).endswith(f"fact {fact}") for fault in lint_raw(raw))


def test_every_fact_of_the_attested_map_is_broken_above():
    assert {fact for fact, _ in BROKEN} == {fact["id"] for fact in board("attested").data["facts"]}


def test_facts_of_the_reconstruction_itself(raw):
    row_of(raw, "areas", "Osweiler")["front_line"] = True
    row_of(raw, "areas", "Bitburg")["control"] = None
    row_of(raw, "connections", "Celles-Dinant")["over"] = "Rhine"
    raw["zone_neighbours"].pop()
    row_of(raw, "areas", "Auw")["front_line"] = False
    named = {str(fault.where).split("fact ")[-1] for fault in lint_raw(raw) if fault.kind == "fact"}
    assert named == {"front-is-where-sides-meet", "every-area-is-held", "crossings-are-named", "zone-ring"}


# ---------------------------------------------------------------------- form
def island(raw):
    raw["areas"] += [{"id": "Here"}, {"id": "There"}]
    join("Here", "There")(raw)


def in_part(name):
    return lambda raw: raw["parts"]["seventh-army"]["places"]["areas"].append(name)


FORMS = [
    (lambda raw: raw["areas"].append(copy.deepcopy(raw["areas"][4])), "`Budesheim` appears twice", "keep one of them"),
    (join("Dinant", "Cellles"), "`Cellles` is not a place of the map", "did you mean `Celles`?"),
    (join("Dinant", "Dinant"), "it joins a place to itself", "take it out"),
    (island, "the map falls apart", "connect them"),
    (set_field("areas", "Spa", aliases=["Théux"]), "`Théux` means Spa and Theux", "take it from one"),
    (lambda raw: [raw["defaults"]["areas"].pop(key) for key in ("lon", "*")], "`lon` comes from nowhere",
        "name it under `source` or `defaults`"),
    (set_field("areas", "Spa", source={"vp": "judgment"}), "`vp` comes from nowhere", "did you mean `judgement`?"),
    (set_field("areas", "Spa", source={"vps": "judgement"}), "a source is given for `vps`, which the row has not",
        "did you mean `vp`?"),
    (lambda raw: raw["parts"]["seventh-army"].update(edge="scenario-line"), "no connection has a field `scenario-line`",
        "did you mean `scenario_line`?"),
    (set_field("areas", "Spa", marks=["releases"]), "unknown mark `releases`", "did you mean `release`?"),
    (in_part("Bittburg"), "`Bittburg` is not in areas", "did you mean `Bitburg`?"),
    (in_part("Namur"), "the part falls apart", "connect them"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "what", "fix"), FORMS, ids=[what for _, what, _ in FORMS])
def test_fault_of_form(raw, change, what, fix):
    change(raw)
    assert (what, fix) in {(fault.what, fault.fix) for fault in lint_raw(raw)}


@pytest.mark.parametrize(("fields", "why"), [
    ({"river": True, "bridge": "intact"}, "they differ in over, road"),
    ({}, "they differ in bridge, over, river, road"),
])  # fmt: skip
def test_two_ways_between_two_places_are_only_doubtful_and_say_in_what_they_differ(raw, fields, why):
    join("Dinant", "Celles", **fields)(raw)
    [doubt] = [one for one in lint_raw(raw, doubts=True) if "join the same two places" in one.what]
    assert doubt.kind == DOUBT
    assert doubt.what == "`Celles-Dinant` and `Dinant-Celles` join the same two places"
    assert doubt.fix == "if it is one way, keep one row: a connection counts both ways"
    assert doubt.why == why


def test_roads_that_cross_and_dead_ends_are_doubts(raw):
    join("Bastogne", "Houffalize")(raw)
    join("Longvilly", "Bertogne")(raw)
    found = lint_raw(raw, doubts=True)
    assert "`Bastogne-Houffalize` and `Longvilly-Bertogne` cross" in whats(found)
    assert {fault.kind for fault in found} == {DOUBT}
    raw = raw_map()
    add("areas", id="Nowhere", number=163, control="Allied")(raw)
    faults = lint_map(spoiled(raw), EDITION.answer)
    assert [(fault.kind, fault.what) for fault in faults] == [(DOUBT, "one connection only leads to `Nowhere`")]


@pytest.mark.parametrize(("change", "where"), [
    (set_field("areas", "Spa", vp=-1), "$.areas[87].vp"),
    (set_field("areas", "Spa", colour="red"), "$.areas[87].colour"),
    (set_field("connections", "Celles-Dinant", bridge="burnt"), ".bridge"),
    (lambda raw: raw.update(format=2), "$.format"),
    (lambda raw: raw.update(name="My Map"), "$.name"),
    (lambda raw: raw["facts"][0].update(absent=["O"]), "$.facts[0]"),
    (lambda raw: raw["sources"]["roads"].update(basis="guessed"), "$.sources.roads.basis"),
])  # fmt: skip
def test_schema(raw, change, where):
    change(raw)
    with pytest.raises(InputError) as caught:
        lint_raw(raw)
    assert any(where in str(fault.where).replace("test.yaml", "$") for fault in caught.value.faults)
