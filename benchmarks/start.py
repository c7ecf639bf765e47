"""The command whose cold start is measured."""

from __future__ import annotations

from titm_rules.editions.games import scenario_folder

CASE = scenario_folder() / "disputes" / "01-rambrouch-by-the-bridge.yaml"
COMMAND = ("-c", "from titm_rules.cli import main; main()", "check", str(CASE))
