"""The campaign on its board of 162 areas: readable, told in words, and the same each time."""

import itertools
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import pytest
from titm_rules import Edition, Position
from titm_rules.maps.scenarios import load_scenario, scenario_folders
from titm_rules.render.board import Note
from titm_rules.render.overlays import draw_difference, draw_path, draw_reach
from titm_rules.render.pictures import plain_picture, render_board, render_frame
from titm_rules.render.shapes import width_of
from titm_rules.render.style import LINE, MARK, load_style

from .drawn import SVG, clashes, groups, is_crossed, labels, lines, overlap, place_boxes, start


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


@pytest.mark.parametrize("frame", [render_board, render_frame])
def test_roads_pass_under_no_strange_place_and_no_place_covers_a_river_or_a_bridge(frame):
    svg = ElementTree.fromstring(frame(start()))
    boxes = place_boxes(svg)
    joined = [line for line in roads(svg) if any(is_in(line[:2], box) for box in boxes.values())]
    assert len(joined) == len(start().to_dict()["connections"])
    crossings = sum(
        is_crossed(box, line) and not is_in(line[:2], box) and not is_in(line[2:], box)
        for line in joined
        for box in boxes.values()
    )
    assert crossings <= len(joined) // 100  # one road in a hundred may, where the board is crowded
    over = [(a, b) for a, b in itertools.combinations(joined, 2) if cross(a, b)]
    assert len(over) <= len(joined) // 100  # on the map no road crosses another
    marks = list(lines(svg, {rule.draw["stroke"] for rule in load_style().rules[MARK]}))
    hidden = sum(is_crossed(box, mark) for mark in marks for box in place_boxes(svg).values())
    assert len(marks) > 2 * 82
    assert hidden <= 4  # a corner, where two places all but touch


def cross(one, other):
    """Whether two lines that share no end cross."""

    def side(line, x, y):
        return (line[2] - line[0]) * (y - line[1]) - (line[3] - line[1]) * (x - line[0])

    if {one[:2], one[2:]} & {other[:2], other[2:]}:
        return False
    return all(side(a, *b[:2]) * side(a, *b[2:]) < 0 for a, b in ((one, other), (other, one)))


def is_in(point, box):
    return box[0] <= point[0] <= box[0] + box[2] and box[1] <= point[1] <= box[1] + box[3]


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


def looks(svg, kind):
    """Give fill and edge of each place or piece: of places by their name, of pieces by their title."""
    found = {}
    for group in groups(svg, kind):
        box, name = group.find(f"{SVG}rect"), group.findtext(f"{SVG}title") or group.findtext(f"{SVG}text") or ""
        assert box is not None
        found[name.partition(":")[0]] = (box.get("fill"), box.get("stroke"))
    return found


@pytest.mark.parametrize("name", ["campaign", "fifth-panzer-army"])
def test_entrenched_units_have_an_edge_of_their_own(name):
    edges = {identity: edge for identity, (_, edge) in looks(svg_of(name=name), "piece").items()}
    units = start(name).to_dict()["units"]
    dug_in = {edges[unit["id"]] for unit in units if unit.get("entrenched")}
    others = {edges[unit["id"]] for unit in units if not unit.get("entrenched")}
    assert dug_in
    assert not dug_in & others
    assert any("entrenched" in one.text for one in labels(svg_of(name=name)))


def test_places_outside_the_area_of_play_are_pale():
    shown, data = looks(svg_of(name="fifth-panzer-army"), "place"), start("fifth-panzer-army").to_dict()
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
    for svg in (svg_of(), ElementTree.fromstring(render_frame(start(), "16-1 German"))):
        heading = labels(svg)[0]
        assert heading.text == svg.findtext(f"{SVG}title")
        assert "day 16, impulse 1" in heading.text
        assert heading.box[1] + heading.box[3] < min(box[1] for box in place_boxes(svg).values())


def test_numbers_stand_before_the_names_of_places():
    """Records of games name places by the numbers of the map."""
    heads = {}
    for group in groups(svg_of(), "place"):
        name, *others = labels(group)
        beside = [one for one in others if overlap(one.box, (0, name.box[1], 1e6, name.box[3]))]
        heads[name.text] = [one.text for one in beside if one.box[0] + one.box[2] < name.box[0]]
    wanted = {name: [str(number)] for name, number in start().numbers.items()}
    assert len(wanted) == 162
    assert heads == {**{name: [] for name in heads}, **wanted}


def test_frames_of_a_game_are_laid_out_alike():
    moved = start().to_dict()
    for unit in moved["units"]:
        if unit["place"] == "Dasburg":
            unit["place"] = "Marnach" if unit["kind"] == "engineer" else "Clavier"
    after = Position.from_dict(moved, Edition())
    one, other = (place_boxes(ElementTree.fromstring(render_frame(position))) for position in (start(), after))
    assert one["Clavier"] != other["Clavier"]
    still = {"Bastogne", "Luxembourg", "Aachen", "Marche"}
    assert {name: one[name] for name in still} == {name: other[name] for name in still}


# ---------------------------------------------------------------------- overlays
def test_reach_stands_at_the_places_with_its_cost():
    ends = start().ask("reachable", units=["2-pz-a"])["destinations"]
    picture = draw_reach(plain_picture(start()), start(), ["2-pz-a"])
    svg = svg_of(picture)
    written = {
        group.findtext(f"{SVG}text"): [t.text for t in group.iterfind(f"{SVG}text")][-1]
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
