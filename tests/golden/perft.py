"""Courses of every scenario under every edition, counted: `python -m tests.golden.perft` writes them anew.

They are counted as deep as takes under a second on an ordinary machine. The numbers are the engine's own; what
speaks for them is that the naive interpreter counts the same where it is fast enough (see `test_perft.py`). Whoever
changes one says why.
"""

import json
import sys
from pathlib import Path

from titm_rules.cli.case import Options
from titm_rules.cli.games import open_start
from titm_rules.editions.load import list_editions
from titm_rules.oracle.game import perft

FILE = Path(__file__).with_name("perft.json")
DEPTHS = {
    "campaign": 2, "fifth-panzer-army": 2, "first-three-days": 2, "race-for-bastogne": 3, "sauer-crossing": 3,
    "seventh-army": 3, "two-bridges": 3,
}  # fmt: skip
EDITIONS = [info.name for info in list_editions()]


def counted(scenario: str, edition: str, engine: str = "compiled", depth: int = 0) -> list[int]:
    """Count the courses of a scenario, level by level."""
    _, position = open_start(scenario, Options(edition, engine=engine))
    return [perft(position, level) for level in range(1, (depth or DEPTHS[scenario]) + 1)]


def known() -> dict[str, dict[str, list[int]]]:
    """Read the numbers that are kept: by scenario and edition, level by level."""
    found: dict[str, dict[str, list[int]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    rows = []
    for scenario in DEPTHS:
        table = {edition: counted(scenario, edition) for edition in EDITIONS}
        rows.append(f'"{scenario}": {{\n' + ",\n".join(f'  "{k}": {v}' for k, v in table.items()) + "\n}")
        print(scenario, table, file=sys.stderr)
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
