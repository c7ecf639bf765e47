"""Memory: what rules, positions and what is worked out of them take."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator

from titm_rules import Edition, Position
from titm_rules.editions.load import load_model

from benchmarks.cases import on_the_map


def taken(make: Callable[[], object]) -> int:
    """Give the bytes that something takes which is made, as long as it is kept."""
    gc.collect()
    tracemalloc.start()
    try:
        made = make()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] if made is not None else 0
    finally:
        tracemalloc.stop()


def rows() -> Iterator[str]:
    """Yield a row of a table for each thing."""
    start = Position.from_file("campaign")
    data, edition, movers = start.to_dict(), start.edition, on_the_map(start)

    def asked(count: int) -> Position:
        position = Position.from_dict(data, edition)
        for unit in movers[:count]:
            position.ask("reachable", units=[unit])
        return position

    older = next(name for name in ("1997-08-20", "1998-01-15") if name != edition.date)
    things: dict[str, Callable[[], object]] = {
        "the rules of one edition": lambda: load_model(older),
        "the campaign, validated and resolved": lambda: Position.from_dict(data, edition),
        "the same, one unit's moves asked": lambda: asked(1),
        "the same, all units' moves asked": lambda: asked(200),
        "the campaign as text": start.to_json,
    }
    Edition(older)
    asked(1)  # what is compiled once belongs to none of them
    load_model.__globals__["_rules"].cache_clear()
    for name, make in things.items():
        yield f"| {name} | {taken(make) / 1024:,.0f} KiB |"
