"""Random games of the scenarios beside random games of chess: `python -m benchmarks.games [--rounds N] [SCENARIO]...`.

`--fresh SCENARIO` times the first actions of a process, for which rules are compiled, and the same actions again.

First the lists of actions are compared with those of the library engine, along a random course. Then games and chess
take turns, so that what else the machine does falls on both alike. A round is so many actions or plies; what stands
in a row is the fastest, in processor time, and how many plies of chess go into one action in the middle round.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import chess
from titm_rules.oracle.case import Rules
from titm_rules.oracle.game import POLICIES, open_start, play_game
from titm_rules.oracle.position import Position

EDITION = "1999"
ACTIONS, PLIES = 1_000, 1_000
FIRST = 1_500  # actions in a fresh process


@dataclass(frozen=True)
class Scenario:
    """A scenario that is played.

    Attributes:
        aim: how many plies of chess an action may take.
        compared: for so many actions lists are compared with those of the library engine.
    """

    name: str
    aim: float | None = None
    compared: int = 10


SCENARIOS = (
    Scenario("two-bridges", 4),
    Scenario("sauer-crossing", compared=4),
    Scenario("seventh-army", 4),
    Scenario("campaign", 6, compared=2),
)


def chess_games(chance: random.Random) -> Iterator[None]:
    """Play chess at random, game after game: one step for each ply."""
    while True:
        board = chess.Board()
        while not board.is_game_over():
            board.push(chance.choice(list(board.legal_moves)))
            yield


def games(start: Position) -> Iterator[None]:
    """Play a scenario at random, game after game: one step for each action."""
    for seed in itertools.count():
        for _ in play_game(start, POLICIES["random"], seed):
            yield


def timed(steps: Iterator[None], number: int) -> float:
    """Give the processor time of a step, in microseconds."""
    begin = time.process_time()
    for _ in itertools.islice(steps, number):
        pass
    return (time.process_time() - begin) / number * 1e6


def agrees(scenario: Scenario) -> bool:
    """Whether two engines list the same actions along a random course."""
    _, start = open_start(scenario.name, Rules(EDITION))
    other = start.under(replace(start.edition, engine="library"))
    for turn in play_game(start, POLICIES["random"], seed=1, limit=scenario.compared):
        if list(turn.before.legal_actions) != list(other.legal_actions):
            return False
        other = other.apply(turn.action, turn.dice)
    return True


def row(scenario: Scenario, rounds: int) -> str:
    """Compare, then time a scenario and chess in turns; write the row of the table."""
    if not agrees(scenario):
        return f"| {scenario.name} | the engines list other actions | | | |"
    _, start = open_start(scenario.name, Rules(EDITION))
    played, plies = games(start), chess_games(random.Random(1))
    timed(played, ACTIONS)  # what is compiled once is not counted
    pairs = [(timed(played, ACTIONS), timed(plies, PLIES)) for _ in range(rounds)]
    action, ply = (min(each) for each in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    aim = f"{scenario.aim:g}" if scenario.aim is not None else ""
    return f"| {scenario.name} | {action:.0f} us | {ply:.0f} us | {ratio:.1f} | {aim} |"


def table(rounds: int, wanted: list[str]) -> Iterator[str]:
    """Give the lines of the table."""
    yield "| random games | an action | a ply of chess | plies to an action | aim |"
    yield "| --- | --- | --- | --- | --- |"
    for scenario in SCENARIOS:
        if not wanted or scenario.name in wanted:
            yield row(scenario, rounds)


def fresh(name: str) -> str:
    """Time the first actions of this process, and the same again, in plies of chess; nothing was played before."""
    _, start = open_start(name, Rules(EDITION))
    first, again = timed(games(start), FIRST), timed(games(start), FIRST)
    ply = timed(chess_games(random.Random(1)), FIRST)
    return f"| {name} | {first / ply:.1f} | {again / ply:.1f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.games", description="Whole games beside chess.")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help="only these")
    parser.add_argument("--rounds", type=int, default=7, help="how often each is timed")
    parser.add_argument("--fresh", action="store_true", help="the first actions of this process")
    asked = parser.parse_args()
    if asked.fresh:
        print(fresh(asked.scenarios[0]))
        return
    for line in table(asked.rounds, asked.scenarios):
        print(line, flush=True)


if __name__ == "__main__":
    main()
