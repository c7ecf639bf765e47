"""Paths as written: step by step, with interruptions and a closing action."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from titm_rules.compiler.progress import common_place
from titm_rules.model.model import Route, head_key
from titm_rules.world.world import World

if TYPE_CHECKING:
    from titm_rules.compiler.engine import CompiledEngine

INTERRUPTED = "!"
MAX_STANDINGS = 200


@dataclass(frozen=True)
class Standing:
    """Where a mover is on its path: the situation, the place, what is spent."""

    world: World
    mover: Any
    place: Any
    spent: int = 0
    stopped: bool = False
    walked: bool = False


class Walker:
    """Walks one path."""

    def __init__(self, engine: CompiledEngine, route: Route, mover: Any, given: Mapping[str, Any]) -> None:
        self.engine = engine
        self.route = route
        self.mover = mover
        self.values = tuple(given[name] for name, _ in route.given)

    def cost(self, steps: list[str]) -> int | None:
        """Cost of a path, or nothing if it is illegal."""
        start = common_place(self.mover)
        if start is None or not steps or steps[0] != start.id:
            return None
        if len(steps) == 1:
            return 0
        root = self.engine.root
        if self._head(self.route.name, "start", root, self.mover):
            return None
        points = self._head(self.route.name, "points", root, self.mover)
        found = [Standing(self.engine.world, self.mover, start)]
        for number, step in enumerate(steps[1:], 1):
            closes = number == len(steps) - 1 and step == self.route.closing
            found = [
                after
                for at in found
                for after in (self._closed(at, points) if closes else self._step(at, step, points))
            ]
            found = sorted(found, key=lambda at: at.spent)[:MAX_STANDINGS]
        return min((at.spent for at in found if self._may_stay(at)), default=None)

    def _may_stay(self, at: Standing) -> bool:
        """Whether the path may end here; it is judged in the situation before the move."""
        place = self.engine.world.twin(at.place)
        return not (at.walked and self._head(self.route.name, "end", self.engine.root, self.mover, place))

    def _closed(self, at: Standing, points: int) -> Iterator[Standing]:
        closing = self.route.closing
        root = at.world.root
        spent = at.spent + self._head(closing, "cost", root, at.mover, at.place)
        if spent <= points and not self._head(closing, "try", root, at.mover, at.place):
            yield replace(at, spent=spent, stopped=True)

    def _step(self, at: Standing, step: str, points: int) -> Iterator[Standing]:
        """Yield where a step may lead: over each connection that joins the places."""
        interrupted = step.startswith(INTERRUPTED)
        target = step.removeprefix(INTERRUPTED)
        for link, other in at.place.links.get(self.route.crossing[1].name, ()) if not at.stopped else ():
            if other.id != target:
                continue
            for cost, stop in self._crossing(at, link, other, points, interrupted):
                if interrupted:
                    yield self._interrupted(at, link, cost)
                else:
                    yield replace(at, place=other, spent=at.spent + cost, stopped=stop, walked=True)

    def _crossing(self, at: Standing, link: Any, other: Any, points: int, interrupted: bool) -> list[tuple[int, bool]]:
        """Price one crossing; an attempt must be payable even if it is interrupted."""
        root = at.world.root
        where = (at.mover, link, at.place, other)
        cost = self._head(self.route.name, "cost", root, *where)
        if self._head(self.route.name, "step", root, *where) or at.spent + cost > points:
            return []
        if not interrupted:
            return [(cost, self._head(self.route.name, "stop", root, *where))]
        name = self.route.interruption
        cost = self._head(name, "cost", root, *where)
        barred = self._head(name, "try", root, *where)
        return [] if barred or at.spent + cost > points else [(cost, False)]

    def _interrupted(self, at: Standing, link: Any, cost: int) -> Standing:
        """Go on in the situation after the interruption, from the same place."""
        from titm_rules.compiler.engine import CompiledEngine

        world = at.world.changed(link, self.route.interruption_field, self.route.interruption_value)
        CompiledEngine(self.engine.model, world)
        return replace(at, world=world, mover=world.twin(at.mover), place=world.twin(at.place), spent=at.spent + cost)

    def _head(self, form: str, word: str, root: Any, *args: Any) -> Any:
        return self.engine.program.head(head_key(form, word))(root, *args, *self.values)
