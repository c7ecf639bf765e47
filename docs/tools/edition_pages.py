"""Generate a page per edition: its source, its attested clauses, and the changes of its sheet, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator

from docs.tools.clause_pages import MARKS, chapter_of, page_of
from titm_rules.editions.clause_index import natural_key
from titm_rules.editions.consolidate import ClauseStanding, Consolidated
from titm_rules.editions.load import consolidated
from titm_rules.editions.registry import EditionInfo, list_editions

FOLDER = "reference/editions"
HEAD = """\
# Editions one by one

A page for each edition: its source, the number of attested clauses, and its changes to the rules before it. The
site build generates these pages from `rulesets/titm`. On the command line, use `titm editions` and
`titm diff 1998-01-15 1999`.

An *attested* clause is shown by a document up to the date of the edition. A clause that is *carried back* comes
from a later book; [provenance of an answer](../../explanation/provenance.md) explains how reliable it is.

| edition | | preserved |
| --- | --- | --- |
"""
SECTIONS = ("New", "Reworded", "Renumbered", "Attested for the first time", "Removed")


def edition_pages(game: str = "titm") -> dict[str, str]:
    """Return all pages, by their paths in the site."""
    infos = list_editions(game)
    rules = {info.name: consolidated(info.name, game) for info in infos}
    rows = [f"| [{info.name}]({info.name}.md) | {_escaped(info.title)} | {_escaped(info.source)} |" for info in infos]
    pages = {f"{FOLDER}/index.md": HEAD + "\n".join([*rows, ""])}
    for at, info in enumerate(infos):
        pages[f"{FOLDER}/{info.name}.md"] = _page(infos, rules, at)
    return pages


def _page(infos: list[EditionInfo], rules: dict[str, Consolidated], at: int) -> str:
    info, here = infos[at], rules[infos[at].name]
    attested = sum(standing.attested for standing in here.standing.values())
    revised = sorted((ref for ref, standing in here.standing.items() if standing.revised), key=natural_key)
    parts = [
        f"# {info.name}: {_escaped(info.title)}\n", f"{_escaped(info.source)}\n" if info.source else "",
        f"{len(here.standing)} clauses, {attested} of them attested. On the command line: `--edition {info.name}`.\n",
    ]  # fmt: skip
    if revised:
        links = ", ".join(_linked(ref) for ref in revised)
        parts.append(f"Carried back, but later sheets show that the wording was different: {links}.\n")
    before = infos[at - 1] if at else None
    if before is None:
        parts.append("This is the oldest known edition.\n")
    else:
        parts.append(f"Changes since [{before.name}]({before.name}.md), clause by clause:\n")
        parts += _sections(rules[before.name], here)
    return "\n".join(part for part in parts if part)


def _sections(was: Consolidated, now: Consolidated) -> Iterator[str]:
    found: dict[str, list[str]] = {title: [] for title in SECTIONS}
    for ref in sorted({*was.standing, *now.standing}, key=natural_key):
        title = _change(was.standing.get(ref), now.standing.get(ref))
        if title:
            found[title].append(_line(ref, was.standing.get(ref), now.standing.get(ref)))
    if not any(found.values()):
        yield "There are no changes.\n"
    for title, lines in found.items():
        if lines:
            yield "\n".join([f"## {title}\n", *lines, ""])


def _change(was: ClauseStanding | None, now: ClauseStanding | None) -> str:
    """Return the kind of change of a clause; empty if it did not change."""
    if was is None or now is None:
        return "New" if was is None else "Removed"
    if was.clause is not now.clause and was.clause.id.span != now.clause.id.span:
        return "Reworded"
    if was.number != now.number:
        return "Renumbered"
    return "Attested for the first time" if now.attested and not was.attested else ""


def _line(ref: str, was: ClauseStanding | None, now: ClauseStanding | None) -> str:
    known = now or was
    assert known is not None
    moved = ""
    if was is not None and now is not None and was.number != now.number:
        moved = f" (number {was.number or ref} before, {now.number or ref} now)"
    return f"- {_linked(ref)} {_escaped(known.clause.title)}{moved}"


def _linked(ref: str) -> str:
    return f"[{ref}](../clauses/{page_of(chapter_of(ref))}#{ref})"


def _escaped(text: str) -> str:
    return text.translate(MARKS)


