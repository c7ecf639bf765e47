"""What editions rest on: their clauses, counted by whether a document shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from titm_rules.editions.load import consolidated
from titm_rules.editions.named import EditionInfo, list_editions


@dataclass(frozen=True)
class EditionTally:
    """An edition with the number of its clauses, and of those that no document up to it shows."""

    info: EditionInfo
    clauses: int
    unattested: int

    def record(self) -> dict[str, Any]:
        """Give it as JSON values."""
        return {
            "edition": self.info.name, "title": self.info.title, "dated": self.info.dated,
            "follows": self.info.base or None, "source": self.info.source, "clauses": self.clauses,
            "attested": self.clauses - self.unattested, "unattested": self.unattested,
        }  # fmt: skip


def tally_editions(name: str = "", game: str = "") -> list[EditionTally]:
    """Count the clauses of all editions, or of one.

    Raises:
        InputError: for an edition that the game does not have.
    """
    if name:
        consolidated(name, game)
    return [_tallied(info, game) for info in list_editions(game) if name in ("", info.name)]


def _tallied(info: EditionInfo, game: str) -> EditionTally:
    standing = consolidated(info.name, game).standing.values()
    return EditionTally(info, len(standing), sum(not one.attested for one in standing))
