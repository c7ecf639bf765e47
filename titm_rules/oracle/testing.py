"""Run the tests of rules: a position, a question or actions, and what the rules must say."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from titm_rules.catalog import files_of, game_of_file
from titm_rules.diagnostics import TitmError, cut, did_you_mean
from titm_rules.editions.house_rules import Overlay, overlay_beside
from titm_rules.editions.registry import default_edition, edition_on, list_editions
from titm_rules.engines.query import find_question
from titm_rules.files import find_files
from titm_rules.formats.case_files import SUFFIXES, changed, parse_words
from titm_rules.formats.clause_tests import BY, LEGAL, Expected, WrittenTest, plain_value, read_tests, records_of_words
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import MISSING, FieldSpec, Model
from titm_rules.maps.notation import NOTHING, data_with_changes, spelled
from titm_rules.oracle.case import PLAYED, Case, Rules, open_case
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.world.records import to_json

FOLDERS = ("tests/*.yaml", "*/tests/*.yaml")
ACTION, LISTED, BEGIN, PLAY, STATE = VERBS = ("action", "listed", "begin", "play", "state")
ALL, TO = "all", ".."
Json = dict[str, Any]


@dataclass(frozen=True)
class RuleTest:
    """A test under one edition.

    Attributes:
        edition: name of the edition.
        wanted: what the answer must be there.
    """

    text: WrittenTest
    edition: str
    wanted: Expected

    def __str__(self) -> str:
        return " ".join(part for part in (self.text.clause, self.text.name) if part)

    # ------------------------------------------------------------------ what is asked
    @cached_property
    def query(self) -> str:
        """The question, or what is done instead: action, listed, begin, play or state."""
        return self.text.ask.split()[0]

    @cached_property
    def case(self) -> Case:
        """The base with its rules; empty if there is none."""
        text = self.text
        overlays = [overlay_beside(one, text.path, text.game) for one in text.overlays]
        rules = Rules(self.edition, text.readings, overlays=overlays, game=text.game)
        if text.base not in ("", NOTHING):
            beside = text.path.parent / text.base
            is_file = beside.suffix in SUFFIXES and beside.is_file()
            return open_case(beside if is_file else Path(text.base), rules)
        edition = rules.over({})
        question = edition.questions.get(self.query)
        return Case(edition, PLAYED if question is None else question.situation, {})

    def rules(self, engine: str = Edition.engine) -> Edition:
        its = self.case.edition
        if its.engine == engine:
            return its
        return Edition(its.date, its.readings, engine, its.game, its.overlays)

    @cached_property
    def data(self) -> Json:
        """The situation: the base with all changes."""
        model, situation = self.case.edition.model, self.case.situation
        data: Json = dict(self.case.data)
        situations = [record for record in model.records.values() if record.role == "situation"]
        lists = {spec.json: spec for record in situations for spec in record.fields if spec.owns}
        known = {}  # the places that may be named, by list and id; a list of another situation says nothing here
        for name, words in self.text.places.items():
            spec = _field_of(lists, name, "no situation", self.text.where)
            known[name] = {row["id"]: row for row in records_of_words(model, spec, words, self.text.where)}
        for changes in self.text.changes:
            if isinstance(changes, str):
                data = data_with_changes(model, situation, data, changes, self.text.where)
            else:
                data = self._with_fields(model, data, changes, known)
        if self.text.base in ("", NOTHING) and situation:
            data = with_places(model, situation, data, known)
        return spelled(model, situation, data) if situation else {}

    def _with_fields(
        self, model: Model, data: Json, changes: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]
    ) -> Json:
        fields = {spec.json: spec for spec in model.records[self.case.situation].fields} if self.case.situation else {}
        read: Json = {}
        rows_changed: Json = {}
        for name, value in changes.items():
            spec = _field_of(fields, name, f"no {self.case.situation or 'situation'}", self.text.where)
            in_words = isinstance(value, str) and spec.type.kind in ("set", "record")
            if in_words and not (spec.type.kind == "record" and not spec.owns):
                rows = records_of_words(model, spec, value, self.text.where, known.get(name))
                value = rows if spec.type.kind == "set" else rows[0]
            (rows_changed if isinstance(value, dict) and spec.type.kind == "set" else read)[name] = value
        return changed({**data, **read}, rows_changed, f"{self.text.where}.with")

    @cached_property
    def input(self) -> Json:
        """What the question takes, with the situation; for what is done instead, its words."""
        about = {self.case.situation: self.data} if self.case.situation else {}
        if self.query in VERBS:
            return {**about, "words": self.text.ask.partition(" ")[2].strip()}
        question = find_question(self.case.edition.model, self.query)
        try:
            words = shlex.split(self.text.ask)[1:]
        except ValueError as error:
            raise bad(
                f"`{cut(self.text.ask)}`: {str(error).lower()}", self.text.where, "close the quotation mark"
            ) from None
        return {**(about if question.situation else {}), **parse_words(question, words)}

    @cached_property
    def expected(self) -> Json:
        """Values by name; a value without a name is that of the first name of the answer."""
        values = dict(self.wanted.values)
        if "" in values:
            question = self.case.edition.questions.get(self.query)
            names = [name for name, _ in question.answers] or question.names if question else [self.query]
            if not names:
                raise bad(f"`{self.query}` has several answers", self.text.where, "write NAME=VALUE", "bad-value")
            values[names[0]] = values.pop("")
        return values

    # ------------------------------------------------------------------ asking
    def ask(self, edition: Edition) -> Json:
        """Ask an edition for that part of the answer of which the test speaks, and the clauses that it wants cited."""
        found = self._answer(edition)
        cited = found.get(BY, ())
        part = {name: found.get(name) for name in self.expected}
        return part | ({BY: [one for one in self.wanted.by if one in cited]} if self.wanted.by else {})

    @property
    def demanded(self) -> Json:
        return self.expected | ({BY: list(self.wanted.by)} if self.wanted.by else {})

    def _answer(self, edition: Edition) -> Json:
        if self.query not in VERBS:
            if not (self.wanted.by or BY in self.expected):
                return edition.answer(self.query, self.input)
            verdict = edition.verdict(self.query, self.input)
            return {**verdict.answer, BY: sorted({finding.clause for finding in verdict.failing})}
        position = Position.from_dict(self.data, edition, self.case.situation)
        words: str = self.input["words"]
        match self.query:
            case "action":
                by, kind, *rest = [*words.split(), "", ""]
                action = position.read(kind, by, rest[:-2])
                clauses = sorted({finding.clause for finding in position.judge(action).failing})
                return {LEGAL: position.is_legal(action), BY: clauses}
            case "listed":
                return {LISTED: any(fnmatchcase(f"{one.by} {one}", words) for one in position.legal_actions)}
            case "begin":
                faults = position.status()
                return {LEGAL: not faults, BY: sorted({fault.why.partition(" ")[0] for fault in faults})}
        return self._played(position, [line.strip() for line in words.split(";") if line.strip()])

    def _played(self, position: Position, lines: Sequence[str]) -> Json:
        """Take actions, one after the other, and look up what is expected; dice follow a colon."""
        for line in lines:
            text, _, faces = line.partition(":")
            action = next((one for one in position.legal_actions if str(one) == text), None)
            if action is None:
                return dict.fromkeys(self.expected, f"`{line}` is illegal")
            dice = [plain_value(face.strip()) for face in faces.split(",") if face.strip()]
            if not all(isinstance(face, int) for face in dice):
                raise bad(f"`{cut(line)}` has no numbers for dice", self.text.where, "write ACTION: 3,9", "bad-value")
            position = position.apply(action, dice)
        return {path: value_at(position, path) for path in self.expected}


def _field_of(fields: Mapping[str, FieldSpec], name: str, none: str, where: str) -> FieldSpec:
    if name not in fields:
        raise bad(f"{none} has a field `{cut(name)}`", where, did_you_mean(name, fields), "unknown-field")
    return fields[name]


def with_places(model: Model, situation: str, data: Json, known: Mapping[str, Mapping[str, Any]]) -> Json:
    """Add the places that connections and pieces name: those that are known, others to the first list of places."""
    specs = [spec for spec in model.records[situation].fields if spec.owns and spec.type.name in model.records]
    places = [spec.json for spec in specs if model.records[spec.type.name].role == "place"]
    if not places or any(_rows(data, name) != (data.get(name) or []) for name in places):
        return data  # the check of the whole situation says what is wrong
    there = {str(row.get("id")) for name in places for row in _rows(data, name)}
    named = {place for spec in specs for row in _rows(data, spec.json) for place in _named_by(row)}
    added: dict[str, list[Any]] = {name: [] for name in places}
    for place in sorted(named - there):
        home = next((name for name in places if place in known.get(name, {})), places[0])
        added[home].append(known.get(home, {}).get(place, {"id": place}))
    lists = {name: _by_id([*_rows(data, name), *rows]) for name, rows in added.items() if rows}
    return {**{name: [] for name in places}, **data, **lists}


def _rows(data: Json, name: str) -> list[Json]:
    found = data.get(name)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _by_id(rows: Iterable[Json]) -> list[Json]:
    return sorted(rows, key=lambda row: str(row.get("id")))


def _named_by(row: Json) -> Iterator[str]:
    ends = row.get("ends")
    yield from (one for one in (*(ends if isinstance(ends, list) else ()), row.get("place")) if isinstance(one, str))


# ---------------------------------------------------------------------- fields of a position
def value_at(position: Position, path: str) -> Any:
    """Look up a field, such as `phase` or `units.m.place`, or a definition of the situation.

    A field of a record that is not there is nothing.
    """
    head = position.edition.model.heads.get(path)
    if head is not None:
        return to_json(position.edition.model, head.type, position._machine.engine.decide(path, {}))
    names = iter(path.split("."))
    spec, found = _field(position, position.situation, next(names), position.to_dict())
    for name in names:
        if found is None:
            return None
        if isinstance(found, list):
            found = next((one for one in found if one["id"] == name), None)
        else:
            spec, found = _field(position, spec.type.name, name, found)
    return found


def _field(position: Position, record: str, name: str, data: Json) -> tuple[FieldSpec, Any]:
    fields = {spec.json: spec for spec in position.edition.model.records[record].fields}
    if name not in fields:
        raise bad(f"a {record} has no field `{cut(name)}`", "expect", did_you_mean(name, fields), "unknown-field")
    spec = fields[name]
    default = data.get(spec.same_as[0]) if spec.same_as else None if spec.default == MISSING else spec.default
    found = data.get(name, default)
    return spec, list(found) if isinstance(found, tuple) else found


# ---------------------------------------------------------------------- files and results
def files_of_tests(game: str = "", paths: Iterable[Path] = ()) -> list[Path]:
    """List the files of tests of a game, or those that are named and those in folders that are."""
    if named := list(paths):
        found = [(path, find_files(path, "**/tests/*.yaml") if path.is_dir() else [path]) for path in named]
        return [file for path, files in found for file in files or find_files(path, "*.yaml")]
    return [path for pattern in FOLDERS for path in files_of(game, pattern)]


def load_tests(path: Path, game: str = "", sheet: Sequence[Overlay] = ()) -> list[RuleTest]:
    """Read the tests of a file, one for each edition that they name; raises `InputError` for a bad file.

    An overlay with the file name of a `sheet` means that sheet, wherever the tests are.
    """
    own = {file.name: str(file.resolve()) for file in map(Path, map(str, sheet)) if file.is_file()}
    texts = [
        replace(text, overlays=tuple(own.get(Path(one).name, one) for one in text.overlays))
        for text in read_tests(path)
    ]
    games = {named: game_of_file(path, named or None, game) for named in dict.fromkeys(text.game for text in texts)}
    return [test for text in texts for test in _by_edition(replace(text, game=games[text.game]))]


def _by_edition(text: WrittenTest) -> Iterator[RuleTest]:
    game = text.game
    wanted: dict[str, Expected] = {}
    for said, expected in text.editions or ((default_edition(game), None),):
        for name in editions_named(said, game):
            found = expected or text.expected
            assert found is not None
            wanted[name] = found
    for name, expected in wanted.items():
        yield RuleTest(text, name, expected)


def editions_named(said: str, game: str) -> list[str]:
    """Name the editions of `all`, of a range `A..B` or of a date."""
    names = [info.name for info in list_editions(game)]
    if said == ALL:
        return names
    first, to, last = said.partition(TO)
    low = edition_on(first, game) if first else names[0]
    high = (edition_on(last, game) if last else names[-1]) if to else low
    for name in (low, high):
        if name not in names:
            raise bad(f"unknown edition `{cut(name)}`", "$.editions", did_you_mean(name, names), "unknown-edition")
    return names[names.index(low) : names.index(high) + 1]


@dataclass(frozen=True)
class TestOutcome:
    """The result of a test; `trouble` says why there was no answer."""

    test: RuleTest
    got: Mapping[str, Any]
    trouble: str = ""

    @property
    def passed(self) -> bool:
        return not self.trouble and _text(self.got) == _text(self.test.demanded)

    def to_dict(self) -> Json:
        """Return what failed, as JSON values."""
        test = self.test
        return {
            "file": str(test.text.path), "at": test.text.where, "test": str(test), "edition": test.edition,
            "readings": dict(test.text.readings), "position": self.position, "ask": test.text.ask,
            "expected": {} if self.trouble else test.demanded, "got": dict(self.got), "trouble": self.trouble,
        }  # fmt: skip

    @property
    def position(self) -> str:
        """The situation on one line, if it can be made."""
        try:
            its = self.test.case
            return Position.from_dict(self.test.data, its.edition, its.situation).notation if its.situation else ""
        except TitmError:
            return ""


def _text(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True)


def run_test(test: RuleTest, engine: str = Edition.engine) -> TestOutcome:
    """Run a test; a fault of what it asks is its trouble."""
    try:
        return TestOutcome(test, test.ask(test.rules(engine)))
    except TitmError as error:
        fault = error.faults[0]
        where = f"{fault.where}: {fault.what}" if fault.where else fault.what
        return TestOutcome(test, {}, "; ".join(part for part in (where, fault.why, fault.fix) if part))
