"""Lead from every clause number that stands in a page to the page of that clause."""

from __future__ import annotations

import re
from collections.abc import Collection

from docs.tools.clause_pages import FOLDER, chapter_of, page_of

TAG = re.compile(r"(<[^>]*>)")
CLOSED = re.compile(r"<(/?)(?:a|h1|h2|h3|script|style|svg)\b")  # nothing in these becomes a link
BESIDE = r"(?<![\w.:/#+-])"  # a number is whole: nothing of another one stands before it
BEHIND = r"(?![\w:/]|[.-]\w)(?!\s?(?:s|ms|us|%|x|[KMG]i?B|times|seconds|minutes)\b)"  # nor behind it; it is no measure


def numbers_of(clauses: Collection[str]) -> re.Pattern[str]:
    """Say how the numbers of clauses are found in a text; those without a full stop would be found too often."""
    longest_first = sorted((one for one in clauses if "." in one), key=len, reverse=True)
    return re.compile(f"{BESIDE}(?:{'|'.join(map(re.escape, longest_first))}){BEHIND}")


def with_links(html: str, numbers: re.Pattern[str], url: str) -> str:
    """Write a page with links.

    Args:
        html: the content of the page, as MkDocs makes it.
        numbers: those of all clauses, as `numbers_of` gives them.
        url: where the page stands in the site, such as `how-to/play.html`.
    """
    up, within, parts = "../" * url.count("/"), 0, []
    for part in TAG.split(html):
        closed = CLOSED.match(part)
        if closed is not None:
            within += -1 if closed[1] else 1
        parts.append(part if within or part.startswith("<") else numbers.sub(lambda match: _link(match[0], up), part))
    return "".join(parts)


def _link(number: str, up: str) -> str:
    page = page_of(chapter_of(number)).removesuffix(".md")
    return f'<a href="{up}{FOLDER}/{page}.html#{number}">{number}</a>'
