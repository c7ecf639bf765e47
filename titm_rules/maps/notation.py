"""Read and write positions on one line, as differences from a base."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from titm_rules.catalog import scenario_folder
from titm_rules.diagnostics import InputError, TitmError, cut, did_you_mean, meant_name
from titm_rules.formats.case_files import SUFFIXES, CaseText, case_text, is_scenario, read_case_file, shipped_cases
from titm_rules.formats.safe_json import bad
from titm_rules.formats.validate import without_defaults
from titm_rules.ir.model import MISSING, FieldSpec, Model
from titm_rules.ir.types import Amount, Type, attribute, hyphenated, read_amount
from titm_rules.maps.expand import MAP, PART, OpenedSituation, open_situation
from titm_rules.maps.maps import map_paths
from titm_rules.maps.scenarios import FILE, read_scenario
from titm_rules.syntax.notation_parser import (
    Entry,
    Item,
    NotationValue,
    WrittenWord,
    fault,
    read_changes,
    read_notation,
    written,
)
from titm_rules.world.records import in_unit


def turn_numbers(model: Model, situation: str) -> list[FieldSpec]:
    """List the numbers with which the summary begins: `18-2` gives a day and an impulse, say."""
    fields = _summary_fields(model, situation)
    return list(takewhile(lambda spec: spec.type.kind == "number" and spec.type.measure is None, fields))


def turn_value(model: Model, situation: str, word: str) -> tuple[FieldSpec, str] | None:
    """Find the field in the summary, and its value, that a word alone names; nothing for a word of none or several."""
    specs = [spec for spec in _summary_fields(model, situation) if spec.type.kind == "enum"]
    found = [(spec, text) for spec in specs for text in model.enums[spec.type.name].meant_by(word)]
    return found[0] if len(found) == 1 else None


def turn_words(model: Model, situation: str) -> list[tuple[FieldSpec, tuple[str, ...]]]:
    """List the fields in the summary that a value alone names, each with its values: no two share one."""
    return [
        (spec, tuple(text for text in model.enums[spec.type.name].texts if turn_value(model, situation, text)))
        for spec in _summary_fields(model, situation)
        if spec.type.kind == "enum"
    ]


def _summary_fields(model: Model, situation: str) -> Iterator[FieldSpec]:
    fields = {spec.name: spec for spec in model.records[situation].fields}
    names = (attribute(name) for name, _ in model.summaries.get(situation, ()))
    return (fields[name] for name in names if name in fields)


_NUMBERS = re.compile(r"\d{1,9}(?:-\d{1,9})+", re.ASCII)
Json = dict[str, Any]
Write = Callable[[Type, Any], Any]  # gives a single value of a type as it shall be written


def spelled(model: Model, situation: str, data: Mapping[str, Any]) -> Json:
    """Give the values of a situation as the rules spell them; what is not understood stays as it is."""
    row = _spelled_row(model, situation, data, partial(_as_spelled, model))
    specs = turn_numbers(model, situation)
    said = row.get(specs[0].json) if specs else None
    if not isinstance(said, str) or not _NUMBERS.fullmatch(said) or said.count("-") >= len(specs):
        return row
    return row | {spec.json: int(number) for spec, number in zip(specs, said.split("-"), strict=False)}


def _spelled_row(model: Model, name: str, row: Mapping[str, Any], write: Write) -> Json:
    """Write the values of a record, and of those in its lists; other keys keep theirs."""
    types = {spec.json: spec.type for spec in model.records[name].fields}
    return {
        key: _spelled_value(model, types[key], value, write) if key in types else value for key, value in row.items()
    }


def _spelled_value(model: Model, wanted: Type, value: object, write: Write) -> Any:
    if isinstance(value, list):
        return [_spelled_value(model, wanted, one, write) for one in value]
    if isinstance(value, dict) and wanted.kind == "number_map":
        return {key: write(Type("number", measure=wanted.measure), one) for key, one in value.items()}
    if isinstance(value, dict) and wanted.name in model.records:
        return _spelled_row(model, wanted.name, value, write)
    return write(wanted, value)


def _as_spelled(model: Model, wanted: Type, value: object) -> object:
    enum = model.enums.get(wanted.name)
    if enum is None or not isinstance(value, str) or value in enum.texts:
        return value
    meant = enum.meant_by(value)
    return meant[0] if len(meant) == 1 else value


NOTHING = "-"
_KEPT = 64
_DATA: dict[tuple[str, str, Path | None], tuple[str, Json]] = {}
_LEAN: dict[tuple[str, str], Json] = {}


def base_data(model: Model, situation: str, name: WrittenWord, part: WrittenWord | None, text: str, path: str) -> Json:
    """Give the values that a notation is built on; raises `InputError` if nothing has this name."""
    if name.raw == NOTHING:
        return {}
    if part is None and name.text in _cases(model.home):
        its, data = _shipped(model, name.text, scenario_folder(model.home))
        if its == situation:
            return data
    known = map_paths(model)
    if name.text not in known:
        fix = did_you_mean(name.text, [*_cases(model.home), *known])
        raise InputError([fault(f"unknown scenario or map `{name.text[:80]}`", text, name.column, path, fix)])
    return {MAP: name.text, **({} if part is None else {PART: part.text})}


def whole(opened: OpenedSituation) -> Json:
    """Return a situation with all values of its map; it still names the map."""
    return {**{name: opened.raw[name] for name in (MAP, PART) if name in opened.raw}, **opened.data}


def shipped_without_defaults(model: Model, situation: str, name: str) -> Json:
    """Return a bundled situation as a position keeps it: with its map, without defaults."""
    key = model.home, name
    if key not in _LEAN:
        data = _shipped(model, name, scenario_folder(model.home))[1]
        _keep(_LEAN, key, without_defaults(model, situation, whole(open_situation(model, situation, data, name))))
    return _LEAN[key]


def likely_bases(model: Model, situation: str, named: Mapping[str, str]) -> Iterator[str]:
    """Yield the bundled situations on the same map, or on none."""
    for name, path in shipped_cases(model.home).items():
        if (path.name == FILE) != bool(named):  # a scenario names its map, a case gives one
            continue
        try:
            its, data = _shipped(model, name, scenario_folder(model.home))
        except TitmError:
            continue
        if its == situation and {key: data[key] for key in (MAP, PART) if key in data} == dict(named):
            yield name


@lru_cache(maxsize=16)
def _cases(game: str) -> tuple[str, ...]:
    return tuple(shipped_cases(game))


def _shipped(model: Model, name: str, home: Path | None) -> tuple[str, Json]:
    """Read a bundled situation, before its map is expanded; no file outside the folder `home` is read."""
    key = model.home, name, home
    if key not in _DATA:
        path = shipped_cases(model.home)[name]
        raw = read_case_file(path)
        if is_scenario(raw):
            scenario = read_scenario(model, path)
            _keep(_DATA, key, (scenario.situation, scenario.position))
        else:
            said = case_text(model, raw, path, named_base(model, raw, path, home), home)
            _keep(_DATA, key, (said.situation, dict(said.data)))
    return _DATA[key]


def named_base(model: Model, raw: Mapping[str, Any], path: Path, home: Path | None = None) -> tuple[str, Json] | None:
    """Give the bundled situation that a case is built on by name, if any; no file outside the folder `home` is read."""
    name = base_name(raw)
    if not name:
        return None
    known, where = shipped_cases(model.home), f"{path}: $.base"
    if name not in known:
        fix = f"{did_you_mean(name, known)}; a file is named with its ending"
        raise bad(f"nothing ships under the name `{cut(name)}`", where, fix, "unknown-name")
    if base_name(read_case_file(known[name])):
        raise bad(f"`{name}` is itself built on what ships", where, "name what it is built on", "bad-case")
    return _shipped(model, name, home)


def base_name(raw: Mapping[str, Any]) -> str:
    """Give the name of what ships that a case is built on; empty if it is built on a file, or on nothing."""
    base = str(raw.get("base", ""))
    return "" if Path(base).suffix in SUFFIXES else base


def _keep(kept: dict[Any, Any], key: object, value: object) -> None:
    kept[key] = value
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]


_ID = {"id": FieldSpec("id", "id", Type("text"))}
UNSAID = "!"  # for the value of a field: as if it were not said
NO, YES, NOBODY = "no", "yes", "-"


def data_of_notation(model: Model, situation: str, text: str, path: str = "$") -> Json:
    """Give the values of a situation written on one line. Raises `InputError` for other text, or unknown names."""
    notation = read_notation(text, path)
    base = base_data(model, situation, notation.base, notation.part, text, path)
    return _changed(model, situation, base, notation.items, text, path)


def data_with_changes(model: Model, situation: str, data: Mapping[str, Any], text: str, path: str = "--set") -> Json:
    """Give the values of a situation after the changes of a notation; raises `InputError` as `data_of_notation`."""
    return _changed(model, situation, data, read_changes(text, path), text, path)


def _changed(
    model: Model, situation: str, data: Mapping[str, Any], items: Sequence[Item], text: str, path: str
) -> Json:
    changer = _Changer(model, situation, open_situation(model, situation, data, path), text)
    for item in items:
        changer.take(item)
    return changer.data()


def _is_list(model: Model, spec: FieldSpec) -> bool:
    return spec.owns and model.records[spec.type.name].has_id and not model.records[spec.type.name].is_bare


class _Changer:
    """A situation while items change it: its lists of records by id, and its other fields."""

    def __init__(self, model: Model, situation: str, opened: OpenedSituation, text: str) -> None:
        self.model, self.situation, self.text, self.path = model, situation, text, opened.where
        self.naming, data = opened.naming, whole(opened)
        fields = model.records[situation].fields
        self.specs = {spec.json: spec for spec in fields}
        self.lists = {spec.json: spec for spec in fields if _is_list(model, spec)}
        self.rows = {name: {row["id"]: row for row in data.get(name) or ()} for name in self.lists}
        self.rest = {name: value for name, value in data.items() if name not in self.lists}

    def data(self) -> Json:
        lists = {name: list(rows.values()) for name, rows in self.rows.items() if rows}
        return {**self.rest, **lists}

    def take(self, item: Item) -> None:
        match item.kind:
            case "field":
                spec = self._field(item.thing, self.specs, f"a {self.situation}")
                if spec.json in self.lists:
                    rows = self._value(spec.type, item.value, item.thing, owned=True)
                    self.rows[spec.json] = {str(row.get("id")): row for row in rows}
                else:
                    self._store(self.rest, spec, item.value, item.thing)
            case "row":
                name, identity = self._found(item, item.table, item.thing.text)
                if not self._is_whole(name, identity, item.fields):
                    raise self._unknown(item, name, self.rows[name])
                self._set_row(name, identity, item.fields)
            case "piece":
                self._put(item)
            case _:
                self._say(item)

    def wrong(self, what: str, word: WrittenWord, known: Sequence[str] = (), fix: str = "") -> InputError:
        fix = fix or did_you_mean(word.text, known)
        return InputError([fault(what, self.text, word.column, self.path, fix)])

    def _put(self, item: Item) -> None:
        """Put a piece at a place; one that is not there yet comes."""
        assert item.at is not None
        pieces = [name for name, spec in self.lists.items() if self.model.records[spec.type.name].role == "piece"]
        identity, at = item.thing.text, item.at
        holding = [name for name in pieces if identity in self.rows[name]] or pieces
        if item.table is None and not holding:
            raise self.wrong("no pieces stand at places here", item.thing)
        name = holding[0] if item.table is None else self._list_named(item.table)
        known = [one for table, spec in self.lists.items() for one in self.rows[table]
                 if self.model.records[spec.type.name].role == "place"]  # fmt: skip
        place = at.text if at.text in known else self.naming.place_id(at.text)
        if place not in known:
            raise self.wrong(f"unknown place `{cut(at.text)}`", at, known)
        if not self._is_whole(name, identity, item.fields):
            identity = self._coming(name, item)
        self.rows[name][identity] = {**self.rows[name].get(identity, {"id": identity}), "place": place}
        self._set_row(name, identity, item.fields)

    def _is_whole(self, name: str, identity: str, entries: Sequence[Entry]) -> bool:
        """Whether a row is there, or comes with all that it must have; the place of a piece is given before it."""
        given = {entry.name.text.replace("-", "_").casefold() for entry in entries if entry.name is not None}
        return identity in self.rows[name] or self._needed(name) <= given

    def _needed(self, name: str) -> set[str]:
        fields = self.model.records[self.lists[name].type.name].fields
        return {spec.json for spec in fields if spec.default == MISSING and not spec.same_as} - {"id", "place"}

    def _coming(self, name: str, item: Item) -> str:
        """Find the piece that a name means, one that waits in another list too; that one leaves its list.

        Raises `InputError` if nothing that could stand at a place bears the name.
        """
        fields = {spec.json for spec in self.model.records[self.lists[name].type.name].fields}
        waiting = {
            one: table for table in self.lists if table != name
            for one, row in self.rows[table].items() if self._needed(name) <= row.keys()
        }  # fmt: skip
        known = [*self.rows[name], *waiting]
        identity = self._meant(item, item.thing.text, known)
        if identity not in known:
            raise self._unknown(item, name, known)
        if identity in waiting:
            row = self.rows[waiting[identity]].pop(identity)
            self.rows[name][identity] = {key: value for key, value in row.items() if key in fields or key == "id"}
        return identity

    def _unknown(self, item: Item, name: str, known: Iterable[str]) -> InputError:
        """Make the fault of a row that is not there, and not given in full."""
        new = f"a new {self.lists[name].type.name} needs {', '.join(sorted(self._needed(name)))} in parentheses"
        fix = "; ".join(part for part in (did_you_mean(item.thing.text, known), new) if part)
        return self.wrong(f"nothing is called `{cut(item.thing.text)}`", item.thing, fix=fix)

    def _meant(self, item: Item, text: str, known: Sequence[str]) -> str:
        try:
            return meant_name(text, known, self.path)
        except InputError as error:
            raise self.wrong(error.faults[0].what, item.thing, fix=error.faults[0].fix) from None

    def _set_row(self, name: str, identity: str, entries: Sequence[Entry]) -> None:
        record, row = self.lists[name].type.name, self.rows[name].get(identity, {"id": identity})
        self.rows[name][identity] = self._record(record, entries, row, {})

    def _record(self, name: str, entries: Sequence[Entry], row: Json, known: Mapping[str, FieldSpec]) -> Json:
        """Set fields of a record of a type, and others that are `known`; a name alone is a flag that is up."""
        row, known = dict(row), {**known, **{spec.json: spec for spec in self.model.records[name].fields}}
        for entry in entries:
            word, value = entry.name, entry.value
            if word is None:
                if not isinstance(value, WrittenWord):
                    raise InputError([fault("a value has no name here", self.text, 1, self.path, "write NAME=VALUE")])
                word, value = value, WrittenWord(YES, value.column)
            self._store(row, self._field(word, known, f"a {name}"), value, word)
        return row

    def _field(self, word: WrittenWord, known: Mapping[str, FieldSpec], of: str) -> FieldSpec:
        name = word.text.replace("-", "_").replace(" ", "_").casefold()
        if name not in known:
            raise self.wrong(f"{of} has no field `{cut(word.text)}`", word, list(known))
        return known[name]

    def _list_named(self, word: WrittenWord) -> str:
        name = word.text.replace("-", "_").replace(" ", "_")
        if name not in self.lists:
            raise self.wrong(f"unknown list `{cut(word.text)}`", word, list(self.lists))
        return name

    def _found(self, item: Item, table: WrittenWord | None, text: str, having: str = "") -> tuple[str, str]:
        if table is not None:
            name = self._list_named(table)
            return name, self._known(name, text) or text
        tables = [
            name for name, spec in self.lists.items()
            if not having or self.model.records[spec.type.name].field_named(having)
        ]  # fmt: skip
        everything = {one: name for name in reversed(tables) for one in self.rows[name]}
        for name in tables:
            found = self._known(name, text)
            if found is not None:
                return name, found
        meant = self._meant(item, text, [*everything])
        if meant in everything:
            return everything[meant], meant
        raise self.wrong(f"nothing is called `{cut(text)}`", item.thing, fix=did_you_mean(text, everything))

    def _known(self, name: str, text: str) -> str | None:
        rows, kind = self.rows[name], self.lists[name].type
        found = text if text in rows else self.naming.ids(Type("record", kind.name), text)
        if found in rows:
            return str(found)
        plain = text.replace(" ", "_")
        return plain if plain in rows else None

    def _say(self, item: Item) -> None:
        """Take in words: when it is, `no X`, or `FIELD X VALUE`."""
        words = item.thing.words if item.table is None else [*item.table.words, *item.thing.words]
        if words[0].casefold() == NO and len(words) > 1:
            table = None if item.table is None else WrittenWord(" ".join(item.table.words[1:]), item.table.column)
            text = item.thing.text if table is not None else " ".join(item.thing.words[1:])
            name, identity = self._found(item, table, text)
            if self.rows[name].pop(identity, None) is None:
                raise self.wrong(f"`{cut(text)}` is not there", item.thing, fix=did_you_mean(text, self.rows[name]))
        elif item.table is None and (turn := self._turn(words)) is not None:
            self.rest |= turn
        else:
            self._phrase(item, words)

    def _turn(self, words: list[str]) -> Json | None:
        """Give the fields of the summary that numbers, or the words for one value, set; nothing for other words."""
        numbers, specs = words[0].split("-"), turn_numbers(self.model, self.situation)
        are_numbers = len(words) == 1 and all(one.isdecimal() and len(one) < 10 for one in numbers)
        if are_numbers and len(numbers) <= len(specs):
            return {spec.json: int(one) for spec, one in zip(specs, numbers, strict=False)}
        found = turn_value(self.model, self.situation, " ".join(words))
        return None if found is None else {found[0].json: found[1]}

    def _phrase(self, item: Item, words: list[str]) -> None:
        name = words[0].replace("-", "_").casefold()
        fields = [spec for one in self.lists.values() for spec in self.model.records[one.type.name].fields]
        having = [spec for spec in fields if spec.json == name]
        if not having or len(words) < 2 or item.table is not None:
            texts = [text for _, values in turn_words(self.model, self.situation) for text in values]
            near = did_you_mean(item.thing.words[0], [*(spec.json for spec in fields), *texts])
            fix = f"write ID@PLACE, FIELD ID VALUE, `no ID` or NAME=VALUE; {near}"
            raise self.wrong(f"`{cut(item.thing.raw)}` says nothing", item.thing, fix=fix)
        is_flag = having[0].type.kind == "flag" and words[-1].casefold() not in (YES, NO)
        rest, value = (words[1:], YES) if is_flag else (words[1:-1], words[-1])
        table, identity = self._found(item, None, " ".join(rest), name)
        row = dict(self.rows[table][identity])
        spec = self.model.records[self.lists[table].type.name].field_named(name)
        assert spec is not None
        self._store(row, spec, WrittenWord(value, item.thing.column), item.thing)
        self.rows[table][identity] = row

    def _store(self, into: Json, spec: FieldSpec, value: NotationValue, word: WrittenWord) -> None:
        if isinstance(value, WrittenWord) and value.raw == UNSAID:
            into.pop(spec.json, None)
        else:
            into[spec.json] = self._value(spec.type, value, word, spec.owns)

    def _value(self, wanted: Type, value: NotationValue, word: WrittenWord, owned: bool = False) -> Any:
        if wanted.optional and isinstance(value, WrittenWord) and value.raw == NOBODY:
            return None
        if wanted.kind in ("set", "pair"):
            if isinstance(value, WrittenWord):
                raise self.wrong("several values stand in parentheses", value, fix="write (A;B)")
            return [self._member(wanted.name, entry, word, owned) for entry in value]
        if isinstance(value, WrittenWord):
            return self._plain(wanted, value)
        if wanted.kind != "record":
            raise self.wrong("one value is wanted here", word)
        return self._record(wanted.name, value, {}, _ID)

    def _member(self, name: str, entry: Entry, word: WrittenWord, owned: bool) -> Any:
        if entry.name is not None:
            raise self.wrong("a member of a list has no name", entry.name)
        record = self.model.records.get(name)
        if record is not None and record.is_bare:
            return self._value(Type("pair", "place"), entry.value, word)
        if record is not None and not isinstance(entry.value, WrittenWord) and (owned or not record.has_id):
            return self._record(name, entry.value, {}, _ID)
        wanted = Type("enum", name) if name in self.model.enums else Type("number" if name == "number" else "text")
        return self._value(wanted, entry.value, word)

    def _plain(self, wanted: Type, word: WrittenWord) -> Any:
        text, shown = word.text, f"`{cut(word.text)}`"
        match wanted.kind:
            case "flag":
                if text.casefold() not in (YES, NO):
                    raise self.wrong(f"{shown} is not a flag", word, fix="write yes or no")
                return text.casefold() == YES
            case "number" if (measure := wanted.measure) is not None:
                if (found := read_amount(text, measure)) is None:
                    fix = f"write a multiple of 1/{measure.parts}"
                    raise self.wrong(f"{shown} is not a number of {measure.name}", word, fix=fix)
                return found
            case "number":
                if not text.removeprefix("-").isdecimal() or len(text) > 10:
                    raise self.wrong(f"{shown} is not a number", word, fix="write a whole number")
                return int(text)
            case "enum":
                enum = self.model.enums[wanted.name]
                meant = enum.meant_by(text)
                if len(meant) > 1:
                    raise self.wrong(f"{shown} may be {' or '.join(meant)}", word, fix="write one of them")
                if not meant:
                    raise self.wrong(f"{shown} is not a {enum.name}", word, enum.words)
                return meant[0]
        return text


JsonView = Mapping[str, Any]


def notation_of(
    model: Model, situation: str, data: JsonView, named: Mapping[str, str], preferred: Collection[str] = ()
) -> str:
    """Write a situation on one line; `named` is its map and part, `preferred` are bases to take among equals."""
    base, values = _base(model, situation, data, named, preferred)
    return ",".join([base, *_NotationWriter(model, situation, data, values).items()])


def _base(
    model: Model, situation: str, data: JsonView, named: Mapping[str, str], preferred: Collection[str]
) -> tuple[str, JsonView]:
    """Choose the base: the bundled situation with most in common, or else the map, or nothing."""
    places = [spec.json for spec in model.records[situation].fields if _holds(model, spec, "place")]
    best, most = "", (0, False)
    for name in likely_bases(model, situation, named):
        other = shipped_without_defaults(model, situation, name)
        if all(_ids(data, table) == _ids(other, table) for table in places):
            common = _in_common(data, other), name in preferred
            if common > most:
                best, most = name, common
    if best:
        return written(best), shipped_without_defaults(model, situation, best)
    if not named:
        return NOTHING, {}
    plain = without_defaults(model, situation, whole(open_situation(model, situation, dict(named), "$")))
    return "/".join(written(named[key]) for key in (MAP, PART) if key in named), plain


def _holds(model: Model, spec: FieldSpec, role: str) -> bool:
    return spec.owns and model.records[spec.type.name].role == role


def _ids(data: JsonView, table: str) -> set[str]:
    return {row["id"] for row in data.get(table) or () if isinstance(row, dict) and "id" in row}


def _in_common(data: JsonView, other: JsonView) -> int:
    count = 0
    for name, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict) and "id" in value[0]:
            rows = {row["id"]: row for row in other.get(name) or ()}
            count += sum(rows.get(row["id"]) == row for row in value)
        else:
            count += other.get(name) == value
    return count


class _NotationWriter:
    """Writes the differences between a situation and its base."""

    def __init__(self, model: Model, situation: str, data: JsonView, base: JsonView) -> None:
        self.model, self.situation, self.base = model, situation, base
        self.data = _spelled_row(model, situation, data, in_unit)
        self.fields = model.records[situation].fields

    def items(self) -> Iterator[str]:
        numbers, written_fields = turn_numbers(self.model, self.situation), set()
        if numbers and all(spec.json in self.data for spec in numbers):
            yield "-".join(str(self.data[spec.json]) for spec in numbers)
            written_fields = {spec.json for spec in numbers}
        for spec, texts in turn_words(self.model, self.situation):
            value = self.data.get(spec.json, spec.default)
            if value in texts:
                written_fields.add(spec.json)
                if value != self.base.get(spec.json, spec.default):
                    yield written(value)
        for spec in self.fields:
            if spec.json not in written_fields:
                yield from self._field(spec)

    def _field(self, spec: FieldSpec) -> Iterator[str]:
        if _is_list(self.model, spec):
            yield from self._list(spec)
        elif self.data.get(spec.json, MISSING) != self.base.get(spec.json, MISSING):
            yield f"{_name(spec)}={_value_of(self.data, spec)}"

    def _list(self, spec: FieldSpec) -> Iterator[str]:
        rows = {row["id"]: row for row in self.data.get(spec.json) or ()}
        before = {row["id"]: row for row in self.base.get(spec.json) or ()}
        gone = [one for one in before if one not in rows]
        if [*(one for one in before if one in rows), *(one for one in rows if one not in before)] != list(rows):
            yield f"{_name(spec)}={_written_value(list(rows.values()))}"
            return
        yield from (f"no_{_name(spec)}/{written(one)}" for one in gone)
        for one, row in rows.items():
            if row != before.get(one):
                yield self._row(spec, one, row, before.get(one, {}))

    def _row(self, spec: FieldSpec, identity: str, row: JsonView, before: JsonView) -> str:
        record = self.model.records[spec.type.name]
        specs = [one for one in record.fields if row.get(one.json, MISSING) != before.get(one.json, MISSING)]
        moved = record.role == "piece" and (not before or any(one.json == "place" for one in specs))
        moved = moved and row.get("place") is not None
        # An id alone identifies a piece if no other list holds pieces.
        if moved := moved and [one for one in self.fields if _holds(self.model, one, "piece")] == [spec]:
            name = f"{written(identity)}@{written(row['place'])}"
        else:
            name = f"{_name(spec)}/{written(identity)}"
        said = [_entry(row, one) for one in specs if not (moved and one.json == "place")]
        return name + (f"({';'.join(said)})" if said or not moved else "")


def _name(spec: FieldSpec) -> str:
    return written(hyphenated(spec.json))


def _entry(row: JsonView, spec: FieldSpec) -> str:
    value = row.get(spec.json)
    return _name(spec) if value is True else f"{_name(spec)}={_value_of(row, spec)}"


def _value_of(row: JsonView, spec: FieldSpec) -> str:
    """Write the value of a field; of one that is not said its default, or that it is not said."""
    if spec.json in row:
        return _written_value(row[spec.json])
    if spec.default == MISSING or spec.same_as:
        return UNSAID
    return _written_value(list(spec.default) if isinstance(spec.default, tuple) else in_unit(spec.type, spec.default))


def _written_value(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case dict():
            fields = (f"{written(hyphenated(str(name)))}={_written_value(field)}" for name, field in value.items())
            return f"({';'.join(fields)})"
        case list() | tuple():
            return f"({';'.join(map(_written_value, value))})"
        case Amount():
            return str(value).replace(" ", "_")
    return written(str(value))


def built_case(model: Model, raw: Mapping[str, Any], path: Path, home: Path | None = None) -> CaseText:
    """Sort what a case file says; its base is put under it, and a notation becomes values. See `case_text`."""
    on = named_base(model, raw, path, home)
    said = case_text(model, _without_notations(model, raw, f"{path}: $"), path, on, home)
    return replace(said, data=spelled(model, said.situation, said.data))


def _without_notations(model: Model, raw: Mapping[str, Any], where: str) -> Json:
    found = dict(raw)
    for name, text in _notations(model, raw):
        found[name] = data_of_notation(model, name, text, f"{where}.{name}")
    if isinstance(raw.get("input"), dict):
        found["input"] = _without_notations(model, raw["input"], f"{where}.input")
    return found


def _notations(model: Model, raw: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, record in model.records.items():
        if record.role == "situation" and isinstance(raw.get(name), str):
            yield name, raw[name]


def special_rules_under(model: Model, raw: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the special rules of the scenario that a case is built on; none if it is built on none."""
    inner = raw["input"] if isinstance(raw.get("input"), dict) else {}
    texts = [text for source in (raw, inner) for _, text in _notations(model, source)]
    names = [base_name(raw), *(read_notation(text).base.text for text in texts)]
    shipped = shipped_cases(model.home)
    paths = [shipped[name] for name in names if name in shipped]
    scenarios = [read_scenario(model, path) for path in paths if is_scenario(read_case_file(path))]
    return tuple(dict.fromkeys(overlay for one in scenarios for overlay in one.overlays))
