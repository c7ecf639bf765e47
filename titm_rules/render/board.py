"""A situation as a picture: places, connections, pieces, a route and what blocks it."""

from __future__ import annotations

import html
import itertools
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import drawsvg as draw

from titm_rules.render.layout import Point, Size, scale_apart, spread_places
from titm_rules.render.style import LINE, MARK, PIECE, PLACE, Rule, Style
from titm_rules.world.records import all_links
from titm_rules.world.world import World

COUNTER_W, COUNTER_H, COUNTER_GAP = 64.0, 34.0, 6.0
NAME_H, PAD, MARGIN, GAP, LEGEND_H = 23.0, 6.0, 24.0, 46.0, 26.0
PER_ROW, LONGEST, FONT = 2, 16, "sans-serif"
_NOT_XML = re.compile(r"[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Picture:
    """What a picture shows besides the situation.

    Attributes:
        route: ids of the places that a trace goes through, drawn as a thick line.
        closest: ids of the places of the route that comes closest, drawn dashed.
        start: id of the place where the trace starts, outlined even if there is no route.
        blockers: ids of pieces, places or connections to ring.
        layout: coordinates of places, x to the right and y down; missing: laid out by steps.
    """

    title: str
    description: str
    route: Sequence[str] = ()
    closest: Sequence[str] = ()
    start: str = ""
    blockers: Collection[str] = ()
    layout: Mapping[str, Point] | None = None


def render_trace(world: World, style: Style, picture: Picture) -> str:
    """Draw a situation with a trace as SVG text; the same input gives the same text."""
    return _Board(world, style, picture).svg()


class _Board:
    def __init__(self, world: World, style: Style, picture: Picture) -> None:
        self.world, self.model, self.style, self.picture = world, world.model, style, picture
        self.links = list({id(link): link for place in world.places for link, _ in all_links(place)}.values())
        self.sizes = {place.id: self._size(place) for place in world.places}
        self.points = self._points()

    def svg(self) -> str:
        """Draw it all, the lower things first."""
        entries = self._legend_entries()
        width, board_height = self._extent()
        columns = max(1, int((width - 2 * MARGIN) // 190))
        height = board_height + LEGEND_H * (math.ceil(len(entries) / columns) + 1)
        drawing = draw.Drawing(math.ceil(width), math.ceil(height), font_family=FONT)
        drawing.append(draw.Title(clean(self.picture.title, 300)))
        drawing.append(draw.Raw(f"<desc>{html.escape(clean(self.picture.description, 2_000))}</desc>"))
        drawing.append(draw.Rectangle(0, 0, math.ceil(width), math.ceil(height), fill="#ffffff"))
        for link in self.links:
            drawing.append(self._line(link))
        drawing.extend(self._routes())
        for link in self.links:
            drawing.extend(self._marks(link))
        for place in self.world.places:
            drawing.append(self._place(place))
        drawing.extend(self._legend(entries, board_height, columns))
        text: str = drawing.as_svg()
        return text

    # ------------------------------------------------------------------ where things stand
    def _size(self, place: Any) -> Size:
        rows = math.ceil(len(self.world.standing(place)) / PER_ROW)
        across = min(PER_ROW, max(1, len(self.world.standing(place))))
        name_width = 8.5 * len(clean(place.id)) + 2 * PAD
        return (
            max(name_width, across * (COUNTER_W + COUNTER_GAP) - COUNTER_GAP + 2 * PAD),
            NAME_H + rows * (COUNTER_H + COUNTER_GAP) + (PAD if rows else 2),
        )

    def _points(self) -> dict[str, Point]:
        names = [place.id for place in self.world.places]
        given = self.picture.layout or {}
        points = {name: given[name] for name in names if name in given}
        if len(set(points.values())) < len(names):
            points = spread_places(names, [(link.ends[0].id, link.ends[1].id) for link in self.links])
        points = scale_apart(points, self.sizes, GAP)
        left = min((x - self.sizes[n][0] / 2 for n, (x, _) in points.items()), default=0.0)
        top = min((y - self.sizes[n][1] / 2 for n, (_, y) in points.items()), default=0.0)
        return {name: (x - left + MARGIN, y - top + MARGIN) for name, (x, y) in points.items()}

    def _extent(self) -> Size:
        width = max((x + self.sizes[n][0] / 2 for n, (x, _) in self.points.items()), default=0.0)
        height = max((y + self.sizes[n][1] / 2 for n, (_, y) in self.points.items()), default=0.0)
        return max(width, 380.0) + MARGIN, height + MARGIN

    # ------------------------------------------------------------------ connections
    def _line(self, link: Any) -> draw.Line:
        look = self.style.look(LINE, self.model, link)
        return _stroke(self.points[link.ends[0].id], self.points[link.ends[1].id], look)

    def _marks(self, link: Any) -> list[Any]:
        one, other = (end.id for end in link.ends)
        middle, along = self._gap_middle(one, other)
        marks: list[Any] = []
        for rule in self.style.all_looks(MARK, self.model, link):
            marks.extend(_mark(middle, along, rule.draw))
        if link.id in self.picture.blockers:
            marks.append(self._ring(middle[0] - 16, middle[1] - 16, 32, 32, 16))
        return marks

    def _gap_middle(self, one: str, other: str) -> tuple[Point, Point]:
        """Find the middle of the visible part of a line, and the direction along it."""
        (x1, y1), (x2, y2) = self.points[one], self.points[other]
        length = math.hypot(x2 - x1, y2 - y1) or 1.0
        along = ((x2 - x1) / length, (y2 - y1) / length)
        near, far = _inside(self.sizes[one], along), length - _inside(self.sizes[other], along)
        reach = (near + far) / 2
        return (x1 + along[0] * reach, y1 + along[1] * reach), along

    def _routes(self) -> list[Any]:
        thick = {**self.style.route, "opacity": 0.75}
        return [*self._along(self.picture.route, thick), *self._along(self.picture.closest, self.style.closest)]

    def _along(self, names: Sequence[str], look: Mapping[str, Any]) -> list[Any]:
        known = [self.points[name] for name in names if name in self.points]
        return [_stroke(one, other, look) for one, other in itertools.pairwise(known)]

    # ------------------------------------------------------------------ places and pieces
    def _place(self, place: Any) -> draw.Group:
        x, y = self.points[place.id]
        width, height = self.sizes[place.id]
        left, top = x - width / 2, y - height / 2
        look = self.style.look(PLACE, self.model, place)
        on_route = place.id == self.picture.start or place.id in self.picture.route
        group = draw.Group()
        group.append(draw.Rectangle(
            left, top, width, height, rx=look.get("round", 6), fill=look["fill"],
            stroke=self.style.route["stroke"] if on_route else look["stroke"], stroke_width=3 if on_route else 1.5,
        ))  # fmt: skip
        group.append(draw.Text(
            clean(place.id), 13, x, top + 15, text_anchor="middle", fill=look["ink"], font_weight="bold",
        ))  # fmt: skip
        if place.id in self.picture.blockers:
            group.append(self._ring(left - 3, top - 3, width + 6, height + 6, 8))
        for number, piece in enumerate(self.world.standing(place)):
            row, column = divmod(number, PER_ROW)
            in_row = min(PER_ROW, len(self.world.standing(place)) - row * PER_ROW)
            start = x - (in_row * (COUNTER_W + COUNTER_GAP) - COUNTER_GAP) / 2
            down = top + NAME_H + row * (COUNTER_H + COUNTER_GAP)
            self._piece(group, piece, start + column * (COUNTER_W + COUNTER_GAP), down)
        return group

    def _piece(self, group: draw.Group, piece: Any, left: float, top: float) -> None:
        look = self.style.look(PIECE, self.model, piece)
        middle = left + COUNTER_W / 2
        group.append(draw.Rectangle(
            left, top, COUNTER_W, COUNTER_H, rx=look.get("round", 3), fill=look["fill"], stroke=look["stroke"],
        ))  # fmt: skip
        label = clean(self.style.label(self.model, piece), 10)
        group.append(draw.Text(label, 13, middle, top + 15, text_anchor="middle", fill=look["ink"], font_weight="bold"))
        group.append(draw.Text(clean(piece.id, 11), 10.5, middle, top + 28, text_anchor="middle", fill=look["ink"]))
        if piece.id in self.picture.blockers:
            group.append(self._ring(left - 2, top - 2, COUNTER_W + 4, COUNTER_H + 4, 6))

    def _ring(self, left: float, top: float, width: float, height: float, round_by: float) -> draw.Rectangle:
        look = self.style.blocker
        return draw.Rectangle(
            left, top, width, height, rx=round_by, fill="none", stroke=look["stroke"], stroke_width=look["width"]
        )

    # ------------------------------------------------------------------ the legend
    def _legend_entries(self) -> list[tuple[str, Rule]]:
        """List what is drawn here and has a name, once each."""
        shown: dict[str, tuple[str, Rule]] = {}
        pieces = [piece for place in self.world.places for piece in self.world.standing(place)]
        for what, records in ((PIECE, pieces), (LINE, self.links), (MARK, self.links)):
            for record in records:
                rules = self.style.all_looks(what, self.model, record)
                for rule in rules if what == MARK else rules[:1]:
                    if rule.label:
                        shown.setdefault(rule.label, (what, rule))
        entries = list(shown.values())
        if self.picture.route:
            entries.append((LINE, Rule({}, self.style.route)))
        if self.picture.closest:
            entries.append((LINE, Rule({}, self.style.closest)))
        if self.picture.blockers:
            entries.append((PIECE, Rule({}, {**self.style.blocker, "fill": "#ffffff"})))
        return [entry for entry in entries if entry[1].label]

    def _legend(self, entries: Sequence[tuple[str, Rule]], top: float, columns: int) -> list[Any]:
        shapes: list[Any] = []
        for number, (what, rule) in enumerate(entries):
            row, column = divmod(number, columns)
            x, y = MARGIN + 190 * column, top + LEGEND_H * (row + 0.5)
            if what == PIECE:
                look = {"fill": "#ffffff", "stroke": "#777777", "width": 1, **rule.draw}
                shapes.append(
                    draw.Rectangle(
                        x, y - 8, 28, 16, rx=3, fill=look["fill"], stroke=look["stroke"], stroke_width=look["width"]
                    )
                )
            elif what == LINE:
                shapes.append(_stroke((x, y), (x + 28, y), rule.draw))
            else:
                shapes.extend(_mark((x + 14, y), (1.0, 0.0), {**rule.draw, "size": min(9, rule.draw.get("size", 9))}))
            shapes.append(draw.Text(clean(rule.label, 40), 12, x + 42, y + 4, fill="#222222"))
        return shapes


def clean(text: str, longest: int = LONGEST) -> str:
    """Make a text fit for a picture: no control characters, and not longer than so many."""
    text = _NOT_XML.sub("?", text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _inside(size: Size, along: Point) -> float:
    """How far a line from the middle of a box runs inside it."""
    reaches = [size[axis] / 2 / abs(along[axis]) for axis in (0, 1) if abs(along[axis]) > 1e-9]
    return min(reaches, default=0.0)


def _stroke(one: Point, other: Point, look: Mapping[str, Any]) -> draw.Line:
    extra = {"stroke_dasharray": look["dash"]} if "dash" in look else {}
    return draw.Line(
        *one, *other, stroke=look.get("stroke", "#777777"), stroke_width=look.get("width", 2),
        stroke_linecap="round" if "dash" not in look else "butt", stroke_opacity=look.get("opacity", 1), **extra,
    )  # fmt: skip


def _mark(middle: Point, along: Point, look: Mapping[str, Any]) -> list[draw.Line]:
    """Draw a mark on a connection: a band across it, two rails along it, or a cross."""
    (x, y), (dx, dy) = middle, along
    size = float(look.get("size", 16))
    match look.get("shape"):
        case "band":
            return [_stroke((x - dy * size, y + dx * size), (x + dy * size, y - dx * size), look)]
        case "rails":
            return [
                _stroke((x + dx * 9 + nx, y + dy * 9 + ny), (x - dx * 9 + nx, y - dy * 9 + ny), look)
                for nx, ny in ((-dy * size / 2, dx * size / 2), (dy * size / 2, -dx * size / 2))
            ]
        case "cross":
            half = size / 2
            return [
                _stroke((x - half, y - half), (x + half, y + half), look),
                _stroke((x - half, y + half), (x + half, y - half), look),
            ]
    return []
