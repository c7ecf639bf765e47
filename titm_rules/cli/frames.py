"""Pictures of a game: one for each part of it, as SVG files in a folder."""

from __future__ import annotations

import re
from pathlib import Path

from titm_rules.oracle.position import Position

_NO_FILE = re.compile(r"[^\w-]+")


class Frames:
    """Writes the pictures of a game, numbered in their order; without a folder it writes none."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.count = 0

    def add(self, position: Position, *title: str) -> None:
        """Write the next picture.

        Raises:
            InputError: if it cannot be written.
        """
        if self.folder is None:
            return
        from titm_rules.render.pictures import render_frame, write_picture  # slow to import, and seldom wanted

        self.count += 1
        name = _NO_FILE.sub("-", "-".join(title))
        write_picture(self.folder / f"{self.count:03}-{name}.svg", render_frame(position, " ".join(title)))
