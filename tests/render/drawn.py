"""Looking into SVG: texts with the boxes that they fill, places, roads."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from titm_rules import Edition, Position
from titm_rules.maps.scenarios import load_scenario
from titm_rules.render.shapes import width_of

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios" / "titm"
SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]  # left, top, width, height


@cache
def start(name: str = "campaign") -> Position:
    """Give the position at the start of a scenario."""
    scenario = load_scenario(Edition().model, name)
    return Position.from_dict(scenario.position, Edition(), scenario.situation)


@dataclass(frozen=True)
class Label:
    """A text and the box that it fills: from the ascent to the descent of the font."""

    text: str
    box: Box


def walk(
    element: ElementTree.Element, at: tuple[float, float] = (0.0, 0.0)
) -> Iterator[tuple[ElementTree.Element, tuple[float, float]]]:
    """Yield all elements, each with how far the groups around it move it."""
    moved = re.fullmatch(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
    here = (at[0] + float(moved[1]), at[1] + float(moved[2])) if moved else at
    yield element, here
    for inner in element:
        yield from walk(inner, here)


def labels(svg: ElementTree.Element) -> list[Label]:
    found = []
    for element, (right, down) in walk(svg):
        if element.tag != f"{SVG}text":
            continue
        text, size = element.text or "", float(element.get("font-size", "nan"))
        x, y, width = float(element.get("x", "nan")), float(element.get("y", "nan")), width_of(text, size)
        left = x - width * {"start": 0.0, "end": 1.0}.get(element.get("text-anchor", ""), 0.5)
        found.append(Label(text, (left + right, y - 0.78 * size + down, width, 0.98 * size)))
    return found


def groups(svg: ElementTree.Element, kind: str) -> Iterator[ElementTree.Element]:
    """Yield the groups of places or of pieces."""
    return svg.iterfind(f".//{SVG}g[@class='{kind}']")


def name_of(group: ElementTree.Element) -> str:
    name = group.findtext(f"{SVG}text")
    assert name is not None
    return name


def regions(svg: ElementTree.Element) -> dict[str, list[tuple[float, float]]]:
    """The corners of the region of each place, by its id."""
    found = {}
    for path in svg.iterfind(f".//{SVG}path[@class='region']"):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d", ""))]
        found[path.get("data-id", "")] = list(zip(numbers[::2], numbers[1::2], strict=True))
    return found


def cards(group: ElementTree.Element) -> list[Box]:
    """The boxes of the counters in a group."""
    rects = [piece.find(f"{SVG}rect") for piece in groups(group, "piece")]
    return [tuple(float(rect.get(side, "nan")) for side in ("x", "y", "width", "height")) for rect in rects]  # type: ignore[misc,union-attr]


def place_boxes(svg: ElementTree.Element) -> dict[str, Box]:
    """The box around the name, the town and the counters of each place, by its name."""
    found = {}
    for group in groups(svg, "place"):
        boxes = [labels(group)[0].box, *cards(group)]
        for circle in group.iterfind(f"{SVG}circle"):
            x, y, r = (float(circle.get(name, "nan")) for name in ("cx", "cy", "r"))
            boxes.append((x - r, y - r, 2 * r, 2 * r))
        left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
        right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
        found[name_of(group)] = (left, top, right - left, bottom - top)
    return found


def is_inside(point: tuple[float, float], corners: list[tuple[float, float]]) -> bool:
    """Whether a point lies in a region, which is convex, or on its edge."""
    sides = [
        (x2 - x1) * (point[1] - y1) - (y2 - y1) * (point[0] - x1)
        for (x1, y1), (x2, y2) in itertools.pairwise([*corners, corners[0]])
    ]
    return min(sides) > -60 or max(sides) < 60  # twice the area of what is left out: rounding


def lines(svg: ElementTree.Element, colours: set[str]) -> Iterator[Box]:
    """Yield the ends of the lines in some colours: x and y of one, x and y of the other."""
    for path in svg.iter(f"{SVG}path"):
        if path.get("stroke") in colours:
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d", ""))]
            if len(numbers) == 4:  # more: a symbol
                yield numbers[0], numbers[1], numbers[2], numbers[3]


def clashes(svg: ElementTree.Element) -> list[tuple[str, str]]:
    """List the texts that lie on each other."""
    return [(a.text, b.text) for a, b in itertools.combinations(labels(svg), 2) if overlap(a.box, b.box)]


def overlap(one: Box, other: Box) -> bool:
    return all(one[i] < other[i] + other[i + 2] and other[i] < one[i] + one[i + 2] for i in (0, 1))


def is_crossed(box: Box, line: Box) -> bool:
    """Whether a line comes into a box: clip it at each pair of sides."""
    enters, leaves = 0.0, 1.0
    for axis in (0, 1):
        start, way = line[axis], line[axis + 2] - line[axis]
        near, far = box[axis], box[axis] + box[axis + 2]
        if abs(way) < 1e-9:
            if not near < start < far:
                return False
            continue
        one, other = sorted(((near - start) / way, (far - start) / way))
        enters, leaves = max(enters, one), min(leaves, other)
    return enters < leaves
