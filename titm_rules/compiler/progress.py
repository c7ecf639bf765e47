"""A mover on its way: which steps are open to it from the place that it has come to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from titm_rules.compiler.program import Program
from titm_rules.model.model import Route, head_key

Step = tuple[Any, Any, int, bool]


class Progress:
    """The steps of one mover, whatever way it came; it still stands where it set out.

    Args:
        root: root record of the world.
        values: what the route is given, in its order.
    """

    def __init__(self, program: Program, root: Any, route: Route, mover: Any, values: tuple[Any, ...]) -> None:
        self.root, self.route, self.values = root, route, values
        self.mover = mover
        self._program = program
        self._ends: dict[Any, bool] = {}
        self._barred = self._ask(route.name, "start")
        self._points = 0 if self._barred else self._ask(route.name, "points")

    def _ask(self, form: str, word: str, *args: Any) -> Any:
        return self._program.head(head_key(form, word))(self.root, self.mover, *args, *self.values)

    def may_end(self, at: Any) -> bool:
        """Whether the route may end at a place."""
        if at not in self._ends:
            self._ends[at] = not self._ask(self.route.name, "end", at)
        return self._ends[at]

    def steps(self, at: Any, spent: int) -> Iterator[Step]:
        """Yield the steps after which the route can still end."""
        left = self._points - spent
        for step in self._open(at, left) if not self._barred else ():
            if self._leads_on(step, left, {at: left}):
                yield step

    def closing(self, at: Any, spent: int) -> int | None:
        """Price of the closing action at a place; nothing if it may not be taken there."""
        if self._barred or self._ask(self.route.closing, "try", at):
            return None
        if at is not common_place(self.mover) and not self.may_end(at):
            return None
        price: int = self._ask(self.route.closing, "cost", at)
        return price if spent + price <= self._points else None

    def _open(self, at: Any, left: int) -> Iterator[Step]:
        """Yield the steps out of a place that no clause bars and that can be paid."""
        name = self.route.name
        for link, other in at.links.get(self.route.crossing[1].name, ()):
            if self._ask(name, "step", link, at, other):
                continue
            price = self._ask(name, "cost", link, at, other)
            if price <= left:
                yield link, other, price, self._ask(name, "stop", link, at, other)

    def _leads_on(self, step: Step, left: int, most: dict[Any, int]) -> bool:
        """Whether a step leads to an end; `most`: with how many points each place was tried."""
        _, place, price, stops = step
        left -= price
        if self.may_end(place):
            return True
        if stops or most.get(place, -1) >= left:
            return False
        most[place] = left
        return any(self._leads_on(after, left, most) for after in self._open(place, left))


def common_place(mover: Any) -> Any | None:
    """Name the place where all movers stand; nothing if they do not stand together."""
    if not isinstance(mover, list):
        return mover.place
    places = {one.place for one in mover}
    return places.pop() if len(places) == 1 else None
