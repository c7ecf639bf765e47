"""Actions as values and as text, and exact odds of their dice."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from urllib.parse import unquote

from titm_rules.diagnostics import Fault, InputError, cut
from titm_rules.ir.model import Event
from titm_rules.ir.types import Type
from titm_rules.world.chance import binomial, outcomes, share

Fell = int | tuple[int, ...]
MAX_THROWS = 10_000


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice of one throw: `count` dice with faces `low` to `high`; those from `lowest` to `highest` succeed.

    `reads` is empty, or a number that may be written for a face, and that face. If the faces are `named`, the result of
    a throw is all faces, in order; else it is the number of successes.
    """

    count: int
    low: int
    high: int
    lowest: int
    highest: int
    reads: tuple[int, ...] = ()
    named: bool = False

    def read(self, faces: tuple[int, ...]) -> tuple[int, ...]:
        """Replace numbers that are written for a face by that face."""
        return tuple(self.reads[1] if face in self.reads[:1] else face for face in faces)

    def successes(self, faces: tuple[int, ...]) -> int:
        """Count the faces that succeed."""
        return sum(self.lowest <= face <= self.highest for face in faces)

    def fell(self, faces: tuple[int, ...]) -> Fell:
        """Give the result of a throw: all faces if they are `named`, else how many succeed."""
        return faces if self.named else self.successes(faces)

    def outcomes(self) -> tuple[tuple[Fell, Fraction], ...]:
        """List all results with their probabilities, which sum to 1.

        Raises `InputError` if faces count and there are more than 10,000 throws.
        """
        faces = range(self.low, self.high + 1)
        if not self.named:
            return tuple(outcomes(binomial(self.count, share((self.lowest, self.highest), self.low, self.high))))
        throws = len(faces) ** max(0, self.count)
        if throws > MAX_THROWS:
            problem = f"{self.count} dice with faces {self.low} to {self.high} fall in {throws} ways"
            raise InputError([Fault(problem, "$.action", f"at most {MAX_THROWS} are listed", kind="too-much")])
        return tuple((thrown, Fraction(1, throws)) for thrown in itertools.product(faces, repeat=max(0, self.count)))


def thrown(dice: Dice | None, faces: Sequence[int], action: Action) -> Fell:
    """Return the result of the faces thrown for an action; raises `InputError` unless each of its dice has a face."""
    if dice is None and not faces:
        return 0
    read = dice.read(tuple(faces)) if dice is not None else tuple(faces)
    if dice is not None and len(read) == dice.count and all(dice.low <= face <= dice.high for face in read):
        return dice.fell(read)
    problem = f"{len(read)} dice ({', '.join(map(str, read)) or 'none'}) for `{action}`"
    needed = f"{dice.count} dice with faces {dice.low} to {dice.high}" if dice is not None and dice.count else "no dice"
    fix = "give one face for each die"
    raise InputError([Fault(problem, "$.dice", f"it throws {needed}", fix, kind="bad-dice")])


Chosen = str | int | bool | None | tuple[str, ...]
JOINT = "+"
NONE = "-"
_BREAKING = re.compile(r"[\s:#%+]")


@dataclass(frozen=True, slots=True)
class Action:
    """Something a side may do; `kind` is the name of the event, `by` the side that acts.

    `choices` are the values chosen, by name, in the order in which the event asks for them: ids of records, texts of
    enumerations, numbers, flags; for a set of records the sorted ids.
    """

    kind: str
    by: str
    choices: tuple[tuple[str, Chosen], ...] = ()

    def __str__(self) -> str:
        return " ".join([self.kind, *self.words])

    @property
    def words(self) -> tuple[str, ...]:
        """The choices as the words of a line; `read_action` reads them back."""
        return tuple(word for name, value in self.choices if (word := _word(name, value)))

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON values."""
        choices = {name: list(value) if isinstance(value, tuple) else value for name, value in self.choices}
        return {"kind": self.kind, "by": self.by, "choices": choices}


def _word(name: str, value: Chosen) -> str:
    """Write a chosen value; a flag is its name, or nothing if it is false."""
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
    """Read the words of an action of an event; raises `InputError` for too few or too many words."""
    types, left = dict(event.params), list(words)
    choices: list[tuple[str, Chosen]] = []
    for name in event.open:
        if types[name].kind == "flag":
            is_set = bool(left) and left[0] == name
            choices.append((name, is_set))
            left = left[1:] if is_set else left
        elif left:
            choices.append((name, _value(types[name], left.pop(0))))
        else:
            raise _misfit(event, words, path, f"`{name}` is missing")
    if left:
        raise _misfit(event, words, path, f"`{left[0]}` is too much")
    return Action(event.name, by, tuple(choices))


def make_action(event: Event, by: str, choices: Mapping[str, object], path: str = "$.action") -> Action:
    """Make an action of an event from its choices by name; a missing flag is false.

    Raises `InputError` for a choice that is missing, unknown or of the wrong kind.
    """
    types, faults = dict(event.params), []
    for name in choices.keys() - set(event.open):
        known = ", ".join(event.open) or "no choices"
        faults.append(Fault(f"`{event.name}` asks for no `{cut(name)}`", f"{path}.choices.{cut(name)}",
                            f"it asks for {known}", "leave it out", kind="unknown-field"))  # fmt: skip
    found: list[tuple[str, Chosen]] = []
    for name in event.open:
        where = f"{path}.choices.{name}"
        if name not in choices and types[name].kind != "flag":
            faults.append(Fault(f"`{name}` is missing", where, "", "choose one", kind="missing-field"))
        elif not _fits(types[name], choices.get(name, False)):
            faults.append(Fault("this cannot be chosen", where, f"it takes a {types[name]}", kind="bad-value"))
        else:
            value = choices.get(name, False)
            found.append((name, tuple(sorted(value)) if isinstance(value, list | tuple) else value))  # type: ignore[arg-type]
    if faults:
        raise InputError(faults)
    return Action(event.name, by, tuple(found))


def _fits(wanted: Type, value: object) -> bool:
    match wanted.kind:
        case "flag":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int) and not isinstance(value, bool)
        case "set":
            return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
    return isinstance(value, str) or (value is None and wanted.optional)


def _misfit(event: Event, words: Sequence[str], path: str, problem: str) -> InputError:
    line = " ".join([event.name, *words])
    asked = " ".join(name.upper() for name in event.open) or "no words"
    fix = f"write `{event.name} {asked}`" if event.open else f"write `{event.name}` alone"
    return InputError([Fault(f"{problem} in `{line[:200]}`", path, f"it takes {asked}", fix, kind="bad-action")])


def _value(wanted: Type, word: str) -> Chosen:
    if wanted.kind == "set":
        return () if word == NONE else tuple(sorted(unquote(part) for part in word.split(JOINT)))
    if word == NONE:
        return None
    if wanted.kind == "number" and word.removeprefix("-").isdecimal() and len(word) < 10:
        return int(word)
    return unquote(word)
