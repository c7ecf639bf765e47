"""Options that several groups of commands take, as typer reads them."""

from typing import Annotated

import typer

from titm_rules.cli import complete

GameName = Annotated[
    str,
    typer.Option(
        "--game",
        metavar="NAME",
        autocompletion=complete.games,
        help="A game by its name, or the path of its folder; see `titm games`.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
