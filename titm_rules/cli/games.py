"""`titm play` and `titm perft`: whole games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from titm_rules.cli.frames import Frames
from titm_rules.cli.guard import print_json
from titm_rules.cli.options import SharedOptions
from titm_rules.cli.recorder import record_file
from titm_rules.cli.show import flat
from titm_rules.diagnostics import did_you_mean
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.game import (
    POLICIES,
    Turn,
    branches,
    open_start,
    perft,
    play_game,
    record_game,
)
from titm_rules.oracle.position import Position


@dataclass(frozen=True)
class Play:
    """How a game is played: by which policy, with which seed, how far, and what is told of it.

    Attributes:
        out: file for the record of the game.
        frames: folder for pictures, one for each part of the game.
    """

    policy: str
    seed: int
    limit: int
    out: Path | None
    verbose: bool
    frames: Path | None = None


# ---------------------------------------------------------------------- playing
def play_through(start: str, play: Play, options: SharedOptions) -> int:
    """Play a game and print its course, a line for each part of it."""
    if play.policy not in POLICIES:
        raise bad(f"unknown policy `{play.policy}`", "--policy", did_you_mean(play.policy, POLICIES), "unknown-name")
    name, position = open_start(start, options.rules)
    part: tuple[str, ...] = ()
    final, frames = position, Frames(play.frames)
    with record_file(play.out, record_game(name, position, (), options.overlays)) as record:
        for turn in _shown(play_game(position, POLICIES[play.policy], play.seed, play.limit), play, options):
            record.add(turn.recorded)
            final = turn.after
            if part != (part := part_of(turn.before)):
                frames.add(turn.before, *part)
    frames.add(final, "end")
    over = next(iter(final.legal_actions), None) is None
    if options.as_json:
        print_json({"actions": record.count, "over": over, "result": final.summary})
    else:
        typer.echo(f"{record.count} actions; {'the game is over' if over else 'stopped'}: {flat(final.summary)}")
    return 0


def _shown(turns: Iterator[Turn], play: Play, options: SharedOptions) -> Iterator[Turn]:
    """Pass turns on; print the course on the way, and show progress where someone watches."""
    from rich.console import Console
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    course = CoursePrinter(play.verbose)
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), TextColumn("{task.completed} actions"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("playing", total=None)
        for turn in turns:
            progress.update(task, advance=1, description=turn.before.stamp)
            if not options.as_json:
                course.add(turn)
            yield turn
        if not options.as_json:
            course.end()


def part_of(position: Position) -> tuple[str, ...]:
    """Name the part of a game that a position belongs to: when it is, and the first text of its summary."""
    texts = [value for value in position.summary.values() if isinstance(value, str)]
    return position.stamp, *texts[:1]


class CoursePrinter:
    """Prints the course of a game: a line a part, or a line an action."""

    def __init__(self, verbose: bool) -> None:
        self.verbose = verbose
        self.part: tuple[str, ...] = ()
        self.kinds: Counter[str] = Counter()

    def add(self, turn: Turn) -> None:
        """Take in a turn; what it begins a new part with prints the part before."""
        if self.verbose:
            typer.echo(str(turn.recorded))
            return
        part = part_of(turn.before)
        if part != self.part:
            self.end()
            self.part = part
        self.kinds[turn.action.kind] += 1

    def end(self) -> None:
        """Print the part that is under way."""
        if self.kinds:
            told = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kinds.items()))
            typer.echo(f"{' '.join(self.part)}: {told}")
        self.kinds.clear()


# ---------------------------------------------------------------------- counting
def count_courses(start: str, depth: int, divide: bool, options: SharedOptions) -> int:
    """Print how many courses there are, at every depth or behind each first action."""
    _, position = open_start(start, options.rules)
    if divide:
        known: dict[Any, int] = {}
        counts = {
            str(action): sum(perft(after, depth - 1, known) for after in branches(position, action))
            for action in position.legal_actions
        }
        total = {"total": sum(counts.values())}
    else:
        counts, total = {str(level): perft(position, level) for level in range(1, depth + 1)}, {}
    if options.as_json:
        print_json({"depth": depth, "courses": counts, **total})
        return 0
    for name, count in [*counts.items(), *total.items()]:
        typer.echo(f"{count:>12}  {name}")
    return 0
