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
from titm_rules.render.overlays import draw_path, draw_reach
from titm_rules.render.pictures import plain_picture, png_of, render_board, write_picture
from titm_rules.render.style import load_style, read_style

from tests.builders import fault_of

from .drawn import SCENARIOS, SVG, clashes, labels, lines

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
    assert "Combat: fire with who defender" in (svg.findtext(f"{SVG}title") or "")
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


def contrast(one, other):
    """The contrast of two colours as WCAG 2 has it, from 1 to 21."""

    def light(colour):
        parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dark = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_words_stand_out_from_what_they_are_written_on():
    style = load_style()
    looks = [rule.draw for what in ("places", "pieces", "badges") for rule in style.rules[what]]
    looks += list(style.notes.values())
    for look in looks:
        assert contrast(look.get("ink", "#222222"), look["fill"]) >= 3, look
    fills = {rule.label: rule.draw["fill"] for rule in style.rules["pieces"]}
    german, allied = fills["German unit"], fills["Allied unit"]
    assert contrast(german, allied) > 3  # the sides differ in lightness too


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
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    shown = [min(1.0, max(0.0, p)) for p in times(SEEN[seen], linear)]
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
