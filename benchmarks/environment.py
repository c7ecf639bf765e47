"""Steps a second of the environment beside PettingZoo's chess: `python -m benchmarks.environment [SCENARIO...]`.

Each takes its turn, round after round, and the median of its rounds in processor time counts, so that what else the
machine does weighs on all alike. A step is what a learner's is: look, choose among what the mask allows, act. The
library's own `performance_benchmark` runs at the end; it counts 5 seconds of wall time for each.
"""

import random
import sys
import time
from statistics import median

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.classic import chess_v6
from pettingzoo.test import performance_benchmark
from titm_rules.envs import env

SCENARIOS = {"the-ford": "cold-ford", "two-bridges": "titm", "sauer-crossing": "titm"}
ROUNDS, STEPS = 7, 400


def steps_a_second(game: AECEnv, seed: int) -> float:
    """Take steps at random, game after game; give how many a second of processor time."""
    chance, taken = random.Random(seed), 0
    begin = time.process_time()
    while taken < STEPS:
        game.reset(seed=seed + taken)
        for _ in game.agent_iter(STEPS - taken):
            seen, _, terminated, truncated, _ = game.last()
            taken += 1
            over = terminated or truncated
            game.step(None if over else chance.choice(np.flatnonzero(seen["action_mask"]).tolist()))
    return taken / (time.process_time() - begin)


def main(names: list[str]) -> None:
    """Print the figures."""
    games = {"chess_v6": chess_v6.env()} | {name: env(name, game=SCENARIOS.get(name, "")) for name in names}
    for game in games.values():
        steps_a_second(game, 0)  # what is worked out once is not counted
    found = {name: [] for name in games}
    for number in range(ROUNDS):
        for name, game in games.items():
            found[name].append(steps_a_second(game, number))
    print(f"{'environment':<20}{'steps/s':>10}{'of chess':>10}")
    for name, rates in found.items():
        ratio = median(mine / chess for mine, chess in zip(rates, found["chess_v6"], strict=True))
        print(f"{name:<20}{median(rates):>10.0f}{ratio:>10.2f}")
    for name, game in games.items():
        print(name)
        performance_benchmark(game)


if __name__ == "__main__":
    main(sys.argv[1:] or list(SCENARIOS))
