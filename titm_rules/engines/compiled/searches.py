"""Searches through a list: what does not speak of its members is asked once, before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from titm_rules.engines.compiled.fold import Folder
from titm_rules.rules.counting import every_of, negation
from titm_rules.rules.model import head_key
from titm_rules.rules.terms import (
    Arithmetic,
    Call,
    Compare,
    Const,
    Logic,
    Quantified,
    Result,
    Term,
    free_names,
    rebuild,
    subterms,
)


def asked_before(folder: Folder, term: Term) -> Term:
    """Take conditions that do not speak of a member out of searches for one.

    Only comparisons of what is at hand are taken out: they cost little, and are defined where a list is empty too.
    """
    term = rebuild(term, partial(asked_before, folder))
    if not (isinstance(term, Quantified) and term.op == "some" and term.var):
        return term
    parts = [part for one in (term.where, term.body) if one is not None for part in _parts(folder, one)]
    before = [part for part in parts if term.var not in free_names(part) and is_at_hand(part)]
    if not before:
        return term
    rest = every_of([part for part in parts if part not in before])
    return every_of([*before, replace(term, where=None, body=rest)])


def _parts(folder: Folder, term: Term) -> Iterator[Term]:
    """Yield the conditions that hold together where a term holds; that a roll is possible is what its clauses say."""
    match term:
        case Logic(op="all", parts=parts):
            for part in parts:
                yield from _parts(folder, part)
        case Logic(op="not", parts=(Logic(op="any", parts=parts),)):
            for part in parts:
                yield negation(part)
        case Compare(op="!=", left=Call(head=name, args=args), right=Const(value=None)) if (
            folder.model.heads[name].mode == "roll"
        ):
            head = folder.model.heads[head_key(name, "try")]
            given = {one: arg for (one, _), arg in zip(head.params, args, strict=True)}
            yield from _parts(folder, negation(folder.fold(folder.substitute(folder.decision(head), given))))
        case _:
            yield term


def is_at_hand(term: Term) -> bool:
    """Whether a term looks at what is there, with no search and no clause."""
    return not any(isinstance(part, Call | Quantified | Result | Arithmetic) for part in subterms(term))
