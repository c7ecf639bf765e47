"""Calls to the system fail one at a time: a right answer or a sentence, and no file is lost."""

import json
import sys
from functools import cache

import pytest
from titm_rules.oracle.case import Rules
from titm_rules.oracle.game import open_start

from tests.damage.failing import End, Trial, run_trials

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="each run is a fork")

BAD_INPUT, NOT_READ, NOT_WRITTEN = 2, 71, 74
HOUSE = 'clause  99.1 "Slow"\n  "Nobody hurries."\n  march may not step when turn is  2.\n'
WORN = "an older file\n"  # of the name that is written to
FORD = ("--game", "cold-ford")
COMMANDS = {
    "check": ("check", "the-ford", "check_path", "unit=r-guard", "path=0103,0303", *FORD),
    "play": ("play", "the-ford", *FORD, "--limit", "6", "-o", "out.txt", "--chain"),
    "fmt": ("fmt", "house.rules", *FORD),
    "map import": ("map", "import", "map.geojson", "-o", "out.yaml", *FORD),
    "diff --find": ("diff", "--find", "--query", "winner", "--overlay", "house.rules", *FORD),
}


@cache
def trials(kind, count, seed, every):
    """Run every command and a server; give the ends of each by name."""
    start = open_start("the-ford", Rules(game="cold-ford"))[1]
    inputs = {"position": start.to_dict(), "unit": "r-guard", "path": ["0103", "0203"]}
    asked = json.dumps({"game": "cold-ford", "edition": "1", "query": "check_path", "input": inputs})
    served = [["ask", asked], ["scenario", "cold-ford", "the-ford"], ["games"], ["ask", asked]]
    commands = {**COMMANDS, "serve": ("serve", *map(json.dumps, served))}
    files = {"house.rules": HOUSE, "out.txt": WORN, "out.yaml": WORN, "map.geojson": geojson()}
    whole = [Trial(words, kind, files, count, seed, every) for words in commands.values()]
    return dict(zip(commands, run_trials(whole), strict=True))


@cache
def geojson():
    """The map of the second game in another format."""
    command = ("map", "export", "-o", "out.geojson", *FORD)
    return run_trials([Trial(command, "files", count=0)])[0][0].files["out.geojson"]


# ---------------------------------------------------------------------- judging
def faults(name: str, whole: End, end: End, kind: str) -> list[str]:
    """Say what is wrong with a run in which a call failed."""
    found = []
    if kind == "memory" and end.code < 0 and not end.out:
        return []  # an interpreter that ends itself has no memory to say why
    is_same = (end.code, end.out) == (whole.code, whole.out)
    if name == "serve":
        found += [f"reply: {reply[:200]}" for reply in wrong_replies(whole.out, end.out, kind == "memory")]
    elif not is_same:
        found += [f"exit code {end.code}: {end.err[-300:]}"] * (end.code not in (BAD_INPUT, NOT_READ, NOT_WRITTEN))
        found += ["nothing is said"] * (not end.err.strip())
        found += [f"another answer: {end.out[:200]}"] * (not whole.out.startswith(end.out))
    if ("Traceback" in end.err or "a bug" in end.err) and (name, kind) != ("serve", "memory"):
        found.append(end.err[-300:])
    for file, before in {"house.rules": HOUSE, "out.txt": WORN, "out.yaml": WORN}.items():
        after = end.files.get(file, "gone")
        right = (whole.files[file],) if is_same else (before, whole.files[file])
        if after not in right and not (file == "out.txt" and is_begun(after, whole.files[file])):
            found.append(f"{file}: {after[:200]}")
    return found


def is_begun(record: str, whole: str) -> bool:
    """Whether a record is a game as far as it was played: its head and whole lines."""
    return record.endswith("\n") and whole.startswith(record) and "start the-ford" in record


def wrong_replies(whole: str, replies: str, may_end: bool) -> list[str]:
    """Give the replies that are neither right nor say in a sentence that they failed.

    A worker may end that has no memory to go on: the server says so for it, and starts another.
    """
    right, found = whole.splitlines(), replies.splitlines()
    if len(right) != len(found) and not may_end:
        return [f"{len(found)} of {len(right)} replies"]
    return [reply for reply, as_ever in zip(found, right, strict=False) if reply != as_ever and not is_error(reply)]


def is_error(reply: str) -> bool:
    status, _, body = reply.partition(" ")
    return status != "200" and json.loads(body)["error"]["kind"] in ("failed", "no-file", "too-large")


slow = pytest.mark.slow
KINDS = [
    ("files", 1, 1, False), pytest.param("files", 150, 2, False, marks=slow),
    pytest.param("files", 60, 3, True, marks=slow), pytest.param("clocks", 40, 4, False, marks=slow),
    pytest.param("memory", 80, 5, False, marks=slow),
]  # fmt: skip


@pytest.mark.parametrize("name", [*COMMANDS, "serve"])
@pytest.mark.parametrize(("kind", "count", "seed", "every"), KINDS)
def test_a_call_that_fails_is_told_and_costs_no_file(kind, count, seed, every, name):
    whole, *ends = trials(kind, count, seed, every)[name]
    assert (whole.code, whole.err) in ((0, ""), (1, ""))
    assert {end.failed: told for end in ends if (told := faults(name, whole, end, kind))} == {}
