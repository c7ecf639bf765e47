"""The most frequent commands, parsed without typer, which takes as long to import as they take to answer.

What is not plain (help, an option that is unknown or lacks its value, any other command) is left to typer.
`tests/cli/test_quick.py` holds the options to those that `app.py` declares.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

COMPLETING = "_TITM_COMPLETE"  # the environment in which a shell asks for completions
FLAGS = {"--json": "as_json"}
TEXTS = {
    "--game": "game", "--edition": "edition", "--readings": "under", "--engine": "engine", "--from": "base",
    "--at": "at",
}  # fmt: skip
LISTS = {"--reading": "readings", "--overlay": "overlays", "--set": "changes"}
ABOUT = ("base", "changes", "at")  # what is asked about; the others are options of all commands
EVERYTHING = {"check": False, "why": True}  # the commands, and whether they print the whole verdict


def quick_command(words: Sequence[str]) -> Callable[[], int] | None:
    """Return the work of a command line, which returns its exit code; None if typer must parse it."""
    if not words or words[0] not in EVERYTHING or COMPLETING in os.environ or os.name == "nt":
        return None  # on Windows typer puts files in place of patterns
    found = _read(words[1:])
    return None if found is None else lambda: _judge(*found, EVERYTHING[words[0]])


def _read(words: Sequence[str]) -> tuple[list[str], dict[str, Any]] | None:
    """Separate the words of a command line from its options; None if one is not plain."""
    given: list[str] = []
    options: dict[str, Any] = {}
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("-"):
            given.append(word)
        elif word in FLAGS:
            options[FLAGS[word]] = True
        elif name not in TEXTS and name not in LISTS:
            return None
        else:
            if not equals:
                value = left.pop(0) if left else "-"
            if value.startswith("-"):
                return None
            if name in TEXTS:
                options[TEXTS[name]] = value
            else:
                options.setdefault(LISTS[name], []).append(value)
    return given, options


def _judge(given: Sequence[str], options: Mapping[str, Any], everything: bool) -> int:
    from titm_rules.cli.terminal import exit_code

    def work() -> int:
        from titm_rules.cli.ask import SharedOptions, judge, subject_of

        about = {"base": "", "changes": None, **{name: options[name] for name in ABOUT if name in options}}
        file, *words = given or ("",)
        shared = SharedOptions(**{name: value for name, value in options.items() if name not in ABOUT})
        return judge(*subject_of(file, words, **about), shared, everything)

    return exit_code(work, options.get("as_json", False))
