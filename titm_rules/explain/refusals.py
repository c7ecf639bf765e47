"""Why an action is not legal: the clauses that bar it, or what it lacks."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Any

from titm_rules.diagnostics import NOWHERE, InputError, did_you_mean
from titm_rules.engines.engine import first_place
from titm_rules.explain.findings import Reasons
from titm_rules.explain.phrasing import NOT_NOW, mover_noun
from titm_rules.explain.relaxed_search import StepJudge
from titm_rules.explain.verdict import ILLEGAL, LEGAL, Verdict
from titm_rules.formats.safe_json import bad
from titm_rules.ir import model as ir
from titm_rules.ir.applicability import negation
from titm_rules.ir.terms import ENDS, Logic, Member, Result, Template, Term, Var, free_names
from titm_rules.ir.types import FLAG, PLACE
from titm_rules.play.action import Action
from titm_rules.play.machine import Machine
from titm_rules.play.options import Option, Options, State
from titm_rules.world.evaluate import PICKS, Env
from titm_rules.world.records import Connection, Place, join_words


def judge(machine: Machine, action: Action) -> Verdict:
    """Judge an action; raises `InputError` for an event, a choice, or a spot on the map that does not exist."""
    event = _event(machine, action)
    _refuse_unknown_spots(machine, event, action)
    edition, digests = machine.model.edition, machine.model.digests
    option = next(machine.options.of(event, dict(action.choices)), None)
    refusal = Refusal(machine, event, action)
    if option is not None and option.action == action:
        refusal.note_giving()
        return Verdict(action.kind, edition, LEGAL, {"legal": True}, refusal.reasons.ordered(), digests=digests)
    why = refusal.why_not_by(option) if option is not None else refusal.why()
    witness = {"why": why} if why else {}
    return Verdict(action.kind, edition, ILLEGAL, {"legal": False}, refusal.reasons.ordered(), witness, digests=digests)


MAX_COMPARED = 2_000


def nearest_action(machine: Machine, action: Action) -> tuple[Action, int] | None:
    """Return the legal action that differs least from one, and in how many choices; None if none is legal.

    It is one of the same kind, or of any if none is legal; then of the same side; then with the fewest choices that
    differ, and the first of these as they are listed. The first 2,000 are compared.
    """
    options, kinds = machine.options, [chance.event.name for chance in machine.options.chances]
    same = [number for number, kind in enumerate(kinds) if kind == action.kind]
    legal = [options.at(number).action for number in (same or range(len(kinds)))[:MAX_COMPARED]]

    def differing(one: Action) -> tuple[bool, int]:
        return action.by not in ("", one.by), _changes(one, action)

    found = min(legal, key=differing, default=None)
    return None if found is None else (found, _changes(found, action))


def _changes(one: Action, other: Action) -> int:
    """Count the choices that differ, and of a list its members; of another kind what only one of the two chooses."""
    if one.kind != other.kind:
        mine, its = (Counter(value for _, value in each.choices) for each in (one, other))
        return 1 + ((mine - its) + (its - mine)).total()
    pairs = zip(one.choices, other.choices, strict=True)
    return sum(
        len(set(mine) ^ set(its)) or mine != its if isinstance(mine, tuple) and isinstance(its, tuple) else mine != its
        for (_, mine), (_, its) in pairs
    )


def _event(machine: Machine, action: Action) -> ir.Event:
    events = {
        name: event
        for name, event in machine.model.events.items()
        if event.actor is not None and event.situation == machine.world.situation
    }
    event = events.get(action.kind)
    if event is None:
        fix, why = did_you_mean(action.kind, events), "a side can choose no event of this name"
        raise bad(f"unknown action `{action.kind}`", "$.action", fix, "unknown-name", why)
    names = [name for name, _ in action.choices]
    if names != list(event.open):
        what, why = f"the choices of `{action}` do not fit `{event.name}`", ", ".join(event.open) or "no choices"
        raise bad(what, "$.action", "give each of them, in this order", "bad-value", f"it takes {why}")
    return event


def _refuse_unknown_spots(machine: Machine, event: ir.Event, action: Action) -> None:
    """Refuse a place or connection that the map does not have; a piece may be gone, and its name is right."""
    for name, kind in event.params:
        chosen = dict(action.choices).get(name)
        record = machine.model.records.get(kind.name)
        role = kind.kind if record is None else record.role
        if isinstance(chosen, str) and role in ("place", "connection"):
            machine.world.find(PLACE if role == "place" else kind, chosen, f"$.action.{name}")


def _asks_only(term: Term | None, env: Env) -> bool:
    return term is None or free_names(term) <= env.keys()


class Refusal:
    """Follows an action that is judged through the parts of its event, as far as it goes."""

    def __init__(self, machine: Machine, event: ir.Event, action: Action) -> None:
        self.model, self.event = machine.model, event
        self.options: Options = machine.options
        self.wanted = dict(action.choices)
        self.reasons = Reasons(machine.engine)
        self.by = action.by
        self._furthest: tuple[int, State] | None = None

    def why_not_by(self, option: Option) -> str:
        """Collect the clauses that say whose action it is; it is not that of the side that tries it."""
        why = f"the {option.action.by} side may do this, not the {self.by} side"
        causes = self.reasons.blame.because(self.event.actor, option.env)
        for number, clause in enumerate([cause.clause for cause in causes] or self._sees):
            self.reasons.note(clause, "rests" if number else "forbids", "", "" if number else why)
        return why

    def why(self) -> str:
        """Collect the clauses that bar the action; say in words what it lacks, if that is not what they say."""
        why = self._why()
        if not self._is_explained():
            self.note_giving()
        return why

    def note_giving(self) -> None:
        """Note the clauses that say when and how an action of this kind is done."""
        heads = (self.model.heads[ir.head_key(self.event.name, word)] for word in ("start", "happen", "effects"))
        clauses = (one.clause for head in heads for one in head.statements if self._is_near(one))
        for clause in dict.fromkeys((*(each for each in clauses if each in self.model.clauses), *self._sees)):
            self.reasons.note(clause, "rests")

    def _is_near(self, statement: ir.Statement) -> bool:
        """Whether one part of its condition at most keeps a sentence from its effect; it may be about another side."""
        when = statement.when
        parts = when.parts if isinstance(when, Logic) and when.op == "all" else ()
        return sum(_asks_only(part, {}) and not self.options.engine.term(part, {}) for part in parts) < 2

    @property
    def _sees(self) -> list[str]:
        """The clauses that the event names for what it does not offer."""
        return [clause for clause in self.event.sees if clause in self.model.clauses]

    def _why(self) -> str:
        if self.reasons.head(ir.head_key(self.event.name, "start"), {}):
            return ""
        start = State({}, {}, self.options.engine, self.wanted)
        ends = list(self.options.states(self.event, start, reached=self._note_furthest))
        for state in ends:
            if self.reasons.head(ir.head_key(self.event.name, "happen"), state.env):
                return ""
        if ends or self._furthest is None:
            return "no legal action of this kind"
        number, state = self._furthest
        is_range = isinstance(self.event.parts[number], ir.RangePart)
        is_barred = is_range and self._as_chosen(state)
        why = self._missing(number, state)
        if self._is_explained():
            return "" if is_barred else why
        is_moment = isinstance(self.event.parts[number], ir.ConditionPart) and bool(self._sees)
        if is_moment or not self._as_chosen(state):
            for clause in self._sees:
                self.reasons.note(clause, "forbids", "", why)
        return why if not self._is_explained() else ""

    def _is_explained(self) -> bool:
        return any(one.holds and one.effect in ("forbids", "counts") for one in self.reasons.found.values())

    def _as_chosen(self, state: State) -> bool:
        """Whether clauses bar the choices of the action, available or not."""
        env = dict(state.env)
        for name, wanted in self.event.params:
            if name in self.wanted and name not in env:
                with suppress(InputError, ValueError):
                    env[name] = self.options.world.value(wanted, self.wanted[name], "$.action", name)
        head = self.model.heads[ir.head_key(self.event.name, "happen")]
        statements = tuple(one for one in head.statements if _asks_only(one.when, env))
        lifts = tuple(one for one in head.lifts if _asks_only(one.when, env))
        return bool(self.reasons.head(replace(head, statements=statements, lifts=lifts), env))

    def _note_furthest(self, number: int, state: State) -> None:
        if self._furthest is None or number >= self._furthest[0]:
            self._furthest = number, state

    def _missing(self, number: int, state: State) -> str:
        part = self.event.parts[number]
        match part:
            case ir.ConditionPart(stopped=route) if route:
                return self._stopped(number, state)
            case ir.ConditionPart(says=says):
                return Reasons(state.engine).words.text(says, state.known) or NOT_NOW
            case ir.RangePart():
                return self._range(part, state)
            case ir.AblePart():
                return self._able(part, state)
            case ir.GoingPart():
                return self._going(part, state)
            case ir.SelectPart():
                return self._selects(part, state)
            case ir.PickPart():
                return self._picking(part, state)
            case ir.RollPart():
                return self._rolling(part, state)
        return "that choice is not available"

    def _range(self, part: ir.RangePart, state: State) -> str:
        chosen = self.wanted.get(part.var)
        for one in state.engine.term(part.base, state.known):
            if self.options.shown(part.type, one) == chosen and part.where is not None:
                self._bar_choice(part, part.where, {**state.known, part.var: one})
                return "" if self._is_explained() else f"`{chosen}` cannot be chosen now"
        if isinstance(part.base, Result) and part.base.what == ENDS:
            place = self.options.world.find(PLACE, str(chosen), f"$.action.{part.var}")
            ends = Member(Var(part.var, part.type), (), part.base, FLAG)
            self._bar_choice(part, ends, {**state.known, part.var: place}, (f"`{chosen}` is not one of the choices",))
        return "" if self._is_explained() else f"`{chosen}` is not one of the choices"

    def _bar_choice(self, part: ir.RangePart, where: Term, env: Env, words: Template = ()) -> None:
        """Note the clauses that the event names as bars of a choice; if others bar it too, only those that decide."""
        clauses, when = self._sees, negation(where)
        if self._is_explained():
            blame = self.reasons.blame
            deciding = {cause.clause for cause in blame.because(when, env, held=True)} | set(blame.missing(where, env))
            clauses = [clause for clause in clauses if clause in deciding or not deciding]
        bars = tuple(ir.Statement(each, when, None, "", (), NOWHERE, phrase=part.refusal or words) for each in clauses)
        self.reasons.head(ir.Head(self.event.name, (), FLAG, "bar", self.event.situation, bars), env)

    def _asking(self, part: ir.AblePart | ir.GoingPart, state: State) -> StepJudge:
        return self.reasons.blame.ask(*self.options.going(part, state))

    def _going(self, part: ir.GoingPart, state: State) -> str:
        where = self.options.whereabouts(part, state)
        if where is None:
            return "no move is in progress"
        ask, (at, spent) = self._asking(part, state), where
        match part.kind:
            case "steps":
                return self._steps(ask, at, spent)
            case "halts":
                self.reasons.head(ask.key("end"), ask.end(at), at.id)
                return ""
        return self._closes(ask, at, spent)

    def _stopped(self, number: int, state: State) -> str:
        """Collect the clauses by which a mover had to stop at the place that it has reached."""
        going = next(part for part in self.event.parts[number:] if isinstance(part, ir.GoingPart))
        where = self.options.whereabouts(going, state)
        if where is None:
            return "no move is in progress"
        ask, at = self._asking(going, state), where[0]
        for link, other in ask.ways(at):  # by one of these it has come
            head = replace(self.model.heads[ask.key("stop")], mode="bar")
            if self.reasons.head(head, ask.step(link, other, at), at.id):
                return ""
        return f"the move stops at {at.id}"

    def _steps(self, ask: StepJudge, at: Place, spent: int) -> str:
        target, way = self.wanted.get(ask.route.entered), self.wanted.get(ask.route.crossing[0])
        if self.reasons.head(ask.key("start"), ask.env):
            return ""
        for link, other in ask.ways(at):
            if other.id == target and link.id == way:
                return self._step(ask, link, at, other, spent)
        return f"no connection `{way}` leads from {at.id} to {target}"

    def _step(self, ask: StepJudge, link: Connection, at: Place, other: Place, spent: int) -> str:
        env, where = ask.step(link, at, other), f"{at.id} to {other.id}"
        if self.reasons.head(ask.key("step"), env, where) or self._is_unpaid(ask, ask.key("cost"), env, where, spent):
            return ""
        return "" if self.reasons.head(ask.key("end"), ask.end(other), other.id) else "no clause forbids it"

    def _able(self, part: ir.AblePart, state: State) -> str:
        ask = self._asking(part, state)
        at = first_place(ask.mover)
        if self.reasons.head(ask.key("start"), ask.env):
            return ""
        if at is None:
            return f"the {mover_noun(ask.route)} is not on the board"
        for link, other in ask.ways(at):
            self._step(ask, link, at, other, 0)
        return f"the {mover_noun(ask.route)} cannot move from here"

    def _closes(self, ask: StepJudge, at: Place, spent: int) -> str:
        env, closing = ask.end(at), ask.route.closing
        if self.reasons.head(ask.key("start"), env) or self.reasons.head(ir.head_key(closing, "try"), env, at.id):
            return ""
        if not self._is_unpaid(ask, ir.head_key(closing, "cost"), env, f"{closing} in {at.id}", spent):
            self.reasons.head(ask.key("end"), ask.having(ask.closing_counts(at)).end(at), at.id)
        return ""

    def _is_unpaid(self, ask: StepJudge, key: str, env: Env, where: str, spent: int) -> bool:
        """Whether the points do not pay for a price; note it, if so."""
        total: int = spent + ask.decide(key, env)
        if total > ask.points:
            self.reasons.overspent(ask, key, env, where, total)
        return total > ask.points

    def _selects(self, part: ir.SelectPart, state: State) -> str:
        form, given = self.options.selecting(part, state)
        chosen = self.wanted.get(form.picked[0]) or ()
        members = [one for one in state.engine.term(form.members, given) if one.id in chosen]  # type: ignore[operator]
        offered = {one.id for one in members}
        strange = [str(one) for one in chosen if one not in offered]  # type: ignore[union-attr]
        if strange:
            why = f"{join_words(strange)} cannot be chosen here"
            for cause in self.reasons.blame.because(form.members, given):
                self.reasons.note(cause.clause, "forbids", "", why)
            return why
        self.reasons.head(ir.head_key(form.name, "choose"), {**given, form.picked[0]: members})
        return ""

    def _picking(self, part: ir.PickPart, state: State) -> str:
        form, given, picks, choosers = self.options.picking(part, state)
        names = [name for name, _ in (form.chooser, form.target) if name] if form.chooser else [form.target[0]]
        *who, target_id = (self.wanted.get(name) for name in names)
        chooser = next((one for one in choosers if who and one.id == who[0]), None)
        target = next((one for one in picks if one.id == target_id), None)
        if target is None or (who and chooser is None):
            if self._as_chosen(state):  # such as: it has chosen already
                return ""
            self._out_of_order(form, given, who, state)
            return f"`{target_id}` is not a target" if target is None else f"it is not the turn of `{who[0]}` to choose"
        reasons = Reasons(state.engine, self.reasons.found)
        env = {**given, form.target[0]: target, PICKS: picks}
        if form.chooser is not None:
            env[form.chooser[0]] = chooser
        reasons.head(ir.head_key(form.name, "choose"), env, f"{who[0]} at {target_id}" if who else str(target_id))
        return ""

    def _out_of_order(self, form: ir.Allocation, given: Env, who: list[Any], state: State) -> None:
        """Note the clauses that give the order in which choosers choose, if one is named that has to wait."""
        choosers = state.engine.term(form.choosers, given) if form.choosers is not None else []
        for one in (one for one in choosers if form.chooser is not None and [one.id] == who):
            reasons = Reasons(state.engine, self.reasons.found)
            for cause in reasons.blame.because(form.order, {**given, form.chooser[0]: one}):  # type: ignore[index]
                reasons.note(cause.clause, "forbids", one.id, reasons.words.refusal(cause))

    def _rolling(self, part: ir.RollPart, state: State) -> str:
        roll, env = self.options.rolling(part, state)
        reasons = Reasons(state.engine, self.reasons.found)
        reasons.head(ir.head_key(roll.name, "try"), env)
        return ""
