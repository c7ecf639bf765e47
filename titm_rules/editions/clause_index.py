"""Look up, search and count the clauses of editions, with their history and test coverage."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from titm_rules.catalog import RULESET_FOLDER, SCENARIO_FOLDER, game_folder
from titm_rules.diagnostics import Fault, InputError, Span, did_you_mean
from titm_rules.editions.cache import cached
from titm_rules.editions.load import consolidated, load_model
from titm_rules.editions.overlays import overlay_file, special_rules
from titm_rules.editions.registry import EditionInfo, list_editions
from titm_rules.editions.sources import read_ledger, shown_path
from titm_rules.files import data_folder
from titm_rules.ir.model import CARRIED_BACK, ClauseInfo, Model

if TYPE_CHECKING:
    from titm_rules.editions.consolidate import ClauseStanding, Consolidated

# ---------------------------------------------------------------------- coverage
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


# ---------------------------------------------------------------------- text
_PARTS = re.compile(r"(\d+)")


def formal_text(span: Span) -> str:
    """Read a clause as it stands in its rule file.

    Raises:
        InputError: if the file, one of somebody's own, has gone.
    """
    try:
        lines = rule_file(span.path).read_text(encoding="utf-8").splitlines()[span.line - 1 :]
    except OSError as error:
        what, why = f"cannot read the rules again: {error.strerror}", "the words of a clause are taken from its file"
        raise InputError([Fault(what, span.path, why, "put the file back", kind="no-file")]) from None
    end = next((n for n, text in enumerate(lines[1:], 1) if text and not text[0].isspace()), len(lines))
    return "\n".join(lines[:end]).rstrip()


def rule_file(shown: str) -> Path:
    """Find the file that `shown_path` shows: of a game that ships, or where its path says."""
    folder, _, rest = shown.partition("/")
    path = data_folder(folder) / rest if folder in (RULESET_FOLDER, SCENARIO_FOLDER) else Path(shown)
    return path if path.is_file() else Path(shown)


def natural(number: str) -> list[tuple[int, str]]:
    """Sort clause numbers as a reader counts: part by part, each number by its size."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _PARTS.split(number) if part]


# ---------------------------------------------------------------------- book
@dataclass(frozen=True)
class Book:
    """The clauses of rules and those of the scenarios over them, with what the tests say of each that decides."""

    clauses: Mapping[str, ClauseInfo]
    tested: Mapping[str, ClauseCoverage]


def whole_book(edition: str, model: Model, game: str = "") -> Book:
    """Gather the clauses of an edition, and behind them those of the scenarios.

    `model` is the edition's, perhaps with house rules on top.
    """
    special = special_clauses(edition, game)
    reports = read_coverage(game_folder(game))
    clauses, tested = dict(model.clauses), dict(reports.get(edition, {}))
    for label, brought in special.items():
        clauses = {**brought, **clauses}
        tested |= reports.get(label, {})
    return Book(clauses, {**tested, **reports.get(model.edition, {})})


def choose_clauses(
    known: Mapping[str, ClauseInfo], date: str, numbers: Sequence[str], chapter: str = ""
) -> list[ClauseInfo]:
    """Choose clauses by number, or all of a chapter, in the order of a reader.

    Raises:
        InputError: for a number or a chapter that is not there.
    """
    faults = [
        Fault(f"unknown clause `{number}`", date, "", did_you_mean(number, known), kind="unknown-name")
        for number in numbers if not meant(number, known)
    ]  # fmt: skip
    if faults:
        raise InputError(faults)
    if numbers:
        return [known[found] for number in numbers for found in meant(number, known)]
    found = [info for info in known.values() if not chapter or chapter_of(info.id) == chapter]
    if not found:
        raise InputError([Fault(f"no clause stands in chapter `{chapter}`", "--chapter", kind="unknown-name")])
    return sorted(found, key=lambda info: natural(info.id))


def clauses_with(known: Mapping[str, ClauseInfo], words: Sequence[str]) -> list[ClauseInfo]:
    """List the clauses in whose title or restatement all of some words begin, in the order of a reader."""
    begin = [re.compile(rf"\b{re.escape(word)}", re.IGNORECASE) for word in words]
    found = (info for info in known.values() if all(one.search(f"{info.title}\n{info.says}") for one in begin))
    return sorted(found, key=lambda info: natural(info.id))


def meant(number: str, known: Mapping[str, ClauseInfo]) -> list[str]:
    """Find clauses by number: the one they bear in the edition, their own, or that of all parts."""
    borne = [one for one, info in known.items() if info.number == number]
    if borne:
        return sorted(borne, key=natural)
    if number in known:
        return [number]
    parts = [one for one in known if one.startswith(number) and _is_part(one[len(number) :])]
    return sorted(parts, key=natural)


def _is_part(rest: str) -> bool:
    return rest[:1].isalpha() or rest.startswith("-")


def clause_record(info: ClauseInfo, tested: ClauseCoverage | None, whole: bool) -> dict[str, Any]:
    """Give a clause as JSON values; the whole has its formal text too."""
    record: dict[str, Any] = {
        "clause": info.id, "title": info.title, "says": info.says, "at": f"{info.span.path}:{info.span.line}",
        "decides": list(info.heads), "excepts": list(info.excepts), "sees": list(info.sees),
        "silent": info.silent or None, "number": info.number or info.id, "edition": info.edition,
        "attested": info.attested,
        "grade": (tested.grade or "untested") if tested else None, "tests": list(tested.tests) if tested else [],
    }  # fmt: skip
    return record | {"text": formal_text(info.span)} if whole else record


@dataclass
class Chapter:
    """The clauses of a chapter, by what the rule set does with them, and how far tests reach the formal ones."""

    formal: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    reached: dict[str, list[str]] = field(default_factory=lambda: {grade: [] for grade in GRADES})

    def add(self, number: str, info: ClauseInfo | None, tested: ClauseCoverage | None) -> None:
        """Put a clause where it belongs."""
        if info is None:
            self.missing.append(number)
        elif info.is_formal:
            self.formal.append(number)
            for grade in GRADES:
                if tested is not None and tested.reaches(grade):
                    self.reached[grade].append(number)
        else:
            (self.seen if info.sees else self.silent).append(number)

    def join(self, other: Chapter) -> None:
        """Take in the clauses of another chapter."""
        for mine, theirs in zip(self._lists(), other._lists(), strict=True):
            mine.extend(theirs)

    def _lists(self) -> list[list[str]]:
        return [self.formal, self.seen, self.silent, self.missing, *self.reached.values()]

    def record(self) -> dict[str, list[str]]:
        """Give the lists as JSON values."""
        named = {"formal": self.formal, "see": self.seen, "nothing": self.silent, "missing": self.missing}
        return named | self.reached

    def counts(self) -> list[str]:
        """Count the clauses, for a row of the table: all, then those of each kind and grade."""
        parts = (self.formal, self.seen, self.silent)
        of_all = sum(map(len, (*parts, self.missing)))
        return [str(n) for n in (of_all, *map(len, (*parts, *self.reached.values(), self.missing)))]


def chapters_of(book: Book, edition: str, game: str = "") -> dict[str, Chapter]:
    """Sort the clauses of the ledger by chapter, each by what the rule set does with it."""
    chapters: dict[str, Chapter] = {}
    for entry in read_ledger(game_folder(game)).values():
        if entry.is_in(edition):
            chapter = chapters.setdefault(chapter_of(entry.number), Chapter())
            chapter.add(entry.number, book.clauses.get(entry.number), book.tested.get(entry.number))
    return chapters


def chapter_of(number: str) -> str:
    """Name the chapter that a clause stands in."""
    return re.split(r"[.\-:]", number)[0]


# ---------------------------------------------------------------------- history
def histories(
    numbers: Sequence[str], clauses: Mapping[str, ClauseInfo], game: str = ""
) -> dict[str, list[dict[str, Any]]]:
    """Tell how clauses stand in every edition, by clause.

    Args:
        numbers: numbers of clauses, each as `clauses` has it, or as any edition has had it.
        clauses: those of the edition that is meant.
        game: its name; empty: the one that is meant.

    Raises:
        InputError: for a number that no edition has.
    """
    rules = {info.name: consolidated(info.name, game) for info in list_editions(game)}
    chosen = [clause for number in numbers for clause in _clauses(number, clauses, rules)]
    if not chosen:
        raise InputError([Fault("no clause is named", "NUMBER", "", "write a number before --history")])
    return {clause: _history(clause, rules) for clause in dict.fromkeys(chosen)}


def _clauses(number: str, clauses: Mapping[str, ClauseInfo], rules: Mapping[str, Consolidated]) -> list[str]:
    found = meant(number, clauses)
    borne = {
        name for one in rules.values() for name, how in one.standing.items()
        if how.attested and number in (name, how.number)
    }  # fmt: skip
    if found or borne:
        return [*found, *sorted(borne - {*found}, key=natural)]
    everywhere = {
        name for one in rules.values() for name in one.standing if name.rstrip("abcdefghijklmnop") == number
    }  # fmt: skip
    if not everywhere:
        known = {name for one in rules.values() for name in one.standing}
        raise InputError(
            [Fault(f"unknown clause `{number}`", "NUMBER", "", did_you_mean(number, known), kind="unknown-name")]
        )
    return sorted(everywhere, key=natural)


def _kept_back(how: ClauseStanding) -> str:
    return f"revised on {how.revised}" if how.revised else CARRIED_BACK


def _history(clause: str, rules: Mapping[str, Consolidated]) -> list[dict[str, Any]]:
    """Tell how a clause stands in each edition; an edition without it is left out."""
    told = []
    last = ""
    for name, one in rules.items():
        how = one.standing.get(clause)
        if how is None:
            continue
        text = f"{how.path}:{how.clause.id.span.line}"
        told.append(
            {
                "edition": name, "number": how.number or (clause.split(":")[-1] if how.attested else None),
                "title": how.clause.title, "attested": how.attested,
                "how": how.how if how.attested else _kept_back(how),
                "by": how.worded, "at": text, "same_text": text == last,
            }
        )  # fmt: skip
        last = text
    return told


# ---------------------------------------------------------------------- tally
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


# ---------------------------------------------------------------------- special
def special_clauses(edition: str, game: str = "") -> Mapping[str, Mapping[str, ClauseInfo]]:
    """List what the special rules of each scenario bring to an edition; from the cache if no file has changed.

    Returns:
        Clauses by number, under the label of the edition with these rules on top. The clauses of the
        edition itself are not among them.

    Raises:
        InputError: for an edition that does not exist.
        RulesetError: for rules that do not compile.
    """
    overlays = special_rules(game)
    paths = [overlay_file(overlay, game) for overlay in overlays]
    what = f"special clauses of {edition}"
    return cached(game_folder(game), what, paths, dict, lambda: dict(_brought(edition, game, one) for one in overlays))


def _brought(edition: str, game: str, overlay: str) -> tuple[str, dict[str, ClauseInfo]]:
    model, path = load_model(edition, game, (overlay,)), shown_path(overlay_file(overlay, game))
    return model.edition, {number: info for number, info in model.clauses.items() if info.span.path == path}
