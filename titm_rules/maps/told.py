"""Positions on one line: from values to the notation, as what differs from something that ships."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from titm_rules.formats.sound import without_defaults
from titm_rules.maps.bases import NOTHING, lean, likely_bases, whole
from titm_rules.maps.expand import MAP, PART
from titm_rules.maps.notation import UNSAID, has_id
from titm_rules.maps.spelled import row_in_units
from titm_rules.maps.turns import turn_numbers, turn_words
from titm_rules.rules.amounts import Amount
from titm_rules.rules.model import MISSING, FieldSpec, Model
from titm_rules.rules.spelling import spoken
from titm_rules.syntax.notation import written
from titm_rules.world.show import in_unit

JsonView = Mapping[str, Any]


def notation_of(
    model: Model, situation: str, data: JsonView, named: Mapping[str, str], preferred: Collection[str] = ()
) -> str:
    """Write a situation on one line.

    Args:
        model: the rules.
        situation: its name.
        data: its values, as a position keeps them.
        named: the map that it stands on, and the part of it; empty if it stands on none.
        preferred: names to build on where others have as much in common.
    """
    base, values = _base(model, situation, data, named, preferred)
    return ",".join([base, *_Teller(model, situation, data, values).items()])


def _base(
    model: Model, situation: str, data: JsonView, named: Mapping[str, str], preferred: Collection[str]
) -> tuple[str, JsonView]:
    """Choose what to build on: what ships and has most in common, or else the map, or nothing."""
    places = [spec.json for spec in model.records[situation].fields if _holds(model, spec, "place")]
    best, most = "", (0, False)
    for name in likely_bases(model, situation, named):
        other = lean(model, situation, name)
        if all(_ids(data, table) == _ids(other, table) for table in places):
            common = _in_common(data, other), name in preferred
            if common > most:
                best, most = name, common
    if best:
        return written(best), lean(model, situation, best)
    if not named:
        return NOTHING, {}
    plain = without_defaults(model, situation, whole(model, situation, named, "$"))
    return "/".join(written(named[key]) for key in (MAP, PART) if key in named), plain


def _holds(model: Model, spec: FieldSpec, role: str) -> bool:
    return spec.owns and model.records[spec.type.name].role == role


def _ids(data: JsonView, table: str) -> set[str]:
    return {row["id"] for row in data.get(table) or () if isinstance(row, dict) and "id" in row}


def _in_common(data: JsonView, other: JsonView) -> int:
    """Count the rows that are the same, and the fields of the whole."""
    count = 0
    for name, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict) and "id" in value[0]:
            rows = {row["id"]: row for row in other.get(name) or ()}
            count += sum(rows.get(row["id"]) == row for row in value)
        else:
            count += other.get(name) == value
    return count


class _Teller:
    """Tells what differs between a situation and what it is built on."""

    def __init__(self, model: Model, situation: str, data: JsonView, base: JsonView) -> None:
        self.model, self.situation, self.base = model, situation, base
        self.data = row_in_units(model, situation, data)
        self.fields = model.records[situation].fields

    def items(self) -> Iterator[str]:
        """Yield the items of the notation."""
        numbers = turn_numbers(self.model, self.situation)
        if numbers and all(spec.json in self.data for spec in numbers):
            yield "-".join(str(self.data[spec.json]) for spec in numbers)
            told = {spec.json for spec in numbers}
        else:
            told = set()
        for spec, texts in turn_words(self.model, self.situation):
            value = self.data.get(spec.json, spec.default)
            if value in texts:
                told.add(spec.json)
                if value != self.base.get(spec.json, spec.default):
                    yield written(value)
        for spec in self.fields:
            if spec.json not in told:
                yield from self._field(spec)

    def _field(self, spec: FieldSpec) -> Iterator[str]:
        if spec.owns and has_id(self.model.records[spec.type.name]):
            yield from self._list(spec)
        elif self.data.get(spec.json, MISSING) != self.base.get(spec.json, MISSING):
            yield f"{_name(spec)}={_value_of(self.data, spec)}"

    def _list(self, spec: FieldSpec) -> Iterator[str]:
        rows = {row["id"]: row for row in self.data.get(spec.json) or ()}
        before = {row["id"]: row for row in self.base.get(spec.json) or ()}
        gone = [one for one in before if one not in rows]
        if [*(one for one in before if one in rows), *(one for one in rows if one not in before)] != list(rows):
            yield f"{_name(spec)}={_value(list(rows.values()))}"
            return
        yield from (f"no_{_name(spec)}/{written(one)}" for one in gone)
        for one, row in rows.items():
            if row != before.get(one):
                yield self._row(spec, one, row, before.get(one, {}))

    def _row(self, spec: FieldSpec, identity: str, row: JsonView, before: JsonView) -> str:
        record = self.model.records[spec.type.name]
        specs = [one for one in record.fields if row.get(one.json, MISSING) != before.get(one.json, MISSING)]
        moved = record.role == "piece" and (not before or any(one.json == "place" for one in specs))
        name = f"{written(identity)}@{written(row['place'])}" if moved and self._only_pieces(spec) else (
            f"{_name(spec)}/{written(identity)}")  # fmt: skip
        said = [one for one in specs if not (moved and self._only_pieces(spec) and one.json == "place")]
        return name + (f"({';'.join(_entry(row, one) for one in said)})" if said or "@" not in name else "")

    def _only_pieces(self, spec: FieldSpec) -> bool:
        """Whether no other list holds pieces, so that one stands by its id alone."""
        return [one for one in self.fields if _holds(self.model, one, "piece")] == [spec]


def _name(spec: FieldSpec) -> str:
    return written(spoken(spec.json))


def _entry(row: JsonView, spec: FieldSpec) -> str:
    value = row.get(spec.json)
    return _name(spec) if value is True else f"{_name(spec)}={_value_of(row, spec)}"


def _value_of(row: JsonView, spec: FieldSpec) -> str:
    """Write the value of a field; of one that is not said its default, or that it is not said."""
    if spec.json in row:
        return _value(row[spec.json])
    if spec.default == MISSING or spec.same_as:
        return UNSAID
    return _value(list(spec.default) if isinstance(spec.default, tuple) else in_unit(spec.type, spec.default))


def _value(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case dict():
            return f"({';'.join(f'{written(spoken(str(name)))}={_value(one)}' for name, one in value.items())})"
        case list() | tuple():
            return f"({_members(value)})"
        case Amount():
            return str(value).replace(" ", "_")
    return written(str(value))


def _members(values: Sequence[object]) -> str:
    return ";".join(map(_value, values))
