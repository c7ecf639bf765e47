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


def labels(svg: ElementTree.Element) -> list[Label]:
    found = []
    for element in svg.iter(f"{SVG}text"):
        text, size = element.text or "", float(element.get("font-size", "nan"))
        x, y, width = float(element.get("x", "nan")), float(element.get("y", "nan")), width_of(text, size)
        left = x if element.get("text-anchor") == "start" else x - width / 2
        found.append(Label(text, (left, y - 0.78 * size, width, 0.98 * size)))
    return found


def groups(svg: ElementTree.Element, kind: str) -> Iterator[ElementTree.Element]:
    """Yield the groups of places or of pieces."""
    return svg.iterfind(f".//{SVG}g[@class='{kind}']")


def place_boxes(svg: ElementTree.Element) -> dict[str, Box]:
    """The box of each place by its name: the first rectangle of its group, and the first text."""
    found = {}
    for group in groups(svg, "place"):
        box, name = group.find(f"{SVG}rect"), group.findtext(f"{SVG}text")
        assert box is not None
        assert name is not None
        left, top, width, height = (float(box.get(side, "nan")) for side in ("x", "y", "width", "height"))
        found[name] = (left, top, width, height)
    return found


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
