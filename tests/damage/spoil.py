"""Ways to damage a protocol line, each with what the answer must say of it; tests/fuzz damages lines in any way.

A spoiler takes a request (parsed, its own copy) and a random generator; it returns the damaged line
and the place that the error must name. `ANY` as place: the line may be answered or refused.
"""

import copy
import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

ANY = "any"
Json = Any
Damaged = tuple[bytes, str]
Spoiler = Callable[[Json, random.Random], Damaged]
Wanted = Callable[[Any, Json], bool]
NAMED = ("allocation",)


def line(request: Json) -> bytes:
    return json.dumps(request).encode()


# ---------------------------------------------------------------------- finding places
def walk(value: Json, path: str = "$.input") -> Iterator[tuple[str, Json, Any]]:
    """Yield every place below a value: its path, what holds it, and the key there."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        here = f"{path}.{key}" if isinstance(value, dict) else f"{path}[{key}]"
        yield here, value, key
        if key not in NAMED:
            yield from walk(inner, here)


def pick(request: Json, rng: random.Random, wanted: Wanted) -> tuple[str, Json, Any]:
    return rng.choice([spot for spot in walk(request["input"]) if wanted(spot[2], spot[1][spot[2]])])


def situation(request: Json) -> tuple[str, Json]:
    name = next(name for name in ("position", "battle") if name in request["input"])
    return f"$.input.{name}", request["input"][name]


def can_be_spoiled(request: Json) -> bool:
    """Whether a request has a situation with pieces in it."""
    inside = request["input"].get("position") or request["input"].get("battle") or {}
    return bool(inside.get("units") or inside.get("attackers"))


def pieces(request: Json) -> tuple[str, list[Json]]:
    path, inside = situation(request)
    name = "units" if "units" in inside else "attackers"
    return f"{path}.{name}", inside[name]


# ---------------------------------------------------------------------- kinds of spoilers
def put_in(holds: Wanted, values: Sequence[Json], place: str = "") -> Spoiler:
    """Make a spoiler that replaces a value below the input; the error names its path, or the place."""

    def spoiler(request: Json, rng: random.Random) -> Damaged:
        path, holder, key = pick(request, rng, holds)
        holder[key] = copy.deepcopy(rng.choice(values))
        return line(request), place or path

    return spoiler


def put_in_frame(name: str, values: Sequence[Json], place: str = "") -> Spoiler:

    def spoiler(request: Json, rng: random.Random) -> Damaged:
        request[name] = rng.choice(values)
        return line(request), place or f"$.{name}"

    return spoiler


def insert(values: Sequence[bytes]) -> Spoiler:

    def spoiler(request: Json, rng: random.Random) -> Damaged:
        text = line(request)
        at = rng.randrange(len(text))
        return text[:at] + rng.choice(values) + text[at:], "$"

    return spoiler


def is_number(_: Any, value: Json) -> bool:
    return type(value) is int


# ---------------------------------------------------------------------- text that is not JSON
def truncated(request: Json, rng: random.Random) -> Damaged:
    text = line(request)
    return text[: rng.randrange(1, len(text))], "$"


def endless_number(request: Json, rng: random.Random) -> Damaged:
    _, holder, key = pick(request, rng, is_number)
    holder[key] = "DIGITS"
    return line(request).replace(b'"DIGITS"', b"9" * rng.randrange(5_000, 50_000)), "$"


def deep(request: Json, rng: random.Random) -> Damaged:
    levels = rng.choice([70, 1_000, 100_000])
    return line(request)[:-1] + b', "expected": ' + b"[" * levels + b"]" * levels + b"}", "$"


def deep_objects(request: Json, rng: random.Random) -> Damaged:
    levels = rng.choice([70, 1_000, 50_000])
    return b'{"input": ' * levels + line(request) + b"}" * levels, "$"


def duplicate_key(request: Json, rng: random.Random) -> Damaged:
    text = line(request)
    at = rng.choice([i for i, byte in enumerate(text) if byte == ord("{") and text[i + 1 : i + 2] == b'"'])
    end = text.index(b'"', at + 2) + 1
    return text[: at + 1] + text[at + 1 : end] + b": 1, " + text[at + 1 :], "$"


# ---------------------------------------------------------------------- a wrong frame
def unknown_field(request: Json, rng: random.Random) -> Damaged:
    name = rng.choice(["surprise", "Query", "__class__", "edition "])
    return put_in_frame(name, [1])(request, rng)


def missing_frame(request: Json, rng: random.Random) -> Damaged:
    name = rng.choice(["edition", "query", "input"])
    del request[name]
    return line(request), f"$.{name}"


def wrong_frame(request: Json, rng: random.Random) -> Damaged:
    name = rng.choice(["edition", "query", "input", "readings", "explain"])
    return put_in_frame(name, [7, None, [], "x" if name in ("input", "readings", "explain") else {}])(request, rng)


def unknown_reading(request: Json, rng: random.Random) -> Damaged:
    name, choice = rng.choice([("R99", "x"), ("R2", "x"), ("R2", ""), ("", "x"), ("R2", "default")])
    return put_in_frame("readings", [{name: choice}], f"$.readings.{name}")(request, rng)


# ---------------------------------------------------------------------- wrong input
def unknown_inner_field(request: Json, rng: random.Random) -> Damaged:
    path, holder, key = pick(request, rng, lambda key, value: isinstance(value, dict) and key not in NAMED)
    holder[key]["surprise"] = rng.choice([1, None, {}])
    return line(request), f"{path}.surprise"


def missing_field(request: Json, rng: random.Random) -> Damaged:
    needed = ("kind", "strength", "attacker", "day", "impulse", "side_to_move", "road", "ends", "owner")
    path, holder, key = pick(request, rng, lambda key, _: key in needed)
    del holder[key]
    return line(request), path


def unknown_id(request: Json, rng: random.Random) -> Damaged:
    path, inside = situation(request)
    if "units" not in inside:
        request["input"]["position"] = inside
        return line(request), "$.input.position"  # no question takes both situations
    number = rng.randrange(len(inside["units"]))
    inside["units"][number]["place"] = rng.choice(["nowhere", inside["units"][0]["id"] + "?", "\u0000", " "])
    return line(request), f"{path}.units[{number}].place"


def duplicate_id(request: Json, rng: random.Random) -> Damaged:
    path, listed = pieces(request)
    listed.append(dict(rng.choice(listed)))
    return line(request), f"{path}[{len(listed) - 1}].id"


def empty_id(request: Json, rng: random.Random) -> Damaged:
    path, listed = pieces(request)
    number = rng.randrange(len(listed))
    listed[number]["id"] = rng.choice(["", "x" * 201, "x" * 1_000_000])
    return line(request), f"{path}[{number}].id"


def circular(request: Json, rng: random.Random) -> Damaged:
    """Join a place to itself (in a battle: let it stand inside itself)."""
    path, inside = situation(request)
    if not inside.get("connections"):
        inside["battle"] = dict(inside)
        return line(request), f"{path}.battle"
    number = rng.randrange(len(inside["connections"]))
    ends = inside["connections"][number]["ends"]
    ends[1] = ends[0]
    return line(request), f"{path}.connections[{number}].ends"


# ---------------------------------------------------------------------- strange, but perhaps right
def renamed_everywhere(request: Json, rng: random.Random) -> Damaged:
    """Give a piece a name that means something elsewhere."""
    _, listed = pieces(request)
    old, new = listed[0]["id"], rng.choice(["__class__", "entrench", "!x", "a>b", "a,b", "\u0000", "None", "id"])
    text = json.dumps(request).replace(json.dumps(old), json.dumps(new))
    return text.encode(), ANY


NO_REQUESTS = (
    b"1", b'"x"', b"null", b"true", b"[]", b"-0.5", b'[{"id": 1}]', b"{", b"}", b"hello", b"'a'", b"{]", b"{,}", b"\\",
    b'{"id" 1}', b"__import__('os')",
)  # fmt: skip
WORDS = ("kind", "side", "side_to_move", "attacker", "who", "arrival")
SPOILERS: dict[str, Spoiler] = {spoiler.__name__: spoiler for spoiler in (
    truncated, endless_number, deep, deep_objects, duplicate_key, unknown_field, missing_frame, wrong_frame,
    unknown_reading, unknown_inner_field, missing_field, unknown_id, duplicate_id, empty_id, circular,
    renamed_everywhere,
)} | {
    "invalid_bytes": insert([b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\x00"]),
    "no_request": lambda _, rng: (rng.choice(NO_REQUESTS), "$"),
    "no_number": put_in(is_number, [float("nan"), float("inf"), float("-inf")], "$"),
    "huge_number": put_in(is_number, [10**30, -(10**30), 2**63, -1]),
    "truth_for_number": put_in(is_number, [True, "3", "0x3"]),
    "zero_strength": put_in(lambda key, _: key == "strength", [0]),
    "wrong_type": put_in(lambda key, value: key != "at" and not isinstance(value, dict | list),
        [1.5, {}, {"id": "x"}, [[1]]]),
    "unknown_word": put_in(lambda key, value: key in WORDS and isinstance(value, str),
        ["", "Armor", "dragon", "german", "\u0130", "x" * 1_000]),
    "unknown_edition": put_in_frame("edition", ["1050", "", "../1999", "1999\u0000", "1999/../1999", "x" * 1_000]),
    "unknown_query": put_in_frame("query", ["", "fly", "__init__", "fire_allocations ", "x" * 1_000]),
}  # fmt: skip
