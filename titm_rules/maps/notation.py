"""Positions on one line: from the notation to values, by what the rules declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from titm_rules.diagnostics import InputError, cut, did_you_mean
from titm_rules.maps.bases import base_data, whole
from titm_rules.maps.expand import MAP, PART, Naming, map_of, names_map
from titm_rules.maps.turns import turn_numbers, turn_value, turn_words
from titm_rules.rules.amounts import read_amount
from titm_rules.rules.model import EnumSpec, FieldSpec, Model, RecordSpec
from titm_rules.rules.types import Measure, Type
from titm_rules.syntax.notation import Entry, Item, NotationValue, WrittenWord, fault, read_changes, read_notation

UNSAID = "!"  # for the value of a field: as if it were not said
NO, YES, NOBODY = "no", "yes", "-"
Json = dict[str, Any]


def data_of_notation(model: Model, situation: str, text: str, path: str = "$") -> Json:
    """Give the values of a situation that is written on one line.

    Raises:
        InputError: for a text that is none, or names what there is not.
    """
    notation = read_notation(text, path)
    base = base_data(model, situation, notation.base, notation.part, text, path)
    return _changed(model, situation, base, notation.items, text, path)


def data_with_changes(model: Model, situation: str, data: Mapping[str, Any], text: str, path: str = "--set") -> Json:
    """Give the values of a situation after the changes of a notation.

    Raises:
        InputError: as `data_of_notation`.
    """
    return _changed(model, situation, data, read_changes(text, path), text, path)


def _changed(
    model: Model, situation: str, data: Mapping[str, Any], items: Sequence[Item], text: str, path: str
) -> Json:
    changer = _Changer(model, situation, whole(model, situation, data, path), text, path)
    for item in items:
        changer.take(item)
    return changer.data()


def has_id(record: RecordSpec) -> bool:
    """Whether records of a sort are told apart by an id."""
    named = record.role in ("place", "piece", "connection") or any(spec.name == "id" for spec in record.fields)
    return named and not record.is_bare


class _Changer:
    """A situation while items change it: its lists of records by id, and its other fields."""

    def __init__(self, model: Model, situation: str, data: Json, text: str, path: str) -> None:
        self.model, self.situation, self.text, self.path = model, situation, text, path
        self.naming = Naming(model, map_of(model, data, path), data.get(PART)) if names_map(data) else None
        fields = model.records[situation].fields
        self.specs = {spec.json: spec for spec in fields}
        self.lists = {spec.json: spec for spec in fields if spec.owns and has_id(model.records[spec.type.name])}
        self.rows = {name: {row["id"]: row for row in data.get(name) or ()} for name in self.lists}
        self.rest = {name: value for name, value in data.items() if name not in self.lists}

    def data(self) -> Json:
        """Give the values after all changes."""
        lists = {name: list(rows.values()) for name, rows in self.rows.items() if rows}
        return {**self.rest, **lists}

    def take(self, item: Item) -> None:
        """Take in one item."""
        match item.kind:
            case "field":
                self._set_field(item.thing, item.value)
            case "row":
                self._set_row(*self._found(item, item.table, item.thing.text), item.fields)
            case "piece":
                self._put(item)
            case _:
                self._say(item)

    def wrong(self, what: str, word: WrittenWord, known: Sequence[str] = (), fix: str = "") -> InputError:
        """Make the error of a word."""
        fix = fix or did_you_mean(word.text, known)
        return InputError([fault(what, self.text, word.column, self.path, fix)])

    # ------------------------------------------------------------------ records
    def _put(self, item: Item) -> None:
        """Put a piece at a place; one that is not there yet comes."""
        assert item.at is not None
        pieces = [name for name, spec in self.lists.items() if self.model.records[spec.type.name].role == "piece"]
        name = self._list_named(item.table) if item.table is not None else next(
            (one for one in pieces if item.thing.text in self.rows[one]), pieces[0] if pieces else "")  # fmt: skip
        if not name:
            raise self.wrong("no pieces stand at places here", item.thing)
        identity = item.thing.text
        row = self.rows[name].get(identity, {"id": identity})
        self.rows[name][identity] = {**row, "place": self._place(item.at)}
        self._set_row(name, identity, item.fields)

    def _place(self, word: WrittenWord) -> str:
        known = [one for name, spec in self.lists.items() for one in self.rows[name]
                 if self.model.records[spec.type.name].role == "place"]  # fmt: skip
        found = word.text if word.text in known or self.naming is None else self.naming.place(word.text)
        if found not in known:
            raise self.wrong(f"unknown place `{cut(word.text)}`", word, known)
        return found

    def _set_row(self, name: str, identity: str, entries: Sequence[Entry]) -> None:
        record = self.model.records[self.lists[name].type.name]
        row = dict(self.rows[name].get(identity, {"id": identity}))
        for entry in entries:
            word, value = self._entry(entry)
            spec = self._field(word, {spec.json: spec for spec in record.fields}, f"a {record.name}")
            self._store(row, spec, value, word)
        self.rows[name][identity] = row

    def _entry(self, entry: Entry) -> tuple[WrittenWord, NotationValue]:
        """Give the name and the value of an entry; a name alone is a flag that is up."""
        if entry.name is not None:
            return entry.name, entry.value
        if not isinstance(entry.value, WrittenWord):
            raise InputError([fault("a value has no name here", self.text, 1, self.path, "write NAME=VALUE")])
        return entry.value, WrittenWord(YES, entry.value.column)

    def _field(self, word: WrittenWord, known: Mapping[str, FieldSpec], of: str) -> FieldSpec:
        name = word.text.replace("-", "_").replace(" ", "_").casefold()
        if name not in known:
            raise self.wrong(f"{of} has no field `{cut(word.text)}`", word, list(known))
        return known[name]

    def _list_named(self, word: WrittenWord) -> str:
        name = word.text.replace("-", "_").replace(" ", "_")
        if name not in self.lists:
            raise self.wrong(f"there is no list `{cut(word.text)}`", word, list(self.lists))
        return name

    def _found(self, item: Item, table: WrittenWord | None, text: str, having: str = "") -> tuple[str, str]:
        """Find a record by any of its names, in the list that is named, or in any that has a field."""
        if table is not None:
            name = self._list_named(table)
            return name, self._known(name, text) or text
        for name, spec in self.lists.items():
            record = self.model.records[spec.type.name]
            found = self._known(name, text) if not having or record.field_named(having) else None
            if found is not None:
                return name, found
        everything = [one for rows in self.rows.values() for one in rows]
        raise self.wrong(f"nothing is called `{cut(text)}`", item.thing, fix=did_you_mean(text, everything))

    def _known(self, name: str, text: str) -> str | None:
        rows, kind = self.rows[name], self.lists[name].type
        found = text if text in rows or self.naming is None else self.naming.of(Type("record", kind.name), text)
        if found in rows:
            return str(found)
        plain = text.replace(" ", "_")
        return plain if plain in rows else None

    # ------------------------------------------------------------------ words
    def _say(self, item: Item) -> None:
        """Take in words: when it is, `no X`, or `FIELD X VALUE`."""
        words = item.thing.words if item.table is None else [*item.table.words, *item.thing.words]
        if words[0].casefold() == NO and len(words) > 1:
            self._remove(item)
        elif not (item.table is None and (self._turn(words) or self._word(words))):
            self._phrase(item, words)

    def _remove(self, item: Item) -> None:
        table = None if item.table is None else WrittenWord(" ".join(item.table.words[1:]), item.table.column)
        text = item.thing.text if table is not None else " ".join(item.thing.words[1:])
        name, identity = self._found(item, table, text)
        if self.rows[name].pop(identity, None) is None:
            raise self.wrong(f"`{cut(text)}` is not there", item.thing, fix=did_you_mean(text, self.rows[name]))

    def _turn(self, words: list[str]) -> bool:
        """Take numbers as those that say when it is."""
        numbers, specs = words[0].split("-"), turn_numbers(self.model, self.situation)
        if len(words) > 1 or not all(one.isdecimal() and len(one) < 10 for one in numbers) or len(numbers) > len(specs):
            return False
        self.rest |= {spec.json: int(one) for spec, one in zip(specs, numbers, strict=False)}
        return True

    def _word(self, words: list[str]) -> bool:
        """Take a value alone for the field of the turn that has it."""
        found = turn_value(self.model, self.situation, " ".join(words))
        if found is None:
            return False
        spec, self.rest[spec.json] = found
        return True

    def _phrase(self, item: Item, words: list[str]) -> None:
        """Take `FIELD X VALUE`, or `FIELD X` for a flag."""
        name = words[0].replace("-", "_").casefold()
        fields = [spec for one in self.lists.values() for spec in self.model.records[one.type.name].fields]
        having = [spec for spec in fields if spec.json == name]
        if not having or len(words) < 2 or item.table is not None:
            raise self._says_nothing(item.thing, [spec.json for spec in fields])
        is_flag = having[0].type.kind == "flag" and words[-1].casefold() not in (YES, NO)
        rest, value = (words[1:], YES) if is_flag else (words[1:-1], words[-1])
        table, identity = self._found(item, None, " ".join(rest), name)
        row = dict(self.rows[table][identity])
        spec = self.model.records[self.lists[table].type.name].field_named(name)
        assert spec is not None
        self._store(row, spec, WrittenWord(value, item.thing.column), item.thing)
        self.rows[table][identity] = row

    def _says_nothing(self, word: WrittenWord, fields: Sequence[str]) -> InputError:
        texts = [text for _, values in turn_words(self.model, self.situation) for text in values]
        near = did_you_mean(word.words[0], [*fields, *texts])
        fix = f"write ID@PLACE, FIELD ID VALUE, `no ID` or NAME=VALUE; {near}"
        return self.wrong(f"`{cut(word.raw)}` says nothing", word, fix=fix)

    # ------------------------------------------------------------------ values
    def _set_field(self, word: WrittenWord, value: NotationValue) -> None:
        spec = self._field(word, self.specs, f"a {self.situation}")
        if spec.json in self.lists:
            rows = self._value(spec.type, value, word, owned=True)
            self.rows[spec.json] = {str(row.get("id")): row for row in rows}
            return
        self._store(self.rest, spec, value, word)

    def _store(self, into: Json, spec: FieldSpec, value: NotationValue, word: WrittenWord) -> None:
        if isinstance(value, WrittenWord) and value.raw == UNSAID:
            into.pop(spec.json, None)
        else:
            into[spec.json] = self._value(spec.type, value, word, spec.owns)

    def _value(self, wanted: Type, value: NotationValue, word: WrittenWord, owned: bool = False) -> Any:
        """Read a value of a type."""
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
        return self._record(wanted.name, value)

    def _member(self, name: str, entry: Entry, word: WrittenWord, owned: bool) -> Any:
        if entry.name is not None:
            raise self.wrong("a member of a list has no name", entry.name)
        if name in self.model.enums:
            return self._value(Type("enum", name), entry.value, word)
        if name == "number":
            return self._value(Type("number"), entry.value, word)
        record = self.model.records.get(name)
        if record is not None and record.is_bare:
            return self._value(Type("pair", "place"), entry.value, word)
        full = record is not None and not isinstance(entry.value, WrittenWord) and (owned or not has_id(record))
        return self._record(name, entry.value) if full else self._value(Type("text"), entry.value, word)  # type: ignore[arg-type]

    def _record(self, name: str, entries: Sequence[Entry]) -> Json:
        record = self.model.records[name]
        known = {"id": FieldSpec("id", "id", Type("text")), **{spec.json: spec for spec in record.fields}}
        row: Json = {}
        for entry in entries:
            word, value = self._entry(entry)
            self._store(row, self._field(word, known, f"a {name}"), value, word)
        return row

    def _amount(self, measure: Measure, word: WrittenWord) -> int:
        found = read_amount(word.text, measure)
        if found is None:
            fix = f"write a multiple of 1/{measure.parts}"
            raise self.wrong(f"`{cut(word.text)}` is no number of {measure.name}", word, fix=fix)
        return found

    def _plain(self, wanted: Type, word: WrittenWord) -> Any:
        match wanted.kind:
            case "flag":
                if word.text.casefold() not in (YES, NO):
                    raise self.wrong(f"`{cut(word.text)}` is not a flag", word, fix="write yes or no")
                return word.text.casefold() == YES
            case "number" if wanted.measure is not None:
                return self._amount(wanted.measure, word)
            case "number":
                if not word.text.removeprefix("-").isdecimal() or len(word.text) > 10:
                    raise self.wrong(f"`{cut(word.text)}` is not a number", word, fix="write a whole number")
                return int(word.text)
            case "enum":
                return self._enumerated(self.model.enums[wanted.name], word)
        return word.text


    def _enumerated(self, enum: EnumSpec, word: WrittenWord) -> str:
        """Give the value that a word means."""
        meant = enum.meant_by(word.text)
        if len(meant) > 1:
            what = f"`{cut(word.text)}` may be {' or '.join(meant)}"
            raise self.wrong(what, word, fix="write which of them is meant")
        if not meant:
            raise self.wrong(f"`{cut(word.text)}` is no {enum.name}", word, enum.words)
        return meant[0]


def named_map(data: Mapping[str, Any]) -> dict[str, str]:
    """Give what of a situation names its map."""
    return {name: str(data[name]) for name in (MAP, PART) if data.get(name) is not None}
