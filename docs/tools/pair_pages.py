"""Generate a page for each pair of editions: what changed at the table, with a position to look at for each clause.

Only the lists of cases are asked, no games, so that 36 pages take a minute. A clause that no case shows links the
smallest situations of the sheets that changed it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

from docs.tools.clause_pages import MARKS, chapter_of, page_of
from docs.tools.edition_pages import FOLDER, SIGNS, of_its_time
from titm_rules.compare.corpus import CHANGE, CorpusCase, listed_cases
from titm_rules.compare.documents import marked
from titm_rules.compare.edition_diff import compared
from titm_rules.compare.plan import show_clauses
from titm_rules.compare.player_page import PlayerPage, ShownClause
from titm_rules.editions.registry import list_editions

PAIRS = f"{FOLDER}/pairs.md"
SEARCHED = Path(__file__).resolve().parents[1] / "reference" / "differences.md"
SECTION = re.compile(r"^## (\S+) to (\S+)$", re.M)
HEAD = """\
# What changed for players, pair by pair

For each two editions: what changed at the table, chapter by chapter, each clause with a position to look at where one
is known. On the command line: `titm diff 1998-01-15 1999 --for-players`; with `--find` it also searches for positions.
The site build generates these pages.

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
    plan = show_clauses(two, [case for case in cases if case.record is None or case.kind == CHANGE])
    return "\n\n".join(_parts(PlayerPage(two, plan.clauses, plan.run.changes), older, newer)) + "\n"


def _parts(page: PlayerPage, older: str, newer: str) -> Iterator[str]:
    yield f"# What changes for players from {older} to {newer}"
    if not page.clauses:
        yield "Nothing changes at the table."
    for title, clauses in page.chapters:
        yield f"## {title}"
        for one in clauses:
            yield "  \n".join(_lines(page, one))
    yield from ["## Besides"] if list(page.rest()) else []
    yield from map(of_its_time, page.rest())
    found = _situations(older, newer)
    bare = {one.info.id: one.number for one in page.clauses if not one.example}
    texts = [
        f"{of_its_time(number)} ({', '.join(map(_linked, found[clause]))})"
        for clause, number in bare.items() if clause in found
    ]  # fmt: skip
    if texts:
        yield f"Small situations that a search found: {'; '.join(texts)}."


def _lines(page: PlayerPage, one: ShownClause) -> Iterator[str]:
    """Write a clause: a heading that leads to it, its words, and what to look at."""
    chapter = page_of(chapter_of(one.info.id))
    heading = one.heading.removeprefix(one.number).translate(MARKS)
    yield f"**[{one.number}](../clauses/{chapter}#{one.info.id})**{heading}"
    yield marked(one.words, SIGNS, of_its_time)
    yield from map(of_its_time, [*page.readings(one), *([one.example] if one.example else [])])
    command = page.command(one.case) if one.case is not None and not one.shown_by else ""
    if command:
        yield f"`{command}`"


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
