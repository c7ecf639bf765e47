"""Actions: one choice of an event, as values and as a line of text."""

from __future__ import annotations

from dataclasses import dataclass

Value = str | int | bool | None | tuple[str, ...]
JOINT = "+"
NONE = "-"


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
        return " ".join([self.kind, *(shown for name, value in self.choices if (shown := show_value(name, value)))])

    def to_dict(self) -> dict[str, object]:
        """Give it as JSON values."""
        choices = {name: list(value) if isinstance(value, tuple) else value for name, value in self.choices}
        return {"kind": self.kind, "by": self.by, "choices": choices}


def show_value(name: str, value: Value) -> str:
    """Write a chosen value; a flag stands by its name, and not at all if it is no."""
    match value:
        case bool():
            return name if value else ""
        case None:
            return NONE
        case tuple():
            return JOINT.join(value) or NONE
    return str(value)
