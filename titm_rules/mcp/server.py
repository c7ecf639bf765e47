"""The server of the Model Context Protocol: tools and resources over standard input and output."""

from __future__ import annotations

import json
from typing import Any

from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp_types import CallToolResult, TextContent, ToolAnnotations

from mcp.server import MCPServer
from titm_rules.mcp.answers import Assistant
from titm_rules.service.budget import Budget
from titm_rules.service.protocol import Oracle
from titm_rules.version import __version__

Json = dict[str, Any]
GAMES, CLAUSES, CLAUSE = "titm://games", "titm://{game}/{edition}/clauses", "titm://{game}/{edition}/clause/{number}"
INSTRUCTIONS = """Judges positions of wargames by their rules, and cites the clauses that decide.
Start with `questions`: it lists what may be asked, and gives the JSON Schema of an input. A position may be written
as one line: the name of a scenario and what differs from it. Cite clauses by their numbers, in the words of `says`:
these are the rules restated, not their printed text. An illegal move is an answer; `ok` is false only if a question
cannot be read. Where `outcome` is `depends`, the rules leave room: name the reading that decides."""
_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def make_server(engine: str, budget: Budget, game: str = "") -> MCPServer[Any]:
    """Make a server.

    Args:
        engine: compiled, library or naive.
        budget: what one call may take.
        game: the game of calls that name none.

    Raises:
        InputError: for a game that is not there.
    """
    assistant = Assistant(Oracle(engine, budget, game))
    server: MCPServer[Any] = MCPServer(
        "titm_rules", instructions=INSTRUCTIONS, version=__version__, log_level="CRITICAL", warn_on_duplicate_tools=True
    )
    _add_judging(server, assistant)
    _add_reading(server, assistant)
    _add_resources(server, assistant)
    return server


def _add_judging(server: MCPServer[Any], assistant: Assistant) -> None:
    """Add the tools that put questions to the rules."""

    @server.tool(annotations=_READS)
    def check(query: str, input: Json, edition: str = "", game: str = "", readings: str | Json = "") -> CallToolResult:
        """Answer a question about a position or a battle, with the clauses that decide it.

        `query` and `input` are as the tool `questions` tells. `edition` is a name or any date; empty: the usual one.
        `readings` fixes readings by name, or is `all` to fix none.
        """
        return told(assistant.check(query, input, edition, game, readings))

    @server.tool(annotations=_READS)
    def explain(
        query: str, input: Json, edition: str = "", game: str = "", readings: str | Json = ""
    ) -> CallToolResult:
        """Answer as `check` does, with all reasons: findings, a witness, the nearest legal, readings that matter."""
        return told(assistant.explain(query, input, edition, game, readings))

    @server.tool(annotations=_READS)
    def legal_actions(
        position: str | Json, kinds: list[str] | None = None, actor: str = "", limit: int = 50, offset: int = 0,
        edition: str = "", game: str = "",
    ) -> CallToolResult:  # fmt: skip
        """List what may legally be done in a position: all, some kinds, or what one piece or place has a part in."""
        given: Json = {"position": position, "limit": limit, "offset": offset}
        more: Json = {"kinds": kinds, "actor": actor}
        given |= {name: value for name, value in more.items() if value}
        return told(assistant.legal_actions(given, edition, game))

    @server.tool(annotations=_READS)
    def compare_editions(
        first: str, second: str, query: str = "", input: Json | None = None, game: str = "", offset: int = 0
    ) -> CallToolResult:
        """Compare two editions: the clauses that differ, 100 at a time, or, with a question, what each answers."""
        if query:
            return told(assistant.compare_answers(query, input or {}, first, second, game))
        return told(assistant.compare_clauses(first, second, game, offset))


def _add_reading(server: MCPServer[Any], assistant: Assistant) -> None:
    """Add the tools that tell what there is."""

    @server.tool(annotations=_READS)
    def questions(query: str = "", game: str = "") -> CallToolResult:
        """List editions, readings and what may be asked; with `query`, give the JSON Schema of its input."""
        return told(assistant.questions(query, game))

    @server.tool(annotations=_READS)
    def look_up_clauses(
        numbers: list[str] | None = None, words: str = "", edition: str = "", game: str = ""
    ) -> CallToolResult:
        """Look clauses up by number, or by words: title, restated words, exceptions, and how well they are attested."""
        return told(assistant.clauses(numbers or (), words, edition, game))


def _add_resources(server: MCPServer[Any], assistant: Assistant) -> None:
    """Add the clauses as resources."""

    @server.resource(GAMES, name="games", mime_type="application/json")
    def games() -> str:
        """List the games with their editions."""
        return found(assistant.games())

    @server.resource(CLAUSES, name="clauses", mime_type="application/json")
    def clauses(game: str, edition: str) -> str:
        """List the clauses of an edition by number and title."""
        return found(assistant.contents(edition, game))

    @server.resource(CLAUSE, name="clause", mime_type="application/json")
    def clause(game: str, edition: str, number: str) -> str:
        """Tell one clause: its restated words, and what it has to do with others."""
        return found(assistant.clauses([number], "", edition, game))


def told(reply: Json) -> CallToolResult:
    """Write an answer for programs and as text; one that is no answer is marked as an error."""
    text = TextContent(type="text", text=json.dumps(reply, ensure_ascii=False))
    return CallToolResult(content=[text], structured_content=reply, is_error=not reply["ok"])


def found(reply: Json) -> str:
    """Write what a resource holds.

    Raises:
        ResourceNotFoundError: if there is no such game, edition or clause.
    """
    if not reply["ok"]:
        error = reply["error"]
        raise ResourceNotFoundError(". ".join(part for part in (error["message"], error["fix"]) if part))
    return json.dumps(reply, ensure_ascii=False)


def serve(engine: str, budget: Budget, game: str = "") -> None:
    """Serve one assistant over standard input and output, until it hangs up."""
    make_server(engine, budget, game).run("stdio")
