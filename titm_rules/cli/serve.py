"""`titm oracle`, `serve`, `lsp` and `mcp`: the servers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import typer

from titm_rules.cli.terminal import LEGAL, print_json
from titm_rules.files import MAX_BYTES
from titm_rules.formats.safe_json import bad
from titm_rules.service.budget import Budget
from titm_rules.service.capabilities import listing, schemas
from titm_rules.service.protocol import Oracle

# ---------------------------------------------------------------------- serve
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


# ---------------------------------------------------------------------- web
def serve_page(
    at: tuple[str, int], names: Sequence[str], proxies: Sequence[str], engine: str, budget: Budget, workers: int
) -> int:
    """Serve until interrupted.

    Args:
        at: the address and the port.
        names: further names of the server.
        proxies: addresses of proxies.
        engine: the engine by its name.
        budget: limits of one request.
        workers: the number of worker processes.

    Raises:
        InputError: if the extra `web` is not installed.
    """
    try:
        from titm_rules.web.messages import Settings
        from titm_rules.web.server import Endpoint, serve
    except ImportError:
        fix = "pip install 'titm_rules[web]'"
        raise bad("serving needs libraries that are not installed", "titm serve", fix, "no-library") from None
    serve(Endpoint(*at, names, proxies), Settings(engine, budget), workers, typer.echo)
    return LEGAL


# ---------------------------------------------------------------------- editor
def serve_editor() -> int:
    """Serve one editor over standard input and output.

    Raises:
        InputError: if the extra `lsp` is not installed.
    """
    try:
        from titm_rules.lsp.server import serve
    except ImportError:
        fix = "pip install 'titm_rules[lsp]'"
        raise bad("the language server needs a library that is not installed", "titm lsp", fix, "no-library") from None
    serve()
    return LEGAL


def serve_assistant(engine: str, budget: Budget, game: str) -> int:
    """Serve one assistant over standard input and output.

    Raises:
        InputError: if the extra `mcp` is not installed, or for a game that is not there.
    """
    try:
        from titm_rules.mcp import serve
    except ImportError:
        fix = "pip install 'titm_rules[mcp]'"
        what = "the server for assistants needs a library that is not installed"
        raise bad(what, "titm mcp", fix, "no-library") from None
    serve(engine, budget, game)
    return LEGAL
