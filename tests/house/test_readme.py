"""The README keeps its word: what `make` and the build server do."""

from __future__ import annotations

import re

from .pages import CONTRIBUTING, README, ROOT, read
from .test_imports import LEVEL

RUN = read(ROOT / ".ci" / "run")


def test_build_server_runs_the_readme_s_test_command() -> None:
    assert "\nmake test" in read(README)
    assert [line for line in RUN.splitlines() if line.startswith("make")] == ["make test"]
    assert "set -euo pipefail" in RUN


def test_make_commands_of_the_readme_exist() -> None:
    makefile = read(ROOT / "Makefile")
    for target in re.findall(r"^make ([\w-]+)", read(README), re.MULTILINE):
        assert f"\n{target}:" in makefile


def test_contributing_names_commands_and_files_that_exist() -> None:
    text = read(CONTRIBUTING)
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {*re.findall(r"`make ([\w-]+)", text)} - targets == set()
    rows = re.findall(r"^\| `(\w+)/` \|", text, re.MULTILINE)
    packages = sorted(path.parent.name for path in (ROOT / "titm_rules").glob("*/__init__.py"))
    assert sorted(rows) == packages
    for path in re.findall(r"`((?:tests|grammar|rulesets|docs|titm_rules|explain|cli|rules)/[\w/.]+)`", text):
        assert (ROOT / path).exists() or (ROOT / "titm_rules" / path).exists(), path


def test_contributing_lists_the_packages_in_the_order_of_imports() -> None:
    rows = re.findall(r"^\| `(\w+)/` \|", read(CONTRIBUTING), re.MULTILINE)
    levels = [LEVEL[row] for row in rows]
    assert levels == sorted(levels, reverse=True)
