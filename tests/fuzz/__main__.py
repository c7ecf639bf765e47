"""Tell lines and files until so many are told: `python -m tests.fuzz lines 100000`, `... files 20000 --from 5`.

`... mixed 3600` asks an oracle in a process of its own for so many seconds and tells what memory it holds; `combined`
mixes sheets, `overlaid` sends other house rules each time, `served` asks a server.

Prints every one that broke, with its seed, and at the end, or when it is interrupted, what came of all, with the
slowest and the largest.
"""

import argparse
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from titm_rules.service.budget import held_memory
from titm_rules.service.protocol import Oracle

from tests.fuzz.files import KINDS, try_file, write_file
from tests.fuzz.life import LIVES, live
from tests.fuzz.lines import BUDGET, check_line, line


class Tally:
    """What came of all."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.broken = 0
        self.slowest: tuple[float, str] = (0.0, "")
        self.largest: tuple[int, str] = (0, "")

    def add(self, name: str, size: int, work) -> None:
        start = time.monotonic()
        try:
            self.kinds[work()] += 1
        except Exception:
            self.broken += 1
            print(f"BROKEN {name}\n{traceback.format_exc()}", flush=True)
        self.slowest = max(self.slowest, (time.monotonic() - start, name))
        self.largest = max(self.largest, (size, name))


def trials(given: argparse.Namespace, folder: Path) -> Iterator[tuple[str, int, Callable[[], str]]]:
    """Yield lines or files, each with its name and size, and what is to be done with it."""
    oracle, kinds = Oracle("compiled", BUDGET), given.kind or list(KINDS)
    for seed in range(given.first, given.first + given.count):
        kind = kinds[seed % len(kinds)]
        if given.what == "lines":
            raw = line(seed)
            yield f"line {seed}", len(raw), partial(check_line, raw, oracle)
        else:
            size = write_file(kind, seed, folder).stat().st_size
            yield f"{kind} {seed}", size, partial(try_file, kind, seed, folder)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("what", choices=["lines", "files", *LIVES])
    parser.add_argument("count", type=int)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    given = parser.parse_args()
    if given.what in LIVES:
        return 0 if live(given.what, given.count) else 1
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell lets what runs in the background ignore the first
        signal.signal(number, signal.default_int_handler)
    tally, start, before = Tally(), time.monotonic(), held_memory()
    with suppress(KeyboardInterrupt), tempfile.TemporaryDirectory() as folder:
        for name, size, work in trials(given, Path(folder)):
            tally.add(name, size, work)
    print(f"{tally.kinds.total()} {given.what} in {time.monotonic() - start:.0f} s, {tally.broken} broken")
    (took, slowest), (size, largest) = tally.slowest, tally.largest
    print(f"slowest: {took:.2f} s, {slowest}; largest: {size} bytes, {largest}")
    print(f"memory: {before // 2**20} MiB before, {held_memory() // 2**20} MiB after")
    print(", ".join(f"{kind} {number}" for kind, number in tally.kinds.most_common()))
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main())
