"""Answers over HTTP, and messages between the server and its worker processes: pickled values, each after its length.

Both ends are processes of this program; nothing that a client sends is unpickled. It is a module of its own because the
server, which imports no rules for its answers, and the worker, which knows no connections, both stand on it.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

from starlette.responses import JSONResponse, Response

from titm_rules.service.budget import Budget
from titm_rules.service.position_cache import PositionText
from titm_rules.service.protocol import DEFAULT_BUDGET

# ---------------------------------------------------------------------- answers
OK, BAD_REQUEST = 200, 400
SVG = "image/svg+xml"
STATUSES: Mapping[str, int] = {
    "unknown-name": 404, "unknown-game": 404, "unknown-edition": 404, "unknown-position": 404, "unknown-query": 404,
    "no-page": 404,
    "bad-method": 405, "illegal-action": 409, "too-large": 413, "bad-type": 415, "bad-host": 421, "bug": 500,
    "too-slow": 408, "too-many": 429, "cancelled": 499, "busy": 503, "lost": 503, "stuck": 503,
}  # fmt: skip
AGAIN = frozenset({429, 503})  # who gets these may come again
BUG = {"kind": "bug", "at": "$", "message": "the server has a bug", "fix": "report it"}


class Told(JSONResponse):
    """JSON; half a character, which a request may name and UTF-8 has not, is escaped."""

    def render(self, content: object) -> bytes:
        try:
            return super().render(content)
        except UnicodeEncodeError:
            return json.dumps(content).encode("ascii")


def refused(error: Mapping[str, object], identity: object = None) -> Told:
    status = STATUSES.get(str(error["kind"]), BAD_REQUEST)
    headers = {"Retry-After": "2"} if status in AGAIN else None
    return Told({"id": identity, "ok": False, "error": dict(error)}, status, headers)


def error_of(kind: str, message: str, fix: str) -> dict[str, str]:
    return {"kind": kind, "at": "$", "message": message, "fix": fix}


# ---------------------------------------------------------------------- messages
_LENGTH = struct.Struct(">I")


@dataclass(frozen=True)
class Settings:
    """How a worker answers: the first message to it."""

    engine: str = "compiled"
    budget: Budget = DEFAULT_BUDGET


@dataclass(frozen=True)
class WorkItem:
    """Some work, by the name that the worker knows it by, with positions that the worker may not have seen."""

    number: int
    name: str
    arguments: tuple[str | bytes, ...]
    positions: tuple[PositionText, ...] = ()


@dataclass(frozen=True)
class Cancel:
    """Cancels a task whose answer nobody waits for."""

    number: int


@dataclass(frozen=True)
class Ping:
    """Asks whether the worker makes progress."""


@dataclass(frozen=True)
class Pong:
    """The answer to a ping: for how many seconds the work runs on that should have ended."""

    late_s: float


@dataclass(frozen=True)
class Reply:
    """The answer to a task as HTTP has it, and the positions that were new to the worker."""

    status: int
    media_type: str | None
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    number: int = 0
    positions: tuple[PositionText, ...] = ()

    @classmethod
    def of(cls, response: Response, number: int = 0, positions: tuple[PositionText, ...] = ()) -> Reply:
        headers = tuple((name, value) for name, value in response.headers.items() if not name.startswith("content-"))
        return cls(response.status_code, response.media_type, bytes(response.body), headers, number, positions)

    def response(self) -> Response:
        return Response(self.body, self.status, dict(self.headers), self.media_type)


def pack(message: object) -> bytes:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


def read_message(stream: BinaryIO) -> object:
    """Read a message; an `EOFError` if the other end is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    return _unpack(stream.read(*_LENGTH.unpack(head)))


async def receive_message(stream: asyncio.StreamReader) -> object:
    """Wait for a message; an `EOFError` if the other end is gone."""
    head = await stream.readexactly(_LENGTH.size)
    return _unpack(await stream.readexactly(*_LENGTH.unpack(head)))


def _unpack(data: bytes) -> object:
    try:
        message: object = pickle.loads(data)
    except Exception:  # the library names none: anything may come out of what was cut short
        raise EOFError from None
    return message
