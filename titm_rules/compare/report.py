"""Differences as a page of Markdown."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from titm_rules.compare.find import LIKE, NOT_SEARCHED, SAME_CLAUSES, Found, Result

Json = Mapping[str, Any]
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


def record(one: Json) -> str:
    """Write a record: its id, and its values by name."""
    rest = {name: value for name, value in one.items() if name != "id" and value not in (None, False)}
    if "id" not in one:
        return brief(dict(one))
    return f"{one['id']} ({brief(rest)})" if rest else str(one["id"])


def situation(data: Json) -> list[str]:
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
def pair_section(first: str, second: str, results: Sequence[Result]) -> str:
    """Write what a search found for two editions: a verdict for each question, and the smallest situations."""
    told = [
        (
            one.question,
            "?" if one.how == NOT_SEARCHED else one.verdict,
            extent(one),
            f"{one.asked:,}" if one.asked else "",
        )
        for one in results
        if one.how != SAME_CLAUSES
    ]
    alike = [one.question for one in results if one.how == SAME_CLAUSES]
    parts = [f"## {first} to {second}", f"Answered alike at any size, by the same clauses: {', '.join(alike)}."]
    if told:
        parts.append(table(("question", f"{second} is", "searched", "situations"), told))
    rows = [
        (one.question, found.cause, found.size, _shown_situation(found), brief(found.first), brief(found.second))
        for one in results
        for found in one.found
    ]
    if rows:
        head = ("question", "clauses", "size", "smallest situation", f"only {first}", f"only {second}")
        parts.append(table(head, rows))
    return "\n\n".join(parts) + "\n"


def extent(one: Result) -> str:
    """Say how far a verdict reaches."""
    told = {SAME_CLAUSES: "at any size: the same clauses", LIKE: f"as {one.like}", NOT_SEARCHED: "not searched"}
    return told.get(one.how) or f"up to size {one.size}"


def _shown_situation(found: Found) -> str:
    inputs = f"; asked: {brief(found.inputs)}" if found.inputs else ""
    return "; ".join(situation(found.data)) + inputs


# ---------------------------------------------------------------------- the atlas
def atlas_page(atlas: Json) -> str:
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


def _classes(survey: Json) -> str:
    lines = [f"{number}. {', '.join(names)}" for number, names in enumerate(survey["classes"], 1)]
    return "Editions whose clauses on this question say the same:\n\n" + "\n".join(lines)


def _survey(survey: Json, editions: Sequence[str]) -> list[str]:
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


def _differences(rows: Sequence[Json]) -> str:
    head = ("asked", "clauses", "situations", "more", "less", "smallest", "only the older", "only the newer")
    return table(head, ([
        brief(row["inputs"]), cause(row["cause"]), f"{row['count']:,}", f"{row['more']:,}", f"{row['less']:,}",
        _smallest(row["example"]), brief(row["example"]["first"]), brief(row["example"]["second"]),
    ] for row in rows))  # fmt: skip


def _smallest(example: Json) -> str:
    [data] = [value for name, value in example.items() if name not in ("first", "second")]
    return "; ".join(situation(data))
