"""The legend of a picture: what is drawn in it and has a name, once each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import drawsvg as draw

from titm_rules.render.shapes import mark, pill, stroke, symbol, words
from titm_rules.render.style import BADGE, LINE, MARK, NUMBER, SYMBOL
from titm_rules.render.text import clean, width_of

SIZE, ROW_H, SWATCH, APART = 12.0, 24.0, 44.0, 20.0
HEADING, HEADING_H = 15.0, 22.0


class Heading:
    """The title over a picture, in as many lines as it takes; `height` is how much room they want."""

    def __init__(self, text: str, width: float) -> None:
        self.text = text
        self._lines = wrapped(clean(text, 300), width, HEADING)
        self.height = HEADING_H * len(self._lines)

    def draw(self, left: float, top: float) -> list[Any]:
        """Write it from a corner on."""
        return [
            words(line, HEADING, left, top + HEADING_H * row, "#222222", "bold", "start")
            for row, line in enumerate(self._lines)
        ]


class Legend:
    """Collects what was drawn; the first of each name counts."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[str, Mapping[str, Any], str]] = {}

    def add(self, what: str, look: Mapping[str, Any], text: str = "") -> None:
        """Note that something was drawn in this way; `text` stands in a badge. Without a label it is passed over."""
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
        return [stroke((x, y), (x + 28, y), look)]
    if what == MARK:
        return mark((x + 14, y), (1.0, 0.0), {**look, "size": min(9, look.get("size", 9))})
    if what == SYMBOL:
        return [symbol(str(look["path"]), x + 2, y - 8, 24, "#222222")]
    if what == BADGE:
        return pill(text or "3", x, y, 11, look)
    if what == NUMBER:
        return [words("123", SIZE * 0.8, x + 14, y, look["ink"])]
    if what == "name":
        return [words("Abc", SIZE, x + 14, y, "#222222", look.get("weight", "bold"), font_style=look.get("slope"))]
    plain = {"fill": "#ffffff", "stroke": "#777777", "width": 1, "round": 3, **look}
    return [
        draw.Rectangle(
            x, y - 8, 28, 16, rx=plain["round"], fill=plain["fill"], stroke=plain["stroke"], stroke_width=plain["width"]
        )
    ]
