"""Games: a course of actions from a first position, written down and judged."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from titm_rules.diagnostics import Fault, InputError, TitmError, did_you_mean
from titm_rules.oracle.position import Position
from titm_rules.oracle.verdict import Verdict
from titm_rules.play.action import Action
from titm_rules.play.machine import Happened
from titm_rules.syntax.record import GameRecord, RecordedAction

MAX_TURNS = 200_000
Policy = Callable[[Position, random.Random], Action | None]


@dataclass(frozen=True, slots=True)
class Turn:
    """One action of a game: where it was taken, the dice, what happened, and where it led."""

    before: Position
    action: Action
    dice: tuple[int, ...]
    happened: tuple[Happened, ...]
    after: Position

    @property
    def recorded(self) -> RecordedAction:
        """The action as a line of a record."""
        words = self.before.words(self.action)
        return RecordedAction(self.before.stamp, self.action.by, self.action.kind, words, self.dice)


# ---------------------------------------------------------------------- playing
def choose_randomly(position: Position, chance: random.Random) -> Action | None:
    """Choose among all legal actions, each as likely; nothing if the game is over."""
    actions = list(position.legal_actions)
    return chance.choice(actions) if actions else None


def choose_first(position: Position, chance: random.Random) -> Action | None:
    """Choose the first legal action; nothing if the game is over."""
    del chance
    return next(iter(position.legal_actions), None)


POLICIES: dict[str, Policy] = {"random": choose_randomly, "first": choose_first}


def play_game(start: Position, policy: Policy, seed: int, limit: int = MAX_TURNS) -> Iterator[Turn]:
    """Play by a policy to the end, or for so many actions; like seeds give like games."""
    chance = random.Random(seed)
    position = start
    for _ in range(limit):
        action = policy(position, chance)
        if action is None:
            return
        thrown = position.dice(action)
        dice = tuple(chance.randint(thrown.low, thrown.high) for _ in range(thrown.count)) if thrown else ()
        after, happened = position.play(action, dice)
        yield Turn(position, action, dice, happened, after)
        position = after


# ---------------------------------------------------------------------- records
def record_game(
    name: str, start: Position, actions: Iterable[RecordedAction], overlays: Iterable[str] = ()
) -> GameRecord:
    """Write down a game; `name` is that of the scenario it starts from, `overlays` those of house rules on top."""
    edition = start.edition
    readings = tuple(sorted(edition.readings.items()))
    return GameRecord(edition.date, name, start.digest, readings, tuple(actions), tuple(overlays))


@dataclass(frozen=True, slots=True)
class Told:
    """A turn without its positions, so that a long game can be kept."""

    recorded: RecordedAction
    action: Action
    happened: tuple[Happened, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """A record judged.

    Attributes:
        turns: what was done, up to the first action that is not legal.
        refused: the line that is not legal, with its verdict; nothing if all are.
        final: the position after the last legal action.
    """

    turns: tuple[Told, ...]
    refused: tuple[RecordedAction, Verdict] | None
    final: Position

    @property
    def is_legal(self) -> bool:
        """Whether every action is."""
        return self.refused is None


def replay(record: GameRecord, start: Position, path: str = "$") -> Replay:
    """Play a record through, up to the first action that is not legal.

    Raises:
        InputError: for a record of another start, and for a line that is no action, whose stamp is
            wrong or whose dice are not those that the action throws.
    """
    if start.digest != record.digest:
        raise InputError(
            [Fault(f"the record starts from another position than `{record.start}`", path,
                   f"it says {record.digest}, this one is {start.digest}",
                   "replay it from the position that it was played from", kind="other-start")]
        )  # fmt: skip
    position = start
    turns: list[Told] = []
    for line in record.actions:
        where = f"{path}:{line.line}"
        action = _action(position, line, where)
        verdict = position.judge(action) if not position.is_legal(action) else None
        if verdict is not None:
            return Replay(tuple(turns), (line, verdict), position)
        after, happened = _played(position, action, line, where)
        turns.append(Told(line, action, happened))
        position = after
    return Replay(tuple(turns), None, position)


def _action(position: Position, line: RecordedAction, where: str) -> Action:
    events = position.edition.model.events
    if line.kind not in events:
        raise InputError(
            [Fault(f"unknown action `{line.kind}`", where, "", did_you_mean(line.kind, events), kind="unknown-name")]
        )
    if line.stamp != position.stamp:
        raise InputError(
            [Fault(f"the line is of {line.stamp}, the game stands at {position.stamp}", where,
                   "an action is written under the time at which it is taken", "mend the stamp or the order of lines",
                   kind="bad-stamp")]
        )  # fmt: skip
    return position.read(line.kind, line.by, line.words, where)


def _played(
    position: Position, action: Action, line: RecordedAction, where: str
) -> tuple[Position, tuple[Happened, ...]]:
    try:
        return position.play(action, line.dice)
    except TitmError as error:
        faults = [Fault(f.what, where, f.why, f.fix, kind=f.kind) for f in error.faults]
        raise InputError(faults) from None


# ---------------------------------------------------------------------- counting
def perft(position: Position, depth: int, known: dict[Any, int] | None = None) -> int:
    """Count the courses of `depth` actions from a position; each number of successes is a branch."""
    if depth == 0:
        return 1
    known = {} if known is None else known
    key = (position, depth)
    if key not in known:
        actions = list(position.legal_actions)
        known[key] = sum(perft(after, depth - 1, known) for action in actions for after in branches(position, action))
    return known[key]


def branches(position: Position, action: Action) -> list[Position]:
    """List the positions that an action may lead to, one for each number of successes."""
    return [after for _, _, after in position.outcomes(action)]
