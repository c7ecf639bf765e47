"""Many games from one start, played side by side; they are written in parts, so that a run can go on where it was."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from titm_rules.editions.load import rules_digest
from titm_rules.oracle.game import POLICIES, play_game
from titm_rules.oracle.labour import read_part, shared_out, write_part
from titm_rules.oracle.position import Position

FORMAT = 1
PART = 10  # games that are written together
GameRow = dict[str, Any]
TellPlayed = Callable[[int, int], None]


@dataclass(frozen=True)
class ManyGames:
    """Games by one policy, each with a seed of its own: `seed`, the next one, and so on.

    Attributes:
        limit: a game is stopped after so many actions.
    """

    start: Position
    policy: str
    seed: int
    games: int
    limit: int

    @property
    def digest(self) -> str:
        """A name for the results: another one if the rules, the start or the way to play change, not the number."""
        edition = self.start.edition
        rules = rules_digest(edition.date, edition.game, tuple(map(str, edition.overlays)))
        how = (FORMAT, self.start.digest, sorted(edition.readings.items()), edition.engine, self.policy, self.limit)
        return hashlib.sha256(f"{how}\0{rules}".encode()).hexdigest()[:16]

    @property
    def parts(self) -> list[range]:
        """The seeds of each part."""
        end = self.seed + self.games
        return [range(first, min(first + PART, end)) for first in range(self.seed, end, PART)]


def play_many(wanted: ManyGames, folder: Path, jobs: int, backend: str, tell: TellPlayed) -> list[GameRow]:
    """Play games side by side, or go on with a run that was broken off; give a row for each, in the order of seeds.

    Args:
        wanted: the games.
        folder: where the parts are kept; what is there already is not played again.
        jobs: how many workers; -1: one for each core.
        backend: who works, as joblib names it.
        tell: is told how many games are played, and of how many.

    Raises:
        InputError: for a backend that is unknown or not installed, or a start from which no game goes on.
    """
    _ = wanted.start.settled
    missing = [seeds for seeds in wanted.parts if _read(folder, seeds) is None]
    played = wanted.games - sum(map(len, missing))
    tell(played, wanted.games)
    calls = [(wanted.start, wanted.policy, seeds, wanted.limit) for seeds in missing]
    for seeds, rows in shared_out(play_part, calls, jobs, backend):
        write_part(_file(folder, seeds), [{"games": len(rows)}, *rows])
        played += len(rows)
        tell(played, wanted.games)
    return [row for seeds in wanted.parts for row in _read(folder, seeds) or ()]


def play_part(start: Position, policy: str, seeds: range, limit: int) -> tuple[range, list[GameRow]]:
    """Play one game for each seed; give the seeds and a row for each game."""
    return seeds, [_row(start, policy, seed, limit) for seed in seeds]


def _row(start: Position, policy: str, seed: int, limit: int) -> GameRow:
    final, actions = start, 0
    for turn in play_game(start, POLICIES[policy], seed, limit):
        final, actions = turn.after, actions + 1
    outcome = final.outcome()
    winner = None if outcome is None else outcome.winner
    return {"seed": seed, "actions": actions, "over": outcome is not None, "winner": winner, "result": final.summary}


def _file(folder: Path, seeds: Sequence[int]) -> Path:
    return folder / f"{seeds[0]}-{seeds[-1]}.jsonl"


def _read(folder: Path, seeds: Sequence[int]) -> list[GameRow] | None:
    """Read the rows of a part; nothing if it is not there or not whole."""
    found = read_part(_file(folder, seeds))
    return None if found is None or len(found) != len(seeds) + 1 else found[1:]


def counted(rows: Sequence[GameRow]) -> Iterator[tuple[str, int]]:
    """Yield what came of games, each with how many: who has won, how many were drawn or stopped."""
    over = [row for row in rows if row["over"]]
    winners = [row["winner"] for row in over]
    for name in sorted({one for one in winners if one is not None}):
        yield f"{name} won", winners.count(name)
    yield "without a winner", winners.count(None)
    yield "stopped", len(rows) - len(over)
