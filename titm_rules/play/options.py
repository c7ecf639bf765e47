"""Options: the choices that events leave open in a situation, and what each binds."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from titm_rules.engines.engine import Engine, EventEngine, EventInstance, first_place, picks_so_far
from titm_rules.engines.query import see, twin_of
from titm_rules.ir import model as ir
from titm_rules.ir.types import Type
from titm_rules.play.action import Action, Chosen, Dice
from titm_rules.world.records import Place, Value, to_json
from titm_rules.world.world import World

Bound = dict[str, Any]
Wanted = Mapping[str, Chosen]


class Option(NamedTuple):
    """One way in which an event may happen: the action, the values of its names, its dice."""

    event: ir.Event
    action: Action
    env: Mapping[str, Any]
    dice: Dice | None = None


@dataclass(slots=True)
class State:
    """The names that the parts of an event have bound so far, for the choices that are `wanted` or for all.

    Parts are asked of `engine`; in its situation (that of the event, or a view of it) the names have the values in
    `known`.
    """

    env: Bound
    known: Bound
    engine: Engine
    wanted: Wanted | None
    dice: Dice | None = None

    def bound(self, name: str, value: Value) -> State:
        # INVARIANT: a part that binds a name in a view is the last to look at the view, so `known` may be lost.
        env = {**self.env, name: value}
        return State(env, env, self.engine, self.wanted, self.dice)


@dataclass
class Options:
    """The options of one situation, found when they are asked for.

    `make_engine` makes an engine for a view of it; `course` is the event engine, if the engine has one.
    """

    model: ir.Model
    engine: Engine
    world: World
    make_engine: Callable[[World], Engine]
    course: EventEngine | None = field(init=False)
    _views: dict[Any, tuple[Engine, World]] = field(default_factory=dict)
    _chances: Sequence[EventInstance] | Sequence[Option] | None = None
    _last: Option | None = None

    def __post_init__(self) -> None:
        self.course = self.engine.course

    def listed(self) -> Iterator[Option]:
        return map(self.at, range(len(self.chances)))

    def automatic(self) -> Iterator[Option]:
        """Yield the automatic events; those that wait until no choice is left come last."""
        yield from self._all(ir.BY_ITSELF)
        for option in self._all(ir.OTHERWISE):
            if not self.chances:
                yield option

    @property
    def chances(self) -> Sequence[EventInstance] | Sequence[Option]:
        """All options that the sides may choose; those of an event engine are not written as actions yet."""
        if self._chances is None:
            course = self.course
            self._chances = list(self._all(ir.CHOSEN)) if course is None else list(course.chances(ir.CHOSEN))
        return self._chances

    def at(self, number: int) -> Option:
        """Return the option at an index of `chances`."""
        chance = self.chances[number]
        return self._of_chance(chance) if isinstance(chance, EventInstance) else chance

    def find(self, action: Action) -> Option | None:
        """Find the option that an action takes; nothing if it is not legal."""
        last = self._last
        if last is not None and (last.action is action or last.action == action):
            return last
        event = self.model.events.get(action.kind)
        if event is None or event.actor is None or event.situation != self.world.situation:
            return None
        for option in self.of(event, dict(action.choices)):
            if option.action == action:
                self._last = option
                return option
        return None

    def _all(self, group: str) -> Iterator[Option]:
        if self.course is not None:
            return map(self._of_chance, self.course.chances(group))
        here = (event for event in self.model.events.values() if event.situation == self.world.situation)
        return itertools.chain.from_iterable(self.of(event) for event in here if event.group == group)

    def _of_chance(self, chance: EventInstance) -> Option:
        course, event, dice = self.course, chance.event, None
        assert course is not None
        if chance.dice is not None:
            part = next(part for part in event.parts if isinstance(part, ir.RollPart | ir.ThrowPart))
            dice = _dice(self.model, part, *chance.dice)
        option = Option(event, Action(event.name, *course.describe(chance)), course.env(chance), dice)
        if event.actor is not None:
            self._last = option
        return option

    def of(self, event: ir.Event, wanted: Wanted | None = None) -> Iterator[Option]:
        """Yield the options of one event; with `wanted`, only those of these choices."""
        if self.course is not None and wanted is not None:
            yield from map(self._of_chance, self.course.wanted(event, wanted))
            return
        if self.engine.decide(ir.head_key(event.name, "start"), {}):
            return
        for state in self.states(event, State({}, {}, self.engine, wanted)):
            if not self.engine.decide(ir.head_key(event.name, "happen"), state.env):
                rank = self.engine.term(event.actor, state.env) if event.actor is not None else None
                yield self._option(event, state.env, rank, state.dice)

    def _option(self, event: ir.Event, env: Mapping[str, Any], rank: int | None, dice: Dice | None) -> Option:
        actor = "" if event.actor is None else str(to_json(self.model, event.actor.type, rank))
        types = dict(event.params)
        choices = tuple((name, self.shown(types[name], env[name])) for name in event.open)
        return Option(event, Action(event.name, actor, choices), env, dice)

    def shown(self, wanted: Type, value: Value) -> Chosen:
        shown = to_json(self.model, wanted, value)
        return tuple(sorted(shown)) if isinstance(shown, list) else shown

    def states(
        self, event: ir.Event, state: State, number: int = 0, reached: Callable[[int, State], object] = lambda *_: None
    ) -> Iterator[State]:
        """Yield the states after all parts from `number` on; `reached` gets each part with a state before it."""
        if number == len(event.parts):
            yield state
            return
        reached(number, state)
        for after in self._work(event.parts[number], state):
            if state.wanted is None or self._is_wanted(event, after, state):
                yield from self.states(event, after, number + 1, reached)

    def _is_wanted(self, event: ir.Event, state: State, before: State) -> bool:
        types, wanted = dict(event.params), state.wanted or {}
        new = [name for name in event.open if name in state.env and name not in before.env]
        return all(name in wanted and self.shown(types[name], state.env[name]) == wanted[name] for name in new)

    def _work(self, part: ir.EventPart, state: State) -> Iterator[State]:
        match part:
            case ir.RangePart(first=first):
                found = self._members(part, state)
                return itertools.islice(found, 1) if first else found
            case ir.GivenPart():
                return self._given(part, state)
            case ir.ConditionPart(condition=condition):
                return iter((state,) if state.engine.term(condition, state.known) else ())
            case ir.LetPart(var=var, value=value):
                return iter((state.bound(var, state.engine.term(value, state.known)),))
            case ir.AblePart():
                return self._able(part, state)
            case ir.GoingPart():
                return self._going(part, state)
            case ir.SelectPart():
                form, given = self.selecting(part, state)
                return (state.bound(form.picked[0], list(picked)) for picked in state.engine.choices(form, given))
            case ir.ViewPart():
                return self._seen(part, state)
            case ir.PickPart():
                return self._picking(part, state)
            case ir.RollPart():
                return self._rolling(part, state)
            case ir.ThrowPart(count=count, high=high):
                return iter((self._thrown(part, state, state.engine.term(count, state.known), high),))

    def _members(self, part: ir.RangePart, state: State) -> Iterator[State]:
        members = state.engine.term(part.base, state.known)
        if not part.first and state.wanted is not None:
            members = [member for member in members if self.shown(part.type, member) == state.wanted.get(part.var)]
        for member in members:
            inner = state.bound(part.var, member)
            if part.where is None or state.engine.term(part.where, inner.known):
                yield inner

    def _given(self, part: ir.GivenPart, state: State) -> Iterator[State]:
        is_flag = part.type.kind == "flag"
        values: Iterable[Any] = (False, True) if is_flag else range(len(self.model.enums[part.type.name].values))
        for value in values:
            yield state.bound(part.var, value)

    def going(self, part: ir.AblePart | ir.GoingPart, state: State) -> tuple[ir.Route, Any, dict[str, Any]]:
        """Return the route of a part, its mover, and the given values and counts on its way."""
        route = self.model.forms[part.form]
        assert isinstance(route, ir.Route)
        bound = _bound(part, state)
        mover = bound.pop(route.mover[0])
        return route, mover, bound

    def _able(self, part: ir.AblePart, state: State) -> Iterator[State]:
        route, mover, given = self.going(part, state)
        at = first_place(mover)
        if at is None:
            return
        closes = bool(route.closing) and state.engine.closing_price(route, mover, given, at, 0) is not None
        if closes or any(True for _ in state.engine.onward(route, mover, given, at, 0)):
            yield state

    def whereabouts(self, part: ir.GoingPart, state: State) -> tuple[Any, int] | None:
        """Return the place of a mover on its way and the points it has spent; nothing if it does not move."""
        at = state.engine.term(part.at, state.known)
        if at is None or self.going(part, state)[1] == []:
            return None
        return at, state.engine.term(part.spent, state.known)

    def _going(self, part: ir.GoingPart, state: State) -> Iterator[State]:
        where = self.whereabouts(part, state)
        if where is None:
            return iter(())
        match part.kind:
            case "steps":
                return self._steps(part, state, *where)
            case "halts":
                return iter((state,) if state.engine.may_halt(*self.going(part, state), *where) else ())
        price = state.engine.closing_price(*self.going(part, state), *where)
        return iter(() if price is None else (state.bound("price", price),))

    def _steps(self, part: ir.GoingPart, state: State, at: Place, spent: int) -> Iterator[State]:
        route, mover, given = self.going(part, state)
        for link, place, price, stops, counts in state.engine.onward(route, mover, given, at, spent):
            inner = state.bound(route.entered, place).bound(route.crossing[0], link)
            inner = inner.bound("price", price).bound("stops", stops)
            for (name, _), count in zip(route.counters, counts, strict=True):
                inner = inner.bound(name, count)
            yield inner

    def selecting(self, part: ir.SelectPart, state: State) -> tuple[ir.Selection, Bound]:
        form = self.model.forms[part.form]
        assert isinstance(form, ir.Selection)
        return form, _bound(part, state)

    def _seen(self, part: ir.ViewPart, state: State) -> Iterator[State]:
        of = self.engine.term(part.of, state.env)
        if of is None:
            return
        view = self.model.views[part.view]
        key = (part.view, of if isinstance(of, int) else of.id)
        if key not in self._views:
            world = see(view, self.model, self.engine, {view.params[0][0]: of})
            self._views[key] = (self.make_engine(world), world)
        engine, world = self._views[key]
        known = {name: twin_of(view, world, value) for name, value in state.env.items()}
        if any(known[name] is None and value is not None for name, value in state.env.items()):
            return  # the view does not show one of the pieces
        yield State(state.env, known, engine, state.wanted, state.dice)

    def _picking(self, part: ir.PickPart, state: State) -> Iterator[State]:
        form, given, picks, choosers = self.picking(part, state)
        for chooser in choosers:
            for target in picks:
                if not state.engine.is_barred(form, given, chooser, target, picks):
                    who = form.chooser
                    here = self.world.named  # the choosers and targets are those of a view
                    after = state.bound(who[0], here(part.keeper.name, chooser.id)) if who is not None else state
                    yield after.bound(form.target[0], here(part.target.name, target.id))

    def picking(self, part: ir.PickPart, state: State) -> tuple[ir.Allocation, Bound, dict[Any, int], list[Any]]:
        """Return an allocation, its given values, how often each target was picked, and the next choosers."""
        form, given = self.model.forms[part.form], _bound(part, state)
        assert isinstance(form, ir.Allocation)

        def rank(chooser: Any) -> int:
            assert form.chooser is not None
            assert form.order is not None
            found: int = state.engine.term(form.order, {**given, form.chooser[0]: chooser})
            return found

        targets = state.engine.term(form.targets, given)
        choosers = given[form.counter] if form.choosers is None else state.engine.term(form.choosers, given)
        taken, choosers = picks_so_far(self.world, part, targets, choosers, rank if form.order is not None else None)
        return form, given, {target: taken[target.id] for target in targets}, choosers

    def rolling(self, part: ir.RollPart, state: State) -> tuple[ir.Roll, Bound]:
        roll = self.model.forms[part.roll.head]
        assert isinstance(roll, ir.Roll)
        values = [state.engine.term(arg, state.known) for arg in part.roll.args]
        return roll, dict(zip((name for name, _ in roll.params), values, strict=True))

    def _rolling(self, part: ir.RollPart, state: State) -> Iterator[State]:
        rolled = state.engine.roll(*self.rolling(part, state))
        if rolled is None:
            return
        count = 1 if part.count is None else state.engine.term(part.count, state.known)
        yield self._thrown(part, state, count, rolled[2])

    def _thrown(self, part: ir.RollPart | ir.ThrowPart, state: State, count: int, last: int) -> State:
        return State(state.env, state.known, state.engine, state.wanted, _dice(self.model, part, count, last))


def _bound(part: ir.AblePart | ir.GoingPart | ir.SelectPart | ir.PickPart, state: State) -> Bound:
    return {name: state.engine.term(term, state.known) for name, term in part.bindings}


def _dice(model: ir.Model, part: ir.RollPart | ir.ThrowPart, count: int, last: int) -> Dice:
    """Return the dice of a part of an event; `last` is the last face that succeeds."""
    if isinstance(part, ir.ThrowPart):
        return Dice(max(0, count), part.low, part.high, part.low, last, part.reads, named=True)
    roll = model.forms[part.roll.head]
    assert isinstance(roll, ir.Roll)
    return Dice(max(0, count), roll.low, roll.high, *roll.winning(last), roll.reads, bool(part.thrown))
