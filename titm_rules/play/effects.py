"""Effects: compute the values of the next situation from a situation and an event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

from titm_rules.diagnostics import Fault, Undecided
from titm_rules.engines.engine import Engine
from titm_rules.ir.dependencies import FieldOf
from titm_rules.ir.model import MISSING, Effect, FieldSpec, Model, Statement
from titm_rules.ir.terms import Term
from titm_rules.ir.types import hyphenated
from titm_rules.world.change_set import ANEW, ChangeSet, Setting, row_of, shape_of
from titm_rules.world.records import Record, Value, to_json
from titm_rules.world.world import World

Env = Mapping[str, Any]
Json = dict[str, Any]
MEMBERS = "\0members"  # claimed by effects that change the records of a list


class Change:
    """Collects effects; every effect is evaluated in the situation before.

    `data` holds the values of the next situation, which `finish` completes, `changes` what differs in it; `said_by` are
    the clauses and sections of the course of play with these effects, in order. Effects of two clauses that contradict
    each other raise `Undecided`.
    """

    def __init__(self, model: Model, world: World, key: str) -> None:
        self.model, self.world, self.key = model, world, key
        self.data: Json = dict(world.data)
        self.changes = ChangeSet()
        self.said_by: dict[str, None] = {}
        self._shape = shape_of(model, world.situation)
        self._set: dict[tuple[str, ...], tuple[Any, str]] = {}
        self._fresh: set[str] = set()
        self._places: dict[str, dict[str, tuple[str, int]]] = {}

    def finish(self) -> Json:
        """Drop removed records; return the values of the next situation. Raises `Undecided` for one out of range."""
        self._check_ranges()
        for json, gone in self.changes.gone.items():
            record = self._shape.lists[json].type.name
            for spec in self._shape.spec.fields:
                if not spec.owns and spec.type.name == record:
                    named = self.data.get(spec.json)
                    if isinstance(named, list):
                        self._write(self._of_root(spec.name), [one for one in named if one not in gone], ANEW)
                    elif named in gone:
                        self._write(self._of_root(spec.name), None, ANEW)
                elif spec.owns and self.data.get(spec.json):
                    self._drop_in_rows(spec, record, gone)
        for json, gone in self.changes.gone.items():
            self.data[json] = [row for row in self.data[json] if row["id"] not in gone]
        for json in self._fresh:
            self._of_root(self._shape.fields[json].name).store(self.data, self.data[json])
        return self.data

    def _check_ranges(self) -> None:
        """Refuse numbers that a position could not have, but those of records that are removed."""
        changes, bounded, lists = self.changes, self._shape.bounded, self._shape.lists
        changed = [] if bounded.keys().isdisjoint(changes.fields) else [of for of in bounded if of in changes.fields]
        for json, rows in changes.rows.items() if changed else ():
            kind, gone = lists[json].type.name, changes.gone.get(json, ())
            for index, fields in rows.items():
                row = self.data[json][index]
                if row["id"] not in gone:
                    hit = [of for of in changed if of[0] == kind and of[1] in fields]
                    self._check_row(row, f" of {row['id']}", hit)
        for json, added in changes.come.items():
            kind = lists[json].type.name
            for row in added:
                self._check_row(row, f" of {row['id']}", [of for of in bounded if of[0] == kind])
        if changes.whole:
            self._check_row(self.data, "", [of for of in changed if of[0] == self.world.situation])

    def _check_row(self, row: Json, owner: str, fields: Iterable[FieldOf]) -> None:
        for of in fields:
            name, (json, low, high) = of[1], self._shape.bounded[of]
            value = row.get(json)
            if isinstance(value, int) and not low <= value <= high:
                what = f"not covered: `{self.key.partition('.')[0]}` sets {hyphenated(name)}{owner} to {value}"
                why = f"{hyphenated(name)} is {low} to {high}"
                limit = f"most of (..., {low})" if value < low else f"least of (..., {high})"
                fix = f"bar the event in this case, or set `{limit}` in {', '.join(self.said_by)}"
                raise Undecided([Fault(what, "$.input", why, fix, kind="not-covered")])

    def _drop_in_rows(self, spec: FieldSpec, record: str, gone: set[str]) -> None:
        fields = self.model.records[spec.type.name].fields
        naming = [field for field in fields if field.type.kind == "record" and field.type.name == record]
        hit = {}
        for index, row in enumerate(self.data[spec.json] if naming else ()):
            named = [field for field in naming if row.get(field.json) in gone] if isinstance(row, dict) else []
            if named:
                hit[index] = named
        if not hit:
            return
        changes, own = self.changes, self._own(spec.json)
        changes.fields |= {(spec.type.name, field.name) for named in hit.values() for field in named}
        for index, named in hit.items():
            dropped = {field.json for field in named}
            own[index] = {name: value for name, value in own[index].items() if name not in dropped}
            changes.rows.setdefault(spec.json, {}).setdefault(index, {}).update((field.name, ANEW) for field in named)
        lost = {index for index, named in hit.items() if not all(field.type.optional for field in named)}
        if lost or spec.json not in self._shape.lists or max(hit) >= len(self.world.data.get(spec.json) or ()):
            own[:] = [row for index, row in enumerate(own) if index not in lost]
            changes.rows.pop(spec.json)
            changes.whole[spec.json] = ANEW
            changes.fields.add((self.world.situation, spec.name))

    def note(self, clause: str) -> None:
        self.said_by[clause] = None

    def set_field(self, name: str, record: Record | None, value: Value, clause: str) -> None:
        """Set a field of a record, if there is one."""
        if record is None:
            return
        setting = self._shape.settings[record.record_, name]
        self._claim((record.record_, record.id, setting.spec.json), setting.written(value), clause)
        self._claim((self._row_of(record)[0],), MEMBERS, clause)
        self.write_field(setting, record, value)

    def set_root(self, name: str, value: Value, clause: str) -> None:
        setting = self._of_root(name)
        self._claim((setting.spec.json,), setting.written(value), clause)
        self.write_root(setting, value)

    def write_field(self, setting: Setting, record: Record, value: Value) -> None:
        """Set a field of a record that no other effect sets."""
        json, index = self._row_of(record)
        if value is None and not setting.spec.type.optional:
            self._refuse_nothing(setting, f" of {record.id}")
        before, spec, shown = self.data[json][index], setting.spec, setting.written(value)
        if not setting.following and before.get(spec.json, spec.default) == shown:
            return
        row = dict(before)
        for other in setting.following:  # a field whose default is this field keeps its value
            if other.json not in row:
                row[other.json] = to_json(self.model, other.type, getattr(record, other.name))
        setting.store(row, shown)
        if row != before:
            self._own(json)[index] = row
            rows = self.changes.rows.setdefault(json, {})
            rows.setdefault(index, {})[spec.name] = value if setting.stays else ANEW
            self.changes.fields.add(setting.of)

    def write_root(self, setting: Setting, value: Value) -> None:
        if value is None and not setting.spec.type.optional:
            self._refuse_nothing(setting)
        self._write(setting, setting.written(value), value if setting.stays else ANEW)

    def _write(self, setting: Setting, shown: Value, value: Value) -> None:
        json = setting.spec.json
        before = self.data.get(json, MISSING)
        setting.store(self.data, shown)
        if before != self.data.get(json, MISSING):
            self.changes.whole[json] = value
            self.changes.fields.add(setting.of)

    def _refuse_nothing(self, setting: Setting, owner: str = "") -> NoReturn:
        """Refuse to leave a field without the value that it always has."""
        name = hyphenated(setting.spec.name)
        what = f"not covered: `{self.key.partition('.')[0]}` sets {name}{owner} to nothing"
        fix = f"bar the event in this case, or set {name} to a value in {', '.join(self.said_by)}"
        raise Undecided([Fault(what, "$.input", f"{name} always has a value", fix, kind="not-covered")])

    def _of_root(self, name: str) -> Setting:
        return self._shape.settings[self.world.situation, name]

    def _claim(self, place: tuple[str, ...], value: object, clause: str) -> None:
        """Note the clause that sets a field; a second clause may only set the same value."""
        other = self._set.setdefault(place, (value, clause))
        if other[0] != value:
            raise Undecided.of(f"{self.key} on {'.'.join(place)}", [other[1], clause])

    def put(self, effect: Effect, values: tuple[Any, ...], clause: str) -> None:
        """Put a new record with the values that an effect binds."""
        row = self._row(effect, values)
        setting = self._of_root(effect.field)
        json, owns = setting.spec.json, setting.spec.owns
        self._claim((json,), MEMBERS if owns else row, clause)
        self.changes.fields.add(setting.of)
        if not owns:
            self.data[json] = row
        else:
            self._own(json).append(row)
        if owns and json in self._shape.lists:
            self.changes.come.setdefault(json, []).append(row)
        else:
            self.changes.whole[json] = ANEW

    def _row(self, effect: Effect, values: tuple[Any, ...]) -> Json:
        settings = self._shape.settings
        row: Json = {}
        for (name, _), value in zip(effect.bindings, values, strict=True):
            setting = settings.get((effect.record, name))
            if setting is None:
                row[name] = value
            else:
                setting.store(row, setting.written(value))
        return row

    def remove(self, name: str, target: Record | None, clause: str) -> None:
        """Remove a record from a list, if there is one."""
        if target is None:
            return
        setting = self._of_root(name)
        json = setting.spec.json
        self._claim((json,), MEMBERS, clause)
        self.changes.fields.add(setting.of)
        self.changes.gone.setdefault(json, set()).add(target.id)
        self._own(json)

    def _own(self, json: str) -> list[Json]:
        """Copy a list before its first change."""
        if json not in self._fresh:
            self._fresh.add(json)
            self.data[json] = list(self.data.get(json) or [])
        rows: list[Json] = self.data[json]
        return rows

    def _row_of(self, record: Record) -> tuple[str, int]:
        json = self._shape.single.get(record.record_)
        if json is not None:
            return json, row_of(getattr(self.world.root, self._shape.lists[json].name), record)
        if record.record_ not in self._places:
            lists = [json for json, spec in self._shape.lists.items() if spec.type.name == record.record_]
            rows = ((json, index, row) for json in lists for index, row in enumerate(self.world.data.get(json) or ()))
            self._places[record.record_] = {row["id"]: (json, index) for json, index, row in rows}
        return self._places[record.record_][record.id]


class EvaluatedEffects:
    """Effects applied one by one, by an engine that evaluates their terms."""

    def __init__(self, engine: Engine, change: Change) -> None:
        self.engine, self.change = engine, change

    def apply(self, env: Env) -> None:
        for statement in self.engine.said(self.change.key, env):
            for inner in self._sweep(statement, env):
                self._apply(statement, inner)

    def _sweep(self, statement: Statement, env: Env) -> Iterator[Env]:
        effect = statement.effect
        assert effect is not None
        if effect.base is None:
            yield env
            return
        for member in self.engine.term(effect.base, env):
            inner = {**env, effect.var: member}
            if effect.where is None or self.engine.term(effect.where, inner):
                yield inner

    def _apply(self, statement: Statement, env: Env) -> None:
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
