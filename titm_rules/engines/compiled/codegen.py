"""Generate Python functions from terms, as `ast` nodes; no text is pasted or evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from titm_rules.engines.compiled import nodes as ast
from titm_rules.engines.compiled.partial_eval import FRESH, PartialEvaluator
from titm_rules.ir import terms as ir
from titm_rules.ir.applicability import every_of, negation
from titm_rules.ir.model import Model, head_key
from titm_rules.world.evaluate import COMPARE, FUNCTIONS
from titm_rules.world.records import Place


def hoist_invariants(
    folder: PartialEvaluator, term: ir.Term, is_table: Callable[[str], bool] = lambda _: False
) -> ir.Term:
    """Move conditions without the bound variable out of `some` (loop-invariant code motion).

    Only terms that need no search and no clause but those in tables are moved: they cost little, and have a value for
    an empty list too.
    """
    term = ir.rebuild(term, lambda part: hoist_invariants(folder, part, is_table))
    if not (isinstance(term, ir.Quantified) and term.op == "some" and term.var):
        return term
    parts = [part for test in (term.where, term.body) if test is not None for part in _parts(folder, test)]
    before = [part for part in parts if term.var not in ir.free_names(part) and is_available(part, is_table)]
    if not before:
        return term
    rest = replace(term, where=None, body=every_of([part for part in parts if part not in before]))
    return every_of(sorted([*before, rest], key=asks_reading))


def asks_reading(term: ir.Term) -> bool:
    """Whether a term is a test of a reading that is open; it is asked last, for the answer depends on what is asked."""
    return isinstance(term, ir.Compare) and isinstance(term.left, ir.Apply) and term.left.op == ir.CHOSEN


def _parts(folder: PartialEvaluator, term: ir.Term) -> Iterator[ir.Term]:
    """Yield the conditions of a conjunction; that a roll is possible is the conjunction of its clauses."""
    match term:
        case ir.Logic(op="all", parts=parts):
            for part in parts:
                yield from _parts(folder, part)
        case ir.Logic(op="not", parts=(ir.Logic(op="any", parts=parts),)):
            for part in parts:
                yield negation(part)
        case ir.Compare(op="!=", left=ir.Call(head=name, args=args), right=ir.Const(value=None)) if (
            folder.model.heads[name].mode == "roll"
        ):
            head = folder.model.heads[head_key(name, "try")]
            given = {param: arg for (param, _), arg in zip(head.params, args, strict=True)}
            yield from _parts(folder, negation(folder.fold(folder.substitute(folder.decision(head), given))))
        case _:
            yield term


def is_available(term: ir.Term, is_table: Callable[[str], bool] = lambda _: False) -> bool:
    """Whether a term needs no search, no arithmetic, and no clause but those in tables."""
    return not any(
        isinstance(part, ir.Quantified | ir.Result | ir.Arithmetic)
        or (isinstance(part, ir.Call) and not is_table(part.head))
        for part in ir.subterms(term)
    )


ROOT, PICKED, SLOTS = "r", "p", "k"
FUNCTION = "f_"
_OPS: dict[str, ast.cmpop] = {
    "==": ast.Eq(), "!=": ast.NotEq(), "<": ast.Lt(), "<=": ast.LtE(), ">": ast.Gt(), ">=": ast.GtE(),
}  # fmt: skip
_BINARY: dict[str, ast.operator] = {"+": ast.Add(), "-": ast.Sub(), "*": ast.Mult(), "//": ast.FloorDiv()}


def name(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


def local(variable: str) -> str:
    """Return the Python name of a variable of the rules; no two variables share one."""
    return "v_" + variable.replace("_", "__").replace("-", "_").replace(FRESH, "___")


def call(function: str, *args: ast.expr) -> ast.Call:
    return ast.Call(name(function), list(args), [])


def attribute(base: ast.expr, field: str) -> ast.Attribute:
    return ast.Attribute(base, field, ast.Load())


def assign(target: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(target, ast.Store())], value)


def negated(condition: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), condition)


def method(of: ast.expr, title: str, *args: ast.expr) -> ast.Call:
    return ast.Call(attribute(of, title), list(args), [])


def skip(condition: ast.expr) -> ast.stmt:
    return ast.If(condition, [ast.Continue()], [])


class Coder:
    """Generates Python expressions from terms; `invoke` generates the call of a definition or a form.

    `slots` are terms that are read from slots of a tuple `k` instead of being computed. `aside` generates a search
    through a list as the call of a separate function; nothing if it stays in place. `among` are calls that are look-ups
    of a place, each with the number of the argument and of the slot of the places.
    """

    def __init__(
        self,
        model: Model,
        invoke: Callable[[ir.Call, list[ast.expr]], ast.expr],
        slots: Mapping[ir.Term, int] | None = None,
        aside: Callable[[ir.Quantified], ast.expr | None] = lambda _: None,
        among: Mapping[ir.Call, tuple[int, int]] | None = None,
    ) -> None:
        self.model = model
        self.invoke = invoke
        self.slots = slots or {}
        self.aside = aside
        self.among = among or {}

    def expr(self, term: ir.Term) -> ast.expr:
        if self.slots and term in self.slots:  # a term that holds many takes long to hash
            return ast.Subscript(name(SLOTS), ast.Constant(self.slots[term]), ast.Load())
        match term:
            case ir.Const(value=value):
                return ast.List([], ast.Load()) if isinstance(value, tuple) else ast.Constant(value)
            case ir.Var(name=variable):
                return name(local(variable))
            case ir.Root(field=field):
                return attribute(name(ROOT), field)
            case ir.Field():
                return self._field(term)
            case ir.Call(args=args):
                return self._call(term, [self.expr(arg) for arg in args])
            case ir.Standing(base=base, place=place):
                if not self._is_whole(base):
                    return call("standing_at", self.expr(base), self.expr(place))
                standing = attribute(attribute(name(ROOT), "standing_"), "get")
                return ast.Call(standing, [self.expr(place), ast.Tuple([], ast.Load())], [])
            case ir.Touching(base=base, place=place):
                if not self._is_whole(base):
                    return call("touching", self.expr(base), self.expr(place))
                return call("links_at", self.expr(place), ast.Constant(base.type.name))
            case ir.Quantified():
                return self.aside(term) or self.search(term)
            case ir.Besides(base=base, other=other):
                loop = ast.comprehension(ast.Name("x", ast.Store()), self.expr(base), [self._out(name("x"), other)], 0)
                return ast.ListComp(name("x"), [loop])
            case ir.Just(base=base):
                one = self.expr(base)
                return call("just", one) if base.type.optional else ast.List([one], ast.Load())
            case ir.Compare():
                return self._compare(term)
            case ir.Member():
                return self._member(term)
            case ir.Logic(op="not", parts=parts):
                return ast.UnaryOp(ast.Not(), self.expr(parts[0]))
            case ir.Logic(op=op, parts=parts):
                return ast.BoolOp(ast.And() if op == "all" else ast.Or(), [self.expr(part) for part in parts])
            case ir.Apply(op="parts", args=(number, parts)) if not number.type.optional:
                return ast.BinOp(self.expr(number), ast.Mult(), self.expr(parts))
            case ir.Apply(op=op, args=args) if op == ir.CHOSEN:
                return ast.Call(attribute(attribute(name(ROOT), "engine_"), ir.CHOSEN), [*map(self.expr, args)], [])
            case ir.Apply(op=op, args=args):
                return call(FUNCTION + op.replace("-", "_"), *map(self.expr, args))
            case ir.Arithmetic():
                return self._arithmetic(term)
            case ir.Result(what=what, form=form, roles=roles):
                given = ast.Dict([ast.Constant(role) for role, _ in roles], [self.expr(value) for _, value in roles])
                return method(attribute(name(ROOT), "engine_"), "result", ast.Constant(what), ast.Constant(form), given)
            case ir.Picks(target=target):
                counts = attribute(name(PICKED), "counts")
                index = self._read(target, "index_")
                return ast.Call(attribute(counts, "get"), [index, ast.Constant(0)], [])
            case ir.Values(count=count):
                return ast.Tuple([ast.Constant(rank) for rank in range(count)], ast.Load())
            case ir.End(base=base, index=index):
                if base.type.optional:
                    return call("end_of", self.expr(base), ast.Constant(index))
                return ast.Subscript(self.expr(base), ast.Constant(index), ast.Load())
            case ir.IsA(base=base, record=record):
                kind = call("getattr", self.expr(base), ast.Constant("record_"), ast.Constant(None))
                if base.type.kind in ("place", "record") and not base.type.optional:
                    kind = attribute(self.expr(base), "record_")  # type: ignore[assignment]
                return ast.Compare(kind, [ast.Eq()], [ast.Constant(record)])
        raise AssertionError(f"unknown term {term!r}")

    def _is_whole(self, base: ir.Term) -> bool:
        """Whether a list holds all pieces, or all connections of its kind, that the situation has."""
        if not isinstance(base, ir.Root):
            return False
        records = self.model.records
        role = records[base.type.name].role
        lists = [
            (record.name, spec)
            for record in records.values()
            for spec in record.fields
            if spec.owns and (records[spec.type.name].role == "piece" if role == "piece" else spec.type == base.type)
        ]
        situations = [owner for owner, spec in lists if spec.name == base.field]
        return len(situations) == 1 and [owner for owner, _ in lists].count(situations[0]) == 1

    def _call(self, term: ir.Call, args: list[ast.expr]) -> ast.expr:
        """Generate a call; a trace of a mover that has a slot is a look-up in its distance map."""
        if self.among and term in self.among:
            index, slot_of = self.among[term]
            places = ast.Subscript(name(SLOTS), ast.Constant(slot_of), ast.Load())
            return ast.Compare(args[index], [ast.In()], [places])
        trace = ir.Call(term.head, term.args[:1], term.type) if len(term.args) == 2 else None
        if trace is not None and trace in self.slots:
            slot = ast.Subscript(name(SLOTS), ast.Constant(self.slots[trace]), ast.Load())
            return ast.Call(attribute(slot, "get"), [args[1]], [])
        return self.invoke(term, args)

    def _field(self, term: ir.Field) -> ast.expr:
        base = self.expr(term.base)
        if term.base.type.kind == "set":
            return call("first", base, ast.Constant(term.field))
        if term.base.type.optional or not self._always_has(term):
            found = call("getattr", base, ast.Constant(term.field), ast.Constant(None))
            is_list = term.type.kind == "set" and not term.type.optional
            return ast.BoolOp(ast.Or(), [found, ast.Tuple([], ast.Load())]) if is_list else found
        return attribute(base, term.field)

    def _read(self, base: ir.Term, name_: str) -> ast.expr:
        if base.type.optional:
            return call("getattr", self.expr(base), ast.Constant(name_), ast.Constant(None))
        return attribute(self.expr(base), name_)

    def _always_has(self, term: ir.Field) -> bool:
        if term.field == "id" or term.base.type.kind != "place":
            return True
        places = [record for record in self.model.records.values() if record.role == "place"]
        return all(any(f.name == term.field for f in record.fields) for record in places)

    def search(self, term: ir.Quantified) -> ast.expr:
        source = term.base
        variable = local(term.var) if term.var else "x"
        ifs = []
        while isinstance(source, ir.Besides):
            ifs.append(self._out(name(variable), source.other))
            source = source.base
        if term.where is not None:
            ifs.append(self.expr(term.where))
        loop = ast.comprehension(ast.Name(variable, ast.Store()), self.expr(source), ifs, 0)
        return self._fold_loop(term, loop, variable)

    def _fold_loop(self, term: ir.Quantified, loop: ast.comprehension, variable: str) -> ast.expr:
        body = ast.Constant(1) if term.body is None else self.expr(term.body)
        match term.op:
            case "those":
                return ast.ListComp(name(variable), [loop])
            case "some":
                return call("any", ast.GeneratorExp(body, [loop]))
            case "every":
                return call("all", ast.GeneratorExp(body, [loop]))
            case "count":
                if not loop.ifs:
                    return call("len", loop.iter)
                return call("sum", ast.GeneratorExp(ast.Constant(1), [loop]))
        if term.body is not None and term.body.type.optional:
            body = _or_zero(body)
        values = ast.GeneratorExp(body, [loop])
        if term.op == "total":
            return call("sum", values)
        found = call("max" if term.op == "highest" else "min", values)
        found.keywords = [ast.keyword("default", ast.Constant(None))]
        return found

    def _out(self, item: ast.expr, other: ir.Term) -> ast.expr:
        if isinstance(other, ir.Just):
            return ast.Compare(item, [ast.IsNot()], [self.expr(other.base)])
        return ast.Compare(item, [ast.NotIn()], [self.expr(other)])

    def _compare(self, term: ir.Compare) -> ast.expr:
        match term:
            case ir.Compare(op=">", left=ir.Quantified(op="count", base=base, where=None), right=ir.Const(value=0)):
                return self._nonempty(base)
        left, right = term.left, term.right
        values, op = (self.expr(left), self.expr(right)), _OPS[term.op]
        if term.op in ("==", "!="):
            if {"record", "place", "nothing"} & {left.type.kind, right.type.kind}:  # compared by identity
                op = ast.Is() if term.op == "==" else ast.IsNot()
        elif left.type.optional or right.type.optional:
            return call("compare", ast.Constant(term.op), *values)
        return ast.Compare(values[0], [op], [values[1]])

    def _nonempty(self, base: ir.Term) -> ast.expr:
        if isinstance(base, ir.Besides):
            loop = ast.comprehension(
                ast.Name("x", ast.Store()), self.expr(base.base), [self._out(name("x"), base.other)], 0
            )
            return call("any", ast.GeneratorExp(ast.Constant(True), [loop]))
        return call("bool", self.expr(base))

    def _member(self, term: ir.Member) -> ast.expr:
        left = self.expr(term.left)
        base = term.base
        if base is None:
            members: ast.expr = ast.Tuple([self.expr(choice) for choice in term.choices], ast.Load())
        else:
            members = self.expr(base)
            if isinstance(base, ir.Field) and base.type.kind == "pair" and base.base.type.optional:
                members = ast.BoolOp(ast.Or(), [members, ast.Tuple([], ast.Load())])
        return ast.Compare(left, [ast.In()], [members])

    def _arithmetic(self, term: ir.Arithmetic) -> ast.expr:
        left, right = self.expr(term.left), self.expr(term.right)
        if term.type.kind == "set":
            return call("union", left, right)
        left = _or_zero(left) if term.left.type.optional else left
        right = _or_zero(right) if term.right.type.optional else right
        if term.op == "//" and not (isinstance(term.right, ir.Const) and term.right.value):
            return call("divide", left, right)
        return ast.BinOp(left, _BINARY[term.op], right)


def _or_zero(value: ast.expr) -> ast.expr:
    return ast.BoolOp(ast.Or(), [value, ast.Constant(0)])


# ---------------------------------------------------------------------- what generated code may call
def placed(places: set[Any]) -> set[Any]:
    """Remove nothing from the places: a piece that is not on the map is at none."""
    places.discard(None)
    return places


def far_end(link: Any, place: Place) -> Place | None:
    """Return the other end of a connection; nothing if the place is not an end."""
    if link is None or place not in link.ends:
        return None
    one, other = link.ends
    found: Place = other if one is place else one
    return found


HELPERS: dict[str, Any] = {
    **{FUNCTION + op.replace("-", "_"): function for op, function in FUNCTIONS.items()},
    "first": lambda records, field: getattr(records[0], field, None) if records else None,
    "compare": lambda op, left, right: left is not None and right is not None and COMPARE[op](left, right),
    "divide": lambda left, right: left // right if right else 0,
    "union": lambda left, right: [*left, *(one for one in right if one not in left)],
    "apart": lambda other, members: [one for one in members if one not in other],
    "just": lambda one: [] if one is None else [one],
    "end_of": lambda pair, index: None if pair is None else pair[index],
    "standing_at": lambda pieces, place: [one for one in pieces if one.place is place] if place is not None else [],
    "touching": lambda links, place: [link for link in links if place in link.ends],
    "links_at": lambda place, kind: [one for one, _ in place.links_.get(kind, ())] if place is not None else [],
    "among": lambda one, members: (members[members.index(one)],) if one in members else (),
    "same": lambda members, sorted_ids: tuple(sorted(one.id for one in members)) == sorted_ids,
    "placed": placed, "far_end": far_end,
    "any": any, "all": all, "len": len, "sum": sum, "max": max, "min": min, "bool": bool, "getattr": getattr,
    "tuple": tuple,
}  # fmt: skip
