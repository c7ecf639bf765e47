"""Rule files on disk: which there are in a folder, and their trees."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from titm_rules.diagnostics import Fault, RulesetError, TitmError
from titm_rules.editions.games import (
    RULESET_FOLDER,
    SCENARIO_FOLDER,
    VOCABULARY_FILE,
)
from titm_rules.files import read_text, unsaved_texts, within
from titm_rules.shipped import data_folder

if TYPE_CHECKING:  # the tree is not needed for rules that are in the cache
    from titm_rules.syntax.tree import SourceFile


def vocabulary_files(folder: Path) -> list[Path]:
    """List the files of a rule set that all editions share: its vocabulary and the course of play."""
    return sorted(rules_in(folder), key=lambda path: (path.name != VOCABULARY_FILE, path.name))


def rules_in(folder: Path) -> list[Path]:
    """List the rule files in a folder, those too that an editor alone holds; a link out of it is none of them."""
    home = folder.resolve() if (held := unsaved_texts()) else folder
    new = [folder / path.name for path in held if path.parent == home and path.suffix == ".rules"]
    paths = sorted({*folder.glob("*.rules"), *new})
    return [path for path in paths if within(folder, path.name) is not None]


def parse_files(paths: Iterable[Path]) -> list[SourceFile]:
    """Parse rule files.

    Raises:
        RulesetError: with the faults of all of them.
    """
    parsed: list[SourceFile] = []
    faults: list[Fault] = []
    for path in paths:
        try:
            parsed.append(parse_text(read_text(path, fix="name a rule file"), shown_path(path)))
        except TitmError as error:
            faults.extend(error.faults)
    if faults:
        raise RulesetError(faults)
    return parsed


@lru_cache(maxsize=96)  # files of two games; an editor sends a text for every key
def parse_text(text: str, path: str) -> SourceFile:
    """Parse the text of a rule file; texts that were parsed lately are not parsed again."""
    from titm_rules.syntax.parser import parse_rules

    return parse_rules(text, path)


def shown_path(path: Path) -> str:
    """Show a path of a game that ships from the data folder on; any other as it is given."""
    whole = path.resolve()
    for name in (RULESET_FOLDER, SCENARIO_FOLDER):
        if whole.is_relative_to(folder := data_folder(name).resolve()):
            return f"{name}/{whole.relative_to(folder).as_posix()}"
    return str(path)
