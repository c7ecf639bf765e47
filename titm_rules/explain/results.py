"""Why a form came to what it did where an expression asked it: what ranks the best ways, or what bars all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from titm_rules.engines.engine import Way
from titm_rules.engines.journey import common_place
from titm_rules.explain.blame import Blame, Causes
from titm_rules.explain.closest import ClauseAsker
from titm_rules.rules.model import Route, Selection, head_key
from titm_rules.rules.terms import START
from titm_rules.world.records import Mover, Place

Env = Mapping[str, Any]
MAX_PLACES = 60


class WalkingEngine(Protocol):
    """What is needed of an engine."""

    def ways(self, route: Route, mover: Mover, given: Env, start: Place | None = None) -> Sequence[Way]:
        """List the best ways of a route."""


def result_causes(
    blame: Blame, asking: Callable[[Route, Mover, Env], ClauseAsker], walker: WalkingEngine, name: str, roles: Env
) -> Causes:
    """Find the causes of what the form of a name came to for some roles."""
    model = blame.evaluator.model
    form = model.forms[name]
    if isinstance(form, Selection):
        env = {**roles, form.picked[0]: blame.evaluator.term(form.members, roles)}
        return blame.of_head(model.heads[head_key(name, "choose")], env)
    if not isinstance(form, Route):
        return ()
    mover, given = roles[form.mover[0]], {role: roles[role] for role, _ in form.given}
    start = roles.get(START) or common_place(mover)
    if mover is None or start is None:
        return ()
    ask = asking(form, mover, given)
    if ask.decide(ask.key("start"), ask.env):
        return blame.of_head(model.heads[ask.key("start")], ask.env)
    ways = walker.ways(form, mover, given, start) if form.ranks else ()
    if ways:
        env = end_of(form, mover, given, ways[0])
        return tuple(cause for rank in form.ranks for cause in blame.because(rank, env))
    barring = (cause for key, env in _barring(ask, start) for cause in blame.of_head(model.heads[key], env))
    return tuple(replace(cause, aside=True) for cause in barring)


def end_of(route: Route, mover: Mover, given: Env, way: Way) -> dict[str, Any]:
    """Name what the ranks of a way are about."""
    counted = zip((name for name, _ in route.counters), way.counts, strict=True)
    return {route.mover[0]: mover, **given, route.entered: way.place, **dict(counted)}


def _barring(ask: ClauseAsker, start: Place) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the heads that bar steps and ends as a mover goes on from its start, the nearest first."""
    waiting = [(ask, start)]
    seen = {start}
    for here, at in waiting:
        if here.ends_barred(at):
            yield here.key("end"), here.end(at)
        for link, entered in here.ways(at):
            crossed = here.cross(link, at, entered)
            if crossed.barred:
                yield here.key("step"), here.along(crossed)
            elif entered not in seen and not crossed.stops and len(seen) < MAX_PLACES:
                seen.add(entered)
                waiting.append((here.having(crossed.tallied), entered))
