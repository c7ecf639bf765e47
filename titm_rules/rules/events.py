"""Events: what may happen in a situation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.rules.event_parts import (
    AblePart,
    Bindings,
    ConditionPart,
    EventPart,
    GivenPart,
    GoingPart,
    LetPart,
    PickPart,
    RangePart,
    RollPart,
    SelectPart,
    ThrowPart,
    ViewPart,
)
from titm_rules.rules.expressions import Checker
from titm_rules.rules.model import (
    BEGIN,
    END,
    PRICE,
    SUCCESSES,
    Allocation,
    Event,
    Form,
    Head,
    Roll,
    Route,
    Selection,
    View,
    head_key,
)
from titm_rules.rules.questions import Questions
from titm_rules.rules.schema import Schema
from titm_rules.rules.spelling import attribute, spoken
from titm_rules.rules.terms import Call, Term
from titm_rules.rules.types import ERROR, FLAG, NUMBER, PLACE, Type
from titm_rules.rules.wanted import BROKEN, Scope
from titm_rules.syntax.declarations import (
    AbleTo,
    Condition,
    EventDecl,
    EventPartDecl,
    ForEach,
    GivenDecl,
    Going,
    Let,
    PicksOf,
    RollsFor,
    SeenAs,
    Selects,
    Throws,
)
from titm_rules.syntax.nodes import Binding, Expr, Word

STOPS = "stops"
EFFECTS = Type("effects")
FACES = Type("set", NUMBER.kind)
Typed = tuple[str, Type]
F = TypeVar("F", Route, Allocation, Selection)


@dataclass
class _Draft:
    """An event in the making: where its next part is asked, and the names known so far.

    It is `lost` if nobody knows where its further parts are asked.
    """

    scope: Scope
    parts: list[EventPart] = field(default_factory=list)
    params: list[Typed] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    lost: bool = False

    def bind(self, name: str, wanted: Type, choice: bool) -> None:
        """Add a name that clauses and later parts may use."""
        self.params.append((name, wanted))
        if choice:
            self.open.append(name)
        self.scope = replace(self.scope, names={**self.scope.names, name: wanted})


@dataclass
class Events:
    """Checks events, and opens their heads."""

    schema: Schema
    checker: Checker
    forms: dict[str, Form]
    questions: Questions
    views: Mapping[str, View]
    events: dict[str, Event] = field(default_factory=dict)

    # ------------------------------------------------------------------ events
    def event(self, decl: EventDecl) -> None:
        """Check an event and open its heads."""
        if not self.schema.declare(decl.name):
            return
        situation = self.schema.situation(decl.situation)
        draft = _Draft(Scope(situation, {}))
        for part in decl.parts:
            if draft.lost:
                break
            self._part(part, draft)
        actor = self._actor(decl.actor, situation, draft) if decl.actor is not None else None
        event = Event(
            decl.name.text, situation, actor, tuple(draft.parts), tuple(draft.params), tuple(draft.open), decl.otherwise
        )
        self._who_acts(event, decl.name, any(isinstance(part, RollsFor | Throws) for part in decl.parts))
        self.events[event.name] = event
        self._head(event, "start", (), "bar")
        self._head(event, "happen", event.params, "bar")
        self._head(event, "effects", (*event.params, *_of_dice(decl, event.params)), "effects")

    def played(self) -> set[str]:
        """Open the heads that say which situations no game may begin or end with; name what is said of games."""
        situations = {event.situation for event in self.events.values()}
        for situation in sorted(situations):
            for word in (BEGIN, END):
                key = head_key(situation, word)
                self.checker.heads[key] = Head(key, (), FLAG, "bar", situation)
        return situations | set(self.events)

    def _actor(self, expr: Expr, situation: str, draft: _Draft) -> Term:
        """Check who acts; every name of the event may tell."""
        actor = self.checker.term(expr, Scope(situation, dict(draft.params)))
        if actor.type.kind not in ("enum", "error"):
            self._fault("who acts is a value of a type", expr.span, f"this is a {actor.type}",
                        "name a field or definition that tells the side")  # fmt: skip
        return actor

    def _who_acts(self, event: Event, name: Word, rolls: bool) -> None:
        """Refuse dice that nobody rolls, and an event that somebody has to choose and that waits for no choice."""
        if event.actor is None and rolls:
            self._fault(f"nobody rolls for `{event.name}`", name.span, "who rolls has to act", "write `by ...`")
        if event.actor is not None and event.otherwise:
            self._fault(f"`{event.name}` cannot wait for a side", name.span,
                        "what happens otherwise happens by itself", "leave out `otherwise` or `by ...`")  # fmt: skip

    def _part(self, part: EventPartDecl, draft: _Draft) -> None:
        """Check a part, and add it with the names that it brings."""
        match part:
            case ForEach():
                self._ranging(part, draft)
            case GivenDecl():
                self._given(part, draft)
            case Condition(condition=condition, says=says):
                told = self.checker.template(says, draft.scope)
                draft.parts.append(ConditionPart(self.checker.condition(condition, draft.scope), told))
            case Let():
                self._let(part, draft)
            case AbleTo():
                self._able(part, draft)
            case Going():
                self._going(part, draft)
            case Selects():
                self._selects(part, draft)
            case SeenAs():
                self._seen(part, draft)
            case PicksOf():
                self._picking(part, draft)
            case RollsFor():
                self._rolling(part, draft)
            case Throws():
                self._throwing(part, draft)

    def _head(self, event: Event, word: str, params: tuple[Typed, ...], mode: str) -> None:
        key = head_key(event.name, word)
        rtype = EFFECTS if mode == "effects" else FLAG
        self.checker.heads[key] = Head(key, params, rtype, mode, event.situation)

    # ------------------------------------------------------------------ what it ranges over
    def _ranging(self, part: ForEach, draft: _Draft) -> None:
        base = self.checker.list_of(part.base, draft.scope)
        var, member = part.name.text, self.schema.member(base.type)
        self._bind(draft, part.span, var, member)
        where = self.checker.condition(part.where, draft.scope) if part.where is not None else None
        draft.parts.append(RangePart(var, member, base, where, part.first))

    def _given(self, part: GivenDecl, draft: _Draft) -> None:
        name, wanted = part.param.name.text, self.schema.resolve(part.param.type)
        if wanted.kind not in ("flag", "enum"):
            if wanted != ERROR:
                self._fault("what is given here is a flag or a value of a type", part.span, f"this is a {wanted}")
            wanted = ERROR
        self._bind(draft, part.span, name, wanted)
        draft.parts.append(GivenPart(name, wanted))

    def _let(self, part: Let, draft: _Draft) -> None:
        value = self.checker.term(part.value, draft.scope)
        self._bind(draft, part.span, part.name.text, value.type, choice=False)
        draft.parts.append(LetPart(part.name.text, value))

    # ------------------------------------------------------------------ how a mover goes on
    def _able(self, part: AbleTo, draft: _Draft) -> None:
        route = self._form(part.route, Route)
        if route is not None:
            draft.parts.append(AblePart(route.name, self._bindings(part.bindings, route, draft, part.route)))

    def _going(self, part: Going, draft: _Draft) -> None:
        """Check a part that asks a route how its mover goes on, and what it binds."""
        route = self._form(part.route, Route)
        if route is None:
            return
        counting = replace(route, given=(*route.given, *route.tallied))
        bindings = self._bindings(part.bindings, counting, draft, part.route)
        self._can_go(route, part.route)
        at = self.checker.of_type(part.at, draft.scope, PLACE)
        spent = self.checker.of_type(part.spent, draft.scope, route.price)
        draft.parts.append(GoingPart(part.kind, route.name, bindings, at, spent))
        if part.kind == "steps":
            self._bind(draft, part.span, route.entered, PLACE)
            self._bind(draft, part.span, *route.crossing)
            self._bind(draft, part.span, PRICE, route.price, choice=False)
            self._bind(draft, part.span, STOPS, FLAG, choice=False)
            for tallied in route.tallied:
                self._bind(draft, part.span, *tallied, choice=False)
        elif part.kind == "closes":
            self._closing(route, part.route)
            self._bind(draft, part.span, PRICE, route.price, choice=False)

    def _can_go(self, route: Route, word: Word) -> None:
        if route.simple:
            self._fault(f"`{route.name}` cannot be walked step by step", word.span,
                        "it visits no place twice, and a game does not keep the places that a mover came through",
                        "ask for whole paths")  # fmt: skip

    def _closing(self, route: Route, word: Word) -> None:
        if not route.closing:
            self._fault(f"`{route.name}` has no closing", word.span, "nothing is done at its end",
                        "write `closed by NAME` in the route")  # fmt: skip

    # ------------------------------------------------------------------ choices and dice
    def _selects(self, part: Selects, draft: _Draft) -> None:
        form = self._form(part.selection, Selection)
        if form is not None:
            bindings = self._bindings(part.bindings, form, draft, part.selection)
            self._bind(draft, part.span, *form.picked)
            draft.parts.append(SelectPart(form.name, bindings))

    def _seen(self, part: SeenAs, draft: _Draft) -> None:
        name = part.view
        view = self.views.get(name.text)
        if view is None or view.situation != draft.scope.situation or len(view.params) != 1:
            self._fault(f"unknown view `{name.text}`", name.span, "no view shows this situation so",
                        did_you_mean(name.text, self.views))  # fmt: skip
            draft.lost = True
            return
        of = self.checker.of_type(part.of, draft.scope, view.params[0][1])
        names = {known: self._twin(view, wanted) for known, wanted in draft.scope.names.items()}
        draft.scope = Scope(view.name, names)
        draft.parts.append(ViewPart(view.name, of))

    def _twin(self, view: View, wanted: Type) -> Type:
        twin = view.twins.get(wanted.name)
        return replace(wanted, name=twin) if wanted.kind == "record" and twin is not None else wanted

    def _picking(self, part: PicksOf, draft: _Draft) -> None:
        form = self._form(part.allocation, Allocation)
        if form is None:
            return
        bindings = self._bindings(part.bindings, form, draft, part.allocation)
        view = self.views.get(draft.scope.situation)
        back = {twin: name for name, twin in view.twins.items()} if view is not None else {}
        bound = [one for one in (form.chooser, form.target) if one is not None]
        bound = [(name, replace(wanted, name=back.get(wanted.name, wanted.name))) for name, wanted in bound]
        for name, wanted in bound:
            self._bind(draft, part.span, name, wanted)
        keeper, target = bound[0][1], bound[-1][1]
        kept = self._kept(part.kept, keeper, target if form.chooser is not None else NUMBER)
        draft.parts.append(PickPart(form.name, bindings, keeper, kept, target))

    def _kept(self, word: Word, keeper: Type, wanted: Type) -> str:
        """Check the field that keeps what was picked: the target of a chooser, or how often a target was picked."""
        kept = attribute(word.text)
        record = self.schema.records.get(keeper.name)
        if record is None:
            return kept
        spec = next((one for one in record.fields if one.name == kept), None)
        if spec is None:
            self._fault(f"a {record.name} has no `{word.text}`", word.span, "what was picked is kept in a field",
                        did_you_mean(word.text, [spoken(one.name) for one in record.fields]))  # fmt: skip
        elif spec.type.kind != wanted.kind or (
            wanted.name and not (spec.type.optional and spec.type.name == wanted.name)
        ):
            what = f"{wanted.name} or nothing" if wanted.name else "number"
            self._fault(f"`{word.text}` cannot keep this", word.span, f"it is a {spec.type}", f"declare it as {what}")
        return kept

    def _rolling(self, part: RollsFor, draft: _Draft) -> None:
        roll = self.checker.term(part.roll, draft.scope)
        if not (isinstance(roll, Call) and isinstance(self.forms.get(roll.head), Roll)):
            if roll is not BROKEN:
                self._fault("a roll is needed here", part.span, f"this is a {roll.type}")
            return
        self._once(part, draft)
        count = self.checker.of_type(part.count, draft.scope, NUMBER) if part.count is not None else None
        thrown = "" if part.thrown is None else self._thrown(part.thrown, draft)
        draft.parts.append(RollPart(roll, count, thrown))

    def _throwing(self, part: Throws, draft: _Draft) -> None:
        self._once(part, draft)
        die = self.schema.dice.get(part.die.text)
        if die is None:
            self._fault(f"unknown die `{part.die.text}`", part.die.span, "the vocabulary declares no such die",
                        did_you_mean(part.die.text, self.schema.dice))  # fmt: skip
            return
        count = self.checker.of_type(part.count, draft.scope, NUMBER)
        draft.parts.append(ThrowPart(count, self._thrown(part.thrown, draft), *die))

    def _once(self, part: RollsFor | Throws, draft: _Draft) -> None:
        if any(isinstance(one, RollPart | ThrowPart) for one in draft.parts):
            self._fault("an event rolls once", part.span, "its effects know one throw of dice",
                        "let another event roll")  # fmt: skip

    def _thrown(self, word: Word, draft: _Draft) -> str:
        """Check the name of the faces, which only effects know."""
        if word.text == SUCCESSES or word.text in draft.scope.names:
            self._fault(f"`{word.text}` already stands for something else", word.span,
                        "a name has one meaning at a time", "take another name")  # fmt: skip
        return word.text

    # ------------------------------------------------------------------ small things
    def _bind(self, draft: _Draft, span: Span, name: str, wanted: Type, choice: bool = True) -> None:
        if name in draft.scope.names:
            self._fault(f"`{name}` already stands for something else", span,
                        "a name has one meaning at a time", "take another name")  # fmt: skip
            return
        draft.bind(name, wanted, choice)

    def _bindings(self, written: tuple[Binding, ...], form: Form, draft: _Draft, where: Word) -> Bindings:
        return self.questions.bindings(written, form, draft.scope, where)

    def _form(self, word: Word, wanted: type[F]) -> F | None:
        form = self.forms.get(word.text)
        if isinstance(form, wanted):
            return form
        known = [name for name, one in self.forms.items() if isinstance(one, wanted)]
        self._fault(f"`{word.text}` cannot be asked this", word.span, "no form of this name has such an answer",
                    did_you_mean(word.text, known))  # fmt: skip
        return None

    def _fault(self, what: str, span: Span, why: str = "", fix: str = "") -> None:
        self.schema.faults.add(what, span, why, fix)


def _of_dice(decl: EventDecl, params: tuple[Typed, ...]) -> Iterator[Typed]:
    """Yield the names that only effects know: how many dice succeed, and the faces."""
    for part in decl.parts:
        if isinstance(part, RollsFor):
            yield SUCCESSES, NUMBER
        if isinstance(part, RollsFor | Throws) and part.thrown is not None:
            name = part.thrown.text
            if name != SUCCESSES and name not in dict(params):
                yield name, FACES
