"""What the tests of a rule set say of its clauses: a report that ships with the rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from titm_rules.diagnostics import Fault, InputError
from titm_rules.rules.model import ClauseInfo

COVERAGE_FILE = "coverage.json"
# Each grade includes those before it.
GRADES = ("evaluated", "held", "decisive")


@dataclass(frozen=True, slots=True)
class ClauseCoverage:
    """How far tests reach a clause.

    Attributes:
        grade: evaluated (a sentence was looked at), held (a condition was true) or decisive (an
            answer would be another one without the clause); empty if no test looks at it.
        tests: names of the first few cases that it decides.
    """

    grade: str = ""
    tests: tuple[str, ...] = ()

    def reaches(self, grade: str) -> bool:
        """Whether it has a grade or a better one."""
        return bool(self.grade) and GRADES.index(self.grade) >= GRADES.index(grade)


Coverage = dict[str, dict[str, ClauseCoverage]]


def read_coverage(folder: Path) -> Coverage:
    """Read the report of a rule set: by edition and clause; empty if it has none.

    Raises:
        InputError: for a report that cannot be read.
    """
    path = folder / COVERAGE_FILE
    if not path.is_file():
        return {}
    try:
        return parse_coverage(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            [Fault("the report of the tests cannot be read", str(path), str(error), "write it anew: `make coverage`")]
        ) from error


def parse_coverage(text: str) -> Coverage:
    """Read the text of a report.

    Raises:
        ValueError: for a text that is no report (or a TypeError, a KeyError, an AttributeError).
    """
    editions = json.loads(text)
    return {date: {clause: _entry(raw) for clause, raw in clauses.items()} for date, clauses in editions.items()}


def _entry(raw: Mapping[str, object]) -> ClauseCoverage:
    grade, tests = raw["grade"], raw["tests"]
    if grade not in GRADES or not isinstance(tests, list):
        raise ValueError(f"`{raw}` is not a grade with a list of tests")
    return ClauseCoverage(str(grade), tuple(map(str, tests)))


def write_coverage(coverage: Mapping[str, Mapping[str, ClauseCoverage]]) -> str:
    """Write a report as JSON: sorted, a line for each clause."""
    return json.dumps(
        {
            date: {clause: {"grade": one.grade, "tests": list(one.tests)} for clause, one in sorted(clauses.items())}
            for date, clauses in sorted(coverage.items())
        },
        indent=1, ensure_ascii=False,
    ) + "\n"  # fmt: skip


def coverage_of(clauses: Mapping[str, ClauseInfo], tested: Mapping[str, ClauseCoverage]) -> dict[str, ClauseCoverage]:
    """Give every clause that decides something what tests say of it.

    A clause that only refers to others has the lowest grade of theirs, and its tests; one that
    decides nothing, or refers only to such, is left out.
    """
    found = {number: _lowest(number, clauses, tested, frozenset()) for number in clauses}
    return {number: one for number, one in found.items() if one is not None}


def _lowest(
    number: str, clauses: Mapping[str, ClauseInfo], tested: Mapping[str, ClauseCoverage], above: frozenset[str]
) -> ClauseCoverage | None:
    info = clauses[number]
    if info.is_formal:
        return tested.get(number, ClauseCoverage())
    others = (_lowest(one, clauses, tested, above | {number}) for one in info.sees if one not in above)
    return min((one for one in others if one is not None), key=_rank, default=None)


def _rank(one: ClauseCoverage) -> int:
    return GRADES.index(one.grade) if one.grade else -1
