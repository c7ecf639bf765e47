"""What the cases of the tests say of the clauses, gathered while the tests run.

A test takes part with one line: `answer = record_case(edition, ask, "name of the case")`, where
`ask` puts its question to the edition that it is given and returns the answer. Clauses get the
best grade that any case gives them:

- evaluated: a sentence of the clause was looked at,
- held: the condition of one was true,
- decisive: the answer would be another one without the clause.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from titm_rules.diagnostics import TitmError
from titm_rules.editions.coverage import GRADES, ClauseCoverage, Coverage, read_coverage
from titm_rules.editions.house_rules import overlay_file
from titm_rules.oracle.edition import Edition

from tests.coverage.recording import EditionWithout, RecordingEdition, Seen

Ask = Callable[[Edition], Any]
EVALUATED, HELD, DECISIVE = GRADES
LISTED, SHOWN = 5, 20
FEW_LOOKS = 4_000  # in less time rules without a clause are not compiled
# Rules that were changed may decide nothing, play into what is no position, or meet nothing where they need something.
NOTICED = (TitmError, AttributeError, TypeError)


@dataclass(frozen=True)
class Case:
    """A question that a test has asked, with its answer and what it looked at."""

    edition: Edition
    ask: Ask
    name: str
    answer: Any
    seen: Seen

    def differs_without(self, editions: Iterable[EditionWithout]) -> bool:
        """Whether the answer is another one under rules without a clause, or no engine has one: some look less far."""
        for edition in editions:
            with suppress(NOTICED):
                return bool(self.ask(edition) != self.answer)
        return True


CASES: list[Case] = []


def record_case(edition: Edition, ask: Ask, name: str) -> Any:
    """Ask a question of the reference interpreter and remember which clauses it looked at.

    Args:
        edition: the date and the readings to ask under.
        ask: asks the edition that it is given, every time anew, and returns an answer that can be
            compared; it may be called again when the tests are over.
        name: what the case is called in the report.

    Returns:
        What `ask` returns.
    """
    recording = RecordingEdition(edition.date, edition.readings, "reference", edition.game, edition.overlays)
    answer = ask(recording)
    assert recording.seen.evaluated, f"{name}: the question has looked at no clause"
    CASES.append(Case(edition, ask, name, answer, recording.seen))
    return answer


def judge(cases: Iterable[Case], known: Coverage | None = None) -> Coverage:
    """Grade the clauses that cases have looked at, by the label of their rules; own cases are tried first.

    A case under rules with others on top speaks of these others only. With a report that is `known`, clauses are
    graded as far as it needs it: by the cases that it names, and where it names none by one that decides.

    Clause by clause, so that the rules without it are made once; no more cases are tried when
    enough decide. The first few deciding cases are the same however the cases are shared out.
    """
    looking: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in cases:
        for clause in case.seen.evaluated & own_clauses(case.edition):
            looking[case.edition.label, clause].append(case)
    found: Coverage = defaultdict(dict)
    for (label, clause), those in looking.items():
        named = (known or {}).get(label, {}).get(clause, ClauseCoverage()).tests
        tried = [case for case in those if not named or case.name in named]
        enough = LISTED if named or known is None else 1
        found[label][clause] = _judge_clause(clause, sorted(tried, key=lambda case: rank(clause, case.name)), enough)
    return dict(found)


@cache
def own_clauses(edition: Edition) -> frozenset[str]:
    """Name the clauses that rules bring themselves: those on top if there are any, else all."""
    on_top = {overlay_file(overlay, edition.game).stem for overlay in edition.overlays}
    return frozenset(number for number, info in edition.clauses.items() if not on_top or info.edition in on_top)


def _judge_clause(clause: str, cases: list[Case], enough: int) -> ClauseCoverage:
    @cache
    def without(old: Edition, engine: str) -> EditionWithout:
        return EditionWithout(old.date, old.readings, engine, old.game, old.overlays, clause)

    holding = [case for case in cases if clause in case.seen.held]
    names: list[str] = []
    for case in holding:
        if len(names) == enough:
            break
        engines = ("reference", "compiled") if case.seen.looks < FEW_LOOKS else ("compiled",)
        if case.name not in names and case.differs_without(without(case.edition, engine) for engine in engines):
            names.append(case.name)
    return ClauseCoverage(DECISIVE if names else HELD if holding else EVALUATED, tuple(names))


def merge(parts: Iterable[Coverage]) -> Coverage:
    """Put together what several processes have found."""
    merged: Coverage = defaultdict(dict)
    for part in parts:
        for date, clauses in part.items():
            for clause, other in clauses.items():
                mine = merged[date].get(clause, ClauseCoverage(EVALUATED))
                names = sorted({*mine.tests, *other.tests}, key=lambda name: rank(clause, name))[:LISTED]
                grade = max(mine.grade, other.grade, key=GRADES.index)
                merged[date][clause] = ClauseCoverage(grade, tuple(names))
    return dict(merged)


def settle(found: Coverage, path: Path) -> str:
    """Say in which clauses a report is not what a run of all tests has found; nothing if it stands.

    It stands if every grade is right, and every test that it names decides. It need not name all that do, so that one
    test more changes nothing where others decide already.
    """
    known = read_coverage(path.parent)
    wrong = [
        f"{clause} ({label})"
        for label in sorted({*found, *known})
        for clause in sorted({*found.get(label, {}), *known.get(label, {})})
        if not _stands(known.get(label, {}).get(clause), found.get(label, {}).get(clause))
    ]
    more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
    how = "run `make coverage`, and read what changes"
    return f"{path} is not what the tests say now: {', '.join(wrong[:SHOWN])}{more}; {how}" if wrong else ""


def _stands(known: ClauseCoverage | None, found: ClauseCoverage | None) -> bool:
    if known is None or found is None:
        return known is found
    return known.grade == found.grade and set(known.tests) <= set(found.tests)


def rank(clause: str, name: str) -> tuple[bool, str]:
    """Order the cases that decide on a clause: those named for it first."""
    return not name.startswith(f"{clause} "), name
