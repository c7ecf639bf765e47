"""Derived values belong to the rules: each is made once, shared by copies of the rules, and freed with them.

A dependency graph, the factories of records, validators and compiled programs all follow from parts of a model. Each is
stored in a `Derived` of the model that it follows from, under the class or function that makes it. Models that are
copies of one another share a `Derived` as long as they share its parts, so nothing is found by the identity of an
object, and nothing has to be removed from a registry.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from itertools import count
from threading import Lock
from typing import Generic, TypeVar, cast
from weakref import WeakSet

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_ABSENT = object()
_CLOCK = count(1)


class Derived:
    """Values worked out of some parts of a model.

    INVARIANT: a value is stored only after it is complete, so an interruption cannot leave half of one. Where two
    threads make the same value, both get the one stored first.
    """

    __slots__ = ("_values", "parts")

    def __init__(self, *parts: object) -> None:
        self.parts = parts
        self._values: dict[Hashable, object] = {}

    def __reduce__(self) -> tuple[type[Derived], tuple[object, ...]]:
        """Copy and pickle the parts alone: a copy makes its values again."""
        return Derived, self.parts

    def of(self, *parts: object) -> Derived:
        is_same = len(parts) == len(self.parts) and all(map(_is, parts, self.parts))
        return self if is_same else Derived(*parts)

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value under a key; `make` works it out the first time."""
        found = self._values.get(key, _ABSENT)
        if found is _ABSENT:
            found = self._values.setdefault(key, make())
        return cast(V, found)


def _is(one: object, other: object) -> bool:
    return one is other


class Capacity:
    """How many values all owners of one kind may hold together; it keeps no owner alive."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = Lock()
        self._owners: WeakSet[Held[Hashable, object]] = WeakSet()

    def add(self, owner: Held[Hashable, object]) -> None:
        with self._lock:
            self._owners.add(owner)

    def make_room(self) -> None:
        """Remove values of the owner that was asked longest ago until there is room for one more."""
        with self._lock:
            owners = [owner for owner in self._owners if len(owner)]
            while sum(map(len, owners)) >= self.most:
                min((owner for owner in owners if len(owner)), key=lambda owner: owner.asked).shed()


class Held(Generic[K, V]):
    """Values of one owner under keys, the one used longest ago first, within a capacity that many owners share.

    Args:
        capacity: of all owners together.
        whole: whether the values go together, since they share parts; else the one used longest ago goes.
    """

    def __init__(self, capacity: Capacity, whole: bool = False) -> None:
        self.asked = next(_CLOCK)
        self._capacity, self._whole = capacity, whole
        self._values: OrderedDict[K, V] = OrderedDict()
        capacity.add(cast("Held[Hashable, object]", self))

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Return the value under a key, and note that it was used."""
        self.asked = next(_CLOCK)
        return self._values.get(key)

    def make(self, key: K, make: Callable[[], V]) -> V:
        """Make room, then make a value and store it as the one used last; return the one that is stored."""
        self._capacity.make_room()
        found = self._values.setdefault(key, make())
        self.touch(key)
        return found

    def touch(self, key: K) -> None:
        """Note that the value under a key was used last."""
        self.asked = next(_CLOCK)
        with suppress(KeyError):  # another thread may have removed it
            self._values.move_to_end(key)

    def values(self) -> list[V]:
        return list(self._values.values())

    def shed(self) -> None:
        """Remove the value used longest ago, or all if they go together."""
        if self._whole:
            self._values.clear()
        else:
            self._values.popitem(last=False)

    def clear(self) -> None:
        self._values.clear()
