"""Turn every clause number in a page into a link to the page of that clause."""

from __future__ import annotations

import re
from collections.abc import Collection

from docs.tools.clause_pages import FOLDER, chapter_of, page_of

TAG = re.compile(r"(<[^>]*>)")
CLOSED = re.compile(r"<(/?)(?:a|h1|h2|h3|samp|script|style|svg)\b")  # no links inside these elements
BESIDE = r"(?<![\w.:/#+-])"  # a whole number: no part of another one before it
BEHIND = r"(?![\w:/]|[.-]\w)(?!\s?(?:s|ms|us|%|x|[KMG]i?B|times|seconds|minutes)\b)"  # or after it, and no unit


def numbers_of(clauses: Collection[str]) -> re.Pattern[str]:
    """Return a pattern for clause numbers; numbers without a full stop are left out, because they match too often."""
    longest_first = sorted((number for number in clauses if "." in number), key=len, reverse=True)
    return re.compile(f"{BESIDE}(?:{'|'.join(map(re.escape, longest_first))}){BEHIND}")


def with_links(html: str, numbers: re.Pattern[str], url: str) -> str:
    """Return the page with links.

    Args:
        html: the content of the page, as MkDocs renders it.
        numbers: the pattern of all clause numbers, from `numbers_of`.
        url: the path of the page in the site, such as `how-to/play.html`.
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
