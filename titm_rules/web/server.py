"""The application on a port."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import uvicorn

from titm_rules.formats.safe_json import bad
from titm_rules.web.app import build_app
from titm_rules.web.connections import Limits, Network, connection_class
from titm_rules.web.guards import ANY_HOST, LOCAL
from titm_rules.web.messages import Settings
from titm_rules.web.pool import Pool

KEEP_ALIVE_SECONDS = 10
GRACE_SECONDS, END_SECONDS = 7, 8  # for the requests that are worked on, and for all connections, when the server ends


@dataclass(frozen=True)
class Endpoint:
    """Where a server is, and for whom.

    Attributes:
        host: the address to listen at.
        port: the port; 0: one that is free.
        names: further names that the server is called by; none, at an address that others reach: any.
        proxies: addresses or networks of proxies, which say in `X-Forwarded-For` for whom they ask.
    """

    host: str = "127.0.0.1"
    port: int = 0
    names: Sequence[str] = ()
    proxies: Sequence[str] = ()

    def known_names(self) -> Collection[str]:
        """Name all that the server is called by."""
        return (*LOCAL, *self.names) if self.host in LOCAL or self.names else (ANY_HOST,)

    def networks(self) -> Collection[Network]:
        """Give the networks of the proxies.

        Raises:
            InputError: for what is not an address.
        """
        try:
            return [ipaddress.ip_network(proxy) for proxy in self.proxies]
        except ValueError as error:
            fix = "give an address, such as 10.0.0.1, or a network, such as 10.0.0.0/24"
            raise bad(f"unknown proxy: {error}", "titm serve", fix, "bad-value") from None


class Server(uvicorn.Server):
    """A server that ends in time, whatever waits."""

    def __init__(self, place: Endpoint, pool: Pool, limits: Limits | None = None) -> None:
        self.pool = pool
        limits = limits or Limits(shared=place.networks())
        config = uvicorn.Config(
            build_app(pool, place.known_names()), host=place.host, port=place.port,
            http=connection_class(limits), ws="none", server_header=False, log_level="error", access_log=False,
            proxy_headers=bool(place.proxies), forwarded_allow_ips=list(place.proxies),
            timeout_keep_alive=KEEP_ALIVE_SECONDS, timeout_graceful_shutdown=END_SECONDS,
        )  # fmt: skip
        super().__init__(config)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Refuse what waits, and answer what is worked on if it is done soon."""
        ending = asyncio.create_task(self.pool.end(GRACE_SECONDS))
        await super().shutdown(sockets)
        await ending


def serve(place: Endpoint, settings: Settings, workers: int, tell: Callable[[str], object]) -> None:
    """Serve until interrupted.

    Args:
        place: where to listen, and for whom.
        settings: how requests are answered.
        workers: so many processes answer.
        tell: receives a line that says where the page is.

    Raises:
        InputError: if nobody can listen there.
    """
    server = Server(place, Pool(settings, workers))
    listening = listening_socket(place.host, place.port)
    tell(f"http://{place.host}:{listening.getsockname()[1]}/  (Ctrl+C ends it)")
    server.run([listening])


def listening_socket(host: str, port: int) -> socket.socket:
    """Listen at an address.

    Raises:
        InputError: if that is not possible.
    """
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        fix = "take another --port; 0 finds a free one"
        raise bad(f"cannot listen at {host}:{port}: {error.strerror}", "titm serve", fix, "no-port") from None
