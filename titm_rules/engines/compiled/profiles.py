"""Movers that are alike in a few fields are alike in all that clauses ask of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

from titm_rules.rules.counting import counts_when
from titm_rules.rules.model import Head, Model
from titm_rules.rules.terms import Call, Field, Quantified, Term, Var, children

Profile = Callable[[Any], Any]  # gives the fields of a mover that tell it apart from others
_PLAIN = ("flag", "number", "text", "enum", "place")
_FOLLOWED = ("any", "bar", "sum", "value")  # modes of heads whose answers follow from their sentences alone


class Escapes(Exception):
    """A term looks at a mover otherwise than at its plain fields."""


def profile_of(model: Model, terms: Iterable[tuple[Term, str]]) -> Profile | None:
    """Give a function of the fields of a mover that decide some terms, in one situation.

    Args:
        model: the rules.
        terms: each with the name of the mover in it.

    Returns:
        Nothing, if the terms tell movers apart that have the same plain fields.
    """
    try:
        names = sorted({name for term, mover in terms for name in _fields(model, term, mover, ())})
    except Escapes:
        return None
    return attrgetter(*names) if names else lambda _: ()


def of_head(head: Head, index: int) -> Iterator[tuple[Term, str]]:
    """Yield the terms of a head, with the name of one of its parameters."""
    if head.mode not in _FOLLOWED:
        raise Escapes
    name = head.params[index][0]
    for one in head.statements:
        yield counts_when(head, one), name
        if one.value is not None:
            yield one.value, name


def _fields(model: Model, term: Term, mover: str, inside: tuple[str, ...]) -> Iterator[str]:
    """Yield the fields of the mover that a term looks at; `inside`: the heads that lead to it."""
    match term:
        case Field(base=Var(name=name), field=field) if name == mover:
            if term.type.kind not in _PLAIN:
                raise Escapes
            yield field
        case Var(name=name) | Quantified(var=name) if name == mover:
            raise Escapes
        case Call(head=key, args=args):
            for index, arg in enumerate(args):
                if not (isinstance(arg, Var) and arg.name == mover):
                    yield from _fields(model, arg, mover, inside)
                elif key in inside:
                    raise Escapes
                else:
                    for part, name in of_head(model.heads[key], index):
                        yield from _fields(model, part, name, (*inside, key))
        case _:
            for part in children(term):
                yield from _fields(model, part, mover, inside)
