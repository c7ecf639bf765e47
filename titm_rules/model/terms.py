"""Checked expressions: every name resolved, every term with its type.

The compiler and the naive interpreter both start from these terms and share nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from titm_rules.model.types import Type


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
    | Picks
    | IsA
    | Values
    | End
)


def children(term: Term) -> tuple[Term, ...]:
    """List the parts of a term, left to right."""
    match term:
        case Field(base=base) | Just(base=base) | IsA(base=base) | End(base=base):
            return (base,)
        case Call(args=args):
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


def free_names(term: Term) -> frozenset[str]:
    """Collect the names of the variables that a term leaves open."""
    if isinstance(term, Var):
        return frozenset((term.name,))
    names = frozenset().union(*(free_names(part) for part in children(term)))
    return names - {term.var} if isinstance(term, Quantified) else names
