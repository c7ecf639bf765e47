"""Hexes are drawn as hexes, by coordinates; many places without any are laid out soon."""

import math
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.maps.maps import layout, neighbours
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.render.layout import spread_places
from titm_rules.render.overlays import draw_reach
from titm_rules.render.pictures import plain_picture, render_board

from tests.render.drawn import SVG, cards, groups, is_inside, regions

EDITION = Edition(game="bitterwoods")
UNITS = [{"id": f"u{number}", "side": "German", "kind": "armor", "strength": 6, "place": "0202"} for number in range(8)]


def on_map(**more):
    return Position.from_dict({"map": "teaching-ground", **more}, EDITION)


def drawn(position, picture=None):
    return ElementTree.fromstring(render_board(position, picture))


def hexes(svg):
    """The corners of each hex in the order of places."""
    return [corners for corners in regions(svg).values() if len(corners) == 6]


def steps(corners):
    return [math.dist(*pair) for pair in pairwise([*corners, corners[0]])]


def middle(corners):
    return (sum(x for x, _ in corners) / 6, sum(y for _, y in corners) / 6)


def test_each_place_is_a_regular_hex_and_neighbours_share_a_side():
    found = hexes(drawn(on_map()))
    assert len(found) == 56
    sides = {round(side) for corners in found for side in steps(corners)}
    assert len(sides) == 1
    middles = [middle(corners) for corners in found]
    nearest = [min(math.dist(one, other) for other in middles if other != one) for one in middles]
    assert nearest == pytest.approx([math.sqrt(3) * math.dist(*found[0][:2])] * 56, abs=0.5)


def test_a_grid_that_lies_on_its_side_is_drawn_with_points_up():
    def up(position, points):
        picture = replace(plain_picture(position), layout=points)
        return min(hexes(drawn(position, picture))[0], key=lambda corner: corner[1])

    position = on_map()
    lying = {name: (y, x) for name, (x, y) in position.layout.items()}
    flat, pointed = up(position, position.layout), up(position, lying)
    assert flat[0] != pytest.approx(middle(hexes(drawn(position))[0])[0], abs=2)
    picture = replace(plain_picture(position), layout=lying)
    assert pointed[0] == pytest.approx(middle(hexes(drawn(position, picture))[0])[0], abs=0.2)


def test_what_stands_in_a_hex_lies_inside_it():
    for count in range(1, 9):
        svg = drawn(on_map(units=UNITS[:count]))
        found = [box for group in groups(svg, "place") for box in cards(group)]
        assert len(found) == count
        for x, y, wide, high in found:
            spots = [(x + dx, y + dy) for dx in (0, wide) for dy in (0, high)]
            assert all(is_inside(spot, regions(svg)["0202"]) for spot in spots), count


def test_stacks_reaches_and_hexes_without_coordinates_are_drawn():
    svg = drawn(on_map(units=UNITS))
    assert len(list(groups(svg, "piece"))) == len(UNITS)
    position = on_map(units=[*UNITS[:1], {"id": "e", "side": "Allied", "kind": "infantry", "place": "0505"}])
    with pytest.raises(InputError, match="is not determined: rule 7 is missing"):
        draw_reach(plain_picture(position), position, ["u0"])
    data = {"hexes": [{"id": "0101"}, {"id": "0102"}], "hexsides": [{"id": "s", "ends": ["0101", "0102"]}]}
    assert hexes(drawn(Position.from_dict(data, EDITION))) == []


def test_700_places_are_drawn_with_and_without_coordinates():
    names = [f"{column:02}{row:02}" for column in range(1, 29) for row in range(1, 26)]
    sides = [{"id": f"{one}-{other}", "ends": [one, other]} for one, other in neighbours(names, "even")]
    position = Position.from_dict({"hexes": [{"id": name} for name in names], "hexsides": sides}, EDITION)
    for points, drawn_as_hexes in ((None, 0), (layout(names, "even"), len(names))):
        svg = drawn(position, replace(plain_picture(position), layout=points))
        assert {text.text for text in svg.iter(f"{SVG}text")} >= set(names)
        regular = [one for one in hexes(svg) if max(steps(one)) - min(steps(one)) < 0.5]
        assert len(regular) == drawn_as_hexes


def test_a_general_layout_of_many_places_keeps_neighbours_near():
    names = [f"{column:02}{row:02}" for column in range(1, 16) for row in range(1, 15)]
    joined = list(neighbours(names, "even"))
    points = spread_places(names, joined)
    assert points == spread_places(names, joined)
    steps = sorted(math.dist(points[one], points[other]) for one, other in joined)
    whole = sorted(math.dist(points[one], points[other]) for one in names for other in names if one < other)
    assert steps[len(steps) * 9 // 10] < whole[len(whole) // 4]
    assert len(set(points.values())) == len(names)
