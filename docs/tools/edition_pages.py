"""Generate a page per edition from its book: source, attested clauses, and the changes of its sheet; and the book."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docs.tools.clause_pages import MARKS, chapter_of, page_of
from titm_rules.compare.book import BookEntry, PrintedBook, book_page, examples
from titm_rules.compare.corpus import listed_cases
from titm_rules.compare.documents import marked
from titm_rules.editions.clause_index import in_printed_order, printed_number
from titm_rules.editions.registry import EditionInfo, list_editions
from titm_rules.ir.model import ClauseInfo
from titm_rules.oracle.edition import Edition

FOLDER = "reference/editions"
HEAD = """\
# Editions one by one

A page for each edition: its source, the number of attested clauses, and its changes to the rules before it. Each has
the consolidated rulebook as one page to print; [for each two editions](pairs.md) there is a page for players. The site
build generates these pages from `rulesets/titm`. On the command line, use `titm editions`, `titm diff 1998-01-15 1999`
and `titm book 1999`.

An *attested* clause is shown by a document up to the date of the edition. A clause that is *carried back* comes
from a later book; [provenance of an answer](../../explanation/provenance.md) explains how reliable it is.

| edition | | preserved |
| --- | --- | --- |
"""
SECTIONS = ("New", "Reworded", "Renumbered", "Attested for the first time", "Removed")
NUMBER = re.compile(r"\d+\.\d+\w*")
SIGNS = {"": "{}", "-": "<del>{}</del>", "+": "<ins>{}</ins>"}


def edition_pages(game: str = "titm") -> dict[str, str]:
    """Return all pages, by their paths in the site."""
    infos = list_editions(game)
    books: dict[str, PrintedBook] = {}
    for at, info in enumerate(infos):
        before = Edition(infos[at - 1].name, game=game) if at else None
        books[info.name] = PrintedBook(Edition(info.name, game=game), before)
    rows = [f"| [{info.name}]({info.name}.md) | {_escaped(info.title)} | {_escaped(info.source)} |" for info in infos]
    pages = {f"{FOLDER}/index.md": HEAD + "\n".join([*rows, ""])}
    for info in infos:
        pages[f"{FOLDER}/{info.name}.md"] = _page(info, books[info.name])
    return pages


def printed_books(game: str = "titm") -> dict[str, str]:
    """Return the book of each edition as a page of HTML, by its path in the site."""
    cases, infos = listed_cases(game), list_editions(game)
    found = {}
    for at, info in enumerate(infos):
        edition = Edition(info.name, game=game)
        book = PrintedBook(edition, Edition(infos[at - 1].name, game=game) if at else None)
        found[f"{FOLDER}/{info.name}-book.html"] = book_page(book, examples(edition, cases))
    return found


def _page(info: EditionInfo, book: PrintedBook) -> str:
    clauses = book.model.clauses.values()
    attested = sum(clause.attested for clause in clauses)
    revised = in_printed_order(clause for clause in clauses if clause.revised)
    parts = [
        f"# {info.name}: {_escaped(info.title)}\n", f"{_escaped(info.source)}\n" if info.source else "",
        f"{len(clauses)} clauses, {attested} of them attested. On the command line: `--edition {info.name}`.\n",
        f"[The consolidated rulebook, to print]({info.name}-book.html).\n",
    ]  # fmt: skip
    if revised:
        links = ", ".join(map(_linked, revised))
        parts.append(f"Carried back, but later sheets show that the wording was different: {links}.\n")
    if book.against is None:
        parts.append("This is the oldest known edition.\n")
    else:
        before = book.against.date
        parts.append(f"Changes since [{before}]({before}.md), in the order of the book:\n")
        parts += _sections(book)
    return "\n".join(part for part in parts if part)


def _sections(book: PrintedBook) -> Iterator[str]:
    found: dict[str, list[str]] = {title: [] for title in SECTIONS}
    for entry in book.entries:
        title = _change(entry)
        if title:
            found[title].append(_line(entry))
    if not any(found.values()):
        yield "There are no changes.\n"
    for title, lines in found.items():
        if lines:
            yield "\n".join([f"## {title}\n", *lines, ""])


def _change(entry: BookEntry) -> str:
    """Return the kind of change of a clause; empty if it did not change."""
    was, info = entry.was, entry.info
    if entry.is_gone or was is None:
        return "Removed" if entry.is_gone else "New"
    if entry.is_changed:
        return "Reworded"
    if printed_number(was) != entry.number:
        return "Renumbered"
    return "Attested for the first time" if info.attested and not was.attested else ""


def _line(entry: BookEntry) -> str:
    was, info = entry.was, entry.info
    moved = was is not None and printed_number(was) != entry.number
    before = f" (<samp>{printed_number(was)}</samp> before)" if was is not None and moved else ""
    words = f": {marked(entry.words('says'), SIGNS, of_its_time)}" if _change(entry) in ("New", "Reworded") else ""
    return f"- {_linked(info)} {_escaped(info.title)}{before}{words}"


def _linked(info: ClauseInfo) -> str:
    """Link a clause under the number that it has in its edition."""
    return f"[{printed_number(info)}](../clauses/{page_of(chapter_of(info.id))}#{info.id})"


def of_its_time(text: str) -> str:
    """Write words of an edition; the numbers in them are those of its time, and lead to no clause of today."""
    return NUMBER.sub(r"<samp>\g<0></samp>", _escaped(text))


def _escaped(text: str) -> str:
    return text.translate(MARKS)
