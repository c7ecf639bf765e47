"""Pictures of situations, as SVG and as PNG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from titm_rules.files import write_file
from titm_rules.formats.safe_json import bad
from titm_rules.oracle.position import Position
from titm_rules.render.board import Picture, chart_for, render_world
from titm_rules.render.chart import Chart
from titm_rules.render.columns import render_columns
from titm_rules.render.style import LINE, MARK, PIECE, Style, load_style
from titm_rules.world.records import all_links

ZOOM = 1.5  # pixels of a PNG for one of the picture


def render_board(position: Position, picture: Picture | None = None) -> str:
    """Draw a position as SVG text, always the same; one without places is drawn as two rows of pieces."""
    style = load_style(position.edition.game)
    if not position.world.places:
        return render_columns(position, style)
    return render_world(position.world, style, picture or plain_picture(position))


def board_chart(position: Position) -> Chart:
    """Say how the board of a position is drawn, with or without anything on it."""
    style = load_style(position.edition.game)
    return chart_for(position.world, style, position.layout, position.numbers, position.rivers)


def plain_picture(position: Position, title: str = "") -> Picture:
    """Return a picture with title (default: situation and summary) and description."""
    title, summary = title or f"{position.edition.title}: {position.situation}", position.summary_line
    return Picture(
        title=f"{title} ({summary})" if summary else title,
        description=" ".join(_described(position, load_style(position.edition.game))),
        layout=position.layout or None,
        origins=position.origins,
        numbers=position.numbers,
        rivers=position.rivers,
        remarks=tuple(_remarks(position)),
    )


def with_words(picture: Picture, text: str) -> Picture:
    """Put a sentence before the description, and under the legend."""
    return replace(picture, description=f"{text} {picture.description}", remarks=(text, *picture.remarks))


def _remarks(position: Position) -> Iterator[str]:
    if position.notes and position.map_title:
        yield f"{position.map_title}."
    if position.bases:
        counts = ", ".join(f"{count} {basis}" for basis, count in position.bases.items())
        yield f"Data of the map: {counts}."
    yield from (f"{note[:1].upper()}{note[1:]}." for note in position.notes)


def _described(position: Position, style: Style) -> Iterator[str]:
    """Say in words what the picture shows: how many of what, and who stands where."""
    world = position.world
    links = list(dict.fromkeys(link for place in world.places for link, _ in all_links(place)))
    pieces = [piece for place in world.places for piece in world.standing(place)]
    yield f"{len(world.places)} places."
    for what, records in ((PIECE, pieces), (LINE, links), (MARK, links)):
        looks = (rule for record in records for rule in style.all_looks(what, world.model, record))
        counts = Counter(rule.label for rule in looks if rule.label)
        if counts:
            yield f"{', '.join(f'{label}: {count}' for label, count in counts.items())}."
    for place in world.places:
        if world.standing(place):
            who = ", ".join(f"{piece.id} ({style.label(world.model, piece)})" for piece in world.standing(place))
            yield f"At {place.id}: {who}."


# ---------------------------------------------------------------------- files
def write_picture(path: Path, svg: str) -> None:
    """Write SVG, or by the ending of the name PNG, and make its folder. Raises `InputError` if that fails."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise bad(f"`{path.suffix}` is not a format of pictures", str(path), "name a .svg or .png file", "bad-value")
    data = png_of(svg) if path.suffix.lower() == ".png" else svg.encode()
    write_file(path, data, make_folder=True)


def png_of(svg: str) -> bytes:
    """Turn a picture into PNG. Raises `InputError` if the extra `png` is not installed."""
    try:
        import resvg_py
    except ImportError:
        fix = "pip install 'titm_rules[png]', or write a .svg file"
        raise bad("PNG needs a converter that is not installed", "--out", fix, "no-library") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=ZOOM))
