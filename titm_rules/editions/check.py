"""Rule files as they lie on disk: checked as what they are, and laid out in the one way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from titm_rules.diagnostics import Fault, RulesetError
from titm_rules.editions.games import VOCABULARY_FILE, game_folder, game_of_file
from titm_rules.editions.ledger import read_ledger
from titm_rules.editions.load import link_edition, load_model
from titm_rules.editions.named import editions_in, list_editions
from titm_rules.editions.sources import vocabulary_files
from titm_rules.files import read_text
from titm_rules.rules.link import link_model
from titm_rules.rules.model import Model
from titm_rules.syntax.declarations import GameDecl
from titm_rules.syntax.format import format_rules
from titm_rules.syntax.parser import parse_rules

MAX_BYTES = 4_000_000


def check_files(files: Sequence[Path], game: str = "") -> list[Model]:
    """Check rule files together; of none, every edition of a game.

    A file of an edition is checked with all that the edition consists of, house rules on top of the
    newest edition, and any other file with the vocabulary.

    Args:
        files: the files.
        game: the game that they are for; empty: the one in whose folder they lie, or that is meant.

    Raises:
        InputError: for a file that cannot be read.
        RulesetError: with every fault.
    """
    return [_linked(files, game)] if files else [load_model(info.name, game) for info in list_editions(game)]


def _linked(files: Sequence[Path], asked: str) -> Model:
    """Check files as what they are: of an edition, house rules on the newest one, or a rule set of their own."""
    home = files[0].resolve().parent
    sources = [parse_rules(read_rules(path), str(path)) for path in files]
    named = [decl.name.text for source in sources for decl in source.decls if isinstance(decl, GameDecl)]
    is_overlay = any(source.amendments for source in sources)
    game = game_of_file(files[0], next(iter(named), None) if is_overlay else None, asked)
    if (home.parent / VOCABULARY_FILE).is_file():
        for info in editions_in(home.parent):
            if info.folder.resolve() == home:
                return link_edition(home.parent, info.name)
    folder = game_folder(game)
    if is_overlay:
        return link_edition(folder, list_editions(game)[-1].name, files)
    if not named:
        sources = [*(parse_rules(read_rules(path), str(path)) for path in vocabulary_files(folder)), *sources]
        return link_model(sources, home.name, known_clauses=read_ledger(folder))
    return link_model(sources, files[0].stem)


def read_rules(path: Path) -> str:
    """Read a rule file.

    Raises:
        InputError: if it cannot be read, is too large or is not text.
    """
    return read_text(path, fix="name a rule file", most=MAX_BYTES)


def changed_layouts(paths: Sequence[Path]) -> dict[Path, str]:
    """Lay rule files out in the one way; give the texts of those that change.

    Raises:
        InputError: for a file that cannot be read.
        RulesetError: with every fault of their syntax.
    """
    faults: list[Fault] = []
    changed: dict[Path, str] = {}
    for path in paths:
        text = read_rules(path)
        try:
            laid_out = format_rules(text, str(path))
        except RulesetError as error:
            faults.extend(error.faults)
        else:
            changed |= {path: laid_out} if laid_out != text else {}
    if faults:
        raise RulesetError(faults)
    return changed
