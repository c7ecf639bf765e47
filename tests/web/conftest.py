"""A server without a port for the routes, and one on a port for browsers and other programs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient
from titm_rules.service.budget import Budget
from titm_rules.web.app import build_app
from titm_rules.web.guards import MAX_BODY
from titm_rules.web.messages import Settings
from titm_rules.web.pool import Pool
from titm_rules.web.server import Endpoint, Limits, Server, listening_socket

LONG_S = 60  # for a machine that is busy with other things


@contextmanager
def client_of(budget: Budget | None = None, most: int = MAX_BODY) -> Iterator[TestClient]:
    """A client of an application with a process that answers."""
    app = build_app(Pool(Settings(budget=budget or Budget())), most=most)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    with client_of() as found:
        yield found


@contextmanager
def server_of(
    budget: Budget | None = None, limits: Limits | None = None, workers: int = 1, proxies: tuple[str, ...] = ()
) -> Iterator[tuple[int, Server]]:
    """A server that runs in a thread, with its port."""
    pool = Pool(Settings(budget=budget or Budget(seconds=LONG_S)), workers)
    server = Server(Endpoint(proxies=proxies), pool, limits)
    listening = listening_socket("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.05)
        assert thread.is_alive()
    yield listening.getsockname()[1], server
    server.should_exit = True
    thread.join(LONG_S)
    assert not thread.is_alive()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server; requests may take long, as the machine may be busy."""
    with server_of() as (port, _):
        yield f"http://127.0.0.1:{port}"
