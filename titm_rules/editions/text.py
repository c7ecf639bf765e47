"""Clauses as they stand in their rule files."""

from __future__ import annotations

import re
from pathlib import Path

from titm_rules.diagnostics import Fault, InputError, Span
from titm_rules.editions.games import RULESET_FOLDER, SCENARIO_FOLDER
from titm_rules.shipped import data_folder

_PARTS = re.compile(r"(\d+)")


def formal_text(span: Span) -> str:
    """Read a clause as it stands in its rule file.

    Raises:
        InputError: if the file, one of somebody's own, has gone.
    """
    try:
        lines = rule_file(span.path).read_text(encoding="utf-8").splitlines()[span.line - 1 :]
    except OSError as error:
        what, why = f"cannot read the rules again: {error.strerror}", "the words of a clause are taken from its file"
        raise InputError([Fault(what, span.path, why, "put the file back", kind="no-file")]) from None
    end = next((n for n, text in enumerate(lines[1:], 1) if text and not text[0].isspace()), len(lines))
    return "\n".join(lines[:end]).rstrip()


def rule_file(shown: str) -> Path:
    """Find the file that `shown_path` shows: of a game that ships, or where its path says."""
    folder, _, rest = shown.partition("/")
    path = data_folder(folder) / rest if folder in (RULESET_FOLDER, SCENARIO_FOLDER) else Path(shown)
    return path if path.is_file() else Path(shown)


def natural(number: str) -> list[tuple[int, str]]:
    """Sort clause numbers as a reader counts: part by part, each number by its size."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _PARTS.split(number) if part]
