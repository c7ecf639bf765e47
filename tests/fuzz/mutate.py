"""Mutation that knows what it changes: values in a tree, texts with marks of their own, lines, bytes.

Everything is decided by the random generator that is given: the same seed makes the same input.
"""

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

Json = Any
Path = tuple[Any, ...]

# All that Unicode or Python takes for the end of a line, and blanks that are none of ours.
SEPARATORS = (
    "\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\u00a0", "\u3000", "\ufeff",
)  # fmt: skip
SURROGATES = ("\ud800", "a\udfff", "\udc80\ud800")
CLIMBING = ("..", "../../etc/passwd", "/etc/passwd", "/dev/zero", "C:\\x", "~", "a/../../b", "file:///x", "\x00")
CONTROL = ("\x1b[2K", "\x07", "\x7f", "\u202e", "\u009b2J")
NUMBERS = (0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**30, 1e300, -0.0, 0.1, 1e-300)
WORDS = (
    "", " ", "x", "__class__", "None", "entrench", "!x", "a>b", "a,b", "1999", "1999+2002-07-25", "id", "<<", "*a",
    "&a", "!!python/none",
)  # fmt: skip
LONG = ("x" * 300, "é" * 5_000, "[" * 200, "9" * 5_000)
WRONG: tuple[Json, ...] = (
    None, True, False, [], {}, [[]], [None], {"": 1}, {"id": "x"}, *NUMBERS, *WORDS, *LONG, *SEPARATORS, *SURROGATES,
    *CLIMBING, *CONTROL,
)  # fmt: skip


def spots(value: Json, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every value inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from spots(inner, (*path, key))


def holder(value: Json, path: Path) -> Json:
    for key in path[:-1]:
        value = value[key]
    return value


def at(value: Json, path: Path) -> Json:
    return holder(value, path)[path[-1]] if path else value


# ---------------------------------------------------------------------- changes of a tree
def remove(tree: Json, path: Path, rng: random.Random) -> None:
    del holder(tree, path)[path[-1]]


def rename(tree: Json, path: Path, rng: random.Random) -> None:
    """Give a key another name, or a list a new member."""
    inside = holder(tree, path)
    if isinstance(inside, dict):
        inside[str(rng.choice([*WORDS, *SEPARATORS, *SURROGATES, *CLIMBING]))] = inside.pop(path[-1])
    else:
        inside.insert(rng.randrange(len(inside) + 1), copy.deepcopy(rng.choice(WRONG)))


def swap(tree: Json, path: Path, rng: random.Random) -> None:
    """Exchange two values of the tree that do not hold each other."""
    other = rng.choice(list(spots(tree)))
    if path[: len(other)] != other and other[: len(path)] != path:
        one, two = at(tree, path), at(tree, other)
        holder(tree, path)[path[-1]], holder(tree, other)[other[-1]] = two, one


def wrong(value: Json, rng: random.Random, others: list[Json]) -> Json:
    return copy.deepcopy(rng.choice(WRONG))


def splice(value: Json, rng: random.Random, others: list[Json]) -> Json:
    """Give a value of another sample."""
    other = rng.choice(others)
    where = list(spots(other))
    return copy.deepcopy(at(other, rng.choice(where)) if where else other)


def repeat(value: Json, rng: random.Random, others: list[Json]) -> Json:
    if isinstance(value, str | list) and len(value) < 500:
        many = value * rng.choice((2, 30))
        return many if isinstance(many, str) else [copy.deepcopy(one) for one in many]
    return value


def nest(value: Json, rng: random.Random, others: list[Json]) -> Json:
    for _ in range(rng.choice((1, 5, 70))):
        value = [value] if rng.random() < 0.5 else {"id": value}
    return value


def nudge(value: Json, rng: random.Random, others: list[Json]) -> Json:
    """Change a value a little, so that it may still be one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-2, -1, 1, 10, 1_000))
    if isinstance(value, str) and value:
        cut = rng.randrange(len(value))
        return value[:cut] + rng.choice(("", value[cut], *SEPARATORS, *SURROGATES, *CONTROL)) + value[cut + 1 :]
    return value


MOVES = (remove, rename, swap)
CHANGES: tuple[Callable[..., Any], ...] = (wrong, *MOVES, splice, repeat, nest, nudge, nudge)


def changed(tree: Json, rng: random.Random, others: list[Json], most: int = 4) -> Json:
    """Change a tree in some places; now and then not at all."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.randrange(most + 1)):
        if where := list(spots(tree)):
            change, path = rng.choice(CHANGES), rng.choice(where)
            if change in MOVES:
                change(tree, path, rng)
            else:
                holder(tree, path)[path[-1]] = change(at(tree, path), rng, others)
    return tree


# ---------------------------------------------------------------------- changes of a text
MARKS = (
    *SEPARATORS, *CLIMBING[:3], *CONTROL, "{", "}", "[", "]", '"', "'", "\\", ":", ",", "-", "#", "&a ", "*a", "!!set ",
    "<<: ", "? ", "| ", "%", ".", ";", "//", "(", ")", "1e999", "NaN", "\\ud800", "\ufffd", "---\n", "...\n", "\t",
)  # fmt: skip


def retyped(text: str, rng: random.Random, most: int = 3) -> str:
    """Change a text as hands and editors do: cut, double, move, and put marks in."""
    for _ in range(rng.randrange(most + 1)):
        a, b = sorted((rng.randrange(len(text) + 1), min(len(text), rng.randrange(len(text) + 1))))
        b = min(b, a + rng.choice((1, 5, 60)))
        piece = rng.choice(("", text[a:b] * 2, rng.choice(MARKS), text[b : b + 40] + text[a:b], rng.choice(MARKS) * 40))
        text = text[:a] + piece + text[b:]
    return text


def twin_key(text: str, rng: random.Random) -> str:
    """Say a key of JSON text twice."""
    opens = [n for n, letter in enumerate(text) if letter == "{" and text[n + 1 : n + 2] == '"']
    if not opens:
        return text
    start = rng.choice(opens) + 1
    end = text.find('"', start + 1) + 1
    return f"{text[:start]}{text[start:end]}: 1, {text[start:]}" if end else text


def written(tree: Json, rng: random.Random) -> str:
    """Write a tree as JSON, now and then with damage that JSON alone can have."""
    text = json.dumps(tree, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.1:
        text = twin_key(text, rng)
    if rng.random() < 0.2:
        text = retyped(text, rng)
    return text


def as_bytes(text: str, rng: random.Random) -> bytes:
    """Encode a text, now and then with a byte that is none of UTF-8."""
    raw = text.encode("utf-8", "surrogatepass" if rng.random() < 0.5 else "replace")
    if rng.random() < 0.05 and raw:
        where = rng.randrange(len(raw))
        raw = raw[:where] + bytes((rng.randrange(256),)) + raw[where + 1 :]
    return raw
