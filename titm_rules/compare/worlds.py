"""Small worlds, listed in growing size.

The size of a world is the number of its records that a search file lets vary, and one more for
each value that is not the plain one. All worlds of a size come before those of the next.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from titm_rules.formats.search import AnyOf, Domains, Group, WorldSpec

Json = dict[str, Any]


class Slot(Protocol):
    """A part of a world that varies."""

    @property
    def least(self) -> int:
        """What it adds to the size of a world at least."""

    @property
    def most(self) -> int:
        """What it adds at most."""

    def at(self, size: int) -> Sequence[Json]:
        """List what it may be when it adds so much to the size: fields by name."""


@dataclass(frozen=True)
class FieldSlot:
    """A field with one of some values."""

    name: str
    values: Sequence[Any]
    plain: int

    @property
    def least(self) -> int:
        """What it adds to the size at least."""
        return 0

    @property
    def most(self) -> int:
        """What it adds to the size at most."""
        return int(len(self.values) > self.plain)

    def at(self, size: int) -> Sequence[Json]:
        """List the plain values (0), or the others (1)."""
        values = self.values[: self.plain] if size == 0 else self.values[self.plain :] if size == 1 else ()
        return [{self.name: value} for value in values]


class GroupSlot:
    """Records of one list, in no order: a multiset of the records that the group allows."""

    def __init__(self, group: Group, most: int | None = None) -> None:
        self.group = group
        self.count = group.most if most is None else most
        self._known: dict[int, list[Json]] = {}

    @cached_property
    def kinds(self) -> list[tuple[int, Json]]:
        """All records that the group allows, each with the number of its values that are not plain."""
        slots = field_slots(self.group.fields)
        return [(size, one) for size in range(len(slots) + 1) for one in spread(slots, size)]

    @property
    def least(self) -> int:
        """What the fewest records add to the size, all plain."""
        return self.group.least

    @property
    def most(self) -> int:
        """What the most records add to the size, nothing of them plain."""
        return self.count * (1 + sum(slot.most for slot in field_slots(self.group.fields)))

    def at(self, size: int) -> Sequence[Json]:
        """List the multisets of records whose number and values add so much to the size."""
        if size not in self._known:
            counts = range(self.group.least, min(self.count, size) + 1)
            self._known[size] = [
                {self.group.records: self._named(kinds)}
                for count in counts
                for kinds in self._multisets(count, size - count, 0)
                if self._distinct(kinds)
            ]
        return self._known[size]

    def _multisets(self, count: int, size: int, start: int) -> Iterator[tuple[int, ...]]:
        if count == 0:
            if size == 0:
                yield ()
            return
        for number in range(start, len(self.kinds)):
            left = size - self.kinds[number][0]
            if left >= 0:
                yield from ((number, *rest) for rest in self._multisets(count - 1, left, number))

    def _distinct(self, kinds: Sequence[int]) -> bool:
        return all(
            len({str(self.kinds[number][1][name]) for number in kinds}) == len(kinds) for name in self.group.distinct
        )

    def _named(self, kinds: Sequence[int]) -> list[Json]:
        named, fixed = self.group.named, self.group.fixed
        return [{"id": f"{named}{n}", **fixed, **self.kinds[number][1]} for n, number in enumerate(kinds, 1)]


def field_slots(choices: Domains) -> list[FieldSlot]:
    """Make a slot for every field."""
    return [
        FieldSlot(name, values.any, len(values.any)) if isinstance(values, AnyOf) else FieldSlot(name, values, 1)
        for name, values in choices.items()
    ]


def spread(slots: Sequence[Slot], size: int) -> Iterator[Json]:
    """List what slots may be together when they add so much to the size; lists of one name are joined."""
    if not slots:
        if size == 0:
            yield {}
        return
    first, rest = slots[0], slots[1:]
    least, most = sum(slot.least for slot in rest), sum(slot.most for slot in rest)
    for own in range(max(first.least, size - most), min(first.most, size - least) + 1):
        for one in first.at(own):
            for other in spread(rest, size - own):
                yield _joined(one, other)


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> Json:
    lists = {name: (one[name], other[name]) for name in one.keys() & other.keys() if isinstance(one[name], list)}
    return {**one, **other, **{name: [*first, *second] for name, (first, second) in lists.items()}}


class Worlds:
    """The worlds of one kind, and the inputs of a question about them."""

    def __init__(self, spec: WorldSpec, takes: Domains, most: Sequence[int] = ()) -> None:
        """Prepare a listing.

        Args:
            spec: what may vary.
            takes: inputs of the question and their values.
            most: at most so many records in each group, in order; default: as the groups say.
        """
        self.spec = spec
        limits = itertools.chain(most, itertools.repeat(None))
        self.groups = [GroupSlot(group, limit) for group, limit in zip(spec.records, limits, strict=False)]
        self.slots: list[Slot] = [*self.groups, *field_slots(spec.fields)]
        self.inputs = field_slots(takes)

    @property
    def largest(self) -> int:
        """The size of the largest."""
        return sum(slot.most for slot in (*self.slots, *self.inputs))

    def of_size(self, size: int) -> Iterator[tuple[Json, Json]]:
        """List the worlds of a size with the inputs; the same object stands for the same situation."""
        most = sum(slot.most for slot in self.inputs)
        for own in range(max(0, size - most), size + 1):
            given = list(spread(self.inputs, size - own))
            if given:
                for varied in spread(self.slots, own):
                    data = self._whole(varied)
                    yield from ((data, inputs) for inputs in given)

    def parts(self) -> int:
        """Count the parts in which all worlds can be listed: one for each value of the first group."""
        return len(self._values(self.slots[0]))

    def rows(self, start: int, stop: int) -> Iterator[tuple[int, Json, Json]]:
        """List all worlds of some parts: size, situation and inputs; the same object stands for the same situation."""
        given = [self._together(row) for row in itertools.product(*map(self._values, self.inputs))]
        rest = [self._values(slot) for slot in self.slots[1:]]
        for row in itertools.product(self._values(self.slots[0])[start:stop], *rest):
            size, varied = self._together(row)
            data = self._whole(varied)
            yield from ((size + more, data, inputs) for more, inputs in given)

    def _values(self, slot: Slot) -> list[tuple[int, Json]]:
        return [(size, one) for size in range(slot.least, slot.most + 1) for one in slot.at(size)]

    def _together(self, row: Sequence[tuple[int, Json]]) -> tuple[int, Json]:
        varied: Json = {}
        for _, one in row:
            varied = _joined(varied, one)
        return sum(size for size, _ in row), varied

    def _whole(self, varied: Json) -> Json:
        return _joined(self.spec.fixed, varied)
