"""Find games: their folders, files and defaults.

A game is a folder with its rules, maps, forces, scenarios, house rules and cases. It ships with the package, or it is
in a folder of the user's own; its name is that of its folder, or a path to it. The scenarios of a game that ships are
in a folder of its name beside the rule sets.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from titm_rules.diagnostics import Fault, InputError, Span, cut, did_you_mean
from titm_rules.files import data_folder, find_files, read_text, within

VOCABULARY_FILE = "game.rules"
DEFAULT_FILE = "default.txt"  # names the default of the games, or editions, in a folder
RULESET_FOLDER, SCENARIO_FOLDER, CONFORMANCE_FOLDER = "rulesets", "scenarios", "conformance"
SEARCHED = "TITM_RULES_GAMES"  # environment: folders of games of the user's own
MAX_DEFAULT = 200
_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)


def game_folders() -> dict[str, Path]:
    """List the games that ship and those in the user's folders, by name; of several with a name the first."""
    own = [Path(part) for part in os.environ.get(SEARCHED, "").split(os.pathsep) if part]
    games: dict[str, Path] = {}
    for folder in (data_folder(RULESET_FOLDER), *own):
        for path in find_files(folder, f"*/{VOCABULARY_FILE}"):
            if is_name(path.parent.name) and _holds_game(path.parent):
                games.setdefault(path.parent.name, path.parent)
    return games


def is_name(game: str) -> bool:
    return _NAME.fullmatch(game) is not None


def ships(game: str) -> bool:
    """Whether a game of this name ships; such a name never means a folder of the user's own."""
    return is_name(game) and (data_folder(RULESET_FOLDER) / game / VOCABULARY_FILE).is_file()


def game_folder(game: str = "") -> Path:
    """Find a game by name, or by a path with a slash; empty: the default. Raises `InputError` if there is none."""
    game = game or default_game()
    if ships(game):
        return data_folder(RULESET_FOLDER) / game
    if _is_path(game) and _holds_game(Path(game)):
        return Path(game)
    known = game_folders()
    if game in known:
        return known[game]
    why, fix = "", did_you_mean(game, known)
    if _is_path(game):
        why, fix = f"the folder of a game holds a file {VOCABULARY_FILE}", "name such a folder"
    elif is_name(game) and _holds_game(Path(game)):
        why, fix = "a folder of your own needs a path", f"write ./{game}"
    raise InputError([Fault(f"unknown game `{cut(game)}`", "$.game", why, fix, kind="unknown-game")])


def _holds_game(folder: Path) -> bool:
    """Whether a folder contains a game; a link out of it does not count as a file."""
    path = within(folder, VOCABULARY_FILE)
    return path is not None and path.is_file()


def _is_path(game: str) -> bool:
    return "/" in game or os.sep in game or game in (".", "..")


def default_game() -> str:
    """Name the declared default, or the only game. Raises `InputError` if there are several, and none is declared."""
    declared = read_default(data_folder(RULESET_FOLDER))
    if declared:
        return declared
    known = game_folders()
    if len(known) != 1:
        raise InputError([Fault("no game is named", "--game", fix=did_you_mean("", known), kind="missing-field")])
    return next(iter(known))


def read_default(folder: Path) -> str:
    """Read the default of the things in a folder; empty if it declares none."""
    path = within(folder, DEFAULT_FILE)
    return "" if path is None or not path.is_file() else read_text(path, most=MAX_DEFAULT).strip()


def game_name(game: str) -> str:
    """Return the name of a game that is given by name or by path; raises `InputError` if there is none."""
    return game if is_name(game) else game_folder(game).resolve().name


def scenario_folder(game: str = "") -> Path:
    """Find the folder of a game's scenarios: in its own folder, or beside the rule sets if it ships."""
    folder = game_folder(game)
    ships = folder.resolve().parent == data_folder(RULESET_FOLDER).resolve()
    return data_folder(SCENARIO_FOLDER) / folder.name if ships else folder / SCENARIO_FOLDER


def files_of(game: str, pattern: str) -> list[Path]:
    """List files of a game in the order of their names, without links out of its folder."""
    return _files(game_folder(game), pattern)


def scenario_files(game: str, pattern: str) -> list[Path]:
    """List files of the scenarios of a game, as `files_of` does; a scenario is a folder."""
    return _files(scenario_folder(game), pattern)


def _files(folder: Path, pattern: str) -> list[Path]:
    inside, found = folder.resolve(), find_files(folder, pattern)
    homes = {home for home in {path.parent for path in found} if _leads_into(inside, home)}
    return [path for path in found if path.parent in homes and (not path.is_symlink() or _leads_into(inside, path))]


def _leads_into(folder: Path, path: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder)
    except (OSError, ValueError, RuntimeError):
        return False


# ---------------------------------------------------------------------- the game of a file
def game_of_path(path: Path) -> str:
    """Name the game in whose folder a file is; empty if there is none."""
    scenarios = data_folder(SCENARIO_FOLDER).resolve()
    try:
        above = path.resolve().parents
    except (OSError, ValueError, RuntimeError):
        return ""
    for folder in above:
        if folder.parent == scenarios:
            return folder.name
        if _holds_game(folder):
            known = game_folders().get(folder.name)
            return folder.name if known is not None and known.resolve() == folder else str(folder)
    return ""


def game_of_file(path: Path, named: object = None, asked: str = "") -> str:
    """Name the game that a file belongs to: the one that it names, or in whose folder it is, or the default.

    `named` is its value of `game`, `asked` the game that it must belong to, if it is given. Raises `InputError` for a
    file of another game, or a `game` that is not a name.
    """
    surrounding = game_of_path(path)
    if named is not None and not (isinstance(named, str) and is_name(named)):
        raise InputError([Fault("`game` must be the name of a game", f"{path}: $.game", kind="bad-value")])
    wanted, its = asked or (surrounding if named else ""), str(named or "") or surrounding
    if wanted and its:
        check_game(game_name(its), wanted, f"{path}: $.game" if named else str(path))
    return wanted or its or default_game()


def check_game(its: str, wanted: str, where: str | Span, what: str = "this") -> None:
    """Refuse a thing that belongs to another game; raises `InputError` naming both games."""
    name = game_name(wanted)
    if its != name:
        text = f"{what} belongs to the game `{cut(its)}`, and `{cut(name)}` is asked"
        fix = f"ask `{cut(its)}` with --game, or name something of `{cut(name)}`"
        raise InputError([Fault(text, where, fix=fix, kind="other-game")])


def elsewhere(pattern: str, game: str) -> dict[str, str]:
    """Map the names of files of other games to their game: `scenarios/*` gives their scenarios."""
    mine = game_name(game or default_game())
    return {
        path.stem: other for other, folder in game_folders().items() if other != mine
        for path in find_files(folder, pattern)
    }  # fmt: skip
