"""`titm oracle`: the protocol on standard input and output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import BinaryIO

from titm_rules.cli.guard import print_json
from titm_rules.edges.jsonin import MAX_BYTES
from titm_rules.service.protocol import Oracle, listing, schemas

CHUNK = 64 * 1024


def serve(engine: str) -> int:
    """Answer lines until the input ends, flushing after each."""
    oracle = Oracle(engine)
    for line in bounded_lines(sys.stdin.buffer):
        if line.strip():
            sys.stdout.buffer.write(encoded(answered(oracle, line)) + b"\n")
            sys.stdout.buffer.flush()
    return 0


def answered(oracle: Oracle, line: bytes) -> str:
    """Answer a line; a bug of ours is told as an error, and the next line is served."""
    try:
        return oracle.answer_line(line)
    except Exception as error:
        fault = {"kind": "bug", "at": "$", "message": f"{type(error).__name__}: {error}"[:400], "fix": "report it"}
        return json.dumps({"id": None, "ok": False, "error": fault})


def encoded(answer: str) -> bytes:
    """Encode an answer line; one that holds half a character is escaped as JSON allows."""
    try:
        return answer.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(json.loads(answer)).encode("ascii")


def list_oracle() -> int:
    """Print editions, readings and queries."""
    print_json(listing())
    return 0


def list_schemas() -> int:
    """Print the JSON Schemas of the inputs of all queries."""
    print_json(schemas())
    return 0


def bounded_lines(stream: BinaryIO, limit: int = MAX_BYTES) -> Iterator[bytes]:
    """Yield lines; of a longer one `limit + 1` bytes, whatever its length, and the rest is skipped."""
    while line := stream.readline(limit + 1):
        yield line
        while len(line) > 0 and not line.endswith(b"\n"):
            line = stream.readline(CHUNK)
