"""Coordinates of places in a picture."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

Point = tuple[float, float]
Size = tuple[float, float]
ROUNDS = 80
EXACT = 150  # places: more than these are laid out by their distances to some of them
PIVOTS, TURNS = 40, 60  # how many those are; rounds of finding the directions of a layout
PUSHED = 300  # places: boxes of more than these leave no lines, and are pushed apart in fewer rounds
MAX_SCALE = 2_000.0
PUSHES = 240
LEAVE = 0.65  # part of the way off a line that a box goes at a time
LINE_SEEN = 18.0  # pixels of a line between boxes besides the gap


def spread_places(names: Sequence[str], joined: Sequence[tuple[str, str]]) -> dict[str, Point]:
    """Lay places out so that their distances are like the number of steps between them.

    The same input gives the same picture. Stress majorization: every place moves to where its
    distances to all others would be right, near ones counting more. Of many places only the distances to
    some pivots count, in the two directions in which they differ most.
    """
    beside: dict[str, list[str]] = {name: [] for name in names}
    for one, other in joined:
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    if len(names) > EXACT:
        return _spread_by_pivots(names, lambda pivot: _steps_from(pivot, beside))
    steps = {name: _steps_from(name, beside) for name in names}
    apart = math.sqrt(len(names)) + 1
    wanted = {one: {other: steps[one].get(other, apart) for other in names if other != one} for one in names}
    turn = 2 * math.pi / max(1, len(names))
    points = {name: (apart * math.cos(turn * n), apart * math.sin(turn * n)) for n, name in enumerate(names)}
    for _ in range(ROUNDS if len(names) > 1 else 0):
        for name in names:  # one after another: all at once, they would swing past each other
            points[name] = _pulled(points, name, wanted[name])
    return points


def _steps_from(start: str, beside: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Count the steps to each place that can be reached (breadth-first search)."""
    steps = {start: 0}
    for name in (reached := [start]):  # the list grows while it is read
        for other in beside[name]:
            if other not in steps:
                steps[other] = steps[name] + 1
                reached.append(other)
    return steps


def _spread_by_pivots(names: Sequence[str], steps_from: Callable[[str], Mapping[str, int]]) -> dict[str, Point]:
    """Lay places out by multidimensional scaling of their distances to pivots that lie far apart."""
    far = math.sqrt(len(names)) + 1
    columns: list[list[float]] = []
    pivot, least = names[0], dict.fromkeys(names, math.inf)
    while len(columns) < PIVOTS:
        steps = steps_from(pivot)
        columns.append([float(steps.get(name, far)) for name in names])
        least = {name: min(least[name], columns[-1][number]) for number, name in enumerate(names)}
        pivot = max(names, key=lambda name: least[name])
    rows = _centred(columns)
    first = _direction(rows, None)
    second = _direction(rows, first)
    # what lies equally far from all pivots would lie on one spot
    return {
        name: (_dot(row, first) + 1e-3 * (number % 7), _dot(row, second) + 1e-3 * (number % 11))
        for number, (name, row) in enumerate(zip(names, rows, strict=True))
    }


def _centred(columns: Sequence[Sequence[float]]) -> list[list[float]]:
    """Give a row of each place: its squared distances to pivots, centred both ways."""
    squares = [[distance * distance for distance in column] for column in columns]
    down = [sum(column) / len(column) for column in squares]
    whole = sum(down) / len(down)
    rows = [(row, sum(row) / len(row)) for row in zip(*squares, strict=True)]
    return [
        [(across + mean - whole - square) / 2 for square, mean in zip(row, down, strict=True)] for row, across in rows
    ]


def _direction(rows: Sequence[Sequence[float]], other: Sequence[float] | None) -> list[float]:
    """Find the direction in which rows differ most, across another one if it is given."""
    width = len(rows[0])
    squared = [[sum(row[i] * row[j] for row in rows) for j in range(i + 1)] for i in range(width)]
    found = [1.0 + number / width for number in range(width)]
    for _ in range(TURNS):
        if other is not None:
            along = _dot(found, other)
            found = [value - along * part for value, part in zip(found, other, strict=True)]
        found = [
            sum((squared[i][j] if j <= i else squared[j][i]) * found[j] for j in range(width)) for i in range(width)
        ]
        length = math.sqrt(_dot(found, found)) or 1.0
        found = [value / length for value in found]
    return found


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _pulled(points: Mapping[str, Point], name: str, wanted: Mapping[str, float]) -> Point:
    x, y = points[name]
    sum_x = sum_y = weights = 0.0
    for other, distance in wanted.items():
        ox, oy = points[other]
        now = math.hypot(x - ox, y - oy) or 1e-6
        weight = 1 / distance**2
        sum_x += weight * (ox + distance * (x - ox) / now)
        sum_y += weight * (oy + distance * (y - oy) / now)
        weights += weight
    return sum_x / weights, sum_y / weights


def scale_apart(points: Mapping[str, Point], sizes: Mapping[str, Size], gap: float) -> dict[str, Point]:
    """Stretch a layout until no two boxes of these sizes come nearer than `gap`."""
    scale = _scale_apart(points, sizes, gap)
    return {name: (x * scale, y * scale) for name, (x, y) in points.items()}


def _scale_apart(points: Mapping[str, Point], sizes: Mapping[str, Size], gap: float) -> float:
    def needed(one: str, other: str) -> float:
        needs = (
            ((sizes[one][axis] + sizes[other][axis]) / 2 + gap) / distance
            for axis in (0, 1)
            if (distance := abs(points[one][axis] - points[other][axis])) > 1e-9
        )
        return min(needs, default=1.0)

    return min(max(itertools.starmap(needed, itertools.combinations(points, 2)), default=1.0), MAX_SCALE)


# ---------------------------------------------------------------------- many places
def fit_apart(
    points: Mapping[str, Point], sizes: Mapping[str, Size], joined: Sequence[tuple[str, str]], gap: float, times: float
) -> dict[str, Point]:
    """Stretch a layout to `times` the size of all boxes, in pixels; push overlapping boxes apart, and off lines."""
    names = tuple(points)
    frozen = tuple((points[name], sizes[name]) for name in names)
    number = {name: index for index, name in enumerate(names)}
    ends = {tuple(sorted((number[one], number[other]))) for one, other in joined}
    lines = tuple((one, other) for one, other in sorted(ends))
    return dict(zip(names, _fitted(frozen, lines, gap, times), strict=True))


@lru_cache(maxsize=32)
def _fitted(
    boxes: tuple[tuple[Point, Size], ...], lines: tuple[tuple[int, int], ...], gap: float, times: float
) -> tuple[Point, ...]:
    scale = _scale_to(boxes, gap, times)
    home = [(x * scale, y * scale) for (x, y), _ in boxes]
    sizes = [(width + gap, height + gap) for _, (width, height) in boxes]
    points = [list(point) for point in home]
    is_large, joined = len(boxes) > PUSHED, frozenset(lines)
    under = [] if is_large else _near_lines(home, sizes, lines)
    leaving = 0 if is_large else PUSHES * 2 // 3
    for turn in range(PUSHES):
        if turn < leaving:
            _leave_lines(points, sizes, under)
        if not _push(points, sizes, joined) and turn >= leaving:
            break
    spread = {str(i): (x, y) for i, (x, y) in enumerate(points)}
    more = max(1.0, _scale_apart(spread, {str(i): size for i, (_, size) in enumerate(boxes)}, 1.0))
    return tuple((round(x * more, 1), round(y * more, 1)) for x, y in spread.values())


def _scale_to(boxes: tuple[tuple[Point, Size], ...], gap: float, times: float) -> float:
    wide = (max(x for (x, _), _ in boxes) - min(x for (x, _), _ in boxes)) or 1.0
    high = (max(y for (_, y), _ in boxes) - min(y for (_, y), _ in boxes)) or 1.0
    return math.sqrt(times * sum((w + gap) * (h + gap) for _, (w, h) in boxes) / (wide * high))


def _push(points: list[list[float]], sizes: Sequence[Size], joined: frozenset[tuple[int, int]]) -> bool:
    """Push overlapping boxes apart the shorter way, joined ones further, for the line; say whether any overlapped."""
    order = sorted(range(len(points)), key=lambda i: points[i][0] - sizes[i][0] / 2)
    found = False
    for at, one in enumerate(order, 1):
        mine, (wide, high) = points[one], sizes[one]
        right = mine[0] + wide / 2 + LINE_SEEN
        for other in order[at:]:
            its, (its_wide, its_high) = points[other], sizes[other]
            if its[0] - its_wide / 2 >= right:
                break
            dy = its[1] - mine[1]
            over_y = (high + its_high) / 2 - abs(dy)
            if over_y + LINE_SEEN <= 0.0:  # most are: far apart, whether joined or not
                continue
            dx = its[0] - mine[0]
            more = LINE_SEEN if (min(one, other), max(one, other)) in joined else 0.0
            over_x = (wide + its_wide) / 2 + more - abs(dx)
            over_y = (high + its_high) / 2 + more - abs(dy)
            if over_x <= 0.01 or over_y <= 0.01:
                continue
            found = True
            axis, over, way = (0, over_x, dx) if over_x < over_y else (1, over_y, dy)
            half = math.copysign(over / 2 + 0.05, way)
            mine[axis] -= half
            its[axis] += half
    return found


def _near_lines(
    home: Sequence[Point], sizes: Sequence[Size], lines: Sequence[tuple[int, int]]
) -> list[tuple[int, int, int]]:
    """List the boxes that a line might pass under: box, and the ends of the line."""
    found = []
    for one, other in lines:
        for box, (width, height) in enumerate(sizes):
            if box not in (one, other) and _beyond(home[box], home[one], home[other]) < 0.7 * (width + height):
                found.append((box, one, other))
    return found


def _beyond(point: Sequence[float], one: Sequence[float], other: Sequence[float]) -> float:
    """Return the distance of a point from a line between two."""
    (x, y), (x1, y1), (x2, y2) = point, one, other
    dx, dy = x2 - x1, y2 - y1
    part = max(0.0, min(1.0, ((x - x1) * dx + (y - y1) * dy) / ((dx * dx + dy * dy) or 1.0)))
    return math.hypot(x - x1 - part * dx, y - y1 - part * dy)


def _leave_lines(points: list[list[float]], sizes: Sequence[Size], under: Sequence[tuple[int, int, int]]) -> None:
    """Move boxes off the lines that pass under them, and the lines a little the other way."""
    for box, one, other in under:
        (x1, y1), (x2, y2), (x, y), (wide, high) = points[one], points[other], points[box], sizes[box]
        dx, dy = x2 - x1, y2 - y1
        squared = dx * dx + dy * dy
        if not 0.0 < (x - x1) * dx + (y - y1) * dy < squared:
            continue
        across = (y - y1) * dx - (x - x1) * dy
        if 4 * across * across >= (wide + high) ** 2 * squared:  # too far off, whichever way the line runs
            continue
        length = math.sqrt(squared)
        nx, ny, off = -dy / length, dx / length, across / length
        needed = (wide * abs(nx) + high * abs(ny)) / 2 - abs(off)
        if needed > 0:
            move = math.copysign(needed * LEAVE, off)
            points[box][0] += nx * move
            points[box][1] += ny * move
            for end in (one, other):
                points[end][0] -= nx * move / 3
                points[end][1] -= ny * move / 3
