"""Errors over HTTP: the one shape of the protocol, and the status that goes with each kind."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.responses import JSONResponse

from titm_rules.diagnostics import TitmError
from titm_rules.service.protocol import error_record

BAD_REQUEST = 400
STATUSES: Mapping[str, int] = {
    "unknown-name": 404, "unknown-game": 404, "unknown-edition": 404, "unknown-position": 404, "unknown-query": 404,
    "no-page": 404,
    "bad-method": 405, "illegal-action": 409, "too-large": 413, "bad-type": 415, "bad-host": 421, "bug": 500,
    "too-slow": 408, "too-many": 429, "cancelled": 499, "busy": 503, "lost": 503, "stuck": 503,
}  # fmt: skip
AGAIN = frozenset({429, 503})  # who gets these may come again
BUG = {"kind": "bug", "at": "$", "message": "the server has a bug", "fix": "report it"}


class Told(JSONResponse):
    """JSON; half a character, which a request may name and UTF-8 has not, is escaped."""

    def render(self, content: object) -> bytes:
        """Write the content."""
        try:
            return super().render(content)
        except UnicodeEncodeError:
            return json.dumps(content).encode("ascii")


def status_of(kind: str) -> int:
    """Give the status of HTTP that goes with a kind of error."""
    return STATUSES.get(kind, BAD_REQUEST)


def refused(error: Mapping[str, object], identity: object = None) -> Told:
    """Answer with an error, as the protocol writes it."""
    status = status_of(str(error["kind"]))
    headers = {"Retry-After": "2"} if status in AGAIN else None
    return Told({"id": identity, "ok": False, "error": dict(error)}, status, headers)


def refused_for(error: TitmError) -> Told:
    """Answer with the first fault of an error."""
    return refused(error_record(error))


def error_of(kind: str, message: str, fix: str, at: str = "$") -> dict[str, str]:
    """Make an error that is not a fault of the rules."""
    return {"kind": kind, "at": at, "message": message, "fix": fix}
