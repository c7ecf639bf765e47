"""Bound numbers of the rules from below and above, by interval arithmetic (Moore, 1966).

The checker, the compiled engine and the proofs all have to know whether a price may be below 0; a module of its own, as
they share nothing else that could hold it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import NamedTuple

from titm_rules.ir.model import Head
from titm_rules.ir.terms import Apply, Arithmetic, Call, Const, Field, Quantified, Result, Root, Term


class Interval(NamedTuple):
    """Between what a number is; nothing counts as 0."""

    low: float
    high: float


ANY, NATURAL = Interval(-inf, inf), Interval(0, inf)


class Bounds:
    """The bounds of terms under some rules; definitions are followed."""

    def __init__(self, heads: Mapping[str, Head]) -> None:
        self._heads = heads
        self._known: dict[str, Interval] = {}

    def of(self, term: Term) -> Interval:
        """Bound a number; fields stay within their declared range."""
        found = self._bound(term)
        return _hull([found, Interval(0, 0)]) if term.type.optional else found

    def is_natural(self, head: Head) -> bool:
        """Whether no amount of a sum may be below 0."""
        return all(self.of(one.value).low >= 0 for one in head.statements if one.value is not None)

    def _bound(self, term: Term) -> Interval:
        match term:
            case Const(value=value):
                number = value if isinstance(value, int) else 0
                return Interval(number, number)
            case Root() | Field():
                low, high = term.type.low, term.type.high
                return Interval(-inf if low is None else low, inf if high is None else high)
            case Arithmetic(op=op, left=left, right=right) if op != "//":
                return _joined(op, self.of(left), self.of(right))
            case Apply(op="least" | "most" as op, args=args):
                return self._extreme(op, args)
            case Apply(op="distance") | Quantified(op="count") | Result(what="cost" | "choices"):
                return NATURAL
            case Quantified(op="total", body=body) if body is not None:
                return Interval(0 if self.of(body).low >= 0 else -inf, 0 if self.of(body).high <= 0 else inf)
            case Quantified(op="highest" | "lowest", body=body) if body is not None:
                return self.of(body)
            case Call(head=key) if key in self._heads:
                return self._of_head(self._heads[key])
        return ANY

    def _extreme(self, op: str, args: Iterable[Term]) -> Interval:
        """Bound the least or the most of numbers, of which those that are nothing are skipped."""
        every = [self._bound(arg) for arg in args]
        present = [self._bound(arg) for arg in args if not arg.type.optional]
        if not every:
            return ANY
        low, high = min(each.low for each in every), max(each.high for each in every)
        if op == "most":
            return Interval(max((each.low for each in present), default=low), high)
        return Interval(low, min((each.high for each in present), default=high))

    def _of_head(self, head: Head) -> Interval:
        if head.key not in self._known:
            values = [self.of(one.value) for one in head.statements if one.value is not None]
            match head.mode:
                case "sum":
                    low = sum(min(0, each.low) for each in values)
                    found = Interval(0 if head.is_price else low, sum(max(0, each.high) for each in values))
                case "value" if values:
                    found = _hull(values)
                case "route":
                    found = NATURAL
                case _:
                    found = ANY
            self._known[head.key] = found
        return self._known[head.key]


def _joined(op: str, left: Interval, right: Interval) -> Interval:
    match op:
        case "+":
            return Interval(left.low + right.low, left.high + right.high)
        case "-":
            return Interval(left.low - right.high, left.high - right.low)
    if ANY in (left, right) or inf in (-left.low, left.high, -right.low, right.high):
        return NATURAL if left.low >= 0 and right.low >= 0 else ANY
    ends = [one * other for one in left for other in right]
    return Interval(min(ends), max(ends))


def _hull(intervals: Iterable[Interval]) -> Interval:
    lows, highs = zip(*intervals, strict=True)
    return Interval(min(lows), max(highs))
