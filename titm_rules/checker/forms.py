"""Check forms and definitions, and open the heads that clauses decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from titm_rules.checker.expressions import BROKEN, ExpressionChecker, Scope, TypedName
from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.ir import model as ir
from titm_rules.ir.dependencies import DependencyGraph, question_terms
from titm_rules.ir.terms import Call, Const, Field, Term, Var, subterms, terms_in
from titm_rules.ir.types import ERROR, FLAG, NUMBER, PLACE, Type, attribute, hyphenated
from titm_rules.syntax import ast

ROUTE_WORDS = ("start", "stay", "points", "step", "stop", "cost", "end", "goal", "try")
OPTIONAL_NUMBER = Type("number", optional=True)
FormWithParts = ast.RouteDecl | ast.AllocationDecl | ast.SelectionDecl
PartT = TypeVar("PartT")
# The heads of a form that some clause has to decide, and how it does.
_REQUIRED = {ir.Route: {"cost": "costs ...", "points": "has ... points"}, ir.Roll: {"factor": "succeeds on ..."}}


class FormChecker:
    """Declares the heads and forms, and checks them when all are known; faults go to the schema."""

    def __init__(self, checker: ExpressionChecker) -> None:
        self.checker, self.schema = checker, checker.schema
        self.heads, self.forms = checker.heads, checker.forms

    def declare(self, decl: ast.FormDecl) -> None:
        if not self.schema.declare(decl.name):
            return
        match decl:
            case ast.DefineDecl():
                self._declare_definition(decl)
            case ast.TableDecl():
                self._declare_table(decl)
            case ast.RollDecl():
                self._declare_roll(decl, self.schema.situation(decl.situation, decl.name))
            case ast.RouteDecl():
                self._declare_route(decl, self.schema.situation(decl.situation, decl.name))
            case ast.AllocationDecl():
                self._declare_allocation(decl, self.schema.situation(decl.situation, decl.name))
            case ast.SelectionDecl():
                self._declare_selection(decl, self.schema.situation(decl.situation, decl.name))

    # Definitions, tables and rolls.

    def _declare_definition(self, decl: ast.DefineDecl) -> None:
        rtype = replace(self.schema.resolve(decl.type), optional=decl.optional)
        mode = "sum" if decl.adds_up else "any" if rtype == FLAG else "value"
        if decl.adds_up and rtype.kind not in ("number", "error"):
            what = f"`{decl.name.text}` cannot be a total"
            self.schema.fault(what, decl.name.span, f"a {rtype} does not add up", "define a number")
        situation = self.schema.situation(decl.situation)
        params, preps = self._params(decl.params)
        self._open(ir.Head(decl.name.text, params, rtype, mode, situation, preps=preps))

    def check_default(self, decl: ast.DefineDecl) -> None:
        """Check the value of a definition that no clause decides, now that every head is known."""
        head = self.heads.get(decl.name.text)
        if decl.default is None or head is None:
            return
        scope = Scope(head.situation, dict(head.params), allocation=True)
        value = self.checker.of_type(decl.default, scope, head.type)
        default = ir.Statement(ir.NOBODY, None, value, "", (), decl.name.span)
        if head.mode == "any":
            if value == Const(False, FLAG):
                self.schema.fault(
                    f"the default of `{head.key}` has no effect", decl.default.span,
                    "a flag is `no` unless a clause says that it holds", "remove the default",
                )  # fmt: skip
            default = replace(default, when=None if value == Const(True, FLAG) else value, value=None)
        self._open(replace(head, statements=(default,)))

    def _declare_table(self, decl: ast.TableDecl) -> None:
        for word in (decl.key, decl.across):
            if word is not None and word.text not in self.schema.enums:
                self.schema.unknown(f"unknown enumeration `{word.text}`", word, self.schema.enums)
                return
        params: tuple[TypedName, ...] = (("key", Type("enum", decl.key.text)),)
        if decl.number is not None:
            name, low, high = decl.number
            params = (*params, (name.text, Type("number", low=low, high=high)))
        if decl.across is not None:
            params = (*params, ("across", Type("enum", decl.across.text)))
        rtype = NUMBER if decl.gives is None else self.schema.resolve(decl.gives)
        self._open(ir.Head(decl.name.text, params, rtype, "value", "", preps=("of", "at")[: len(params)]))

    def _declare_roll(self, decl: ast.RollDecl, situation: str) -> None:
        params, preps = self._params(decl.params)
        die = self.schema.dice.get(decl.die.text)
        if die is None:
            self.schema.unknown(f"unknown die `{decl.die.text}`", decl.die, self.schema.dice)
            return
        name = decl.name.text
        self.forms[name] = ir.Roll(name, situation, params, *die)
        self.checker.open(name, params, situation, {"try": "bar", "factor": "value", "adds": "sum"})
        self._open(ir.Head(name, params, OPTIONAL_NUMBER, "roll", situation, preps=preps))

    def set_directions(self, rises: Mapping[str, bool]) -> None:
        """Mark the rolls that succeed on at least a number, as clauses say."""
        for name, form in self.forms.items():
            if isinstance(form, ir.Roll) and rises.get(name):
                self.forms[name] = replace(form, rises=True)

    # Routes.

    def _declare_route(self, decl: ast.RouteDecl, situation: str) -> None:
        name = decl.name.text
        mover, crosses = _part(decl, ast.MoverDecl), _part(decl, ast.Crosses)
        if mover is None or crosses is None:
            self.schema.fault(
                f"route `{name}` needs a mover and a connection", decl.name.span, fix="write `mover ...`, `crosses ...`"
            )
            return
        self.schema.record_type(crosses.record)
        [typed], crossing = self.schema.params([mover.param]), Type("record", crosses.record.text)
        closing, simple, halted = _part(decl, ast.Closing), _part(decl, ast.Simple), _part(decl, ast.Halted)
        paid, interruption = _part(decl, ast.Paid), _part(decl, ast.Interruption)
        route = ir.Route(
            name, situation, typed, (crosses.name.text, crossing), crosses.left.text, crosses.entered.text,
            self._given(decl),
            closing="" if closing is None else closing.name.text, counters=self._counters(decl),
            halted="" if halted is None else halted.name.text, simple=simple is not None,
            returns=simple is not None and simple.returns,
            measure=None if paid is None else self.schema.measured(paid.measure).measure,
        )  # fmt: skip
        if interruption is not None:
            route = self._with_interruption(route, interruption)
        self.forms[name] = route
        self._open_route(route)

    def _counters(self, decl: ast.RouteDecl) -> tuple[tuple[str, int], ...]:
        counters: dict[str, int] = {}
        for part in decl.parts:
            if isinstance(part, ast.Tallied | ast.Halted):
                name = part.name.text
                if name in counters or name in ROUTE_WORDS or name == ir.PRICE:
                    why = "this route already counts it" if name in counters else "a route uses this word already"
                    self.schema.fault(f"`{name}` cannot be a counter", part.name.span, why, "choose another name")
                counters[name] = part.most if isinstance(part, ast.Tallied) else 1
        return tuple(counters.items())

    def _open_route(self, route: ir.Route) -> None:
        name, situation = route.name, route.situation
        crossed = (route.mover, route.crossing, (route.left, PLACE), (route.entered, PLACE), *route.given)
        step = (*crossed, *route.tallied)
        end = (route.mover, (route.entered, PLACE), *route.given, *route.tallied)
        start = (route.mover, *route.given)
        price = route.price
        self.checker.open(name, start, situation, {"start": "bar", "stay": "bar", "points": "value"}, price)
        self.checker.open(name, step, situation, {"step": "bar", "stop": "any", "cost": "sum"}, price)
        self.checker.open(name, (*end, (route.stranded, FLAG)) if route.stranded else end, situation, {"end": "bar"})
        self.checker.open(name, end, situation, {"goal": "any"})
        tallies = dict.fromkeys(dict(route.counters), "sum")
        self.checker.open(name, (*step, (ir.PRICE, price)), situation, tallies)
        if route.interruption:
            self.checker.open(route.interruption, step, situation, {"try": "bar", "cost": "sum"}, price)
        if route.closing:
            self.checker.open(route.closing, end, situation, {"try": "bar", "cost": "sum"}, price)
            self.checker.open(route.closing, end, situation, tallies)
        params = (route.mover, ("from", Type("place", optional=True)))
        cost = replace(price, optional=True)
        self._open(ir.Head(name, params, cost, "route", situation, preps=("of", "from")))

    def _with_interruption(self, route: ir.Route, part: ast.Interruption) -> ir.Route:
        """Check the field of the crossing that an interruption changes, and the list that records it."""
        record = self.schema.records.get(route.crossing[1].name)
        fname = attribute(str(part.field.args[0]))
        spec = None if record is None else record.named(fname)
        enum = self.schema.enums.get(spec.type.name) if spec is not None else None
        values = (part.before.text, part.after.text)
        if enum is None or any(value not in enum.values for value in values):
            self.schema.fault(
                "an interruption changes a field of the crossing from one value to another", part.span,
                "the field or a value is unknown",
            )  # fmt: skip
            return route
        before, after = map(enum.values.index, values)
        noted = "" if part.noted is None else self._noted(part.noted, route.crossing[1].name, route.situation)
        return replace(
            route, interruption=part.name.text, interruption_field=fname,
            interruption_before=before, interruption_value=after, interruption_noted=noted,
            stranded="" if part.stranded is None else part.stranded.text,
        )  # fmt: skip

    def _noted(self, word: ast.Word, record: str, situation: str) -> str:
        """Check the field of the situation that lists the interrupted crossings by name."""
        fields = self.schema.records[situation].fields if situation else ()
        lists = [hyphenated(s.name) for s in fields if s.type.kind == "set" and s.type.name == record and not s.owns]
        if word.text not in lists:
            self.schema.fault(
                f"`{word.text}` cannot list a {record}", word.span, f"a {situation} has no such `names of {record}`",
                did_you_mean(word.text, lists) or f"declare it as `names of {record}`",
            )  # fmt: skip
        return attribute(word.text)

    # Allocations and selections.

    def _declare_allocation(self, decl: ast.AllocationDecl, situation: str) -> None:
        name, given = decl.name.text, self._given(decl)
        each, counters, picked = _part(decl, ast.Choosers), _part(decl, ast.Counters), _part(decl, ast.PickedFrom)
        if picked is None or (each is None) == (counters is None):
            what = f"allocation `{name}` needs one `each` and one `picks`"
            self.schema.fault(what, decl.name.span, fix="name the choosers and the list that they pick from")
            return
        chooser = (each.name.text, self.schema.record_type(each.record)) if each is not None else None
        counter = counters.name.text if counters is not None else ""
        target = (picked.name.text, self.schema.record_type(picked.record))
        self.forms[name] = ir.Allocation(name, situation, given, chooser, BROKEN, counter, target, BROKEN, None)
        params = (*((chooser,) if chooser else ()), target, *given)
        self._open(ir.Head(ir.head_key(name, "choose"), params, FLAG, "bar", situation, stateful=True))

    def _declare_selection(self, decl: ast.SelectionDecl, situation: str) -> None:
        name, given = decl.name.text, self._given(decl)
        part = _part(decl, ast.PickedFrom)
        if part is None:
            what = f"selection `{name}` needs `picks`"
            self.schema.fault(what, decl.name.span, fix="write `picks NAME: RECORD in LIST`")
            return
        self.schema.record_type(part.record)
        picked = (part.name.text, Type("set", part.record.text))
        self.forms[name] = ir.Selection(name, situation, given, picked, BROKEN)
        self._open(ir.Head(ir.head_key(name, "choose"), (picked, *given), FLAG, "bar", situation))

    # The expressions of forms.

    def finish(self, decl: FormWithParts) -> None:
        """Check the expressions of a form, now that every head is known."""
        form = self.forms.get(decl.name.text)
        if isinstance(form, ir.Route):
            self.forms[form.name] = replace(form, ranks=self._ranks(form, decl))
            return
        picked = _part(decl, ast.PickedFrom)
        if isinstance(form, ir.Allocation) and picked is not None:
            self.forms[form.name] = self._finish_allocation(form, decl, picked)
        elif isinstance(form, ir.Selection) and picked is not None:
            members = self._base(picked, Scope(form.situation, dict(form.given)), form.picked[1])
            prefers = _part(decl, ast.Prefers)
            scope = Scope(form.situation, dict((*form.given, form.picked)))
            rank = None if prefers is None else self.checker.number(prefers.rank, scope)
            self.forms[form.name] = replace(form, members=members, rank=rank)

    def _ranks(self, form: ir.Route, decl: FormWithParts) -> tuple[Term, ...]:
        """Check what the best paths have least of, in order of precedence."""
        names = dict((form.mover, *form.given, (form.entered, PLACE), *form.tallied))
        parts = [part for part in decl.parts if isinstance(part, ast.Prefers)]
        what = f"`{form.name}` cannot prefer"
        if parts and not form.simple:
            why = "paths may go in circles, so there are infinitely many"
            self.schema.fault(what, parts[0].span, why, "write `visits no place twice`")
        elif parts and form.interruption:
            why = "interruptions change which paths there are"
            self.schema.fault(what, parts[0].span, why, "declare another route for the interruption")
        return tuple(self.checker.ordered(part.rank, Scope(form.situation, names)) for part in parts)

    def _finish_allocation(self, form: ir.Allocation, decl: FormWithParts, picked: ast.PickedFrom) -> ir.Allocation:
        scope = Scope(form.situation, dict(form.given))
        targets = self._base(picked, scope, form.target[1])
        shot = self._dice(form, _part(decl, ast.DiceFor), _part(decl, ast.Success))
        each = _part(decl, ast.Choosers)
        if each is None or form.chooser is None:
            return replace(form, choosers=None, targets=targets, shot=shot)
        inner = Scope(form.situation, {**dict(form.given), form.chooser[0]: form.chooser[1]})
        rank = _part(decl, ast.OrderOf)
        order = self.checker.number(rank.rank, inner) if rank is not None else None
        choosers = self._base(each, scope, form.chooser[1])
        return replace(form, choosers=choosers, targets=targets, order=order, shot=shot)

    def _dice(self, form: ir.Allocation, dice: ast.DiceFor | None, success: ast.Success | None) -> ir.DiceSpec | None:
        """Check the dice that a pick rolls and the effect of a success, if the form has them."""
        if dice is None or success is None:
            part = dice or success
            if part is not None:
                what = f"allocation `{form.name}` needs both `rolls` and `success`"
                fix = "write `rolls ... dice for ...` and `success lowers ... by ...`"
                self.schema.fault(what, part.span, fix=fix)
            return None
        scope = Scope(form.situation, dict((*form.given, form.target, *((form.chooser,) if form.chooser else ()))))
        written = (dice.count, dice.roll, success.field, success.loss)
        count, roll, left, loss = (self.checker.of_type(expr, scope, NUMBER) for expr in written)
        if not (isinstance(roll, Call) and isinstance(self.forms.get(roll.head), ir.Roll)):
            rolls = [name for name, other in self.forms.items() if isinstance(other, ir.Roll)]
            fix = f"write one of: {', '.join(rolls)}, and its parameters" if rolls else "declare a `roll`"
            self.schema.fault("a roll is needed here", dice.roll.span, "dice are rolled for a roll", fix)
            return None
        if not (isinstance(left, Field) and left.base == Var(*form.target)):
            target = form.target[0]
            what = f"a success lowers a number of `{target}`"
            self.schema.fault(what, success.field.span, fix=f"write `FIELD of {target}`")
            return None
        return ir.DiceSpec(count, roll, left, loss)

    def _base(self, part: ast.Ranging, scope: Scope, member: Type) -> Term:
        """Check the list that a form ranges over; its members have the declared type."""
        base = self.checker.list_of(part.base, scope)
        if ERROR not in (base.type, member) and base.type.name != member.name:
            self.schema.fault(f"a list of {member.name} is needed here", part.base.span, f"this is a {base.type}")
        return base

    # Names and types.

    def _given(self, decl: FormWithParts) -> tuple[TypedName, ...]:
        return self.schema.params(part.param for part in decl.parts if isinstance(part, ast.GivenDecl))

    def _params(self, params: tuple[ast.Param, ...]) -> tuple[tuple[TypedName, ...], tuple[str, ...]]:
        preps = tuple(param.prep for param in params)
        for param, prep in zip(params, preps, strict=True):
            if preps.count(prep) > 1:
                self.schema.fault(f"`{prep}` appears twice", param.name.span, fix="use another preposition")
        return self.schema.params(params), preps

    def _open(self, head: ir.Head) -> None:
        self.heads[head.key] = head

    # Checks of forms against everything that asks them.

    def check(
        self, questions: Mapping[str, ir.Question], events: Mapping[str, ir.Event], views: Mapping[str, ir.View]
    ) -> None:
        """Check everything that asks a form, and that clauses decide what each form needs."""
        declared = self._declared_terms(questions, events, views)
        self._check_picks(declared)
        sentences = [(terms_in(each), each.span) for head in self.heads.values() for each in head.sentences]
        for terms, span in (*sentences, *declared):
            for part in (inner for term in terms for inner in subterms(term)):
                if isinstance(part, Call) and isinstance(route := self.forms.get(part.head), ir.Route):
                    self._check_trace(route, part, span)
        for form in self.forms.values():
            for word, usage in _REQUIRED.get(type(form), {}).items():
                if not self.heads[ir.head_key(form.name, word)].statements:
                    span, fix = self.schema.spans[form.name], f"write `{form.name} {usage}` in a clause"
                    self.schema.fault(f"no clause gives the {word} of `{form.name}`", span, fix=fix)

    def _declared_terms(
        self, questions: Mapping[str, ir.Question], events: Mapping[str, ir.Event], views: Mapping[str, ir.View]
    ) -> list[tuple[list[Term], Span]]:
        """List the terms of questions, views, events and forms, each with the place of the declaration."""
        spans = self.schema.spans
        return [
            *((list(question_terms(question)), spans[name]) for name, question in questions.items()),
            *((list(terms_in(view)), spans[name]) for name, view in views.items()),
            *((list(terms_in(event.parts)), spans[name]) for name, event in events.items()),
            *((list(terms_in(form)), spans[name]) for name, form in self.forms.items()),
        ]

    def _check_picks(self, declared: Sequence[tuple[Sequence[Term], Span]]) -> None:
        """Refuse to count the picks of a record outside of the allocation that picks such records."""
        graph = DependencyGraph(self.heads, self.forms, self.schema.records)

        def places() -> Iterator[tuple[Sequence[Term], Span, set[str]]]:
            for key, head in self.heads.items():
                form = self.forms.get(key.partition(".")[0])
                if "." in key or isinstance(
                    form, ir.Route | ir.Roll
                ):  # a definition is checked in the heads that call it
                    picked = {form.target[1].name} if isinstance(form, ir.Allocation) else set()
                    yield from ((list(terms_in(each)), each.span, picked) for each in head.sentences)
            yield from ((terms, span, set()) for terms, span in declared)

        for terms, span, picked in places():
            unpicked = sorted(graph.picks_of(terms) - picked)
            if unpicked:
                self.schema.fault(
                    f"a {unpicked[0]} is not picked here", span, "only the allocation that picks it counts its picks",
                    "use `picks` in a clause about that allocation",
                )  # fmt: skip

    def _check_trace(self, route: ir.Route, call: Call, span: Span) -> None:
        """Refuse to trace a route that needs more than a mover and places, or that has no end."""
        what = f"`{route.name}` cannot be traced"
        fix = f"write `cost of {route.name} (with ...)` or `ends of {route.name} (with ...)`"
        if route.given:
            given = ", ".join(name for name, _ in route.given)
            why = f"a trace gives only a mover and a place, and this route also needs {given}"
            self.schema.fault(what, span, why, f"{fix}, or declare another route")
        elif route.ranks:
            self.schema.fault(what, span, "it prefers some paths, and a trace accepts any path", fix)
        elif len(call.args) == 2 and not self.heads[ir.head_key(route.name, "goal")].statements:
            fix = f"write `{route.name} ends when ...` in a clause"
            self.schema.fault(f"`{route.name}` has no goal", span, fix=fix)


def _part(decl: FormWithParts, kind: type[PartT]) -> PartT | None:
    return next((part for part in reversed(decl.parts) if isinstance(part, kind)), None)
