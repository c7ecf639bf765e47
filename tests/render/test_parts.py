"""Parts of a board, ids, ways that are not legal, sides in a battle, two editions in a battle."""

from xml.etree import ElementTree

import pytest
from titm_rules import Edition, InputError, Position
from titm_rules.render.columns import render_columns, shots_of
from titm_rules.render.overlays import draw_path, draw_reach, focused
from titm_rules.render.pictures import plain_picture, render_board
from titm_rules.render.style import load_style

from .drawn import SVG, lines, start

EDITION = Edition("1999")


def ids(svg, kind):
    root = ElementTree.fromstring(svg)
    return [str(one.get("data-id")) for one in root.iter() if one.get("class") == kind]


def test_everything_has_its_id_and_none_breaks_out_of_its_attribute():
    position = start("sauer-crossing")
    svg = render_board(position)
    assert sorted(ids(svg, "place")) == sorted(place.id for place in position.world.places)
    standing = [piece.id for place in position.world.places for piece in position.world.standing(place)]
    assert sorted(ids(svg, "piece")) == sorted(standing)
    named = {one.get("data-id") for one in ElementTree.fromstring(svg).iter(f"{SVG}path") if one.get("data-id")}
    assert named <= {row["id"] for row in position.to_dict()["connections"]}
    assert len(named) > 20
    data = Position.from_file("road-to-rambrouch").to_dict()
    wrong = 'x" onload="alert(1)'
    data["units"][0]["id"] = wrong
    assert wrong in ids(render_board(Position.from_dict(data, EDITION)), "piece")


def test_around_a_place_stand_its_neighbours():
    position = start()
    picture = focused(plain_picture(position), position, ["Bastogne"])
    assert {"Bastogne", "Noville", "Wiltz"} <= set(picture.focus)
    svg = render_board(position, picture)
    drawn = ids(svg, "place")
    assert set(picture.focus) <= set(drawn)
    assert len(drawn) < 40 < len(position.world.places)
    root = ElementTree.fromstring(svg)
    assert root.find(f".//{SVG}clipPath") is not None
    assert float(root.get("width", "0")) < 1_000
    with pytest.raises(InputError, match="no place"):
        focused(plain_picture(position), position, ["Nowhere"])


def test_of_a_large_board_an_overlay_shows_its_part():
    position = start()
    picture = draw_reach(plain_picture(position), position, ["2-pz-a"])
    part = focused(picture, position)
    assert set(part.focus) == {*picture.notes, "Dasburg"}
    assert set(part.focus) <= set(ids(render_board(position, part), "place"))
    assert focused(plain_picture(position), position).focus == set()
    small = start("sauer-crossing")
    assert focused(draw_reach(plain_picture(small), small, ["g-left"]), small).focus == ()


def test_a_way_that_is_not_legal_is_drawn_so_from_where_it_is_not():
    position, style = start(), load_style()
    way = ["Dasburg", "Lutzkampen", "Burg Reuland"]
    picture = draw_path(plain_picture(position), position, way, ["2-pz-a"])
    assert (picture.route, picture.barred) == (way[:2], way[1:])
    svg = ElementTree.fromstring(render_board(position, focused(picture, position)))
    assert list(lines(svg, {style.barred["stroke"]}))
    assert "a way that is not legal" in ElementTree.tostring(svg, encoding="unicode")


# ---------------------------------------------------------------------- battles
def test_those_in_a_battle_have_the_colours_of_their_sides():
    position = Position.from_file("07-combat-leaving-out-one-point")
    svg = ElementTree.fromstring(render_columns(position, load_style()))
    fills = {
        str(group.get("data-id")): group.findall(f"{SVG}rect")[0].get("fill")
        for group in svg.iter(f"{SVG}g") if group.get("class") == "piece"
    }  # fmt: skip
    sides = {rule.when.get("side"): rule.draw["fill"] for rule in load_style().rules["pieces"] if "side" in rule.when}
    data = position.to_dict()
    other = next(side for side in sides if side != data["attacker"])
    assert {fills[one["id"]] for one in data["attackers"]} <= {sides[data["attacker"]]}
    assert all(fills[one["id"]] != sides[data["attacker"]] for one in data["defenders"])
    assert sides[other] in {fills[one["id"]] for one in data["defenders"]}


def test_fire_under_two_editions_is_compared_and_holes_are_shown():
    position = Position.from_file("07-combat-leaving-out-one-point")
    inputs = {"battle": position.to_dict(), "who": "defender"}
    one, other = (shots_of(Edition(date).ask("fire_allocations", inputs)) for date in ("1999", "1996-08-01"))
    both = one.against(other, ("1999", "1996-08-01"))
    assert {pair for pair, kind in both.pairs.items() if kind == "gained"} == {("d2", "a3"), ("d2", "a4")}
    assert both.remarks[-1] == "Only 1999: d2 > a3, d2 > a4."
    back = other.against(one, ("1996-08-01", "1999"))
    assert {pair for pair, kind in back.pairs.items() if kind == "lost"} == {("d2", "a3"), ("d2", "a4")}
    assert not any("a3" in sentence for sentence in back.sentences() if sentence.startswith("d2 "))
    marked = Edition("2016-10-01")
    position = Position.from_notation("campaign,hole-markers=(Bastogne)", marked)
    picture = focused(plain_picture(position), position, ["Bastogne"])
    assert "a hole in a line" in render_board(position, picture)
    plain = Position.from_notation("campaign", marked)
    assert "a hole in a line" not in render_board(plain, focused(plain_picture(plain), plain, ["Bastogne"]))
