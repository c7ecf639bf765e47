"""Where places stand in a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Point = tuple[float, float]
Size = tuple[float, float]
ROUNDS = 80
MAX_SCALE = 2_000.0


def spread_places(names: Sequence[str], joined: Sequence[tuple[str, str]]) -> dict[str, Point]:
    """Lay places out so that their distances are like the number of steps between them.

    The same input gives the same picture. Stress majorization: every place moves to where its
    distances to all others would be right, near ones counting more.
    """
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from(joined)
    steps = dict(nx.all_pairs_shortest_path_length(graph))
    apart = math.sqrt(len(names)) + 1
    wanted = {one: {other: steps[one].get(other, apart) for other in names if other != one} for one in names}
    turn = 2 * math.pi / max(1, len(names))
    points = {name: (apart * math.cos(turn * n), apart * math.sin(turn * n)) for n, name in enumerate(names)}
    for _ in range(ROUNDS if len(names) > 1 else 0):
        for name in names:  # one after another: all at once, they would swing past each other
            points[name] = _pulled(points, name, wanted[name])
    return points


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
    names = list(points)
    scale = max((_needed(points, sizes, gap, a, b) for i, a in enumerate(names) for b in names[:i]), default=1.0)
    scale = min(scale, MAX_SCALE)
    return {name: (x * scale, y * scale) for name, (x, y) in points.items()}


def _needed(points: Mapping[str, Point], sizes: Mapping[str, Size], gap: float, one: str, other: str) -> float:
    needs = [
        ((sizes[one][axis] + sizes[other][axis]) / 2 + gap) / distance
        for axis in (0, 1)
        if (distance := abs(points[one][axis] - points[other][axis])) > 1e-9
    ]
    return min(needs, default=1.0)
