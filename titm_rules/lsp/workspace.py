"""The desk: rule files as an editor holds them, over those on disk, and what checking them came to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from titm_rules.catalog import game_folder, game_of_path, scenario_folder
from titm_rules.checker.link import RuleSurvey, survey
from titm_rules.diagnostics import Fault, InputError, RulesetError, Span, TitmError
from titm_rules.editions.clause_index import rule_file
from titm_rules.editions.rule_files import edition_of, gather, read_rules
from titm_rules.files import unsaved, within
from titm_rules.lsp.index import Index
from titm_rules.syntax.parser import parse_sound, split_items

MOST_TRIES = 3
MOST_FILES = 2_000
FileGroup = tuple[Path, str]


@dataclass(frozen=True)
class CheckedFiles:
    """What is known of a file together with all that it is checked with.

    Attributes:
        faults: those that `titm lint` shows.
        survey: what could be made out of the items that can be read; nothing if there is no making out.
        texts: the texts of all the files, by the path that spans name; of a file with faults in its syntax, what
            can be read of it, each item where it stands.
    """

    faults: tuple[Fault, ...]
    survey: RuleSurvey | None = None
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)

    @cached_property
    def index(self) -> Index:
        """What each name in these files means."""
        return Index(self.survey, self.texts)

    @cached_property
    def shown(self) -> Mapping[Path, str]:
        """How spans name each file."""
        return {real_path(shown): shown for shown in self.texts}

    @property
    def paths(self) -> frozenset[Path]:
        """The files that were read, and those with faults."""
        shown = {*self.texts, *(fault.where.path for fault in self.faults if isinstance(fault.where, Span))}
        return frozenset(map(real_path, shown))


class Workspace:
    """Holds the texts of open files and answers for them; what it has worked out stays until a file changes."""

    def __init__(self) -> None:
        self.texts: dict[Path, str] = {}
        self._checked: dict[FileGroup, CheckedFiles] = {}
        self._last: dict[FileGroup, CheckedFiles] = {}

    # ------------------------------------------------------------------ texts
    def put(self, path: Path, text: str) -> None:
        """Hold a text in place of a file, saved or not; its lines may end in any way."""
        self.texts[path.resolve()] = plain_lines(text)
        self._checked.clear()

    def drop(self, path: Path) -> None:
        """Hold a text no longer: what is on disk counts again."""
        self.texts.pop(path.resolve(), None)
        self._checked.clear()

    def refresh(self) -> None:
        """Forget what was worked out, since a file on disk has changed."""
        self._checked.clear()

    def text(self, path: Path) -> str:
        """Give the text of a file as it is now; empty if it cannot be read."""
        try:
            with unsaved(self.texts):
                return read_rules(path)
        except InputError:
            return ""

    # ------------------------------------------------------------------ checking
    def check(self, path: Path) -> CheckedFiles:
        """Check a file as `titm lint` does, with all that belongs to it; files of one edition are checked once."""
        path = path.resolve()
        group = self._group(path)
        if group not in self._checked:
            self._checked[group] = self._last[group] = self._check(path, self._last.get(group))
        return self._checked[group]

    def _group(self, path: Path) -> FileGroup:
        """Tell files that are checked together from others."""
        try:
            with unsaved(self.texts):
                folder, edition = edition_of(path)
        except TitmError:
            edition = ""
        return (folder, edition) if edition else (path, "")

    def _check(self, path: Path, before: CheckedFiles | None) -> CheckedFiles:
        faults, found, texts = self._survey(path, self.texts)
        held, wrong = dict(self.texts), faults
        for _ in range(MOST_TRIES):  # leave out what cannot be read, and look at the rest
            if found is not None or not self._leave_out(held, wrong):
                break
            wrong, found, texts = self._survey(path, held)
        if found is None and before is not None:
            return CheckedFiles(faults, before.survey, before.texts)
        return CheckedFiles(faults, found, texts)

    def _survey(
        self, path: Path, held: Mapping[Path, str]
    ) -> tuple[tuple[Fault, ...], RuleSurvey | None, dict[str, str]]:
        try:
            with unsaved(held):
                sources = gather([path])
        except TitmError as error:
            return tuple(error.faults), None, {}
        found = survey(sources)
        return found.faults, found, {file.path: "\n".join(file.lines) for file in sources.files if file.lines}

    def _leave_out(self, held: dict[Path, str], faults: Iterable[Fault]) -> bool:
        """Blank the items with faults; tell whether that changes anything."""
        lines: dict[Path, set[int]] = {}
        for fault in faults:
            if isinstance(fault.where, Span):
                lines.setdefault(real_path(fault.where.path), set()).add(fault.where.line)
        before = dict(held)
        for one, wrong in lines.items():
            held[one] = without_items(held.get(one) or self.text(one), wrong)
        return held != before

    # ------------------------------------------------------------------ the whole game
    def files_of_game(self, path: Path) -> list[Path]:
        """List the rule files of the game that a file is of, open or on disk; of no game: the file alone."""
        try:
            game = game_of_path(path)
            folders = [game_folder(game), scenario_folder(game)] if game else []
        except InputError:
            folders = []
        found = {path.resolve()}
        for folder in folders:
            inside = [one for one in folder.rglob("*.rules") if within(folder, one.relative_to(folder)) is not None]
            found |= {one.resolve() for one in inside}
            found |= {one for one in self.texts if one.is_relative_to(folder.resolve()) and one.suffix == ".rules"}
        return sorted(found)[:MOST_FILES]

    def naming(self, path: Path, word: str) -> list[CheckedFiles]:
        """Check all files of the game that hold a word, the one that is asked from first, no file twice."""
        found, seen = [self.check(path)], set(self.check(path).paths)
        for other in self.files_of_game(path):
            if other not in seen and word in self.text(other):
                found.append(self.check(other))
                seen |= {other, *found[-1].paths}
        return found


def real_path(shown: str) -> Path:
    """Find the file that a span names."""
    return rule_file(shown).resolve()


def plain_lines(text: str) -> str:
    """End every line in a line feed, as files are read; a mark of the byte order is no text."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def without_items(text: str, lines: set[int]) -> str:
    """Blank the items that hold some lines, and all that cannot be read; every other item stays where it is."""
    try:
        _, faults = parse_sound(text, "")
    except RulesetError:
        return ""
    wrong = lines | {fault.where.line for fault in faults if isinstance(fault.where, Span)}
    items = split_items(text)
    kept = ["\n" * (items[0][0] - 1 if items else 0)]
    for first, item in items:
        count = item.count("\n")
        spoilt = any(first <= line <= first + count for line in wrong)
        kept.append("\n" * count if spoilt else item)
    return "".join(kept)
