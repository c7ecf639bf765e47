"""An oracle or a server that is asked for long: a process of its own, and what it holds minute by minute."""

import http.client
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from titm_rules.editions.registry import applicable_sheets
from titm_rules.service.budget import MEBIBYTE

from tests.fuzz.lines import line, sample
from tests.worlds import EDITIONS, random_position, random_readings

TITM = [sys.executable, "-c", "from titm_rules.cli import main; main()"]
EVERY_S = 60.0
JSON_TYPE = {"Content-Type": "application/json"}
RULE = 'clause 99.{0} "Rule {0}"\n  "A rule of the house, number {0}."\n  demolition may not try when the day is {1}.\n'
SHELVES = ("editions", "questions", "scenarios", "scenarios/campaign", "forces", "maps", "clauses?word=road", "nothing")


# ---------------------------------------------------------------------- what is asked
@dataclass(frozen=True)
class Asked:
    """A request: the bytes of its body, and where a server takes it; without a body it is fetched."""

    body: bytes
    path: str = "/api/ask"


def mixed(number: int) -> Asked:
    """A line as it should be, or one that was changed, in turn."""
    if number % 2:
        return Asked(line(f"life {number}").replace(b"\n", b" "))
    return Asked(json.dumps(sample(random.Random(f"life {number}"))).encode())


def combined(number: int) -> Asked:
    """A question to rules that nobody has asked before: a mixture of sheets, with other readings each time."""
    rng = random.Random(f"combined {number}")
    return Asked(json.dumps({**sample(rng), **mixture(rng)}).encode())


def mixture(rng: random.Random) -> dict[str, Any]:
    """Choose an edition with one to three sheets on top, and readings that it leaves open."""
    edition = rng.choice(EDITIONS)
    sheets, _ = applicable_sheets(edition, [name for name in EDITIONS if name != edition])
    some = rng.choice([(), *combinations(sheets, 1), *combinations(sheets, 2), *combinations(sheets, 3)])
    return {"edition": "+".join((edition, *some)), "readings": random_readings(rng, edition)}


def overlaid(number: int) -> Asked:
    """A question under house rules that are sent with it, and are others each time."""
    request = sample(random.Random(f"overlaid {number}"))
    rule = {"name": f"house-{number}", "text": RULE.format(number, 16 + number % 7)}
    return Asked(json.dumps({**request, "overlays": [rule]}).encode())


def served(number: int) -> Asked:
    """What a server gets: questions, most of all; now and then a board, a picture, house rules, or what ships."""
    rng = random.Random(f"served {number}")
    match rng.randrange(10):
        case 0:
            return Asked(b"", f"/api/games/titm/{rng.choice(SHELVES)}")
        case 1 | 2:
            shown = {"game": "titm", "edition": rng.choice(EDITIONS), "position": random_position(rng)}
            return Asked(json.dumps(shown).encode(), rng.choice(("/api/board", "/api/picture")))
        case 3:
            return overlaid(number)
        case 4:
            return combined(number)
        case _:
            return mixed(number)


# ---------------------------------------------------------------------- who is asked
Ask = Callable[[Asked], str]  # the outcome: `ok`, or the kind of an error


@contextmanager
def oracle() -> Iterator[tuple[int, Ask]]:
    """Start an oracle; give its process and a way to ask it."""
    with subprocess.Popen([*TITM, "oracle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        reading, writing = process.stdout, process.stdin

        def ask(asked: Asked) -> str:
            if not asked.body.strip():
                return "blank"
            writing.write(asked.body + b"\n")
            writing.flush()
            return kind_of(reading.readline())

        yield process.pid, ask
        writing.close()


@contextmanager
def server() -> Iterator[tuple[int, Ask]]:
    """Start a server; give its process and a way to ask it."""
    with subprocess.Popen([*TITM, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        host, _, port = process.stdout.readline().split("/")[2].partition(":")

        def ask(asked: Asked) -> str:
            connection = http.client.HTTPConnection(host, int(port))
            connection.request("POST" if asked.body else "GET", asked.path, asked.body or None, JSON_TYPE)
            response = connection.getresponse()
            text = response.read()
            connection.close()
            return "ok" if response.status == 200 else kind_of(text)

        try:
            yield process.pid, ask
        finally:
            process.terminate()


def kind_of(text: bytes) -> str:
    answer = json.loads(text)
    return "ok" if answer["ok"] else str(answer["error"]["kind"])


# ---------------------------------------------------------------------- for long
LIVES = {"mixed": (oracle, mixed), "combined": (oracle, combined), "overlaid": (oracle, overlaid),
         "served": (server, served)}  # fmt: skip


def held_by(process: int) -> int:
    """Give the bytes of memory that a process holds, as Linux tells."""
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def live(kind: str, seconds: float) -> list[tuple[float, int, int]]:
    """Ask for so long; print and give seconds, requests and MiB held, every minute or tenth of the time."""
    (start_up, make), told, kinds = LIVES[kind], list[tuple[float, int, int]](), Counter[str]()
    with start_up() as (process, ask):
        start, number = time.monotonic(), 0
        while (now := time.monotonic() - start) < seconds:
            if not told or now - told[-1][0] >= min(EVERY_S, seconds / 10):
                told.append((now, number, held_by(process) // MEBIBYTE))
                print(f"{now:6.0f} s, {number} requests, {told[-1][2]} MiB; {dict(kinds.most_common(6))}", flush=True)
            kinds[ask(make(number))] += 1
            number += 1
    assert not kinds["bug"], f"{kinds['bug']} bugs among {number} requests"
    return told
