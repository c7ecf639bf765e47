"""Look up clauses by number, chapter or words, and trace them through the editions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from titm_rules.catalog import RULESET_FOLDER, SCENARIO_FOLDER, game_folder
from titm_rules.diagnostics import Fault, InputError, Span, did_you_mean
from titm_rules.editions.cache import cached
from titm_rules.editions.house_rules import overlay_file, special_rules
from titm_rules.editions.load import consolidated, load_model
from titm_rules.editions.registry import list_editions
from titm_rules.editions.sources import read_ledger, shown_path
from titm_rules.files import data_folder, unsaved_texts
from titm_rules.ir.model import CARRIED_BACK, ClauseInfo

if TYPE_CHECKING:  # the cold start of a check has no need of the syntax tree
    from titm_rules.editions.consolidate import ClauseStanding, Consolidated

_NUMBERS = re.compile(r"(\d+)")


def formal_text(span: Span) -> str:
    """Read the text of a clause from its rule file, saved or not. Raises `InputError` if that no longer exists."""
    path, texts = rule_file(span.path), unsaved_texts()
    try:
        text = (texts and texts.get(path.resolve())) or path.read_text(encoding="utf-8")
    except OSError as error:
        what, why = f"cannot read the rules again: {error.strerror}", "the text of a clause is read from its file"
        raise InputError([Fault(what, span.path, why, "put the file back", kind="no-file")]) from None
    lines = text.splitlines()[span.line - 1 :]
    end = next((n for n, text in enumerate(lines[1:], 1) if text and not text[0].isspace()), len(lines))
    return "\n".join(lines[:end]).rstrip()


def rule_file(shown: str) -> Path:
    """Find the file that `shown_path` shows: of a game that ships, or at its path."""
    folder, _, rest = shown.partition("/")
    path = data_folder(folder) / rest if folder in (RULESET_FOLDER, SCENARIO_FOLDER) else Path(shown)
    return path if path.is_file() else Path(shown)


def natural_key(number: str) -> list[tuple[int, str]]:
    """Return the sort key of a clause number: part by part, each number by its size."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _NUMBERS.split(number) if part]


def chapter_of(number: str) -> str:
    return re.split(r"[.\-:]", number)[0]


# ---------------------------------------------------------------------- the order of a book
_PRINTED = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?")
_STEP = re.compile(r"(\d+)|([IVX]+)(?![A-Za-z])|([A-Za-z])(?![A-Za-z\d])|[A-Za-z]+(?:-[A-Za-z]+)*")
_ROMAN = {"I": 1, "V": 5, "X": 10}
_CHAPTER_FILE = re.compile(r"(?:^|/)0*([A-Z]?\d+)_(\w+)\.rules$")


def printed_number(info: ClauseInfo) -> str:
    """Return the number of a clause in its edition: the one that the edition gives, or its own.

    One that is carried back has its own without the date; one that a sheet adds as `NAME:NUMBER` has all of that.
    """
    return info.number or (info.id if info.attested else info.id.rpartition(":")[2])


def printed_chapter(info: ClauseInfo) -> str:
    """Return the chapter of a clause: that of its number, or the sheet that adds it as `NAME:NUMBER`."""
    number = printed_number(info)
    return info.edition if ":" in number else chapter_of(number)


def in_printed_order(infos: Iterable[ClauseInfo]) -> list[ClauseInfo]:
    """Sort clauses as a book prints them: by number, and under one number as their document has them.

    In some books the digits behind the full stop are places, as in a decimal number; in others they count. The order of
    the documents shows which. Behind them come steps: numbers, Roman ones too, then letters, then names in the order of
    the documents. A chapter without a number stands behind the one whose number a file of its own has, or else behind
    all of them; what sheets add as `NAME:NUMBER` comes last.
    """

    def in_document(info: ClauseInfo) -> tuple[bool, str, int]:
        return not _CHAPTER_FILE.search(info.span.path), info.span.path, info.span.line

    listed = sorted(infos, key=in_document)
    names: dict[str, int] = {}  # by a number up to a name in it: the place of the first clause whose number begins so
    numbered = {info.span.path for info in listed if _PRINTED.match(printed_number(info))}
    files: dict[str, float] = {}  # by chapter without a number: that of its file
    for place, info in enumerate(listed):
        file = _CHAPTER_FILE.search(info.span.path)
        is_behind = file is not None and file[1].isdecimal() and info.span.path not in numbered
        files.setdefault(printed_chapter(info), int(file[1]) if file and is_behind else inf)
        for step in _STEP.finditer(printed_number(info)):
            names.setdefault(step.string[: step.end()], place)

    def step_key(step: re.Match[str]) -> tuple[int, int | str]:
        digits, numeral, letter = step.groups()
        if letter:
            return 1, letter
        return (0, int(digits or _arabic(numeral))) if digits or numeral else (2, names[step.string[: step.end()]])

    def key(info: ClauseInfo, counts: bool) -> tuple[float, int, tuple[int | str, ...], list[tuple[int, int | str]]]:
        number = printed_number(info)
        if ":" in number:
            return inf, 2, (info.edition,), list(map(step_key, _STEP.finditer(number)))
        match = _PRINTED.match(number)
        if match is None:
            return files[chapter_of(number)], 1, (), list(map(step_key, _STEP.finditer(number)))
        digits = (int(part or -1) if counts else part or "" for part in match.groups()[1:])
        return int(match[1]), 0, tuple(digits), list(map(step_key, _STEP.finditer(number, match.end())))

    def turned(counts: bool) -> int:
        pairs = ((one, other) for one, other in pairwise(listed) if one.span.path == other.span.path)
        return sum(key(one, counts) > key(other, counts) for one, other in pairs)

    counts = turned(counts=True) <= turned(counts=False)
    return sorted(listed, key=lambda info: key(info, counts))


def _arabic(numeral: str) -> int:
    values = [_ROMAN[letter] for letter in numeral]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))


def chapter_titles(infos: Iterable[ClauseInfo]) -> dict[str, str]:
    """Return the headings of chapters, as the files of a book name them: `08_movement.rules`, or as sheets add them.

    A file that has more clauses of another chapter names none.
    """
    added: dict[str, str] = {}
    files: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for info in infos:
        files[info.span.path][chapter_of(info.id)] += 1
        if ":" in printed_number(info):
            added[info.edition] = f"Added by {info.edition}"
    named = ((match, chapters) for path, chapters in files.items() if (match := _CHAPTER_FILE.search(path)))
    return added | {
        match[1]: f"{match[1]} {match[2].replace('_', ' ').capitalize()}"
        for match, chapters in named
        if chapters[match[1]] == max(chapters.values())
    }


# ---------------------------------------------------------------------- look up
def choose_clauses(
    known: Mapping[str, ClauseInfo], date: str, numbers: Sequence[str], chapter: str = "", game: str = ""
) -> list[ClauseInfo]:
    """Choose clauses by number, or of a chapter, in natural order.

    Raises `InputError` for unknown ones, and for those of the printed rules of which the rule set has nothing.
    """
    faults = [_unknown_clause(number, date, known, game) for number in numbers if not find_clauses(number, known)]
    if faults:
        raise InputError(faults)
    if numbers:
        return [known[clause] for number in numbers for clause in find_clauses(number, known)]
    infos = [info for info in known.values() if not chapter or chapter_of(info.id) == chapter]
    if not infos:
        raise InputError([Fault(f"chapter `{chapter}` has no clauses", "--chapter", kind="unknown-name")])
    return sorted(infos, key=lambda info: natural_key(info.id))


def _unknown_clause(number: str, where: str, known: Mapping[str, object] | set[str], game: str) -> Fault:
    entry = read_ledger(game_folder(game)).get(number)
    if entry is None:
        return Fault(f"unknown clause `{number}`", where, "", did_you_mean(number, known), kind="unknown-name")
    why = f"the source lacks {entry.lacks}" if entry.lacks else f"it is a {entry.kind}, and decides nothing"
    parts = sorted((one for one in known if one.startswith(f"{number}.")), key=natural_key)
    fix = f"its parts: {', '.join(parts)}" if parts else "`titm clauses --totals` counts what the source lacks"
    return Fault(f"these rules say nothing of {number} ({entry.title})", where, why, fix, kind="unknown-name")


def search_clauses(known: Mapping[str, ClauseInfo], words: Sequence[str]) -> list[ClauseInfo]:
    """List the clauses whose title and restatement have a word that begins with each of `words`, in natural order."""
    begin = [re.compile(rf"\b{re.escape(word)}", re.IGNORECASE) for word in words]
    infos = (info for info in known.values() if all(word.search(f"{info.title}\n{info.says}") for word in begin))
    return sorted(infos, key=lambda info: natural_key(info.id))


def find_clauses(number: str, known: Mapping[str, ClauseInfo]) -> list[str]:
    """Find clauses by the number that they have in the edition, by their id, or by that of which they are parts."""
    printed = [clause for clause, info in known.items() if info.number == number]
    if printed:
        return sorted(printed, key=natural_key)
    if number in known:
        return [number]
    part = re.compile(rf"{re.escape(number)}(?:[^\W\d_]|-)")
    return sorted((clause for clause in known if part.match(clause)), key=natural_key)


# ---------------------------------------------------------------------- history
def clause_histories(
    numbers: Sequence[str], clauses: Mapping[str, ClauseInfo], game: str = ""
) -> dict[str, list[dict[str, Any]]]:
    """Return the state of clauses in every edition that has them, as JSON values by clause.

    `numbers` are as `clauses`, those of the edition in use, has them, or as any edition has had them. Raises
    `InputError` for a number that no edition has.
    """
    rules = {info.name: consolidated(info.name, game) for info in list_editions(game)}
    chosen = [clause for number in numbers for clause in _clauses_of_all(number, clauses, rules, game)]
    if not chosen:
        raise InputError([Fault("no clause is named", "NUMBER", "", "write a number before --history")])
    return {clause: _history(clause, rules) for clause in dict.fromkeys(chosen)}


def _clauses_of_all(
    number: str, clauses: Mapping[str, ClauseInfo], rules: Mapping[str, Consolidated], game: str
) -> list[str]:
    """Find clauses by number, in the edition in use or else in any."""
    found = find_clauses(number, clauses)
    everywhere = [(clause, standing) for edition in rules.values() for clause, standing in edition.standing.items()]
    printed = {clause for clause, how in everywhere if how.attested and number in (clause, how.number)}
    if found or printed:
        return [*found, *sorted(printed - {*found}, key=natural_key)]
    parts = {clause for clause, _ in everywhere if clause.rstrip("abcdefghijklmnop") == number}
    if not parts:
        raise InputError([_unknown_clause(number, "NUMBER", {clause for clause, _ in everywhere}, game)])
    return sorted(parts, key=natural_key)


def _history(clause: str, rules: Mapping[str, Consolidated]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for edition, consolidated_rules in rules.items():
        standing = consolidated_rules.standing.get(clause)
        if standing is not None:
            text = f"{standing.path}:{standing.clause.id.span.line}"
            number = standing.number or (clause if standing.attested else None)
            same_text = bool(rows) and rows[-1]["at"] == text
            rows.append(
                {
                    "edition": edition, "number": number, "title": standing.clause.title,
                    "attested": standing.attested, "how": _how(standing), "by": standing.worded, "at": text,
                    "same_text": same_text, "says": standing.clause.says,
                }
            )  # fmt: skip
    return rows


def _how(standing: ClauseStanding) -> str:
    if standing.attested:
        return standing.how
    return f"revised on {standing.revised}" if standing.revised else CARRIED_BACK


def tally_editions(name: str = "", game: str = "") -> list[dict[str, Any]]:
    """Count the clauses of all editions, or of one, and those that no document up to it attests, as JSON values."""
    if name:
        consolidated(name, game)
    rows = []
    for info in list_editions(game):
        if name in ("", info.name):
            attested = [standing.attested for standing in consolidated(info.name, game).standing.values()]
            rows.append(
                {
                    "edition": info.name, "title": info.title, "dated": info.dated, "follows": info.base or None,
                    "source": info.source, "clauses": len(attested), "attested": sum(attested),
                    "unattested": attested.count(False),
                }
            )  # fmt: skip
    return rows


def special_clauses(edition: str, game: str = "") -> Mapping[str, Mapping[str, ClauseInfo]]:
    """List by label what special rules of scenarios add to an edition. Raises `InputError` or `RulesetError`."""
    overlays = special_rules(game)
    paths = [overlay_file(overlay, game) for overlay in overlays]

    def load() -> dict[str, dict[str, ClauseInfo]]:
        clauses = {}
        for overlay, path in zip(overlays, paths, strict=True):
            model = load_model(edition, game, (overlay,))
            own = {number: info for number, info in model.clauses.items() if info.span.path == shown_path(path)}
            clauses[model.edition] = own
        return clauses

    return cached(game_folder(game), f"special clauses of {edition}", paths, dict, load)
