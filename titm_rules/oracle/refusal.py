"""Why an action is not legal: the clauses that bar it, or what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.model.model import Allocation, Event, Part, Roll, Route, Selection, head_key
from titm_rules.model.terms import Call
from titm_rules.naive.evaluate import PICKS
from titm_rules.oracle.findings import Reasons
from titm_rules.oracle.verdict import ILLEGAL, LEGAL, Verdict
from titm_rules.play.action import Action
from titm_rules.play.machine import Machine
from titm_rules.play.options import Options, State

Env = Mapping[str, Any]


def judge(machine: Machine, action: Action) -> Verdict:
    """Say whether an action is legal, and if not, why.

    Raises:
        InputError: for an event or a choice that the rule set does not know.
    """
    event = _event(machine, action)
    edition = machine.model.edition
    option = next(machine.options.of(event, dict(action.choices)), None)
    if option is not None and option.action == action:
        return Verdict(action.kind, edition, LEGAL, {"legal": True})
    refusal = Refusal(machine, event, action)
    why = f"{option.action.by} may do this, not {action.by}" if option is not None else refusal.why()
    witness = {"why": why} if why else {}
    return Verdict(action.kind, edition, ILLEGAL, {"legal": False}, refusal.reasons.ordered(), witness)


def _event(machine: Machine, action: Action) -> Event:
    events = {
        name: event
        for name, event in machine.model.events.items()
        if event.actor is not None and event.situation == machine.world.situation
    }
    event = events.get(action.kind)
    if event is None:
        raise InputError(
            [Fault(f"unknown action `{action.kind}`", "$.action", "no event of this name is by the choice of a side",
                   did_you_mean(action.kind, events), kind="unknown-name")]
        )  # fmt: skip
    names = [name for name, _ in action.choices]
    if names != list(event.open):
        needed = ", ".join(event.open) or "no choices"
        raise InputError(
            [Fault(f"`{action}` makes other choices than `{event.name}` asks for", "$.action", f"it asks for {needed}",
                   "name each of them, in this order", kind="bad-value")]
        )  # fmt: skip
    return event


class Refusal:
    """Follows an action through the parts of its event, as far as it goes."""

    def __init__(self, machine: Machine, event: Event, action: Action) -> None:
        self.model, self.event = machine.model, event
        self.options: Options = machine.options
        self.wanted = dict(action.choices)
        self.reasons = Reasons(machine.model, machine.world, machine.engine)
        self._furthest: tuple[int, State] | None = None

    def why(self) -> str:
        """Collect the clauses that bar the action; say in words what it lacks if none does."""
        if self.reasons.head(head_key(self.event.name, "start"), {}):
            return ""
        start = State({}, {}, self.options.engine, self.wanted)
        ends = list(self._follow(start, 0))
        for state in ends:
            if self.reasons.head(head_key(self.event.name, "happen"), state.env):
                return ""
        if ends or self._furthest is None:
            return "nothing of this kind can be done now"
        number, state = self._furthest
        return self._missing(self.event.parts[number], state)

    def _follow(self, state: State, number: int) -> Iterator[State]:
        """Yield the states after all parts; remember the part at which the furthest way ends."""
        if number == len(self.event.parts):
            yield state
            return
        if self._furthest is None or number >= self._furthest[0]:
            self._furthest = number, state
        for after in self.options.after(self.event, state, number):
            yield from self._follow(after, number + 1)

    # ------------------------------------------------------------------ the part that fails
    def _missing(self, part: Part, state: State) -> str:
        """Say what is wrong with the part at which the action fails."""
        tell: Callable[[Part, State], str] | None = getattr(self, f"_{part.kind}", None)
        return tell(part, state) if tell is not None else "no such choice is open now"

    def _domain(self, part: Part, state: State) -> str:
        assert part.base is not None
        chosen = self.wanted.get(part.var)
        for one in state.engine.term(part.base, state.known):
            if getattr(one, "id", None) == chosen and part.where is not None:
                where, inner = part.where, {**state.known, part.var: one}
                self.reasons.watching(lambda: self.reasons.evaluator.term(where, inner), str(chosen))  # noqa: B023
                return f"`{chosen}` cannot be chosen for this now"
        return f"`{chosen}` is not there to be chosen"

    _first = _domain

    def _steps(self, part: Part, state: State) -> str:
        route, mover, given, at, spent = self._going(part, state)
        if at is None:
            return "nobody is on a move"
        target, way = self.wanted.get(route.entered), self.wanted.get(route.crossing[0])
        env = {route.mover[0]: mover, **given}
        if self.reasons.head(head_key(route.name, "start"), env):
            return ""
        for link, other in at.links.get(route.crossing[1].name, ()):
            if other.id == target and link.id == way:
                return self._step(route, env, link, at, other, spent)
        return f"no connection `{way}` leads from {at.id} to {target}"

    def _step(self, route: Route, env: Env, link: Any, at: Any, other: Any, spent: int) -> str:
        inner = {**env, route.crossing[0]: link, route.left: at, route.entered: other}
        where = f"{at.id} to {other.id}"
        if self.reasons.head(head_key(route.name, "step"), inner, where):
            return ""
        price = self.reasons.value(head_key(route.name, "cost"), inner)
        points = self.reasons.value(head_key(route.name, "points"), env)
        if spent + price > points:
            self.reasons.head(head_key(route.name, "cost"), inner, where)
            self.reasons.head(head_key(route.name, "points"), env)
            return f"it costs {price}, and {points - spent} of {points} points are left"
        ending = {**env, route.entered: other}
        if not self.reasons.head(head_key(route.name, "end"), ending, other.id):
            return "nothing bars it"
        return ""

    def _able(self, part: Part, state: State) -> str:
        route, mover, given, _, _ = self._going(part, state)
        env = {route.mover[0]: mover, **given}
        at = mover[0].place if isinstance(mover, list) else mover.place
        if self.reasons.head(head_key(route.name, "start"), env):
            return ""
        for link, other in at.links.get(route.crossing[1].name, ()):
            self._step(route, env, link, at, other, 0)
        return "it cannot go anywhere from here"

    def _halts(self, part: Part, state: State) -> str:
        route, mover, given, at, _ = self._going(part, state)
        if at is None:
            return "nobody is on a move"
        self.reasons.head(head_key(route.name, "end"), {route.mover[0]: mover, **given, route.entered: at}, at.id)
        return ""

    def _closes(self, part: Part, state: State) -> str:
        route, mover, given, at, spent = self._going(part, state)
        if at is None:
            return "nobody is on a move"
        env = {route.mover[0]: mover, **given, route.entered: at}
        if self.reasons.head(head_key(route.closing, "try"), env, at.id):
            return ""
        price = self.reasons.value(head_key(route.closing, "cost"), env)
        self.reasons.head(head_key(route.closing, "cost"), env, at.id)
        return f"it costs {price}, and {spent} points are spent already"

    def _going(self, part: Part, state: State) -> tuple[Route, Any, dict[str, Any], Any, int]:
        route, mover, given = self.options.going(part, state)
        where = self.options.whereabouts(part, state) if part.at is not None else None
        return (route, mover, given, *(where or (None, 0)))

    def _selects(self, part: Part, state: State) -> str:
        form = self.model.forms[part.form]
        assert isinstance(form, Selection)
        given = {name: state.engine.term(term, state.known) for name, term in part.bindings}
        chosen = self.wanted.get(form.picked[0]) or ()
        members = [one for one in state.engine.term(form.members, given) if one.id in chosen]  # type: ignore[operator]
        if len(members) < len(chosen):  # type: ignore[arg-type]
            return "not all of these can be chosen"
        self.reasons.head(head_key(form.name, "choose"), {**given, form.picked[0]: members})
        return ""

    def _picking(self, part: Part, state: State) -> str:
        form = self.model.forms[part.form]
        assert isinstance(form, Allocation)
        given, picks, choosers = self.options.picking(form, part, state)
        names = [name for name, _ in (form.chooser, form.target) if name] if form.chooser else [form.target[0]]
        *who, target_id = (self.wanted.get(name) for name in names)
        chooser = next((one for one in choosers if who and one.id == who[0]), None)
        target = next((one for one in picks if one.id == target_id), None)
        if target is None or (who and chooser is None):
            return f"`{target_id}` is no target" if target is None else f"`{who[0]}` is not the next to choose"
        reasons = Reasons(self.model, state.engine.world, state.engine, self.reasons.found)
        env = {**given, form.target[0]: target, PICKS: picks}
        if form.chooser is not None:
            env[form.chooser[0]] = chooser
        reasons.head(head_key(form.name, "choose"), env, f"{who[0]} at {target_id}" if who else str(target_id))
        return ""

    def _rolling(self, part: Part, state: State) -> str:
        assert isinstance(part.roll, Call)
        roll = self.model.forms[part.roll.head]
        assert isinstance(roll, Roll)
        values = [state.engine.term(arg, state.known) for arg in part.roll.args]
        reasons = Reasons(self.model, state.engine.world, state.engine, self.reasons.found)
        env = dict(zip((name for name, _ in roll.params), values, strict=True))
        reasons.head(head_key(roll.name, "try"), env)
        return ""
