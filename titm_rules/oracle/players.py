"""Players: each chooses one of the actions that are legal.

They know no game. How well a side stands they are told by the rule set (`victory on ...: standing`); where it
tells nothing, all that they see is the result of a game that is over.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from titm_rules.oracle.position import Position
from titm_rules.play.action import Action

# Given a position, some of its legal actions (one at least) and a source of chance, chooses one of the actions.
Policy = Callable[[Position, Collection[Action], random.Random], Action]


def throw(position: Position, action: Action, chance: random.Random) -> tuple[int, ...]:
    """Throw the dice of an action: a face for each; empty if it throws none."""
    dice = position.dice(action)
    return tuple(chance.randint(dice.low, dice.high) for _ in range(dice.count)) if dice is not None else ()


def lead(position: Position, side: str) -> Fraction:
    """Say by how much a side stands better than the others do on average, in units of the rule set."""
    told = position.victory.standing or position.returns
    others = [worth for name, worth in told.items() if name != side]
    return Fraction(told.get(side, 0)) - (Fraction(sum(others), len(others)) if others else 0)


# ---------------------------------------------------------------------- players
def choose_randomly(position: Position, actions: Collection[Action], chance: random.Random) -> Action:
    """Choose any action, each as likely."""
    del position
    listed: Sequence[Action] = actions if isinstance(actions, Sequence) else list(actions)
    return chance.choice(listed)


def choose_first(position: Position, actions: Collection[Action], chance: random.Random) -> Action:
    """Choose the first action."""
    del position, chance
    return next(iter(actions))


def choose_greedily(position: Position, actions: Collection[Action], chance: random.Random) -> Action:
    """Choose an action after which, by exact odds, its side leads most on average; among equals, any."""
    leads = {action: _expected_lead(position, action) for action in actions}
    highest = max(leads.values())
    return chance.choice([action for action, value in leads.items() if value == highest])


def _expected_lead(position: Position, action: Action) -> Fraction:
    """Weigh the lead of the side that acts over all that the dice of an action may bring."""
    outcomes = position.outcomes(action)
    return sum((odds * lead(after, action.by) for _, odds, after in outcomes), Fraction(0))


@dataclass(frozen=True, slots=True)
class MonteCarlo:
    """Chooses by random courses of play: all actions are tried, and again and again the better half of them.

    Attributes:
        playouts: about how many courses one choice takes; each action has one at least.
        depth: how many actions a course is followed; then the lead of the side counts.
    """

    playouts: int = 64
    depth: int = 12

    def __call__(self, position: Position, actions: Collection[Action], chance: random.Random) -> Action:
        """Choose an action."""
        left = list(actions)
        total = dict.fromkeys(left, Fraction(0))
        rounds = max(1, (len(left) - 1).bit_length())
        while len(left) > 1:
            for action in left:
                for _ in range(max(1, self.playouts // (rounds * len(left)))):
                    total[action] += self._course(position, action, chance)
            left = sorted(left, key=lambda one: -total[one])[: (len(left) + 1) // 2]
        return left[0]

    def _course(self, position: Position, action: Action, chance: random.Random) -> Fraction:
        """Play an action and then at random; give the lead of its side where that ends."""
        after = position.apply(action, throw(position, action, chance))
        for _ in range(self.depth - 1):
            following = after.legal_actions
            if not following:
                break
            step = choose_randomly(after, following, chance)
            after = after.apply(step, throw(after, step, chance))
        return lead(after, action.by)
