"""A situation as a picture: places, connections, pieces, and what an overlay shows on them.

Places are boxes, or hexes at coordinates of their own, with connections across their sides.
"""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import drawsvg as draw

from titm_rules.ir.model import Model
from titm_rules.render import shapes
from titm_rules.render.layout import Point, Size, fit_apart, scale_apart, spread_places
from titm_rules.render.style import BADGE, LINE, MARK, NUMBER, PIECE, PLACE, SYMBOL, Style
from titm_rules.world.records import Connection, Piece, Place, Record, all_links
from titm_rules.world.world import World

MARGIN, LONGEST_TITLE, LONGEST_DESCRIPTION, NARROWEST = 24.0, 300, 30_000, 380.0
NUMBER_SIZE = 0.8  # of the type of a name
NOTE_ROOM = 20.0  # pixels for a note of a digit or two: without it, the board would look otherwise
ALONG, MARK_ROOM = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74), 18.0  # where a mark may stand, and its half
AROUND, LEAST_SEEN = 40.0, (640.0, 360.0)  # pixels around what has to be seen, and how much is seen at least
FEW, MANY = 15, 40  # places: up to these a layout is only stretched; more than those are drawn small
TIMES, TIMES_ROOM = 5.8, 3.2  # how much larger a board of many places is than their boxes, or than the room for them


@dataclass(frozen=True)
class Metrics:
    """Sizes of drawn things, in pixels."""

    counter_w: float
    counter_h: float
    between: float
    name_size: float
    name_h: float
    pad: float
    per_row: int
    symbol: float
    figure: float
    gap: float
    marks: float  # as a part of the size that the style gives
    names: bool  # whether pieces bear their ids


LARGE = Metrics(74, 36, 6, 13, 23, 6, 2, 24, 14, 46, 1.0, True)
SMALL = Metrics(38, 18, 3, 11, 18, 4, 3, 19, 11.5, 14, 0.75, False)


@dataclass(frozen=True)
class Note:
    """A text that an overlay writes at a place; `kind` is one of the style's notes."""

    text: str
    kind: str


@dataclass(frozen=True)
class Picture:
    """Content of a picture besides the situation; places, pieces and connections by id."""

    title: str
    description: str
    route: Sequence[str] = ()  # a thick line
    closest: Sequence[str] = ()  # the trace that comes closest, dashed, as far as it is open
    start: str = ""  # where the trace starts, outlined even without a route
    blockers: Collection[str] = ()  # with rings
    changed: Collection[str] = ()  # with rings of another kind
    layout: Mapping[str, Point] | None = None  # x to the right and y down; missing: laid out by steps
    notes: Mapping[str, Note] = field(default_factory=dict)  # written at places
    origins: Mapping[str, str] = field(default_factory=dict)  # the basis of the data of places
    numbers: Mapping[str, int] = field(default_factory=dict)  # that the map prints at places
    remarks: Sequence[str] = ()  # lines under the legend
    barred: Sequence[str] = ()  # a way or a trace that is not legal, from the last place that it is legal up to
    focus: Collection[str] = ()  # the board is cropped around them; none: all of it is drawn
    rows: int = 0  # of pieces that every place has room for, so that the pictures of a game are laid out alike


class Board:
    """A situation with places: each a box with what stands at it, joined by lines."""

    def __init__(self, world: World, style: Style, picture: Picture) -> None:
        self.world, self.model, self.style, self.picture = world, world.model, style, picture
        self.size = LARGE if len(world.places) <= MANY else SMALL
        self.legend = shapes.Legend()
        self.rings = ((picture.blockers, style.blocker), (picture.changed, style.changed))
        self.links = list(dict.fromkeys(link for place in world.places for link, _ in all_links(place)))
        self.lines = [(link, style.all_looks(LINE, self.model, link)) for link in self.links]
        self.tags = {place.id: list(self._tags(place)) for place in world.places}
        self.sizes = {place.id: self._size(place) for place in world.places}
        self.points = self._points()
        self.window: Size | None = None  # of a part of the board: how large it is
        self.above = 0.0
        self.seen = self._crop()
        self.heading = shapes.Heading(picture.title, self._extent()[0] - 2 * MARGIN)
        self.above = self.heading.height
        self.points = {name: (x, y + self.heading.height) for name, (x, y) in self.points.items()}

    def svg(self) -> str:
        """Draw it all, the lower things first."""
        width, top = self._extent()
        drawn: list[Any] = [*self.heading.draw(MARGIN, MARGIN), *self._clipped(width, top)]
        for ringed, look in self.rings:
            if ringed:
                self.legend.add("box", {**look, "fill": "#ffffff"})
        legend, bottom = self.legend.draw(MARGIN, top, width - 2 * MARGIN, self.picture.remarks)
        return framed(self.picture.title, self.picture.description, (width, bottom + MARGIN / 2), [*drawn, *legend])

    def _clipped(self, width: float, bottom: float) -> list[Any]:
        """Draw the board; of a part nothing that lies beyond its edge."""
        if not self.picture.focus:
            return list(self._shapes())
        edge, top = draw.ClipPath(), MARGIN / 2 + self.heading.height
        edge.append(draw.Rectangle(MARGIN / 2, top, width - MARGIN, bottom - top))
        group = draw.Group(clip_path=edge)
        group.extend(self._shapes())
        return [group]

    def _shapes(self) -> Iterator[Any]:
        yield from self._between()
        yield from map(self._place, self.places)

    @property
    def places(self) -> list[Place]:
        return [place for place in self.world.places if place.id in self.seen]

    def _between(self) -> Iterator[Any]:
        """Yield what lies between places: lines, routes, and marks on the lines."""
        lines = [(link, rules) for link, rules in self.lines if any(end.id in self.seen for end in link.ends)]
        for link, rules in lines:
            if rules:  # a connection that the style does not name is not drawn
                self.legend.add(LINE, rules[0].draw)
                one, other = (self.points[end.id] for end in link.ends)
                yield shapes.stroke(one, other, rules[0].draw, data_id=shapes.written(link.id))
        yield from self._routes()
        for link, rules in lines:
            yield from self._marks(link) if rules else ()

    # ------------------------------------------------------------------ where things stand
    def _tags(self, place: Place) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield what stands beside a place's name: badges of the rule set, and the note of an overlay."""
        for text, rule in self.style.badges(self.model, place, self.world.root):
            yield shapes.clean(text, 8), rule.draw
        note = self.picture.notes.get(place.id)
        if note is not None:
            yield shapes.clean(note.text, 24), self.style.note(note.kind)

    def _head_width(self, place: Place, least: float = 0.0) -> float:
        """Measure a name with what stands beside it; a note counts as so wide at least, even if there is none."""
        tags = sum(shapes.pill_width(text, self.size.name_size) + 4 for text, _ in self.tags[place.id])
        note = 0.0 if place.id in self.picture.notes else least
        return self._number_width(place) + shapes.width_of(shapes.clean(place.id), self.size.name_size) + tags + note

    def _number_width(self, place: Place) -> float:
        number = self.picture.numbers.get(place.id)
        return 0.0 if number is None else shapes.width_of(str(number), self.size.name_size * NUMBER_SIZE) + 4

    def _size(self, place: Place, least: int = 0, note: float = 0.0) -> Size:
        """Measure the box of a place, with room for so many rows of pieces, and for a note so wide."""
        m, count = self.size, len(self._shown(place))
        rows = max(least, math.ceil(count / m.per_row))
        across = m.per_row if least else min(m.per_row, max(1, count))
        return (
            max(self._head_width(place, note), across * (m.counter_w + m.between) - m.between) + 2 * m.pad,
            m.name_h + rows * (m.counter_h + m.between) + (m.pad - m.between if rows else 0),
        )

    def _shown(self, place: Place) -> Sequence[Piece]:
        return self.world.standing(place)

    def _points(self) -> dict[str, Point]:
        names = [place.id for place in self.world.places]
        given = self.picture.layout or {}
        points = {name: given[name] for name in names if name in given}
        joined = [(link.ends[0].id, link.ends[1].id) for link, rules in self.lines if rules]
        if len(set(points.values())) < len(names):
            points = spread_places(names, joined)
        if len(names) > FEW:
            room = {place.id: self._size(place, self.picture.rows, NOTE_ROOM) for place in self.world.places}
            times = TIMES_ROOM if self.picture.rows else TIMES
            points = fit_apart(points, room, joined, min(self.size.gap, 24.0), times)
        else:
            points = scale_apart(points, self.sizes, self.size.gap)
        return self._in_corner(points)

    def _in_corner(self, points: Mapping[str, Point]) -> dict[str, Point]:
        """Move a layout to the corner of the picture, beside the margin."""
        left = min((x - self.sizes[n][0] / 2 for n, (x, _) in points.items()), default=0.0)
        top = min((y - self.sizes[n][1] / 2 for n, (_, y) in points.items()), default=0.0)
        return {name: (x - left + MARGIN, y - top + MARGIN) for name, (x, y) in points.items()}

    def _crop(self) -> set[str]:
        """Move what is to be seen to the corner; give the ids of the places of which something is seen."""
        focus = [name for name in self.points if name in self.picture.focus]
        if not focus:
            return set(self.points)
        boxes = [(*self.points[name], *self.sizes[name]) for name in focus]
        left, right = min(x - w / 2 for x, _, w, _ in boxes), max(x + w / 2 for x, _, w, _ in boxes)
        top, bottom = min(y - h / 2 for _, y, _, h in boxes), max(y + h / 2 for _, y, _, h in boxes)
        wide, high = max(right - left, LEAST_SEEN[0]), max(bottom - top, LEAST_SEEN[1])
        x, y = (left + right - wide) / 2 - AROUND, (top + bottom - high) / 2 - AROUND
        wide, high = wide + 2 * AROUND, high + 2 * AROUND
        self.points = {name: (a - x + MARGIN, b - y + MARGIN) for name, (a, b) in self.points.items()}
        self.window = (wide, high)
        return {name for name in self.points if self._is_inside(name, wide, high)}

    def _is_inside(self, name: str, wide: float, high: float) -> bool:
        (x, y), (w, h) = self.points[name], self.sizes[name]
        return -w / 2 < x - MARGIN < wide + w / 2 and -h / 2 < y - MARGIN < high + h / 2

    def _extent(self) -> Size:
        """Measure the board with its heading, from the corner of the picture on."""
        if self.window is not None:
            return max(self.window[0] + MARGIN, NARROWEST) + MARGIN, self.window[1] + MARGIN + self.above
        width = max((x + self.sizes[n][0] / 2 for n, (x, _) in self.points.items()), default=0.0)
        height = max((y + self.sizes[n][1] / 2 for n, (_, y) in self.points.items()), default=0.0)
        return max(width, NARROWEST) + MARGIN, height + MARGIN

    # ------------------------------------------------------------------ connections
    def _marks(self, link: Connection) -> list[Any]:
        rules, is_ringed = self.style.all_looks(MARK, self.model, link), link.id in self.picture.blockers
        if not rules and not is_ringed:
            return []
        middle, along = self._gap_middle(*(end.id for end in link.ends))
        drawn: list[Any] = []
        for rule in rules:
            self.legend.add(MARK, rule.draw)
            drawn.extend(self._mark(middle, along, rule.draw))
        if is_ringed:
            drawn.append(shapes.ring(middle[0] - 16, middle[1] - 16, 32, 32, self.style.blocker))
        return drawn

    def _mark(self, middle: Point, along: Point, look: Mapping[str, Any]) -> list[draw.Line]:
        return shapes.mark(middle, along, look, self.size.marks)

    def _gap_middle(self, one: str, other: str) -> tuple[Point, Point]:
        """Find the middle of the visible part of a line, or a free spot beside it, and the direction along it."""
        x1, y1 = self.points[one]
        along, length = _direction(self.points[one], self.points[other])
        near, far = _inside(self.sizes[one], along), length - _inside(self.sizes[other], along)
        reaches = [near + (far - near) * part for part in ALONG]
        spots = [(x1 + along[0] * reach, y1 + along[1] * reach) for reach in reaches]
        others = [name for name in self.points if name not in (one, other)]
        return next((spot for spot in spots if self._is_free(spot, others)), spots[0]), along

    def _is_free(self, spot: Point, names: Sequence[str]) -> bool:
        """Whether a mark has room at a spot beside the boxes of some places."""
        room = MARK_ROOM * self.size.marks
        return not any(
            abs(spot[0] - self.points[name][0]) < self.sizes[name][0] / 2 + room
            and abs(spot[1] - self.points[name][1]) < self.sizes[name][1] / 2 + room
            for name in names
        )

    def _routes(self) -> list[Any]:
        thick = {**self.style.route, "opacity": 0.75}
        picture = self.picture
        ways = ((picture.route, thick), (picture.closest, self.style.closest), (picture.barred, self.style.barred))
        return [shape for names, look in ways for shape in self._along(names, look)]

    def _along(self, names: Sequence[str], look: Mapping[str, Any]) -> list[Any]:
        known = [self.points[name] for name in names if name in self.points]
        if len(known) > 1:
            self.legend.add(LINE, look)
        steps = list(itertools.pairwise(known))
        # on white: the road would show between the dashes, and for many people its colour is like theirs
        below = {"stroke": "#ffffff", "width": look["width"] + 5} if "dash" in look else None
        return [shapes.stroke(*step, each) for each in (below, look) if each for step in steps]

    # ------------------------------------------------------------------ places and pieces
    def _place(self, place: Place) -> draw.Group:
        x, y = self.points[place.id]
        width, height = self.sizes[place.id]
        left, top = x - width / 2, y - height / 2
        look = self._look(place)
        group = draw.Group(class_="place", data_id=shapes.written(place.id))
        group.append(draw.Rectangle(left, top, width, height, rx=look.get("round", 6), **self._paint(place, look)))
        group.extend(self._rings(place, left - 3, top - 3, width + 6, height + 6))
        self._fill(group, place, top, look)
        return group

    def _look(self, place: Place) -> Mapping[str, Any]:
        """Give the looks of a place, and put them into the legend."""
        rules = self.style.all_looks(PLACE, self.model, place)
        if rules:
            self.legend.add(PLACE, {"width": 1.5, **rules[0].draw})
        return {**self.style.look(PLACE, self.model, place), "edge": rules[0].draw.get("width", 1.3) if rules else 1.3}

    def _paint(self, place: Place, look: Mapping[str, Any]) -> dict[str, Any]:
        """Return the paint of a place's outline: in the colour of the route if it lies on one."""
        on_route = place.id == self.picture.start or place.id in self.picture.route
        return {
            "fill": look["fill"],
            "stroke": self.style.route["stroke"] if on_route else look["stroke"],
            "stroke_width": 3.5 if on_route else look["edge"],
        }

    def _fill(self, group: draw.Group, place: Place, top: float, look: Mapping[str, Any]) -> None:
        x = self.points[place.id][0]
        group.extend(self._head(place, x, top + self.size.name_h / 2, look["ink"]))
        for piece, (across, down) in zip(self._shown(place), self._slots(place), strict=True):
            self._piece(group, piece, x + across, top + down)

    def _head(self, place: Place, x: float, middle: float, ink: str) -> Iterator[Any]:
        """Write the name of a place and what stands beside it, centred."""
        size, name = self.size.name_size, shapes.clean(place.id)
        basis = self.picture.origins.get(place.id, "")
        how = self.style.bases.get(basis, {})
        if how:
            self.legend.add("name", how)
        start = x - self._head_width(place) / 2
        left, wide = start + self._number_width(place), shapes.width_of(name, size)
        weight, slope = how.get("weight", "bold"), how.get("slope", "normal")
        yield shapes.words(name, size, left + wide / 2, middle, ink, weight, font_style=slope)
        if place.id in self.picture.numbers:
            number, look = str(self.picture.numbers[place.id]), self.style.number
            self.legend.add(NUMBER, look)
            yield shapes.words(number, size * NUMBER_SIZE, start, middle, look["ink"], anchor="start")
        left += wide
        for text, look in self.tags[place.id]:
            self.legend.add(BADGE, look, text=str(look.get("text", "")).replace("{}", ""))
            yield from shapes.pill(text, left + 4, middle, size, look)
            left += shapes.pill_width(text, size) + 4

    def _slots(self, place: Place) -> Iterator[Point]:
        """Yield where the pieces of a place stand: from its middle and its top."""
        m, count = self.size, len(self._shown(place))
        for number in range(count):
            row, column = divmod(number, m.per_row)
            in_row = min(m.per_row, count - row * m.per_row)
            start = -(in_row * (m.counter_w + m.between) - m.between) / 2
            yield start + column * (m.counter_w + m.between), m.name_h + row * (m.counter_h + m.between)

    def _piece(self, group: draw.Group, piece: Piece, left: float, top: float) -> None:
        rules = self.style.all_looks(PIECE, self.model, piece)
        if rules:
            self.legend.add(PIECE, rules[0].draw)
        for rule in self.style.all_looks(SYMBOL, self.model, piece)[:1]:
            self.legend.add(SYMBOL, rule.draw)
        group.append(counter(piece, self.model, self.style, self.size, left, top))
        group.extend(self._rings(piece, left - 2, top - 2, self.size.counter_w + 4, self.size.counter_h + 4))

    def _rings(self, record: Record, left: float, top: float, width: float, height: float) -> Iterator[Any]:
        return (shapes.ring(left, top, width, height, look) for ringed, look in self.rings if record.id in ringed)


def counter(
    piece: Piece, model: Model, style: Style, m: Metrics, left: float, top: float, team: Mapping[str, str] | None = None
) -> draw.Group:
    """Draw a piece with its corner at a pixel; `team` are fields to use where the piece has none, such as a side."""
    look = style.look(PIECE, model, piece, team)
    group = draw.Group(class_="piece", data_id=shapes.written(piece.id))
    group.append_title(shapes.clean(f"{piece.id}: {style.label(model, piece)}", 120))
    group.append(draw.Rectangle(
        left, top, m.counter_w, m.counter_h, rx=look.get("round", 3), fill=look["fill"], stroke=look["stroke"],
        stroke_width=look["width"] if look["width"] != 2 else 1,
    ))  # fmt: skip
    path, figure = style.symbol(model, piece)
    high = m.symbol * 2 / 3
    middle = top + (m.counter_h / 2 if not m.names else 3 + high / 2)
    if path:
        figure = shapes.clean(figure, 3)
        wide = m.symbol + 4 + shapes.width_of(figure, m.figure)
        start = left + (m.counter_w - wide) / 2
        group.append(shapes.symbol(path, start, middle - high / 2, m.symbol, look["ink"]))
        group.append(shapes.words(figure, m.figure, start + m.symbol + 4, middle, look["ink"], "bold", "start"))
    else:
        label = fitting(style.label(model, piece), m.counter_w - 4, m.figure)
        group.append(shapes.words(label, m.figure, left + m.counter_w / 2, middle, look["ink"], "bold"))
    if m.names:
        name = fitting(piece.id, m.counter_w - 4, 10.5)
        group.append(shapes.words(name, 10.5, left + m.counter_w / 2, top + m.counter_h - 8, look["ink"]))
    return group


def fitting(text: str, width: float, size: float) -> str:
    for longest in range(shapes.LONGEST, 1, -1):
        if shapes.width_of(shapes.clean(text, longest), size) <= width:
            return shapes.clean(text, longest)
    return "…"


def framed(title: str, description: str, size: Size, drawn: Sequence[Any]) -> str:
    """Put shapes on white, with a title and a description for those who cannot see them."""
    width, height = (math.ceil(length) for length in size)
    drawing = draw.Drawing(width, height, font_family=shapes.FONT, role="img", style="max-width:100%;height:auto")
    drawing.append(draw.Title(shapes.clean(title, LONGEST_TITLE)))
    drawing.append(draw.Raw(f"<desc>{html.escape(shapes.clean(description, LONGEST_DESCRIPTION))}</desc>"))
    drawing.append(draw.Rectangle(0, 0, width, height, fill="#ffffff"))
    drawing.extend(drawn)
    text: str = drawing.as_svg()
    return text


def _inside(size: Size, along: Point) -> float:
    """Return the length of the part of a line from the middle of a box that is inside it."""
    reaches = [size[axis] / 2 / abs(along[axis]) for axis in (0, 1) if abs(along[axis]) > 1e-9]
    return min(reaches, default=0.0)


def _direction(start: Point, end: Point) -> tuple[Point, float]:
    """Return the direction from one point to another, and how far it is."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = math.hypot(across, down) or 1.0
    return (across / length, down / length), length


# ---------------------------------------------------------------------- hexes
SHAPE, HEX, BAND = "shape", "hex", "band"
PER_ROW, MOST, LEAST = 2, 6, 22.0  # pieces in a row and in a hex; how small a hex gets, from its middle to a corner
ROOT = math.sqrt(3)
EDGE = 3.0  # pixels between the upper side of a hex and its name
NEAR = 1.2  # times the distance of neighbours: up to this two hexes touch


@dataclass(frozen=True)
class Laid:
    """Coordinates of places in a picture."""

    points: Mapping[str, Point]  # the middle of each, in pixels, by id
    hex_radius: float | None = None  # where places are hexes: pixels from the middle of one to a corner
    has_flat_tops: bool = False  # whether hexes lie on a side, and not on a corner


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
            yield self._hex(place.id, self.radius, **self._paint(place, self._look(place)))
        yield from super()._shapes()

    def _hex(self, name: str, radius: float, **paint: Any) -> draw.Lines:
        x, y = self.points[name]
        turns = [n * math.pi / 3 + (0.0 if self.is_flat else math.pi / 6) for n in range(6)]
        corners = [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]
        return draw.Lines(*(round(number, 1) for corner in corners for number in corner), close=True, **paint)

    def _place(self, place: Place) -> draw.Group:
        """Draw the content of a hex: its name, its pieces, and how many more there are."""
        x, y = self.points[place.id]
        top = y - (self.sizes[place.id][1] / 2 - EDGE if self.is_flat else self.inner[place.id][1] / 2)
        group = draw.Group(class_="place", data_id=shapes.written(place.id))
        for ringed, look in self.rings:
            if place.id in ringed:
                paint = {"stroke": look["stroke"], "stroke_width": look["width"], "fill": "none"}
                group.append(self._hex(place.id, self.radius - 4, **paint))
        self._fill(group, place, top, self.style.look(PLACE, self.model, place))
        more = len(self.world.standing(place)) - MOST
        if more > 0:
            group.extend(
                shapes.pill(f"+{more}", x + self.radius / 2, top, self.size.name_size, self.style.note("more"))
            )
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
        pairs = ([given[end.id] for end in link.ends] for link in self.links)
        ways = [(b[0] - a[0], b[1] - a[1]) for a, b in pairs]
        steps = [way for way in ways if math.hypot(*way) > 1e-9]  # not between places at one spot
        unit = min((math.hypot(*step) for step in steps), default=1.0)
        around = [math.atan2(y, x) for x, y in steps if math.hypot(x, y) <= NEAR * unit]
        self.is_flat = sum(math.cos(6 * angle) for angle in around) <= 0  # neighbours of flat tops lie at 30, 90, 150
        heads = (self._head_width(place) for place in self.world.places) if self.is_flat else ()
        self.radius = max([LEAST, *map(self._needed, self.inner.values()), *heads])
        wide, high = (2.0, ROOT) if self.is_flat else (ROOT, 2.0)
        self.sizes = dict.fromkeys(given, (wide * self.radius, high * self.radius))
        scale = ROOT * self.radius / unit
        return self._in_corner({name: (x * scale, y * scale) for name, (x, y) in given.items()})

    def _needed(self, inner: Size) -> float:
        if self.is_flat:
            return max(inner[0] / 2 + (inner[1] / 2 + EDGE) / ROOT, (inner[1] + 2 * EDGE) / ROOT)
        return max(inner[1] / 2 + inner[0] / (2 * ROOT), inner[0] / ROOT)

    # ------------------------------------------------------------------ between hexes
    def _gap_middle(self, one: str, other: str) -> tuple[Point, Point]:
        """Find the middle of the side that two hexes share, and the direction across it."""
        (x1, y1), (x2, y2) = self.points[one], self.points[other]
        return ((x1 + x2) / 2, (y1 + y2) / 2), _direction(self.points[one], self.points[other])[0]

    def _mark(self, middle: Point, along: Point, look: Mapping[str, Any]) -> list[draw.Line]:
        if look.get(SHAPE) == BAND:  # as long as the side of a hex
            return shapes.mark(middle, along, {**look, "size": self.radius / 2})
        return super()._mark(middle, along, look)
