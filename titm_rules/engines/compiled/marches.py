"""Single steps of a mover: what clauses say of each, in one function for a route."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from titm_rules.engines.compiled.code import ROOT, Coder, assign, attribute, call, local, name, skip
from titm_rules.engines.compiled.program import Function, Program
from titm_rules.engines.compiled.reads import Near, Reads
from titm_rules.engines.compiled.slots import Thawed
from titm_rules.engines.engine import Counts, OpenStep
from titm_rules.rules.counting import every_of, some_of
from titm_rules.rules.model import Head, Route, head_key
from titm_rules.rules.rests import ABLE, rests_of
from titm_rules.rules.terms import Logic, Term, free_names
from titm_rules.world.records import Mover, Place, Situation

LEFT, PRICE, TO, BASE = "left", "price", "to", "base"  # names that no variable of the rules is spelled like


@dataclass(frozen=True, slots=True)
class Able:
    """Whether a mover was able to move, and what that rested on.

    Attributes:
        kernel: the route.
        traced: the costs of other routes that may have been asked.
        looked_at: the places that were looked at.
        looked_from: those of which the steps were looked at, so that their neighbours were looked at too.
    """

    is_able: bool
    kernel: MarchKernel
    traced: tuple[Any, ...]
    looked_at: frozenset[Any]
    looked_from: frozenset[Any]


class MarchKernel:
    """The functions of one route, each about a mover wherever it has come to.

    Args:
        single: compile for a mover of one piece, where the route moves lists of pieces; such a kernel takes
            the piece itself.

    Attributes:
        barred, points: of the root, the mover and what is given.
        end: whether ending is barred; takes the place, what is given, the counts and, if the route knows the
            word, whether the mover is stranded.
        goal: whether the mover has come to what it looks for; as `end`, without the last.
        opened: yields the steps out of a place; takes the place, what is given, the counts, the points left and
            the name of the only place to go to, if it is not empty.
        closing: whether the closing action is barred, its price, and what it counts; as `goal`.
    """

    def __init__(self, program: Program, route: Route, single: bool) -> None:
        self.program, self.route = program, route
        self.thawed = Thawed(program.folder, route.mover, single)
        self._given = [local(one) for one, _ in route.given]
        self._counts = [local(one) for one, _ in route.counters]
        mover = local(self.thawed.mover)
        at = [mover, local(route.entered), *self._given, *self._counts]
        self.terms: list[Term] = []  # all that is asked of a mover
        self.barred = self._decided(route.name, "start", [mover, *self._given])
        self.points = self._function(self._head(route.name, "points"), [mover, *self._given])
        self.end = self._decided(route.name, "end", [*at, *([local(route.stranded)] if route.stranded else [])])
        self.goal = self._decided(route.name, "goal", at)
        self.opened = program.define(
            [ROOT, mover, local(route.left), *self._given, *map(_came, self._counts), LEFT, TO], self._opening()
        )
        self.closing: tuple[Function, Function, tuple[Function, ...]] | None = None
        if route.closing:
            counters = (self._function(self._head(route.closing, one), at) for one, _ in route.counters)
            price = self._function(self._head(route.closing, "cost"), at)
            self.closing = self._decided(route.closing, "try", at), price, tuple(counters)
        self._link = route.crossing[1].name
        self.keeps = single and program.locality.of_mover(self.terms, self.thawed.mover, (route.left, route.entered))
        if self.keeps:
            self._keep()

    def _keep(self) -> None:
        """Say when it lasts whether movers are able to go somewhere."""
        program, route = self.program, self.route
        basis = rests_of(program.model).of_form(route.name, ABLE)
        self.traced = [key for key in basis.heads if program.model.heads[key].mode == "route"]
        program.lasting["able", route.name] = Reads(basis.fields)
        fields = program.locality.apart_from_pieces(basis.fields, route.situation)
        program.near["able", route.name] = Near(fields, self.pass_on)

    def pass_on(self, before: Situation, after: Situation, changed: frozenset[Any]) -> None:
        """Let a situation know who was able to move, as far as nobody looked at the changed places."""
        known: dict[Any, Able] = before.memo_["able", self.route.name]
        near = {far for place in changed for _, far in place.links_.get(self._link, ())} | changed
        after.memo_["able", self.route.name] = {
            key: able
            for key, able in known.items()
            if able.looked_from.isdisjoint(near) and able.looked_at.isdisjoint(changed)
        }

    # ------------------------------------------------------------------ compiling
    def _head(self, form: str, word: str) -> Head:
        return self.program.model.heads[head_key(form, word)]

    def _plain(self, term: Term) -> Term:
        """Rewrite a term for one piece, if that is what moves."""
        found = self.thawed.rewritten(self.program.folder.fold(term))
        self.terms.append(found)
        return found

    def _decision(self, form: str, word: str) -> Term:
        return self._plain(self.program.folder.decision(self._head(form, word)))

    def _decided(self, form: str, word: str, params: list[str]) -> Function:
        return self.program.function(self._decision(form, word), params)

    def _function(self, head: Head, params: list[str]) -> Function:
        """Compile a sum or a value."""
        coder = self.program.coder()
        if head.mode == "sum":
            return self.program.define([ROOT, *params], [ast.Return(self._sum(head, coder))])
        return self.program.define([ROOT, *params], self.program.chain(head, coder, self._plain))

    def _sum(self, head: Head, coder: Coder) -> ast.expr:
        return self.program.sum_of(self.program.amounts(head, self._plain), coder)

    def _opening(self) -> list[ast.stmt]:
        """Write the steps out of a place: for each connection there, what bars it, its price, what it counts."""
        route, coder = self.route, self.program.coder()
        link, place = local(route.crossing[0]), local(route.entered)
        links = ast.Call(
            attribute(attribute(name(local(route.left)), "links_"), "get"),
            [ast.Constant(route.crossing[1].name), ast.Tuple([], ast.Load())], [],
        )  # fmt: skip
        elsewhere = ast.Compare(attribute(name(place), "id"), [ast.NotEq()], [name(TO)])
        bar = self._decision(route.name, "step")
        costs = self.program.amounts(self._head(route.name, "cost"), self._plain)
        bars = bar.parts if isinstance(bar, Logic) and bar.op == "any" else (bar,)
        fixed = [pair for pair in costs if self._is_fixed(every_of(list(pair)))]
        price = self.program.sum_of([pair for pair in costs if pair not in fixed], coder)
        before: list[ast.stmt] = [
            ast.If(coder.expr(some_of([one for one in bars if self._is_fixed(one)])), [ast.Return(None)], []),
            assign(BASE, self.program.sum_of(fixed, coder)),
        ]
        body: list[ast.stmt] = [
            skip(ast.BoolOp(ast.And(), [name(TO), elsewhere])),
            *(assign(count, name(_came(count))) for count in self._counts),
            skip(coder.expr(some_of([one for one in bars if not self._is_fixed(one)]))),
            assign(PRICE, ast.BinOp(name(BASE), ast.Add(), price)),
            skip(ast.Compare(name(PRICE), [ast.Gt()], [name(LEFT)])),
            *self._counting(coder),
            assign("stops", coder.expr(self._decision(route.name, "stop"))),
            ast.Expr(ast.Yield(ast.Tuple(
                [name(link), name(place), name(PRICE), name("stops"), self._after()], ast.Load()
            ))),
        ]  # fmt: skip
        pair = ast.Tuple([ast.Name(link, ast.Store()), ast.Name(place, ast.Store())], ast.Store())
        return [*before, ast.For(pair, links, body, [])]

    def _is_fixed(self, term: Term) -> bool:
        """Whether a term is the same for all steps out of a place."""
        changing = {self.route.crossing[0], self.route.entered, *(one for one, _ in self.route.counters)}
        return changing.isdisjoint(free_names(term))

    def _counting(self, coder: Coder) -> Iterator[ast.stmt]:
        """Write what a step adds to the counts; all counters see those before it."""
        route = self.route
        if route.counters:
            yield assign(local(PRICE), name(PRICE))
        added = []
        for (counter, most), count in zip(route.counters, self._counts, strict=True):
            more = ast.BinOp(name(count), ast.Add(), self._sum(self._head(route.name, counter), coder))
            added.append(call("max", ast.Constant(0), call("min", ast.Constant(most), more)))
        if added:
            names = [ast.Name(count, ast.Store()) for count in self._counts]
            yield ast.Assign([ast.Tuple([*names], ast.Store())], ast.Tuple([*added], ast.Load()))

    def _after(self) -> ast.expr:
        """Write the counts behind a step; that the mover has to stop may be one of them."""
        counts: list[ast.expr] = []
        for (counter, _), count in zip(self.route.counters, self._counts, strict=True):
            stopped = ast.IfExp(name("stops"), ast.Constant(1), name(count))
            counts.append(stopped if counter == self.route.halted else name(count))
        return ast.Tuple(counts, ast.Load())


def _came(count: str) -> str:
    """Name what was counted before a step."""
    return f"came_{count}"


class March:
    """The steps of one mover, as `Steps` asks them; the clauses are compiled into the functions of its route.

    Attributes:
        looked_at, looked_from: as in `Able`, so far.
    """

    def __init__(self, program: Program, root: Situation, route: Route, mover: Mover, values: tuple[Any, ...]) -> None:
        single = isinstance(mover, list) and len(mover) == 1
        key = (route.name, "march", single)
        kernel = program.found.get(key)
        if kernel is None:
            kernel = program.kernels.get(key)
            if kernel is None:
                kernel = program.kernels[key] = MarchKernel(program, route, single)
            program.found[key] = kernel
        self.route, self.mover, self.zeros = route, mover, (0,) * len(route.counters)
        self.kernel: MarchKernel = kernel
        self._root, self._values = root, values
        self.looked_at: list[Place] = []
        self.looked_from: list[Place] = []
        self._moves: Mover = mover[0] if single else mover  # type: ignore[index]  # a list then

    @property
    def is_barred(self) -> bool:
        """Whether the mover may not move at all."""
        barred: bool = self.kernel.barred(self._root, self._moves, *self._values)
        return barred

    @property
    def points(self) -> int:
        """How much the route may cost."""
        points: int = self.kernel.points(self._root, self._moves, *self._values)
        return points

    def may_end(self, at: Place, counts: Counts, stranded: bool = False) -> bool:
        """Whether the route may end at a place."""
        self.looked_at.append(at)
        flags = (stranded,) if self.route.stranded else ()
        return not self.kernel.end(self._root, self._moves, at, *self._values, *counts, *flags)

    def is_goal(self, at: Place, counts: Counts) -> bool:
        """Whether the route has come to what it looks for."""
        found: bool = self.kernel.goal(self._root, self._moves, at, *self._values, *counts)
        return found

    def closed(self, at: Place, counts: Counts, left: int) -> int | None:
        """Price of the closing action at a place; nothing if it is barred or cannot be paid."""
        assert self.kernel.closing is not None
        self.looked_at.append(at)
        barred, cost, _ = self.kernel.closing
        asked = (self._root, self._moves, at, *self._values, *counts)
        if barred(*asked):
            return None
        price: int = cost(*asked)
        return price if price <= left else None

    def closing_counts(self, at: Place, counts: Counts) -> Counts:
        """Add what the closing action counts."""
        assert self.kernel.closing is not None
        self.looked_at.append(at)
        asked = (self._root, self._moves, at, *self._values, *counts)
        return tuple(
            max(0, min(most, before + counted(*asked)))
            for (_, most), counted, before in zip(self.route.counters, self.kernel.closing[2], counts, strict=True)
        )

    def open(self, at: Place, counts: Counts, left: int, to: str = "") -> Iterator[OpenStep]:
        """Yield the steps out of a place, or only those to another, that no clause bars and that can be paid."""
        self.looked_from.append(at)
        found: Iterator[OpenStep] = self.kernel.opened(self._root, self._moves, at, *self._values, *counts, left, to)
        return found
