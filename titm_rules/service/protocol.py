"""The protocol: one request in, one answer out, as lines of JSON or as values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from titm_rules.catalog import default_game
from titm_rules.diagnostics import Fault, RulesetError, TitmError, cut
from titm_rules.editions.house_rules import Overlay
from titm_rules.files import MAX_BYTES
from titm_rules.formats.record_schemas import validate_as
from titm_rules.formats.safe_json import bad, parse_json
from titm_rules.service.budget import Budget, OverBudget
from titm_rules.service.position_cache import PositionCache
from titm_rules.service.queries import GameQuestion, answer
from titm_rules.service.records import ErrorTold, FaultTold, Request
from titm_rules.service.rule_selection import RuleSelection, place_of, rules_of

DEFAULT_BUDGET = Budget()
MAX_SHOWN = 5
MAX_OTHERS = 200
IGNORED = frozenset({"expected", "source", "basis", "rebuilt", "tags", "clauses", "number", "title", "cites"})
SHARED = ("digest", "notes")  # fields of a reply about the position, which are the same in every edition
Json = dict[str, Any]
T = TypeVar("T")


class Oracle:
    """Serves the protocol; all that it keeps between requests are the positions that it has seen.

    Args:
        engine: compiled, library or reference.
        budget: what one request may take.
        game: the game of requests that name none, by its name or the path of its folder.
    """

    def __init__(self, engine: str = "compiled", budget: Budget = DEFAULT_BUDGET, game: str = "") -> None:
        self.engine = engine
        self.budget = budget
        self.game = game or default_game()
        self.seen = PositionCache()

    def serve(self, lines: Iterable[bytes]) -> Iterator[str]:
        """Yield an answer line for every request line; blank lines are passed over."""
        for raw in lines:
            if len(raw) > MAX_BYTES or raw.strip():
                yield self.answer_line(raw)

    def answer_line(self, raw: bytes | str) -> str:
        """Answer one line; whatever it holds, the answer is a line of JSON."""
        told = self.answer(raw)
        return json.dumps(told, ensure_ascii=not told["ok"])

    def answer(self, raw: bytes | str) -> Json:
        """Answer the JSON text of a request; whatever it holds, the answer is an object with `ok`."""
        identity: list[Any] = [None]
        return self._answered(lambda: _identified(parse_line(raw), identity), identity)

    def ask(self, request: object) -> Json:
        """Answer a request that is a JSON value; whatever it is, the answer is an object with `ok`."""
        identity: list[Any] = [None]
        return self._answered(lambda: _identified(request, identity), identity)

    def _answered(self, read: Callable[[], object], identity: list[Any]) -> Json:
        overlays: list[Overlay] = []
        try:
            reply = self.within_budget(lambda: self._reply(request_of(read()), overlays))
            return {"id": identity[0], "ok": True, **reply}
        except TitmError as error:
            fault = error_record(error, overlays)
        except Exception as error:
            fault = {"kind": "bug", "at": "$", "message": f"{type(error).__name__}: {error}"[:400], "fix": "report it"}
        return {"id": identity[0], "ok": False, "error": fault}

    def within_budget(self, work: Callable[[], T]) -> T:
        """Do some work within the budget of a request.

        INVARIANT: whatever outlives the request (rules, what is worked out of them, positions) stores a value only
        after it is complete, so an interruption leaves nothing half made.

        Raises:
            OverBudget: of kind `too-large`, if it would go past the budget.
        """
        return self.budget.run(work)

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
        return answer(call, request.query, request.explain, under.open)


def by_edition(said: Mapping[str, Json]) -> Json:
    """Turn the replies of editions into one whose fields map editions to what each says."""
    names = dict.fromkeys(field for reply in said.values() for field in reply)
    found: Json = {field: {name: reply[field] for name, reply in said.items() if field in reply} for field in names}
    return found | {field: next(iter(found[field].values())) for field in SHARED if field in found}


def changes_between(said: Mapping[str, Json]) -> list[str]:
    """Name the editions whose answer differs from that of the one before."""
    return [name for before, name in pairwise(said) if said[name]["answer"] != said[before]["answer"]]


# ---------------------------------------------------------------------- reading requests
def parse_line(raw: bytes | str) -> object:
    """Parse a line of the protocol.

    Raises:
        InputError: for a line that is too long, or no JSON.
    """
    if isinstance(raw, bytes):
        raw = raw.removesuffix(b"\n").removesuffix(b"\r")
        if len(raw) > MAX_BYTES:
            raise bad("the line is over 8 MiB", "$", "send less at a time", "too-large")
        try:
            raw = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise bad("the line is not UTF-8", "$") from None
    parsed: object = parse_json(raw)
    return parsed


def _identified(request: object, identity: list[Any]) -> object:
    if isinstance(request, dict):
        identity[0] = request.get("id")
    return request


def request_of(raw: object) -> Request:
    """Check the frame of a request.

    Raises:
        InputError: with every fault of it.
    """
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
    first, *rest = error.faults or (Fault("unknown error", "$"),)
    of_text = isinstance(error, RulesetError)
    told = ErrorTold(
        **fault_record(first, overlays if of_text else None),
        more=str(len(rest)) if rest else None,
        others=[FaultTold(**fault_record(one, overlays if of_text else None)) for one in rest[:MAX_OTHERS]] or None,
        shown="\n\n".join(one.render() for one in error.faults[:MAX_SHOWN]) if of_text else None,
    )
    return told.model_dump(exclude_none=True)


def fault_record(fault: Fault, overlays: Sequence[Overlay] | None = None) -> Json:
    """Give a fault as the protocol writes it; faults of house rules that came as text point into the request."""
    message = fault.what + (f" ({fault.why})" if fault.why else "")
    at = str(fault.where) if overlays is None else place_of(fault, overlays)
    return {"kind": fault.kind, "at": at, "message": message, "fix": fault.fix}
