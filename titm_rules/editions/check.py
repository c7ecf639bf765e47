"""Rule files as they lie on disk: checked as what they are, and laid out in the one way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from titm_rules.diagnostics import Fault, RulesetError
from titm_rules.editions.games import VOCABULARY_FILE, game_folder, game_of_file
from titm_rules.editions.ledger import read_ledger
from titm_rules.editions.load import edition_sources, load_model
from titm_rules.editions.named import default_edition, editions_in, list_editions
from titm_rules.editions.sources import vocabulary_files
from titm_rules.files import read_text
from titm_rules.rules.link import Sources, link
from titm_rules.rules.model import Model
from titm_rules.syntax.declarations import GameDecl
from titm_rules.syntax.format import format_rules
from titm_rules.syntax.parser import parse_rules

MAX_BYTES = 4_000_000


def check_files(files: Sequence[Path], game: str = "") -> list[Model]:
    """Check rule files together; of none, every edition of a game.

    Args:
        files: the files.
        game: the game that they are for; empty: the one in whose folder they lie, or that is meant.

    Raises:
        InputError: for a file that cannot be read.
        RulesetError: with every fault.
    """
    if files:
        return [link(gather(files, game))]
    return [load_model(info.name, game) for info in list_editions(game)]


def gather(files: Sequence[Path], game: str = "") -> Sources:
    """Gather what rule files are checked with.

    A file of an edition is checked with all that the edition consists of, one that all editions share with the
    edition that is meant where none is named, house rules (amendments, or declarations alone) on top of the newest
    edition, and any other file with the vocabulary.

    Raises:
        InputError: for a file that cannot be read.
        RulesetError: for files that cannot be parsed, or amendments that do not fit.
    """
    folder, edition = edition_of(files[0])
    if edition:
        game_of_file(files[0], None, game)
        return edition_sources(folder, edition)[0]
    sources = tuple(parse_rules(read_rules(path), str(path)) for path in files)
    named = [decl.name.text for source in sources for decl in source.decls if isinstance(decl, GameDecl)]
    amends = any(source.amendments for source in sources)
    declares = any(source.decls for source in sources) and not named
    is_overlay = amends or (declares and not any(source.clauses or source.courses for source in sources))
    game = game_of_file(files[0], next(iter(named), None) if is_overlay else None, game)
    folder, editions = game_folder(game), list_editions(game)
    if is_overlay and editions:
        return edition_sources(folder, editions[-1].name, files)[0]
    if named:
        return Sources(sources, files[0].stem)
    shared = tuple(parse_rules(read_rules(path), str(path)) for path in vocabulary_files(folder))
    return Sources((*shared, *sources), files[0].resolve().parent.name, known_clauses=read_ledger(folder))


def edition_of(path: Path) -> tuple[Path, str]:
    """Name the rule set and the edition that a file is checked in as a part of it; empty if it is of none.

    Raises:
        RulesetError: for a vocabulary that cannot be read.
    """
    home = path.resolve().parent
    if (home.parent / VOCABULARY_FILE).is_file():
        for info in editions_in(home.parent):
            if info.folder.resolve() == home:
                return home.parent, info.name
    if (home / VOCABULARY_FILE).is_file() and editions_in(home):
        return home, default_edition(str(home))
    return home, ""


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
