"""An oracle or a server that is asked for long: a process of its own, and what it holds minute by minute.

`python -m tests.fuzz steady 3600` is an hour of a server: questions of all games at a steady rate, house rules that
change, clients that leave.
"""

import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from titm_rules.editions.registry import applicable_sheets

from tests.answers import question
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
    leaves_s: float | None = None  # its client leaves after so many seconds


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


RULES = {
    "titm": RULE,
    "cold-ford": 'clause 99.{0} "Rule {0}"\n  "Rule {0}."\n  march may not step when turn is {1} - 14.\n',
    "bitterwoods": 'clause 99.{0} "Rule {0}"\n  "Rule {0}."\n  move may not step when place-left is place of u'
    " and {1} is 17.\n",
}


def steady(number: int) -> Asked:
    """What players send: questions of all games, one in five with house rules or from a client that leaves."""
    rng = random.Random(f"steady {number}")
    match rng.randrange(20):
        case 0 | 1:
            return Asked(b"", f"/api/games/{rng.choice([*RULES])}/{rng.choice(SHELVES)}")
        case 2 | 3 | 4:
            return served(number)
        case 5 | 6:
            asked = {"game": "titm", **question(number)}
            rule = {"name": f"house-{number}", "text": RULES[asked["game"]].format(number, 16 + number % 7)}
            return Asked(json.dumps({**asked, "overlays": [rule]}).encode())
        case 7 | 8:
            return Asked(json.dumps(question(number)).encode(), leaves_s=rng.choice((0.0, 0.02, 0.2)))
        case _:
            return Asked(json.dumps({**question(number), "explain": rng.random() < 0.3}).encode())


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
            if asked.leaves_s is not None:
                time.sleep(asked.leaves_s)
                connection.close()
                return "left"
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
@dataclass(frozen=True)
class Life:
    """Who is asked what, by how many clients; each lets so many seconds lie between two requests."""

    start_up: Callable[[], AbstractContextManager[tuple[int, Ask]]]
    make: Callable[[int], Asked]
    clients: int = 1
    every_s: float = 0


LIVES = {
    "mixed": Life(oracle, mixed), "combined": Life(oracle, combined), "overlaid": Life(oracle, overlaid),
    "served": Life(server, served), "steady": Life(server, steady, 4, 2),
}  # fmt: skip


@dataclass(frozen=True)
class Held:
    """What a process and its children hold."""

    mebibytes: int
    files: int
    sockets: int
    threads: int


def held_by(process: int) -> Held:
    """Ask Linux what a process holds, with its children."""
    home = Path(f"/proc/{process}")
    status = dict(row.split(":", 1) for row in (home / "status").read_text(encoding="ascii").splitlines())
    links = [os.readlink(path) for path in (home / "fd").iterdir() if path.is_symlink()]
    sockets = sum(link.startswith("socket:") for link in links)
    held = [Held(int(status["VmRSS"].split()[0]) // 1024, len(links), sockets, int(status["Threads"]))]
    held += [held_by(int(name)) for name in (home / f"task/{process}/children").read_text(encoding="ascii").split()]
    return Held(*(sum(getattr(one, name) for one in held) for name in Held.__dataclass_fields__))


class Load:
    """Clients that ask, and what came of it."""

    def __init__(self, life: Life, ask: Ask, end: float) -> None:
        self.life, self.ask, self.end = life, ask, end
        self.kinds: Counter[str] = Counter()
        self.took: list[float] = []
        self._numbers = iter(range(10**9))
        self._lock = threading.Lock()
        self.threads = [threading.Thread(target=self._client) for _ in range(life.clients)]
        for thread in self.threads:
            thread.start()

    def _client(self) -> None:
        due = time.monotonic()
        while time.monotonic() < self.end:
            with self._lock:
                number = next(self._numbers)
            asked = self.life.make(number)
            begun = time.monotonic()
            try:
                kind = self.ask(asked)
            except (OSError, http.client.HTTPException) as error:
                kind = f"broken: {type(error).__name__}"
            with self._lock:
                self.kinds[kind] += 1
                self.took += [] if kind == "left" else [time.monotonic() - begun]
            due = max(due + self.life.every_s, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))

    def slow_ms(self) -> str:
        """Tell the middle, the 99th of a hundred, and the last of the times that answers took."""
        took = sorted(self.took) or [0.0]
        last = statistics.quantiles(took, n=100)[-1] if len(took) > 1 else took[0]
        times = (statistics.median(took), last, took[-1])
        return "median {:.0f} ms, p99 {:.0f} ms, slowest {:.0f} ms".format(*(one * 1000 for one in times))


def live(kind: str, seconds: float) -> list[tuple[float, int, Held]]:
    """Ask for so long; print and give seconds, requests and what is held, every minute or tenth of the time."""
    life, told = LIVES[kind], list[tuple[float, int, Held]]()
    with life.start_up() as (process, ask):
        start = time.monotonic()
        load = Load(life, ask, start + seconds)
        while alive := [thread for thread in load.threads if thread.is_alive()]:
            now, number = time.monotonic() - start, load.kinds.total()
            told.append((now, number, held_by(process)))
            print(f"{now:6.0f} s, {number} requests, {told[-1][2]}; {load.slow_ms()}", flush=True)
            alive[0].join(min(EVERY_S, seconds / 10))
        print(dict(load.kinds))
    faults = {kind: count for kind, count in load.kinds.items() if kind == "bug" or kind.startswith("broken")}
    assert not faults, f"{faults} among {number} requests"
    return told
