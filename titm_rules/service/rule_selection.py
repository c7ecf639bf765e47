"""The rules that a request names: editions by name or date, readings, house rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache

from titm_rules.catalog import game_name, is_name
from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean, moved_to
from titm_rules.editions.cache import read_only
from titm_rules.editions.house_rules import HouseRules, Overlay, is_mixed, shipped_overlays
from titm_rules.editions.load import MOST_MIXED, load_model
from titm_rules.editions.registry import edition_on, list_editions
from titm_rules.oracle.edition import Edition
from titm_rules.service.records import ALL, OverlayText, Request

MAX_MIXTURES = 12  # of one request; fewer than are kept in memory, or each would be compiled twice
ReadingPairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RuleSelection:
    """The rules that a question is put to.

    Attributes:
        names: the selected editions, in the order asked for; all of them oldest first.
        several: whether a list or all were asked for, and not one.
        overlays: added house rules.
        readings: readings that are chosen.
        open: whether no other reading is fixed.
    """

    game: str
    names: tuple[str, ...]
    several: bool
    overlays: tuple[Overlay, ...]
    readings: ReadingPairs
    open: bool
    engine: str

    def edition(self, name: str) -> Edition:
        """Give one of the editions; of several, readings that it does not leave open are left out.

        Raises:
            InputError: for an edition, a sheet or a reading that does not exist.
            RulesetError: for house rules that do not fit.
        """
        readings = self.readings
        if self.several and readings:
            with _keeping(name, self.overlays):
                known = load_model(name, self.game, self.overlays).readings
            readings = tuple((one, choice) for one, choice in readings if one in known and choice in known[one].offered)
        made = _mixed_edition if is_mixed(name, self.overlays) else _edition
        return made(self.game, name, readings, self.engine, self.overlays)

    def load(self) -> None:
        """Load the editions; what an interruption leaves loaded need not be loaded again.

        Raises:
            InputError: as `edition`, and for a choice of reading that none of the editions has.
            RulesetError: as `edition`.
        """
        for name in self.names:
            with _keeping(name, self.overlays):
                load_model(name, self.game, self.overlays)
        found = [self.edition(name) for name in self.names]
        for one, choice in self.readings:
            if not any(edition.readings.get(one) == choice for edition in found):
                Edition(self.names[-1], {one: choice}, self.engine, self.game, self.overlays)


def rules_of(request: Request, usual: str, engine: str) -> RuleSelection:
    """Work out the rules that a request names; one that names no game is about the `usual` one.

    Raises:
        InputError: for a game, an edition, a date or house rules that do not exist, or too many mixtures of them.
    """
    given, game = request.edition, _game_of(request, usual)
    try:
        if given == ALL:
            names = list(_editions(game))
        else:
            texts = [given] if isinstance(given, str) else given
            names = [_edition_meant(text, game) for text in texts]
    except InputError as error:
        raise moved_to(error, "--edition", "$.edition") from None
    overlays = tuple(_overlay(one, number, game) for number, one in enumerate(request.overlays))
    names = list(dict.fromkeys(names))
    _refuse_many(names, overlays)
    readings: Mapping[str, str] = {} if isinstance(request.readings, str) else request.readings
    several = given == ALL or not isinstance(given, str)
    return RuleSelection(
        game, tuple(names), several, overlays, tuple(sorted(readings.items())),
        isinstance(request.readings, str), engine,
    )  # fmt: skip


def _game_of(request: Request, usual: str) -> str:
    """Name the game of a request; a name in it is never a path."""
    if request.game is None or request.game == game_name(usual):
        return usual
    if not is_name(request.game):
        what = f"`{cut(request.game)}` is not the name of a game"
        raise InputError([Fault(what, "$.game", fix="send a name", kind="unknown-game")])
    return request.game


def _edition_meant(text: str, game: str) -> str:
    """Name the edition of a name, a date, or a year or a month that leaves no doubt, as everywhere."""
    return text if text in _editions(game) else edition_on(text, game)


def _refuse_many(names: Sequence[str], overlays: Sequence[Overlay]) -> None:
    """Refuse many mixtures: each is compiled for this request."""
    count = sum(is_mixed(name, overlays) for name in names)
    if count > MAX_MIXTURES:
        what = f"the request names {count} mixtures of rules"
        why = f"{MAX_MIXTURES} editions with sheets or house rules are the limit, as each is compiled for it"
        raise InputError([Fault(what, "$.edition", why, "send several requests", kind="too-large")])


@lru_cache(maxsize=32)
def _editions(game: str) -> dict[str, str]:
    """Map the editions of a game to their dates, oldest first."""
    return {info.name: info.dated for info in list_editions(game)}


def _overlay(given: str | OverlayText, number: int, game: str) -> Overlay:
    """Find house rules that ship, or take their text; no name in a request is that of a file."""
    where = f"$.overlays[{number}]"
    if not isinstance(given, str):
        try:
            return HouseRules(given.name, given.text)
        except InputError as error:
            raise moved_to(error, "$", where) from None
    known = shipped_overlays(game)
    if given not in known:
        what, fix = f"unknown house rules `{cut(given)}`", did_you_mean(given, known)
        raise InputError([Fault(what, where, "none that ship have this name", fix, kind="unknown-name")])
    return given


@lru_cache(maxsize=32)
def _edition(game: str, date: str, readings: ReadingPairs, engine: str, overlays: tuple[Overlay, ...]) -> Edition:
    return Edition(date, dict(readings), engine, game, overlays)


def _keeping(date: str, overlays: Sequence[Overlay]) -> AbstractContextManager[None]:
    """Let rules be kept between runs, unless they are mixed: too many mixtures can be asked for."""
    return read_only() if is_mixed(date, overlays) else nullcontext()


@lru_cache(maxsize=MOST_MIXED)
def _mixed_edition(game: str, date: str, readings: ReadingPairs, engine: str, overlays: tuple[Overlay, ...]) -> Edition:
    """Make an edition that anybody may have mixed; the last few are kept."""
    with _keeping(date, overlays):
        return Edition(date, dict(readings), engine, game, overlays)


def place_of(fault: Fault, overlays: Sequence[Overlay]) -> str:
    """Say where in a request a fault of rule text stands: in the text of house rules, or among them all."""
    path, _, rest = str(fault.where).partition(":")
    texts = {str(one): number for number, one in enumerate(overlays) if isinstance(one, HouseRules)}
    return f"$.overlays[{texts[path]}].text:{rest}" if path in texts else "$.overlays"
