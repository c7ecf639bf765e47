"""Conformance: cases whose answers are known, put to the protocol."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from titm_rules.editions.games import CONFORMANCE_FOLDER, default_game, files_of, game_name
from titm_rules.files import open_file
from titm_rules.formats.jsonin import bad, parse_json
from titm_rules.service.protocol import Oracle

PASSED, FAILED, NOT_ANSWERED = "passed", "failed", "not answered"
OUTCOMES = (PASSED, FAILED, NOT_ANSWERED)
NOT_KNOWN = ("unknown-query", "unknown-edition", "unknown-game")


@dataclass(frozen=True)
class CaseResult:
    """How one case went; `got` is the oracle's answer line."""

    identity: str
    query: str
    outcome: str
    expected: Mapping[str, Any]
    got: Mapping[str, Any]


def judge_cases(file: Path | None, game: str | None, edition: str | None, engine: str) -> list[CaseResult]:
    """Put the cases of a file, or those that ship, of one game and edition or of all.

    Raises:
        InputError: for a file that cannot be read or holds no case, or none of this game and edition.
    """
    oracle = Oracle(engine, game=game or "")
    cases = read_cases(file) if file else shipped_cases(oracle.game)
    game = game and game_name(game)
    results = [judge_case(oracle, case) for case in cases if _is_wanted(case, game, edition)]
    if not results:
        what = "no case belongs to this game and edition" if game or edition or not file else "the file holds no case"
        raise bad(what, str(file or "conformance"), kind="no-case")
    return results


def shipped_cases(game: str) -> Iterator[dict[str, Any]]:
    """Read the cases of a game."""
    for path in files_of(game, f"{CONFORMANCE_FOLDER}/*.jsonl"):
        yield from read_cases(path)


def _is_wanted(case: Mapping[str, Any], game: str | None, edition: str | None) -> bool:
    return game in (None, case["game"]) and edition in (None, case["edition"])


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


def judge_case(oracle: Oracle, case: Mapping[str, Any]) -> CaseResult:
    """Ask a case and compare; an answer agrees if it gives every expected value."""
    got = json.loads(oracle.answer_line(json.dumps(case)))
    if got["ok"]:
        agrees = all(name in got["answer"] and got["answer"][name] == value for name, value in case["expected"].items())
        outcome = PASSED if agrees else FAILED
    else:
        outcome = NOT_ANSWERED if got["error"]["kind"] in NOT_KNOWN else FAILED
    return CaseResult(str(case["id"]), str(case["query"]), outcome, case["expected"], got)


def tally(results: Iterable[CaseResult]) -> dict[str, dict[str, int]]:
    """Count how cases went, by question."""
    counts: dict[str, Counter[str]] = {}
    for result in results:
        counts.setdefault(result.query, Counter())[result.outcome] += 1
    return {query: {name: count[name] for name in OUTCOMES} for query, count in sorted(counts.items())}
