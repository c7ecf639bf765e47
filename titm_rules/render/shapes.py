"""Small shapes that pictures are made of, drawn as a style says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import drawsvg as draw

from titm_rules.render.layout import Point
from titm_rules.render.text import width_of

PILL_H = 15.0


def stroke(one: Point, other: Point, look: Mapping[str, Any], **more: str) -> draw.Line:
    """Draw a line from one point to another."""
    extra = {"stroke_dasharray": look["dash"]} if "dash" in look else {}
    return draw.Line(
        *one, *other, stroke=look.get("stroke", "#777777"), stroke_width=look.get("width", 2),
        stroke_linecap="round" if "dash" not in look else "butt", stroke_opacity=look.get("opacity", 1), **extra,
        **more,
    )  # fmt: skip


def mark(middle: Point, along: Point, look: Mapping[str, Any], scale: float = 1.0) -> list[draw.Line]:
    """Draw a mark on a connection: a band across it, two rails along it, or a cross."""
    (x, y), (dx, dy) = middle, along
    size, half = float(look.get("size", 16)) * scale, 9 * scale
    look = {**look, "width": look.get("width", 2) * scale}
    match look.get("shape"):
        case "band":
            return [stroke((x - dy * size, y + dx * size), (x + dy * size, y - dx * size), look)]
        case "rails":
            return [
                stroke((x + dx * half + nx, y + dy * half + ny), (x - dx * half + nx, y - dy * half + ny), look)
                for nx, ny in ((-dy * size / 2, dx * size / 2), (dy * size / 2, -dx * size / 2))
            ]
        case "cross":
            half = size / 2
            return [
                stroke((x - half, y - half), (x + half, y + half), look),
                stroke((x - half, y + half), (x + half, y - half), look),
            ]
    return []


def ring(left: float, top: float, width: float, height: float, look: Mapping[str, Any]) -> draw.Rectangle:
    """Draw an empty box around something."""
    return draw.Rectangle(
        left, top, width, height, rx=6, fill="none", stroke=look["stroke"], stroke_width=look["width"]
    )


def symbol(path: str, left: float, top: float, size: float, ink: str) -> draw.Path:
    """Draw a symbol whose path lies in a box of 24 by 16; `size` is how wide it becomes."""
    return draw.Path(
        path, fill="none", stroke=ink, stroke_width=1.7, transform=f"translate({left:.1f} {top:.1f}) scale({size / 24})"
    )


def pill_width(text: str, size: float) -> float:
    """How wide a pill with a text is."""
    return max(PILL_H, width_of(text, size) + 8)


def pill(text: str, left: float, middle: float, size: float, look: Mapping[str, Any]) -> list[draw.DrawingElement]:
    """Draw a text in a rounded box."""
    width = pill_width(text, size)
    return [
        draw.Rectangle(
            left, middle - PILL_H / 2, width, PILL_H, rx=look.get("round", PILL_H / 2), fill=look["fill"],
            stroke=look["stroke"], stroke_width=1,
        ),
        words(text, size, left + width / 2, middle, look["ink"], "bold"),
    ]  # fmt: skip


def words(
    text: str,
    size: float,
    x: float,
    middle: float,
    ink: str,
    weight: str = "normal",
    anchor: str = "middle",
    **more: Any,
) -> draw.Text:
    """Write one line, its middle at a height."""
    return draw.Text(text, size, x, middle + size * 0.36, text_anchor=anchor, fill=ink, font_weight=weight, **more)
