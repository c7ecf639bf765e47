"""Parse game records: an edition line, a start line and one line per action."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from titm_rules.diagnostics import Fault, InputError
from titm_rules.files import grammar_text

if TYPE_CHECKING:
    from lark import Lark


MAX_CHARACTERS = 8 * 1024 * 1024
MAX_LINE = 4_000
MAX_FAULTS = 50


@dataclass(frozen=True, slots=True)
class RecordedAction:
    """A line of a record: time, player, kind, the words of its choices, the dice, and the link of a chain, if any."""

    stamp: str
    by: str
    kind: str
    words: tuple[str, ...] = ()
    dice: tuple[int, ...] = ()
    line: int = field(default=0, compare=False)
    link: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        """The line without its link."""
        dice = f" : {' '.join(map(str, self.dice))}" if self.dice else ""
        return " ".join([self.stamp, self.by, self.kind, *self.words]) + dice

    def __str__(self) -> str:
        return f"{self.text} = {self.link}" if self.link else self.text


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A record of a game: its rules, its start and its actions.

    Attributes:
        start: the name of a scenario, or a notation.
        digest: the beginning of the SHA-256 of the first position; a record by hand may omit it.
        overlays: names of house rules; special rules come with the scenario.
    """

    edition: str
    start: str
    digest: str
    readings: tuple[tuple[str, str], ...] = ()
    actions: tuple[RecordedAction, ...] = ()
    overlays: tuple[str, ...] = ()
    game: str = ""

    @property
    def first_link(self) -> str:
        """What the first link of a chain follows: the digest of the head."""
        head = replace(self, actions=()).write()
        return hashlib.sha256(head.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def write(self) -> str:
        head = [f"game {self.game}"] if self.game else []
        head += [f"edition {self.edition}", *(f"reading {name} {choice}" for name, choice in self.readings)]
        head += [f"overlay {name}" for name in self.overlays]
        return "\n".join([*head, f"start {self.start} {self.digest}".rstrip(), *map(str, self.actions)]) + "\n"


def next_link(before: str, text: str, position: str) -> str:
    """Return the link of a line: a digest of the link before it, its text, and the digest of the position after it."""
    return hashlib.sha256(f"{before}\n{text}\n{position}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read_record(text: str, path: str = "$") -> GameRecord:
    """Read a record.

    Raises:
        InputError: with every line that cannot be read.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError([Fault("the record is over 8 MiB", path, kind="too-large")])
    faults: list[Fault] = []
    actions: list[RecordedAction] = []
    heads: dict[str, list[tuple[str, ...]]] = {"game": [], "edition": [], "reading": [], "overlay": [], "start": []}
    for number, tree in _lines(text, path, faults):
        if tree.data != "act":
            heads[tree.data].append(tuple(str(child or "") for child in tree.children))
            continue
        stamp, by, kind, *rest = (token for token in tree.children if token is not None)
        words = tuple(str(token) for token in rest if token.type == "WORD")
        dice = tuple(int(token) for token in rest if token.type == "INT")
        link = next((str(token) for token in rest if token.type == "DIGEST"), "")
        actions.append(RecordedAction(str(stamp), str(by), str(kind), words, dice, number, link))
    faults.extend(_head_faults(heads, path))
    if faults:
        raise InputError(faults)
    [(edition,)], [(start, digest)] = heads["edition"], heads["start"]
    readings = tuple((name, choice) for name, choice in heads["reading"])
    overlays = tuple(name for (name,) in heads["overlay"])
    game = next((name for (name,) in heads["game"]), "")
    return GameRecord(edition, start, digest, readings, tuple(actions), overlays, game)


def _head_faults(heads: dict[str, list[tuple[str, ...]]], path: str) -> list[Fault]:
    counts = {name: len(heads[name]) for name in ("edition", "start")}
    counts |= {"game": len(heads["game"])} if heads["game"] else {}
    return [
        Fault(f"{count} lines `{name}`", path, "a record has one", f"write `{name} ...` once", kind="bad-record")
        for name, count in counts.items()
        if count != 1
    ]


def _lines(text: str, path: str, faults: list[Fault]) -> Iterator[tuple[int, Any]]:
    """Yield the number and the tree of every line that is neither blank nor a comment."""
    from lark.exceptions import UnexpectedInput

    parser = _parser()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            if len(line) > MAX_LINE:
                raise InputError([Fault("the line is too long", f"{path}:{number}", kind="too-large")])
            yield number, parser.parse(line)
        except UnexpectedInput as error:
            column = max(1, getattr(error, "column", 1) or 1)
            faults.append(
                Fault(
                    "this is not a line of a record", f"{path}:{number}:{column}",
                    "an action is written `16-1 SIDE ACTION WORD... : DIE...`", "correct the line", line.strip()[:200],
                    kind="bad-record",
                )
            )  # fmt: skip
        except InputError as error:
            faults.extend(error.faults)
        if len(faults) >= MAX_FAULTS:
            return


@cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(
        grammar_text("record"), parser="lalr", lexer="contextual", start="line", maybe_placeholders=True,
        propagate_positions=False,
    )  # fmt: skip
