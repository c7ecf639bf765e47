"""The routes of the page without a server: a method, a path and a body go in, a status, a type and a text come out.

Two ask here: the HTTP server, which is an adapter (`app.py`, `worker.py`), and the page without a server, in whose
worker this package runs. So this module imports neither FastAPI nor Starlette; and what draws or keeps, which few need
and takes two fifths of the start, is imported where it is used.
"""

from __future__ import annotations

import inspect
import json
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, unquote

from pydantic import Discriminator, Field, Tag
from typing_extensions import TypedDict

from titm_rules.catalog import default_game
from titm_rules.diagnostics import TitmError
from titm_rules.editions.registry import MAX_NAME
from titm_rules.engines.query import find_question
from titm_rules.formats.record_schemas import TAG, validate_as
from titm_rules.formats.safe_json import bad, dumped
from titm_rules.oracle.case import Case, Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.service.protocol import Oracle, error_record, parse_line, request_of, rules_of
from titm_rules.service.records import Json, Name, Request, StrictRecord
from titm_rules.web import library

# ---------------------------------------------------------------------- answers
OK, BAD_REQUEST = 200, 400
JSON, SVG, YAML = "application/json", "image/svg+xml", "application/yaml"
STATUSES: Mapping[str, int] = {
    "unknown-name": 404, "unknown-game": 404, "unknown-edition": 404, "unknown-position": 404, "unknown-query": 404,
    "no-page": 404,
    "bad-method": 405, "illegal-action": 409, "too-large": 413, "bad-type": 415, "bad-host": 421, "bug": 500,
    "too-slow": 408, "too-many": 429, "cancelled": 499, "busy": 503, "lost": 503, "stuck": 503, "failed": 503,
}  # fmt: skip
AGAIN = frozenset({429, 503})  # who gets these may come again
DOCUMENT = "/api/openapi.json"
PLANNING_S = 50.0  # a plan asks all known cases; a worker counts as stuck after some seconds more
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
    from titm_rules.render.pictures import render_board

    svg = render_board(validate_as(Shown, parse_line(body), "$").made())
    return HttpAnswer(OK, SVG, svg.encode("utf-8"), {})


def _edition(request: object) -> tuple[Edition, Request]:
    """Open the rules of a request, which are those of one edition."""
    asked = request_of(request)
    under = rules_of(asked, default_game(), Edition.engine)
    if under.several:
        raise bad("a ruling is of one edition", "$.edition", "name one", "bad-value")
    under.load()
    return under.edition(under.names[0]), asked


def ruling(body: bytes) -> HttpAnswer:
    """Write the verdict on a question of the protocol as a ruling, as `titm check --ruling` does."""
    from titm_rules.oracle.rulings import make_ruling

    edition, asked = _edition(parse_line(body))
    situation = find_question(edition.model, asked.query).situation
    given = dict(asked.input)
    data = given.get(situation, {})
    if isinstance(data, str):
        data = given[situation] = Position.from_notation(data, edition, f"$.input.{situation}", situation).to_dict()
    values = make_ruling(Case(edition, situation, data), asked.query, given, edition.verdict(asked.query, given))
    return HttpAnswer(OK, YAML, dumped(values, ".yaml").encode("utf-8"), {})


_START = re.compile(r"^start\s", re.MULTILINE)  # a line that every record has, and no ruling


class KeptText(StrictRecord):
    """The text of a ruling, or of the record of a game, with its game and its last link as somebody noted it."""

    text: str
    game: Name | None = None
    last: str = ""


# What `verify` answers.
RulingVerified = TypedDict("RulingVerified", {
    "kind": Literal["ruling"], "holds": bool, "says": list[str], "question": str, "game": str, "edition": str,
    "overlays": list[str | Json], "readings": dict[str, str], "situation": str, "position": Json, "query": str,
    "input": Json, "differences": list[dict[str, str]], "causes": list[dict[str, str]], "verdict": Json,
})  # fmt: skip
RecordVerified = TypedDict("RecordVerified", {
    "kind": Literal["record"], "holds": bool, "says": list[str], "actions": int, "line": int, "fault": str,
    "chained": bool, "last": str, "result": Json,
})  # fmt: skip


def verify(body: bytes) -> Json:
    """Ask the question of a ruling again, or check the record of a game line by line, as `titm verify` does."""
    from titm_rules.oracle.rulings import check_record_text, check_ruling, parse_ruling

    given = validate_as(KeptText, parse_line(body), "$")
    if _START.search(given.text):
        rules = Rules(game=library.checked_game(given.game or default_game()))
        checked = check_record_text(given.text, rules, given.last, "$.text")
        return {"kind": "record", "says": [checked.says], **checked.to_dict()}
    kept = parse_ruling(given.text, "$.text")
    told = kept.model_dump(include={"game", "edition", "overlays", "readings", "query", "input"})
    edition, _ = _edition(told)
    check = check_ruling(kept, Rules.of_edition(edition))
    position = check.inputs.get(kept.situation, {})
    return {"kind": "ruling", "says": list(check.says), **told, "situation": kept.situation, "position": position,
            **check.to_dict()}  # fmt: skip


class SheetText(StrictRecord):
    """A sheet that is planned: amendments of an edition."""

    game: Name
    edition: Name
    text: str


class ReportSection(TypedDict):
    """A part of a report: paragraphs, and a table."""

    title: str
    texts: list[str]
    head: list[str]
    rows: list[list[str]]


class SheetPlanned(TypedDict):
    """What a sheet changes in all known cases; the code is that of `titm plan --no-search`."""

    title: str
    sections: list[ReportSection]
    exit_code: int


def plan(body: bytes) -> SheetPlanned:
    """Plan a sheet that was sent, without a search."""
    from titm_rules.compare import plan as planning
    from titm_rules.compare.corpus import read_corpus
    from titm_rules.compare.documents import plain

    asked = validate_as(SheetText, parse_line(body), "$")
    rules = library.shipped_rules(asked.game, asked.edition, ())
    sheet = planning.open_text(asked.text, rules.date, rules.game)
    found = planning.make_plan(sheet, read_corpus(rules.game), search=False)
    page = planning.plan_page(found)
    sections: list[ReportSection] = [
        {"title": one.title, "texts": list(map(plain, one.texts)), "head": list(one.head),
         "rows": [list(map(plain, row)) for row in one.rows]}
        for one in page.sections
    ]  # fmt: skip
    return {"title": page.title, "sections": sections, "exit_code": found.exit_code}


@lru_cache(maxsize=library.KEPT)
def schemas(game: str) -> Json:
    from titm_rules.service.capabilities import reply_schemas

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
    HttpRoute("POST", "/api/ruling", "keep_ruling", ruling, "Write a verdict as a ruling"),
    HttpRoute("POST", "/api/verify", "verify_file", verify, "Verify a ruling, or the record of a game"),
    HttpRoute("POST", "/api/plan", "plan_sheet", plan, "Say what a sheet changes"),
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
            least = PLANNING_S if name == plan.__name__ else 0.0
            return self.oracle.within_budget(lambda: _answer(WORKS[name](*arguments)), least)
        except TitmError as error:
            return refused(error_record(error))
        except Exception:
            traceback.print_exc()  # what went wrong is shown on standard error, and not to strangers
            return refused(BUG)


def _answer(found: object) -> HttpAnswer:
    return found if isinstance(found, HttpAnswer) else HttpAnswer.of(found)
