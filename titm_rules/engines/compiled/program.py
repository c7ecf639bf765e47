"""The rules of a model as Python functions, compiled one by one when they are first asked."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import partial
from typing import Any

from titm_rules.diagnostics import Undecided
from titm_rules.engines.compiled import nodes as ast
from titm_rules.engines.compiled.codegen import (
    FUNCTION,
    HELPERS,
    PICKED,
    ROOT,
    SLOTS,
    Coder,
    attribute,
    call,
    hoist_invariants,
    local,
    method,
    name,
)
from titm_rules.engines.compiled.incremental import Carry, Locality, MemoFootprint, MemoTable
from titm_rules.engines.compiled.partial_eval import PartialEvaluator
from titm_rules.engines.compiled.place_index import Places, build_place_index
from titm_rules.ir.applicability import FALSE, TRUE, condition, every_of, negation
from titm_rules.ir.bounds import Bounds
from titm_rules.ir.dependencies import Footprint, dependencies_of, head_terms
from titm_rules.ir.derived import Capacity, Held
from titm_rules.ir.model import Allocation, Form, Head, Model, Roll, head_key
from titm_rules.ir.terms import Call, Picks, Quantified, Result, Root, Term, Var, free_names, parts_of, subterms
from titm_rules.ir.types import Type
from titm_rules.world.records import Situation, parse_record

Function = Callable[..., Any]
Choices = frozenset[tuple[str, str]]  # of readings
_PLAIN = frozenset(("flag", "number", "text", "enum"))
_NO_KEYS = frozenset(("set", "pair", "number_map", "flag_map"))  # types of values that nothing can be remembered by
_MANY = 1_000_000  # numbers that one program may give to what it remembers
OFTEN = 12  # so often a term is evaluated step by step before it is compiled
PROGRAMS = Capacity(256)
_NUMBERS = itertools.count()
_BLOCKS = itertools.count(1)


def programs_of(model: Model) -> Held[Choices, Program]:
    """Return the programs of the rules of a model; they share what no reading changes, and are removed together."""
    return model.by_rules.get(Program, lambda: Held(PROGRAMS, whole=True))


def program_of(model: Model) -> Program:
    programs, choices = programs_of(model), frozenset(model.chosen.items())
    found = programs.get(choices)
    if found is None:
        found = programs.make(choices, lambda: Program(model, _nearest(model, programs.values())))
    return found


def _nearest(model: Model, programs: Iterable[Program]) -> Program | None:
    return min(programs, key=lambda program: len(_differing(model, program.model)), default=None)


def _differing(model: Model, other: Model) -> frozenset[str]:
    return frozenset(name for name in model.readings if model.reading(name) != other.reading(name))


class Program:
    """Compiles heads and terms of one model.

    A program may have a base, a program of the same rules under other readings, and uses from it everything that
    depends on none of the readings that differ. Every function takes the root record of a world first; one that asks
    how often a target was picked takes the state of the allocation second.

    `carried` is what a world remembers (by its key there) that a later world may take over. `found` are kernels, and
    what is known of forms, that engines have asked for; each finds them at once. `unsettled` are readings that its
    functions ask for; all others are folded into them.
    """

    def __init__(self, model: Model, base: Program | None = None) -> None:
        self.model = model
        self.base = base
        self.others: dict[type, Any] = {}  # what is made of it elsewhere, by its type
        self.folder = PartialEvaluator(model)
        self.memos = next(_BLOCKS) * _MANY  # so that no number is also one of the base
        self.carried: MemoTable = MemoTable() if base is None else base.carried
        self.events: dict[str, Any] = {}  # by situation
        self.locality = Locality(model)
        self._bounds = Bounds(model.heads)
        self.found: dict[Any, Any] = {}
        self._functions: dict[str, Function] = {}
        self._rows: dict[str, dict[int, Any]] = {}  # of definitions over one enumeration
        self._terms: dict[tuple[Term, tuple[str, ...]], Function] = {}
        self._often: dict[Term, int | tuple[Function, list[str], bool]] = {}
        self._stateful: dict[str, bool] = {}
        self._asides: dict[Term, str] = {}
        self._places: dict[str, Places | None] = {}
        self._said: dict[tuple[str, str], Function] = {}
        self._labelled: dict[str, list[tuple[str, Function]]] = {}
        self.unsettled = frozenset[str]()
        self._differing = _differing(model, model if base is None else base.model)
        self._globals: dict[str, Any] = {
            **HELPERS, f"{FUNCTION}read": partial(parse_record, model), "undecided": Undecided.of, "__builtins__": {},
        }  # fmt: skip

    # ------------------------------------------------------------------ asking for functions
    def head(self, key: str) -> Function:
        if key not in self._functions:
            base = self.base_for(dependencies_of(self.model).of_head(key))
            self._functions[key] = base.head(key) if base is not None else self._compile_head(self.model.heads[key])
            if base is not None and key in base._rows:
                self._rows[key] = base._rows[key]
        return self._functions[key]

    def base_for(self, basis: Footprint) -> Program | None:
        """Return the base program, if it gives the same answer for everything with this footprint."""
        return self.base if self._differing.isdisjoint(basis.readings) else None

    def kernel(self, key: str | tuple[Any, ...], make: Callable[..., Any], *about: Form | bool) -> Any:
        """Give a kernel, that of the base where that is the same; its key is the name of a form, or begins with it."""
        found = self.found.get(key)
        if found is None:
            form = key if isinstance(key, str) else key[0]
            base = self.base and self.base_for(dependencies_of(self.model).of_form(form))
            found = self.found[key] = make(self, *about) if base is None else base.kernel(key, make, *about)
        return found

    def roll(self, roll: Roll) -> Function:
        """Give the function of a roll: the last face that succeeds, or nothing if barred."""
        key = f"roll {roll.name}"
        if key not in self._functions:
            args = [name(ROOT), *(name(local(n)) for n, _ in roll.params)]
            named = {word: self.named(self.head(head_key(roll.name, word))) for word in ("try", "factor", "adds")}
            modified = ast.BinOp(call(named["factor"], *args), ast.Sub(), call(named["adds"], *args))
            least, most = roll.bounds
            inner = call("min", ast.Constant(most), modified)
            self._functions[key] = self.define(
                [ROOT, *(local(n) for n, _ in roll.params)],
                [
                    ast.If(call(named["try"], *args), [ast.Return(ast.Constant(None))], []),
                    ast.Return(call("max", ast.Constant(least), inner)),
                ],
            )
        return self._functions[key]

    def labelled(self, key: str) -> list[tuple[str, Function]]:
        """Give, for every statement of a sum, its label and a function of what it adds."""
        if key not in self._labelled:
            head = self.model.heads[key]
            params = [ROOT, *(local(n) for n, _ in head.params)]
            labels = [statement.label for statement in head.statements if statement.value is not None]
            amounts = (self.sum_of([pair], self.coder()) for pair in self.amounts(head))
            functions = (self.define(params, [ast.Return(amount)]) for amount in amounts)
            self._labelled[key] = list(zip(labels, functions, strict=True))
        return self._labelled[key]

    def said(self, key: str) -> Function:
        """Give the function of which statements of a head count: a truth value for each, as a tuple."""
        return self._of_each("said", self.model.heads[key], self.folder.counts)

    def held(self, key: str) -> Function:
        """As `said`: of which statements the condition holds, be they lifted or replaced."""
        return self._of_each(
            "held", self.model.heads[key], lambda head: map(self.folder.fold, map(condition, head.statements))
        )

    def _of_each(self, word: str, head: Head, asked: Callable[[Head], Iterable[Term]]) -> Function:
        found = self._said.get((word, head.key))
        if found is None:
            before = [PICKED] if self.head_is_stateful(head.key) else []
            found = self.together(list(asked(head)), [*before, *(local(name) for name, _ in head.params)])
            self._said[word, head.key] = found
        return found

    def term(self, term: Term, variables: Sequence[str]) -> Function:
        key = term, tuple(variables)
        found = self._terms.get(key)
        if found is None:
            found = self._terms[key] = self.function(self.folder.fold(term), [local(v) for v in variables])
        return found

    def often(self, term: Term) -> tuple[Function, list[str], bool] | None:
        """Give the function of a term, the variables that it takes, and whether it takes the picks so far before them.

        A term is compiled when it has been asked for often (tiered compilation); None before.
        """
        found = self._often.get(term, 0)
        if isinstance(found, int) and found < OFTEN:
            self._often[term] = found + 1
            return None
        if isinstance(found, int):
            folded = self.folder.fold(term)
            names = sorted(free_names(folded))
            function = self.function(folded, [local(each) for each in names])
            found = self._often[term] = function, names, self.is_stateful(folded)
        return found

    def function(self, term: Term, params: Sequence[str], slots: dict[Term, int] | None = None) -> Function:
        """Compile a folded term; with slots it takes their tuple behind the root."""
        coder = self.coder(slots)
        before = [ROOT, SLOTS] if slots is not None else [ROOT]
        if self.is_stateful(term):
            before.append(PICKED)
        return self.define([*before, *params], [ast.Return(coder.expr(term))])

    def together(self, terms: Sequence[Term], params: Sequence[str]) -> Function:
        """Compile folded terms into one function that gives all their values, as a tuple."""
        coder = self.coder()
        return self.define([ROOT, *params], [ast.Return(ast.Tuple([coder.expr(term) for term in terms], ast.Load()))])

    def coder(self, slots: dict[Term, int] | None = None, among: Mapping[Call, tuple[int, int]] | None = None) -> Coder:
        return Coder(self.model, self._invoke, slots, self._aside, among)

    def define(self, params: Sequence[str], body: list[ast.stmt]) -> Function:
        title = f"f{next(_NUMBERS)}"
        arguments = ast.arguments([], [ast.arg(p) for p in params], None, [], [], None, [])
        definition = ast.FunctionDef(title, arguments, body, [])
        module = ast.Module([definition], [])
        exec(compile(module, f"<rules {self.model.edition}>", "exec"), self._globals)
        made: Function = self._globals[title]
        return made

    # ------------------------------------------------------------------ compiling heads
    def _compile_head(self, head: Head) -> Function:
        params = [ROOT, *([PICKED] if self.head_is_stateful(head.key) else []), *(local(n) for n, _ in head.params)]
        table = self._tabulated(head, params)
        if table is not None:
            return table
        match head.mode:
            case "any" | "bar":
                decision = hoist_invariants(self.folder, self.folder.decision(head), self._is_table)
                body: list[ast.stmt] = [ast.Return(self.coder().expr(decision))]
                if places := self.places(head.key):
                    others = [name(one) for index, one in enumerate(params) if index != places.at + 1]
                    among = call(self.named(places.function), *others)
                    body = [ast.Return(ast.Compare(name(params[places.at + 1]), [ast.In()], [among]))]
                elif self._is_remembered(head, decision):
                    body = self._remember(head, self.coder().expr(decision), free_names(decision))
            case _:
                body = self._body(head)
                if head.mode != "sum" and self._searches(head):
                    inner = self.named(self.define(params, body))
                    body = self._remember(head, call(inner, *map(name, params)), {name for name, _ in head.params})
        return self.define(params, body)

    def _body(self, head: Head) -> list[ast.stmt]:
        if head.mode == "sum":
            return [ast.Return(self.total_of(head, self.amounts(head), self.coder()))]
        if head.mode in ("any", "bar"):
            return [ast.Return(self.coder().expr(self.folder.decision(head)))]
        return self.chain(head, self.coder())

    def amounts(self, head: Head, change: Callable[[Term], Term] = lambda term: term) -> list[tuple[Term, Term]]:
        return [
            (change(counts), change(self.folder.fold(statement.value)))
            for counts, statement in zip(self.folder.counts(head), head.statements, strict=True)
            if statement.value is not None
        ]

    def sum_of(self, pairs: Sequence[tuple[Term, Term]], coder: Coder) -> ast.expr:
        """Write the sum of amounts, each under its condition."""
        total: ast.expr | None = None
        for counts, value in pairs:
            if counts == FALSE:
                continue
            amount = coder.expr(value)
            if value.type.optional:
                amount = ast.BoolOp(ast.Or(), [amount, ast.Constant(0)])
            if counts != TRUE:
                amount = ast.IfExp(coder.expr(counts), amount, ast.Constant(0))
            total = amount if total is None else ast.BinOp(total, ast.Add(), amount)
        return total or ast.Constant(0)

    def total_of(self, head: Head, pairs: Sequence[tuple[Term, Term]], coder: Coder) -> ast.expr:
        """Write the sum of all amounts of a head."""
        total = self.sum_of(pairs, coder)
        return self.priced(total, pairs) if head.is_price else total

    def priced(self, total: ast.expr, pairs: Iterable[tuple[Term, Term]]) -> ast.expr:
        """Write a price, which is 0 at least; nothing is added where no amount may be below 0."""
        is_natural = all(counts == FALSE or self._bounds.of(value).low >= 0 for counts, value in pairs)
        return total if is_natural else call("max", ast.Constant(0), total)

    def chain(self, head: Head, coder: Coder, change: Callable[[Term], Term] = lambda term: term) -> list[ast.stmt]:
        """Try the statements of a value in turn; the checks of the model let at most one count.

        What follows from the failure of those before is not asked again.
        """
        body: list[ast.stmt] = []
        failed: list[Term] = []
        for counts, value in self.amounts(head, change):
            left = TRUE if counts in failed else every_of([p for p in parts_of(counts, "all") if p not in failed])
            if left == TRUE:
                return [*body, ast.Return(coder.expr(value))]
            if counts != FALSE:
                body.append(ast.If(coder.expr(left), [ast.Return(coder.expr(value))], []))
                failed.append(negation(counts))
        body.append(ast.Raise(call("undecided", ast.Constant(head.key)), None))
        return body

    def _tabulated(self, head: Head, params: list[str]) -> Function | None:
        if len(head.params) != 1 or not self._is_pure(head):
            return None
        if head.params[0][1].kind != "enum" or head.params[0][1].optional:
            return None
        function = self.define(params, self._body(head))
        enum = self.model.enums[head.params[0][1].name]
        try:
            rows = {rank: function(None, rank) for rank in range(len(enum.values))}
        except Undecided:
            return function
        self._rows[head.key] = rows
        return self.define(params, [ast.Return(self._row(head.key, name(params[1])))])

    def _is_table(self, key: str) -> bool:
        """Whether a definition is looked up in a table, so that it always has a value."""
        params = self.model.heads[key].params
        return len(params) == 1 and params[0][1].kind == "enum" and self.head(key) is not None and key in self._rows

    def _row(self, key: str, rank: ast.expr) -> ast.expr:
        return ast.Call(attribute(name(self.constant(self._rows[key])), "get"), [rank], [])

    def _is_pure(self, head: Head) -> bool:
        if self.unsettled & dependencies_of(self.model).of_head(head.key).readings:
            return False
        parts = (part for term in head_terms(head) for part in subterms(term))
        return not any(isinstance(part, Root | Call | Picks | Quantified | Result) for part in parts)

    def _is_remembered(self, head: Head, decision: Term) -> bool:
        """Remember what costs a search through a list, if its parameters can be keys."""
        form, _, word = head.key.partition(".")
        is_called = not word or (isinstance(self.model.forms.get(form), Allocation) and word != "choose")
        if not is_called or not head.params:
            return False
        if any(ptype.kind in _NO_KEYS and not self._is_list_of_places(ptype) for _, ptype in head.params):
            return False
        return any(isinstance(part, Quantified | Call | Result) for part in subterms(decision))

    def _searches(self, head: Head) -> bool:
        """Whether a value is worth remembering, and no record of this world: it takes a search through a list."""
        values = [one.value for one in head.statements if one.value is not None]
        return head.type.kind in _PLAIN and any(
            self._is_remembered(head, value) and any(isinstance(part, Quantified | Result) for part in subterms(value))
            for value in values
        )

    def _remember(self, head: Head, value: ast.expr, asked: Set[str]) -> list[ast.stmt]:
        """Keep a value in the situation; or, with the picks so far, for those parameters alone that it asks for."""
        owner, number = PICKED if self.head_is_stateful(head.key) else ROOT, self._new_memo()
        if owner == ROOT:
            self._keep(head, number)
        params = [(local(n), ptype) for n, ptype in head.params if owner == ROOT or n in asked]
        listed = [param for param, ptype in params if self._is_list_of_places(ptype)]
        return self._in_memo(number, owner, [param for param, _ in params], value, listed)

    def _new_memo(self) -> int:
        """Number a memo; no other memo gets its number, even where compiling is interrupted."""
        number, self.memos = self.memos, self.memos + 1
        return number

    def places(self, key: str) -> Places | None:
        """Give the function of all places at which some piece meets a condition, if a definition says no more."""
        if key not in self._places:
            base = self.base_for(dependencies_of(self.model).of_head(key))
            self._places[key] = base.places(key) if base is not None else self._compile_places(self.model.heads[key])
        return self._places[key]

    def _compile_places(self, head: Head) -> Places | None:
        if head.mode not in ("any", "bar"):
            return None
        seen = build_place_index(self.model, head, self.folder.decision(head), self._opened)
        if seen is None:
            return None
        params, others = [local(one) for one, _ in head.params], [local(one) for one in seen.others]
        number = self._new_memo()
        at = self.define([ROOT, *params], [ast.Return(self.coder().expr(self.folder.decision(head)))])
        function = self.define([ROOT, *others], self._in_memo(number, ROOT, others, seen.places(self.coder())))
        index = params.index(local(seen.place))

        def pass_on(before: Situation, after: Situation, changed: frozenset[Any]) -> None:
            mine = after.memo_[number]
            for key, places in before.memo_[number].items():
                rest = (key,) if len(others) == 1 else key
                here = {place for place in changed if at(after, *rest[:index], place, *rest[index:])}
                mine[key] = places if places & changed == here else (places - changed) | here

        self._carry(head, number, pass_on if self.locality.of_head(head, [seen.place]) else None)
        return Places(index, function)

    def _opened(self, term: Call) -> Term | None:
        """Put the body of a definition in place of its call, if it is a condition."""
        head = self.model.heads[term.head]
        if head.mode != "any":
            return None
        given = {name: arg for (name, _), arg in zip(head.params, term.args, strict=True)}
        return self.folder.substitute(self.folder.decision(head), given)

    def _in_memo(
        self, number: int, owner: str, params: Sequence[str], value: ast.expr, listed: Sequence[str] = ()
    ) -> list[ast.stmt]:
        """Write a function body that works a value out once for some arguments, and keeps it in a memo of the owner.

        Lists among the arguments are distinguished by their members.
        """
        names: list[ast.expr] = [call("tuple", name(one)) if one in listed else name(one) for one in params]
        key = names[0] if len(names) == 1 else ast.Tuple(names, ast.Load())
        memo = ast.Subscript(attribute(name(owner), "memo_"), ast.Constant(number), ast.Load())
        stored = ast.Subscript(name("m"), name("i"), ast.Store())
        return [
            ast.Assign([ast.Name("m", ast.Store())], memo),
            ast.Assign([ast.Name("i", ast.Store())], key),
            ast.Assign([ast.Name("v", ast.Store())], ast.Call(attribute(name("m"), "get"), [name("i"), name("m")], [])),
            ast.If(ast.Compare(name("v"), [ast.IsNot()], [name("m")]), [ast.Return(name("v"))], []),
            ast.Assign([ast.Name("v", ast.Store()), stored], value),
            ast.Return(name("v")),
        ]

    def _aside(self, term: Quantified) -> ast.expr | None:
        """Search once for all targets what is asked of the picks alone, not of the target that is judged."""
        variables = {part.name: part.type for part in subterms(term) if isinstance(part, Var)}
        names = sorted(free_names(term))
        if not self.is_stateful(term) or any(variables[one].kind not in _PLAIN for one in names):
            return None
        params = [local(one) for one in names]
        if term not in self._asides:
            body = self._in_memo(self._new_memo(), PICKED, params, self.coder().search(term))
            self._asides[term] = self.named(self.define([ROOT, PICKED, *params], body))
        return call(self._asides[term], *map(name, (ROOT, PICKED, *params)))

    def _keep(self, head: Head, number: int) -> None:
        """Say when what is remembered of a head lasts: it may be asked of one place, and look at what stands there."""
        carry: Carry | None = None
        places = [name for name, ptype in head.params if ptype.kind == "place" or self._is_place(ptype)]
        plain = [ptype for _, ptype in head.params if ptype.kind in ("enum", "flag") and not ptype.optional]
        if len(places) == 1 and len(plain) == len(head.params) - 1 and self.locality.of_head(head, places):
            index = next(index for index, (name, _) in enumerate(head.params) if name == places[0])
            sizes = [2 if one.kind == "flag" else len(self.model.enums[one.name].values) for one in plain]
            others = list(itertools.product(*map(range, sizes)))  # a flag as a key is the same as 0 or 1

            def carry(before: Situation, after: Situation, changed: frozenset[Any]) -> None:
                mine = dict(before.memo_[number])
                for place in changed:
                    for rest in others:
                        mine.pop((*rest[:index], place, *rest[index:]) if rest else place, None)
                after.memo_[number] = mine

        self._carry(head, number, carry)

    def _carry(self, head: Head, number: int, carry: Carry | None) -> None:
        fields = dependencies_of(self.model).of_head(head.key).fields
        apart = self.locality.apart_from_pieces(fields, head.situation) if carry is not None else frozenset()
        self.carried.footprints[number] = MemoFootprint(fields, apart, carry)

    def _is_list_of_places(self, wanted: Type) -> bool:
        return wanted.kind == "set" and not wanted.optional and self._is_place(Type("record", wanted.name))

    def _is_place(self, wanted: Type) -> bool:
        record = self.model.records.get(wanted.name)
        return wanted.kind == "record" and record is not None and record.role == "place"

    # ------------------------------------------------------------------ calls
    def _invoke(self, term: Call, args: list[ast.expr]) -> ast.expr:
        head = self.model.heads[term.head]
        if head.mode == "route":
            engine = attribute(name(ROOT), "engine_")
            if len(args) == 1:
                return method(engine, "flood", ast.Constant(term.head), *args)
            route = name(self.constant(self.model.forms[term.head]))
            return method(engine, "trace" if len(args) == 2 else "reach", route, *args)
        if head.mode == "roll":
            roll = self.model.forms[term.head]
            assert isinstance(roll, Roll)
            return call(self.named(self.roll(roll)), name(ROOT), *args)
        before = [name(ROOT), name(PICKED)] if self.head_is_stateful(term.head) else [name(ROOT)]
        function = self.head(term.head)
        if term.head in self._rows:
            return self._row(term.head, *args)
        return call(self.named(function), *before, *args)

    def named(self, function: Function) -> str:
        """Name a function of this program as generated code calls it."""
        title: str = function.__name__
        self._globals[title] = function  # it may be one of the base
        return title

    def constant(self, value: object) -> str:
        """Let generated code read a value; give its name there."""
        title = f"c{next(_NUMBERS)}"
        self._globals[title] = value
        return title

    # ------------------------------------------------------------------ state
    def is_stateful(self, term: Term) -> bool:
        return any(
            isinstance(part, Picks) or (isinstance(part, Call) and self.head_is_stateful(part.head))
            for part in subterms(term)
        )

    def head_is_stateful(self, key: str) -> bool:
        if key not in self._stateful:
            self._stateful[key] = self.model.heads[key].stateful or bool(dependencies_of(self.model).of_head(key).picks)
        return self._stateful[key]
