"""Examples of bodies, for the description of the routes; they name what every game has."""

from __future__ import annotations

from typing import Any

from titm_rules.service.records import ErrorTold, Request

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
