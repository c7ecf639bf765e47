"""Courses of every scenario under every edition, counted: `python -m tests.golden.perft` writes them anew.

Most editions begin alike, so courses are also counted from the middle of a game of each scenario of the rulebook,
where editions differ. They are counted as deep as takes about a second on an ordinary machine. The numbers are the
engine's own; what speaks for them is that the reference interpreter counts the same where it is fast enough, and the
library engine elsewhere (see `test_perft.py`), and that referees written from the printed rules count those of
two-bridges and of Cold Ford (see `tests/reference`). Whoever changes one says why.
"""

import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from titm_rules import Position
from titm_rules.editions.registry import list_editions
from titm_rules.oracle.case import Rules
from titm_rules.oracle.game import POLICIES, open_start, perft, play_game

FILE = Path(__file__).with_name("perft.json")
BOOK = "1999"
EDITIONS = [info.name for info in list_editions()]


@dataclass(frozen=True)
class Origin:
    """Where courses begin: a scenario, or so many actions into a random game of it; they are counted to `depth`."""

    scenario: str
    depth: int
    seed: int = 0
    actions: int = 0


ORIGINS = {
    "campaign": Origin("campaign", 2), "fifth-panzer-army": Origin("fifth-panzer-army", 2),
    "first-three-days": Origin("first-three-days", 2), "race-for-bastogne": Origin("race-for-bastogne", 3),
    "sauer-crossing": Origin("sauer-crossing", 3), "seventh-army": Origin("seventh-army", 3),
    "two-bridges": Origin("two-bridges", 3),
    "campaign, special forces may come": Origin("campaign", 1, seed=7, actions=536),
    "fifth-panzer-army, fire at one strength point": Origin("fifth-panzer-army", 4, seed=1, actions=327),
    "first-three-days, fire at one strength point": Origin("first-three-days", 4, seed=1, actions=276),
    "seventh-army, fire at one strength point": Origin("seventh-army", 4, seed=3, actions=21),
}  # fmt: skip


@cache
def reached(origin: Origin) -> Position:
    """Play the game of an origin, under the rulebook."""
    _, position = open_start(origin.scenario, Rules(BOOK))
    for turn in play_game(position, POLICIES["random"], origin.seed, origin.actions):
        position = turn.after
    return position


def counted(name: str, edition: str, engine: str = "compiled", depth: int = 0) -> list[int]:
    """Count the courses from an origin, level by level."""
    origin = ORIGINS[name]
    _, start = open_start(origin.scenario, Rules(edition, engine=engine))
    position = reached(origin).under(start.edition)
    return [perft(position, level) for level in range(1, (depth or origin.depth) + 1)]


def known() -> dict[str, dict[str, list[int]]]:
    """Read the numbers that are kept: by origin and edition, level by level."""
    found: dict[str, dict[str, list[int]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    rows = []
    for name in ORIGINS:
        table = {edition: counted(name, edition) for edition in EDITIONS}
        rows.append(f'"{name}": {{\n' + ",\n".join(f'  "{k}": {v}' for k, v in table.items()) + "\n}")
        print(name, table, file=sys.stderr)
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
