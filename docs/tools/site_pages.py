"""MkDocs hooks: add the generated pages to the site, and turn clause numbers into links.

No hook needs a network.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

from docs.tools.clause_pages import Index, clause_pages
from docs.tools.data_page import questions_page, readings_page
from docs.tools.edition_pages import edition_pages, printed_books
from docs.tools.gallery import gallery
from docs.tools.links import numbers_of, with_links
from docs.tools.pair_pages import pair_pages

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page


def commands_page() -> str:
    """Generate the page of the command line with typer's own tool."""
    command = [sys.executable, "-m", "typer", "titm_rules.cli.app", "utils", "docs", "--name", "titm"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout


MADE = {
    "reference/commands.md": commands_page,
    "reference/questions.md": questions_page,
    "reference/readings.md": readings_page,
}


@cache
def index() -> Index:
    """Return the clauses of all editions, collected once."""
    return Index()


@cache
def numbers() -> re.Pattern[str]:
    """Return the pattern of clause numbers."""
    return numbers_of(index().clauses)


def made_files() -> dict[str, str]:
    """Return every generated file, by its path in the site: pages and their pictures."""
    found = {path: write() for path, write in MADE.items()}
    return found | clause_pages(index()) | edition_pages() | pair_pages() | printed_books() | gallery()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated files to those of the folder."""
    from mkdocs.structure.files import File

    for path, text in made_files().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Turn clause numbers into links."""
    return with_links(html, numbers(), page.url)
