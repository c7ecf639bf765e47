"""The public entrances: all that is frozen is asked here, so that a module which moves changes this file alone.

The protocol is asked through `titm oracle`, which serves it line by line; so the command line is the one entrance for
all but the Python interface, which `python_interface.py` asks.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from titm_rules.cli.app import app
from typer import main as typer_main
from typer import testing

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1", "TITM_RULES_GAMES": "", "TITM_RULES_DEBUG": ""}
UNLIMITED = ("--seconds", "0", "--memory", "0")  # what a request takes depends on the machine
_RUNNER = testing.CliRunner()
_FOLDERS = [ROOT]
testing._get_command = cache(testing._get_command)  # type: ignore[attr-defined]  # the commands are built once


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


def ask(requests: Sequence[Mapping[str, Any] | str], game: str = "titm") -> list[Any]:
    """Send requests to one process of `titm oracle`; a text is sent as it is."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in requests]
    printed = run("oracle", *UNLIMITED, "--game", game, given="\n".join(lines)).stdout.splitlines()
    assert len(printed) == len(lines), f"{len(lines)} requests, {len(printed)} answers"
    return [json.loads(line) for line in printed]


def commands() -> Any:
    """Give the tree of commands as the library of the command line holds it."""
    return typer_main.get_command(app)


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """Work in an empty folder, so that files have the same names on every machine."""
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        _FOLDERS.append(Path.cwd())
        try:
            yield _FOLDERS[-1]
        finally:
            _FOLDERS.pop()


def _without_paths(text: str) -> str:
    for folder, name in ((ROOT, "ROOT"), (_FOLDERS[-1], "WORK")):
        text = text.replace(str(folder), name)
    return text
