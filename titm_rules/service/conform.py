"""Conformance: cases whose answers are known, put to the protocol."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from titm_rules.editions.games import CONFORMANCE_FOLDER, default_game, files_of, game_name
from titm_rules.files import open_file
from titm_rules.formats.jsonin import bad, parse_json
from titm_rules.service.protocol import Oracle
from titm_rules.service.records import Request
from titm_rules.service.referee import NoAnswerError

PASSED, FAILED, NOT_ANSWERED, BROKEN, NOT_ASKED = "passed", "failed", "not answered", "no answer", "not asked"
OUTCOMES = (PASSED, FAILED, NOT_ANSWERED, BROKEN, NOT_ASKED)
NOT_KNOWN = ("unknown-query", "unknown-edition", "unknown-game")
MAX_TROUBLE = 3  # after so many cases in a row without an answer the others are not asked
WITHIN = "."  # a name such as `refused.line` under `expected` leads into the answer
AskOracle = Callable[[Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True)
class CaseResult:
    """How one case went.

    Attributes:
        identity: its id; `number` and `title` stand in the list of cases, `clauses` are those that it is about.
        expected: what the answer must give.
        got: the answer line; empty if there was none.
        trouble: why there was none, or what is wrong with the answer; empty if it agrees.
    """

    identity: str
    query: str
    outcome: str
    expected: Mapping[str, Any]
    got: Mapping[str, Any]
    number: str = ""
    title: str = ""
    game: str = ""
    edition: str = ""
    clauses: tuple[str, ...] = field(default=())
    trouble: str = ""


# ---------------------------------------------------------------------- reading cases
def wanted_cases(file: Path | None, game: str | None, edition: str | None) -> list[dict[str, Any]]:
    """Read the cases of a file, or those that ship, of one game and edition or of all.

    Raises:
        InputError: for a file that cannot be read or holds no case, or none of this game and edition.
    """
    cases = read_cases(file) if file else shipped_cases(game or default_game())
    named = game and game_name(game)
    found = [case for case in cases if named in (None, "", case["game"]) and edition in (None, case["edition"])]
    if not found:
        what = "no case belongs to this game and edition" if game or edition or not file else "the file holds no case"
        raise bad(what, str(file or "conformance"), kind="no-case")
    return found


def shipped_cases(game: str) -> Iterator[dict[str, Any]]:
    """Read the cases of a game."""
    for path in files_of(game, f"{CONFORMANCE_FOLDER}/*.jsonl"):
        yield from read_cases(path)


def read_cases(path: Path) -> Iterator[dict[str, Any]]:
    """Read cases, one a line.

    Raises:
        InputError: for a file that cannot be read, or a line that is no case.
    """
    try:
        with io.TextIOWrapper(open_file(path, fix="name a file of cases"), encoding="utf-8") as lines:
            for number, text in enumerate(lines, 1):
                if text.strip():
                    yield _case(text, f"{path}:{number}")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise bad(f"cannot read the file: {reason}", str(path), "name a file of cases", "no-file") from None


def _case(text: str, where: str) -> dict[str, Any]:
    case = parse_json(text, where)
    if not isinstance(case, dict) or not isinstance(case.get("expected"), dict):
        raise bad("a case is a request with its `expected` answer", where, kind="bad-case")
    return {"id": "", "game": default_game(), "edition": "", "query": "", **case}


# ---------------------------------------------------------------------- putting cases
def own_oracle(engine: str, game: str = "") -> AskOracle:
    """Give what asks the oracle of this package."""
    return Oracle(engine, game=game).ask


def judge_cases(cases: Iterable[Mapping[str, Any]], ask: AskOracle) -> Iterator[CaseResult]:
    """Put cases one by one; after several without an answer in a row the others are not asked."""
    trouble = 0
    for case in cases:
        if trouble >= MAX_TROUBLE:
            yield _result(case, NOT_ASKED, {}, f"no case was asked after {MAX_TROUBLE} in a row had no answer")
            continue
        result = judge_case(case, ask)
        trouble = trouble + 1 if result.outcome == BROKEN else 0
        yield result


def judge_case(case: Mapping[str, Any], ask: AskOracle) -> CaseResult:
    """Put a case and compare; an answer agrees if it gives every expected value, and cites what must be cited."""
    try:
        got = ask(request_of_case(case))
    except NoAnswerError as error:
        return _result(case, BROKEN, {}, str(error))
    if got["ok"]:
        trouble = disagreement(case, got["answer"])
        return _result(case, FAILED if trouble else PASSED, got, trouble)
    kind = got["error"]["kind"]
    return _result(case, NOT_ANSWERED if kind in NOT_KNOWN else FAILED, got, f"an error of kind {kind}")


def request_of_case(case: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is sent: the request alone, never the answer; the game that is meant anyway is left out."""
    request = {name: value for name, value in case.items() if name in Request.model_fields}
    if request.get("game") == default_game():
        del request["game"]
    return request


def disagreement(case: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """Say what an answer lacks of what is expected; empty if it agrees."""
    for name, value in case["expected"].items():
        found = _within(answer, name)
        if found is _Missing or not same(found, value):
            return f"`{name}` is missing" if found is _Missing else f"`{name}` differs"
    cited = _within(answer, "refused.clauses")
    missing = [one for one in case.get("cites", ()) if not isinstance(cited, list) or one not in cited]
    return f"`refused.clauses` does not name {missing[0]}" if missing else ""


class _Missing:
    """Stands for a value that an answer does not give."""


def _within(answer: object, name: str) -> object:
    """Find the value of a name in an answer; a name with full stops leads into what it holds."""
    for part in [name] if isinstance(answer, dict) and name in answer else name.split(WITHIN):
        if not isinstance(answer, dict) or part not in answer:
            return _Missing
        answer = answer[part]
    return answer


def same(one: object, other: object) -> bool:
    """Whether two JSON values are the same; true is not 1, as it is in Python."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def _result(case: Mapping[str, Any], outcome: str, got: Mapping[str, Any], trouble: str = "") -> CaseResult:
    told = {name: str(case.get(name, "")) for name in ("number", "title", "game", "edition")}
    clauses = tuple(map(str, case.get("clauses", ())))
    return CaseResult(
        str(case["id"]), str(case["query"]), outcome, case["expected"], got, clauses=clauses, trouble=trouble, **told
    )


def tally(results: Iterable[CaseResult]) -> dict[str, dict[str, int]]:
    """Count how cases went, by question."""
    counts: dict[str, Counter[str]] = {}
    for result in results:
        counts.setdefault(result.query, Counter())[result.outcome] += 1
    return {query: {name: count[name] for name in OUTCOMES} for query, count in sorted(counts.items())}
