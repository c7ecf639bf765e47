"""Worlds that are drawn at random where there are too many to list, and made simpler step by step."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from titm_rules.compare.focus import Likely, nothing_likely
from titm_rules.compare.worlds import FieldSlot, Worlds, field_slots
from titm_rules.formats.search import Group

PLAIN = (0.2, 0.5, 0.8)  # how likely a value is the plain one, in one draft or another
NAMED = (0.0, 0.8)  # how likely it is one that clauses name, where there is one
TRIES = 5  # records drawn until one differs from the others where it has to
Json = dict[str, Any]
PickCounts = tuple[int, ...]  # for each field, which of its values


@dataclass(frozen=True)
class Draft:
    """Which values a world takes: of its own fields, of each record of each group, and of the inputs."""

    fields: PickCounts
    groups: tuple[tuple[PickCounts, ...], ...]
    inputs: PickCounts


@dataclass(frozen=True)
class _Chances:
    """How likely values are in one draft."""

    rng: random.Random
    plain: float
    named: float

    def pick(self, slot: FieldSlot, likely: Sequence[int]) -> int:
        if likely and self.rng.random() < self.named:
            return self.rng.choice(likely)
        return self.rng.randrange(slot.plain if self.rng.random() < self.plain else len(slot.values))


class Drawing:
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

    def draw(self, rng: random.Random) -> Draft:
        """Draw a world: any number of records, and values some of which are plain, or named by clauses."""
        chances = _Chances(rng, rng.choice(PLAIN), rng.choice(NAMED))
        groups = tuple(self._records(*group, chances) for group in self.groups)
        return Draft(self._picks(self.fields, chances), groups, self._picks(self.inputs, chances))

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
    def simpler(self, draft: Draft) -> Iterator[Draft]:
        """Yield drafts with a record less, or with a plain value in place of another."""
        for number, (group, _, slots) in enumerate(self.groups):
            rows = draft.groups[number]
            fewer = [rows[:at] + rows[at + 1 :] for at in range(len(rows))] if len(rows) > group.least else []
            plainer = [
                (*rows[:at], one, *rows[at + 1 :]) for at, row in enumerate(rows) for one in _plainer(slots, row)
            ]
            for some in (*fewer, *(one for one in plainer if _is_distinct(group, slots, one))):
                yield replace(draft, groups=(*draft.groups[:number], some, *draft.groups[number + 1 :]))
        yield from (replace(draft, fields=one) for one in _plainer(self.fields, draft.fields))
        yield from (replace(draft, inputs=one) for one in _plainer(self.inputs, draft.inputs))

    def size(self, draft: Draft) -> int:
        """Give the size of a world: its records that may vary, and the values that are not plain."""
        own = _unplain(self.fields, draft.fields) + _unplain(self.inputs, draft.inputs)
        grouped = zip(self.groups, draft.groups, strict=True)
        return own + sum(1 + _unplain(slots, row) for (_, _, slots), rows in grouped for row in rows)

    def made(self, draft: Draft) -> tuple[Json, Json]:
        """Make the situation and the inputs of a draft."""
        data = {**self.worlds.spec.fixed, **_values(self.fields, draft.fields)}
        for (group, _, slots), rows in zip(self.groups, draft.groups, strict=True):
            named = [
                {"id": f"{group.named}{number}", **group.fixed, **_values(slots, row)}
                for number, row in enumerate(rows, 1)
            ]
            data[group.records] = [*data.get(group.records, ()), *named]
        return data, _values(self.inputs, draft.inputs)


def _plainer(slots: Sequence[FieldSlot], picks: PickCounts) -> Iterator[PickCounts]:
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
