"""Tournaments: players meet in all seats of a scenario, and how often each has won is told with its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import sqrt
from random import Random

from titm_rules.diagnostics import Fault, InputError
from titm_rules.oracle.game import play_game
from titm_rules.oracle.players import Policy
from titm_rules.oracle.position import Position
from titm_rules.play.action import Action

WON, DRAWN, LOST, UNFINISHED = "won", "drawn", "lost", "unfinished"
Z_95 = 1.959963984540054  # a normal variable lies within so many deviations in 95 of 100 cases


@dataclass(frozen=True, slots=True)
class Game:
    """One game of a tournament.

    Attributes:
        seats: the player of each side, by side.
        seed: what it was played with; the same seats and seed give the same game.
        actions: how many were taken.
        winner: the side that won; nothing for a draw or a game that was stopped.
        over: whether it came to its end.
        returns: what the result is worth, by side.
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
    """How one player fared, in one seat or in all.

    Attributes:
        side: the seat; empty: all seats together.
        returns: what its results were worth on average.
    """

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
        """The share of games won, from 0 to 1."""
        return self.won / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of that share, after Wilson."""
        return wilson(self.won, self.games)


def wilson(won: int, games: int, z: float = Z_95) -> tuple[float, float]:
    """Give the interval in which the chance to win lies, from `won` of `games`, after Wilson (1927).

    Args:
        won: from 0 to `games`.
        games: 1 or more.
        z: how many standard deviations it reaches to each side.
    """
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

    Args:
        start: where every game begins.
        players: policies by name, as many as there are sides or more.
        games: how many games each seating plays.
        seed: the first game of each seating has this one, the next one more; so all seatings meet the same chance.
        limit: a game is stopped after so many actions.

    Raises:
        InputError: for too few players.
    """
    sides = start.sides
    if len(players) < len(sides) or len(sides) < 2:
        what = (
            f"players named: {len(players)}, sides: {len(sides)}" if len(sides) > 1 else "nobody plays against another"
        )
        fix = f"name {len(sides)} or more" if len(sides) > 1 else "choose a scenario with two sides"
        raise InputError([Fault(what, "--players", "each side has a player of its own", fix, kind="bad-value")])
    for number in range(games):
        for order in permutations(players, len(sides)):
            yield _game(start, dict(zip(sides, order, strict=True)), players, seed + number, limit)


def _game(start: Position, seats: Mapping[str, str], players: Mapping[str, Policy], seed: int, limit: int) -> Game:
    final, actions = start, 0
    for turn in play_game(start, seated({side: players[name] for side, name in seats.items()}), seed, limit):
        final, actions = turn.after, actions + 1
    outcome = final.outcome()
    if outcome is None:
        return Game(seats, seed, actions, None, False, final.returns)
    return Game(seats, seed, actions, outcome.winner, True, outcome.returns)


def scores(games: Sequence[Game]) -> list[Score]:
    """Count how each player fared, in all seats and in each, in the order in which they were seated first."""
    found: list[Score] = []
    for player in dict.fromkeys(name for game in games for name in game.seats.values()):
        sides = dict.fromkeys(side for game in games for side, name in game.seats.items() if name == player)
        by_side = [_score(games, player, [side]) for side in sides]
        found += [_score(games, player, list(sides)), *by_side]
    return found


def _score(games: Sequence[Game], player: str, sides: Sequence[str]) -> Score:
    """Count one player's games in some seats."""
    played = [(game, side) for game in games for side in sides if game.seats.get(side) == player]
    count = Counter(game.of(side) for game, side in played)
    worth = sum(game.returns.get(side, 0) for game, side in played) / len(played)
    side = sides[0] if len(sides) == 1 else ""
    return Score(player, side, len(played), count[WON], count[DRAWN], count[LOST], count[UNFINISHED], worth)
