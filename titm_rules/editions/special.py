"""The special rules of the scenarios that ship, as clauses over an edition."""

from __future__ import annotations

from collections.abc import Mapping

from titm_rules.editions.cache import kept
from titm_rules.editions.games import game_folder
from titm_rules.editions.load import load_model
from titm_rules.editions.overlay_files import overlay_file, special_rules
from titm_rules.editions.sources import shown_path
from titm_rules.rules.model import ClauseInfo


def special_clauses(edition: str, game: str = "") -> Mapping[str, Mapping[str, ClauseInfo]]:
    """List what the special rules of each scenario bring to an edition; from the cache if no file has changed.

    Returns:
        Clauses by number, under the label of the edition with these rules on top. The clauses of the
        edition itself are not among them.

    Raises:
        InputError: for an edition that does not exist.
        RulesetError: for rules that do not compile.
    """
    overlays = special_rules(game)
    paths = [overlay_file(overlay, game) for overlay in overlays]
    what = f"special clauses of {edition}"
    return kept(game_folder(game), what, paths, dict, lambda: dict(_brought(edition, game, one) for one in overlays))


def _brought(edition: str, game: str, overlay: str) -> tuple[str, dict[str, ClauseInfo]]:
    model, path = load_model(edition, game, (overlay,)), shown_path(overlay_file(overlay, game))
    return model.edition, {number: info for number, info in model.clauses.items() if info.span.path == path}
