"""The campaign on its board of 162 areas: readable, told in words, and the same each time."""

import itertools
import re
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import pytest
from titm_rules import Edition, Position
from titm_rules.maps.scenarios import load_scenario, scenario_folders
from titm_rules.render.board import Note, links_of, town_of
from titm_rules.render.chart import FAR_NAME
from titm_rules.render.overlays import draw_difference, draw_path, draw_reach
from titm_rules.render.pictures import board_chart, plain_picture, render_board
from titm_rules.render.shapes import width_of
from titm_rules.render.style import LINE, MARK, PIECE, PLACE, SYMBOL, load_style

from .drawn import (
    SVG,
    cards,
    clashes,
    groups,
    is_crossed,
    is_inside,
    labels,
    lines,
    name_of,
    overlap,
    place_boxes,
    regions,
    start,
)


@cache
def plain_board(name):
    return render_board(start(name))


def svg_of(picture=None, name="campaign"):
    return ElementTree.fromstring(render_board(start(name), picture) if picture else plain_board(name))


def everywhere(text):
    picture = plain_picture(start())
    return replace(picture, notes={place.id: Note(text, "reach") for place in start().world.places})


@pytest.mark.parametrize("note", ["", "12", "+10 -12 ≠3"], ids=["plain", "costs", "long"])
def test_no_two_labels_overlap(note):
    svg = svg_of(everywhere(note) if note else None)
    assert len(labels(svg)) > 300
    assert clashes(svg) == []
    width, height = float(svg.get("width", 0)), float(svg.get("height", 0))
    outside = [one.text for one in labels(svg) if not overlap(one.box, (0, 0, width, height)) or one.box[0] < 0]
    assert outside == [one.text for one in labels(svg) if one.box[0] + one.box[2] > width] == []


@pytest.mark.parametrize("name", sorted(set(scenario_folders()) - {"campaign"}))
def test_nor_on_the_boards_of_the_other_scenarios(name):
    assert clashes(svg_of(name=name)) == []


def test_labels_are_measured_and_those_that_lie_on_each_other_found():
    text = "<svg xmlns='http://www.w3.org/2000/svg'>{}</svg>"
    one, other = (f"<text x='{x}' y='10' font-size='10' text-anchor='middle'>Bastogne</text>" for x in (0, 70))
    near = other.replace("'70'", "'45'")
    assert clashes(ElementTree.fromstring(text.format(one + other))) == []
    assert clashes(ElementTree.fromstring(text.format(one + near))) == [("Bastogne", "Bastogne")]
    # DejaVu Sans Bold, as its own tables say: advances in 2048ths of the size.
    assert width_of("Losheimergraben", 100) == pytest.approx(985.5, rel=0.01)
    assert width_of("Baraque de Fraiture", 100) == pytest.approx(1129.3, rel=0.01)


def roads(svg):
    colours = {rule.draw["stroke"] for rule in load_style().rules[LINE]}
    return list(lines(svg, colours))


@pytest.mark.parametrize("name", ["campaign", "first-three-days"])
def test_each_region_holds_the_counters_and_the_town_of_its_place_and_none_lies_on_another(name):
    svg = svg_of(name=name)
    found = regions(svg)
    assert set(found) == {place.id for place in start(name).world.places}
    for group in groups(svg, "place"):
        corners = found[group.get("data-id")]
        spots = [(x + dx, y + dy) for x, y, wide, high in cards(group) for dx in (0, wide) for dy in (0, high)]
        spots += [(float(town.get("cx")), float(town.get("cy"))) for town in group.iterfind(f"{SVG}circle")]
        assert all(is_inside(spot, corners) for spot in spots), name_of(group)
    chart = board_chart(start(name))
    strange = [(a, b) for a in chart.spots for b in chart.regions if a != b and is_inside(chart.spots[a], found[b])]
    assert strange == []


def test_roads_end_at_their_places_pass_under_few_others_and_bridges_are_seen():
    svg = svg_of()
    boxes, chart = place_boxes(svg), board_chart(start())
    known = {tuple(round(number, 1) for number in spot): name for name, spot in chart.spots.items()}
    joined = [line for line in roads(svg) if all((round(x, 1), round(y, 1)) in known for x, y in (line[:2], line[2:]))]
    assert len(joined) == len(start().to_dict()["connections"])
    over = [(a, b) for a, b in itertools.combinations(joined, 2) if cross(a, b)]
    assert len(over) <= len(joined) // 50  # on the map no road crosses another; here few do
    marks = [mark for mark in lines(svg, {rule.draw["stroke"] for rule in load_style().rules[MARK]}) if mark[0] < 1e4]
    hidden = sum(is_crossed(box, mark) for mark in marks for box in boxes.values())
    assert len(marks) > 82
    assert hidden <= len(marks) // 10  # under a corner of a name or of a counter


def test_the_whole_board_has_a_name_or_a_number_at_nearly_every_place_and_none_lies_on_another():
    """What is seen from far: at the size that it has on a screen of 1440 pixels."""
    chart = board_chart(start())
    boxes = [
        (label.at[0] - width_of(label.text, FAR_NAME) / 2, label.at[1] - FAR_NAME / 2, width_of(label.text, FAR_NAME),
         FAR_NAME) for label in chart.labels.values()
    ]  # fmt: skip
    assert len(boxes) >= 0.95 * len(chart.spots)
    assert sum(not label.text.isdigit() for label in chart.labels.values()) >= 0.85 * len(chart.spots)
    assert [pair for pair in itertools.combinations(boxes, 2) if overlap(*pair)] == []


def test_rivers_run_along_borders_through_their_crossings_and_no_dry_road_crosses_one():
    """What the data hold and no more: a river is drawn where it is crossed, and between crossings of one name."""
    svg, chart = svg_of(), board_chart(start())
    [river] = [rule.draw for rule in load_style().rules[MARK] if rule.draw.get("shape") == "band"]
    [drawn] = chart.rivers.values()
    assert drawn in {path.get("d") for path in svg.iter(f"{SVG}path") if path.get("stroke") == river["stroke"]}
    dry = {frozenset(link["ends"]) for link in start().to_dict()["connections"] if not link.get("river")}
    held = {(round(border.at[0]), round(border.at[1])) for border in chart.borders if frozenset(border.ends) in dry}
    steps = {tuple(map(int, step)) for step in re.findall(r"M (-?\d+) (-?\d+)", drawn)}
    assert len(steps) > 60
    assert not steps & held
    named = {link["id"] for link in start().to_dict()["connections"] if link.get("river")}
    assert {label.text for label in chart.names} <= {start().rivers[name] for name in named}


def cross(one, other):
    """Whether two lines that share no end cross."""

    def side(line, x, y):
        return (line[2] - line[0]) * (y - line[1]) - (line[3] - line[1]) * (x - line[0])

    if {one[:2], one[2:]} & {other[:2], other[2:]}:
        return False
    return all(side(a, *b[:2]) * side(a, *b[2:]) < 0 for a, b in ((one, other), (other, one)))


def test_places_keep_their_sides():
    """North stays north: of places that are far apart on the map, none changes sides."""
    boxes, layout = place_boxes(svg_of()), start().layout
    middle = {name: (box[0] + box[2] / 2, box[1] + box[3] / 2) for name, box in boxes.items()}
    assert set(middle) <= set(layout)
    for one, other in itertools.combinations(middle, 2):
        for axis in (0, 1):
            apart = layout[other][axis] - layout[one][axis]
            if abs(apart) > 120:
                assert (middle[other][axis] - middle[one][axis]) * apart > 0, (one, other)


def test_it_is_told_in_words_and_provenance_is_shown():
    svg = svg_of()
    title, told = svg.findtext(f"{SVG}title") or "", svg.findtext(f"{SVG}desc") or ""
    assert "day 16" in title
    assert "blown bridge: 5" in told
    assert "At Wahlerscheid: 326-vg-a (Foot 2), 326-vg-b (Foot 2)." in told
    for place in start().world.places:
        assert (f"At {place.id}: " in told) == bool(start().world.standing(place))
    slopes = {t.text: (t.get("font-weight"), t.get("font-style")) for t in svg.iter(f"{SVG}text")}
    assert start().origins["Bastogne"] == "attested"
    assert start().origins["Schleiden"] == "reconstructed"
    assert slopes["Bastogne"] == ("bold", "normal")
    assert slopes["Schleiden"] == ("normal", "italic")
    shown = [one.text for one in labels(svg)]
    assert {"a reconstructed place", "a place that sources name"} <= set(shown)
    assert any(text.startswith("Data of the map: ") for text in shown)
    assert any("is reconstructed in part" in text for text in shown)


def looks(svg):
    """Give fill and edge of each piece by its title."""
    found = {}
    for group in groups(svg, "piece"):
        box, name = group.find(f"{SVG}rect"), group.findtext(f"{SVG}title") or ""
        assert box is not None
        found[name.partition(":")[0]] = (box.get("fill"), box.get("stroke"))
    return found


@pytest.mark.parametrize("name", ["campaign", "fifth-panzer-army"])
def test_entrenched_units_have_an_edge_of_their_own(name):
    edges = {identity: edge for identity, (_, edge) in looks(svg_of(name=name)).items()}
    units = start(name).to_dict()["units"]
    dug_in = {edges[unit["id"]] for unit in units if unit.get("entrenched")}
    others = {edges[unit["id"]] for unit in units if not unit.get("entrenched")}
    assert dug_in
    assert not dug_in & others
    assert any("entrenched" in one.text for one in labels(svg_of(name=name)))


def test_places_outside_the_area_of_play_are_pale():
    svg, data = svg_of(name="fifth-panzer-army"), start("fifth-panzer-army").to_dict()
    shown = {path.get("data-id"): path.get("fill") for path in svg.iterfind(f".//{SVG}path[@class='region']")}
    places = [*data["areas"], *data["zones"]]
    outside = {shown[place["id"]] for place in places if place.get("in_play") is False}
    assert len(outside) == 1
    assert not outside & {shown[place["id"]] for place in places if place.get("in_play") is not False}


def test_towns_that_decide_a_scenario_are_marked():
    svg = svg_of(name="first-three-days")
    marked = {
        group.findtext(f"{SVG}text")
        for group in groups(svg, "place")
        if "◆" in [text.text for text in group.iterfind(f"{SVG}text")]
    }
    assert marked == {area["id"] for area in start("first-three-days").to_dict()["areas"] if area.get("scenario_town")}
    assert len(marked) == 11


def test_the_title_stands_over_the_picture_with_the_date():
    """A picture without a viewer's title bar, a PNG or a frame of a game, says what it shows."""
    for svg in (svg_of(), svg_of(plain_picture(start(), "16-1 German"))):
        heading = labels(svg)[0]
        assert heading.text == svg.findtext(f"{SVG}title")
        assert "day 16, impulse 1" in heading.text
        assert not any(overlap(heading.box, label.box) for label in labels(svg)[1:])


def test_numbers_stand_beside_towns():
    """Records of games name places by the numbers of the map."""
    heads = {}
    for group in groups(svg_of(), "place"):
        [town] = group.iterfind(f"{SVG}circle")
        x, y = float(town.get("cx")), float(town.get("cy"))
        texts = [one for one in labels(group)[1:] if abs(one.box[1] + one.box[3] / 2 - y) < 6]
        heads[name_of(group)] = [one.text for one in texts if one.box[0] + one.box[2] < x]
    wanted = {name: [str(number)] for name, number in start().numbers.items()}
    assert len(wanted) == 162
    assert heads == {**{name: [] for name in heads}, **wanted}


def test_frames_of_a_game_are_laid_out_alike():
    moved = start().to_dict()
    for unit in moved["units"]:
        if unit["place"] == "Dasburg":
            unit["place"] = "Marnach" if unit["kind"] == "engineer" else "Clavier"
    after = Position.from_dict(moved, Edition())
    one, other = (ElementTree.fromstring(render_board(position)) for position in (start(), after))
    assert place_boxes(one)["Clavier"] != place_boxes(other)["Clavier"]
    assert regions(one) == regions(other)


@pytest.mark.parametrize("name", ["campaign", "first-three-days", "fifth-panzer-army"])
def test_the_legend_names_each_class_that_is_drawn(name):
    svg, style, world = svg_of(name=name), load_style(), start(name).world
    shown = {one.text for one in labels(svg)}
    pieces = [piece for place in world.places for piece in world.standing(place)]
    records = {PLACE: world.places, PIECE: pieces, SYMBOL: pieces, LINE: links_of(world), MARK: links_of(world)}
    drawn = {rule.label for what in (PLACE, PIECE, SYMBOL, LINE) for one in records[what]
             for rule in style.all_looks(what, world.model, one)[:1]}  # fmt: skip
    drawn |= {rule.label for one in records[MARK] for rule in style.all_looks(MARK, world.model, one)}
    drawn |= {rule.label for place in world.places for _, rule in style.badges(world.model, place, world.root)}
    drawn |= {town_of(style, rank)["label"] for rank in board_chart(start(name)).ranks.values()}
    drawn |= {look["label"] for look in (style.front, style.border, style.number)}
    assert drawn - {""} <= shown


# ---------------------------------------------------------------------- overlays
def test_reach_stands_at_the_places_with_its_cost():
    ends = start().ask("reachable", units=["2-pz-a"])["destinations"]
    picture = draw_reach(plain_picture(start()), start(), ["2-pz-a"])
    svg = svg_of(picture)
    written = {
        name_of(group): [t.text for t in group.iterfind(f"{SVG}text")][-1]
        for group in groups(svg, "place")
        if group.findtext(f"{SVG}text") in ends
    }
    assert ends
    assert written == {name: str(cost) for name, cost in ends.items()}
    assert picture.start == "Dasburg"
    assert "2-pz-a at Dasburg can reach" in (svg.findtext(f"{SVG}desc") or "")


def test_paths_are_judged_and_editions_that_agree_show_no_difference():
    plain = plain_picture(start())
    alone = draw_path(plain, start(), ["Dasburg", "Daleiden"])
    assert alone.route == ["Dasburg", "Daleiden"]
    assert alone.remarks[0] == "Route: Dasburg, Daleiden."
    barred = draw_path(plain, start(), ["Dasburg", "Marnach"], ["2-pz-a"])
    assert "? No," in barred.remarks[0]
    assert (barred.route, barred.barred) == (["Dasburg"], ["Dasburg", "Marnach"])
    picture = draw_difference(plain_picture(start()), start(), Edition("1994-11-01"))
    assert picture.remarks[0] == "1999 and 1994-11-01: no difference."
    assert picture.notes == {}
    assert picture.changed == frozenset()


def at(edition, **fields):
    data = {**load_scenario(Edition().model, "campaign").position, **fields}
    return Position.from_dict(data, Edition(edition))


def test_actions_that_only_one_edition_allows_are_ringed():
    """Special forces came with the sheet of August 1996."""
    later = at("1996-08-01", day=17, phase="movement", placing=None)
    picture = draw_difference(plain_picture(later), later, Edition("1994-11-01"))
    only = {a.to_dict()["choices"]["s"] for a in later.legal_actions if a.kind == "infiltrate"}
    assert only
    assert picture.changed == only
    assert f"{3 * len(only)} infiltrate (+)" in picture.remarks[0]
    assert picture.notes == {}


def test_reach_that_only_one_edition_allows_is_marked():
    """Holes in the line came with the sheet of October 2016: they bar moves on the first day."""
    first = at("2002-07-25", hole_markers=["Lutzkampen"])
    later = first.under(Edition("2016-10-01"))
    picture = draw_difference(plain_picture(first), first, later.edition)
    moved = {
        piece.id
        for place in first.world.places
        for piece in first.world.standing(place)
        if first.ask("reachable", units=[piece.id]) != later.ask("reachable", units=[piece.id])
    }
    assert bool(moved) == bool(picture.notes)
    assert {note.kind for note in picture.notes.values()} <= {"gained", "lost", "differs"}
    one = draw_difference(plain_picture(first), first, Edition("2016-10-01"), sorted(moved)[:1])
    assert one.notes
