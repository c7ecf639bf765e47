"""The routes: the protocol over HTTP, what ships, pictures, and the page."""

from __future__ import annotations

import asyncio
import hashlib
import json
import mimetypes
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

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
from titm_rules.service.records import Json
from titm_rules.version import __version__
from titm_rules.web.guards import JSON, LOCAL, MAX_BODY, Guards, address_of
from titm_rules.web.messages import AGAIN, BAD_REQUEST, BUG, OK, STATUSES, SVG, Told, error_of, refused
from titm_rules.web.pool import Pool

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
EXAMPLES = {"ask": {"ref": REF, "record": RECORD}, "board": {"shown": SHOWN}, "picture": {"shown": SHOWN}}
WORK = "x-work"  # in a description that is not complete yet: the work that answers


# ---------------------------------------------------------------------- the document
REFS, COMPONENTS = b'"#/$defs/', b'"#/components/schemas/'
UNSENT = {405, 499}  # to another method; to a client that has left
OF_NAMES, OF_BODIES, OF_POSITIONS, OF_QUEUES = {400, 404}, {415}, {409}, {429}


def _document(app: FastAPI, found: Mapping[str, Any]) -> Json:
    """Describe the routes: what FastAPI knows of them, and the schemas that the declarations give."""
    told = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    types, queries, schemas = found["types"], found["queries"].values(), found["$defs"]
    mapping = {name: one["request"]["$ref"] for name, one in found["queries"].items()}
    by_query = {"propertyName": "query", "mapping": mapping}
    schemas["AskRequest"] = {"oneOf": [one["request"] for one in queries], "discriminator": by_query}
    schemas["AskReply"] = {"anyOf": [one["reply"] for one in queries]}
    answers = {**types, "ask": {"$ref": f"{COMPONENTS[1:].decode()}AskReply"}, "picture": {"type": "string"}}
    for method, operation in (pair for path in told["paths"].values() for pair in path.items()):
        work = operation.pop(WORK)
        unsent = UNSENT | (set() if work == "ask" else OF_POSITIONS) | (OF_QUEUES if work == "health" else set())
        if method == "get":
            unsent = unsent | OF_BODIES | (set() if "parameters" in operation else OF_NAMES)
        else:
            sent = {"$ref": f"{COMPONENTS[1:].decode()}AskRequest"} if work == "ask" else types["shown"]
            content = {JSON: {"schema": sent, "examples": EXAMPLES[work]}}
            operation["requestBody"] = {"required": True, "content": content}
        media = SVG if work == "picture" else JSON
        answered = {"description": "The answer", "content": {media: {"schema": answers[work]}}}
        errors = {str(status): one for status, one in _errors(types["error"]).items() if status not in unsent}
        operation["responses"] = {"200": answered, **errors}
    return {**told, "components": {"schemas": schemas}}


def _errors(schema: Json) -> dict[int, Json]:
    """Describe the errors by status, with their kinds."""
    kinds = {BAD_REQUEST: ["any other kind"]}
    for kind, status in STATUSES.items():
        kinds.setdefault(status, []).append(f"`{kind}`")
    wait = {"Retry-After": {"description": "seconds to wait", "schema": {"type": "integer"}}}
    return {
        status: {"description": f"An error: {', '.join(named)}", "content": {JSON: {"schema": schema}},
                 **({"headers": wait} if status in AGAIN else {})}
        for status, named in sorted(kinds.items())
    }  # fmt: skip


# ---------------------------------------------------------------------- the application
NameParameter = Annotated[str, PathParameter(max_length=MAX_NAME)]
Date = Annotated[str, Query(max_length=MAX_NAME, description="An edition or any date; default: the usual one.")]
GameQuery = Annotated[str, Query(max_length=MAX_NAME)]
WordQuery = Annotated[str, Query(max_length=MAX_NAME, description="A word, or a part of one.")]


def build_app(
    pool: Pool, hosts: Collection[str] = LOCAL, most: int = MAX_BODY, origins: Sequence[str] = ()
) -> FastAPI:
    """Make the application that serves: `hosts` are its own names (`*`: any), `most` the bytes that a body may have.

    Pages from `origins` may ask it in a browser, besides its own.
    """
    desk = _Desk(pool)
    app = FastAPI(
        title="titm_rules", version=__version__, openapi_url=None, lifespan=desk.lifespan,
        generate_unique_id_function=lambda route: route.name,
        description="The rules of board wargames as an oracle: the protocol of `titm oracle` over HTTP.",
    )  # fmt: skip
    app.include_router(_protocol(desk))
    app.include_router(_shelves(desk))
    app.include_router(page_routes())

    @app.get("/api/openapi.json", include_in_schema=False)
    async def openapi(request: Request, game: GameQuery = "") -> Response:
        """Describe the routes, with the questions of a game; default: the usual one."""
        reply = await desk.do(request, "schemas", game)
        if reply.status_code != OK:
            return reply
        return Told(_document(app, json.loads(bytes(reply.body).replace(REFS, COMPONENTS))))

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
            return refused(error_record(error))
        leaving = asyncio.create_task(_leaving(request))
        leaving.add_done_callback(lambda _: self.pool.cancel(job))
        try:
            reply = await job.reply
        finally:
            leaving.cancel()
        return reply.response()


async def _leaving(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


# ---------------------------------------------------------------------- errors
async def _no_page(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    known = {405: ("bad-method", f"{request.method} is not answered here"), 404: ("no-page", "there is nothing here")}
    kind, what = known.get(error.status_code, ("bad-request", "the request cannot be read"))
    return refused(error_of(kind, what, "see /api/openapi.json"))


async def _no_name(request: Request, error: Exception) -> Response:
    del request, error  # all that routes check of names is their length
    return refused(error_of("too-large", f"a name is over {MAX_NAME} characters", "send a name"))


async def _a_bug(request: Request, error: Exception) -> Response:
    del request, error  # the error is printed on standard error, and not sent to strangers
    return refused(BUG)


# ---------------------------------------------------------------------- the protocol
def _protocol(desk: _Desk) -> APIRouter:
    router = APIRouter(prefix="/api", tags=["protocol"])

    @router.post("/ask", summary="Put a request of the protocol", openapi_extra={WORK: "ask"})
    async def ask(request: Request) -> Response:
        """Answer as `titm oracle` does: `ok`, and the answer or an error; the status follows from the error's kind."""
        return await desk.do(request, "ask", await request.body())

    @router.post("/board", summary="Say where the places of a position are drawn", openapi_extra={WORK: "board"})
    async def check_position(request: Request) -> Response:
        """Check a position, and give it back as it is kept, with the points of its places."""
        return await desk.do(request, "board", await request.body())

    @router.post("/picture", summary="Draw a position as SVG", openapi_extra={WORK: "picture"})
    async def draw_position(request: Request) -> Response:
        """Draw a position; the picture contains a text description."""
        return await desk.do(request, "picture", await request.body())

    @router.get("/health", summary="Say whether the server makes progress", openapi_extra={WORK: "health"})
    async def check_health() -> Response:
        """Answer with 503 if no process has made progress for longer than a request may take."""
        found = await desk.pool.health()
        if found["well"]:
            return Told({"ok": True, **found})
        return refused(error_of("stuck", "no process of the server answers", "ask again in a few seconds"))

    return router


# ---------------------------------------------------------------------- what ships
# The path of each route, the id of its operation, the work that answers it (with what it takes), and what it does.
SHELVES = (
    ("", "list_games", "games", "List the games"),
    ("/{game}", "show_game", "game game", "Tell a game: editions, readings, queries, records and looks"),
    ("/{game}/editions", "list_editions", "editions game", "List the editions and their sources"),
    ("/{game}/questions", "list_questions", "questions game", "List the questions with the schemas of their inputs"),
    ("/{game}/scenarios", "list_scenarios", "scenarios game", "List the scenarios and positions that ship"),
    ("/{game}/scenarios/{name}", "show_scenario", "scenario game name edition",
     "Tell a scenario: its position, its rules and its board"),
    ("/{game}/forces", "list_forces", "forces game", "List the pieces of a game's scenarios"),
    ("/{game}/cases/{name}", "show_case", "case game name",
     "Tell a case in which a clause decides, which can be asked as it is"),
    ("/{game}/maps", "list_maps", "maps game", "List the maps"),
    ("/{game}/maps/{name}", "show_map", "map game name", "Tell a map: places with coordinates, connections"),
    ("/{game}/clauses", "find_clauses", "clauses game edition word", "Find clauses by a word"),
    ("/{game}/clauses/{number}", "show_clause", "clause game number edition", "Tell a clause with its history"),
)  # fmt: skip
QUERIES = {"edition": Date, "word": WordQuery}  # what is taken from the query, and not from the path


def _shelves(desk: _Desk) -> APIRouter:
    router = APIRouter(prefix="/api/games", tags=["what ships"])
    for path, name, works, summary in SHELVES:
        work, *taken = works.split()
        extra = {WORK: work}
        router.add_api_route(path, _shelf(desk, work, *taken), name=name, summary=summary, openapi_extra=extra)
    return router


def _shelf(desk: _Desk, work: str, *taken: str) -> Callable[..., Awaitable[Response]]:
    """Make the function that FastAPI calls for a route; it has the signature that the table describes."""

    async def shelf(request: Request, **given: str) -> Response:
        return await desk.do(request, work, *(given[name] for name in taken))

    declared = partial(Parameter, kind=Parameter.KEYWORD_ONLY)
    parameters = [declared("request", annotation=Request)]
    for name in taken:
        default = "" if name in QUERIES else Parameter.empty
        parameters.append(declared(name, annotation=QUERIES.get(name, NameParameter), default=default))
    vars(shelf)["__signature__"] = Signature(parameters, return_annotation=Response)
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
