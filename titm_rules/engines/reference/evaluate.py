"""A tree walk over terms: the meaning of the language, word for word.

On purpose it repeats what `world/evaluate.py`, `ir/applicability.py` and the compiled engine say in other words, and
shares nothing with them but the model: it is the yardstick that they are held against.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from titm_rules.diagnostics import Undecided
from titm_rules.ir import terms as ir
from titm_rules.ir.model import Head, Lift, Model, Roll, Route, Statement
from titm_rules.ir.types import Type
from titm_rules.world.records import Place, Value, parse_record
from titm_rules.world.world import World

Env = Mapping[str, Any]
PICKS = "\0picks"
MAX_NUMBERS = 10_000
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass
class ReferenceEvaluator:
    """Evaluates terms and heads in a world.

    `routes` answers for routes to a goal used inside terms, `reach` for routes to a place, `results` for
    the result of a form for some roles.
    """

    model: Model
    world: World
    routes: Callable[[Route, Any, Any], int | None]
    reach: Callable[[Route, Any, Any, Any], int | None]
    results: Callable[[str, str, dict[str, Any]], Any]

    # ------------------------------------------------------------------ terms
    def term(self, term: ir.Term, env: Env) -> Any:
        """Evaluate a term; records, ranks of enums, numbers, truth values, lists or `None`."""
        match term:
            case ir.Var(name=name, type=vtype):
                return self.model.reading(name) if vtype.kind == "reading" else env[name]
            case ir.Const(value=value):
                return value
            case ir.Compare(op=op, left=left, right=right):
                return self._compare(op, self.term(left, env), self.term(right, env))
            case ir.Logic(op=op, parts=parts):
                return self._logic(op, parts, env)
            case ir.Field(base=base, field=name, type=Type(kind=kind, optional=optional)):
                found = self._field(self.term(base, env), name)
                return [] if found is None and kind == "set" and not optional else found
            case ir.Call(head=key, args=args):
                return self.call(key, [self.term(arg, env) for arg in args], env)
            case ir.IsA(base=base, record=record):
                value = self.term(base, env)
                return value is not None and value.record_ == record
            case ir.Root(field=name):
                return getattr(self.world.root, name)
            case ir.Quantified():
                return self._quantified(term, env)
            case ir.Standing(base=base, place=place):
                spot = self.term(place, env)
                return [piece for piece in self.term(base, env) if spot is not None and piece.place is spot]
            case ir.Member(left=left, choices=choices, base=base):
                value = self.term(left, env)
                if base is not None:
                    return value in (self.term(base, env) or ())
                return any(value == self.term(choice, env) for choice in choices)
            case ir.Picks(target=target):
                return env[PICKS].get(self.term(target, env), 0)
            case ir.Touching(base=base, place=place):
                spot = self.term(place, env)
                return [link for link in self.term(base, env) if spot in link.ends]
            case ir.Besides(base=base, other=other):
                out = self.term(other, env)
                return [one for one in self.term(base, env) if one not in out]
            case ir.Just(base=base):
                only = self.term(base, env)
                return [] if only is None else [only]
            case ir.Apply(op=op, args=args):
                return self._apply(op, [self.term(arg, env) for arg in args])
            case ir.Arithmetic(op=op, left=left, right=right):
                one, other = self.term(left, env), self.term(right, env)
                return self._union(one, other) if isinstance(one, list) else self._arithmetic(op, one, other)
            case ir.Result(what=what, form=form, roles=roles):
                return self.results(what, form, {name: self.term(given, env) for name, given in roles})
            case ir.Values(count=count):
                return list(range(count))
            case ir.End(base=base, index=index):
                ends = self.term(base, env)
                return None if ends is None else ends[index]
        raise AssertionError(f"unknown term {term!r}")

    def _union(self, left: list[Any], right: list[Any]) -> list[Any]:
        return left + [one for one in right if one not in left]

    def _field(self, base: Value, name: str) -> Any:
        if isinstance(base, list):
            base = base[0] if base else None
        return getattr(base, name, None)

    def _compare(self, op: str, left: Value, right: Value) -> bool:
        if op == "==":
            return bool(left is right or left == right)
        if op == "!=":
            return not (left is right or left == right)
        return left is not None and right is not None and bool(_COMPARE[op](left, right))

    def _logic(self, op: str, parts: tuple[ir.Term, ...], env: Env) -> bool:
        if op == "not":
            return not self.term(parts[0], env)
        test = all if op == "all" else any
        return test(self.term(part, env) for part in parts)

    def _arithmetic(self, op: str, left: int | None, right: int | None) -> int:
        left, right = left or 0, right or 0
        if op == "//":
            return left // right if right else 0
        return {"+": left + right, "-": left - right, "*": left * right}[op]

    def _apply(self, op: str, args: list[Any]) -> Any:
        match op, args:
            case "next", [rank, count]:
                return rank + 1 if rank is not None and rank + 1 < count else None
            case "previous", [rank, _]:
                return rank - 1 if rank else None
            case "least" | "most", _:
                known = [arg for arg in args if arg is not None]
                return (min if op == "least" else max)(known, default=0)
            case "up", [left, right]:
                return -(-(left or 0) // right) if right else 0
            case "parts", [number, parts]:
                return None if number is None else number * parts
            case "numbers", [low, high]:
                return list(range(low or 0, (high or 0) + 1))[:MAX_NUMBERS]
            case "member", [members, place]:
                return members[place - 1] if place and 0 < place <= len(members) else None
            case "part", [members, low, high]:
                return [one for number, one in enumerate(members, 1) if (low or 0) <= number <= (high or 0)]
            case "look-up", [values, key]:
                return values.get(key) if values else None
            case "listed", [members]:
                return members or []
            case "neighbours", [place, links]:
                ends = [link.ends for link in links]
                other = [two if one is place else one for one, two in ends if place is one or place is two]
                return [far for at, far in enumerate(other) if far not in other[:at]]
            case "distance", [start, goal, links]:
                return self._distance(start, goal, [link.ends for link in links])
            case "read", [name, text]:
                return parse_record(self.model, name, text)
        raise AssertionError(f"unknown function {op}")

    def _distance(self, start: Place | None, goal: Place | None, ends: list[Any]) -> int | None:
        """Relax every connection until no place gets nearer to the start."""
        if start is None:
            return None
        near = {start: 0}
        for _ in range(len(ends) + 1):
            for one, two in (pair for first, second in ends for pair in ((first, second), (second, first))):
                if one in near and near[one] + 1 < near.get(two, len(ends) + 1):
                    near[two] = near[one] + 1
        return near.get(goal) if goal is not None else None

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
                return any(self.term(_need(body), inner) for _, inner in members)
            case "every":
                return all(self.term(_need(body), inner) for _, inner in members)
        values = [self.term(_need(body), inner) or 0 for _, inner in members]
        if term.op == "total":
            return sum(values)
        return (max if term.op == "highest" else min)(values, default=None)

    # ------------------------------------------------------------------ heads
    def call(self, key: str, args: list[Any], env: Env) -> Any:
        head = self.model.heads[key]
        if head.mode == "route":
            route = self.model.forms[key]
            assert isinstance(route, Route)
            if args[0] is None:
                return None
            if len(args) == 3:
                return self.reach(route, *args)
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

    def alive(self, head: Head, env: Env) -> Iterator[Statement]:
        """Yield the statements that count: they hold, and nothing lifts or replaces them."""
        holding = [s for s in head.statements if self.holds(s, env)]
        for statement in holding:
            if not self.lifted_by(head, statement.clause, env) and not any(
                statement.clause in other.instead and not self.lifted_by(head, other.clause, env) for other in holding
            ):
                yield statement

    def holds(self, sentence: Statement | Lift, env: Env) -> bool:
        """Whether the condition of a sentence is true; every sentence that is looked at passes here."""
        return sentence.when is None or bool(self.term(sentence.when, env))

    def lifted_by(self, head: Head, clause: str, env: Env) -> Lift | None:
        """Find an exception that takes away what a clause says, unless it is lifted itself."""
        for lift in head.lifts:
            if lift.target != clause or not self.holds(lift, env):
                continue
            if self.lifted_by(head, lift.clause, env) is None:
                return lift
        return None

    def last_face(self, roll: Roll, env: Env) -> int | None:
        """Give the last face that succeeds: nothing if the attempt is barred, beyond the die if none does."""
        heads = self.model.heads
        if self.head(heads[f"{roll.name}.try"], env):
            return None
        factor = self.head(heads[f"{roll.name}.factor"], env)
        modified = factor - self.head(heads[f"{roll.name}.adds"], env)
        least, most = roll.bounds
        return max(least, min(most, int(modified)))


def _need(term: ir.Term | None) -> ir.Term:
    assert term is not None
    return term
