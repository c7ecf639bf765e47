"""Compile events: list their choices, test one choice, apply effects.

The parts of an event become nested loops. A condition that bars the event is asked as soon as all its names are bound,
the cheapest first, and before anything that needs a search. A range that does not depend on a choice before it is
listed once, before all loops (loop-invariant code motion); if it is empty, so is the list of choices. The choices are
in the order of the parts.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter, itemgetter
from typing import Any

from titm_rules.engines.compiled import nodes as ast
from titm_rules.engines.compiled.allocations import PickKernel
from titm_rules.engines.compiled.codegen import (
    ROOT,
    Coder,
    assign,
    attribute,
    call,
    is_available,
    local,
    method,
    name,
    negated,
    skip,
)
from titm_rules.engines.compiled.hoisting import MoverTermRewriter
from titm_rules.engines.compiled.program import Function, Program
from titm_rules.ir import model as ir
from titm_rules.ir.applicability import FALSE, TRUE, negation, some_of
from titm_rules.ir.terms import (
    Call,
    Compare,
    Just,
    Logic,
    Quantified,
    Result,
    Term,
    Var,
    free_names,
    parts_of,
    subterms,
)
from titm_rules.ir.types import Type
from titm_rules.world.change_set import shape_of
from titm_rules.world.records import writer_of

_COSTS: Mapping[type, int] = {Quantified: 8, Call: 20, Result: 200}
_TRACE = 100


@dataclass(frozen=True, slots=True)
class Precondition:
    """A condition that bars an event, and roughly what it costs to ask."""

    barred: Term
    cost: int


def preconditions_of(
    program: Program, event: ir.Event, stages: Sequence[Sequence[str]]
) -> dict[int, list[Precondition]]:
    """Map the number of parts that must be bound before to the conditions that bar an event, the cheapest first.

    The bars of the start are at 0, with the conditions that the event begins with. Every other bar waits for its names,
    and for the conditions directly behind them; a bar that may pass nothing to a definition that does not expect it
    waits for all parts. `stages` are the names that each part binds.
    """
    placed: defaultdict[int, list[Precondition]] = defaultdict(list)
    placed[0] = sorted((_guard(program, bar) for bar in _bars(program, event, "start")), key=attrgetter("cost"))
    for part in event.parts[: behind_conditions(event, 0)]:
        assert isinstance(part, ir.ConditionPart)
        placed[0].append(_guard(program, negation(program.folder.fold(part.condition))))
    late = [*_bars(program, event, "happen"), *_bars_of_movers(program, event)]
    for guard in sorted((_guard(program, bar) for bar in late), key=attrgetter("cost")):
        number = _earliest(event, stages, guard.barred) if _is_safe(program, guard.barred) else len(event.parts)
        placed[number].append(guard)
    return dict(placed)


def _bars(program: Program, event: ir.Event, word: str) -> tuple[Term, ...]:
    return parts_of(program.folder.decision(program.model.heads[ir.head_key(event.name, word)]), "any")


def _bars_of_movers(program: Program, event: ir.Event) -> Iterator[Term]:
    """Yield the conditions that bar a mover from its route at all, where the mover is one piece with a name."""
    for part in event.parts:
        if isinstance(part, ir.AblePart):
            route, terms = program.model.forms[part.form], dict(part.bindings)
            assert isinstance(route, ir.Route)
            mover = terms[route.mover[0]]
            if isinstance(mover, Just) and not mover.base.type.optional:
                rewriter = MoverTermRewriter(program.folder, route.mover, single=True)
                decision = program.folder.decision(program.model.heads[ir.head_key(route.name, "start")])
                given = {one: program.folder.fold(terms[one]) for one, _ in route.given}
                known = {rewriter.mover: program.folder.fold(mover.base), **given}
                for bar in parts_of(rewriter.rewritten(decision), "any"):
                    yield program.folder.fold(program.folder.substitute(bar, known))


def _earliest(event: ir.Event, stages: Sequence[Sequence[str]], term: Term) -> int:
    names = free_names(term)
    number = next(n for n in range(len(stages) + 1) if names <= {one for stage in stages[:n] for one in stage})
    return max(1, behind_conditions(event, number)) if event.parts else 0


def behind_conditions(event: ir.Event, number: int) -> int:
    """Return the number of the first part, from one on, that is more than a condition."""
    while number < len(event.parts) and isinstance(event.parts[number], ir.ConditionPart):
        number += 1
    return number


def _is_safe(program: Program, term: Term) -> bool:
    """Whether no definition in a condition gets an optional value that it does not expect."""
    heads = program.model.heads
    return not any(
        given.type.optional and not expected.optional
        for part in subterms(term)
        if isinstance(part, Call)
        for given, (_, expected) in zip(part.args, heads[part.head].params, strict=False)
    )


def _guard(program: Program, term: Term) -> Precondition:
    traces = (isinstance(part, Call) and program.model.heads[part.head].mode == "route" for part in subterms(term))
    cost = sum(_COSTS.get(type(part), 1) for part in subterms(term)) + _TRACE * sum(traces)
    return Precondition(term, cost)


CHANGE, VALUE = "c", "x"  # names of the generated code, beside those of the rules


def effects_of(program: Program, event: ir.Event) -> Function:
    """Compile the effects of an event: a function of the root, the change and the parameters of the head."""
    head = program.model.heads[ir.head_key(event.name, "effects")]
    writer = _EffectWriter(program, event.situation, [one.effect for one in head.statements if one.effect is not None])
    body: list[ast.stmt] = []
    counting = zip(program.folder.counts(head), head.statements, strict=True)
    for counts, together in itertools.groupby(counting, key=itemgetter(0)):
        if counts != FALSE:
            work = [stmt for _, one in together for stmt in writer.swept(one, always=counts == TRUE)]
            body += work if counts == TRUE else [ast.If(writer.coder.expr(counts), work, [])]
    return program.define([ROOT, CHANGE, *(local(one) for one, _ in head.params)], [*body, ast.Return(None)])


class _EffectWriter:
    """Generates one effect after the other; `effects` are all of them."""

    def __init__(self, program: Program, situation: str, effects: Sequence[ir.Effect]) -> None:
        self.program, self.situation, self._effects = program, situation, effects
        self.coder: Coder = program.coder()
        self._settings = shape_of(program.model, situation).settings
        self._noted: set[str] = set()

    def swept(self, statement: ir.Statement, always: bool) -> list[ast.stmt]:
        """Generate an effect, once or for each member of a list; `always`: it has no condition."""
        effect = statement.effect
        assert effect is not None
        noted = [] if statement.clause in self._noted else [_effect("note", ast.Constant(statement.clause))]
        calls = [*noted, *self._change(statement)]
        if effect.base is None:
            self._noted |= {statement.clause} if always else set()
            return calls
        where = [] if effect.where is None else [skip(ast.UnaryOp(ast.Not(), self._expr(effect.where)))]
        return [ast.For(ast.Name(local(effect.var), ast.Store()), self._expr(effect.base), [*where, *calls], [])]

    def _change(self, statement: ir.Statement) -> list[ast.stmt]:
        effect, clause = statement.effect, ast.Constant(statement.clause)
        assert effect is not None
        match effect.op:
            case "set":
                return self._set(effect, clause)
            case "put":
                values = ast.Tuple([self._expr(term) for _, term in effect.bindings], ast.Load())
                return [_effect("put", name(self.program.constant(effect)), values, clause)]
        return [_effect("remove", ast.Constant(effect.field), self._expr(effect.target), clause)]

    def _set(self, effect: ir.Effect, clause: ast.expr) -> list[ast.stmt]:
        """Generate the setting of a field; if no other effect can set it, only for a new value."""
        target, value = effect.target, self._expr(effect.value)
        record = self.situation if target is None else target.type.name
        setting = self._settings.get((record, effect.field))
        if setting is None or not self._is_alone(effect):
            field = ast.Constant(effect.field)
            if target is None:
                return [_effect("set_root", field, value, clause)]
            return [_effect("set_field", field, self._expr(target), value, clause)]
        known, owner = name(self.program.constant(setting)), name(ROOT) if target is None else self._expr(target)
        write = ("write_root", known) if target is None else ("write_field", known, owner)
        if setting.following or setting.spec.same_as or not setting.stays:  # a like value may still be written out
            return [_effect(*write, value)]
        is_record = setting.spec.type.kind in ("record", "place")
        other = ast.Compare(attribute(owner, effect.field), [ast.IsNot() if is_record else ast.NotEq()], [name(VALUE)])
        return [assign(VALUE, value), ast.If(other, [_effect(*write, name(VALUE))], [])]

    def _is_alone(self, effect: ir.Effect) -> bool:
        """Whether only this effect can set a field of one record, and once, so that nothing contradicts it."""
        others = [one for one in self._effects if one is not effect]
        if effect.target is None:
            rivals = (one for one in others if one.field == effect.field)
            is_list = self._settings[self.situation, effect.field].spec.owns
            return effect.base is None and not is_list and all(one.target is not None for one in rivals)
        target = effect.target
        is_one = target.type.kind == "record" and not target.type.optional and isinstance(target, Var)
        once = effect.base is None or (isinstance(target, Var) and target.name == effect.var)
        whole = any(one.op == "set" and one.target is None and self._holds(one.field, target.type) for one in others)
        same = any(one.op == "set" and one.target is not None and one.field == effect.field for one in others)
        return is_one and once and not whole and not same

    def _holds(self, field: str, wanted: Type) -> bool:
        spec = self._settings[self.situation, field].spec
        return spec.owns and spec.type.name == wanted.name

    def _expr(self, term: Term | None) -> ast.expr:
        assert term is not None
        return self.coder.expr(self.program.folder.fold(term))


def _effect(title: str, *args: ast.expr) -> ast.stmt:
    return ast.Expr(method(name(CHANGE), title, *args))


ENGINE, SEEN, VALUES = "e", "s", "w"  # names of the generated code, beside those of the rules
COUNT, LAST = "dice", "last"


class EventKernel:
    """One event, compiled when it is first asked for.

    `barred` is the condition under which it cannot happen at all; `placed` are those that bar it, by the number of
    parts that must be bound before; `about` are the names that its effects depend on.
    """

    def __init__(self, program: Program, event: ir.Event) -> None:
        self.program, self.event = program, event
        self.types = dict(event.params)
        stages = [tuple(_bound_by(part, program)) for part in event.parts]
        self.names = tuple(itertools.chain.from_iterable(stages))
        self.about = tuple(name for name, _ in program.model.heads[ir.head_key(event.name, "effects")].params)
        self.placed = preconditions_of(program, event, stages)
        self.barred = some_of([guard.barred for guard in self.placed[0]])

    @cached_property
    def listed(self) -> Function:
        """The function that yields all choices, for a root and its events; `barred` is asked before."""
        return self._compiled(wanted=False)

    @cached_property
    def tested(self) -> Function:
        """The function that yields one choice, if it is legal; it also takes the wanted values, name for name."""
        return self._compiled(wanted=True)

    @cached_property
    def bars(self) -> Function:
        return self.program.function(self.barred, [])

    @cached_property
    def description(self) -> Function:
        """The function of the actor and the choices, as actions name them, for a root and the values of all names."""
        actor, coder = self.event.actor, self.program.coder()
        by: ast.expr = ast.Constant("")
        if actor is not None:
            side = self._shown(actor.type, coder.expr(self.program.folder.fold(actor)))
            by = ast.Call(name(self.program.constant(str)), [side], []) if actor.type.optional else side
        chosen: list[ast.expr] = [
            ast.Tuple([ast.Constant(one), self._shown(self.types[one], name(local(one)))], ast.Load())
            for one in self.event.open
        ]
        pair = ast.Tuple([by, ast.Tuple(chosen, ast.Load())], ast.Load())
        return self.program.define([ROOT, *map(local, self.names)], [ast.Return(pair)])

    def _shown(self, wanted: Type, value: ast.expr) -> ast.expr:
        if wanted.kind in ("record", "place") and not wanted.optional:
            return attribute(value, "id")
        writer = writer_of(self.program.model, wanted)
        if wanted.kind == "set":
            return ast.Call(name(self.program.constant(partial(_sorted, writer))), [value], [])
        return ast.Call(name(self.program.constant(writer)), [value], [])

    @cached_property
    def effects(self) -> Function:
        return effects_of(self.program, self.event)

    def _compiled(self, wanted: bool) -> Function:
        writer = _EventWriter(self, wanted)
        return self.program.define([ROOT, ENGINE, *([VALUES] if wanted else [])], writer.whole())


class _EventWriter:
    """Generates the function of an event, of one choice if values are `wanted`."""

    def __init__(self, kernel: EventKernel, wanted: bool) -> None:
        self.kernel, self.event, self.program = kernel, kernel.event, kernel.program
        self.wanted = wanted
        self.coder: Coder = self.program.coder()
        self.bound: list[str] = []
        self.looped = False
        self.refuted: list[Term] = []  # conditions that are known to be false
        self.ahead: list[ast.stmt] = []  # the lists of ranges that do not depend on a choice before them
        self.view: ir.ViewPart | None = None

    def whole(self) -> list[ast.stmt]:
        body = self._from(0)
        unpacked = []
        if self.wanted and self.event.open:
            names = [ast.Name(_want(one), ast.Store()) for one in self.event.open]
            unpacked.append(ast.Assign([ast.Tuple([*names], ast.Store())], name(VALUES)))
        # The dead `yield` makes a generator of a function that never yields.
        return [*unpacked, *body, ast.If(ast.Constant(False), [ast.Expr(ast.Yield(None))], [])]

    def _from(self, number: int) -> list[ast.stmt]:
        """Generate the parts from a number on; the names bound before are locals."""
        placed = self.kernel.placed.get(number, ()) if number else ()
        guards = [self._skip(self._expr(guard.barred)) for guard in placed if guard.barred not in self.refuted]
        if number == len(self.event.parts):
            return [*guards, self._yielded()]
        part = self.event.parts[number]
        return [*guards, *self._part(part, number)]

    def _part(self, part: ir.EventPart, number: int) -> list[ast.stmt]:
        match part:
            case ir.RangePart():
                return self._range(part, number)
            case ir.GivenPart(var=var):
                values = (False, True) if part.type.kind == "flag" else range(self._size(part.type))
                every: ast.expr = ast.Tuple([ast.Constant(value) for value in values], ast.Load())
                return self._loop(
                    [var], ast.Tuple([name(_want(var))], ast.Load()) if self._is_open(var) else every, number
                )
            case ir.ConditionPart() if number < behind_conditions(self.event, 0):
                return self._from(number + 1)  # asked before: it is one of the bars
            case ir.ConditionPart(condition=condition):
                return [self._skip(negated(self._expr(condition))), *self._from(number + 1)]
            case ir.LetPart(var=var, value=value):
                self.bound.append(var)
                return [assign(local(var), self._expr(value)), *self._from(number + 1)]
            case ir.AblePart():
                able = method(name(ENGINE), "is_able", *self._mover(part))
                return [self._skip(negated(able)), *self._from(number + 1)]
            case ir.GoingPart():
                return self._going(part, number)
            case ir.SelectPart():
                return self._selects(part, number)
            case ir.ViewPart():
                return self._seen(part, number)
            case ir.PickPart():
                return self._picks(part, number)
            case ir.RollPart() | ir.ThrowPart():
                return self._throws(part, number)

    def _expr(self, term: Term) -> ast.expr:
        return self.coder.expr(self.program.folder.fold(term))

    def _skip(self, barred: ast.expr) -> ast.stmt:
        return skip(barred) if self.looped else ast.If(barred, [ast.Return(None)], [])

    def _is_open(self, var: str) -> bool:
        return self.wanted and var in self.event.open

    def _loop(self, names: list[str], values: ast.expr, number: int, ahead: Sequence[ast.stmt] = ()) -> list[ast.stmt]:
        self.bound += names
        first, self.looped = not self.looped, True
        targets: list[ast.expr] = [ast.Name(local(one), ast.Store()) for one in names]
        target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
        inner = [*ahead, *self._from(number + 1)]
        return [*(self.ahead if first else ()), ast.For(target, values, inner, [])]

    def _other(self, var: str) -> list[ast.stmt]:
        return [skip(ast.Compare(name(local(var)), [ast.IsNot()], [name(_want(var))]))] if self._is_open(var) else []

    def _yielded(self) -> ast.stmt:
        values: list[ast.expr] = [name(local(one)) for one in self.kernel.names]
        dice: ast.expr = ast.Constant(None)
        if any(isinstance(part, ir.RollPart | ir.ThrowPart) for part in self.event.parts):
            dice = ast.Tuple([name(COUNT), name(LAST)], ast.Load())
        return ast.Expr(ast.Yield(ast.Tuple([ast.Tuple(values, ast.Load()), dice], ast.Load())))

    def _size(self, wanted: Type) -> int:
        return len(self.program.model.enums[wanted.name].values)

    def _range(self, part: ir.RangePart, number: int) -> list[ast.stmt]:
        one = ast.Name(local(part.var), ast.Load())
        base, where = self._expr(part.base), part.where
        if self._is_open(part.var) and not part.first:
            among = call("among", name(_want(part.var)), base)
            ahead = [skip(negated(self.coder.expr(one))) for one in self._conditions(where)]
            return self._loop([part.var], among, number, ahead)
        before: list[ast.stmt] = []
        ifs = [self._condition(one, part.var, before) for one in self._conditions(where)]
        members = ast.ListComp(one, [ast.comprehension(ast.Name(one.id, ast.Store()), base, ifs, 0)])
        if part.first:
            first = ast.Subscript(members, ast.Slice(None, ast.Constant(1), None), ast.Load())
            return [*before, *self._loop([part.var], first, number, self._other(part.var))]
        names = free_names(part.base) | (free_names(part.where) - {part.var} if part.where is not None else set())
        if self.looped and not names & set(self.bound):
            self.ahead += before
            # Listed before all loops, since it depends on no choice; if it is empty, no choice exists.
            listed = name(f"l{len(self.ahead)}")
            self.ahead += [assign(listed.id, members), ast.If(negated(listed), [ast.Return(None)], [])]
            return self._loop([part.var], listed, number)
        return [*before, *self._loop([part.var], members if ifs else base, number)]

    def _conditions(self, where: Term | None) -> Sequence[Term]:
        """Return the conditions on the members of a range; they hold of the members that the loop reaches."""
        if where is None:
            return ()
        folded = self.program.folder.fold(where)
        found = folded.parts if isinstance(folded, Logic) and folded.op == "all" else (folded,)
        self.refuted += [negation(one) for one in found]
        return found

    def _condition(self, term: Term, var: str, before: list[ast.stmt]) -> ast.expr:
        """Generate a condition on a member; a value in which all of a list must agree is listed once, before."""
        match term:
            case Quantified(op="every", base=base, where=None, body=Compare(op="==", left=left, right=right)):
                one, other = (left, right) if term.var in free_names(left) else (right, left)
                about_others = {term.var} & free_names(other) or {var} & (free_names(one) | free_names(base))
                if not about_others and all(map(is_available, (base, one, other))):
                    title = f"k{len(self.refuted)}_{len(before)}"
                    loop = ast.comprehension(ast.Name(local(term.var), ast.Store()), self.coder.expr(base), [], 0)
                    before.append(assign(title, ast.ListComp(self.coder.expr(one), [loop])))
                    count = method(name(title), "count", self.coder.expr(other))
                    return ast.Compare(count, [ast.Eq()], [call("len", name(title))])
        return self.coder.expr(term)

    def _mover(self, part: ir.AblePart | ir.GoingPart) -> list[ast.expr]:
        route = self.program.model.forms[part.form]
        assert isinstance(route, ir.Route)
        terms = dict(part.bindings)
        given = [self._expr(terms[one]) for one, _ in route.given]
        counts = [self._expr(terms[one]) if one in terms else ast.Constant(0) for one, _ in route.counters]
        mover = self._expr(terms[route.mover[0]])
        return [
            name(self.program.constant(route)), mover,
            ast.Tuple(given, ast.Load()), ast.Tuple([*counts], ast.Load()),
        ]  # fmt: skip

    def _going(self, part: ir.GoingPart, number: int) -> list[ast.stmt]:
        route = self.program.model.forms[part.form]
        assert isinstance(route, ir.Route)
        asked = [*self._mover(part), self._expr(part.at), self._expr(part.spent)]
        if part.kind == "halts":
            halts = method(name(ENGINE), "halts", *asked)
            return [self._skip(negated(halts)), *self._from(number + 1)]
        if part.kind == "closes":
            return self._loop(["price"], method(name(ENGINE), "closes", *asked), number)
        names = [route.entered, route.crossing[0], "price", "stops", *(one for one, _ in route.counters)]
        to = name(_want(route.entered)) if self._is_open(route.entered) else self._far_end(part, route, number)
        steps = method(name(ENGINE), "stepping", *asked, to)
        return self._loop(names, steps, number, [*self._other(route.entered), *self._other(route.crossing[0])])

    def _far_end(self, part: ir.GoingPart, route: ir.Route, number: int) -> ast.expr:
        """Generate the only place to which steps can lead, if a condition behind names the connection; else nothing."""
        way, bound = route.crossing[0], set(_bound_by(part, self.program))
        for condition in self.event.parts[number + 1 :]:
            if not isinstance(condition, ir.ConditionPart):
                break
            match self.program.folder.fold(condition.condition):
                case Compare(op="==", left=Var(name=one), right=known) if one == way and bound.isdisjoint(
                    free_names(known)
                ):
                    return call("far_end", self.coder.expr(known), self._expr(part.at))
        return ast.Constant(None)

    def _selects(self, part: ir.SelectPart, number: int) -> list[ast.stmt]:
        form = self.program.model.forms[part.form]
        assert isinstance(form, ir.Selection)
        given = ast.Dict(
            [ast.Constant(one) for one, _ in part.bindings], [self._expr(term) for _, term in part.bindings]
        )
        chosen = method(name(ENGINE), "selecting", name(self.program.constant(form)), given)
        var = form.picked[0]
        other = [skip(negated(call("same", name(local(var)), name(_want(var)))))] if self._is_open(var) else []
        return self._loop([var], chosen, number, other)

    def _seen(self, part: ir.ViewPart, number: int) -> list[ast.stmt]:
        """Generate the corresponding values of all bound names in a view; the parts behind it use those."""
        self.view = part
        view = name(self.program.constant(self.program.model.views[part.view]))
        known: list[ast.expr] = [name(local(one)) for one in self.bound]
        seen = method(name(ENGINE), "seeing", view, self._expr(part.of), ast.Tuple(known, ast.Load()))
        return [
            assign(SEEN, seen),
            self._skip(ast.Compare(name(SEEN), [ast.Is()], [ast.Constant(None)])),
            *self._from(number + 1),
        ]

    def _in_view(self, term: Term) -> ast.expr:
        """Generate a term in a view: there all bound names have their corresponding values."""
        function = self.program.function(self.program.folder.fold(term), [local(one) for one in self.bound])
        return ast.Call(name(self.program.named(function)), [ast.Starred(name(SEEN), ast.Load())], [])

    def _asked(self, term: Term) -> ast.expr:
        return self._expr(term) if self.view is None else self._in_view(term)

    def _picks(self, part: ir.PickPart, number: int) -> list[ast.stmt]:
        kernel = PickKernel(self.program, part, self.bound)
        names = list(_bound_by(part, self.program))
        seen = name(SEEN) if self.view is not None else ast.Tuple(
            [name(ROOT), *(name(local(one)) for one in self.bound)], ast.Load()
        )  # fmt: skip
        picks = method(
            name(self.program.constant(kernel)), "picks", ast.Attribute(name(ENGINE), "world", ast.Load()), seen
        )
        others = [self._other(one) for one in names]
        return self._loop(names, picks, number, [stmt for other in others for stmt in other])

    def _throws(self, part: ir.RollPart | ir.ThrowPart, number: int) -> list[ast.stmt]:
        count = ast.Constant(1) if part.count is None else self._asked(part.count)
        last = self._asked(part.roll) if isinstance(part, ir.RollPart) else ast.Constant(part.high)
        return [
            assign(LAST, last),
            self._skip(ast.Compare(name(LAST), [ast.Is()], [ast.Constant(None)])),
            assign(COUNT, count),
            *self._from(number + 1),
        ]


def _sorted(writer: Callable[[Any], Any], value: object) -> tuple[str, ...] | None:
    shown = writer(value)
    return None if shown is None else tuple(sorted(shown))


def _want(var: str) -> str:
    return f"w{local(var)}"


def _bound_by(part: ir.EventPart, program: Program) -> Iterator[str]:
    forms = program.model.forms
    match part:
        case ir.RangePart(var=var) | ir.GivenPart(var=var) | ir.LetPart(var=var):
            yield var
        case ir.GoingPart(kind="steps", form=form):
            route = forms[form]
            assert isinstance(route, ir.Route)
            yield from (route.entered, route.crossing[0], "price", "stops", *(one for one, _ in route.counters))
        case ir.GoingPart(kind="closes"):
            yield "price"
        case ir.SelectPart(form=form) | ir.PickPart(form=form):
            found = forms[form]
            if isinstance(found, ir.Selection):
                yield found.picked[0]
            else:
                yield from (one[0] for one in (found.chooser, found.target) if one is not None)  # type: ignore[union-attr]
