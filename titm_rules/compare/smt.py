"""Terms of one or two rule sets as formulas for an SMT solver (z3), and the second solver (cvc5) that repeats a proof.

What is not taken apart is a fact: a free symbol. Both sides share a fact where it has one value in both; other facts
are linked as far as it is known how they stand to each other. A definition that is not the same on both sides is
replaced by what its clauses say. What always holds is assumed of the records that the facts name.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Flag, auto
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from titm_rules.checker.consistency import show_term
from titm_rules.formats.safe_json import bad
from titm_rules.ir import model as ir
from titm_rules.ir.applicability import counts_when, invariants_on
from titm_rules.ir.bounds import Bounds
from titm_rules.ir.terms import (
    ENDS,
    Arithmetic,
    Call,
    Compare,
    Const,
    Just,
    Logic,
    Member,
    Quantified,
    Result,
    Term,
    Var,
    free_names,
    rebuild,
)
from titm_rules.ir.types import FLAG, Type, amount

TIMEOUT_MS = 5_000  # for one claim
_COMPARISONS = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
NUMBERS = ("number", "enum")
RECORDS = ("record", "place")  # they are compared by identity
_PART = re.compile(r"[$?]x\d+")
_UNSHOWN = "..."  # a term that is not written
VALUES = NUMBERS + RECORDS  # what is encoded as a number that may be nothing


class Order(Flag):
    """How a value of the second rules stands to that of the first: each part holds wherever both decide it.

    A flag that never holds more is `LOWER`, and so is a list that never has more members.
    """

    NONE = 0
    LACKS = auto()  # where the first is nothing, so is the second
    KEEPS = auto()  # where the second is nothing, so is the first
    LOWER = auto()  # where both are something, the second is never more
    HIGHER = auto()  # and never less
    EQUAL = LACKS | KEEPS | LOWER | HIGHER
    LESS = LACKS | LOWER  # nothing is the least
    MORE = KEEPS | HIGHER
    LATER = LACKS | HIGHER  # as for a price, of which nothing is the highest
    SOONER = KEEPS | LOWER

    @property
    def reversed(self) -> Order:
        """How the first stands to the second."""
        turned = zip((Order.LACKS, Order.KEEPS, Order.LOWER, Order.HIGHER),
                     (Order.KEEPS, Order.LACKS, Order.HIGHER, Order.LOWER), strict=True)  # fmt: skip
        return joined(turned_to for part, turned_to in turned if part in self)


def joined(parts: Iterable[Order]) -> Order:
    found = Order.NONE
    for part in parts:
        found |= part
    return found


class SidedTerm(NamedTuple):
    """A term as one of the rule sets, the first (0) or the second (1), understands it."""

    side: int
    term: Term


class Knowledge(Protocol):
    """What is known of the facts of two rule sets."""

    def is_same(self, term: Term) -> bool:
        """Whether a term has one value in both, wherever its variables have."""

    def is_equal(self, key: str) -> bool:
        """Whether a head decides the same in both."""

    def order(self, first: SidedTerm, second: SidedTerm) -> Order:
        """How a fact stands to another of the same kind."""


def solver(name: str = "z3") -> ModuleType:
    """Import a solver. Raises `InputError` if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        what, fix = f"proofs need the package {name}", "pip install 'titm_rules[proofs]'"
        raise bad(what, name, fix, "not-installed") from None


class Quantity(NamedTuple):
    """A number or the rank of a value, and whether it is nothing, as formulas."""

    value: Any
    nothing: Any


class Atom(NamedTuple):
    """A term that is a symbol; `side` is nothing if both rule sets share it."""

    side: int | None
    term: Term
    flag: Any
    amount: Quantity | None


class Encoding:
    """The formulas of one claim about what is in a `situation` (empty: in any), with the facts that they speak of.

    A definition is a fact where both sides decide it alike; in a `deep` encoding it is always taken apart.
    """

    def __init__(self, models: Sequence[ir.Model], known: Knowledge, situation: str = "", deep: bool = False) -> None:
        self.models, self.known, self.situation, self.deep, self.z3 = models, known, situation, deep, solver()
        self.facts: dict[tuple[int | None, Term], Atom] = {}
        self.bounds: list[Any] = []
        self._assumed: set[Term] = set()  # what always holds, as far as it is assumed
        self._symbols: dict[object, Any] = {}
        self._linked = 0  # the facts whose order is assumed
        self._open: list[tuple[int, str]] = []  # definitions that are being replaced, which may ask for themselves

    # ------------------------------------------------------------------ terms
    def flag(self, side: int, term: Term) -> Any:
        """Encode a condition."""
        z3 = self.z3
        match term:
            case Const(value=value):
                return z3.BoolVal(bool(value))
            case Logic(op="not", parts=(part,)):
                return z3.Not(self.flag(side, part))
            case Logic(op=op, parts=parts):
                each = [self.flag(side, part) for part in parts]
                return self.all(each) if op == "all" else self.any(each)
            case Compare(op="==" | "!=" as op, left=Var(type=kind) as left, right=Const(value=value)) if (
                kind.kind == "reading"
            ):
                same = self._reading(side, left.name) == self._choice(left.name, value)
                return same if op == "==" else z3.Not(same)
            case Compare(op=op, left=left, right=right) if is_encoded(left, right):
                (one, no_one), (other, no_other) = self.amount(side, left), self.amount(side, right)
                if op in _COMPARISONS:
                    return z3.And(z3.Not(no_one), z3.Not(no_other), getattr(one, _COMPARISONS[op])(other))
                same = z3.Or(z3.And(no_one, no_other), z3.And(z3.Not(no_one), z3.Not(no_other), one == other))
                return same if op == "==" else z3.Not(same)
            case Compare(op="!=", left=left, right=right, type=kind):
                return z3.Not(self.flag(side, Compare("==", left, right, kind)))
            case Member(left=left, choices=choices, base=None) if left.type.kind in VALUES:
                equal = (Compare("==", left, choice, term.type) for choice in choices)
                return self.any([self.flag(side, one) for one in equal])
            case Quantified(op="some" | "every", base=Just(base=only), var=var) if self.deep and not only.type.optional:
                asked = [put(part, {var: only}) for part in (term.where, term.body) if part is not None]
                if term.op == "every" and term.where is not None:
                    asked[0] = Logic("not", (asked[0],), FLAG)
                join = self.all if term.op == "some" else self.any
                return join([self.flag(side, part) for part in asked])
            case Call(head=key, args=args) if self._replaces(side, key, ("any", "bar")):
                return self._replaced(side, key, lambda: self.decided(side, self.models[side].heads[key], args))
        return self._fact(side, term).flag

    def any(self, parts: Sequence[Any]) -> Any:
        """Join conditions; SMT-LIB knows no `or` of less than two."""
        return self.z3.Or(parts) if len(parts) > 1 else parts[0] if parts else self.z3.BoolVal(False)

    def all(self, parts: Sequence[Any]) -> Any:
        return self.z3.And(parts) if len(parts) > 1 else parts[0] if parts else self.z3.BoolVal(True)

    def amount(self, side: int, term: Term) -> Quantity:
        """Encode a number, the rank of a value, or the identity of a record."""
        z3 = self.z3
        match term:
            case Const(value=None):
                return Quantity(z3.IntVal(0), z3.BoolVal(True))
            case Const(value=int(value)):
                return Quantity(z3.IntVal(int(value)), z3.BoolVal(False))
            case Arithmetic(op=op, left=left, right=right) if _is_linear(term):
                one, other = self.counted(side, left), self.counted(side, right)
                value = one + other if op == "+" else one - other if op == "-" else one * other
                return Quantity(value, z3.BoolVal(False))
        amount = self._fact(side, term).amount
        assert amount is not None
        return amount

    def counted(self, side: int, term: Term) -> Any:
        """Encode a number in a sum, where nothing counts as 0."""
        value, nothing = self.amount(side, term)
        return self.z3.If(nothing, 0, value) if term.type.optional else value

    # ------------------------------------------------------------------ facts
    def _fact(self, side: int, term: Term) -> Atom:
        """Give the symbol of a term; it is shared if the term has one value in both rule sets."""
        where = None if self.known.is_same(term) else side
        found = self.facts.get((where, term))
        if found is None:
            z3, name = self.z3, f"{len(self.facts)} {show_term(term)}".replace("|", "/")
            amount = flag = None
            if term.type.kind in VALUES:
                no = z3.Bool(f"{name} nothing") if term.type.optional else z3.BoolVal(False)
                amount = Quantity(z3.Int(name), no)
                self._bound(term, amount.value)
            elif isinstance(term, Member) and term.base is not None and term.left.type.kind in VALUES:
                flag = self._membership(side, term.left, term.base)
            else:
                flag = z3.Bool(name)
            found = self.facts[where, term] = Atom(where, term, flag, amount)
            if (where is not None or self.deep) and amount is not None and isinstance(term, Call):
                self._define(side, term, amount)
            elif self.deep and isinstance(term, Member) and isinstance(term.base, Result) and term.base.what == ENDS:
                self._arrive(side, term.left, term.base, flag)
        return found

    def _membership(self, side: int, left: Term, base: Term) -> Any:
        """Encode that a value is in a list: equal values are in the same lists, and nothing is in none."""
        key = ("list", None if self.known.is_same(base) else side, base)
        if key not in self._symbols:
            name = f"{len(self._symbols)} in {show_term(base)}".replace("|", "/")
            self._symbols[key] = self.z3.Function(name, self.z3.IntSort(), self.z3.BoolSort())
        value, nothing = self.amount(side, left)
        return self.z3.And(self.z3.Not(nothing), self._symbols[key](value))

    def _bound(self, term: Term, value: Any) -> None:
        """Bound what is read from a situation, an enumeration, and a number of things."""
        low, high = None, None
        if term.type.kind == "enum":
            low, high = 0, max(len(model.enums[term.type.name].values) for model in self.models) - 1
        elif isinstance(term, Quantified) and term.op == "count":
            low = 0
        elif type(term).__name__ in ("Root", "Field"):
            low, high = term.type.low, term.type.high
        self.bounds += [value >= low] if low is not None else []
        self.bounds += [value <= high] if high is not None else []

    def _define(self, side: int, call: Call, amount: Quantity) -> None:
        """Bind the number of a definition to what its clauses say, where one value of theirs applies."""
        if self.deep and isinstance(roll := self.models[side].forms.get(call.head), ir.Roll):
            self._roll(side, roll, call, amount)
        if not self._replaces(side, call.head, ("value", "sum")):
            return
        head = self.models[side].heads[call.head]

        def bind() -> None:
            if head.mode == "sum":
                total = self.total(side, head, call.args)
                if head.is_price and not Bounds(self.models[side].heads).is_natural(head):
                    total = self.z3.If(total < 0, 0, total)
                self.bounds.append(amount.value == total)
                return
            given = [(applies, one.value) for applies, one in self.applies(side, head, call.args)]
            for applies, value in given:
                if value is not None and value.type.kind in VALUES:
                    others = [other for other, unlike in given if unlike != value]
                    number, nothing = self.amount(side, value)
                    equal = self.all([amount.nothing == nothing, self.z3.Or(nothing, amount.value == number)])
                    alone = self.all([applies, self.z3.Not(self.any(others))])
                    self.bounds.append(self.z3.Implies(alone, equal))

        self._replaced(side, call.head, bind)

    def _roll(self, side: int, roll: ir.Roll, call: Call, amount: Quantity) -> None:
        """Bind the last face that succeeds to the factor and the modifiers, within the faces of the die."""
        heads, (low, high) = self.models[side].heads, roll.bounds
        barred, factor, adds = (heads[ir.head_key(roll.name, word)] for word in ("try", "factor", "adds"))
        values = (Call(head.key, call.args, head.type) for head in (factor, adds))
        last = self.counted(side, next(values)) - self.counted(side, next(values))
        face = self.z3.If(last < low, low, self.z3.If(last > high, high, last))
        self.bounds.append(amount.nothing == self.flag(side, Call(barred.key, call.args, barred.type)))
        self.bounds.append(self.z3.Or(amount.nothing, amount.value == face))

    def _arrive(self, side: int, place: Term, ends: Result, flag: object) -> None:
        """Bind that a route ends at a place to the bars that its last step, and its end, must not meet.

        The crossing, the place left and the counts of that step are any.
        """
        model = self.models[side]
        route = model.forms[ends.form]
        assert isinstance(route, ir.Route)
        known = {**dict(ends.roles), route.entered: place, route.stranded: Const(False, FLAG)}
        for word in ("start", "step", "end"):
            head = model.heads[ir.head_key(route.name, word)]
            args = tuple(known.get(name, Var(f"{name} at the last {word} {len(self.facts)}", kind))
                         for name, kind in head.params)  # fmt: skip
            self.bounds.append(self.z3.Implies(flag, self.z3.Not(self.flag(side, Call(head.key, args, head.type)))))

    def _replaces(self, side: int, key: str, modes: Sequence[str]) -> bool:
        head = self.models[side].heads.get(key)
        if head is None or head.mode not in modes or (side, key) in self._open:
            return False
        return self.deep or (len(self.models) > 1 and not self.known.is_equal(key))

    def _replaced(self, side: int, key: str, encode: Callable[[], Any]) -> Any:
        self._open.append((side, key))
        try:
            return encode()
        finally:
            self._open.pop()

    def _reading(self, side: int, name: str) -> Any:
        """Give the choice of a reading, which both share if they leave it open alike."""
        reading = self.models[side].readings[name]
        key = ("reading", name, reading.offered, reading.default)
        if key not in self._symbols:
            self._symbols[key] = self.z3.Int(f"{len(self._symbols)} reading {name} ")
            offered = [self._symbols[key] == self._choice(name, choice) for choice in reading.offered]
            self.bounds.append(self.any(offered))
        return self._symbols[key]

    def _choice(self, name: str, choice: object) -> Any:
        return self._symbols.setdefault(("choice", name, choice), self.z3.IntVal(len(self._symbols)))

    # ------------------------------------------------------------------ heads
    def applies(self, side: int, head: ir.Head, args: Sequence[Term] = ()) -> list[tuple[Any, ir.Statement]]:
        """List when each statement of a head counts, with its value; `args` take the place of its parameters."""
        given = dict(zip((name for name, _ in head.params), args, strict=False))
        return [
            (self.flag(side, put(counts_when(head, one), given)),
             one if one.value is None else replace(one, value=put(one.value, given)))
            for one in head.statements
        ]  # fmt: skip

    def decided(self, side: int, head: ir.Head, args: Sequence[Term] = ()) -> Any:
        """Encode that some statement applies."""
        return self.any([applies for applies, _ in self.applies(side, head, args)])

    def total(self, side: int, head: ir.Head, args: Sequence[Term] = (), label: str | None = None) -> Any:
        """Encode the sum of a head, or of its statements with a label."""
        parts = [
            self.z3.If(applies, self.counted(side, one.value), 0)
            for applies, one in self.applies(side, head, args)
            if one.value is not None and label in (None, one.label)
        ]
        return self.z3.Sum(parts) if len(parts) > 1 else parts[0] if parts else self.z3.IntVal(0)

    # ------------------------------------------------------------------ claims
    def against(self, first: Quantity | Any, second: Quantity | Any) -> dict[Order, Any]:
        """Give, for each part of an order, the formula that refutes it."""
        z3 = self.z3
        if not isinstance(first, Quantity):
            return {Order.LOWER: z3.And(second, z3.Not(first)), Order.HIGHER: z3.And(first, z3.Not(second))}
        both = z3.Not(z3.Or(first.nothing, second.nothing))
        return {
            Order.LACKS: first.nothing if z3.is_false(first.nothing) else z3.And(first.nothing, z3.Not(second.nothing)),
            Order.KEEPS: (
                second.nothing if z3.is_false(second.nothing) else z3.And(second.nothing, z3.Not(first.nothing))
            ),
            Order.LOWER: z3.And(both, second.value > first.value),
            Order.HIGHER: z3.And(both, second.value < first.value),
        }

    def link(self) -> None:
        """Assume of the facts what is known of their order."""
        facts = list(self.facts.values())
        for (_, one), (number, other) in itertools.combinations(enumerate(facts), 2):
            are_shared = one.side is None and other.side is None and len(self.models) > 1
            if are_shared or number < self._linked:
                continue
            one, other = (other, one) if one.side == 1 or other.side == 0 else (one, other)
            if not _alike(one.term, other.term):
                continue
            first, second = SidedTerm(one.side or 0, one.term), SidedTerm(1 if other.side is None else other.side,
                                                                          other.term)  # fmt: skip
            order = self.known.order(first, second)
            left, right = (one.amount, other.amount) if one.amount is not None else (one.flag, other.flag)
            wrong = self.against(left, right)
            self.bounds += [self.z3.Not(formula) for part, formula in wrong.items() if part in order]
        self._linked = len(facts)

    def _assume(self) -> None:
        """Assume what always holds of the records that the facts name."""
        terms = [one.term for one in self.facts.values()]
        for side, model in enumerate(self.models):
            for condition in invariants_on(terms, self.situation, model.always, model.records):
                if condition not in self._assumed:
                    self._assumed.add(condition)
                    self.bounds.append(self.flag(side, condition))

    def is_never(self, opposite: object) -> bool:
        """Whether something plainly never holds."""
        return bool(self.z3.is_false(opposite))

    def never(self, opposite: object) -> tuple[str, list[str]]:
        """Prove that something never holds: its text in SMT-LIB; or else give values of facts with which it may."""
        self._assume()
        found = self.z3.Solver()
        found.set("timeout", TIMEOUT_MS)
        found.add(*self.bounds, opposite)
        came = found.check()
        if came == self.z3.unsat:
            return _renumbered(found.to_smt2()), []
        if came != self.z3.sat:
            return "", ["the solver found no answer in time"]
        return "", self._told(found.model().eval)

    def _told(self, value_of: Callable[[object], Any]) -> list[str]:
        """Write which values a model of the solver gives to readings and facts; facts of one text come once."""
        told: dict[str, dict[str, str]] = {}  # by text and value: its edition, if it is not that of both
        for atom in self.facts.values():
            text, value = " ".join(show_term(self._named(atom.term)).split()), self._value(atom, value_of)
            if value and text != _UNSHOWN:
                is_shared, given = atom.side is None or len(self.models) == 1, told.setdefault(text, {})
                side = "" if is_shared else f" in {self.models[atom.side or 0].edition}"
                given[value] = side if given.get(value, side) == side else ""
        for key, symbol in self._symbols.items():
            if isinstance(key, tuple) and key[0] == "reading":
                _, name, offered, _ = key
                chosen = [one for one in offered if self.z3.is_true(value_of(symbol == self._choice(name, one)))]
                told.setdefault(f"reading {name}", {}).update(dict.fromkeys(chosen, ""))
        return sorted(
            f"{text}: {next(iter(found)) if len(found) == 1 else ' or '.join(map(''.join, found.items()))}"
            for text, found in told.items() if found
        )  # fmt: skip

    def _named(self, term: Term) -> Term:
        """Put names in the place of the ranks of values."""
        match term:
            case Const(value=int(value), type=Type(kind="enum") as kind):
                return Var(self._value_name(kind, value), kind)
        return rebuild(term, self._named)

    def _value_name(self, kind: Type, rank: int) -> str:
        return max((model.enums[kind.name].values for model in self.models), key=len)[rank]

    def _value(self, atom: Atom, value_of: Callable[[object], Any]) -> str:
        """Write the value of a fact by the names of its type; empty if the model leaves it open."""
        z3, kind = self.z3, atom.term.type
        if atom.amount is None:
            held = value_of(atom.flag)
            return "yes" if z3.is_true(held) else "no" if z3.is_false(held) else ""
        value = value_of(atom.amount.value)
        if z3.is_true(value_of(atom.amount.nothing)):
            return "nothing"
        if not z3.is_int_value(value):
            return ""
        if kind.kind == "enum":
            return self._value_name(kind, value.as_long())
        number = str(amount(kind.measure, value.as_long()))
        return f"{kind.name or kind.kind} {number}" if kind.kind in RECORDS else number


def _renumbered(text: str) -> str:
    """Number the names that z3 gives to parts by their order: its own numbers tell what else it has worked out."""
    names: dict[str, str] = {}
    return _PART.sub(lambda one: names.setdefault(one[0], f"{one[0][:2]}{len(names)}"), text)


def _is_linear(term: Arithmetic) -> bool:
    return term.op in "+-" or (term.op == "*" and Const in (type(term.left), type(term.right)))


def _alike(one: Term, other: Term) -> bool:
    """Whether two facts are of one kind, so that something may be known of their order."""
    if type(one) is not type(other) or one.type.kind != other.type.kind:
        return False
    match one, other:
        case (Quantified(op=op), Quantified(op=same)) | (Compare(op=op), Compare(op=same)):
            return op == same
        case Call(head=head), Call(head=same):
            return head == same
        case Result(form=form, what=what), Result(form=same, what=asked):
            return (form, what) == (same, asked)
    return not isinstance(one, Var)


def is_encoded(left: Term, right: Term) -> bool:
    """Whether both sides of a comparison are encoded as numbers that may be nothing."""
    if right == Const(None, right.type):
        return left.type.kind in VALUES
    return {left.type.kind, right.type.kind} <= set(NUMBERS) or {left.type.kind, right.type.kind} <= set(RECORDS)


def put(term: Term, given: Mapping[str, Term]) -> Term:
    """Put terms in the place of variables; a bound variable that one of them names gets another name."""
    if not given:
        return term
    if isinstance(term, Var):
        return given.get(term.name, term)
    if isinstance(term, Quantified):
        inner = {name: one for name, one in given.items() if name != term.var}
        named = frozenset().union(*(free_names(one) for one in inner.values()))
        var = term.var
        while var in named:
            var += "'"
        parts = (None if one is None else renamed(one, term.var, var) for one in (term.where, term.body))
        where, body = (None if one is None else put(one, inner) for one in parts)
        return Quantified(term.op, var, put(term.base, given), where, body, term.type)
    return rebuild(term, lambda part: put(part, given))


def renamed(term: Term, old: str, new: str) -> Term:
    """Give a variable another name, which nothing in the term has."""
    if old == new:
        return term
    if isinstance(term, Quantified) and term.var == old:
        return replace(term, base=renamed(term.base, old, new))
    if isinstance(term, Var):
        return replace(term, name=new) if term.name == old else term
    return rebuild(term, lambda part: renamed(part, old, new))
