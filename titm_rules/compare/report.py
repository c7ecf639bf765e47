"""Differences as a page of Markdown."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from titm_rules.compare.results import (
    EQUIVALENT,
    INCOMPARABLE,
    LIKE,
    NARROWER,
    NO_EVIDENCE,
    NOT_SEARCHED,
    PROVED,
    UNKNOWN,
    WIDER,
    Counterexample,
    QuestionResult,
)
from titm_rules.ir.model import REVISED

JsonView = Mapping[str, Any]
SIGNS = (
    "A difference is put down to the clauses that turn the answer of the older edition into that of the newer when "
    "they alone are taken over: `+` a clause that comes in, `-` one that goes, no sign one that says something else."
)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "/") for cell in line) + " |" for line in lines)


def brief(value: Any) -> str:
    """Write a JSON value in few marks."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case dict():
            return ", ".join(f"{name} {brief(one)}" for name, one in value.items()) or "none"
        case list() | tuple():
            return "; ".join(brief(one) for one in value) or "none"
    return str(value)


def record(one: JsonView) -> str:
    """Write a record: its id, and its values by name."""
    rest = {name: value for name, value in one.items() if name != "id" and value not in (None, False)}
    if "id" not in one:
        return brief(dict(one))
    return f"{one['id']} ({brief(rest)})" if rest else str(one["id"])


def situation(data: JsonView) -> list[str]:
    """Write a situation, part by part: its lists record by record, and its other values; what is plain is left out."""
    told = []
    for name, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            told.append(f"{name}: {', '.join(map(record, value))}")
        elif value not in (None, False, []):
            told.append(f"{name}: {record(value) if isinstance(value, dict) else brief(value)}")
    return told


def cause(sets: Iterable[Sequence[str]]) -> str:
    """Write the sets of clauses that make a difference."""
    return " or ".join(" with ".join(one) for one in sets) or "declarations"


# ---------------------------------------------------------------------- searches
MARKS = {EQUIVALENT: "=", WIDER: ">", NARROWER: "<", INCOMPARABLE: "<>", UNKNOWN: "?", NO_EVIDENCE: "0"}
MEANINGS = {
    EQUIVALENT: "no difference: proved, or searched with every differing clause at work",
    WIDER: "the newer edition allows (or gives) more, and nothing less was found",
    NARROWER: "it allows less, and nothing more was found",
    INCOMPARABLE: "it allows more here and less there",
    UNKNOWN: "no difference is known, but the answer rests on clauses that one of the two does not attest; "
    "`??` where a later sheet is known to have changed one of them",
    NO_EVIDENCE: "clauses differ that never held in what was searched",
}


def mark(one: QuestionResult) -> str:
    """Write a verdict in a mark or two."""
    return "??" if one.verdict == UNKNOWN and one.grade == REVISED else MARKS[one.verdict]


def verdict_table(results: Mapping[tuple[str, str], Sequence[QuestionResult]]) -> str:
    """Write the verdicts of all questions and pairs as one table; the questions are numbered under it."""
    questions = [one.question for one in next(iter(results.values()))]
    rows = [(older, newer, *(f"`{mark(one)}`" for one in found)) for (older, newer), found in results.items()]
    head = ("older", "newer", *range(1, len(questions) + 1))
    numbered = ", ".join(f"{number} {name}" for number, name in enumerate(questions, 1))
    legend = "\n".join(f"- `{MARKS[name]}` {name}: {text}." for name, text in MEANINGS.items())
    return f"{legend}\n\n{table(head, rows)}\n\n{numbered}.\n"


PAGE_HEAD = """\
# Differences between editions, and what is known of them

<!-- Made by `titm diff --find --all-questions`; for two editions: `titm diff A B --find --all-questions`. -->

Every question that the rules answer, and the course of play, for every pair of editions under their default readings.
No known difference is given to the search. Where clauses differ, everything that they look at varies: in small worlds,
taken in growing size; then, for each clause that has decided nothing yet, in worlds drawn at random, of which one that
shows a difference is made as simple as the difference allows. The worlds of `rulesets/titm/search.yaml`
are asked besides. Games are played from small positions by all editions at once, as long as two of them agree. The size
of a world is the number of its records that may vary, and one more for each value that is not the plain one.
[What changed](changes.md) has situations that people chose.

## Verdicts
"""


def differences_page(results: Mapping[tuple[str, str], Sequence[QuestionResult]]) -> str:
    """Write the page of all pairs: one table of verdicts, and a section for each edition with the next."""
    editions = list(dict.fromkeys(name for pair in results for name in pair))
    sections = [pair_section(*pair, results[pair]) for pair in itertools.pairwise(editions)]
    return "\n".join([PAGE_HEAD, verdict_table(results), SIGNS + "\n", *sections])


def pair_section(first: str, second: str, results: Sequence[QuestionResult]) -> str:
    """Write what is known of two editions: a verdict for each question, its evidence, and the first situations."""
    alike = [one.question for one in results if one.verdict == EQUIVALENT and one.how == PROVED]
    unknown = [one for one in results if one.verdict == UNKNOWN and one.how == PROVED]
    parts = [f"## {first} to {second}"]
    if alike:
        parts.append(f"Answered alike at any size, by the same clauses: {', '.join(alike)}.")
    if unknown:
        parts.append(_unknown(unknown))
    told = [one for one in results if one not in unknown and one.question not in alike]
    if told:
        lines = [(one.question, one.verdict, extent(one), evidence(one)) for one in told]
        parts.append(table(("question", f"{second} is", "searched", "evidence"), lines))
    rows = [
        (
            one.question, found.cause, found.size, _shown_situation(found),
            brief(found.first), brief(found.second),
        )
        for one in results
        for found in one.found
    ]  # fmt: skip
    if rows:
        head = ("question", "clauses", "size", "first situation", f"only {first}", f"only {second}")
        parts.append(table(head, rows))
    return "\n\n".join(parts) + "\n"


def _unknown(results: Sequence[QuestionResult]) -> str:
    """Say of which questions no difference is known, and why that is all that can be said."""
    revised = [one.question for one in results if one.grade == REVISED]
    carried = [one.question for one in results if one.grade != REVISED]
    lost = {clause: sheet for one in results for grade in one.grades for clause, sheet in grade.revised.items()}
    told = []
    if carried:
        told.append(f"No difference is known, but clauses behind them are carried back: {', '.join(carried)}.")
    if revised:
        named = ", ".join(f"{clause} ({sheet})" for clause, sheet in lost.items())
        told.append(f"Not known, for a later sheet has changed clauses behind them: {', '.join(revised)}; {named}.")
    return " ".join(told)


def extent(one: QuestionResult) -> str:
    """Say how far a verdict reaches."""
    if one.proof:
        return f"at any size: {one.proof}"
    if one.how == LIKE:
        return f"as {one.like}"
    if one.how == NOT_SEARCHED:
        return NOT_SEARCHED
    return "; ".join(f"{search}, {search.asked:,} asked" for search in one.searches)


def evidence(one: QuestionResult) -> str:
    """Say which of the clauses that differ decided how often, which held without deciding, and which never held."""
    told = []
    for clause in one.evidence:
        many = f"decided in {clause.decided:,}" if clause.decided else "held" if clause.held else "never held"
        told.append(f"{clause.clause} {many}")
    if one.verdict == UNKNOWN:
        told += [str(grade) for grade in one.grades if grade.name == one.grade][:1]
    return "; ".join(told)


def _shown_situation(found: Counterexample) -> str:
    inputs = f"; asked: {brief(found.inputs)}" if found.inputs else ""
    line = f"; played: {', '.join(found.line)}" if found.line else ""
    return "; ".join(situation(found.data)) + inputs + line


# ---------------------------------------------------------------------- the atlas
def atlas_page(atlas: JsonView) -> str:
    """Write an atlas: how many situations differ between any two editions, and by which clauses."""
    size = "x".join(map(str, atlas["most"]))
    parts = [
        f"# Where editions differ, up to {size}",
        SIGNS + " More: the newer edition allows something that the older does not; less: the reverse. Of every kind "
        "the smallest situation is shown.",
    ]
    for survey in atlas["surveys"]:
        parts += [f"## {survey['says']}", f"`{survey['question']}`: {survey['asked']:,} situations."]
        parts += [_classes(survey), *_survey(survey, atlas["editions"])]
    return "\n\n".join(parts) + "\n"


def _classes(survey: JsonView) -> str:
    lines = [f"{number}. {', '.join(names)}" for number, names in enumerate(survey["classes"], 1)]
    grades = [f"- {name}: {grade}" for name, grade in survey["grades"].items()]
    return "\n\n".join([
        "Editions whose clauses on this question say the same:", "\n".join(lines),
        "What these clauses rest on in each:", "\n".join(grades),
    ])  # fmt: skip


def _survey(survey: JsonView, editions: Sequence[str]) -> list[str]:
    number = {name: at for at, names in enumerate(survey["classes"]) for name in names}
    counts: dict[tuple[int, int], int] = {}
    for row in survey["differences"]:
        pair = (row["classes"][0], row["classes"][1])
        counts[pair] = counts.get(pair, 0) + row["count"]
    rows = [
        [older, *("" for _ in editions[1 : at + 1]), *(_count(counts, number[older], number[newer]) for newer in later)]
        for at, older in enumerate(editions[:-1])
        for later in [editions[at + 1 :]]
    ]
    head = "Situations that differ between two editions:"
    parts = [f"{head}\n\n{table(['', *editions[1:]], rows)}"] if len(survey["classes"]) > 1 else []
    for pair in itertools.combinations(range(len(survey["classes"])), 2):
        found = [row for row in survey["differences"] if tuple(row["classes"]) == pair]
        if found:
            older, newer = (survey["classes"][at] for at in pair)
            parts += [f"### {older[-1]} to {newer[0]}", _differences(found)]
    return parts


def _count(counts: Mapping[tuple[int, int], int], older: int, newer: int) -> str:
    return f"{counts.get((min(older, newer), max(older, newer)), 0):,}"


def _differences(rows: Sequence[JsonView]) -> str:
    head = ("asked", "clauses", "situations", "more", "less", "smallest", "only the older", "only the newer")
    return table(head, ([
        brief(row["inputs"]), cause(row["cause"]), f"{row['count']:,}", f"{row['more']:,}", f"{row['less']:,}",
        _smallest(row["example"]), brief(row["example"]["first"]), brief(row["example"]["second"]),
    ] for row in rows))  # fmt: skip


def _smallest(example: JsonView) -> str:
    [data] = [value for name, value in example.items() if name not in ("first", "second")]
    return "; ".join(situation(data))
