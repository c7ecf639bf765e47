"""Shapes, text and the legend of pictures."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

import drawsvg as draw

from titm_rules.render.layout import Point
from titm_rules.render.style import BADGE, LINE, MARK, NUMBER, SYMBOL, TOWN

# ---------------------------------------------------------------------- text
FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
LONGEST = 20
_NOT_XML = re.compile(r"[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Advance of DejaVu Sans Bold in hundredths of the type size. It is among the widest of the usual
# fonts, so that a text is never longer than measured wherever the picture is looked at.
_ADVANCES = {
    31: "'", 34: "ijl", 35: " ", 37: "/IJ\\|", 38: ",.", 40: ":;", 42: "-", 44: "f", 46: "!()[]", 48: "t", 49: "r",
    50: "_`", 52: '"*', 58: "?z", 59: "c", 60: "s", 65: "vxyL", 67: "ak", 68: "EFTe", 69: "o",
    70: "$0123456789", 71: "hnu{}", 72: "SYbdgpq", 73: "CPZ", 77: "AKRVXB", 81: "U", 82: "G", 83: "D",
    84: "#+<=>HN^~", 85: "OQ", 87: "&", 92: "w", 100: "%@M", 104: "m", 110: "W",
}  # fmt: skip
_ADVANCE = {letter: hundredths for hundredths, letters in _ADVANCES.items() for letter in letters}
_OTHER = 110


def clean(text: str, longest: int = LONGEST) -> str:
    """Make a text fit for a picture: no control characters, and not longer than so many."""
    text = _NOT_XML.sub("?", text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def written(name: str) -> str:
    """Write an id as the value of an attribute of XML: nothing in it ends the value."""
    return html.escape(_NOT_XML.sub("?", name), quote=True)


def width_of(text: str, size: float) -> float:
    """Measure a text of one line, in pixels: an upper bound, bold or not."""
    return sum(_ADVANCE.get(letter, _OTHER) for letter in text) * size / 100


# ---------------------------------------------------------------------- shapes
PILL_H = 13.0


def stroke(one: Point, other: Point, look: Mapping[str, Any], **more: str) -> draw.Line:
    extra = {"stroke_dasharray": look["dash"]} if "dash" in look else {}
    return draw.Line(
        *one, *other, stroke=look.get("stroke", "#777777"), stroke_width=look.get("width", 2),
        stroke_linecap="round" if "dash" not in look else "butt", stroke_opacity=look.get("opacity", 1), **extra,
        **more,
    )  # fmt: skip


def path(way: str, look: Mapping[str, Any]) -> draw.Path:
    """Draw a line that bends."""
    extra = {"stroke_dasharray": look["dash"]} if "dash" in look else {}
    return draw.Path(
        way, fill="none", stroke=look["stroke"], stroke_width=look.get("width", 2), stroke_linejoin="round",
        stroke_linecap="round" if "dash" not in look else "butt", stroke_opacity=look.get("opacity", 1), **extra,
    )  # fmt: skip


def outline(corners: Sequence[Point], look: Mapping[str, Any]) -> draw.Lines:
    """Draw the edge of a region."""
    numbers = [round(number, 1) for corner in corners for number in corner]
    return draw.Lines(*numbers, close=True, fill="none", stroke=look["stroke"], stroke_width=look["width"])


def mark(middle: Point, along: Point, look: Mapping[str, Any]) -> list[draw.Line]:
    """Draw a mark on a connection: two rails along it, or a cross."""
    (x, y), (dx, dy) = middle, along
    size, half = float(look.get("size", 12)), 7.0
    if look.get("shape") == "rails":
        return [
            stroke((x + dx * half + nx, y + dy * half + ny), (x - dx * half + nx, y - dy * half + ny), look)
            for nx, ny in ((-dy * size / 2, dx * size / 2), (dy * size / 2, -dx * size / 2))
        ]
    if look.get("shape") == "cross":
        half = size / 2
        return [stroke((x - half, y - down), (x + half, y + down), look) for down in (half, -half)]
    return []


def ring(left: float, top: float, width: float, height: float, look: Mapping[str, Any]) -> draw.Rectangle:
    return draw.Rectangle(
        left, top, width, height, rx=6, fill="none", stroke=look["stroke"], stroke_width=look["width"]
    )


def symbol(path: str, left: float, top: float, size: float, ink: str) -> draw.Path:
    """Draw a symbol whose path lies in a box of 24 by 16; `size` is how wide it becomes."""
    return draw.Path(
        path, fill="none", stroke=ink, stroke_width=1.7, transform=f"translate({left:.1f} {top:.1f}) scale({size / 24})"
    )


def pill_width(text: str, size: float) -> float:
    return max(PILL_H, width_of(text, size) + 8)


def pill(text: str, left: float, middle: float, size: float, look: Mapping[str, Any]) -> list[draw.DrawingElement]:
    width = pill_width(text, size)
    return [
        draw.Rectangle(
            left, middle - PILL_H / 2, width, PILL_H, rx=look.get("round", PILL_H / 2), fill=look["fill"],
            stroke=look["stroke"], stroke_width=1,
        ),
        words(text, size, left + width / 2, middle, look["ink"], "bold"),
    ]  # fmt: skip


def words(
    text: str, size: float, x: float, middle: float, ink: str, weight: str = "normal", anchor: str = "middle",
    **more: Any,
) -> draw.Text:  # fmt: skip
    """Write one line, its middle at a height."""
    return draw.Text(text, size, x, middle + size * 0.36, text_anchor=anchor, fill=ink, font_weight=weight, **more)


# ---------------------------------------------------------------------- legend
SIZE, ROW_H, SWATCH, APART = 12.0, 24.0, 44.0, 20.0
HEADING, HEADING_H = 15.0, 22.0


class Heading:
    """The title over a picture, in as many lines as it takes; `height` is how much room they want."""

    def __init__(self, text: str, width: float) -> None:
        self.text = text
        self._lines = wrapped(clean(text, 300), width, HEADING)
        self.height = HEADING_H * len(self._lines)

    def draw(self, left: float, top: float) -> list[Any]:
        return [
            words(line, HEADING, left, top + HEADING_H * row, "#222222", "bold", "start")
            for row, line in enumerate(self._lines)
        ]


class Legend:
    """Collects what was drawn; the first of each name counts."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[str, Mapping[str, Any], str]] = {}

    def add(self, what: str, look: Mapping[str, Any], text: str = "") -> None:
        """Note that something was drawn in this way; `text` is that of a badge. Without a label it is passed over."""
        label = str(look.get("label", ""))
        if label:
            self._entries.setdefault(label, (what, look, text))

    def draw(self, left: float, top: float, width: float, remarks: Sequence[str]) -> tuple[list[Any], float]:
        """Draw it in columns, remarks below; give the shapes and where they end."""
        entries = sorted(self._entries.items(), key=lambda entry: entry[1][0])
        column = max((SWATCH + width_of(clean(label, 60), SIZE) for label, _ in entries), default=1.0) + APART
        columns = max(1, int(width // column))
        rows = -(-len(entries) // columns)
        shapes: list[Any] = []
        for number, (label, entry) in enumerate(entries):
            across, down = divmod(number, rows)
            x, y = left + column * across, top + ROW_H * (down + 0.5)
            shapes.extend(_swatch(*entry, x, y))
            shapes.append(words(clean(label, 60), SIZE, x + SWATCH, y, "#222222", anchor="start"))
        end = top + ROW_H * rows
        for remark in remarks:
            for line in wrapped(clean(remark, 600), width):
                shapes.append(words(line, SIZE, left, end + ROW_H / 2, "#222222", anchor="start"))
                end += ROW_H * 0.75
        return shapes, end


def wrapped(text: str, width: float, size: float = SIZE) -> list[str]:
    """Break a text into lines that are not wider than so many pixels, if its words are not."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _swatch(what: str, look: Mapping[str, Any], text: str, x: float, y: float) -> list[Any]:
    if what == LINE:
        lines = [look["casing"], look] if look.get("casing") else [look]
        return [stroke((x, y), (x + 28, y), each) for each in lines]
    if what == MARK:
        return mark((x + 14, y), (1.0, 0.0), {**look, "size": min(9, look.get("size", 9))})
    if what == TOWN:
        return [draw.Circle(x + 14, y, look["radius"], fill=look["fill"], stroke=look["stroke"], stroke_width=1.2)]
    if what == SYMBOL:
        return [symbol(str(look["path"]), x + 2, y - 8, 24, "#222222")]
    if what == BADGE:
        return pill(text or "3", x, y, 11, look)
    if what == NUMBER:
        return [words("123", SIZE * 0.8, x + 14, y, look["ink"])]
    if what == "name":
        return [words("Abc", SIZE, x + 14, y, "#222222", look.get("weight", "bold"), font_style=look.get("slope"))]
    plain = {"fill": "#ffffff", "stroke": "#777777", "width": 1, "round": 3, **look}
    paint = {"fill": plain["fill"], "stroke": plain["stroke"], "stroke_width": plain["width"]}
    return [draw.Rectangle(x, y - 8, 28, 16, rx=plain["round"], **paint)]
