"""The consolidated rulebook of an edition as one HTML page that is made to be printed.

It has every clause in force exactly once, in printed order and in our own words. A bar in the margin, with the date of
the document, stands beside each clause whose words differ from an earlier edition; on request the old words are struck.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import groupby
from typing import NamedTuple

from titm_rules.catalog import default_game
from titm_rules.compare.corpus import CorpusCase
from titm_rules.compare.documents import html_page, marked
from titm_rules.compare.edition_diff import Run, formal_body, runs, whole_if_unlike
from titm_rules.compare.results import situation
from titm_rules.diagnostics import TitmError
from titm_rules.editions.clause_index import chapter_titles, in_printed_order, printed_chapter, printed_number
from titm_rules.editions.registry import list_editions
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.headline import headline
from titm_rules.formats.safe_json import bad
from titm_rules.formats.validate import without_defaults
from titm_rules.ir.model import CARRIED_BACK, ClauseInfo, Model
from titm_rules.oracle.edition import Edition

MOST_INDEXED = 12  # clauses under a word of the index; a word of more says little
LEAST_LETTERS = 4
COMMON = frozenset({
    "after", "against", "alone", "along", "already", "also", "another", "anybody", "apply", "are", "away", "back",
    "been", "before", "being", "best", "better", "between", "both", "cannot", "does", "each", "else", "elsewhere",
    "ends", "enough", "every", "from", "further", "give", "gives", "group", "hand", "have", "held", "into",
    "itself", "last", "late", "later", "least", "less", "like", "likewise", "made", "matter", "means", "more",
    "most", "must", "names", "need", "never", "next", "none", "once", "only", "other", "others", "over", "possible",
    "same", "say", "says", "second", "several", "showing", "some", "start", "starting", "take", "takes", "than",
    "that", "their", "them", "then", "there", "they", "this", "those", "three", "through", "times", "twice",
    "under", "unless", "until", "used", "wait", "what", "when", "where", "which", "while", "with", "within",
    "without", "works", "your",
})  # fmt: skip
MARGIN_STYLE = """\
@page { size: A4; margin: 18mm 16mm 20mm 16mm; @bottom-center { content: counter(page); font: 9pt Georgia, serif; } }
body { font: 10.5pt/140% Georgia, serif; max-width: 46em; margin: 2em auto; padding: 0 1em; color: #111; }
h1 { font-size: 1.7em; margin-bottom: 0.2em; } .about { color: #444; }
h2 { font-size: 1.25em; border-bottom: 1.5px solid #333; margin: 2em 0 0.6em; break-after: avoid; }
nav { columns: 2; } nav a, .index a { color: inherit; text-decoration: none; }
.clause { position: relative; margin: 0 0 0.75em; padding: 0 0.7em 0 5.6em; border-right: 3px solid transparent; }
.clause p { margin: 0.1em 0; } .clause.changed { border-right-color: #111; }
.number { position: absolute; left: 0; width: 5.7em; font-weight: bold; font-size: 0.93em; overflow-wrap: anywhere; }
.date { float: right; font-size: 0.75em; color: #444; margin-left: 1em; } .title { font-weight: bold; }
.gone .title, .gone .says { text-decoration: line-through; color: #666; }
.note { font-size: 0.85em; color: #333; padding-left: 0.8em; border-left: 1px dotted #888; }
.note b { font-weight: normal; font-style: italic; } .note code { font-size: 0.9em; }
del { color: #777; } ins { text-decoration: underline; text-decoration-thickness: 1px; }
.index { columns: 3; font-size: 0.85em; }
.index p { margin: 0; break-inside: avoid; text-indent: -1em; padding-left: 1em; }
@media print { body { max-width: none; margin: 0; padding: 0; } .clause { break-inside: avoid; } }
"""
_SIGNS = {"": "{}", "-": "<del>{}</del>", "+": "<ins>{}</ins>"}


@dataclass(frozen=True)
class BookEntry:
    """A clause of the book, or one that is gone since the edition with which it is compared."""

    info: ClauseInfo
    was: ClauseInfo | None  # the clause as the other edition has it
    is_gone: bool = False
    is_changed: bool = False  # whether its words differ; without another edition nothing is

    @property
    def number(self) -> str:
        return printed_number(self.info)

    @property
    def chapter(self) -> str:
        return printed_chapter(self.info)

    def words(self, of: str) -> tuple[Run, ...]:
        """Compare its title (`title`) or its restatement (`says`) with the other edition."""
        text = getattr(self.info, of)
        if self.was is None or self.is_gone:
            return (("", text),)
        return whole_if_unlike(runs(getattr(self.was, of), text))


class PrintedBook:
    """The entries of an edition in printed order; changes are those since `against`, which may be nothing."""

    def __init__(self, edition: Edition, against: Edition | None = None) -> None:
        self.edition, self.against = edition, against
        self.model: Model = edition.model

    @cached_property
    def entries(self) -> list[BookEntry]:
        now = self.model.clauses
        before: Mapping[str, ClauseInfo] = self.against.clauses if self.against is not None else {}
        gone = [info for clause, info in before.items() if clause not in now]
        return [
            BookEntry(info, before.get(info.id), info.id not in now, self._is_changed(before.get(info.id), info))
            for info in in_printed_order([*now.values(), *gone])
        ]

    def _is_changed(self, was: ClauseInfo | None, info: ClauseInfo) -> bool:
        if self.against is None:
            return False
        return was is None or info.id not in self.model.clauses or (was.title, was.says) != (info.title, info.says)

    @cached_property
    def chapters(self) -> list[tuple[str, list[BookEntry]]]:
        """The chapters with their titles, and the entries of each."""
        titles = chapter_titles(entry.info for entry in self.entries)
        grouped = groupby(self.entries, key=lambda entry: entry.chapter)
        return [(titles.get(name) or _untitled(name), list(some)) for name, some in grouped]

    def readings(self, info: ClauseInfo) -> Iterator[str]:
        """Say of each reading that a clause asks for what it is about, which one holds, and why."""
        named = set(re.findall(r"[\w.-]+", formal_body(info)))
        for reading in self.model.readings.values():
            if named & {reading.name, reading.alias}:
                taken = dict(zip(reading.choices, reading.texts, strict=True))[reading.default]
                because = f", because {reading.because}" if reading.because else ""
                yield f"{reading.name}: {reading.question} {_capital(taken)}{because}."

    @cached_property
    def index(self) -> dict[str, list[BookEntry]]:
        """The words of the titles, each with the clauses that have it."""
        found: dict[str, list[BookEntry]] = {}
        for entry in self.entries:
            words = (word.lower() for word in re.findall(r"[A-Za-z]+", entry.info.title) if not word.isupper())
            for word in dict.fromkeys(words):  # numerals and abbreviations say little
                if len(word) >= LEAST_LETTERS and word not in COMMON and not entry.is_gone:
                    found.setdefault(word, []).append(entry)
        return {word: some for word, some in sorted(found.items()) if len(some) <= MOST_INDEXED}


def _untitled(chapter: str) -> str:
    return f"Chapter {chapter}" if chapter.isdecimal() else _capital(chapter)


def open_book(edition: Edition, against: str = "") -> PrintedBook:
    """Open a book, compared with another edition, or with that which its sheets amend, or the last one before it.

    Raises `InputError` for itself.
    """
    names = [info.name for info in list_editions(edition.game)]
    at = names.index(edition.date) if edition.date in names else 0
    other = against or (edition.date if edition.overlays else names[at - 1] if at else "")
    if other == edition.date and not edition.overlays:
        raise bad("a book is compared with another edition", "--against", "name an earlier one", "bad-value")
    return PrintedBook(edition, Edition(other, game=edition.game) if other else None)


# ---------------------------------------------------------------------- examples
class BookExample(NamedTuple):
    """A case as the book prints it: the position, question and answer, and the command that asks it."""

    position: str
    says: str
    command: str


MOST_POSITION = 400  # letters of a position in words; a case with more, such as a whole map, is left out


def examples(edition: Edition, cases: Iterable[CorpusCase]) -> dict[str, BookExample]:
    """Ask a case of each clause, and say all of it in words; what the edition refuses is left out.

    The titles of cases, which lean on the clause and on one another, are left out too.
    """
    found: dict[str, BookExample] = {}
    for case in cases:
        wanted = [clause for clause in case.clauses if clause in edition.clauses and clause not in found]
        if wanted and case.query in edition.questions and not (case.overlays or case.readings):
            try:
                asked = edition.ask(case.query, case.inputs)
                says = headline(asked, asked.answer())
            except TitmError:
                continue
            position = _in_words(asked)
            if len(position) <= MOST_POSITION:
                options = [] if edition.game == default_game() else ["--game", edition.game]
                options += ["--edition", edition.date, *(f"--overlay={one}" for one in edition.overlays)]
                command = shlex.join(["titm", "check", case.opens, *options])
                found.update(dict.fromkeys(wanted, BookExample(position, says, command)))
    return found


def _in_words(asked: BoundQuestion) -> str:
    """Write the situation of a question, without what is plain; empty if it needs none."""
    name = asked.question.situation
    data = without_defaults(asked.model, name, dict(asked.world.data)) if name else {}
    return "; ".join(situation(data)).replace("_", " ")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:].removesuffix(".")


# ---------------------------------------------------------------------- the page
def book_page(book: PrintedBook, shown: Mapping[str, BookExample], strike: bool = False) -> str:
    """Write a book as HTML; `shown` has an example for some clauses; with `strike` old words are struck."""
    edition, against = book.edition, book.against
    title = f"{book.model.game}: {edition.title} ({edition.label})"
    since = f" Bars in the margin mark words that differ from {against.label}." if against is not None else ""
    about = f"{edition.title} ({edition.label}): {len(book.model.clauses)} clauses, restated in our own words.{since}"
    parts = [
        f"<h1>{escape(book.model.game)}</h1>",
        f'<p class="about">{escape(about)}</p>',
        f"<nav>{''.join(_toc_line(name) for name, _ in book.chapters)}</nav>",
    ]  # fmt: skip
    for name, entries in book.chapters:
        own = [_entry(book, entry, shown.get(entry.info.id), strike) for entry in entries]
        parts.append(f'<section><h2 id="{_anchor(name)}">{escape(name)}</h2>\n{"".join(own)}</section>')
    lines = (f"<p>{escape(word)} {', '.join(_links(some))}</p>" for word, some in book.index.items())
    parts.append(f'<section><h2 id="index">Index</h2><div class="index">{"".join(lines)}</div></section>')
    return html_page(title, "\n".join(parts), MARGIN_STYLE)


def _toc_line(name: str) -> str:
    return f'<a href="#{_anchor(name)}">{escape(name)}</a><br>'


def _anchor(name: str) -> str:
    return "chapter-" + re.sub(r"[^\w]+", "-", name.lower())


def _links(entries: Iterable[BookEntry]) -> Iterator[str]:
    """Link the first clause of each printed number."""
    first: dict[str, BookEntry] = {}
    for entry in entries:
        first.setdefault(entry.number, entry)
    for number, entry in first.items():
        yield f'<a href="#{escape(entry.info.id)}">{escape(number)}</a>'


def _entry(book: PrintedBook, entry: BookEntry, example: BookExample | None, strike: bool) -> str:
    if entry.is_gone and not strike:
        return ""
    info = entry.info
    title, says = (
        marked(entry.words(of), _SIGNS, escape) if strike else escape(getattr(info, of)) for of in ("title", "says")
    )
    kinds = " changed" * entry.is_changed + " gone" * entry.is_gone
    date = f'<span class="date">{escape(_date(entry))}</span>' if entry.is_changed else ""
    notes = "".join(f'<p class="note">{note}</p>\n' for note in _notes(book, entry, example))
    return (
        f'<div class="clause{kinds}" id="{escape(info.id)}"><span class="number">{escape(entry.number)}</span>{date}'
        f'<p class="title">{title}</p>\n<p class="says">{says}</p>\n{notes}</div>\n'
    )


def _date(entry: BookEntry) -> str:
    return "gone" if entry.is_gone else entry.info.edition


def _notes(book: PrintedBook, entry: BookEntry, example: BookExample | None) -> Sequence[str]:
    """Write the notes of a clause: what is not attested, its readings, and an example."""
    info = entry.info
    if entry.is_gone:
        return []
    found = []
    if info.revised:
        found.append(f"<b>Not attested</b>: the sheet of {escape(info.revised)} restates it; the older words are lost.")
    elif not info.attested:
        found.append(f"<b>Not attested</b>: {CARRIED_BACK} from {escape(info.edition)}.")
    found += [f"<b>Reading</b> {escape(text)}" for text in book.readings(info)]
    if example is not None:
        position, says = (escape(text).replace(" &gt; ", "&nbsp;&gt;&nbsp;") for text in example[:2])
        stands = f"With {position}: " if position else ""
        found.append(f"<b>Example</b> {stands}{says} <code>{escape(example.command)}</code>")
    return found
