"""Find and parse rule files, and read the ledger of printed clauses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from titm_rules.catalog import RULESET_FOLDER, SCENARIO_FOLDER, VOCABULARY_FILE
from titm_rules.diagnostics import Fault, RulesetError, Span, TitmError
from titm_rules.files import data_folder, find_files, read_text, unsaved_texts, within

if TYPE_CHECKING:
    from titm_rules.syntax.ast import SourceFile


def vocabulary_files(folder: Path) -> list[Path]:
    """List the files that all editions of a rule set share: its vocabulary and the course of play."""
    return sorted(rules_in(folder), key=lambda path: (path.name != VOCABULARY_FILE, path.name))


def rules_in(folder: Path) -> list[Path]:
    """List the rule files in a folder and those that only an editor has, without links out of the folder."""
    home = folder.resolve() if (texts := unsaved_texts()) else folder
    new = [folder / path.name for path in texts if path.parent == home and path.suffix == ".rules"]
    paths = sorted({*find_files(folder, "*.rules"), *new})
    return [path for path in paths if within(folder, path.name) is not None]


def parse_files(paths: Iterable[Path]) -> list[SourceFile]:
    """Parse rule files. Raises `RulesetError` with the faults of all of them."""
    parsed: list[SourceFile] = []
    faults: list[Fault] = []
    for path in paths:
        try:
            parsed.append(parse_text(read_text(path, fix="name a rule file"), shown_path(path)))
        except TitmError as error:
            faults.extend(error.faults)
    if faults:
        raise RulesetError(faults)
    return parsed


@lru_cache(maxsize=96)  # files of two games; an editor sends a text for every key
def parse_text(text: str, path: str) -> SourceFile:
    """Parse the text of a rule file; the last texts are cached."""
    from titm_rules.syntax.parser import parse_rules

    return parse_rules(text, path)


def shown_path(path: Path) -> str:
    """Shorten a path of a game that ships to the part from its data folder; return any other unchanged."""
    whole = path.resolve()
    for name in (RULESET_FOLDER, SCENARIO_FOLDER):
        if whole.is_relative_to(folder := data_folder(name).resolve()):
            return f"{name}/{whole.relative_to(folder).as_posix()}"
    return str(path)


LEDGER_FILE, LEDGER_COLUMNS = "ledger.txt", (4, 5)
IDLE_KINDS = ("note", "component")


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A clause of the printed rules: number, kind, title, the editions that attest it, what the source lacks of it."""

    number: str
    kind: str
    title: str
    history: str
    lacks: str = ""

    @property
    def printed(self) -> str:
        """Name the places at which documents print it, with their editions; empty where its number is theirs."""
        parts = (part.partition(" (") for part in self.history.split("; "))
        return ", ".join(f"{where.removesuffix(')')} ({edition})" for edition, _, where in parts if where)

    def is_in(self, edition: str) -> bool:
        """Whether the edition attests the clause and it is more than a heading or a component."""
        editions = [part.split(" ")[0] for part in self.history.split("; ")]
        of_another = ":" in self.number and not edition.startswith(self.number.split(":")[0])
        return self.kind not in IDLE_KINDS and edition in editions and not of_another


def read_ledger(folder: Path) -> dict[str, LedgerEntry]:
    """Read the clauses that exist, by number; empty without a list. Raises `RulesetError` with every bad line."""
    path = within(folder, LEDGER_FILE)
    if path is None or not path.is_file():
        return {}
    entries: dict[str, LedgerEntry] = {}
    faults = []
    fix = "write number, kind, title and the editions that attest it (or nothing), with a tab between them"
    for number, line in enumerate(read_text(path, "ledger").splitlines(), 1):
        columns = line.split("\t")
        if line.startswith("#") or not line.strip():
            continue
        if len(columns) not in LEDGER_COLUMNS or not all(columns[:3]):
            what = f"a line of the ledger has {' or '.join(map(str, LEDGER_COLUMNS))} columns, this one {len(columns)}"
            if len(columns) in LEDGER_COLUMNS:
                what = "a line of the ledger has no number, kind or title"
            span = Span(shown_path(path), number, 1, len(line) + 1)
            faults.append(Fault(what, span, "the ledger lists every clause that can be formalised", fix, line))
        else:
            entries[columns[0]] = LedgerEntry(*columns)
    if faults:
        raise RulesetError(faults)
    return entries
