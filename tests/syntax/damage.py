"""Ways to damage a rule file, as a careless or a hostile author would."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_WORD = re.compile(r'"[^"]*"|[A-Za-z0-9][\w.:-]*\w|\w|[^\s\w]')


def truncated(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text))]


def cut_out(text: str, rng: random.Random) -> str:
    start = rng.randrange(len(text))
    return text[:start] + text[start + rng.randrange(1, 200) :]


def random_bytes(text: str, rng: random.Random) -> str:
    raw = bytearray(text.encode())
    for _ in range(rng.randrange(1, 8)):
        raw[rng.randrange(len(raw))] = rng.randrange(256)
    return raw.decode("utf-8", "replace")


def lines_moved(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(rng.randrange(1, 4)):
        line = lines.pop(rng.randrange(len(lines)))
        lines.insert(rng.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def lines_twice(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    start = rng.randrange(len(lines))
    return "\n".join([*lines, *lines[start : start + rng.randrange(1, 12)]])


def lines_gone(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(rng.randrange(1, 4)):
        del lines[rng.randrange(len(lines))]
    return "\n".join(lines)


def _at_words(text: str, rng: random.Random, change: Callable[[str, str], str], times: int) -> str:
    """Put another word of the text, or something made of it, in place of some words."""
    words = list(_WORD.finditer(text))
    for match in sorted(rng.sample(words, times), key=lambda m: -m.start()):
        text = text[: match.start()] + change(match[0], rng.choice(words)[0]) + text[match.end() :]
    return text


def words_swapped(text: str, rng: random.Random) -> str:
    return _at_words(text, rng, lambda _, other: other, rng.randrange(1, 6))


def words_of_a_kind_swapped(text: str, rng: random.Random) -> str:
    """Swap names for names and numbers for numbers, so that most of it still parses."""

    def change(word: str, other: str) -> str:
        kinds = (str.isdigit, str.isalpha, lambda w: w.startswith('"'))
        return other if any(kind(word) and kind(other) for kind in kinds) else word

    return _at_words(text, rng, change, rng.randrange(1, 12))


def huge_numbers(text: str, rng: random.Random) -> str:
    huge = rng.choice(("999999999", "9" * 40, "0", "000000001", "-1"))
    return re.sub(r"\b\d+\b", lambda m: huge if rng.random() < 0.05 else m[0], text)


def deep_nesting(text: str, rng: random.Random) -> str:
    """Wrap a name of a condition in parentheses, negations or sums without end."""
    names = list(re.finditer(r"(?<=when )[a-z][\w-]*|(?<=is )[a-z][\w-]*|(?<=: )[a-z][\w-]*", text))
    if not names:
        return text + "(" * 5000
    match = rng.choice(names)
    depth = rng.choice((10, 70, 3000))
    before, after = rng.choice(
        (("(", ")"), ("not ", ""), ("1 + ", ""), ("x of ", ""), ("(x: ", ")"), ("some u in x where ", ""))
    )
    return text[: match.start()] + before * depth + match[0] + after * depth + text[match.end() :]


WAYS = (
    truncated, cut_out, random_bytes, lines_moved, lines_twice, lines_gone, words_swapped,
    words_of_a_kind_swapped, words_of_a_kind_swapped, huge_numbers, deep_nesting,
)  # fmt: skip
