"""Reports on how conformance cases went: by chapter and clause, as JSON values and as a page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from titm_rules.editions.book import chapter_of
from titm_rules.editions.games import CONFORMANCE_FOLDER, files_of
from titm_rules.editions.text import natural
from titm_rules.files import read_text
from titm_rules.service.conform import BROKEN, FAILED, NOT_ANSWERED, NOT_ASKED, OUTCOMES, PASSED, CaseResult

VERSION_FILE = "version.txt"
UNSORTED = "-"  # the chapter of cases that name no clause
SHOWN = 400
OutcomeCounts = dict[str, int]


def version_of_cases(game: str) -> str:
    """Give the version of the list of cases that ships for a game; empty if it has none."""
    found = files_of(game, f"{CONFORMANCE_FOLDER}/{VERSION_FILE}")
    return read_text(found[0], "version").strip() if found else ""


def report(results: Sequence[CaseResult], of: str, version: str = "") -> dict[str, Any]:
    """Report on a run.

    Args:
        results: how each case went.
        of: what was tested, such as the command of a program.
        version: that of the list of cases; empty for a file of one's own.

    Returns:
        `of`, `version`, `cases` (their number), `counts` by outcome, `complies` (whether all passed), `chapters` with
        their counts and those of their `clauses`, `convicted`: every case that failed or had no answer, with what was
        expected and what came, and `left`: the ids of cases that were not answered or not asked, by outcome. A case
        that is about several clauses counts for each, in a chapter once.
    """
    chapters: dict[str, list[CaseResult]] = {}
    for result in results:
        for name in dict.fromkeys(map(chapter_of, result.clauses)) or [UNSORTED]:
            chapters.setdefault(name, []).append(result)
    return {
        "of": of,
        "version": version,
        "cases": len(results),
        "counts": counted(results),
        "complies": all(result.outcome == PASSED for result in results),
        "chapters": [_chapter(name, chapters[name]) for name in sorted(chapters, key=natural)],
        "convicted": [_convicted(result) for result in results if result.outcome in (FAILED, BROKEN)],
        "left": {
            outcome: [result.identity for result in results if result.outcome == outcome]
            for outcome in (NOT_ANSWERED, NOT_ASKED)
        },
    }


def counted(results: Iterable[CaseResult]) -> OutcomeCounts:
    """Count results by outcome."""
    found = Counter(result.outcome for result in results)
    return {name: found[name] for name in OUTCOMES}


def _chapter(name: str, results: Sequence[CaseResult]) -> dict[str, Any]:
    clauses = {clause for result in results for clause in result.clauses if chapter_of(clause) == name}
    told = {
        clause: counted(result for result in results if clause in result.clauses)
        for clause in sorted(clauses, key=natural)
    }
    return {"chapter": name, "counts": counted(results), "clauses": told}


def _convicted(result: CaseResult) -> dict[str, Any]:
    got = dict(result.got)
    return {
        "number": result.number, "title": result.title, "id": result.identity, "edition": result.edition,
        "query": result.query, "clauses": list(result.clauses), "outcome": result.outcome, "why": result.trouble,
        "expected": dict(result.expected), "got": got.get("answer", got.get("error")),
    }  # fmt: skip


# ---------------------------------------------------------------------- as a page
def page(told: Mapping[str, Any]) -> str:
    """Write a report as a page of Markdown."""
    counts = told["counts"]
    parts = [
        "# Compliance report\n",
        f"Tested: `{told['of']}`" + (f", with version {told['version']} of the cases." if told["version"] else "."),
        "",
        f"{told['cases']} cases: {_in_words(counts)}. {_judgement(counts)}\n",
        _table(told["chapters"]),
    ]
    if told["convicted"]:
        parts += ["\n## Convicted by\n", *map(_entry, told["convicted"])]
    for outcome, names in told["left"].items():
        parts += [f"\n## Cases that were {outcome}\n", ", ".join(names)] if names else []
    return "\n".join(parts) + "\n"


def _judgement(counts: OutcomeCounts) -> str:
    if counts[FAILED] or counts[BROKEN]:
        return "It does not comply."
    return "It complies." if counts[PASSED] == sum(counts.values()) else "What it answers complies."


def _in_words(counts: OutcomeCounts) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number) or "none"


def _table(chapters: Iterable[Mapping[str, Any]]) -> str:
    lines = [f"| chapter, clause | {' | '.join(OUTCOMES)} |", f"| --- |{' ---: |' * len(OUTCOMES)}"]
    for chapter in chapters:
        lines.append(_row(f"**{chapter['chapter']}**", chapter["counts"]))
        lines += [_row(clause, counts) for clause, counts in chapter["clauses"].items()]
    return "\n".join(lines)


def _row(name: str, counts: OutcomeCounts) -> str:
    return f"| {name} | {' | '.join(str(counts[outcome] or '') for outcome in OUTCOMES)} |"


def _entry(case: Mapping[str, Any]) -> str:
    name = " ".join(part for part in (case["number"], case["title"] or case["id"]) if part)
    lines = [
        f"- **{name}** ({case['edition']}, `{case['query']}`, clauses {', '.join(case['clauses']) or 'not named'}):",
        f"  {case['outcome']}, {case['why']}",
        f"    - expected `{_short(case['expected'])}`",
    ]
    return "\n".join([*lines, *([f"    - got `{_short(case['got'])}`"] if case["got"] is not None else [])])


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False).replace("`", "'")
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
