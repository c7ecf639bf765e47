"""Pictures of a game: one for each part of it, as SVG files in a folder."""

from __future__ import annotations

import re
from pathlib import Path

from titm_rules.edges.jsonin import bad
from titm_rules.oracle.position import Position

_NO_FILE = re.compile(r"[^\w-]+")


def draw(position: Position, title: str) -> str:
    """Draw a position as SVG text."""
    from titm_rules.render.board import Picture, render_trace
    from titm_rules.render.style import load_style
    from titm_rules.world.world import World

    world = World(position.edition.model, position.situation, position.to_dict())
    told = ", ".join(f"{name} {value}" for name, value in position.summary.items() if value is not None)
    picture = Picture(title, told, layout=position.layout or None)
    return render_trace(world, load_style(position.edition.game), picture)


class Frames:
    """Writes the pictures of a game, numbered in their order; without a folder it writes none."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.count = 0
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise self._failed(error) from None

    def add(self, position: Position, *title: str) -> None:
        """Write the next picture.

        Raises:
            InputError: if it cannot be written.
        """
        if self.folder is None:
            return
        self.count += 1
        name = _NO_FILE.sub("-", "-".join(title))
        try:
            (self.folder / f"{self.count:03}-{name}.svg").write_text(draw(position, " ".join(title)), encoding="utf-8")
        except OSError as error:
            raise self._failed(error) from None

    def _failed(self, error: OSError) -> Exception:
        return bad(f"cannot write pictures: {error.strerror}", str(self.folder), "name another folder", "no-file")
