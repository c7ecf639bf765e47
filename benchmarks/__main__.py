"""Print the table of figures: `python -m benchmarks`.

The ways of a case take turns, round by round, so that what else the machine does falls on all of them
alike. The figure of a way is its fastest round; beside it stands the middle one.
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.cases import Case, every_case
from benchmarks.start import COMMAND

ROUNDS = 21


def times(case: Case, rounds: int) -> dict[str, list[float]]:
    """Time every way of a case, in milliseconds for one question."""
    found: dict[str, list[float]] = {title: [] for title in case.ways}
    for number in range(rounds):
        for title, way in case.ways.items():
            if number < way.rounds or way.rounds >= rounds:
                found[title].append(_timed(way.prepare(), way.run) / case.units)
    return found


def _timed(prepared: Any, run: Callable[[Any], Any]) -> float:
    gc.collect()
    begin = time.perf_counter()
    run(prepared)
    return (time.perf_counter() - begin) * 1000


def starts(rounds: int = 9) -> list[float]:
    """Time the command from a cold start, in milliseconds."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run(_: Any) -> None:
        subprocess.run([sys.executable, *COMMAND], capture_output=True, check=True, env=environment)

    run(None)  # writes the byte code and the cache of the rules, as any first use does
    return [_timed(None, run) for _ in range(rounds)]


def shown(ms: float) -> str:
    """Write a time with three figures that count."""
    return f"{ms * 1000:.3g} us" if ms < 1 else f"{ms:.3g} ms" if ms < 1000 else f"{ms / 1000:.3g} s"


def row(name: str, aim_ms: float | None, title: str, found: list[float], base: float) -> str:
    """Write a row of the table."""
    fastest, middle = min(found), statistics.median(found)
    aim = shown(aim_ms) if aim_ms is not None else ""
    ratio = f"{fastest / base:.3g}" if fastest != base else "1"
    return f"| {name} | {title} | {shown(fastest)} | {shown(middle)} | {ratio} | {aim} |"


def main() -> None:
    """Print the table."""
    print("| question | way | fastest | median | ratio | aim |\n| --- | --- | --- | --- | --- | --- |")
    for case in every_case():
        found = times(case, ROUNDS)
        base = min(found.get("hand") or found["compiled"])
        for title, each in found.items():
            print(row(case.name, case.aim_ms if title == "compiled" else None, title, each, base), flush=True)
    begun = starts()
    print(row("`titm check` from a cold start", 500, "compiled", begun, min(begun)))


if __name__ == "__main__":
    main()
