"""Load the checked models of editions, from the cache if possible."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from titm_rules.catalog import check_game, default_game, game_folder, ships
from titm_rules.diagnostics import Fault, InputError, RulesetError
from titm_rules.editions import registry
from titm_rules.editions.cache import cached, digest
from titm_rules.editions.house_rules import HouseRules, Overlay, content_of, is_mixed, overlay_file, overlay_path
from titm_rules.editions.sources import parse_files, parse_text, read_ledger, rules_in, shown_path, vocabulary_files
from titm_rules.files import find_files
from titm_rules.ir.model import Model

if TYPE_CHECKING:
    from titm_rules.checker.link import Sources
    from titm_rules.editions.consolidate import Consolidated, Layer
    from titm_rules.syntax.ast import SourceFile


MOST_MIXED = 16
MOST_READINGS = 32  # of an edition; a model and its program take some 80 KiB


def load_model(
    edition: str, game: str = "", overlays: tuple[Overlay, ...] = (), readings: Mapping[str, str] | None = None
) -> Model:
    """Load the checked rules of an edition; the same rules give the same model.

    The last models are cached in memory, by the content of overlays and not by their names; older ones come from the
    cache on disk if no file has changed. An edition may be older rules and the sheets that amend them, joined by `+`;
    overlays are names, paths or texts, in order. Raises `InputError` for what does not exist, `RulesetError` for rules
    that do not compile.
    """
    game = game or default_game()
    _notice_changes(game)
    contents = tuple((overlay, content_of(overlay_path(overlay, game))) for overlay in overlays)
    rules = _mixed_rules if is_mixed(edition, overlays) else _rules
    return rules(registry.edition_name(edition, game), game, contents).under(readings or {})


_STAMPS: dict[str, tuple[tuple[str, int, int], ...]] = {}


def _notice_changes(game: str) -> None:
    """Clear the models in memory if the files of a game that does not ship have changed."""
    if ships(game):
        return
    files = [(str(path), path.stat()) for path in find_files(game_folder(game), "**/*.rules")]
    stamp = tuple((name, state.st_mtime_ns, state.st_size) for name, state in files)
    if _STAMPS.get(game, stamp) != stamp:
        _rules.cache_clear()
        _mixed_rules.cache_clear()
    _STAMPS[game] = stamp


class _Rules:
    """The rules of an edition, which own their models under other readings."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._under: dict[tuple[tuple[str, str], ...], Model] = {}

    def under(self, readings: Mapping[str, str]) -> Model:
        if not readings:
            return self._model
        key = tuple(sorted(readings.items()))
        model = self._under.get(key)
        if model is None:
            if len(self._under) >= MOST_READINGS:
                del self._under[next(iter(self._under))]
            model = self._under[key] = self._model.with_readings(readings)
        return model


def _load(edition: str, game: str, contents: tuple[tuple[Overlay, str], ...]) -> _Rules:
    """Take rules from the cache, or check them; rules with texts of strangers are never stored.

    What overlays leave as it is they share with the edition, so that nothing is derived from it a second time.
    """
    folder, overlays = game_folder(game), [overlay for overlay, _ in contents]
    if not overlays:
        whole = cached(folder, edition, (), Model, lambda: link_edition(folder, edition))
        return _Rules(replace(whole, home=game))
    base = (_mixed_rules if is_mixed(edition, ()) else _rules)(edition, game, ()).under({})
    paths = [overlay_path(overlay, game) for overlay in overlays]

    def linked() -> Model:
        return replace(link_edition(folder, edition, paths), home=game).sharing(base)

    if any(isinstance(overlay, HouseRules) for overlay in overlays):
        return _Rules(linked())
    files = [overlay_file(str(overlay), game) for overlay in overlays]
    what = "\0".join([edition, *map(str, overlays), base.home, base.digests.rules, base.digests.wording])
    model = cached(folder, what, files, Model, linked, base.named_parts())
    return _Rules(model.sharing(base))


_rules = lru_cache(maxsize=64)(_load)  # more than there are editions
_mixed_rules = lru_cache(maxsize=MOST_MIXED)(_load)


def consolidated(edition: str, game: str = "") -> Consolidated:
    """Consolidate an edition, unchecked. Raises `InputError` if there is none, `RulesetError` if rules do not fit."""
    return _consolidated(game_folder(game), edition, ())


def _consolidated(folder: Path, edition: str, overlays: Sequence[Path | HouseRules]) -> Consolidated:
    from titm_rules.editions.consolidate import BOOK, OVERLAY, Layer, Library, consolidate

    infos = {info.name: info for info in registry.editions_in(folder)}
    owned, *sheets = edition.split("+")
    applies, others = registry.applicable(infos, owned, sheets)
    if others:
        what = f"the sheet of {others[0]} does not apply to the rules of {owned}"
        why = "only sheets dated after (not on) one's own rules apply, and only those of the same line"
        raise InputError([Fault(what, "$.edition", why, "leave it out", kind="unknown-edition")])
    layers = [layer for name in registry.ancestors(infos, owned) for layer in _layers(infos, name)]
    have = {*registry.ancestors(infos, owned), *applies}
    for name in applies:
        missing = [before for before in registry.ancestors(infos, name) if before not in have]
        whole = _consolidated(folder, name, ()) if missing else None
        layers += [replace(layer, whole=whole) for layer in _layers(infos, name)]
    layers += [Layer(overlay.stem, OVERLAY, (_parse_overlay(overlay, folder),)) for overlay in overlays]
    later = [Layer(info.name, BOOK, _files(info)) for info in infos.values()]
    vocabulary = parse_files(vocabulary_files(folder))
    rules = consolidate(vocabulary, layers, Library.of([*later, *layers[len(layers) - len(overlays) :]]))
    return rules.with_revisions(_revisions(infos, owned, have))


def _parse_overlay(overlay: Path | HouseRules, folder: Path) -> SourceFile:
    """Parse an overlay; a game that it names must be that of the folder."""
    from titm_rules.syntax.ast import GameDecl

    [file] = [parse_text(overlay.text, str(overlay))] if isinstance(overlay, HouseRules) else parse_files([overlay])
    named = [decl for decl in file.decls if isinstance(decl, GameDecl)]
    for decl in named:
        check_game(decl.name.text, str(folder.resolve()), decl.name.span, "the overlay")
    return replace(file, decls=tuple(decl for decl in file.decls if decl not in named)) if named else file


def _revisions(infos: Mapping[str, registry.EditionInfo], owned: str, have: Collection[str]) -> dict[str, str]:
    """Map each clause that a later sheet rewords to the first such sheet that these rules do not have."""
    from titm_rules.editions.consolidate import reworded_clauses

    sheets = [name for name in infos if name not in have and owned in registry.ancestors(infos, name)[:-1]]
    revised: dict[str, str] = {}
    for name in sheets:
        for clause in reworded_clauses(_files(infos[name])):
            revised.setdefault(clause, name)
    return revised


def _layers(infos: Mapping[str, registry.EditionInfo], name: str) -> list[Layer]:
    from titm_rules.editions.consolidate import BOOK, CARRIED, SHEET, Layer

    info = infos[name]
    if info.basis != registry.CARRIES_BACK:
        return [Layer(name, SHEET if info.basis == registry.FOLLOWS else BOOK, _files(info))]
    if info.base not in infos:
        raise registry.unknown_edition(info.base, infos)
    book = tuple(replace(file, amendments=()) for file in _files(infos[info.base]))
    return [Layer(info.base, CARRIED, book), Layer(name, CARRIED, _files(info))]


def _files(info: registry.EditionInfo) -> tuple[SourceFile, ...]:
    return tuple(parse_files(rules_in(info.folder)))


def link_edition(folder: Path, edition: str, overlays: Sequence[Path | HouseRules] = ()) -> Model:
    """Check an edition with overlays. Raises `InputError` if there is none, `RulesetError` if rules do not compile."""
    from titm_rules.checker.link import link

    sources, rules = edition_sources(folder, edition, overlays)
    model = link(sources)
    declared = next((one for one in registry.editions_in(folder) if one.name == edition), None)
    if overlays:
        refuse_lost_prices(folder, edition, model, sources.overlays)
    elif declared is not None and declared.base:
        refuse_lost_prices(folder, declared.base, model, {file.path for file in _files(declared)})
    infos = {}
    for number, info in model.clauses.items():
        how = rules.standing[number]
        infos[number] = replace(info, number=how.number, edition=how.worded, attested=how.attested, revised=how.revised)
    return replace(model, clauses=infos)


def refuse_lost_prices(folder: Path, edition: str, model: Model, own: Collection[str]) -> None:
    """Raise `RulesetError` if some files leave steps without the price that the edition gives them."""
    from titm_rules.checker.consistency import lost_prices

    before = cached(folder, edition, [], Model, lambda: link_edition(folder, edition))
    faults = list(lost_prices(before, model, own))
    if faults:
        raise RulesetError(faults)


def edition_sources(
    folder: Path, edition: str, overlays: Sequence[Path | HouseRules] = ()
) -> tuple[Sources, Consolidated]:
    """Gather the rules in force in an edition, unchecked. Raises `InputError` and `RulesetError` as `consolidated`."""
    from titm_rules.checker.link import Sources

    infos = {info.name: info for info in registry.editions_in(folder)}
    rules = _consolidated(folder, edition, overlays)
    name = " with ".join([edition, *(path.stem for path in overlays)])
    title = infos[edition].title if edition in infos else f"Rules of {edition.replace('+', ' with the sheet of ', 1)}"
    paths = frozenset(str(path) if isinstance(path, HouseRules) else shown_path(path) for path in overlays)
    return Sources(rules.files, name, title, read_ledger(folder), paths), rules


ANSWERING = ("compare", "engines", "formats", "oracle", "play", "world")  # packages besides those that read rules


def rules_digest(edition: str, game: str = "", overlays: tuple[str, ...] = ()) -> str:
    """Name what the rules of an edition answer: another name if a rule file or the code that asks them changes."""
    folder = game_folder(game)
    what = "\0".join([edition, *overlays, _answering_code()])
    return digest(folder, what, [overlay_file(overlay, game) for overlay in overlays])


@cache
def _answering_code() -> str:
    """Hash the code once in a process, which goes on with the code that it has loaded."""
    package, hashed = Path(__file__).resolve().parent.parent, hashlib.sha256()
    for path in (path for name in ANSWERING for path in sorted((package / name).rglob("*.py"))):
        hashed.update(f"{path.name}\0".encode())
        hashed.update(hashlib.sha256(path.read_bytes()).digest())
    return hashed.hexdigest()
