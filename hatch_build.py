"""Puts what compilation makes of the rules that ship into a wheel, so that no first run has to do it.

The entries are those that the cache of a user would hold, under the same names: digests of the rule files, the
grammar and the code that reads them. Whatever of these is different where the wheel is installed, its name is another,
and the rules are compiled there. Each begins with a digest of what it holds: one that is damaged is not read. No
version of Python is part of them. An editable install compiles the usual edition of each game into the user's cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

USUAL = """
from titm_rules.catalog import game_folders
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition, list_editions
for game in game_folders():
    list_editions(game)
    load_model(default_edition(game), game)
"""
# All editions, and the special rules of scenarios under the usual one; what the user has compiled is taken from there.
ALL = """
import os, sys
from pathlib import Path
from titm_rules.catalog import game_folders
from titm_rules.editions import cache
from titm_rules.editions.clause_index import special_clauses
from titm_rules.editions.house_rules import special_rules
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition, list_editions
if cache.cache_folder() is None:
    os.environ["TITM_RULES_CACHE"] = sys.argv[1]
cache.READY = Path(sys.argv[1])
with cache.used_entries() as names:
    for game in game_folders():
        for edition in list_editions(game):
            load_model(edition.name, game)
        for overlay in special_rules(game):
            load_model(default_edition(game), game, (overlay,))
        special_clauses(default_edition(game), game)
for name in names:
    (Path(sys.argv[1]) / name).write_bytes((cache.cache_folder() / name).read_bytes())
"""


class ReadyRules(BuildHookInterface[Any]):
    """Compiles the editions of each game that ships."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the entries into a folder of their own, and have them packed."""
        found = os.pathsep.join([self.root, *sys.path])  # an isolated build has its packages in folders of its own
        # Without a seed some entries differ between two builds, and answer the same.
        named = {**os.environ, "PYTHONPATH": found, "TITM_RULES_GAMES": "", "PYTHONHASHSEED": "0"}
        if version == "editable":  # rules that are being changed may be wrong, and are installed all the same
            subprocess.run([sys.executable, "-c", USUAL], cwd=self.root, env=named, stderr=subprocess.DEVNULL)
            return
        self._folder = tempfile.TemporaryDirectory()
        subprocess.run([sys.executable, "-c", ALL, self._folder.name], check=True, cwd=self.root, env=named)
        entries = sorted(Path(self._folder.name).glob("*.model"))
        if not entries:
            raise RuntimeError("no rules were compiled")
        build_data["force_include"] |= {str(path): f"titm_rules/data/ready/{path.name}" for path in entries}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the folder."""
        if version != "editable":
            self._folder.cleanup()
