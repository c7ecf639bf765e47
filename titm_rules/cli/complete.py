"""What a shell may complete: names of what ships. A shell is told of no fault, so a fault gives no names."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import typer

from titm_rules.diagnostics import TitmError
from titm_rules.editions.games import game_folders
from titm_rules.editions.load import load_model
from titm_rules.editions.named import default_edition, list_editions
from titm_rules.editions.overlay_files import shipped_overlays
from titm_rules.formats.cases import shipped_cases
from titm_rules.rules.model import Model

Candidates = Callable[[str], Iterable[str]]


def _beginning(context: typer.Context, incomplete: str, names: Candidates) -> list[str]:
    """List the names that begin so, of the game that stands on the line already."""
    try:
        return sorted(name for name in names(context.params.get("game") or "") if name.startswith(incomplete))
    except (TitmError, OSError):
        return []


def _model(game: str) -> Model:
    return load_model(default_edition(game), game)


def cases(context: typer.Context, incomplete: str) -> list[str]:
    """List the scenarios and cases that ship."""
    return _beginning(context, incomplete, shipped_cases)


def games(context: typer.Context, incomplete: str) -> list[str]:
    """List the games."""
    return _beginning(context, incomplete, lambda _: game_folders())


def editions(context: typer.Context, incomplete: str) -> list[str]:
    """List the editions."""
    return _beginning(context, incomplete, lambda game: [info.name for info in list_editions(game)])


def overlays(context: typer.Context, incomplete: str) -> list[str]:
    """List the house rules that ship."""
    return _beginning(context, incomplete, shipped_overlays)


def questions(context: typer.Context, incomplete: str) -> list[str]:
    """List the questions."""
    return _beginning(context, incomplete, lambda game: _model(game).questions)


def clauses(context: typer.Context, incomplete: str) -> list[str]:
    """List the clauses."""
    return _beginning(context, incomplete, lambda game: _model(game).clauses)
