"""Actions: one choice of an event, as values and as a line of text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from titm_rules.diagnostics import Fault, InputError
from titm_rules.model.model import Event
from titm_rules.model.types import Type

Value = str | int | bool | None | tuple[str, ...]
JOINT = "+"
NONE = "-"
_BREAKING = re.compile(r"[\s:#%+]")


@dataclass(frozen=True, slots=True)
class Action:
    """Something a side may do.

    Attributes:
        kind: the name of the event.
        by: the side that acts.
        choices: what was chosen, by name, in the order in which the event asks for it: ids of
            records, texts of enumerations, numbers, flags; for a set of records the sorted ids.
    """

    kind: str
    by: str
    choices: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        return " ".join([self.kind, *self.words])

    @property
    def words(self) -> tuple[str, ...]:
        """The choices as the words of a line; `read_action` reads them back."""
        return tuple(word for name, value in self.choices if (word := _word(name, value)))

    def to_dict(self) -> dict[str, object]:
        """Give it as JSON values."""
        choices = {name: list(value) if isinstance(value, tuple) else value for name, value in self.choices}
        return {"kind": self.kind, "by": self.by, "choices": choices}


def _word(name: str, value: Value) -> str:
    """Write a chosen value; a flag stands by its name, and not at all if it is no."""
    match value:
        case bool():
            return name if value else ""
        case None:
            return NONE
        case tuple():
            return JOINT.join(map(_escaped, value)) or NONE
    return _escaped(str(value))


def _escaped(text: str) -> str:
    escaped = _BREAKING.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)
    return "%2D" if escaped == NONE else escaped


def read_action(event: Event, by: str, words: Sequence[str], path: str = "$.action") -> Action:
    """Read the words of an action of an event.

    Raises:
        InputError: for too few or too many words.
    """
    types, left = dict(event.params), list(words)
    choices: list[tuple[str, Value]] = []
    for name in event.open:
        if types[name].kind == "flag":
            said = bool(left) and left[0] == name
            choices.append((name, said))
            left = left[1:] if said else left
        elif left:
            choices.append((name, _value(types[name], left.pop(0))))
        else:
            raise _misfit(event, words, path, f"`{name}` is missing")
    if left:
        raise _misfit(event, words, path, f"`{left[0]}` is too much")
    return Action(event.name, by, tuple(choices))


def _misfit(event: Event, words: Sequence[str], path: str, what: str) -> InputError:
    line = " ".join([event.name, *words])
    asked = " ".join(name.upper() for name in event.open) or "no words"
    fix = f"write `{event.name} {asked}`" if event.open else f"write `{event.name}` alone"
    return InputError([Fault(f"{what} in `{line[:200]}`", path, f"it takes {asked}", fix, kind="bad-action")])


def _value(wanted: Type, word: str) -> Value:
    if wanted.kind == "set":
        return () if word == NONE else tuple(sorted(unquote(part) for part in word.split(JOINT)))
    if word == NONE:
        return None
    if wanted.kind == "number" and word.removeprefix("-").isdecimal() and len(word) < 10:
        return int(word)
    return unquote(word)
