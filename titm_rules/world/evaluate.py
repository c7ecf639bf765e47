"""Evaluate terms in a world, apply statements, and check invariants."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from titm_rules.diagnostics import Fault, InputError, Undecided
from titm_rules.ir import terms as ir
from titm_rules.ir.applicability import COUNTS, Judged, judged
from titm_rules.ir.model import Head, Lift, Model, Roll, Route, Statement
from titm_rules.world.records import Place, parse_record, told
from titm_rules.world.world import World

# ---------------------------------------------------------------------- functions
MAX_NUMBERS = 10_000


def neighbours(place: Place | None, links: Collection[Any]) -> list[Any]:
    """List the places that connections of a list join to a place, each once, in the order of the list."""
    if place is None:
        return []
    order = {link: at for at, link in enumerate(links)}
    joined = [(order[link], far) for kind in place.links_.values() for link, far in kind if link in order]
    return list(dict.fromkeys(far for _, far in sorted(joined, key=operator.itemgetter(0))))


def distance(start: Place | None, goal: Place | None, links: Collection[Any]) -> int | None:
    """Count the fewest connections of a list from a place to another (breadth-first search); nothing if none leads."""
    allowed, seen = set(links), {start}
    ring, steps = [start] if start is not None else [], 0
    while ring:
        if goal in seen:
            return steps
        joined = (pair for place in ring for kind in place.links_.values() for pair in kind)
        ring = list({far for link, far in joined if link in allowed and far not in seen})
        seen.update(ring)
        steps += 1
    return None


# Of lists places are counted from 1, and both ends of a part are included; divided by zero, a number is zero.
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "next": lambda rank, count: rank + 1 if rank is not None and rank + 1 < count else None,
    "previous": lambda rank, _count: rank - 1 if rank else None,
    "least": lambda *numbers: min((number for number in numbers if number is not None), default=0),
    "most": lambda *numbers: max((number for number in numbers if number is not None), default=0),
    "up": lambda left, right: -(-(left or 0) // right) if right else 0,
    "numbers": lambda low, high: range(low or 0, (high or 0) + 1)[:MAX_NUMBERS],
    "parts": lambda number, parts: None if number is None else number * parts,
    "member": lambda members, place: members[place - 1] if place and 0 < place <= len(members) else None,
    "part": lambda members, low, high: members[max(0, (low or 0) - 1) : max(0, high or 0)],
    "look-up": lambda values, key: values.get(key) if values else None,
    "listed": lambda members: members or [],
    "neighbours": neighbours,
    "distance": distance,
}


Env = Mapping[str, Any]
PICKS = "\0picks"
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass
class Evaluator:
    """Evaluates terms and heads in a world.

    `routes` answers for routes to a goal used inside terms, `reach` for routes to a place, `results` for the value of a
    form for some roles. `watch`, if set, is called for every head that is decided, with the statements that count;
    `looked_at`, if set, collects the records that made a `some` true.
    """

    model: Model
    world: World
    routes: Callable[[Route, Any, Any], int | None] | None = None
    looked_at: list[Any] | None = field(default=None)
    watch: Callable[[Head, Env, list[Statement]], None] | None = None
    reach: Callable[[Route, Any, Any, Any], int | None] | None = None
    results: Callable[[str, str, Mapping[str, Any]], Any] | None = None

    # ------------------------------------------------------------------ terms
    def term(self, term: ir.Term, env: Env) -> Any:
        """Evaluate a term; records, ranks of enums, numbers, truth values, lists or `None`."""
        work: Callable[[Evaluator, Any, Env], Any] = _WORK[type(term)]
        return work(self, term, env)

    def _field_of(self, term: ir.Field, env: Env) -> Any:
        base = self.term(term.base, env)
        if isinstance(base, list):
            base = base[0] if base else None
        found = getattr(base, term.field, None)
        return [] if found is None and term.type.kind == "set" and not term.type.optional else found

    def _standing(self, term: ir.Standing, env: Env) -> Any:
        spot = self.term(term.place, env)
        return [piece for piece in self.term(term.base, env) if spot is not None and piece.place is spot]

    def _touching(self, term: ir.Touching, env: Env) -> Any:
        spot = self.term(term.place, env)
        return [link for link in self.term(term.base, env) if spot in link.ends]

    def _besides(self, term: ir.Besides, env: Env) -> Any:
        out = self.term(term.other, env)
        return [one for one in self.term(term.base, env) if one not in out]

    def _just(self, term: ir.Just, env: Env) -> Any:
        only = self.term(term.base, env)
        return [] if only is None else [only]

    def _compared(self, term: ir.Compare, env: Env) -> bool:
        left, right = self.term(term.left, env), self.term(term.right, env)
        if term.op in ("==", "!="):
            return (left is right or bool(left == right)) is (term.op == "==")
        return left is not None and right is not None and bool(COMPARE[term.op](left, right))

    def _member(self, term: ir.Member, env: Env) -> bool:
        value = self.term(term.left, env)
        if term.base is not None:
            return value in (self.term(term.base, env) or ())  # nothing has no ends
        return any(value == self.term(choice, env) for choice in term.choices)

    def _logic(self, term: ir.Logic, env: Env) -> bool:
        if term.op == "not":
            return not self.term(term.parts[0], env)
        decides = term.op == "any"
        for part in term.parts:
            if bool(self.term(part, env)) is decides:
                return decides
        return not decides

    def _worked_out(self, term: ir.Arithmetic, env: Env) -> Any:
        left, right = self.term(term.left, env), self.term(term.right, env)
        if isinstance(left, list):
            return left + [one for one in right if one not in left]
        left, right = left or 0, right or 0
        if term.op == "//":
            return left // right if right else 0
        return {"+": left + right, "-": left - right, "*": left * right}[term.op]

    def _applied(self, term: ir.Apply, env: Env) -> Any:
        args = [self.term(arg, env) for arg in term.args]
        return parse_record(self.model, *args) if term.op == "read" else FUNCTIONS[term.op](*args)

    def _result(self, term: ir.Result, env: Env) -> Any:
        assert self.results is not None
        return self.results(term.what, term.form, {name: self.term(given, env) for name, given in term.roles})

    def _end(self, term: ir.End, env: Env) -> Any:
        ends = self.term(term.base, env)
        return None if ends is None else ends[term.index]

    def _is_a(self, term: ir.IsA, env: Env) -> bool:
        value = self.term(term.base, env)
        return value is not None and value.record_ == term.record

    def _quantified(self, term: ir.Quantified, env: Env) -> Any:
        members = []
        for one in self.term(term.base, env):
            inner = {**env, term.var: one}
            if term.where is None or self.term(term.where, inner):
                members.append((one, inner))
        body = term.body
        match term.op:
            case "those":
                return [one for one, _ in members]
            case "count":
                return len(members)
            case "some":
                return self._some(members, _need(body))
            case "every":
                return all(self.term(_need(body), inner) for _, inner in members)
        values = [self.term(_need(body), inner) or 0 for _, inner in members]
        if term.op == "total":
            return sum(values)
        return (max if term.op == "highest" else min)(values, default=None)

    def _some(self, members: Sequence[tuple[Any, Env]], body: ir.Term) -> bool:
        """Whether a member satisfies a condition; who does is noted, but not what that looked at."""
        noted, self.looked_at = self.looked_at, None
        found = [one for one, inner in members if self.term(body, inner)]
        self.looked_at = noted
        if noted is not None:
            noted.extend(found)
        return bool(found)

    # ------------------------------------------------------------------ heads
    def call(self, key: str, args: list[Any], env: Env) -> Any:
        head = self.model.heads[key]
        if head.mode == "route":
            route = self.model.forms[key]
            assert isinstance(route, Route)
            if args[0] is None:
                return None
            if len(args) == 3:
                assert self.reach is not None
                return self.reach(route, *args)
            assert self.routes is not None
            return self.routes(route, args[0], args[1])
        inner: dict[str, Any] = {name: arg for (name, _), arg in zip(head.params, args, strict=True)}
        if PICKS in env:
            inner[PICKS] = env[PICKS]
        if head.mode == "roll":
            roll = self.model.forms[key]
            assert isinstance(roll, Roll)
            return self.last_face(roll, inner)
        return self.head(head, inner)

    def head(self, head: Head, env: Env) -> Any:
        """Decide a head: truth, a sum, or the one value that clauses give."""
        alive = list(self.alive(head, env))
        if self.watch is not None:
            self.watch(head, env, alive)
        match head.mode:
            case "any" | "bar":
                return bool(alive)
            case "sum":
                total = sum(self.term(_need(s.value), env) or 0 for s in alive)
                return max(0, total) if head.is_price else total
        values = [self.term(_need(statement.value), env) for statement in alive]
        if not values or any(value != values[0] for value in values):
            raise Undecided.of(head.key, [statement.clause for statement in alive])
        return values[0]

    def judged(self, head: Head, env: Env) -> Iterator[Judged]:
        return judged(head, lambda sentence: self.holds(sentence, env))

    def alive(self, head: Head, env: Env) -> Iterator[Statement]:
        return (one.statement for one in self.judged(head, env) if one.how == COUNTS)

    def holds(self, sentence: Statement | Lift, env: Env) -> bool:
        return sentence.when is None or bool(self.term(sentence.when, env))

    def last_face(self, roll: Roll, env: Env) -> int | None:
        """Give the last face that succeeds: nothing if the attempt is barred, beyond the die if none does."""
        heads = self.model.heads
        if self.head(heads[f"{roll.name}.try"], env):
            return None
        factor = self.head(heads[f"{roll.name}.factor"], env)
        modified = factor - self.head(heads[f"{roll.name}.adds"], env)
        least, most = roll.bounds
        return max(least, min(most, int(modified)))

    def added(self, head: Head, env: Env) -> dict[str, int]:
        """Say what the statements of a sum add, by their labels."""
        found: dict[str, int] = {}
        for statement in self.alive(head, env):
            value = self.term(_need(statement.value), env)
            if value:
                found[statement.label] = found.get(statement.label, 0) + value
        return found


# How each kind of term is evaluated; a table is faster than asking one kind after the other.
_WORK: dict[type, Callable[..., Any]] = {
    ir.Const: lambda _self, term, _env: term.value,
    ir.Var: lambda self, term, env: self.model.reading(term.name) if term.type.kind == "reading" else env[term.name],
    ir.Root: lambda self, term, _env: getattr(self.world.root, term.field),
    ir.Call: lambda self, term, env: self.call(term.head, [self.term(arg, env) for arg in term.args], env),
    ir.Picks: lambda self, term, env: env[PICKS].get(self.term(term.target, env), 0),
    ir.Values: lambda _self, term, _env: list(range(term.count)),
    ir.Field: Evaluator._field_of, ir.Standing: Evaluator._standing, ir.Touching: Evaluator._touching,
    ir.Besides: Evaluator._besides, ir.Just: Evaluator._just, ir.Quantified: Evaluator._quantified,
    ir.Compare: Evaluator._compared, ir.Member: Evaluator._member, ir.Logic: Evaluator._logic,
    ir.Apply: Evaluator._applied, ir.Arithmetic: Evaluator._worked_out, ir.Result: Evaluator._result,
    ir.End: Evaluator._end, ir.IsA: Evaluator._is_a,
}  # fmt: skip


def _need(term: ir.Term | None) -> ir.Term:
    assert term is not None
    return term


# ---------------------------------------------------------------------- always
MAX_FAULTS = 20


def refuse_impossible(world: World, path: str) -> None:
    """Refuse (`InputError`) a situation at `path` that breaks what always holds, with what is not so of each record."""
    faults = [
        Fault(what, path + where, f"no {world.situation} is so by the rules", "give one that can be", kind="bad-value")
        for what, where in _breaches(world, world.model)
    ]
    if faults:
        raise InputError(faults[:MAX_FAULTS])


def need_possible(world: World, source: str) -> None:
    """Refuse (`Undecided`) to go on where an event or view, the `source`, makes what breaks what always holds."""
    for what, where in _breaches(world, world.model):
        why = f"`{source}` makes a {world.situation} that breaks what always holds, at {where or 'the whole'}"
        fix = "mend what it makes, or what always holds"
        raise Undecided([Fault(f"not covered: {what}", "$.input", why, fix, kind="not-covered")])


def is_possible(world: World, model: Model) -> bool:
    """Whether a situation is as some rules, of the same records, say that it always is."""
    return next(_breaches(world, model), None) is None


def _breaches(world: World, model: Model) -> Iterator[tuple[str, str]]:
    """Yield what is said of each thing that is not as it always is, and its place in the situation."""
    for said in model.always.get(world.situation, ()):
        evaluator = Evaluator(world.model, world)
        members = [None] if said.base is None else evaluator.term(said.base, {})
        for index, member in enumerate(members):
            work = partial(evaluator.term, env={said.var: member})
            if not work(said.condition):
                fields = {spec.name: spec.json for spec in world.model.records[world.situation].fields}
                place = f".{fields[said.base.field]}[{index}]" if isinstance(said.base, ir.Root) else ""
                yield told(world.model, said.says, work), place
