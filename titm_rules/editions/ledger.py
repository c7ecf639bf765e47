"""The ledger of a game: the clauses of the printed rules, by number."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from titm_rules.diagnostics import Fault, RulesetError, Span
from titm_rules.editions.sources import shown_path
from titm_rules.files import read_text, within

LEDGER_FILE, LEDGER_COLUMNS = "ledger.txt", 4
IDLE_KINDS = ("note", "component")


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A clause of the printed rules: number, kind, title, and the editions that attest it."""

    number: str
    kind: str
    title: str
    history: str

    def is_in(self, edition: str) -> bool:
        """Whether the edition has the clause and it is more than a heading or a component."""
        editions = [part.split(" ")[0] for part in self.history.split("; ")]
        of_another = ":" in self.number and not edition.startswith(self.number.split(":")[0])
        return self.kind not in IDLE_KINDS and edition in editions and not of_another


def read_ledger(folder: Path) -> dict[str, LedgerEntry]:
    """Read the clauses that exist, by number; empty if the rule set keeps no list.

    Raises:
        RulesetError: with every line that is none of a ledger.
    """
    path = within(folder, LEDGER_FILE)
    if path is None or not path.is_file():
        return {}
    entries: dict[str, LedgerEntry] = {}
    faults = []
    for number, line in enumerate(read_text(path, "ledger").splitlines(), 1):
        columns = line.split("\t")
        if line.startswith("#") or not line.strip():
            continue
        if len(columns) != LEDGER_COLUMNS or not all(columns[:-1]):
            faults.append(_ledger_fault(Span(shown_path(path), number, 1, len(line) + 1), line, len(columns)))
        else:
            entries[columns[0]] = LedgerEntry(*columns)
    if faults:
        raise RulesetError(faults)
    return entries


def _ledger_fault(where: Span, line: str, columns: int) -> Fault:
    what = f"a line of the ledger has {LEDGER_COLUMNS} columns, this one {columns}"
    if columns == LEDGER_COLUMNS:
        what = "a line of the ledger has no number, kind or title"
    fix = "write number, kind, title and the editions that attest it (or nothing), with a tab between them"
    return Fault(what, where, "a clause that the ledger does not list cannot be formalised", fix, line)
