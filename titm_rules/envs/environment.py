"""An environment of PettingZoo's agent-environment cycle over any scenario of any game."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from titm_rules.diagnostics import Fault, InputError
from titm_rules.envs.spaces import Feature, Features, NumberedStep, Numbering, PartialAction, Vector
from titm_rules.oracle.game import load_scenario, throw
from titm_rules.oracle.position import Position
from titm_rules.play.action import Action

# Given a position, one of its legal actions and a source of chance, gives the faces of the dice that it throws.
Throw = Callable[[Position, Action, random.Random], Sequence[int]]
MAX_STEPS = 5_000
ILLEGAL_REWARD = -1.0
OBSERVATION, ACTION_MASK = "observation", "action_mask"


class WargameEnv(AECEnv):  # type: ignore[misc]  # the library has no types here
    """One game after another from the same first position, each side an agent.

    - Agents are the sides, by name. If several may act at once, the first of them does, in the order of the rules.
    - Actions are `Discrete(n)`. `Numbering` maps numbers to actions: the same in every position and run.
    - Observations are a `Dict`: `observation` is a `Box` of shape (f,) and type float32, described by
      `features`; `action_mask` is a `Box` of shape (n,) and type int8, 1 for what is legal. The mask of a side that is
      not to act is 0. Nothing is hidden: all see the same, but for the flag `observer=SIDE`. The
      flags `to_act=SIDE` and `chosen=ID` show whose turn it is, and which members of a list have been chosen.
    - Rewards are 0 until the game is over; then each side has what the rule set says that the result is worth to it.
    - Dice are thrown inside, by the seed of `reset`, or by the caller, who gives `thrower`.

    Args:
        start: the name of a scenario, a file or a notation, or a position.
        game: the game of a name; empty: the one that it belongs to.
        max_steps: games that last longer are truncated, without a reward.
        thrower: throws the dice; nothing: they are thrown at random.
        render_mode: `ansi` for the notation and the action taken last, `svg` for a picture, or nothing.

    Raises:
        InputError: if no game can begin there, or its actions cannot be numbered.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "titm_rules_v0",
        "render_modes": ["ansi", "svg"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        start: str | Position,
        *,
        game: str = "",
        max_steps: int = MAX_STEPS,
        thrower: Throw | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            modes = ", ".join(self.metadata["render_modes"])
            raise InputError([Fault(f"unknown render mode `{render_mode}`", "render_mode", "", f"known: {modes}")])
        self.start = start.settled if isinstance(start, Position) else load_scenario(start, game=game)
        self.render_mode = render_mode
        self.max_steps = max_steps
        self.numbering = Numbering(self.start)
        self.possible_agents = list(self.start.sides)
        self._thrower = thrower or throw
        self._chance = random.Random()
        self._board = Features(self.start)
        self._told = self._board.flags("observer", self.possible_agents)
        self._acting = self._board.flags("to_act", self.possible_agents)
        self._on_list = self._board.flags("chosen", self.numbering.members)
        low = np.array([one.low for one in self.features], np.float32)
        high = np.array([one.high for one in self.features], np.float32)
        size = self.numbering.size
        self._observation_space = spaces.Dict(
            {OBSERVATION: spaces.Box(low, high, dtype=np.float32), ACTION_MASK: spaces.Box(0, 1, (size,), np.int8)}
        )
        self._action_spaces = {side: spaces.Discrete(size) for side in self.possible_agents}

    # ------------------------------------------------------------------ spaces
    @property
    def features(self) -> list[Feature]:
        """The features of an observation, one for each number."""
        return self._board.listed

    def observation_space(self, agent: str) -> spaces.Dict:
        """Give the space of observations; it is the same for all agents."""
        del agent
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Discrete:
        """Give the space of actions of an agent."""
        return self._action_spaces[agent]

    # ------------------------------------------------------------------ the cycle
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; a seed restarts the dice, without a seed they go on."""
        del options
        if seed is not None:
            self._chance = random.Random(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {side: {} for side in self.agents}
        self.steps = 0
        self.last_action: Action | None = None
        self._stand(self.start, None)

    def step(self, action: int | None) -> None:
        """Take an action by its number, which has to be legal now; a side whose game is over takes None."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        taken = self._legal.get(-1 if action is None else int(action))
        if taken is None:
            what, fix = f"action {action} is not legal for {agent} now", "choose a number whose mask is 1"
            raise InputError([Fault(what, "action", "", fix, kind="illegal-action")])
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.steps += 1
        if isinstance(taken, PartialAction):
            self._stand(self.position, taken)
        else:
            dice = self._thrower(self.position, taken, self._chance)
            self.last_action = taken
            self._stand(self.position.apply(taken, dice), None)
        self._end()
        self._accumulate_rewards()

    def _stand(self, position: Position, partial: PartialAction | None) -> None:
        """Enter a position, or go on choosing in it: find who acts, and what is legal for that side."""
        self.position, self._partial = position, partial
        actions = list(position.legal_actions)
        acting = {action.by for action in actions}
        if acting and partial is None:
            self.agent_selection = next(side for side in self.possible_agents if side in acting)
        side = self.agent_selection if acting else None
        found = (self.numbering.step_towards(action, partial) for action in actions if action.by == side)
        self._legal: dict[int, NumberedStep] = dict(step for step in found if step is not None)
        self.__dict__.pop("_vector", None)

    def _end(self) -> None:
        if not self._legal:
            outcome = self.position.outcome()
            assert outcome is not None
            self.rewards = {side: float(outcome.returns.get(side, 0)) for side in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {side: {"winner": outcome.winner, "result": dict(outcome.result)} for side in self.agents}
        elif self.steps >= self.max_steps:
            self.truncations = dict.fromkeys(self.agents, True)

    # ------------------------------------------------------------------ what is seen
    def observe(self, agent: str) -> dict[str, Any]:
        """Show the position to an agent, with the mask of its legal actions."""
        vector = self._vector.copy()
        vector[self._told[agent]] = 1
        mask = np.zeros(self.numbering.size, np.int8)
        if agent == self.agent_selection:
            mask[list(self._legal)] = 1
        return {OBSERVATION: vector, ACTION_MASK: mask}

    @cached_property
    def _vector(self) -> Vector:
        vector = self._board.vector(self.position.world, len(self.features))
        if self._legal:
            vector[self._acting[self.agent_selection]] = 1
        if self._partial is not None:
            vector[[self._on_list[name] for name in self.numbering.chosen(self._partial)]] = 1
        return vector

    def action_told(self, action: int) -> str:
        """Say what a number that is legal now means, as records write it; with dots if it is one member of a list."""
        if action not in self._legal:
            raise InputError([Fault(f"action {action} is not legal now", "action", kind="illegal-action")])
        return str(self._legal[action])

    def render(self) -> str | None:
        """Give the notation of the position with the action taken last, or a picture, as `render_mode` says."""
        if self.render_mode == "svg":
            return self.position._repr_svg_()
        if self.render_mode == "ansi":
            return f"{self.position.notation} {self.last_action or ''}".rstrip()
        return None


class EnvOptions(TypedDict, total=False):
    """Options of an environment besides its start; see `WargameEnv`."""

    game: str
    max_steps: int
    thrower: Throw | None
    render_mode: str | None


def raw_env(start: str | Position, **options: Unpack[EnvOptions]) -> WargameEnv:
    """Make the environment as it is; see `WargameEnv`."""
    return WargameEnv(start, **options)


def env(start: str | Position, **options: Unpack[EnvOptions]) -> AECEnv:
    """Make the environment as PettingZoo's own are: who takes an illegal action loses 1, and the game ends."""
    wrapped = wrappers.TerminateIllegalWrapper(WargameEnv(start, **options), illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))
