"""What MkDocs calls while it builds the site: it adds the pages that are made and not kept.

Nothing here needs a network.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from docs.tools.clause_pages import Index, clause_pages
from docs.tools.data_page import questions_page, readings_page

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files


def commands_page() -> str:
    """Write the page of the command line, with typer's own tool."""
    command = [sys.executable, "-m", "typer", "titm_rules.cli.app", "utils", "docs", "--name", "titm"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout


MADE = {
    "reference/commands.md": commands_page,
    "reference/questions.md": questions_page,
    "reference/readings.md": readings_page,
}


def made_pages() -> dict[str, str]:
    """Write every made page, by its path in the site."""
    return {path: write() for path, write in MADE.items()} | clause_pages(Index())


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the made pages to those of the folder."""
    from mkdocs.structure.files import File

    for path, text in made_pages().items():
        files.append(File.generated(config, path, content=text))
    return files
