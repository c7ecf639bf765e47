"""Small-scope enumeration and random sampling of worlds, with shrinking.

The size of a world is the number of its records that a search file lets vary, and one more for
each value that is not the plain one. All worlds of a size come before those of the next.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from titm_rules.compare.relevant_fields import Likely, nothing_likely
from titm_rules.formats.file_schemas import AnyOf, Domains, Group, WorldSpec

# ---------------------------------------------------------------------- worlds
Json = dict[str, Any]


class Slot(Protocol):
    """A part of a world that varies."""

    @property
    def least(self) -> int:
        """The least that the slot adds to the size of a world."""

    @property
    def most(self) -> int:
        """The most that the slot adds to the size of a world."""

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
        """The least that the field adds to the size."""
        return 0

    @property
    def most(self) -> int:
        """The most that the field adds to the size."""
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
        """The size of the fewest records, all plain."""
        return self.group.least

    @property
    def most(self) -> int:
        """The size of the most records, with no plain value."""
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
        """List the worlds of a size with the inputs; the same object is the same situation."""
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
        """List all worlds of some parts: size, situation and inputs; the same object is the same situation."""
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


# ---------------------------------------------------------------------- drawn
PLAIN = (0.2, 0.5, 0.8)  # how likely a value is the plain one, in one draft or another
NAMED = (0.0, 0.8)  # how likely it is one that clauses name, where there is one
TRIES = 5  # records drawn until one differs from the others where it has to
PickCounts = tuple[int, ...]  # for each field, which of its values


@dataclass(frozen=True)
class RandomWorld:
    """The values that a world takes: of its own fields, of each record of each group, and of the inputs."""

    fields: PickCounts
    groups: tuple[tuple[PickCounts, ...], ...]
    inputs: PickCounts


@dataclass(frozen=True)
class _Chances:
    """Probabilities of values in one draft."""

    rng: random.Random
    plain: float
    named: float

    def pick(self, slot: FieldSlot, likely: Sequence[int]) -> int:
        if likely and self.rng.random() < self.named:
            return self.rng.choice(likely)
        return self.rng.randrange(slot.plain if self.rng.random() < self.plain else len(slot.values))


class WorldSampler:
    """Draws worlds of a kind with the inputs of a question."""

    def __init__(self, worlds: Worlds, likely: Likely = nothing_likely) -> None:
        """Prepare drawing from some worlds; values that are `likely` come up more often."""
        self.worlds = worlds
        self.fields, self.inputs = field_slots(worlds.spec.fields), worlds.inputs
        self.groups = [(slot.group, slot.count, field_slots(slot.group.fields)) for slot in worlds.groups]
        slots = [("", self.fields), *((group.records, fields) for group, _, fields in self.groups)]
        self._likely = {
            id(slot): [pick for pick, value in enumerate(slot.values) if likely(name, slot.name, value)]
            for name, fields in slots
            for slot in fields
        }

    def draw(self, rng: random.Random) -> RandomWorld:
        """Draw a world: any number of records, and values some of which are plain, or named by clauses."""
        chances = _Chances(rng, rng.choice(PLAIN), rng.choice(NAMED))
        groups = tuple(self._records(*group, chances) for group in self.groups)
        return RandomWorld(self._picks(self.fields, chances), groups, self._picks(self.inputs, chances))

    def _picks(self, slots: Sequence[FieldSlot], chances: _Chances) -> PickCounts:
        return tuple(chances.pick(slot, self._likely.get(id(slot), ())) for slot in slots)

    def _records(
        self, group: Group, most: int, slots: Sequence[FieldSlot], chances: _Chances
    ) -> tuple[PickCounts, ...]:
        found: list[PickCounts] = []
        for _ in range(chances.rng.randint(group.least, most)):
            tries = (self._picks(slots, chances) for _ in range(TRIES))
            fitting = next((one for one in tries if _is_distinct(group, slots, [*found, one])), None)
            if fitting is not None:
                found.append(fitting)
        return tuple(found)

    # ------------------------------------------------------------------ simpler ones
    def simpler(self, draft: RandomWorld) -> Iterator[RandomWorld]:
        """Yield drafts with a record less, or with a plain value in place of another."""
        for number, (group, _, slots) in enumerate(self.groups):
            rows = draft.groups[number]
            fewer = [rows[:at] + rows[at + 1 :] for at in range(len(rows))] if len(rows) > group.least else []
            plainer = [
                (*rows[:at], one, *rows[at + 1 :]) for at, row in enumerate(rows) for one in _shrink_value(slots, row)
            ]
            for some in (*fewer, *(one for one in plainer if _is_distinct(group, slots, one))):
                yield replace(draft, groups=(*draft.groups[:number], some, *draft.groups[number + 1 :]))
        yield from (replace(draft, fields=one) for one in _shrink_value(self.fields, draft.fields))
        yield from (replace(draft, inputs=one) for one in _shrink_value(self.inputs, draft.inputs))

    def size(self, draft: RandomWorld) -> int:
        """Give the size of a world: its records that may vary, and the values that are not plain."""
        own = _unplain(self.fields, draft.fields) + _unplain(self.inputs, draft.inputs)
        grouped = zip(self.groups, draft.groups, strict=True)
        return own + sum(1 + _unplain(slots, row) for (_, _, slots), rows in grouped for row in rows)

    def made(self, draft: RandomWorld) -> tuple[Json, Json]:
        """Make the situation and the inputs of a draft."""
        data = {**self.worlds.spec.fixed, **_values(self.fields, draft.fields)}
        for (group, _, slots), rows in zip(self.groups, draft.groups, strict=True):
            named = [
                {"id": f"{group.named}{number}", **group.fixed, **_values(slots, row)}
                for number, row in enumerate(rows, 1)
            ]
            data[group.records] = [*data.get(group.records, ()), *named]
        return data, _values(self.inputs, draft.inputs)


def _shrink_value(slots: Sequence[FieldSlot], picks: PickCounts) -> Iterator[PickCounts]:
    """Yield picks of which one is the first value in place of one that is not plain."""
    for at, (slot, pick) in enumerate(zip(slots, picks, strict=True)):
        if pick >= slot.plain:
            yield (*picks[:at], 0, *picks[at + 1 :])


def _unplain(slots: Sequence[FieldSlot], picks: PickCounts) -> int:
    return sum(pick >= slot.plain for slot, pick in zip(slots, picks, strict=True))


def _values(slots: Sequence[FieldSlot], picks: PickCounts) -> Json:
    return {slot.name: slot.values[pick] for slot, pick in zip(slots, picks, strict=True)}


def _is_distinct(group: Group, slots: Sequence[FieldSlot], rows: Sequence[PickCounts]) -> bool:
    told = [_values(slots, row) for row in rows]
    return all(len({str(one[name]) for one in told}) == len(told) for name in group.distinct)
