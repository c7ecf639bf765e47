"""Ways to damage a protocol line, each with what the answer must say of it.

A spoiler takes a request (parsed, its own copy) and a random generator; it returns the damaged line
and the place that the error must name. `ANY` as place: the line may be answered or refused, but it
must be answered; `REFUSED`: refused, wherever.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

ANY, REFUSED = "any", "refused"
Json = Any
Damaged = tuple[bytes, str]
Spoiler = Callable[[Json, random.Random], Damaged]
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


def pick(request: Json, rng: random.Random, wanted: Callable[[Any, Json], bool]) -> tuple[str, Json, Any]:
    """Choose a place below the input whose key and value are wanted."""
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


# ---------------------------------------------------------------------- text that is not JSON
def truncated(request: Json, rng: random.Random) -> Damaged:
    text = line(request)
    return text[: rng.randrange(1, len(text))], "$"


def invalid_utf8(request: Json, rng: random.Random) -> Damaged:
    text = line(request)
    at = rng.randrange(len(text))
    return text[:at] + rng.choice([b"\xff", b"\xc3\x28", b"\xed\xa0\x80"]) + text[at:], "$"


def raw_null_byte(request: Json, rng: random.Random) -> Damaged:
    text = line(request)
    at = rng.randrange(len(text))
    return text[:at] + b"\x00" + text[at:], "$"


def no_number(request: Json, rng: random.Random) -> Damaged:
    _, holder, key = pick(request, rng, lambda _, value: type(value) is int)
    holder[key] = float(rng.choice(["nan", "inf", "-inf"]))
    return line(request), "$"


def endless_number(request: Json, rng: random.Random) -> Damaged:
    _, holder, key = pick(request, rng, lambda _, value: type(value) is int)
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


def lone_value(request: Json, rng: random.Random) -> Damaged:
    return rng.choice([b"1", b'"x"', b"null", b"true", b"[]", b"-0.5", b'[{"id": 1}]']), "$"


def mere_text(request: Json, rng: random.Random) -> Damaged:
    return rng.choice([b"{", b"}", b"hello", b"'a'", b"{]", b"{,}", b"\\", b'{"id" 1}', b"__import__('os')"]), "$"


def huge_line(request: Json, rng: random.Random) -> Damaged:
    request["source"] = "x" * (8 * 1024 * 1024)
    return line(request), "$"


# ---------------------------------------------------------------------- a wrong frame
def unknown_field(request: Json, rng: random.Random) -> Damaged:
    name = rng.choice(["surprise", "Query", "__class__", "edition "])
    request[name] = 1
    return line(request), f"$.{name}"


def missing_frame(request: Json, rng: random.Random) -> Damaged:
    name = rng.choice(["edition", "query", "input"])
    del request[name]
    return line(request), f"$.{name}"


def wrong_frame(request: Json, rng: random.Random) -> Damaged:
    name = rng.choice(["edition", "query", "input", "readings", "explain"])
    request[name] = rng.choice([7, None, [], "x" if name in ("input", "readings", "explain") else {}])
    return line(request), f"$.{name}"


def unknown_edition(request: Json, rng: random.Random) -> Damaged:
    request["edition"] = rng.choice(["1050", "", "../1999", "1999\u0000", "1999/../1999", "x" * 1_000])
    return line(request), "$.edition"


def unknown_query(request: Json, rng: random.Random) -> Damaged:
    request["query"] = rng.choice(["", "fly", "__init__", "fire_allocations ", "x" * 1_000])
    return line(request), "$.query"


def unknown_reading(request: Json, rng: random.Random) -> Damaged:
    name, choice = rng.choice([("R99", "x"), ("R2", "x"), ("R2", ""), ("", "x"), ("R2", "default")])
    request["readings"] = {name: choice}
    return line(request), f"$.readings.{name}"


# ---------------------------------------------------------------------- wrong input
def unknown_inner_field(request: Json, rng: random.Random) -> Damaged:
    path, holder, key = pick(request, rng, lambda key, value: isinstance(value, dict) and key not in NAMED)
    holder[key]["surprise"] = rng.choice([1, None, {}])
    return line(request), f"{path}.surprise"


def wrong_type(request: Json, rng: random.Random) -> Damaged:
    path, holder, key = pick(request, rng, lambda key, value: key != "at" and not isinstance(value, dict | list))
    holder[key] = rng.choice([1.5, {}, {"id": "x"}, [[1]]])
    return line(request), path


def huge_number(request: Json, rng: random.Random) -> Damaged:
    path, holder, key = pick(request, rng, lambda _, value: type(value) is int)
    holder[key] = rng.choice([10**30, -(10**30), 2**63, -1])
    return line(request), path


def zero_strength(request: Json, rng: random.Random) -> Damaged:
    path, holder, key = pick(request, rng, lambda key, _: key == "strength")
    holder[key] = 0
    return line(request), path


def truth_for_number(request: Json, rng: random.Random) -> Damaged:
    path, holder, key = pick(request, rng, lambda _, value: type(value) is int)
    holder[key] = rng.choice([True, "3", "0x3"])
    return line(request), path


def missing_field(request: Json, rng: random.Random) -> Damaged:
    needed = ("kind", "strength", "attacker", "day", "impulse", "side_to_move", "road", "ends", "owner")
    path, holder, key = pick(request, rng, lambda key, _: key in needed)
    del holder[key]
    return line(request), path


def unknown_word(request: Json, rng: random.Random) -> Damaged:
    words = ("kind", "side", "side_to_move", "attacker", "who", "arrival")
    path, holder, key = pick(request, rng, lambda key, value: key in words and isinstance(value, str))
    holder[key] = rng.choice(["", "Armor", "dragon", "german", "\u0130", "x" * 1_000])
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
def empty_list(request: Json, rng: random.Random) -> Damaged:
    _, holder, key = pick(request, rng, lambda _, value: isinstance(value, list))
    holder[key] = []
    return line(request), ANY


def dropped(request: Json, rng: random.Random) -> Damaged:
    _, holder, key = pick(request, rng, lambda *_: True)
    del holder[key]
    return line(request), ANY


def nothing(request: Json, rng: random.Random) -> Damaged:
    _, holder, key = pick(request, rng, lambda *_: True)
    holder[key] = None
    return line(request), ANY


def repeated(request: Json, rng: random.Random) -> Damaged:
    _, holder, key = pick(request, rng, lambda _, value: isinstance(value, list) and value != [])
    holder[key] = holder[key] * rng.choice([2, 50])
    return line(request), ANY


def swapped(request: Json, rng: random.Random) -> Damaged:
    spots = [spot for spot in walk(request["input"]) if not isinstance(spot[1][spot[2]], dict | list)]
    (_, one, key), (_, other, wrong) = rng.choice(spots), rng.choice(spots)
    one[key], other[wrong] = other[wrong], one[key]
    return line(request), ANY


def surrogate(request: Json, rng: random.Random) -> Damaged:
    _, holder, key = pick(request, rng, lambda _, value: isinstance(value, str))
    holder[key] = rng.choice(["\ud800", "a\udfff", "\udc80\ud800"])
    return line(request), ANY


def surrogate_key(request: Json, rng: random.Random) -> Damaged:
    request["input"]["\ud800"] = 1
    return line(request), REFUSED


def strange_identity(request: Json, rng: random.Random) -> Damaged:
    request["id"] = rng.choice(["\ud800", {"a": ["\udc00"]}, [1, 2], "\u0000", "\u2028", "x" * 100_000, 1e300, -0.0])
    return line(request), ANY


def renamed_everywhere(request: Json, rng: random.Random) -> Damaged:
    """Give a piece a name that means something elsewhere."""
    _, listed = pieces(request)
    old, new = listed[0]["id"], rng.choice(["__class__", "entrench", "!x", "a>b", "a,b", "\u0000", "None", "id"])
    text = json.dumps(request).replace(json.dumps(old), json.dumps(new))
    return text.encode(), ANY


def spaced(request: Json, rng: random.Random) -> Damaged:
    return rng.choice([b"  ", b"\t", b"\xef\xbb\xbf"]) + line(request) + rng.choice([b"\r", b"   "]), ANY


SPOILERS: tuple[Spoiler, ...] = (
    truncated, invalid_utf8, raw_null_byte, no_number, endless_number, deep, deep_objects, duplicate_key, lone_value,
    mere_text, unknown_field, missing_frame, wrong_frame, unknown_edition, unknown_query, unknown_reading,
    unknown_inner_field, wrong_type, huge_number, zero_strength, truth_for_number, missing_field, unknown_word,
    unknown_id, duplicate_id, empty_id, circular, empty_list, dropped, nothing, repeated, swapped, surrogate,
    surrogate_key, strange_identity, renamed_everywhere, spaced,
)  # fmt: skip
