"""Whether two situations are the same to some heads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from titm_rules.rules.model import Model
from titm_rules.rules.rests import FieldOf, rests_of
from titm_rules.world.records import Situation


@dataclass(frozen=True)
class Reads:
    """What some heads look at, whatever they are asked for.

    Attributes:
        fields: fields of records and of situations, each with its owner.
    """

    fields: frozenset[FieldOf]

    def are_same(self, model: Model, one: Situation, other: Situation) -> bool:
        """Whether two situations on one board are the same in all that is looked at; each is given by its root."""
        roots = [name for owner, name in self.fields if owner == one.record_]
        return all(self._is_same(model, getattr(one, name), getattr(other, name)) for name in roots)

    def _is_same(self, model: Model, one: Situation, other: Situation) -> bool:
        if one is other or one == other:
            return True
        if not isinstance(one, list) or not isinstance(other, list) or len(one) != len(other):
            return False
        return all(a is b or self._are_alike(model, a, b) for a, b in zip(one, other, strict=True))

    def _are_alike(self, model: Model, one: Situation, other: Situation) -> bool:
        """Whether two records of one id have equal fields as far as they are looked at."""
        kind = getattr(one, "record_", "")
        if not kind or kind != getattr(other, "record_", "") or one.id != other.id:
            return False
        names = [field.name for field in model.records[kind].fields if (kind, field.name) in self.fields]
        return all(getattr(one, name) == getattr(other, name) for name in names)


@dataclass(frozen=True, eq=False)
class Near:
    """What is remembered of places by what stands there, and so kept for the places where the same stands.

    Attributes:
        fields: what else is looked at: if one of these has changed, nothing is kept.
        pass_on: lets a situation (the second) take over from the one before; other pieces stand at the places
            that are given.
    """

    fields: frozenset[FieldOf]
    pass_on: Callable[[Situation, Situation, frozenset[Any]], None]


def reads_of(model: Model, keys: Iterable[str]) -> Reads:
    """Give what some heads look at, with all that they ask in turn."""
    return Reads(rests_of(model).of_heads(keys).fields)
