"""Checked expressions: every name resolved, every term with its type.

The compiler and the reference interpreter both start from these terms and share nothing else.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from titm_rules.ir.types import Type

# What forms come to, and what a route may be given besides its own roles to be asked.
ENDS, COST, BEST, CHOICES, SOME = "ends", "cost", "best", "choices", "some"
START, END = "start", "end"
# What one step of a route comes to: whether it may be taken, whether the mover must stop; its cost is `COST`.
STEP, STOP = "step", "stop"


@dataclass(frozen=True, slots=True)
class Const:
    """A number, a text, a truth value, `None`, or the rank of an enum value."""

    value: int | str | bool | tuple[()] | None
    type: Type


@dataclass(frozen=True, slots=True)
class Var:
    """A role, a parameter or a bound variable."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Root:
    """A field of the situation."""

    field: str
    type: Type


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record; of a list it is the field of its first member, or nothing."""

    base: Term
    field: str
    type: Type


@dataclass(frozen=True, slots=True)
class Call:
    """A definition, or a form asked for its result (a route's cost, a roll's highest die)."""

    head: str
    args: tuple[Term, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Standing:
    """The pieces of a list that stand at a place."""

    base: Term
    place: Term
    type: Type


@dataclass(frozen=True, slots=True)
class Touching:
    """The connections that have a place as an end."""

    base: Term
    place: Term
    type: Type


@dataclass(frozen=True, slots=True)
class Besides:
    """A list without the members of another."""

    base: Term
    other: Term
    type: Type


@dataclass(frozen=True, slots=True)
class Just:
    """A list of one member."""

    base: Term
    type: Type


@dataclass(frozen=True, slots=True)
class Quantified:
    """`op` over the members of a list that satisfy `where`.

    some, every: truth of `body`; count: how many; total, highest, lowest: of the number `body`
    (highest and lowest of no member are nothing).
    """

    op: str
    var: str
    base: Term
    where: Term | None
    body: Term | None
    type: Type


@dataclass(frozen=True, slots=True)
class Compare:
    """`op` is ==, !=, <, <=, > or >=; records compare by identity, nothing equals nothing."""

    op: str
    left: Term
    right: Term
    type: Type


@dataclass(frozen=True, slots=True)
class Member:
    """Whether a record is in a list, or a value among some values."""

    left: Term
    choices: tuple[Term, ...]
    base: Term | None
    type: Type


@dataclass(frozen=True, slots=True)
class Logic:
    """`op` is all, any or not."""

    op: str
    parts: tuple[Term, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`op` is +, -, * or // (rounded down; by zero gives zero)."""

    op: str
    left: Term
    right: Term
    type: Type


CHOSEN = "chosen"  # what asks for a reading while an answer is worked out


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of plain values; `op` names it.

    next, previous: the value of an enumeration beside one, or nothing (the second argument is how many there are);
    least, most: of numbers, nothing left out; up: a quotient rounded up (by zero it is zero); numbers: from a number
    to another; parts: a plain number as so many parts of a measure, or nothing; member: of a list at a place counted
    from 1, or nothing; part: of a list from a place to another;
    look-up: what a map says of a record, or nothing; listed: a list, or the empty list for nothing; read: the record
    of the name of the first argument that a text stands for, or nothing; chosen: how the reading of a name is chosen.
    """

    op: str
    args: tuple[Term, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Result:
    """What a form comes to for some roles, by name.

    `what`: ends (the places where a route may end, the start left out), cost (the cheapest, to `end`), a counter of
    the route (the least that it counts on a way to `end`), best (what the best ways or choices have least of, or
    nothing), choices (how many there are) or some (whether there are any). A route may be given the place where it
    starts, `start`, besides its own roles; where it is asked whether there are some choices, a pick that they hold may
    be given: the chooser and its target, or the target (of a selection: a member) alone.
    """

    what: str
    form: str
    names: tuple[str, ...]
    args: tuple[Term, ...]
    type: Type

    @property
    def roles(self) -> tuple[tuple[str, Term], ...]:
        """The roles that are given, each with its term."""
        return tuple(zip(self.names, self.args, strict=True))


@dataclass(frozen=True, slots=True)
class Picks:
    """How often a target has been picked so far in an allocation."""

    target: Term
    type: Type


@dataclass(frozen=True, slots=True)
class Values:
    """All values of an enumeration, in order."""

    count: int
    type: Type


@dataclass(frozen=True, slots=True)
class End:
    """The first or second member of a pair."""

    base: Term
    index: int
    type: Type


@dataclass(frozen=True, slots=True)
class IsA:
    """Whether a place is of one kind of place."""

    base: Term
    record: str
    type: Type


Term = (
    Const
    | Var
    | Root
    | Field
    | Call
    | Standing
    | Touching
    | Besides
    | Just
    | Quantified
    | Compare
    | Member
    | Logic
    | Arithmetic
    | Apply
    | Result
    | Picks
    | IsA
    | Values
    | End
)
# What a refusal says: texts, and terms whose values come between them.
Template = tuple[str | Term, ...]


def children(term: Term) -> tuple[Term, ...]:
    """List the parts of a term, left to right."""
    match term:
        case Field(base=base) | Just(base=base) | IsA(base=base) | End(base=base):
            return (base,)
        case Call(args=args) | Apply(args=args) | Result(args=args):
            return args
        case Standing(base=base, place=place) | Touching(base=base, place=place):
            return (base, place)
        case Besides(base=base, other=other):
            return (base, other)
        case Quantified(base=base, where=where, body=body):
            return tuple(part for part in (base, where, body) if part is not None)
        case Compare(left=left, right=right) | Arithmetic(left=left, right=right):
            return (left, right)
        case Member(left=left, choices=choices, base=base):
            return (left, *choices) if base is None else (left, *choices, base)
        case Logic(parts=parts):
            return parts
        case Picks(target=target):
            return (target,)
    return ()


def subterms(term: Term) -> Iterator[Term]:
    """Yield a term and all its parts, each before its own parts."""
    yield term
    for part in children(term):
        yield from subterms(part)


def parts_of(term: Term, op: str) -> tuple[Term, ...]:
    """List what a term joins by `op`, any or all; a term of another kind stands alone."""
    return term.parts if isinstance(term, Logic) and term.op == op else (term,)


def rebuild(term: Term, change: Callable[[Term], Term]) -> Term:
    """Change the children of a term; one of which none becomes another stays the term it is."""
    match term:
        case Field(base=base) | Just(base=base) | IsA(base=base) | End(base=base):
            return _with(term, base=change(base))
        case Call(args=args) | Apply(args=args) | Result(args=args):
            return _with(term, args=_each(args, change))
        case Standing(base=base, place=place) | Touching(base=base, place=place):
            return _with(term, base=change(base), place=change(place))
        case Besides(base=base, other=other):
            return _with(term, base=change(base), other=change(other))
        case Quantified(base=base, where=where, body=body):
            return _with(term, base=change(base), where=where and change(where), body=body and change(body))
        case Compare(left=left, right=right) | Arithmetic(left=left, right=right):
            return _with(term, left=change(left), right=change(right))
        case Member(left=left, choices=choices, base=base):
            return _with(term, left=change(left), choices=_each(choices, change), base=base and change(base))
        case Logic(parts=parts):
            return _with(term, parts=_each(parts, change))
        case Picks(target=target):
            return _with(term, target=change(target))
    return term


def _each(terms: tuple[Term, ...], change: Callable[[Term], Term]) -> tuple[Term, ...]:
    """Change every term; the same tuple if none becomes another."""
    changed = tuple(map(change, terms))
    return terms if all(map(operator.is_, changed, terms)) else changed


def _with(term: Term, **parts: Term | tuple[Term, ...] | None) -> Term:
    """Exchange parts of a term, if any of them is another."""
    if all(getattr(term, name) is part for name, part in parts.items()):
        return term
    return replace(term, **parts)  # type: ignore[arg-type]  # mypy does not know which term it is


def free_names(term: Term) -> frozenset[str]:
    """Collect the names of the variables that a term leaves open."""
    if isinstance(term, Var):
        return frozenset((term.name,))
    names = frozenset().union(*(free_names(part) for part in children(term)))
    return names - {term.var} if isinstance(term, Quantified) else names
