"""A server in this process for the routes, and one on a port for browsers and other programs."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.testclient import TestClient
from titm_rules.service.budget import Budget
from titm_rules.service.protocol import Oracle
from titm_rules.web.app import build_app


@pytest.fixture(scope="session")
def client() -> TestClient:
    oracle = Oracle(budget=Budget(seconds=60))  # the machine may be busy, and the cache empty
    return TestClient(build_app(oracle), base_url="http://localhost", raise_server_exceptions=False)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server that runs in a thread; requests may take long, as the machine may be busy."""
    app = build_app(Oracle(budget=Budget(seconds=60)))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)
