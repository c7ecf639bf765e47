"""The legal actions of a situation as a sequence that is worked out as far as it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload

from titm_rules.play.action import Action
from titm_rules.play.machine import Machine


class LegalActions(Sequence[Action]):
    """The legal actions of a situation, in their order; one that is not looked at is not written out.

    Args:
        machine: gives the machine of the situation, once it is needed.
    """

    def __init__(self, machine: Callable[[], Machine]) -> None:
        self._machine = machine

    def __iter__(self) -> Iterator[Action]:
        return (option.action for option in self._machine().options.listed())

    def __len__(self) -> int:
        return len(self._machine().options.chances)

    @overload
    def __getitem__(self, number: int) -> Action: ...

    @overload
    def __getitem__(self, number: slice) -> list[Action]: ...

    def __getitem__(self, number: int | slice) -> Action | list[Action]:
        options = self._machine().options
        if isinstance(number, slice):
            return [options.at(one).action for one in range(len(self))[number]]
        return options.at(number).action

    def __contains__(self, action: object) -> bool:
        return isinstance(action, Action) and self._machine().find(action) is not None

    def __bool__(self) -> bool:
        return len(self) > 0
