"""Terms: checked expressions, with every name resolved and every type known.

All engines start from these terms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar, get_args

from titm_rules.diagnostics import Frozen, Span
from titm_rules.ir.types import Type

NodeT = TypeVar("NodeT")

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
    list, or the empty list for nothing; neighbours: the places that connections of a list join to a place; distance:
    the fewest connections of a list from a place to another, or nothing; read: the record of the type that the first
    argument names, parsed from a text, or nothing; chosen: the reading that holds for an ambiguity.
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
    Const | Var | Root | Field | Call | Standing | Touching | Besides | Just | Quantified | Compare | Member | Logic
    | Arithmetic | Apply | Result | Picks | IsA | Values | End
)  # fmt: skip
# The text of a refusal: texts, and terms whose values fill the slots between them.
Template = tuple[str | Term, ...]


_TERMS = frozenset(get_args(Term))
_PLAIN = ("str", "int", "bool", "Type", "Span", "tuple[str, ...]", "Template")  # types of fields without terms


@cache
def _term_fields(kind: type, texts: bool = False) -> tuple[str, ...]:
    """Name the fields of a class that may contain terms; a plain value, a constant, a type and a span have none."""
    if not issubclass(kind, Frozen) or kind in (Const, Type, Span):
        return ()
    known = fields(kind)  # type: ignore[arg-type]  # every such class is a dataclass
    return tuple(each.name for each in known if each.type not in _PLAIN or (texts and each.type == "Template"))


def terms_in(node: object, texts: bool = False) -> Iterator[Term]:
    """Yield the terms that a part of the rules contains, in the order of its fields.

    Args:
        node: a part of the rules, or some of them in a tuple; a term contains itself.
        texts: whether the slots of the texts of refusals count.
    """
    if type(node) in _TERMS:
        yield node  # type: ignore[misc]  # mypy does not know the set
    elif isinstance(node, tuple):
        for part in node:
            yield from terms_in(part, texts)
    else:
        for name in _term_fields(type(node), texts):  # type: ignore[arg-type]  # a class has a hash
            yield from terms_in(getattr(node, name), texts)


def children(term: Term) -> tuple[Term, ...]:
    """List the parts of a term, left to right."""
    found: list[Term] = []
    for name in _term_fields(type(term)):  # type: ignore[arg-type]  # a class has a hash
        part = getattr(term, name)
        if isinstance(part, tuple):
            found += part
        elif part is not None:
            found.append(part)
    return tuple(found)


def subterms(term: Term) -> Iterator[Term]:
    """Yield a term and all its parts, each before its own parts."""
    yield term
    for part in children(term):
        yield from subterms(part)


def parts_of(term: Term, op: str) -> tuple[Term, ...]:
    """Return the parts that a term joins by `op`, any or all; a term of another kind is its only part."""
    return term.parts if isinstance(term, Logic) and term.op == op else (term,)


def rebuild(node: NodeT, change: Callable[[Term], Term]) -> NodeT:
    """Replace the children of a term, or the terms in another part of the rules; if none changes, return the same."""
    changed = {}
    for name in _term_fields(type(node), texts=True):  # type: ignore[arg-type]  # a class has a hash
        part = getattr(node, name)
        new = map_terms(part, change)
        if new is not part:
            changed[name] = new
    return replace(node, **changed) if changed else node  # type: ignore[type-var]  # what has parts is a dataclass


def map_terms(part: Any, change: Callable[[Term], Term]) -> Any:
    """Replace the terms in a part of the rules, or in some of them in a tuple; a term is replaced itself."""
    if type(part) in _TERMS:
        return change(part)
    if isinstance(part, tuple):
        new = tuple(map_terms(each, change) for each in part)
        return part if all(map(operator.is_, new, part)) else new
    return rebuild(part, change)


def free_names(term: Term) -> frozenset[str]:
    if isinstance(term, Var):
        return frozenset((term.name,))
    names = frozenset().union(*(free_names(part) for part in children(term)))
    return names - {term.var} if isinstance(term, Quantified) else names


def substitute(term: Term, given: Mapping[str, Term]) -> Term:
    """Put terms in the place of variables, which nothing in the term binds."""
    if isinstance(term, Var):
        return given.get(term.name, term)
    return rebuild(term, lambda part: substitute(part, given))
