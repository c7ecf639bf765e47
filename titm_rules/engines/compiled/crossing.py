"""The steps out of a place, priced by one function.

What is about the place left alone is worked out once for all its steps, what is about the place entered alone once
for all steps into it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

from titm_rules.engines.compiled.code import ROOT, SLOTS, Coder, attribute, call, local, name
from titm_rules.engines.compiled.program import Program
from titm_rules.engines.compiled.slots import Slots
from titm_rules.rules.counting import FALSE, TRUE, every_of, some_of
from titm_rules.rules.model import Route
from titm_rules.rules.terms import Logic, Term, free_names
from titm_rules.world.records import Mover, Place, Situation

Stride = tuple[int, Any]  # the price of a step and the place entered
OpenSteps = tuple[list[Stride], list[Stride]]  # cheapest first: those that lead on, and those after which to stop
Amounts = Sequence[tuple[Term, Term]]  # each under its condition
_PRICE = itemgetter(0)
# Names in the functions that are made; names of the rules are spelled otherwise.
_ON, _LAST, _BASE, _FIXED, _KNOWN, _INTO = "on", "last", "base", "fixed", "known", "into"


class Crossing:
    """The steps of one route.

    Args:
        bar, stop, costs: what clauses say of a step.
        slots: of these terms.
        mover: the Python name of the mover.
    """

    def __init__(
        self, program: Program, route: Route, bar: Term, stop: Term, costs: Amounts, slots: Slots, mover: str
    ) -> None:
        self.program, self.link_type = program, route.crossing[1].name
        self._link, self._entered = route.crossing[0], route.entered
        self._left, self._about = local(route.left), [ROOT, SLOTS, mover]
        self._of_link = {route.left, route.crossing[0]}
        self._coder, self._said = program.coder(slots.index), (bar, stop, costs)

    @cached_property
    def prices(self) -> Callable[..., list[tuple[int, bool] | None]]:
        """Give the function of the prices of all steps out of a place, from the root, slots, mover and place.

        A price goes with whether to stop; nothing stands for a step that is barred.
        """
        coder, (bar, stop, costs) = self._coder, self._said
        priced = ast.Tuple([self.program.sum_of(costs, coder), coder.expr(stop)], ast.Load())
        price = ast.IfExp(coder.expr(bar), ast.Constant(None), priced)
        found = ast.ListComp(price, [ast.comprehension(self._pair(), self._links(), [], 0)])
        return self.program.define([*self._about, self._left], [ast.Return(found)])

    @cached_property
    def steps(self) -> Callable[..., OpenSteps]:
        """Give the function of the open steps out of a place, as `prices`, with what is known of places entered."""
        coder, (bar, stop, costs) = self._coder, self._said
        self._enter = self._entering(coder, _parts(bar), _parts(stop), costs)
        body = self._body(coder, _parts(bar), _parts(stop), costs)
        return self.program.define([*self._about, self._left, _KNOWN], body)

    def _is_fixed(self, term: Term) -> bool:
        """Whether a term is the same for all steps out of a place."""
        return not {self._link, self._entered} & free_names(term)

    def _is_entering(self, term: Term) -> bool:
        """Whether a term is about the place entered alone."""
        names = free_names(term)
        return self._entered in names and not self._of_link & names

    def _entering(self, coder: Coder, bars: Sequence[Term], stops: Sequence[Term], costs: Amounts) -> str:
        """Define what is said of entering: nothing if it is barred, else twice its price, and 1 more if to stop."""
        barred = some_of([part for part in bars if self._is_entering(part)])
        stop = coder.expr(some_of([part for part in stops if self._is_entering(part)]))
        price = self.program.sum_of([pair for pair in costs if self._is_entering(every_of(list(pair)))], coder)
        one = ast.IfExp(stop, ast.Constant(1), ast.Constant(0))
        said = ast.Return(ast.BinOp(ast.BinOp(price, ast.Mult(), ast.Constant(2)), ast.Add(), one))
        bar = ast.If(coder.expr(barred), [ast.Return(ast.Constant(None))], [])
        return self.program.define([*self._about, local(self._entered)], [bar, said]).__name__

    def _body(self, coder: Coder, bars: Sequence[Term], stops: Sequence[Term], costs: Amounts) -> list[ast.stmt]:
        """Write the function of the steps out of a place."""
        fixed_bar = some_of([part for part in bars if self._is_fixed(part)])
        base = [pair for pair in costs if self._is_fixed(every_of(list(pair)))]
        rest = [pair for pair in costs if pair not in base and not self._is_entering(every_of(list(pair)))]
        before: list[ast.stmt] = [_assign(_ON, ast.List([], ast.Load())), _assign(_LAST, ast.List([], ast.Load()))]
        found = ast.Return(ast.Tuple([name(_ON), name(_LAST)], ast.Load()))
        before.append(ast.If(coder.expr(fixed_bar), [found], []))
        left = [part for part in bars if not self._is_fixed(part) and not self._is_entering(part)]
        barred = [self._condition(coder, part, before) for part in left]
        others = [part for part in stops if part != FALSE and not self._is_entering(part)]
        halted = [self._condition(coder, part, before) for part in others]
        before.append(_assign(_BASE, self.program.sum_of(base, coder)))
        into = ast.BinOp(name(_INTO), ast.RShift(), ast.Constant(1))
        price = ast.BinOp(ast.BinOp(name(_BASE), ast.Add(), into), ast.Add(), self.program.sum_of(rest, coder))
        stop = _joined(ast.Or(), [ast.BinOp(name(_INTO), ast.BitAnd(), ast.Constant(1)), *halted])
        priced = ast.Tuple([price, name(local(self._entered))], ast.Load())
        chosen = ast.IfExp(stop, name(_LAST), name(_ON))
        step = ast.Expr(ast.Call(attribute(chosen, "append"), [priced], []))
        barred.append(ast.Compare(name(_INTO), [ast.Is()], [ast.Constant(None)]))
        closed = ast.If(_joined(ast.Or(), barred), [ast.Continue()], [])
        return [*before, self._loop([*self._look_up(), closed, step]), found]

    def _look_up(self) -> list[ast.stmt]:
        """Write the look-up of what is said of entering."""
        entered = name(local(self._entered))
        cell = ast.Subscript(name(_KNOWN), entered, ast.Load())
        asked = call(self._enter, *map(name, self._about), entered)
        kept = ast.Assign([ast.Name(_INTO, ast.Store()), ast.Subscript(name(_KNOWN), entered, ast.Store())], asked)
        return [ast.If(ast.Compare(entered, [ast.In()], [name(_KNOWN)]), [_assign(_INTO, cell)], [kept])]

    def _condition(self, coder: Coder, part: Term, before: list[ast.stmt]) -> ast.expr:
        """Write a condition; what of it is fixed is worked out before the loop."""
        conditions = part.parts if isinstance(part, Logic) and part.op == "all" else (part,)
        written = [coder.expr(one) for one in conditions if not self._is_fixed(one)]
        fixed = every_of([one for one in conditions if self._is_fixed(one)])
        if fixed != TRUE:
            flag = f"{_FIXED}{len(before)}"
            before.append(_assign(flag, coder.expr(fixed)))
            written.insert(0, name(flag))
        return _joined(ast.And(), written) if written else ast.Constant(True)

    def _loop(self, inside: list[ast.stmt]) -> ast.stmt:
        """Write the loop over the connections of the place left."""
        return ast.For(self._pair(), self._links(), inside, [])

    def _pair(self) -> ast.expr:
        return ast.Tuple([ast.Name(local(one), ast.Store()) for one in (self._link, self._entered)], ast.Store())

    def _links(self) -> ast.expr:
        kinds = attribute(attribute(name(self._left), "links_"), "get")
        return ast.Call(kinds, [ast.Constant(self.link_type), ast.Tuple([], ast.Load())], [])


class StepTable:
    """The steps of movers that are alike, worked out place by place."""

    __slots__ = ("_about", "_crossing", "_known", "steps")

    def __init__(self, crossing: Crossing, slots: Sequence[Any], mover: Mover) -> None:
        self._crossing, self._about, self.steps = crossing, (slots, mover), dict[Any, OpenSteps]()
        self._known: dict[Any, int | None] = {}

    def look(self, root: Situation, place: Place) -> OpenSteps:
        """List the steps out of a place that no clause bars, and keep them."""
        found = self.steps[place] = self._crossing.steps(root, *self._about, place, self._known)
        for steps in found:
            if len(steps) > 1:
                steps.sort(key=_PRICE)
        return found


def _assign(target: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(target, ast.Store())], value)


def _joined(op: ast.boolop, parts: list[ast.expr]) -> ast.expr:
    return parts[0] if len(parts) == 1 else ast.BoolOp(op, parts)


def _parts(term: Term) -> tuple[Term, ...]:
    return term.parts if isinstance(term, Logic) and term.op == "any" else (term,)
