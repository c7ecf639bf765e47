"""The arguments and options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from titm_rules.cli import complete
from titm_rules.engines.make import ENGINES

CaseFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        autocompletion=complete.cases,
        help="A case or a situation, as YAML or JSON; the name of one that ships; or a position on one line.",
    ),
]
From = Annotated[
    str,
    typer.Option(
        "--from", metavar="NAME", autocompletion=complete.cases, help="What would be FILE, which is then left out."
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="CHANGES", help="What differs, as `18-2, UNIT@PLACE, bridge A-B blown`."),
]
At = Annotated[
    str, typer.Option("--at", metavar="PLACE", help="Ask about what a place of the position is by itself: a battle.")
]
QueryWords = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[QUERY] [NAME=VALUE]...",
        autocompletion=complete.questions,
        help="The question and what it takes, as path=A,B.",
    ),
]
EditionDate = Annotated[
    str | None,
    typer.Option(
        "--edition",
        metavar="DATE",
        autocompletion=complete.editions,
        help="Edition to judge by, or any date; goes before the file's.",
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
        autocompletion=complete.overlays,
        help="House rules on top, by name or file; may be repeated.",
    ),
]
GameName = Annotated[
    str,
    typer.Option(
        "--game",
        metavar="NAME",
        autocompletion=complete.games,
        help="A game by its name, or the path of its folder; see `titm games`.",
    ),
]
EngineName = Annotated[str, typer.Option("--engine", help=f"One of {', '.join(ENGINES)}.")]
RuleFiles = Annotated[
    list[Path] | None, typer.Argument(metavar="[FILE]...", help="Rule files; default: those that ship.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
FirstEdition = Annotated[str, typer.Argument(metavar="A", help="An edition, or any date; the older one, as a rule.")]
SecondEdition = Annotated[str, typer.Argument(metavar="B", help="Another one.")]
Jobs = Annotated[int, typer.Option(min=-1, help="How many workers; -1: one for each core.")]
Backend = Annotated[str, typer.Option(help="Who works: loky, or dask or ray where installed.")]
PartsFolder = Annotated[Path | None, typer.Option("--work", metavar="DIR", help="Keep the parts here.")]
StartName = Annotated[str, typer.Argument(metavar="SCENARIO", help="A scenario that ships, or a file with a position.")]
