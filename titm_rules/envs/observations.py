"""Positions as vectors: what a learner sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ParamSpec, TypeAlias

import numpy as np
import numpy.typing as npt

from titm_rules.envs.action_space import ScenarioValues
from titm_rules.ir.model import FieldSpec, RecordSpec
from titm_rules.ir.types import Type
from titm_rules.oracle.position import Position
from titm_rules.world.records import Record, Value
from titm_rules.world.world import World

Vector: TypeAlias = npt.NDArray[np.float32]
Fill = Callable[[Vector, Value], None]
MadeOf = ParamSpec("MadeOf")
UNBOUNDED = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True)
class Feature:
    """One number of a vector.

    Attributes:
        name: where it is in a position as JSON, such as `units.g-tank.strength`; behind `=` the value that it is about.
        low: the least that it can be.
        high: the most.
        unit: `number` (as the rules count it), `flag` (1 if it is so, else 0), or `count` (rows or entries of a list).
    """

    name: str
    low: float
    high: float
    unit: str


class Features:
    """Turns positions of the games that begin with one position into vectors of one length.

    The fields of the situation come in the order in which the rules declare them.

    - A number is one feature, in the unit of the rules. A flag is 0 or 1.
    - An enumeration or a reference has one flag for each value, all 0 for nothing; a list of them as well.
    - A number or a flag that may be nothing has a further flag, `NAME?`: it is there.
    - A list of records has the features of every record that there may ever be (see `ScenarioValues`), and a flag
      `NAME?` for each: it is on the list now. All else of it is 0 if it is not.
    - A list of which nobody knows what may come on it is one count.
    - Texts, and the ends of connections, are left out.

    The features of a value are kept until another value replaces it: most records are the very same from one
    position to the next.

    Attributes:
        listed: the features, one for each entry of a vector.
    """

    def __init__(self, start: Position) -> None:
        self.values = ScenarioValues(start)
        self.model = start.edition.model
        self.listed: list[Feature] = []
        fields = self.model.records[start.situation].fields
        fills = [(field.name, self._root_field(field)) for field in fields]
        kept: Vector = np.zeros(len(self.listed), np.float32)

        def written(world: World) -> Vector:
            for name, fill in fills:
                fill(kept, getattr(world.root, name))
            return kept

        self._written = written  # what is kept stays with the functions that know what it was written for

    def vector(self, world: World, length: int) -> Vector:
        """Write a situation as a vector of a length, of which the features take the beginning."""
        vector: Vector = np.zeros(length, np.float32)
        kept = self._written(world)
        vector[: len(kept)] = kept
        return vector

    # ------------------------------------------------------------------ making features
    def add(self, name: str, low: float, high: float, unit: str) -> int:
        """Add a feature; give its place."""
        self.listed.append(Feature(name, low, high, unit))
        return len(self.listed) - 1

    def flags(self, name: str, values: Iterator[object]) -> dict[object, int]:
        """Add a flag for each value; give their places."""
        return {value: self.add(f"{name}={value}", 0, 1, "flag") for value in values}

    def _root_field(self, field: FieldSpec) -> Fill:
        record = self.model.records.get(field.type.name)
        if field.owns and record is not None:
            return self._rows(field, record) if self.values.has_ids(record) else self._kept(self._count, field.json)
        return self._kept(self._field, field, field.json)

    def _kept(self, make: Callable[MadeOf, Fill], *args: MadeOf.args, **named: MadeOf.kwargs) -> Fill:
        """Make features that are written only where another value comes than the last one."""
        begin = len(self.listed)
        fill, end, last = make(*args, **named), len(self.listed), [object()]

        def fill_anew(vector: Vector, value: Value) -> None:
            if value is not last[0]:
                vector[begin:end] = 0
                fill(vector, value)
                last[0] = value

        return fill_anew

    def _rows(self, field: FieldSpec, record: RecordSpec) -> Fill:
        """Give every record that there may be its features."""
        ids = self.values.ids(record.name)
        rows = {name: self._kept(self._inline, record, f"{field.json}.{name}") for name in ids}
        last: list[object] = [None]

        def fill(vector: Vector, value: Value) -> None:
            assert isinstance(value, list)
            if value is not last[0]:
                there = {one.id: one for one in value}
                for name, row in rows.items():
                    row(vector, there.get(name))
                last[0] = value

        return fill

    def _record(self, record: RecordSpec, path: str) -> Fill:
        """Give the fields of one record their features."""
        told = (field for field in record.fields if field.name != "id")
        fills = [(field.name, self._field(field, f"{path}.{field.json}")) for field in told]

        def fill(vector: Vector, value: Value) -> None:
            for name, one in fills:
                one(vector, getattr(value, name))

        return fill

    def _field(self, field: FieldSpec, path: str) -> Fill:
        wanted, record = field.type, self.model.records.get(field.type.name)
        match wanted.kind:
            case "number" | "flag":
                return self._number(wanted, path)
            case "enum":
                return self._one_of(path, enumerate(self.model.enums[wanted.name].texts))
            case "place":
                return self._reference(path, self.values.places())
            case "record" if record is not None and not self.values.has_ids(record):
                return self._inline(record, path)
            case "record":
                return self._reference(path, self.values.ids(wanted.name))
            case "set" if wanted.name in self.model.enums:
                return self._any_of(path, enumerate(self.model.enums[wanted.name].texts))
            case "set" if record is not None or wanted.name == "place":
                return self._members(path, wanted.name)
            case "set":
                return self._count(path)
            case "pair" if wanted.name == "number":
                return self._pair(path)
        return _left_out

    def _number(self, wanted: Type, path: str) -> Fill:
        is_flag = wanted.kind == "flag"
        low = 0 if is_flag else -UNBOUNDED if wanted.low is None else wanted.low
        high = 1 if is_flag else UNBOUNDED if wanted.high is None else wanted.high
        there = self.add(f"{path}?", 0, 1, "flag") if wanted.optional else None
        at = self.add(path, min(low, 0), max(high, 0), "flag" if is_flag else "number")  # 0: it is not there

        def fill(vector: Vector, value: Value) -> None:
            if isinstance(value, int):
                vector[at] = value
                if there is not None:
                    vector[there] = 1

        return fill

    def _pair(self, path: str) -> Fill:
        places = [self.add(f"{path}.{number}", -UNBOUNDED, UNBOUNDED, "number") for number in (1, 2)]

        def fill(vector: Vector, value: Value) -> None:
            assert isinstance(value, list | tuple)
            vector[places] = value

        return fill

    def _count(self, path: str) -> Fill:
        at = self.add(path, 0, UNBOUNDED, "count")

        def fill(vector: Vector, value: Value) -> None:
            assert isinstance(value, list | tuple)
            vector[at] = len(value)

        return fill

    def _one_of(self, path: str, values: Iterator[tuple[int, str]]) -> Fill:
        places = {number: self.add(f"{path}={text}", 0, 1, "flag") for number, text in values}

        def fill(vector: Vector, value: Value) -> None:
            if value is not None:
                vector[places[int(value)]] = 1  # type: ignore[arg-type]  # the number of the value

        return fill

    def _any_of(self, path: str, values: Iterator[tuple[int, str]]) -> Fill:
        one_of = self._one_of(path, values)

        def fill(vector: Vector, value: Value) -> None:
            assert isinstance(value, list | tuple)
            for one in value:
                one_of(vector, one)

        return fill

    def _reference(self, path: str, names: list[str]) -> Fill:
        places = {name: self.add(f"{path}={name}", 0, 1, "flag") for name in names}

        def fill(vector: Vector, value: Value) -> None:
            if isinstance(value, Record):
                vector[places[value.id]] = 1

        return fill

    def _members(self, path: str, record: str) -> Fill:
        one_of = self._reference(path, self.values.places() if record == "place" else self.values.ids(record))

        def fill(vector: Vector, value: Value) -> None:
            assert isinstance(value, list | tuple)
            for one in value:
                one_of(vector, one)

        return fill

    def _inline(self, record: RecordSpec, path: str) -> Fill:
        """Make the features of a record that a field holds or lacks."""
        there, fields = self.add(f"{path}?", 0, 1, "flag"), self._record(record, path)

        def fill(vector: Vector, value: Value) -> None:
            if value is not None:
                vector[there] = 1
                fields(vector, value)

        return fill


def _left_out(vector: Vector, value: Value) -> None:
    """Show nothing of a value."""
    del vector, value
