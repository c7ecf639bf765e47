"""What one edition makes of a situation in a game: which actions are legal, and what comes of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from titm_rules.compare.answers import UNDECIDED, EngineFor
from titm_rules.diagnostics import Undecided
from titm_rules.engines.make import make_engine
from titm_rules.play.chance import Dice, Fell
from titm_rules.play.machine import Machine, resolve
from titm_rules.play.options import Option
from titm_rules.rules.model import BEGIN, Model, head_key

LONGEST = 200  # events in a row that happen by themselves
Json = dict[str, Any]


class Legal(dict[str, Dice | None]):
    """Legal actions, each with the dice that it throws."""


@dataclass
class Side:
    """One edition at one situation."""

    model: Model
    situation: str
    data: Json

    @property
    def can_begin(self) -> bool:
        """Whether a game can begin here, as far as clauses say."""
        key = head_key(self.situation, BEGIN)
        return key not in self.model.heads or not self._machine.engine.decide(key, {})

    @cached_property
    def legal(self) -> Legal:
        """The legal actions; rules that decide nothing have none."""
        return Legal({name: option.dice for name, option in self._options.items()})

    def legal_of(self, kind: str) -> Legal:
        """Give the legal actions of one kind."""
        return Legal({name: dice for name, dice in self.legal.items() if kind_of(name) == kind})

    def outcome(self, action: str, fell: Fell) -> Json | None:
        """Give the situation after an action and all that follows by itself; nothing if it is not legal."""
        option = self._options.get(action)
        if option is None:
            return None
        try:
            return Side(self.model, self.situation, self._machine.after(option, fell)[0]).following()
        except Undecided as error:
            return {UNDECIDED: error.faults[0].what}

    def following(self) -> Json:
        """Give the situation after all that happens by itself.

        Raises:
            Undecided: if the rules contradict each other in it, or it does not end.
        """
        data, machine = self.data, self._machine
        for _ in range(LONGEST):
            event = machine.next_by_itself()
            if event is None:
                return data
            data = machine.after(event)[0]
            machine = machine_of(self.model, self.situation, data)
        raise Undecided.of("play", [])

    def look_at_everything(self, make: EngineFor) -> None:
        """Look at all options, and at what comes of each, so that every clause that has a say is asked."""
        machine = machine_of(self.model, self.situation, self.data, make)
        for option in [*machine.options.listed(), *machine.options.by_itself()]:
            for fell in outcomes(option.dice):
                after = machine_of(self.model, self.situation, machine.after(option, fell)[0], make)
                event = after.next_by_itself()
                if event is not None:
                    after.after(event)

    @cached_property
    def _machine(self) -> Machine:
        return machine_of(self.model, self.situation, self.data)

    @cached_property
    def _options(self) -> dict[str, Option]:
        try:
            return {str(one.action): one for one in self._machine.options.listed()}
        except Undecided:
            return {}


def machine_of(model: Model, situation: str, data: Json, make: EngineFor | None = None) -> Machine:
    """Make the machine of a situation under some rules."""
    world = resolve(model, situation, data)
    return Machine(model, world, lambda one: make(model, one) if make else make_engine("compiled", model, one))


def kind_of(action: str) -> str:
    """Name the event that an action takes, which is its first word."""
    return action.partition(" ")[0]


def outcomes(dice: Dice | None) -> list[Fell]:
    """List how dice can fall: how many succeed, or the faces where these count; 0 without dice."""
    return [0] if dice is None else [fell for fell, _ in dice.outcomes()]


def shown(view: object) -> object:
    """Give what an edition makes of a situation as JSON values: actions with their dice, or the next situation."""
    if isinstance(view, Legal):
        return sorted(f"{name} ({dice.lowest}-{dice.highest})" if dice else name for name, dice in view.items())
    return view


def directions(first: object, second: object) -> tuple[bool, bool]:
    """Say whether the second edition has actions that the first lacks, and the reverse; outcomes differ both ways."""
    if not (isinstance(first, Legal) and isinstance(second, Legal)):
        return True, True
    changed = any(first[name] != second[name] for name in first.keys() & second.keys())
    return bool(second.keys() - first.keys()) or changed, bool(first.keys() - second.keys()) or changed
