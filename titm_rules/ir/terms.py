"""Terms: checked expressions, with every name resolved and every type known.

All engines start from these terms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import replace

from titm_rules.diagnostics import Frozen
from titm_rules.ir.types import Type

# The results of forms, and the roles that any route may be given: its start and its end.
ENDS, COST, BEST, CHOICES, SOME = "ends", "cost", "best", "choices", "some"
START, END = "start", "end"
# The results of one step of a route: whether it is legal, and whether the mover must stop; its cost is `COST`.
STEP, STOP = "step", "stop"


class Const(Frozen):
    """A number, a text, a truth value, `None`, or the rank of an enum value."""

    value: int | str | bool | tuple[()] | None
    type: Type


class Var(Frozen):
    """A role, a parameter or a bound variable."""

    name: str
    type: Type


class Root(Frozen):
    """A field of the situation."""

    field: str
    type: Type


class Field(Frozen):
    """A field of a record; of a list, the field of its first member, or nothing."""

    base: Term
    field: str
    type: Type


class Call(Frozen):
    """A definition, or a form asked for its result (a route's cost, a roll's highest die)."""

    head: str
    args: tuple[Term, ...]
    type: Type


class Standing(Frozen):
    """The pieces of a list that stand at a place."""

    base: Term
    place: Term
    type: Type


class Touching(Frozen):
    """The connections that have a place as an end."""

    base: Term
    place: Term
    type: Type


class Besides(Frozen):
    """A list without the members of another."""

    base: Term
    other: Term
    type: Type


class Just(Frozen):
    """A list of one member."""

    base: Term
    type: Type


class Quantified(Frozen):
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


class Compare(Frozen):
    """`op` is ==, !=, <, <=, > or >=; records compare by identity, nothing equals nothing."""

    op: str
    left: Term
    right: Term
    type: Type


class Member(Frozen):
    """Whether a record is in a list, or a value among some values."""

    left: Term
    choices: tuple[Term, ...]
    base: Term | None
    type: Type


class Logic(Frozen):
    """`op` is all, any or not."""

    op: str
    parts: tuple[Term, ...]
    type: Type


class Arithmetic(Frozen):
    """`op` is +, -, * or // (rounded down; by zero gives zero)."""

    op: str
    left: Term
    right: Term
    type: Type


CHOSEN = "chosen"  # the function that consults a reading during evaluation


class Apply(Frozen):
    """A function of plain values; `op` names it.

    next, previous: the adjacent value of an enumeration, or nothing (the second argument is the number of values);
    least, most: of numbers, skipping nothing; up: a quotient rounded up (by zero it is zero); numbers: from a number
    to another; parts: a plain number in parts of a measure, or nothing; member: of a list, by an index from 1, or
    nothing; part: of a list, from an index to another; look-up: the value of a map for a record, or nothing; listed: a
    list, or the empty list for nothing; read: the record of the type that the first argument names, parsed from a
    text, or nothing; chosen: the reading that holds for an ambiguity.
    """

    op: str
    args: tuple[Term, ...]
    type: Type


class Result(Frozen):
    """A result of a form for some roles, by name.

    `what`: ends (the places where a route may end, except the start), cost (the lowest, to `end`), a counter of the
    route (the lowest count on a path to `end`), best (the rank of the best paths or choices, or nothing), choices
    (their number) or some (whether there are any). A route may also be given its `start`; some may also be given a pick
    that the choices must contain: the chooser and its target, or the target (of a selection: a member) alone.
    """

    what: str
    form: str
    names: tuple[str, ...]
    args: tuple[Term, ...]
    type: Type

    @property
    def roles(self) -> tuple[tuple[str, Term], ...]:
        """The given roles, each with its term."""
        return tuple(zip(self.names, self.args, strict=True))


class Picks(Frozen):
    """The number of picks of a target so far in an allocation."""

    target: Term
    type: Type


class Values(Frozen):
    """All values of an enumeration, in order."""

    count: int
    type: Type


class End(Frozen):
    """The first or second member of a pair."""

    base: Term
    index: int
    type: Type


class IsA(Frozen):
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
# The text of a refusal: texts, and terms whose values fill the slots between them.
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
    """Return the parts that a term joins by `op`, any or all; a term of another kind is its only part."""
    return term.parts if isinstance(term, Logic) and term.op == op else (term,)


def rebuild(term: Term, change: Callable[[Term], Term]) -> Term:
    """Replace the children of a term; if none changes, return the same term."""
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
    changed = tuple(map(change, terms))
    return terms if all(map(operator.is_, changed, terms)) else changed


def _with(term: Term, **parts: Term | tuple[Term, ...] | None) -> Term:
    if all(getattr(term, name) is part for name, part in parts.items()):
        return term
    return replace(term, **parts)  # type: ignore[arg-type]  # mypy does not know which term it is


def free_names(term: Term) -> frozenset[str]:
    """Return the names of the free variables of a term."""
    if isinstance(term, Var):
        return frozenset((term.name,))
    names = frozenset().union(*(free_names(part) for part in children(term)))
    return names - {term.var} if isinstance(term, Quantified) else names
