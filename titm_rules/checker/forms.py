"""Check forms and definitions, and open the heads that clauses speak of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from titm_rules.checker.expressions import BROKEN, Checker, Scope
from titm_rules.checker.schema import Schema
from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.ir.dependencies import (
    DependencyGraph,
    answer_terms,
    form_terms,
    part_terms,
    question_terms,
    sentence_terms,
)
from titm_rules.ir.model import (
    NOBODY,
    PRICE,
    Allocation,
    DiceSpec,
    Event,
    Form,
    Head,
    Question,
    Roll,
    Route,
    Selection,
    Statement,
    View,
    head_key,
)
from titm_rules.ir.terms import Call, Const, Field, Term, Var, subterms
from titm_rules.ir.types import ERROR, FLAG, NUMBER, PLACE, Type, attribute, hyphenated
from titm_rules.syntax.ast import (
    AllocationDecl,
    Choosers,
    Closing,
    Counters,
    Crosses,
    DefineDecl,
    DiceFor,
    FormDecl,
    GivenDecl,
    Halted,
    Interruption,
    MoverDecl,
    OrderOf,
    Paid,
    Param,
    PickedFrom,
    Prefers,
    Ranging,
    RollDecl,
    RouteDecl,
    SelectionDecl,
    Simple,
    Success,
    TableDecl,
    Tallied,
    Word,
)

# ---------------------------------------------------------------------- form checks
# Of each kind of form: what clauses have to say, and how one writes it.
_NEEDED = {
    Route: (("cost", "what a step of it costs", "costs ..."), ("points", "how much it may cost", "has ... points")),
    Roll: (("factor", "what die succeeds", "succeeds on ..."),),
}


@dataclass
class FormChecks:
    """The checks on forms; faults go to the schema."""

    schema: Schema
    heads: Mapping[str, Head]
    forms: Mapping[str, Form]
    questions: Mapping[str, Question]
    events: Mapping[str, Event]
    views: Mapping[str, View]

    @cached_property
    def _rests(self) -> DependencyGraph:
        return DependencyGraph(self.heads, self.forms, self.schema.records)

    def check(self) -> None:
        """Check all that asks a form."""
        self._check_picks()
        for called, span in self._called():
            if isinstance(self.forms[called.head], Route):
                self._check_trace(called, span)
        for form in self.forms.values():
            self._check_needs(form)

    # ------------------------------------------------------------------ how often something was picked
    def _check_picks(self) -> None:
        """Refuse to ask how often something was picked where no allocation picks such things."""
        for key, head in self.heads.items():
            form = self.forms.get(key.partition(".")[0])
            if "." not in key and not isinstance(form, Route | Roll):
                continue  # a definition is asked by others, and these are checked
            picked = {form.target[1].name} if isinstance(form, Allocation) else set()
            for sentence in head.sentences:
                self._check_counts(sentence_terms(sentence), sentence.span, picked)
        for terms, span in self._outside():
            self._check_counts(terms, span, set())

    def _check_counts(self, terms: Iterable[Term], span: Span, picked: set[str]) -> None:
        strange = sorted(self._rests.picks_of(terms) - picked)
        if strange:
            self.schema.faults.add(
                f"nothing picks a {strange[0]} here", span,
                "how often something has been picked so far is known only to the allocation that picks it",
                "ask it in a clause on what that allocation may not choose",
            )  # fmt: skip

    # ------------------------------------------------------------------ traces
    def _check_trace(self, called: Call, span: Span) -> None:
        """Refuse to trace a route that needs more than a mover and places, or that leads nowhere."""
        name = called.head
        route = self.forms[name]
        if isinstance(route, Route) and route.given:
            self.schema.faults.add(
                f"`{name}` cannot be traced", span,
                f"it is given {', '.join(given for given, _ in route.given)}, and a trace gives a mover and a place",
                f"write `cost of {name} (with ...)` or `ends of {name} (with ...)`, or declare a route of its own",
            )  # fmt: skip
        elif isinstance(route, Route) and route.ranks:
            self.schema.faults.add(
                f"`{name}` cannot be traced", span, "it prefers some ways to others, and a trace asks for any way",
                f"write `cost of {name} (with ...)` or `ends of {name} (with ...)`",
            )  # fmt: skip
        elif len(called.args) == 2 and not self.heads[head_key(name, "goal")].statements:
            self.schema.faults.add(
                f"`{name}` leads nowhere", span, "no clause says where it ends, so there is never a way",
                f"write `{name} ends when ...`",
            )  # fmt: skip

    def _called(self) -> Iterator[tuple[Call, Span]]:
        """Yield the calls of routes that expressions trace and of rolls that they ask, with where that is written."""
        said = ((sentence_terms(one), one.span) for head in self.heads.values() for one in head.sentences)
        for terms, span in (*said, *self._outside()):
            for part in (inner for term in terms for inner in subterms(term)):
                if isinstance(part, Call) and part.head in self.forms:
                    yield part, span

    # ------------------------------------------------------------------ what a form needs
    def _check_needs(self, form: Form) -> None:
        """Refuse a form of which clauses do not say what it takes to answer for it."""
        for word, what, written in _NEEDED.get(type(form), ()):
            if not self.heads[head_key(form.name, word)].statements:
                self.schema.faults.add(
                    f"no clause says {what}: `{form.name}`", self.schema.spans[form.name],
                    "it could not be answered for", f"write `{form.name} {written}` in a clause",
                )  # fmt: skip

    # ------------------------------------------------------------------ outside of clauses
    def _outside(self) -> Iterator[tuple[list[Term], Span]]:
        """Yield the terms that questions, views, events and forms hold, each with where they are declared."""
        spans = self.schema.spans
        for question in self.questions.values():
            yield list(question_terms(question)), spans[question.name]
        for name, view in self.views.items():
            yield list(answer_terms(view.answers)), spans[name]
        for event in self.events.values():
            yield [term for part in event.parts for term in part_terms(part)], spans[event.name]
        for form in self.forms.values():
            yield list(form_terms(form)), spans[form.name]


# ---------------------------------------------------------------------- forms
ROUTE_WORDS = ("start", "points", "step", "stop", "cost", "end", "goal", "try")
OPTIONAL_NUMBER = Type("number", optional=True)
Typed = tuple[str, Type]
PartedDecl = RouteDecl | AllocationDecl | SelectionDecl
PartType = TypeVar("PartType")


@dataclass
class Forms:
    """Declares heads and forms in two passes: first names, then the sets they range over."""

    schema: Schema
    checker: Checker
    forms: dict[str, Form]

    def declare(self, decl: FormDecl) -> None:
        """Open the heads of a definition or a form."""
        if not self.schema.declare(decl.name):
            return
        match decl:
            case DefineDecl():
                self._declare_definition(decl)
            case TableDecl():
                self._declare_table(decl)
            case RollDecl():
                self._declare_roll(decl, self.schema.situation(decl.situation))
            case RouteDecl():
                self._declare_route(decl, self.schema.situation(decl.situation))
            case AllocationDecl():
                self._declare_allocation(decl, self.schema.situation(decl.situation))
            case SelectionDecl():
                self._declare_selection(decl, self.schema.situation(decl.situation))

    def finish(self, decl: PartedDecl) -> None:
        """Check the expressions of a form, now that every head is known."""
        form = self.forms.get(decl.name.text)
        if isinstance(form, Route):
            self.forms[form.name] = replace(form, ranks=self._ranks(form, decl))
            return
        picked = _part(decl, PickedFrom)
        if isinstance(form, Allocation) and isinstance(decl, AllocationDecl) and picked is not None:
            self.forms[form.name] = self._finished(form, decl, picked)
        elif isinstance(form, Selection) and picked is not None:
            base = self._base(picked, Scope(form.situation, dict(form.given)), form.picked[1])
            self.forms[form.name] = replace(form, members=base, rank=self._rank(form, _part(decl, Prefers)))

    def _ranks(self, form: Route, decl: PartedDecl) -> tuple[Term, ...]:
        """Check what the best ways have least of, one thing after the other."""
        names = dict((form.mover, *form.given, (form.entered, PLACE), *form.tallied))
        parts = [part for part in decl.parts if isinstance(part, Prefers)]
        self._refuse_ranks(form, parts[:1])
        return tuple(self.checker.ordered(part.rank, Scope(form.situation, names)) for part in parts)

    def _refuse_ranks(self, form: Route, parts: list[Prefers]) -> None:
        """Refuse to compare the ways of a route if there is no end of them, or if they change the situation."""
        if parts and not form.simple:
            self.schema.faults.add(
                f"`{form.name}` cannot prefer", parts[0].span, "ways that go in circles are without number",
                "write `visits no place twice`",
            )  # fmt: skip
        elif parts and form.interruption:
            self.schema.faults.add(
                f"`{form.name}` cannot prefer", parts[0].span, "interruptions change which ways there are",
                "let a route of its own be interrupted",
            )  # fmt: skip

    def _rank(self, form: Selection, prefers: Prefers | None) -> Term | None:
        """Check what the best choices have least of, if anything is said of it."""
        if prefers is None:
            return None
        scope = Scope(form.situation, dict((*form.given, form.picked)))
        return self.checker.number(prefers.rank, scope)

    def _finished(self, form: Allocation, decl: AllocationDecl, picked: PickedFrom) -> Allocation:
        scope = Scope(form.situation, dict(form.given))
        targets = self._base(picked, scope, form.target[1])
        shot = self._shot(form, _part(decl, DiceFor), _part(decl, Success))
        each = _part(decl, Choosers)
        if each is None or form.chooser is None:
            return replace(form, choosers=None, targets=targets, shot=shot)
        inner = Scope(form.situation, {**dict(form.given), form.chooser[0]: form.chooser[1]})
        rank = _part(decl, OrderOf)
        order = self.checker.number(rank.rank, inner) if rank is not None else None
        choosers = self._base(each, scope, form.chooser[1])
        return replace(form, choosers=choosers, targets=targets, order=order, shot=shot)

    def _shot(self, form: Allocation, dice: DiceFor | None, success: Success | None) -> DiceSpec | None:
        """Check what is rolled for a pick and what a success does, if anything is said of it."""
        if dice is None or success is None:
            said = dice or success
            if said is not None:
                self.schema.faults.add(
                    f"allocation `{form.name}` needs both `rolls` and `success`", said.span,
                    "dice are rolled for what a success does",
                    "write `rolls ... dice for ...` and `success lowers ... by ...`",
                )  # fmt: skip
            return None
        named = (*form.given, form.target, *((form.chooser,) if form.chooser else ()))
        scope = Scope(form.situation, dict(named))
        written = (dice.count, dice.roll, success.field, success.loss)
        count, rolled, left, loss = (self.checker.of_type(expr, scope, NUMBER) for expr in written)
        if not (isinstance(rolled, Call) and isinstance(self.forms.get(rolled.head), Roll)):
            rolls = [name for name, one in self.forms.items() if isinstance(one, Roll)]
            self.schema.faults.add(
                "dice are rolled for a roll", dice.roll.span, "this is none",
                f"write one of: {', '.join(rolls)}, and what it is about" if rolls else "declare a `roll`",
            )  # fmt: skip
            return None
        if not (isinstance(left, Field) and left.base == Var(*form.target)):
            self.schema.faults.add(
                f"a success lowers a number of `{form.target[0]}`", success.field.span,
                "it counts against what was picked", f"write `FIELD of {form.target[0]}`",
            )  # fmt: skip
            return None
        return DiceSpec(count, rolled, left, loss)

    # ------------------------------------------------------------------ kinds of form
    def _declare_definition(self, decl: DefineDecl) -> None:
        rtype = replace(self.schema.resolve(decl.type), optional=decl.optional)
        mode = "sum" if decl.adds_up else "any" if rtype == FLAG else "value"
        if decl.adds_up and rtype.kind not in ("number", "error"):
            what = f"`{decl.name.text}` cannot be a total"
            self.schema.faults.add(what, decl.name.span, f"a {rtype} does not add up", "define a number")
        situation = self.schema.situation(decl.situation)
        params, preps = self._params(decl.params)
        self._head(Head(decl.name.text, params, rtype, mode, situation, preps=preps))

    def default(self, decl: DefineDecl) -> None:
        """Check the value that a definition has when no clause speaks, now that every head is known."""
        head = self.checker.heads.get(decl.name.text)
        if decl.default is None or head is None:
            return
        scope = Scope(head.situation, dict(head.params), allocation=True)
        value = self.checker.of_type(decl.default, scope, head.type)
        said = Statement(NOBODY, None, value, "", (), decl.name.span)
        if head.mode == "any":
            if value == Const(False, FLAG):
                self.schema.faults.add(
                    f"`{head.key}` is no anyway", decl.default.span, "a flag is no where no clause says that it holds",
                    "leave the default out",
                )  # fmt: skip
            said = replace(said, when=None if value == Const(True, FLAG) else value, value=None)
        self._head(replace(head, statements=(said,)))

    def _declare_table(self, decl: TableDecl) -> None:
        unknown = [word for word in (decl.key, decl.across) if word is not None and word.text not in self.schema.enums]
        if unknown:
            self._unknown_enum(unknown[0])
            return
        params: tuple[Typed, ...] = (("key", Type("enum", decl.key.text)),)
        if decl.number is not None:
            name, low, high = decl.number
            params = (*params, (name.text, Type("number", low=low, high=high)))
        if decl.across is not None:
            params = (*params, ("across", Type("enum", decl.across.text)))
        rtype = NUMBER if decl.gives is None else self.schema.resolve(decl.gives)
        self._head(Head(decl.name.text, params, rtype, "value", "", preps=("of", "at")[: len(params)]))

    def _declare_roll(self, decl: RollDecl, situation: str) -> None:
        params, preps = self._params(decl.params)
        die = self.schema.dice.get(decl.die.text)
        if die is None:
            fix = did_you_mean(decl.die.text, self.schema.dice)
            self.schema.faults.add(f"unknown die `{decl.die.text}`", decl.die.span, fix=fix)
            return
        name = decl.name.text
        self.forms[name] = Roll(name, situation, params, *die)
        self._heads(name, params, situation, {"try": "bar", "factor": "value", "adds": "sum"})
        self._head(Head(name, params, OPTIONAL_NUMBER, "roll", situation, preps=preps))

    def direct(self, rising: Mapping[str, bool]) -> None:
        """Note which rolls succeed on at least a number, as clauses say."""
        for name, form in self.forms.items():
            if isinstance(form, Roll) and rising.get(name):
                self.forms[name] = replace(form, rises=True)

    def _declare_route(self, decl: RouteDecl, situation: str) -> None:
        name = decl.name.text
        mover, crosses = _part(decl, MoverDecl), _part(decl, Crosses)
        if mover is None or crosses is None:
            self.schema.faults.add(
                f"route `{name}` needs a mover and what it crosses", decl.name.span,
                fix="write `mover ...` and `crosses ...`",
            )  # fmt: skip
            return
        self._need_record(crosses.record)
        closing, simple, halted = _part(decl, Closing), _part(decl, Simple), _part(decl, Halted)
        paid = _part(decl, Paid)
        route = Route(
            name, situation, self._typed(mover.param), (crosses.name.text, Type("record", crosses.record.text)),
            crosses.left.text, crosses.entered.text, self._given(decl),
            closing="" if closing is None else closing.name.text, counters=self._counters(decl),
            halted="" if halted is None else halted.name.text, simple=simple is not None,
            returns=simple is not None and simple.returns,
            measure=None if paid is None else self.schema.measured(paid.measure).measure,
        )  # fmt: skip
        interruption = _part(decl, Interruption)
        if interruption is not None:
            route = self._interrupted(route, interruption)
        self.forms[name] = route
        self._open_route(route)

    def _counters(self, decl: RouteDecl) -> tuple[tuple[str, int], ...]:
        """Read what a route counts; a counter must not bear the name of anything else that clauses ask of it."""
        found: dict[str, int] = {}
        for part in decl.parts:
            if isinstance(part, Tallied | Halted):
                name = part.name.text
                if name in found or name in ROUTE_WORDS or name == PRICE:
                    why = "it is counted already" if name in found else "the word has a meaning of its own in a route"
                    self.schema.faults.add(f"`{name}` cannot be counted", part.name.span, why, "take another name")
                found[name] = part.most if isinstance(part, Tallied) else 1
        return tuple(found.items())

    def _open_route(self, route: Route) -> None:
        """Open the heads of a route."""
        name, situation = route.name, route.situation
        crossed = (route.mover, route.crossing, (route.left, PLACE), (route.entered, PLACE), *route.given)
        step = (*crossed, *route.tallied)
        end = (route.mover, (route.entered, PLACE), *route.given, *route.tallied)
        start = (route.mover, *route.given)
        price = route.price
        self._heads(name, start, situation, {"start": "bar", "points": "value"}, price)
        self._heads(name, step, situation, {"step": "bar", "stop": "any", "cost": "sum"}, price)
        self._heads(name, (*end, (route.stranded, FLAG)) if route.stranded else end, situation, {"end": "bar"})
        self._heads(name, end, situation, {"goal": "any"})
        tallies = dict.fromkeys(dict(route.counters), "sum")
        self._heads(name, (*step, (PRICE, price)), situation, tallies)
        if route.interruption:
            self._heads(route.interruption, step, situation, {"try": "bar", "cost": "sum"}, price)
        if route.closing:
            self._heads(route.closing, end, situation, {"try": "bar", "cost": "sum"}, price)
            self._heads(route.closing, end, situation, tallies)
        params = (route.mover, ("from", Type("place", optional=True)))
        cost = replace(price, optional=True)
        self._head(Head(name, params, cost, "route", situation, preps=("of", "from")))

    def _interrupted(self, route: Route, part: Interruption) -> Route:
        """Check what sets which field of the crossing to what, and where that is noted."""
        record = self.schema.records.get(route.crossing[1].name)
        fname = attribute(str(part.field.args[0]))
        spec = next((s for s in record.fields if s.name == fname), None) if record else None
        enum = self.schema.enums.get(spec.type.name) if spec is not None else None
        values = (part.before.text, part.after.text)
        if enum is None or any(value not in enum.values for value in values):
            self.schema.faults.add(
                "an interruption sets a field of the crossing to a value of its type", part.span,
                "this names no such field or value",
            )  # fmt: skip
            return route
        before, after = map(enum.values.index, values)
        noted = self._noted(part.noted, route.crossing[1].name, route.situation)
        return replace(
            route, interruption=part.name.text, interruption_field=fname,
            interruption_before=before, interruption_value=after, interruption_noted=noted,
            stranded="" if part.stranded is None else part.stranded.text,
        )  # fmt: skip

    def _noted(self, word: Word | None, record: str, situation: str) -> str:
        """Name the field that notes where a route was interrupted: a list of what it crosses."""
        if word is None:
            return ""
        fields = self.schema.records[situation].fields if situation else ()
        lists = [hyphenated(s.name) for s in fields if s.type.kind == "set" and s.type.name == record and not s.owns]
        if word.text not in lists:
            self.schema.faults.add(
                f"`{word.text}` cannot note this", word.span, f"a {situation} has no such names of {record}",
                did_you_mean(word.text, lists) or f"declare it as `names of {record}`",
            )  # fmt: skip
        return attribute(word.text)

    def _declare_allocation(self, decl: AllocationDecl, situation: str) -> None:
        name, given = decl.name.text, self._given(decl)
        each, counters, picked = _part(decl, Choosers), _part(decl, Counters), _part(decl, PickedFrom)
        if picked is None or (each is None) == (counters is None):
            self.schema.faults.add(
                f"allocation `{name}` needs one `each` and one `picks`", decl.name.span,
                "it says who picks, and among what",
            )  # fmt: skip
            return
        chooser = (each.name.text, self._need_record(each.record)) if each is not None else None
        counter = counters.name.text if counters is not None else ""
        target = (picked.name.text, self._need_record(picked.record))
        self.forms[name] = Allocation(name, situation, given, chooser, BROKEN, counter, target, BROKEN, None)
        params = (*((chooser,) if chooser else ()), target, *given)
        self._head(Head(head_key(name, "choose"), params, FLAG, "bar", situation, stateful=True))

    def _declare_selection(self, decl: SelectionDecl, situation: str) -> None:
        name, given = decl.name.text, self._given(decl)
        part = _part(decl, PickedFrom)
        if part is None:
            self.schema.faults.add(
                f"selection `{name}` needs `picks`", decl.name.span, "it says what is picked, and among what"
            )
            return
        self._need_record(part.record)
        picked = (part.name.text, Type("set", part.record.text))
        self.forms[name] = Selection(name, situation, given, picked, BROKEN)
        self._head(Head(head_key(name, "choose"), (picked, *given), FLAG, "bar", situation))

    # ------------------------------------------------------------------ small things
    def _given(self, decl: PartedDecl) -> tuple[Typed, ...]:
        return tuple(self._typed(part.param) for part in decl.parts if isinstance(part, GivenDecl))

    def _typed(self, param: Param) -> Typed:
        return param.name.text, self.schema.resolve(param.type)

    def _base(self, part: Ranging, scope: Scope, member: Type) -> Term:
        """Check the list that a form ranges over; its members are of the kind that is declared."""
        base = self.checker.list_of(part.base, scope)
        if ERROR not in (base.type, member) and base.type.name != member.name:
            self.schema.faults.add(f"a list of {member.name} is needed here", part.base.span, f"this is a {base.type}")
        return base

    def _params(self, params: tuple[Param, ...]) -> tuple[tuple[Typed, ...], tuple[str, ...]]:
        preps = tuple(param.prep for param in params)
        for param, prep in zip(params, preps, strict=True):
            if preps.count(prep) > 1:
                self.schema.faults.add(
                    f"`{prep}` appears twice", param.name.span, "a preposition tells the parameters apart"
                )
        return tuple(map(self._typed, params)), preps

    def _heads(
        self, form: str, params: tuple[Typed, ...], situation: str, modes: dict[str, str], number: Type = NUMBER
    ) -> None:
        for word, mode in modes.items():
            rtype = FLAG if mode in ("any", "bar") else number
            self._head(Head(head_key(form, word), params, rtype, mode, situation))

    def _head(self, head: Head) -> None:
        self.checker.heads[head.key] = head

    def _need_record(self, word: Word) -> Type:
        if word.text in self.schema.records:
            return Type("record", word.text)
        self.schema.faults.add(
            f"unknown record `{word.text}`", word.span, fix=did_you_mean(word.text, self.schema.records)
        )
        return ERROR

    def _unknown_enum(self, word: Word) -> None:
        self.schema.faults.add(
            f"unknown enumeration `{word.text}`", word.span, fix=did_you_mean(word.text, self.schema.enums)
        )


def _part(decl: PartedDecl, kind: type[PartType]) -> PartType | None:
    """Find the part of a kind; of several, the last."""
    return next((part for part in reversed(decl.parts) if isinstance(part, kind)), None)
