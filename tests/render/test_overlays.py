"""Who may shoot at whom, traces, pictures in notebooks, and PNG."""

import builtins
import itertools
import math
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from titm_rules import Edition, InputError, Position
from titm_rules.formats.safe_json import read_data
from titm_rules.render.columns import render_columns, shots_of
from titm_rules.render.overlays import draw_path, draw_reach, focused, traced
from titm_rules.render.pictures import plain_picture, png_of, render_board, write_picture
from titm_rules.render.style import load_style, read_style

from tests.builders import fault_of

from .drawn import SCENARIOS, SVG, clashes, labels, lines, start

SMALL = "<svg xmlns='http://www.w3.org/2000/svg' width='10' height='6'/>"


def battle():
    data = read_data(SCENARIOS / "combat-of-1999" / "battle.yaml")
    return Position.from_dict(data["battle"], Edition(), "battle")


def shots(who, position=None):
    position = position or battle()
    inputs = {"battle": position.to_dict(), "who": who}
    return shots_of(Edition().ask("fire_allocations", inputs))


def test_shots_of_the_worked_example_are_drawn_with_a_line_each():
    # The defending armor must fire at the armor, the entrenched infantry at any of the others.
    found = shots("defender")
    assert found.pairs == {
        ("d1", "a1"): "always", ("d2", "a2"): "sometimes", ("d2", "a3"): "sometimes", ("d2", "a4"): "sometimes",
    }  # fmt: skip
    assert list(found.sentences())[1] == "d1 may pick only a1 (2 dice of 70%)."
    style = load_style()
    svg = ElementTree.fromstring(render_columns(battle(), style, shots("defender"), "Combat"))
    always, sometimes = ({style.shot(kind)["stroke"]} for kind in ("always", "sometimes"))
    assert len(list(lines(svg, always))) == 1 + 1  # and one in the legend
    assert len(list(lines(svg, sometimes))) == 3 + 1
    assert "Combat: Which plans of fire are legal for the defender" in (svg.findtext(f"{SVG}title") or "")
    assert "d1 may pick only a1" in (svg.findtext(f"{SVG}desc") or "")


@pytest.mark.parametrize("who", ["attacker", "defender"])
def test_no_label_of_a_battle_lies_on_another(who):
    svg = ElementTree.fromstring(render_columns(battle(), load_style(), shots(who)))
    assert {"a1", "a4", "d1", "attackers", "defenders"} <= {one.text for one in labels(svg)}
    assert clashes(svg) == []


def test_only_shots_that_can_be_listed_are_drawn():
    units = [{"id": f"{n}", "kind": "foot", "strength": 2} for n in range(20)]
    many = {
        "attacker": "German", "attackers": [{**one, "id": "a" + one["id"]} for one in units],
        "defenders": [{**one, "id": "d" + one["id"]} for one in units],
    }  # fmt: skip
    with pytest.raises(InputError, match="plans are too many to draw"):
        shots("defender", Position.from_dict(many, Edition(), "battle"))
    asked = Edition().ask("artillery_targetings", {"battle": battle().to_dict(), "who": "attacker", "n": 1})
    with pytest.raises(InputError, match="not about who picks whom"):
        shots_of(asked)


# ---------------------------------------------------------------------- positions
def road():
    data = read_data(SCENARIOS / "road-to-rambrouch" / "position.yaml")
    return Position.from_dict(data["position"], Edition())


def test_unknown_pieces_are_named_and_symbols_differ():
    with pytest.raises(InputError, match="no piece `tnak` stands on the board"):
        draw_reach(plain_picture(road()), road(), ["tnak"])
    with pytest.raises(InputError, match="no place `Saeull` is on the board"):
        draw_path(plain_picture(road()), road(), ["Mersch", "Saeull", "Redange"])
    assert road()._repr_svg_() == render_board(road())
    drawn = ElementTree.fromstring(battle()._repr_svg_())
    assert {"a1", "d2"} <= {one.text for one in labels(drawn)}
    paths = [rule.draw["path"] for rule in load_style().rules["symbols"]]
    assert len(set(paths)) == len(paths) == len(Edition().model.enums["unit-kind"].values)


@pytest.mark.parametrize("path", ['M0 0" onload="x', "", "url(#a)"])
def test_a_symbol_is_a_path_and_nothing_else(path, tmp_path):
    file = tmp_path / "style.yaml"
    file.write_text(f"symbols:\n  - when: {{}}\n    path: '{path}'\n", encoding="utf-8")
    with pytest.raises(InputError, match="a symbol has a `path`"):
        read_style(file)


def linear(colour):
    """Give the three parts of a colour in linear light."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def contrast(one, other):
    """The contrast of two colours as WCAG 2 has it, from 1 to 21."""
    bright, dark = sorted((times(WHITE, linear(colour))[1] for colour in (one, other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("game", ["titm", "bitterwoods", "cold-ford"])
@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_words_stand_out_from_what_they_are_written_on(game, is_dark):
    """All text on all it may lie on, by the level AA of WCAG: 4.5; the sides differ in lightness too."""
    style = load_style(game)

    def paint(colour):
        return style.dark.get(colour, colour) if is_dark else colour

    looks = [rule.draw for what in ("places", "pieces", "badges") for rule in style.rules[what]]
    pairs = [(look.get("ink", "#222222"), look["fill"]) for look in (*looks, *style.notes.values())]
    pairs += [(ink, look.draw["fill"]) for look in style.rules["places"]
              for ink in (style.number["ink"], style.river.get("ink", style.number["ink"]))]  # fmt: skip
    faint = {pair: round(contrast(*map(paint, pair)), 2) for pair in pairs if contrast(*map(paint, pair)) < 4.5}
    assert faint == {}
    fills = {rule.draw["fill"] for rule in style.rules["pieces"] if "side" in rule.when}
    assert all(contrast(one, other) > 2 for one, other in itertools.combinations(sorted(fills), 2))


# Colours as people see them who lack one kind of cone (Machado, Oliveira and Fernandes 2009), in linear light.
SEEN = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "no green": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "no blue": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
WHITE = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))  # linear light to CIE XYZ


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def lab(colour, seen):
    """Give a colour in CIE L*a*b*, in which a distance of about 2 can just be seen."""
    shown = [min(1.0, max(0.0, p)) for p in times(SEEN[seen], linear(colour))]
    ratios = [a / b for a, b in zip(times(WHITE, shown), times(WHITE, (1, 1, 1)), strict=True)]
    x, y, z = (r ** (1 / 3) if r > 0.008856 else 7.787 * r + 16 / 116 for r in ratios)
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


@pytest.mark.parametrize("seen", SEEN)
def test_colours_that_stand_side_by_side_can_be_told_apart(seen):
    style = load_style()
    fills = {rule.label: rule.draw["fill"] for what in ("places", "pieces") for rule in style.rules[what]}
    sides = [[fills[f"{side} {what}"] for side in ("German", "Allied")] for what in ("unit", "zone")]
    roads, marks = ([rule.draw["stroke"] for rule in style.rules[what]] for what in ("lines", "marks"))
    beside = [
        *sides, [fills["German control"], fills["Allied control"], fills["nobody's"]],
        [style.note(kind)["fill"] for kind in ("gained", "lost", "differs")],
        [style.shot(kind)["stroke"] for kind in ("always", "sometimes")],
        *[[road, mark] for road in roads for mark in marks], *[[road, style.route["stroke"]] for road in roads],
        [style.blocker["stroke"], style.route["stroke"], "#ffffff"], [style.changed["stroke"], "#ffffff"],
    ]  # fmt: skip
    near = {
        (one, other): round(math.dist(lab(one, seen), lab(other, seen)), 1)
        for group in beside
        for one, other in itertools.combinations(group, 2)
    }
    assert {pair: far for pair, far in near.items() if far < 8} == {}


def test_a_route_that_is_not_open_is_dashed_on_white():
    """On the bare road dashes of one colour and a road of another look like one line."""
    picture = replace(plain_picture(road()), closest=["Mersch", "Saeul"])
    svg = ElementTree.fromstring(render_board(road(), picture))
    paths = [(path.get("d"), path.get("stroke"), float(path.get("stroke-width", 0))) for path in svg.iter(f"{SVG}path")]
    [(place, _, width), *_] = [one for one in paths if one[1] == load_style().closest["stroke"]]
    under = [one for one in paths if one[0] == place]
    assert [stroke for _, stroke, _ in under[-2:]] == ["#ffffff", load_style().closest["stroke"]]
    assert under[-2][2] > width


def test_battles_draw_what_their_lists_do_not_in_any_format(tmp_path):
    svg = ElementTree.fromstring(battle()._repr_svg_())
    assert "Attacker German." in {one.text for one in labels(svg)}
    assert "Attacker German." in (svg.findtext(f"{SVG}desc") or "")
    write_picture(tmp_path / "deep" / "a.png", SMALL)
    write_picture(tmp_path / "a.svg", SMALL)
    assert (tmp_path / "deep" / "a.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == SMALL


# ---------------------------------------------------------------------- files
def test_without_the_converter_png_is_refused(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "resvg_py":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "resvg_py", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    fault = fault_of(png_of, SMALL)
    assert fault.what == "PNG needs a converter that is not installed"
    assert "titm_rules[png]" in fault.fix


def test_other_formats_and_folders_in_the_way_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"`\.gif` is not a format of pictures"):
        write_picture(tmp_path / "a.gif", SMALL)
    (tmp_path / "b.svg").mkdir()
    with pytest.raises(InputError, match="cannot write the file"):
        write_picture(tmp_path / "b.svg", SMALL)


# ---------------------------------------------------------------------- parts of a board, ids
def ids(svg, kind):
    root = ElementTree.fromstring(svg)
    return [str(one.get("data-id")) for one in root.iter() if one.get("class") == kind]


def test_everything_has_its_id_and_none_breaks_out_of_its_attribute():
    position = start("sauer-crossing")
    svg = render_board(position)
    assert sorted(ids(svg, "place")) == sorted(place.id for place in position.world.places)
    standing = [piece.id for place in position.world.places for piece in position.world.standing(place)]
    assert sorted(ids(svg, "piece")) == sorted(standing)
    paths = [one for one in ElementTree.fromstring(svg).iter(f"{SVG}path") if one.get("class") != "region"]
    named = {one.get("data-id") for one in paths if one.get("data-id")}
    assert named <= {row["id"] for row in position.to_dict()["connections"]}
    assert len(named) > 20
    data = Position.from_file("road-to-rambrouch").to_dict()
    wrong = 'x" onload="alert(1)'
    data["units"][0]["id"] = wrong
    assert wrong in ids(render_board(Position.from_dict(data, Edition())), "piece")


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
    assert "what is barred of a way" in ElementTree.tostring(svg, encoding="unicode")


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


def test_a_trace_is_drawn_as_barred_from_its_bar_on():
    pocket = Position.from_file("pocket-at-bastogne")
    verdict = pocket.check("supplied", unit="tank", at="Moircy")
    picture = traced(plain_picture(pocket), pocket, verdict, "tank", "Moircy")
    assert picture.barred[0] == picture.closest[-1]
    assert [*picture.closest, *picture.barred[1:]] == verdict.witness["closest"]
    assert " > ".join(picture.barred[:2]) in {change["step"] for change in verdict.nearest["changes"]}
