"""Effects: from a situation and an event to the values of the next situation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from titm_rules.diagnostics import Undecided
from titm_rules.engines.engine import Engine
from titm_rules.rules.model import MISSING, Effect, FieldSpec, Model, RecordSpec, Statement
from titm_rules.rules.terms import Term
from titm_rules.world.records import Record, Value
from titm_rules.world.show import to_json
from titm_rules.world.world import World

Env = Mapping[str, Any]
Json = dict[str, Any]
MEMBERS = "\0members"  # what a list is claimed for by those who change its records


@dataclass
class Change:
    """The next situation in the making: every effect is read in the situation before.

    Attributes:
        said_by: the clauses and sections of the course of play that said what came about, in order.
    """

    model: Model
    engine: Engine
    world: World
    data: Json
    said_by: list[str] = field(default_factory=list)
    _set: dict[tuple[str, str, str], tuple[Any, str]] = field(default_factory=dict)
    _fresh: set[str] = field(default_factory=set)
    _rows: dict[str, dict[str, int]] = field(default_factory=dict)
    _removed: dict[str, set[str]] = field(default_factory=dict)

    def work(self, key: str, env: Env) -> Json:
        """Bring about what a head of effects says; give the values of the next situation.

        Raises:
            Undecided: if two clauses set one field to different values.
        """
        for statement in self.engine.said(key, env):
            for inner in self._sweep(statement, env):
                self._bring_about(statement, inner, key)
        for name, gone in self._removed.items():
            self._let_go(self._record_of(name), gone)
            self.data[name] = [row for row in self.data[name] if row["id"] not in gone]
        for spec in self.model.records[self.world.situation].fields:
            if spec.json in self._fresh:
                _store(self.data, spec, self.data[spec.json])
        return self.data

    def _let_go(self, record: str, gone: set[str]) -> None:
        """Forget records that are removed wherever others name them; what cannot be without them goes too."""
        for spec in self.model.records[self.world.situation].fields:
            if not spec.owns and spec.type.name == record:
                named = self.data.get(spec.json)
                if isinstance(named, list):
                    _store(self.data, spec, [one for one in named if one not in gone])
                elif named in gone:
                    _store(self.data, spec, None)
            elif spec.owns and self.data.get(spec.json):
                self.data[spec.json] = list(self._rows_left(spec, record, gone))

    def _rows_left(self, spec: FieldSpec, record: str, gone: set[str]) -> Iterator[Any]:
        """Yield the rows of a list, without what they say of removed records."""
        fields = self.model.records[spec.type.name].fields
        naming = [f for f in fields if f.type.kind == "record" and f.type.name == record]
        for row in self.data[spec.json]:
            hit = [f for f in naming if row.get(f.json) in gone] if naming and isinstance(row, dict) else []
            if all(f.type.optional for f in hit):
                yield {name: value for name, value in row.items() if name not in {f.json for f in hit}} if hit else row

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

    def _bring_about(self, statement: Statement, env: Env, key: str) -> None:
        effect = statement.effect
        assert effect is not None
        if statement.clause not in self.said_by:
            self.said_by.append(statement.clause)
        match effect.op:
            case "set":
                self._assign(effect, env, statement.clause, key)
            case "put":
                self._put(effect, env, statement.clause, key)
            case "remove":
                self._remove(effect, env, statement.clause, key)

    # ------------------------------------------------------------------ setting
    def _assign(self, effect: Effect, env: Env, clause: str, key: str) -> None:
        value = self.engine.term(_need(effect.value), env)
        if effect.target is None:
            self._set_root(effect, value, clause, key)
            return
        record = self.engine.term(effect.target, env)
        if record is None:
            return
        spec = next(f for f in self.model.records[record.record_].fields if f.name == effect.field)
        shown = to_json(self.model, spec.type, value)
        self._claim((record.record_, record.id, spec.json), shown, clause, key)
        name = self._list_of(record)
        self._claim(("", "", name), MEMBERS, clause, key)
        index = self._rows_of(name)[record.id]
        row = self.data[name][index] = dict(self.data[name][index])
        self._keep_defaults(row, record, spec)
        _store(row, spec, shown)

    def _keep_defaults(self, row: Json, record: Record, changed: FieldSpec) -> None:
        """Write down the fields that have been the same as one that now changes."""
        for spec in self.model.records[record.record_].fields:
            if spec.same_as == (changed.name,) and spec.json not in row:
                row[spec.json] = to_json(self.model, spec.type, getattr(record, spec.name))

    def _set_root(self, effect: Effect, value: Value, clause: str, key: str) -> None:
        spec = self._root_field(effect.field)
        shown = to_json(self.model, spec.type, value)
        self._claim(("", "", spec.json), shown, clause, key)
        _store(self.data, spec, shown)

    def _claim(self, place: tuple[str, str, str], value: object, clause: str, key: str) -> None:
        """Note who sets a field; a second clause may only say the same."""
        other = self._set.setdefault(place, (value, clause))
        if other[0] != value:
            raise Undecided.of(f"{key} on {'.'.join(part for part in place if part)}", [other[1], clause])

    # ------------------------------------------------------------------ putting
    def _put(self, effect: Effect, env: Env, clause: str, key: str) -> None:
        record = self.model.records[effect.record]
        row = self._row(record, effect, env)
        spec = self._root_field(effect.field)
        self._claim(("", "", spec.json), MEMBERS if spec.owns else row, clause, key)
        if not spec.owns:
            self.data[spec.json] = row
            return
        rows = self._rows_of(spec.json)
        if "id" in row:
            rows[row["id"]] = len(self.data[spec.json])
        self.data[spec.json].append(row)

    def _row(self, record: RecordSpec, effect: Effect, env: Env) -> Json:
        types = {f.name: f for f in record.fields}
        row: Json = {}
        for name, term in effect.bindings:
            value = self.engine.term(term, env)
            if name in types:
                _store(row, types[name], to_json(self.model, types[name].type, value))
            else:
                row[name] = value
        return row

    def _remove(self, effect: Effect, env: Env, clause: str, key: str) -> None:
        target = self.engine.term(_need(effect.target), env)
        if target is None:
            return
        spec = self._root_field(effect.field)
        self._claim(("", "", spec.json), MEMBERS, clause, key)
        self._removed.setdefault(spec.json, set()).add(target.id)
        self._rows_of(spec.json)

    # ------------------------------------------------------------------ lists
    def _rows_of(self, name: str) -> dict[str, int]:
        """Copy a list before its first change; give the places of its rows by id."""
        if name not in self._fresh:
            self._fresh.add(name)
            self.data[name] = list(self.data.get(name) or [])
            self._rows[name] = {
                row["id"]: i for i, row in enumerate(self.data[name]) if isinstance(row, dict) and "id" in row
            }
        return self._rows[name]

    def _list_of(self, record: Record) -> str:
        """Find the list of the situation that holds a record."""
        fields = self.model.records[self.world.situation].fields
        lists = [f.json for f in fields if f.owns and f.type.name == record.record_]
        before = self.world.data
        return next(name for name in lists if any(row["id"] == record.id for row in before.get(name) or ()))

    def _record_of(self, name: str) -> str:
        fields = self.model.records[self.world.situation].fields
        return next(f.type.name for f in fields if f.json == name)

    def _root_field(self, name: str) -> FieldSpec:
        return next(f for f in self.model.records[self.world.situation].fields if f.name == name)


def _store(row: Json, spec: FieldSpec, value: Value) -> None:
    """Write a field; what is the default anyway is left out, so that like situations look alike."""
    default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    if spec.default != MISSING and value == default:
        row.pop(spec.json, None)
    else:
        row[spec.json] = value


def _need(term: Term | None) -> Any:
    assert term is not None
    return term
