"""The README keeps its word: its commands, its Python and its links."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from .readme import CONSOLE, README, ROOT, commands, run_block

PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
HOW_TO = ROOT / "docs" / "how-to"
BLOCKS = CONSOLE.findall(README.read_text(encoding="utf-8"))
RUN = (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("block", BLOCKS, ids=[commands(block)[0][:40] for block in BLOCKS])
def test_command_prints_what_the_readme_shows(block: str) -> None:
    assert run_block(block) == block


@pytest.mark.parametrize("page", [README, HOW_TO / "embed.md", HOW_TO / "pictures.md"], ids=lambda page: page.name)
def test_python_examples_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []


def test_build_server_runs_the_readme_s_test_command() -> None:
    text = README.read_text(encoding="utf-8")
    assert "\nmake test" in text
    assert [line for line in RUN.splitlines() if line.startswith("make")] == ["make test"]
    assert "set -euo pipefail" in RUN


def test_make_commands_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make ([\w-]+)", README.read_text(encoding="utf-8"), re.MULTILINE):
        assert f"\n{target}:" in makefile
