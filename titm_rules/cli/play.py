"""`titm play`, `perft`, `tournament` and `replay`: whole games and their records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from io import FileIO
from pathlib import Path
from typing import Any

import typer

from titm_rules.catalog import game_name
from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.diff import JobOptions, write_out
from titm_rules.cli.terminal import echo, print_answer, print_json, progress, report_interrupt
from titm_rules.cli.verdict_text import flat, print_table, show_verdict
from titm_rules.diagnostics import InputError, did_you_mean
from titm_rules.files import read_text
from titm_rules.formats.safe_json import bad, dumped
from titm_rules.oracle.batch import Game, ManyGames, Score, play_many, play_tournament, scores, tally_outcomes
from titm_rules.oracle.game import (
    POLICIES,
    Policy,
    Replay,
    ReplayedTurn,
    Turn,
    branches,
    open_recorded_start,
    open_start,
    perft,
    play_game,
    record_game,
    replay,
    rules_of_record,
)
from titm_rules.oracle.position import Position
from titm_rules.play.machine import Happened
from titm_rules.service.position_cache import PositionCache
from titm_rules.service.queries import replay_told
from titm_rules.syntax.game_record import GameRecord, RecordedAction, read_record


# ---------------------------------------------------------------------- recorder
class RecordFile:
    """Counts the actions of a game, and writes each at once if there is a file."""

    def __init__(self, file: FileIO | None = None) -> None:
        self.count = 0
        self._file = file
        self._whole = 0  # bytes of whole lines

    def add(self, line: RecordedAction) -> None:
        """Take in an action.

        Raises:
            InputError: if it cannot be written.
        """
        self.write(f"{line}\n")
        self.count += 1

    def write(self, text: str) -> None:
        """Write whole lines, or none of them.

        Raises:
            InputError: if they cannot be written.
        """
        if self._file is None:
            return
        left = whole = text.encode("utf-8")
        try:
            while left:  # a disk that is nearly full takes a part
                left = left[self._file.write(left) :]
            self._whole += len(whole)
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(self._whole)
            raise _not_written(str(self._file.name), error) from None


@contextmanager
def record_file(path: Path | None, head: GameRecord) -> Iterator[RecordFile]:
    """Open a file for a record, if one is named, and write its head.

    Raises:
        InputError: if it cannot be written.
    """
    if path is None:
        yield RecordFile()
        return
    try:
        file = FileIO(str(path), "w")
    except OSError as error:
        raise _not_written(str(path), error) from None
    with file:
        record = RecordFile(file)
        record.write(head.write())
        with report_interrupt(lambda: f"{path} holds the {record.count} actions that were played"):
            yield record


def _not_written(path: str, error: OSError) -> InputError:
    return bad(f"cannot write the record: {error.strerror}", path, kind="no-file")


# ---------------------------------------------------------------------- frames
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


# ---------------------------------------------------------------------- games
@dataclass(frozen=True)
class Play:
    """Settings of a game: the policy, the seed, the limit of actions, and the output.

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
    """Yield the turns; print the course, and show progress on a terminal."""
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
        """Add a turn; the first turn of a new part prints the part before."""
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


# ---------------------------------------------------------------------- many
def play_games(start: str, play: Play, games: int, labour: JobOptions, options: SharedOptions) -> int:
    """Play many games, or resume an interrupted run, and print the results."""
    if play.policy not in POLICIES:
        raise bad(f"unknown policy `{play.policy}`", "--policy", did_you_mean(play.policy, POLICIES), "unknown-name")
    if replace(play, out=None, frames=None, verbose=False) != play:
        what, fix = "records, pictures and courses are those of one game", "leave out --out, --frames and --verbose"
        raise bad(what, "--games", fix, "bad-value")
    wanted = ManyGames(open_start(start, options.rules)[1], play.policy, play.seed, games, play.limit)
    with labour.kept(f"games-{wanted.digest}") as folder, progress("playing") as tell:

        def told(played: int, of: int) -> None:
            tell(f"{played} of {of} games", played / of)

        rows = play_many(wanted, folder, labour.jobs, labour.backend, told)
    if options.as_json:
        print_json({"games": rows, **dict(tally_outcomes(rows))})
    else:
        actions = sum(row["actions"] for row in rows) / len(rows)
        came = "; ".join(f"{what}: {number}" for what, number in tally_outcomes(rows) if number)
        echo(f"{len(rows)} games of {actions:.1f} actions on average; {came}")
    return 0


# ---------------------------------------------------------------------- tournament
@dataclass(frozen=True)
class Tournament:
    """Settings of a tournament: players, games in each seating, first seed, and the limit of actions."""

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
    """Yield the games, with progress on a terminal."""
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


# ---------------------------------------------------------------------- replays
@dataclass(frozen=True)
class WantedReplay:
    """The parts of a replay to output: the position after so many actions, a file for it, and every action in words.

    Attributes:
        at: judge so many actions; none: all.
        out: file for the position reached, as a case.
    """

    at: int | None = None
    out: Path | None = None
    verbose: bool = False


def replay_file(file: Path, start: str, shown: WantedReplay, options: SharedOptions) -> int:
    """Judge a record; print the first action that is not legal with its clauses, or the result."""
    record = read_record(read_text(file, "record", "name a record"), str(file))
    if shown.at is not None:
        record = _beginning(record, shown.at, str(file))
    rules = rules_of_record(record, options.rules, str(file))
    position = open_start(start, rules)[1] if start else open_recorded_start(record, rules, str(file))
    found = replay(record, position, str(file))
    if shown.out is not None and found.is_legal:
        write_out(shown.out, _as_case(found.final, shown.out))
    if options.as_json:
        told = replay_told(found, PositionCache())
        print_answer({"answer": told, "actions": [_turn_json(turn) for turn in found.turns]})
    else:
        _print_replay(found, shown)
    return 0 if found.is_legal else 1


def _beginning(record: GameRecord, actions: int, path: str) -> GameRecord:
    """Give the first so many actions of a record.

    Raises:
        InputError: if it has not so many.
    """
    if actions > len(record.actions):
        what, fix = f"the record has {len(record.actions)} actions", "name one of them, or leave --at out"
        raise bad(what, f"{path}: --at {actions}", fix, "bad-value")
    return replace(record, actions=record.actions[:actions])


def _as_case(position: Position, path: Path) -> str:
    """Write a position with its rules as a case file: YAML, or JSON where the file is named so."""
    edition = position.edition
    readings = {"readings": dict(edition.readings)} if edition.readings else {}
    rules = {"game": game_name(edition.game), "edition": edition.date, **readings}
    case = {**rules, position.situation: position.to_dict()}
    return dumped(case, path.suffix)


def _print_replay(found: Replay, shown: WantedReplay) -> None:
    for turn in found.turns if shown.verbose else ():
        typer.echo(str(turn.recorded))
        for happened in turn.happened:
            typer.echo(f"    {happened.action.kind}: {_told_by(happened)}")
    if found.refused is not None:
        line, verdict = found.refused
        typer.echo(f"line {line.line}: {line}")
        show_verdict(verdict)
        typer.echo(f"{len(found.turns)} actions before it are legal")
        return
    typer.echo(f"{len(found.turns)} actions, all legal: {flat(found.final.summary)}")
    if shown.at is not None and shown.out is None:
        typer.echo(found.final.notation)


def _turn_json(turn: ReplayedTurn) -> dict[str, Any]:
    return {
        "at": turn.recorded.stamp,
        **turn.action.to_dict(),
        "dice": list(turn.recorded.dice),
        "happened": [
            {"kind": one.action.kind, "clauses": list(one.clauses), "course": list(one.course)} for one in turn.happened
        ],
    }


def _told_by(happened: Happened) -> str:
    """List the clauses that decided an event; sections of the course of play are in parentheses."""
    course = f"(course: {', '.join(happened.course)})" if happened.course else ""
    return " ".join(part for part in (", ".join(happened.clauses), course) if part) or "no clause"
