"""Effects: from a situation and an event to the values of the next situation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from titm_rules.diagnostics import Undecided
from titm_rules.engines.engine import Engine
from titm_rules.rules.model import MISSING, Effect, FieldSpec, Model, Statement
from titm_rules.rules.terms import Term
from titm_rules.world.changes import Written, shape_of
from titm_rules.world.records import Record, Value
from titm_rules.world.show import to_json
from titm_rules.world.world import World

Env = Mapping[str, Any]
Json = dict[str, Any]
MEMBERS = "\0members"  # what a list is claimed for by those who change its records


class Change:
    """The next situation in the making: every effect is read in the situation before.

    Attributes:
        data: the values of the next situation; `finish` completes them.
        changes: what is new in them.
        said_by: the clauses and sections of the course of play that said what came about, in order.
    """

    def __init__(self, model: Model, world: World, key: str) -> None:
        self.model, self.world, self.key = model, world, key
        self.data: Json = dict(world.data)
        self.changes = Written()
        self.said_by: dict[str, None] = {}
        self._shape = shape_of(model, world.situation)
        self._set: dict[tuple[str, str, str], tuple[Any, str]] = {}
        self._fresh: set[str] = set()
        self._places: dict[str, dict[str, tuple[str, int]]] = {}
        self._removed: dict[str, set[str]] = {}

    def finish(self) -> Json:
        """Let go of what is gone; give the values of the next situation."""
        for json, gone in self._removed.items():
            self._let_go(self._shape.lists[json].type.name, gone)
            self.data[json] = [row for row in self.data.get(json, ()) if row["id"] not in gone]
        for spec in self._shape.spec.fields:
            if spec.json in self._fresh and spec.json in self.data:
                _store(self.data, spec, self.data[spec.json])
        return self.data

    def _let_go(self, record: str, gone: set[str]) -> None:
        """Forget records that are removed wherever others name them; what cannot be without them goes too."""
        for spec in self._shape.spec.fields:
            if not spec.owns and spec.type.name == record:
                named = self.data.get(spec.json)
                if isinstance(named, list):
                    self._write(spec, [one for one in named if one not in gone])
                elif named in gone:
                    self._write(spec, None)
            elif spec.owns and self.data.get(spec.json):
                self._let_rows_go(spec, record, gone)

    def _let_rows_go(self, spec: FieldSpec, record: str, gone: set[str]) -> None:
        """Take removed records out of the rows of a list; a row that cannot be without them goes too."""
        fields = self.model.records[spec.type.name].fields
        naming = [one for one in fields if one.type.kind == "record" and one.type.name == record]
        if naming:
            _store(self.data, spec, list(_rows_left(self.data[spec.json], naming, gone)))
            self.changes.whole.add(spec.json)
            self.changes.fields |= {(self.world.situation, spec.name), *((spec.type.name, one.name) for one in naming)}

    # ------------------------------------------------------------------ setting
    def note(self, clause: str) -> None:
        """Note that a clause says something of what comes about."""
        self.said_by[clause] = None

    def set_field(self, name: str, record: Record | None, value: Value, clause: str) -> None:
        """Set a field of a record, if there is one.

        Raises:
            Undecided: if another clause sets it to another value.
        """
        if record is None:
            return
        spec, following = self._shape.settings[record.record_, name]
        shown = to_json(self.model, spec.type, value)
        self._claim((record.record_, record.id, spec.json), shown, clause)
        json, index = self._row_of(record)
        self._claim(("", "", json), MEMBERS, clause)
        before = self.data[json][index]
        if not following and before.get(spec.json, spec.default) == shown:
            return
        row = dict(before)
        for other in following:  # what has been the same as this field keeps its value
            if other.json not in row:
                row[other.json] = to_json(self.model, other.type, getattr(record, other.name))
        _store(row, spec, shown)
        if row != before:
            self._own(json)[index] = row
            self.changes.rows.setdefault(json, {}).setdefault(index, set()).add(spec.name)
            self.changes.fields.add((record.record_, spec.name))

    def set_root(self, name: str, value: Value, clause: str) -> None:
        """Set a field of the situation.

        Raises:
            Undecided: if another clause sets it to another value.
        """
        spec = self._shape.by_name[name]
        shown = to_json(self.model, spec.type, value)
        self._claim(("", "", spec.json), shown, clause)
        self._write(spec, shown)

    def _write(self, spec: FieldSpec, shown: Value) -> None:
        before = self.data.get(spec.json, MISSING)
        _store(self.data, spec, shown)
        if before != self.data.get(spec.json, MISSING):
            self.changes.whole.add(spec.json)
            self.changes.fields.add((self.world.situation, spec.name))

    def _claim(self, place: tuple[str, str, str], value: object, clause: str) -> None:
        """Note who sets a field; a second clause may only say the same."""
        other = self._set.setdefault(place, (value, clause))
        if other[0] != value:
            raise Undecided.of(f"{self.key} on {'.'.join(part for part in place if part)}", [other[1], clause])

    # ------------------------------------------------------------------ putting and removing
    def put(self, effect: Effect, values: tuple[Any, ...], clause: str) -> None:
        """Put a new record, of the values that an effect binds.

        Raises:
            Undecided: if another clause puts something else in its place.
        """
        row = self._row(effect, values)
        spec = self._shape.by_name[effect.field]
        self._claim(("", "", spec.json), MEMBERS if spec.owns else row, clause)
        self.changes.fields.add((self.world.situation, spec.name))
        self.changes.whole.add(spec.json)
        if spec.owns:
            self._own(spec.json).append(row)
        else:
            self.data[spec.json] = row

    def _row(self, effect: Effect, values: tuple[Any, ...]) -> Json:
        types = {one.name: one for one in self.model.records[effect.record].fields}
        row: Json = {}
        for (name, _), value in zip(effect.bindings, values, strict=True):
            if name in types:
                _store(row, types[name], to_json(self.model, types[name].type, value))
            else:
                row[name] = value
        return row

    def remove(self, name: str, target: Record | None, clause: str) -> None:
        """Remove a record from a list, if there is one.

        Raises:
            Undecided: if another clause sets the list.
        """
        if target is None:
            return
        spec = self._shape.by_name[name]
        self._claim(("", "", spec.json), MEMBERS, clause)
        self.changes.fields.add((self.world.situation, spec.name))
        self.changes.whole.add(spec.json)
        self._removed.setdefault(spec.json, set()).add(target.id)
        self._own(spec.json)

    # ------------------------------------------------------------------ lists
    def _own(self, json: str) -> list[Json]:
        """Copy a list before its first change."""
        if json not in self._fresh:
            self._fresh.add(json)
            self.data[json] = list(self.data.get(json) or [])
        rows: list[Json] = self.data[json]
        return rows

    def _row_of(self, record: Record) -> tuple[str, int]:
        """Find the list of the situation that holds a record, and its place there."""
        json = self._shape.single.get(record.record_)
        if json is not None:
            return json, record.index_
        if record.record_ not in self._places:
            lists = [json for json, spec in self._shape.lists.items() if spec.type.name == record.record_]
            rows = ((json, index, row) for json in lists for index, row in enumerate(self.world.data.get(json) or ()))
            self._places[record.record_] = {row["id"]: (json, index) for json, index, row in rows}
        return self._places[record.record_][record.id]


class EvaluatedEffects:
    """Effects brought about one by one, by an engine that evaluates their terms."""

    def __init__(self, engine: Engine, change: Change) -> None:
        self.engine, self.change = engine, change

    def work(self, env: Env) -> None:
        """Bring about what a head of effects says.

        Raises:
            Undecided: if two clauses set one field to different values.
        """
        for statement in self.engine.said(self.change.key, env):
            for inner in self._sweep(statement, env):
                self._bring_about(statement, inner)

    def _sweep(self, statement: Statement, env: Env) -> Iterator[Env]:
        effect = statement.effect
        assert effect is not None
        if effect.base is None:
            yield env
            return
        for one in self.engine.term(effect.base, env):
            inner = {**env, effect.var: one}
            if effect.where is None or self.engine.term(effect.where, inner):
                yield inner

    def _bring_about(self, statement: Statement, env: Env) -> None:
        effect, change, clause = statement.effect, self.change, statement.clause
        assert effect is not None
        change.note(clause)
        match effect.op:
            case "set" if effect.target is None:
                change.set_root(effect.field, self._value(effect.value, env), clause)
            case "set":
                value = self._value(effect.value, env)
                change.set_field(effect.field, self._value(effect.target, env), value, clause)
            case "put":
                change.put(effect, tuple(self.engine.term(term, env) for _, term in effect.bindings), clause)
            case "remove":
                change.remove(effect.field, self._value(effect.target, env), clause)

    def _value(self, term: Term | None, env: Env) -> Any:
        assert term is not None
        return self.engine.term(term, env)


def _rows_left(rows: list[Any], naming: list[FieldSpec], gone: set[str]) -> Iterator[Any]:
    """Yield the rows of a list, without what they say of removed records."""
    for row in rows:
        hit = [one for one in naming if row.get(one.json) in gone] if isinstance(row, dict) else []
        if all(one.type.optional for one in hit):
            yield {name: value for name, value in row.items() if name not in {one.json for one in hit}} if hit else row


def _store(row: Json, spec: FieldSpec, value: Value) -> None:
    """Write a field; what is the default anyway is left out, so that like situations look alike."""
    default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    if spec.default != MISSING and value == default:
        row.pop(spec.json, None)
    else:
        row[spec.json] = value
