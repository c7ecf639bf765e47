"""The games that there are: what each is called, and what it has."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from titm_rules.diagnostics import TitmError
from titm_rules.editions.games import game_folders
from titm_rules.editions.load import load_model
from titm_rules.editions.named import default_edition, list_editions
from titm_rules.formats.cases import shipped_cases
from titm_rules.maps.maps import map_paths


@dataclass(frozen=True)
class GameInfo:
    """What a game has; `fault` says why its rules cannot be used, and is empty if they can.

    Attributes:
        editions: their names, oldest first; `edition` is the one that is meant where none is named.
        questions: what its rules answer; `maps` and `scenarios` what can be named.
    """

    game: str
    folder: Path
    title: str = ""
    edition: str = ""
    editions: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    fault: str = ""

    def record(self) -> dict[str, Any]:
        """Give it as JSON values."""
        return {**asdict(self), "folder": str(self.folder), "fault": self.fault or None}


def list_games() -> list[GameInfo]:
    """List the games that ship and those in the user's folders, by name."""
    return [_info(game, folder) for game, folder in sorted(game_folders().items())]


def _info(game: str, folder: Path) -> GameInfo:
    try:
        edition = default_edition(game)
        model = load_model(edition, game)
        return GameInfo(
            game, folder, model.game, edition, tuple(info.name for info in list_editions(game)),
            tuple(model.questions), tuple(map_paths(model)), tuple(shipped_cases(game)),
        )  # fmt: skip
    except TitmError as error:
        return GameInfo(game, folder, fault=error.faults[0].what)
