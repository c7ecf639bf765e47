"""A first rule set for a game of one's own: copied from the skeleton that ships, under the name of the game."""

from __future__ import annotations

from pathlib import Path

from titm_rules.diagnostics import Fault, InputError, cut
from titm_rules.editions.games import RULESET_FOLDER, game_folders, is_name
from titm_rules.shipped import data_folder

SKELETON = "new/skeleton"  # in the folder of the games that ship, one level too deep to be one of them
PLACEHOLDER = "NAME"


def write_skeleton(name: str, parent: Path) -> list[Path]:
    """Write the skeleton of a game into a folder of its own; give its files.

    Raises:
        InputError: for a name that is none, or that is taken, and for a folder that cannot be written.
    """
    _check(name, parent / name)
    source, written = data_folder(RULESET_FOLDER) / SKELETON, []
    try:
        for path in sorted(one for one in source.rglob("*") if one.is_file()):
            target = parent / name / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(path.read_text(encoding="utf-8").replace(PLACEHOLDER, name), encoding="utf-8")
            written.append(target)
    except OSError as error:
        what, fix = f"cannot write the game: {error.strerror}", "choose another folder with --in"
        raise InputError([Fault(what, str(parent / name), fix=fix, kind="no-file")]) from None
    return written


def _check(name: str, folder: Path) -> None:
    if not is_name(name):
        what, fix = f"`{cut(name)}` cannot be the name of a game", "use letters, digits, hyphens and underscores"
        raise InputError([Fault(what, "NAME", fix=fix, kind="bad-value")])
    taken = game_folders().get(name) or (folder if folder.exists() else None)
    if taken is not None:
        what = f"the name `{name}` is taken"
        raise InputError([Fault(what, str(taken), fix="choose another name", kind="file-exists")])
