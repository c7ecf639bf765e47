"""The routes of the page without a server: a method, a path and a body go in, a status, a type and a text come out.

Two ask here: the HTTP server, which is an adapter (`app.py`, `worker.py`), and the page without a server, in whose
worker this package runs. So this module imports neither FastAPI nor Starlette.
"""

from __future__ import annotations

import inspect
import json
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Annotated, Any
from urllib.parse import parse_qsl, unquote

from pydantic import Discriminator, Field, Tag

from titm_rules.catalog import default_game
from titm_rules.diagnostics import TitmError
from titm_rules.editions.registry import MAX_NAME
from titm_rules.formats.record_schemas import TAG, validate_as
from titm_rules.oracle.position import Position
from titm_rules.render.pictures import render_board
from titm_rules.service.capabilities import reply_schemas
from titm_rules.service.protocol import Oracle, error_record, parse_line
from titm_rules.service.records import Json, Name, StrictRecord
from titm_rules.web import library

# ---------------------------------------------------------------------- answers
OK, BAD_REQUEST = 200, 400
JSON, SVG = "application/json", "image/svg+xml"
STATUSES: Mapping[str, int] = {
    "unknown-name": 404, "unknown-game": 404, "unknown-edition": 404, "unknown-position": 404, "unknown-query": 404,
    "no-page": 404,
    "bad-method": 405, "illegal-action": 409, "too-large": 413, "bad-type": 415, "bad-host": 421, "bug": 500,
    "too-slow": 408, "too-many": 429, "cancelled": 499, "busy": 503, "lost": 503, "stuck": 503,
}  # fmt: skip
AGAIN = frozenset({429, 503})  # who gets these may come again
DOCUMENT = "/api/openapi.json"
POLICY = (  # of the page, for browsers
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class HttpAnswer:
    """What HTTP says in answer to a request."""

    status: int
    media_type: str
    body: bytes
    headers: Mapping[str, str]

    @classmethod
    def of(cls, value: object, status: int = OK) -> HttpAnswer:
        """Write a value as JSON; half a character, which a request may name and UTF-8 has not, is escaped."""
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
        except UnicodeEncodeError:
            text = json.dumps(value).encode("ascii")
        return cls(status, JSON, text, {"Retry-After": "2"} if status in AGAIN else {})


def refused(error: Mapping[str, object], identity: object = None) -> HttpAnswer:
    status = STATUSES.get(str(error["kind"]), BAD_REQUEST)
    return HttpAnswer.of({"id": identity, "ok": False, "error": dict(error)}, status)


def error_of(kind: str, message: str, fix: str) -> dict[str, str]:
    return {"kind": kind, "at": "$", "message": message, "fix": fix}


def no_page() -> HttpAnswer:
    return refused(error_of("no-page", "there is nothing here", f"see {DOCUMENT}"))


def bad_method(method: str) -> HttpAnswer:
    return refused(error_of("bad-method", f"{method} is not answered here", f"see {DOCUMENT}"))


def long_name() -> HttpAnswer:
    return refused(error_of("too-large", f"a name is over {MAX_NAME} characters", "send a name"))


BUG = {"kind": "bug", "at": "$", "message": "the server has a bug", "fix": "report it"}

# ---------------------------------------------------------------------- bodies of the routes that are not questions
_Form = Discriminator(lambda value: f"{TAG}text" if isinstance(value, str) else f"{TAG}object")


class Shown(StrictRecord):
    """A position that is to be drawn, and its rules; `placed` says whether its places are laid out."""

    game: Name
    edition: Name
    overlays: Annotated[tuple[Name, ...], Field(max_length=8, strict=False)] = ()
    situation: Name = "position"
    placed: bool = True
    position: Annotated[Annotated[str, Tag(f"{TAG}text")] | Annotated[Json, Tag(f"{TAG}object")], _Form]

    def made(self) -> Position:
        rules = library.shipped_rules(self.game, self.edition, self.overlays)
        if isinstance(self.position, str):
            return Position.from_notation(self.position, rules, "$.position", self.situation)
        return Position.from_dict(self.position, rules, self.situation)


def board(body: bytes) -> library.PositionShown:
    """Check a position that was sent; give it back as it is kept, and where its places are drawn."""
    asked = validate_as(Shown, parse_line(body), "$")
    position = asked.made()
    told: library.PositionShown = {
        "position": position.to_dict(), "situation": position.situation, "summary": dict(position.summary),
    }  # fmt: skip
    return {**told, "board": library.board(position)} if asked.placed else told


def picture(body: bytes) -> HttpAnswer:
    svg = render_board(validate_as(Shown, parse_line(body), "$").made())
    return HttpAnswer(OK, SVG, svg.encode("utf-8"), {})


@lru_cache(maxsize=library.KEPT)
def schemas(game: str) -> Json:
    return reply_schemas(library.checked_game(game or default_game()))


def ask(body: bytes) -> dict[str, Any]:
    """Stand in the table for the oracle, which answers this route itself and keeps the budget."""
    raise NotImplementedError


# ---------------------------------------------------------------------- the table
@dataclass(frozen=True)
class HttpRoute:
    """A path, its operation, and the function that answers: it takes what the path and the query say, or the body."""

    method: str
    path: str
    name: str
    work: Callable[..., object]
    summary: str

    @property
    def arguments(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.work).parameters


ROUTES = (
    HttpRoute("POST", "/api/ask", "ask", ask, "Put a request of the protocol"),
    HttpRoute("POST", "/api/board", "check_position", board, "Say where the places of a position are drawn"),
    HttpRoute("POST", "/api/picture", "draw_position", picture, "Draw a position as SVG"),
    *(HttpRoute("GET", f"/api/games{path}", name, work, summary) for path, name, work, summary in library.SHELVES),
)
WORKS: Mapping[str, Callable[..., object]] = {"schemas": schemas, **{one.work.__name__: one.work for one in ROUTES}}


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))


class Routes:
    """Answers by the table, from one oracle."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle

    def answer(self, method: str, target: str, body: bytes = b"") -> HttpAnswer:
        """Answer a request for a path with its query, as the server does."""
        path, _, query = target.partition("?")
        matches = [(route, found) for route in ROUTES if (found := _pattern(route.path).fullmatch(unquote(path)))]
        if not matches:
            return no_page()
        route, found = matches[0]
        if method != route.method:
            return bad_method(method)
        if method == "POST":
            return self.do(route.work.__name__, body)
        given = {**dict(parse_qsl(query, keep_blank_values=True)), **found.groupdict()}
        values = [given.get(name, one.default) for name, one in route.arguments.items()]
        if any(len(value) > MAX_NAME for value in values):
            return long_name()
        return self.do(route.work.__name__, *values)

    def do(self, name: str, *arguments: str | bytes) -> HttpAnswer:
        """Do some work of the table by its name, within the budget of a request."""
        try:
            if name == ask.__name__:
                told = self.oracle.answer(*arguments)  # it keeps the budget itself
                return HttpAnswer.of(told) if told["ok"] else refused(told["error"], told["id"])
            return self.oracle.within_budget(lambda: _answer(WORKS[name](*arguments)))
        except TitmError as error:
            return refused(error_record(error))
        except Exception:
            traceback.print_exc()  # what went wrong is shown on standard error, and not to strangers
            return refused(BUG)


def _answer(found: object) -> HttpAnswer:
    return found if isinstance(found, HttpAnswer) else HttpAnswer.of(found)
