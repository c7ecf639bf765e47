"""A case worked out by hand: a question, the editions that give one answer to it, and that answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from titm_rules.editions.registry import list_editions
from titm_rules.oracle.edition import Edition

Json = dict[str, Any]

ALL = tuple(info.name for info in list_editions())
BEFORE_BOOK = ALL[:6]
FROM_BOOK = ALL[6:]
BOOK = ALL[6:8]
ONLY_BOOK = ALL[6:7]
WITH_FORCES = ALL[1:]
SHEETS = ALL[1:6]
FROM_2002 = ALL[7:]
BEFORE_1998 = ALL[:5]
FROM_1998 = ALL[5:]
SHEET_1998 = ALL[5:6]
SHEET_AUGUST_1997 = ALL[4:5]
TO_BOOK = ALL[:7]


@dataclass(frozen=True)
class Case:
    """A question with the answer that a clause or a ruling demands.

    Attributes:
        by: the clause, or the ruling, that decides.
        expected: the part of the answer that must be as given here.
        editions: those in which the answer is the same.
    """

    query: str
    by: str
    input: Json
    expected: Json
    remark: str
    editions: Sequence[str]
    readings: Json = field(default_factory=dict)

    def answer(self, edition: str) -> Json:
        """Give that part of the answer that the case speaks of."""
        found = Edition(edition, self.readings).answer(self.query, self.input)
        return {name: found.get(name) for name in self.expected}

    def __str__(self) -> str:
        return f"{self.by} {self.remark}"
