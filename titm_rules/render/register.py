"""Lets positions draw themselves; what draws them is imported when the first picture is asked for."""

from __future__ import annotations

from titm_rules.oracle.position import Position


def draw(position: Position) -> str:
    from titm_rules.render.pictures import render_board  # slow to import, and seldom wanted

    return render_board(position)


Position.drawn_by(draw)
