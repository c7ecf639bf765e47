"""Hold another version against this one: `python -m tests.versions --questions 200000 --games 200 -- OTHER`.

OTHER is a command that starts the oracle of the other version, such as `/old/.venv/bin/titm oracle --seconds 0`, with
its whole path.
Both versions run as processes and are asked the same requests of the protocol: random questions of every edition of
Tigers in the Mist, random questions of every game about positions of random games and about the situations of the
public cases, and in each position of a game the legal actions, what one of them is judged, what it may bring and what
comes of it. Answers must be equal but for texts for people. Prints each difference, and at the end how many there were.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from typing import Any

from titm_rules.catalog import scenario_folder
from titm_rules.diagnostics import TitmError
from titm_rules.editions.registry import list_editions
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import load_scenario
from titm_rules.oracle.position import Position

from tests.frozen.cases import questions_asked
from tests.frozen.goldens import Record, Split, dump
from tests.versions.draws import Draw
from tests.worlds import random_readings, wide_case

Json = dict[str, Any]
GAMES = ("titm", "bitterwoods", "cold-ford")
BATCH, SHOWN, ACTIONS = 200, 2000, 40
UNLIMITED = ("--seconds", "0", "--memory", "0")
THIS = (sys.executable, "-m", "titm_rules", "oracle", *UNLIMITED)


class Version:
    """One version of the package: a process of its oracle for each game."""

    def __init__(self, command: Sequence[str], folder: str = ".") -> None:
        self.command, self.folder = command, folder
        self.processes: dict[str, subprocess.Popen[str]] = {}

    def ask(self, requests: Sequence[Json], game: str) -> list[Json]:
        """Send requests and read their answers."""
        if game not in self.processes:
            self.processes[game] = subprocess.Popen(
                [*self.command, "--game", game], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                cwd=self.folder, env={**os.environ, "PYTHONHASHSEED": "0"},
            )  # fmt: skip
        process = self.processes[game]

        def send() -> None:
            process.stdin.writelines(f"{dump(request)}\n" for request in requests)
            process.stdin.flush()

        sender = threading.Thread(target=send)
        sender.start()
        answers = [json.loads(process.stdout.readline()) for _ in requests]
        sender.join()
        return answers

    def close(self) -> None:
        """End the processes."""
        for process in self.processes.values():
            process.kill()
            process.communicate()


class Comparison:
    """Two versions asked the same, and what they differ in."""

    def __init__(self, other: Sequence[str], texts: bool) -> None:
        # In this folder `python -m` would start this version, whatever the command says.
        self.other, self.this, self.texts = Version(other, tempfile.gettempdir()), Version(THIS), texts
        self.tally: Counter[str] = Counter()

    def ask(self, requests: Sequence[Json], game: str) -> list[Json]:
        """Ask both, report differences, and return the answers of this version."""
        with ThreadPoolExecutor(2) as pool:
            answers = [*pool.map(lambda version: version.ask(requests, game), (self.other, self.this))]
        for request, theirs, ours in zip(requests, *answers, strict=True):
            self.tally["asked"] += 1
            self.tally["refused"] += "error" in ours
            if self._plain(theirs) != self._plain(ours):
                fields = {*theirs, *ours}
                named = sorted(name for name in fields if self._field(theirs, name) != self._field(ours, name))
                self.tally["differ"] += 1
                self.tally["differ in the answer"] += bool({"ok", "answer", "error"} & set(named))
                shown = (dump(each)[:SHOWN] for each in (request, theirs, ours))
                print(f"DIFFERS {game} in {', '.join(named)}", *shown, sep="\n  ", flush=True)
        return answers[1]

    def _field(self, answer: Json, name: str) -> Any:
        return self._plain({name: answer[name]}) if name in answer else None

    def _plain(self, answer: Json) -> Any:
        return answer if self.texts else Split(Record("", answer)).structure


def worlds(seed: int, count: int) -> Iterator[Json]:
    """Draw random small worlds of Tigers in the Mist, each with a question; every fourth with its reasons."""
    for number in range(seed, seed + count):
        yield {"id": number, **wide_case(random.Random(f"versions {number}")), "explain": number % 4 == 0}


def of_situation(rng: random.Random, edition: Edition, name: str, given: Json, count: int) -> Iterator[Json]:
    """Draw questions about the situation of this name among the inputs given."""
    model = edition.model
    asked = [question for question in model.questions.values() if question.situation == name]
    draw = Draw(model, name, Position.from_dict(given[name], edition, name).to_dict(), rng, given)
    for _ in range(count):
        question = rng.choice(asked)
        inputs = draw.inputs(question)
        if inputs is not None:
            yield {
                "edition": edition.date, "readings": dict(edition.readings), "query": question.name,
                "input": {name: given[name], **inputs}, "explain": rng.random() < 0.25,
            }  # fmt: skip


def of_cases(seed: int, game: str, count: int) -> Iterator[Json]:
    """Draw other questions about the situations of the public cases of a game."""
    rng = random.Random(f"cases {seed}")
    known = [case for case in questions_asked(game) if "edition" in case]
    dates = [info.name for info in list_editions(game)]
    made = 0
    while made < count:
        case = rng.choice(known)
        date = case["edition"] if rng.random() < 0.5 else rng.choice(dates)
        edition = Edition(date, random_readings(rng, date) if game == "titm" else {}, game=game)
        for name in ("position", "battle"):
            if isinstance(case["input"].get(name), dict) and name in edition.model.records:
                with suppress(TitmError):  # a situation of one edition may not be one of another
                    requests = list(of_situation(rng, edition, name, case["input"], 4))
                    made += len(requests)
                    yield from requests


def play(compared: Comparison, seed: int, game: str, scenario: str, turns: int) -> None:
    """Play a random game, ask both versions about each position, and go on from the position of this version."""
    rng = random.Random(f"game {seed}")
    start = load_scenario(scenario, game=game)
    edition, position = start.edition, start.to_dict()
    frame = {"edition": edition.date, "readings": dict(edition.readings)}
    for _ in range(turns):
        about = {"position": position}
        [listed] = compared.ask([{**frame, "query": "legal_actions", "input": {**about, "limit": 10_000}}], game)
        actions = listed.get("answer", {}).get("actions", [])
        if not actions:
            break
        chosen = rng.choice([rng.choice(actions), rng.choice(actions[-ACTIONS:])])
        dice = chosen["dice"]
        faces = [rng.randint(dice["low"], dice["high"]) for _ in range(dice["count"])] if dice else []
        action = {name: chosen[name] for name in ("kind", "by", "choices")}
        others = [{**frame, "query": "judge", "input": {**about, "action": each["text"]}, "explain": True}
                  for each in rng.sample(actions, min(2, len(actions)))]  # fmt: skip
        requests = [
            {**frame, "query": "apply", "input": {**about, "action": action, "dice": faces}},
            *others,
            *of_situation(rng, edition, "position", about, 6),
        ]
        if dice:
            requests.append({**frame, "query": "outcomes", "input": {**about, "action": action}})
        replies = compared.ask(requests, game)
        position = replies[0]["answer"]["position"]
        if replies[0]["answer"].get("over"):
            break


def scenarios() -> list[tuple[str, str]]:
    """List the scenarios of all games from which a game can begin."""
    found = []
    for game in GAMES:
        for path in sorted(scenario_folder(game).iterdir()):
            try:
                load_scenario(path.name, game=game)
            except TitmError:
                continue
            found.append((game, path.name))
    return found


def main() -> int:
    """Read the words of the command line, compare, and return 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=2_000, metavar="N", help="random questions")
    parser.add_argument("--games", type=int, default=10, metavar="N", help="random games")
    parser.add_argument("--turns", type=int, default=60, metavar="N", help="actions of a game at most")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="where to begin")
    parser.add_argument("--texts", action="store_true", help="compare texts too")
    parser.add_argument("other", nargs="+", help="the command of the other version's oracle")
    words = parser.parse_args()
    compared = Comparison([*words.other], words.texts)
    try:
        streams = [("titm", worlds(words.seed, words.questions // 2))]
        streams += [(game, of_cases(words.seed, game, words.questions // 6)) for game in GAMES]
        for game, requests in streams:
            while batch := [*islice(requests, BATCH)]:
                compared.ask(batch, game)
        starts = scenarios()
        for number in range(words.games):
            game, scenario = starts[(words.seed + number) % len(starts)]
            play(compared, words.seed + number, game, scenario, words.turns)
            compared.tally["games"] += 1
    finally:
        compared.this.close()
        compared.other.close()
    print(", ".join(f"{count} {name}" for name, count in compared.tally.items()))
    return int(compared.tally["differ"] > 0)


if __name__ == "__main__":
    sys.exit(main())
