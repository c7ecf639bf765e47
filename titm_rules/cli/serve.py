"""`titm oracle`: the protocol on standard input and output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import BinaryIO

from titm_rules.cli.guard import print_json
from titm_rules.files import MAX_BYTES
from titm_rules.formats.jsonin import bad
from titm_rules.service.budget import Budget
from titm_rules.service.listing import listing, schemas
from titm_rules.service.protocol import Oracle

CHUNK = 64 * 1024


def serve(engine: str, budget: Budget, game: str = "") -> int:
    """Answer lines until the input ends, flushing after each."""
    if sys.stdin is None:
        raise bad("standard input is closed", "titm oracle", "send requests there, one a line", "no-file")
    for answer in Oracle(engine, budget, game).serve(bounded_lines(sys.stdin.buffer)):
        sys.stdout.buffer.write(encoded(answer) + b"\n")
        sys.stdout.buffer.flush()
    return 0


def encoded(answer: str) -> bytes:
    """Encode an answer line; one that holds half a character is escaped as JSON allows."""
    try:
        return answer.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(json.loads(answer)).encode("ascii")


def list_oracle(game: str = "") -> int:
    """Print editions, readings and queries."""
    print_json(listing(game))
    return 0


def list_schemas(game: str = "") -> int:
    """Print the JSON Schemas of the inputs of all queries."""
    print_json(schemas(game))
    return 0


def bounded_lines(stream: BinaryIO, limit: int = MAX_BYTES) -> Iterator[bytes]:
    """Yield lines of so many bytes besides their end; of a longer one the beginning, and the rest is skipped."""
    while line := stream.readline(limit + len(b"\r\n")):
        yield line
        while len(line) > 0 and not line.endswith(b"\n"):
            line = stream.readline(CHUNK)
