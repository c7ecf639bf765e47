"""Maps of hexes in columns: where each hex lies, and which of them touch."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

_HEX = re.compile(r"(\d\d)(\d\d)", re.ASCII)
Point = tuple[float, float]
Cell = tuple[int, int]


def cells(names: Iterable[str]) -> dict[Cell, str]:
    """Map column and row to the id of the hex there; other places are on no grid."""
    found = ((_HEX.fullmatch(name), name) for name in names)
    return {(int(match[1]), int(match[2])): name for match, name in found if match}


def layout(names: Iterable[str], lower: str) -> dict[str, Point]:
    """Say where hexes lie, x to the right and y down; neighbours are one apart."""
    return {
        name: (round(column * math.sqrt(3) / 2, 4), row + (0.5 if _is_low(column, lower) else 0.0))
        for (column, row), name in cells(names).items()
    }


def _is_low(column: int, lower: str) -> bool:
    return (column % 2 == 0) == (lower == "even")


def neighbours(names: Iterable[str], lower: str) -> Iterator[tuple[str, str]]:
    """Yield every two hexes that touch, once: from the left to the right, and from the top down."""
    known = cells(names)
    for (column, row), name in sorted(known.items()):
        down = row if _is_low(column, lower) else row - 1
        for cell in ((column, row + 1), (column + 1, down), (column + 1, down + 1)):
            if cell in known:
                yield name, known[cell]


def ways(names: Iterable[str], lower: str, given: Collection[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """List rows for hexes that touch and that no given row joins."""
    joined = {frozenset(row["ends"]) for row in given}
    return [{"ends": [one, other]} for one, other in neighbours(names, lower) if frozenset((one, other)) not in joined]
