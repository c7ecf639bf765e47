"""Answers to many random questions of all games, as one digest each: what two versions of the program say alike.

`python -m tests.answers 2000 --seed 1` prints the digests; the reasons belong to every third answer, and games are
played too.
"""

import argparse
import hashlib
import json
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from titm_rules.oracle.case import Rules
from titm_rules.oracle.game import POLICIES, open_start, play_game
from titm_rules.service.protocol import Oracle

from tests.bitterwoods.worlds import INPUTS, HexMaker, Maker
from tests.properties.test_blame import question_of_ford
from tests.worlds import wide_case

GAMES = (
    ("teaching-battle", "bitterwoods"), ("the-ford", "cold-ford"), ("sauer-crossing", "titm"),
    ("pocket-at-bastogne", "titm"),
)  # fmt: skip
ACTIONS = 40
WOODS = sorted(INPUTS)


def question(seed: int) -> dict[str, Any]:
    """Make a request: six of ten about the first game, three about the second."""
    if seed % 10 < 6:
        return wide_case(random.Random(seed))
    if seed % 10 == 9:
        case = question_of_ford(seed)
        return {"game": "cold-ford", "edition": "1", "query": case.query, "input": case.inputs}
    maker = (HexMaker if seed % 20 < 10 else Maker)(seed)
    query = WOODS[seed % len(WOODS)]
    if query == "peiper_advance":
        maker.lead_peiper()
    return {"game": "bitterwoods", **maker.request(query)}


def replies(count: int, seed: int, engine: str = "compiled") -> Iterator[Any]:
    """Yield what is answered: to questions, some with reasons, and then in the course of games."""
    oracle = Oracle(engine)
    for number in range(seed * 10**6, seed * 10**6 + count):
        try:
            reply = oracle.ask({**question(number), "explain": number % 3 == 0})
        except Exception as error:
            reply = {"error": type(error).__name__}
        yield {name: value for name, value in reply.items() if name != "digest"}
    for name, game in GAMES:
        start = open_start(name, Rules(game=game, engine=engine))[1]
        for turn in islice(play_game(start, POLICIES["random"], seed, ACTIONS), ACTIONS):
            yield [str(turn.action), sorted(map(str, turn.after.legal_actions)), turn.after.to_dict()]


def digests(count: int, seed: int) -> list[str]:
    texts = (json.dumps(reply, sort_keys=True, default=str) for reply in replies(count, seed))
    return [hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for text in texts]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.answers")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(*digests(options.count, options.seed), sep="\n")
