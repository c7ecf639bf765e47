"""The page: its files, read once when the server starts; no name in a request is that of a file."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request, Response

STATIC = Path(__file__).resolve().parent / "static"
START = "index.html"
TYPES = {".js": "text/javascript", ".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml"}
Served = tuple[bytes, str, str]


@cache
def static_files() -> Mapping[str, Served]:
    """Read the files of the page: bytes, type and tag of each, by name."""
    return {path.name: _served(path) for path in sorted(STATIC.iterdir()) if path.is_file()}


def _served(path: Path) -> Served:
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
