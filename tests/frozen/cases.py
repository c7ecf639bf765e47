"""What is asked: the public cases, the scenarios that ship, and a request for every question of every game."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.frozen.entrances import ROOT, run

GAMES = ("titm", "bitterwoods", "cold-ford")
FILE_KEYS = ("game", "edition", "readings", "query", "input", "title", "source")  # of a case that a case file has too
SITUATIONS = ("position", "battle")
Case = Mapping[str, Any]


# ---------------------------------------------------------------------- public cases
@cache
def cases(game: str) -> tuple[Case, ...]:
    """List the public cases of a game."""
    lines = (ROOT / "conformance" / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) | {"game": game} for line in lines)


def chapter(case: Case) -> str:
    """Name the chapter of a case, as the pages of the cases do."""
    return str(case["number"]).rpartition("-")[0]


def questions_asked(game: str) -> list[Case]:
    """List the cases that put a question to the rules."""
    return [case for case in cases(game) if case["query"] != "replay"]


def records(game: str) -> list[Case]:
    """List the cases that are records of games."""
    return [case for case in cases(game) if case["query"] == "replay"]


def sample(game: str, most: int) -> list[Case]:
    """List the first few cases of every question, no two of one number."""
    counts: Counter[str] = Counter()
    numbers: set[str] = set()
    chosen = []
    for case in questions_asked(game):
        if case["number"] not in numbers and counts[case["query"]] < most:
            chosen.append(case)
            numbers.add(case["number"])
            counts[case["query"]] += 1
    return chosen


def words_for(case: Case) -> list[str]:
    """Write a case as the words of a command; a case with a situation becomes a file in the folder of work."""
    if not any(name in case["input"] for name in SITUATIONS):
        words = [f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
                 for name, value in case["input"].items()]  # fmt: skip
        return [case["query"], *words, "--edition", case["edition"], "--game", case["game"]]
    file = Path(f"{case['id']}.json")
    file.write_text(json.dumps({name: case[name] for name in FILE_KEYS if name in case}), encoding="utf-8")
    return [file.name, "--game", case["game"]]


def record_file(case: Case) -> str:
    """Write the record of a case into a file in the folder of work; give its name."""
    file = Path(f"{case['id']}.txt")
    file.write_text(case["input"]["record"], encoding="utf-8")
    return file.name


# ---------------------------------------------------------------------- what ships
@dataclass(frozen=True)
class Shipped:
    """A scenario or a case that ships."""

    name: str
    data: Mapping[str, Any]

    @property
    def asks(self) -> bool:
        """Whether it asks a question of its own."""
        return "query" in self.data

    @property
    def is_played(self) -> bool:
        """Whether a game can begin with it."""
        return not self.asks and ("day" in self.data or self.data.get("situation") == "position")


@cache
def shipped(game: str) -> tuple[Shipped, ...]:
    """List what ships under a name."""
    folders: dict[Path, list[Path]] = {}
    for path in sorted((ROOT / "scenarios" / game).glob("*/*.yaml")):
        folders.setdefault(path.parent, []).append(path)
    return tuple(
        Shipped((folder if len(paths) == 1 else path).stem, yaml.safe_load(path.read_text(encoding="utf-8")))
        for folder, paths in folders.items() for path in paths
    )  # fmt: skip


# ---------------------------------------------------------------------- questions
@cache
def questions(game: str) -> tuple[Mapping[str, Any], ...]:
    """List the questions of a game, each with a line to try."""
    return tuple(json.loads(run("questions", "--json", "--game", game).stdout))


def example(question: Mapping[str, Any]) -> tuple[list[str], str | None]:
    """Give the line to try of a question: the words of a command, and what goes into its standard input."""
    words = shlex.split(question["example"])
    if words[0] == "titm":
        return words[1:], None
    pipe = words.index("|")
    return words[pipe + 2 :], words[1]


def base_requests(game: str) -> Iterator[tuple[Mapping[str, Any], dict[str, Any]]]:
    """Yield each question of a game with a good request for it: a short case, or its line to try."""
    for question in questions(game):
        found = [case for case in questions_asked(game) if case["query"] == question["query"]]
        if found:
            case = min(found, key=lambda one: len(json.dumps(one["input"])))
            yield question, {"edition": case["edition"], "query": case["query"], "input": case["input"]}
        else:
            yield question, _request_of_example(question)


def _request_of_example(question: Mapping[str, Any]) -> dict[str, Any]:
    words, given = example(question)
    if given is not None:
        asked = json.loads(given)
        return {name: asked[name] for name in ("edition", "query", "input")}
    _, about, *rest = [word for word in words if word not in ("--game", *GAMES)]
    values = dict(word.split("=", 1) for word in rest if "=" in word)
    types = {one["name"]: one["type"] for one in question["takes"]}
    inputs = {name: _value(types[name], text) for name, text in values.items()}
    edition = {"cold-ford": "1"}.get(next((word for word in words if word in GAMES), ""), "1999")
    return {"edition": edition, "query": question["query"], "input": {**_situation(question["about"], about), **inputs}}


def _situation(about: str | None, name: str) -> dict[str, Any]:
    if about != "battle":
        return {about: name} if about else {}
    [found] = [one.data for game in GAMES for one in shipped(game) if one.name == name]
    return {about: found.get(about, found)}


def _value(kind: str, text: str) -> Any:
    if kind.startswith(("list of ", "pair of ")):
        return [_value(kind.partition(" of ")[2], part) for part in text.split(",")]
    if kind.startswith("number"):
        return int(text)
    return text == "yes" if kind == "flag" else text


def spoiled(question: Mapping[str, Any], inputs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield inputs of a question that are wrong, each with what is wrong with it."""
    yield "nothing", {}
    yield "one more", {**inputs, "nonsense": 1}
    for name in inputs:
        yield f"{name} of another type", {**inputs, name: {"nonsense": []}}
    for one in question["takes"]:
        value = inputs.get(one["name"])
        if isinstance(value, str):
            yield f"{one['name']} that is unknown", {**inputs, one["name"]: "nonsense"}
        elif isinstance(value, list):
            yield f"{one['name']} that are unknown", {**inputs, one["name"]: ["nonsense"]}
        elif isinstance(value, int):
            yield f"{one['name']} out of bounds", {**inputs, one["name"]: -1}


def spoiled_situation(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield situations that are wrong, each with what is wrong with it."""
    yield "nothing", {}
    yield "one more", {**data, "nonsense": 1}
    for name, value in data.items():
        yield f"{name} of another type", {**data, name: {"nonsense": []}}
        rows = value if isinstance(value, list) and value and isinstance(value[0], dict) else []
        for row in _spoiled_rows(name, rows):
            yield row[0], {**data, name: row[1]}


def _spoiled_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    if not rows:
        return
    first, rest = rows[0], list(rows[1:])
    yield f"{name}: a row twice", [first, *rows]
    yield f"{name}: one field more", [{**first, "nonsense": 1}, *rest]
    for key in first:
        yield f"{name}: no {key}", [{other: value for other, value in first.items() if other != key}, *rest]
        yield f"{name}: {key} of another type", [{**first, key: {"nonsense": []}}, *rest]
        yield f"{name}: {key} that is unknown", [{**first, key: "nonsense"}, *rest]
