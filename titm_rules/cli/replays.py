"""`titm replay`: records of games, judged, and the positions that they come to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from titm_rules.cli.guard import print_answer
from titm_rules.cli.labour import write_out
from titm_rules.cli.options import SharedOptions
from titm_rules.cli.show import flat, show_verdict
from titm_rules.editions.games import game_name
from titm_rules.files import read_text
from titm_rules.formats.jsonin import bad, dumped
from titm_rules.oracle.game import (
    Replay,
    ReplayedTurn,
    open_recorded_start,
    open_start,
    replay,
    rules_of_record,
)
from titm_rules.oracle.position import Position
from titm_rules.play.machine import Happened
from titm_rules.service.replays import replay_told
from titm_rules.service.seen import Seen
from titm_rules.syntax.record import GameRecord, read_record


@dataclass(frozen=True)
class WantedReplay:
    """What of a record is wanted: the position after so many actions, a file for it, and every action in words.

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
        told = replay_told(found, Seen())
        print_answer({"answer": told.model_dump(), "actions": [_turn_json(turn) for turn in found.turns]})
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
    """Name what says what came of an event; what only keeps the books stands in parentheses."""
    course = f"(course: {', '.join(happened.course)})" if happened.course else ""
    return " ".join(part for part in (", ".join(happened.clauses), course) if part) or "no clause"
