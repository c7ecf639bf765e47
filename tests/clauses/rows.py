"""A row of the tests that stand beside the rules: a question, the answer that the clause demands, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from titm_rules.editions.registry import default_edition
from titm_rules.formats.clause_tests import BY
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.testing import ACTION, ALL, RuleTest

from tests.coverage.collect import record_case
from tests.coverage.recording import RecordingEdition

Json = dict[str, Any]
ENGINES = ("compiled", "reference")


@dataclass(frozen=True)
class Row:
    """One case of a clause.

    Attributes:
        query: the question; empty if actions are judged or played instead.
        expected: the part of the answer that must be as given here.
        overlays: rules on top of the edition, such as those of a scenario.
    """

    clause: str
    query: str
    input: Json
    expected: Json
    remark: str
    readings: Json = field(default_factory=dict)
    edition: str = "1999"
    overlays: tuple[str, ...] = ()

    def answer(self, engine: str = "compiled") -> Json:
        """Give that part of the answer of which the row speaks."""
        edition = Edition(self.edition, self.readings, engine, overlays=self.overlays)
        return record_case(edition, self.ask, str(self)) if engine == "reference" else self.ask(edition)

    def ask(self, edition: Edition) -> Json:
        """Ask an edition for that part of the answer."""
        found = edition.answer(self.query, self.input)
        return {name: found.get(name) for name in self.expected}

    def __str__(self) -> str:
        return f"{self.clause} {self.remark}"


@dataclass(frozen=True)
class FileRow(Row):
    """A test of a file; what it says of the clauses is recorded unless it asks every edition the same."""

    test: RuleTest = field(kw_only=True)

    @classmethod
    def of(cls, test: RuleTest) -> FileRow:
        rules, text = test.rules(), test.text
        query = test.query if test.query in rules.questions else ""
        readings, overlays = dict(rules.readings), tuple(map(str, rules.overlays))
        return cls(
            text.clause, query, test.input, test.demanded, text.name, readings, test.edition, overlays, test=test
        )

    @property
    def is_repeated(self) -> bool:
        """Whether it asks a further edition what the default one is asked too."""
        return self.edition != EDITION and [said for said, _ in self.test.text.editions] == [ALL]

    def ask(self, edition: Edition) -> Json:
        found = self.test.ask(edition)
        if self.test.query == ACTION and isinstance(edition, RecordingEdition):
            formal = {name for name, info in edition.clauses.items() if info.is_formal}
            for clause in {self.clause, *found.get(BY, ())} & formal:  # reasons are found by engines of their own
                edition.seen.note(clause, held=bool(found.get(BY)))
        return found

    def answer(self, engine: str = "compiled", name: str = "") -> Json:
        edition = self.test.rules(engine)
        if engine != "reference" or self.is_repeated:
            return self.ask(edition)
        return record_case(edition, self.ask, name or str(self))


EDITION = default_edition("titm")


def cases(rows: Sequence[FileRow]) -> list[ParameterSet]:
    """Give each row with each engine."""
    named = [(row, f"{row.test.text.path.stem}/{row} {row.edition}") for row in rows]
    return [pytest.param(row, engine, id=f"{name}-{engine}") for row, name in named for engine in ENGINES]
