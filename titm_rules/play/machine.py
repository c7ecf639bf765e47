"""The state machine of a game: what may happen now, and the situation after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from titm_rules.engines.engine import Engine
from titm_rules.play.action import Action
from titm_rules.play.chance import Fell
from titm_rules.play.effects import Change
from titm_rules.play.options import Option, Options
from titm_rules.rules.model import SUCCESSES, Model, Route, head_key
from titm_rules.world.world import World

Json = dict[str, Any]
MakeEngine = Callable[[World], Engine]


@dataclass(frozen=True, slots=True)
class Happened:
    """An event that took place: what was done, and which clauses and sections of the course of play said what came."""

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
        """Make the engine of the situation, and that of the one before the move under way."""
        if self.world.origin is not self.world:
            self.make_engine(self.world.origin)
        self.engine = self.make_engine(self.world)
        self.options = Options(self.model, self.engine, self.world, self.make_engine)

    def find(self, action: Action) -> Option | None:
        """Find the option that an action takes; nothing if it is not legal."""
        event = self.model.events.get(action.kind)
        if event is None or event.actor is None or event.situation != self.world.situation:
            return None
        for option in self.options.of(event, dict(action.choices)):
            if option.action == action:
                return option
        return None

    def after(self, option: Option, fell: Fell = 0) -> tuple[Json, Happened]:
        """Bring about an option, with what its dice show; give the values of the next situation, before what follows.

        Raises:
            Undecided: if clauses contradict each other in what they make of the situation.
        """
        env = {**option.env, **_told(option, fell)}
        change = Change(self.model, self.engine, self.world, dict(self.world.data))
        data = change.work(head_key(option.event.name, "effects"), env)
        by_clause = [who for who in change.said_by if who in self.model.clauses]
        course = [who for who in change.said_by if who in self.model.courses]
        return data, Happened(option.action, tuple(by_clause), tuple(course))

    def next_by_itself(self) -> Option | None:
        """Find what happens now without anybody's choice."""
        return next(self.options.by_itself(), None)


def _told(option: Option, fell: Fell) -> Json:
    """Give what clauses know of dice: how many succeed, and the faces."""
    faces = fell if isinstance(fell, tuple) else ()
    successes = option.dice.successes(faces) if option.dice is not None and option.dice.named else fell
    rolled = {SUCCESSES: successes} if option.event.rolls else {}
    return {**rolled, option.event.thrown: list(faces)} if option.event.thrown else rolled


def resolve(model: Model, situation: str, data: Json, prior: World | None = None) -> World:
    """Resolve a situation that comes after a `prior` one, and the one before the route that a mover is on.

    An interruption that a situation notes has changed a connection in the middle of a move; what
    clauses ask of the situation before the move is asked of that connection as it was.
    """
    world = World(model, situation, data, f"$.{situation}", prior)
    for form in model.forms.values():
        if isinstance(form, Route) and form.situation == situation and form.interruption_noted:
            before = world
            for link in getattr(world.root, form.interruption_noted):
                link = before.named(link.record_, link.id)
                before = before.changed(link, form.interruption_field, form.interruption_before)
            if before is not world:
                before.origin = before
                world.origin = before
    return world
