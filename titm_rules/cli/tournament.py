"""`titm tournament`: players against each other."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import typer

from titm_rules.cli.guard import print_json
from titm_rules.cli.options import SharedOptions
from titm_rules.cli.show import print_table
from titm_rules.diagnostics import did_you_mean
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.game import POLICIES, open_start
from titm_rules.oracle.players import Policy
from titm_rules.oracle.position import Position
from titm_rules.oracle.tournament import Game, Score, play_tournament, scores


@dataclass(frozen=True)
class Tournament:
    """Who plays, how often in each seating, with which first seed, and after how many actions a game is stopped."""

    players: str
    games: int
    seed: int
    limit: int


def run_tournament(start: str, wanted: Tournament, options: SharedOptions) -> int:
    """Play all seatings, and print how often each player has won, with the interval of that share."""
    players = _players(wanted.players)
    position = open_start(start, options.rules)[1].settled
    games = _watched(players, wanted, position)
    if options.as_json:
        print_json({"games": [asdict(game) for game in games], "scores": [_told(score) for score in scores(games)]})
    else:
        _show(scores(games), len(games))
    return 0


def _players(text: str) -> dict[str, Policy]:
    """Read the names of players; one that is named twice is one player."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in POLICIES:
            raise bad(f"unknown player `{name}`", "--players", did_you_mean(name, POLICIES), "unknown-name")
    return {name: POLICIES[name] for name in names}


def _watched(players: dict[str, Policy], wanted: Tournament, position: Position) -> list[Game]:
    """Play, with progress where someone watches."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    games = play_tournament(position, players, wanted.games, wanted.seed, wanted.limit)
    return list(track(games, "playing", console=console, transient=True, disable=not console.is_terminal))


def _told(score: Score) -> dict[str, Any]:
    low, high = score.interval
    return {**asdict(score), "rate": round(score.rate, 4), "interval": [round(low, 4), round(high, 4)]}


def _show(found: list[Score], games: int) -> None:
    from rich.table import Table

    table = Table("player", "side", "games", "won", "drawn", "lost", "unfinished", "wins", "95% interval", box=None)
    for score in found:
        low, high = score.interval
        counts = (score.games, score.won, score.drawn, score.lost, score.unfinished)
        table.add_row(
            score.player, score.side or "all", *map(str, counts), f"{score.rate:.0%}", f"{low:.0%} to {high:.0%}"
        )
    print_table(table)
    typer.echo(f"{games} games; the intervals are Wilson's")
