"""The application on a port, over connections with limits of time and number.

uvicorn closes a connection that is idle between two requests, and no other: one that never finishes its request, or
never takes its answer, stays. Here each is closed in time, and one without a whole request makes room for a new one.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import h11
import uvicorn
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from titm_rules.diagnostics import cut
from titm_rules.formats.safe_json import bad
from titm_rules.web.app import build_app
from titm_rules.web.guards import ANY_HOST, LOCAL, address_of
from titm_rules.web.messages import Settings
from titm_rules.web.pool import Pool

# ---------------------------------------------------------------------- connections
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_FULL = h11.Response(status_code=503, headers=[("Retry-After", "2"), ("Connection", "close"), ("Content-Length", "0")])


@dataclass(frozen=True)
class Limits:
    """The limits of connections."""

    most: int = 256
    most_each: int = 64  # of one address
    shared: Collection[Network] = ()  # networks of proxies, each for many clients; `most_each` does not hold for them
    head_s: float = 10.0  # for the head of a request, from its first byte, or from the start of the connection
    rest_s: float = 5.0  # for the rest of a body whose request was answered before it was read
    write_s: float = 30.0  # in which a client has to take `least_written` bytes of its answer
    least_written: int = 32 * 1024


class LimitedConnection(H11Protocol):
    """A connection of uvicorn that is closed when its client takes too long."""

    limits = Limits()

    def __init__(
        self, config: Config, server_state: ServerState, app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:  # fmt: skip
        super().__init__(config, server_state, app_state, _loop)
        self.address = ""
        self.since = 0.0
        self._is_refused = False
        self._stage = ""
        self._timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    @property
    def has_request(self) -> bool:
        """Whether the head of a request has come whose answer is not complete."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def has_whole_request(self) -> bool:
        return self.has_request and self.conn.their_state is not h11.SEND_BODY

    # ---------------------------------------------------------------------- what uvicorn and asyncio call
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        with suppress(OSError):  # asyncio does so only for a socket that was made with the protocol's number
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.address = address_of(self.client[0] if self.client else "")
        self.since = self.loop.time()
        if not self._finds_room():
            self._is_refused = True
            transport.write(self.conn.send(_FULL) or b"")
            transport.close()
        self._limit_time()

    def data_received(self, data: bytes) -> None:
        if not self._is_refused:
            super().data_received(data)
            self._limit_time()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._limit_time()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._limit_time()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._limit_writing(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        super().resume_writing()
        _stop(self._write_timer)

    def shutdown(self) -> None:
        """Close when the server ends, once the answer to a whole request is complete."""
        if self.has_request and not self.has_whole_request:
            self.transport.abort()
            return
        with suppress(h11.LocalProtocolError):  # it is closing, after what was no request
            super().shutdown()
        self._limit_time()

    def connection_lost(self, exc: Exception | None) -> None:
        _stop(self._timer)
        _stop(self._write_timer)
        self._stage = "lost"
        super().connection_lost(exc)

    # ---------------------------------------------------------------------- time
    def _limit_time(self) -> None:
        """Start a clock when the client has a new thing to do; more bytes of the same thing do not start it again."""
        stage = self._find_stage()
        if stage == self._stage or self._stage == "lost":
            return
        _stop(self._timer)
        self._stage = stage
        seconds = {"head": self.limits.head_s, "rest": self.limits.rest_s, "close": self.limits.write_s}.get(stage)
        if seconds is not None:
            self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _limit_writing(self, left: int) -> None:
        """Close the connection later, if the client has not taken enough of what is left to write until then."""

        def look() -> None:
            now_left = self.transport.get_write_buffer_size()
            if now_left > left - self.limits.least_written:
                self.transport.abort()
            else:
                self._limit_writing(now_left)

        self._write_timer = self.loop.call_later(self.limits.write_s, look)

    def _find_stage(self) -> str:
        if self.transport.is_closing():
            return "close"  # what was written may not have been taken yet
        if self.has_request:
            return "answer"  # the application limits the time for a body, and for its own work
        if self.conn.their_state is h11.SEND_BODY:
            return "rest"
        has_begun = self.conn.trailing_data[0] or self.timeout_keep_alive_task is None
        return "head" if has_begun else "idle"  # uvicorn has a clock for idle ones

    # ---------------------------------------------------------------------- number
    def _finds_room(self) -> bool:
        """Say whether there is room, which another connection without a whole request may have to make."""
        others = [other for other in self.connections if isinstance(other, LimitedConnection) and other is not self]
        others = [other for other in others if not other.transport.is_closing()]
        own = [other for other in others if other.address == self.address]
        if len(own) >= self.limits.most_each and not self._is_shared():
            return _close_idle(own)
        return len(others) < self.limits.most or _close_idle(others)

    def _is_shared(self) -> bool:
        try:
            address = ipaddress.ip_address(self.client[0] if self.client else "")
        except ValueError:
            return False
        return any(address in network for network in self.limits.shared)


def _close_idle(connections: Collection[LimitedConnection]) -> bool:
    """Close a connection without a whole request, if there is one: the oldest of the address that has most of these."""
    idle = [connection for connection in connections if not connection.has_whole_request]
    counts = Counter(connection.address for connection in idle)
    chosen = min(idle, key=lambda connection: (-counts[connection.address], connection.since), default=None)
    if chosen is not None:
        chosen.transport.abort()
    return chosen is not None


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


# ---------------------------------------------------------------------- server
KEEP_ALIVE_SECONDS = 10
_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?")  # as browsers send it
GRACE_SECONDS, END_SECONDS = 7, 8  # for the requests that are worked on, and for all connections, when the server ends


@dataclass(frozen=True)
class Endpoint:
    """Where a server is, and for whom."""

    host: str = "127.0.0.1"  # the address to listen at
    port: int = 0  # the port; 0: one that is free
    names: Sequence[str] = ()  # further names that the server is called by; none, at an address that others reach: any
    origins: Sequence[str] = ()  # of pages elsewhere that may ask in a browser
    proxies: Sequence[str] = ()  # addresses or networks of proxies, which say in `X-Forwarded-For` for whom they ask

    def known_names(self) -> Collection[str]:
        return (*LOCAL, *self.names) if self.host in LOCAL or self.names else (ANY_HOST,)

    def known_origins(self) -> Sequence[str]:
        """Give the origins; what does not name one is an `InputError`, and so is `*`: it would let in any page."""
        for origin in self.origins:
            if not _ORIGIN.fullmatch(origin):
                fix = "name each origin, such as https://example.org or http://localhost:5173"
                raise bad(f"`{cut(origin)}` is not an origin", "titm serve", fix, "bad-value")
        return self.origins

    def networks(self) -> Collection[Network]:
        """Give the networks of the proxies; what is not an address is an `InputError`."""
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
            build_app(pool, place.known_names(), origins=place.known_origins()), host=place.host, port=place.port,
            http=type("LimitedConnection", (LimitedConnection,), {"limits": limits}),  # uvicorn makes its objects
            ws="none", server_header=False, log_level="error", access_log=False,
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
    """Serve until interrupted; `tell` receives a line that says where the page is."""
    server = Server(place, Pool(settings, workers))
    listening = listening_socket(place.host, place.port)
    tell(f"http://{place.host}:{listening.getsockname()[1]}/  (Ctrl+C ends it)")
    server.run([listening])


def listening_socket(host: str, port: int) -> socket.socket:
    """Listen at an address; an `InputError` if that is not possible."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        fix = "take another --port; 0 finds a free one"
        raise bad(f"cannot listen at {host}:{port}: {error.strerror}", "titm serve", fix, "no-port") from None
