"""The console examples of README and docs: run them, or write their output anew.

`python -m tests.house.pages` puts what the commands print now into all pages; read every line
that it changes. Commands of a page run one after the other in a folder of their own, which shows
what a checkout holds. A block with a title is a file that the reader saves under that name.
"""

import contextlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from titm_rules.cli.app import app
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
README, CONTRIBUTING = ROOT / "README.md", ROOT / "CONTRIBUTING.md"
PAGES = [README, CONTRIBUTING, *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r'^```(?P<language>\w+)(?: title="(?P<file>[\w.-]+)")?\n(?P<text>.*?)^```$', re.M | re.S)
# What a reader finds in the top folder of a checkout, and pages name.
CHECKOUT = ("docs", "grammar", "rulesets", "scenarios")
DIGESTS = re.compile(r'"(rules|wording)": "[0-9a-f]{16}"')  # which every change of a rule would change on the pages
SHELL_MARKS = frozenset("();<>|&")
ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1"}


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def commands(block: str) -> list[str]:
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def make_checkout(folder: Path) -> Path:
    """Show in a folder what a checkout holds, so that what commands write stays out of the real one."""
    for name in CHECKOUT:
        (folder / name).symlink_to(ROOT / name)
    return folder


def run_page(text: str, folder: Path) -> str:
    """Run the console blocks of a page and write it as it would look now."""

    def run(match: re.Match[str]) -> str:
        if match["file"]:
            (folder / match["file"]).write_text(match["text"], encoding="utf-8")
        if match["language"] != "console":
            return match[0]
        ran = (f"$ {command}\n{run_command(command, folder)}" for command in commands(match["text"]))
        return f"```console\n{DIGESTS.sub(_hidden, ''.join(ran))}```"

    return BLOCK.sub(run, text)


def _hidden(digest: re.Match[str]) -> str:
    return f'"{digest[1]}": "..."'


def run_command(command: str, folder: Path) -> str:
    """Run a command in a folder: in this process, which spares its start, unless it needs a shell."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    if words[0] != "titm" or any(SHELL_MARKS.issuperset(word) for word in words):
        return run_in_shell(command, folder)
    with contextlib.chdir(folder):
        return CliRunner().invoke(app, words[1:], prog_name="titm", env=ENVIRONMENT).output


def run_in_shell(command: str, folder: Path) -> str:
    """Run a command in a folder by the shell; give what it prints, then its complaints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **ENVIRONMENT, "PATH": path}
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def main() -> None:
    """Write all pages with the output of today."""
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(run_page(read(page), make_checkout(Path(folder))), encoding="utf-8")


if __name__ == "__main__":
    main()
