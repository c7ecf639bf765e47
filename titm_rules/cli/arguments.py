"""Typer's arguments and options, and shell completion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from titm_rules.catalog import game_folders
from titm_rules.diagnostics import TitmError
from titm_rules.editions.house_rules import shipped_overlays
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition, list_editions
from titm_rules.engines.factory import ENGINES
from titm_rules.formats.case_files import shipped_cases
from titm_rules.ir.model import Model

# ---------------------------------------------------------------------- complete
Candidates = Callable[[str], Iterable[str]]


def _beginning(context: typer.Context, incomplete: str, names: Candidates) -> list[str]:
    """List the names with a prefix, of the game that is already on the command line."""
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


# ---------------------------------------------------------------------- arguments
CaseFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        autocompletion=cases,
        help="A case or a situation, as YAML or JSON; the name of one that ships; or a position on one line.",
    ),
]
From = Annotated[
    str,
    typer.Option(
        "--from", metavar="NAME", autocompletion=cases, help="Start from a bundled position instead of FILE."
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="CHANGES", help="Changes to the position, as `18-2, UNIT@PLACE, bridge A-B blown`."),
]
At = Annotated[
    str, typer.Option("--at", metavar="PLACE", help="Ask about the situation at one place of the position: a battle.")
]
QueryWords = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[QUERY] [NAME=VALUE]...",
        autocompletion=questions,
        help="The question and what it takes, as path=A,B.",
    ),
]
EditionDate = Annotated[
    str | None,
    typer.Option(
        "--edition",
        metavar="DATE",
        autocompletion=editions,
        help="Edition or date. Overrides the one in the file.",
    ),
]
Readings = Annotated[
    list[str] | None, typer.Option("--reading", metavar="NAME=CHOICE", help="Take a reading; may be repeated.")
]
ReadingsOption = Annotated[
    str | None, typer.Option("--readings", metavar="all", help="With `all`, fix no reading: it may depend on them.")
]
Overlays = Annotated[
    list[str] | None,
    typer.Option(
        "--overlay",
        metavar="FILE",
        autocompletion=overlays,
        help="Additional house rules, by name or file; may be repeated.",
    ),
]
GameName = Annotated[
    str,
    typer.Option(
        "--game",
        metavar="NAME",
        autocompletion=games,
        help="A game by its name, or the path of its folder; see `titm games`.",
    ),
]
EngineName = Annotated[str, typer.Option("--engine", help=f"One of {', '.join(ENGINES)}.")]
RuleFiles = Annotated[
    list[Path] | None, typer.Argument(metavar="[FILE]...", help="Rule files; default: those that ship.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
FirstEdition = Annotated[str, typer.Argument(metavar="A", help="An edition, or any date; the older one, as a rule.")]
SecondEdition = Annotated[str, typer.Argument(metavar="B", help="The edition to compare with.")]
Jobs = Annotated[int, typer.Option(min=-1, help="How many workers; -1: one for each core.")]
Backend = Annotated[str, typer.Option(help="Parallel backend: loky, or dask or ray where installed.")]
PartsFolder = Annotated[Path | None, typer.Option("--work", metavar="DIR", help="Folder for partial results.")]
StartName = Annotated[str, typer.Argument(metavar="SCENARIO", help="A scenario that ships, or a file with a position.")]
