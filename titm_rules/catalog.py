"""Find games: their folders, files and defaults.

A game is a folder with its rules, maps, forces, scenarios, house rules and cases. It ships, or it lies in a folder
of the user's own; it is named by the name of its folder, or by a path to it. Of a game that ships the scenarios lie
in a folder of its name beside the rule sets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from titm_rules.diagnostics import Fault, InputError, Span, cut, did_you_mean
from titm_rules.files import data_folder, read_text, within

VOCABULARY_FILE = "game.rules"
DEFAULT_FILE = "default.txt"  # in a folder of several: which is meant where none is named
RULESET_FOLDER, SCENARIO_FOLDER, CONFORMANCE_FOLDER = "rulesets", "scenarios", "conformance"
SEARCHED = "TITM_RULES_GAMES"  # environment: folders of games of the user's own
MAX_DEFAULT = 200
_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)


def game_folders() -> dict[str, Path]:
    """List the games that ship and those in the user's folders, by name; of one name the first that is found."""
    own = [Path(part) for part in os.environ.get(SEARCHED, "").split(os.pathsep) if part]
    found: dict[str, Path] = {}
    for folder in (data_folder(RULESET_FOLDER), *own):
        for path in sorted(folder.glob(f"*/{VOCABULARY_FILE}")):
            if is_name(path.parent.name) and _holds_game(path.parent):
                found.setdefault(path.parent.name, path.parent)
    return found


def is_name(game: str) -> bool:
    """Whether a game is named by a name and not by a path."""
    return _NAME.fullmatch(game) is not None


def ships(game: str) -> bool:
    """Whether a game of this name ships; no folder of somebody's own is named so."""
    return is_name(game) and (data_folder(RULESET_FOLDER) / game / VOCABULARY_FILE).is_file()


def game_folder(game: str = "") -> Path:
    """Find the folder of a game.

    Args:
        game: its name, or the path of its folder, with a slash in it; empty: the one that is meant.

    Raises:
        InputError: if there is none.
    """
    game = game or default_game()
    if ships(game):
        return data_folder(RULESET_FOLDER) / game
    if _is_path(game) and _holds_game(Path(game)):
        return Path(game)
    known = game_folders()
    if game in known:
        return known[game]
    raise InputError([Fault(f"unknown game `{cut(game)}`", "$.game", *_hint(game, known), kind="unknown-game")])


def _holds_game(folder: Path) -> bool:
    """Whether a folder is that of a game; a link out of it is no file of it."""
    path = within(folder, VOCABULARY_FILE)
    return path is not None and path.is_file()


def _is_path(game: str) -> bool:
    return "/" in game or os.sep in game or game in (".", "..")


def _hint(game: str, known: dict[str, Path]) -> tuple[str, str]:
    if _is_path(game):
        return f"the folder of a game holds a file {VOCABULARY_FILE}", "name such a folder"
    if is_name(game) and _holds_game(Path(game)):
        return "a folder of one's own is named by a path", f"write ./{game}"
    return "", did_you_mean(game, known)


def default_game() -> str:
    """Name the game that is meant where none is named: the one that ships as such, or the only one.

    Raises:
        InputError: if there are several, and none is said to be meant.
    """
    said = read_default(data_folder(RULESET_FOLDER))
    if said:
        return said
    known = game_folders()
    if len(known) != 1:
        raise InputError([Fault("no game is named", "--game", fix=did_you_mean("", known), kind="missing-field")])
    return next(iter(known))


def read_default(folder: Path) -> str:
    """Read which of several things in a folder is meant where none is named; empty if it does not say."""
    path = within(folder, DEFAULT_FILE)
    if path is None or not path.is_file():
        return ""
    return read_text(path, most=MAX_DEFAULT).strip()


def game_name(game: str) -> str:
    """Give the name of a game that is named in any way.

    Raises:
        InputError: if there is none.
    """
    return game if is_name(game) else game_folder(game).resolve().name


def scenario_folder(game: str = "") -> Path:
    """Find the folder of the scenarios of a game: in its own, or beside the rule sets if it ships."""
    folder = game_folder(game)
    ships = folder.resolve().parent == data_folder(RULESET_FOLDER).resolve()
    return data_folder(SCENARIO_FOLDER) / folder.name if ships else folder / SCENARIO_FOLDER


def files_of(game: str, pattern: str) -> list[Path]:
    """List files of a game in the order of their names; a link out of its folder is none of them."""
    return _files(game_folder(game), pattern)


def scenario_files(game: str, pattern: str) -> list[Path]:
    """List files of the scenarios of a game, as `files_of` does; a scenario is a folder."""
    return _files(scenario_folder(game), pattern)


def _files(folder: Path, pattern: str) -> list[Path]:
    return [path for path in sorted(folder.glob(pattern)) if within(folder, path.relative_to(folder)) is not None]


# ---------------------------------------------------------------------- the game of a file
def game_of_path(path: Path) -> str:
    """Name the game in whose folder a file lies; empty if it lies in none."""
    scenarios = data_folder(SCENARIO_FOLDER).resolve()
    for folder in _above(path):
        if folder.parent == scenarios:
            return folder.name
        if _holds_game(folder):
            known = game_folders().get(folder.name)
            return folder.name if known is not None and known.resolve() == folder else str(folder)
    return ""


def _above(path: Path) -> Iterator[Path]:
    try:
        yield from path.resolve().parents
    except (OSError, ValueError, RuntimeError):
        return


def game_of_file(path: Path, said: object = None, asked: str = "") -> str:
    """Name the game that a file belongs to: the one it names, or in whose folder it lies, or the one that is meant.

    Args:
        path: the file.
        said: what it says under `game`.
        asked: the game that it is wanted for, if one is.

    Raises:
        InputError: for a file of another game than that, or one that names none in the right way.
    """
    lies = game_of_path(path)
    if said is not None and not (isinstance(said, str) and is_name(said)):
        raise InputError([Fault("`game` must be the name of a game", f"{path}: $.game", kind="bad-value")])
    wanted, its = asked or (lies if said else ""), str(said or "") or lies
    if wanted and its:
        check_game(game_name(its), wanted, f"{path}: $.game" if said else str(path))
    return wanted or its or default_game()


def check_game(its: str, wanted: str, where: str | Span, what: str = "this") -> None:
    """Refuse a thing of another game than the one that is asked.

    Raises:
        InputError: naming both games.
    """
    name = game_name(wanted)
    if its != name:
        told = f"{what} belongs to the game `{cut(its)}`, and `{cut(name)}` is asked"
        fix = f"ask `{cut(its)}` with --game, or name something of `{cut(name)}`"
        raise InputError([Fault(told, where, fix=fix, kind="other-game")])


def elsewhere(pattern: str, game: str) -> dict[str, str]:
    """Name what other games have of a sort, each with its game: `scenarios/*` gives their scenarios by name."""
    mine = game_name(game or default_game())
    return {
        path.stem: other for other, folder in game_folders().items() if other != mine
        for path in sorted(folder.glob(pattern))
    }  # fmt: skip
