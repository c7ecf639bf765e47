"""A game of one's own, outside the folder of those that ship, and a workspace to look at it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from titm_rules.files import data_folder
from titm_rules.lsp.workspace import CheckedFiles, Symbol, Workspace
from titm_rules.syntax.references import Mention

RULES, VOCABULARY = "1/01_rules.rules", "game.rules"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return Path(shutil.copytree(data_folder("rulesets") / "cold-ford", tmp_path / "my-ford"))


class Writer:
    """Somebody who writes a file of a game: changes its text, and points at words in it."""

    def __init__(self, path: Path) -> None:
        self.workspace, self.path = Workspace(), path
        self.text = path.read_text(encoding="utf-8")
        self.workspace.put(path, self.text)

    def write(self, old: str, new: str) -> CheckedFiles:
        """Put a text for another that stands in the file once."""
        assert self.text.count(old) == 1, old
        self.text = self.text.replace(old, new)
        self.workspace.put(self.path, self.text)
        return self.checked

    def append(self, text: str) -> CheckedFiles:
        self.text += text
        self.workspace.put(self.path, self.text)
        return self.checked

    @property
    def checked(self) -> CheckedFiles:
        return self.workspace.check(self.path)

    @property
    def shown(self) -> str:
        return self.checked.shown[self.path.resolve()]

    def place(self, words: str, pointed: str = "") -> tuple[int, int]:
        """Find the line and column of a word within words that stand in the file once."""
        assert self.text.count(words) == 1, words
        start = self.text.index(words) + words.index(pointed or words)
        return 1 + self.text.count("\n", 0, start), start - self.text.rfind("\n", 0, start)

    def at(self, words: str, pointed: str = "") -> tuple[Mention, Symbol]:
        found = self.checked.index.at(self.shown, *self.place(words, pointed))
        assert found is not None
        return found


@pytest.fixture
def rules(game: Path) -> Writer:
    return Writer(game / RULES)


@pytest.fixture
def vocabulary(game: Path) -> Writer:
    return Writer(game / VOCABULARY)


@pytest.fixture
def example(tmp_path: Path) -> Callable[[str], Writer]:
    def open_copy(name: str) -> Writer:
        source = data_folder("grammar") / "good" / f"{name}.rules"
        return Writer(Path(shutil.copy(source, tmp_path / "example.rules")))

    return open_copy


@pytest.fixture
def writers(rules: Writer, example: Callable[[str], Writer]) -> Callable[[str], Writer]:
    """Open the rules of the game by their name, or a program."""
    return lambda name: rules if name == RULES else example(name)
