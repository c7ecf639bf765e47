"""Print the table of figures: `python -m benchmarks [--rounds N] [WORD]...`, all cases or those with a word in them.

Before anything is timed, the ways of each case answer it, and their answers are compared. Then they take turns, round
by round, so that what else the machine does falls on all of them alike. The figure of a way is its fastest round, in
processor time; beside it stands the middle one, and the ratio to what a person wrote by hand for these rules alone.
"""

from __future__ import annotations

import argparse
import statistics
import sys

from benchmarks import games, memory
from benchmarks.cases import Case, every_case
from benchmarks.measure import disagreements, shown, times
from benchmarks.sizes import every_series, rows
from benchmarks.start import PLAIN, starts


def row(name: str, title: str, found: list[float], base: float, aim_ms: float | None = None) -> str:
    """Write a row of the table."""
    fastest, middle = min(found), statistics.median(found)
    aim = shown(aim_ms) if aim_ms is not None else ""
    return f"| {name} | {title} | {shown(fastest)} | {shown(middle)} | {fastest / base:.3g} | {aim} |"


def print_case(case: Case, rounds: int) -> bool:
    """Compare the answers to a case and print its rows; whether all ways agree."""
    if wrong := disagreements(case):
        print(f"| {case.name} | {', '.join(wrong)} | answer otherwise | | | |", flush=True)
        return False
    found = times(case, rounds)
    base = min(found.get("hand") or found["compiled"])
    for title, each in found.items():
        print(row(case.name, title, each, base, case.aim_ms if title == "compiled" else None), flush=True)
    return True


def main() -> int:
    """Print the tables; 1 if answers differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="What the rules cost, beside other ways.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only cases in whose name one of these is")
    parser.add_argument("--rounds", type=int, default=15, help="how often each way is timed")
    asked = parser.parse_args()

    def wanted(name: str) -> bool:
        return not asked.words or any(word in name for word in asked.words)

    print("| question | way | fastest | median | ratio | aim |\n| --- | --- | --- | --- | --- | --- |")
    agree = [print_case(case, asked.rounds) for case in every_case() if wanted(case.name)]
    if wanted("start"):
        begun = starts(max(3, asked.rounds // 2))
        for title, each in begun.items():
            print(row("start", title, each, min(begun[PLAIN])), flush=True)
    print("\n| cost against size | way | at each size | exponent |\n| --- | --- | --- | --- |")
    for series in every_series():
        for line in rows(series, max(3, asked.rounds // 3)) if wanted(series.name) else ():
            print(line, flush=True)
    if wanted("games"):
        print()
        for line in games.table(max(3, asked.rounds // 3), []):
            print(line, flush=True)
    if wanted("memory"):
        print("\n| memory | taken |\n| --- | --- |")
        for line in memory.rows():
            print(line, flush=True)
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
