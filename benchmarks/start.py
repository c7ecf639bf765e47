"""Starting: a command from nothing, beside Python itself and the library that reads command lines."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping

from titm_rules.catalog import scenario_folder

CASE = scenario_folder() / "disputes" / "01-rambrouch-by-the-bridge.yaml"
COMMAND = ("-c", "from titm_rules.cli import main; main()", "check", str(CASE))
PLAIN, TYPER, CHECK, FIRST = "`python -c pass`", "`python -c 'import typer'`", "`titm check`", "the same, no cache"
STARTS: Mapping[str, tuple[str, ...]] = {
    PLAIN: ("-c", "pass"), TYPER: ("-c", "import typer"), CHECK: COMMAND, FIRST: COMMAND,
}  # fmt: skip


def starts(rounds: int) -> dict[str, list[float]]:
    """Time starts that take turns, in milliseconds of processor time."""
    _run(COMMAND, {})  # writes the byte code and the cache of the rules, as any first use does
    found: dict[str, list[float]] = {title: [] for title in STARTS}
    for _ in range(rounds):
        for title, command in STARTS.items():
            with tempfile.TemporaryDirectory() as empty:
                found[title].append(_run(command, {"TITM_RULES_CACHE": empty} if title == FIRST else {}))
    return found


def _run(command: tuple[str, ...], named: Mapping[str, str]) -> float:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], capture_output=True, check=True, env={**environment, **named})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000
