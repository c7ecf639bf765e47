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
from typing import Any, ClassVar

from titm_rules.compare.relevant_fields import Likely, nothing_likely
from titm_rules.formats.file_schemas import AnyOf, Domains, Group, WorldSpec

# ---------------------------------------------------------------------- enumeration
Json = dict[str, Any]


@dataclass(frozen=True)
class FieldSlot:
    """A field with one of some values, of which the first so many are `plain`."""

    name: str
    values: Sequence[Any]
    plain: int
    least: ClassVar[int] = 0

    @property
    def most(self) -> int:
        """The most that the field adds to the size of a world."""
        return int(len(self.values) > self.plain)

    def at(self, size: int) -> Sequence[Json]:
        """List the plain values (0), or the others (1)."""
        values = self.values[: self.plain] if size == 0 else self.values[self.plain :] if size == 1 else ()
        return [{self.name: value} for value in values]


class GroupSlot:
    """Records of one list, in no order: a multiset of the records that the group allows.

    Attributes:
        least: the size of the fewest records, all plain.
        most: the size of the most records, with no plain value.
    """

    def __init__(self, group: Group, count: int | None = None) -> None:
        """Prepare a listing of at most `count` records; default: as many as the group allows."""
        self.group, self.count = group, group.most if count is None else count
        self.fields = field_slots(group.fields)
        self.least, self.most = group.least, self.count * (1 + sum(slot.most for slot in self.fields))
        self._known: dict[int, list[Json]] = {}

    @cached_property
    def _kinds(self) -> list[tuple[int, Json]]:
        """All records that the group allows, each with the number of its values that are not plain."""
        return [(size, one) for size in range(len(self.fields) + 1) for one in spread(self.fields, size)]

    def at(self, size: int) -> Sequence[Json]:
        """List the multisets of records whose number and values add so much to the size."""
        if size not in self._known:
            counts = range(self.least, min(self.count, size) + 1)
            rows = (rows for count in counts for rows in self._multisets(count, size - count))
            self._known[size] = [{self.group.records: self.named(some)} for some in rows if self.is_distinct(some)]
        return self._known[size]

    def _multisets(self, count: int, size: int, start: int = 0) -> Iterator[tuple[Json, ...]]:
        if count == 0:
            if size == 0:
                yield ()
            return
        for number, (own, kind) in enumerate(self._kinds[start:], start):
            if size >= own:
                yield from ((kind, *rest) for rest in self._multisets(count - 1, size - own, number))

    def is_distinct(self, rows: Sequence[Json]) -> bool:
        """Whether records differ in the fields in which they have to."""
        return all(len({str(row[name]) for row in rows}) == len(rows) for name in self.group.distinct)

    def named(self, rows: Sequence[Json]) -> list[Json]:
        """Give records their ids and what is fixed for all of them."""
        return [{"id": f"{self.group.named}{n}", **self.group.fixed, **row} for n, row in enumerate(rows, 1)]


Slot = FieldSlot | GroupSlot  # a part of a world that varies


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
        self.fields, self.inputs = field_slots(spec.fields), field_slots(takes)
        self.slots: list[Slot] = [*self.groups, *self.fields]

    @property
    def largest(self) -> int:
        """The size of the largest."""
        return sum(slot.most for slot in (*self.slots, *self.inputs))

    def of_size(self, size: int) -> Iterator[tuple[Json, Json]]:
        """List the worlds of a size with the inputs; the same object is the same situation."""
        most = sum(slot.most for slot in self.inputs)
        for own in range(max(0, size - most), size + 1):
            given = list(spread(self.inputs, size - own))
            for varied in spread(self.slots, own) if given else ():
                data = _joined(self.spec.fixed, varied)
                yield from ((data, inputs) for inputs in given)

    def parts(self) -> int:
        """Count the parts in which all worlds can be listed: one for each value of the first group."""
        return len(_sized(self.slots[0]))

    def rows(self, start: int, stop: int) -> Iterator[tuple[int, Json, Json]]:
        """List all worlds of some parts: size, situation and inputs; the same object is the same situation."""
        given = [_together(row) for row in itertools.product(*map(_sized, self.inputs))]
        for row in itertools.product(_sized(self.slots[0])[start:stop], *map(_sized, self.slots[1:])):
            size, varied = _together(row)
            data = _joined(self.spec.fixed, varied)
            yield from ((size + more, data, inputs) for more, inputs in given)


def _sized(slot: Slot) -> list[tuple[int, Json]]:
    """List all that a slot may be, with what it adds to the size."""
    return [(size, one) for size in range(slot.least, slot.most + 1) for one in slot.at(size)]


def _together(row: Sequence[tuple[int, Json]]) -> tuple[int, Json]:
    varied: Json = {}
    for _, one in row:
        varied = _joined(varied, one)
    return sum(size for size, _ in row), varied


# ---------------------------------------------------------------------- sampling
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


class WorldSampler:
    """Draws worlds of a kind with the inputs of a question; values that are `likely` come up more often."""

    def __init__(self, worlds: Worlds, likely: Likely = nothing_likely) -> None:
        self.worlds = worlds
        slots = [("", worlds.fields), *((slot.group.records, slot.fields) for slot in worlds.groups)]
        self._likely = {
            id(slot): [pick for pick, value in enumerate(slot.values) if likely(name, slot.name, value)]
            for name, fields in slots
            for slot in fields
        }

    def draw(self, rng: random.Random) -> RandomWorld:
        """Draw a world: any number of records, and values some of which are plain, or named by clauses."""
        plain, named = rng.choice(PLAIN), rng.choice(NAMED)

        def pick(slot: FieldSlot) -> int:
            likely = self._likely.get(id(slot), ())
            if likely and rng.random() < named:
                return rng.choice(likely)
            return rng.randrange(slot.plain if rng.random() < plain else len(slot.values))

        def picks(slots: Sequence[FieldSlot]) -> PickCounts:
            return tuple(map(pick, slots))

        def records(group: GroupSlot) -> tuple[PickCounts, ...]:
            found: list[PickCounts] = []
            for _ in range(rng.randint(group.least, group.count)):
                tries = (picks(group.fields) for _ in range(TRIES))
                fitting = next((one for one in tries if _is_distinct(group, [*found, one])), None)
                if fitting is not None:
                    found.append(fitting)
            return tuple(found)

        groups = tuple(map(records, self.worlds.groups))
        return RandomWorld(picks(self.worlds.fields), groups, picks(self.worlds.inputs))

    def simpler(self, draft: RandomWorld) -> Iterator[RandomWorld]:
        """Yield drafts with a record less, or with a plain value in place of another."""
        for number, group in enumerate(self.worlds.groups):
            rows = draft.groups[number]
            fewer = [rows[:at] + rows[at + 1 :] for at in range(len(rows))] if len(rows) > group.least else []
            plainer = (
                (*rows[:at], one, *rows[at + 1 :]) for at, row in enumerate(rows) for one in _plainer(group.fields, row)
            )
            for some in (*fewer, *(one for one in plainer if _is_distinct(group, one))):
                yield replace(draft, groups=(*draft.groups[:number], some, *draft.groups[number + 1 :]))
        yield from (replace(draft, fields=one) for one in _plainer(self.worlds.fields, draft.fields))
        yield from (replace(draft, inputs=one) for one in _plainer(self.worlds.inputs, draft.inputs))

    def size(self, draft: RandomWorld) -> int:
        """Give the size of a world: its records that may vary, and the values that are not plain."""
        own = _unplain(self.worlds.fields, draft.fields) + _unplain(self.worlds.inputs, draft.inputs)
        grouped = zip(self.worlds.groups, draft.groups, strict=True)
        return own + sum(1 + _unplain(group.fields, row) for group, rows in grouped for row in rows)

    def made(self, draft: RandomWorld) -> tuple[Json, Json]:
        """Make the situation and the inputs of a draft."""
        data = {**self.worlds.spec.fixed, **_values(self.worlds.fields, draft.fields)}
        for group, rows in zip(self.worlds.groups, draft.groups, strict=True):
            named = group.named([_values(group.fields, row) for row in rows])
            data[group.group.records] = [*data.get(group.group.records, ()), *named]
        return data, _values(self.worlds.inputs, draft.inputs)


def _plainer(slots: Sequence[FieldSlot], picks: PickCounts) -> Iterator[PickCounts]:
    """Yield picks of which one is the first value in place of one that is not plain."""
    for at, (slot, pick) in enumerate(zip(slots, picks, strict=True)):
        if pick >= slot.plain:
            yield (*picks[:at], 0, *picks[at + 1 :])


def _unplain(slots: Sequence[FieldSlot], picks: PickCounts) -> int:
    return sum(pick >= slot.plain for slot, pick in zip(slots, picks, strict=True))


def _values(slots: Sequence[FieldSlot], picks: PickCounts) -> Json:
    return {slot.name: slot.values[pick] for slot, pick in zip(slots, picks, strict=True)}


def _is_distinct(group: GroupSlot, rows: Sequence[PickCounts]) -> bool:
    return group.is_distinct([_values(group.fields, row) for row in rows])
