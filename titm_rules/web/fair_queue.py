"""Fair queuing: every address has a line of its own, and the lines are served in turn (Nagle, RFC 970).

A full queue drops the last of the longest line, so that no address holds places that others need.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Full(Exception):
    """The queue is full; `is_own` says that the address has its share, and others wait too."""

    def __init__(self, is_own: bool) -> None:
        self.is_own = is_own


class FairQueue(Generic[T]):
    """Keeps what waits, by address; not for several threads.

    An address that is alone may take every place. As others come, it gives places up to them, the last first, until it
    has no more than they have.

    Args:
        places: so much waits at most.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._lines: OrderedDict[str, deque[T]] = OrderedDict()  # the next to be served first; none is empty
        self._length = 0
        self._served = ""  # the address whose turn it was: those who come during its turn come before its next one

    def __len__(self) -> int:
        return self._length

    def put(self, address: str, item: T) -> T | None:
        """Let an item wait; give the one that has lost its place to it.

        Raises:
            Full: if no other address has more places than this one would have.
        """
        dropped = None
        if self._length >= self._places:
            held = len(self._lines.get(address, ()))
            longest = max(self._lines, key=lambda name: len(self._lines[name]), default=address)
            if len(self._lines.get(longest, ())) <= held + 1:
                raise Full(is_own=held > 0 and len(self._lines) > 1)
            dropped = self._lines[longest][-1]
            self.remove(longest, dropped)
        self._lines.setdefault(address, deque()).append(item)
        self._length += 1
        return dropped

    def take(self) -> tuple[str, T]:
        """Take the first item of the line whose turn it is.

        Raises:
            LookupError: if nothing waits.
        """
        if self._served in self._lines:
            self._lines.move_to_end(self._served)
        address, line = next(iter(self._lines.items()), ("", None))
        if line is None:
            raise LookupError("nothing waits")
        self._served = address
        item = line[0]
        self.remove(address, item)
        return address, item

    def remove(self, address: str, item: T) -> None:
        """Take an item out, wherever in its line it stands; one that does not wait is left alone."""
        line = self._lines.get(address)
        if line is None or item not in line:
            return
        line.remove(item)
        self._length -= 1
        if not line:
            del self._lines[address]
