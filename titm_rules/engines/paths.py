"""Paths as written: step by step, with interruptions and a closing action."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from titm_rules.engines.engine import Counts, OpenStep
from titm_rules.engines.journey import Journey, common_place
from titm_rules.engines.progress import Progress
from titm_rules.engines.steps import Steps
from titm_rules.world.records import Place

INTERRUPTED = "!"
MAX_STANDINGS = 200


@dataclass(frozen=True)
class Waypoint:
    """Where a mover is on its path: in which situation, at which place, what is spent and counted.

    `came` holds the places that it came through, the present one among them.
    """

    journey: Journey
    steps: Steps
    place: Place
    counts: Counts
    came: tuple[str, ...]
    spent: int = 0
    stopped: bool = False
    interrupted: bool = False


class Walker:
    """Walks one path; where connections run parallel, over each of them."""

    def __init__(self, journey: Journey) -> None:
        self.journey, self.route = journey, journey.route
        self.steps = Steps(journey)

    def cost(self, path: list[str]) -> int | None:
        """Cost of a path, or nothing if it is illegal."""
        start = common_place(self.steps.mover)
        if start is None or not path or path[0] != start.id:
            return None
        if len(path) == 1:
            return 0
        if self.steps.is_barred:
            return None
        points = self.steps.points
        found = [Waypoint(self.journey, self.steps, start, self.steps.zeros, (start.id,))]
        for number, step in enumerate(path[1:], 1):
            closes = number == len(path) - 1 and step == self.route.closing
            after = (self._closed(at, points) if closes else self._step(at, step, points) for at in found)
            found = sorted((one for ones in after for one in ones), key=lambda at: at.spent)[:MAX_STANDINGS]
        return min((at.spent for at in found if self._may_stay(at)), default=None)

    def _may_stay(self, at: Waypoint) -> bool:
        """Whether the path may end here; ends are judged in the situation before the move."""
        place = self.journey.world.twin(at.place)
        if len(at.came) == 1 or self.steps.may_end(place, at.counts):
            return True
        return (
            at.interrupted
            and self.steps.may_end(place, at.counts, stranded=True)
            and next(Progress(at.steps, at.journey.world).steps(at.place, at.counts, at.spent), None) is None
        )

    def _closed(self, at: Waypoint, points: int) -> Iterator[Waypoint]:
        price = at.steps.closed(at.place, at.counts, points - at.spent)
        if price is not None:
            counts = at.steps.closing_counts(at.place, at.counts)
            yield replace(at, spent=at.spent + price, counts=counts, stopped=True, interrupted=False)

    def _step(self, at: Waypoint, step: str, points: int) -> Iterator[Waypoint]:
        """Yield where a step may lead: over each connection that joins the places."""
        target = step.removeprefix(INTERRUPTED)
        if at.stopped or target in self.route.closed_to(at.came):
            return
        for taken in at.steps.open(at.place, at.counts, points - at.spent, target):
            _, place, price, stops, counts = taken
            if step != target:
                yield from self._interrupted(at, taken, points - at.spent)
                continue
            came = (*at.came, place.id)
            yield replace(
                at, place=place, counts=counts, came=came, spent=at.spent + price, stopped=stops, interrupted=False
            )

    def _interrupted(self, at: Waypoint, taken: OpenStep, left: int) -> Iterator[Waypoint]:
        """Go on from the same place after an interruption: of a step that was open, by somebody who is able to."""
        link, other, price = taken[:3]
        if not Progress(at.steps, at.journey.world).leads_on(taken, left - price):
            return
        name, way = self.route.interruption, (link, at.place, other)
        journey = at.journey
        cost = journey.ask(name, "cost", *way, told=at.counts)
        if cost > left or journey.ask(name, "try", *way, told=at.counts):
            return
        world = journey.world.interrupted(self.route, link)
        after, place = journey.after(world), world.twin(at.place)
        yield replace(at, journey=after, steps=Steps(after), place=place, spent=at.spent + cost, interrupted=True)
