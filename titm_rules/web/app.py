"""The routes: the protocol over HTTP, bundled data, pictures, and the page."""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
import pathlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from titm_rules.diagnostics import TitmError
from titm_rules.editions.registry import MAX_NAME
from titm_rules.formats.record_schemas import validate_as
from titm_rules.oracle.position import Position
from titm_rules.render.pictures import render_board
from titm_rules.service.protocol import Oracle, parse_line
from titm_rules.version import __version__
from titm_rules.web import resources
from titm_rules.web.guards import LOCAL, MAX_BODY, Guards
from titm_rules.web.messages import ASK_BODY, BOARD_BODY, BUG, Shown, Told, error_of, refused, refused_for
from titm_rules.web.request_queue import Worker

# ---------------------------------------------------------------------- pages
STATIC = pathlib.Path(__file__).resolve().parent / "static"
START = "index.html"
TYPES = {".js": "text/javascript", ".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml"}
Served = tuple[bytes, str, str]


@cache
def static_files() -> Mapping[str, Served]:
    """Read the files of the page: bytes, type and tag of each, by name."""
    return {path.name: _served(path) for path in sorted(STATIC.iterdir()) if path.is_file()}


def _served(path: pathlib.Path) -> Served:
    data = path.read_bytes()
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return data, kind, f'"{hashlib.sha256(data).hexdigest()[:16]}"'


def page_routes() -> APIRouter:
    """Make the routes of the page."""
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


# ---------------------------------------------------------------------- app
Json = dict[str, Any]
NameParameter = Annotated[str, Path(max_length=MAX_NAME)]
Date = Annotated[str, Query(max_length=MAX_NAME, description="An edition or any date; default: the usual one.")]
WordQuery = Annotated[str, Query(max_length=MAX_NAME, description="A word, or a part of one.")]


def build_app(oracle: Oracle, hosts: Collection[str] = LOCAL, most: int = MAX_BODY) -> FastAPI:
    """Make the application that serves.

    Args:
        oracle: answers; its budget holds for every request.
        hosts: the names that the server is called by; with `*` any.
        most: bytes that a body may have.
    """
    desk = _Desk(oracle)
    app = FastAPI(
        title="titm_rules", version=__version__, openapi_url="/api/openapi.json", docs_url=None, redoc_url=None,
        lifespan=desk.lifespan,
        description="The rules of board wargames as an oracle: the protocol of `titm oracle` over HTTP.",
    )  # fmt: skip
    app.include_router(_protocol(desk))
    app.include_router(_shelves(desk))
    app.include_router(page_routes())
    app.add_exception_handler(HTTPException, _no_page)
    app.add_exception_handler(RequestValidationError, _no_name)
    app.add_exception_handler(Exception, _a_bug)
    app.add_middleware(GZipMiddleware, minimum_size=2_000, compresslevel=3)
    app.add_middleware(Guards, hosts=frozenset(hosts), most=most)
    return app


class _Desk:
    """Where all routes bring their work."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.worker = Worker()

    async def tell(self, work: Callable[[], Any]) -> Response:
        """Answer with JSON values of what ships, within the budget."""
        return await self._answered(lambda: Told(work()))

    async def show(self, body: bytes, work: Callable[[Position, Shown], Response]) -> Response:
        """Answer with what is made of a position that was sent, within the budget."""

        def shown() -> Response:
            asked = validate_as(Shown, parse_line(body), "$")
            return work(asked.made(asked.rules()), asked)

        return await self._answered(shown)

    @asynccontextmanager
    async def lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        """Warm up while it serves."""
        del app
        warming = asyncio.create_task(self.warm())
        yield
        warming.cancel()

    async def warm(self) -> None:
        """Load what a page asks for first, a piece at a time, so that whoever comes meanwhile is answered between."""
        for work in resources.first_asked():
            with suppress(TitmError):
                await self.worker.do(work)

    async def _answered(self, work: Callable[[], Response]) -> Response:
        try:
            return await self.worker.do(lambda: self.oracle.within_budget(work))
        except TitmError as error:
            return refused_for(error)

    async def ask(self, body: bytes) -> Response:
        """Put a request of the protocol to the oracle, which keeps its budget itself."""
        try:
            told = await self.worker.do(lambda: self.oracle.answer(body))
        except TitmError as error:
            return refused_for(error)
        return Told(told) if told["ok"] else refused(told["error"], told["id"])


# ---------------------------------------------------------------------- errors
async def _no_page(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return refused(error_of("bad-method", f"{request.method} is not answered here", "see /api/openapi.json"))
    if error.status_code == 404:
        return refused(error_of("no-page", "there is nothing here", "see /api/openapi.json"))
    return refused(error_of("bad-request", "the request cannot be read", "see /api/openapi.json"))


async def _no_name(request: Request, error: Exception) -> Response:
    del request, error  # all that routes check of names is their length
    return refused(error_of("too-large", f"a name is over {MAX_NAME} characters", "send a name"))


async def _a_bug(request: Request, error: Exception) -> Response:
    del request, error  # what went wrong is told on standard error, and not to strangers
    return refused(BUG)


# ---------------------------------------------------------------------- the protocol
def _protocol(desk: _Desk) -> APIRouter:
    router = APIRouter(prefix="/api", tags=["protocol"])

    @router.post("/ask", summary="Put a request of the protocol", openapi_extra=ASK_BODY)
    async def ask(request: Request) -> Response:
        """Answer as `titm oracle` does: `ok`, and the answer or an error; the status follows from the error's kind."""
        return await desk.ask(await request.body())

    @router.post("/board", summary="Say where the places of a position are drawn", openapi_extra=BOARD_BODY)
    async def board(request: Request) -> Response:
        """Check a position, and give it back as it is kept, with the points of its places."""
        return await desk.show(await request.body(), _board)

    @router.post("/picture", summary="Draw a position as SVG", openapi_extra=BOARD_BODY)
    async def picture(request: Request) -> Response:
        """Draw a position; the picture tells in words what it shows."""
        return await desk.show(await request.body(), _picture)

    return router


def _board(position: Position, asked: Shown) -> Response:
    told = {"position": position.to_dict(), "situation": position.situation, "summary": dict(position.summary)}
    return Told(told | {"board": resources.board(position)} if asked.placed else told)


def _picture(position: Position, asked: Shown) -> Response:
    del asked
    return Response(render_board(position), media_type="image/svg+xml")


# ---------------------------------------------------------------------- what ships
def _shelves(desk: _Desk) -> APIRouter:
    router = APIRouter(prefix="/api/games", tags=["what ships"])

    @router.get("", summary="List the games")
    async def games() -> Response:
        return await desk.tell(resources.games)

    @router.get("/{game}", summary="Tell a game: editions, readings, queries, records and looks")
    async def game(game: NameParameter) -> Response:
        return await desk.tell(lambda: resources.game_told(game))

    @router.get("/{game}/editions", summary="List the editions, and what each rests on")
    async def editions(game: NameParameter) -> Response:
        return await desk.tell(lambda: resources.editions(game))

    @router.get("/{game}/questions", summary="List the questions with the schemas of their inputs")
    async def questions(game: NameParameter) -> Response:
        return await desk.tell(lambda: resources.asked_of(game))

    @router.get("/{game}/scenarios", summary="List the scenarios and positions that ship")
    async def scenarios(game: NameParameter) -> Response:
        return await desk.tell(lambda: resources.scenarios(game))

    @router.get("/{game}/scenarios/{name}", summary="Tell a scenario: its position, its rules and its board")
    async def scenario(game: NameParameter, name: NameParameter, edition: Date = "") -> Response:
        return await desk.tell(lambda: resources.scenario(game, name, edition))

    @router.get("/{game}/forces", summary="List the pieces of a game's scenarios")
    async def forces(game: NameParameter) -> Response:
        return await desk.tell(lambda: resources.forces(game))

    @router.get("/{game}/cases/{name}", summary="Tell a case in which a clause decides, which can be asked as it is")
    async def case(game: NameParameter, name: NameParameter) -> Response:
        return await desk.tell(lambda: resources.case(game, name))

    @router.get("/{game}/maps", summary="List the maps")
    async def maps(game: NameParameter) -> Response:
        return await desk.tell(lambda: resources.maps(game))

    @router.get("/{game}/maps/{name}", summary="Tell a map: places with coordinates, connections")
    async def one_map(game: NameParameter, name: NameParameter) -> Response:
        return await desk.tell(lambda: resources.map_told(game, name))

    @router.get("/{game}/clauses", summary="Find clauses by a word")
    async def clauses(game: NameParameter, edition: Date = "", word: WordQuery = "") -> Response:
        return await desk.tell(lambda: resources.clauses(game, edition, word))

    @router.get("/{game}/clauses/{number}", summary="Tell a clause with its history")
    async def clause(game: NameParameter, number: NameParameter, edition: Date = "") -> Response:
        return await desk.tell(lambda: resources.clause(game, number, edition))

    return router
