"""Pictures of a trace: its route, or the one that comes closest and what blocks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from titm_rules.explain.verdict import Verdict
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.case import Case
from titm_rules.oracle.position import Position
from titm_rules.render.board import Picture
from titm_rules.render.pictures import plain_picture, render_board, with_words


def draw_trace(case: Case, verdict: Verdict, piece: str, at: str = "") -> str:
    """Draw the situation with the route of a verdict, or with what blocks it."""
    position = Position.from_dict(case.data, case.edition, case.situation)
    picture = traced(plain_picture(position), position, verdict, piece, at)
    title = f"{case.notes.get('title') or verdict.query}: {piece} at {picture.start}"
    return render_board(position, replace(picture, title=title, layout=layout_of(case) or picture.layout))


def traced(picture: Picture, position: Position, verdict: Verdict, piece: str, at: str = "") -> Picture:
    """Add the route of a verdict on a trace to a picture, or the one that comes closest and what blocks it."""
    homes = (p.id for p in position.world.places if any(one.id == piece for one in position.world.standing(p)))
    route = verdict.witness.get("route") or ()
    picture = replace(
        picture,
        route=route,
        closest=() if route else verdict.witness.get("closest") or (),
        start=position.place_id(at) if at else next(homes, ""),
        blockers=() if route else blocking(verdict),
    )
    return with_words(picture, f"{verdict.sentence()} {'Route: ' + ', '.join(route) if route else 'No route'}.")


def blocking(verdict: Verdict) -> frozenset[str]:
    """Collect the ids of what would have to be otherwise, or of what the failing clauses saw."""
    changes = frozenset(_texts(verdict.nearest.get("changes", ())))
    return changes or frozenset(name for finding in verdict.failing for name in finding.looked_at)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def layout_of(case: Case) -> dict[str, tuple[float, float]] | None:
    """Give the coordinates that a case file has for its places, if it has any.

    Raises:
        InputError: if they are not pairs of numbers.
    """
    raw = case.notes.get("layout")
    if raw is None:
        return None
    if not isinstance(raw, dict) or not all(_is_point(point) for point in raw.values()):
        raise bad("a layout gives each place two numbers", "$.layout", "write PLACE: [x, y]", "bad-value")
    return {str(name): (float(x), float(y)) for name, (x, y) in raw.items()}


def _is_point(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return all(type(number) in (int, float) and abs(number) < 1e6 for number in value)
