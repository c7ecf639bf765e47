"""The routes: the protocol over HTTP, what ships, pictures, and the page."""

from __future__ import annotations

import asyncio
import hashlib
import json
import mimetypes
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, get_type_hints

from fastapi import APIRouter, FastAPI, Query, Request, Response
from fastapi import Path as PathParameter
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware

from titm_rules.diagnostics import InputError
from titm_rules.editions.registry import MAX_NAME
from titm_rules.service.protocol import error_record
from titm_rules.service.records import HealthTold, Json
from titm_rules.version import __version__
from titm_rules.web.guards import LOCAL, MAX_BODY, Guards, address_of, sent
from titm_rules.web.pool import Pool
from titm_rules.web.routes import (
    AGAIN,
    BAD_REQUEST,
    BUG,
    JSON,
    OK,
    ROUTES,
    STATUSES,
    SVG,
    YAML,
    HttpAnswer,
    HttpRoute,
    KeptText,
    RecordVerified,
    RulingVerified,
    SheetText,
    Shown,
    bad_method,
    error_of,
    long_name,
    no_page,
    refused,
)

# ---------------------------------------------------------------------- examples of bodies
REF = {
    "summary": "the actions that are legal in a position that was answered before",
    "value": {"edition": "all", "query": "legal_actions", "input": {"position": {"ref": "9aa69d0e2ade6a76"}}},
}
RECORD = {
    "summary": "a record judged",
    "value": {"edition": "DATE", "query": "replay", "input": {"record": "edition DATE\nstart NAME DIGEST\n"}},
}
SHOWN = {
    "summary": "a position on a map that ships",
    "value": {"game": "GAME", "edition": "DATE", "position": {"map": "NAME"}},
}
KEPT = {"summary": "a record verified", "value": {"game": "GAME", "text": "edition DATE\nstart NAME DIGEST\n"}}
SHEET = {"summary": "a sheet of one line", "value": {"game": "GAME", "edition": "DATE", "text": "delete NUMBER."}}


# ---------------------------------------------------------------------- the document
COMPONENTS = "#/components/schemas/"


def _content(schema: str, **more: Json) -> Json:
    return {"content": {JSON: {"schema": {"$ref": f"{COMPONENTS}{schema}"}, **more}}}


def _body(schema: str, **examples: Json) -> Json:
    return {"requestBody": {"required": True, **_content(schema, examples=examples)}}


def _errors() -> Iterator[tuple[int, Json]]:
    """Describe the errors by status, with their kinds; those of other methods, and for those who left, are not read."""
    for status in sorted({BAD_REQUEST, *STATUSES.values()} - {405, 499}):
        kinds = [f"`{kind}`" for kind, its in STATUSES.items() if its == status] or ["any other kind"]
        wait = {"Retry-After": {"description": "seconds to wait", "schema": {"type": "integer"}}}
        headers = {"headers": wait} if status in AGAIN else {}
        yield status, {"description": f"An error: {', '.join(kinds)}", **_content("ErrorReply"), **headers}


ERRORS: dict[int | str, Json] = dict(_errors())


def _document(app: FastAPI, queries: Json, schemas: Json) -> Json:
    """Describe the routes: what FastAPI knows of them, and the schemas of the questions of a game."""
    told = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    for operation in (one for path in told["paths"].values() for one in path.values()):
        operation["responses"].pop("422", None)  # FastAPI's own, which is never sent
    by_query = {"propertyName": "query", "mapping": {name: one["request"]["$ref"] for name, one in queries.items()}}
    asked = {"oneOf": [one["request"] for one in queries.values()], "discriminator": by_query}
    replies = {"anyOf": [one["reply"] for one in queries.values()]}
    own = {one.__name__: one.model_json_schema() for one in (Shown, KeptText, SheetText)}
    whole = {**told["components"]["schemas"], **schemas, **own, "AskRequest": asked, "AskReply": replies}
    return {**told, "components": {"schemas": whole}}


# ---------------------------------------------------------------------- the application
NameParameter = Annotated[str, PathParameter(max_length=MAX_NAME)]
Date = Annotated[str, Query(max_length=MAX_NAME, description="An edition or any date; default: the usual one.")]
GameQuery = Annotated[str, Query(max_length=MAX_NAME)]
WordQuery = Annotated[str, Query(max_length=MAX_NAME, description="A word, or a part of one.")]


def build_app(pool: Pool, hosts: Collection[str] = LOCAL, most: int = MAX_BODY, origins: Sequence[str] = ()) -> FastAPI:
    """Make the application that serves: `hosts` are its own names (`*`: any), `most` the bytes that a body may have.

    Pages from `origins` may ask it in a browser, besides its own.
    """
    desk = _Desk(pool)
    app = FastAPI(
        title="titm_rules", version=__version__, openapi_url=None, lifespan=desk.lifespan, redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        description="The rules of board wargames as an oracle: the protocol of `titm oracle` over HTTP.",
    )  # fmt: skip
    app.include_router(_table(desk))
    app.include_router(page_routes())

    @app.get("/api/openapi.json", include_in_schema=False)
    async def openapi(request: Request, game: GameQuery = "") -> Response:
        """Describe the routes, with the questions of a game; default: the usual one."""
        reply = await desk.do(request, "schemas", game)
        if reply.status_code != OK:
            return reply
        found = json.loads(bytes(reply.body).replace(b'"#/$defs/', f'"{COMPONENTS}'.encode()))
        return sent(HttpAnswer.of(_document(app, found["queries"], found["$defs"])))

    app.add_exception_handler(HTTPException, _no_page)
    app.add_exception_handler(RequestValidationError, _no_name)
    app.add_exception_handler(Exception, _a_bug)
    app.add_middleware(GZipMiddleware, minimum_size=2_000, compresslevel=3)
    app.add_middleware(Guards, hosts=frozenset(hosts), most=most)
    if origins:  # outermost, so that a page can read a refusal too
        app.add_middleware(
            CORSMiddleware, allow_origins=origins, allow_methods=["GET", "POST"], allow_headers=["Content-Type"],
            expose_headers=["Retry-After"],
        )  # fmt: skip
    return app


class _Desk:
    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    @asynccontextmanager
    async def lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        del app
        self.pool.start()
        yield
        await self.pool.end()

    async def do(self, request: Request, name: str, *arguments: str | bytes) -> Response:
        """Answer with the pool's reply to some work, as long as the client waits for it."""
        try:
            job = self.pool.put(address_of(request.client.host if request.client else ""), name, *arguments)
        except InputError as error:
            return sent(refused(error_record(error)))
        leaving = asyncio.create_task(_leaving(request))
        leaving.add_done_callback(lambda _: self.pool.cancel(job))
        try:
            reply = await job.reply
        finally:
            leaving.cancel()
        return sent(reply.answer)


async def _leaving(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


# ---------------------------------------------------------------------- errors
async def _no_page(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    known = {405: bad_method(request.method), 404: no_page()}
    return sent(known.get(error.status_code) or refused(error_of("bad-request", "the request cannot be read", "")))


async def _no_name(request: Request, error: Exception) -> Response:
    del request, error  # all that routes check of names is their length
    return sent(long_name())


async def _a_bug(request: Request, error: Exception) -> Response:
    del request, error  # the error is printed on standard error, and not sent to strangers
    return sent(refused(BUG))


# ---------------------------------------------------------------------- the table of routes
# What the document says of those that take a body; the answers of the others are described by their types.
BODIES: Mapping[str, Json] = {
    "ask": {"responses": {OK: _content("AskReply"), **ERRORS}, "response_model": None,
            "openapi_extra": _body("AskRequest", ref=REF, record=RECORD)},
    "check_position": {"openapi_extra": _body("Shown", shown=SHOWN)},
    "draw_position": {"responses": {OK: {"content": {SVG: {"schema": {"type": "string"}}}}, **ERRORS},
                      "response_model": None, "response_class": Response, "openapi_extra": _body("Shown", shown=SHOWN)},
    "keep_ruling": {"responses": {OK: {"content": {YAML: {"schema": {"type": "string"}}}}, **ERRORS},
                    "response_model": None, "response_class": Response, "openapi_extra": _body("AskRequest")},
    "verify_file": {"response_model": RulingVerified | RecordVerified, "openapi_extra": _body("KeptText", record=KEPT)},
    "plan_sheet": {"openapi_extra": _body("SheetText", sheet=SHEET)},
}  # fmt: skip
ABOUT = {
    "ask": "Answer as `titm oracle` does: `ok`, and the answer or an error; the status follows from the error's kind.",
    "check_position": "Check a position, and give it back as it is kept, with the points of its places.",
    "draw_position": "Draw a position; the picture contains a text description.",
    "keep_ruling": "Answer a question of the rules as `titm check --ruling` writes it: a file that can be verified.",
    "verify_file": "Ask the question of a ruling again, or check a record line by line, as `titm verify` does.",
    "plan_sheet": "Ask all cases and games that ship before and after a sheet, and say which change.",
}
QUERIES = {"edition": Date, "word": WordQuery}  # what is taken from the query, and not from the path


def _table(desk: _Desk) -> APIRouter:
    router = APIRouter(redirect_slashes=False)
    for route in ROUTES:
        takes_body = route.method == "POST"
        tag, serve = ("protocol", _taking(desk, route)) if takes_body else ("what ships", _shelf(desk, route))
        more = {
            "response_model": get_type_hints(route.work)["return"], "responses": ERRORS,
            "description": ABOUT.get(route.name), **BODIES.get(route.name, {}),
        }  # fmt: skip
        router.add_api_route(
            route.path, serve, methods=[route.method], name=route.name, summary=route.summary, tags=[tag], **more
        )

    @router.get("/api/health", summary="Say whether the server makes progress", response_model=HealthTold,
                responses=ERRORS, tags=["protocol"])  # fmt: skip
    async def check_health() -> Response:
        """Answer with 503 if no process has made progress for longer than a request may take."""
        found = await desk.pool.health()
        if found["well"]:
            return sent(HttpAnswer.of({"ok": True, **found}))
        return sent(refused(error_of("stuck", "no process of the server answers", "ask again in a few seconds")))

    return router


def _taking(desk: _Desk, route: HttpRoute) -> Callable[[Request], Awaitable[Response]]:
    async def take(request: Request) -> Response:
        return await desk.do(request, route.work.__name__, await request.body())

    return take


def _shelf(desk: _Desk, route: HttpRoute) -> Callable[..., Awaitable[Response]]:
    """Make the function that FastAPI calls for a route; it takes what the work takes."""
    taken = route.arguments

    async def shelf(request: Request, **given: str) -> Response:
        return await desk.do(request, route.work.__name__, *(given[name] for name in taken))

    declared = (one.replace(kind=Parameter.KEYWORD_ONLY, annotation=QUERIES.get(name, NameParameter))
                for name, one in taken.items())  # fmt: skip
    whole = [Parameter("request", Parameter.KEYWORD_ONLY, annotation=Request), *declared]
    vars(shelf)["__signature__"] = Signature(whole, return_annotation=Response)
    return shelf


# ---------------------------------------------------------------------- the page
STATIC = Path(__file__).resolve().parent / "static"
START = "index.html"
TYPES = {".js": "text/javascript", ".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml"}
Served = tuple[bytes, str, str]


@cache
def static_files() -> Mapping[str, Served]:
    """Read the files of the page: bytes, type and tag of each, by name."""
    found: dict[str, Served] = {}
    for path in sorted(one for one in STATIC.iterdir() if one.is_file()):
        data = path.read_bytes()
        kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        found[path.name] = data, kind, f'"{hashlib.sha256(data).hexdigest()[:16]}"'
    return found


def page_routes() -> APIRouter:
    router = APIRouter(include_in_schema=False)
    for name, served in static_files().items():
        router.add_api_route("/" if name == START else f"/{name}", _giving(served), methods=["GET", "HEAD"])
    return router


def _giving(served: Served) -> Callable[[Request], Awaitable[Response]]:
    data, kind, tag = served

    async def give(request: Request) -> Response:
        headers = {"ETag": tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(data, media_type=kind, headers=headers)

    return give
