"""The public entrances, and what is asked: public cases, scenarios that ship, a request for every question of a game.

A module that moves changes this file and `python_interface.py` alone. The protocol is asked through `titm oracle`,
which serves it line by line; so the command line is the one entrance for all but the Python interface.
"""

import contextlib
import json
import shlex
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from titm_rules.cli.app import app
from typer import testing

ROOT = Path(__file__).resolve().parents[2]
GAMES = ("titm", "bitterwoods", "cold-ford")
EDITIONS = {"titm": "1999", "bitterwoods": "2014", "cold-ford": "1"}
ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1", "TITM_RULES_GAMES": "", "TITM_RULES_DEBUG": ""}
UNLIMITED = ("--seconds", "0", "--memory", "0")  # what a request takes depends on the machine
FILE_KEYS = ("game", "edition", "readings", "query", "input", "title", "source")  # of a case that a case file has too
Json = Mapping[str, Any]
_RUNNER = testing.CliRunner()
_FOLDERS = [ROOT]
testing._get_command = cache(testing._get_command)  # type: ignore[attr-defined]  # the commands are built once


# ---------------------------------------------------------------------- entrances
@dataclass(frozen=True)
class Output:
    """What a command has printed, without the paths of this machine; `text` has both streams, as a terminal shows."""

    code: int
    stdout: str
    text: str


def run(*words: object, given: str | None = None) -> Output:
    """Run `titm` with these words, and these lines on its standard input, in the folder of work or the checkout."""
    with contextlib.chdir(_FOLDERS[-1]):
        done = _RUNNER.invoke(app, [str(word) for word in words], input=given, env=ENVIRONMENT, prog_name="titm")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Output(done.exit_code, _without_paths(done.stdout), _without_paths(done.output))


def ask(requests: Sequence[Json | str], game: str = "titm") -> list[Any]:
    """Send requests to one process of `titm oracle`; a text is sent as it is."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in requests]
    printed = run("oracle", *UNLIMITED, "--game", game, given="\n".join(lines)).stdout.splitlines()
    assert len(printed) == len(lines), f"{len(lines)} requests, {len(printed)} answers"
    return [json.loads(line) for line in printed]


@contextlib.contextmanager
def workplace() -> Iterator[None]:
    """Work in an empty folder, so that files have the same names on every machine."""
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        _FOLDERS.append(Path.cwd())
        try:
            yield
        finally:
            _FOLDERS.pop()


def _without_paths(text: str) -> str:
    return text.replace(str(ROOT), "ROOT").replace(str(_FOLDERS[-1]), "WORK")


# ---------------------------------------------------------------------- public cases
@cache
def cases(game: str) -> tuple[Json, ...]:
    lines = (ROOT / "conformance" / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) | {"game": game} for line in lines)


def chapter(case: Json) -> str:
    """Name the chapter of a case, as the pages of the cases do."""
    return str(case["number"]).rpartition("-")[0]


def questions_asked(game: str) -> list[Json]:
    """List the cases that put a question to the rules."""
    return [case for case in cases(game) if case["query"] != "replay"]


def records(game: str) -> list[Json]:
    """List the cases that are records of games."""
    return [case for case in cases(game) if case["query"] == "replay"]


def sample(game: str, most: int) -> list[Json]:
    """List the first few cases of every question, no two of one number."""
    counts: Counter[str] = Counter()
    chosen: dict[str, Json] = {}
    for case in questions_asked(game):
        if case["number"] not in chosen and counts[case["query"]] < most:
            chosen[case["number"]] = case
            counts[case["query"]] += 1
    return list(chosen.values())


def words_for(case: Json) -> list[str]:
    """Write a case as the words of a command; a case with a situation becomes a file in the folder of work."""
    if not {"position", "battle"} & case["input"].keys():
        words = [f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
                 for name, value in case["input"].items()]  # fmt: skip
        return [case["query"], *words, "--edition", case["edition"], "--game", case["game"]]
    file = Path(f"{case['id']}.json")
    file.write_text(json.dumps({name: case[name] for name in FILE_KEYS if name in case}), encoding="utf-8")
    return [file.name, "--game", case["game"]]


# ---------------------------------------------------------------------- what ships
@cache
def shipped(game: str) -> dict[str, Json]:
    """Map the names of the scenarios and cases that ship to their data."""
    paths = sorted((ROOT / "scenarios" / game).glob("*/*.yaml"))
    alone = Counter(path.parent for path in paths)
    names = {(path.parent if alone[path.parent] == 1 else path).stem: path for path in paths}
    return {name: yaml.safe_load(path.read_text(encoding="utf-8")) for name, path in names.items()}


def is_played(data: Json) -> bool:
    """Whether a game can begin with it."""
    return "query" not in data and ("day" in data or data.get("situation") == "position")


# ---------------------------------------------------------------------- questions
@cache
def questions(game: str) -> tuple[Json, ...]:
    """List the questions of a game, each with a line to try."""
    return tuple(json.loads(run("questions", "--json", "--game", game).stdout))


def example(question: Json) -> tuple[list[str], str | None]:
    """Give the line to try of a question: the words of a command, and what goes into its standard input."""
    words = shlex.split(question["example"])
    if words[0] == "titm":
        return words[1:], None
    return words[words.index("|") + 2 :], words[1]


def base_requests(game: str) -> Iterator[tuple[Json, dict[str, Any]]]:
    """Yield each question of a game with a good request for it: a short case, or its line to try."""
    for question in questions(game):
        found = [case for case in questions_asked(game) if case["query"] == question["query"]]
        words, given = example(question)
        if found or given is not None:
            case = min(found, key=lambda one: len(json.dumps(one["input"]))) if found else json.loads(str(given))
            yield question, {name: case[name] for name in ("edition", "query", "input")}
        else:
            yield question, _request_of_words(question, words)


def _request_of_words(question: Json, words: Sequence[str]) -> dict[str, Any]:
    _, name, *rest = [word for word in words if word not in ("--game", *GAMES)]
    types = {one["name"]: one["type"] for one in question["takes"]}
    values = dict(word.split("=", 1) for word in rest if "=" in word)
    inputs = {name: _value(types[name], text) for name, text in values.items()}
    about: dict[str, Any] = {question["about"]: name} if question["about"] else {}
    if question["about"] == "battle":
        [found] = [shipped(game)[name] for game in GAMES if name in shipped(game)]
        about = {"battle": found.get("battle", found)}
    edition = "1" if "cold-ford" in words else "1999"
    return {"edition": edition, "query": question["query"], "input": {**about, **inputs}}


def _value(kind: str, text: str) -> Any:
    if kind.startswith(("list of ", "pair of ")):
        return [_value(kind.partition(" of ")[2], part) for part in text.split(",")]
    if kind.startswith("number"):
        return int(text)
    return text == "yes" if kind == "flag" else text


# ---------------------------------------------------------------------- what is wrong
OTHER_TYPE = {"nonsense": []}


def spoiled(question: Json, inputs: Json) -> Iterator[tuple[str, Any]]:
    """Yield inputs of a question that are wrong, each with what is wrong with it."""
    yield "nothing", {}
    yield "one more", {**inputs, "nonsense": 1}
    for name in inputs:
        yield f"{name} of another type", {**inputs, name: OTHER_TYPE}
    for name in (one["name"] for one in question["takes"]):
        match inputs.get(name):
            case str():
                yield f"{name} that is unknown", {**inputs, name: "nonsense"}
            case list():
                yield f"{name} that are unknown", {**inputs, name: ["nonsense"]}
            case int():
                yield f"{name} out of bounds", {**inputs, name: -1}


def spoiled_situation(data: Json) -> Iterator[tuple[str, Any]]:
    """Yield situations that are wrong, each with what is wrong with it."""
    yield "nothing", {}
    yield "one more", {**data, "nonsense": 1}
    for name, value in data.items():
        yield f"{name} of another type", {**data, name: OTHER_TYPE}
        match value:
            case [dict() as first, *rest]:
                yield f"{name}: a row twice", {**data, name: [first, *value]}
                yield f"{name}: one field more", {**data, name: [{**first, "nonsense": 1}, *rest]}
                for key in first:
                    without = {other: held for other, held in first.items() if other != key}
                    yield f"{name}: no {key}", {**data, name: [without, *rest]}
                    yield f"{name}: {key} of another type", {**data, name: [{**first, key: OTHER_TYPE}, *rest]}
                    yield f"{name}: {key} that is unknown", {**data, name: [{**first, key: "nonsense"}, *rest]}
