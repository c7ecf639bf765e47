"""Messages between the server and its worker processes: pickled values, each after its length.

Both ends are processes of this program; nothing that a client sends is unpickled. It is a module of its own because the
server, which imports no rules for its answers, and the worker, which knows no connections, both stand on it.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
from dataclasses import dataclass
from typing import BinaryIO

from titm_rules.service.budget import Budget
from titm_rules.service.position_cache import PositionText
from titm_rules.service.protocol import DEFAULT_BUDGET
from titm_rules.web.routes import HttpAnswer

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
    """The answer to a task, and the positions that were new to the worker."""

    answer: HttpAnswer
    number: int = 0
    positions: tuple[PositionText, ...] = ()


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
