"""Puts what compilation makes of the default rules into a wheel, so that the first run does not have to.

The entries are those that the cache of a user would hold, under the same names: digests of the rule files, the
grammar, the code that reads them and the version of Python. Whatever of these is different where the wheel is
installed, its name is another, and the rules are compiled there. Each begins with a digest of what it holds: one that
is damaged is not read, and its rules are compiled there too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

READ_ALL = """
from titm_rules.catalog import game_folders
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition, list_editions
for game in game_folders():
    list_editions(game)
    load_model(default_edition(game), game)
"""


class ReadyRules(BuildHookInterface[Any]):
    """Compiles the default edition of each game that ships."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the entries into a folder of their own, and have them packed."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        found = os.pathsep.join([self.root, *sys.path])  # an isolated build has its packages in folders of its own
        named = {"TITM_RULES_CACHE": self._folder.name, "PYTHONPATH": found, "TITM_RULES_GAMES": ""}
        subprocess.run([sys.executable, "-c", READ_ALL], check=True, cwd=self.root, env={**os.environ, **named})
        entries = sorted(Path(self._folder.name).glob("*.model"))
        if not entries:
            raise RuntimeError("no rules were compiled")
        build_data["force_include"] |= {str(path): f"titm_rules/data/ready/{path.name}" for path in entries}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the folder."""
        if version != "editable":
            self._folder.cleanup()
