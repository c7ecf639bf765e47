"""What the clauses of some heads look at, and whether two situations are the same to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from titm_rules.model.effects import effect_terms
from titm_rules.model.model import Head, Model, Roll, Route, head_key
from titm_rules.model.terms import Call, Field, Root, Standing, Term, children

_ROUTE_WORDS = ("start", "step", "stop", "end", "cost", "points", "goal")
_ROLL_WORDS = ("try", "factor", "adds")
_STANDING = "place"


@dataclass(frozen=True)
class Reads:
    """What some heads look at, whatever they are asked for.

    Attributes:
        roots: fields of the situation.
        fields: fields of records, of whatever type.
    """

    roots: frozenset[str]
    fields: frozenset[str]

    def are_same(self, model: Model, one: Any, other: Any) -> bool:
        """Whether two situations on one board are the same in all that is looked at; each is given by its root."""
        return all(self._is_same(model, getattr(one, name), getattr(other, name)) for name in self.roots)

    def _is_same(self, model: Model, one: Any, other: Any) -> bool:
        if one is other or one == other:
            return True
        if not isinstance(one, list) or not isinstance(other, list) or len(one) != len(other):
            return False
        return all(a is b or self._are_alike(model, a, b) for a, b in zip(one, other, strict=True))

    def _are_alike(self, model: Model, one: Any, other: Any) -> bool:
        """Whether two records of one id have equal fields as far as they are looked at."""
        kind = getattr(one, "record", "")
        if not kind or kind != getattr(other, "record", "") or one.id != other.id:
            return False
        names = [field.name for field in model.records[kind].fields if field.name in self.fields]
        return all(getattr(one, name) == getattr(other, name) for name in names)


def reads_of(model: Model, keys: Iterable[str]) -> Reads:
    """Collect what some heads look at, with all that they ask in turn."""
    roots: set[str] = set()
    fields: set[str] = set()
    seen: set[str] = set()
    waiting = list(keys)
    while waiting:
        key = waiting.pop()
        if key in seen:
            continue
        seen.add(key)
        waiting.extend(_asked_by(model, key))
        for term in _terms(model.heads[key]):
            for part in _parts(term):
                if isinstance(part, Root):
                    roots.add(part.field)
                elif isinstance(part, Field):
                    fields.add(part.field)
                elif isinstance(part, Standing):
                    fields.add(_STANDING)
                elif isinstance(part, Call):
                    waiting.append(part.head)
    return Reads(frozenset(roots), frozenset(fields))


def _asked_by(model: Model, key: str) -> list[str]:
    """Name the heads behind a form."""
    form = model.forms.get(key)
    if isinstance(form, Route):
        return [head_key(key, word) for word in _ROUTE_WORDS]
    return [head_key(key, word) for word in _ROLL_WORDS] if isinstance(form, Roll) else []


def _terms(head: Head) -> list[Term]:
    found: list[Term] = []
    for statement in head.statements:
        found += [term for term in (statement.when, statement.value) if term is not None]
        found += effect_terms(statement.effect) if statement.effect is not None else ()
    return found + [lift.when for lift in head.lifts if lift.when is not None]


def _parts(term: Term) -> list[Term]:
    found = [term]
    for part in children(term):
        found.extend(_parts(part))
    return found
