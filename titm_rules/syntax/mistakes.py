"""Typical mistakes in rule text and what to say about them (`grammar/mistakes.toml`)."""

from __future__ import annotations

import re
import tomllib
from functools import cache

from titm_rules.vocabulary.data import data_folder


@cache
def _mistakes() -> list[tuple[re.Pattern[str], str, str]]:
    raw = tomllib.loads((data_folder("grammar") / "mistakes.toml").read_text(encoding="utf-8"))
    return [(re.compile(entry["pattern"]), entry["why"], entry["fix"]) for entry in raw["mistake"]]


def explain(item: str, line: int, column: int, expected: list[str]) -> tuple[str, str]:
    """Say why an item does not parse at a place, and how to mend it; empty texts if unknown.

    A pattern is matched against the text from the start of the sentence that fails up to the
    end of the line.
    """
    lines = item.split("\n")
    text = "\n".join(lines[: line - 1]) + "\n" + (lines[line - 1] if line <= len(lines) else "")
    bare = re.sub(r'"[^"]*"?', "", text)
    sentence = re.split(r"\.\s+", bare)[-1]
    for pattern, why, fix in _mistakes():
        if pattern.search(sentence):
            return why, fix
    return "", ("end the sentence before with a full stop" if "`.`" in expected else "")
