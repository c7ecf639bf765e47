"""Goldens in two layers: the structure of an answer, and its texts for people.

A JSON answer is split in two. Its structure has `~` for each text and is otherwise the answer, with its keys in their
order. Its texts are listed with their paths. What a command prints for people belongs to the texts, its exit code to
the structure. Each layer of a group is one file, with one block for each record, so that a person can read what a
change changes.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
STRUCTURE, TEXT = "structure", "text"
LAYERS = (STRUCTURE, TEXT)
MASK = "~"
WIDTH = 200  # of a line; a finding takes one
MOST, HEAD = 24, 5  # of a longer list the head is kept, and a digest of all of it
MOST_LINES, HEAD_LINES = 60, 40  # the same for what a command prints
SHOWN = 60  # lines of a difference
BLOCK = "== "

# Texts for people, by the key that holds them, wherever it is; of several editions it holds a text for each.
TEXT_KEYS = frozenset({
    "because", "description", "fix", "help", "message", "notes", "reason", "says", "sentence", "shown", "title",
})  # fmt: skip
# A `why` that is one text is a reason; a list of findings has texts and more.
LEAF_KEYS = TEXT_KEYS | {"why"}
FINDING = frozenset({"clause", "edition", "title", "says"})
Json = Any
Path_ = tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """One question and what came of it.

    Attributes:
        name: which question; a line of a command, or the name of a case.
        value: the JSON answer; nothing if there is none.
        text: what was printed for people.
        code: the exit code of a command; nothing for an answer of the protocol.
        texts: more keys that hold texts here, each perhaps behind a key above it: values of any form, masked whole.
        whole: lists that are kept whole, however long, by their keys.
        most: so long are other lists that are kept whole.
    """

    name: str
    value: Json = None
    text: str = ""
    code: int | None = None
    texts: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset({"why"})
    most: int = MOST


@dataclass
class Split:
    """An answer in its two layers; `clauses` are titles and restatements, which many answers share."""

    structure: Json
    texts: list[tuple[str, str]] = field(default_factory=list)
    clauses: dict[tuple[str, str], str] = field(default_factory=dict)


def digest(text: str, length: int = 16) -> str:
    """Give the beginning of the hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def dump(value: Json) -> str:
    """Write a JSON value on one line, with its keys in their order."""
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------------- splitting
def split(record: Record) -> Split:
    """Split the answer of a record into its two layers."""
    found = Split(None)
    found.structure = _part(record.value, (), record, found, found.texts)
    return found


def _part(value: Json, path: Path_, record: Record, found: Split, texts: list[tuple[str, str]]) -> Json:
    key = path[-1] if path else ""
    if key in record.texts or ".".join(path[-2:]) in record.texts:
        texts.append((_label(path), value if isinstance(value, str) else dump(value)))
        return MASK
    if isinstance(value, dict):
        return _part_of_object(value, path, record, found, texts)
    if isinstance(value, list):
        return _part_of_list(value, path, record, found, texts)
    if isinstance(value, str) and value and (key in LEAF_KEYS or TEXT_KEYS & set(path[-2:])):
        texts.append((_label(path), value))
        return MASK
    return value


def _part_of_object(
    value: Mapping[str, Json], path: Path_, record: Record, found: Split, texts: list[tuple[str, str]]
) -> Json:
    if value.keys() >= FINDING and not record.texts & FINDING:
        key, said = (value["clause"], value["edition"]), f"{value['title']} | {value['says']}"
        if found.clauses.setdefault(key, said) != said:
            texts.append((_label((*path, "clause", *key)), said))
        masked = {name: MASK if name in ("title", "says") and value[name] else value[name] for name in value}
        path = (*path, value["clause"])
        return {
            name: one if name in ("title", "says") else _part(one, (*path, name), record, found, texts)
            for name, one in masked.items()
        }
    return {name: _part(one, (*path, name), record, found, texts) for name, one in value.items()}


def _part_of_list(
    value: Sequence[Json], path: Path_, record: Record, found: Split, texts: list[tuple[str, str]]
) -> Json:
    if len(value) <= record.most or record.whole & set(path[-1:]):
        return [_part(one, path, record, found, texts) for one in value]
    mine: list[list[tuple[str, str]]] = [[] for _ in value]
    parts = [_part(one, path, record, found, into) for one, into in zip(value, mine, strict=True)]
    for some in mine[:HEAD]:
        texts += some
    if any(mine[HEAD:]):
        texts.append((_label(path), f"... in all {len(value)} with texts of {digest(dump(mine))}"))
    return [*parts[:HEAD], f"... in all {len(value)} of {digest(dump(parts))}"]


def _label(path: Path_) -> str:
    return ".".join(path)


# ---------------------------------------------------------------------- rendering
def render(records: Iterable[Record]) -> dict[str, str]:
    """Write the records of a group, in both layers."""
    structure: list[str] = []
    texts: list[str] = []
    clauses: dict[tuple[str, str], str] = {}
    names: set[str] = set()
    for record in records:
        assert record.name not in names, f"two records are called {record.name}"
        names.add(record.name)
        parts = split(record)
        structure += [f"{BLOCK}{record.name}", *_structure_lines(record, parts)]
        lines = _text_lines(record, parts, clauses)
        texts += [f"{BLOCK}{record.name}", *lines] if lines else []
    table = [f"{number} ({edition}): {said}" for (number, edition), said in clauses.items()]
    head = [f"{BLOCK}clauses", *table] if table else []
    return {STRUCTURE: _joined(structure), TEXT: _joined([*head, *texts])}


def _joined(lines: Sequence[str]) -> str:
    text = "\n".join(lines) + "\n" if lines else ""
    return text.encode(errors="backslashreplace").decode()  # half a character that was sent comes back


def _structure_lines(record: Record, parts: Split) -> list[str]:
    exit_code = [f"exit {record.code}"] if record.code is not None else []
    return exit_code + ([pretty(parts.structure)] if record.value is not None else [])


def _text_lines(record: Record, parts: Split, clauses: dict[tuple[str, str], str]) -> list[str]:
    for key, said in parts.clauses.items():
        if clauses.setdefault(key, said) != said:
            parts.texts.append((_label(("clause", *key)), said))
    lines = [f"{path}: {one if one.isprintable() else dump(one)}" for path, one in parts.texts]
    printed = [f"  {line}".rstrip() for line in record.text.splitlines()]
    if len(printed) > MOST_LINES:
        printed = [*printed[:HEAD_LINES], f"  ... in all {len(printed)} lines of {digest(record.text)}"]
    return lines + printed


def pretty(value: Json, indent: str = "") -> str:
    """Write JSON so that what fits into a line is on one."""
    line = dump(value)
    if len(indent) + len(line) <= WIDTH or not isinstance(value, dict | list):
        return line
    deeper = f"{indent} "
    if isinstance(value, dict):
        parts = [f"{deeper}{dump(name)}: {pretty(one, deeper)}" for name, one in value.items()]
    else:
        parts = [f"{deeper}{pretty(one, deeper)}" for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n" + ",\n".join(parts) + closing


# ---------------------------------------------------------------------- keeping
def path_of(layer: str, group: str) -> Path:
    """Name the file of a layer of a group."""
    return FOLDER / layer / f"{group}.txt"


def read(layer: str, group: str) -> str:
    """Read a layer of a group as it was frozen; nothing if it was not."""
    path = path_of(layer, group)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def write(layer: str, group: str, text: str) -> None:
    """Freeze a layer of a group; one without a line has no file."""
    path = path_of(layer, group)
    if text:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    else:
        path.unlink(missing_ok=True)


def blocks(text: str) -> dict[str, str]:
    """Map the names of records to their blocks."""
    parts = f"\n{text}".split(f"\n{BLOCK}")[1:]
    return dict(part.partition("\n")[::2] for part in parts)


def changed(before: str, after: str) -> list[str]:
    """Name the records that came, went or differ."""
    old, new = blocks(before), blocks(after)
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]


def difference(before: str, after: str, label: str) -> str:
    """Describe what differs between two layers: the names of the records, then the lines; nothing if nothing does."""
    if before == after:
        return ""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), "frozen", "now", "", "", 1, ""))
    names = changed(before, after) or ["the order of the records"]
    more = [f"... and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    return "\n".join([f"{label}: {len(names)} differ: {', '.join(names[:SHOWN])}", *lines[:SHOWN], *more])
