"""An oracle that is asked for long: a process of its own, and what it holds minute by minute."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

from titm_rules.editions.named import applicable_sheets
from titm_rules.service.budget import MEBIBYTE

from tests.fuzz.lines import line, sample
from tests.worlds import EDITIONS, random_readings

ORACLE = [sys.executable, "-c", "from titm_rules.cli import main; main()", "oracle"]
EVERY_S = 60.0


def mixed(number: int) -> bytes:
    """A line as it should be, or one that was changed, in turn."""
    if number % 2:
        return line(f"life {number}").replace(b"\n", b" ")
    return json.dumps(sample(random.Random(f"life {number}"))).encode()


def combined(number: int) -> bytes:
    """A question to rules that nobody has asked before: a mixture of sheets, with other readings each time."""
    rng = random.Random(f"combined {number}")
    return json.dumps({**sample(rng), **mixture(rng)}).encode()


def mixture(rng: random.Random) -> dict[str, Any]:
    """Choose an edition with one to three sheets on top, and readings that it leaves open."""
    edition = rng.choice(EDITIONS)
    sheets, _ = applicable_sheets(edition, [name for name in EDITIONS if name != edition])
    some = rng.choice([(), *combinations(sheets, 1), *combinations(sheets, 2), *combinations(sheets, 3)])
    return {"edition": "+".join((edition, *some)), "readings": random_readings(rng, edition)}


LIVES: dict[str, Callable[[int], bytes]] = {"mixed": mixed, "combined": combined}


def held_by(process: int) -> int:
    """Give the bytes of memory that a process holds, as Linux tells."""
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def live(kind: str, seconds: float) -> list[tuple[float, int, int]]:
    """Ask an oracle for so long; print and give seconds, lines and MiB held, every minute or tenth of the time."""
    make, told, kinds = LIVES[kind], list[tuple[float, int, int]](), Counter[str]()
    with subprocess.Popen(ORACLE, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        start, number = time.monotonic(), 0
        while (now := time.monotonic() - start) < seconds:
            if not told or now - told[-1][0] >= min(EVERY_S, seconds / 10):
                told.append((now, number, held_by(process.pid) // MEBIBYTE))
                print(f"{now:6.0f} s, {number} lines, {told[-1][2]} MiB; {dict(kinds.most_common(4))}", flush=True)
            raw = make(number)
            number += 1
            if not raw.strip():
                continue
            process.stdin.write(raw + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            kinds["ok" if answer["ok"] else answer["error"]["kind"]] += 1
        process.stdin.close()
    return told
