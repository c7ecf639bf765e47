"""`titm play`, `perft`, `tournament` and `replay`: whole games and their records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from io import FileIO
from pathlib import Path
from typing import Any

from titm_rules.catalog import game_name
from titm_rules.cli import terminal
from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.diff import parts_folder, write_out
from titm_rules.cli.verdict_text import flat, print_table, show_verdict
from titm_rules.diagnostics import InputError, did_you_mean
from titm_rules.files import begin_file, read_text, write_whole
from titm_rules.formats.safe_json import bad, dumped
from titm_rules.oracle import game
from titm_rules.oracle.batch import ManyGames, Score, play_many, play_tournament, scores, tally_outcomes
from titm_rules.oracle.position import Position
from titm_rules.play.machine import Happened
from titm_rules.service.position_cache import PositionCache
from titm_rules.service.queries import replay_told
from titm_rules.syntax.game_record import GameRecord, RecordedAction, next_link, read_record


# ---------------------------------------------------------------------- recorder
@dataclass
class RecordFile:
    """Counts the actions of a game, and writes each at once if there is a file, with a link to those before it.

    `link` is the last link of the chain; empty if there is none.
    """

    file: FileIO | None = None
    path: Path | None = None
    link: str = ""
    count: int = 0
    whole: int = 0  # bytes of whole lines

    def add(self, line: RecordedAction, after: Position) -> None:
        if self.link:
            self.link = next_link(self.link, line.text, after.digest)
        self.write(f"{replace(line, link=self.link)}\n")
        self.count += 1

    def write(self, text: str) -> None:
        """Write whole lines, or none of them. Raises `InputError` if they cannot be written."""
        if self.file is None:
            return
        whole = text.encode("utf-8")
        try:
            write_whole(self.file, whole)
            self.whole += len(whole)
        except OSError as error:
            with suppress(OSError):
                self.file.truncate(self.whole)
            raise _not_written(str(self.path), error) from None


@contextmanager
def record_file(path: Path | None, head: GameRecord, is_chained: bool = False) -> Iterator[RecordFile]:
    """Open a file for a record, if one is named, and write its head. Raises `InputError` if it cannot be written.

    An older file stays until the head is written.
    """
    if path is None:
        yield RecordFile()
        return
    begin = head.write().encode("utf-8")
    try:
        file = begin_file(path, begin)
    except OSError as error:
        raise _not_written(str(path), error) from None
    with file:
        record = RecordFile(file, path, head.first_link if is_chained else "", whole=len(begin))
        with terminal.report_interrupt(lambda: f"{path} holds the {record.count} actions that were played"):
            yield record


def _not_written(path: str, error: OSError) -> InputError:
    return bad(f"cannot write the record: {error.strerror}", path, kind="no-file")


_NO_FILE = re.compile(r"[^\w-]+")


@dataclass
class Frames:
    """Writes the pictures of a game, numbered in their order; without a folder it writes none."""

    folder: Path | None
    count: int = 0

    def add(self, position: Position, *title: str) -> None:
        if self.folder is None:
            return
        from titm_rules.render.pictures import (  # slow to import, seldom wanted
            plain_picture,
            render_board,
            write_picture,
        )

        self.count += 1
        name = _NO_FILE.sub("-", "-".join(title))
        drawn = render_board(position, plain_picture(position, " ".join(title)))
        write_picture(self.folder / f"{self.count:03}-{name}.svg", drawn)


# ---------------------------------------------------------------------- playing
def play(
    options: SharedOptions, policy: str, seed: int, limit: int, out: Path | None, frames: Path | None, verbose: bool,
    games: int, chain: bool,
) -> None:  # fmt: skip
    """Play a game and print its course (`out`, `frames` and `verbose` are for one), or several and print results."""
    _check_policy(policy, "policy", "--policy")
    if chain and out is None:
        raise bad("a chain is of a record", "--chain", "name the file of the record with -o", "missing-field")
    if games > 1:
        if out or frames or verbose:
            what, fix = "records, pictures and courses are those of one game", "leave out --out, --frames and --verbose"
            raise bad(what, "--games", fix, "bad-value")
        position = game.open_start(options.start, options.rules)[1]
        _play_games(ManyGames(position, policy, seed, games, limit), options)
        return
    name, position = game.open_start(options.start, options.rules)
    course = None if options.as_json else CoursePrinter(verbose)
    part: tuple[str, ...] = ()
    final, pictures = position, Frames(frames)
    with record_file(out, game.record_game(name, position, (), options.overlays), chain) as record:
        for turn in _watched(game.play_game(position, game.POLICIES[policy], seed, limit), course):
            record.add(turn.recorded, turn.after)
            final = turn.after
            if part != (part := part_of(turn.before)):
                pictures.add(turn.before, *part)
    pictures.add(final, "end")
    over = next(iter(final.legal_actions), None) is None
    if options.as_json:
        told = {"actions": record.count, "over": over, "result": final.summary}
        terminal.print_json({**told, **({"last": record.link} if chain else {})})
    else:
        terminal.echo(f"{record.count} actions; {'the game is over' if over else 'stopped'}: {flat(final.summary)}")
        if chain:
            terminal.echo(f"last link: {record.link}; with it, `titm verify` shows whether the record was changed")


def _check_policy(name: str, what: str, option: str) -> None:
    if name not in game.POLICIES:
        raise bad(f"unknown {what} `{name}`", option, did_you_mean(name, game.POLICIES), "unknown-name")


def _watched(turns: Iterator[game.Turn], course: CoursePrinter | None) -> Iterator[game.Turn]:
    with terminal.progress("playing") as tell:
        for number, turn in enumerate(turns, 1):
            tell(f"{turn.before.stamp}: {number} actions", None)
            if course:
                course.add(turn)
            yield turn
        if course:
            course.end()


def part_of(position: Position) -> tuple[str, ...]:
    texts = [value for value in position.summary.values() if isinstance(value, str)]
    return position.stamp, *texts[:1]


@dataclass
class CoursePrinter:
    """Prints the course of a game: a line a part, when the next one begins, or a line an action."""

    verbose: bool
    part: tuple[str, ...] = ()
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, turn: game.Turn) -> None:
        if self.verbose:
            terminal.echo(str(turn.recorded))
            return
        part = part_of(turn.before)
        if part != self.part:
            self.end()
            self.part = part
        self.kinds[turn.action.kind] += 1

    def end(self) -> None:
        if self.kinds:
            told = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kinds.items()))
            terminal.echo(f"{' '.join(self.part)}: {told}")
        self.kinds.clear()


def count_courses(options: SharedOptions, depth: int, divide: bool) -> None:
    _, position = game.open_start(options.start, options.rules)
    if divide:
        known: dict[Any, int] = {}
        counts = {
            str(action): sum(game.perft(after, depth - 1, known) for after in game.branches(position, action))
            for action in position.legal_actions
        }
        total = {"total": sum(counts.values())}
    else:
        counts, total = {str(level): game.perft(position, level) for level in range(1, depth + 1)}, {}
    if options.as_json:
        terminal.print_json({"depth": depth, "courses": counts, **total})
        return
    for name, count in [*counts.items(), *total.items()]:
        terminal.echo(f"{count:>12}  {name}")


def _play_games(wanted: ManyGames, options: SharedOptions) -> None:
    with parts_folder(options, f"games-{wanted.digest}") as folder, terminal.share("playing", " games") as tell:
        rows = play_many(wanted, folder, options.jobs, options.backend, tell)
    if options.as_json:
        terminal.print_json({"games": rows, **dict(tally_outcomes(rows))})
    else:
        actions = sum(row["actions"] for row in rows) / len(rows)
        came = "; ".join(f"{what}: {number}" for what, number in tally_outcomes(rows) if number)
        terminal.echo(f"{len(rows)} games of {actions:.1f} actions on average; {came}")


# ---------------------------------------------------------------------- tournament
def run_tournament(options: SharedOptions, players: str, games: int, seed: int, limit: int) -> None:
    names = [name.strip() for name in players.split(",") if name.strip()]
    for name in names:
        _check_policy(name, "player", "--players")
    position = game.open_start(options.start, options.rules)[1].settled
    course = play_tournament(position, {name: game.POLICIES[name] for name in names}, games, seed, limit)
    played = list(terminal.track(course, "playing"))
    if options.as_json:
        terminal.print_json(
            {"games": [asdict(one) for one in played], "scores": [_told(score) for score in scores(played)]}
        )
    else:
        _show(scores(played), len(played))


def _told(score: Score) -> dict[str, Any]:
    low, high = score.interval
    return {**asdict(score), "rate": round(score.rate, 4), "interval": [round(low, 4), round(high, 4)]}


def _show(found: list[Score], games: int) -> None:
    columns = ("player", "side", "games", "won", "drawn", "lost", "unfinished", "wins", "95% interval")
    print_table(columns, map(_row, found))
    terminal.echo(f"{games} games; the intervals are Wilson's")


def _row(score: Score) -> Sequence[str]:
    low, high = score.interval
    counts = (score.games, score.won, score.drawn, score.lost, score.unfinished)
    return score.player, score.side or "all", *map(str, counts), f"{score.rate:.0%}", f"{low:.0%} to {high:.0%}"


# ---------------------------------------------------------------------- replays
def replay_file(
    options: SharedOptions, path: Path, start: str, actions: int | None, out: Path | None, verbose: bool
) -> int:
    """Judge a record; print the first illegal action with its clauses, or the result (after `actions`, if given)."""
    record = read_record(read_text(path, "record", "name a record"), str(path))
    if actions is not None:
        if actions > len(record.actions):
            what, fix = f"the record has {len(record.actions)} actions", "name one of them, or leave --at out"
            raise bad(what, f"{path}: --at {actions}", fix, "bad-value")
        record = replace(record, actions=record.actions[:actions])
    rules = game.rules_of_record(record, options.rules, str(path))
    position = game.open_start(start, rules)[1] if start else game.open_recorded_start(record, rules, str(path))
    found = game.replay(record, position, str(path))
    if out is not None and found.is_legal:
        write_out(out, _as_case(found.final, out))
    if options.as_json:
        told = replay_told(found, PositionCache())
        terminal.print_answer({"answer": told, "actions": [_turn_json(turn) for turn in found.turns]})
    else:
        _print_replay(found, verbose, actions is not None and out is None)
    return terminal.LEGAL if found.is_legal else terminal.ILLEGAL


def _as_case(position: Position, path: Path) -> str:
    """Write a position with its rules as a case file: YAML, or JSON where the file is named so."""
    edition = position.edition
    readings = {"readings": dict(edition.readings)} if edition.readings else {}
    rules = {"game": game_name(edition.game), "edition": edition.date, **readings}
    case = {**rules, position.situation: position.to_dict()}
    return dumped(case, path.suffix)


def _print_replay(found: game.Replay, verbose: bool, with_position: bool) -> None:
    for turn in found.turns if verbose else ():
        terminal.echo(str(turn.recorded))
        for happened in turn.happened:
            terminal.echo(f"    {happened.action.kind}: {_told_by(happened)}")
    if found.refused is not None:
        line, verdict = found.refused
        terminal.echo(f"line {line.line}: {line}")
        show_verdict(verdict)
        terminal.echo(f"{len(found.turns)} actions before it are legal")
        return
    terminal.echo(f"{len(found.turns)} actions, all legal: {flat(found.final.summary)}")
    if with_position:
        terminal.echo(found.final.notation)


def _turn_json(turn: game.ReplayedTurn) -> dict[str, Any]:
    return {
        "at": turn.recorded.stamp,
        **turn.action.to_dict(),
        "dice": list(turn.recorded.dice),
        "happened": [
            {"kind": one.action.kind, "clauses": list(one.clauses), "course": list(one.course)} for one in turn.happened
        ],
    }


def _told_by(happened: Happened) -> str:
    course = f"(course: {', '.join(happened.course)})" if happened.course else ""
    return " ".join(part for part in (", ".join(happened.clauses), course) if part) or "no clause"
