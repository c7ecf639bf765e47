"""Random games of the scenarios: `python -m benchmarks.games [SCENARIO...]` prints steps and games a second."""

import sys
import time

from titm_rules.oracle.case import Rules
from titm_rules.oracle.game import POLICIES, open_start, play_game

SCENARIOS = ("two-bridges", "sauer-crossing", "seventh-army", "fifth-panzer-army", "first-three-days", "campaign")
EDITION, GAMES = "1999", 3


def measure(scenario: str) -> tuple[int, float]:
    """Play a few games; give the number of actions, and the seconds of processor time."""
    _, start = open_start(scenario, Rules(EDITION))
    list(play_game(start, POLICIES["random"], seed=0, limit=200))  # what is compiled once is not counted
    begin, steps = time.process_time(), 0
    for seed in range(GAMES):
        steps += sum(1 for _ in play_game(start, POLICIES["random"], seed))
    return steps, time.process_time() - begin


if __name__ == "__main__":
    print(f"{'scenario':<20}{'actions a game':>16}{'actions/s':>12}{'games/s':>10}")
    for name in sys.argv[1:] or SCENARIOS:
        steps, seconds = measure(name)
        print(f"{name:<20}{steps // GAMES:>16}{steps / seconds:>12.0f}{GAMES / seconds:>10.2f}", flush=True)
