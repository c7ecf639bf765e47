"""Changes of one clause, planted at random: another number, a condition less or turned round, an exception gone."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from titm_rules.ir.model import Head, Lift, Model, Statement
from titm_rules.ir.terms import Compare, Const, Logic, Term, rebuild, subterms

TURNED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", "<=": ">", ">": "<="}
Change = tuple[str, Callable[[], Head]]


def planted(model: Model, seed: int) -> tuple[str, Model]:
    """Change one clause; say which and how."""
    rng = random.Random(seed)
    kind = rng.choice(["number", "condition", "exception"])
    while True:
        key = rng.choice(sorted(model.heads))
        found = list(_changes(model.heads[key], kind, rng))
        if found:
            told, change = rng.choice(found)
            return f"{kind}: {told} in {key}", replace(model, heads={**model.heads, key: change()})


def _changes(head: Head, kind: str, rng: random.Random) -> Iterator[Change]:
    if kind == "exception":
        for lift in head.lifts:
            yield lift.clause, lambda lift=lift: replace(head, lifts=tuple(x for x in head.lifts if x is not lift))
        return
    for one in head.sentences:
        if not one.clause:
            continue
        if kind == "number":
            yield from _numbers(head, one, rng)
        elif one.when is not None:
            yield from _conditions(head, one)


def _numbers(head: Head, one: Statement | Lift, rng: random.Random) -> Iterator[Change]:
    for name in ("when", "value"):
        term = getattr(one, name, None)
        for number in _parts(term, Const):
            if number.type.kind == "number":
                other = replace(number, value=number.value + rng.choice((-1, 1)))
                yield one.clause, _put(head, one, name, _with(term, number, other))


def _conditions(head: Head, one: Statement | Lift) -> Iterator[Change]:
    for part in _parts(one.when, Compare):
        if part.op in TURNED:
            yield one.clause, _put(head, one, "when", _with(one.when, part, replace(part, op=TURNED[part.op])))
    for part in _parts(one.when, Logic):
        if part.op == "all" and len(part.parts) > 1:
            yield one.clause, _put(head, one, "when", _with(one.when, part, replace(part, parts=part.parts[:-1])))


def _parts(term: Term | None, wanted: type) -> list:
    return [] if term is None else [part for part in subterms(term) if isinstance(part, wanted)]


def _with(term: Term, old: Term, new: Term) -> Term:
    return new if term is old else rebuild(term, lambda part: _with(part, old, new))


def _put(head: Head, one: Statement | Lift, name: str, term: Term) -> Callable[[], Head]:
    kind = "statements" if isinstance(one, Statement) else "lifts"
    new = replace(one, **{name: term})
    return lambda: replace(head, **{kind: tuple(new if x is one else x for x in getattr(head, kind))})
