"""The drawing of a board as data: regions, roads, rivers and labels, once for the page and for pictures.

Areas become a Voronoi diagram, by clipping half-planes: every point of the ground belongs to the nearest place, in a
measure in which the room of a place is a square. Places keep so far apart that the room of each, with its name and its
counters, lies in its own region. Hexes become hexes. Nothing here depends on who stands where, so a chart of a map
serves all its positions.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from heapq import heappop, heappush
from itertools import combinations, pairwise, permutations, product

from titm_rules.render.layout import Point, Size, fit_apart, scale_apart, spread_places
from titm_rules.render.shapes import width_of

FEW = 15  # places: up to these a layout is only stretched
SPREAD = 2.5  # how much larger a board of many places is than their rooms
APART = 1.21  # rooms of this size do not overlap: then none leaves its region
MARGIN, SIDES = 0.7, 24  # of ground around the outermost places, by the width of a room; corners of its bend
OUTSIDE = -1
ROUND = 0.4  # part of a border that bends at its end
HEX, NEAR, ROOT = 64.0, 1.2, math.sqrt(3)  # from the middle of a hex to a corner; two closer than NEAR sides touch
MOST_FACES = 10  # sides of a field that a river runs through
FAR_BELOW, CLOSE_ABOVE = 0.52, 1.25  # pixels for a unit: below, from far; above, from close
DETOUR, SHORT = 2.0, 40.0  # how much longer than straight a river runs between two crossings
MOST_LISTED = 24  # counters at one place that have slots of their own
NAME, HEAD, GAP, ROWS, COLUMNS = 12.0, 30.0, 2.0, 2, 3  # size of a name; room above counters; between them
TOWN_ROW = 14.0  # from a town up to the middle of its name
FAR_NAME, FAR_SCALE, DOT = 29.0, 2.2, 9.0  # of the whole board: names, a counter for a stack, half a town
RIVER_NAME, STUB = 8.0, 48.0  # size of the name of a river; how far one is drawn on that ends
NOTE = 110.0  # room for badges and a note beside a town

Region = tuple[Point, ...]


@dataclass(frozen=True)
class Site:
    """A place of a chart; `rank` says how much road meets there."""

    name: str
    at: Point
    number: str = ""
    rank: float = 0.0


@dataclass(frozen=True)
class Way:
    """A connection of a chart; `band` is the kind of water that it crosses, if any, and `river` its name if known."""

    name: str
    ends: tuple[str, str]
    band: str = ""
    river: str = ""


@dataclass(frozen=True)
class Border:
    """What two regions share: the line between two corners, and the spot on it where a connection crosses."""

    ends: tuple[str, str]
    corners: tuple[int, int]
    at: Point


@dataclass(frozen=True)
class Slots:
    """Where so many counters stand: from the spot of a place to the upper left corner of each, and how large."""

    scale: float
    corners: tuple[Point, ...]


@dataclass(frozen=True)
class Caption:
    """A text of the whole board: the name of a place, or its number where there is no room for more."""

    text: str
    at: Point


@dataclass(frozen=True)
class Chart:
    """Geometry of a board; lengths are units, which are pixels where nothing is scaled."""

    size: Size
    room: Size  # of each place, for its name and its counters
    head: float  # from the spot of a place down to the middle of its name
    spots: Mapping[str, Point]  # where the roads of a place meet
    regions: Mapping[str, Region]
    corners: Sequence[Point]
    borders: Sequence[Border]
    crossings: Mapping[str, tuple[float, float, float, float]]  # of connections: a spot, and the direction across
    rivers: Mapping[str, str]  # the data of a path, by the kind of water
    names: Sequence[Caption]  # of rivers, beside crossings
    slots: Sequence[Slots]
    stack: tuple[float, float, float]  # of the counter that is seen for all of a place: its corner, and its scale
    labels: Mapping[str, Caption] = field(default_factory=dict)  # of the whole board, by place
    ranks: Mapping[str, float] = field(default_factory=dict)  # of places
    hex: tuple[float, bool] | None = None  # from the middle of a hex to a corner; whether hexes lie on a side

    @cached_property
    def joints(self) -> list[tuple[int, int, str]]:
        """List how two borders join at a corner, by their indices; one that ends at the edge joins itself."""
        found: list[tuple[int, int, str]] = []
        for corner, around in zip(self.corners, _around(self.borders), strict=True):
            pairs = list(combinations(around, 2)) or [(index, index) for index in around]
            found.extend((a, b, _joint(self.borders[a].at, self.borders[b].at, corner)) for a, b in pairs)
        return found

    def slots_for(self, count: int) -> Slots:
        """Say where so many counters stand at a place; the last of very many stand on one spot."""
        slots = self.slots[min(count, len(self.slots)) - 1] if count else Slots(1.0, ())
        return replace(slots, corners=slots.corners + slots.corners[-1:] * (count - len(slots.corners)))

    def between(self, chosen: Collection[int]) -> str:
        """Give the path along some borders, bent where they join."""
        return "".join(path for one, other, path in self.joints if one in chosen and other in chosen)


def course(borders: Sequence[Border], corners: Sequence[Point], chosen: set[int]) -> str:
    """Give the path along some borders; one that joins no other soon ends: how it goes on is not known."""
    parts: list[str] = []
    for corner, around in zip(corners, _around(borders), strict=True):
        here = [borders[index].at for index in around if index in chosen]
        parts.extend(_joint(one, other, corner) for one, other in combinations(here, 2))
        if len(here) == 1:
            far = math.dist(here[0], corner) or 1.0
            parts.append(_joint(here[0], here[0], _between(here[0], corner, min(1.0, STUB / far))))
    return "".join(parts)


def _around(borders: Sequence[Border]) -> list[list[int]]:
    """List the borders that end at each corner."""
    found: list[list[int]] = [[] for _ in range(1 + max((max(one.corners) for one in borders), default=-1))]
    for index, border in enumerate(borders):
        for corner in set(border.corners):
            found[corner].append(index)
    return found


def _joint(one: Point, other: Point, corner: Point) -> str:
    if one == other:
        return f"M {_told(one)} L {_told(corner)}"
    near, far = (_between(corner, end, ROUND) for end in (one, other))
    return f"M {_told(one)} L {_told(near)} Q {_told(corner)} {_told(far)} L {_told(other)}"


def _told(point: Point) -> str:
    return f"{point[0]:.0f} {point[1]:.0f}"


def _between(one: Point, other: Point, part: float) -> Point:
    return one[0] + (other[0] - one[0]) * part, one[1] + (other[1] - one[1]) * part


# ---------------------------------------------------------------------- making one
@lru_cache(maxsize=32)
def chart_of(sites: tuple[Site, ...], ways: tuple[Way, ...], counter: Size, is_hexes: bool, is_laid: bool) -> Chart:
    """Make the chart of places; of `is_laid` ones the coordinates count, others are laid out by their connections."""
    if is_hexes:
        return _hex_chart(sites, ways, counter)
    width = max([COLUMNS * (counter[0] + GAP) + GAP, *(width_of(site.name, NAME) / APART for site in sites)])
    room = (width, HEAD + ROWS * (counter[1] + GAP))
    middles = _laid_out(sites, ways, (room[0] * APART, room[1] * APART), is_laid)
    regions, bounds = _voronoi(middles, room)
    up = (HEAD - room[1]) / 2  # from the middle of a room to where its roads meet
    spots = [(x, y + up) for x, y in middles]
    slots = tuple(_slots(count, counter, room) for count in range(1, MOST_LISTED + 1))
    stack = (-counter[0] * FAR_SCALE / 2, DOT + 3, FAR_SCALE)
    return _charted(sites, ways, spots, regions, bounds, Kind(room, -TOWN_ROW, slots, stack))


def _laid_out(sites: Sequence[Site], ways: Sequence[Way], room: Size, is_laid: bool) -> list[Point]:
    names = [site.name for site in sites]
    joined = [way.ends for way in ways]
    points = {site.name: site.at for site in sites} if is_laid else spread_places(names, joined) if names else {}
    sizes = dict.fromkeys(names, room)
    if len(names) > FEW:
        points = fit_apart(points, sizes, joined, 0.0, SPREAD)
    elif names:
        points = scale_apart(points, sizes, 0.0)
    return [points[name] for name in names]


def _slots(count: int, counter: Size, room: Size) -> Slots:
    """Lay counters out in rows; more than have room lie on each other like cards that are held."""
    wide, high = counter
    rows = 1 if count <= COLUMNS else ROWS
    columns = min(count, COLUMNS) if count <= COLUMNS * ROWS else -(-count // ROWS)
    step = min(wide + GAP, (room[0] - wide) / max(1, columns - 1))
    found = []
    for index in range(count):
        row, column = divmod(index, columns)
        here = min(columns, count - row * columns)
        left = -((here - 1) * step + wide) / 2
        found.append((left + column * step, HEAD / 2 + row * (high + GAP)))
    assert rows * (high + GAP) + HEAD <= room[1] + 1e-6
    return Slots(1.0, tuple(found))


@dataclass(frozen=True)
class Kind:
    """What the places of a chart have in common; see `Chart`."""

    room: Size
    head: float
    slots: Sequence[Slots]
    stack: tuple[float, float, float]
    hex: tuple[float, bool] | None = None


def _charted(
    sites: Sequence[Site], ways: Sequence[Way], spots: Sequence[Point], regions: Sequence[Region],
    bounds: Sequence[Sequence[int]], kind: Kind,
) -> Chart:  # fmt: skip
    """Put a chart together, its upper left corner at zero."""
    left = min((x for region in regions for x, _ in region), default=0.0)
    top = min((y for region in regions for _, y in region), default=0.0)
    moved = [tuple((x - left, y - top) for x, y in region) for region in regions]
    at = {site.name: (x - left, y - top) for site, (x, y) in zip(sites, spots, strict=True)}
    size = (max((x for r in moved for x, _ in r), default=0.0), max((y for r in moved for _, y in r), default=0.0))
    names = [site.name for site in sites]
    corners = _Corners()
    by_pair = {tuple(sorted(way.ends)): way for way in ways}
    borders = []
    for number, (region, beyond) in enumerate(zip(moved, bounds, strict=True)):
        for index, other in enumerate(beyond):
            one, two = region[index], region[(index + 1) % len(region)]
            if other > number and math.dist(one, two) > 1.5:
                ends = (names[number], names[other])
                way = by_pair.get(tuple(sorted(ends)))
                spot = _crossing(at[ends[0]], at[ends[1]], one, two) if way else None
                borders.append(Border(ends, (corners.find(one), corners.find(two)), spot or _between(one, two, 0.5)))
    rivers = _rivers(ways, at, borders, corners.points, kind.hex is None)
    crossings = {way.name: _mark(way, at, borders, corners.points, rivers) for way in ways}
    bands = dict.fromkeys(rivers.values())
    chart = Chart(
        size, kind.room, kind.head, at, dict(zip(names, moved, strict=True)), corners.points, borders, crossings,
        {band: course(borders, corners.points, {at for at, one in rivers.items() if one == band}) for band in bands},
        _river_names(ways, crossings, at, kind), kind.slots, kind.stack,
        ranks={site.name: site.rank for site in sites}, hex=kind.hex,
    )  # fmt: skip
    return chart if kind.hex else replace(chart, labels=_far_labels(chart, sites))


class _Corners:
    """Corners of regions; those that all but coincide are one."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self._known: dict[tuple[int, int], int] = {}

    def find(self, point: Point) -> int:
        cell = (round(point[0] / 2), round(point[1] / 2))
        for x in (0, -1, 1):
            for y in (0, -1, 1):
                index = self._known.get((cell[0] + x, cell[1] + y))
                if index is not None and math.dist(self.points[index], point) < 1.0:
                    return index
        self._known[cell] = len(self.points)
        self.points.append(point)
        return len(self.points) - 1


def _crossing(a: Point, b: Point, c: Point, d: Point) -> Point | None:
    """Find where the line from a to b crosses that from c to d, if it does."""
    (rx, ry), (sx, sy) = (b[0] - a[0], b[1] - a[1]), (d[0] - c[0], d[1] - c[1])
    across = rx * sy - ry * sx
    if abs(across) < 1e-9:
        return None
    along = ((c[0] - a[0]) * sy - (c[1] - a[1]) * sx) / across
    part = ((c[0] - a[0]) * ry - (c[1] - a[1]) * rx) / across
    return _between(c, d, part) if 0 < along < 1 and 0.02 < part < 0.98 else None


def _mark(
    way: Way, at: Mapping[str, Point], borders: Sequence[Border], corners: Sequence[Point], rivers: Collection[int]
) -> tuple[float, float, float, float]:
    """Give the spot where a connection crosses, and its direction there.

    A road that passes a corner of another region crosses the river there.
    """
    one, other = (at[end] for end in way.ends)
    length = math.dist(one, other) or 1.0
    along = ((other[0] - one[0]) / length, (other[1] - one[1]) / length)
    own = [number for number, border in enumerate(borders) if set(border.ends) == set(way.ends)]
    for number in (*own, *(rivers if way.band else ())):
        spot = _crossing(one, other, *(corners[corner] for corner in borders[number].corners))
        if spot is not None:
            return (*spot, *along)
    return (*_between(one, other, 0.5), *along)


# ---------------------------------------------------------------------- regions
def _voronoi(middles: Sequence[Point], room: Size) -> tuple[list[Region], list[list[int]]]:
    """Give the region of each place, and what lies beyond each of its sides: another place, or the edge."""
    stretch = room[0] / room[1]
    points = [(x, y * stretch) for x, y in middles]
    turns = [2 * math.pi * side / SIDES for side in range(SIDES)]
    reach = room[0] * MARGIN
    ground = _hull([
        (x + reach * math.cos(turn), y + reach * stretch * math.sin(turn)) for x, y in points for turn in turns
    ])  # fmt: skip
    regions, bounds = [], []
    for number, here in enumerate(points):
        region, beyond = ground, [OUTSIDE] * len(ground)
        for far, index in sorted((math.dist(point, here), at) for at, point in enumerate(points) if at != number):
            if far > 2 * max(math.dist(corner, here) for corner in region):
                break
            region, beyond = _cut(region, beyond, here, points[index], index)
        regions.append(tuple((x, y / stretch) for x, y in region))
        bounds.append(beyond)
    return regions, bounds


def _hull(points: Sequence[Point]) -> list[Point]:
    """Return the corners of the convex hull (Andrew's monotone chain)."""
    halves = []
    for order in (sorted(set(points)), sorted(set(points), reverse=True)):
        chain: list[Point] = []
        for x, y in order:
            while len(chain) > 1 and _area([chain[-2], chain[-1], (x, y)]) <= 0:
                chain.pop()
            chain.append((x, y))
        halves.append(chain[:-1])
    return halves[0] + halves[1]


def _cut(
    region: list[Point], beyond: list[int], here: Point, there: Point, index: int
) -> tuple[list[Point], list[int]]:
    """Clip a region to what is nearer to here than to there."""
    mx, my = _between(here, there, 0.5)
    dx, dy = there[0] - here[0], there[1] - here[1]
    sides = [(x - mx) * dx + (y - my) * dy for x, y in region]
    if max(sides) <= 1e-9:
        return region, beyond
    kept: list[Point] = []
    labels: list[int] = []
    for at, side in enumerate(sides):
        after = (at + 1) % len(region)
        if side <= 0:
            kept.append(region[at])
            labels.append(beyond[at])
        if (side <= 0) != (sides[after] <= 0):
            kept.append(_between(region[at], region[after], side / (side - sides[after])))
            labels.append(index if side <= 0 else beyond[at])
    return kept, labels


# ---------------------------------------------------------------------- hexes
def _hex_chart(sites: Sequence[Site], ways: Sequence[Way], counter: Size) -> Chart:
    given = {site.name: site.at for site in sites}
    steps = [(given[b][0] - given[a][0], given[b][1] - given[a][1]) for a, b in (way.ends for way in ways)]
    steps = [step for step in steps if math.hypot(*step) > 1e-9]  # not between places at one spot
    unit = min((math.hypot(*step) for step in steps), default=1.0)
    angles = [math.atan2(y, x) for x, y in steps if math.hypot(x, y) <= NEAR * unit]
    is_flat = sum(math.cos(6 * angle) for angle in angles) <= 0  # neighbours of flat tops lie at 30, 90, 150
    scale = ROOT * HEX / unit
    points = [(x * scale, y * scale) for x, y in (site.at for site in sites)]
    index = {(round(x), round(y)): number for number, (x, y) in enumerate(points)}
    regions, bounds = [], []
    turn = 0.0 if is_flat else math.pi / 6
    for x, y in points:
        angles = [turn + side * math.pi / 3 for side in range(6)]
        regions.append(tuple((x + HEX * math.cos(angle), y + HEX * math.sin(angle)) for angle in angles))
        ends = [(x + ROOT * HEX * math.cos(angle + math.pi / 6), y + ROOT * HEX * math.sin(angle + math.pi / 6))
                for angle in angles]  # fmt: skip
        bounds.append([_found(index, end) for end in ends])
    slots = tuple(_hex_slots(count, counter, is_flat) for count in range(1, MOST_LISTED + 1))
    stack = (-counter[0] * 0.9, -counter[1] * 0.75, 1.8)
    room = (2 * (counter[0] + GAP), NAME + 2 * (counter[1] + GAP))
    head = NAME * 0.75 - (HEX * ROOT / 2 if is_flat else room[1] / 2)
    return _charted(sites, ways, points, regions, bounds, Kind(room, head, slots, stack, (HEX, is_flat)))


def _found(index: Mapping[tuple[int, int], int], point: Point) -> int:
    near = ((round(point[0]) + x, round(point[1]) + y) for x in (0, -1, 1) for y in (0, -1, 1))
    return next((index[spot] for spot in near if spot in index), OUTSIDE)


def _hex_slots(count: int, counter: Size, is_flat: bool) -> Slots:
    """Lay counters out below the name in a hex: one is large, more stand in two rows."""
    rows = 1 if count <= 2 else 2
    columns = -(-count // rows)
    scale = {1: 1.6, 2: 1.12}.get(count, 1.0)
    wide, high = counter[0] * scale, counter[1] * scale
    step = min(wide + GAP, (2 * (counter[0] + GAP) - wide) / max(1, columns - 1))
    top = NAME * (0.85 if is_flat else 0.6) - rows * (high + GAP) / 2
    found = []
    for index in range(count):
        row, column = divmod(index, columns)
        here = min(columns, count - row * columns)
        found.append((column * step - ((here - 1) * step + wide) / 2, top + row * (high + GAP)))
    return Slots(scale, tuple(found))


# ---------------------------------------------------------------------- rivers
def _rivers(
    ways: Sequence[Way], at: Mapping[str, Point], borders: Sequence[Border], corners: Sequence[Point], is_drawn_on: bool
) -> dict[int, str]:
    """Choose the borders along which water runs: those that are crossed, and from one to the next across each field.

    A river is taken on where connections enclose a field that it enters and leaves, along borders that no road
    without a river crosses. One that is crossed once around a field ends there: no more is known.
    """
    dry = {frozenset(way.ends) for way in ways if not way.band}
    banks = {number for number, border in enumerate(borders) if frozenset(border.ends) not in dry}
    wet = [way for way in ways if way.band]
    crossed = {way.name: _crossed(way, at, borders, corners, banks) for way in wet}
    found = {crossed[way.name][0]: way.band for way in wet if crossed[way.name]}
    steps = _steps(borders, corners, banks)
    for field_ in _fields(ways, at) if is_drawn_on and wet else ():
        here = [way for way, _ in field_ if way.band]
        if len(here) == 2 and len({way.river for way in here} - {""}) > 1:
            continue
        for one, other in pairwise([*here, here[0]] if len(here) > 2 else here):
            pairs = product(crossed[one.name], crossed[other.name])
            most = [(DETOUR * math.dist(borders[a].at, borders[b].at) + SHORT, a, b) for a, b in pairs]
            _, along = min((_along(steps, *each) for each in most), default=(0.0, frozenset[int]()))
            found = {**dict.fromkeys(sorted(along), one.band), **found}
    return found


def _steps(
    borders: Sequence[Border], corners: Sequence[Point], banks: Collection[int]
) -> dict[int, list[tuple[int, float]]]:
    """List for each of some borders those that it joins, and how far they are along both."""
    found: dict[int, list[tuple[int, float]]] = {}
    for corner, around in enumerate(_around(borders)):
        for one, other in permutations((number for number in around if number in banks), 2):
            far = math.dist(borders[one].at, corners[corner]) + math.dist(corners[corner], borders[other].at)
            found.setdefault(one, []).append((other, far))
    return found


def _crossed(
    way: Way, at: Mapping[str, Point], borders: Sequence[Border], corners: Sequence[Point], banks: Collection[int]
) -> list[int]:
    """List the borders on which a connection may cross a river: its own, or those that it comes over."""
    own = [number for number, border in enumerate(borders) if set(border.ends) == set(way.ends)]
    one, other = (at[end] for end in way.ends)
    return own or [
        number for number in sorted(banks)
        if _crossing(one, other, *(corners[corner] for corner in borders[number].corners))
    ]  # fmt: skip


def _along(
    steps: Mapping[int, Sequence[tuple[int, float]]], most: float, start: int, end: int
) -> tuple[float, frozenset[int]]:
    """Give the shortest way (Dijkstra) from one border to another, and the borders on it; none if it is a long one."""
    waiting: list[tuple[float, int, tuple[int, ...]]] = [(0.0, start, ())]
    seen: set[int] = set()
    while waiting:
        far, here, before = heappop(waiting)
        if here == end:
            return far, frozenset((*before, here))
        if here in seen:
            continue
        seen.add(here)
        for after, more in steps.get(here, ()):
            if far + more <= most:
                heappush(waiting, (far + more, after, (*before, here)))
    return math.inf, frozenset()


def _fields(ways: Sequence[Way], at: Mapping[str, Point]) -> list[list[tuple[Way, str]]]:
    """List the fields that connections enclose: the sides of each, with the place where each side begins."""
    around: dict[str, list[tuple[float, Way, str]]] = {}
    for way in ways:
        for start, end in (way.ends, way.ends[::-1]):
            angle = math.atan2(at[end][1] - at[start][1], at[end][0] - at[start][0])
            around.setdefault(start, []).append((angle, way, end))
    for spokes in around.values():
        spokes.sort(key=lambda spoke: (spoke[0], spoke[1].name))
    seen: set[tuple[str, str]] = set()
    found = []
    for start, spokes in around.items():
        for _, way, end in spokes:
            sides: list[tuple[Way, str]] = []
            here, by, there = start, way, end
            while (here, by.name) not in seen:
                seen.add((here, by.name))
                sides.append((by, here))
                beyond = around[there]
                turn = next(number for number, spoke in enumerate(beyond) if spoke[1] is by)
                _, after, end_ = beyond[(turn + 1) % len(beyond)]
                here, by, there = there, after, end_
            corners = [at[place] for _, place in sides]
            if 2 < len(sides) <= MOST_FACES and _area(corners) < 0:
                found.append(sides)
    return found


def _area(corners: Sequence[Point]) -> float:
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairwise([*corners, corners[0]]))


# ---------------------------------------------------------------------- labels
Box = tuple[float, float, float, float]  # left, top, right, bottom


def _river_names(
    ways: Sequence[Way], crossings: Mapping[str, tuple[float, float, float, float]], at: Mapping[str, Point], kind: Kind
) -> list[Caption]:
    """Write the names of rivers beside their crossings, where nothing else stands."""
    wide, high = kind.room
    taken = [(x - wide / 2, y + kind.head - NAME, x + wide / 2, y + high - HEAD / 2) for x, y in at.values()]
    taken += [(x, y - NAME, x + NOTE, y + NAME) for x, y in at.values()]
    taken += [(x - 10, y - 10, x + 10, y + 10) for x, y, *_ in crossings.values()]
    found = []
    for way in ways:
        if way.river:
            x, y, *_ = crossings[way.name]
            half = _half(way.river, RIVER_NAME)
            spots = ((x, y + 17), (x, y - 17), (x + half + 13, y), (x - half - 13, y))
            spot = _free(way.river, RIVER_NAME, spots, taken)
            if spot is not None:
                found.append(Caption(way.river, spot))
    return found


def _far_labels(chart: Chart, sites: Sequence[Site]) -> dict[str, Caption]:
    """Write at each place what can be read from far and lies on nothing: its name, or its number, or nothing."""
    left, top, scale = chart.stack
    taken = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in chart.spots.values()]
    taken += [(x + left, y + top, x - left, y + top - left * scale) for x, y in chart.spots.values()]
    found: dict[str, Caption] = {}
    for site in sorted(sites, key=lambda site: (-site.rank, site.name)):
        (x, y), level = chart.spots[site.name], chart.spots[site.name][1] - DOT - FAR_NAME * 0.55
        for text in filter(None, dict.fromkeys((site.name, site.number))):
            half = _half(text, FAR_NAME)
            beside = half + DOT + 3
            spots = ((x, level), (x + beside, y), (x - beside, y), (x + half * 0.6, level), (x - half * 0.6, level))
            spot = _free(text, FAR_NAME, spots, taken)
            if spot is not None:
                found[site.name] = Caption(text, spot)
                break
    return found


def _free(text: str, size: float, spots: Sequence[Point], taken: list[Box]) -> Point | None:
    """Find the first spot at which a text lies on nothing, and take it."""
    half = _half(text, size)
    for x, y in spots:
        one = (x - half, y - size / 2, x + half, y + size / 2)
        if not any(one[0] < b[2] and b[0] < one[2] and one[1] < b[3] and b[1] < one[3] for b in taken):
            taken.append(one)
            return x, y
    return None


def _half(text: str, size: float) -> float:
    return width_of(text, size) / 2
