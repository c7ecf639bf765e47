"""Reports as documents of sections and tables: HTML, Markdown, CSV, JSON or plain text."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from titm_rules.compare.edition_diff import Run
from titm_rules.formats.safe_json import bad

Marked = str | Sequence[Run]  # a text, or one with the words that only one of two editions has


@dataclass(frozen=True)
class Section:
    """A part of a document: its paragraphs, then a table."""

    title: str
    texts: Sequence[Marked] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[Marked]] = ()


@dataclass(frozen=True)
class Document:
    """A report; `data` is what it holds as JSON values, `table` as one table, if not those of its sections."""

    title: str
    sections: Sequence[Section]
    data: Any
    intro: str = ""
    table: Section | None = None


STYLE = """\
body { font: 11pt/145% Georgia, serif; max-width: 44em; margin: 2em auto; padding: 0 1em; color: #111; }
h1 { font-size: 1.6em; } p { white-space: pre-wrap; margin: 0.7em 0; } code { font-size: 0.85em; }
h2 { font-size: 1.2em; border-bottom: 1px solid #999; margin-top: 1.6em; }
table { border-collapse: collapse; width: 100%; font-size: 0.9em; }
th, td { border-bottom: 1px solid #ccc; padding: 0.25em 0.5em; text-align: left; vertical-align: top; }
del { color: #a11; } ins { color: #064; text-decoration: none; border-bottom: 2px solid #064; }
@page { size: A4; margin: 14mm; }
@media print { body { max-width: none; margin: 0; font: 9.5pt/130% Georgia, serif; }
  h2 { break-after: avoid; } tr, p { break-inside: avoid; } }
"""


def marked(text: Marked, signs: Mapping[str, str], plain: Callable[[str], str] = str) -> str:
    """Write a text with the words of one edition between signs; without signs if all of it is of one edition."""
    if isinstance(text, str):
        return plain(text)
    if not text or all(sign == text[0][0] for sign, _ in text):
        return _lines(plain(words) for _, words in text)
    return _lines(signs[sign].format(plain(words)) for sign, words in text)


def _lines(parts: Iterable[str]) -> str:
    """Join words; a line ends without a space."""
    return re.sub(r" ?\n ?", "\n", " ".join(parts))


def plain(text: Marked) -> str:
    """Write a text with signs that need no style."""
    return marked(text, _TEXT)


HEADING, COMMAND = "*", "`"  # signs of runs that are neither in one edition only
_HTML = {"": "{}", "-": "<del>{}</del>", "+": "<ins>{}</ins>", HEADING: "<b>{}</b>", COMMAND: "<code>{}</code>"}
_MARKDOWN = {"": "{}", "-": "~~{}~~", "+": "**{}**", HEADING: "**{}**", COMMAND: "`{}`"}
_TEXT = {"": "{}", "-": "[-{}-]", "+": "{{+{}+}}", HEADING: "{}", COMMAND: "{}"}


def html_page(title: str, body: str, style: str = STYLE) -> str:
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>\n{style}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _html(document: Document) -> str:
    parts = [f"<h1>{escape(document.title)}</h1>"]
    parts += [f"<p>{escape(document.intro)}</p>"] if document.intro else []
    for section in document.sections:
        parts.append(f"<h2>{escape(section.title)}</h2>")
        parts += [f"<p>{marked(text, _HTML, escape)}</p>" for text in section.texts]
        if section.rows:
            head = "".join(f"<th>{escape(cell)}</th>" for cell in section.head)
            rows = ("".join(f"<td>{marked(cell, _HTML, escape)}</td>" for cell in row) for row in section.rows)
            parts.append(f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")
    return html_page(document.title, "\n".join(parts))


def _markdown(document: Document) -> str:
    def cell(text: Marked) -> str:
        return marked(text, _MARKDOWN).replace("|", "/").replace("\n", " ")

    parts = [f"# {document.title}", *([document.intro] if document.intro else [])]
    for section in document.sections:
        parts += [f"## {section.title}", *(marked(text, _MARKDOWN).replace("\n", "  \n") for text in section.texts)]
        if section.rows:
            rows = [section.head, ["---"] * len(section.head), *section.rows]
            parts.append("\n".join(f"| {' | '.join(map(cell, row))} |" for row in rows))
    return "\n\n".join(parts) + "\n"


def _text(document: Document) -> str:
    def lines() -> Iterator[str]:
        yield document.title
        yield from [document.intro] if document.intro else []
        for section in document.sections:
            yield f"\n{section.title}"
            yield from ("  " + plain(text).replace("\n", "\n    ") for text in section.texts)
            for row in section.rows:
                yield "  " + "; ".join(plain(cell) for cell in row if cell)

    return "\n".join(lines()) + "\n"


def _csv(document: Document) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if document.table is not None:
        writer.writerows([document.table.head, *(map(plain, row) for row in document.table.rows)])
        return stream.getvalue()
    head: Sequence[str] = ()
    for section in document.sections:
        if section.head and section.head != head:
            head = section.head
            writer.writerow(["section", *head])
        writer.writerows([section.title, *(plain(cell) for cell in row)] for row in section.rows)
    return stream.getvalue()


def _json(document: Document) -> str:
    return json.dumps(document.data, ensure_ascii=False, indent=1) + "\n"


WRITERS = {
    ".html": _html, ".htm": _html, ".md": _markdown, ".csv": _csv, ".json": _json, ".txt": _text,
}  # fmt: skip


def writer_of(path: Path) -> Callable[[Document], str]:
    """Give what writes a document as the ending of a file asks for, none: as text. Raises `InputError` for another."""
    writer = WRITERS.get(path.suffix.lower() or ".txt")
    if writer is None:
        fix = f"end its name in one of {', '.join(WRITERS)}"
        raise bad(f"no report is written as `{path.suffix}`", str(path), fix, "bad-value")
    return writer
