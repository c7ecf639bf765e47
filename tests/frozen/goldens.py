"""Goldens in two layers: the structure of an answer, and its texts for people.

A JSON answer is split in two. Its structure has `~` for each text and is otherwise the answer, with its keys in their
order. Its texts are listed with their paths. What a command prints for people belongs to the texts, its exit code to
the structure. Each layer of a group is one file, with one block for each record, so that a person can read what a
change changes.
"""

import difflib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
LAYERS = STRUCTURE, TEXT = "structure", "text"
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
Texts = list[tuple[str, str]]  # paths and texts


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


# ---------------------------------------------------------------------- groups
GROUPS: dict[str, Callable[[], Iterator[Record]]] = {}
SLOW: set[str] = set()
Work = Callable[..., Iterator[Record]]


def group(name: str, *arguments: Sequence[Any], slow: bool = False) -> Callable[[Work], Work]:
    """Register the work of a group, or of one for each of some arguments, with the first few in its name."""

    def register(work: Work) -> Work:
        for given in arguments or ((),):
            full = name.format(*given).rstrip("-")
            GROUPS[full] = partial(work, *given)
            SLOW.update([full] if slow else [])
        return work

    return register


def stale_files() -> list[Path]:
    """List the files in the folders of the layers that belong to no group."""
    return [path for layer in LAYERS for path in sorted((FOLDER / layer).glob("*")) if path.stem not in GROUPS]


# ---------------------------------------------------------------------- splitting
def digest(text: str, length: int = 16) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


class Split:
    """The answer of a record in its two layers; `clauses` are titles and restatements, which many answers share."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.texts: Texts = []
        self.clauses: dict[tuple[str, str], str] = {}
        self.structure = self._part(record.value, (), self.texts)

    def _part(self, value: Json, path: tuple[str, ...], texts: Texts) -> Json:
        """Return the structure of a part, and add its texts."""
        key, record = path[-1] if path else "", self.record
        if key in record.texts or ".".join(path[-2:]) in record.texts:
            texts.append((".".join(path), value if isinstance(value, str) else dump(value)))
            return MASK
        if isinstance(value, str) and value and (key in LEAF_KEYS or TEXT_KEYS & set(path[-2:])):
            texts.append((".".join(path), value))
            return MASK
        if isinstance(value, dict):
            masked = {}
            if value.keys() >= FINDING and not record.texts & FINDING:
                clause, said = (value["clause"], value["edition"]), f"{value['title']} | {value['says']}"
                if self.clauses.setdefault(clause, said) != said:
                    texts.append((".".join([*path, "clause", *clause]), said))
                masked = {name: value[name] and MASK for name in ("title", "says")}
                path = (*path, value["clause"])
            # Every change of a rule would change the digests of its edition.
            parts = ((name, one, (*path, name)) for name, one in value.items() if name != "digests")
            return {name: masked[name] if name in masked else self._part(one, to, texts) for name, one, to in parts}
        if not isinstance(value, list):
            return value
        said_by: list[Texts] = [[] for _ in value]
        listed = [self._part(one, path, into) for one, into in zip(value, said_by, strict=True)]
        is_whole = len(value) <= record.most or key in record.whole
        texts += chain.from_iterable(said_by if is_whole else said_by[:HEAD])
        if is_whole:
            return listed
        if any(said_by[HEAD:]):
            texts.append((".".join(path), f"... in all {len(value)} with texts of {digest(dump(said_by))}"))
        return [*listed[:HEAD], f"... in all {len(value)} of {digest(dump(listed))}"]


# ---------------------------------------------------------------------- rendering
def render(records: Iterable[Record]) -> dict[str, str]:
    """Write the records of a group, in both layers."""
    blocks: dict[str, list[str]] = {}
    texts: list[str] = []
    clauses: dict[tuple[str, str], str] = {}
    for record in records:
        assert record.name not in blocks, f"two records are called {record.name}"
        parts = Split(record)
        exit_code = [f"exit {record.code}"] if record.code is not None else []
        blocks[record.name] = exit_code + ([pretty(parts.structure)] if record.value is not None else [])
        for key, said in parts.clauses.items():
            if clauses.setdefault(key, said) != said:
                parts.texts.append((".".join(["clause", *key]), said))
        lines = [f"{path}: {one if one.isprintable() else dump(one)}" for path, one in parts.texts]
        printed = [f"  {line}".rstrip() for line in record.text.splitlines()]
        if len(printed) > MOST_LINES:
            printed = [*printed[:HEAD_LINES], f"  ... in all {len(printed)} lines of {digest(record.text)}"]
        texts += [f"{BLOCK}{record.name}", *lines, *printed] if lines or printed else []
    table = [f"{number} ({edition}): {said}" for (number, edition), said in clauses.items()]
    head = [f"{BLOCK}clauses", *table] if table else []
    structure = chain.from_iterable([f"{BLOCK}{name}", *lines] for name, lines in blocks.items())
    return {STRUCTURE: _joined(structure), TEXT: _joined([*head, *texts])}


def _joined(lines: Iterable[str]) -> str:
    text = "".join(f"{line}\n" for line in lines)
    return text.encode(errors="backslashreplace").decode()  # half a character that was sent comes back


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
    return FOLDER / layer / f"{group}.txt"


def read(layer: str, group: str) -> str:
    """Read a layer of a group as it was frozen; one without a line has no file."""
    path = path_of(layer, group)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def changed(before: str, after: str) -> list[str]:
    """Name the records that came, went or differ."""
    old, new = (dict(part.partition("\n")[::2] for part in f"\n{text}".split(f"\n{BLOCK}")[1:])
                for text in (before, after))  # fmt: skip
    return [name for name in {**old, **new} if old.get(name) != new.get(name)] or ["the order of the records"]


def difference(before: str, after: str, label: str) -> str:
    """Describe what differs between two layers: the names of the records, then the lines; nothing if nothing does."""
    if before == after:
        return ""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), "frozen", "now", "", "", 1, ""))
    names = changed(before, after)
    more = [f"... and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    return "\n".join([f"{label}: {len(names)} differ: {', '.join(names[:SHOWN])}", *lines[:SHOWN], *more])
