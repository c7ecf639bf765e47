"""`titm conform`: cases whose answers are known."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from titm_rules.cli.guard import print_json
from titm_rules.cli.show import print_table
from titm_rules.edges.jsonin import bad, parse_json
from titm_rules.service.protocol import Oracle
from titm_rules.vocabulary.data import data_folder

PASSED, FAILED, NOT_ANSWERED = "passed", "failed", "not answered"
OUTCOMES = (PASSED, FAILED, NOT_ANSWERED)
NOT_KNOWN = ("unknown-query", "unknown-edition")


@dataclass(frozen=True)
class Result:
    """How one case went; `got` is the oracle's answer line."""

    identity: str
    query: str
    outcome: str
    expected: Mapping[str, Any]
    got: Mapping[str, Any]


def run_cases(file: Path | None, edition: str | None, engine: str, as_json: bool) -> int:
    """Run conformance cases and print a table of queries; 1 if a case fails."""
    path = file or data_folder("scenarios") / "conformance" / "cases.jsonl"
    oracle = Oracle(engine)
    results = [judge_case(oracle, case) for case in read_cases(path) if edition in (None, case["edition"])]
    if not results:
        raise bad("no case is of this edition" if edition else "the file holds no case", str(path), kind="no-case")
    failed = [r for r in results if r.outcome == FAILED]
    if as_json:
        print_json({"cases": len(results), "queries": _tally(results), "failed": [vars(r) for r in failed]})
    else:
        _show(results, failed)
    return 1 if failed else 0


def read_cases(path: Path) -> Iterator[dict[str, Any]]:
    """Read cases, one a line.

    Raises:
        InputError: for a file that cannot be read, or a line that is no case.
    """
    try:
        with path.open(encoding="utf-8") as lines:
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
    return {"id": "", "edition": "", "query": "", **case}


def judge_case(oracle: Oracle, case: Mapping[str, Any]) -> Result:
    """Ask a case and compare; an answer agrees if it gives every expected value."""
    got = json.loads(oracle.answer_line(json.dumps(case)))
    if got["ok"]:
        agrees = all(name in got["answer"] and got["answer"][name] == value for name, value in case["expected"].items())
        outcome = PASSED if agrees else FAILED
    else:
        outcome = NOT_ANSWERED if got["error"]["kind"] in NOT_KNOWN else FAILED
    return Result(str(case["id"]), str(case["query"]), outcome, case["expected"], got)


def _tally(results: list[Result]) -> dict[str, dict[str, int]]:
    tally: dict[str, Counter[str]] = {}
    for result in results:
        tally.setdefault(result.query, Counter())[result.outcome] += 1
    return {query: {name: count[name] for name in OUTCOMES} for query, count in sorted(tally.items())}


def _show(results: list[Result], failed: list[Result]) -> None:
    from rich.table import Table

    table = Table("query", *OUTCOMES, box=None)
    for query, row in _tally(results).items():
        table.add_row(query, *(str(row[name] or "") for name in OUTCOMES))
    print_table(table)
    for result in failed:
        typer.echo(f"failed: {result.identity}")
        typer.echo(f"  expected {json.dumps(result.expected)}\n  got      {json.dumps(result.got)[:400]}")
    counts = Counter(result.outcome for result in results)
    typer.echo(", ".join(f"{counts[name]} {name}" for name in OUTCOMES))
    if counts[NOT_ANSWERED]:
        typer.echo("(not answered: the rules have no such edition or question)")
