"""`titm games` and `titm new-game`: which games there are, and the start of another one."""

from __future__ import annotations

from pathlib import Path

import typer

from titm_rules.cli.guard import LEGAL, print_json
from titm_rules.cli.show import print_table
from titm_rules.editions.skeleton import write_skeleton
from titm_rules.oracle.shelf import GameInfo, list_games


def show_games(as_json: bool) -> int:
    """Print the games with what they have."""
    from rich.table import Table

    games = list_games()
    if as_json:
        print_json([game.record() for game in games])
        return LEGAL
    table = Table("game", "title", "editions", "questions", "maps", "scenarios", box=None)
    for game in games:
        table.add_row(game.game, game.title or f"cannot be used: {game.fault}", *_counts(game))
    print_table(table)
    return LEGAL


def _counts(game: GameInfo) -> list[str]:
    numbers = map(len, (game.editions, game.questions, game.maps, game.scenarios))
    return [str(number or "") for number in numbers]


def make_game(name: str, parent: Path, as_json: bool) -> int:
    """Write the skeleton of a game and say what to do with it."""
    files = write_skeleton(name, parent)
    if as_json:
        print_json({"game": name, "folder": str(parent / name), "files": [str(path) for path in files]})
        return LEGAL
    for path in files:
        typer.echo(f"written: {path}")
    home = parent / name if parent.is_absolute() else f"./{parent / name}"
    typer.echo(f"check its rules: titm lint --game {home}")
    typer.echo(f"ask it something: titm check {parent / name}/scenarios/first/position.yaml")
    return LEGAL
