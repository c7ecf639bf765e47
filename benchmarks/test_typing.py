"""How long an editor waits for the faults of a rule set after a key is pressed: 200 ms for 2,000 lines is the aim."""

from __future__ import annotations

from itertools import count

import pytest
from titm_rules.files import data_folder
from titm_rules.lsp.workspace import Workspace

RULES = data_folder("rulesets") / "titm"
FILES = ("1999/09_combat.rules", "1999/10_bridges.rules", "game.rules", "2016-10-01/sheet.rules")
DAMAGE = {"sound": "# {}\n", "with a fault": 'clause 9.1 "{}" "It is."\n  march may not.\n'}
ROUNDS = 15


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", FILES)
def test_faults_after_a_key(benchmark, name, damage):
    """Each round writes another line at the top, so that every item of the file moves."""
    benchmark.group = "faults after a key is pressed"
    desk, path, numbers = Workspace(), RULES / name, count(2)
    text = path.read_text(encoding="utf-8")
    desk.put(path, text)
    lines = sum(text.count("\n") for text in desk.check(path).texts.values())
    assert lines > 2_000
    benchmark.extra_info["lines"] = lines

    def press() -> tuple[tuple[str], dict[str, str]]:
        return (DAMAGE[damage].format(next(numbers)) * next(numbers) + text,), {}

    def faults(new: str) -> int:
        desk.put(path, new)
        return len(desk.check(path).faults)

    found = benchmark.pedantic(faults, setup=press, rounds=ROUNDS)
    assert bool(found) == (damage == "with a fault")
