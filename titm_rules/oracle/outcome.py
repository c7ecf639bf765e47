"""How a game stands and ends: who has won, and what that is worth, as the rule set tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from titm_rules.engines.engine import Engine
from titm_rules.engines.shower import Shower
from titm_rules.rules.model import RETURNS, STANDING, WINNER, Model


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game has ended.

    Attributes:
        winner: the side that has won; nothing for a draw, or where the rule set does not tell.
        returns: what that is worth, by side, in the units of the rule set; 1 and -1 where it counts none, 0 for a draw.
        result: the summary of the last position, such as its points and the level of victory.
    """

    winner: str | None
    returns: Mapping[str, int]
    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Victory:
    """What a rule set tells of who wins in one situation.

    Attributes:
        winner: the side that has won by now; nothing if none has.
        returns: what that is worth, by side.
        standing: how well each side stands, in units of the rule set's own; empty if it does not tell.
    """

    winner: str | None
    returns: Mapping[str, int]
    standing: Mapping[str, int]


def victory_in(model: Model, situation: str, engine: Engine, sides: Sequence[str]) -> Victory:
    """Ask the rule set who has won in a situation, and what is worth how much to whom."""
    told = Shower(model, engine).answers(model.victories.get(situation, ()), {})
    winner = told.get(WINNER)
    returns = told.get(RETURNS) or {side: _worth(side, winner) for side in sides}
    return Victory(winner, returns, told.get(STANDING, {}))


def _worth(side: str, winner: str | None) -> int:
    if winner is None:
        return 0
    return 1 if side == winner else -1
