"""Answers to many random questions of all games, as one digest each: what two versions of the program say alike.

`python -m tests.answers 2000 --seed 1` prints the digests; the reasons belong to every third answer, and games are
played too. With `--agree` it asks all engines, without reasons, and prints where they differ: exit code 1 if they do.
"""

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.case import Rules
from titm_rules.oracle.game import POLICIES, open_start, play_game
from titm_rules.service.budget import Budget
from titm_rules.service.protocol import Oracle

from tests.bitterwoods.worlds import INPUTS, HexMaker, Maker
from tests.properties.test_blame import question_of_ford
from tests.worlds import wide_case

GAMES = (
    ("teaching-battle", "bitterwoods"), ("the-ford", "cold-ford"), ("sauer-crossing", "titm"),
    ("pocket-at-bastogne", "titm"),
)  # fmt: skip
ACTIONS = 40
UNBOUNDED = Budget(0, 0)  # else a busy machine, and what is loaded already, decide what is answered
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
    oracle = Oracle(engine, UNBOUNDED)
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


def disagreements(numbers: Iterable[int]) -> Iterator[str]:
    """Yield each question that engines answer otherwise, or that one of them fails at."""
    oracles = {engine: Oracle(engine, UNBOUNDED) for engine in ENGINES}
    for number in numbers:
        request = question(number)
        said = {engine: outcome(oracle.ask(request)) for engine, oracle in oracles.items()}
        if len(set(said.values())) > 1 or any(one.startswith("bug") for one in said.values()):
            yield f"question {number}, {request['query']}: {said}"


def outcome(reply: dict[str, Any]) -> str:
    return json.dumps(reply["answer"], sort_keys=True) if reply["ok"] else reply["error"]["kind"]


def digests(count: int, seed: int, engine: str = "compiled") -> list[str]:
    texts = (json.dumps(reply, sort_keys=True, default=str) for reply in replies(count, seed, engine))
    return [hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for text in texts]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.answers")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--agree", action="store_true")
    options = parser.parse_args()
    if options.agree:
        differ = next(disagreements(range(options.seed * 10**6, options.seed * 10**6 + options.count)), "")
        sys.exit(differ or 0)
    print(*digests(options.count, options.seed), sep="\n")
