"""Clauses as they stand in their rule files."""

from __future__ import annotations

import re

from titm_rules.diagnostics import Span
from titm_rules.vocabulary.data import data_folder

_PARTS = re.compile(r"(\d+)")


def formal_text(span: Span) -> str:
    """Read a clause as it stands in its rule file."""
    path = data_folder("rulesets").parent / span.path
    lines = path.read_text(encoding="utf-8").splitlines()[span.line - 1 :]
    end = next((n for n, text in enumerate(lines[1:], 1) if text and not text[0].isspace()), len(lines))
    return "\n".join(lines[:end]).rstrip()


def natural(number: str) -> list[tuple[int, str]]:
    """Sort clause numbers as a reader counts: part by part, each number by its size."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _PARTS.split(number) if part]
