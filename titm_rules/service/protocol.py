"""The protocol: one request in, one answer out, as lines of JSON or as values, under the rules that it names."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeVar

from titm_rules.catalog import default_game, game_name, is_name
from titm_rules.diagnostics import (
    SYSTEM_FAILURES,
    Fault,
    InputError,
    RulesetError,
    TitmError,
    cut,
    moved_to,
    system_fault,
)
from titm_rules.editions.cache import read_only
from titm_rules.editions.house_rules import HouseRules, Overlay, is_mixed, overlay_sent
from titm_rules.editions.load import MOST_MIXED, load_model
from titm_rules.editions.registry import edition_on, list_editions
from titm_rules.files import MAX_BYTES
from titm_rules.formats.record_schemas import validate_as
from titm_rules.formats.safe_json import bad, parse_json
from titm_rules.oracle.edition import Edition
from titm_rules.service.budget import Budget, OverBudget
from titm_rules.service.position_cache import PositionCache
from titm_rules.service.queries import Details, GameQuestion, answer
from titm_rules.service.records import ALL, SHARED, OverlayText, Request

# ---------------------------------------------------------------------- the rules of a request
MAX_MIXTURES = 12  # of one request; fewer than are kept in memory, or each would be compiled twice
ReadingPairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RuleSelection:
    """The rules that a question is put to."""

    game: str
    names: tuple[str, ...]  # the selected editions, in the order asked for; all of them oldest first
    several: bool  # whether a list or all were asked for, and not one
    overlays: tuple[Overlay, ...]  # added house rules
    readings: ReadingPairs  # readings that are chosen
    open: bool  # whether no other reading is fixed
    engine: str

    def edition(self, name: str) -> Edition:
        """Give one of the editions; of several, readings that it does not leave open are left out."""
        readings = self.readings
        if self.several and readings:
            with _keeping(name, self.overlays):
                known = load_model(name, self.game, self.overlays).readings
            readings = tuple((one, choice) for one, choice in readings if one in known and choice in known[one].offered)
        made = _mixed_edition if is_mixed(name, self.overlays) else _edition
        return made(self.game, name, readings, self.engine, self.overlays)

    def load(self) -> None:
        """Load the editions. Raises `InputError` for a choice of reading that none of them has."""
        for name in self.names:
            with _keeping(name, self.overlays):
                load_model(name, self.game, self.overlays)
        found = [self.edition(name) for name in self.names]
        for one, choice in self.readings:
            if not any(edition.readings.get(one) == choice for edition in found):
                Edition(self.names[-1], {one: choice}, self.engine, self.game, self.overlays)


def rules_of(request: Request, usual: str, engine: str) -> RuleSelection:
    """Work out the rules that a request names; one that names no game is about the `usual` one."""
    given, game = request.edition, _game_of(request, usual)
    try:
        if given == ALL:
            names = list(_editions(game))
        else:
            texts = [given] if isinstance(given, str) else given
            names = [text if text in _editions(game) else edition_on(text, game) for text in texts]
    except InputError as error:
        raise moved_to(error, "--edition", "$.edition") from None
    overlays = tuple(_overlay(one, number, game) for number, one in enumerate(request.overlays))
    names = list(dict.fromkeys(names))
    mixed = sum(is_mixed(name, overlays) for name in names)
    if mixed > MAX_MIXTURES:
        what = f"the request names {mixed} mixtures of rules"
        why = f"{MAX_MIXTURES} editions with sheets or house rules are the limit, as each is compiled for it"
        raise InputError([Fault(what, "$.edition", why, "send several requests", kind="too-large")])
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


@lru_cache(maxsize=32)
def _editions(game: str) -> tuple[str, ...]:
    return tuple(info.name for info in list_editions(game))


def _overlay(given: str | OverlayText, number: int, game: str) -> Overlay:
    name, text = (given, None) if isinstance(given, str) else (given.name, given.text)
    return overlay_sent(name, text, f"$.overlays[{number}]", game)


def _keeping(date: str, overlays: Sequence[Overlay]) -> AbstractContextManager[None]:
    """Let rules be kept between runs, unless they are mixed: too many mixtures can be asked for."""
    return read_only() if is_mixed(date, overlays) else nullcontext()


def _make_edition(game: str, date: str, readings: ReadingPairs, engine: str, overlays: tuple[Overlay, ...]) -> Edition:
    with _keeping(date, overlays):
        return Edition(date, dict(readings), engine, game, overlays)


# Of those that anybody may have mixed, the last few are kept.
_edition, _mixed_edition = (lru_cache(most)(_make_edition) for most in (32, MOST_MIXED))


def place_of(fault: Fault, overlays: Sequence[Overlay]) -> str:
    """Say where in a request a fault of rule text stands: in the text of house rules, or among them all."""
    path, _, rest = str(fault.where).partition(":")
    texts = {str(one): number for number, one in enumerate(overlays) if isinstance(one, HouseRules)}
    return f"$.overlays[{texts[path]}].text:{rest}" if path in texts else "$.overlays"


# ---------------------------------------------------------------------- requests and answers
DEFAULT_BUDGET = Budget()
MAX_SHOWN = 5
MAX_OTHERS = 200
IGNORED = frozenset({"expected", "source", "basis", "rebuilt", "tags", "clauses", "number", "title", "cites"})
Json = dict[str, Any]
T = TypeVar("T")


class Oracle:
    """Serves the protocol; keeps positions that it has seen. `game` is the default, by name or path."""

    def __init__(self, engine: str = "compiled", budget: Budget = DEFAULT_BUDGET, game: str = "") -> None:
        self.engine = engine
        self.budget = budget
        self.game = game or default_game()
        self.seen = PositionCache()

    def serve(self, lines: Iterable[bytes]) -> Iterator[str]:
        for raw in lines:
            if len(raw) > MAX_BYTES or raw.strip():
                yield self.answer_line(raw)

    def answer_line(self, raw: bytes | str) -> str:
        """Answer one line; whatever it holds, the answer is a line of JSON."""
        told = self.answer(raw)
        return json.dumps(told, ensure_ascii=not told["ok"])

    def answer(self, raw: bytes | str) -> Json:
        """Answer the JSON text of a request; whatever it holds, the answer is an object with `ok`."""
        return self._answered(lambda: parse_line(raw))

    def ask(self, request: object) -> Json:
        """Answer a request that is a JSON value; whatever it is, the answer is an object with `ok`."""
        return self._answered(lambda: request)

    def _answered(self, read: Callable[[], object]) -> Json:
        overlays: list[Overlay] = []
        identity: object = None

        def reply() -> Json:
            nonlocal identity
            raw = read()
            if isinstance(raw, dict):
                identity = raw.get("id")
            return self._reply(request_of(raw), overlays)

        try:
            said = self.within_budget(reply)
            return {"id": identity, "ok": True, **said}
        except TitmError as error:
            fault = error_record(error, overlays)
        except Exception as error:
            fault = {"kind": "bug", "at": "$", "message": f"{type(error).__name__}: {error}"[:400], "fix": "report it"}
        return {"id": identity, "ok": False, "error": fault}

    def within_budget(self, work: Callable[[], T], least_s: float = 0.0) -> T:
        """Do some work within the budget of a request; work that exceeds it is an `OverBudget` of kind `too-large`.

        `least_s` is how long it may take at least, in seconds. What the system fails to do is an `InputError`.
        INVARIANT: whatever outlives the request (rules, what is worked out of them, positions) stores a value only
        after it is complete, so an interruption leaves nothing half made.
        """
        try:
            budget = self.budget
            if least_s and budget.seconds:
                budget = replace(budget, seconds=max(budget.seconds, least_s))
            return budget.run(work)
        except SYSTEM_FAILURES as error:
            raise InputError([system_fault(error)]) from None

    def _reply(self, request: Request, overlays: list[Overlay]) -> Json:
        """Load the rules of a request, and answer it; its house rules are put into `overlays`, for errors."""
        under = rules_of(request, self.game, self.engine)
        overlays += under.overlays
        under.load()
        if not under.several:
            [name] = under.names
            told = {} if request.edition == name else {"edition": name}
            return {**told, **self._said(request, under, name)}
        said: dict[str, Json] = {}
        errors: dict[str, Json] = {}
        first: TitmError | None = None
        for name in under.names:
            try:
                said[name] = self._said(request, under, name)
            except OverBudget:
                raise
            except TitmError as error:
                first = first or error
                errors[name] = error_record(error, under.overlays)
        if not said and first is not None:
            raise first
        return {**by_edition(said), "changes": changes_between(said), **({"errors": errors} if errors else {})}

    def _said(self, request: Request, under: RuleSelection, name: str) -> Json:
        call = GameQuestion(under.edition(name), request.input, self.seen)
        return answer(call, request.query, Details(request.explain, request.words, under.open))


def by_edition(said: Mapping[str, Json]) -> Json:
    """Turn the replies of editions into one whose fields map editions to what each says."""
    names = dict.fromkeys(field for reply in said.values() for field in reply)
    found: Json = {field: {name: reply[field] for name, reply in said.items() if field in reply} for field in names}
    return found | {field: next(iter(found[field].values())) for field in SHARED if field in found}


def changes_between(said: Mapping[str, Json]) -> list[str]:
    return [name for before, name in pairwise(said) if said[name]["answer"] != said[before]["answer"]]


# ---------------------------------------------------------------------- reading requests
def parse_line(raw: bytes | str) -> object:
    if isinstance(raw, bytes):
        raw = raw.removesuffix(b"\n").removesuffix(b"\r")
        if len(raw) > MAX_BYTES:
            raise bad("the line is over 8 MiB", "$", "send less at a time", "too-large")
        try:
            raw = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise bad("the line is not UTF-8", "$") from None
    return parse_json(raw)


def request_of(raw: object) -> Request:
    """Check the frame of a request; every fault of it is in one `InputError`."""
    if not isinstance(raw, dict):
        raise bad("a request is a JSON object", "$", kind="bad-request")
    unknown = sorted(set(raw) - set(Request.model_fields) - IGNORED)
    if unknown:
        known = ", ".join(sorted(Request.model_fields))
        name = cut(unknown[0])
        raise bad(f"unknown field `{name}`", f"$.{name}", f"known: {known}", "unknown-field")
    return validate_as(Request, {name: value for name, value in raw.items() if name not in IGNORED}, "$")


def error_record(error: TitmError, overlays: Sequence[Overlay] | None = None) -> Json:
    """Give an error as the protocol writes it: the first fault, the others, and how many there are.

    `overlays` are the house rules of a request: faults of those that came as text point into it, and are shown.
    Without them, faults of rule text point to its file.
    """
    of_text = isinstance(error, RulesetError)
    faults = error.faults or (Fault("unknown error", "$"),)
    told, *others = (fault_record(one, overlays if of_text else None) for one in faults[: MAX_OTHERS + 1])
    if others:
        told |= {"more": str(len(faults) - 1), "others": others}
    if of_text:
        told["shown"] = "\n\n".join(one.render() for one in faults[:MAX_SHOWN])
    return told


def fault_record(fault: Fault, overlays: Sequence[Overlay] | None = None) -> Json:
    message = fault.what + (f" ({fault.why})" if fault.why else "")
    at = str(fault.where) if overlays is None else place_of(fault, overlays)
    return {"kind": fault.kind, "at": at, "message": message, "fix": fault.fix}
