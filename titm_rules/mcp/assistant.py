"""The MCP server: tools and resources for assistants, answered as the protocol does.

Of a clause an answer has its number, its title and its restated words, and never its formal text.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp_types import CallToolResult, TextContent, ToolAnnotations

from titm_rules.catalog import game_folders, game_name
from titm_rules.compare.edition_diff import ClauseDifference, Run, clause_differences, counts, reading_differences
from titm_rules.compare.rule_pair import ModelPair
from titm_rules.diagnostics import TitmError, cut, did_you_mean
from titm_rules.editions.clause_index import choose_clauses
from titm_rules.editions.coverage import Book, whole_book
from titm_rules.editions.registry import default_edition, list_editions
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import ClauseInfo
from titm_rules.oracle.edition import Edition
from titm_rules.service.budget import Budget
from titm_rules.service.capabilities import listing, schemas
from titm_rules.service.protocol import Oracle, error_record, request_of
from titm_rules.service.rule_selection import rules_of
from titm_rules.version import __version__

# ---------------------------------------------------------------------- answers
Json = dict[str, Any]
Loaded = TypeVar("Loaded")
CITED = ("clause", "title", "says", "edition", "effect", "where", "message")
KEPT = ("ok", "answer", "outcome", "deciding", "digest", "notes")
MOST_LISTED = 100


class Assistant:
    """Answers an assistant; every answer is an object with `ok`, and an `error` if that is false.

    Args:
        oracle: serves the protocol; its limits hold for all that is asked.
    """

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self._lock = threading.Lock()

    # ------------------------------------------------------------------ what the protocol answers
    def explain(self, query: str, given: Json, edition: str = "", game: str = "", readings: str | Json = "") -> Json:
        """Answer a question with all reasons: what each clause says, a witness, what is legal instead."""
        return self._ask(query, given, edition, game, readings)

    def check(self, query: str, given: Json, edition: str = "", game: str = "", readings: str | Json = "") -> Json:
        """Answer a question with the clauses that decide it, each once."""
        reply = self._ask(query, given, edition, game, readings)
        if not reply["ok"]:
            return reply
        kept = {
            name: reply[name] for name in ("ok", "answer", "outcome", "deciding", "digest", "notes") if name in reply
        }
        return kept | {"clauses": cited(reply.get("why") or ())}

    def legal_actions(self, given: Json, edition: str = "", game: str = "") -> Json:
        """List what may be done in a position; `given` as the question `legal_actions` takes it."""
        return self._ask("legal_actions", given, edition, game, explain=False)

    def compare_answers(self, query: str, given: Json, first: str, second: str, game: str = "") -> Json:
        """Ask two editions the same, with the clauses that decide in each."""
        request: Json = {"query": query, "input": given, "edition": [first, second], "explain": True}
        reply = self._put(request | _said(game=game))
        why = reply.pop("why", {})
        told = {name: reply[name] for name in reply if name in ("ok", "error", "answer", "changes", "errors")}
        return told | ({"clauses": {name: cited(said) for name, said in why.items()}} if reply["ok"] else {})

    def _ask(
        self, query: str, given: Json, edition: str, game: str, readings: str | Json = "", explain: bool = True
    ) -> Json:
        usual = {"ok": True, "edition": edition} if edition else self._told(lambda: self._usual(game), dict)
        if not usual["ok"]:
            return usual
        request: Json = {"query": query, "input": given, "edition": usual["edition"], "explain": explain}
        return self._put(request | _said(game=game, readings=readings))

    def _put(self, request: Json) -> Json:
        """Put a request to the oracle, which answers one at a time."""
        with self._lock:
            reply = self.oracle.ask(request)
        return {name: value for name, value in reply.items() if name != "id"}

    def _usual(self, game: str) -> Json:
        return {"ok": True, "edition": default_edition(self._game(game))}

    def _game(self, game: str) -> str:
        """Return the named game or the default one; a name is never a path.

        Raises:
            InputError: for a game that is not there.
        """
        known = game_folders()
        if game and game != game_name(self.oracle.game) and game not in known:
            raise bad(f"unknown game `{cut(game)}`", "$.game", did_you_mean(game, known), "unknown-game")
        return game if game in known else self.oracle.game

    # ------------------------------------------------------------------ what the books say
    def games(self) -> Json:
        """List the games, each with its editions and its default edition."""
        names = dict.fromkeys((game_name(self.oracle.game), *game_folders()))
        return self._told(lambda: [self._of_game(name) for name in names], lambda found: {"ok": True, "games": found})

    def _of_game(self, name: str) -> Json:
        game = self._game(name)
        editions = [{"edition": info.name, "title": info.title} for info in list_editions(game)]
        return {"game": name, "editions": editions, "usual": default_edition(game)}

    def questions(self, query: str = "", game: str = "") -> Json:
        """List what may be asked of a game; of one question, the JSON Schema of its input."""

        def work(found: Json) -> Json:
            if not query:
                return {"ok": True, **{name: found[name] for name in ("editions", "readings", "queries")}}
            if query not in found:
                raise bad(f"unknown query `{cut(query)}`", "$.query", did_you_mean(query, found), "unknown-query")
            return {"ok": True, "query": query, "input": found[query]}

        return self._told(lambda: (schemas if query else listing)(self._game(game)), work)

    def clauses(self, numbers: Sequence[str] = (), words: str = "", edition: str = "", game: str = "") -> Json:
        """Look clauses up by number, or by words of their title and restatement; of many the first 100."""

        def work(loaded: tuple[str, Book]) -> Json:
            date, book = loaded
            wanted = [word.lower() for word in words.split()]
            chosen = choose_clauses(book.clauses, date, list(numbers))
            found = [info for info in chosen if all(word in f"{info.title} {info.says}".lower() for word in wanted)]
            told = [clause_told(info, book) for info in found[:MOST_LISTED]]
            return {"ok": True, "edition": date, "count": len(found), "clauses": told}

        return self._told(lambda: self._book(edition, game), work)

    def contents(self, edition: str = "", game: str = "") -> Json:
        """List all clauses of an edition by number and title."""

        def work(loaded: tuple[str, Book]) -> Json:
            date, book = loaded
            chosen = choose_clauses(book.clauses, date, [])
            return {"ok": True, "edition": date, "clauses": {info.id: info.title for info in chosen}}

        return self._told(lambda: self._book(edition, game), work)

    def compare_clauses(self, first: str, second: str, game: str = "", offset: int = 0) -> Json:
        """List the clauses and readings that differ between two editions, 100 clauses at a time."""

        def work(pair: ModelPair) -> Json:
            found = clause_differences(pair)
            page = found[max(0, offset) : max(0, offset) + MOST_LISTED]
            return {
                "ok": True, "editions": [pair.first.edition, pair.second.edition], "counts": dict(counts(found)),
                "clauses": [_difference_told(one) for one in page],
                "readings": [
                    {"reading": one.name, "question": one.question, "defaults": list(one.defaults)}
                    for one in reading_differences(pair)
                ],
            }  # fmt: skip

        return self._told(lambda: ModelPair(self._edition(first, game).model, self._edition(second, game).model), work)

    def _book(self, edition: str, game: str) -> tuple[str, Book]:
        """Return the date and the clauses of the selected rules, with those of the scenarios."""
        rules = self._edition(edition, game)
        return rules.date, whole_book(rules.date, rules.model, rules.game)

    def _edition(self, edition: str, game: str) -> Edition:
        """Return the fields of a request that select the rules."""
        request: Json = {"query": "clauses", "input": {}, "edition": edition or self._usual(game)["edition"]}
        under = rules_of(request_of(request | _said(game=game)), self.oracle.game, self.oracle.engine)
        under.load()
        return under.edition(under.names[0])

    def _told(self, load: Callable[[], Loaded], work: Callable[[Loaded], Json]) -> Json:
        """Load rules, do some work on them, all within the limits, and report an error as the protocol does."""
        try:
            with self._lock:
                return self.oracle.within_budget(lambda: work(load()))
        except TitmError as error:
            return {"ok": False, "error": error_record(error)}


def _said(**fields: str | Json) -> Json:
    """Remove the empty fields of a request."""
    return {name: value for name, value in fields.items() if value}


def cited(why: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Cite the clauses that hold among findings, each of them once."""
    found: dict[tuple[str, str], Json] = {}
    for one in why:
        if one["holds"]:
            found.setdefault((one["clause"], one["message"]), {name: one[name] for name in CITED if name in one})
    return list(found.values())


def clause_told(info: ClauseInfo, book: Book) -> Json:
    """Describe a clause: its restated words and its relations to others."""
    exceptions = [one.id for one in book.clauses.values() if info.id in one.excepts]
    return {
        "clause": info.id, "number": info.number or info.id, "title": info.title, "says": info.says,
        "edition": info.edition, "attested": info.grade, "decides": list(info.heads), "excepts": list(info.excepts),
        "exceptions": exceptions, "sees": list(info.sees), "nothing": info.silent or None,
    }  # fmt: skip


def _difference_told(one: ClauseDifference) -> Json:
    """Tell how a clause differs, with the words of both editions if they do; nothing for one that it is not in."""
    told: Json = {"clause": one.clause, "how": one.how, "numbers": list(one.numbers)}
    told["title"] = _words(one.title, "+") or _words(one.title, "-")
    if any(sign for sign, _ in (*one.title, *one.words)):
        told["says"] = [_words(one.words, sign) for sign in ("-", "+")]
    return told | ({"readings": list(one.readings)} if one.readings else {})


def _words(runs: Sequence[Run], sign: str) -> str | None:
    """Put together the words of one edition: `-` for the first, `+` for the second."""
    return " ".join(text for mark, text in runs if mark in ("", sign)) or None


# ---------------------------------------------------------------------- server
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
        engine: compiled, library or reference.
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

    @server.tool(annotations=_READS)
    def check(query: str, input: Json, edition: str = "", game: str = "", readings: str | Json = "") -> CallToolResult:
        """Answer a question about a position or a battle, with the clauses that decide it.

        `query` and `input` are as `questions` lists them. `edition` is a name or any date; empty: the default edition.
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
    """Add the tools that list games, questions, clauses and differences."""

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
        """Show a clause: its restated words, and what it has to do with others."""
        return found(assistant.clauses([number], "", edition, game))


def told(reply: Json) -> CallToolResult:
    """Write an answer for programs and as text; a reply without an answer is marked as an error."""
    text = TextContent(type="text", text=json.dumps(reply, ensure_ascii=False))
    return CallToolResult(content=[text], structured_content=reply, is_error=not reply["ok"])


def found(reply: Json) -> str:
    """Return the content of a resource.

    Raises:
        ResourceNotFoundError: if the game, edition or clause does not exist.
    """
    if not reply["ok"]:
        error = reply["error"]
        raise ResourceNotFoundError(". ".join(part for part in (error["message"], error["fix"]) if part))
    return json.dumps(reply, ensure_ascii=False)


def serve(engine: str, budget: Budget, game: str = "") -> None:
    """Serve one assistant over standard input and output, until it hangs up."""
    make_server(engine, budget, game).run("stdio")
