"""Run long work in parts, resume it, and play many games."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.editions.load import rules_digest
from titm_rules.files import open_file, read_sealed, replace_file, sealed
from titm_rules.oracle.game import POLICIES, Policy, play_game
from titm_rules.oracle.position import Position
from titm_rules.play.action import Action

BACKENDS = ("loky", "multiprocessing", "threading", "sequential", "dask", "ray")
BATCHED, BATCH = ("ray",), 16  # backends of joblib that give nothing back before all is done
Json = dict[str, Any]
BatchCall = tuple[Any, ...]
Work = Callable[..., list[Json]]
TellParts = Callable[[int, int], None]


def resume_parts(
    work: Work, calls: Mapping[Path, BatchCall], jobs: int, backend: str, tell: TellParts,
    weigh: Callable[[BatchCall], int] = lambda _call: 1,
) -> None:  # fmt: skip
    """Do the calls whose rows are not kept yet, in any order, and keep the rows of each as soon as it is done.

    `calls` has the file that keeps the rows of each; `jobs` is the number of workers, -1: one for each core; `backend`
    is who works, as joblib names it; `tell` receives how much is done and the total, of which a call is worth what
    `weigh` says. Raises `InputError` for a backend that is unknown or not installed.
    """
    todo = {path: call for path, call in calls.items() if read_part(path) is None}
    total = sum(map(weigh, calls.values()))
    done = total - sum(map(weigh, todo.values()))
    tell(done, total)
    for path, rows in _run_parts(work, todo, jobs, backend):
        write_part(path, rows)
        Draft(path).discard()
        done += weigh(calls[path])
        tell(done, total)


def _run_parts(
    work: Work, calls: Mapping[Path, BatchCall], jobs: int, backend: str
) -> Iterator[tuple[Path, list[Json]]]:
    """Do calls side by side and yield what they give, in any order."""
    from joblib import Parallel, delayed, parallel_config

    _connect(backend)
    boss = os.getpid()
    tasks = [delayed(_work_for)(boss, work, path, call) for path, call in calls.items()]
    with parallel_config(backend=backend, n_jobs=jobs):
        if backend not in BATCHED:
            yield from Parallel(return_as="generator_unordered")(tasks)
            return
        for start in range(0, len(tasks), BATCH):
            yield from Parallel()(tasks[start : start + BATCH])


def _work_for(boss: int, work: Work, path: Path, call: BatchCall) -> tuple[Path, list[Json]]:
    _end_with(boss)
    return path, work(*call)


@lru_cache(maxsize=1)
def _end_with(boss: int) -> None:
    if os.name != "posix" or os.getppid() != boss:
        return

    def watch() -> None:
        while os.getppid() == boss:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _connect(backend: str) -> None:
    if backend not in BACKENDS:
        raise InputError([Fault(f"unknown backend `{backend}`", "--backend", "", did_you_mean(backend, BACKENDS))])
    try:
        if backend == "dask":
            from distributed import Client

            Client()
        elif backend == "ray":
            # A FutureWarning, because people at the command line see no DeprecationWarning.
            warnings.warn("the backend `ray` is deprecated; use `dask`", FutureWarning, stacklevel=2)
            from ray.util.joblib import register_ray

            register_ray()
    except ImportError as error:
        fix = f"pip install 'titm_rules[{backend}]', or leave --backend out"
        raise InputError([Fault(f"backend `{backend}` is not installed", "--backend", str(error), fix)]) from None


def write_part(path: Path, rows: Sequence[Json]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    replace_file(path, sealed(text.encode("utf-8")))


def read_part(path: Path) -> list[Json] | None:
    """Read the rows of a part; nothing if it is not there, or not as it was written."""
    try:
        with open_file(path, "part") as file:
            data = read_sealed(file)
    except (OSError, InputError):
        return None
    return None if data is None else [json.loads(line) for line in data.decode("utf-8").split("\n")[:-1]]


KEPT_EVERY_S = 20


class Draft:
    """Keeps what is done of a part that takes long, so that an interrupted run goes on from there.

    Without a path nothing is kept.
    """

    def __init__(self, part: Path | None) -> None:
        self.path = None if part is None else part.with_suffix(".begun")
        self._kept = time.monotonic()

    def read(self) -> list[Json]:
        return (read_part(self.path) or []) if self.path else []

    def keep(self, rows: Callable[[], list[Json]]) -> None:
        """Keep rows in place of the older ones, if those are older than some seconds."""
        if self.path and time.monotonic() - self._kept >= KEPT_EVERY_S:
            write_part(self.path, rows())
            self._kept = time.monotonic()

    def discard(self) -> None:
        if self.path:
            self.path.unlink(missing_ok=True)


FORMAT = 1
PART = 10  # games that are written together
GameRow = dict[str, Any]


@dataclass(frozen=True)
class ManyGames:
    """Games by one policy, of at most `limit` actions each; their seeds are `seed`, the next one, and so on."""

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
        end = self.seed + self.games
        return [range(first, min(first + PART, end)) for first in range(self.seed, end, PART)]


def play_many(wanted: ManyGames, folder: Path, jobs: int, backend: str, tell: TellParts) -> list[GameRow]:
    """Play games in parallel, or resume an interrupted run; return a row for each, in the order of seeds.

    What is already in the folder of parts is not played again; `jobs`, `backend` and `tell` are as in `resume_parts`.
    Raises `InputError` for a bad backend, or a start from which no game goes on.
    """
    _ = wanted.start.settled
    files = {folder / f"{seeds[0]}-{seeds[-1]}.jsonl": seeds for seeds in wanted.parts}
    calls = {file: (wanted.start, wanted.policy, seeds, wanted.limit, Draft(file)) for file, seeds in files.items()}
    resume_parts(play_part, calls, jobs, backend, tell, weigh=lambda call: len(call[2]))
    return [row for file in files for row in (read_part(file) or ())[1:]]


def play_part(start: Position, policy: str, seeds: range, limit: int, draft: Draft) -> list[GameRow]:
    """Play one game for each seed that the draft does not hold; give the number of games, and then a row for each."""
    rows = draft.read() or [{"games": len(seeds)}]
    for seed in seeds[len(rows) - 1 :]:
        rows.append(_row(start, policy, seed, limit))
        draft.keep(lambda: rows)
    return rows


def _row(start: Position, policy: str, seed: int, limit: int) -> GameRow:
    final, actions = _last(start, POLICIES[policy], seed, limit)
    outcome = final.outcome()
    winner = None if outcome is None else outcome.winner
    return {"seed": seed, "actions": actions, "over": outcome is not None, "winner": winner, "result": final.summary}


def _last(start: Position, policy: Policy, seed: int, limit: int) -> tuple[Position, int]:
    final, actions = start, 0
    for turn in play_game(start, policy, seed, limit):
        final, actions = turn.after, actions + 1
    return final, actions


def tally_outcomes(rows: Sequence[GameRow]) -> Iterator[tuple[str, int]]:
    """Yield what came of games, each with how many: who has won, how many were drawn or stopped."""
    over = [row for row in rows if row["over"]]
    winners = [row["winner"] for row in over]
    for name in sorted({one for one in winners if one is not None}):
        yield f"{name} won", winners.count(name)
    yield "without a winner", winners.count(None)
    yield "stopped", len(rows) - len(over)


WON, DRAWN, LOST, UNFINISHED = "won", "drawn", "lost", "unfinished"
Z_95 = 1.959963984540054  # a normal variable lies within so many deviations in 95 of 100 cases


@dataclass(frozen=True, slots=True)
class Game:
    """One game of a tournament: the player and the return of each side; same seats and seed, same game.

    `winner` is empty for a draw or a game that was stopped; `over` says whether it came to its end.
    """

    seats: Mapping[str, str]
    seed: int
    actions: int
    winner: str | None
    over: bool
    returns: Mapping[str, int]

    def of(self, side: str) -> str:
        """Say how a side fared: won, drawn, lost or unfinished."""
        if not self.over:
            return UNFINISHED
        if self.winner is None:
            return DRAWN
        return WON if side == self.winner else LOST


@dataclass(frozen=True, slots=True)
class Score:
    """How one player fared, in one seat or (`side` is empty) in all; `returns` is the average."""

    player: str
    side: str
    games: int
    won: int
    drawn: int
    lost: int
    unfinished: int
    returns: float

    @property
    def rate(self) -> float:
        return self.won / self.games

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.won, self.games)


def wilson(won: int, games: int, z: float = Z_95) -> tuple[float, float]:
    """Give the interval of the chance to win, from `won` of `games` (1 or more), to `z` deviations (Wilson 1927)."""
    share = won / games
    if won in (0, games):  # one end is exact, and floating point should not blur it
        far = 1 / (1 + z * z / games)
        return (0.0, 1 - far) if won == 0 else (far, 1.0)
    spread = z * z / games
    middle = share + spread / 2
    width = z * sqrt(share * (1 - share) / games + spread / (4 * games))
    return (middle - width) / (1 + spread), (middle + width) / (1 + spread)


def seated(seats: Mapping[str, Policy]) -> Policy:
    """Make one policy of several: of the sides that may act the first one does, by the player of its seat."""

    def choose(position: Position, actions: Collection[Action], chance: Random) -> Action:
        side = position.to_act[0]
        return seats[side](position, [action for action in actions if action.by == side], chance)

    return choose


def play_tournament(
    start: Position, players: Mapping[str, Policy], games: int, seed: int = 0, limit: int = 5_000
) -> Iterator[Game]:
    """Play every seating of some players as often, and yield the games one by one.

    Each seating plays so many games of at most `limit` actions. Its first one has the seed that is given, the next one
    more; so all seatings meet the same chance. Raises `InputError` for too few players.
    """
    sides = start.sides
    if len(players) < len(sides) or len(sides) < 2:
        what, fix = "nobody plays against another", "choose a scenario with two sides"
        if len(sides) > 1:
            what, fix = f"players named: {len(players)}, sides: {len(sides)}", f"name {len(sides)} or more"
        raise InputError([Fault(what, "--players", "each side has a player of its own", fix, kind="bad-value")])
    for number in range(games):
        for order in permutations(players, len(sides)):
            yield _game(start, dict(zip(sides, order, strict=True)), players, seed + number, limit)


def _game(start: Position, seats: Mapping[str, str], players: Mapping[str, Policy], seed: int, limit: int) -> Game:
    policy = seated({side: players[name] for side, name in seats.items()})
    final, actions = _last(start, policy, seed, limit)
    outcome = final.outcome()
    winner = None if outcome is None else outcome.winner
    return Game(seats, seed, actions, winner, outcome is not None, final.returns)


def scores(games: Sequence[Game]) -> list[Score]:
    """Count how each player fared, in all seats and in each, in the order in which they were seated first."""
    found: list[Score] = []
    for player in dict.fromkeys(name for game in games for name in game.seats.values()):
        sides = dict.fromkeys(side for game in games for side, name in game.seats.items() if name == player)
        by_side = [_score(games, player, [side]) for side in sides]
        found += [_score(games, player, list(sides)), *by_side]
    return found


def _score(games: Sequence[Game], player: str, sides: Sequence[str]) -> Score:
    played = [(game, side) for game in games for side in sides if game.seats.get(side) == player]
    count = Counter(game.of(side) for game, side in played)
    worth = sum(game.returns.get(side, 0) for game, side in played) / len(played)
    side = sides[0] if len(sides) == 1 else ""
    return Score(player, side, len(played), count[WON], count[DRAWN], count[LOST], count[UNFINISHED], worth)
