"""The files of overlays: house rules and special rules that ship, by name, and those of somebody's own."""

from __future__ import annotations

import hashlib
from pathlib import Path

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.editions.games import (
    elsewhere,
    files_of,
    scenario_files,
)
from titm_rules.editions.overlays import HouseRules, Overlay
from titm_rules.files import open_file

OVERLAY_FOLDER = "house"
MAX_OVERLAY = 2_000_000


def overlay_path(overlay: Overlay, game: str = "") -> Path | HouseRules:
    """Find what holds an overlay; a text holds itself.

    Raises:
        InputError: if there is no such file.
    """
    return overlay if isinstance(overlay, HouseRules) else overlay_file(overlay, game)


def overlay_file(overlay: str, game: str = "") -> Path:
    """Find the file of an overlay: one that ships, by its name, or a file.

    Raises:
        InputError: if there is none.
    """
    shipped = shipped_overlays(game)
    path = shipped.get(overlay, Path(overlay))
    if not path.is_file() or path.stat().st_size > MAX_OVERLAY:
        other = elsewhere(f"{OVERLAY_FOLDER}/*.rules", game).get(overlay)
        why = "no such file, and none that ships has this name" + (f" but one of the game `{other}`" if other else "")
        why = "the file is too large for rules" if path.is_file() else why
        raise InputError(
            [Fault(f"unknown overlay `{overlay}`", "--overlay", why, did_you_mean(overlay, shipped), kind="no-file")]
        )
    return path


def special_rules(game: str = "") -> list[str]:
    """Name the overlays that are the special rules of the scenarios of a game."""
    return [path.stem for path in _special_paths(game)]


def _special_paths(game: str) -> list[Path]:
    return scenario_files(game, "*/*.rules")


def shipped_overlays(game: str = "") -> dict[str, Path]:
    """List the overlays that ship, by name: house rules of the game, and the special rules of scenarios."""
    own = files_of(game, f"{OVERLAY_FOLDER}/*.rules")
    return {path.stem: path for path in (*_special_paths(game), *own)}


def content_of(overlay: Path | HouseRules) -> str:
    """Give a digest of what a file holds; what is wrong with the file shows when it is parsed."""
    if isinstance(overlay, HouseRules):
        return ""
    with open_file(overlay, "overlay") as file:
        return hashlib.sha256(file.read(MAX_OVERLAY + 1)).hexdigest()
