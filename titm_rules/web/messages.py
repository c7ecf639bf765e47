"""Bodies of requests and errors over HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

from titm_rules.diagnostics import TitmError
from titm_rules.editions.registry import MAX_NAME
from titm_rules.formats.record_schemas import TAG
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.service.protocol import error_record
from titm_rules.service.records import ErrorTold, Request
from titm_rules.web.resources import shipped_rules

# ---------------------------------------------------------------------- errors
BAD_REQUEST = 400
STATUSES: Mapping[str, int] = {
    "unknown-name": 404, "unknown-game": 404, "unknown-edition": 404, "unknown-position": 404, "unknown-query": 404,
    "no-page": 404,
    "bad-method": 405, "illegal-action": 409, "too-large": 413, "bad-type": 415, "bad-host": 421, "bug": 500,
    "busy": 503, "too-slow": 408,
}  # fmt: skip
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
    headers = {"Retry-After": "2"} if status == STATUSES["busy"] else None
    return Told({"id": identity, "ok": False, "error": dict(error)}, status, headers)


def refused_for(error: TitmError) -> Told:
    """Answer with the first fault of an error."""
    return refused(error_record(error))


def error_of(kind: str, message: str, fix: str, at: str = "$") -> dict[str, str]:
    """Make an error that is no fault of the rules."""
    return {"kind": kind, "at": at, "message": message, "fix": fix}


# ---------------------------------------------------------------------- records
WordText = Annotated[str, StringConstraints(max_length=MAX_NAME)]

_Form = Discriminator(lambda value: f"{TAG}text" if isinstance(value, str) else f"{TAG}object")


class Shown(BaseModel):
    """A position that is to be drawn, and its rules; `placed` says whether its places are laid out."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    game: WordText
    edition: WordText
    overlays: Annotated[tuple[WordText, ...], Field(max_length=8, strict=False)] = ()
    situation: WordText = "position"
    placed: bool = True
    position: Annotated[Annotated[str, Tag(f"{TAG}text")] | Annotated[dict[str, Any], Tag(f"{TAG}object")], _Form]

    def rules(self) -> Edition:
        """Give the rules.

        Raises:
            InputError: for a game, an edition or house rules that do not ship.
        """
        return shipped_rules(self.game, self.edition, self.overlays)

    def made(self, rules: Edition) -> Position:
        """Make the position.

        Raises:
            InputError: with every fault of it.
        """
        if isinstance(self.position, str):
            return Position.from_notation(self.position, rules, "$.position", self.situation)
        return Position.from_dict(self.position, rules, self.situation)


# ---------------------------------------------------------------------- examples
REF = {
    "summary": "the actions that are legal in a position that was answered before",
    "value": {"edition": "all", "query": "legal_actions", "input": {"position": {"ref": "9aa69d0e2ade6a76"}}},
}
RECORD = {
    "summary": "a record judged",
    "value": {"edition": "DATE", "query": "replay", "input": {"record": "edition DATE\nstart NAME DIGEST\n"}},
}
SHOWN = {
    "summary": "a position on a map that ships",
    "value": {"game": "GAME", "edition": "DATE", "position": {"map": "NAME"}},
}
ERROR = {
    "description": "an error; its kind gives the status",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "properties": {"id": {}, "ok": {"const": False}, "error": ErrorTold.model_json_schema()},
            }
        }
    },
}


def _body(schema: dict[str, Any], **examples: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schema, "examples": examples}}
    return {"requestBody": {"required": True, "content": content}, "responses": {"4XX": ERROR, "503": ERROR}}


ASK_BODY = _body(Request.model_json_schema(ref_template="#/components/schemas/{model}"), ref=REF, record=RECORD)
BOARD_BODY = _body({"type": "object", "required": ["game", "edition", "position"]}, shown=SHOWN)
