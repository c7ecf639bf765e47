"""The state machine of a game: legal actions now, and the situation after one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, overload

from titm_rules.engines.engine import Engine
from titm_rules.ir.model import SUCCESSES, Model, head_key
from titm_rules.play.action import Action, Fell
from titm_rules.play.effects import Change, EvaluatedEffects
from titm_rules.play.options import Option, Options
from titm_rules.world.change_set import next_world, shape_of
from titm_rules.world.world import World


class LegalActions(Sequence[Action]):
    """The legal actions of a situation, in their order; each is written when it is read, the machine made late."""

    def __init__(self, machine: Callable[[], Machine]) -> None:
        self._machine = machine

    def __iter__(self) -> Iterator[Action]:
        return (option.action for option in self._machine().options.listed())

    def __len__(self) -> int:
        return len(self._machine().options.chances)

    @overload
    def __getitem__(self, number: int) -> Action: ...

    @overload
    def __getitem__(self, number: slice) -> list[Action]: ...

    def __getitem__(self, number: int | slice) -> Action | list[Action]:
        options = self._machine().options
        if isinstance(number, slice):
            return [options.at(index).action for index in range(len(self))[number]]
        return options.at(number).action

    def __contains__(self, action: object) -> bool:
        return isinstance(action, Action) and self._machine().options.find(action) is not None

    def __bool__(self) -> bool:
        return len(self) > 0


Json = dict[str, Any]
MakeEngine = Callable[[World], Engine]


class Happened(NamedTuple):
    """An event that took place, and the clauses and sections of the course of play that have its effects."""

    action: Action
    clauses: tuple[str, ...]
    course: tuple[str, ...] = ()


@dataclass
class Machine:
    """One situation of a game and the ways out of it."""

    model: Model
    world: World
    make_engine: MakeEngine
    engine: Engine = field(init=False)
    options: Options = field(init=False)

    def __post_init__(self) -> None:
        self.engine = self.make_engine(self.world)
        self.options = Options(self.model, self.engine, self.world, self.make_engine)

    def after(self, option: Option, fell: Fell = 0) -> tuple[Json, Happened]:
        """Apply an option with the result of its dice; return the next situation, before automatic events."""
        change, happened = self.change(option, fell)
        return change.data, happened

    def change(self, option: Option, fell: Fell = 0) -> tuple[Change, Happened]:
        """Apply an option; return the next situation as a change, or raise `Undecided` if effects clash."""
        env = {**option.env, **_dice_values(option, fell)} if option.dice is not None else option.env
        change = Change(self.model, self.world, head_key(option.event.name, "effects"))
        offers = self.options.course
        if offers is not None:
            offers.apply_effects(option.event, env, change)
        else:
            EvaluatedEffects(self.engine, change).apply(env)
        change.finish()
        clauses = [source for source in change.said_by if source in self.model.clauses]
        course = [source for source in change.said_by if source in self.model.courses]
        return change, Happened(option.action, tuple(clauses), tuple(course))

    def next_automatic(self) -> Option | None:
        return next(self.options.automatic(), None)


def _dice_values(option: Option, fell: Fell) -> Json:
    faces = fell if isinstance(fell, tuple) else ()
    successes = option.dice.successes(faces) if option.dice is not None and option.dice.named else fell
    rolled = {SUCCESSES: successes} if option.event.rolls else {}
    return {**rolled, option.event.thrown: list(faces)} if option.event.thrown else rolled


def resolve(model: Model, situation: str, data: Json, prior: World | None = None) -> World:
    """Resolve a situation that comes after a `prior` one, and the one before the route that a mover is on.

    An interruption that a situation notes has changed a connection in the middle of a move; clauses that ask of the
    situation before the move see that connection as it was.
    """
    return _with_origin(World(model, situation, data, f"$.{situation}", prior))


def resolve_after(prior: World, change: Change) -> World:
    return _with_origin(next_world(prior, change.data, change.changes))


def _with_origin(world: World) -> World:
    for form in shape_of(world.model, world.situation).interrupted:
        if getattr(world.root, form.interruption_noted):
            before = world
            for link in getattr(world.root, form.interruption_noted):
                link = before.named(link.record_, link.id)
                before = before.changed(link, form.interruption_field, form.interruption_before)
            if before is not world:
                before.origin = before
                world.origin = before
    return world
