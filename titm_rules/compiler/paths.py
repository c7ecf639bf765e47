"""Paths as written: step by step, with interruptions and a closing action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from titm_rules.model.model import Route, head_key
from titm_rules.world.world import World

if TYPE_CHECKING:
    from titm_rules.compiler.engine import CompiledEngine

INTERRUPTED = "!"


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
        from titm_rules.compiler.engine import common_place

        start = common_place(self.mover)
        if start is None or not steps or steps[0] != start.id:
            return None
        if len(steps) == 1:
            return 0
        root = self.engine.root
        if self._head(self.route.name, "start", root, self.mover):
            return None
        points = self._head(self.route.name, "points", root, self.mover)
        at: Standing | None = Standing(self.engine.world, self.mover, start)
        for number, step in enumerate(steps[1:], 1):
            assert at is not None
            last = number == len(steps) - 1
            at = self._closed(at, points) if last and step == self.route.closing else self._step(at, step, points)
            if at is None:
                return None
        assert at is not None
        place = self.engine.world.twin(at.place)
        if at.walked and self._head(self.route.name, "end", root, self.mover, place):
            return None
        return at.spent

    def _closed(self, at: Standing, points: int) -> Standing | None:
        closing = self.route.closing
        root = at.world.root
        spent = at.spent + self._head(closing, "cost", root, at.mover, at.place)
        if spent > points or self._head(closing, "try", root, at.mover, at.place):
            return None
        return replace(at, spent=spent, stopped=True)

    def _step(self, at: Standing, step: str, points: int) -> Standing | None:
        if at.stopped:
            return None
        interrupted = step.startswith(INTERRUPTED)
        target = step.removeprefix(INTERRUPTED)
        options = [
            (cost, stop, link, other)
            for link, other in at.place.links
            if other.id == target
            for cost, stop in self._crossing(at, link, other, points, interrupted)
        ]
        if not options:
            return None
        cost, stop, link, other = min(options, key=lambda option: option[:2])
        if not interrupted:
            return replace(at, place=other, spent=at.spent + cost, stopped=stop, walked=True)
        world = self._blown(at.world, link)
        return replace(at, world=world, mover=world.twin(at.mover), place=world.twin(at.place), spent=at.spent + cost)

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

    def _blown(self, world: World, link: Any) -> World:
        from titm_rules.compiler.engine import CompiledEngine

        changed = world.changed(link, self.route.interruption_field, self.route.interruption_value)
        CompiledEngine(self.engine.model, changed)
        return changed

    def _head(self, form: str, word: str, root: Any, *args: Any) -> Any:
        return self.engine.program.head(head_key(form, word))(root, *args, *self.values)
