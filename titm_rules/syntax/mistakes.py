"""Typical mistakes in rule text and what to say about them (`grammar/mistakes.toml`)."""

from __future__ import annotations

import re
import tomllib
from functools import cache

from titm_rules.shipped import data_folder

_FULL_STOP = ("end the sentence with a full stop", "end the sentence before with a full stop")


@cache
def _mistakes() -> list[tuple[re.Pattern[str], str, str]]:
    raw = tomllib.loads((data_folder("grammar") / "mistakes.toml").read_text(encoding="utf-8"))
    return [(re.compile(rf"(?:{entry['pattern']})\Z"), entry["why"], entry["fix"]) for entry in raw["mistake"]]


def explain(before: str, word: str, expected: list[str]) -> tuple[str, str]:
    """Say why an item does not parse at a word, and how to mend it; empty texts if unknown.

    Args:
        before: the item up to the word that is not expected.
        word: that word; empty at the end of the item.
        expected: what might stand there.

    A pattern must match at the end of the sentence that fails, its last word being the one that
    is not expected. Texts in quotes are shown to it as `""`.
    """
    sentence = re.split(r"\.\s+", _without_texts(before))[-1] + _without_texts(word)
    for pattern, why, fix in _mistakes():
        if pattern.search(sentence):
            return why, fix
    return "", _FULL_STOP[bool(word)] if "`.`" in expected else ""


def _without_texts(text: str) -> str:
    return re.sub(r'"[^"]*"', '""', text)
