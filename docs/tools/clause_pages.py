"""Generate the index of clauses: a page per chapter, with editions, numbers and tests, and a page of chapters.

The data come from the rule set and its test report. The site build generates the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from titm_rules.catalog import game_folder
from titm_rules.editions.clause_index import formal_text, natural_key
from titm_rules.editions.coverage import ClauseCoverage, coverage_of, read_coverage
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import EditionInfo, list_editions
from titm_rules.ir.model import ClauseInfo

FOLDER = "reference/clauses"
CHAPTER_FILE = re.compile(r"/(\d+)_(\w+)\.rules$")
SHOWN_TESTS = 3
MARKS = str.maketrans({mark: f"\\{mark}" for mark in "*_<>[]`#|"})
HEAD = """\
# Clauses by number

Every clause of every edition: a restatement in our words, the editions in which it was in force, its printed
number, its formal text, and tests in which it decides. The site build generates these pages from `rulesets/titm`.
On the command line, use `titm clauses 8.38` and `titm clauses 8.38 --history`.

A clause is *formal* if one of its sentences decides something. The other clauses refer to clauses, or give a reason
why they decide nothing. A clause is *decisive* if the answer of some test would differ without it ([how the tests
measure this](../../explanation/coverage.md)). The counts include all editions.
"""


@dataclass(frozen=True)
class Wording:
    """A clause in the wording of one document, and the editions that use this wording (with their clause)."""

    info: ClauseInfo
    editions: dict[str, ClauseInfo] = field(default_factory=dict)


class Index:
    """All clauses of a rule set, in all editions.

    Attributes:
        infos: the editions, oldest first.
        clauses: by its own number, each clause in each of its wordings, oldest edition first.
    """

    def __init__(self, game: str = "titm") -> None:
        self.infos: list[EditionInfo] = list_editions(game)
        self.models = {info.name: load_model(info.name, game).clauses for info in self.infos}
        self._tested = read_coverage(game_folder(game))
        self.clauses: dict[str, list[Wording]] = {}
        for date, clauses in self.models.items():
            for number, info in clauses.items():
                self._add(date, number, info)

    def _add(self, date: str, number: str, info: ClauseInfo) -> None:
        wordings = self.clauses.setdefault(number, [])
        for wording in wordings:
            if wording.info.span == info.span:
                wording.editions[date] = info
                return
        wordings.append(Wording(info, {date: info}))

    @cached_property
    def tests(self) -> dict[str, dict[str, ClauseCoverage]]:
        """The test grades of clauses, by edition and clause number."""
        editions = {date: tested for date, tested in self._tested.items() if date in self.models}
        return {date: coverage_of(self.models[date], tested) for date, tested in editions.items()}

    @cached_property
    def chapters(self) -> dict[str, list[str]]:
        """The clause numbers of each chapter, both in natural order; chapters without a number come last."""
        found: dict[str, list[str]] = {}
        for number in sorted(self.clauses, key=lambda number: natural_key(number.rpartition(":")[2])):
            found.setdefault(chapter_of(number), []).append(number)
        return dict(sorted(found.items(), key=lambda item: not item[0].isdecimal()))

    def runs(self, editions: Iterable[str]) -> str:
        """Write a set of editions as runs: `1994-11-01 to 1997-08-20, 1999`."""
        names = [info.name for info in self.infos]
        runs: list[list[str]] = []
        for at in sorted(map(names.index, editions)):
            if runs and names[at - 1] == runs[-1][-1]:
                runs[-1].append(names[at])
            else:
                runs.append([names[at]])
        return ", ".join(run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def chapter_of(number: str) -> str:
    """Return the chapter of a clause: its number up to the first full stop, without the date of a sheet."""
    return re.split(r"[.-]", number.rpartition(":")[2])[0]


def page_of(chapter: str) -> str:
    """Return the file name of a chapter's page."""
    return f"{chapter.zfill(2) if chapter.isdecimal() else chapter.lower()}.md"


def clause_pages(index: Index) -> dict[str, str]:
    """Return all pages, by their paths in the site."""
    pages = {f"{FOLDER}/index.md": _chapters(index)}
    for chapter, numbers in index.chapters.items():
        sections = [_section(index, number) for number in numbers]
        pages[f"{FOLDER}/{page_of(chapter)}"] = "\n".join([f"# {_heading(index, chapter)}\n", *sections])
    return pages


def _heading(index: Index, chapter: str) -> str:
    """Return the title of a chapter: from the rule file with its number, or from its first file if it has no number."""
    files = sorted({w.info.span.path for number in index.chapters[chapter] for w in index.clauses[number]})
    names = {match[1]: match[2].replace("_", " ").capitalize() for match in map(CHAPTER_FILE.search, files) if match}
    if chapter.isdecimal():
        return f"{chapter} {names.get(chapter.zfill(2), '')}".rstrip()
    return next(iter(names.values()), chapter)


def _chapters(index: Index) -> str:
    rows = ["| chapter | clauses | formal | decisive in tests |", "| --- | --- | --- | --- |"]
    for chapter, numbers in index.chapters.items():
        formal = sum(any(w.info.is_formal for w in index.clauses[number]) for number in numbers)
        decisive = sum(_coverage(index, number).grade == "decisive" for number in numbers)
        rows.append(f"| [{_heading(index, chapter)}]({page_of(chapter)}) | {len(numbers)} | {formal} | {decisive} |")
    rows += ["", "## Editions", "", "| edition | | clauses | attested | preserved |", "| --- | --- | --- | --- | --- |"]
    for info in index.infos:
        clauses = index.models[info.name].values()
        attested = sum(clause.attested for clause in clauses)
        rows.append(f"| {info.name} | {info.title} | {len(clauses)} | {attested} | {info.source} |")
    return "\n".join([HEAD, *rows, ""])


def _section(index: Index, number: str) -> str:
    """Write one clause: its wording in each document, and its tests."""
    wordings = index.clauses[number]
    parts = [f"## {number} {wordings[-1].info.title} {{: #{number} }}\n"]
    for wording in wordings:
        parts.append(f"{_escaped(wording.info.says)}\n\n{_standing(index, number, wording)}\n")
        parts.append(_folded(wording.info))
    return "\n".join([*parts, _tests(_coverage(index, number))])


def _standing(index: Index, number: str, wording: Wording) -> str:
    """List the editions that use a wording, those that only carry it back, and its printed numbers."""
    lines = [f"**In force** {index.runs(wording.editions)}, in the wording of {wording.info.edition}."]
    carried = [date for date, info in wording.editions.items() if not info.attested]
    if carried:
        lines.append(f"Carried back, not attested: {index.runs(carried)}.")
    others = {info.number: [] for info in wording.editions.values() if info.number not in ("", number)}
    for printed, dates in others.items():
        dates += [date for date, info in wording.editions.items() if info.number == printed]
        lines.append(f"Printed as {printed} in {index.runs(dates)}.")
    return " ".join([*lines, *_roles(wording.info)])


def _roles(info: ClauseInfo) -> list[str]:
    """List the heads that a clause decides, the clauses it overrides, and the clauses it refers to."""
    lines = []
    if info.heads:
        lines.append(f"Decides {_code(info.heads)}.")
    if info.excepts:
        lines.append(f"Exception to {_code(info.excepts)}.")
    if info.sees:
        lines.append(f"See {_code(info.sees)}.")
    if info.silent:
        lines.append(f"Decides nothing: {_escaped(info.silent)}.")
    return lines


def _folded(info: ClauseInfo) -> str:
    """Write the formal text in a collapsible block."""
    text = "\n".join(f"    {line}".rstrip() for line in formal_text(info.span).splitlines())
    return f'??? quote "{info.span.path}:{info.span.line}"\n\n    ```\n{text}\n    ```\n'


def _coverage(index: Index, number: str) -> ClauseCoverage:
    """Return the test grade of a clause, from the newest edition in which a test evaluates it."""
    dates = [date for wording in index.clauses[number] for date in wording.editions]
    return next(
        (index.tests[date][number] for date in reversed(dates) if number in index.tests.get(date, {})),
        ClauseCoverage(),
    )


def _tests(tested: ClauseCoverage) -> str:
    if not tested.tests:
        return f"**In tests** {tested.grade}.\n" if tested.grade else ""
    names = "; ".join(_escaped(name) for name in tested.tests[:SHOWN_TESTS])
    return f"**In tests** {tested.grade}, for example in: {names}.\n"


def _code(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _escaped(text: str) -> str:
    return text.translate(MARKS)
