"""The README keeps its word: what `make` and the build server do."""

from __future__ import annotations

import re

from .pages import README, ROOT, read

RUN = read(ROOT / ".ci" / "run")


def test_build_server_runs_the_readme_s_test_command() -> None:
    assert "\nmake test" in read(README)
    assert [line for line in RUN.splitlines() if line.startswith("make")] == ["make test"]
    assert "set -euo pipefail" in RUN


def test_make_commands_of_the_readme_exist() -> None:
    makefile = read(ROOT / "Makefile")
    for target in re.findall(r"^make ([\w-]+)", read(README), re.MULTILINE):
        assert f"\n{target}:" in makefile
