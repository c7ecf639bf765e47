"""Events: what may happen in a situation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.model.expressions import BROKEN, Checker, Scope
from titm_rules.model.model import (
    Allocation,
    Event,
    Form,
    Head,
    Part,
    Roll,
    Route,
    Selection,
    View,
    head_key,
)
from titm_rules.model.questions import Questions
from titm_rules.model.schema import Schema, attribute, spoken
from titm_rules.model.terms import Call, Term
from titm_rules.model.types import ERROR, FLAG, NUMBER, PLACE, Type
from titm_rules.syntax.tree import Decl, Word
from titm_rules.syntax.tree import Part as Written

SUCCESSES = "successes"
PRICE = "price"
STOPS = "stops"
EFFECTS = Type("effects")
Typed = tuple[str, Type]


@dataclass
class _Draft:
    """An event in the making: where its next part is asked, and the names known so far.

    It is `lost` if nobody knows where its further parts are asked.
    """

    decl: Decl
    scope: Scope
    parts: list[Part] = field(default_factory=list)
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
    def event(self, decl: Decl) -> None:
        """Check an event and open its heads."""
        if not self.schema.declare(decl.name):
            return
        situation = self.schema.situation(decl.situation)
        draft = _Draft(decl, Scope(situation, {}))
        for part in decl.parts:
            if draft.lost:
                break
            check: Callable[[Written, _Draft], None] = getattr(self, f"_{part.kind}")
            check(part, draft)
        event = Event(
            decl.name.text, situation, self._actor(decl, draft), tuple(draft.parts), tuple(draft.params),
            tuple(draft.open), decl.optional,
        )  # fmt: skip
        rolls = any(part.kind in ("rolling", "rolling_many") for part in decl.parts)
        if event.actor is None and rolls:
            self._fault(f"nobody rolls for `{event.name}`", decl.name.span, "who rolls has to act", "write `by ...`")
        if event.actor is not None and event.otherwise:
            self._fault(f"`{event.name}` cannot wait for a side", decl.name.span,
                        "what happens otherwise happens by itself", "leave out `otherwise` or `by ...`")  # fmt: skip
        self.events[event.name] = event
        effects = (*event.params, (SUCCESSES, NUMBER)) if rolls else event.params
        self._head(event, "start", (), "bar")
        self._head(event, "happen", event.params, "bar")
        self._head(event, "effects", effects, "effects")

    def _actor(self, decl: Decl, draft: _Draft) -> Term | None:
        """Check who acts; every name of the event may tell."""
        if not decl.exprs:
            return None
        actor = self.checker.term(decl.exprs[0], Scope(self.schema.situation(decl.situation), dict(draft.params)))
        if actor.type.kind not in ("enum", "error"):
            self._fault("who acts is a value of a type", decl.exprs[0].span, f"this is a {actor.type}",
                        "name a field or definition that tells the side")  # fmt: skip
        return actor

    def _head(self, event: Event, word: str, params: tuple[Typed, ...], mode: str) -> None:
        key = head_key(event.name, word)
        rtype = EFFECTS if mode == "effects" else FLAG
        self.checker.heads[key] = Head(key, params, rtype, mode, event.situation)

    # ------------------------------------------------------------------ what it ranges over
    def _domain(self, part: Written, draft: _Draft) -> None:
        base_expr, where_expr = part.exprs
        assert base_expr is not None
        base = self.checker.list_of(base_expr, draft.scope)
        var = part.words[0].text
        self._bind(draft, part, var, self.schema.member(base.type))
        where = self.checker.condition(where_expr, draft.scope) if where_expr is not None else None
        draft.parts.append(Part(part.kind, var, self.schema.member(base.type), base, where))

    _first = _domain

    def _given(self, part: Written, draft: _Draft) -> None:
        assert part.param is not None
        wanted = self.schema.resolve(part.param.type)
        if wanted.kind not in ("flag", "enum"):
            if wanted != ERROR:
                self._fault("what is given here is a flag or a value of a type", part.span, f"this is a {wanted}")
            wanted = ERROR
        self._bind(draft, part, part.param.name.text, wanted)
        draft.parts.append(Part("given", part.param.name.text, wanted))

    def _let(self, part: Written, draft: _Draft) -> None:
        assert part.exprs[0] is not None
        term = self.checker.term(part.exprs[0], draft.scope)
        self._bind(draft, part, part.words[0].text, term.type, choice=False)
        draft.parts.append(Part("let", part.words[0].text, term.type, term))

    # ------------------------------------------------------------------ how a mover goes on
    def _going(self, part: Written, draft: _Draft) -> Route | None:
        """Check a part that asks a route, and what it binds to the roles of the route."""
        route = self._form(part.words[0], Route)
        if not isinstance(route, Route):
            return None
        bindings = self.questions.bindings(part.bindings, route, draft.scope, part.words[0])
        at = spent = None
        if part.exprs:
            at_expr, spent_expr = part.exprs
            assert at_expr is not None
            assert spent_expr is not None
            at = self.checker.of_type(at_expr, draft.scope, PLACE)
            spent = self.checker.of_type(spent_expr, draft.scope, NUMBER)
        draft.parts.append(Part(part.kind, form=route.name, bindings=bindings, at=at, spent=spent))
        return route

    def _able(self, part: Written, draft: _Draft) -> None:
        self._going(part, draft)

    def _steps(self, part: Written, draft: _Draft) -> None:
        route = self._going(part, draft)
        if route is not None:
            self._bind(draft, part, route.entered, PLACE)
            self._bind(draft, part, *route.crossing)
            self._bind(draft, part, PRICE, NUMBER, choice=False)
            self._bind(draft, part, STOPS, FLAG, choice=False)

    def _halts(self, part: Written, draft: _Draft) -> None:
        self._going(part, draft)

    def _closes(self, part: Written, draft: _Draft) -> None:
        route = self._going(part, draft)
        if route is None:
            return
        if not route.closing:
            self._fault(f"`{route.name}` has no closing", part.words[0].span, "nothing is done at its end",
                        "write `closed by NAME` in the route")  # fmt: skip
        self._bind(draft, part, PRICE, NUMBER, choice=False)

    # ------------------------------------------------------------------ choices and dice
    def _selects(self, part: Written, draft: _Draft) -> None:
        form = self._form(part.words[0], Selection)
        if isinstance(form, Selection):
            bindings = self.questions.bindings(part.bindings, form, draft.scope, part.words[0])
            self._bind(draft, part, *form.picked)
            draft.parts.append(Part("selects", form=form.name, bindings=bindings))

    def _seen(self, part: Written, draft: _Draft) -> None:
        name = part.words[0]
        view = self.views.get(name.text)
        expr = part.exprs[0]
        assert expr is not None
        if view is None or view.situation != draft.scope.situation or len(view.params) != 1:
            self._fault(f"unknown view `{name.text}`", name.span, "no view shows this situation so",
                        did_you_mean(name.text, self.views))  # fmt: skip
            draft.lost = True
            return
        of = self.checker.of_type(expr, draft.scope, view.params[0][1])
        names = {known: self._twin(view, wanted) for known, wanted in draft.scope.names.items()}
        draft.scope = Scope(view.name, names)
        draft.parts.append(Part("seen", form=view.name, base=of))

    def _twin(self, view: View, wanted: Type) -> Type:
        twin = view.twins.get(wanted.name)
        return replace(wanted, name=twin) if wanted.kind == "record" and twin is not None else wanted

    def _picking(self, part: Written, draft: _Draft) -> None:
        form = self._form(part.words[0], Allocation)
        if not isinstance(form, Allocation):
            return
        bindings = self.questions.bindings(part.bindings, form, draft.scope, part.words[0])
        view = self.views.get(draft.scope.situation)
        back = {twin: name for name, twin in view.twins.items()} if view is not None else {}
        bound = [one for one in (form.chooser, form.target) if one is not None]
        bound = [(name, replace(wanted, name=back.get(wanted.name, wanted.name))) for name, wanted in bound]
        for name, wanted in bound:
            self._bind(draft, part, name, wanted)
        keeper, target = bound[0][1], bound[-1][1]
        kept = self._kept(part.words[1], keeper, target if form.chooser is not None else NUMBER)
        draft.parts.append(Part("picking", type=keeper, form=form.name, bindings=bindings, kept=kept, target=target))

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

    def _rolling(self, part: Written, draft: _Draft) -> None:
        *many, one = part.exprs
        assert one is not None
        roll = self.checker.term(one, draft.scope)
        if not (isinstance(roll, Call) and isinstance(self.forms.get(roll.head), Roll)):
            if roll is not BROKEN:
                self._fault("a roll is needed here", part.span, f"this is a {roll.type}")
            return
        if any(one.kind == "rolling" for one in draft.parts):
            self._fault("an event rolls once", part.span, "its effects know one number of successes",
                        "let another event roll")  # fmt: skip
        count = self.checker.of_type(many[0], draft.scope, NUMBER) if many and many[0] is not None else None
        draft.parts.append(Part("rolling", roll=roll, count=count))

    _rolling_many = _rolling

    # ------------------------------------------------------------------ small things
    def _bind(self, draft: _Draft, part: Written, name: str, wanted: Type, choice: bool = True) -> None:
        if name in draft.scope.names:
            self._fault(f"`{name}` already stands for something else", part.span,
                        "a name has one meaning at a time", "take another name")  # fmt: skip
            return
        draft.bind(name, wanted, choice)

    def _form(self, word: Word, wanted: type) -> Form | None:
        form = self.forms.get(word.text)
        if isinstance(form, wanted):
            return form
        known = [name for name, one in self.forms.items() if isinstance(one, wanted)]
        self._fault(f"`{word.text}` cannot be asked this", word.span, "no form of this name has such an answer",
                    did_you_mean(word.text, known))  # fmt: skip
        return None

    def _fault(self, what: str, span: Span, why: str = "", fix: str = "") -> None:
        self.schema.faults.add(what, span, why, fix)
