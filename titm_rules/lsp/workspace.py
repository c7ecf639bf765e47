"""The rule files that an editor has open, over those on disk, and the results of checking them."""

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
    """A file and all the files that it is checked with.

    Attributes:
        faults: those that `titm lint` shows.
        survey: the checked model of the items that can be read; None if there is none.
        texts: the texts of all the files, by the path that spans name; of a file with syntax faults, the items
            that can be read, each at its place.
    """

    faults: tuple[Fault, ...]
    survey: RuleSurvey | None = None
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)

    @cached_property
    def index(self) -> Index:
        """The names in these files and their meanings."""
        return Index(self.survey, self.texts)

    @cached_property
    def shown(self) -> Mapping[Path, str]:
        """The path that spans name, by file."""
        return {real_path(shown): shown for shown in self.texts}

    @property
    def paths(self) -> frozenset[Path]:
        """The files that were read, and those with faults."""
        shown = {*self.texts, *(fault.where.path for fault in self.faults if isinstance(fault.where, Span))}
        return frozenset(map(real_path, shown))


class Workspace:
    """The texts of open files, and the checks of their games, cached until a file changes."""

    def __init__(self) -> None:
        self.texts: dict[Path, str] = {}
        self._checked: dict[FileGroup, CheckedFiles] = {}
        self._last: dict[FileGroup, CheckedFiles] = {}

    def put(self, path: Path, text: str) -> None:
        """Use a text in place of a file, saved or not; its lines may end in any way."""
        self.texts[path.resolve()] = plain_lines(text)
        self._checked.clear()

    def drop(self, path: Path) -> None:
        """Use the file on disk again."""
        self.texts.pop(path.resolve(), None)
        self._checked.clear()

    def refresh(self) -> None:
        """Clear the cached checks, since a file on disk has changed."""
        self._checked.clear()

    def text(self, path: Path) -> str:
        """Return the current text of a file; empty if it cannot be read."""
        try:
            with unsaved(self.texts):
                return read_rules(path)
        except InputError:
            return ""

    def check(self, path: Path) -> CheckedFiles:
        """Check a file as `titm lint` does, with the files it belongs to; the files of an edition are checked once."""
        path = path.resolve()
        group = self._group(path)
        if group not in self._checked:
            self._checked[group] = self._last[group] = self._check(path, self._last.get(group))
        return self._checked[group]

    def _group(self, path: Path) -> FileGroup:
        """Return the key of the files that are checked together."""
        try:
            with unsaved(self.texts):
                folder, edition = edition_of(path)
        except TitmError:
            edition = ""
        return (folder, edition) if edition else (path, "")

    def _check(self, path: Path, before: CheckedFiles | None) -> CheckedFiles:
        faults, checked, texts = self._survey(path, self.texts)
        open_texts, newest = dict(self.texts), faults
        for _ in range(MOST_TRIES):  # blank the items that cannot be read, and check the rest
            if checked is not None or not self._blank_items(open_texts, newest):
                break
            newest, checked, texts = self._survey(path, open_texts)
        if checked is None and before is not None:
            return CheckedFiles(faults, before.survey, before.texts)
        return CheckedFiles(faults, checked, texts)

    def _survey(
        self, path: Path, open_texts: Mapping[Path, str]
    ) -> tuple[tuple[Fault, ...], RuleSurvey | None, dict[str, str]]:
        try:
            with unsaved(open_texts):
                sources = gather([path])
        except TitmError as error:
            return tuple(error.faults), None, {}
        checked = survey(sources)
        return checked.faults, checked, {file.path: "\n".join(file.lines) for file in sources.files if file.lines}

    def _blank_items(self, open_texts: dict[Path, str], faults: Iterable[Fault]) -> bool:
        """Blank the items with faults; return whether that changes a text."""
        lines: dict[Path, set[int]] = {}
        for fault in faults:
            if isinstance(fault.where, Span):
                lines.setdefault(real_path(fault.where.path), set()).add(fault.where.line)
        before = dict(open_texts)
        for path, wrong in lines.items():
            open_texts[path] = without_items(open_texts.get(path) or self.text(path), wrong)
        return open_texts != before

    def files_of_game(self, path: Path) -> list[Path]:
        """List the rule files of a file's game, open or on disk; the file alone if it belongs to no game."""
        try:
            game = game_of_path(path)
            folders = [game_folder(game), scenario_folder(game)] if game else []
        except InputError:
            folders = []
        files = {path.resolve()}
        for folder in folders:
            inside = [file for file in folder.rglob("*.rules") if within(folder, file.relative_to(folder)) is not None]
            files |= {file.resolve() for file in inside}
            files |= {file for file in self.texts if file.is_relative_to(folder.resolve()) and file.suffix == ".rules"}
        return sorted(files)[:MOST_FILES]

    def naming(self, path: Path, word: str) -> list[CheckedFiles]:
        """Check all files of the game that contain a word, first `path`, and no file twice."""
        groups, seen = [self.check(path)], set(self.check(path).paths)
        for other in self.files_of_game(path):
            if other not in seen and word in self.text(other):
                groups.append(self.check(other))
                seen |= {other, *groups[-1].paths}
        return groups


def real_path(shown: str) -> Path:
    """Find the file that a span names."""
    return rule_file(shown).resolve()


def plain_lines(text: str) -> str:
    """End every line in a line feed, as files are read, and remove a byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def without_items(text: str, lines: set[int]) -> str:
    """Blank the items that contain some lines, and all that cannot be read; every other item keeps its place."""
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
