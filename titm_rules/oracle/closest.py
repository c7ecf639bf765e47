"""The route that comes closest: fewest clauses broken, then cheapest."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from titm_rules.model.model import Route, head_key
from titm_rules.oracle.findings import Reasons


@dataclass(frozen=True, slots=True)
class Crossed:
    """One step of a route: the connection, both places, its cost, and whether a clause bars it."""

    link: Any
    left: Any
    entered: Any
    cost: int
    barred: bool
    stops: bool


def step_env(route: Route, mover: Any, given: Mapping[str, Any], link: Any, left: Any, entered: Any) -> dict[str, Any]:
    """Name what a step is about, as heads of a route ask it."""
    return {route.mover[0]: mover, **given, route.crossing[0]: link, route.left: left, route.entered: entered}


def end_env(route: Route, mover: Any, given: Mapping[str, Any], entered: Any) -> dict[str, Any]:
    """Name what an end is about."""
    return {route.mover[0]: mover, **given, route.entered: entered}


def closest_route(
    reasons: Reasons,
    route: Route,
    mover: Any,
    given: Mapping[str, Any],
    start: Any,
    is_target: Callable[[Any], bool],
    end_counts: bool = True,
) -> list[Crossed] | None:
    """Find the route to a target that breaks the fewest bars; nothing if no connection leads there.

    A step that a clause bars counts 1; so does one after a stop, one that the points do not pay
    for, and an end that a clause bars.
    """
    name = route.name
    points = reasons.value(head_key(name, "points"), {route.mover[0]: mover, **given})
    numbers = itertools.count()
    heap: list[tuple[int, int, int, bool, Any, tuple[Crossed, ...]]] = [(0, 0, next(numbers), False, start, ())]
    done: set[tuple[Any, bool]] = set()
    finished: tuple[int, int, tuple[Crossed, ...]] | None = None
    while heap:
        broken, spent, _, stopped, place, path = heapq.heappop(heap)
        if finished is not None and broken >= finished[0]:
            break
        if is_target(place):
            ended = end_counts and reasons.value(head_key(name, "end"), end_env(route, mover, given, place))
            total = broken + bool(ended)
            if finished is None or (total, spent) < finished[:2]:
                finished = (total, spent, path)
        if (place, stopped) in done:
            continue
        done.add((place, stopped))
        for link, other in place.links.get(route.crossing[1].name, ()):
            crossed = cross(reasons, route, mover, given, link, place, other)
            over = spent + crossed.cost > points
            after = spent if over else spent + crossed.cost
            more = broken + crossed.barred + stopped + over
            heapq.heappush(heap, (more, after, next(numbers), crossed.stops, other, (*path, crossed)))
    return list(finished[2]) if finished is not None else None


def cross(
    reasons: Reasons, route: Route, mover: Any, given: Mapping[str, Any], link: Any, left: Any, entered: Any
) -> Crossed:
    """Judge one step without noting anything."""
    env = step_env(route, mover, given, link, left, entered)
    value = reasons.value
    return Crossed(
        link, left, entered,
        value(head_key(route.name, "cost"), env),
        value(head_key(route.name, "step"), env),
        value(head_key(route.name, "stop"), env),
    )  # fmt: skip


def legal_route(
    reasons: Reasons, route: Route, mover: Any, given: Mapping[str, Any], start: Any, is_target: Callable[[Any], bool]
) -> list[Crossed] | None:
    """Find the cheapest legal route to a target; nothing if there is none."""
    found = closest_route(reasons, route, mover, given, start, is_target)
    if found is None:
        return None
    points = reasons.value(head_key(route.name, "points"), {route.mover[0]: mover, **given})
    spent = sum(step.cost for step in found)
    stopped = any(step.stops for step in found[:-1])
    if spent > points or stopped or any(step.barred for step in found):
        return None
    place = found[-1].entered if found else start
    ended = (
        reasons.value(head_key(route.name, "end"), end_env(route, mover, given, place))
        if found or route_has_goal(reasons, route)
        else False
    )
    return None if ended else found


def route_has_goal(reasons: Reasons, route: Route) -> bool:
    """Whether a route leads to a goal that clauses name."""
    return bool(reasons.model.heads[head_key(route.name, "goal")].statements)


def places(start: Any, steps: list[Crossed]) -> list[str]:
    """Name the places of a route."""
    return [start.id, *(step.entered.id for step in steps)]
