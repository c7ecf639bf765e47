"""The functions of plain values that rules may apply, by their names in terms, apart from `read`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

MAX_NUMBERS = 10_000


def after(rank: int | None, count: int) -> int | None:
    """Give the next value of an enumeration."""
    return rank + 1 if rank is not None and rank + 1 < count else None


def before(rank: int | None, _: int) -> int | None:
    """Give the value of an enumeration before one."""
    return rank - 1 if rank else None


def least(*numbers: int | None) -> int:
    """Give the least of some numbers."""
    return min((number for number in numbers if number is not None), default=0)


def most(*numbers: int | None) -> int:
    """Give the most of some numbers."""
    return max((number for number in numbers if number is not None), default=0)


def divide_up(left: int | None, right: int | None) -> int:
    """Divide, rounded up; by zero gives zero."""
    return -(-(left or 0) // right) if right else 0


def count_parts(number: int | None, parts: int) -> int | None:
    """Count a whole number in parts; nothing stays nothing."""
    return None if number is None else number * parts


def numbers(low: int | None, high: int | None) -> range:
    """List the numbers from one to another."""
    return range(low or 0, (high or 0) + 1)[:MAX_NUMBERS]


def member(members: Sequence[Any], place: int | None) -> Any:
    """Give the member at a place, counted from 1."""
    return members[place - 1] if place and 0 < place <= len(members) else None


def part(members: Sequence[Any], low: int | None, high: int | None) -> Sequence[Any]:
    """Cut a list from a place to another."""
    return members[max(0, (low or 0) - 1) : max(0, high or 0)]


def look_up(values: Mapping[Any, Any] | None, key: Any) -> Any:
    """Say what a map says of a record."""
    return values.get(key) if values else None


def listed(members: Sequence[Any] | None) -> Sequence[Any]:
    """Take a list that may be nothing for an empty one."""
    return members or ()


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "next": after, "previous": before, "least": least, "most": most, "up": divide_up, "numbers": numbers,
    "parts": count_parts, "member": member, "part": part, "look-up": look_up, "listed": listed,
}  # fmt: skip
