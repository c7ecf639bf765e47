"""A situation as a picture: the chart of its places, connections, pieces, and what an overlay shows on them."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import drawsvg as draw

from titm_rules.ir.model import Model
from titm_rules.render import shapes
from titm_rules.render.chart import FEW, NAME, RIVER_NAME, Chart, Site, Way, chart_of
from titm_rules.render.layout import Point, Size
from titm_rules.render.style import BADGE, CLOSE, LINE, MARK, NUMBER, PIECE, PLACE, SYMBOL, TOWN, Style, styled_value
from titm_rules.world.records import Connection, Piece, Place, all_links
from titm_rules.world.world import World

MARGIN, LONGEST_TITLE, LONGEST_DESCRIPTION, NARROWEST = 24.0, 300, 30_000, 380.0
NUMBER_SIZE, TAG_SIZE, LINE_HEIGHT = 9.0, 10.0, 13.0  # of numbers; of badges and notes; of the rows above counters
AROUND, LEAST_SEEN = 40.0, (520.0, 300.0)  # units around what has to be seen, and how much is seen at least
MANY = 40  # places: of a board of more only the part around an overlay is shown
NEAR = 1.6  # pixels for a unit where there are few places
BAND, SHAPE, HEX = "band", "shape", "hex"


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
    rivers: Mapping[str, str] = field(default_factory=dict)  # the names of what connections cross
    remarks: Sequence[str] = ()  # lines under the legend
    barred: Sequence[str] = ()  # a way or a trace that is not legal, from the last place that it is legal up to
    focus: Collection[str] = ()  # the board is cropped around them; none: all of it is drawn


def render_world(world: World, style: Style, picture: Picture) -> str:
    """Draw a situation with places as SVG text; the same input gives the same text."""
    return Board(world, style, picture).svg()


def chart_for(
    world: World, style: Style, layout: Mapping[str, Point] | None = None, numbers: Mapping[str, int] | None = None,
    rivers: Mapping[str, str] | None = None,
) -> Chart:  # fmt: skip
    """Make the chart of a situation; of hexes if the style draws all places so and each has coordinates of its own."""
    given, numbers, rivers = layout or {}, numbers or {}, rivers or {}
    drawn = [link for link in links_of(world) if style.all_looks(LINE, world.model, link)]
    is_laid = len({given[place.id] for place in world.places if place.id in given}) == len(world.places)
    wanted = all(style.look(PLACE, world.model, place).get(SHAPE) == HEX for place in world.places)
    widths: dict[str, float] = {}
    for link in drawn:
        for end in link.ends:
            widths[end.id] = widths.get(end.id, 0.0) + float(style.look(LINE, world.model, link)["width"])
    sites = tuple(
        Site(place.id, given.get(place.id, (0.0, 0.0)) if is_laid else (0.0, 0.0), str(numbers.get(place.id, "")),
             widths.get(place.id, 0.0))
        for place in world.places
    )  # fmt: skip
    ways = tuple(
        Way(link.id, (link.ends[0].id, link.ends[1].id), band := _band(world.model, style, link),
            rivers.get(link.id, "") if band else "")
        for link in drawn
    )  # fmt: skip
    return chart_of(sites, ways, tuple(map(float, style.counter["size"])), wanted and is_laid, is_laid)


def links_of(world: World) -> list[Connection]:
    return list(dict.fromkeys(link for place in world.places for link, _ in all_links(place)))


def _band(model: Model, style: Style, link: Connection) -> str:
    """Say by its label what kind of water a connection crosses; empty: none."""
    bands = (rule.label for rule in style.all_looks(MARK, model, link) if rule.draw.get(SHAPE) == BAND)
    return next(bands, "")


def town_of(style: Style, rank: float) -> Mapping[str, Any]:
    """Give the looks of a town where so much road meets."""
    return next((town for town in style.towns if rank >= town.get("from", 0)), {})


class Board:
    """A situation with places: a region for each, with what stands there, and roads between."""

    def __init__(self, world: World, style: Style, picture: Picture) -> None:
        self.world, self.model, self.style, self.picture = world, world.model, style, picture
        self.legend = shapes.Legend()
        self.rings = ((picture.blockers, style.blocker), (picture.changed, style.changed))
        self.lines = [(link, style.all_looks(LINE, self.model, link)) for link in links_of(world)]
        self.chart = chart_for(world, style, picture.layout, picture.numbers, picture.rivers)
        self.by_id = {place.id: place for place in world.places}
        self.window, self.places = self._crop()
        left, top, width, _ = self.window
        self.heading = shapes.Heading(picture.title, max(width, NARROWEST) - MARGIN)
        self.shift = (MARGIN - left, MARGIN + self.heading.height - top)

    def svg(self) -> str:
        """Draw it all, the lower things first."""
        left, top, wide, high = self.window
        edge = draw.ClipPath()
        edge.append(draw.Rectangle(left, top, wide, high))
        x, y = self.shift
        board = draw.Group(transform=f"translate({x:.1f} {y:.1f})", clip_path=edge)
        board.extend(self._shapes())
        for ringed, look in self.rings:
            if ringed:
                self.legend.add("box", {**look, "fill": "#ffffff"})
        width, bottom = max(wide, NARROWEST) + 2 * MARGIN, high + MARGIN + self.heading.height + MARGIN / 2
        legend, end = self.legend.draw(MARGIN, bottom, width - 2 * MARGIN, self.picture.remarks)
        near = NEAR if len(self.world.places) <= FEW else 1.0
        drawn = [*self.heading.draw(MARGIN, MARGIN), board, *legend]
        return framed(self.picture.title, self.picture.description, (width, end + MARGIN / 2), drawn, near)

    def _shapes(self) -> Iterator[Any]:
        yield from map(self._region, self.places)
        yield from self._between()
        yield from self._rims()
        yield from map(self._place, self.places)

    def _crop(self) -> tuple[tuple[float, float, float, float], list[Place]]:
        """Give the part of the board that is to be seen, and the places of which something is seen."""
        chart, places = self.chart, list(self.world.places)
        focus = [chart.spots[name] for name in chart.spots if name in self.picture.focus]
        if not focus:
            return (0.0, 0.0, *chart.size), places
        left, right = min(x for x, _ in focus) - chart.room[0] / 2, max(x for x, _ in focus) + chart.room[0] / 2
        top, bottom = min(y for _, y in focus) - LINE_HEIGHT * 2, max(y for _, y in focus) + chart.room[1]
        wide, high = max(right - left, LEAST_SEEN[0]) + 2 * AROUND, max(bottom - top, LEAST_SEEN[1]) + 2 * AROUND
        x, y = (left + right - wide) / 2, (top + bottom - high) / 2
        inside = [place for place in places if _meets(chart.regions[place.id], (x, y, wide, high))]
        return (x, y, wide, high), inside

    # ------------------------------------------------------------------ ground
    def _region(self, place: Place) -> Any:
        """Draw the region of a place: in the colour of the route if it lies on one."""
        look = self._look(place)
        on_route = place.id == self.picture.start or place.id in self.picture.route
        border = self.style.border
        self.legend.add(LINE, border)
        corners = [round(number, 1) for corner in self.chart.regions[place.id] for number in corner]
        return draw.Lines(
            *corners, close=True, fill=look["fill"], stroke=border.get("stroke", look["stroke"]),
            stroke_width=border.get("width", look["edge"]), class_="region", data_id=shapes.written(place.id),
            **({"data_route": "yes"} if on_route else {}),
        )  # fmt: skip

    def _look(self, place: Place) -> Mapping[str, Any]:
        """Give the looks of a place, and put them into the legend."""
        rules = self.style.all_looks(PLACE, self.model, place)
        if rules:
            self.legend.add(PLACE, {"width": 1.5, **rules[0].draw})
        return {**self.style.look(PLACE, self.model, place), "edge": rules[0].draw.get("width", 1.3) if rules else 1.3}

    def _rims(self) -> Iterator[Any]:
        """Outline what the picture is about: places on the route, and those that bar something or have changed."""
        for place in self.places:
            looks = [look for ringed, look in self.rings if place.id in ringed]
            if place.id == self.picture.start or place.id in self.picture.route:
                looks.insert(0, {"stroke": self.style.route["stroke"], "width": 3.5})
            for look in looks:
                yield shapes.outline(self.chart.regions[place.id], look)

    # ------------------------------------------------------------------ what lies between places
    def _between(self) -> Iterator[Any]:
        """Yield rivers, roads on their casings, the front, routes, and marks on the lines."""
        seen = {place.id for place in self.places}
        lines = [(link, rules) for link, rules in self.lines if rules and any(end.id in seen for end in link.ends)]
        bands = {rule.label: rule.draw for rule in self.style.rules[MARK] if rule.draw.get(SHAPE) == BAND}
        for band, path in self.chart.rivers.items():
            self.legend.add(LINE, bands[band])
            yield shapes.path(path, bands[band])
        for casing in (True, False):
            for link, rules in lines:
                look = rules[0].draw.get("casing") if casing else rules[0].draw
                if look and look.get("width", 1):
                    self.legend.add(LINE, rules[0].draw)
                    one, other = (self.chart.spots[end.id] for end in link.ends)
                    yield shapes.stroke(one, other, look, **({} if casing else {"data_id": shapes.written(link.id)}))
        yield from self._front()
        yield from self._routes()
        for link, _ in lines:
            yield from self._marks(link)
        left, top, wide, high = self.window
        names = [one for one in self.chart.names if left < one.at[0] < left + wide and top < one.at[1] < top + high]
        for name in names if self.style.river else ():
            yield shapes.words(name.text, RIVER_NAME, *name.at, self.style.river["ink"], font_style="italic")

    def _front(self) -> Iterator[Any]:
        front = self.style.front
        if not front:
            return
        held = {name: self._holder(place) for name, place in self.by_id.items()}
        chosen = {
            number for number, (one, other) in enumerate(border.ends for border in self.chart.borders)
            if held[one] and held[other] and held[one] != held[other]
        }  # fmt: skip
        if chosen:
            self.legend.add(LINE, front)
            path = self.chart.between(chosen)
            yield shapes.path(path, {"stroke": "#ffffff", "width": front["width"] + 3, "opacity": 0.6})
            yield shapes.path(path, front)

    def _holder(self, place: Place) -> Any:
        values = (styled_value(self.model, place, name) for name in self.style.front["fields"])
        return next((value for value in values if value), None)

    def _marks(self, link: Connection) -> list[Any]:
        rules = self.style.all_looks(MARK, self.model, link)
        x, y, *along = self.chart.crossings[link.id]
        drawn: list[Any] = []
        for rule in rules:
            if rule.draw.get(SHAPE) != BAND:
                self.legend.add(MARK, rule.draw)
                drawn.extend(shapes.mark((x, y), (along[0], along[1]), rule.draw))
        if link.id in self.picture.blockers:
            drawn.append(shapes.ring(x - 13, y - 13, 26, 26, self.style.blocker))
        return drawn

    def _routes(self) -> list[Any]:
        thick = {**self.style.route, "opacity": 0.75}
        picture = self.picture
        ways = ((picture.route, thick), (picture.closest, self.style.closest), (picture.barred, self.style.barred))
        return [shape for names, look in ways for shape in self._along(names, look)]

    def _along(self, names: Sequence[str], look: Mapping[str, Any]) -> list[Any]:
        known = [self.chart.spots[name] for name in names if name in self.chart.spots]
        if len(known) > 1:
            self.legend.add(LINE, look)
        steps = list(itertools.pairwise(known))
        # on white: the road would show between the dashes, and for many people its colour is like theirs
        below = {"stroke": "#ffffff", "width": look["width"] + 5} if "dash" in look else None
        return [shapes.stroke(*step, each) for each in (below, look) if each for step in steps]

    # ------------------------------------------------------------------ places and pieces
    def _place(self, place: Place) -> draw.Group:
        """Draw the town of a place with its name, and its counters."""
        group = draw.Group(class_="place", data_id=shapes.written(place.id))
        x, y = self.chart.spots[place.id]
        top = y + self.chart.head
        group.extend(self._head(place, x, top, self.style.look(PLACE, self.model, place)))
        pieces = self.world.standing(place)
        slots = self.chart.slots_for(len(pieces))
        for piece, (across, down) in zip(pieces, slots.corners, strict=True):
            self._piece(group, piece, x + across, y + down, slots.scale)
        return group

    def _head(self, place: Place, x: float, top: float, look: Mapping[str, Any]) -> Iterator[Any]:
        """Write the name of a place; below it, beside its town, its number, badges and the note of an overlay."""
        name = shapes.clean(place.id)
        how = self.style.bases.get(self.picture.origins.get(place.id, ""), {})
        if how:
            self.legend.add("name", how)
        weight, slope = how.get("weight", "bold"), how.get("slope", "normal")
        rim = {"stroke": look["fill"], "stroke_width": 3, "stroke_opacity": 0.75, "paint_order": "stroke"}  # over roads
        yield shapes.words(name, NAME, x, top, look["ink"], weight, font_style=slope, **rim)
        town = town_of(self.style, self.chart.ranks.get(place.id, 0.0))
        level, left = top, x + shapes.width_of(name, NAME) / 2 + 3
        if self.chart.hex is None:
            level, left = self.chart.spots[place.id][1], x + 8
            if town:
                self.legend.add(TOWN, town)
                yield draw.Circle(x, level, town["radius"], fill=town["fill"], stroke=town["stroke"], stroke_width=1.2)
        if place.id in self.picture.numbers:
            number, look = str(self.picture.numbers[place.id]), self.style.number
            self.legend.add(NUMBER, look)
            right = x - 8 if self.chart.hex is None else x - shapes.width_of(name, NAME) / 2 - 2
            yield shapes.words(number, NUMBER_SIZE, right, level, look["ink"], anchor="end")
        for text, look in self._tags(place):
            self.legend.add(BADGE, look, text=str(look.get("text", "")).replace("{}", ""))
            yield from shapes.pill(text, left, level, TAG_SIZE, look)
            left += shapes.pill_width(text, TAG_SIZE) + 3

    def _tags(self, place: Place) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield what stands beside a place's town: badges of the rule set, and the note of an overlay."""
        for text, rule in self.style.badges(self.model, place, self.world.root):
            yield shapes.clean(text, 8), rule.draw
        note = self.picture.notes.get(place.id)
        if note is not None:
            yield shapes.clean(note.text, 24), self.style.note(note.kind)

    def _piece(self, group: draw.Group, piece: Piece, left: float, top: float, scale: float) -> None:
        for what in (PIECE, SYMBOL):
            for rule in self.style.all_looks(what, self.model, piece)[:1]:
                self.legend.add(what, rule.draw)
        group.append(counter(piece, self.model, self.style, (left, top), scale))
        wide, high = (length * scale for length in self.style.counter["size"])
        for ringed, look in self.rings:
            if piece.id in ringed:
                group.append(shapes.ring(left - 2, top - 2, wide + 4, high + 4, look))


def counter(
    piece: Piece, model: Model, style: Style, corner: Point, scale: float = 1.0, team: Mapping[str, str] | None = None
) -> draw.Group:
    """Draw a piece as it is seen from close; `team` are fields to use where the piece has none, such as a side."""
    look = style.look(PIECE, model, piece, team)
    wide, high = style.counter["size"]
    group = draw.Group(class_="piece", data_id=shapes.written(piece.id))
    group.append_title(shapes.clean(f"{piece.id}: {style.label(model, piece)}", 120))
    group.append(draw.Rectangle(
        round(corner[0], 1), round(corner[1], 1), round(wide * scale, 1), round(high * scale, 1),
        rx=look.get("round", 2), fill=look["fill"], stroke=look["stroke"],
        stroke_width=look["width"] if look["width"] != 2 else 1,
    ))  # fmt: skip
    signs = style.all_looks(SYMBOL, model, piece)
    more = {"name": piece.id, "label": style.label(model, piece)}
    for part in style.faces(CLOSE):
        x, y = (corner[axis] + part["at"][axis] * scale for axis in (0, 1))
        if "text" in part:
            size = part["size"] * scale
            text = fitting(style.written(model, piece, part["text"], more), part.get("room", wide) * scale, size)
            group.append(shapes.words(text, size, x, y, look["ink"], part.get("weight", "normal")))
        elif signs:
            size = part["wide"] * scale
            group.append(shapes.symbol(str(signs[0].draw["path"]), x - size / 2, y - size / 3, size, look["ink"]))
    return group


def fitting(text: str, width: float, size: float) -> str:
    for longest in range(shapes.LONGEST, 1, -1):
        if shapes.width_of(shapes.clean(text, longest), size) <= width:
            return shapes.clean(text, longest)
    return "…"


def framed(title: str, description: str, size: Size, drawn: Sequence[Any], near: float = 1.0) -> str:
    """Put shapes on white, with a title and a description for those who cannot see them."""
    width, height = (math.ceil(length) for length in size)
    drawing = draw.Drawing(width, height, font_family=shapes.FONT, role="img", style="max-width:100%;height:auto")
    drawing.set_render_size(round(width * near), round(height * near))
    drawing.append(draw.Title(shapes.clean(title, LONGEST_TITLE)))
    drawing.append(draw.Raw(f"<desc>{html.escape(shapes.clean(description, LONGEST_DESCRIPTION))}</desc>"))
    drawing.append(draw.Rectangle(0, 0, width, height, fill="#ffffff"))
    drawing.extend(drawn)
    text: str = drawing.as_svg()
    return text


def _meets(region: Sequence[Point], box: tuple[float, float, float, float]) -> bool:
    """Whether something of a region may lie in a box."""
    left, top, wide, high = box
    xs, ys = [x for x, _ in region], [y for _, y in region]
    return min(xs) < left + wide and max(xs) > left and min(ys) < top + high and max(ys) > top
