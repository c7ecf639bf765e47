"""Checks of every request: its host, its size, and the permissions of browsers for the answer."""

from __future__ import annotations

import asyncio
import ipaddress
import re
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from titm_rules.web.routes import JSON, POLICY, HttpAnswer, error_of, refused

LOCAL = ("127.0.0.1", "localhost", "[::1]")
ANY_HOST = "*"
MAX_BODY = 2 * 1024 * 1024
BODY_SECONDS = 20.0
NETWORK_BITS = 64  # of IPv6: a network of one household
_PORT = re.compile(r":\d*\Z")
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def sent(answer: HttpAnswer) -> Response:
    return Response(answer.body, answer.status, dict(answer.headers), answer.media_type or None)


class Guards:
    """Passes valid requests with their whole bodies (of `most` bytes), and adds headers to every answer.

    A page elsewhere cannot ask through somebody's browser: a body has to be JSON, which such a page may not send
    unasked, and the name that the server was called by has to be one of `hosts`; with `*` it may be any.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = LOCAL, most: int = MAX_BODY) -> None:
        self._app, self._most = app, most
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")  # the files of the page say otherwise
            await send(message)

        error = self._fault_of(scope)
        body = b""
        if error is None:
            try:
                body = await asyncio.wait_for(self._body(receive), BODY_SECONDS)
            except TimeoutError:
                error = error_of("too-slow", f"the body took more than {BODY_SECONDS:g} s", "send it faster")
            except _TooLarge:
                error = self._too_large()
            except _Left:
                return
        if error is not None:
            await sent(refused(error))(scope, receive, marked)
            return
        await self._app(scope, _replayed(body, receive), marked)

    def _fault_of(self, scope: Scope) -> dict[str, str] | None:
        headers = Headers(scope=scope)
        host = _PORT.sub("", headers.get("host", "")).lower()
        if ANY_HOST not in self._hosts and host not in self._hosts:
            return error_of("bad-host", "the server has not this name", "start it with --host or --name")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > self._most:
            return self._too_large()
        has_body = scope["method"] == "POST"
        if has_body and headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            return error_of("bad-type", "the body is not said to be JSON", f"send Content-Type: {JSON}")
        return None

    def _too_large(self) -> dict[str, str]:
        return error_of("too-large", f"the body is over {self._most // 1024} KiB", "send less at a time")

    async def _body(self, receive: Receive) -> bytes:
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _Left
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._most:
                raise _TooLarge
            more = message.get("more_body", False)
        return b"".join(parts)


class _TooLarge(Exception):
    """A body that has more bytes than one may have."""


class _Left(Exception):
    """A client that has gone before its body was whole."""


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Replay a body that was already read, and then the messages that follow."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def address_of(host: str) -> str:
    """Return the address that counts as one client: a host, or the network of one that has very many addresses."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or ipaddress.IPv6Network((address, NETWORK_BITS), strict=False))
    return host
