"""What an assistant may ask, answered as the protocol does: the same requests, limits and errors.

Of a clause an answer has its number, its title and its restated words, and never its formal text.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from titm_rules.compare.rules import ModelPair
from titm_rules.compare.text import ClauseDifference, Run, clause_differences, counts, reading_differences
from titm_rules.diagnostics import TitmError, cut, did_you_mean
from titm_rules.editions.book import Book, choose_clauses, whole_book
from titm_rules.editions.games import game_folders, game_name
from titm_rules.editions.named import default_edition, list_editions
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.edition import Edition
from titm_rules.rules.model import ClauseInfo
from titm_rules.service.listing import listing, schemas
from titm_rules.service.protocol import Oracle, error_record, request_of
from titm_rules.service.rules import rules_of

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
        """Name the game that is meant; a name is never a path.

        Raises:
            InputError: for a game that is not there.
        """
        known = game_folders()
        if game and game != game_name(self.oracle.game) and game not in known:
            raise bad(f"unknown game `{cut(game)}`", "$.game", did_you_mean(game, known), "unknown-game")
        return game if game in known else self.oracle.game

    # ------------------------------------------------------------------ what the books say
    def games(self) -> Json:
        """List the games, each with its editions and the one that is meant where none is named."""
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
        """Give the date and the clauses of the rules that are meant, with those of the scenarios."""
        rules = self._edition(edition, game)
        return rules.date, whole_book(rules.date, rules.model, rules.game)

    def _edition(self, edition: str, game: str) -> Edition:
        """Give the rules that are meant, as a request names them."""
        request: Json = {"query": "clauses", "input": {}, "edition": edition or self._usual(game)["edition"]}
        under = rules_of(request_of(request | _said(game=game)), self.oracle.game, self.oracle.engine)
        return under.edition(under.names[0])

    def _told(self, load: Callable[[], Loaded], work: Callable[[Loaded], Json]) -> Json:
        """Load rules, do some work on them, all within the limits, and report an error as the protocol does."""
        try:
            with self._lock:
                return self.oracle.within_budget(lambda: work(load()))
        except TitmError as error:
            return {"ok": False, "error": error_record(error)}


def _said(**fields: str | Json) -> Json:
    """Leave out of a request what is not said."""
    return {name: value for name, value in fields.items() if value}


def cited(why: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Cite the clauses that hold among findings, each of them once."""
    found: dict[tuple[str, str], Json] = {}
    for one in why:
        if one["holds"]:
            found.setdefault((one["clause"], one["message"]), {name: one[name] for name in CITED if name in one})
    return list(found.values())


def clause_told(info: ClauseInfo, book: Book) -> Json:
    """Tell a clause: its restated words, and what it has to do with others."""
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
