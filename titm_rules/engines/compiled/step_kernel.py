"""Compile the steps out of a place, and walk a route one step at a time.

What the board alone says of a step is worked out once for all situations on it. What is about the place at hand alone
is worked out once for all its steps, what is about the place at the other end alone once for all steps there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import Any, NamedTuple

from titm_rules.engines.compiled import nodes as ast
from titm_rules.engines.compiled.codegen import (
    ROOT,
    SLOTS,
    Coder,
    assign,
    attribute,
    call,
    local,
    method,
    name,
    negated,
    skip,
)
from titm_rules.engines.compiled.hoisting import HoistedTerms, MoverTermRewriter, StaticTerms
from titm_rules.engines.compiled.incremental import MemoFootprint
from titm_rules.engines.compiled.place_index import Places
from titm_rules.engines.compiled.program import Function, Program
from titm_rules.engines.engine import Counts, OpenStep
from titm_rules.engines.route_walk import Steps
from titm_rules.ir.applicability import FALSE, TRUE, every_of, some_of
from titm_rules.ir.dependencies import ABLE, dependencies_of
from titm_rules.ir.model import Head, Route, head_key
from titm_rules.ir.terms import Call, Const, Logic, Term, Var, free_names, parts_of, subterms
from titm_rules.world.records import Mover, Place, Situation, Value
from titm_rules.world.world import SharedBoard

Stride = tuple[int, Any]  # the price of a step and the place at its other end
OpenSteps = tuple[Sequence[Stride], Sequence[Stride]]  # those that lead on, and those after which to stop
PricedSteps = tuple[Sequence[Any], Sequence[Stride]]  # the other ends of those that cost nothing, and all others
Amounts = Sequence[tuple[Term, Term]]  # each under its condition
# Names in the functions that are made; names of the rules are spelled otherwise.
_ON, _LAST, _BASE, _FLAG, _KNOWN, _MORE, _PAID = "on", "last", "base", "flag", "known", "more", "paid"
_FIXED, _TABLE = "fixed", "table"
_NONE = ast.Tuple([], ast.Load())


class Gates(NamedTuple):
    """Steps that the board prices, where all else that is said of a step is who may enter a place.

    `known` are the steps to places, each by the place left; `look` finds those to another place. Nobody may enter those
    in `shut`.
    """

    known: Mapping[Any, PricedSteps]
    look: Callable[[Any], PricedSteps]
    shut: Set[Any]


class StepCompiler:
    """The steps of one route: `bar`, `stop` and `costs` are what clauses say of a step, `slots` are of these terms.

    With `back` the place at hand is the one that is entered, else the one that is left. It `is_gated` if the board
    prices all steps, and all else that is said bars all steps of a place at once.
    """

    def __init__(
        self,
        program: Program,
        route: Route,
        said: tuple[Term, Term, Amounts],
        slots: HoistedTerms,
        mover: str,
        back: bool,
    ) -> None:
        self.program, self.link_type = program, route.crossing[1].name
        self._link = route.crossing[0]
        self._here, self._there = (route.entered, route.left) if back else (route.left, route.entered)
        self._about = [ROOT, SLOTS, mover]
        bar, stop, costs = said
        self._prices = costs
        self._among = self._places(slots.index, _terms([bar, stop, *costs]))
        self._coder = program.coder(slots.index, self._among)
        on_board = StaticTerms(program, route.situation, slots.index, {self._link, route.left, route.entered})
        bars, stops = parts_of(bar, "any"), [part for part in parts_of(stop, "any") if part != FALSE]
        self._of_board = [part for part in bars if on_board.decides(part)], [p for p in costs if on_board.decides(*p)]
        self._at_once = on_board.slots_in(term for part in self._of_board for term in _terms(part))
        self._bars = [part for part in bars if part not in self._of_board[0] and part != FALSE]
        self._costs = [pair for pair in costs if pair not in self._of_board[1]]
        self._stops = stops
        self.is_gated = not (self._stops or self._costs or any(not self._is_here(part) for part in self._bars))

    def _places(self, slots: Mapping[Term, int], terms: Iterable[Term]) -> dict[Call, tuple[int, int]]:
        """Give the calls that only look up a place, and compile the places that they look among (for all steps)."""
        found: dict[Call, tuple[int, int]] = {}
        wanted: dict[Call, Places] = {}
        for call_ in (part for term in terms for part in subterms(term) if isinstance(part, Call)):
            places = self.program.places(call_.head)
            if places is not None:
                others = call_.args[: places.at] + call_.args[places.at + 1 :]
                if all(one in slots or not free_names(one) for one in others):
                    asked = Call(call_.head, others, call_.type)
                    wanted.setdefault(asked, places)
                    found[call_] = places.at, len(slots) + list(wanted).index(asked)
        coder = self.program.coder(dict(slots))
        asked_: list[ast.expr] = [
            call(self.program.named(places.function), name(ROOT), *map(coder.expr, asked.args))
            for asked, places in wanted.items()
        ]
        self._seen_at = self.program.define(self._about, [ast.Return(ast.Tuple(asked_, ast.Load()))])
        return found

    def about(self, root: Situation, slots: tuple[Any, ...], mover: Mover) -> tuple[tuple[Any, ...], Mover]:
        return (*slots, *self._seen_at(root, slots, mover)), mover

    # ------------------------------------------------------------------ what the board says
    def fixed(self, board: SharedBoard, slots: Sequence[Any]) -> dict[Any, list[Any]]:
        """Give what the board says of the steps of each place, as far as it was asked; see `look`."""
        return board.table((self, "steps"), self._key(slots), dict)

    @cached_property
    def on_board(self) -> Callable[..., list[Any]]:
        """Give the function of the steps that the board leaves open at a place: prices, connections, other ends."""
        bars, costs = self._of_board
        ends = [name(local(self._link)), name(local(self._there))]
        priced = ast.Tuple([self.program.sum_of(costs, self._coder), *ends], ast.Load())
        shut, closed = self._by_place(bars)
        found = ast.ListComp(priced, [ast.comprehension(*self._to_neighbours(), list(map(negated, closed)), 0)])
        body: list[ast.stmt] = [ast.If(shut, [ast.Return(ast.List([], ast.Load()))], []), ast.Return(found)]
        return self.program.define([*self._about, local(self._here)], body)

    def _by_place(self, bars: Sequence[Term]) -> tuple[ast.expr, list[ast.expr]]:
        """Write what bars all steps of the place at hand, and what bars one of them."""
        here = [part for part in bars if self._is_here(part)]
        others = [self._coder.expr(part) for part in bars if part not in here]
        return self._coder.expr(some_of(here)), others

    def _to_neighbours(self) -> tuple[ast.expr, ast.expr]:
        """Write what a loop over the connections of a place binds, and what it goes through."""
        pair = ast.Tuple([ast.Name(local(one), ast.Store()) for one in (self._link, self._there)], ast.Store())
        kinds = attribute(name(local(self._here)), "links_")
        return pair, method(kinds, "get", ast.Constant(self.link_type), _NONE)

    def _key(self, slots: Sequence[Any]) -> tuple[Any, ...]:
        return tuple([slots[index] for index in self._at_once])

    def gates(self, root: Situation, slots: tuple[Any, ...], mover: Mover) -> Gates:
        """Give the steps that the board prices, and the places where all are barred."""
        board, about = root.engine_.world.board, self.about(root, slots, mover)
        known: dict[Any, PricedSteps] = board.table((self, "gates"), self._key(slots), dict)
        return Gates(known, partial(self._gate, root, *about, known), self._shut(root, *about, board.places))

    @cached_property
    def _gate(self) -> Callable[..., PricedSteps]:
        """Give the function of the steps of a place that cost nothing, and of the others; it notes them as known."""
        bars, costs = self._of_board
        there, room = name(local(self._there)), ast.List([], ast.Load())
        dear = method(name(_PAID), "append", ast.Tuple([name(PRICE), there], ast.Load()))
        shut, closed = self._by_place(bars)
        inside: list[ast.stmt] = [
            *map(skip, closed),
            assign(PRICE, self.program.priced(self.program.sum_of(costs, self._coder), costs)),
            ast.If(name(PRICE), [ast.Expr(dear)], [ast.Expr(method(name(_ON), "append", there))]),
        ]
        cell = ast.Subscript(name(_KNOWN), name(local(self._here)), ast.Store())
        both = ast.Assign([ast.Name(_FIXED, ast.Store()), cell], ast.Tuple([name(_ON), name(_PAID)], ast.Load()))
        steps = ast.If(negated(shut), [ast.For(*self._to_neighbours(), inside, [])], [])
        body = [assign(_ON, room), assign(_PAID, room), steps, both, ast.Return(name(_FIXED))]
        return self.program.define([*self._about, _KNOWN, local(self._here)], body)

    @cached_property
    def _shut(self) -> Callable[..., set[Any]]:
        """Give the function of those of some places at which all steps are barred."""
        here = local(self._here)
        source: ast.expr = name(_TABLE)
        looked_up, others = self._barred_here()
        ifs = [self._coder.expr(every_of([*looked_up, others]))]
        for one in looked_up[:1]:
            at, slot = self._among[one]
            if isinstance(place := one.args[at], Var) and place.name == self._here:
                source = ast.Subscript(name(SLOTS), ast.Constant(slot), ast.Load())  # all of these, and no others
                ifs = [self._coder.expr(every_of([*looked_up[1:], others]))]
        loop = ast.comprehension(ast.Name(here, ast.Store()), source, ifs, 0)
        return self.program.define([*self._about, _TABLE], [ast.Return(ast.SetComp(name(here), [loop]))])

    # ------------------------------------------------------------------ what else there is to say
    @cached_property
    def looker(self) -> Callable[..., Callable[[Place], OpenSteps]]:
        """Give the function that makes a function of the open steps of a place.

        It takes the root, slots and mover, what is known of places at other ends, and the fixed steps by place.
        """
        inner = "look"
        here = name(local(self._here))
        fixed = ast.Call(attribute(name(_TABLE), "get"), [here], [])
        made = call(self.program.named(self.on_board), *map(name, self._about), here)
        kept = ast.Assign([ast.Name(_FIXED, ast.Store()), ast.Subscript(name(_TABLE), here, ast.Store())], made)
        lacking = ast.If(ast.Compare(name(_FIXED), [ast.Is()], [ast.Constant(None)]), [kept], [])
        arguments = ast.arguments([], [ast.arg(local(self._here))], None, [], [], None, [])
        body = self._body([assign(_FIXED, fixed), lacking])
        look = ast.FunctionDef(inner, arguments, body, [])
        return self.program.define([*self._about, _KNOWN, _TABLE], [look, ast.Return(name(inner))])

    def _is_here(self, term: Term) -> bool:
        return not {self._link, self._there} & free_names(term)

    def _is_there(self, term: Term) -> bool:
        names = free_names(term)
        return self._there in names and not {self._here, self._link} & names

    def _body(self, fetch: list[ast.stmt]) -> list[ast.stmt]:
        """Write the function of the open steps of a place; its first lines fetch the fixed ones."""
        found = ast.Return(ast.Tuple([name(_ON), name(_LAST)], ast.Load()))
        nothing = ast.Return(ast.Tuple([_NONE, _NONE], ast.Load()))
        looked_up, others = self._barred_here()
        before = [ast.If(self._coder.expr(every_of([*looked_up, others])), [nothing], []), *fetch]
        before += [assign(_ON, ast.List([], ast.Load())), assign(_LAST, ast.List([], ast.Load()))]
        there = self._about_there()
        barred = [self._condition(p, before) for p in self._bars if not (self._is_here(p) or self._is_there(p))]
        halted = [self._condition(part, before) for part in self._stops if not self._is_there(part)]
        base = [pair for pair in self._costs if self._is_here(every_of(list(pair)))]
        rest = [pair for pair in self._costs if pair not in base and not self._is_there(every_of(list(pair)))]
        before.append(assign(_BASE, self.program.sum_of(base, self._coder)))
        prices: list[ast.expr] = [name(_PAID), name(_BASE), *([self.program.sum_of(rest, self._coder)] if rest else [])]
        if there is not None:
            barred.append(ast.Compare(name(_MORE), [ast.Is()], [ast.Constant(None)]))
            prices.append(ast.BinOp(name(_MORE), ast.RShift(), ast.Constant(1)))
            halted.insert(0, ast.BinOp(name(_MORE), ast.BitAnd(), ast.Constant(1)))
        chosen = ast.IfExp(_joined(ast.Or(), halted), name(_LAST), name(_ON)) if halted else name(_ON)
        total = reduce(lambda one, other: ast.BinOp(one, ast.Add(), other), prices)
        priced = ast.Tuple([self.program.priced(total, self._prices), name(local(self._there))], ast.Load())
        step = ast.Expr(ast.Call(attribute(chosen, "append"), [priced], []))
        closed = [skip(_joined(ast.Or(), barred))] if barred else []
        inside = [*(self._look_up(there) if there is not None else ()), *closed, step]
        known: list[ast.expr] = [ast.Name(one, ast.Store()) for one in (_PAID, local(self._link), local(self._there))]
        return [*before, ast.For(ast.Tuple(known, ast.Store()), name(_FIXED), inside, []), found]

    def _barred_here(self) -> tuple[list[Call], Term]:
        """Say when all steps of a place are barred: some calls that only look a place up, and a condition besides.

        The calls are in every condition that bars the steps.
        """
        each = [parts_of(part, "all") for part in self._bars if self._is_here(part)]
        first = each[0] if each else ()
        shared = [one for one in first if isinstance(one, Call) and one in self._among and all(one in p for p in each)]
        return shared, some_of([every_of([one for one in parts if one not in shared]) for parts in each])

    def _about_there(self) -> str | None:
        """Define what is said of the other end: nothing if barred, else twice its price, and 1 more if to stop."""
        bars, stops = ([part for part in parts if self._is_there(part)] for parts in (self._bars, self._stops))
        costs = [pair for pair in self._costs if self._is_there(every_of(list(pair)))]
        if not (bars or stops or costs):
            return None
        one = ast.IfExp(self._coder.expr(some_of(stops)), ast.Constant(1), ast.Constant(0))
        price = ast.BinOp(self.program.sum_of(costs, self._coder), ast.Mult(), ast.Constant(2))
        bar = ast.If(self._coder.expr(some_of(bars)), [ast.Return(ast.Constant(None))], [])
        said = [bar, ast.Return(ast.BinOp(price, ast.Add(), one))]
        return self.program.named(self.program.define([*self._about, local(self._there)], said))

    def _look_up(self, function: str) -> list[ast.stmt]:
        there = name(local(self._there))
        cell = ast.Subscript(name(_KNOWN), there, ast.Load())
        asked = call(function, *map(name, self._about), there)
        kept = ast.Assign([ast.Name(_MORE, ast.Store()), ast.Subscript(name(_KNOWN), there, ast.Store())], asked)
        return [ast.If(ast.Compare(there, [ast.In()], [name(_KNOWN)]), [assign(_MORE, cell)], [kept])]

    def _condition(self, part: Term, before: list[ast.stmt]) -> ast.expr:
        """Write a condition; what of it is the same for all steps is worked out before the loop."""
        conditions = parts_of(part, "all")
        written = [self._coder.expr(one) for one in conditions if not self._is_here(one)]
        here = every_of([one for one in conditions if self._is_here(one)])
        if here != TRUE:
            flag = f"{_FLAG}{len(before)}"
            before.append(assign(flag, self._coder.expr(here)))
            written.insert(0, name(flag))
        return _joined(ast.And(), written) if written else ast.Constant(True)


class StepTable:
    """The steps of movers that are alike, worked out place by place."""

    __slots__ = ("_about", "_crossing", "_fixed", "_known", "steps")

    def __init__(self, crossing: StepCompiler, root: Situation, slots: tuple[Any, ...], mover: Mover) -> None:
        self._crossing, self.steps = crossing, dict[Any, OpenSteps]()
        self._about = crossing.about(root, slots, mover)
        self._fixed = crossing.fixed(root.engine_.world.board, slots)
        self._known: dict[Any, int | None] = {}

    def looker(self, root: Situation) -> Callable[[Place], OpenSteps]:
        return self._crossing.looker(root, *self._about, self._known, self._fixed)


def _joined(op: ast.boolop, parts: list[ast.expr]) -> ast.expr:
    return parts[0] if len(parts) == 1 else ast.BoolOp(op, parts)


def _terms(said: Sequence[Any]) -> list[Term]:
    return [term for one in said for term in (one if isinstance(one, tuple) else (one,))]


# ---------------------------------------------------------------------- marches
LEFT, PRICE, TO, BASE = "left", "price", "to", "base"  # names that no variable of the rules is spelled like


@dataclass(frozen=True, slots=True)
class MoverCapabilities:
    """Whether a mover was able to move, and what that rested on.

    `traced` are the costs of other routes that may have been asked, `looked_at` the places that were looked at,
    `looked_from` those of which the steps were looked at, so that their neighbours were looked at too.
    """

    is_able: bool
    kernel: StepKernel
    traced: tuple[Any, ...]
    looked_at: frozenset[Any]
    looked_from: frozenset[Any]


class StepKernel:
    """The functions of one route, each about a mover at any place it has reached.

    All take the root, the mover (for a `single` one of lists of pieces the piece itself), the place, what is given and
    the counts; `barred` and `points` neither place nor counts. `end`, whether ending is barred, also takes whether the
    mover is stranded, if the route knows the word; `opened` the points left and the name of the only place to go to, if
    it is not empty. `closing` is whether the closing action is barred, its price, and what it counts.
    """

    def __init__(self, program: Program, route: Route, single: bool) -> None:
        self.program, self.route = program, route
        self.thawed = MoverTermRewriter(program.folder, route.mover, single)
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
        basis = dependencies_of(program.model).of_form(route.name, ABLE)
        self.traced = [key for key in basis.heads if program.model.heads[key].mode == "route"]
        apart = program.locality.apart_from_pieces(basis.fields, route.situation)
        program.carried.footprints["able", route.name] = MemoFootprint(basis.fields, apart, self.pass_on)

    def pass_on(self, before: Situation, after: Situation, changed: frozenset[Any]) -> None:
        """Let a situation know who was able to move, as far as nobody looked at the changed places."""
        known: dict[Any, MoverCapabilities] = before.memo_["able", self.route.name]
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
        found = self.thawed.rewritten(self.program.folder.fold(term))
        self.terms.append(found)
        return found

    def _decision(self, form: str, word: str) -> Term:
        return self._plain(self.program.folder.decision(self._head(form, word)))

    def _decided(self, form: str, word: str, params: list[str]) -> Function:
        return self.program.function(self._decision(form, word), params)

    def _function(self, head: Head, params: list[str]) -> Function:
        coder = self.program.coder()
        if head.mode == "sum":
            return self.program.define([ROOT, *params], [ast.Return(self._sum(head, coder))])
        return self.program.define([ROOT, *params], self.program.chain(head, coder, self._plain))

    def _sum(self, head: Head, coder: Coder) -> ast.expr:
        return self.program.total_of(head, self.program.amounts(head, self._plain), coder)

    def _opening(self) -> list[ast.stmt]:
        """Write the steps out of a place: for each connection there, what bars it, its price, what it counts."""
        route, coder = self.route, self.program.coder()
        link, place = local(route.crossing[0]), local(route.entered)
        kind = ast.Constant(route.crossing[1].name)
        links = method(attribute(name(local(route.left)), "links_"), "get", kind, ast.Tuple([], ast.Load()))
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
            assign(PRICE, self.program.priced(ast.BinOp(name(BASE), ast.Add(), price), costs)),
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
        changing = {self.route.crossing[0], self.route.entered, *(one for one, _ in self.route.counters)}
        return changing.isdisjoint(free_names(term))

    def _counting(self, coder: Coder) -> Iterator[ast.stmt]:
        """Write what a step adds to the counts; all counters see those before it."""
        route = self.route
        if route.counters:
            yield assign(local(PRICE), name(PRICE))
        added = list[ast.expr]()
        for (counter, most), count in zip(route.counters, self._counts, strict=True):
            amounts = self.program.amounts(self._head(route.name, counter), self._plain)
            more = ast.BinOp(name(count), ast.Add(), self.program.sum_of(amounts, coder))
            match amounts:
                case [(when, Const(value=int(much)))] if when == TRUE and much >= most:
                    added.append(ast.Constant(most))  # whatever was counted before
                case _:
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
    return f"came_{count}"


class RouteSession(Steps):
    """The steps of one mover; the clauses are compiled into the functions of its route."""

    def __init__(self, program: Program, root: Situation, route: Route, mover: Mover, values: tuple[Any, ...]) -> None:
        single = isinstance(mover, list) and len(mover) == 1
        self.kernel: StepKernel = program.kernel((route.name, "march", single), StepKernel, route, single)
        self._program, self._root, self._values = program, root, values
        super().__init__(route, mover)
        self.looked_at: list[Place] = []
        self.looked_from: list[Place] = []
        self._moves: Mover = mover[0] if single else mover  # type: ignore[index]  # a list then

    def ask(self, form: str, word: str, *about: Value, last: Counts = ()) -> Any:
        return self._program.head(head_key(form, word))(self._root, self.mover, *about, *self._values, *last)

    @property
    def is_barred(self) -> bool:
        barred: bool = self.kernel.barred(self._root, self._moves, *self._values)
        return barred

    @property
    def points(self) -> int:
        points: int = self.kernel.points(self._root, self._moves, *self._values)
        return points

    def may_end(self, at: Place, counts: Counts, stranded: bool = False) -> bool:
        self.looked_at.append(at)
        flags = (stranded,) if self.route.stranded else ()
        return not self.kernel.end(self._root, self._moves, at, *self._values, *counts, *flags)

    def is_goal(self, at: Place, counts: Counts) -> bool:
        found: bool = self.kernel.goal(self._root, self._moves, at, *self._values, *counts)
        return found

    def closed(self, at: Place, counts: Counts, left: int) -> int | None:
        assert self.kernel.closing is not None
        self.looked_at.append(at)
        barred, cost, _ = self.kernel.closing
        asked = (self._root, self._moves, at, *self._values, *counts)
        if barred(*asked):
            return None
        price: int = cost(*asked)
        return price if price <= left else None

    def closing_counts(self, at: Place, counts: Counts) -> Counts:
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
