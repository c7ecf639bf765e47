"""Files of tests for rules: groups of tests in YAML, and records of a situation in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from titm_rules.diagnostics import cut, did_you_mean
from titm_rules.formats.file_schemas import Names, Strict, WordsText
from titm_rules.formats.record_schemas import Identity, validate_as
from titm_rules.formats.safe_json import bad, read_data
from titm_rules.ir.model import MISSING, FieldSpec, Model, RecordSpec

MAX_TESTS, MAX_NESTING = 10_000, 8
COLUMN_END, ASK_END = " | ", " -> "  # of the parts of a test on one line
LEGAL, ILLEGAL, BY, ONLY_BY = "legal", "illegal", "by", "only by"
PLAIN = {"yes": True, "true": True, "no": False, "false": False, "nothing": None, "null": None}
Text = str | int | date
Editions = Text | list[Text] | dict[Text, Any]


class Frame(Strict):
    """What a file, a group or a test says; a group inside another, and a test, adds to it or says otherwise."""

    about: WordsText = ""
    game: Identity | None = None
    clause: Identity | None = None
    edition: Text | None = None
    editions: Editions | None = None
    readings: dict[Identity, Identity] = Field(default_factory=dict)
    overlays: Names | None = None
    base: WordsText | None = Field(default=None, alias="from")
    places: dict[Identity, WordsText] | None = None
    changes: WordsText | dict[Identity, Any] | None = Field(default=None, alias="with")
    vary: Names | None = None
    ask: WordsText | None = None
    expect: bool | int | WordsText | dict[Identity, Any] | None = None
    tests: Annotated[list[dict[Text, Any]], Field(max_length=MAX_TESTS)] = Field(default_factory=list)


@dataclass(frozen=True)
class Expected:
    """What an answer must be.

    Attributes:
        values: by the names of the answer; the name of a value without one is empty.
        by: clauses that must be among those that refuse.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class WrittenTest:
    """A test as it is written.

    Attributes:
        where: its file and place there.
        changes: what differs from the base, in order: a notation, or fields by name.
        places: records by list, in words, that come with a unit or a connection that names them.
        vary: fields that the first columns of tests on one line give; none: these columns are a notation.
        editions: each with what is expected in it.
    """

    path: Path
    where: str
    name: str = ""
    clause: str = ""
    game: str = ""
    readings: Mapping[str, str] = field(default_factory=dict)
    overlays: tuple[str, ...] = ()
    base: str = ""
    changes: tuple[str | Mapping[str, Any], ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    vary: tuple[str, ...] = ()
    ask: str = ""
    expected: Expected | None = None
    editions: tuple[tuple[str, Expected | None], ...] = ()


# ---------------------------------------------------------------------- files
def read_tests(path: Path) -> list[WrittenTest]:
    """Read the tests of a file; raises `InputError` for a file that is not one of tests, with its faults."""
    raw = read_data(path)
    if not isinstance(raw, dict) or "tests" not in raw:
        raise bad("a file of tests has a list `tests`", str(path), "write `tests:` and a list", "bad-case")
    found = list(_read_group(raw, WrittenTest(path, f"{path}: $"), 0))
    if len(found) > MAX_TESTS:
        raise bad(f"the file has over {MAX_TESTS} tests", str(path), "split it", "too-large")
    return found


def _read_group(raw: Mapping[Any, Any], outer: WrittenTest, depth: int) -> Iterator[WrittenTest]:
    frame = validate_as(Frame, raw, outer.where)
    if depth > MAX_NESTING:
        raise bad(f"groups are nested over {MAX_NESTING} deep", outer.where, "flatten them", "too-deep")
    here = _extended(outer, frame)
    for number, item in enumerate(frame.tests):
        inner = replace(here, where=f"{outer.where}.tests[{number}]")
        if "tests" in item:
            yield from _read_group(item, inner, depth + 1)
        else:
            yield _read_test(item, inner)


def _read_test(item: Mapping[Any, Any], outer: WrittenTest) -> WrittenTest:
    if len(item) != 1:
        raise bad("a test is a name with what it asks and expects", outer.where, "write `- NAME: ...`", "bad-case")
    [(name, said)] = item.items()
    raw = _parts_of_line(said, outer) if isinstance(said, str) else said
    raw = {"expect": raw} if isinstance(raw, int) else raw
    if isinstance(raw, dict) and "tests" in raw:
        raise bad("a test has no tests", outer.where, "give a group no name", "bad-case")
    test = _extended(replace(outer, name=str(name)), validate_as(Frame, raw, f"{outer.where}.{cut(str(name))}"))
    if test.expected is None and not all(expected for _, expected in test.editions or [("", None)]):
        raise bad(f"`{cut(test.name)}` expects nothing", test.where, "write `expect: ...`, or ASK -> EXPECTED",
                  "missing-field")  # fmt: skip
    if not test.ask:
        raise bad(f"`{cut(test.name)}` asks nothing", test.where, "write `ask: QUESTION NAME=VALUE...`",
                  "missing-field")  # fmt: skip
    return test


def _parts_of_line(text: str, outer: WrittenTest) -> dict[str, Any]:
    """Split `CHANGES | QUESTION -> EXPECTED`; the first two may be missing, and an empty column changes nothing."""
    *columns, rest = (part.strip() for part in text.split(COLUMN_END))
    ask, arrow, expect = rest.rpartition(ASK_END)
    said: dict[str, Any] = {"expect": expect.strip()} | ({"ask": ask.strip()} if arrow else {})
    if not columns:
        return said
    if len(columns) != max(1, len(outer.vary)):
        what = f"{len(columns)} columns, and {len(outer.vary) or 'no'} fields to vary"
        raise bad(what, outer.where, "write one column for each name in `vary`", "bad-case")
    fields = {name: plain_value(value) for name, value in zip(outer.vary, columns, strict=False) if value}
    return said | {"with": fields if outer.vary else columns[0]}


def _extended(outer: WrittenTest, frame: Frame) -> WrittenTest:
    """Add to what holds around a group or test what it says itself."""
    changes = outer.changes if frame.base is None else ()
    ask = frame.ask or ""
    if ask and "=" in ask.split()[0]:
        ask = f"{outer.ask} {ask}"
    given: dict[str, Any] = {
        "game": frame.game, "clause": frame.clause, "base": frame.base, "places": frame.places, "ask": ask or None,
        "overlays": None if frame.overlays is None else tuple(frame.overlays),
        "vary": None if frame.vary is None else tuple(frame.vary),
        "expected": None if frame.expect is None else parse_expected(frame.expect),
        "editions": _editions(frame, outer.where),
    }  # fmt: skip
    return replace(
        outer,
        **{name: value for name, value in given.items() if value is not None},
        changes=changes if frame.changes is None else (*changes, frame.changes),
        readings={**outer.readings, **frame.readings},
    )


def _editions(frame: Frame, where: str) -> tuple[tuple[str, Expected | None], ...] | None:
    said = frame.editions if frame.editions is not None else frame.edition
    if said is None:
        return None
    if frame.editions is not None and frame.edition is not None:
        raise bad("`edition` and `editions` cannot go together", where, "keep one of them", "bad-case")
    if isinstance(said, dict):
        return tuple((str(name), parse_expected(expect)) for name, expect in said.items())
    return tuple((str(name), None) for name in (said if isinstance(said, list) else [said]))


# ---------------------------------------------------------------------- what is expected
def parse_expected(said: object) -> Expected:
    """Read `illegal by CLAUSE CLAUSE`, `NAME=VALUE, NAME=VALUE`, a single value, or values by name."""
    values: dict[str, Any] = {}
    by: list[str] = []
    if isinstance(said, dict):
        values = dict(said)
        by = values.pop(BY, [])
        return Expected(values, (by,) if isinstance(by, str) else tuple(map(str, by)))
    if isinstance(said, int):  # a flag too
        return Expected({"": said})
    for part in _split(str(said), ","):
        words = part.split()
        if words[:1] in ([LEGAL], [ILLEGAL]):
            values[LEGAL] = words.pop(0) == LEGAL
        if words[:2] == ONLY_BY.split():
            values[BY] = sorted(words[2:])
        elif words[:1] == [BY]:
            by += words[1:]
        elif words:
            name, equals, value = " ".join(words).partition("=")
            values[name if equals else ""] = plain_value(value if equals else name)
    return Expected(values, tuple(by))


def plain_value(text: str) -> Any:
    """Read a flag, a number, `nothing`, `[A, B]` or another text, perhaps in quotation marks."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    if text.startswith("[") and text.endswith("]"):
        return [plain_value(part) for part in _split(text[1:-1], ",")]
    if re.fullmatch(r"-?\d{1,9}", text, re.ASCII):
        return int(text)
    return PLAIN.get(text, text)


def _split(text: str, mark: str) -> list[str]:
    return [part.strip() for part in re.split(rf"{mark}(?![^\[]*\])", text) if part.strip()]


# ---------------------------------------------------------------------- records in words
def records_of_words(
    model: Model, spec: FieldSpec, text: str, where: str, known: Mapping[str, Any] | None = None
) -> list[Any]:
    """Read records such as `g-tank German armor 3 Dasburg moved; ...`, with semicolons between them.

    The id comes first, if the record has one. A value that only one field may have sets this field, a number the first
    field of numbers, the name of a flag sets it, any other word is a place; `NAME=VALUE` sets any field. The ends of a
    connection are those in its id, as `A-B`. A record that is `known` by its id keeps its other fields.

    Raises `InputError` for a word that says nothing.
    """
    if not spec.owns or spec.type.name not in model.records:
        return [plain_value(part) for part in re.split(r"[;,\s]+", text) if part]
    record = model.records[spec.type.name]
    parts = [part.split() for part in text.split(";") if part.strip()]
    if record.is_bare:
        return ["".join(words).split("-") for words in parts]
    return [_record_of_words(model, record, words, where, known or {}) for words in parts]


def _record_of_words(
    model: Model, record: RecordSpec, words: Sequence[str], where: str, known: Mapping[str, Any]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if record.has_id:
        found, words = {"id": words[0], **known.get(words[0], {})}, words[1:]
        if record.role == "connection" and words[:1] != ["ends"] and found["id"].count("-"):
            found.setdefault("ends", found["id"].split("-")[:2])
    said: set[str] = set()
    for word in words:
        name, equals, text = word.partition("=")
        spec = _field_named(record, name) if equals else _field_meant(model, record, word, said)
        if spec is None:
            what = f"`{cut(word)}` says nothing of a {record.name}"
            fix = did_you_mean(name, [field.json for field in record.fields])
            raise bad(what, where, f"{fix}; write NAME=VALUE", "bad-value")
        said.add(spec.json)
        found[spec.json] = _value(spec, text if equals else word, bool(equals))
    for spec in record.fields:  # a value that has to be given may be nothing
        if spec.json not in found and spec.type.optional and spec.default == MISSING and not spec.same_as:
            found[spec.json] = None
    return found


def _field_named(record: RecordSpec, name: str) -> FieldSpec | None:
    return record.field_named(name.removeprefix("!").replace("-", "_"))


def _field_meant(model: Model, record: RecordSpec, word: str, said: set[str]) -> FieldSpec | None:
    """Find the field that a word without a name sets: a flag, a value, a number or a place."""
    flag = _field_named(record, word)
    if flag is not None and flag.type.kind == "flag":
        return flag
    left = [spec for spec in record.fields if spec.json not in said]
    having = [
        spec for spec in left if spec.type.name in model.enums and len(model.enums[spec.type.name].meant_by(word)) == 1
    ]
    if having:
        return having[0] if len(having) == 1 else None
    kind = "number" if word.isdecimal() else "place"
    return next((spec for spec in left if spec.type.kind == kind), None)


def _value(spec: FieldSpec, text: str, is_named: bool) -> Any:
    if spec.type.kind == "flag" and not is_named:
        return not text.startswith("!")
    if spec.type.optional and text == "-":
        return None
    if spec.type.kind in ("set", "pair"):
        return [plain_value(part) for part in text.split(",") if part]
    return plain_value(text) if spec.type.kind in ("flag", "number") or text in PLAIN else text
