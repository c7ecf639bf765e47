"""Events and views: what may happen in a situation, and how one situation is seen in another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.model.expressions import BROKEN, Checker, Scope
from titm_rules.model.model import Allocation, Answer, Event, Form, Head, Part, Roll, Route, Selection, View, head_key
from titm_rules.model.questions import Questions
from titm_rules.model.schema import Schema, attribute
from titm_rules.model.terms import Call
from titm_rules.model.types import FLAG, NUMBER, PLACE, Type
from titm_rules.syntax.tree import Decl, Word
from titm_rules.syntax.tree import Part as Written

SUCCESSES = "successes"
PRICE = "price"
STOPS = "stops"
EFFECTS = Type("effects")
Typed = tuple[str, Type]


@dataclass
class _Draft:
    """An event in the making: where its next part is asked, and the names known so far."""

    decl: Decl
    scope: Scope
    parts: list[Part] = field(default_factory=list)
    params: list[Typed] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def bind(self, name: str, wanted: Type, choice: bool = True) -> None:
        """Add a name that clauses and later parts may use."""
        self.params.append((name, wanted))
        if choice:
            self.open.append(name)
        self.scope = replace(self.scope, names={**self.scope.names, name: wanted})


@dataclass
class Events:
    """Checks views and events, and opens the heads of events."""

    schema: Schema
    checker: Checker
    forms: dict[str, Form]
    questions: Questions
    views: dict[str, View] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    summaries: dict[str, tuple[tuple[str, Answer], ...]] = field(default_factory=dict)

    # ------------------------------------------------------------------ views
    def view(self, decl: Decl) -> None:
        """Check a view: every answer gives a field of the situation that is seen."""
        seen = self.schema.situation(decl.name)
        situation = self.schema.situation(decl.situation)
        params = tuple((p.name.text, self.schema.resolve(p.type)) for p in decl.params)
        scope = Scope(situation, dict(params))
        fields = {spec.name: spec for spec in self.schema.records[seen].fields} if seen else {}
        answers, twins = [], {}
        for part in decl.parts:
            name = part.words[0]
            answer = self.questions.answer(part, scope)
            spec = fields.get(attribute(name.text))
            if spec is None:
                self._fault(f"a {seen} has no `{name.text}`", name.span, "a view gives the fields of a situation",
                            did_you_mean(name.text, [f.replace("_", "-") for f in fields]))  # fmt: skip
                continue
            if answer.kind == "each" and answer.base is not None:
                twins[answer.base.type.name] = spec.type.name
            elif answer.term is not None and not self.checker.fits(answer.term.type, spec.type):
                self._fault(f"a {spec.type} is needed here", part.span, f"this is a {answer.term.type}")
            answers.append((spec.json, answer))
        if seen and seen not in self.views:
            self.views[seen] = View(seen, situation, params, tuple(answers), twins)

    def summary(self, decl: Decl) -> None:
        """Check what is told of a situation in a line."""
        situation = self.schema.situation(decl.situation)
        scope = Scope(situation, {})
        self.summaries[situation] = tuple(
            (part.words[0].text, self.questions.answer(part, scope)) for part in decl.parts
        )

    # ------------------------------------------------------------------ events
    def event(self, decl: Decl) -> None:
        """Check an event and open its heads."""
        if not self.schema.declare(decl.name):
            return
        situation = self.schema.situation(decl.situation)
        draft = _Draft(decl, Scope(situation, {}))
        for part in decl.parts:
            check: Callable[[Written, _Draft], None] = getattr(self, f"_{part.kind}")
            check(part, draft)
        whole = Scope(situation, dict(draft.params))
        actor = self.checker.term(decl.exprs[0], whole) if decl.exprs else None
        event = Event(
            decl.name.text, situation, actor, tuple(draft.parts), tuple(draft.params), tuple(draft.open), decl.optional
        )
        if actor is None and event.rolls:
            self._fault(f"nobody rolls for `{event.name}`", decl.name.span, "who rolls has to act", "write `by ...`")
        if actor is not None and event.otherwise:
            self._fault(f"`{event.name}` cannot wait for a side", decl.name.span,
                        "what happens otherwise happens by itself", "leave out `otherwise` or `by ...`")  # fmt: skip
        self.events[event.name] = event
        effects = (*event.params, (SUCCESSES, NUMBER)) if event.rolls else event.params
        self._head(event, "start", (), "bar")
        self._head(event, "happen", event.params, "bar")
        self._head(event, "effects", effects, "effects")

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
        draft.bind(var, self.schema.member(base.type))
        where = self.checker.condition(where_expr, draft.scope) if where_expr is not None else None
        draft.parts.append(Part(part.kind, var, self.schema.member(base.type), base, where))

    _first = _domain

    def _given(self, part: Written, draft: _Draft) -> None:
        assert part.param is not None
        wanted = self.schema.resolve(part.param.type)
        if wanted.kind not in ("flag", "enum"):
            self._fault("what is given here is a flag or a value of a type", part.span, f"this is a {wanted}")
        draft.bind(part.param.name.text, wanted)
        draft.parts.append(Part("given", part.param.name.text, wanted))

    def _let(self, part: Written, draft: _Draft) -> None:
        assert part.exprs[0] is not None
        term = self.checker.term(part.exprs[0], draft.scope)
        draft.bind(part.words[0].text, term.type, choice=False)
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
            draft.bind(route.entered, PLACE)
            draft.bind(*route.crossing)
            draft.bind(PRICE, NUMBER, choice=False)
            draft.bind(STOPS, FLAG, choice=False)

    def _halts(self, part: Written, draft: _Draft) -> None:
        self._going(part, draft)

    def _closes(self, part: Written, draft: _Draft) -> None:
        if self._going(part, draft) is not None:
            draft.bind(PRICE, NUMBER, choice=False)

    # ------------------------------------------------------------------ choices and dice
    def _selects(self, part: Written, draft: _Draft) -> None:
        form = self._form(part.words[0], Selection)
        if isinstance(form, Selection):
            bindings = self.questions.bindings(part.bindings, form, draft.scope, part.words[0])
            draft.bind(*form.picked)
            draft.parts.append(Part("selects", form=form.name, bindings=bindings))

    def _seen(self, part: Written, draft: _Draft) -> None:
        name = part.words[0]
        view = self.views.get(name.text)
        expr = part.exprs[0]
        assert expr is not None
        if view is None or view.situation != draft.scope.situation or len(view.params) != 1:
            self._fault(f"unknown view `{name.text}`", name.span, "no view shows this situation so",
                        did_you_mean(name.text, self.views))  # fmt: skip
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
        back = {twin: name for view in self.views.values() for name, twin in view.twins.items()}
        bound = [one for one in (form.chooser, form.target) if one is not None]
        kinds = [replace(wanted, name=back.get(wanted.name, wanted.name)) for _, wanted in bound]
        for (name, _), wanted in zip(bound, kinds, strict=True):
            draft.bind(name, wanted)
        kept = attribute(part.words[1].text)
        draft.parts.append(Part("picking", type=kinds[-1], form=form.name, bindings=bindings, kept=kept))

    def _rolling(self, part: Written, draft: _Draft) -> None:
        *many, one = part.exprs
        assert one is not None
        roll = self.checker.term(one, draft.scope)
        if not (isinstance(roll, Call) and isinstance(self.forms.get(roll.head), Roll)):
            if roll is not BROKEN:
                self._fault("a roll is needed here", part.span, f"this is a {roll.type}")
            return
        count = self.checker.of_type(many[0], draft.scope, NUMBER) if many and many[0] is not None else None
        draft.parts.append(Part("rolling", roll=roll, count=count))

    _rolling_many = _rolling

    # ------------------------------------------------------------------ small things
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
