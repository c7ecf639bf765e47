"""Pictures: well-formed, the same each time, nothing hidden by something else."""

import itertools
import math
from xml.etree import ElementTree

import pytest
from titm_rules.oracle.case import Rules, open_case
from titm_rules.oracle.edition import Edition
from titm_rules.render.board import Picture, render_world
from titm_rules.render.layout import scale_apart, spread_places
from titm_rules.render.style import load_style, styled_value
from titm_rules.world.records import all_links
from titm_rules.world.world import World

from .drawn import SCENARIOS, SVG, lines, overlap, place_boxes

MODEL = Edition().model


def world_of(name):
    case = open_case(SCENARIOS / name / "position.yaml", Rules())
    layout = {place: (float(x), float(y)) for place, (x, y) in case.notes["layout"].items()}
    return World(MODEL, case.situation, case.data), layout


def drawn(name, **kwargs):
    world, layout = world_of(name)
    picture = Picture("a title", "a description", **{"layout": layout, **kwargs})
    return ElementTree.fromstring(render_world(world, load_style(), picture))


def texts(svg):
    return [element.text or "" for element in svg.iter(f"{SVG}text")]


def boxes(svg):
    return [*place_boxes(svg).values()]


@pytest.mark.parametrize(
    "name", ["pocket-at-bastogne", "road-to-rambrouch", "crossing-at-dasburg", "bridge-at-malmedy"]
)
@pytest.mark.parametrize("layout", ["given", "spread"])
def test_every_place_and_piece_is_shown_and_no_boxes_overlap(name, layout):
    world, given = world_of(name)
    svg = drawn(name, layout=given if layout == "given" else None)
    pieces = [piece.id for place in world.places for piece in world.standing(place)]
    assert {place.id for place in world.places} | set(pieces) <= set(texts(svg))
    assert len(boxes(svg)) == len(world.places)
    assert not any(overlap(a, b) for a, b in itertools.combinations(boxes(svg), 2))
    width, height = float(svg.get("width", 0)), float(svg.get("height", 0))
    assert all(x >= 0 and y >= 0 and x + w <= width and y + h <= height for x, y, w, h in boxes(svg))


def test_a_board_has_a_title_and_is_the_same_each_time():
    svg = drawn("pocket-at-bastogne")
    assert svg.findtext(f"{SVG}title") == "a title"
    assert svg.findtext(f"{SVG}desc") == "a description"
    world, _ = world_of("crossing-at-dasburg")
    other, _ = world_of("crossing-at-dasburg")
    picture = Picture("t", "d")
    assert render_world(world, load_style(), picture) == render_world(other, load_style(), picture)


def test_route_is_a_line_for_each_step_in_the_style_s_colour():
    colour = load_style().route["stroke"]
    route = ["Nives", "Fauvillers", "Martelange", "C"]

    def steps(svg):
        return len(list(lines(svg, {colour})))

    assert steps(drawn("pocket-at-bastogne")) == 0
    assert steps(drawn("pocket-at-bastogne", route=route)) == 3 + 1  # and one in the legend


def test_blockers_are_ringed():
    colour = load_style().blocker["stroke"]

    def rings(**kwargs):
        svg = drawn("pocket-at-bastogne", **kwargs)
        shapes = (*svg.iter(f"{SVG}rect"), *svg.iter(f"{SVG}path"))
        return sum(one.get("stroke") == colour and one.get("fill") == "none" for one in shapes)

    assert rings() == 0
    assert rings(blockers={"ustank"}) == 1
    assert rings(blockers={"ustank", "Bastogne-Sprimont", "Noville", "nothing"}) == 3


def test_markup_and_control_characters_in_ids_do_no_harm():
    data = {
        "day": 16, "impulse": 1, "side_to_move": "German",
        "areas": [{"id": "<script>&\x00"}, {"id": "\ud800" + "x" * 199}],
    }  # fmt: skip
    text = render_world(World(MODEL, "position", data), load_style(), Picture("<b>&", "<i>&\x07"))
    svg = ElementTree.fromstring(text)
    assert svg.find(f".//{SVG}script") is None
    assert (svg.findtext(f"{SVG}title"), svg.findtext(f"{SVG}desc")) == ("<b>&", "<i>&?")
    assert {"<script>&?", "?" + "x" * 18 + "…"} <= set(texts(svg))


def test_empty_board_and_one_point_layout_are_drawn():
    data = {"day": 16, "impulse": 1, "side_to_move": "German", "areas": [{"id": "A"}, {"id": "B"}]}
    for layout in (None, {"A": (0.0, 0.0), "B": (0.0, 0.0)}):
        text = render_world(World(MODEL, "position", data), load_style(), Picture("t", "d", layout=layout))
        svg = ElementTree.fromstring(text)
        assert {"A", "B"} <= set(texts(svg))
        assert not overlap(*boxes(svg))
    empty = World(MODEL, "position", {**data, "areas": []})
    assert ElementTree.fromstring(render_world(empty, load_style(), Picture("t", "d"))).tag == f"{SVG}svg"


def test_places_are_spread_and_gaps_left():
    points = spread_places(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d")])
    distance = {(one, other): math.dist(points[one], points[other]) for one in points for other in points}
    assert distance["a", "b"] == pytest.approx(1, abs=0.05)
    assert distance["a", "d"] == pytest.approx(3, abs=0.15)
    points = scale_apart({"a": (0, 0), "b": (0.1, 0)}, {"a": (10, 4), "b": (20, 4)}, gap=5)
    assert points["b"][0] - points["a"][0] == pytest.approx(20)


def test_style_goes_by_field_values():
    world, _ = world_of("road-to-rambrouch")
    links = {link.id: link for place in world.places for link, _ in all_links(place)}
    style = load_style()
    assert styled_value(MODEL, links["Mersch-Saeul"], "road") == "minor"
    assert (
        style.look("lines", MODEL, links["Mersch-Saeul"])["width"]
        < style.look("lines", MODEL, links["Rear-Mersch"])["width"]
    )
    labels = [rule.label for rule in style.all_looks("marks", MODEL, links["Mersch-Ettelbruck"])]
    assert labels == ["river", "bridge"]
    tank = next(p for place in world.places for p in world.standing(place) if p.id == "tank")
    assert style.label(MODEL, tank) == "Arm 3"
