"""Generate a page for each pair of editions: what changed at the table, with a position to look at for each clause.

Only the cases that are about a changed clause are asked, so that 36 pages take a minute. A clause that no case shows
links the smallest situations of the sheets that changed it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

from docs.tools.edition_pages import FOLDER, SIGNS, of_its_time
from titm_rules.compare.corpus import CorpusCase, CorpusRun, listed_cases
from titm_rules.compare.documents import Document, marked
from titm_rules.compare.edition_diff import clause_differences, compared
from titm_rules.compare.player_page import player_page
from titm_rules.editions.registry import list_editions

PAIRS = f"{FOLDER}/pairs.md"
SEARCHED = Path(__file__).resolve().parents[1] / "reference" / "differences.md"
SECTION = re.compile(r"^## (\S+) to (\S+)$", re.M)
HEAD = """\
# What changed for players, pair by pair

For each two editions: what changed at the table, chapter by chapter, each clause with a position to look at where one
is known. On the command line, `titm diff 1998-01-15 1999 --for-players` also searches for positions. The site build
generates these pages.

"""


def pair_pages(game: str = "titm") -> dict[str, str]:
    """Return the pages of all pairs and their index, by their paths in the site."""
    names, cases = [info.name for info in list_editions(game)], listed_cases(game)
    pages = {f"{FOLDER}/{pair_name(*pair)}.md": pair_page(*pair, game, cases) for pair in combinations(names, 2)}
    return {PAIRS: _index(names), **pages}


def pair_name(older: str, newer: str) -> str:
    return f"{older}-to-{newer}"


def _index(names: list[str]) -> str:
    rows = [f"| from \\ to | {' | '.join(names[1:])} |", f"|{' --- |' * len(names)}"]
    for at, older in enumerate(names[:-1]):
        links = [f"[see]({pair_name(older, newer)}.md)" if at < number else "" for number, newer in enumerate(names)]
        rows.append(f"| {older} | {' | '.join(links[1:])} |")
    return HEAD + "\n".join([*rows, ""])


def pair_page(older: str, newer: str, game: str, cases: list[CorpusCase]) -> str:
    """Write the page of two editions, with the best of some cases for each clause."""
    two = compared(older, newer, game=game)
    run, changed = CorpusRun(two), set(two.pair.changed())
    run.ask_all(case for case in cases if changed & {*case.clauses})
    page = player_page(two, clause_differences(two.pair), run.changes)
    return "\n\n".join(_parts(page, older, newer)) + "\n"


def _parts(page: Document, older: str, newer: str) -> Iterator[str]:
    yield f"# {page.title}"
    if page.intro:
        yield page.intro
    for section in page.sections:
        yield f"## {section.title}"
        yield from (marked(text, SIGNS, of_its_time) for text in section.texts)
    bare = {one["clause"]: one["number"] for one in page.data["clauses"] if one["case"] is None}
    found = _situations(older, newer)
    texts = [
        f"{of_its_time(number)} ({', '.join(map(_linked, found[clause]))})"
        for clause, number in bare.items() if clause in found
    ]  # fmt: skip
    if texts:
        yield f"Small situations that a search found: {'; '.join(texts)}."


def _linked(step: str) -> str:
    return f"[{step.replace('-to-', ' to ')}](../differences.md#{step})"


def _situations(older: str, newer: str) -> dict[str, list[str]]:
    """Name for each clause the steps between two editions for which a search found a situation in which it decides."""
    found: dict[str, list[str]] = {}
    for (first, second), clauses in _searched().items():
        if older <= first and second <= newer:
            for clause in clauses:
                found.setdefault(clause, []).append(f"{first}-to-{second}")
    return found


@cache
def _searched() -> dict[tuple[str, str], frozenset[str]]:
    """Read from the page of the searches which clauses decide in a situation, by pair of editions."""
    _, *parts = SECTION.split(SEARCHED.read_text(encoding="utf-8"))
    rows = {}
    for first, second, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        situations = text.partition("| question | clauses |")[2]
        cells = (line.split(" | ")[1] for line in situations.splitlines()[2:] if line.startswith("| "))
        rows[first, second] = frozenset(name.lstrip("+-") for cell in cells for name in re.split(r" with | or ", cell))
    return rows
