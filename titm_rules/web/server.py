"""The application on a port."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence

import uvicorn

from titm_rules.formats.safe_json import bad
from titm_rules.service.budget import Budget
from titm_rules.service.protocol import Oracle
from titm_rules.web.app import build_app
from titm_rules.web.guards import ANY_HOST, LOCAL

MOST_CONNECTIONS, KEEP_ALIVE_SECONDS = 256, 10


def serve(
    host: str, port: int, names: Sequence[str], engine: str, budget: Budget, tell: Callable[[str], object]
) -> None:
    """Serve until interrupted.

    Args:
        host: the address to listen at.
        port: the port; 0: one that is free.
        names: further names that the server is called by; none, at an address that others reach: any.
        engine: compiled, library or reference.
        budget: what one request may take.
        tell: is told where the page is.

    Raises:
        InputError: if nobody can listen there.
    """
    known = (*LOCAL, *names) if host in LOCAL or names else (ANY_HOST,)
    config = uvicorn.Config(
        build_app(Oracle(engine, budget), known), host=host, port=port, log_level="warning", access_log=False,
        server_header=False, limit_concurrency=MOST_CONNECTIONS, timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )  # fmt: skip
    listening = _listening(host, port)
    tell(f"http://{host}:{listening.getsockname()[1]}/  (Ctrl+C ends it)")
    uvicorn.Server(config).run([listening])


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        fix = "take another --port; 0 finds a free one"
        raise bad(f"cannot listen at {host}:{port}: {error.strerror}", "titm serve", fix, "no-port") from None
