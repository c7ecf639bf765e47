"""Playing a few written actions from a position."""

from typing import Any

from titm_rules import Action, Position
from titm_rules.play.action import read_action


def action(position: Position, text: str) -> tuple[Action, tuple[int, ...]]:
    """Read `SIDE ACTION WORD... : DIE...`."""
    words, _, dice = text.partition(":")
    by, kind, *rest = words.split()
    return read_action(position.edition.model.events[kind], by, rest), tuple(map(int, dice.split()))


def play(position: Position, *lines: str) -> Position:
    for line in lines:
        made, dice = action(position, line)
        assert position.is_legal(made), position.judge(made).sentence()
        position = position.apply(made, dice)
    return position


def unit(position: Position, name: str) -> dict[str, Any] | None:
    return next((unit for unit in position.to_dict()["units"] if unit["id"] == name), None)


def listed(position: Position) -> list[str]:
    return [str(action) for action in position.legal_actions]
