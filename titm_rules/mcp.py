"""The MCP server: tools and resources for assistants, answered as the protocol does.

Of a clause an answer has its number, its title and its restated words, and never its formal text.
"""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, Concatenate, NotRequired, ParamSpec, get_type_hints

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
from titm_rules.formats.record_schemas import object_type
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import ClauseInfo
from titm_rules.oracle.edition import Edition
from titm_rules.service import records
from titm_rules.service.budget import Budget
from titm_rules.service.capabilities import listing, schemas
from titm_rules.service.protocol import Oracle, error_record, request_of, rules_of
from titm_rules.version import __version__

Json = dict[str, Any]
Passed = ParamSpec("Passed")
CITED = ("clause", "title", "says", "edition", "effect", "where", "message")
KEPT = ("ok", "headline", "answer", "outcome", "deciding", "digest", "notes")
COMPARED = ("ok", "error", "headline", "answer", "changes", "errors")
MOST_LISTED = 100
MOST_READINGS = 10


def _limited(method: Callable[Concatenate[Assistant, Passed], Json]) -> Callable[Concatenate[Assistant, Passed], Json]:
    """Let a method work within the limits, one call at a time; an error is reported as the protocol does."""

    @wraps(method)
    def limited(self: Assistant, /, *given: Passed.args, **named: Passed.kwargs) -> Json:
        try:
            with self.lock:
                return {"ok": True, **self.oracle.within_budget(lambda: method(self, *given, **named))}
        except TitmError as error:
            return {"ok": False, "error": error_record(error)}

    return limited


class Assistant:
    """Answers an assistant, within the limits of an oracle; every answer has `ok`, and an `error` if that is false.

    The docstrings of the methods that are tools are what an assistant reads of them.
    """

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.lock = threading.Lock()

    # ------------------------------------------------------------------ what the protocol answers
    def check(self, query: str, input: Json, edition: str = "", game: str = "", readings: str | Json = "") -> Json:
        """Answer a question about a position or a battle, with the clauses that decide it.

        `query` and `input` are as `questions` lists them. `edition` is a name or any date; empty: the default edition.
        `readings` fixes readings by name, or is `all` to fix none.
        """
        reply = self._ask(query, input, edition, game, readings)
        if not reply["ok"]:
            return reply
        return {name: reply[name] for name in KEPT if name in reply} | {"clauses": cited(reply.get("why") or ())}

    def explain(self, query: str, input: Json, edition: str = "", game: str = "", readings: str | Json = "") -> Json:
        """Answer as `check` does, with all reasons: findings, a witness, the nearest legal, readings that matter."""
        return self._ask(query, input, edition, game, readings)

    def legal_actions(
        self, position: str | Json, kinds: list[str] | None = None, actor: str = "", limit: int = 50, offset: int = 0,
        edition: str = "", game: str = "",
    ) -> Json:  # fmt: skip
        """List what may legally be done in a position: all, some kinds, or what one piece or place has a part in."""
        given: Json = {"position": position, "limit": limit, "offset": offset, **_said(kinds=kinds, actor=actor)}
        return self._ask("legal_actions", given, edition, game, explain=False)

    def apply(
        self, position: str | Json, action: str | Json, dice: list[int] | None = None, edition: str = "", game: str = ""
    ) -> Json:
        """Take a legal action, as text or as an object: the next position and what happened; `dice` are the faces."""
        given: Json = {"position": position, "action": action, **_said(dice=dice)}
        return self._ask("apply", given, edition, game, explain=False)

    def odds(self, input: Json, edition: str = "", game: str = "") -> Json:
        """Give the exact chances of losses: of the `plan` in `input`, or of the best legal plans, `top` of them.

        `input` has the `battle`, or the `position` and the `place` of one, and whose plans they are (`who`).
        """
        return self._ask("odds", input, edition, game, explain=False)

    def compare_editions(
        self, first: str, second: str, query: str = "", input: Json | None = None, game: str = "", offset: int = 0
    ) -> Json:
        """Compare two editions: the clauses that differ, 100 at a time, or, with a question, what each answers."""
        if not query:
            return self._compare_clauses(first, second, game, max(0, offset))
        request: Json = {"query": query, "input": input or {}, "edition": [first, second], "explain": True}
        reply = self._put(request | {"words": True} | _said(game=game))
        why = reply.pop("why", {})
        told = {name: reply[name] for name in COMPARED if name in reply}
        return told | ({"clauses": {name: cited(said) for name, said in why.items()}} if reply["ok"] else {})

    def _ask(
        self, query: str, given: Json, edition: str, game: str, readings: str | Json = "", explain: bool = True
    ) -> Json:
        usual = {"ok": True, "edition": edition} if edition else self._usual(game)
        if not usual["ok"]:
            return usual
        request: Json = {"query": query, "input": given, "edition": usual["edition"], "explain": explain, "words": True}
        return self._put(request | _said(game=game, readings=readings))

    def _put(self, request: Json) -> Json:
        with self.lock:
            reply = self.oracle.ask(request)
        return {name: value for name, value in reply.items() if name != "id"}

    @_limited
    def _usual(self, game: str) -> Json:
        return {"edition": default_edition(self._game(game))}

    def _game(self, game: str) -> str:
        """Return the named game or the default one; a name is never a path."""
        known = game_folders()
        if game and game != game_name(self.oracle.game) and game not in known:
            raise bad(f"unknown game `{cut(game)}`", "$.game", did_you_mean(game, known), "unknown-game")
        return game if game in known else self.oracle.game

    # ------------------------------------------------------------------ what the books say
    @_limited
    def games(self) -> Json:
        names = dict.fromkeys((game_name(self.oracle.game), *game_folders()))
        found = []
        for name in names:
            game = self._game(name)
            editions = [{"edition": info.name, "title": info.title} for info in list_editions(game)]
            found.append({"game": name, "editions": editions, "usual": default_edition(game)})
        return {"games": found}

    @_limited
    def questions(self, query: str = "", game: str = "", offset: int = 0) -> Json:
        """List editions, what may be asked, and the scenarios, positions, maps and house rules by name.

        Of the readings it lists 10, from `offset` on, of which there are `readings_count`. With `query`, give the JSON
        Schema of its input.
        """
        if not query:
            found: Json = dict(listing(self._game(game)))
            readings, first = found["readings"], max(0, offset)
            page = dict(list(readings.items())[first : first + MOST_READINGS])
            rest = {} if first else {name: found[name] for name in LISTED}
            return {**rest, "readings": page, "readings_count": len(readings)}
        known = schemas(self._game(game))
        if query not in known:
            raise bad(f"unknown query `{cut(query)}`", "$.query", did_you_mean(query, known), "unknown-query")
        return {"query": query, "input": known[query]}

    @_limited
    def look_up_clauses(
        self, numbers: list[str] | None = None, words: str = "", edition: str = "", game: str = ""
    ) -> Json:
        """Look clauses up by number, or by words: title, restated words, exceptions, and how well they are attested."""
        date, book = self._book(edition, game)
        wanted = [word.lower() for word in words.split()]
        chosen = choose_clauses(book.clauses, date, numbers or [], game=game)
        found = [info for info in chosen if all(word in f"{info.title} {info.says}".lower() for word in wanted)]
        return {
            "edition": date, "count": len(found), "clauses": [clause_told(info, book) for info in found[:MOST_LISTED]],
        }  # fmt: skip

    @_limited
    def contents(self, edition: str = "", game: str = "") -> Json:
        date, book = self._book(edition, game)
        return {"edition": date, "clauses": {info.id: info.title for info in choose_clauses(book.clauses, date, [])}}

    @_limited
    def _compare_clauses(self, first: str, second: str, game: str, offset: int) -> Json:
        pair = ModelPair(self._edition(first, game).model, self._edition(second, game).model)
        found = clause_differences(pair)
        return {
            "editions": [pair.first.edition, pair.second.edition], "counts": dict(counts(found)),
            "clauses": [_difference_told(one) for one in found[offset : offset + MOST_LISTED]],
            "readings": [
                {"reading": one.name, "question": one.question, "defaults": list(one.defaults)}
                for one in reading_differences(pair)
            ],
        }  # fmt: skip

    def _book(self, edition: str, game: str) -> tuple[str, Book]:
        rules = self._edition(edition, game)
        return rules.date, whole_book(rules.date, rules.model, rules.game)

    def _edition(self, edition: str, game: str) -> Edition:
        request: Json = {"query": "clauses", "input": {}, "edition": edition or default_edition(self._game(game))}
        under = rules_of(request_of(request | _said(game=game)), self.oracle.game, self.oracle.engine)
        under.load()
        return under.edition(under.names[0])


def _said(**fields: object) -> Json:
    return {name: value for name, value in fields.items() if value}


def cited(why: Sequence[Mapping[str, Any]]) -> list[Json]:
    found: dict[tuple[str, str], Json] = {}
    for one in why:
        if one["holds"]:
            found.setdefault((one["clause"], one["message"]), {name: one[name] for name in CITED if name in one})
    return list(found.values())


def clause_told(info: ClauseInfo, book: Book) -> Json:
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
    return " ".join(text for mark, text in runs if mark in ("", sign)) or None


# ---------------------------------------------------------------------- what tools answer, for their output schemas
def _output(name: str, **fields: Any) -> Any:
    optional: Json = {field: NotRequired[kind] for field, kind in fields.items()}
    return object_type(name, {"ok": bool, "error": NotRequired[records.ErrorTold], **optional})


_SINGLE = {name: kind for name, kind in get_type_hints(records.SingleReply).items() if name not in ("id", "ok")}
_PLAIN = {name: _SINGLE[name] for name in ("edition", "headline", "digest", "notes")}
_LISTING = get_type_hints(records.ListingTold)
LISTED = ("editions", "queries", "ships")
_CITED = object_type("Cited", {**dict.fromkeys(CITED, str), "where": NotRequired[str]})
_CLAUSES: Any = list[_CITED]  # type: ignore[valid-type]
OUTPUTS = {
    "check": _output("Checked", **{name: _SINGLE[name] for name in KEPT if name != "ok"}, clauses=_CLAUSES),
    "explain": _output("Explained", **_SINGLE),
    "legal_actions": _output("Listed", **_PLAIN, answer=records.ActionsListed),
    "apply": _output("Applied", **_PLAIN, answer=records.ActionApplied),
    "odds": _output("Odds", **_PLAIN, answer=records.OddsOfQuestion | records.OddsOfQuestions),
    "compare_editions": _output(
        "Compared", headline=dict[str, str], answer=Json, changes=list[str], errors=dict[str, records.ErrorTold],
        editions=list[str], counts=dict[str, int], clauses=list[Json] | dict[str, Any], readings=list[Json],
    ),
    "questions": _output(
        "Asked", **{name: _LISTING[name] for name in (*LISTED, "readings")}, readings_count=int, query=str, input=Json,
    ),
    "look_up_clauses": _output("Looked", edition=str, count=int, clauses=list[Json]),
}  # fmt: skip


# ---------------------------------------------------------------------- server
GAMES, CLAUSES, CLAUSE = "titm://games", "titm://{game}/{edition}/clauses", "titm://{game}/{edition}/clause/{number}"
INSTRUCTIONS = """Judges positions of wargames by their rules, and cites the clauses that decide.
Start with `questions`: it lists what may be asked, and gives the JSON Schema of an input. A position may be written
as one line: the name of a scenario and what differs from it. Cite clauses by their numbers, in the words of `says`:
these are the rules restated, not their printed text. An illegal move is an answer; `ok` is false only if a question
cannot be read. Where `outcome` is `depends`, the rules leave room: name the reading that decides."""
_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def make_server(engine: str, budget: Budget, game: str = "") -> MCPServer[Any]:
    """Make a server; calls that name no game are about `game`."""
    assistant = Assistant(Oracle(engine, budget, game))
    server: MCPServer[Any] = MCPServer(
        "titm_rules", instructions=INSTRUCTIONS, version=__version__, log_level="CRITICAL", warn_on_duplicate_tools=True
    )
    tools = (
        assistant.check, assistant.explain, assistant.legal_actions, assistant.apply, assistant.odds,
        assistant.compare_editions, assistant.questions, assistant.look_up_clauses,
    )  # fmt: skip
    for tool in tools:
        server.tool(annotations=_READS)(_written(tool))
    _add_resources(server, assistant)
    return server


def _written(tool: Callable[..., Json]) -> Callable[..., CallToolResult]:
    """Let a tool write its answer for programs and as text; a reply without an answer is marked as an error."""

    @wraps(tool)
    def written(*given: object, **named: object) -> CallToolResult:
        reply = tool(*given, **named)
        text = TextContent(type="text", text=json.dumps(reply, ensure_ascii=False))
        return CallToolResult(content=[text], structured_content=reply, is_error=not reply["ok"])

    signature = inspect.signature(tool, eval_str=True)
    answered = Annotated[CallToolResult, OUTPUTS[tool.__name__]]
    vars(written)["__signature__"] = signature.replace(return_annotation=answered)
    return written


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
        return found(assistant.look_up_clauses([number], "", edition, game))


def found(reply: Json) -> str:
    if not reply["ok"]:
        error = reply["error"]
        raise ResourceNotFoundError(". ".join(part for part in (error["message"], error["fix"]) if part))
    return json.dumps(reply, ensure_ascii=False)


def serve(engine: str, budget: Budget, game: str = "") -> None:
    make_server(engine, budget, game).run("stdio")
