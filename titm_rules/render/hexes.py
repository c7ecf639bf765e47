"""A situation whose places are hexes: each a hex at its coordinates, ways across its sides."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import drawsvg as draw

from titm_rules.render.board import MARGIN, Board, Picture
from titm_rules.render.layout import Point, Size
from titm_rules.render.shapes import mark, pill, written
from titm_rules.render.style import PLACE, Style
from titm_rules.world.records import Piece, Place
from titm_rules.world.world import World

SHAPE, HEX, BAND = "shape", "hex", "band"
PER_ROW, MOST, LEAST = 2, 6, 22.0  # pieces in a row and in a hex; how small a hex gets, from its middle to a corner
ROOT = math.sqrt(3)
EDGE = 3.0  # pixels between the upper side of a hex and its name
NEAR = 1.2  # times the distance of neighbours: up to this two hexes touch


@dataclass(frozen=True)
class Laid:
    """Coordinates of places in a picture.

    Attributes:
        points: the middle of each, in pixels, by id.
        hex_radius: where places are hexes: pixels from the middle of one to a corner.
        has_flat_tops: whether hexes lie on a side, and not on a corner.
    """

    points: Mapping[str, Point]
    hex_radius: float | None = None
    has_flat_tops: bool = False


def laid_out(world: World, style: Style, picture: Picture) -> Laid:
    """Say where the places stand in the picture of a situation."""
    board = board_of(world, style, picture)
    return Laid(board.points, board.radius, board.is_flat) if isinstance(board, HexBoard) else Laid(board.points)


def render_world(world: World, style: Style, picture: Picture) -> str:
    """Draw a situation with places as SVG text; the same input gives the same text."""
    return board_of(world, style, picture).svg()


def board_of(world: World, style: Style, picture: Picture) -> Board:
    """Make the board: of hexes if the style draws places so and each has coordinates of its own."""
    given = picture.layout or {}
    points = {given[place.id] for place in world.places if place.id in given}
    wanted = all(style.look(PLACE, world.model, place).get(SHAPE) == HEX for place in world.places)
    kind = HexBoard if wanted and len(points) == len(world.places) else Board
    return kind(world, style, picture)


class HexBoard(Board):
    """Hexes of one size, large enough for their content; the ground lies below roads and rivers."""

    def _shapes(self) -> Iterator[Any]:
        for place in self.places:
            look = self._look(place)
            yield self._hex(place.id, self.radius, **self._paint(place, look))
        yield from self._between()
        yield from map(self._place, self.places)

    def _hex(self, name: str, radius: float, **paint: Any) -> draw.Lines:
        x, y = self.points[name]
        turns = [n * math.pi / 3 + (0.0 if self.is_flat else math.pi / 6) for n in range(6)]
        corners = [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]
        return draw.Lines(*(round(number, 1) for corner in corners for number in corner), close=True, **paint)

    def _place(self, place: Place) -> draw.Group:
        """Draw the content of a hex: its name, its pieces, and how many more there are."""
        x, y = self.points[place.id]
        top = y - (self.sizes[place.id][1] / 2 - EDGE if self.is_flat else self.inner[place.id][1] / 2)
        group = draw.Group(class_="place", data_id=written(place.id))
        for ringed, look in ((self.picture.blockers, self.style.blocker), (self.picture.changed, self.style.changed)):
            if place.id in ringed:
                paint = {"stroke": look["stroke"], "stroke_width": look["width"], "fill": "none"}
                group.append(self._hex(place.id, self.radius - 4, **paint))
        self._fill(group, place, top, self.style.look(PLACE, self.model, place))
        more = len(self.world.standing(place)) - MOST
        if more > 0:
            group.extend(pill(f"+{more}", x + self.radius / 2, top, self.size.name_size, self.style.note("more")))
        return group

    def _shown(self, place: Place) -> Sequence[Piece]:
        return self.world.standing(place)[:MOST]

    def _slots(self, place: Place) -> Iterator[Point]:
        """Yield where pieces stand; below a name along the upper side they stand in the middle of the rest."""
        spare = self.sizes[place.id][1] - self.inner[place.id][1] if self.is_flat else 0.0
        for across, down in super()._slots(place):
            yield across, down + spare / 2

    # ------------------------------------------------------------------ where things stand
    def _points(self) -> dict[str, Point]:
        self.size = replace(self.size, per_row=PER_ROW)
        self.inner = {place.id: self._size(place) for place in self.world.places}
        given = {place.id: (self.picture.layout or {})[place.id] for place in self.world.places}
        steps = self._steps(given)
        unit = min((math.hypot(*step) for step in steps), default=1.0)
        around = [math.atan2(y, x) for x, y in steps if math.hypot(x, y) <= NEAR * unit]
        self.is_flat = sum(math.cos(6 * angle) for angle in around) <= 0  # neighbours of flat tops lie at 30, 90, 150
        heads = (self._head_width(place) for place in self.world.places) if self.is_flat else ()
        self.radius = max([LEAST, *map(self._needed, self.inner.values()), *heads])
        wide, high = (2.0, ROOT) if self.is_flat else (ROOT, 2.0)
        box = (wide * self.radius, high * self.radius)
        self.sizes = dict.fromkeys(given, box)
        scale = ROOT * self.radius / unit
        left = min((x * scale for x, _ in given.values()), default=0.0) - box[0] / 2
        top = min((y * scale for _, y in given.values()), default=0.0) - box[1] / 2
        return {name: (x * scale - left + MARGIN, y * scale - top + MARGIN) for name, (x, y) in given.items()}

    def _steps(self, points: Mapping[str, Point]) -> list[Point]:
        """List how far it is along each connection, and which way; none for places at one spot."""
        pairs = [[points[end.id] for end in link.ends] for link in self.links]
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairs]
        return [step for step in steps if math.hypot(*step) > 1e-9]

    def _needed(self, inner: Size) -> float:
        """Return the radius of a hex, from its middle to a corner, that holds a box."""
        if self.is_flat:
            return max(inner[0] / 2 + (inner[1] / 2 + EDGE) / ROOT, (inner[1] + 2 * EDGE) / ROOT)
        return max(inner[1] / 2 + inner[0] / (2 * ROOT), inner[0] / ROOT)

    # ------------------------------------------------------------------ between hexes
    def _gap_middle(self, one: str, other: str) -> tuple[Point, Point]:
        """Find the middle of the side that two hexes share, and the direction across it."""
        (x1, y1), (x2, y2) = self.points[one], self.points[other]
        length = math.hypot(x2 - x1, y2 - y1) or 1.0
        return ((x1 + x2) / 2, (y1 + y2) / 2), ((x2 - x1) / length, (y2 - y1) / length)

    def _mark(self, middle: Point, along: Point, look: Mapping[str, Any]) -> list[draw.Line]:
        if look.get(SHAPE) == BAND:  # as long as the side of a hex
            return mark(middle, along, {**look, "size": self.radius / 2})
        return super()._mark(middle, along, look)
